"""The functions `plans`, which finds one plan after the other, and `diverse_plans`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypedDict, Unpack

from asplan.api import File, Files
from asplan.api.solving import OptionValues, make_request
from asplan.core.errors import UsageError
from asplan.core.limits import hold_locks, keep_interrupts
from asplan.core.plan import Plan
from asplan.enumeration.diverse import DiverseFinder
from asplan.enumeration.listing import PlanLister
from asplan.enumeration.run import open_plans
from asplan.enumeration.wanted import Diverse, Wanted
from asplan.planner import Request, answer
from asplan.result import Listing, Outcome, Result


class ListingSettings(TypedDict, total=False):
    """The parameters that `plans` shares with `solve`.

    Parameters
    ----------
    text, encoding, steps, constants, metric, actions, horizon_constant
        The problem, as for `solve`.
    optimal
        `"cost"` to order the plans by their costs.
    max_horizon, min_horizon, time_limit
        The limits. If a limit ends the search, `listing.is_cut` is true.
    clingo
        Options for clingo.
    """

    text: str | None
    encoding: File | None
    steps: str | None
    constants: dict[str, object] | None
    metric: str | None
    actions: list[str]
    horizon_constant: str | None
    optimal: str | None
    max_horizon: int | None
    min_horizon: int
    time_limit: float | None
    clingo: list[str]


class Plans(Iterator[Plan]):
    """The plans of a problem, the best first; each is found and checked when it is needed.

    Attributes
    ----------
    result
        The result before the first plan. If there is no plan, its `reason` says why.
    """

    def __init__(self, lister: PlanLister | None, result: Result) -> None:
        self.result = result
        self._lister = lister
        self._plans = iter(lister or ())

    def __repr__(self) -> str:
        """Say how to read the plans; a notebook shows this line."""
        if self._lister is None:
            return f"Plans of {self.result.instance}: none, {self.result.reason}"
        return (
            f"Plans of {self.result.instance}, each found when it is needed: "
            "for plan in plans: print(plan)"
        )

    def __next__(self) -> Plan:
        """Return the next plan."""
        return next(self._plans).priced

    @property
    def listing(self) -> Listing:
        """The claims about the plans so far."""
        if self._lister is not None:
            return self._lister.listing
        is_refuted = self.result.outcome is Outcome.UNSOLVABLE
        return Listing(is_complete=is_refuted, is_exhausted=is_refuted)


@hold_locks()
def plans(
    *files: Files,
    number: int | None = None,
    quality: float | None = None,
    within: int | None = None,
    same: str = "order",
    minimal: bool = False,
    loopless: bool = False,
    engine: str = "asp",
    **settings: Unpack[ListingSettings],
) -> Plans:
    """Return an iterator over the plans of a problem, the best first.

    Plans are ordered by their steps, and then by their costs. Each is checked. Without a number and
    a bound, the iterator goes on until it is proven that no other plan exists.

    Parameters
    ----------
    files
        As for `solve`.
    number
        The most plans.
    quality, within
        The greatest length of a plan, as a factor of the least length, or as a difference to it.
    same
        The plans that count as the same; only the first of them is listed. `"order"`: plans with
        the same actions in the same order. `"set"`: plans with the same actions in any order.
        `"landmarks"`: plans that make each landmark true by the same actions.
    minimal, loopless
        Leave out plans from which actions can be removed, or which visit a state twice.
    engine
        `"asp"`, or an engine that searches states, such as `"bfs"`.
    settings
        The parameters of `ListingSettings`.

    Raises
    ------
    AsplanError
        For contradictory arguments, and for files that cannot be read or understood.

    Examples
    --------
    >>> import asplan
    >>> found = asplan.plans("two_cars.lp", within=1)
    >>> [len(plan) for plan in found], found.listing.is_complete
    ([6, 6, 6], True)
    """
    wanted = Wanted(number, quality, within, same, minimal, loopless)
    return Plans(*open_plans(_make_request("plans", files, engine, dict(settings)), wanted))


@keep_interrupts()
def diverse_plans(
    *files: Files,
    number: int = 5,
    distance: str | None = None,
    quality: float | None = None,
    within: int | None = None,
    compared: int | None = None,
    engine: str = "asp",
    **settings: Unpack[ListingSettings],
) -> Result:
    """Return plans of a problem that are far apart: their least distance is as large as possible.

    The first plan is a best plan. `result.diversity` has the distances and the claims.

    Parameters
    ----------
    files
        As for `solve`.
    number
        The number of plans, at least 2. The result has fewer if no others differ.
    distance
        `"actions"` or `"states"` for the Jaccard distance of the sets of actions, or of visited
        states; `"order"` for that of the sequences of actions by their longest common subsequence.
        None stands for `"order"` if all plans have the same actions, else for `"actions"`.
    quality, within
        The greatest length of a plan, as for `plans`. Without them and without `compared`, all
        plans are shortest ones.
    compared
        The most plans to choose from; by default 1000.
    engine, settings
        As for `plans`.

    Raises
    ------
    AsplanError
        For contradictory arguments, for files that cannot be read or understood, and for plans
        whose states are unknown if the distance needs them.

    Examples
    --------
    >>> import asplan
    >>> result = asplan.diverse_plans("wolf_goat_cabbage", number=2, distance="states")
    >>> round(result.diversity.minimum, 2), result.diversity.is_proven
    (0.44, True)
    """
    wanted = Wanted(compared, quality, within)
    wanted.check()
    diverse = Diverse(number, distance)
    diverse.check()
    request = _make_request("diverse_plans", files, engine, dict(settings))
    return answer(replace(request, finder=DiverseFinder(wanted, diverse)))


def _make_request(
    name: str, files: tuple[Files, ...], engine: str, settings: OptionValues
) -> Request:
    """Return the request of the function `name`; raise an error for a setting that it lacks.

    Also raise an error if `optimal` has another value than `"cost"`.
    """
    unknown = settings.keys() - ListingSettings.__annotations__.keys()
    if unknown:
        raise TypeError(f"{name}() got an unexpected keyword argument {min(unknown)!r}")
    if settings.get("optimal") not in (None, "cost"):
        raise UsageError("plans are ordered by steps, or with optimal='cost' by costs")
    return make_request(files, engine, settings)
