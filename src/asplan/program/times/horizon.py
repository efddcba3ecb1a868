"""The horizon of a single-shot program: the constant that bounds its time.

Such a program has all times at once. Here it is brought to a form in which a single constant gives
the last time, so that asplan can set this constant to one value after another.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location, UsageError
from asplan.program import syntax
from asplan.program.model.sorts import Sort, Sorts, sorts_of
from asplan.program.reading.unit import Unit, joined
from asplan.program.syntax import Signature
from asplan.program.syntax.term_uses import Successors
from asplan.program.syntax.terms import OWN
from asplan.program.times.time_bounds import BoundSearch, Line, TimeBound, ambiguous
from asplan.program.times.timeline import find_timeline
from asplan.program.times.timing import dynamic_predicates


@dataclass(frozen=True, eq=False)
class Horizon:
    """The constant that bounds the time of a single-shot program, and its times.

    Attributes
    ----------
    constant
        The constant to set: the author's, or asplan's own in the place of a number or fact.
    text, at
        The text that gives the last time, such as `n`, `length(13)` or `time(0..7)`, and its
        location.
    first
        The least value of the constant to try.
    origin
        The value of the constant for plans of 0 steps; plans of k steps have the value `origin` +
        k.
    domains
        Predicates with one argument that hold for a range of times. For each, its first time and
        the number to add to the constant for the last: (0, 0) for `time(0..n)`, (0, -1) for
        `step(0..n-1)`.
    ends
        Predicates that hold for one time only. For each, the number to add to the constant.
    start
        The time of the initial state.
    lag
        1 if an action at time T leads to the state at T+1, and 0 if it leads to the state at T.
    places
        Maps each predicate with a time to the index of its time argument.
    successors
        The predicates such as `next(T,T+1)`, with two times.
    events
        The predicates that are chosen at each time, and not carried on from an earlier time.
    carried
        The predicates that a rule derives from an earlier atom of the same predicate.
    most
        The greatest value to try, if the user has set the constant.
    elsewhere
        The locations where the constant is used for something other than a time.
    moved
        Lines with a further number that has the same value, and probably means the last time, too.
    open
        The predicates that are chosen or depend on a choice.
    has_goal
        Whether a constraint demands something of `events` or `carried` predicates.
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
    moved: tuple[Line, ...] = ()
    open: frozenset[Signature] = frozenset()
    has_goal: bool = True

    def value(self, steps: int) -> int:
        """Return the value of the constant for plans with `steps` steps."""
        return self.origin + steps

    @property
    def is_own(self) -> bool:
        """True if the constant is asplan's own, in the place of a number or a fact."""
        return self.constant == OWN

    @property
    def least(self) -> int:
        """The least number of steps to try: with fewer, the constant would be less than `first`."""
        return max(0, self.first - self.origin)


def is_over_time(units: Iterable[Unit]) -> bool:
    """Return whether a program without parts has times with a first or a last one.

    A program without such times, such as one for a roster, is no planning program.
    """
    unit = joined(units)
    facts = {key for found in unit.facts for key in found.signatures}
    return any(
        _is_bounded(sort) and _has_evidence(sort, facts)
        for sort in sorts_of(unit).found
        if _is_likely(sort)
    )


def _is_likely(sort: Sort) -> bool:
    """Return whether values of a sort are probably times: rules lead from one to the next."""
    return sort.score > 0 and bool(sort.steps)


def _is_bounded(sort: Sort) -> bool:
    """Return whether the program gives an end of a sort's values."""
    return bool(sort.ends or sort.limits or sort.unary)


def _has_evidence(sort: Sort, facts: Collection[Signature]) -> bool:
    """Return whether something besides rules marks the values of a sort as times.

    The evidence is a usual name for times, an atom with a given value, or facts with a time and
    other arguments. `facts` has the predicates of facts.
    """
    if sort.is_named:
        return True
    if any(use.key[2] > 1 or use.name for use in sort.given):
        return True
    return any(key[2] > 1 and key in facts for key, _ in sort.places)


def find_horizon(
    units: Sequence[Unit],
    constants: Mapping[str, str],
    named: str | None = None,
    actions: frozenset[Signature] = frozenset(),
) -> tuple[Horizon, tuple[Unit, ...]]:
    """Find the constant that bounds the time of a program; return it with the changed units.

    If a number or fact gives the last time, asplan's own constant replaces it in the units.

    Parameters
    ----------
    units
        The program, without parts.
    constants
        The values that the user has given to constants.
    named
        The constant of `--horizon-constant`. Without it, the search takes the constant, range or
        fact that bounds the times of actions.
    actions
        The predicates that the user has named as actions.

    Raises
    ------
    InputError
        If nothing bounds the time, or several candidates do.
    """
    unit = joined(units)
    sorts = sorts_of(unit)
    likely = sorts.found
    if named is None:
        likely = [sort for sort in sorts.found if _is_likely(sort)]
    searches = (BoundSearch(units, unit, sorts, sort, constants, actions) for sort in likely)
    bounds = _find_bounds(searches) if named is None else _find_bounds_by_name(searches, named)
    if not bounds:
        seen = likely[0] if likely and named is None else None
        raise _unbounded(unit, sorts, seen, named)
    bound = _choose_bound(bounds)
    return _horizon(bound, constants), bound.units


def _find_bounds(searches: Iterable[BoundSearch]) -> list[TimeBound]:
    """Return the bounds of the sorts with most evidence, among those that have a bound.

    The searches come in the order of evidence, the most first.
    """
    bounds: list[TimeBound] = []
    for search in searches:
        if bounds and search.sort.score < bounds[0].score:
            break
        bound = search.only_bound()
        if bound is not None:
            bounds.append(bound)
    return bounds


def _find_bounds_by_name(searches: Iterable[BoundSearch], name: str) -> list[TimeBound]:
    """Return the bound with the constant `name` for the first sort that has one, in a list.

    Each of the `searches` takes another sort as time. Return an empty list if no sort has one.
    """
    for search in searches:
        bound = search.by_name(name)
        if bound is not None:
            return [bound]
    return []


def _choose_bound(bounds: Sequence[TimeBound]) -> TimeBound:
    """Return the only bound; raise `InputError` if there are several.

    A bound on times of actions comes before one on times of states only.
    """
    if len(bounds) > 1:
        bounds = [bound for bound in bounds if bound.limited_actions] or bounds
    if len(bounds) > 1:
        raise ambiguous(bounds)
    return bounds[0]


def _horizon(bound: TimeBound, constants: Mapping[str, str]) -> Horizon:
    """Return the horizon of the chosen bound.

    Raise `UsageError` if the user's value of the constant is not a number, or is too small.
    """
    timed = bound.timed
    extents = bound.extents
    name = extents.name
    if name in constants and not constants[name].lstrip("-").isdigit():
        raise UsageError(f"-c {name}={constants[name]}: {name} is the horizon, a number")
    most = int(constants[name]) if name in constants else None
    timeline = find_timeline(
        bound.rules, bound.sorts, bound.sort, extents, timed.own, timed.actions
    )
    lengths = (low - high for low, high in extents.domains.values())
    first = min(lengths, default=timeline.start - timeline.last)
    if most is not None and most < first:
        raise UsageError(f"-c {name}={most}: {name} is the horizon, and the first time is {first}")
    dynamic = dynamic_predicates(timed.unit.statements, name)
    others = {key for key in dynamic if key[2] == 1} - bound.sort.unary
    more = timed.extents(name, others) if others else None
    return Horizon(
        constant=name,
        text=bound.text,
        at=bound.at,
        first=first,
        origin=timeline.start - timeline.last,
        domains=extents.domains | (more.domains if more else {}),
        ends=extents.ends,
        start=timeline.start,
        lag=timeline.lag,
        places=bound.sort.place_of(),
        successors=bound.sorts.successors,
        events=timeline.events,
        carried=timeline.carried,
        most=most,
        elsewhere=tuple(timed.elsewhere(name)),
        moved=bound.moved,
        open=bound.sorts.open,
        has_goal=timeline.has_goal,
    )


def _unbounded(unit: Unit, sorts: Sorts, seen: Sort | None, named: str | None) -> InputError:
    """Return the error that nothing bounds the time.

    `seen` is the likeliest sort of times, a set of arguments with the same values; if there is one,
    the error points to such a time. `named` is the constant of `--horizon-constant`.
    """
    if named is not None:
        known = named in unit.constants or named in unit.definitions
        why = "bounds no time" if known else "is not a constant of the program"
        return InputError(f"--horizon-constant {named}: {named} {why}")
    reason = "no choice and no rule leads from one time to the next"
    at = None
    if seen is not None:
        number, name = min(seen.variables, default=(-1, ""))
        if name:
            at = syntax.location(sorts.rules[number].statement)
            reason = f"{name} is a time here, but nothing gives the last one"
    return InputError(
        "no constant bounds the time; name it with --horizon-constant",
        at=at,
        hint=f"{reason}: asplan looks for a constant as in time(0..n), a fact, or a range",
    )
