"""A program as a domain of its own, with the model that it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from asplan.domains.base import Domain
from asplan.domains.heuristic import ZERO
from asplan.domains.model import Model
from asplan.facts import Facts
from asplan.problem import Problem
from asplan.program.incremental import Program
from asplan.program.stepwise import check_names
from asplan.statespace.heuristic import LAYERS
from asplan.statespace.model import ProgramModel

_SPACES: WeakKeyDictionary[Problem, tuple[Domain, Model[Any, Any]]] = WeakKeyDictionary()
"""A space is explored by several, one after the other, and keeps what it has seen."""


def state_space(
    problem: Problem, heed: Callable[[], None] = lambda: None
) -> tuple[Domain, Model[Any, Any]]:
    """The domain and the model whose states are searched: those of the program, if need be.

    `heed` is called for each initial state of a program; what it raises ends the search.

    Raises
    ------
    InputError
        There is no model, and no program that is a transition system and names its actions.
    """
    if problem.model is not None and not problem.by_encoding:
        return problem.modelled()
    if problem not in _SPACES:
        if not problem.nameless:
            check_names(problem.program)
        name = Path(problem.encoding).stem if problem.encoding else ""
        _SPACES[problem] = space_of(name, problem.program, problem.given, problem.all_states, heed)
    return _SPACES[problem]


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
