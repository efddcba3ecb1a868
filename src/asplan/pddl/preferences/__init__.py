"""A task with constraints and preferences, ground: the finite-domain task that means the same, and
what its answers mean.

It has an operator that happens beside every step, the monitor. Where the metric is to be best, its
plans end by operators that pay for preferences: `plain` makes these.

What actions add to the metric are their prices, whole numbers. A function is one where actions only
increase it, by what never changes, and nothing but the metric reads it. Other numbers a task with
constraints or preferences must not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.grounding import translate
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import names_of
from asplan.pddl.language.plain import Rows, rows_of, with_changes, with_prices
from asplan.pddl.language.syntax import TOTAL_COST, Assign, GroundAtom, TaskText, functions
from asplan.pddl.numeric.strip import Linear, evaluate
from asplan.pddl.preferences.plain import Plain
from asplan.pddl.task.plasp import words_of
from asplan.pddl.task.task import Operator, Task
from asplan.result import Result

_ALONE = "asplan plans with such numbers where a task has neither constraints nor preferences"


@dataclass(frozen=True)
class Priced:
    """A task without numbers but for the costs of actions, which are its metric.

    The metric as the task has it is `factor` times these costs and what `weights` say for each time
    that a preference is violated, and `constant`. It is to be least, or else most.
    """

    text: TaskText
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    factor: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)
    is_maximized: bool = False


def priced(task: TaskText, by_metric: bool) -> Priced:
    """The task with the prices that its metric sets, or else with those that `total-cost` does.

    Raises `UsageError` if there is no metric, and `InputError` where it is not a sum of prices and
    of violations, where it gets better by actions, and where there are other numbers.
    """
    for part in task.parts:
        if isinstance(part, syntax.Compare):
            what = "a comparison of numbers beside constraints or preferences"
            raise wrong(part.at, what, _ALONE)
    if not by_metric:
        metric = Linear({(TOTAL_COST,): Fraction(1)} if task.problem.minimizes(TOTAL_COST) else {})
    elif task.problem.metric is None:
        hint = "--optimal actions counts the actions"
        raise UsageError("--optimal metric: the task has no metric", hint=hint)
    else:  # the metric, or its negation where it is maximized, so that less is better
        direction, expression = task.problem.metric
        moving = task.assigned | {TOTAL_COST}
        for atom in functions(expression):
            if atom.name.key in moving and atom.arguments:
                raise wrong(atom.name, f"{atom.name} in a metric beside preferences", _ALONE)
        constants = {f: value for f, value in task.values.items() if f[0] not in moving}
        metric = evaluate(expression, {}, constants)
        metric = metric * Fraction(-1) if direction == "maximize" else metric
    counted = {
        f: n for f, n in metric.terms.items() if f[0] not in (syntax.IS_VIOLATED, syntax.TOTAL_TIME)
    }
    weights = {f[1]: n for f, n in metric.terms.items() if f[0] == syntax.IS_VIOLATED}
    start = sum((n * task.values.get(f, 0) for f, n in counted.items()), Fraction(0))
    every = {a.name.key: _rows(task, a, counted) for a in task.domain.actions}
    prices = {key: rows for key, rows in every.items() if rows is not None}
    values = (value for rows in prices.values() for _, value in rows)
    scale = lcm(*(number.denominator for number in (*values, *weights.values())))
    whole = {key: [(bound, value * scale) for bound, value in rows] for key, rows in prices.items()}
    # Nothing but the metric reads a number; where nothing changes it every plan costs nothing.
    domain, problem, has_costs = task.domain, task.problem, by_metric or bool(counted)
    total = replace(problem.name, key=TOTAL_COST, text=TOTAL_COST)
    actions = (
        replace(a, effect=with_changes(a.effect, lambda change: syntax.Together(())))
        for a in domain.actions
    )
    declared = (syntax.Signature(total, ()),) if has_costs else ()
    least = ("minimize", syntax.Atom(total, ())) if has_costs else None
    bare = replace(
        task,
        domain=replace(domain, actions=tuple(actions), functions=declared),
        problem=replace(problem, values=(), metric=least),
    )
    text = with_prices(bare, whole)
    weights = {name: weight * scale for name, weight in weights.items()}
    is_maximized = by_metric and task.problem.metric[0] == "maximize"  # type: ignore[index]
    return Priced(text, weights, Fraction(1, scale), metric.constant + start, is_maximized)


def _rows(
    task: TaskText, action: syntax.Action, counted: Mapping[GroundAtom, Fraction]
) -> Rows | None:
    """What an action costs, by its parameters; None where it has no costs."""
    direct = [part for part in syntax.together(action.effect) if isinstance(part, Assign)]
    parts = list[syntax.Expression]()
    for part, _ in syntax.inside(action.effect):
        if isinstance(part, Assign) and (factor := counted.get(part.target.ground())):
            moves = any(f.name.key in task.assigned for f in functions(part.amount))
            if part not in direct or part.word != "increase" or moves:
                what = "a number of the metric that changes otherwise than by what never changes"
                raise wrong(part.at, f"{what}, beside constraints or preferences", _ALONE)
            parts.append(syntax.Operation("*", (factor, part.amount), part.at))
    if not parts:
        return None
    at = direct[0].at
    rows = rows_of(task, syntax.Operation("+", tuple(parts), at))
    if rows is None or any(value < 0 for _, value in rows):
        what = f"the metric gets better by action {action.name}, or its price cannot be told"
        raise wrong(at, what, "prices are numbers from 0")
    return rows


@dataclass(frozen=True)
class Demanding:
    """A ground task; its plans end by actions that are not the task's own.

    What they cost is the metric by `price`, besides `constant`.
    """

    task: Task
    ends: frozenset[str]
    price: Priced
    constant: Fraction

    def worth(self, cost: int) -> Fraction:
        """The metric, as the task has it, of a plan that costs so much."""
        total = cost * self.price.factor + self.constant
        return -total if self.price.is_maximized else total


def ground(task: TaskText, by_metric: bool, all_variables: bool = False) -> Demanding:
    """Ground a task with constraints or preferences.

    Where it is not `by_metric`, preferences have no part in it. Raises as `priced` and `translate`
    do.
    """
    price = priced(task, by_metric)
    plain = Plain(price.text, price.weights if by_metric else {})
    names = names_of(plain.text)
    # Grounding leaves out an action whose effects nothing needs.
    found = translate(plain.text, names, all_variables or plain.watches)
    monitor, operators, ends = None, list[Operator](), set[str]()
    for operator in found.operators:
        head = words_of(operator.action)[0]
        key = names.actions.names[head]
        if key == plain.monitor:
            monitor = replace(operator, action="", cost=0)
            continue
        if key in plain.ends:
            ends.add(operator.action)
            operator = replace(operator, cost=int(plain.ends[key]))
        elif key in plain.variants:
            own, extra = plain.variants[key]
            action = names.actions.terms[own] + operator.action.removeprefix(head)
            operator = replace(operator, action=action, cost=operator.cost + int(extra))
        operators.append(operator)
    hopeless = found.hopeless
    if plain.watches and monitor is None and not found.is_stub:
        hopeless = "the start is not as the constraints want it"
    ground_task = replace(found, operators=tuple(operators), monitor=monitor, hopeless=hopeless)
    constant = price.constant + plain.constant * price.factor
    return Demanding(ground_task, frozenset(ends), price, constant)


def without_ends(demanding: Demanding, result: Result) -> Result:
    """A result whose plans pay for preferences at their end, as the task speaks of it."""
    plans = list[Plan]()
    for plan in result.plans:
        steps = (tuple(a for a in step if a not in demanding.ends) for step in plan)
        plans.append(replace(plan, steps=tuple(filter(None, steps)), cost=None, values={}))
    metric = None if result.cost is None else demanding.worth(result.cost[0])
    reason = result.reason
    if result.lower_cost and result.cost is None:
        reason += f"; no metric is better than {decimal_text(demanding.worth(result.lower_cost))}"
    return replace(
        result,
        reason=reason,
        plans=tuple(plans),
        horizon=len(plans[0]) if plans else result.horizon,
        metric=metric,
        cost=None,
        lower_cost=0,
    )
