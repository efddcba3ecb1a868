"""The sorts of arguments in a program without parts, and the evidence that a sort is time.

A sort is a set of arguments and variables with the same range of values: an argument and the
variable in its place are of one sort. The sort of times is recognised by rules that relate
neighbouring values of one predicate, as `holds(F,T+1) :- holds(F,T)`. With times such rules lead
only from smaller to larger values. With the columns of a grid they lead both ways, and several
arguments of one atom are of the same sort.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import chain, groupby, product
from operator import itemgetter
from typing import TypeVar

from asplan.core.dataclass import dataclass
from asplan.core.graphs import DisjointSets, components_of
from asplan.program import syntax
from asplan.program.model.program import TemporalRule, depending_on
from asplan.program.model.successors import rules_of
from asplan.program.reading.unit import Unit, statements_in
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.term_uses import (
    NONE,
    End,
    Successors,
    TermUse,
)
from asplan.program.syntax.terms import BELOW, MIRRORED, Op

Place = tuple[Signature, int]  # a predicate and one of its arguments, counted from 0

TIME = re.compile(
    r"(max|last|end|n|num|t)?_?(time|step|stage|horizon|turn|move|length|len)s?(_?max)?"
)
"""Matches usual names of a domain of times, or of its end; such a name is weak evidence."""


@dataclass(frozen=True, eq=False)
class Limit:
    """A comparison of a variable with a constant or number, with the variable on the left.

    `T < 7` and `7 > T` both have the operator `Op.LessThan`; `use` is the 7 with its position.
    `is_restriction` means that the rule is a constraint: it excludes answers, but does not bound a
    time.
    """

    use: TermUse
    operator: Op
    is_restriction: bool

    @property
    def is_upper(self) -> bool:
        """True if the comparison bounds the variable from above in a rule with a head."""
        return self.operator in BELOW and not self.is_restriction


@dataclass(frozen=True, eq=False)
class Sort:
    """A set of arguments and variables with the same range of values, and its bounds.

    Attributes
    ----------
    places
        The arguments: pairs of a predicate and an index.
    variables
        The variables: pairs of the index of a rule and a name.
    score
        The weight of the evidence that the values are times; negative if they are unlikely to be.
    steps
        The number of arguments for which a rule derives a value from a smaller one, as p(T+1) from
        p(T). Other evidence of steps adds 1.
    is_named
        Whether a constant or a domain of the sort has a usual name for times, such as `time`.
    ends
        The intervals: upper end, lower end, and the argument or variable that ranges between them.
    limits
        The comparisons of its variables with constants and numbers.
    given
        The constants and numbers that are arguments of the sort.
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
        """The upper ends of the intervals over which its arguments and variables range."""
        return [high for high, _, _ in self.ends]

    @property
    def bounds(self) -> list[TermUse]:
        """The constants and numbers with which variables of the sort are compared."""
        return [limit.use for limit in self.limits]

    @property
    def unary(self) -> set[Signature]:
        """The predicates such as `time/1` whose only argument is of the sort."""
        return {key for key, _ in self.places if key[2] == 1}

    def place_of(self) -> dict[Signature, int]:
        """Map each predicate to the index of its first argument that is of the sort."""
        found: dict[Signature, int] = {}
        for key, place in sorted(self.places):
            found.setdefault(key, place)
        return found


@dataclass
class Sorts:
    """The rules of a program, and the sorts of the arguments of its predicates.

    Attributes
    ----------
    rules
        The rules, read with the successor predicates.
    successors
        The predicates such as `next(T,T+1)`.
    open
        The predicates that are chosen or depend on a choice.
    found
        The sorts, the one with the strongest evidence for times first.
    """

    rules: list[TemporalRule]
    successors: Successors
    open: frozenset[Signature]
    found: list[Sort] = field(default_factory=list)


SortMember = Place | tuple[int, str]
"""A member of a sort: (predicate, argument index), or (rule index, variable name)."""

RuleUse = tuple[int, TermUse]
"""A use of a term in a rule, after the index of the rule."""

_MAX_FACTS = 50  # the most facts of a predicate that are examined one by one


@lru_cache(maxsize=8)
def sorts_of(unit: Unit) -> Sorts:
    """Return the sorts of a program without parts; the likeliest to be times come first."""
    rules, successors = rules_of(unit)
    groups = _grouped(rules, _SingleValues(unit))
    opened = frozenset(_open(rules))
    limits = _by_group(groups, _limits_in(rules))
    ends = _by_group(groups, _ends_in(rules))
    uses = _by_group(groups, _uses_in(rules))
    members: dict[SortMember, set[SortMember]] = {}
    for member in groups:
        members.setdefault(groups.find(member), set()).add(member)
    found = [
        _sort(
            unit,
            rules,
            opened,
            group,
            uses.get(root, []),
            ends.get(root, []),
            limits.get(root, []),
        )
        for root, group in members.items()
    ]
    found.sort(key=lambda sort: -sort.score)
    return Sorts(rules, successors, opened, found)


def _member(number: int, use: TermUse) -> SortMember:
    """Return the variable of a use as (rule index, name); `number` is the index of the rule.

    For a use of a constant or number, return the position of the argument: (predicate, index).
    """
    return (number, use.name) if use.is_variable else (use.key, use.place)


class _SingleValues:
    """Finds the variables that can have only one value, because one fact binds them."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._heads_by_key: dict[Signature, list[tuple[AST, AST]]] = {}

    def single_names(self, rule: TemporalRule) -> set[str]:
        """Return the variables of a rule that an atom of its body binds to a single value.

        An example is `L` in `length(L)` or `limit(last,L)`, if just one fact matches the atom, or
        if one rule without other sources for L derives it: `length(L) :- L = #max { T : time(T) }`.
        """
        found = set[str]()
        for atom in syntax.reads(rule.statement):
            names = syntax.variable_names(*syntax.arguments(atom))
            if len(names) == 1 and self._holds_once(atom):
                found.update(names)
        return found

    def _holds_once(self, atom: AST) -> bool:
        """Return whether at most one ground instance of `atom` can hold."""
        heads = self._heads(syntax.signature(atom))
        fitting = [(statement, head) for statement, head in heads if _fits(atom, head)]
        return len(fitting) == 1 and _has_one_value(*fitting[0])

    def _heads(self, key: Signature) -> list[tuple[AST, AST]]:
        """Return (statement, head) for all heads of a predicate; none if it has many facts."""
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
    """Return whether `head` can derive an instance of `atom`.

    Only arguments without variables are compared.
    """
    pairs = zip(syntax.arguments(atom), syntax.arguments(head), strict=True)
    return all(
        str(ours) == str(other)
        for ours, other in pairs
        if not syntax.variable_names(ours) and not syntax.variable_names(other)
    )


def _has_one_value(statement: AST, head: AST) -> bool:
    """Return whether a statement derives `head` for at most one value of its variables."""
    if syntax.is_choice(statement) or statement.ast_type != ASTType.Rule:
        return False
    if syntax.find((ASTType.Interval, ASTType.Pool), [head]):
        return False
    plain = [literal for literal in statement.body if syntax.is_literal(literal, sign=None)]
    return set(syntax.variable_names(head)).isdisjoint(syntax.variable_names(*plain))


def _grouped(rules: Collection[TemporalRule], values: _SingleValues) -> DisjointSets[SortMember]:
    """Return disjoint sets of arguments and variables with the same range of values.

    An argument is joined with its variable, and a variable with the end of its interval. A
    comparison such as `T < L` joins two variables only if one of them has a single value, as `L`
    has in `length(L)`. Other comparisons may relate an object and a time, as `X <= T+2` does.
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
    """Collect values that belong to arguments and variables into lists, one for each sort.

    The key of a list is the representative of its set in `groups`.
    """
    collected: dict[SortMember, list[Found]] = {}
    for member, each in found:
        collected.setdefault(groups.find(member), []).append(each)
    return collected


def _ends_in(rules: Iterable[TemporalRule]) -> Iterator[tuple[SortMember, End]]:
    """Yield the intervals of all rules, each with the argument or variable that ranges over it."""
    for number, rule in enumerate(rules):
        for end in rule.ends:
            yield _member(number, end[2]), end


def _uses_in(rules: Iterable[TemporalRule]) -> Iterator[tuple[SortMember, RuleUse]]:
    """Yield the uses of terms as arguments in all rules, each with its argument."""
    for number, rule in enumerate(rules):
        for use in rule.uses:
            if use.key != NONE:
                yield (use.key, use.place), (number, use)


def _limits_in(rules: Iterable[TemporalRule]) -> Iterator[tuple[SortMember, Limit]]:
    """Yield the comparisons of variables with constants and numbers.

    Each comes with its variable, which is given by the index of the rule and the name.
    """
    for number, rule in enumerate(rules):
        is_restriction = not rule.defined
        for left, operator, right in rule.compared:
            if left.is_variable and not right.is_variable:
                yield _member(number, left), Limit(right, operator, is_restriction)
            if right.is_variable and not left.is_variable:
                yield _member(number, right), Limit(left, MIRRORED[operator], is_restriction)


def _sort(
    unit: Unit,
    rules: Sequence[TemporalRule],
    opened: Collection[Signature],
    members: Collection[SortMember],
    uses: Collection[RuleUse],
    ends: Collection[End],
    limits: Collection[Limit],
) -> Sort:
    """Return the sort with the given `members`, and the evidence that its values are times.

    `opened` are the predicates that depend on choices; `uses`, `ends` and `limits` are the uses of
    terms, the intervals and the comparisons that belong to the members.
    """
    variables = frozenset(m for m in members if isinstance(m[0], int))
    places = frozenset(m for m in members if not isinstance(m[0], int) and m[0] != NONE)
    evidence = _collect_evidence(rules, uses, places, opened)
    steps = len(evidence.onwards)
    score = evidence.score
    if not steps and score > 0 and ends:
        steps = int(_is_linked(unit, rules, places & _places_in(opened), ends))
    is_named = _has_usual_name(places, ends, limits)
    if is_named:
        steps += evidence.has_neighbours
        score += 1
    given = tuple(use for _, use in uses if not use.is_variable)
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


def _has_usual_name(
    places: Iterable[Place],
    ends: Iterable[End],
    limits: Iterable[Limit],
) -> bool:
    """Return whether a domain of a sort, or a constant that bounds it, is named like `time`.

    `places` are the arguments of the sort; `ends` and `limits` are its intervals and comparisons.
    """
    uses = [limit.use for limit in limits]
    uses += [high for high, _, _ in ends]
    names = {use.name for use in uses if not use.is_variable}
    names |= {key[1] for key, _ in places if key[2] == 1 and len(key[1]) > 1}
    return any(map(TIME.fullmatch, names))


def _open(rules: Collection[TemporalRule]) -> set[Signature]:
    """Return the predicates that are chosen, and all that depend on them.

    Predicates also count as chosen if rules deny each other, as `a :- not b` with `b :- not a`: if
    their strongly connected component has a negation.
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
    """The evidence in rules that the values of a sort are times.

    Attributes
    ----------
    onwards
        The arguments for which a rule derives a value from a smaller one: p(T+1) from p(T).
    backwards
        The arguments for which a rule derives a value from a larger one: p(T) from p(T+1).
    beside
        The arguments for which the body of a rule, or its head, has two values: p(T) and p(T+1).
    chosen
        The predicates with a variable of the sort in heads of choices or externals.
    crowded
        The number of predicates with several arguments of the sort.
    has_neighbours
        Whether a rule uses one variable with two different numbers added, as T and T+1. The two
        predicates may differ.
    """

    onwards: set[Place] = field(default_factory=set)
    backwards: set[Place] = field(default_factory=set)
    beside: set[Place] = field(default_factory=set)
    chosen: set[Signature] = field(default_factory=set)
    crowded: int = 0
    has_neighbours: bool = False

    @property
    def score(self) -> int:
        """The weight of the evidence; the values are likely times if it is positive."""
        score = 3 * len(self.onwards)
        score += len(self.beside - self.onwards)
        score += len(self.chosen)
        score -= 3 * len(self.backwards)
        score -= 3 * self.crowded
        return score

    def add(self, later: TermUse, earlier: TermUse) -> None:
        """Record the evidence of two uses of one variable in one rule.

        The number that is added to the variable is larger in `later` than in `earlier`.
        """
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
    rules: Sequence[TemporalRule],
    uses: Iterable[RuleUse],
    places: Collection[Place],
    opened: Collection[Signature],
) -> _Evidence:
    """Collect the evidence that the arguments `places`, which have these `uses`, are times.

    Only the predicates `opened`, which depend on choices, count.
    """
    evidence = _Evidence()
    for number, in_rule in groupby(uses, key=itemgetter(0)):
        variables = [use for _, use in in_rule if use.is_variable and use.key in opened]
        if rules[number].is_open:
            evidence.chosen |= {use.key for use in variables if use.head}
        for one, other in product(variables, repeat=2):
            if one.name == other.name and one.shift > other.shift:
                evidence.add(one, other)
    counts = Counter(key for key, _ in places if key in opened)
    evidence.crowded = sum(count > 1 for count in counts.values())
    return evidence


def _variables_at(places: Collection[Place], rule: TemporalRule) -> list[TermUse]:
    """Return the uses of variables at argument positions in `places` in a rule."""
    uses = (use for use in rule.uses if use.is_variable)
    return [use for use in uses if (use.key, use.place) in places]


def _places_in(keys: Iterable[Signature]) -> frozenset[Place]:
    """Return (predicate, index) for all arguments of some predicates."""
    return frozenset((key, place) for key in keys for place in range(key[2]))


Distances = dict[tuple[Signature, Signature], set[int]]
"""Maps two predicates to the differences of their values in rules: first minus second."""


@dataclass
class _Links:
    """The differences between values in atoms of one rule, such as 1 for p(T+1) and q(T).

    Attributes
    ----------
    chosen
        Maps each chosen predicate to the first value at which it is chosen.
    read
        The differences in choices and constraints.
    derived
        The differences between a head and a body atom, in rules that are no choices.
    """

    chosen: dict[Signature, int] = field(default_factory=dict)
    read: Distances = field(default_factory=dict)
    derived: Distances = field(default_factory=dict)


def _collect_links(
    rules: Iterable[TemporalRule],
    places: Collection[Place],
    low: int,
) -> _Links:
    """Collect the differences between values of two predicates that rules relate.

    `low` is the first value of the sort, and `places` are its argument positions.
    """
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
    """Yield pairs of uses with the same variable and different predicates.

    A use is an argument that is a variable plus a number. The second use of a pair is in a body.
    """
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
    """Return whether choices and fluents form a chain along the values of a sort.

    Then the values are likely times. This finds times in programs without frame rules, where a
    choice sets a fluent that the next choice reads: `:- go(P,Q,T), not at(P,T-1).` with `at(Q,T) :-
    go(P,Q,T).` and a fact `at(a,0).` before the first value of T. Over times, all rules lead to
    larger values; in a grid, some rules lead to smaller ones. `places` are the arguments of the
    sort, and `ends` its intervals.
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
    """Yield the fluents that follow from the choice `key` and that a later choice reads.

    Each fluent comes with the number by which its value exceeds the value of the choice.
    """
    for fluent, ahead in _ahead_of(key, links.derived).items():
        back = links.read.get((key, fluent))
        if back and min(back) >= 0 and max(back) + ahead > 0:
            yield fluent, ahead


def _ahead_of(key: Signature, derived: Distances) -> dict[Signature, int]:
    """Map the predicates that follow from `key` to the number by which their values exceed it.

    Leave out predicates that a rule derives at a smaller value. `derived` has the differences
    between heads and body atoms, as in `_Links`.
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
    """Return whether a fact of the predicate `key` has a value below `first` at index `place`."""
    heads = (syntax.heads(fact) for fact in unit.expand_facts({key}))
    values = (syntax.number_of(syntax.arguments(atoms[0])[place]) for atoms in heads)
    return any(value is not None and value < first for value in values)
