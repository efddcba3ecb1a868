"""The execution of plans in the Python model of a domain, which shares no code with the ASP side.

>>> from asplan.domains.sliding_tiles.model import SlidingTiles
>>> puzzle = SlidingTiles(2, 3, (1, 0, 2, 3, 4, 5), ((1, 0), (2, 1)))
>>> goal_step(puzzle, Plan((("move(2,left)",),)))
1
>>> goal_step(puzzle, Plan((("move(5,up)",),)))
Traceback (most recent call last):
asplan.core.errors.InvalidPlan: step 1: move(5,up) does not apply: tile 2 is at (1,3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.domains.model import DomainModel, DomainState
from asplan.program.reading.source import ground_term


def states(
    model: DomainModel,
    plan: Plan,
    parallel: bool = False,
    name: Callable[[str], str] = str,
) -> Iterator[DomainState]:
    """Yield the states at time 0, 1, …; raise `InvalidPlan` at an action that is not applicable.

    `parallel` permits several actions a step. `name` returns an action as its source writes it.
    """
    state = model.initial
    yield state
    for t, actions in enumerate(plan, 1):
        if len(actions) > 1 and not parallel:
            why = f"{', '.join(actions)}: a step may have only one action"
            raise InvalidPlan(f"step {t}: {why}", step=t)
        for text in actions:
            try:
                action = model.parse_action(ground_term(text, "action"))
            except (UsageError, ValueError) as error:
                raise InvalidPlan(f"step {t}: {error}", step=t) from None
            if why_not := model.why_not(state, action):
                why = f"{name(str(action))} does not apply: {why_not}"
                by_variant = model.is_of_variant(action)
                raise InvalidPlan(f"step {t}: {why}", step=t, by_variant=by_variant)
            state = model.apply(state, action)
        yield state


def goal_step(
    model: DomainModel,
    plan: Plan,
) -> int:
    """Return the first step after which the goal holds; 0 if it holds in the initial state.

    Raise `InvalidPlan` if the plan cannot be executed, or if the goal never holds.
    """
    for t, state in enumerate(list(states(model, plan))):
        if model.is_goal(state):
            return t
    raise InvalidPlan(f"after step {len(plan)} the goal does not hold")


def total_cost(
    model: DomainModel,
    actions: Iterable[str],
) -> int:
    """Return the total cost of actions, executed one after the other from the initial state.

    All of them must be applicable.
    """
    state = model.initial
    total = 0
    for text in actions:
        action = model.parse_action(ground_term(text, "action"))
        total += model.cost(state, action)
        state = model.apply(state, action)
    return total


def why_unknown(
    model: DomainModel,
    plan: Plan,
) -> str:
    """Return the first reason why the model does not know an action of a plan.

    Return an empty text if the model knows at least half of the actions.
    """
    reasons = []
    for text in plan.actions:
        try:
            model.parse_action(ground_term(text, "action"))
        except (UsageError, ValueError) as error:
            reasons.append(str(error))
    return reasons[0] if 2 * len(reasons) > len(plan.actions) else ""


def ordered_steps(
    model: DomainModel,
    plan: Plan,
) -> Iterator[tuple[str, ...]]:
    """Yield each step with its actions in an executable order.

    Raise `InvalidPlan` at a step without such an order.
    """
    state = model.initial
    for t, actions in enumerate(plan, 1):
        found = next(_orders(model, state, actions), None)
        if found is None:
            together = ", ".join(actions)
            why = "these cannot be executed one after the other in any order"
            raise InvalidPlan(f"step {t}: {together}: {why}", step=t)
        order, state = found
        yield order


def _orders(
    model: DomainModel,
    state: DomainState,
    actions: tuple[str, ...],
) -> Iterator[tuple[tuple[str, ...], DomainState]]:
    """Yield the executable orders of a step's actions, each with the state after it."""
    if not actions:
        yield (), state
    for index, text in enumerate(actions):
        action = model.parse_action(ground_term(text, "action"))
        if model.why_not(state, action) is None:
            rest = actions[:index] + actions[index + 1 :]
            for order, end in _orders(model, model.apply(state, action), rest):
                yield (text, *order), end
