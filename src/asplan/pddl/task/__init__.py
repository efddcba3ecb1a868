"""PDDL tasks, as facts of a finite-domain task: what the encodings in encodings/pddl read.

`task` says what a finite-domain task is and names the predicates; `facts` writes and reads one, and
`model` is what it means. `relaxation` and `heuristics` estimate what is left to do. `order` says
which operators hinder each other, and puts parallel plans in order. `states` is what the searches
have in common that go on compiled: `finder` with `kernel`, and `cheapest` with `landmark_cut`.
`improving` and `windows` make plans cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from asplan.core.errors import InputError
from asplan.core.registry import Later, LaterItems
from asplan.domains.base import Domain, Notation

if TYPE_CHECKING:
    from asplan.domains.heuristic import Heuristic


def _signatures(words: str) -> frozenset[tuple[str, int]]:
    pairs = (word.split("/") for word in words.split())
    return frozenset((name, int(arity)) for name, arity in pairs)


REQUIRED = _signatures("variable/1 value/2 initially/2 operator/2")
OPTIONAL = _signatures("""
    goal/2 cost/2 costs/0 precondition/3 effect/3 effect/4 when/3 derived/2 rule/3 body/3 mutex/3
    circles/0 circle/2 earliest/3 next/4 last/3 seen/4 static/1 object/2 monitor/1
""")
"""The predicates that all instances have, and those that some have: what encodings read."""


def _heuristics() -> Sequence[Heuristic]:
    from asplan.pddl.task.heuristics import HEURISTICS

    return HEURISTICS


def _tidy() -> Callable[..., Any]:
    from asplan.pddl.task.order import tidy

    return tidy


def _finder() -> Callable[..., Any]:
    from asplan.pddl.task.finder import find_any_plan

    return find_any_plan


def _improver() -> Callable[..., Any]:
    from asplan.pddl.task.improving import improve

    return improve


def _prover() -> Callable[..., Any]:
    from asplan.pddl.task.cheapest import find_cheapest

    return find_cheapest


def _facts() -> Any:
    from asplan.pddl.task import facts

    return facts


DOMAIN = Domain(
    name="pddl",
    signatures=REQUIRED,
    optional=OPTIONAL,
    model=lambda facts, constants: _facts().model_of(facts),
    # Steps that can be executed in some order gave the fewest steps for the least time.
    default_encoding=lambda model: "exists",
    heuristics=LaterItems(_heuristics),
    finder=Later(_finder),
    improver=Later(_improver),
    prover=Later(_prover),
    parallel=True,
    whole_plans=True,
    tidy=Later(_tidy),
    operators=frozenset([("", "happens", 2)]),
    notations={
        "plasp": Notation(
            about="the facts that plasp 3 makes of SAS, for encodings that were written for them",
            recognises=lambda line: False,
            read=lambda lines, file, shape: iter(
                [InputError(f"{file}: facts of plasp are written, not read")]
            ),
            write=lambda facts: _facts().to_plasp(_facts().read(facts)),
        )
    },
)
