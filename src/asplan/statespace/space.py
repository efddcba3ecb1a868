"""A program as a domain of its own, with the model that it is; and the program along a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from asplan.core.facts import Facts
from asplan.domains.base import Domain
from asplan.domains.heuristic import ZERO
from asplan.domains.model import Model
from asplan.problem import Problem
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.stepwise import check_names, times_of
from asplan.program.unit import Section
from asplan.statespace.evaluation import Evaluated
from asplan.statespace.heuristic import LAYERS
from asplan.statespace.invariants import TIME, at_time
from asplan.statespace.model import ProgramModel

_SPACES: WeakKeyDictionary[Problem, tuple[Domain, Model[Any, Any]]] = WeakKeyDictionary()
"""A space is explored by several, one after the other, and keeps what it has seen."""

_HOLDS = HELPER + "holds"


def state_space(
    problem: Problem, heed: Callable[[], None] = lambda: None
) -> tuple[Domain, Model[Any, Any]]:
    """The domain and the model whose states are searched: those of the program, if need be.

    `heed` is called for each initial state of a program; what it raises ends the search.
    Raises `InputError` where there is no model, and no program that is a transition system and
    names its actions.
    """
    if problem.model is not None and not problem.by_encoding:
        return problem.domain_and_model()
    if problem not in _SPACES:
        if not problem.nameless:
            check_names(problem.program)
        name = Path(problem.encoding).stem if problem.encoding else ""
        domain = Domain(name, frozenset(), _no_model, heuristics=(LAYERS, ZERO))
        model = ProgramModel(problem.program, problem.given, problem.all_states, heed)
        _SPACES[problem] = domain, model
    return _SPACES[problem]


def _no_model(facts: Facts, values: Mapping[str, str]) -> Model[Any, Any]:
    raise NotImplementedError("a program's model is made from its rules, not from facts")


def program_along(program: Program, evaluated: Evaluated, states: Sequence[bytes]) -> Program:
    """The same program with just those answer sets that go through some states of its own.

    A search finds a path, and not all that is shown along it. So clingo is given the states, at
    times 0, 1, …, as constraints of the part `check(t)`, and finds the rest at once.
    """
    times, facts, rules = times_of(program), list[str](), list[str]()
    columns = [int.from_bytes(state, "little") for state in states]
    for place, atom in enumerate(evaluated.atoms, 1):
        if (now := at_time(atom, times)) is not None:
            found = [str(t) for t, bits in enumerate(columns) if bits >> place & 1]
            facts.append(f"{_HOLDS}({place},({';'.join(found)}))." if found else "")
            rules.append(f":- {_HOLDS}({place},{TIME}), not {now}.")
            rules.append(f":- {now}, not {_HOLDS}({place},{TIME}).")
    base = Section("base", "", parse_text(f"#defined {_HOLDS}/2. {' '.join(facts)}")[1:])
    check = Section("check", TIME, parse_text(" ".join(rules))[1:])
    return replace(program, sections=(*program.sections, base, check))
