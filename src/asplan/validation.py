"""The station after the engine: every plan is checked, once, and what it passes through is kept.

A plan is replayed in the domain's model, which shares no code with the ASP side; where there is no
model, and where a whole program only says that it speaks of a domain, in a fresh clingo.

>>> from asplan.domains.sliding_tiles.model import SlidingTiles
>>> puzzle = SlidingTiles(2, 3, (1, 0, 2, 3, 4, 5), ((1, 0), (2, 1)))
>>> validate_plan(puzzle, Plan((("move(2,left)",),)))
1
>>> validate_plan(puzzle, Plan((("move(5,up)",),)))
Traceback (most recent call last):
asplan.core.errors.InvalidPlan: step 1: move(5,up) does not apply: tile 2 is at (1,3)
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any

from clingo import Symbol

from asplan.core.errors import InputWarning, InvalidPlan, UsageError
from asplan.core.limits import Stop, hold_locks
from asplan.core.plan import Plan
from asplan.core.text import amount, decimal_text, shortened
from asplan.domains.model import Model
from asplan.engines.asp.answer import RELYING, shortest_reason
from asplan.engines.asp.session import session_of
from asplan.engines.asp.trajectory import read_trajectory
from asplan.problem import Problem
from asplan.program.incremental import Program
from asplan.program.source import ground_term
from asplan.result import Opinion, Outcome, Result, Texts, Trajectory
from asplan.warnings import switched_on

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.engines.asp.replay import Replayed
    from asplan.program.horizon import Horizon


@dataclass(frozen=True)
class Checked:
    """A plan that does what it should, with the actions of a step in order.

    It ends with the first step after which the goal holds, or at `makespan`. `how` it was checked
    is "model", "replay", or "text" (of a PDDL task); `shown` is what a replay shows, and `beside`
    the actions that the program demands outside of the plan.
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
        """Return the plan with its values by time, and the cost of its actions if it has none."""
        plan = replace(self.plan, timed_values=tuple(self.trajectory.values))
        if self.cost is None or plan.cost is not None:
            return plan
        return replace(plan, cost=(self.cost,))


def check_result(problem: Problem, result: Result, deadline: float | None = None) -> Result:
    """A result whose plans are checked, up to a deadline, with what the first passes through."""
    if problem.fresh_program is not None and result.horizon is not None:
        _check_conversion(problem, problem.fresh_program, result, deadline)
    if result.trajectory is not None:
        result = replace(result, trajectory=replace(result.trajectory, rules=problem.rules))
    if not result.plans:
        return result
    # The least horizon of a program without parts may be greater than its shortest plan is long.
    may_idle = problem.horizon is not None and result.outcome == Outcome.OPTIMAL
    leaves_out = may_idle and result.optimized == "steps" and len(result.plans) == 1
    checked = [check(problem, result.plans[0], as_listed=False, leaves_out_idle=leaves_out)]
    for plan in result.plans[1:]:
        if deadline is not None and time.monotonic() >= deadline:
            left = len(result.plans) - len(checked)
            why = f"{left} more plans were found, but there was no time to check them"
            why, plans = "; ".join(filter(None, [result.reason, why])), result.plans[: len(checked)]
            result = replace(result, plans=plans, stopped=Stop.TIME, reason=why)
            break
        checked.append(check(problem, plan, as_listed=False))
    first = checked[0]
    # Layers of happenings are no steps of a plan; nothing but their encoding counts them.
    length = len(first.plan) if first.makespan is None else result.horizon or 0
    if leaves_out and length < (result.horizon or 0):
        among = None if result.least_among is None else length
        lower_bound = min(result.lower_bound, length)
        idle = amount((result.horizon or 0) - length, "idle step")
        result = replace(
            result,
            horizon=length,
            lower_bound=lower_bound,
            least_among=among,
            reason=f"{result.reason}; {idle} at the end left out",
        )
    if result.outcome == Outcome.OPTIMAL and first.makespan is None:
        _check_claim(result, checked)
    shorter = length <= result.lower_bound and length != result.horizon
    if result.outcome == Outcome.PLAN and result.optimized == "steps" and length and shorter:
        # The plan turned out to be as short as any can be.
        relying = RELYING if RELYING in result.reason else ""
        reason = shortest_reason(length, problem.horizon) + relying
        result = replace(result, outcome=Outcome.OPTIMAL, reason=reason)
    result = replace(
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
    if first.how == "replay" and first.trajectory is not None:
        from asplan.warnings.fluents import find_several_values

        several = find_several_values(problem.written_program, first.trajectory.states)
        result = replace(result, warnings=(*result.warnings, *switched_on(several, ())))
    return ask_referee(problem, result)


_CONFLICTS = 1000  # after which it stays open whether a conversion has lost a shorter plan


def _check_conversion(
    problem: Problem, fresh: Program, result: Result, deadline: float | None
) -> None:
    """Raise `InvalidPlan` where a program in parts has other lengths of plans than its author's."""
    steps, least = result.horizon or 0, problem.horizon.least if problem.horizon else 0
    session = session_of(fresh, problem.given, deadline=deadline)
    asked = [] if result.plans else [(steps, True)]
    asked += [(steps - 1, False)] if result.outcome is Outcome.OPTIMAL and steps > least else []
    for length, wanted in asked:
        session.ground_step(length)
        if session.solve(length, conflicts=_CONFLICTS).satisfiable is (not wanted):
            has = "no plan" if wanted else "a plan"
            why = f"the program has {has} of {amount(length, 'step')}, unlike in parts"
            raise InvalidPlan(f"as its author wrote it {why}")


def ask_referee(problem: Problem, result: Result) -> Result:
    """A result with what the domain's model says of the plans of a program that is its author's."""
    first = problem.recognised if result.plans else None
    if first is None:
        return result
    domain, model = first.domain_and_model()
    if why_unknown(model, result.plans[0]):
        return replace(result, referee=Opinion(domain.name, None))
    refused: list[InvalidPlan] = []
    for game in chain([first], problem.other_variants()):
        try:
            checked = [_check_by_model(game, plan, as_listed=False) for plan in result.plans]
            for plan, one in zip(result.plans, checked, strict=True):
                if (length := len(one.plan)) < len(plan):
                    why = f"the goal holds after step {length} of {len(plan)} already"
                    raise InvalidPlan(why)
        except InvalidPlan as error:
            refused.append(error)
            continue
        own, seen = result.trajectory, checked[0].trajectory
        if own is not None and problem.rules is not None:  # the author has drawing rules
            seen = replace(own, boards=seen.boards)
        variants = {n: v for n, v in game.constants.items() if v != first.constants[n]}
        return replace(result, trajectory=seen, referee=Opinion(domain.name, True, variants))
    # Of the game in which most steps are right; among such, what the variant has no part in.
    named = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in first.constants) or "$.")
    wrong = max(refused, key=lambda e: (e.step or inf, not named.search(e.message)))
    text = f"{shortened(wrong.message, 300)}; {domain.name}'s own model refuses the plan"
    hint = f"if the program means another game than {domain.name}, say -W no-referee"
    warnings = (*result.warnings, InputWarning("referee", text, hint=hint, doubt=True))
    return replace(result, referee=Opinion(domain.name, False), warnings=warnings)


def why_unknown(model: Model[Any, Any], plan: Plan) -> str:
    """Why the model does not know most actions of a plan; empty if it does."""
    reasons = []
    for text in plan.actions:
        try:
            model.parse_action(ground_term(text, "action"))
        except (UsageError, ValueError) as error:
            reasons.append(str(error))
    return reasons[0] if 2 * len(reasons) > len(plan.actions) else ""


def _check_claim(result: Result, checked: Sequence[Checked]) -> None:
    """Raise `InvalidPlan` where plans that are said to be best are not what the result says."""
    if result.optimized == "cost":
        costs = [one.cost for one in checked if one.cost is not None]
        if costs and (min(costs),) != result.cost:
            claim = "nothing" if result.cost is None else " ".join(map(str, result.cost))
            why = f"the actions of the plan cost {min(costs)}, but {claim}"
            raise InvalidPlan(f"{why} is said to be the least")
        return
    if result.optimized == "metric":
        if result.metric != checked[0].metric:
            both = checked[0].metric, result.metric
            told = [None if n is None else decimal_text(n) for n in both]
            raise InvalidPlan(f"the metric is {told[0]}, but {told[1]} is said to be the best")
        return
    if result.optimized == "actions":
        unit, best = "action", min(len(one.plan.actions) for one in checked)
        claimed: int | None = min(len(plan.actions) for plan in result.plans)
    else:
        unit, best = "step", min(len(one.plan) for one in checked)
        claimed = result.horizon
    if best != claimed:
        raise InvalidPlan(
            f"the goal holds after {unit} {best} already, but the encoding says that "
            f"{amount(claimed or 0, unit)} {'is' if claimed == 1 else 'are'} the fewest"
        )


@hold_locks()
def check(
    problem: Problem, plan: Plan, as_listed: bool = True, leaves_out_idle: bool = False
) -> Checked:
    """Check one plan, in the order of its actions or in one found here; raises `InvalidPlan`.

    With `leaves_out_idle` the steps at the end of which nothing changes are left out of the plan of
    a program without parts.
    """
    if problem.executes is not None:
        found, named = problem.executes(plan), _with_names(problem, plan)
        seen = _trajectory(problem, Texts(found.states), found.boards, found.times)
        return Checked(named, "text", seen, metric=found.metric, makespan=found.makespan)
    if problem.is_replayed:
        from asplan.engines.asp.replay import in_order

        program = problem.written_program
        again = _replay_waiting(program, problem.given, plan)
        length = _busy_length(program, plan, again) if leaves_out_idle else again.length
        plan = replace(plan, steps=plan.steps[:length], values=again.values)
        if program.written.ordered and any(len(step) > 1 for step in plan):
            plan = in_order(program, problem.given, plan, again.reading, as_listed)
        seen = _replayed(problem, program, again, len(plan))
        beside = tuple(map(str, again.beside))
        checked = Checked(plan, "replay", seen, shown=again.atoms, beside=beside)
        if problem.model is None:
            return checked
        plan = checked.plan
    return _check_by_model(problem, plan, as_listed)


_IDLE_STEPS = 2
"""So many idle steps may follow a plan of a program without parts to reach a horizon of its own."""


def _replay_waiting(program: Program, constants: Mapping[str, str], plan: Plan) -> Replayed:
    """Replay a plan; in a program without parts idle steps may follow it.

    A result leaves out idle steps at the end after which nothing changes, but the program may
    have an answer set for its horizon with these steps alone.
    """
    from asplan.engines.asp.replay import replay

    refused: InvalidPlan | None = None
    for idle in range(_IDLE_STEPS + 1 if program.horizon is not None else 1):
        waiting = replace(plan, steps=(*plan.steps, *((),) * idle))
        try:
            return replay(program, constants, waiting)
        except InvalidPlan as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _busy_length(program: Program, plan: Plan, found: Replayed) -> int:
    """Return the number of steps of a plan without those at its end that change nothing."""
    length = min(len(plan), found.length)
    seen = read_trajectory(found.atoms, found.length, program, all_atoms=found.all_atoms)
    states = [frozenset(state) for state in seen.states]
    while 0 < length < len(states) and not plan.steps[length - 1]:
        is_beyond = not states[length] and _is_beyond_times(program.horizon, length, found.length)
        if states[length] != states[length - 1] and not is_beyond:
            break
        length -= 1
    return length


def _is_beyond_times(horizon: Horizon | None, step: int, steps: int) -> bool:
    """Return whether the state after a step has a time that no domain of the program has."""
    if horizon is None or not horizon.domains:
        return False
    last = horizon.value(steps) + max(high for _, high in horizon.domains.values())
    return horizon.start + step > last


def _replayed(
    problem: Problem, program: Program, found: Replayed, length: int | None = None
) -> Trajectory:
    facts = lambda: found.facts or problem.facts  # noqa: E731
    length = found.length if length is None else length
    seen = read_trajectory(found.atoms, length, program, facts, found.all_atoms, found.values)
    return replace(seen, rules=problem.rules)


def _check_by_model(problem: Problem, plan: Plan, as_listed: bool) -> Checked:
    model = problem.referee or problem.model
    assert model is not None
    domain, written = problem.domain, problem.written
    parallel = domain is not None and domain.parallel
    if domain is not None and parallel and not as_listed:
        if domain.tidy is not None and problem.model is None:
            pass  # only the text was read, for a plan that was put in order before
        elif domain.tidy is not None:
            plan = domain.tidy(problem.model, plan)
        else:
            plan = replace(plan, steps=tuple(_in_order(model, plan)))
    passed = list(states(model, plan, parallel, written or str))
    if (why := model.why_no_plan(passed[-1])) is not None:
        raise InvalidPlan(why)
    is_whole = model.is_whole or (as_listed and domain is not None and domain.whole_plans)
    length = _goal_step(model, passed, is_whole)
    trajectory = _through(problem, model, passed[: length + 1])
    plan = replace(plan, steps=plan.steps[:length])
    cost = total_cost(model, plan.actions) if model.has_costs else None
    how, end = "model" if problem.referee is None else "text", passed[length]
    metric, violated = model.worth(end), model.violated(end)
    return Checked(_with_names(problem, plan), how, trajectory, cost, metric, violated=violated)


def _goal_step(model: Model[Any, Any], passed: Sequence[Any], is_whole: bool) -> int:
    """Return the last step if the plan `is_whole`, else the first after which the goal holds.

    `passed` has the states at 0..n. Raises `InvalidPlan` where the goal does not hold then.
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


def _with_names(problem: Problem, plan: Plan) -> Plan:
    if problem.written is None:
        return plan
    return replace(plan, names={action: problem.written(action) for action in plan.actions})


def trajectory_of(problem: Problem, result: Result) -> Trajectory:
    """What a stored result passes through; a plan is replayed where nothing else tells states."""
    if problem.executes is not None and result.plan is not None:
        return check(problem, result.plan).trajectory
    model = problem.referee or problem.model
    if model is not None and result.plan is not None:
        parallel = problem.domain is not None and problem.domain.parallel
        return _through(problem, model, list(states(model, result.plan, parallel)))
    atoms = tuple(ground_term(atom, "atom") for atom in result.atoms)
    horizon, program = result.horizon or len(result.plan or ()), problem.program
    trajectory = read_trajectory(atoms, horizon, program, lambda: problem.facts)
    is_told = any(atom.match("holds", 2) for atom in atoms)
    # A script is not run to draw a plan, which may be anybody's.
    if result.plan is not None and not is_told and not program.scripts:
        from asplan.engines.asp.replay import replay

        with suppress(InvalidPlan):
            trajectory = _replayed(problem, program, replay(program, problem.given, result.plan))
    trajectory = replace(trajectory, rules=problem.rules)
    return ask_referee(problem, replace(result, trajectory=trajectory)).trajectory or trajectory


def _through(problem: Problem, model: Model[Any, Any], passed: list[Any]) -> Trajectory:
    held = Texts(lambda: (tuple(map(str, model.fluents(state))) for state in passed))
    return _trajectory(problem, held, (model.text(passed[0]), model.text(passed[-1])))


def _trajectory(
    problem: Problem,
    held: Texts[tuple[str, ...]],
    boards: tuple[str, ...],
    times: tuple[Fraction, ...] = (),
) -> Trajectory:
    facts = Texts(lambda: map(str, problem.facts))
    return Trajectory(facts, held, boards, times=times, rules=problem.rules)


def states(
    model: Model[Any, Any], plan: Plan, parallel: bool = False, written: Callable[[str], str] = str
) -> Iterator[Any]:
    """The states at time 0, 1, …; `InvalidPlan` at an action that does not apply, as `written`."""
    state = model.initial
    yield state
    for t, actions in enumerate(plan, 1):
        if len(actions) > 1 and not parallel:
            why = f"{', '.join(actions)}: only one action at a time"
            raise InvalidPlan(f"step {t}: {why}", step=t)
        for text in actions:
            try:
                action = model.parse_action(ground_term(text, "action"))
            except (UsageError, ValueError) as error:
                raise InvalidPlan(f"step {t}: {error}", step=t) from None
            if why_not := model.why_not(state, action):
                why = f"{written(str(action))} does not apply: {why_not}"
                raise InvalidPlan(f"step {t}: {why}", step=t)
            state = model.apply(state, action)
        yield state


def validate_plan(model: Model[Any, Any], plan: Plan) -> int:
    """The first step after which the goal holds; `InvalidPlan` says why there is none."""
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


def _in_order(model: Model[Any, Any], plan: Plan) -> Iterator[tuple[str, ...]]:
    """The steps with their actions in an order in which they can be executed, if there is one."""
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
    model: Model[Any, Any], state: Any, actions: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The orders in which actions can be executed in a state, and where they lead; depth first."""
    if not actions:
        yield (), state
    for index, text in enumerate(actions):
        action = model.parse_action(ground_term(text, "action"))
        if model.why_not(state, action) is None:
            rest = actions[:index] + actions[index + 1 :]
            for order, end in _orders(model, model.apply(state, action), rest):
                yield (text, *order), end
