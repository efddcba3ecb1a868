"""What bounds the time of a single-shot program, `time(0..n)`, and its one value for each horizon.

Such a program states all times at once and fixes the last by a constant (`n` in `time(0..n)`), a
fact (`length(13)`), a range (`time(0..7)`) or enumerated facts. It is brought to one form: a single
constant, which asplan sets. What holds for which times is seen by grounding the rules that nothing
open bears on, for a few values of it: `step(S-1) :- step(S)` is a domain like any other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from clingo import SymbolType

from asplan.core.errors import AsplanError, InputError, Location, UsageError
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.bounds import OWN, number_in
from asplan.program.grounded import ground_facts
from asplan.program.sorts import Clause, Sort, Sorts, Successors, Use, clause_of, sorts_of
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.terms import ABOVE, BELOW, Op
from asplan.program.unit import Unit, joined, statements_in

_MOST = 300  # the largest number in a program beyond which values of the constant are tried


@dataclass(frozen=True, eq=False)
class Horizon:
    """What bounds the time: the `constant` to set, the author's own or asplan's for a number.

    `text` is what the author wrote (`n`, `length(13)`, `time(0..7)`), `at` its place. `first` is
    the least value to try, `most` the greatest, where one was set; a plan of k steps belongs to the
    value `origin` + k. `start` is the time of the initial state: the origin where the last state is
    that of time `n`. `lag` is 1 if what happens at T leads to T+1, and 0 if it leads to T.

    `domains` are predicates of one argument that hold for the times from a number to the value plus
    a number, as `(0,0)` for `time(0..n)` and `(0,-1)` for `step(0..n-1)`; `ends` hold for the value
    plus a number alone. `places` has the argument of each predicate that is its time; `successors`
    have two times, of which one is the other plus a number. `events` are chosen at a time and not
    carried on from an earlier one, `carried` are. The constant stands `elsewhere` for something
    that is no time. `clauses` are what statements tell of sorts, by their identity; choices bear on
    `open`.
    """

    constant: str
    text: str
    at: Location
    first: int
    origin: int
    domains: Mapping[Signature, tuple[int, int]]
    ends: Mapping[Signature, int]
    start: int
    lag: int
    places: Mapping[Signature, int]
    successors: Successors
    events: frozenset[Signature]
    carried: frozenset[Signature]
    most: int | None = None
    elsewhere: tuple[Location, ...] = ()
    clauses: Mapping[int, Clause] = field(default_factory=dict)
    open: Collection[Signature] = ()

    def value(self, steps: int) -> int:
        """The value of the constant for plans of so many steps."""
        return self.origin + steps

    @property
    def is_own(self) -> bool:
        return self.constant == OWN

    @property
    def least(self) -> int:
        return max(0, self.first - self.origin)


def is_over_time(units: Iterable[Unit]) -> bool:
    """Whether a program without parts says something of a first or last time; no roster does."""
    unit = joined(units)
    facts = {key for found in unit.facts for key in found.signatures}
    return any(
        sort.score > 0
        and sort.steps
        and (sort.ends or sort.bounds or sort.unary)
        and (
            sort.is_named
            or any(use.key[2] > 1 or use.name for use in sort.given)
            or any(key[2] > 1 and key in facts for key, _ in sort.places)
        )
        for sort in sorts_of(unit).found
    )


def find_horizon(
    units: Sequence[Unit], constants: Mapping[str, str], named: str | None = None
) -> tuple[Horizon, tuple[Unit, ...]]:
    """What bounds the time of a program, and the program with a constant that bounds it."""
    unit = joined(units)
    sorts = sorts_of(unit)
    likely = [sort for sort in sorts.found if sort.score > 0 and (sort.steps or named)]
    seen: Sort | None = None
    for sort in likely if named is None else sorts.found:
        timed = _Timed(unit, sorts, sort, constants)
        if (extents := timed.by_constant(named)) is not None:
            text, at = extents.name, timed.place_of(extents.name)
            changed = tuple(_as_default(each, extents.name) for each in units)
            break
        if named is None and (found := number_in(unit, sort)) is not None:
            text, at, change = found
            changed = tuple(change(each) for each in units)
            unit = joined(changed)
            sorts = sorts_of(unit)
            known = sort.places
            sort = max(sorts.found, key=lambda found: len(found.places & known))
            timed = _Timed(unit, sorts, sort, constants)
            if (extents := timed.extents(OWN)) is None:
                continue
            break
        seen = seen or sort
    else:
        raise _unbounded(unit, sorts, seen, named)
    name, domains = extents.name, extents.domains
    if name in constants and not constants[name].lstrip("-").isdigit():
        raise UsageError(f"-c {name}={constants[name]}: {name} is the horizon, a number")
    most = int(constants[name]) if name in constants else None
    events, carried, lag, start, last = timed.timing(extents)
    first = min((lo - hi for lo, hi in domains.values()), default=start - last)
    if most is not None and most < first:
        raise UsageError(f"-c {name}={most}: {name} is the horizon, and the first time is {first}")
    others = {key for key in dynamic_predicates(unit.statements, name) if key[2] == 1} - sort.unary
    more = timed.extents(name, others) if others else None
    horizon = Horizon(
        constant=name,
        text=text,
        at=at,
        first=first,
        origin=start - last,
        domains=domains | (more.domains if more else {}),
        ends=extents.ends,
        start=start,
        lag=lag,
        places=sort.place_of(),
        successors=sorts.successors,
        events=frozenset(events),
        carried=frozenset(carried),
        most=most,
        elsewhere=tuple(timed.elsewhere(name)),
        clauses={id(clause.statement): clause for clause in sorts.clauses},
        open=sorts.open,
    )
    return horizon, changed


def _unbounded(unit: Unit, sorts: Sorts, seen: Sort | None, named: str | None) -> InputError:
    """Nothing bounds the time, and what was seen instead."""
    if named is not None:
        known = named in unit.constants or named in unit.definitions
        why = "bounds no time" if known else "is no constant of the program"
        return InputError(f"--horizon-constant {named}: {named} {why}")
    what, at = "no choice and no rule leads from one time to the next", None
    if seen is not None:
        i, name = min(seen.variables, default=(-1, ""))
        at = syntax.location(sorts.clauses[i].statement) if name else None
        what = f"{name} is a time here, and nothing says which is the last" if name else what
    return InputError(
        "no constant bounds the time; name it with --horizon-constant",
        at=at,
        hint=f"{what}: asplan looks for a constant as in time(0..n), a fact, or a range",
    )


def _as_default(unit: Unit, name: str) -> Unit:
    """The unit with a definition of the constant that a value from outside replaces."""
    if name not in unit.definitions:
        return unit
    changed = [
        s.update(is_default=1) if s.ast_type == ASTType.Definition and s.name == name else s
        for s in unit.statements
    ]
    return replace(unit, statements=tuple(changed))


def dynamic_predicates(statements: Iterable[AST], constant: str) -> frozenset[Signature]:
    """The predicates that depend on a constant."""
    readers: dict[Signature, set[Signature]] = {}
    starts = set[Signature]()
    for statement in statements:
        defined = {syntax.signature(atom) for atom in syntax.heads(statement)}
        for atom in syntax.reads(statement) if defined else ():
            readers.setdefault(syntax.signature(atom), set()).update(defined)
        if syntax.names_term(statement, constant):
            starts |= defined
    return frozenset(closure(starts, lambda key: readers.get(key, ())))


@dataclass(frozen=True)
class _Extents:
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
class _Timed:
    """A program with a sort that may be that of its times."""

    unit: Unit
    sorts: Sorts
    sort: Sort
    constants: Mapping[str, str]

    @cached_property
    def own(self) -> list[Clause]:
        return [clause_of(s) for s in self.unit.expand_facts({key for key, _ in self.sort.places})]

    def by_constant(self, named: str | None) -> _Extents | None:
        """The constant that bounds the sort, the one that is named or the best, and its extents."""
        unit, sort = self.unit, self.sort
        written = [u for c in self.own for u in c.uses if (u.key, u.place) in sort.places]
        groups = ([u for u, *_ in sort.ends], sort.bounds, [*sort.given, *written])
        names: dict[str, int] = {}
        for rank, group in enumerate(groups):
            for use in group:
                if use.name and not use.is_variable and named in (None, use.name):
                    names.setdefault(use.name, rank)
        best: tuple[tuple[int, ...], _Extents] | None = None
        for name, rank in names.items():
            value = unit.values.get(name, "1")
            if named is None and (value.isidentifier() or value.startswith('"')):
                continue
            extents = self.extents(name)
            if extents is None or (rank == 2 and not extents.domains and not sort.steps):
                continue
            merit = (len(extents.domains), -rank, int(value) if value.isdigit() else 0)
            if best is None or merit > best[0]:
                best = merit, extents
        return best and best[1]

    def place_of(self, name: str) -> Location:
        """Where a constant is defined, or else used first."""
        for statement in self.unit.of_kind(ASTType.Definition):
            if statement.name == name:
                return syntax.location(statement)
        uses = [*(e[0] for e in self.sort.ends), *self.sort.bounds, *self.sort.given]
        uses += [use for clause in self.own for use in clause.uses]
        # The nodes of a tree do not all know their file.
        places = (replace(syntax.location(u.term), file=u.file) for u in uses if u.name == name)
        return min(places)

    def extents(self, name: str, unary: Collection[Signature] = ()) -> _Extents | None:
        """The domains and ends among predicates of the sort; None if they cannot be grounded."""
        unit, sort, found = self.unit, self.sort, _Extents(name)
        rules: dict[Signature, list[Clause]] = {}
        for clause in self.sorts.clauses:
            for key in clause.defined if clause.defined.isdisjoint(self.sorts.open) else ():
                rules.setdefault(key, []).append(clause)
        wanted = sorted(set(unary or sort.unary) - set(self.sorts.open))
        keys = closure(wanted, lambda key: frozenset().union(*(c.read for c in rules.get(key, ()))))
        statements = {id(c): c.statement for key in keys for c in rules.get(key, ())}
        facts = (clause.statement for clause in self.own)
        if not any(syntax.names_term(s, name) for s in (*statements.values(), *facts)):
            return found
        given = [s for s in unit.of_kind(ASTType.Definition) if s.name != name]
        part = Unit((*given, *statements.values()), tuple(f.of(keys) for f in unit.facts))
        uses = (*sort.bounds, *sort.given, *(e[0] for e in sort.ends))
        numbers = [u.shift for u in uses if not u.name]
        numbers += [n for _, low, _ in sort.ends if (n := syntax.number_of(low)) is not None]
        numbers += [u.shift for c in self.own for u in c.uses if not u.name and u.key in sort.unary]
        base = max([6, *(n for n in numbers if n <= _MOST)])
        known = part.constants | part.definitions
        values = {n: value for n, value in self.constants.items() if n in known}

        def times_at(value: int) -> dict[Signature, list[int]]:
            facts = ground_facts([part], {**values, name: str(value)}, strict=False)
            return {
                (sign, predicate, 1): sorted(
                    atom.arguments[0].number
                    for atom in facts.named(predicate, 1)
                    if atom.arguments[0].type == SymbolType.Number
                    if atom.positive is not bool(sign)
                )
                for sign, predicate, _ in wanted
            }

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

    def timing(self, extents: _Extents) -> tuple[set[Signature], set[Signature], int, int, int]:
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
        said = {
            u.shift
            for c in (*sorts.clauses, *self.own)
            for u in c.uses
            if u.head and not u.name and (u.key, u.place) in sort.places and u.key not in domains
        } | {
            u.shift - a.shift + b.shift
            for c, uses in rules
            for a, operator, b in c.compared
            for u in uses
            if u.head and u.key in carried and u.name == a.name and not b.name
            if operator == Op.Equal
        }
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
        asked = [
            by + (u.key in early and by < reach < inf)
            for c, uses in rules
            for u in uses
            if u.key in sorts.open and u.key not in events
            if (by := extents.end(c, u)) is not None
        ]
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
    after: dict[Signature, set[Signature]] = {}
    for clause, uses in rules:
        timed = {u.key: (u.name, u.shift) for u in uses if u.head}
        for u in uses:
            now = u.name, u.shift
            found = {key for key in clause.defined if timed.get(key, now) == now}
            after.setdefault(u.key, set()).update(found.difference(other) if not u.head else ())
    return frozenset(closure(starts, lambda key: after.get(key, ())))
