"""What bounds the time of a single-shot program, `time(0..n)`, and its one value for each horizon.

A single-shot program states all times at once and fixes the last of them by a constant (`n` in
`time(0..n)`), a fact (`length(13)`), a literal range (`time(0..7)`) or enumerated facts. Whatever
it is, the program is brought to one form: a single constant, which asplan sets, bounds the time.

What holds for which times is seen by grounding the rules that nothing open bears on, for a few
values of the constant: `step(S-1) :- step(S)` is a domain like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clingo import Function, Number, SymbolType

from asplan.core.errors import AsplanError, InputError, Location, UsageError
from asplan.core.graphs import closure
from asplan.program.grounded import ground_facts
from asplan.program.sorts import Clause, Sort, Sorts, Successors, Use, clause_of, sorts_of
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperation,
    BinaryOperator,
    ComparisonOperator,
    Signature,
    SymbolicTerm,
    Walker,
    Wording,
    arguments,
    find,
    heads,
    location,
    names_term,
    number_of,
    reads,
    signature,
)
from asplan.program.unit import Unit, joined, statements_in

OWN = "asplan__horizon"
"""The constant in the place of a number, where the author has none."""

_MOST = 300
"""The largest number in a program beyond which values of the constant are tried."""


@dataclass(frozen=True)
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
    """Whether a program without parts speaks of times."""
    return any(sort.score > 0 and sort.steps for sort in sorts_of(joined(units)).found)


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
        found = None if named else _number_in(unit, sort)
        if found is not None:
            name, (text, at, change) = OWN, found
            changed = tuple(change(each) for each in units)
            unit = joined(changed)
            sorts = sorts_of(unit)
            sort = next(s for s in sorts.found if s.places >= sort.places)
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
    events, carried, lag, start, last = _timing(sorts, sort, own, name, domains)
    first = min((lo - hi for lo, hi in domains.values()), default=start - last)
    if most is not None and most < first:
        raise UsageError(f"-c {name}={most}: {name} is the horizon, and the first time is {first}")
    horizon = Horizon(
        constant=name,
        text=text,
        at=at,
        first=first,
        origin=start - last,
        domains=domains,
        ends=ends,
        start=start,
        lag=lag,
        places=sort.place_of(),
        successors=sorts.successors,
        events=frozenset(events),
        carried=frozenset(carried),
        most=most,
        elsewhere=tuple(_elsewhere(unit, sorts, sort, name)),
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
        if not value.lstrip("-").isdigit() and named is None:
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
) -> _Extents | None:
    """The domains and ends among the predicates of a sort; None if they cannot be grounded."""
    rules: dict[Signature, list[Clause]] = {}
    for clause in sorts.clauses:
        for key in clause.defined if clause.defined.isdisjoint(sorts.open) else ():
            rules.setdefault(key, []).append(clause)
    wanted = sort.unary - set(sorts.open)
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
    seen = []
    for value in (base + 1, base + 2, base + 4):
        try:
            facts = ground_facts([part], {**_used(constants, part), name: str(value)}, strict=False)
        except AsplanError:
            return None
        seen.append((value, facts))
    domains, ends = dict[Signature, tuple[int, int]](), dict[Signature, int]()
    for key in sorted(wanted):
        found = set[tuple[int, int]]()
        for value, facts in seen:
            times = sorted(
                atom.arguments[0].number
                for atom in facts.named(key[1], 1)
                if atom.arguments[0].type == SymbolType.Number and atom.positive is not bool(key[0])
            )
            if not times or times != list(range(times[0], times[-1] + 1)):
                break
            found.add((times[0], times[-1] - value))
            if len(times) == 1:
                ends[key] = times[-1] - value
        else:
            if len(found) == 1:
                domains[key] = found.pop()
            is_end = len({hi for _, hi in found}) == 1 and key in ends and key not in domains
            if is_end:
                continue
        ends.pop(key, None)
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
            if use.name == name and (between.key, between.place) not in sort.places:
                yield location(clause.statement)


# A number in its place.


_New = Mapping[tuple[str, str, str], AST]
"""Terms that come in the place of others, which are known by where they stand."""


class _Put(Walker):
    """Puts terms in the place of others."""

    def __init__(self, new: _New, file: str) -> None:
        self.new, self.file = new, file

    def visit_SymbolicTerm(self, term: AST) -> AST:
        return self.new.get(_spot(self.file, term), term)


def _put(new: _New, statement: AST) -> AST:
    changed: AST = _Put(new, location(statement).file).visit(statement)
    return changed


def _spot(file: str, term: AST) -> tuple[str, str, str]:
    begin, end = term.location.begin, term.location.end
    return file, f"{begin.line}:{begin.column}", f"{end.line}:{end.column}"


def _own_term(at: AST, less: int) -> AST:
    """The constant of asplan's, minus a number, where a term stands."""
    constant = SymbolicTerm(at.location, Function(OWN))
    if not less:
        return constant
    operator = BinaryOperator.Minus if less > 0 else BinaryOperator.Plus
    return BinaryOperation(
        at.location, operator, constant, SymbolicTerm(at.location, Number(abs(less)))
    )


_Found = tuple[str, Location, Callable[[Unit], Unit]]


def _number_in(unit: Unit, sort: Sort) -> _Found | None:
    """What stands for the last time where no constant does, and how to put one there."""
    return _literal_end(unit, sort) or _fact_end(unit, sort) or _enumerated(unit, sort)


def _literal_end(unit: Unit, sort: Sort) -> _Found | None:
    """A number at the end of a range, or with which the times are compared."""
    ends = [high for high, _, _ in sort.ends if not high.name]
    limits = ends or [use for use in sort.bounds if not use.name and use.shift > 1]
    if not limits:
        return None
    last = max(use.shift for use in limits)
    first = next(use for use in limits if use.shift == last)
    given = (*sort.bounds, *sort.given)
    alike = [use for use in given if not use.name and last <= use.shift <= last + 1]
    near = [use for use in limits if last - 1 <= use.shift]
    new = {
        _spot(use.file, use.term): _own_term(use.term, last - use.shift) for use in (*near, *alike)
    }
    statement = next(s for s in unit.statements if s != _put(new, s) and _has(s, first))
    part = statement
    if statement.ast_type == ASTType.Rule and not statement.body:
        part = statement.head
    text = Wording()(part, first.file).replace("((", "(").replace("))", ")")
    return text, location(statement), _putting(new)


def _has(statement: AST, use: Use) -> bool:
    terms = find(ASTType.SymbolicTerm, [statement])
    return _spot(use.file, use.term) in {_spot(location(statement).file, term) for term in terms}


def _putting(new: _New) -> Callable[[Unit], Unit]:
    """Puts terms in the place of others."""
    return lambda unit: replace(unit, statements=tuple(_put(new, s) for s in unit.statements))


def _fact_end(unit: Unit, sort: Sort) -> _Found | None:
    """A fact that says the last time, which a rule reads: `time(0..L) :- length(L)`."""
    for i, name in sorted(_last_variables(unit, sort)):
        for atom in reads(unit.statements[i]):
            key, terms = signature(atom), arguments(atom)
            places = [place for place, term in enumerate(terms) if str(term) == name]
            if not places:
                continue
            alike = [
                (fact, head)
                for fact, head in _fact_heads(unit, key)
                if all(map(_fits, terms, arguments(head)))
            ]
            if len(alike) == 1:
                fact, head = alike[0]
                term = arguments(head)[places[0]]
                if number_of(term) is not None:
                    new = {_spot(location(fact).file, term): _own_term(term, 0)}
                    return str(head), location(fact), _instead(key, new)
    return None


def _fits(term: AST, value: AST) -> bool:
    return term.ast_type == ASTType.Variable or str(term) == str(value)


def _fact_heads(unit: Unit, key: Signature) -> list[tuple[AST, AST]]:
    """The facts of a predicate, each with an atom of it, as it is written."""
    written = (s for s in unit.statements if s.ast_type == ASTType.Rule and not s.body)
    facts = (*written, *unit.expand_facts({key}))
    return [(s, head) for s in facts for head in heads(s) if signature(head) == key]


def _last_variables(unit: Unit, sort: Sort) -> set[tuple[int, str]]:
    """The variables, each with the number of its statement, that are ends of times."""
    found = set[tuple[int, str]]()
    for i, statement in enumerate(unit.statements):
        if statement.ast_type == ASTType.Script:
            continue
        clause = clause_of(statement)
        own = {name for j, name in sort.variables if statement is unit.statements[j]}
        sides = [u for u, *_ in clause.ends]
        sides += [b for _, op, b in clause.compared if op in _BELOW]
        sides += [a for a, op, _ in clause.compared if op in _ABOVE]
        found |= {(i, use.name) for use in sides if use.is_variable and use.name in own}
    return found


_BELOW = (ComparisonOperator.LessThan, ComparisonOperator.LessEqual)
_ABOVE = (ComparisonOperator.GreaterThan, ComparisonOperator.GreaterEqual)


def _enumerated(unit: Unit, sort: Sort) -> _Found | None:
    """Facts that name all times, one by one."""
    for key in sorted(sort.unary):
        found = _fact_heads(unit, key)
        times = sorted({number_of(arguments(atom)[0]) or 0 for _, atom in found})
        derived = any(
            s.body and key in map(signature, heads(s)) for s in unit.of_kind(ASTType.Rule)
        )
        if len(times) < 2 or derived or times != list(range(times[0], times[-1] + 1)):
            continue
        at = min(location(fact) for fact, _ in found)
        text = f"{key[1]}({times[0]}..{OWN})."
        new = parse_text("\n" * (at.line - 1) + " " * (at.column - 1) + text, at.file)[1]
        return f"{key[1]}({times[0]}) to {key[1]}({times[-1]})", at, _instead(key, {}, new)
    return None


def _instead(key: Signature, new: _New, rule: AST | None = None) -> Callable[[Unit], Unit]:
    """Writes the facts of a predicate with other terms, or as one rule in their place."""

    def change(unit: Unit) -> Unit:
        if key not in unit.defined:
            return unit
        own = unit.expand_facts({key})
        kept = [s for s in unit.statements if not rule or not _is_of(s, key)]
        if rule is not None:
            facts = (*own, *(s for s in unit.statements if _is_of(s, key)))
            own = [rule] if location(rule) in map(location, facts) else []
        statements = tuple(_put(new, s) for s in (*own, *kept))
        return Unit(statements, tuple(facts.without({key}) for facts in unit.facts))

    return change


def _is_of(statement: AST, key: Signature) -> bool:
    found = heads(statement)
    return bool(found) and all(signature(head) == key for head in found)


# When a step is taken.


def _timing(
    sorts: Sorts,
    sort: Sort,
    own: Sequence[Clause],
    name: str,
    domains: Mapping[Signature, tuple[int, int]],
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
    ahead = [
        h.shift - a.shift
        for _, uses in rules
        for h in uses
        for a in uses
        if h.head and not a.head and a.key in events and h.key in carried and a.name == h.name
    ]
    lag = int(ahead.count(1) > 0 and ahead.count(1) >= ahead.count(0))
    low = min((lo for lo, _ in domains.values()), default=None)
    said = {
        u.shift
        for c in (*sorts.clauses, *own)
        for u in c.uses
        if u.head and not u.name and (u.key, u.place) in sort.places and u.key not in domains
    }
    near = {n for n in said if low is None or low - 1 <= n <= low}
    first = low if low is not None else min(said, default=0)
    start = min(near, default=first if lag else first - 1)
    asked = [
        u.shift
        for _, uses in rules
        for u in uses
        if u.name == name and u.key in sorts.open and u.key not in events
    ]
    last = [
        upper + u.shift + (lag if u.key in events else 0)
        for c, uses in rules
        for u in uses
        if u.head and u.is_variable and u.key in (carried or events)
        if (upper := _upper(c, u.name, name, domains)) is not None
    ]
    return (
        events,
        carried,
        lag,
        start,
        max(asked or last or [hi for _, hi in domains.values()], default=0),
    )


def _upper(
    clause: Clause, variable: str, name: str, domains: Mapping[Signature, tuple[int, int]]
) -> int | None:
    """The greatest value of a variable, as what it is more than the constant."""
    found = [
        domains[u.key][1] - u.shift
        for u in clause.uses
        if u.name == variable and u.key in domains and not u.head
    ]
    for a, operator, b in clause.compared:
        if operator in _ABOVE:
            a, b = b, a
        if a.name == variable and b.name == name and operator in (*_BELOW, *_ABOVE):
            strict = operator in (ComparisonOperator.LessThan, ComparisonOperator.GreaterThan)
            found.append(b.shift - a.shift - strict)
    return min(found, default=None)
