"""What bounds the time of a single-shot program, `time(0..n)`, and its one value for each horizon.

Such a program states all times at once and fixes the last by a constant (`n` in `time(0..n)`), a
fact (`length(13)`), a range (`time(0..7)`) or enumerated facts. It is brought to one form: a single
constant, which asplan sets. So `time(0..7)` becomes `time(0..asplan__horizon)`, and so does 7
wherever else it is that time; `length(13)` becomes `length(asplan__horizon)`; `time(0). time(1).
time(2).` become a range.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from asplan.core.errors import InputError, Location, UsageError
from asplan.program import syntax
from asplan.program.sorts import VARIABLE, Sort, Sorts, Successors, clause_of, sorts_of
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, Walker
from asplan.program.terms import ABOVE, BELOW, term_of
from asplan.program.theory import theory_atoms
from asplan.program.timing import Extents, Timed, dynamic_predicates
from asplan.program.unit import Unit, joined
from asplan.program.wording import Wording


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
    that is no time. Choices bear on `open`.
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
    bounded = (sort for sort in sorts_of(unit).found if sort.ends or sort.bounds or sort.unary)
    return any(
        sort.is_named
        or any(use.key[2] > 1 or use.name for use in sort.given)
        or any(key[2] > 1 and key in facts for key, _ in sort.places)
        for sort in bounded
        if sort.score > 0 and sort.steps
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
        timed = Timed(unit, sorts, sort, constants)
        if (extents := _by_constant(timed, named)) is not None:
            text, at = extents.name, _place_of(timed, extents.name)
            changed = tuple(_as_default(each, extents.name) for each in units)
            break
        # What stands for the last time where no constant does.
        ways = (_literal_end, _fact_end, _enumerated) if named is None else ()
        if found := next(filter(None, (way(unit, sort) for way in ways)), None):
            text, at, change = found
            changed = tuple(change(each) for each in units)
            unit = joined(changed)
            sorts = sorts_of(unit)
            known = sort.places
            sort = max(sorts.found, key=lambda found: len(found.places & known))
            timed = Timed(unit, sorts, sort, constants)
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
    changed = tuple(
        s.update(is_default=1) if s.ast_type == ASTType.Definition and s.name == name else s
        for s in unit.statements
    )
    return replace(unit, statements=changed) if name in unit.definitions else unit


def _by_constant(timed: Timed, named: str | None) -> Extents | None:
    """The constant that bounds the sort, the one that is named or the best, and its extents."""
    unit, sort = timed.unit, timed.sort
    written = [u for c in timed.own for u in c.uses if (u.key, u.place) in sort.places]
    groups = (sort.highs, sort.bounds, [*sort.given, *written])
    names: dict[str, int] = {}
    for rank, group in enumerate(groups):
        for use in group:
            if use.name and not use.is_variable and named in (None, use.name):
                names.setdefault(use.name, rank)
    best: tuple[tuple[int, ...], Extents] | None = None
    for name, rank in names.items():
        value = unit.values.get(name, "1")
        if named is None and (value.isidentifier() or value.startswith('"')):
            continue
        extents = timed.extents(name)
        if extents is None or (rank == 2 and not extents.domains and not sort.steps):
            continue
        merit = (len(extents.domains), -rank, int(value) if value.isdigit() else 0)
        if best is None or merit > best[0]:
            best = merit, extents
    return best and best[1]


def _place_of(timed: Timed, name: str) -> Location:
    """Where a constant is defined, or else used first."""
    for statement in timed.unit.of_kind(ASTType.Definition):
        if statement.name == name:
            return syntax.location(statement)
    uses = [*timed.sort.highs, *timed.sort.bounds, *timed.sort.given]
    uses += [use for clause in timed.own for use in clause.uses]
    # The nodes of a tree do not all know their file.
    places = (replace(syntax.location(u.term), file=u.file) for u in uses if u.name == name)
    return min(places)


# A constant in the place of what bounds the time: a number, a fact, or facts for all times.

OWN = "asplan__horizon"  # the constant in the place of a number, where the author has none

_Spot = tuple[str, int, int, int, int]  # where a term begins and ends in a file
_New = Mapping[_Spot, AST]  # terms in the place of others, by where they stand
_Bound = tuple[str, Location, Callable[[Unit], Unit]]
"""What the author wrote, where, and how to put the constant in its place."""


def _put(new: _New, statement: AST) -> AST:
    file = syntax.location(statement).file
    return Walker(SymbolicTerm=lambda term: new.get(_spot(file, term), term)).visit(statement)


def _putting(new: _New) -> Callable[[Unit], Unit]:
    return lambda unit: replace(unit, statements=tuple(_put(new, s) for s in unit.statements))


def _spot(file: str, term: AST) -> _Spot:
    begin, end = term.location.begin, term.location.end
    return file, begin.line, begin.column, end.line, end.column


def _in_theory(unit: Unit, sort: Sort, last: int) -> dict[_Spot, AST]:
    """The constant for the last time, and the one after it, in variables of a theory."""
    new = dict[_Spot, AST]()
    for statement in filter(theory_atoms, unit.statements):
        for term in syntax.find(ASTType.TheoryFunction, theory_atoms(statement)):
            key = ("", f"{VARIABLE}{term.name}", len(term.arguments))
            for place, argument in enumerate(term.arguments):
                number = syntax.number_of(argument) if (key, place) in sort.places else None
                if number is not None and last <= number <= last + 1:
                    own = OWN if number == last else f"({OWN}+1)"
                    rule = parse_text(f"&sum {{ {own} }}.")[1]
                    spot = _spot(syntax.location(statement).file, argument)
                    new[spot] = rule.head.elements[0].terms[0]
    return new


def _literal_end(unit: Unit, sort: Sort) -> _Bound | None:
    """A number at the end of a range, or with which the times are compared."""
    ends = [high for high in sort.highs if not high.name]
    limits = ends or [use for use in sort.bounds if not use.name and use.shift > 1]
    if not limits:
        return None
    last = max(use.shift for use in limits)
    first = next(use for use in limits if use.shift == last)
    given = (*sort.bounds, *sort.given)
    alike = [use for use in given if not use.name and last <= use.shift <= last + 1]
    near = [use for use in limits if last - 1 <= use.shift]
    spots = {_spot(use.file, use.term): use for use in (*near, *alike)}
    new = {spot: term_of(use.term, (OWN, use.shift - last)) for spot, use in spots.items()}
    for statement in (s for s in unit.statements if s != _put(new, s)):
        file, part = syntax.location(statement).file, statement
        terms = syntax.find(ASTType.SymbolicTerm, [statement])
        if _spot(first.file, first.term) in {_spot(file, term) for term in terms}:
            if statement.ast_type == ASTType.Rule and not statement.body:
                part = statement.head
            text = Wording()(part, first.file)
            change = _putting({**new, **_in_theory(unit, sort, last)})
            return text, syntax.location(statement), change
    return None


def _fact_end(unit: Unit, sort: Sort) -> _Bound | None:
    """A fact that says the last time, which a rule reads: `time(0..L) :- length(L)`."""
    for i, name in sorted(_last_variables(unit, sort)):
        for atom in syntax.reads(unit.statements[i]):
            key, terms = syntax.signature(atom), syntax.arguments(atom)
            places = [place for place, term in enumerate(terms) if str(term) == name]

            def is_like(head: AST, terms: list[AST] = terms) -> bool:
                both = zip(terms, syntax.arguments(head), strict=True)
                return all(a.ast_type == ASTType.Variable or str(a) == str(b) for a, b in both)

            alike = [pair for pair in _fact_heads(unit, key) if is_like(pair[1])] if places else []
            if len(alike) == 1:
                fact, head = alike[0]
                term = syntax.arguments(head)[places[0]]
                if (last := syntax.number_of(term)) is not None:
                    new = {_spot(syntax.location(fact).file, term): term_of(term, (OWN, 0))}
                    change = _instead(key, new, _putting(_in_theory(unit, sort, last)))
                    return str(head), syntax.location(fact), change
    return None


def _fact_heads(unit: Unit, key: Signature) -> list[tuple[AST, AST]]:
    """The facts of a predicate, each with an atom of it, as it is written."""
    written = (s for s in unit.statements if s.ast_type == ASTType.Rule and not s.body)
    facts = (*written, *unit.expand_facts({key}))
    return [(s, head) for s in facts for head in syntax.heads(s) if syntax.signature(head) == key]


def _last_variables(unit: Unit, sort: Sort) -> set[tuple[int, str]]:
    """The variables, each with the number of its statement, that are ends of times."""
    found = set[tuple[int, str]]()
    for i, statement in enumerate(unit.statements):
        if statement.ast_type == ASTType.Script:
            continue
        clause = clause_of(statement)
        own = {name for j, name in sort.variables if statement is unit.statements[j]}
        sides = [u for u, *_ in clause.ends]
        sides += [b if op in BELOW else a for a, op, b in clause.compared if op in (*BELOW, *ABOVE)]
        found |= {(i, use.name) for use in sides if use.is_variable and use.name in own}
    return found


def _enumerated(unit: Unit, sort: Sort) -> _Bound | None:
    """Facts that name all times, one by one."""
    for key in sorted(sort.unary):
        found = _fact_heads(unit, key)
        times = sorted({syntax.number_of(syntax.arguments(atom)[0]) or 0 for _, atom in found})
        rules = (s for s in unit.of_kind(ASTType.Rule) if s.body)
        derived = any(key in syntax.defined_in(s) for s in rules)
        if len(times) < 2 or derived or times != list(range(times[0], times[-1] + 1)):
            continue
        at = min(syntax.location(fact) for fact, _ in found)
        text = f"{key[1]}({times[0]}..{OWN})."
        new = parse_text("\n" * (at.line - 1) + " " * (at.column - 1) + text, at.file)[1]
        then = _putting(_in_theory(unit, sort, times[-1]))
        return f"{key[1]}({times[0]}) to {key[1]}({times[-1]})", at, _instead(key, {}, then, new)
    return None


def _instead(
    key: Signature, new: _New, then: Callable[[Unit], Unit], rule: AST | None = None
) -> Callable[[Unit], Unit]:
    """Writes the facts of a predicate with other terms, or as one rule in their place."""

    def is_of(statement: AST) -> bool:
        return syntax.defined_in(statement) == {key}

    def change(unit: Unit) -> Unit:
        if key not in unit.defined:
            return then(unit)
        own = unit.expand_facts({key})
        kept = [s for s in unit.statements if not rule or not is_of(s)]
        if rule is not None:
            facts = (*own, *filter(is_of, unit.statements))
            own = [rule] if syntax.location(rule) in map(syntax.location, facts) else []
        statements = tuple(_put(new, s) for s in (*own, *kept))
        return then(Unit(statements, tuple(facts.without({key}) for facts in unit.facts)))

    return change
