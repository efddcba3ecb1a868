"""The features of ASP and PDDL that asplan understands, and those that it refuses."""

from asplan.core.dataclass import dataclass

YES = "yes"
NO = "no"


@dataclass(frozen=True)
class Feature:
    """A feature of a language, and whether asplan understands it: `yes` or `no`.

    `about` has its form or its limits; for a refused feature, what to use instead.
    """

    language: str
    name: str
    understood: str
    about: str = ""


FEATURES = (
    Feature("ASP", "incremental programs", YES, "#program base, step(t) and check(t)"),
    Feature("ASP", "single-shot programs", YES, "time(0..n); asplan finds the horizon"),
    Feature("ASP", "telingo programs", YES, "initial, dynamic, final; &tel and &del"),
    Feature("ASP", "difference constraints", YES, "&diff, for clingo-dl"),
    Feature("ASP", "integer constraints", YES, "&sum and others, for clingcon"),
    Feature("ASP", "linear constraints", YES, "rational numbers, for clingo-lpx"),
    Feature("ASP", "objectives", YES, "the best plan among those with the fewest steps"),
    Feature("ASP", "#external", YES, "in programs with parts; not in single-shot programs"),
    Feature("ASP", "#include", YES, "below the folder of the file; else --allow-includes"),
    Feature("ASP", "#script with functions", YES, "with --allow-scripts"),
    Feature("ASP", "#script with main", NO, "asplan is the loop: leave main out"),
    Feature("PDDL", "types", YES, "also either, and constants"),
    Feature("PDDL", "equality", YES),
    Feature("PDDL", "conditions", YES, "and, or, not, imply, exists, forall"),
    Feature("PDDL", "conditional effects", YES, "when, and forall"),
    Feature("PDDL", "derived predicates", YES),
    Feature("PDDL", "action costs", YES, "minimize (total-cost)"),
    Feature("PDDL", "numbers", YES, "conditions and effects that are linear"),
    Feature("PDDL", "durative actions", YES, "conditions and effects at start, over all, at end"),
    Feature("PDDL", "timed initial literals", YES, "(at 5 (open shop))"),
    Feature(
        "PDDL", "constraints", YES, "always, sometime, at-most-once, sometime-after and -before"
    ),
    Feature("PDDL", "preferences", YES, "with is-violated in the metric"),
    Feature("PDDL", "constraints with times", NO, "within and others; planners: OPTIC, MIPS-XXL"),
    Feature("PDDL", "preferences over numbers", NO, "planners: OPTIC, MIPS-XXL"),
    Feature("PDDL", "continuous effects", NO, "planners: OPTIC, ENHSP"),
    Feature("PDDL", "products of numbers", NO, "if both change; planner: ENHSP"),
    Feature("PDDL", "processes and events", NO, "planner: ENHSP"),
    Feature("PDDL", "sensing actions", NO, "planner: PO-PRP"),
)
"""The features by language, those that asplan understands first."""
