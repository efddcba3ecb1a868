"""Plans of asplan as those of unified-planning, and the other way round."""

from __future__ import annotations

from itertools import pairwise

from unified_planning.model import Problem
from unified_planning.plans import ActionInstance, PartialOrderPlan, SequentialPlan

from asplan.plan import Plan
from asplan.up.names import Names


def sequential(problem: Problem, plan: Plan, names: Names) -> SequentialPlan:
    """The actions one after the other."""
    actions = [action for step in _instances(problem, plan, names) for action in step]
    return SequentialPlan(actions, problem.environment)


def partial_order(problem: Problem, plan: Plan, names: Names) -> PartialOrderPlan:
    """The actions of each step before those of the next, and in no order among themselves.

    That is right where the actions of a step are independent: for steps `forall`.
    """
    steps = [step for step in _instances(problem, plan, names) if step]
    later = {action: list(after) for step, after in pairwise([*steps, []]) for action in step}
    return PartialOrderPlan(later, problem.environment)


def _instances(problem: Problem, plan: Plan, names: Names) -> list[list[ActionInstance]]:
    return [[_instance(problem, plan.name(action), names) for action in step] for step in plan]


def _instance(problem: Problem, text: str, names: Names) -> ActionInstance:
    """The action that PDDL writes `(move a b)`."""
    word, *words = text.strip("()").split()
    terms = map(problem.environment.expression_manager.ObjectExp, map(names.item, words))
    return ActionInstance(names.item(word), tuple(terms))


def words_of(action: ActionInstance, names: Names) -> list[str]:
    """An action and its arguments as PDDL calls them; KeyError for what is not in the problem."""
    objects = [parameter.object() for parameter in action.actual_parameters]
    return [names.known(item) for item in (action.action, *objects)]
