"""PDDL tasks, as facts of a finite-domain task: what the encodings in encodings/pddl read.

`task` says what a finite-domain task is and names the predicates; `facts` writes and reads one, and
`model` is what it means. `relaxation` and `heuristics` estimate what is left to do. `order` says
which operators hinder each other, and puts parallel plans in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from asplan.core.errors import InputError
from asplan.core.registry import Later, LaterItems
from asplan.domains.base import Converted, Domain, Notation, Shape
from asplan.pddl.task.task import OPTIONAL, REQUIRED

if TYPE_CHECKING:
    from asplan.domains.heuristic import Heuristic


def _heuristics() -> Sequence[Heuristic]:
    from asplan.pddl.task.heuristics import HEURISTICS

    return HEURISTICS


def _tidy() -> Callable[..., Any]:
    from asplan.pddl.task.order import tidy

    return tidy


def _facts() -> Any:
    from asplan.pddl.task import facts

    return facts


def _unread(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    yield InputError(f"{file}: facts of plasp are written, not read")


DOMAIN = Domain(
    name="pddl",
    signatures=REQUIRED,
    optional=OPTIONAL,
    model=lambda facts, constants: _facts().model_of(facts),
    # Steps that can be executed in some order gave the fewest steps for the least time.
    default_encoding=lambda model: "exists",
    heuristics=LaterItems(_heuristics),
    parallel=True,
    tidy=Later(_tidy),
    notations={
        "plasp": Notation(
            about="the facts that plasp 3 makes of SAS, for encodings that were written for them",
            recognises=lambda line: False,
            read=_unread,
            write=lambda facts: _facts().to_plasp(_facts().read(facts)),
        )
    },
)
