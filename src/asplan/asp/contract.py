"""What a program says about itself, by facts `asplan(…)` in its base part.

`monotone`
    Once the goal has held nothing more needs to happen, so horizon n is satisfiable if and only
    if the shortest plan has at most n steps.
`modes(M)`
    The file serves only the modes that are named so.
`refuses(Subject,"why, and what to use instead")`
    The encoding does not serve this instance; Subject is the fact at fault.
"""

from __future__ import annotations

from dataclasses import dataclass

from clingo import Function, Symbol

from asplan.asp.session import Session
from asplan.errors import InputError, UsageError
from asplan.facts import Facts

MODES = ("incremental", "fixed", "minimize")


@dataclass(frozen=True)
class Contract:
    """What the controller may rely on."""

    monotone: bool
    modes: frozenset[str]


def read_contract(session: Session, places: Facts | None, mode: str) -> Contract:
    """Read the facts of a grounded base part.

    Raises
    ------
    InputError
        The program refuses the instance.
    UsageError
        The program does not serve the mode.
    """
    claims = [fact.arguments[0] for fact in session.facts("asplan", 1)]
    for claim in claims:
        if claim.match("refuses", 2):
            _refuse(claim, places)
    named = {str(m) for claim in claims if claim.name == "modes" for m in claim.arguments}
    modes = frozenset(named or MODES)
    if mode not in modes:
        raise UsageError(
            f"the encoding does not serve the mode {mode}", mend=f"it serves {', '.join(modes)}"
        )
    return Contract(Function("monotone") in claims, modes)


def _refuse(claim: Symbol, places: Facts | None) -> None:
    subject, why = claim.arguments
    raise InputError(f"{subject}: {why.string}", at=places.at(subject) if places else None)
