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
from asplan.pddl.task.facts import OPTIONAL, REQUIRED
from asplan.registry import function_at, items_at

_read = function_at("asplan.pddl.task.facts:read")
_meaning = function_at("asplan.pddl.task.model:TaskModel")
_to_plasp = function_at("asplan.pddl.task.facts:to_plasp")


def model(facts: Facts, constants: Mapping[str, str]) -> Any:
    """What the facts of a task mean; raises `InputError` where they make no sense."""
    return _meaning(_read(facts))


def default_encoding(model: Any) -> str:
    """Steps that can be executed in some order gave the fewest steps for the least time."""
    return "exists"


def _unread(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    yield InputError(f"{file}: facts of plasp are written, not read")


PLASP = Notation(
    about="the facts that plasp 3 makes of SAS, for encodings that were written for them",
    recognises=lambda line: False,
    read=_unread,
    write=lambda facts: str(_to_plasp(_read(facts))),
)

DOMAIN = Domain(
    name="pddl",
    signatures=REQUIRED,
    optional=OPTIONAL,
    model=model,
    default_encoding=default_encoding,
    heuristics=items_at("asplan.pddl.task.heuristics:HEURISTICS"),
    parallel=True,
    tidy=function_at("asplan.pddl.task.order:tidy"),
    notations={"plasp": PLASP},
)

__all__ = ["DOMAIN"]
