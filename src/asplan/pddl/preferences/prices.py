"""The metric of a task with constraints or preferences, as prices of actions and violations.

Prices are whole numbers. A function of the metric becomes prices if actions only increase it, by
static amounts, and nothing else reads it. A task with constraints or preferences may have no other
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

from asplan.core.errors import UsageError
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.plain import (
    Rows,
    rows_of,
    with_changes,
    with_prices,
)
from asplan.pddl.language.syntax import (
    TOTAL_COST,
    Assign,
    GroundAtom,
    TaskText,
    functions,
)
from asplan.pddl.numeric.strip import Linear, evaluate

_ALONE = "asplan supports such numbers only without constraints and preferences"

_Terms = Mapping[GroundAtom, Fraction]
"""Functions with their factors."""


@dataclass(frozen=True)
class Priced:
    """A task without numbers except the costs of actions, which are its metric.

    The metric of the original task is `factor` times the cost, plus `constant`. The cost is that of
    actions, plus the weight of each violated preference.

    Attributes
    ----------
    weights
        The cost of one violation of each preference.
    is_maximized
        True if the metric of the original task is to be maximized.
    """

    text: TaskText
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    factor: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)
    is_maximized: bool = False


def priced(task: TaskText, by_metric: bool) -> Priced:
    """Return the task with prices by its metric, or by `total-cost` if not `by_metric`.

    Raises
    ------
    UsageError
        If the task has no metric.
    InputError
        If the metric is not a sum of prices and violations, if actions can improve it, or if the
        task has other numbers.
    """
    for part in task.parts:
        if isinstance(part, syntax.Compare):
            problem = "a comparison of numbers beside constraints or preferences"
            raise wrong(part.at, problem, _ALONE)
    metric = _metric(task) if by_metric else _total_cost(task)
    counted = dict[GroundAtom, Fraction]()
    violations = dict[str, Fraction]()
    for function, factor in metric.terms.items():
        if function[0] == syntax.IS_VIOLATED:
            violations[function[1]] = factor
        elif function[0] != syntax.TOTAL_TIME:
            counted[function] = factor
    start = Fraction(0)
    for function, factor in counted.items():
        start += factor * task.values.get(function, 0)
    prices = _prices(task, counted)
    scale = _common_denominator(prices, violations)
    whole = dict[str, Rows]()
    for key, rows in prices.items():
        whole[key] = [(binding, value * scale) for binding, value in rows]
    # If nothing changes the metric, every plan costs nothing.
    text = with_prices(_without_numbers(task, has_costs=by_metric or bool(counted)), whole)
    return Priced(
        text,
        {name: weight * scale for name, weight in violations.items()},
        Fraction(1, scale),
        metric.constant + start,
        by_metric and _is_maximized(task),
    )


def _total_cost(task: TaskText) -> Linear:
    """Return `total-cost` if it is to be minimized, else 0."""
    if task.problem.minimizes(TOTAL_COST):
        return Linear({(TOTAL_COST,): Fraction(1)})
    return Linear({})


def _metric(task: TaskText) -> Linear:
    """Return the metric, negated if it is to be maximized, so that less is better."""
    if task.problem.metric is None:
        hint = "--optimal actions counts the actions"
        raise UsageError("--optimal metric: the task has no metric", hint=hint)
    _, expression = task.problem.metric
    changing = task.assigned | {TOTAL_COST}
    for function in functions(expression):
        if function.name.key in changing and function.arguments:
            problem = f"{function.name} in a metric beside preferences"
            raise wrong(function.name, problem, _ALONE)
    constants = {f: value for f, value in task.values.items() if f[0] not in changing}
    metric = evaluate(expression, {}, constants)
    return metric * Fraction(-1) if _is_maximized(task) else metric


def _is_maximized(task: TaskText) -> bool:
    return task.problem.metric is not None and task.problem.metric[0] == "maximize"


def _prices(
    task: TaskText,
    counted: _Terms,
) -> dict[str, Rows]:
    """Return the prices of each action that has some."""
    prices = dict[str, Rows]()
    for action in task.domain.actions:
        rows = _rows(task, action, counted)
        if rows is not None:
            prices[action.name.key] = rows
    return prices


def _common_denominator(
    prices: Mapping[str, Rows],
    violations: Mapping[str, Fraction],
) -> int:
    denominators = [weight.denominator for weight in violations.values()]
    for rows in prices.values():
        denominators += [value.denominator for _, value in rows]
    return lcm(*denominators)


def _without_numbers(task: TaskText, has_costs: bool) -> TaskText:
    """Return the task without its numeric effects, and with `total-cost` if it has costs."""
    actions = list[syntax.Action]()
    for action in task.domain.actions:
        effect = with_changes(action.effect, lambda change: syntax.Together(()))
        actions.append(replace(action, effect=effect))
    total = replace(
        task.problem.name,
        key=TOTAL_COST,
        text=TOTAL_COST,
    )
    declared = (syntax.Signature(total, ()),) if has_costs else ()
    metric = ("minimize", syntax.Atom(total, ())) if has_costs else None
    return replace(
        task,
        domain=replace(
            task.domain,
            actions=tuple(actions),
            functions=declared,
        ),
        problem=replace(
            task.problem,
            values=(),
            metric=metric,
        ),
    )


def _rows(
    task: TaskText,
    action: syntax.Action,
    counted: _Terms,
) -> Rows | None:
    """Return the price of an action by its parameters; None if it has no price."""
    parts = list(_amounts(task, action, counted))
    if not parts:
        return None
    first = next(part for part in syntax.together(action.effect) if isinstance(part, Assign))
    rows = rows_of(
        task,
        syntax.Operation(
            "+",
            tuple(parts),
            first.at,
        ),
    )
    if rows is None or any(value < 0 for _, value in rows):
        problem = f"action {action.name} improves the metric, or its price is undefined"
        raise wrong(first.at, problem, "use prices that are numbers from 0")
    return rows


def _amounts(
    task: TaskText,
    action: syntax.Action,
    counted: _Terms,
) -> Iterator[syntax.Expression]:
    """Yield the amounts by which an action increases the metric."""
    direct = [part for part in syntax.together(action.effect) if isinstance(part, Assign)]
    for part, _ in syntax.inside(action.effect):
        if not isinstance(part, Assign):
            continue
        factor = counted.get(part.target.ground())
        if not factor:
            continue
        changes = any(f.name.key in task.assigned for f in functions(part.amount))
        if part not in direct or part.word != "increase" or changes:
            problem = "a number of the metric may only increase, and by static amounts"
            raise wrong(part.at, f"{problem}, beside constraints or preferences", _ALONE)
        yield syntax.Operation(
            "*",
            (factor, part.amount),
            part.at,
        )
