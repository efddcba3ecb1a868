"""What a constant that bounds the time makes of it: domains, first and last times, and events.

What holds for which times is seen by grounding the rules that nothing open bears on, for a few
values of the constant: `step(S-1) :- step(S)` is a domain like any other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

from clingo import SymbolType

from asplan.core.errors import AsplanError, Location
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.ground import ground_facts
from asplan.program.sorts import Clause, Sort, Sorts, Use, clause_of, depending_on
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.terms import ABOVE, BELOW, Op
from asplan.program.unit import Unit, statements_in

_MOST = 300  # the largest number in a program beyond which values of the constant are tried


def dynamic_predicates(statements: Collection[AST], constant: str) -> frozenset[Signature]:
    """The predicates that depend on a constant."""
    named = (syntax.defined_in(s) for s in statements if syntax.names_term(s, constant))
    links = ((syntax.defined_in(s), syntax.read_in(s)) for s in statements)
    return frozenset(depending_on(set().union(*named), links))


def part_for(
    wanted: Iterable[Signature], unit: Unit, statements: Iterable[AST], constant: str
) -> Unit:
    """What derives some predicates: statements, facts, and constants but for one."""
    rules: dict[Signature, list[AST]] = {}
    for statement in statements:
        for key in syntax.defined_in(statement):
            rules.setdefault(key, []).append(statement)
    read = {key: set().union(*map(syntax.read_in, found)) for key, found in rules.items()}
    keys = closure(wanted, lambda key: read.get(key, ()))
    own = {id(s): s for key in keys for s in rules.get(key, ())}
    given = (s for s in unit.of_kind(ASTType.Definition) if s.name != constant)
    return Unit((*given, *own.values()), tuple(facts.of(keys) for facts in unit.facts))


def values_in(part: Unit, constants: Mapping[str, str]) -> dict[str, str]:
    """The constants that a part of a program knows."""
    known = part.constants | part.definitions
    return {name: value for name, value in constants.items() if name in known}


@dataclass(frozen=True)
class Extents:
    """What a constant bounds, as in `Horizon`."""

    name: str
    domains: dict[Signature, tuple[int, int]] = field(default_factory=dict)
    ends: dict[Signature, int] = field(default_factory=dict)

    def upper(self, clause: Clause, variable: str) -> int | None:
        """The greatest value of a variable, as what it is more than the constant."""
        domains, ends = self.domains, self.ends
        uses = [u for u in clause.uses if u.name == variable and not u.head]
        found = [domains[u.key][1] - u.shift for u in uses if u.key in domains and not u.is_denied]
        found += [ends[u.key] - u.shift - u.is_denied for u in uses if u.key in ends]
        for a, operator, b in clause.compared:
            if operator in ABOVE:
                a, b = b, a
            if a.name == variable and b.name == self.name and operator in (*BELOW, *ABOVE):
                strict = operator in (Op.LessThan, Op.GreaterThan)
                found.append(b.shift - a.shift - strict)
        return min(found, default=None)

    def end(self, clause: Clause, use: Use) -> int | None:
        """What a time is more than the constant, where that is, or `last(T)` or `not time(T+1)`."""
        if use.name == self.name:
            return use.shift
        domains, ends = self.domains, self.ends
        uses = [u for u in clause.uses if use.is_variable and u.name == use.name and not u.head]
        least = [ends[u.key] - u.shift for u in uses if u.key in ends and not u.is_denied]
        least += [domains[u.key][1] + 1 - u.shift for u in uses if u.key in domains and u.is_denied]
        upper = self.upper(clause, use.name)
        return upper + use.shift if upper is not None and upper in least else None


@dataclass(frozen=True, eq=False)
class Timed:
    """A program with a sort that may be that of its times."""

    unit: Unit
    sorts: Sorts
    sort: Sort
    constants: Mapping[str, str]

    @cached_property
    def own(self) -> list[Clause]:
        return [clause_of(s) for s in self.unit.expand_facts({key for key, _ in self.sort.places})]

    def extents(self, name: str, unary: Collection[Signature] = ()) -> Extents | None:
        """The domains and ends among predicates of the sort; None if they cannot be grounded."""
        sort, found = self.sort, Extents(name)
        settled = (c for c in self.sorts.clauses if c.defined.isdisjoint(self.sorts.open))
        wanted = sorted(set(unary or sort.unary) - set(self.sorts.open))
        part = part_for(wanted, self.unit, [c.statement for c in settled], name)
        rules = (s for s in part.statements if s.ast_type != ASTType.Definition)
        facts = (clause.statement for clause in self.own)
        if not any(syntax.names_term(s, name) for s in (*rules, *facts)):
            return found
        uses = (*sort.bounds, *sort.given, *sort.highs)
        numbers = [u.shift for u in uses if not u.name]
        numbers += [n for _, low, _ in sort.ends if (n := syntax.number_of(low)) is not None]
        numbers += [u.shift for c in self.own for u in c.uses if not u.name and u.key in sort.unary]
        base = max([6, *(n for n in numbers if n <= _MOST)])
        values = values_in(part, self.constants)

        def times_at(value: int) -> dict[Signature, list[int]]:
            facts = ground_facts([part], {**values, name: str(value)}, strict=False)
            times: dict[Signature, list[int]] = {}
            for key in wanted:
                own = (atom for atom in facts.named(*key[1:]) if syntax.predicate(atom) == key)
                terms = (atom.arguments[0] for atom in own)
                times[key] = sorted(t.number for t in terms if t.type == SymbolType.Number)
            return times

        domains, ends = found.domains, found.ends
        try:
            seen = {value: times_at(value) for value in (base + 1, base + 2, base + 4)}
            for key in wanted:
                lows = {min(times[key], default=inf) for times in seen.values()}
                highs = {max(times[key], default=inf) - value for value, times in seen.items()}
                if len(highs) == 1 and all(len(times[key]) == 1 for times in seen.values()):
                    ends[key] = int(highs.pop())
                elif len(highs) == len(lows) == 1 and inf not in lows:
                    domains[key] = int(lows.pop()), int(highs.pop())
            # What is so for many times may be otherwise for few.
            first = min((low - high for low, high in domains.values()), default=base)
            seen |= {value: times_at(value) for value in range(first, first + 3)}
        except AsplanError:
            return None
        for value, times in seen.items():
            for key, (low, high) in list(domains.items()):
                if times[key] != list(range(low, value + high + 1)):
                    del domains[key]
            for key, by in list(ends.items()):
                if times[key] != [value + by]:
                    del ends[key]
        return found

    def elsewhere(self, name: str) -> Iterator[Location]:
        """Where a constant stands for something that is no time: as an argument of another sort."""
        unit = self.unit
        named = (statements_in(facts) for facts in unit.facts if name in facts.names)
        facts = [clause_of(s) for group in named for s in group]
        for clause in (*self.sorts.clauses, *facts):
            ends = [(high, between) for high, _, between in clause.ends if not between.is_variable]
            for use, by in (*((use, use) for use in clause.uses), *ends):
                is_read = not by.key[1] or by.key in unit.read
                if use.name == name and is_read and (by.key, by.place) not in self.sort.places:
                    yield syntax.location(clause.statement)

    def timing(self, extents: Extents) -> tuple[set[Signature], set[Signature], int, int, int]:
        """What happens, what is carried on, the lag between them, first and last time."""
        sorts, sort, place_of = self.sorts, self.sort, self.sort.place_of()
        rules = [(c, [u for u in c.uses if place_of.get(u.key) == u.place]) for c in sorts.clauses]
        pairs = [(c, h, u) for c, uses in rules for h in uses if h.head for u in uses]
        led = [(h, u) for _, h, u in pairs if not u.head and h.name == u.name]
        carried = {h.key for h, u in led if h.key == u.key and h.shift > u.shift}
        beside = ((c, h, u) for c, h, u in pairs if (h.name, h.shift) == (u.name, u.shift))
        denied = {(h.key, u.key) for c, h, u in beside if u.key in c.denied}
        events = {u.key for c, uses in rules if c.is_open for u in uses if u.head}
        events |= {a for a, b in denied if (b, a) in denied and a != b}
        events -= carried

        def delays(causes: Collection[Signature], keys: Collection[Signature]) -> list[int]:
            """How much later than what causes it something holds, for each rule that says so."""
            return [h.shift - u.shift for h, u in led if u.key in causes and h.key in keys]

        # move(X,T) :- cross(X,T): what follows from what happens has the effects.
        ahead = delays(events, carried)
        ahead = ahead or delays(following(rules, events, carried), carried)
        ahead = ahead or delays(events, sorts.open)
        domains = extents.domains
        low = min((lo for lo, _ in domains.values()), default=None)
        given = (u for c in (*sorts.clauses, *self.own) for u in c.uses if u.head and not u.name)
        timed = (u for u in given if (u.key, u.place) in sort.places)
        said = {u.shift for u in timed if u.key not in domains}
        for c, uses in rules:
            heads = [u for u in uses if u.head and u.key in carried]
            equal = [(a, b) for a, op, b in c.compared if op == Op.Equal and not b.name]
            both = ((u, a, b) for a, b in equal for u in heads if u.name == a.name)
            said |= {u.shift - a.shift + b.shift for u, a, b in both}
        near = {n for n in said if low is None or low - 1 <= n <= low}
        later, same = ahead.count(1), ahead.count(0)
        # What holds before the first time of the domain: what happens then leads to its own time.
        is_before = low is not None and low - 1 in near
        lag = int(later > same or (later == same > 0 and not is_before))
        first = low if low is not None else min(said, default=0)
        # Facts at 0 may be brought to 1 by a rule: what happens at T sets out from T, or from T-1.
        start = (max if lag and low is not None else min)(
            near, default=first - (not lag and low is not None)
        )

        def greatest(keys: Collection[Signature], delay: int) -> float:
            timed = ((c, u) for c, uses in rules for u in uses if u.head and u.key in keys)
            uppers = ((extents.upper(c, u.name), u.shift) for c, u in timed if u.is_variable)
            return max((n + shift + delay for n, shift in uppers if n is not None), default=inf)

        reach = greatest(events, lag)
        # Where that is demanded at the last time, what happens then counts, although it leads on.
        early = following(rules, following(rules, events, ()) & carried if lag else (), events)
        states = ((c, u) for c, uses in rules for u in uses if u.key in sorts.open - events)
        ended = ((u.key, by) for c, u in states if (by := extents.end(c, u)) is not None)
        asked = [by + (key in early and by < reach < inf) for key, by in ended]
        demanded = {key for c in sorts.clauses if not c.defined for key in c.read}
        is_late = not early.isdisjoint(demanded - place_of.keys())
        # What happens and what is carried on may reach past each other: a step needs both.
        last = min(reach, greatest(carried, reach < inf and is_late))
        if asked:
            last = max(asked)
        elif last == inf:
            last = max((hi for _, hi in domains.values()), default=0)
        return events, carried, lag, start, int(last)


def following(
    rules: Iterable[tuple[Clause, Collection[Use]]],
    starts: Iterable[Signature],
    other: Collection[Signature],
) -> frozenset[Signature]:
    """Some predicates, and what follows from them at the same time that is none of the others."""
    links = list[tuple[set[Signature], set[Signature]]]()
    for clause, uses in rules:
        timed = {u.key: (u.name, u.shift) for u in uses if u.head}
        for u in uses:
            if not u.head:
                now = u.name, u.shift
                found = {key for key in clause.defined if timed.get(key, now) == now}
                links.append((found.difference(other), {u.key}))
    return frozenset(depending_on(starts, links))
