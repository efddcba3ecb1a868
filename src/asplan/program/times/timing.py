"""The domains of times that a constant of a single-shot program bounds.

Rules that depend on no choice are grounded for a few values of the constant. So a domain that is
defined by recursion, as by `step(S-1) :- step(S)`, is found like any other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from math import inf

from asplan.clingo import SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, Location
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.ground import ground_facts
from asplan.program.model.program import TemporalRule, depending_on
from asplan.program.model.sorts import Sort, Sorts
from asplan.program.reading.unit import Unit, statements_in
from asplan.program.syntax import AST, ASTType, Signature

_MOST = 300  # the largest number in a program beyond which values of the constant are tried


def dynamic_predicates(statements: Collection[AST], constant: str) -> frozenset[Signature]:
    """Return the predicates that depend on a constant.

    They are heads of statements that contain the constant or read a predicate that depends on it.
    """
    named = (syntax.defined_in(s) for s in statements if syntax.names_term(s, constant))
    links = ((syntax.defined_in(s), syntax.read_in(s)) for s in statements)
    return frozenset(depending_on(set().union(*named), links))


def part_for(
    wanted: Iterable[Signature], unit: Unit, statements: Iterable[AST], constant: str
) -> Unit:
    """Return the part of a program on which the predicates `wanted` depend.

    Only rules in `statements` count. The definition of `constant` is left out, so that its value
    can be chosen.
    """
    rules: dict[Signature, list[AST]] = {}
    for statement in statements:
        for key in syntax.defined_in(statement):
            rules.setdefault(key, []).append(statement)
    read = {key: set().union(*map(syntax.read_in, own)) for key, own in rules.items()}
    keys = closure(wanted, lambda key: read.get(key, ()))
    own = {id(statement): statement for key in keys for statement in rules.get(key, ())}
    given = (s for s in unit.of_kind(ASTType.Definition) if s.name != constant)
    return Unit((*given, *own.values()), tuple(facts.of(keys) for facts in unit.facts))


def values_in(part: Unit, constants: Mapping[str, str]) -> dict[str, str]:
    """Return the user's `constants` that a part of a program uses."""
    used = part.constants | part.definitions
    return {name: value for name, value in constants.items() if name in used}


@dataclass(frozen=True)
class Extents:
    """The predicates whose times a constant bounds.

    Attributes
    ----------
    name
        The constant.
    domains
        Predicates of a range of times. For each, its first time, and the number to add to the
        constant for the last: (0, -1) for `step(0..n-1)`.
    ends
        Predicates of a single time, such as `last(n)`. For each, the number to add to the constant.
    """

    name: str
    domains: dict[Signature, tuple[int, int]] = field(default_factory=dict)
    ends: dict[Signature, int] = field(default_factory=dict)


Times = dict[Signature, list[int]]
"""The numbers for which each predicate with one argument holds, in ascending order."""


@dataclass(frozen=True, eq=False)
class Timed:
    """A program, and the sort that is taken as time.

    A sort is a set of arguments with the same range of values.

    Attributes
    ----------
    unit
        The program.
    sorts, sort
        All sorts, and the one that is taken as time.
    constants
        The values that the user has given to constants.
    actions
        The predicates that the user has named as actions.
    """

    unit: Unit
    sorts: Sorts
    sort: Sort
    constants: Mapping[str, str]
    actions: frozenset[Signature] = frozenset()  # those that the user has named

    @cached_property
    def own(self) -> list[TemporalRule]:
        """The plain facts of predicates with a time, as rules."""
        return [
            TemporalRule(s) for s in self.unit.expand_facts({key for key, _ in self.sort.places})
        ]

    def extents(self, name: str, unary: Collection[Signature] = ()) -> Extents | None:
        """Return the domains and ends of times that the constant `name` bounds.

        The predicates `unary` are examined, by default predicates with one argument of the sort.
        Their rules are grounded for six values of the constant: a pattern is read from three large
        values, and must also hold for three small ones. Return None if clingo refuses the rules.
        """
        wanted = sorted(set(unary or self.sort.unary) - set(self.sorts.open))
        settled = (c for c in self.sorts.rules if c.defined.isdisjoint(self.sorts.open))
        part = part_for(wanted, self.unit, [c.statement for c in settled], name)
        rules = [s for s in part.statements if s.ast_type != ASTType.Definition]
        rules += [rule.statement for rule in self.own]
        if not any(syntax.names_term(rule, name) for rule in rules):
            return Extents(name)
        base = self._largest_number()
        try:
            large = {
                n: self._times_at(part, wanted, name, n) for n in (base + 1, base + 2, base + 4)
            }
            extents = _pattern_of(name, wanted, large)
            lengths = (low - high for low, high in extents.domains.values())
            first = min(lengths, default=base)
            small = {n: self._times_at(part, wanted, name, n) for n in range(first, first + 3)}
        except AsplanError:
            return None
        return _confirmed(extents, large | small)

    def _largest_number(self) -> int:
        """Return an upper bound of the numbers among the times; it is at least 6.

        Numbers beyond `_MOST` are ignored.
        """
        sort = self.sort
        numbers = [use.shift for use in (*sort.bounds, *sort.given, *sort.highs) if not use.name]
        for _, low, _ in sort.ends:
            number = syntax.number_of(low)
            numbers += [] if number is None else [number]
        for rule in self.own:
            numbers += [u.shift for u in rule.uses if not u.name and u.key in sort.unary]
        return max([6, *(number for number in numbers if number <= _MOST)])

    def _times_at(self, part: Unit, wanted: Collection[Signature], name: str, value: int) -> Times:
        """Return the times of the predicates `wanted` if the constant `name` is `value`.

        `part` contains the rules of these predicates.
        """
        constants = {**values_in(part, self.constants), name: str(value)}
        facts = ground_facts([part], constants, strict=False)
        times: Times = {}
        for key in wanted:
            own = (atom for atom in facts.named(*key[1:]) if syntax.predicate(atom) == key)
            terms = (atom.arguments[0] for atom in own)
            times[key] = sorted(t.number for t in terms if t.type == SymbolType.Number)
        return times

    def elsewhere(self, name: str) -> Iterator[Location]:
        """Yield the locations where the constant is an argument that is not a time."""
        unit = self.unit
        named = (statements_in(facts) for facts in unit.facts if name in facts.names)
        facts = [TemporalRule(s) for group in named for s in group]
        for rule in (*self.sorts.rules, *facts):
            ends = [(high, between) for high, _, between in rule.ends if not between.is_variable]
            for use, by in (*((use, use) for use in rule.uses), *ends):
                is_read = not by.key[1] or by.key in unit.read
                if use.name == name and is_read and (by.key, by.place) not in self.sort.places:
                    yield syntax.location(rule.statement)


def _pattern_of(name: str, keys: Iterable[Signature], seen: Mapping[int, Times]) -> Extents:
    """Return the predicates whose times fit a pattern at all values of the constant.

    Domains begin at a fixed time and end with the constant; ends have one time, which moves with
    the constant. `seen` maps each value to the times at that value. `keys` are the predicates to
    examine, and `name` is the constant.
    """
    extents = Extents(name)
    for key in keys:
        lows = {min(times[key], default=inf) for times in seen.values()}
        highs = {max(times[key], default=inf) - value for value, times in seen.items()}
        if len(highs) == 1 and all(len(times[key]) == 1 for times in seen.values()):
            extents.ends[key] = int(highs.pop())
        elif len(highs) == len(lows) == 1 and inf not in lows:
            extents.domains[key] = int(lows.pop()), int(highs.pop())
    return extents


def _confirmed(extents: Extents, seen: Mapping[int, Times]) -> Extents:
    """Return the predicates that fit the pattern at all values of the constant.

    Domains must hold for a whole range of times, ends for a single time. `seen` maps each value to
    the times at that value. `extents` are the predicates to check.
    """

    def is_domain(key: Signature, low: int, high: int) -> bool:
        every = seen.items()
        return all(times[key] == list(range(low, value + high + 1)) for value, times in every)

    def is_end(key: Signature, by: int) -> bool:
        return all(times[key] == [value + by] for value, times in seen.items())

    domains = {key: span for key, span in extents.domains.items() if is_domain(key, *span)}
    ends = {key: by for key, by in extents.ends.items() if is_end(key, by)}
    return Extents(extents.name, domains, ends)
