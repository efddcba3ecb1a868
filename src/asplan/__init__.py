"""Planning with Answer Set Programming: shortest plans, proven, checked and shown.

>>> import asplan
>>> result = asplan.solve("two_cars.lp")
>>> result.outcome, result.horizon
(<Outcome.OPTIMAL: 'optimal'>, 6)
"""

__version__ = "0.1.0"

from asplan.api import compare, profile, solve, validate
from asplan.asp.costs import PredicateCost, Profile, RuleCost
from asplan.bench.comparison import Row
from asplan.errors import AsplanError, InputError, InvalidPlan, MissingExtra, UsageError
from asplan.render import render
from asplan.result import Outcome, Plan, Result, Seconds, Statistics, StepStatistics, Stop

__all__ = [
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
    "UsageError",
    "compare",
    "profile",
    "render",
    "solve",
    "validate",
]
