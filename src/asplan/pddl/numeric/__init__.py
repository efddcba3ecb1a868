"""Tasks with numbers: which encoding finds their plans, what facts it reads, what its answers mean.

`strip` takes the numbers away, `ground` puts them back into the ground task, exactly, and `scale`
makes whole numbers of them. `greedy` searches through the states that `execution` has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from math import inf

from asplan.core.errors import Location, Stopped, UsageError
from asplan.core.plan import Plan
from asplan.core.text import amount, decimal_text, parse_natural
from asplan.domains.base import Found, Heed
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.plain import beyond_costs
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.numeric.execution import Entry, Execution, State
from asplan.pddl.numeric.scale import LARGEST, NumericTask, Sum, steps_within
from asplan.pddl.task.facts import to_facts
from asplan.result import Outcome, Result


def to_numeric_facts(
    task: NumericTask, names: PddlNames, wanted: Collection[tuple[str, int]] | None = None
) -> str:
    """The facts of a task with numbers; `wanted` is as for `to_facts`."""
    # Layers say nothing here: they would have to know when a comparison may come true.
    return to_facts(task.task, wanted, {}) + "\n".join(_lines(task, names)) + "\n"


def _lines(task: NumericTask, names: PddlNames) -> Iterator[str]:
    sums: dict[Sum, int] = {}

    def number_of(total: Sum) -> int:
        return sums.setdefault(total, len(sums))

    described = zip(task.numbers, task.factors, task.initial, task.bounds, strict=True)
    for n, (number, factor, value, (low, high)) in enumerate(described):
        line = f"number({n},{names.function(number[0], number[1:])}). begins({n},{value})."
        line += f" factor({n},{factor})." if factor != 1 else ""
        line += f" least({n},{int(low)})." if low != -inf else ""
        line += f" most({n},{int(high)})." if high != inf else ""
        yield line
    values = [variable.values for variable in task.task.variables]
    changes, causes = count(), count()
    for o, counted in enumerate(task.counted):
        for total, least in counted.tests:
            yield f"  requires({o},{number_of(total)},{least})."
        for change in counted.changes:
            if change.number in counted.adds and not (change.total or change.causes):
                yield f"  adds({o},{change.number},{change.constant})."
            else:
                k, word = next(changes), "increases" if change.adds else "assigns"
                s, constant = number_of(change.total), change.constant
                yield f"  {word}({o},{k},{change.number},{s},{constant})."
                for cause in change.causes or ((),):
                    e = next(causes)
                    facts = (f"provided({e},{v},{values[v][d]})." for v, d in cause)
                    yield " ".join([f"  cause({k},{e}).", *facts])
    for total, least in task.goal:
        yield f"wants({number_of(total)},{least})."
    for (v, d), (total, least) in task.tests.items():
        yield f"test({v},{values[v][d]},{number_of(total)},{least})."
    if task.metric is not None:
        yield f"minimizes({number_of(task.metric.total)})."
    for total, s in sums.items():
        yield " ".join([f"term({s},{n},{factor})." for n, factor in total])


FORMS = ("sequential", "forall", "rolled")
"""What a step may hold; `numeric_` before it is the name of an encoding."""

USUAL = "forall"
ROLLED = "numeric_rolled"

REPEATS = 1000  # the constant `repeats` of that encoding, where nobody sets it


def encoding_of(named: str | None, prefers: Iterable[str] = (), at: Location | None = None) -> str:
    """The encoding for tasks with numbers, where one for others, or none, was named.

    Of those that suit best where none was named, rolled steps count, which lead to a plan soonest.
    A number of the task stands `at` a place.

    Raises `UsageError` where there is no such encoding for tasks with numbers.
    """
    if named is None:
        return ROLLED if "rolled" in prefers else f"numeric_{USUAL}"
    form = named.removeprefix("pddl/")
    if form in FORMS:
        return f"numeric_{form}"
    if form in ("exists", "relaxed", "cheapest"):
        what = f"{form} knows no numbers, and the task has some"
        hint = f"steps of such tasks are {', '.join(FORMS)}; the usual are {USUAL}"
        raise UsageError(what, at=at, hint=hint)
    return named


def parts_of(task: NumericTask, wanted: Iterable[str], text: TaskText) -> list[str]:
    """The files beside an encoding, of some that are wanted: those that say what is to be least.

    The `text` is what the task was made of.

    Raises `UsageError` where the task cannot say what that is.
    """
    parts = [name for name in wanted if name.startswith("least_")]
    if "least_metric" in parts and task.metric is None:
        what = "--optimal metric: the task has no metric, or one that is not linear"
        raise UsageError(what, hint="--optimal actions counts the actions")
    if "least_cost" in parts:
        at, why = beyond_costs(text) or (None, "this task has others")
        what = f"--optimal cost is about tasks whose only numbers are costs, and {why}"
        hint = (
            "a cost is a whole number from 0 that an action adds to (total-cost) without a "
            "condition; --optimal metric is about other numbers"
        )
        raise UsageError(what, at=at, hint=hint)
    return parts


def finder_of(
    task: NumericTask, encoding: str, constants: Mapping[str, str]
) -> Callable[[object, Heed], Found] | None:
    """The search for any plan of the task, with steps as an encoding has them.

    None where plans of the encoding are not all that the task has. It raises `Stopped` if it finds
    no plan, which proves nothing.
    """
    if constants or encoding.removeprefix("numeric_") not in FORMS:
        return None

    def find(model: object, heed: Heed) -> Found:
        from asplan.pddl.numeric.greedy import find_moves  # with numpy, which takes time

        if (moves := find_moves(task, heed)) is None:
            raise Stopped("a search through states finds no plan")
        actions = [[task.task.operators[o].action] * times for o, times in moves]
        if encoding != ROLLED:
            actions = [[action] for action in chain.from_iterable(actions)]
        return Found(actions, "found by greedy search")

    return find


def with_counts(
    task: NumericTask, encoding: str, constants: Mapping[str, str], trims: bool, result: Result
) -> Result:
    """A result of an encoding for tasks with numbers, as the task speaks of it.

    Its plans have each action as often as the answer says; every order of a step will do. A value
    of the metric is the task's own. What is proven is so for the numbers that the solver knows: if
    others can be reached in as many steps as were refuted, it is proven for fewer steps alone.
    Where it `trims`, a plan loses the actions that it does without.
    """
    result = replace(result, plans=tuple(_repeated(task, plan) for plan in result.plans))
    if trims and len(result.plans) == 1:
        result = _trimmed(task, result)
    if (metric := task.metric) is not None and result.cost and "; metric " in result.reason:
        value = decimal_text(result.cost[0] * metric.factor + metric.constant)
        reason = re.sub(r"(; metric )-?\d+", rf"\g<1>{value}", result.reason)
        if metric.factor < 0:
            reason = reason.replace("the least of", "the most of").replace(
                "lower ones", "higher ones"
            )
        result = replace(result, reason=reason, cost=None)
    rolled = parse_natural(constants.get("repeats", str(REPEATS))) if encoding == ROLLED else 1
    sure = steps_within(task, 1 if rolled is None else rolled, result.lower_bound) + 1
    if sure < result.lower_bound:
        many = f"more than {amount(sure - 1, 'step')}"
        far = f"with {many} numbers may leave the range of clingcon, ±{LARGEST}"
        is_less = result.outcome is Outcome.OPTIMAL and (result.horizon or 0) > sure
        outcome = Outcome.PLAN if is_less else result.outcome
        reason = "; ".join(filter(None, [result.reason, far]))
        result = replace(result, lower_bound=sure, outcome=outcome, reason=reason)
    return result


def _trimmed(task: NumericTask, result: Result) -> Result:
    """A result whose plan has no actions that are plainly needless, which it says."""
    (plan,) = result.plans
    named = task.task.by_action
    actions = {tuple(operators): action for action, operators in named.items()}
    steps = [tuple((tuple(named[a]), n) for a, n in Counter(step).items()) for step in plan]
    kept = [step for step in _Trimmer(Execution(task), steps).trimmed() if step]
    fewer = replace(
        plan, steps=tuple(tuple(actions[o] for o, n in s for _ in range(n)) for s in kept)
    )
    if not (needless := len(plan.actions) - len(fewer.actions)):
        return result
    horizon = len(fewer) if result.horizon == len(plan) else result.horizon
    reason = f"{result.reason}; {amount(needless, 'needless action')} left out"
    return replace(result, plans=(fewer,), horizon=horizon, reason=reason)


def _repeated(task: NumericTask, plan: Plan) -> Plan:
    def times(action: str, t: int) -> int:
        # Where a condition is a disjunction, several operators are one action.
        operators = task.task.by_action[action]
        return max(1, sum(int(plan.values.get(f"times({o},{t})", 0)) for o in operators))

    steps = (
        tuple(a for action in step for a in [action] * times(action, t))
        for t, step in enumerate(plan, 1)
    )
    return replace(plan, steps=tuple(steps), values={}, cost=None)


EFFORT = 50_000  # entries that are executed at most; what is left then stays

Step = tuple[Entry, ...]


class _Trimmer:
    """Leaves out actions of a plan that nobody needs.

    A solver that looks for the fewest steps fills them with whatever does no harm. Actions go, with
    those that cannot happen without them, and what happens many times happens less often, as long
    as the goal is reached. (Nakhost and Müller, Action Elimination and Plan Neighborhood Graph
    Search, ICAPS 2010.) What is left may still be longer than it must be. Where one operator of
    several may stand for an action, it happens once at a time.
    """

    def __init__(self, execution: Execution, steps: list[Step]) -> None:
        self.execution, self.steps, self.left = execution, steps, EFFORT

    def trimmed(self) -> list[Step]:
        """The steps with fewer actions; the same where they do not lead to the goal."""
        if self._run(self.steps) is None:
            return self.steps
        before = None
        while self.left > 0 and before != self.steps:
            before = self.steps
            self._leave_out()
            self._lessen()
        return self.steps

    def _run(
        self, steps: Sequence[Step], state: State | None = None, skip: bool = False
    ) -> list[Step] | None:
        """The steps if they lead to the goal, or with `skip` those of their entries that apply."""
        state, done = state or self.execution.initial, list[Step]()
        for step in steps:
            self.left -= len(step) + 1
            after = self.execution.after_step(state, step)
            while skip and after is None:
                # One entry after the other, as far as they go together.
                kept: Step = ()
                for entry in step:
                    if self.execution.after_step(state, (*kept, entry)) is not None:
                        kept = (*kept, entry)
                step, after = kept, self.execution.after_step(state, kept)
            if after is None:
                return None
            state = after
            done.append(step)
        return done if self.execution.is_goal(state) else None

    def _leave_out(self) -> None:
        """Leave out one entry after the other, with those that depend on it."""
        t, state = 0, self.execution.initial
        while t < len(self.steps) and self.left > 0:
            step, e = self.steps[t], 0
            while e < len(step):
                less = (*step[:e], *step[e + 1 :])
                rest = self._run((less, *self.steps[t + 1 :]), state, skip=True)
                if rest is None:
                    e += 1
                else:
                    self.steps = [*self.steps[:t], *rest]
                    step = self.steps[t]
            after = self.execution.after_step(state, step)
            assert after is not None
            t, state = t + 1, after

    def _lessen(self) -> None:
        """Let each action happen less often, the last one first."""
        states = [self.execution.initial]
        for step in self.steps:
            after = self.execution.after_step(states[-1], step)
            assert after is not None
            states.append(after)
        for t in reversed(range(len(self.steps))):
            for e in range(len(self.steps[t])):
                step = self.steps[t]
                operators, most = step[e]
                least = 1  # too few below it, most likely; `most` is enough
                while least < most and self.left > 0:
                    times = (least + most) // 2
                    less = (*step[:e], (operators, times), *step[e + 1 :])
                    rest = [less, *self.steps[t + 1 :]]
                    if self._run(rest, states[t]) is None:
                        least = times + 1
                    else:
                        most, self.steps = times, [*self.steps[:t], *rest]
