"""Plans executed in a model, step by step: the states that they pass, and what they cost.

>>> from asplan.domains.sliding_tiles.model import SlidingTiles
>>> puzzle = SlidingTiles(2, 3, (1, 0, 2, 3, 4, 5), ((1, 0), (2, 1)))
>>> validate_plan(puzzle, Plan((("move(2,left)",),)))
1
>>> validate_plan(puzzle, Plan((("move(5,up)",),)))
Traceback (most recent call last):
asplan.errors.InvalidPlan: step 1: move(5,up) does not apply: tile 2 is at (1,3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from asplan.domains.model import Model
from asplan.errors import InvalidPlan, UsageError
from asplan.plan import Plan
from asplan.program.source import ground_term


def states(
    model: Model[Any, Any],
    plan: Plan,
    parallel: bool = False,
    written: Callable[[str], str] = str,
) -> Iterator[Any]:
    """The states at time 0, 1, …, one more than the plan has steps.

    A step without an action changes nothing; one with several executes them in their order, in a
    domain that is `parallel`. Raises `InvalidPlan` at an action that does not apply, which it
    names as `written` does.
    """
    state = model.initial
    yield state
    for t, actions in enumerate(plan, 1):
        if len(actions) > 1 and not parallel:
            raise InvalidPlan(f"step {t}: {', '.join(actions)}: only one action at a time")
        for action in actions:
            state = _after(model, state, t, action, written)
        yield state


def validate_plan(model: Model[Any, Any], plan: Plan) -> int:
    """The first step after which the goal holds.

    Raises
    ------
    InvalidPlan
        It never does, or an action does not apply; the message names the step and the reason.
    """
    for t, state in enumerate(list(states(model, plan))):
        if model.is_goal(state):
            return t
    raise InvalidPlan(f"after step {len(plan)} the goal does not hold")


def total_cost(model: Any, actions: Iterable[str]) -> int:
    """What actions cost, given as text, that can be executed one after the other."""
    state, total = model.initial, 0
    for text in actions:
        action = model.parse_action(ground_term(text, "action"))
        total += model.cost(state, action)
        state = model.apply(state, action)
    return total


def arranged(model: Model[Any, Any], plan: Plan) -> Iterator[tuple[str, ...]]:
    """The steps with their actions in an order in which they can be executed, if there is one."""
    state = model.initial
    for t, actions in enumerate(plan, 1):
        order = next(_orders(model, state, actions), None)
        if order is None:
            together = ", ".join(actions)
            raise InvalidPlan(
                f"step {t}: {together}: these cannot be executed one after the other in any order"
            )
        for action in order:
            state = _after(model, state, t, action)
        yield order


def _orders(
    model: Model[Any, Any], state: Any, actions: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """The orders in which some actions can be executed in a state, depth first."""
    if not actions:
        yield ()
    for index, text in enumerate(actions):
        action = model.parse_action(ground_term(text, "action"))
        if model.why_not(state, action) is None:
            rest = actions[:index] + actions[index + 1 :]
            for order in _orders(model, model.apply(state, action), rest):
                yield (text, *order)


def _after(
    model: Model[Any, Any], state: Any, t: int, text: str, written: Callable[[str], str] = str
) -> Any:
    try:
        action = model.parse_action(ground_term(text, "action"))
    except (UsageError, ValueError) as error:
        raise InvalidPlan(f"step {t}: {error}") from None
    if why_not := model.why_not(state, action):
        raise InvalidPlan(f"step {t}: {written(str(action))} does not apply: {why_not}")
    return model.apply(state, action)
