"""Words that users choose from, apart from the modules that act on them.

The command line shows these words in its help and completes them without importing clingo.
"""

from enum import StrEnum


class Objective(StrEnum):
    """The measure by which plans are compared."""

    STEPS = "steps"
    ACTIONS = "actions"
    COST = "cost"
    METRIC = "metric"
    LAYERS = "layers"  # of a task with time


class Mode(StrEnum):
    """A mode in which a program is solved; it may claim that it serves only some of them."""

    INCREMENTAL = "incremental"
    FIXED = "fixed"
    MINIMIZE = "minimize"


STEPS = ("sequential", "forall", "exists", "relaxed", "rolled")
"""Kinds of steps, from one action a step to the most; `rolled` is for numeric tasks."""

LAYERS = "layers"
"""The name of a file beside encodings that omits unreachable atoms from early steps."""
