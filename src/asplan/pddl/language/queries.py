"""Compiled conditions: tests for given objects of the variables, and queries for all solutions.

A condition is compiled once for a given set of bound variables. A query joins the parts of a
conjunction, one after the other; it finds the matching atoms of a predicate by an index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import chain

from asplan.pddl.language.conditions import (
    EQUAL,
    Comparison,
    Condition,
    Junction,
    PddlLiteral,
    Ranges,
    Some,
    alternatives,
    both,
    conjuncts,
)
from asplan.pddl.language.interpretation import Binding, Interpretation
from asplan.pddl.language.syntax import Row

Test = Callable[[Binding, Interpretation], bool]
Query = Callable[[Binding, Interpretation], Iterator[Binding]]
_Step = Callable[[Binding, Interpretation], Iterable[None]]
"""A step of a join: it gives values to further variables, and yields once for each solution."""


def check_of(condition: Condition) -> Test:
    """Compile a condition to a test; its bindings must give values to all free variables."""
    match condition:
        case PddlLiteral(positive, predicate, (left, right)) if predicate == EQUAL:
            return lambda b, facts: (b.get(left, left) == b.get(right, right)) == positive
        case PddlLiteral(positive, predicate, words):
            return lambda b, facts: (
                facts.holds(predicate, tuple([b.get(word, word) for word in words])) == positive
            )
        case Comparison():
            return _comparison_test(condition)
        case Junction(is_all, parts):
            tests = tuple(map(check_of, parts))
            join = all if is_all else any
            return lambda b, facts: join(test(b, facts) for test in tests)
        case Some(positive, ranges, body):
            query = query_of(ranges, body, condition.variables)
            return lambda b, facts: any(True for _ in query(b, facts)) == positive
    raise AssertionError(condition)


def _comparison_test(comparison: Comparison) -> Test:
    """Compile a comparison to a test."""
    holds = comparison.holds
    left_of = comparison.left
    right_of = comparison.right
    undefined = comparison.undefined

    def compare(
        b: Binding,
        facts: Interpretation,
    ) -> bool:
        try:
            return holds(left_of(b, facts), right_of(b, facts))
        except (KeyError, ZeroDivisionError):
            return undefined

    return compare


def query_of(
    ranges: Ranges,
    condition: Condition,
    bound: Collection[str] = (),
    first: PddlLiteral | None = None,
) -> Query:
    """Compile a query for the objects that satisfy a condition.

    For each solution, the query yields a dictionary with the values of the variables. It is always
    the same dictionary, which changes before the next solution. A solution may come several times.

    Parameters
    ----------
    ranges
        The variables to find, each with the objects that may be its value.
    condition
        The condition to satisfy.
    bound
        The variables that have values when the query begins.
    first
        A literal of the condition to match only with rows that the last round of rules derived;
        None to match all literals with all rows.
    """
    disjuncts = alternatives(condition)
    if len(disjuncts) != 1:
        queries = [query_of(ranges, disjunct, bound) for disjunct in disjuncts]
        return lambda b, facts: chain.from_iterable(query(b, facts) for query in queries)
    parts, inner = conjuncts(disjuncts[0])
    steps = _Join(dict(ranges + inner), list(parts), set(bound)).steps(first)

    def solutions(
        binding: Binding,
        facts: Interpretation,
        index: int = 0,
    ) -> Iterator[Binding]:
        if index == len(steps):
            yield binding
        else:
            for _ in steps[index](binding, facts):
                yield from solutions(binding, facts, index + 1)

    return solutions


class _Join:
    """The construction of a join: chooses the order of the parts of a conjunction.

    Tests come as early as possible, then the atoms with the most bound arguments.

    Attributes
    ----------
    ranges
        The variables, each with the objects that may be its value.
    parts
        The parts that are not in the join yet.
    bound
        The variables that have a value at this point of the join.
    """

    def __init__(
        self,
        ranges: dict[str, Row],
        parts: list[Condition],
        bound: set[str],
    ) -> None:
        self.ranges = ranges
        self.parts = parts
        self.bound = bound

    def steps(self, first: PddlLiteral | None) -> list[_Step]:
        """Return the steps of the join in order.

        `first` is a part to match at the start, only with rows of the last round of rules.
        """
        steps: list[_Step] = []
        if first is not None:
            self.parts.remove(first)
            steps.append(self._matched(first, newest=True))
        while True:
            ready = [part for part in self.parts if part.variables <= self.bound]
            self.parts = [part for part in self.parts if not part.variables <= self.bound]
            if ready:
                steps.append(_check(check_of(both(*ready))))
            step = self._next_step()
            if step is not None:
                steps.append(step)
            elif not ready:
                return steps

    def _next_step(self) -> _Step | None:
        """Return a step that gives values to variables; None if all variables have values.

        The step matches an atom, if one is left, or else chooses the value of one variable.
        """
        atoms = [part for part in self.parts if isinstance(part, PddlLiteral) and part.positive]
        if atoms:
            best = min(atoms, key=self._openness)
            self.parts.remove(best)
            return self._matched(best)
        unbound = [variable for variable in self.ranges if variable not in self.bound]
        if not unbound:
            return None
        used = frozenset[str]().union(*(part.variables for part in self.parts))
        variable = min(unbound, key=lambda v: (v not in used, len(self.ranges[v])))
        self.bound.add(variable)
        return _choose(variable, self.ranges[variable])

    def _openness(self, atom: PddlLiteral) -> tuple[int, int]:
        """Return a sort key that is smallest for the atom with the most bound arguments."""
        free = atom.variables - self.bound
        bound = sum(word not in free for word in atom.arguments)
        return -bound, len(atom.arguments) - bound

    def _matched(
        self,
        atom: PddlLiteral,
        newest: bool = False,
    ) -> _Step:
        """Return a step that matches an atom, and mark its variables as bound."""
        step = _match(atom, self.ranges, self.bound, newest)
        self.bound |= atom.variables
        return step


def _check(test: Test) -> _Step:
    """Return a step that passes if the test holds."""
    return lambda binding, facts: (None,) if test(binding, facts) else ()


def _choose(
    variable: str,
    objects: Row,
) -> _Step:
    """Return a step that gives a variable each of its objects in turn."""

    def choose(
        binding: Binding,
        facts: Interpretation,
    ) -> Iterator[None]:
        for binding[variable] in objects:
            yield

    return choose


_set: Callable[[Row], frozenset[str]] = cache(frozenset)


def _match(
    atom: PddlLiteral,
    ranges: dict[str, Row],
    bound: set[str],
    newest: bool = False,
) -> _Step:
    """Return a step that gives values to the variables of an atom, from the rows that match.

    `ranges` has the variables with the objects that may be their values. The variables in `bound`
    have values before the step. If `newest` is set, only rows that the last round of rules derived
    can match.
    """
    predicate = atom.predicate
    words = atom.arguments
    given = tuple(i for i, word in enumerate(words) if word[0] != "?" or word in bound)
    known = tuple(words[i] for i in given)
    places = {word: i for i, word in reversed(list(enumerate(words))) if i not in given}
    new = tuple((word, i, _set(ranges[word])) for word, i in places.items())
    # The pairs of positions that have the same free variable.
    equal = tuple((i, places[word]) for i, word in enumerate(words) if places.get(word, i) != i)

    def match(
        binding: Binding,
        facts: Interpretation,
    ) -> Iterator[None]:
        relation = facts.newest(predicate) if newest else facts.relation(predicate)
        key = tuple([binding.get(word, word) for word in known])
        for row in relation.matching(given, key):
            if all(row[i] == row[j] for i, j in equal):
                for word, i, objects in new:
                    if row[i] not in objects:
                        break
                    binding[word] = row[i]
                else:
                    yield

    return match
