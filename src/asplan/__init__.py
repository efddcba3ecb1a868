"""Planning with Answer Set Programming: shortest plans, proven, checked and shown.

>>> import asplan
>>> result = asplan.solve("two_cars.lp")
>>> result.outcome, result.horizon
(<Outcome.OPTIMAL: 'optimal'>, 6)

What is listed in `__all__` is public, and so is what `asplan.domains`, `asplan.domains.base` and
`asplan.domains.reading` offer to packages that bring a domain. All other modules may change.
"""

from asplan.api import analyse, compare, convert, from_json, profile, solve, to_json, validate
from asplan.asp.measuring.costs import PredicateCost, Profile, RuleCost
from asplan.bench.comparison import Row
from asplan.drawing import render
from asplan.errors import AsplanError, InputError, InvalidPlan, MissingExtra, UsageError
from asplan.plan import Plan
from asplan.result import (
    Outcome,
    Result,
    Seconds,
    Statistics,
    StepStatistics,
    Stop,
    Trajectory,
)
from asplan.search.analysis import Analysis
from asplan.version import __version__

__all__ = [
    "Analysis",
    "AsplanError",
    "InputError",
    "InvalidPlan",
    "MissingExtra",
    "Outcome",
    "Plan",
    "PredicateCost",
    "Profile",
    "Result",
    "Row",
    "RuleCost",
    "Seconds",
    "Statistics",
    "StepStatistics",
    "Stop",
    "Trajectory",
    "UsageError",
    "__version__",
    "analyse",
    "compare",
    "convert",
    "from_json",
    "profile",
    "render",
    "solve",
    "to_json",
    "validate",
]
