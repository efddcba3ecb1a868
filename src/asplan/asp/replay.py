"""Checks a plan in a fresh clingo: the whole program once more, with the plan fixed.

This is how a plan is checked where no model in Python exists. It shares the encoding with the
engine, so it finds mistakes of the engine and of a stored plan, not of the encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clingo import Function, Number, Symbol, parse_term

from asplan.asp.program import load
from asplan.asp.program import plan as plan_part
from asplan.asp.session import Session
from asplan.errors import InvalidPlan
from asplan.result import Plan

Literals = list[tuple[Symbol, bool]]


def replay(
    files: Iterable[str],
    constants: Mapping[str, str],
    plan: Plan,
    allow_scripts: bool = False,
) -> int:
    """The first horizon at which the plan has reached the goal.

    For a program that is not monotone that is the plan's own length.

    Raises
    ------
    InvalidPlan
        No answer set contains just these actions, or none of them reaches the goal.
    """
    program = load(files, constants, allow_scripts)
    session = Session(program, constants)
    session.ground_base()
    for t in range(len(plan) + 1):
        session.ground_step(t)
    if program.plan_part:
        session.ground([plan_part(len(plan))])
    monotone = session.holds(Function("asplan", [Function("monotone")]))
    fixed = [_fix(session, t, step, program.time_of_occurs) for t, step in enumerate(plan, 1)]
    if session.solve(len(plan), assumptions=_flat(fixed)).satisfiable is False:
        raise _first_wrong(session, plan, fixed)
    for t in range(len(plan) + 1) if monotone else [len(plan)]:
        session.demand(t)
        if session.solve(t, assumptions=_flat(fixed)).satisfiable:
            return t
        session.drop(t)
    raise InvalidPlan(f"after step {len(plan)} the goal does not hold")


def _fix(session: Session, t: int, actions: Iterable[str], place: int) -> Literals:
    """The actions of step t are true, all others of that step false."""
    order = -1 if place == 0 else 1
    chosen = {Function("occurs", [parse_term(a), Number(t)][::order]) for a in actions}
    known = {
        atom.symbol
        for atom in session.control.symbolic_atoms.by_signature("occurs", 2)
        if atom.symbol.arguments[place] == Number(t)
    }
    for atom in sorted(chosen - known):
        action = atom.arguments[1 - place]
        raise InvalidPlan(f"step {t}: {action} is no action that the encoding knows there")
    return [(atom, atom in chosen) for atom in sorted(known)]


def _first_wrong(session: Session, plan: Plan, fixed: list[Literals]) -> InvalidPlan:
    """Name the first step after which no answer set is left."""
    for t, step in enumerate(plan, 1):
        if session.solve(t, assumptions=_flat(fixed[:t])).satisfiable is False:
            actions = ", ".join(step) or "no action"
            return InvalidPlan(f"step {t}: {actions} contradicts the encoding")
    return InvalidPlan("the plan contradicts the encoding")


def _flat(fixed: Iterable[Literals]) -> Literals:
    return [literal for step in fixed for literal in step]
