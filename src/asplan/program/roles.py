"""stub"""

from __future__ import annotations
from dataclasses import dataclass
from collections.abc import Mapping
from asplan.program.incremental import Program
from asplan.program.stepwise import times_of
from asplan.program.syntax import Signature
from asplan.core.errors import InputError


@dataclass(frozen=True)
class Roles:
    places: Mapping[Signature, int]
    actions: Mapping[Signature, int]
    fluents: frozenset[Signature]


def roles_of(program: Program) -> Roles:
    try:
        t = times_of(program)
    except InputError:
        return Roles({}, {}, frozenset())
    return Roles(t.places, {}, t.state)
