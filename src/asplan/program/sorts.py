"""Which arguments of a program without parts are times: those that choices and steps range over.

Arguments that share a variable are of one sort. A sort is that of times if a rule relates
neighbouring values of one predicate, always onwards where one follows from the other:
`holds(F,T+1) :- holds(F,T)`. In a grid steps lead both ways, and several arguments of an atom are
of its sort.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, product
from typing import TypeVar

from asplan.core.graphs import DisjointSets, components_of
from asplan.program import syntax
from asplan.program.clauses import (
    NONE,
    Clause,
    End,
    Successors,
    Use,
    clauses_of,
    depending_on,
)
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.terms import BELOW, MIRRORED, Op
from asplan.program.unit import Unit, statements_in

Place = tuple[Signature, int]  # a predicate and one of its arguments, counted from 0

TIME = re.compile(
    r"(max|last|end|n|num|t)?_?(time|step|stage|horizon|turn|move|length|len)s?(_?max)?"
)
"""Usual names of a domain of times or of its end; no more than a hint."""


@dataclass(frozen=True, eq=False)
class Limit:
    """A comparison of a variable of a sort with a constant or a number, read from the variable.

    `T < 7` and `7 > T` are both `Op.LessThan` with the use of 7. A clause `is_restriction` if it
    derives nothing and leaves nothing open: it excludes answers, and bounds no time.
    """

    use: Use
    operator: Op
    is_restriction: bool

    @property
    def is_upper(self) -> bool:
        """Whether a rule uses the limit as an upper bound."""
        return self.operator in BELOW and not self.is_restriction


@dataclass(frozen=True, eq=False)
class Sort:
    """Arguments that range over the same things, with all that bounds them from above.

    `is_named` holds if something has a name as times have. `ends` are upper ends of intervals with
    the lower end and the argument or variable between them, `limits` comparisons, and `given` the
    constants and numbers that are arguments themselves.
    """

    places: frozenset[Place]
    variables: frozenset[tuple[int, str]]
    score: int
    steps: int
    is_named: bool
    ends: tuple[End, ...]
    limits: tuple[Limit, ...]
    given: tuple[Use, ...]

    @property
    def highs(self) -> list[Use]:
        """The upper ends of intervals."""
        return [high for high, _, _ in self.ends]

    @property
    def bounds(self) -> list[Use]:
        """The constants and numbers with which its variables are compared."""
        return [limit.use for limit in self.limits]

    @property
    def unary(self) -> set[Signature]:
        """The predicates with one argument, which is of the sort."""
        return {key for key, _ in self.places if key[2] == 1}

    def place_of(self) -> dict[Signature, int]:
        """Return the first argument of each predicate that is of the sort."""
        found: dict[Signature, int] = {}
        for key, place in sorted(self.places):
            found.setdefault(key, place)
        return found


@dataclass
class Sorts:
    """The clauses of a program, and the sorts of the arguments of its predicates."""

    clauses: list[Clause]
    successors: Successors
    open: frozenset[Signature]
    found: list[Sort] = field(default_factory=list)


Member = Place | tuple[int, str]
"""An argument of a predicate, or a variable with the number of its clause."""


@lru_cache(maxsize=8)
def sorts_of(unit: Unit) -> Sorts:
    """Return the sorts of a program, the likeliest to be that of times first."""
    clauses, successors = clauses_of(unit)
    groups = _grouped(clauses, _Values(unit))
    opened = frozenset(_open(clauses))
    limits = _by_group(groups, _limits_in(clauses))
    ends = _by_group(groups, _ends_in(clauses))
    members: dict[Member, set[Member]] = {}
    for member in groups:
        members.setdefault(groups.find(member), set()).add(member)
    found = [
        _sort(unit, clauses, opened, group, ends.get(root, []), limits.get(root, []))
        for root, group in members.items()
    ]
    found.sort(key=lambda sort: -sort.score)
    return Sorts(clauses, successors, opened, found)


def _member(number: int, use: Use) -> Member:
    """Return the variable of a use in a clause, or else its argument."""
    return (number, use.name) if use.is_variable else (use.key, use.place)


_FEW = 50
"""So many facts a predicate may have if they are looked at one by one."""


class _Values:
    """How many values the variables of an atom can have, by the facts and rules for it."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._known: dict[Signature, list[tuple[AST, AST]]] = {}

    def single_names(self, clause: Clause) -> set[str]:
        """Return the variables of a clause that some atom of its body leaves one value.

        That is `L` in `length(L)` and in `limit(last,L)` if one fact fits, or if one rule derives
        `length(L)` without an atom for `L`, as `length(L) :- L = #max { T : time(T) }` does.
        """
        found = set[str]()
        for atom in syntax.reads(clause.statement):
            names = syntax.variable_names(*syntax.arguments(atom))
            if len(names) == 1 and self._holds_once(atom):
                found.update(names)
        return found

    def _holds_once(self, atom: AST) -> bool:
        heads = self._heads(syntax.signature(atom))
        fitting = [(statement, head) for statement, head in heads if _fits(atom, head)]
        return len(fitting) == 1 and _has_one_value(*fitting[0])

    def _heads(self, key: Signature) -> list[tuple[AST, AST]]:
        """Return the heads of a predicate with their statements; none if it has many facts."""
        if key not in self._known:
            self._known[key] = list(self._find_heads(key))
        return self._known[key]

    def _find_heads(self, key: Signature) -> Iterator[tuple[AST, AST]]:
        facts = [found.of({key}) for found in self._unit.facts if key in found.signatures]
        if sum(found.text.count(f"{key[1]}(") for found in facts) > _FEW:
            return
        written = chain.from_iterable(map(statements_in, facts))
        for statement in chain(self._unit.statements, written):
            for head in syntax.heads(statement):
                if syntax.signature(head) == key:
                    yield statement, head


def _fits(atom: AST, head: AST) -> bool:
    """Return whether a head may be an instance of an atom, by their plain arguments."""
    pairs = zip(syntax.arguments(atom), syntax.arguments(head), strict=True)
    return all(
        str(ours) == str(other)
        for ours, other in pairs
        if not syntax.variable_names(ours) and not syntax.variable_names(other)
    )


def _has_one_value(statement: AST, head: AST) -> bool:
    """Return whether a statement derives a head for at most one value of its variables."""
    if syntax.is_choice(statement) or statement.ast_type != ASTType.Rule:
        return False
    if syntax.find((ASTType.Interval, ASTType.Pool), [head]):
        return False
    plain = [literal for literal in statement.body if syntax.is_literal(literal, sign=None)]
    return set(syntax.variable_names(head)).isdisjoint(syntax.variable_names(*plain))


def _grouped(clauses: Collection[Clause], values: _Values) -> DisjointSets[Member]:
    """Join the arguments and variables that range over the same things.

    An argument and its variable are joined, and the end of an interval with what it bounds. A
    comparison joins two variables only if one of them has a single value, as `L` in `T < L` with
    `length(L)`: in `X <= T+2` objects may be compared with times.
    """
    groups = DisjointSets[Member]()
    for number, clause in enumerate(clauses):
        for use in clause.uses:
            groups.join((use.key, use.place), _member(number, use))
        for left, operator, right in clause.compared:
            if not (left.is_variable and right.is_variable):
                continue
            names = (left.name, right.name)
            if operator == Op.Equal or not values.single_names(clause).isdisjoint(names):
                groups.join(_member(number, left), _member(number, right))
        for high, _, between in clause.ends:
            groups.find(_member(number, between))
            if high.is_variable:
                groups.join(_member(number, high), _member(number, between))
    return groups


Found = TypeVar("Found")


def _by_group(
    groups: DisjointSets[Member], found: Iterable[tuple[Member, Found]]
) -> dict[Member, list[Found]]:
    """Collect what belongs to a member by the root of its group."""
    collected: dict[Member, list[Found]] = {}
    for member, each in found:
        collected.setdefault(groups.find(member), []).append(each)
    return collected


def _ends_in(clauses: Iterable[Clause]) -> Iterator[tuple[Member, End]]:
    """Yield the ends of intervals, each with the argument or variable that it bounds."""
    for number, clause in enumerate(clauses):
        for end in clause.ends:
            yield _member(number, end[2]), end


def _limits_in(clauses: Iterable[Clause]) -> Iterator[tuple[Member, Limit]]:
    """Yield the comparisons of variables with constants and numbers, each with its variable."""
    for number, clause in enumerate(clauses):
        is_restriction = not clause.defined
        for left, operator, right in clause.compared:
            if left.is_variable and not right.is_variable:
                yield _member(number, left), Limit(right, operator, is_restriction)
            if right.is_variable and not left.is_variable:
                yield _member(number, right), Limit(left, MIRRORED[operator], is_restriction)


def _sort(
    unit: Unit,
    clauses: Collection[Clause],
    opened: Collection[Signature],
    members: Iterable[Member],
    ends: Collection[End],
    limits: Collection[Limit],
) -> Sort:
    """Return the sort of some arguments and variables, with the evidence that they are times."""
    places = frozenset(m for m in members if not isinstance(m[0], int) and m[0] != NONE)
    variables = frozenset(m for m in members if isinstance(m[0], int))
    given = [
        use
        for clause in clauses
        for use in clause.uses
        if not use.is_variable and (use.key, use.place) in places
    ]
    steps, apart, score = _evidence(clauses, places, opened)
    if not steps and score > 0 and ends:
        steps = int(_is_linked(unit, clauses, places & _places_in(opened), ends))
    bounding = (*(limit.use for limit in limits), *(high for high, *_ in ends))
    hints = {use.name for use in bounding if not use.is_variable}
    hints |= {key[1] for key, _ in places if key[2] == 1 and len(key[1]) > 1}
    is_named = any(map(TIME.fullmatch, hints))
    if is_named:
        steps += apart
        score += 1
    return Sort(places, variables, score, steps, is_named, tuple(ends), tuple(limits), tuple(given))


def _open(clauses: Collection[Clause]) -> set[Signature]:
    """Predicates that are chosen, or by rules that deny each other, and what depends on them."""
    after: dict[Signature, set[Signature]] = {}
    starts, denied = set[Signature](), set[tuple[Signature, Signature]]()
    for clause in clauses:
        if clause.is_open:
            starts |= clause.defined
        for key in clause.defined:
            after.setdefault(key, set()).update(clause.read)
        denied |= {(key, other) for key in clause.defined for other in clause.denied}
    for members in map(set, components_of(after)):
        if any({a, b} <= members for a, b in denied):
            starts |= members
    return depending_on(starts, ((clause.defined, clause.read) for clause in clauses))


def _evidence(
    clauses: Iterable[Clause], places: Collection[Place], opened: Collection[Signature]
) -> tuple[int, bool, int]:
    """Return the evidence that places are times.

    That is the number of predicates that go on by steps, whether a rule has neighbouring values,
    and a score. Steps onwards count for times, as do choices at a value, one for each predicate
    that is chosen. Steps that lead back, and several such places in one predicate, count against.
    """
    onwards = set[Place]()
    backwards = set[Place]()
    beside = set[Place]()
    chosen = set[Signature]()
    apart = False
    for clause in clauses:
        timed = [u for u in clause.uses if (u.key, u.place) in places and u.key in opened]
        of_sort = [use for use in timed if use.is_variable]
        if clause.is_open:
            chosen |= {use.key for use in of_sort if use.head}
        for a, b in product(of_sort, repeat=2):
            if a.name != b.name or a.shift <= b.shift:
                continue
            apart = True
            place = (a.key, a.place)
            if place == (b.key, b.place):
                steps = beside if a.head == b.head else onwards if a.head else backwards
                steps.add(place)
    several = Counter(key for key, _ in places if key in opened)
    crowded = sum(count > 1 for count in several.values())
    score = 3 * len(onwards) + len(beside - onwards) + len(chosen)
    score -= 3 * len(backwards) + 3 * crowded
    return len(onwards), apart, score


def _places_in(keys: Iterable[Signature]) -> frozenset[Place]:
    """Return all argument places of some predicates."""
    return frozenset((key, place) for key in keys for place in range(key[2]))


Distances = dict[tuple[Signature, Signature], set[int]]
"""For pairs of predicates how far the value of the first is from that of the second."""


def _is_linked(
    unit: Unit, clauses: Iterable[Clause], places: Collection[Place], ends: Iterable[End]
) -> bool:
    """Return whether steps lead on by what is chosen and what follows from it, not by inertia.

    As in `:- go(P,Q,T), not at(P,T-1).` with `at(Q,T) :- go(P,Q,T).` and a fact `at(a,0).` before
    the first value of T. All such rules lead the same way; in a grid they lead both ways.
    """
    lows = [low for low in (syntax.number_of(low) for _, low, _ in ends) if low is not None]
    if not lows:
        return False
    read, derived = Distances(), Distances()
    chosen: dict[Signature, int] = {}
    for clause in clauses:
        uses = [u for u in clause.uses if (u.key, u.place) in places and u.is_variable]
        for use in (use for use in uses if use.head and clause.is_open):
            chosen[use.key] = min(lows) + use.shift
        for a, b in product(uses, repeat=2):
            if a.name == b.name and a.key != b.key and not b.head:
                found = derived if a.head and not clause.is_open else read
                found.setdefault((a.key, b.key), set()).add(a.shift - b.shift)
    for key, first in chosen.items():
        for state, ahead in _ahead_of(key, derived).items():
            back = read.get((key, state), set())
            if back and min(back) >= 0 and max(back) + ahead > 0:
                own = [place for other, place in places if other == state]
                if any(_starts_before(unit, state, place, first + ahead) for place in own):
                    return True
    return False


def _ahead_of(key: Signature, derived: Distances) -> dict[Signature, int]:
    """Return how far ahead of a predicate those are that follow from it, never behind."""
    found = {key: 0}
    waiting = [key]
    while waiting:
        source = waiting.pop()
        for (target, other), distances in derived.items():
            if other == source and target not in found and min(distances) >= 0:
                found[target] = found[source] + max(distances)
                waiting.append(target)
    del found[key]
    return found


def _starts_before(unit: Unit, key: Signature, place: int, first: int) -> bool:
    """Return whether facts give a predicate at a smaller value than the first derived one."""
    heads = (syntax.heads(fact) for fact in unit.expand_facts({key}))
    values = (syntax.number_of(syntax.arguments(atoms[0])[place]) for atoms in heads)
    return any(value is not None and value < first for value in values)
