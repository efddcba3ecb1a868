"""The domain and the model of any problem, and a program restricted to a path of its states."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from asplan.core.budget import ENDLESS, Budget
from asplan.core.facts import Facts
from asplan.domains.base import Domain
from asplan.domains.heuristic import ZERO
from asplan.domains.model import DomainAction, DomainState, Model
from asplan.problem import Problem
from asplan.program.incremental import Program
from asplan.program.reading.unit import HELPER, Section
from asplan.program.transitions.retiming import as_transition_system
from asplan.program.transitions.stepwise import check_action_names, transition_times_of
from asplan.statespace.invariants import TIME, at_time
from asplan.statespace.layers import LAYERS
from asplan.statespace.model import ProgramModel, SuccessorGenerator

AnyModel = Model[DomainState, DomainAction]

_SPACES: WeakKeyDictionary[Problem, tuple[Domain, AnyModel]] = WeakKeyDictionary()
"""The domain and model of each program: searches share the successors that a model remembers."""

_HOLDS = HELPER + "holds"


def state_space(
    problem: Problem,
    budget: Budget = ENDLESS,
) -> tuple[Domain, AnyModel]:
    """Return the domain and the model of a problem; without a domain, make both from its program.

    The budget is checked for each initial state of a program.
    """
    if problem.model is not None and not problem.space.of_program:
        return problem.domain_and_model()
    if problem not in _SPACES:
        program = as_transition_system(problem.program).program
        if not problem.space.unnamed_actions:
            check_action_names(program)
        name = Path(problem.encoding).stem if problem.encoding else ""
        domain = Domain(name, frozenset(), _no_model, heuristics=(LAYERS, ZERO))
        model = ProgramModel(program, problem.user_constants, problem.space.all_states, budget)
        _SPACES[problem] = domain, model
    return _SPACES[problem]


def _no_model(
    facts: Facts,
    values: Mapping[str, str],
) -> AnyModel:
    raise NotImplementedError("a program's model is made from its rules, not from facts")


def program_along(
    program: Program,
    generator: SuccessorGenerator,
    states: Sequence[bytes],
) -> Program:
    """Return the program restricted to answer sets that pass through a sequence of states.

    The states are those of the `generator`; state t of the sequence is the state at time t.
    """
    times = transition_times_of(program)
    path = [int.from_bytes(state, "little") for state in states]
    facts: list[str] = []
    rules: list[str] = []
    for place, atom in enumerate(generator.atoms, 1):
        now = at_time(atom, times)
        if now is None:
            continue
        true_at = [str(t) for t, bits in enumerate(path) if bits >> place & 1]
        if true_at:
            facts.append(f"{_HOLDS}({place},({';'.join(true_at)})).")
        rules.append(f":- {_HOLDS}({place},{TIME}), not {now}.")
        rules.append(f":- {now}, not {_HOLDS}({place},{TIME}).")
    base = Section.of_text("base", "", f"#defined {_HOLDS}/2. {' '.join(facts)}")
    check = Section.of_text("check", TIME, " ".join(rules))
    return program.with_sections(base, check)
