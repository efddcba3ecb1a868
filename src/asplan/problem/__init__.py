"""From what a caller names to a problem: the front ends, one module each.

`problem` says what is known once all is read. `lp` reads ASP, and `notation` the notations of
others, which become facts; more front ends register in the group `asplan.front_ends`.
"""

from dataclasses import replace
from typing import Protocol

from asplan.core.errors import UsageError
from asplan.core.interrupts import holds_locks
from asplan.core.registry import entries
from asplan.problem import lp
from asplan.problem.problem import Inputs, Problem, with_variant


class FrontEnd(Protocol):
    def load(self, inputs: Inputs, needs_model: bool) -> Problem | None:
        """The problem, as `load` of this package makes it; None for files of another kind."""

    def load_source(self, inputs: Inputs) -> Problem | None:
        """The problem as its source says it, if that is the source of a translation."""


def _front_ends() -> list[FrontEnd]:
    return [entry.load() for entry in entries("asplan.front_ends").values()]


@holds_locks
def load(inputs: Inputs, needs_model: bool = False) -> Problem:
    """Read what a caller names; `needs_model` is that no encoding is wanted."""
    inputs = with_variant(inputs)
    loaders = (*(front_end.load for front_end in _front_ends()), lp.load)
    problem = next(filter(None, (load_with(inputs, needs_model) for load_with in loaders)))
    if inputs.actions:
        if problem.encoding is None:
            what = f"--action {inputs.actions[0]}: no program is named, only an instance"
            raise UsageError(what, hint="name an encoding with -e")
        problem = replace(problem, actions=inputs.actions)
        problem.program  # noqa: B018  what is wrong with it is said now
    return problem


@holds_locks
def load_space(inputs: Inputs) -> Problem:
    """The same, so that states can be searched: the model's, or of the encoding that is named."""
    if inputs.encoding is None:
        problem = load(inputs, needs_model=True)
        if problem.model is not None or problem.is_whole:
            return replace(problem, all_states=inputs.all_states)
    return replace(load(inputs), by_encoding=True, all_states=inputs.all_states)


@holds_locks
def load_source(inputs: Inputs) -> Problem | None:
    """The problem as its source says it, to check plans; None where that is facts anyway."""
    for front_end in _front_ends():
        if problem := front_end.load_source(inputs):
            return problem
    return None


__all__ = ["Inputs", "Problem", "load", "load_source", "load_space"]
