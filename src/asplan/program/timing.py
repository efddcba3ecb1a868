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
from asplan.program.sorts import Clause, Sort, Sorts, clause_of, depending_on
from asplan.program.syntax import AST, ASTType, Signature
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
