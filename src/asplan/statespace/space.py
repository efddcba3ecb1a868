"""A program as a domain of its own, with the model that it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from asplan.domains.base import Domain
from asplan.domains.heuristic import ZERO
from asplan.domains.model import Model
from asplan.facts import Facts
from asplan.program.incremental import Program
from asplan.statespace.heuristic import LAYERS
from asplan.statespace.model import ProgramModel


def space_of(
    name: str,
    program: Program,
    constants: Mapping[str, str],
    all_states: bool,
    heed: Callable[[], None] = lambda: None,
) -> tuple[Domain, ProgramModel]:
    """The domain and the model of a program; `heed` is called for each initial state.

    Raises
    ------
    InputError
        The program is no transition system, or cannot be grounded.
    """

    def model(facts: Facts, values: Mapping[str, str]) -> Model[bytes, object]:
        raise NotImplementedError("a program's model is made from its rules, not from facts")

    domain = Domain(name, frozenset(), model, heuristics=(LAYERS, ZERO))
    return domain, ProgramModel(program, constants, all_states, heed)
