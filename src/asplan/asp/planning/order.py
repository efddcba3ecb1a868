"""Puts the actions of each step in an order in which they can be executed one after the other.

For programs that say `asplan(ordered)`. The program is run once more with as many steps as there
are actions: the actions of a step of the plan share a window of steps, and the solver puts each of
them at one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

from clingo import Function, Number

from asplan.asp.planning.plans import read_plan
from asplan.asp.planning.session import Session
from asplan.errors import InvalidPlan
from asplan.plan import Plan, Steps
from asplan.program.incremental import HELPER, Program, with_query
from asplan.program.occurs import Reading
from asplan.program.source import ground_term

SHARE, SLOT = HELPER + "share", HELPER + "slot"

_RULES = f"""
1 {{{{ {SLOT}(A,T) : T = First..Last }}}} 1 :- {SHARE}(A,First,Last).
:- {SLOT}(A,T), {SLOT}(B,T), A < B.
:- {SLOT}(A,T), not {{atom}}.
:- {{atom}}, not {SLOT}(A,T), 0 < T, T <= {{last}}.
"""


def in_order(
    program: Program,
    constants: Mapping[str, str],
    plan: Plan,
    reading: Reading,
    as_listed: bool = False,
) -> Plan:
    """The plan with the actions of each step in such an order.

    `as_listed` allows only the order in which they stand.

    Raises
    ------
    InvalidPlan
        There is none; the message names the first step whose actions have none.
    """
    program = with_query(program)
    run = _Serial(program, constants, reading, as_listed)
    if (steps := run.ordered(plan.steps, goal=True)) is not None:
        return replace(plan, steps=steps)
    for t in range(1, len(plan) + 1):
        if run.ordered(plan.steps[:t], goal=False) is None:
            together, order = ", ".join(plan.steps[t - 1]), "this" if as_listed else "any"
            raise InvalidPlan(
                f"step {t}: {together}: these cannot be executed one after the other in {order} "
                "order"
            )
    raise InvalidPlan("executed one after the other, the actions do not lead to the goal")


@dataclass(frozen=True)
class _Serial:
    """The program, to be run with one action a step."""

    program: Program
    constants: Mapping[str, str]
    reading: Reading
    as_listed: bool

    def ordered(self, steps: Steps, goal: bool) -> Steps | None:
        """The steps with their actions in order; None if there is none (that leads to the goal)."""
        ends = list(accumulate(max(1, len(step)) for step in steps))
        starts = [0, *ends[:-1]]
        last = ends[-1] if ends else 0
        session = Session(self.program, self.constants)
        session.ground_first()
        for t in range(1, last + 1):
            session.ground_step(t)
        self._share_out(session, steps, starts, last)
        if goal:
            session.demand(last)
        answer = session.solve(last)
        found = read_plan(answer.models[0], last, (self.reading,)) if answer.models else None
        if found is None:
            return None
        slots = [slot[0] if slot else None for slot in found.steps]
        return tuple(
            tuple(action for action in slots[start:end] if action is not None)
            for start, end in zip(starts, ends, strict=True)
        )

    def _share_out(self, session: Session, steps: Steps, starts: list[int], last: int) -> None:
        with session.control.backend() as backend:
            for start, step in zip(starts, steps, strict=True):
                for number, action in enumerate(step, start + 1):
                    first, end = start + 1, start + len(step)
                    window = (number, number) if self.as_listed else (first, end)
                    share = [ground_term(action, "action"), *map(Number, window)]
                    backend.add_rule([backend.add_atom(Function(SHARE, share))])
        rules = _RULES.format(atom=_atom(self.reading), last=last)
        session.control.add("asplan_order", [], rules)
        session.ground([("asplan_order", [])])


def _atom(reading: Reading) -> str:
    time = f"T-{reading.before}" if reading.before else "T"
    return f"occurs({time},A)" if reading.place == 0 else f"occurs(A,{time})"
