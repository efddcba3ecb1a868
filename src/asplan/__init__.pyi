from .api.checking import validate
from .api.explaining import explain
from .api.exploring import analyse, convert
from .api.generating import generate
from .api.measuring import compare, profile
from .api.solving import solve
from .asp.measuring.costs import PredicateCost, Profile, RuleCost
from .bench.comparison import Row, Rows
from .domains.generator import Puzzle
from .drawing import render
from .errors import AsplanError, InputError, InvalidPlan, MissingExtra, UsageError
from .making.made import Generated, Made
from .plan import Plan
from .result import (
    Outcome,
    Result,
    Seconds,
    Statistics,
    StepStatistics,
    Stop,
    Trajectory,
)
from .search.analysis import Analysis
from .stored import from_json, to_json
from .version import __version__
from .why.explanation import Explanation

__all__ = [
    "Analysis",
    "AsplanError",
    "Explanation",
    "Generated",
    "InputError",
    "InvalidPlan",
    "Made",
    "MissingExtra",
    "Outcome",
    "Plan",
    "PredicateCost",
    "Profile",
    "Puzzle",
    "Result",
    "Row",
    "Rows",
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
    "explain",
    "from_json",
    "generate",
    "profile",
    "render",
    "solve",
    "to_json",
    "validate",
]
