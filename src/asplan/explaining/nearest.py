"""The rules that come nearest to deriving false atoms, and the literals that stop them.

For each rule that may derive the atom, the search tries its body without one of its literals, and
the prefixes of its body. The nearest rule lacks a single literal, or else has the longest true
prefix. For the atom of the literal that stops it, which may have unknown arguments, the nearest
rule is found in turn.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from asplan.clingo import Function, Number, Symbol
from asplan.core.dataclass import dataclass
from asplan.explaining.bodies import Body, in_safe_order, is_matchable
from asplan.explaining.explanation import Nearest
from asplan.explaining.instances import Answered, Instance, InstanceSearch
from asplan.explaining.patterns import Pattern
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Sign, Signature, Variable

_WANTED = "explain__wanted"

_DEPTH = 3  # the most rules in a chain of nearest rules


@dataclass(frozen=True)
class _Cause:
    """A nearest rule, and the `missing` atom that explains why the rule derives nothing.

    This is the atom of the literal that stops the rule. `missing` is None if there is no such atom.
    """

    nearest: Nearest
    missing: Pattern | None = None


def find_causes(
    answer: Answered,
    wanted: Iterable[Pattern],
) -> dict[Pattern, Nearest]:
    """Return for each atom the rule nearest to deriving it; `because` links to further rules."""
    return {key: several[0] for key, several in find_nearest(answer, wanted).items()}


def find_nearest(
    answer: Answered,
    wanted: Iterable[Pattern],
) -> dict[Pattern, tuple[Nearest, ...]]:
    """Return for each atom the rules that may derive it, the nearest first.

    `because` of a rule is the nearest rule for the atom that it lacks, and so on. Such a chain has
    at most three rules.
    """
    requested = list(dict.fromkeys(wanted))
    causes: dict[Pattern, list[_Cause]] = {}
    patterns = requested
    for _ in range(_DEPTH):
        patterns = [pattern for pattern in dict.fromkeys(patterns) if pattern not in causes]
        if not patterns:
            break
        level = _nearest(answer, patterns)
        causes |= level
        behind = chain.from_iterable(level.values())
        patterns = [cause.missing for cause in behind if cause.missing is not None]
    chains = _Chains(answer, causes)
    return {pattern: tuple(map(chains.linked, causes[pattern])) for pattern in requested}


class _Chains:
    """Chains of nearest rules: each rule is about the atom that the previous rule lacks."""

    def __init__(
        self,
        answer: Answered,
        causes: dict[Pattern, list[_Cause]],
    ) -> None:
        self._answer = answer
        self._causes = causes

    def linked(
        self,
        cause: _Cause,
        depth: int = _DEPTH - 1,
    ) -> Nearest:
        """Return the nearest rule of a cause, with links to the causes behind it.

        Each rule's `because` is the nearest rule for the atom that the rule lacks. At most `depth`
        rules are linked.
        """
        because: Nearest | None = None
        missing = cause.missing
        if depth and missing is not None and missing in self._causes:
            because = self.linked(self._causes[missing][0], depth - 1)
            if self._is_trivial(because, missing):
                because = None
        return replace(cause.nearest, because=because)

    def _is_trivial(
        self,
        because: Nearest,
        missing: Pattern,
    ) -> bool:
        """Return whether the nearest rule for a missing atom explains nothing.

        This is so for a choice that offers the atom. It is also so if no rule was found, but the
        answer set has an atom that matches.
        """
        if because.rule is None:
            return any(map(missing.matches, self._answer.atoms))
        return because.rule.choice and because.literal is None


@dataclass(frozen=True, eq=False)
class _Attempt(InstanceSearch):
    """A search for instances in which a body is true, except for the literal of index `stop`.

    The instance with the highest `rank` is nearest to deriving the atom. The rank is highest if all
    literals of the body are true, lower if all but one are, and lowest if only a prefix of the body
    is. If one literal is not true, the rank is lower for an action than for another literal.
    """

    stop: int = 0
    rank: tuple[float, ...] = ()

    def cause(
        self,
        pattern: Pattern,
        instance: Instance,
    ) -> _Cause:
        """Return the rule of this attempt as the nearest rule for the false atom `pattern`.

        `instance` is a result of this search; it has the values of the rule's variables.
        """
        values = instance.values
        literals = self.body.literals
        nearest = Nearest(str(pattern), self.body.rule, None, values.texts)
        if self.stop < len(literals):
            missing = values.atom_behind(literals[self.stop], Sign.NoSign)
            return _Cause(replace(nearest, literal=self.body.places[self.stop]), missing)
        # The rule derives the atom; only atoms behind `not` could have prevented that.
        negated = (values.atom_behind(literal, Sign.Negation) for literal in literals)
        return _Cause(nearest, next(filter(None, negated), None))


def _nearest(
    answer: Answered,
    wanted: Sequence[Pattern],
) -> dict[Pattern, list[_Cause]]:
    """Return for each pattern the nearest attempt of each body, the nearest body first.

    `wanted` are the patterns of false atoms.
    """
    forms, given = _forms(wanted)
    attempts = list(_all_attempts(answer, forms))
    order = {attempt: number for number, attempt in enumerate(attempts)}
    best: dict[Pattern, dict[Body, tuple[_Attempt, Instance]]] = {}
    for instance in answer.instances(attempts, given):
        attempt = instance.search
        assert isinstance(attempt, _Attempt)
        by_body = best.setdefault(wanted[instance.more[0].number], {})
        previous = by_body.get(attempt.body)
        if previous is None or previous[0].rank < attempt.rank:
            by_body[attempt.body] = attempt, instance
    causes: dict[Pattern, list[_Cause]] = {}
    for pattern in wanted:
        results = list(best.get(pattern, {}).values())
        results.sort(key=lambda pair: (pair[0].rank, -order[pair[0]]), reverse=True)
        causes[pattern] = [attempt.cause(pattern, instance) for attempt, instance in results]
        if not results:
            causes[pattern].append(_Cause(Nearest(str(pattern))))
    return causes


_Form = tuple[Signature, tuple[int, ...]]
"""A predicate, and the indices of the arguments that are known."""


def _forms(wanted: Sequence[Pattern]) -> tuple[dict[_Form, str], list[Symbol]]:
    """Return an auxiliary predicate for each form of the patterns, and a fact for each pattern.

    A form is a predicate with the indices of known arguments. The arguments of a fact are the
    number of its pattern, and then the known arguments of the pattern.
    """
    forms: dict[_Form, str] = {}
    facts: list[Symbol] = []
    for number, pattern in enumerate(wanted):
        values = {i: term for i, term in enumerate(pattern.arguments) if term is not None}
        name = forms.setdefault((pattern.key, tuple(values)), f"{_WANTED}{len(forms)}")
        facts.append(Function(name, [Number(number), *values.values()]))
    return forms, facts


def _all_attempts(
    answer: Answered,
    forms: dict[_Form, str],
) -> Iterator[_Attempt]:
    """Yield the attempts of all bodies to derive atoms of the given forms.

    `forms` maps each form to the name of its auxiliary predicate, as in `_forms`.
    """
    actions = answer.question.program.actions
    for body in answer.bodies:
        for (key, places), name in forms.items():
            head = next((head for head in body.heads if syntax.signature(head) == key), None)
            if head is not None:
                yield from _attempts(body, head, name, places, actions)


def _attempts(
    body: Body,
    head: AST,
    name: str,
    places: Sequence[int],
    actions: frozenset[Signature],
) -> Iterator[_Attempt]:
    """Yield attempts to derive atoms that match a fact `name(number,values)`.

    `places` are the indices of the arguments of the head that must equal the values. `actions` are
    the predicates of actions.
    """
    at = body.statement.location
    terms = [syntax.arguments(head)[place] for place in places]
    values = [Variable(at, f"Explain__{place}") for place in places]
    number = Variable(at, "Explain__Number")
    fact = syntax.named_atom(body.statement, name, [number, *values])
    bound = list(chain.from_iterable(map(_names, filter(is_matchable, terms))))
    shared = syntax.global_variables(body.literals)
    for part in _parts(body, actions):
        literals = in_safe_order(part.literals, bound, shared)
        if literals is None:
            continue
        names = tuple(dict.fromkeys([*bound, *syntax.global_variables(part.literals)]))
        equations: list[AST] = []
        for term, value in zip(terms, values, strict=True):
            if set(_names(term)) <= set(names):
                equations.append(syntax.compared(body.statement, value, term))
        search = [fact, *equations, *literals]
        yield _Attempt(body, names, search, (number,), part.stop, part.rank)


@dataclass(frozen=True)
class _Part:
    """A part of a body that must be true in an attempt, with the attempt's rank.

    It has all literals but the one of index `stop`, or only the literals before `stop`.
    """

    stop: int
    literals: tuple[AST, ...]
    rank: tuple[float, ...]


def _parts(
    body: Body,
    actions: frozenset[Signature],
) -> Iterator[_Part]:
    """Yield the parts of a body to try.

    First yield the parts that lack one literal, beginning with the last literal. Then yield the
    prefixes, and then the whole body. `actions` are the predicates of actions; a part that lacks
    an action has a lower rank than one that lacks another literal.
    """
    literals = body.literals
    length = len(literals)
    for stop in reversed(range(length)):
        lacks_fluent = actions.isdisjoint(syntax.named_in(literals[stop]))
        yield _Part(stop, literals[:stop] + literals[stop + 1 :], (1, lacks_fluent))
    for stop in range(length - 1):
        yield _Part(stop, literals[:stop], (0, stop / length))
    yield _Part(length, literals, (2, 0))


def _names(term: AST) -> list[str]:
    """Return the names of the variables in a term, except `_`."""
    variables = syntax.find(ASTType.Variable, [term])
    return [variable.name for variable in variables if variable.name != "_"]
