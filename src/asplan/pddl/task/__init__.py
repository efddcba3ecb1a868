"""The domain of finite-domain tasks, whose facts the encodings in encodings/pddl read.

`task` defines finite-domain tasks. `facts`, `reader` and `plasp` convert them to facts and back.
`model` executes them, with `matching` for applicable operators. `relaxation` and `heuristics`
estimate distances to the goal. `order` and `interference` order the operators of parallel plans.
The searches `finder` (with `kernel` and `landmarks`) and `cheapest` (with `landmark_cut`)
work on the flat lists of `states`, which numba can compile. `downward` (with `sas`) runs Fast
Downward's search. `improving` and `windows` make plans
cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from asplan.core.errors import InputError
from asplan.core.registry import Later, LaterItems
from asplan.domains.base import Domain, Notation

if TYPE_CHECKING:
    from asplan.core.facts import Facts
    from asplan.domains.heuristic import Heuristic
    from asplan.pddl.task.model import TaskModel


def _signatures(words: str) -> frozenset[tuple[str, int]]:
    pairs = (word.split("/") for word in words.split())
    return frozenset((name, int(arity)) for name, arity in pairs)


REQUIRED = _signatures("variable/1 value/2 initially/2 operator/2")
OPTIONAL = _signatures("""
    goal/2 cost/2 costs/0 precondition/3 effect/3 effect/4 when/3 derived/2 rule/3 body/3 mutex/3
    cycles/0 cycle/2 circles/0 circle/2 earliest/3 next/4 last/3 seen/4
    static/1 object/2 monitor/1
""")
"""The predicates that all instances have (`REQUIRED`), and those that only some have."""


# These functions import late, since most commands need few of the modules.


def _heuristics() -> Sequence[Heuristic]:
    from asplan.pddl.task.heuristics import HEURISTICS

    return HEURISTICS


def _tidy() -> Callable[..., Any]:  # Any: `Later` does not check arguments
    from asplan.pddl.task.order import tidy

    return tidy


def _finder() -> Callable[..., Any]:  # Any: `Later` does not check arguments
    from asplan.pddl.task.finder import find_plan

    return find_plan


def _program() -> Callable[..., Any]:  # Any: `Later` does not check arguments
    from asplan.pddl.task.downward import installed_program

    return installed_program


def _improver() -> Callable[..., Any]:  # Any: `Later` does not check arguments
    from asplan.pddl.task.improving import improve

    return improve


def _prover() -> Callable[..., Any]:  # Any: `Later` does not check arguments
    from asplan.pddl.task.cheapest import find_cheapest

    return find_cheapest


def _model_of(facts: Facts) -> TaskModel:
    from asplan.pddl.task.reader import model_of

    return model_of(facts)


def _to_plasp(facts: Facts) -> str:
    from asplan.pddl.task.plasp import to_plasp
    from asplan.pddl.task.reader import read

    return to_plasp(read(facts))


DOMAIN = Domain(
    name="pddl",
    signatures=REQUIRED,
    optional=OPTIONAL,
    model=lambda facts, constants: _model_of(facts),
    # Exists-step plans needed the fewest steps and the least time.
    default_encoding=lambda model: "exists",
    heuristics=LaterItems(_heuristics),
    finder=Later(_finder),
    finding_program=Later(_program),
    improver=Later(_improver),
    prover=Later(_prover),
    parallel=True,
    whole_plans=True,
    tidy=Later(_tidy),
    operators=frozenset([("", "happens", 2)]),
    notations={
        "plasp": Notation(
            about="the facts of plasp 3, for encodings that read these",
            recognises=lambda line: False,
            read=lambda lines, file, shape: iter(
                [InputError(f"{file}: asplan writes facts of plasp, but does not read them")]
            ),
            write=lambda facts: _to_plasp(facts),
        )
    },
)
