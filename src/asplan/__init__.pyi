from .api.checking import find_warnings, validate
from .api.counting import analyse_plans
from .api.explaining import explain
from .api.exploring import analyse, convert, generate
from .api.listing import Plans, diverse_plans, plans
from .api.measuring import compare, compare_rules, profile
from .api.solving import solve
from .core.errors import (
    AsplanError,
    InputError,
    InputWarning,
    InvalidPlan,
    MissingExtra,
    UsageError,
)
from .core.limits import Limits, Stop
from .core.plan import Action, Plan
from .core.proof import Proof
from .domains.generator import Puzzle
from .drawing import render
from .engines.asp import AspOptions
from .engines.portfolio.options import AutoOptions
from .engines.sat import SatOptions
from .enumeration.summary import Braid, PlanSummary, Strand
from .explaining.explanation import Explanation
from .measuring.comparison import Row, Rows
from .measuring.matching import RuleComparison, RuleComparisons
from .measuring.profile import PredicateCost, Profile, RuleCost
from .problem.inputs import Inputs
from .puzzles import Generated, Made
from .result import (
    Diversity,
    Listing,
    Outcome,
    Result,
    Seconds,
    Statistics,
    StepStatistics,
    Trajectory,
)
from .statespace.analysis import Analysis
from .stored import from_json, to_json
from .version import __version__

__all__ = [
    "Action",
    "Analysis",
    "AspOptions",
    "AsplanError",
    "AutoOptions",
    "Braid",
    "Diversity",
    "Explanation",
    "Generated",
    "InputError",
    "InputWarning",
    "Inputs",
    "InvalidPlan",
    "Limits",
    "Listing",
    "Made",
    "MissingExtra",
    "Outcome",
    "Plan",
    "PlanSummary",
    "Plans",
    "PredicateCost",
    "Profile",
    "Proof",
    "Puzzle",
    "Result",
    "Row",
    "Rows",
    "RuleComparison",
    "RuleComparisons",
    "RuleCost",
    "SatOptions",
    "Seconds",
    "Statistics",
    "StepStatistics",
    "Stop",
    "Strand",
    "Trajectory",
    "UsageError",
    "__version__",
    "analyse",
    "analyse_plans",
    "compare",
    "compare_rules",
    "convert",
    "diverse_plans",
    "explain",
    "find_warnings",
    "from_json",
    "generate",
    "plans",
    "profile",
    "render",
    "solve",
    "to_json",
    "validate",
]
