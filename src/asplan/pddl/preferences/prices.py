"""The metric of a task with preferences, as costs of actions and weights of violations.

The numbers of such a task must be costs: actions increase them by constants, and only the metric
reads them. All costs are scaled to whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from math import lcm

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, UsageError
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.plain import Rows, rows_of, with_changes, with_prices
from asplan.pddl.language.syntax import (
    IS_VIOLATED,
    TOTAL_COST,
    TOTAL_TIME,
    Assign,
    GroundAtom,
    TaskText,
    functions,
)
from asplan.pddl.numeric.strip import Linear, evaluate

_ONLY_WITHOUT = "asplan supports this only in tasks without constraints and preferences"


@dataclass(frozen=True)
class PricedText:
    """A task whose only numbers are the costs of actions.

    The metric of the original task is `constant + factor * (costs + violations)`, where each
    violation of a preference adds its weight. If the metric is maximized, the formula gives its
    negation.

    Attributes
    ----------
    text
        The task; it minimizes `total-cost`, or has no metric.
    weights
        The weights of preferences, by the preferences' keys.
    factor
        The inverse of the scale. Costs and weights are multiplied by the scale, so that all become
        whole numbers.
    constant
        The value of the metric before the first action.
    is_maximized
        True if the original task maximizes its metric.
    """

    text: TaskText
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    factor: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)
    is_maximized: bool = False

    def metric_of(
        self,
        cost: Fraction,
    ) -> Fraction:
        """Return the metric of the original task; `cost` is the sum of costs and violations."""
        total = cost * self.factor + self.constant
        return -total if self.is_maximized else total


def price_actions(
    task: TaskText,
    by_metric: bool,
) -> PricedText:
    """Return a task whose only numbers are costs.

    If `by_metric`, the costs and weights give the metric. Otherwise the costs give `total-cost`;
    if the task does not minimize `total-cost`, there are no costs.

    Raises
    ------
    UsageError
        If `by_metric` is set and the task has no metric.
    InputError
        If the metric is not a sum of costs and violations, if an action improves it, or if the task
        compares numbers.
    """
    _refuse_comparisons(task)
    is_maximized = False
    if by_metric:
        metric, is_maximized = _minimized_metric(task)
    else:
        metric = _total_cost(task)
    numbers = dict(_numbers(metric))
    weights = dict(_weights(metric))
    rows_by_action = _rows_by_action(task, numbers)
    scale = _common_denominator(weights, rows_by_action)
    has_costs = by_metric or bool(numbers)
    start = sum((n * task.values.get(f, 0) for f, n in numbers.items()), Fraction(0))
    return PricedText(
        text=with_prices(_without_numbers(task, has_costs), _scaled(rows_by_action, scale)),
        weights={name: weight * scale for name, weight in weights.items()},
        factor=Fraction(1, scale),
        constant=metric.constant + start,
        is_maximized=is_maximized,
    )


def _refuse_comparisons(task: TaskText) -> None:
    for part in task.parts:
        if isinstance(part, syntax.Compare):
            message = "asplan cannot combine numeric conditions with constraints or preferences"
            hint = "remove either the numeric conditions, or the constraints and preferences"
            raise wrong(part.at, message, hint)


def _total_cost(task: TaskText) -> Linear:
    """Return `total-cost` if the task minimizes just this, else 0."""
    if task.problem.minimizes(TOTAL_COST):
        return Linear({(TOTAL_COST,): Fraction(1)})
    return Linear()


def _minimized_metric(task: TaskText) -> tuple[Linear, bool]:
    """Return the metric to minimize, and True if it is the negation of a maximized metric."""
    if task.problem.metric is None:
        raise UsageError(
            "--optimal metric: the task has no metric",
            hint="--optimal actions counts the actions",
        )
    direction, expression = task.problem.metric
    changing = task.assigned | {TOTAL_COST}
    for atom in functions(expression):
        if atom.name.key in changing and atom.arguments:
            message = f"{atom.name} in the metric has arguments, and actions change it"
            raise wrong(atom.name, message, _ONLY_WITHOUT)
    constants = {f: value for f, value in task.values.items() if f[0] not in changing}
    metric = evaluate(expression, {}, constants)
    if direction == "maximize":
        return metric * Fraction(-1), True
    return metric, False


def _numbers(metric: Linear) -> Iterator[tuple[GroundAtom, Fraction]]:
    """Yield the functions in a metric with their coefficients, except time and violations."""
    for function, factor in metric.terms.items():
        if function[0] not in (IS_VIOLATED, TOTAL_TIME):
            yield function, factor


def _weights(metric: Linear) -> Iterator[tuple[str, Fraction]]:
    """Yield the preferences of a metric with their weights."""
    for function, factor in metric.terms.items():
        if function[0] == IS_VIOLATED:
            yield function[1], factor


def _rows_by_action(
    task: TaskText,
    numbers: Mapping[GroundAtom, Fraction],
) -> dict[str, Rows]:
    """Return the costs of the actions that change the metric, by the actions' keys.

    `numbers` has the functions in the metric with their coefficients.
    """
    rows_by_action: dict[str, Rows] = {}
    for action in task.domain.actions:
        rows = _cost_rows(task, action, numbers)
        if rows is not None:
            rows_by_action[action.name.key] = rows
    return rows_by_action


def _cost_rows(
    task: TaskText,
    action: syntax.PddlAction,
    numbers: Mapping[GroundAtom, Fraction],
) -> Rows | None:
    """Return the costs of an action by the values of its parameters; None if it has no cost.

    `numbers` has the functions in the metric with their coefficients.

    Raises
    ------
    InputError
        If the action improves the metric, or does anything but add constants to it.
    """
    direct = [part for part in syntax.together(action.effect) if isinstance(part, Assign)]
    costs = list(_costs(task, action, direct, numbers))
    if not costs:
        return None
    place = direct[0].at
    rows = rows_of(task, syntax.Operation("+", tuple(costs), place))
    if rows is None:
        message = f"the cost of action {action.name} divides by 0, or has too many values"
        raise wrong(place, message, "use costs of 0 or more")
    if any(value < 0 for _, value in rows):
        message = f"action {action.name} improves the metric"
        raise wrong(place, message, "use costs of 0 or more")
    return rows


def _costs(
    task: TaskText,
    action: syntax.PddlAction,
    direct: Sequence[Assign],
    numbers: Mapping[GroundAtom, Fraction],
) -> Iterator[syntax.Expression]:
    """Yield the summands of the cost of an action.

    `direct` has the action's numeric effects without a condition or quantifier. `numbers` has the
    functions in the metric with their coefficients.
    """
    for part, _ in syntax.inside(action.effect):
        if not isinstance(part, Assign):
            continue
        factor = numbers.get(part.target.ground())
        if not factor:
            continue
        if part not in direct or not _is_cost(task, part):
            raise _not_a_cost(part)
        yield syntax.Operation("*", (factor, part.amount), part.at)


def _is_cost(
    task: TaskText,
    effect: Assign,
) -> bool:
    """Return True if an effect increases a number by an expression of constants."""
    changing = (function.name.key in task.assigned for function in functions(effect.amount))
    return effect.word == "increase" and not any(changing)


def _not_a_cost(effect: Assign) -> InputError:
    message = "this effect changes the metric, but does not just increase it by a constant"
    return wrong(effect.at, message, _ONLY_WITHOUT)


def _common_denominator(
    weights: Mapping[str, Fraction],
    rows_by_action: Mapping[str, Rows],
) -> int:
    """Return the least factor that makes all weights and costs whole."""
    denominators = [weight.denominator for weight in weights.values()]
    for rows in rows_by_action.values():
        denominators += (value.denominator for _, value in rows)
    return lcm(*denominators)


def _scaled(
    rows_by_action: Mapping[str, Rows],
    scale: int,
) -> dict[str, Rows]:
    scaled: dict[str, Rows] = {}
    for key, rows in rows_by_action.items():
        scaled[key] = [(bound, value * scale) for bound, value in rows]
    return scaled


def _without_numbers(
    task: TaskText,
    has_costs: bool,
) -> TaskText:
    """Return a task without numeric effects, numeric values and functions.

    If `has_costs`, the task minimizes `total-cost`, to which no action adds yet. Otherwise the task
    has no metric.
    """
    actions: list[syntax.PddlAction] = []
    for action in task.domain.actions:
        effect = with_changes(action.effect, lambda change: syntax.Together(()))
        actions.append(replace(action, effect=effect))
    declared: tuple[syntax.Signature, ...] = ()
    metric = None
    if has_costs:
        total = replace(task.problem.name, key=TOTAL_COST, text=TOTAL_COST)
        declared = (syntax.Signature(total, ()),)
        metric = ("minimize", syntax.Atom(total, ()))
    return replace(
        task,
        domain=replace(task.domain, actions=tuple(actions), functions=declared),
        problem=replace(task.problem, values=(), metric=metric),
    )
