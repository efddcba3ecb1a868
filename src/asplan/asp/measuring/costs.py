"""What a profile says: the cost of each rule and predicate, and what helps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asplan.asp.measuring.growth import growth
from asplan.result import Stop
from asplan.shown import Shown

_AGAIN = (
    "Matched again at all earlier steps: let step(t) derive the next state under a name of its "
    "own, copy it in check(t), and ground the two in separate calls."
)
_JOIN = (
    "Matched at all earlier steps before clingo looks at t: put what the state is joined with "
    "into a predicate of its own that has no constant among its arguments; in a condition, take "
    "the time from a fact (now(T), T = t)."
)
_MORE = (
    "Each step makes more ground rules than the one before: does every literal name its time, "
    "and does every new value stay within the domain?"
)


@dataclass(frozen=True)
class RuleCost:
    """What one source rule costs.

    Attributes
    ----------
    instantiations
        How often clingo bound all variables of its body, or of a condition in it.
    different
        How many of these were not repetitions: an upper bound for its ground rules.
    share
        Part of the instantiations of the whole program, 0 to 1.
    growth
        Of the instantiations: `once` (base only), `constant`, `linear`, `worse`, or empty.
    per_step
        Instantiations at time 0 (base and check 0) and in step 1, 2, …
    advice
        What helps, where it grows; else empty.
    approximate
        Why the count is not exact; empty where it is.
    """

    file: str
    line: int
    column: int
    part: str
    rule: str
    instantiations: int
    different: int
    share: float
    growth: str
    per_step: tuple[int, ...]
    advice: str
    approximate: str

    @property
    def grows_alone(self) -> bool:
        """Whether its instantiations grow with the step though its ground rules do not."""
        return self.advice in (_AGAIN, _JOIN)


@dataclass(frozen=True)
class PredicateCost:
    """Atoms of one predicate in the ground program, and how many of them are facts."""

    predicate: str
    atoms: int
    facts: int


@dataclass(frozen=True)
class Profile(Shown):
    """The rules, the dearest first, and the predicates, the largest first.

    `horizon` is the last step that was grounded; `one_call` says whether step(t) and check(t)
    were grounded together. `reason` tells why the profile is incomplete; empty where it is not.
    """

    horizon: int = 0
    one_call: bool = False
    rules: tuple[RuleCost, ...] = ()
    predicates: tuple[PredicateCost, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    stopped: Stop | None = None


def growth_by_step(costs: Sequence[int]) -> str:
    """The growth after time 0; `once` where there is nothing after it."""
    steps = costs[1:]
    return growth(steps) if any(steps) else "once"


def find_advice(calls: str, different: str, again: bool) -> str:
    """What helps, from the growth of the instantiations and of the different ones among them.

    `again` says whether the rule feeds back into itself within a ground call.
    """
    if calls not in ("linear", "worse"):
        return ""
    if calls == different:
        return _MORE
    return _AGAIN if again else _JOIN
