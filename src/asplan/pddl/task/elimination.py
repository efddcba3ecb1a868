"""The elimination of needless actions from a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from asplan.pddl.task.model import State, TaskModel


def operators_of(
    model: TaskModel,
    actions: Iterable[str],
) -> list[int]:
    """Return the numbers of the operators that the actions of a plan execute, in this order.

    Grounding leaves out operators that change nothing on which the goal depends. Actions without an
    operator are skipped.
    """
    state = model.initial
    operators = list[int]()
    for action in actions:
        operator = model.find_operator(state, action)
        if operator is not None:
            operators.append(operator)
            state = model.after(state, operator)
    return operators


def find_needed(
    model: TaskModel,
    operators: Sequence[int],
    written: Sequence[Sequence[int]] = (),
) -> list[int]:
    """Return the indices of the needed actions of a plan, found greedily.

    For each action in turn, test the plan without this action and without the later actions that
    then no longer apply. If the shorter plan reaches the goal, it replaces the plan (Nakhost and
    Müller, Action Elimination and Plan Neighborhood Graph Search, 2010).

    Parameters
    ----------
    operators
        The operators of the plan, by their numbers. They must lead to the goal.
    written
        For each action of the plan, some variables that it writes. If given, each action that is
        kept must change the same of its variables in the shorter plan as in the given plan.
    """
    wanted = _changes(model, operators, written)

    def execute(
        state: State,
        places: Iterable[int],
    ) -> tuple[State, list[int]]:
        """Execute the actions with the indices `places`, except actions that do not apply.

        Return the last state, and the indices of the executed actions.
        """
        executed = list[int]()
        for n in places:
            if not model.applies(state, operators[n]):
                continue
            after = model.after(state, operators[n])
            if (
                written
                and _changed_among(
                    model,
                    written[n],
                    state,
                    after,
                )
                != wanted[n]
            ):
                continue
            state = after
            executed.append(n)
        return state, executed

    kept = list(range(len(operators)))
    place = 0
    state = model.initial
    while place < len(kept):
        last, rest = execute(state, kept[place + 1 :])
        if model.is_goal(last):
            kept[place:] = rest
        else:
            state = model.after(state, operators[kept[place]])
            place += 1
    return kept


def _changes(
    model: TaskModel,
    operators: Sequence[int],
    written: Sequence[Sequence[int]],
) -> list[list[int]]:
    """Return, for each action, the variables in its entry of `written` that it changes."""
    states = accumulate(operators, model.after, initial=model.initial)
    changes: list[list[int]] = []
    for variables, (before, after) in zip(written, pairwise(states), strict=False):
        changes.append(_changed_among(model, variables, before, after))
    return changes


def _changed_among(
    model: TaskModel, variables: Iterable[int], before: State, after: State
) -> list[int]:
    value = model.packing.value
    return [v for v in variables if value(before, v) != value(after, v)]
