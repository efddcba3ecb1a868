"""Words that users choose from.

They have a module of their own, so that the command line can show and complete them without
importing clingo.
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
    """A mode of solving a program. A program may state that it supports only some modes."""

    INCREMENTAL = "incremental"
    FIXED = "fixed"
    MINIMIZE = "minimize"


STEPS = ("sequential", "forall", "exists", "relaxed", "rolled")
"""Kinds of steps, from one action a step to the most; `rolled` is for numeric tasks."""

LAYERS = "layers"
"""The name of a file beside encodings that omits unreachable atoms from early steps."""
