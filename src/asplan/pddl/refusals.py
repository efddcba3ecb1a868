"""What PDDL has beyond asplan, and which planners can do it."""

from __future__ import annotations

from asplan.errors import InputError
from asplan.pddl.text import Node, Word, wrong

TEMPORAL = "actions with a duration", "OPTIC and Temporal Fast Downward (TFD) can"
TIMED = "what happens at given times", "OPTIC and Temporal Fast Downward (TFD) can"
NUMERIC = "numbers beyond the costs of actions", "ENHSP and Metric-FF can"
HYBRID = "processes and events (PDDL+)", "ENHSP can"
TRAJECTORY = "constraints on the way to the goal (PDDL 3)", "OPTIC and MIPS-XXL can"
PREFERENCE = "preferences (PDDL 3)", "OPTIC and MIPS-XXL can"
FLUENTS = "functions whose values are objects", "unified-planning can turn them into predicates"
NONDETERMINISTIC = "effects that are left to chance", "PRP can (for oneof)"
PROBABILISTIC = "effects with probabilities", "mGPT and SSiPP can"
CONFORMANT = "an initial state that is not known in full", "Conformant-FF can"
HIERARCHICAL = "tasks and methods (HDDL)", "pandaPI can"

Refusal = tuple[str, str]

SECTIONS: dict[str, Refusal] = {
    ":durative-action": TEMPORAL,
    ":process": HYBRID,
    ":event": HYBRID,
    ":constraints": TRAJECTORY,
    ":task": HIERARCHICAL,
    ":tasks": HIERARCHICAL,
    ":method": HIERARCHICAL,
    ":htn": HIERARCHICAL,
}

CONDITIONS: dict[str, Refusal] = {
    **dict.fromkeys(("<", ">", "<=", ">=", "+", "-", "*", "/", "="), NUMERIC),
    **dict.fromkeys(
        ("always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before"),
        TRAJECTORY,
    ),
    **dict.fromkeys(("always-within", "hold-during", "hold-after"), TRAJECTORY),
    "preference": PREFERENCE,
}

EFFECTS: dict[str, Refusal] = {
    **dict.fromkeys(("assign", "decrease", "increase", "scale-up", "scale-down"), NUMERIC),
    "oneof": NONDETERMINISTIC,
    "probabilistic": PROBABILISTIC,
}

INITIAL: dict[str, Refusal] = {
    **dict.fromkeys(("or", "oneof", "unknown"), CONFORMANT),
    "probabilistic": PROBABILISTIC,
}


def refused(node: Node, refusal: Refusal) -> InputError:
    """The error at something that asplan does not plan with."""
    what, who = refusal
    name = node if isinstance(node, Word) else f"({node.items[0]} …)"
    return wrong(node, f"{name}: asplan does not plan with {what}", mend=who)
