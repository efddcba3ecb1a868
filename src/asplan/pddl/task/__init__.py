"""PDDL tasks, as facts of a finite-domain task: what the encodings in encodings/pddl read.

`task` says what a finite-domain task is and `vocabulary` names the predicates; `facts` writes a
task, `reading` reads it, and `model` is what it means. `interference` and `order` say which
operators hinder each other, and what comes after what, and `tidy` puts parallel plans in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from asplan.domains.base import Converted, Domain, Notation, Shape
from asplan.errors import InputError
from asplan.facts import Facts
from asplan.pddl.task.task import OPTIONAL, REQUIRED
from asplan.registry import Later, LaterItems


def _heuristics() -> Any:
    from asplan.pddl.task.heuristics import HEURISTICS

    return HEURISTICS


def _tidy() -> Any:
    from asplan.pddl.task.order import tidy

    return tidy


def model(facts: Facts, constants: Mapping[str, str]) -> Any:
    """What the facts of a task mean; raises `InputError` where they make no sense."""
    from asplan.pddl.task.facts import read
    from asplan.pddl.task.model import TaskModel

    return TaskModel(read(facts))


def default_encoding(model: Any) -> str:
    """Steps that can be executed in some order gave the fewest steps for the least time."""
    return "exists"


def _unread(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    yield InputError(f"{file}: facts of plasp are written, not read")


def _to_plasp(facts: Facts) -> str:
    from asplan.pddl.task.facts import read, to_plasp

    return str(to_plasp(read(facts)))


PLASP = Notation(
    about="the facts that plasp 3 makes of SAS, for encodings that were written for them",
    recognises=lambda line: False,
    read=_unread,
    write=_to_plasp,
)

DOMAIN = Domain(
    name="pddl",
    signatures=REQUIRED,
    optional=OPTIONAL,
    model=model,
    default_encoding=default_encoding,
    heuristics=LaterItems(_heuristics),
    parallel=True,
    tidy=Later(_tidy),
    notations={"plasp": PLASP},
)

__all__ = ["DOMAIN"]
