"""PDDL tasks, as facts of a finite-domain task: what the encodings in encodings/pddl read.

`task` says what a finite-domain task is, `facts` writes one and `reading` reads it. `model` is what
it means; `interference` and `order` say which operators hinder each other, and what comes after
what, and `tidy` puts parallel plans in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from asplan.domains.base import Converted, Domain, Notation, Shape
from asplan.domains.pddl.facts import OPTIONAL, REQUIRED
from asplan.domains.pddl.heuristics import HEURISTICS
from asplan.domains.pddl.model import TaskModel
from asplan.domains.pddl.plasp import to_plasp
from asplan.domains.pddl.reading import read
from asplan.domains.pddl.task import Task
from asplan.domains.pddl.tidy import tidy
from asplan.errors import InputError
from asplan.facts import Facts


def model(facts: Facts, constants: Mapping[str, str]) -> TaskModel:
    """What the facts of a task mean; raises `InputError` where they make no sense."""
    return TaskModel(read(facts))


def default_encoding(model: Any) -> str:
    """Steps that can be executed in some order gave the fewest steps for the least time."""
    return "exists"


def _unread(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    yield InputError(f"{file}: facts of plasp are written, not read")


PLASP = Notation(
    about="the facts that plasp 3 makes of SAS, for encodings that were written for them",
    recognises=lambda line: False,
    read=_unread,
    write=lambda facts: to_plasp(read(facts)),
)

DOMAIN = Domain(
    name="pddl",
    signatures=REQUIRED,
    optional=OPTIONAL,
    model=model,
    default_encoding=default_encoding,
    heuristics=HEURISTICS,
    parallel=True,
    tidy=tidy,
    notations={"plasp": PLASP},
)

__all__ = ["DOMAIN", "Task", "TaskModel"]
