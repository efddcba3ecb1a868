"""The order of the actions within a step, for programs with the fact `asplan(ordered)`.

A step of such a plan may have several actions, to be executed one after the other. To find an
order, the program is solved once more with one step for each action. The n actions of a plan's step
share a window of n consecutive steps, and the solver puts each of them at one of these steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from asplan.clingo import Function, Number
from asplan.core.errors import InvalidPlan
from asplan.core.plan import Plan, Steps
from asplan.engines.asp.answer import read_plan
from asplan.engines.asp.opening import make_solver
from asplan.engines.asp.solver import ClingoSolver
from asplan.program.incremental import Program, Reading, with_query
from asplan.program.reading.source import ground_term
from asplan.program.reading.unit import HELPER

_WINDOW = HELPER + "window"
_SLOT = HELPER + "slot"
_HAPPENS = HELPER + "happens"

_RULES = f"""
1 {{{{ {_SLOT}(A,T) : T = First..Last }}}} 1 :- {_WINDOW}(A,First,Last).
:- {_SLOT}(A,T), {_SLOT}(B,T), A < B.
:- {_SLOT}(A,T), not {_HAPPENS}(A,T).
:- {_HAPPENS}(A,T), not {_SLOT}(A,T), 0 < T, T <= {{last}}.
"""


def order_actions(
    program: Program,
    constants: Mapping[str, str],
    plan: Plan,
    reading: Reading,
    as_listed: bool = False,
) -> Plan:
    """Return the plan with the actions of each step in an executable order.

    Parameters
    ----------
    program
        The program of the plan.
    constants
        The values of its constants.
    plan
        The plan to order.
    reading
        The reading of the program's action atoms, as actions at steps.
    as_listed
        True to keep the order in which the plan lists the actions, and only check it.

    Raises
    ------
    InvalidPlan
        If no order is executable and leads to the goal.
    """
    order = partial(_order, with_query(program), constants, reading, as_listed)
    steps = order(plan.steps, goal=True)
    if steps is not None:
        return replace(plan, steps=steps)
    for t in range(1, len(plan) + 1):
        if order(plan.steps[:t], goal=False) is None:
            actions = ", ".join(plan.steps[t - 1])
            which = "this" if as_listed else "any"
            raise InvalidPlan(
                f"step {t}: {actions}: these cannot be executed one after the other in {which} "
                "order"
            )
    raise InvalidPlan("executed one after the other, the actions do not lead to the goal")


def _order(
    program: Program,
    constants: Mapping[str, str],
    reading: Reading,
    as_listed: bool,
    steps: Steps,
    goal: bool,
) -> Steps | None:
    """Return the steps, with the actions of each step in an executable order.

    If `goal` is set, the steps must also reach the goal. Return None if there is no such order.
    """
    last = sum(map(_width, steps))
    solver = make_solver(program, constants)
    solver.ground_first()
    solver.ground_to(last)
    _add_windows(solver, _windows(steps, as_listed))
    solver.control.add("asplan_order", [], _rules(reading, last))
    solver.ground([("asplan_order", [])])
    if goal:
        solver.demand(last)
    answer = solver.search(last)
    ordered = read_plan(answer.models[0], last, (reading,)) if answer.models else None
    return None if ordered is None else tuple(_regroup(ordered.steps, steps))


class _Window(NamedTuple):
    """An action, and the first and last single-action step at which it may happen."""

    action: str
    first: int
    last: int


def _width(step: Sequence[str]) -> int:
    """Return the number of single-action steps that a step needs; an empty step needs one."""
    return max(1, len(step))


def _windows(steps: Steps, as_listed: bool) -> Iterator[_Window]:
    """Yield the window of each action, in single-action steps.

    A step of the plan with k actions becomes k single-action steps. An action may happen at each of
    these k steps; if `as_listed`, the i-th action only at the i-th of them.
    """
    start = 0
    for step in steps:
        for number, action in enumerate(step, start + 1):
            if as_listed:
                yield _Window(action, number, number)
            else:
                yield _Window(action, start + 1, start + len(step))
        start += _width(step)


def _add_windows(solver: ClingoSolver, windows: Iterator[_Window]) -> None:
    """Add the windows to the program, as facts."""
    with solver.control.backend() as backend:
        for action, first, last in windows:
            terms = [ground_term(action, "action"), Number(first), Number(last)]
            backend.add_rule([backend.add_atom(Function(_WINDOW, terms))])


def _rules(reading: Reading, last: int) -> str:
    """Return the rules that put each action at one step of its window; `last` is the last step."""
    rules = [_RULES.format(last=last)]
    for form in reading.forms:
        atom, action = form.pattern(f"T-{form.before}" if form.before else "T")
        rules.append(f"{_HAPPENS}({action},T) :- {atom}.")
    return " ".join(rules)


def _regroup(ordered: Steps, steps: Steps) -> Iterator[tuple[str, ...]]:
    """Yield for each step of the plan its actions, in the order of the single-action steps.

    `ordered` has the single-action steps, and `steps` the original steps of the plan.
    """
    start = 0
    for step in steps:
        end = start + _width(step)
        yield tuple(slot[0] for slot in ordered[start:end] if slot)
        start = end
