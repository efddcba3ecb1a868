"""What bounds the time of a single-shot program, `time(0..n)`, and its one value for each horizon.

A single-shot program states all times at once and fixes the last of them by a constant (`n` in
`time(0..n)`), a fact (`length(13)`), a literal range (`time(0..7)`) or enumerated facts. Whatever
it is, the program is brought to one form: a single constant, which asplan sets, bounds the time.

What holds for which times is seen by grounding the rules that nothing open bears on, for a few
values of the constant: `step(S-1) :- step(S)` is a domain like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from clingo import SymbolType

from asplan.core.errors import AsplanError, InputError, Location, UsageError
from asplan.core.graphs import closure
from asplan.program.bounds import ABOVE, BELOW, OWN, number_in
from asplan.program.grounded import ground_facts
from asplan.program.sorts import Clause, Sort, Sorts, Successors, Use, clause_of, sorts_of
from asplan.program.syntax import (
    AST,
    ASTType,
    ComparisonOperator,
    Signature,
    heads,
    location,
    names_term,
    number_of,
    reads,
    signature,
)
from asplan.program.unit import Unit, joined, statements_in

_MOST = 300
"""The largest number in a program beyond which values of the constant are tried."""


@dataclass(frozen=True, eq=False)
class Horizon:
    """What bounds the time.

    Attributes
    ----------
    constant
        The constant to set: the author's own, or one of asplan's in the place of a number.
    text, at
        What the author wrote (`n`, `length(13)`, `time(0..7)`), and where.
    first
        The least value to try: the first time of the domain.
    origin
        The value at which nothing happens yet: a plan of k steps belongs to the value origin + k.
    domains, ends
        The predicates of one argument that hold for the times from a number to the value plus a
        number, as `(0,0)` for `time(0..n)` and `(0,-1)` for `step(0..n-1)`; and those that hold
        for the value plus a number alone.
    start
        The time of the initial state. It is the origin where the last state is that of time `n`.
    lag
        1 if what happens at T leads to T+1, and 0 if it leads to T.
    places
        For each predicate that speaks of a time the argument that is the time.
    successors
        The predicates with two times, of which one is the other plus a number.
    events, carried
        The predicates of what is chosen at a time and not carried on from an earlier one; and of
        what is carried on.
    most
        The greatest value to try, where one was set.
    elsewhere
        Where the constant stands for something that is no time.
    clauses, open
        What its statements tell of sorts, by their identity; and the predicates on which choices
        bear.
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
        """Whether the constant is one of asplan's."""
        return self.constant == OWN

    @property
    def least(self) -> int:
        """The fewest steps that are asked for."""
        return max(0, self.first - self.origin)


def is_over_time(units: Iterable[Unit]) -> bool:
    """Whether a program without parts speaks of times.

    Something is said there of the first or of the last; in a roster no day is like that.
    """
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
    """What bounds the time of a program, and the program with a constant that bounds it.

    `named` is the constant that the caller says it is. Raises `InputError` where nothing is found.
    """
    unit = joined(units)
    sorts = sorts_of(unit)
    likely = [sort for sort in sorts.found if sort.score > 0 and (sort.steps or named)]
    seen: Sort | None = None
    for sort in likely if named is None else sorts.found:
        own = _facts_of(unit, sort)
        if (chosen := _constant_in(unit, sorts, sort, own, constants, named)) is not None:
            name, (domains, ends) = chosen
            text, at = name, _defined_at(unit, name) or _first_use(sort, own, name)
            changed = tuple(_as_default(each, name) for each in units)
            break
        found = None if named else number_in(unit, sort)
        if found is not None:
            name, (text, at, change) = OWN, found
            changed = tuple(change(each) for each in units)
            unit = joined(changed)
            sorts = sorts_of(unit)
            known = sort.places
            sort = max(sorts.found, key=lambda found: len(found.places & known))
            own = _facts_of(unit, sort)
            extents = _extents(unit, sorts, sort, own, constants, OWN)
            if extents is None:
                continue
            domains, ends = extents
            break
        seen = seen or sort
    else:
        raise _unbounded(unit, sorts, seen, named)
    if name in constants and not constants[name].lstrip("-").isdigit():
        raise UsageError(f"-c {name}={constants[name]}: {name} is the horizon, a number")
    most = int(constants[name]) if name in constants else None
    events, carried, lag, start, last = _timing(sorts, sort, own, name, domains, ends)
    first = min((lo - hi for lo, hi in domains.values()), default=start - last)
    if most is not None and most < first:
        raise UsageError(f"-c {name}={most}: {name} is the horizon, and the first time is {first}")
    others = {key for key in dynamic_predicates(unit.statements, name) if key[2] == 1} - sort.unary
    more = _extents(unit, sorts, sort, own, constants, name, others) if others else None
    horizon = Horizon(
        constant=name,
        text=text,
        at=at,
        first=first,
        origin=start - last,
        domains=domains | (more or ({}, {}))[0],
        ends=ends,
        start=start,
        lag=lag,
        places=sort.place_of(),
        successors=sorts.successors,
        events=frozenset(events),
        carried=frozenset(carried),
        most=most,
        elsewhere=tuple(_elsewhere(unit, sorts, sort, name)),
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
        at = location(sorts.clauses[i].statement) if name else None
        what = f"{name} is a time here, and nothing says which is the last" if name else what
    return InputError(
        "no constant bounds the time; name it with --horizon-constant",
        at=at,
        hint=f"{what}: asplan looks for a constant as in time(0..n), a fact, or a range",
    )


def dynamic_predicates(statements: Iterable[AST], constant: str) -> frozenset[Signature]:
    """The predicates that depend on a constant."""
    readers: dict[Signature, set[Signature]] = {}
    starts = set[Signature]()
    for statement in statements:
        defined = {signature(atom) for atom in heads(statement)}
        for atom in reads(statement) if defined else ():
            readers.setdefault(signature(atom), set()).update(defined)
        if names_term(statement, constant):
            starts |= defined
    return frozenset(closure(starts, lambda key: readers.get(key, ())))


# The constant.


def _facts_of(unit: Unit, sort: Sort) -> list[Clause]:
    """The plain facts that speak of a sort."""
    return [clause_of(s) for s in unit.expand_facts({key for key, _ in sort.places})]


def _constant_in(
    unit: Unit,
    sorts: Sorts,
    sort: Sort,
    own: Sequence[Clause],
    constants: Mapping[str, str],
    named: str | None,
) -> tuple[str, _Extents] | None:
    """The constant that bounds a sort, and what it bounds."""
    written = [u for c in own for u in c.uses if (u.key, u.place) in sort.places]
    groups = ([u for u, *_ in sort.ends], sort.bounds, [*sort.given, *written])
    names: dict[str, int] = {}
    for rank, group in enumerate(groups):
        for use in group:
            if use.name and not use.is_variable:
                names.setdefault(use.name, rank)
    best: tuple[tuple[int, ...], str, _Extents] | None = None
    for name, rank in names.items():
        if named not in (None, name):
            continue
        value = unit.values.get(name, "1")
        if named is None and (value.isidentifier() or value.startswith('"')):
            continue
        extents = _extents(unit, sorts, sort, own, constants, name)
        if extents is None or (rank == 2 and not extents[0] and not sort.steps):
            continue
        merit = (len(extents[0]), -rank, int(value) if value.isdigit() else 0)
        if best is None or merit > best[0]:
            best = merit, name, extents
    return best and best[1:]


_Extents = tuple[dict[Signature, tuple[int, int]], dict[Signature, int]]


def _extents(
    unit: Unit,
    sorts: Sorts,
    sort: Sort,
    own: Sequence[Clause],
    constants: Mapping[str, str],
    name: str,
    unary: Collection[Signature] = (),
) -> _Extents | None:
    """The domains and ends among the predicates of a sort, or others of one argument.

    None if they cannot be grounded.
    """
    rules: dict[Signature, list[Clause]] = {}
    for clause in sorts.clauses:
        for key in clause.defined if clause.defined.isdisjoint(sorts.open) else ():
            rules.setdefault(key, []).append(clause)
    wanted = sorted(set(unary or sort.unary) - set(sorts.open))
    keys = closure(wanted, lambda key: frozenset().union(*(c.read for c in rules.get(key, ()))))
    statements = {id(c): c.statement for key in keys for c in rules.get(key, ())}
    if not any(names_term(s, name) for s in statements.values()) and not any(
        names_term(c.statement, name) for c in own
    ):
        return {}, {}
    given = [s for s in unit.of_kind(ASTType.Definition) if s.name != name]
    part = Unit((*given, *statements.values()), tuple(f.of(keys) for f in unit.facts))
    numbers = [
        u.shift for u in (*sort.bounds, *sort.given, *(e[0] for e in sort.ends)) if not u.name
    ]
    numbers += [n for _, low, _ in sort.ends if (n := number_of(low)) is not None]
    numbers += [u.shift for c in own for u in c.uses if not u.name and u.key in sort.unary]
    base = max([6, *(n for n in numbers if n <= _MOST)])

    def times_at(value: int) -> dict[Signature, list[int]]:
        facts = ground_facts([part], {**_used(constants, part), name: str(value)}, strict=False)
        return {
            key: sorted(
                atom.arguments[0].number
                for atom in facts.named(key[1], 1)
                if atom.arguments[0].type == SymbolType.Number and atom.positive is not bool(key[0])
            )
            for key in wanted
        }

    domains, ends = dict[Signature, tuple[int, int]](), dict[Signature, int]()
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
    return domains, ends


def _used(constants: Mapping[str, str], unit: Unit) -> dict[str, str]:
    return {n: v for n, v in constants.items() if n in unit.constants or n in unit.definitions}


def _defined_at(unit: Unit, name: str) -> Location | None:
    return next((location(s) for s in unit.of_kind(ASTType.Definition) if s.name == name), None)


def _first_use(sort: Sort, own: Iterable[Clause], name: str) -> Location:
    uses = [*(e[0] for e in sort.ends), *sort.bounds, *sort.given]
    uses += [use for clause in own for use in clause.uses]
    return min(use.at for use in uses if use.name == name)


def _as_default(unit: Unit, name: str) -> Unit:
    """The unit with a definition of the constant that a value from outside replaces."""
    if name not in unit.definitions:
        return unit
    changed = [
        s.update(is_default=1) if s.ast_type == ASTType.Definition and s.name == name else s
        for s in unit.statements
    ]
    return replace(unit, statements=tuple(changed))


def _elsewhere(unit: Unit, sorts: Sorts, sort: Sort, name: str) -> Iterator[Location]:
    """Where a constant stands for something that is no time: as an argument of another sort."""
    named = (statements_in(facts) for facts in unit.facts if name in facts.names)
    facts = [clause_of(s) for group in named for s in group]
    for clause in (*sorts.clauses, *facts):
        ends = [(high, between) for high, _, between in clause.ends if not between.is_variable]
        for use, between in (*((use, use) for use in clause.uses), *ends):
            is_read = not between.key[1] or between.key in unit.read
            if use.name == name and is_read and (between.key, between.place) not in sort.places:
                yield location(clause.statement)


# When a step is taken.


def _timing(
    sorts: Sorts,
    sort: Sort,
    own: Sequence[Clause],
    name: str,
    domains: Mapping[Signature, tuple[int, int]],
    ends: Mapping[Signature, int],
) -> tuple[set[Signature], set[Signature], int, int, int]:
    """What happens, what is carried on, whether the one leads to the next time, and two times.

    These are that of the initial state, and that of the last, told as what it is more than the
    value of the constant.
    """
    place_of = sort.place_of()
    rules = [(c, [u for u in c.uses if place_of.get(u.key) == u.place]) for c in sorts.clauses]
    carried = {
        a.key
        for _, uses in rules
        for a in uses
        for b in uses
        if a.head and not b.head and a.key == b.key and a.name == b.name and a.shift > b.shift
    }
    denied = {
        (h.key, u.key)
        for c, uses in rules
        for h in uses
        for u in uses
        if h.head and u.key in c.denied and (h.name, h.shift) == (u.name, u.shift)
    }
    events = {u.key for c, uses in rules if c.is_open for u in uses if u.head}
    events |= {a for a, b in denied if (b, a) in denied and a != b}
    events -= carried
    # move(X,T) :- cross(X,T): what follows from what happens has the effects.
    ahead = _delays(rules, events, carried)
    ahead = ahead or _delays(rules, following(rules, events, carried), carried)
    ahead = ahead or _delays(rules, events, sorts.open)
    low = min((lo for lo, _ in domains.values()), default=None)
    said = {
        u.shift
        for c in (*sorts.clauses, *own)
        for u in c.uses
        if u.head and not u.name and (u.key, u.place) in sort.places and u.key not in domains
    } | {
        u.shift - a.shift + b.shift
        for c, uses in rules
        for a, operator, b in c.compared
        for u in uses
        if u.head and u.key in carried and u.name == a.name and not b.name
        if operator == ComparisonOperator.Equal
    }
    near = {n for n in said if low is None or low - 1 <= n <= low}
    later, same = ahead.count(1), ahead.count(0)
    # Where something holds before the first time of the domain, what happens leads to its own time.
    is_before = low is not None and low - 1 in near
    lag = int(later > same or (later == same > 0 and not is_before))
    first = low if low is not None else min(said, default=0)
    # Facts at 0 may be brought to 1 by a rule: what happens at T sets out from T, or from T-1.
    start = (max if lag and low is not None else min)(
        near, default=first - (not lag and low is not None)
    )

    def greatest(keys: Collection[Signature], delay: int) -> float:
        return max(
            (
                upper + u.shift + delay
                for c, uses in rules
                for u in uses
                if u.head and u.is_variable and u.key in keys
                if (upper := _upper(c, u.name, name, domains, ends)) is not None
            ),
            default=inf,
        )

    reach = greatest(events, lag)
    # Where that is demanded at the last time, what happens then counts, although it leads on.
    early = following(rules, following(rules, events, ()) & carried if lag else (), events)
    asked = [
        by + (u.key in early and by < reach < inf)
        for c, uses in rules
        for u in uses
        if u.key in sorts.open and u.key not in events
        if (by := u.shift if u.name == name else _end(c, u, name, domains, ends)) is not None
    ]
    demanded = {key for c in sorts.clauses if not c.defined for key in c.read} - place_of.keys()
    # What happens and what is carried on may reach past each other: a step needs both.
    last = min(reach, greatest(carried, reach < inf and not early.isdisjoint(demanded)))
    if asked:
        last = max(asked)
    elif last == inf:
        last = max((hi for _, hi in domains.values()), default=0)
    return events, carried, lag, start, int(last)


def _delays(
    rules: Iterable[tuple[Clause, Sequence[Use]]],
    causes: Collection[Signature],
    carried: Collection[Signature],
) -> list[int]:
    """How much later than what causes it what is carried on holds, for each rule that says so."""
    return [
        h.shift - a.shift
        for _, uses in rules
        for h in uses
        for a in uses
        if h.head and not a.head and a.key in causes and h.key in carried and a.name == h.name
    ]


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


def _upper(
    clause: Clause,
    variable: str,
    name: str,
    domains: Mapping[Signature, tuple[int, int]],
    ends: Mapping[Signature, int],
) -> int | None:
    """The greatest value of a variable, as what it is more than the constant."""
    uses = [u for u in clause.uses if u.name == variable and not u.head]
    found = [domains[u.key][1] - u.shift for u in uses if u.key in domains and not u.is_denied]
    found += [ends[u.key] - u.shift - u.is_denied for u in uses if u.key in ends]
    for a, operator, b in clause.compared:
        if operator in ABOVE:
            a, b = b, a
        if a.name == variable and b.name == name and operator in (*BELOW, *ABOVE):
            strict = operator in (ComparisonOperator.LessThan, ComparisonOperator.GreaterThan)
            found.append(b.shift - a.shift - strict)
    return min(found, default=None)


def _end(
    clause: Clause,
    use: Use,
    name: str,
    domains: Mapping[Signature, tuple[int, int]],
    ends: Mapping[Signature, int],
) -> int | None:
    """What a time is more than the constant, where `last(T)` or `not time(T+1)` says that."""
    uses = [u for u in clause.uses if use.is_variable and u.name == use.name and not u.head]
    least = [ends[u.key] - u.shift for u in uses if u.key in ends and not u.is_denied]
    least += [domains[u.key][1] + 1 - u.shift for u in uses if u.key in domains and u.is_denied]
    upper = _upper(clause, use.name, name, domains, ends)
    return upper + use.shift if upper is not None and upper in least else None
