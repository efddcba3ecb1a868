"""The conversion of results for tasks with numbers: repeated actions, and the range of proofs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.pddl.numeric.execution import NumericExecution
from asplan.pddl.numeric.scale import LARGEST, NumericTask, steps_within
from asplan.pddl.numeric.trimming import Step, Trimmer
from asplan.result import Outcome, Result


def with_counts(
    task: NumericTask,
    repeats: int,
    trims: bool,
    result: Result,
) -> Result:
    """Convert a result of an encoding for tasks with numbers to the terms of the PDDL task.

    The answer sets count how often an action happens in a step, up to `repeats` times. The plans of
    the new result list an action so many times; every order within a step is valid. If `trims` is
    set, needless actions of a single plan are removed. Proofs hold only while no number leaves the
    range of the solver, so the proven lower bound may become smaller.
    """
    result = replace(result, plans=tuple(_repeated(task, plan) for plan in result.plans))
    if trims and len(result.plans) == 1:
        result = _trimmed(task, result)
    return _within_range(task, repeats, result)


def _repeated(task: NumericTask, plan: Plan) -> Plan:
    """Return the plan with actions repeated as often as the values of `times(O,T)` say."""

    def times(action: str, t: int) -> int:
        # An action with a disjunctive condition has several operators.
        operators = task.task.by_action[action]
        counts = (plan.values.get(f"times({o},{t})", 0) for o in operators)
        return max(1, sum(map(int, counts)))

    steps = list[tuple[str, ...]]()
    for t, step in enumerate(plan, 1):
        actions = list[str]()
        for action in step:
            actions += [action] * times(action, t)
        steps.append(tuple(actions))
    return replace(plan, steps=tuple(steps), values={}, cost=None)


def _trimmed(task: NumericTask, result: Result) -> Result:
    """Remove needless actions from the plan of a result, and add their number to its reason."""
    (plan,) = result.plans
    by_action = task.task.by_action
    actions = {tuple(operators): action for action, operators in by_action.items()}
    steps = list[Step]()
    for step in plan:
        counts = Counter(step).items()
        entries = [(tuple(by_action[action]), times) for action, times in counts]
        steps.append(tuple(entries))
    kept = list[tuple[str, ...]]()
    for trimmed in Trimmer(NumericExecution(task), steps).trimmed():
        repeated = list[str]()
        for operators, times in trimmed:
            repeated += [actions[operators]] * times
        if repeated:
            kept.append(tuple(repeated))
    shorter = replace(plan, steps=tuple(kept))
    needless = len(plan.actions) - len(shorter.actions)
    if not needless:
        return result
    horizon = len(shorter) if result.horizon == len(plan) else result.horizon
    reason = f"{result.reason}; {amount(needless, 'needless action')} left out"
    return replace(result, plans=(shorter,), horizon=horizon, reason=reason)


def _within_range(
    task: NumericTask,
    repeats: int,
    result: Result,
) -> Result:
    """Lower the proven lower bound to steps in which no number leaves the solver's range.

    The solver's refutation of a larger number of steps is no proof. If the outcome depends on the
    bound, `optimal` becomes `plan`. `repeats` is the number of times that an action may happen in a
    step.
    """
    sure = steps_within(task, repeats, result.lower_bound) + 1
    if sure >= result.lower_bound:
        return result
    steps = amount(sure - 1, "step")
    limit = f"with more than {steps}, numbers may leave the range of clingcon, ±{LARGEST}"
    is_unproven = result.outcome is Outcome.OPTIMAL and (result.horizon or 0) > sure
    return replace(
        result,
        lower_bound=sure,
        outcome=Outcome.PLAN if is_unproven else result.outcome,
        reason=f"{result.reason}; {limit}" if result.reason else limit,
    )
