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

from dataclasses import dataclass, replace

from clingo import Function, Symbol, SymbolType

from asplan.asp.session import Session
from asplan.errors import InputError, UsageError
from asplan.facts import Facts
from asplan.limits import Limits

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


def loop_limits(session: Session, limits: Limits) -> Limits:
    """The limits with what the constants of clingo's own loop say.

    That loop stops at the first plan once it has tried `imin` horizons, and tries `imax` of them,
    0 being the first. Limits that were set win.

    Raises
    ------
    UsageError
        A constant asks for what asplan does not do.
    """
    stop = session.control.get_const("istop")
    if stop is not None and str(stop).strip('"') != "SAT":
        raise UsageError(
            f"istop={stop} asks the loop to go on after a plan",
            mend="asplan stops at a plan; --min-horizon N says where to begin",
        )
    least, most = _count(session, "imin"), _count(session, "imax")
    if least and not limits.min_horizon:
        limits = replace(limits, min_horizon=least - 1)
    if most is not None and limits.max_horizon is None:
        limits = replace(limits, max_horizon=most - 1)
    return limits


def _count(session: Session, name: str) -> int | None:
    value = session.control.get_const(name)
    if value is None:
        return None
    if value.type != SymbolType.Number or value.number < 0:
        raise UsageError(f"{name}={value} is no number of horizons")
    return value.number
