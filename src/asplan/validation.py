"""The check of plans after the engine: every plan is checked once, and its states are kept.

A plan is executed in the domain's model. If there is none, or if a complete program belongs to a
domain only by its own claim, the program itself replays the plan in a fresh clingo.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING

from asplan.clingo import Symbol
from asplan.core.budget import ENDLESS, Budget
from asplan.core.choices import Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, InvalidPlan
from asplan.core.limits import Stop, hold_locks
from asplan.core.plan import Plan
from asplan.core.text import amount, decimal_text
from asplan.domains.model import DomainModel, DomainState
from asplan.engines.asp.answer import RELYING
from asplan.engines.asp.trajectory import read_trajectory
from asplan.execution import ordered_steps, states, total_cost
from asplan.problem import Problem
from asplan.problem.problem import Grounding
from asplan.program.incremental import Program
from asplan.program.reading.source import ground_term
from asplan.result import Outcome, Reliance, Result, Texts, Trajectory
from asplan.warnings import switched_on

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.engines.asp.replay import Replayed
    from asplan.problem.problem import TimedTrajectory
    from asplan.program.times.horizon import Horizon


@dataclass(frozen=True)
class Checked:
    """A valid plan, and the results of its check.

    Attributes
    ----------
    plan
        The plan, with the actions of each step in an executable order. It ends with the first step
        after which the goal holds.
    how
        The kind of check: "model", "replay", or "text" (of a PDDL task).
    trajectory
        The states of the plan.
    cost
        The cost of its actions, if they have costs.
    metric
        The value of the metric of a PDDL task.
    makespan
        The end of the last action, if actions have times.
    violated
        The number of violations of each violated preference.
    shown
        The atoms that a replay shows.
    beside
        Actions that the program demands at times outside of the plan.
    warnings
        The warnings about the program.
    """

    plan: Plan
    how: str
    trajectory: Trajectory
    cost: int | None = None
    metric: Fraction | None = None
    makespan: Fraction | None = None
    violated: Mapping[str, int] = field(default_factory=dict)
    shown: tuple[Symbol, ...] = ()
    beside: tuple[str, ...] = ()
    warnings: tuple[InputWarning, ...] = ()

    @property
    def priced(self) -> Plan:
        """The plan with the values of theory variables at each time, and with its cost.

        A plan without a cost of its own gets the cost of its actions.
        """
        plan = replace(self.plan, timed_values=tuple(self.trajectory.values))
        if self.cost is None or plan.cost is not None:
            return plan
        return replace(plan, cost=(self.cost,))


def check_result(
    problem: Problem,
    result: Result,
    budget: Budget = ENDLESS,
) -> Result:
    """Check the plans of a result within a budget, and add the states of the first plan.

    Raise `InvalidPlan` if a plan is not valid, or not as good as the result claims.
    """
    if problem.grounding is Grounding.CONVERTED:
        from asplan.engines.asp.converted import check_conversion

        check_conversion(problem, result, budget)
    if result.trajectory is not None:
        result = replace(result, trajectory=replace(result.trajectory, rules=problem.rules))
    if not result.plans:
        return result
    drops_idle = _may_end_idle(problem, result)
    checked = _check_plans(problem, result, budget, drops_idle)
    if len(checked) < len(result.plans):
        result = _without_unchecked(result, len(checked))
    first = checked[0]
    # The layers of a temporal plan are no steps; only its encoding counts them.
    is_timed = first.makespan is not None
    length = result.horizon or 0 if is_timed else len(first.plan)
    if drops_idle:
        result = _with_shorter_horizon(result, length, first.shown)
    if not is_timed:
        _check_claim(result, checked)
    result = _promoted(problem, result, length)
    result = _with_checked(result, checked, length)
    if first.how == "replay":
        result = _warn_of_several(problem, result, first.trajectory)
    return result


def _may_end_idle(
    problem: Problem,
    result: Result,
) -> bool:
    """Return whether the plan of a result may end with needless steps, which are then cut off.

    Return False if the result lists several plans. Only the plans of single-shot programs may end
    so: the time bound of such a program may have a least value that is greater than the length of
    a shortest plan.
    """
    if problem.horizon is None or len(result.plans) != 1:
        return False
    return result.outcome == Outcome.OPTIMAL and result.optimized == Objective.STEPS


def _check_plans(
    problem: Problem,
    result: Result,
    budget: Budget,
    drops_idle: bool,
) -> list[Checked]:
    """Check the first plan, and further plans until the budget is spent."""
    checked = [
        check(
            problem,
            result.plans[0],
            as_listed=False,
            drops_idle=drops_idle,
        )
    ]
    for plan in result.plans[1:]:
        if budget.is_spent():
            break
        checked.append(check(problem, plan, as_listed=False))
    return checked


def _without_unchecked(
    result: Result,
    checked: int,
) -> Result:
    """Return a result with only the first `checked` plans, as there was no more time."""
    left = len(result.plans) - checked
    why = f"{left} more plans were found, but there was no time to check them"
    reason = "; ".join(filter(None, [result.reason, why]))
    return replace(
        result,
        plans=result.plans[:checked],
        stopped=Stop.TIME,
        reason=reason,
    )


def _with_shorter_horizon(
    result: Result,
    length: int,
    shown: Sequence[Symbol],
) -> Result:
    """Return a result with the horizon `length`, for a plan without needless steps at its end.

    `shown` are the shown atoms of the checked plan, which lack the actions of these steps.
    """
    if length >= (result.horizon or 0):
        return result
    needless = amount((result.horizon or 0) - length, "needless step")
    return replace(
        result,
        horizon=length,
        lower_bound=min(result.lower_bound, length),
        least_among=None if result.least_among is None else length,
        atoms=tuple(map(str, shown)) or result.atoms,
        reason=f"{result.reason}; {needless} at the end left out",
    )


def _promoted(
    problem: Problem,
    result: Result,
    length: int,
) -> Result:
    """Return a result; make its outcome optimal if the checked plan is as short as the bound.

    `length` is the number of steps of the checked plan, without idle steps at its end.
    """
    if result.outcome != Outcome.PLAN or result.optimized != Objective.STEPS:
        return result
    if length == 0 or length > result.lower_bound or length == result.horizon:
        return result
    relying = RELYING if Reliance.MONOTONE in result.evidence.relies_on else ""
    reason = problem.claims.shortest(length) + relying
    return replace(
        result,
        outcome=Outcome.OPTIMAL,
        reason=reason,
    )


def _with_checked(
    result: Result,
    checked: Sequence[Checked],
    length: int,
) -> Result:
    """Return a result with the checked plans and the states of the first of them."""
    first = checked[0]
    return replace(
        result,
        plans=tuple(one.priced for one in checked),
        horizon=length,
        cost=first.priced.cost if result.cost is None else result.cost,
        metric=first.metric,
        violated=first.violated,
        validated=first.how,
        trajectory=first.trajectory,
        atoms=result.atoms or tuple(map(str, first.shown)),
        beside=first.beside,
    )


def _warn_of_several(
    problem: Problem,
    result: Result,
    trajectory: Trajectory,
) -> Result:
    """Add a warning for each fluent that has several values in one state of a plan."""
    from asplan.warnings.fluents import find_several_values

    several = find_several_values(problem.written_program, trajectory.states)
    return replace(result, warnings=(*result.warnings, *switched_on(several, ())))


def _check_claim(
    result: Result,
    checked: Sequence[Checked],
) -> None:
    """Raise `InvalidPlan` if the checked plans are not as good as the claimed optimum."""
    if result.outcome != Outcome.OPTIMAL:
        return
    if result.optimized == Objective.COST:
        _check_cost(result, checked)
    elif result.optimized == Objective.METRIC:
        _check_metric(result, checked)
    elif result.optimized == Objective.ACTIONS:
        claimed = min(len(plan.actions) for plan in result.plans)
        _check_length("action", min(len(one.plan.actions) for one in checked), claimed)
    else:
        _check_length("step", min(len(one.plan) for one in checked), result.horizon)


def _check_cost(
    result: Result,
    checked: Sequence[Checked],
) -> None:
    costs = [one.cost for one in checked if one.cost is not None]
    if costs and (min(costs),) != result.cost:
        claim = "nothing" if result.cost is None else " ".join(map(str, result.cost))
        why = f"the actions of the plan cost {min(costs)}"
        raise InvalidPlan(f"{why}, but the engine claims {claim} as the least cost")


def _check_metric(
    result: Result,
    checked: Sequence[Checked],
) -> None:
    metric = checked[0].metric
    if result.metric != metric:
        value = None if metric is None else decimal_text(metric)
        claim = None if result.metric is None else decimal_text(result.metric)
        raise InvalidPlan(f"the metric is {value}, but the engine claims {claim} as the best")


def _check_length(
    unit: str,
    length: int,
    claimed: int | None,
) -> None:
    if length != claimed:
        claim = amount(claimed or 0, unit)
        raise InvalidPlan(
            f"the goal holds after {unit} {length} already, but the encoding claims that "
            f"{claim} {'is' if claimed == 1 else 'are'} the fewest"
        )


@hold_locks()
def check(
    problem: Problem,
    plan: Plan,
    as_listed: bool = True,
    drops_idle: bool = False,
) -> Checked:
    """Check a plan.

    Unless `as_listed`, the actions of a step may be put into another order.

    With `drops_idle`, if the program has no parts, drop the steps at the end of the plan that
    change nothing or are not needed. Raise `InvalidPlan` if the plan is not valid.
    """
    in_time = problem.execute(plan)
    if in_time is not None:
        return _checked_in_time(problem, plan, in_time)
    if not problem.is_replayed:
        return check_by_model(problem, plan, as_listed)
    checked = _check_by_replay(problem, plan, as_listed, drops_idle)
    if problem.model is None:
        return checked
    return check_by_model(problem, checked.plan, as_listed)


def _checked_in_time(
    problem: Problem,
    plan: Plan,
    passed: TimedTrajectory,
) -> Checked:
    """Return the check of a plan whose actions have durations.

    `passed` is the trajectory of the plan in the text of its PDDL task.
    """
    return Checked(
        problem.name_actions(plan),
        "text",
        _trajectory(problem, Texts(passed.states), passed.boards, passed.times),
        metric=passed.metric,
        makespan=passed.makespan,
    )


def _check_by_replay(
    problem: Problem,
    plan: Plan,
    as_listed: bool,
    drops_idle: bool,
) -> Checked:
    """Check a plan by a replay: solve the author's program with the actions of the plan fixed."""
    from asplan.engines.asp.action_order import order_actions

    program = problem.written_program
    replayed = _replay_waiting(program, problem.user_constants, plan, drops_idle)
    if drops_idle:
        idle = ((),) * (len(plan) - replayed.needed)
        plan = replace(plan, steps=(*plan.steps[: replayed.needed], *idle))
    length = _busy_length(program, plan, replayed) if drops_idle else replayed.length
    plan = replace(
        plan,
        steps=plan.steps[:length],
        values=replayed.values,
    )
    if program.written.ordered and any(len(step) > 1 for step in plan):
        plan = order_actions(program, problem.user_constants, plan, replayed.reading, as_listed)
    trajectory = _replayed_trajectory(problem, program, replayed, len(plan))
    beside = tuple(map(str, replayed.beside))
    return Checked(
        plan,
        "replay",
        trajectory,
        shown=replayed.atoms,
        beside=beside,
    )


_IDLE_STEPS = 2
"""The most idle steps to add to a plan of a program without parts before its replay fails."""


def _replay_waiting(
    program: Program,
    constants: Mapping[str, str],
    plan: Plan,
    drops_needless: bool,
) -> Replayed:
    """Replay a plan; if the program has no parts, idle steps may be added to the plan.

    A result leaves out idle steps at the end that change nothing, but the program may have an
    answer set only for the horizon with them.
    """
    from asplan.engines.asp.replay import replay

    refusal: InvalidPlan | None = None
    for idle in range(_IDLE_STEPS + 1 if program.horizon is not None else 1):
        waiting = replace(plan, steps=(*plan.steps, *((),) * idle))
        try:
            return replay(program, constants, waiting, drops_needless)
        except InvalidPlan as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _busy_length(
    program: Program,
    plan: Plan,
    replayed: Replayed,
) -> int:
    """Return the number of steps of a plan, without steps at its end that change nothing."""
    length = min(len(plan), replayed.length)
    if not length or plan.steps[length - 1]:
        return length
    trajectory = read_trajectory(
        replayed.atoms, replayed.length, program, all_atoms=replayed.all_atoms
    )
    fluents = [frozenset(state) for state in trajectory.states]
    while 0 < length < len(fluents) and not plan.steps[length - 1]:
        is_beyond = not fluents[length] and _is_beyond_times(
            program.horizon, length, replayed.length
        )
        if fluents[length] != fluents[length - 1] and not is_beyond:
            break
        length -= 1
    return length


def _is_beyond_times(
    horizon: Horizon | None,
    step: int,
    steps: int,
) -> bool:
    """Return whether the state after a step has a later time than all times of the program.

    `steps` is the number of steps of the plan. Return False for programs without domains of times.
    """
    if horizon is None or not horizon.domains:
        return False
    last = horizon.value(steps) + max(high for _, high in horizon.domains.values())
    return horizon.start + step > last


def _replayed_trajectory(
    problem: Problem,
    program: Program,
    replayed: Replayed,
    length: int,
) -> Trajectory:
    facts = lambda: replayed.facts or problem.facts  # noqa: E731
    trajectory = read_trajectory(
        replayed.atoms, length, program, facts, replayed.all_atoms, replayed.values
    )
    return replace(trajectory, rules=problem.rules)


def check_by_model(
    problem: Problem,
    plan: Plan,
    as_listed: bool = True,
) -> Checked:
    """Check a plan by the domain's model, or a PDDL task by its referee.

    Raise `InvalidPlan` if the plan is not valid. Unless `as_listed`, the actions of a step may be
    put into another order.
    """
    model = problem.checking_model
    assert model is not None
    parallel = problem.domain is not None and problem.domain.parallel
    if parallel and not as_listed:
        plan = _ordered(problem, model, plan)
    passed = list(states(model, plan, parallel, problem.write_action))
    why = model.why_no_plan(passed[-1])
    if why is not None:
        raise InvalidPlan(why)
    is_whole = model.is_whole or (as_listed and _lists_whole_plans(problem))
    length = _goal_step(model, passed, is_whole)
    plan = replace(plan, steps=plan.steps[:length])
    end = passed[length]
    return Checked(
        plan=problem.name_actions(plan),
        how="text" if problem.is_translated else "model",
        trajectory=_model_trajectory(problem, model, passed[: length + 1]),
        cost=total_cost(model, plan.actions) if model.has_costs else None,
        metric=model.worth(end),
        violated=model.violated(end),
    )


def _lists_whole_plans(problem: Problem) -> bool:
    return problem.domain is not None and problem.domain.whole_plans


def _ordered(
    problem: Problem,
    model: DomainModel,
    plan: Plan,
) -> Plan:
    """Return a plan in which the actions of each step are in an executable order."""
    domain = problem.domain
    if domain is None or domain.tidy is None:
        return replace(plan, steps=tuple(ordered_steps(model, plan)))
    if problem.model is None:
        return plan  # only the text was loaded, for a plan that was put in order before
    return domain.tidy(problem.model, plan)


def _goal_step(
    model: DomainModel,
    passed: Sequence[DomainState],
    is_whole: bool,
) -> int:
    """Return the first step after which the goal holds; if `is_whole`, the last step of the plan.

    `passed` has the states at times 0..n. `is_whole` is set if all steps of the plan count. Raise
    `InvalidPlan` if the goal holds after no step; if `is_whole`, also if it does not hold at the
    end.
    """
    last = len(passed) - 1
    if is_whole and model.is_goal(passed[last]):
        return last
    first = next((t for t, state in enumerate(passed) if model.is_goal(state)), None)
    if first is not None and not is_whole:
        return first
    why = f": {reason}" if (reason := model.why_not_goal(passed[last])) else ""
    hint = "" if first is None else f"it holds after step {first}: leave out the steps after that"
    raise InvalidPlan(f"after step {last} the goal does not hold{why}", hint=hint)


def find_trajectory(
    problem: Problem,
    result: Result,
) -> Trajectory:
    """Return the states on the plan of a stored result.

    They come from an execution in the model that checks plans. Without a model they come from the
    result's atoms, or from a replay of the plan if these have no states.
    """
    plan = result.plan
    in_time = None if plan is None else problem.execute(plan)
    if plan is not None and in_time is not None:
        return _checked_in_time(problem, plan, in_time).trajectory
    model = problem.checking_model
    if model is not None and plan is not None:
        parallel = problem.domain is not None and problem.domain.parallel
        return _model_trajectory(problem, model, list(states(model, plan, parallel)))
    return replace(_shown_trajectory(problem, result), rules=problem.rules)


def _shown_trajectory(
    problem: Problem,
    result: Result,
) -> Trajectory:
    """Return the states from a stored result's atoms; if these have none, replay its plan."""
    atoms = tuple(ground_term(atom, "atom") for atom in result.atoms)
    horizon = result.horizon or len(result.plan or ())
    program = problem.program
    has_states = any(atom.match("holds", 2) for atom in atoms)
    # Drawings run no script of a program, as it may be anybody's.
    if result.plan is not None and not has_states and not program.scripts:
        from asplan.engines.asp.replay import replay

        with suppress(InvalidPlan):
            replayed = replay(program, problem.user_constants, result.plan)
            return _replayed_trajectory(problem, program, replayed, replayed.length)
    return read_trajectory(atoms, horizon, program, lambda: problem.facts)


def _model_trajectory(
    problem: Problem,
    model: DomainModel,
    passed: list[DomainState],
) -> Trajectory:
    """Return the states `passed` of a model as text, with the first and last board."""

    def fluents() -> Iterator[tuple[str, ...]]:
        return (tuple(map(str, model.fluents(state))) for state in passed)

    return _trajectory(problem, Texts(fluents), (model.text(passed[0]), model.text(passed[-1])))


def _trajectory(
    problem: Problem,
    fluents: Texts[tuple[str, ...]],
    boards: tuple[str, ...],
    times: tuple[Fraction, ...] = (),
) -> Trajectory:
    facts = Texts(lambda: map(str, problem.facts))
    return Trajectory(
        facts,
        fluents,
        boards,
        times=times,
        rules=problem.rules,
    )
