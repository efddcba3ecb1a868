"""Which problems of unified-planning asplan takes, and what stands against the others."""

from __future__ import annotations

from unified_planning.model import ProblemKind

_VERSION = 2
"""That of the features below; unified-planning translates between versions."""

FEATURES = (
    "ACTION_BASED",
    "FLAT_TYPING",
    "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS",
    "DISJUNCTIVE_CONDITIONS",
    "EQUALITIES",
    "EXISTENTIAL_CONDITIONS",
    "UNIVERSAL_CONDITIONS",
    "CONDITIONAL_EFFECTS",
    "FORALL_EFFECTS",
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "PLAN_LENGTH",
    "MAKESPAN",
    "ACTIONS_COST",
    "INT_NUMBERS_IN_ACTIONS_COST",
    "REAL_NUMBERS_IN_ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    # Where a cost has no value, its action does not apply; no other number is taken.
    "UNDEFINED_INITIAL_NUMERIC",
)
"""What a problem may have."""

_COMPILED = {
    "OBJECT_FLUENTS": "USERTYPE_FLUENTS_REMOVING",
    "FLUENTS_IN_OBJECT_ASSIGNMENTS": "USERTYPE_FLUENTS_REMOVING",
    "STATIC_FLUENTS_IN_OBJECT_ASSIGNMENTS": "USERTYPE_FLUENTS_REMOVING",
    "STATE_INVARIANTS": "STATE_INVARIANTS_REMOVING",
    "TRAJECTORY_CONSTRAINTS": "TRAJECTORY_CONSTRAINTS_REMOVING",
}
"""The compilation of unified-planning that takes a feature away."""


def supported_kind() -> ProblemKind:
    """The kind of all problems that asplan takes."""
    return ProblemKind(FEATURES, version=_VERSION)


def refusal(kind: ProblemKind) -> str | None:
    """Why asplan does not take a kind of problem, and what would help; None if it takes it."""
    if kind <= supported_kind():
        return None
    known, version = supported_kind(), kind.version
    wrong = [f for f in sorted(kind.features) if not ProblemKind({f}, version=version) <= known]
    said = f"asplan does not take problems with {', '.join(wrong)}"
    helping = list(dict.fromkeys(_COMPILED[f] for f in wrong if f in _COMPILED))
    if helping and all(f in _COMPILED for f in wrong):
        kinds = ", ".join(f"CompilationKind.{name}" for name in helping)
        said += f"; a Compiler of unified-planning takes that away: {kinds}"
    return said
