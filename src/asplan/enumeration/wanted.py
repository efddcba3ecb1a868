"""A description of the plans that a caller wants: number, bound, and identity.

>>> Wanted(quality=1.2).bound(10), Wanted(within=3).bound(10), Wanted(number=5).bound(10)
(12, 13, None)
"""

from __future__ import annotations

from math import isfinite

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError

SAME = ("order", "set", "landmarks")
DISTANCES = ("actions", "states", "order")


@dataclass(frozen=True)
class Wanted:
    """A description of the plans that a caller wants.

    Attributes
    ----------
    number
        The most plans to list; None for all within the bound.
    quality
        The largest length (or cost) of a plan, as a multiple of the least one; at least 1.
    within
        The most steps (or cost) by which a plan may exceed the best one.
    same
        The plans that count as the same. `order`: plans with the same actions in the same order.
        `set`: plans with the same actions in any order. `landmarks`: plans that make each landmark
        true by the same actions.
    minimal
        True to leave out plans that remain plans after removing actions.
    loopless
        True to leave out plans that visit a state twice.
    """

    number: int | None = None
    quality: float | None = None
    within: int | None = None
    same: str = "order"
    minimal: bool = False
    loopless: bool = False

    def check(self) -> None:
        """Raise `UsageError` for values out of range, and for contradictions."""
        self._check_range()
        if self.quality is not None and self.within is not None:
            raise UsageError("--quality and --within are both bounds on the length: pass one")
        if self.same not in SAME:
            *others, last = SAME
            raise UsageError(f"--same {self.same}: pass {', '.join(others)} or {last}")

    def require_end(self) -> None:
        """Raise `UsageError` if neither a number nor a bound is given."""
        if not (self.number or self.has_bound):
            raise UsageError(
                "the number of plans to list is missing",
                hint="--plans N lists the N best, --within N all that are up to N steps longer",
            )

    def _check_range(self) -> None:
        """Raise `UsageError` if a number is out of range."""
        if self.number is not None and self.number < 1:
            hint = "--within 0 lists all shortest plans"
            raise UsageError(f"--plans {self.number}: pass a number of at least 1", hint=hint)
        if self.within is not None and self.within < 0:
            raise UsageError(f"--within {self.within}: pass a number of steps, at least 0")
        if self.quality is not None and not (isfinite(self.quality) and self.quality >= 1):
            hint = "1.2 lists all plans that are up to 20 % longer than a shortest one"
            raise UsageError(f"--quality {self.quality:g}: pass a factor of at least 1", hint=hint)

    @property
    def by_landmarks(self) -> bool:
        """True if plans that make each landmark true by the same actions count as the same."""
        return self.same == "landmarks"

    @property
    def has_bound(self) -> bool:
        """True if the length of plans is bounded."""
        return self.quality is not None or self.within is not None

    def bound(self, least: int) -> int | None:
        """Return the largest length (or cost) of a wanted plan, if the best plan has `least`.

        Return None if there is no bound.
        """
        if self.quality is not None:
            from fractions import Fraction  # help pages need no fractions

            return int(least * Fraction(str(self.quality)))
        if self.within is not None:
            return least + self.within
        return None


@dataclass(frozen=True)
class Diverse:
    """A description of diverse plans: their number, and the kind of distance between them.

    Attributes
    ----------
    number
        The number of plans, at least 2.
    distance
        `actions` or `states` for the Jaccard distance of the plans' sets of actions or of visited
        states; `order` for the distance of their sequences of actions. None stands for `order` if
        all plans have the same set of actions, else for `actions`.
    """

    number: int
    distance: str | None = None

    def check(self) -> None:
        """Raise `UsageError` for values out of range."""
        if self.number < 2:
            hint = "--diverse 5 chooses 5 plans; without it, asplan solve finds one plan"
            raise UsageError(f"--diverse {self.number}: pass a number of at least 2", hint=hint)
        if self.distance is not None and self.distance not in DISTANCES:
            *words, last = DISTANCES
            choices = f"{', '.join(words)} or {last}"
            raise UsageError(f"--distance {self.distance}: pass {choices}")
