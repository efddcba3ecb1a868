"""The encodings that can be explained, because they leave the search to the solver."""

from dataclasses import replace

from asplan import catalog
from asplan.core.errors import UsageError
from asplan.problem import Inputs, Problem, load
from asplan.program.reading.unit import read_unit


def refuse_frontier(problem: Problem) -> None:
    """Raise `UsageError` if the problem's encoding does its search during grounding.

    The encoding `frontier` does so.
    """
    if not problem.program.plan_part:
        return
    names = explainable(problem)
    raise UsageError(
        f"{problem.encoding} cannot be explained: clingo searches for the plan while it grounds",
        hint=f"use -e {' or '.join(names)}" if names else "name another encoding with -e",
    )


def load_explainable(inputs: Inputs) -> Problem:
    """Load a problem with an encoding that can be explained.

    If the inputs name an encoding, load it, even if it cannot be explained.
    """
    problem = load(inputs)
    if problem.has_durations:
        raise UsageError("asplan cannot explain tasks whose actions take time")
    if inputs.encoding is None and problem.program.plan_part:
        others = explainable(problem)
        if others:
            return load(replace(inputs, encoding=others[0]))
    return problem


def explainable(problem: Problem) -> list[str]:
    """Return the names of the domain's encodings that leave the search to the solver."""
    home = problem.domain.name if problem.domain else None
    others = [entry for entry in catalog.encodings() if entry.domain == home]
    return [entry.name for entry in others if "plan" not in read_unit(str(entry.path)).parts]
