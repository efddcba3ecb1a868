"""Sentences about the lengths and values of plans, in the units of a problem.

>>> PlanClaims().shortest(3)
'shortest: 2 steps refuted, 3 found'
>>> PlanClaims().value("cost", 7, horizon=3, is_least=True)
'cost 7, the least of 3 steps'
>>> from fractions import Fraction
>>> MetricClaims("metric", Fraction(-1, 2), Fraction(10)).value("metric", 3, 3, False, 1)
'metric 8.5, with at most 9.5 possible of 3 steps'
>>> TemporalClaims(Fraction(1, 1000)).value("makespan", 6003, 8, False)
'makespan 6.003, smaller ones possible with 8 layers'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asplan.core.dataclass import dataclass
from asplan.core.text import amount, decimal_text

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.program.times.horizon import Horizon


@dataclass(frozen=True)
class PlanClaims:
    """The claims about plans that consist of steps, such as "shortest: 2 steps refuted, …"."""

    def shortest(self, length: int) -> str:
        """Return the claim that a plan of `length` steps is shortest."""
        if length == 0:
            return "the goal holds at the start"
        return f"shortest: {amount(length - 1, 'step')} refuted, {length} found"

    def value(
        self,
        variable: str,
        value: int,
        horizon: int,
        is_least: bool,
        bound: int | None = None,
    ) -> str:
        """Return the claim about the value of the optimized variable in plans of a horizon.

        `is_least` is set if no plan of the horizon has a better value. Otherwise `bound` is the
        best value that is still possible; None if it is unknown.
        """
        downwards = self._is_minimized(variable)
        best = "least" if downwards else "most"
        if is_least:
            among = f"the {best}"
        elif bound is None:
            among = f"{'smaller' if downwards else 'greater'} ones possible"
        else:
            among = f"with at {best} {self._write_value(variable, bound)} possible"
        return f"{variable} {self._write_value(variable, value)}, {among} {self._scope(horizon)}"

    def _write_value(self, variable: str, value: int) -> str:
        """Return a value of a variable as its author counts it."""
        return str(value)

    def _is_minimized(self, variable: str) -> bool:
        """Return whether the author wants small values of a variable."""
        return True

    def _scope(self, horizon: int) -> str:
        """Return words for the plans of a horizon."""
        return f"of {amount(horizon, 'step')}"


@dataclass(frozen=True)
class SingleShotClaims(PlanClaims):
    """The claims about plans of a program without parts, in terms of its author's time bound."""

    bound: Horizon

    def shortest(self, length: int) -> str:
        """Return the claim that a plan is shortest, in terms of the author's constant."""
        bound = self.bound
        if length == 0 or bound.is_own:
            return super().shortest(length)
        name = bound.constant
        value = bound.value(length)
        if length == bound.least:
            return f"shortest: {name}={value} found, and that is the first"
        return f"shortest: {name}={value - 1} refuted, {name}={value} found"


@dataclass(frozen=True)
class TemporalClaims(PlanClaims):
    """The claims about temporal plans, whose steps are called layers.

    Times are written as multiples of `unit`.
    """

    unit: Fraction

    def shortest(self, length: int) -> str:
        """Return the claim that no plan has fewer than `length` layers."""
        if length == 0:
            return super().shortest(length)
        return f"fewest layers: {length - 1} refuted, {length} found"

    def _write_value(self, variable: str, value: int) -> str:
        return decimal_text(value * self.unit)

    def _scope(self, horizon: int) -> str:
        return f"with {amount(horizon, 'layer')}"


@dataclass(frozen=True)
class MetricClaims(PlanClaims):
    """The claims about a metric, which is `factor` times the solver's value plus `constant`."""

    metric: str
    """The variable that stands for the metric."""
    factor: Fraction
    constant: Fraction

    def _write_value(self, variable: str, value: int) -> str:
        if variable != self.metric:
            return str(value)
        return decimal_text(value * self.factor + self.constant)

    def _is_minimized(self, variable: str) -> bool:
        return variable != self.metric or self.factor > 0
