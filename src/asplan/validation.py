"""Checks a plan by replaying it in the domain's model, which shares no code with the ASP side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asplan.asp.source import ground_term
from asplan.domains.base import Problem
from asplan.errors import InvalidPlan, UsageError
from asplan.result import Plan


def validate_plan(problem: Problem[Any, Any], plan: Plan) -> int:
    """Replay a plan.

    Returns
    -------
    int
        The first step after which the goal holds; 0 if it holds at the start.

    Raises
    ------
    InvalidPlan
        An action does not apply, or the goal is never reached; the message names step, action
        and reason.
    """
    for t, state in enumerate(list(states(problem, plan))):
        if problem.is_goal(state):
            return t
    raise InvalidPlan(f"after step {len(plan)} the goal does not hold")


def states(problem: Problem[Any, Any], plan: Plan) -> Iterator[Any]:
    """The states at time 0, 1, …, one more than the plan has steps.

    A step without an action changes nothing. Raises `InvalidPlan` at an action that does not
    apply.
    """
    state = problem.initial
    yield state
    for t, actions in enumerate(plan, 1):
        if len(actions) > 1:
            raise InvalidPlan(f"step {t}: {', '.join(actions)}: only one action at a time")
        for action in actions:
            state = _after(problem, state, t, action)
        yield state


def _after(problem: Problem[Any, Any], state: Any, t: int, text: str) -> Any:
    try:
        action = problem.parse_action(ground_term(text, "action"))
    except (UsageError, ValueError) as error:
        raise InvalidPlan(f"step {t}: {error}") from None
    if why_not := problem.why_not(state, action):
        raise InvalidPlan(f"step {t}: {action} does not apply: {why_not}")
    return problem.apply(state, action)
