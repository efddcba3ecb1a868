"""The sorts of the arguments of a program without parts, and the evidence that one is of times.

Arguments that share a variable are of one sort. In a sort of times a rule relates neighbouring
values of one predicate: `holds(F,T+1) :- holds(F,T)`. Such rules lead onwards only. In a grid they
lead both ways, and several arguments of an atom are of its sort.
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
from asplan.program.model import TemporalRule, depending_on
from asplan.program.successors import rules_of
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.term_uses import (
    NONE,
    End,
    Successors,
    TermUse,
)
from asplan.program.terms import BELOW, MIRRORED, Op
from asplan.program.unit import Unit, statements_in

Place = tuple[Signature, int]  # a predicate and one of its arguments, counted from 0

TIME = re.compile(
    r"(max|last|end|n|num|t)?_?(time|step|stage|horizon|turn|move|length|len)s?(_?max)?"
)
"""Usual names of a domain of times or of its end; they are weak evidence."""


@dataclass(frozen=True, eq=False)
class Limit:
    """A comparison of a variable of a sort with a constant or a number, read from the variable.

    `T < 7` and `7 > T` are both `Op.LessThan` with the use of 7. A rule `is_restriction` if it
    derives nothing and leaves nothing open: it excludes answers, and bounds no time.
    """

    use: TermUse
    operator: Op
    is_restriction: bool

    @property
    def is_upper(self) -> bool:
        """True if a rule uses the limit as an upper bound."""
        return self.operator in BELOW and not self.is_restriction


@dataclass(frozen=True, eq=False)
class Sort:
    """Arguments and variables that range over the same things, with their bounds.

    Attributes
    ----------
    places
        The arguments of predicates.
    variables
        The variables, each with the number of its rule.
    score
        The weight of the evidence for times; it may be negative.
    steps
        The number of predicates that go on by steps.
    is_named
        Whether a constant or a domain of the sort has a usual name of times.
    ends
        The ends of intervals, with the argument or variable between them.
    limits
        The comparisons with constants and numbers.
    given
        The constants and numbers that are arguments themselves.
    """

    places: frozenset[Place]
    variables: frozenset[tuple[int, str]]
    score: int
    steps: int
    is_named: bool
    ends: tuple[End, ...]
    limits: tuple[Limit, ...]
    given: tuple[TermUse, ...]

    @property
    def highs(self) -> list[TermUse]:
        """The upper ends of intervals."""
        return [high for high, _, _ in self.ends]

    @property
    def bounds(self) -> list[TermUse]:
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
    """The rules of a program, and the sorts of the arguments of its predicates."""

    rules: list[TemporalRule]
    successors: Successors
    open: frozenset[Signature]
    found: list[Sort] = field(default_factory=list)


SortMember = Place | tuple[int, str]
"""An argument of a predicate, or a variable with the number of its rule."""

_MAX_FACTS = 50  # the most facts of a predicate that are examined one by one


@lru_cache(maxsize=8)
def sorts_of(unit: Unit) -> Sorts:
    """Return the sorts of a program, the likeliest to be that of times first."""
    rules, successors = rules_of(unit)
    groups = _grouped(rules, _SingleValues(unit))
    opened = frozenset(_open(rules))
    limits = _by_group(groups, _limits_in(rules))
    ends = _by_group(groups, _ends_in(rules))
    members: dict[SortMember, set[SortMember]] = {}
    for member in groups:
        members.setdefault(groups.find(member), set()).add(member)
    found = [
        _sort(
            unit,
            rules,
            opened,
            group,
            ends.get(root, []),
            limits.get(root, []),
        )
        for root, group in members.items()
    ]
    found.sort(key=lambda sort: -sort.score)
    return Sorts(rules, successors, opened, found)


def _member(number: int, use: TermUse) -> SortMember:
    """Return the variable of a use in a rule, or else its argument."""
    return (number, use.name) if use.is_variable else (use.key, use.place)


class _SingleValues:
    """The variables with a single value, by the facts and rules for the atoms that bind them."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._heads_by_key: dict[Signature, list[tuple[AST, AST]]] = {}

    def single_names(self, rule: TemporalRule) -> set[str]:
        """Return the variables of a rule that some atom of its body binds to one value.

        An example is `L` in `length(L)` and in `limit(last,L)` if one fact fits, or if one rule
        derives `length(L)` without an atom for `L`: `length(L) :- L = #max { T : time(T) }`.
        """
        found = set[str]()
        for atom in syntax.reads(rule.statement):
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
        if key not in self._heads_by_key:
            self._heads_by_key[key] = list(self._find_heads(key))
        return self._heads_by_key[key]

    def _find_heads(self, key: Signature) -> Iterator[tuple[AST, AST]]:
        facts = [found.of({key}) for found in self._unit.facts if key in found.signatures]
        if sum(found.text.count(f"{key[1]}(") for found in facts) > _MAX_FACTS:
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


def _grouped(rules: Collection[TemporalRule], values: _SingleValues) -> DisjointSets[SortMember]:
    """Join the arguments and variables that range over the same things.

    An argument and its variable are joined, and the end of an interval with its variable. A
    comparison joins two variables only if one of them has a single value, as `L` in `T < L` with
    `length(L)`: in `X <= T+2` objects may be compared with times.
    """
    groups = DisjointSets[SortMember]()
    for number, rule in enumerate(rules):
        for use in rule.uses:
            groups.join((use.key, use.place), _member(number, use))
        for left, operator, right in rule.compared:
            if not (left.is_variable and right.is_variable):
                continue
            names = (left.name, right.name)
            if operator == Op.Equal or not values.single_names(rule).isdisjoint(names):
                groups.join(_member(number, left), _member(number, right))
        for high, _, between in rule.ends:
            groups.find(_member(number, between))  # which makes it a member
            if high.is_variable:
                groups.join(_member(number, high), _member(number, between))
    return groups


Found = TypeVar("Found")


def _by_group(
    groups: DisjointSets[SortMember], found: Iterable[tuple[SortMember, Found]]
) -> dict[SortMember, list[Found]]:
    """Collect values of members by the root of their group."""
    collected: dict[SortMember, list[Found]] = {}
    for member, each in found:
        collected.setdefault(groups.find(member), []).append(each)
    return collected


def _ends_in(rules: Iterable[TemporalRule]) -> Iterator[tuple[SortMember, End]]:
    """Yield the ends of intervals, each with the argument or variable that it bounds."""
    for number, rule in enumerate(rules):
        for end in rule.ends:
            yield _member(number, end[2]), end


def _limits_in(rules: Iterable[TemporalRule]) -> Iterator[tuple[SortMember, Limit]]:
    """Yield the comparisons of variables with constants and numbers, each with its variable."""
    for number, rule in enumerate(rules):
        is_restriction = not rule.defined
        for left, operator, right in rule.compared:
            if left.is_variable and not right.is_variable:
                yield _member(number, left), Limit(right, operator, is_restriction)
            if right.is_variable and not left.is_variable:
                yield _member(number, right), Limit(left, MIRRORED[operator], is_restriction)


def _sort(
    unit: Unit,
    rules: Collection[TemporalRule],
    opened: Collection[Signature],
    members: Collection[SortMember],
    ends: Collection[End],
    limits: Collection[Limit],
) -> Sort:
    """Return the sort of some arguments and variables, with the evidence that they are times."""
    variables = frozenset(m for m in members if isinstance(m[0], int))
    places = frozenset(m for m in members if not isinstance(m[0], int) and m[0] != NONE)
    evidence = _collect_evidence(rules, places, opened)
    steps = len(evidence.onwards)
    score = evidence.score
    if not steps and score > 0 and ends:
        steps = int(_is_linked(unit, rules, places & _places_in(opened), ends))
    is_named = _has_usual_name(places, ends, limits)
    if is_named:
        steps += evidence.has_neighbours
        score += 1
    given = tuple(_constants_at(places, rules))
    return Sort(
        places,
        variables,
        score,
        steps,
        is_named,
        tuple(ends),
        tuple(limits),
        given,
    )


def _constants_at(places: Collection[Place], rules: Iterable[TemporalRule]) -> Iterator[TermUse]:
    """Yield the constants and numbers that are arguments at some places."""
    for rule in rules:
        for use in rule.uses:
            if not use.is_variable and (use.key, use.place) in places:
                yield use


def _has_usual_name(
    places: Iterable[Place],
    ends: Iterable[End],
    limits: Iterable[Limit],
) -> bool:
    """Return whether a domain of a sort, or a constant that bounds it, has a name of times."""
    uses = [limit.use for limit in limits]
    uses += [high for high, _, _ in ends]
    names = {use.name for use in uses if not use.is_variable}
    names |= {key[1] for key, _ in places if key[2] == 1 and len(key[1]) > 1}
    return any(map(TIME.fullmatch, names))


def _open(rules: Collection[TemporalRule]) -> set[Signature]:
    """Return the predicates that are chosen, and all that depend on them.

    Rules also choose if they deny each other: in a strongly connected component with a negation.
    """
    after: dict[Signature, set[Signature]] = {}
    starts, denied = set[Signature](), set[tuple[Signature, Signature]]()
    for rule in rules:
        if rule.is_open:
            starts |= rule.defined
        for key in rule.defined:
            after.setdefault(key, set()).update(rule.read)
        denied |= {(key, other) for key in rule.defined for other in rule.denied}
    for members in map(set, components_of(after)):
        if any({a, b} <= members for a, b in denied):
            starts |= members
    return depending_on(starts, ((rule.defined, rule.read) for rule in rules))


@dataclass
class _Evidence:
    """The evidence of rules that a sort is that of times.

    Attributes
    ----------
    onwards
        The arguments whose next value a rule derives from the one before.
    backwards
        The arguments whose value before a rule derives from the next one.
    beside
        The arguments of which a rule reads, or derives, neighbouring values.
    chosen
        The predicates that rules choose at a value of the sort.
    crowded
        The number of predicates with several arguments of the sort.
    has_neighbours
        Whether a rule has neighbouring values, be it of different predicates.
    """

    onwards: set[Place] = field(default_factory=set)
    backwards: set[Place] = field(default_factory=set)
    beside: set[Place] = field(default_factory=set)
    chosen: set[Signature] = field(default_factory=set)
    crowded: int = 0
    has_neighbours: bool = False

    @property
    def score(self) -> int:
        """The weight of the evidence: for times if it is positive."""
        score = 3 * len(self.onwards)
        score += len(self.beside - self.onwards)
        score += len(self.chosen)
        score -= 3 * len(self.backwards)
        score -= 3 * self.crowded
        return score

    def add(self, later: TermUse, earlier: TermUse) -> None:
        """Add two uses of one variable in a rule, of which the first has the greater value."""
        self.has_neighbours = True
        place = (later.key, later.place)
        if place != (earlier.key, earlier.place):
            return
        if later.head == earlier.head:
            self.beside.add(place)
        elif later.head:
            self.onwards.add(place)
        else:
            self.backwards.add(place)


def _collect_evidence(
    rules: Iterable[TemporalRule],
    places: Collection[Place],
    opened: Collection[Signature],
) -> _Evidence:
    """Collect the evidence that some arguments are times, from predicates that are open."""
    evidence = _Evidence()
    for rule in rules:
        uses = [use for use in _variables_at(places, rule) if use.key in opened]
        if rule.is_open:
            evidence.chosen |= {use.key for use in uses if use.head}
        for one, other in product(uses, repeat=2):
            if one.name == other.name and one.shift > other.shift:
                evidence.add(one, other)
    counts = Counter(key for key, _ in places if key in opened)
    evidence.crowded = sum(count > 1 for count in counts.values())
    return evidence


def _variables_at(places: Collection[Place], rule: TemporalRule) -> list[TermUse]:
    """Return the uses of variables at some places."""
    uses = (use for use in rule.uses if use.is_variable)
    return [use for use in uses if (use.key, use.place) in places]


def _places_in(keys: Iterable[Signature]) -> frozenset[Place]:
    """Return all argument places of some predicates."""
    return frozenset((key, place) for key in keys for place in range(key[2]))


Distances = dict[tuple[Signature, Signature], set[int]]
"""The distances of the value of one predicate from that of another."""


@dataclass
class _Links:
    """The distances between the values of predicates that rules relate.

    `chosen` has the first value of each chosen predicate. In rules that choose, and in constraints,
    distances are `read`; in other rules the distances of a head from the body are `derived`.
    """

    chosen: dict[Signature, int] = field(default_factory=dict)
    read: Distances = field(default_factory=dict)
    derived: Distances = field(default_factory=dict)


def _collect_links(
    rules: Iterable[TemporalRule],
    places: Collection[Place],
    low: int,
) -> _Links:
    """Collect the distances between predicates; `low` is the first value of the sort."""
    links = _Links()
    for rule in rules:
        uses = _variables_at(places, rule)
        for use in uses:
            if use.head and rule.is_open:
                links.chosen[use.key] = low + use.shift
        for one, other in _related(uses):
            found = links.derived if one.head and not rule.is_open else links.read
            found.setdefault((one.key, other.key), set()).add(one.shift - other.shift)
    return links


def _related(uses: Collection[TermUse]) -> Iterator[tuple[TermUse, TermUse]]:
    """Yield uses with uses in the body that have the same variable and another predicate."""
    body = [use for use in uses if not use.head]
    for one, other in product(uses, body):
        if one.name == other.name and one.key != other.key:
            yield one, other


def _is_linked(
    unit: Unit,
    rules: Iterable[TemporalRule],
    places: Collection[Place],
    ends: Iterable[End],
) -> bool:
    """Return whether choices lead on through fluents that follow from them, without inertia.

    An example is `:- go(P,Q,T), not at(P,T-1).` with `at(Q,T) :- go(P,Q,T).` and a fact `at(a,0).`
    before the first value of T. In times all rules lead onwards; in a grid some lead back.
    """
    lows = [low for low in (syntax.number_of(low) for _, low, _ in ends) if low is not None]
    if not lows:
        return False
    links = _collect_links(rules, places, min(lows))
    for key, first in links.chosen.items():
        for fluent, ahead in _fluents_after(key, links):
            own = [place for other, place in places if other == fluent]
            if any(_starts_before(unit, fluent, place, first + ahead) for place in own):
                return True
    return False


def _fluents_after(key: Signature, links: _Links) -> Iterator[tuple[Signature, int]]:
    """Yield the predicates that follow from a choice, and that a later choice reads.

    Each has the distance by which its value is ahead of the choice.
    """
    for fluent, ahead in _ahead_of(key, links.derived).items():
        back = links.read.get((key, fluent))
        if back and min(back) >= 0 and max(back) + ahead > 0:
            yield fluent, ahead


def _ahead_of(key: Signature, derived: Distances) -> dict[Signature, int]:
    """Return the predicates that follow from another, with their distances ahead of it.

    Leave out predicates that a rule derives at an earlier value.
    """
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


def _starts_before(
    unit: Unit,
    key: Signature,
    place: int,
    first: int,
) -> bool:
    """Return whether facts give a predicate at a smaller value than the first derived one."""
    heads = (syntax.heads(fact) for fact in unit.expand_facts({key}))
    values = (syntax.number_of(syntax.arguments(atoms[0])[place]) for atoms in heads)
    return any(value is not None and value < first for value in values)
