"""The kinds of problems that asplan can solve, in terms of unified-planning's features."""

from unified_planning.model import ProblemKind

_VERSION = 2
"""The version of the feature names; unified-planning translates between versions."""

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
"""The features that a problem may have, provided that its numeric terms are linear.

An action whose cost is undefined is not applicable.
"""

_TIME = frozenset(("CONTINUOUS_TIME", "DISCRETE_TIME"))

_NUMBERS = frozenset(
    ("INT_FLUENTS", "REAL_FLUENTS", "NUMERIC_FLUENTS", "STATIC_FLUENTS_IN_DURATIONS")
)

_DEMANDS = frozenset(("STATE_INVARIANTS", "TRAJECTORY_CONSTRAINTS", "OVERSUBSCRIPTION"))
"""The features that asplan supports only in problems without numbers and time."""


def supported_kind() -> ProblemKind:
    """Return the kind of problems with all `FEATURES`."""
    return ProblemKind(FEATURES, version=_VERSION)


def has_time(kind: ProblemKind) -> bool:
    """Return whether problems of a kind have actions with durations, or effects at given times."""
    return not _TIME.isdisjoint(kind.features)


def has_numbers(kind: ProblemKind) -> bool:
    """Return whether problems of a kind may have numeric fluents."""
    return not _NUMBERS.isdisjoint(kind.features)


def has_demands(kind: ProblemKind) -> bool:
    """Return whether problems of a kind have trajectory constraints or soft goals."""
    return not _DEMANDS.isdisjoint(kind.features)


def find_refusal(kind: ProblemKind) -> str | None:
    """Return a message with the features that asplan does not support; None if it supports the
    kind.
    """
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
