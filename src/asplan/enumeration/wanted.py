"""The plans that a caller wants: how many, how good, and when two are the same.

>>> Wanted(quality=1.2).bound(10), Wanted(within=3).bound(10), Wanted(number=5).bound(10)
(12, 13, None)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from asplan.core.errors import UsageError

SAME = ("order", "set")
DISTANCES = ("actions", "states", "order")


@dataclass(frozen=True)
class Wanted:
    """The plans that a caller wants.

    Attributes
    ----------
    number
        The most plans to list; None for all within the bound.
    quality
        The largest length of a plan as a multiple of the least one, at least 1.
    within
        The most steps by which a plan may be longer than a shortest one.
    same
        `order` if plans are the same with equal actions in the same order, `set` if with equal
        actions in any order.
    minimal
        True to leave out plans from which actions can be removed.
    loopless
        True to leave out plans that visit a state twice.
    diverse
        The number of plans to choose so that they differ most; None to choose none.
    distance
        The measure of difference: `actions`, `states` or `order`.
    """

    number: int | None = None
    quality: float | None = None
    within: int | None = None
    same: str = "order"
    minimal: bool = False
    loopless: bool = False
    diverse: int | None = None
    distance: str = "actions"

    def check(self) -> None:
        """Raise `UsageError` for values out of range, and for contradictions."""
        self._check_range()
        if self.quality is not None and self.within is not None:
            raise UsageError("--quality and --within are both bounds on the length: pass one")
        if self.number is not None and self.diverse is not None:
            raise UsageError("--plans lists the best plans and --diverse plans that differ")
        for name, value, choices in (
            ("same", self.same, SAME),
            ("distance", self.distance, DISTANCES),
        ):
            if value not in choices:
                raise UsageError(f"--{name} {value}: pass {' or '.join(choices)}")

    def require_end(self) -> None:
        """Raise `UsageError` if neither a number nor a bound is given."""
        if not (self.number or self.diverse or self.has_bound):
            raise UsageError(
                "nothing says how many plans to list",
                hint="--plans N lists the N best, --within N all that are up to N steps longer",
            )

    def _check_range(self) -> None:
        """Raise `UsageError` if a number is out of range."""
        if self.number is not None and self.number < 1:
            hint = "--within 0 lists all shortest plans"
            raise UsageError(f"--plans {self.number}: pass a number from 1", hint=hint)
        if self.diverse is not None and self.diverse < 2:
            raise UsageError(f"--diverse {self.diverse}: pass a number from 2")
        if self.within is not None and self.within < 0:
            raise UsageError(f"--within {self.within}: pass a number of steps from 0")
        if self.quality is not None and not (isfinite(self.quality) and self.quality >= 1):
            hint = "1.2 lists all plans that are up to 20 % longer than a shortest one"
            raise UsageError(f"--quality {self.quality:g}: pass a factor from 1", hint=hint)

    @property
    def has_bound(self) -> bool:
        """True if the length of plans is bounded."""
        return self.quality is not None or self.within is not None

    def bound(self, least: int) -> int | None:
        """Return the largest length (or cost) of a plan if the best has `least`; None if any."""
        if self.quality is not None:
            from fractions import Fraction  # help pages need none

            return int(least * Fraction(str(self.quality)))
        if self.within is not None:
            return least + self.within
        return None if self.diverse is None else least
