"""The kinds of problems that asplan takes, in terms of unified-planning's features."""

from unified_planning.model import ProblemKind

_VERSION = 2
"""Version of the features; unified-planning translates between versions."""

_FEATURES = """
    ACTION_BASED FLAT_TYPING HIERARCHICAL_TYPING NEGATIVE_CONDITIONS DISJUNCTIVE_CONDITIONS
    EQUALITIES EXISTENTIAL_CONDITIONS UNIVERSAL_CONDITIONS CONDITIONAL_EFFECTS FORALL_EFFECTS
    STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS FLUENTS_IN_BOOLEAN_ASSIGNMENTS PLAN_LENGTH MAKESPAN
    ACTIONS_COST INT_NUMBERS_IN_ACTIONS_COST REAL_NUMBERS_IN_ACTIONS_COST
    STATIC_FLUENTS_IN_ACTIONS_COST UNDEFINED_INITIAL_NUMERIC FINAL_VALUE
    SIMPLE_NUMERIC_PLANNING GENERAL_NUMERIC_PLANNING CONTINUOUS_NUMBERS DISCRETE_NUMBERS
    BOUNDED_TYPES INT_FLUENTS REAL_FLUENTS NUMERIC_FLUENTS INCREASE_EFFECTS DECREASE_EFFECTS
    STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS FLUENTS_IN_NUMERIC_ASSIGNMENTS
    CONTINUOUS_TIME TIMED_EFFECTS DURATION_INEQUALITIES STATIC_FLUENTS_IN_DURATIONS
    INT_TYPE_DURATIONS REAL_TYPE_DURATIONS
    STATE_INVARIANTS TRAJECTORY_CONSTRAINTS OVERSUBSCRIPTION INT_NUMBERS_IN_OVERSUBSCRIPTION
    REAL_NUMBERS_IN_OVERSUBSCRIPTION
    OBJECT_FLUENTS FLUENTS_IN_OBJECT_ASSIGNMENTS STATIC_FLUENTS_IN_OBJECT_ASSIGNMENTS
"""
FEATURES = tuple(_FEATURES.split())
"""Features that a problem may have, provided its numbers are linear.

An action whose cost is undefined does not apply.
"""

_TIME = frozenset(("CONTINUOUS_TIME", "DISCRETE_TIME"))

_NUMBERS = frozenset(
    ("INT_FLUENTS", "REAL_FLUENTS", "NUMERIC_FLUENTS", "STATIC_FLUENTS_IN_DURATIONS")
)

_DEMANDS = frozenset(("STATE_INVARIANTS", "TRAJECTORY_CONSTRAINTS", "OVERSUBSCRIPTION"))
"""Features that asplan takes in problems without numbers and time."""


def supported_kind() -> ProblemKind:
    """Return the kind of problems with all `FEATURES`."""
    return ProblemKind(FEATURES, version=_VERSION)


def has_time(kind: ProblemKind) -> bool:
    """Return whether actions have durations, or effects have times."""
    return not _TIME.isdisjoint(kind.features)


def has_numbers(kind: ProblemKind) -> bool:
    """Return whether there may be numeric fluents."""
    return not _NUMBERS.isdisjoint(kind.features)


def has_demands(kind: ProblemKind) -> bool:
    """Return whether there are constraints on the path of a plan, or goals to choose from."""
    return not _DEMANDS.isdisjoint(kind.features)


def find_refusal(kind: ProblemKind) -> str | None:
    """Return a message with the features that asplan does not take; None if it takes the kind."""
    known = supported_kind()
    if kind <= known:
        others = sorted(kind.features & (_TIME | _NUMBERS))
        demands = sorted(kind.features & _DEMANDS)
        if not others or not demands:
            return None
        return f"asplan does not take problems with {', '.join(demands)} beside {', '.join(others)}"
    unknown = [
        feature
        for feature in sorted(kind.features)
        if not ProblemKind({feature}, version=kind.version) <= known
    ]
    return f"asplan does not take problems with {', '.join(unknown)}"
