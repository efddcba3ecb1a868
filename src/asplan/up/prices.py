"""What actions cost, as PDDL can say it: whole numbers, alone or in a table by parameters.

In unified-planning a cost is any term over numbers and over fluents that never change.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

from unified_planning.exceptions import UPUsageError
from unified_planning.model import FNode, Object, Problem
from unified_planning.model.metrics import MinimizeActionCosts

from asplan.numbers import LARGEST


@dataclass(frozen=True)
class Table:
    """A cost that depends on some parameters of its action; where it is undefined there is none."""

    parameters: tuple[Any, ...]
    values: Mapping[tuple[Object, ...], int]


@dataclass(frozen=True)
class Prices:
    """The cost of each action by its name, in units that make all of them whole."""

    costs: Mapping[str, int | Table]
    unit: Fraction


def prices_of(problem: Problem) -> Prices | None:
    """The costs that the metric of a problem minimizes; None if it has another metric, or none.

    Raises
    ------
    UPUsageError
        An action costs less than nothing, or more than can be counted.
    """
    metric = next(iter(problem.quality_metrics), None)
    if not isinstance(metric, MinimizeActionCosts):
        return None
    found: dict[str, tuple[tuple[Any, ...], dict[tuple[Object, ...], Fraction]]] = {}
    for action in problem.actions:
        cost = metric.get_action_cost(action)
        parameters = () if cost is None else _parameters(cost)
        values = {(): Fraction(0)} if cost is None else dict(_values(problem, cost, parameters))
        if any(value < 0 for value in values.values()):
            raise UPUsageError(f"asplan needs costs of 0 or more, and {action.name} has one below")
        found[action.name] = parameters, values
    parts = lcm(*(v.denominator for _, values in found.values() for v in values.values()))
    costs: dict[str, int | Table] = {}
    for name, (parameters, values) in found.items():
        whole = {objects: int(value * parts) for objects, value in values.items()}
        if max(whole.values(), default=0) > LARGEST:
            unit = "" if parts == 1 else f" parts of 1/{parts}, which make all costs whole,"
            raise UPUsageError(f"{name} costs more than the {LARGEST}{unit} that asplan can count")
        costs[name] = Table(parameters, whole) if parameters or not whole else whole[()]
    return Prices(costs, Fraction(1, parts))


def _parameters(node: FNode) -> tuple[Any, ...]:
    """The parameters of an action that a term speaks of."""
    if node.is_parameter_exp():
        return (node.parameter(),)
    return tuple(dict.fromkeys(p for part in node.args for p in _parameters(part)))


def _values(
    problem: Problem, cost: FNode, parameters: tuple[Any, ...]
) -> Iterator[tuple[tuple[Object, ...], Fraction]]:
    """The values that a term has for objects in place of its parameters, where it has one."""
    domains = [list(problem.objects(parameter.type)) for parameter in parameters]
    for objects in product(*domains):
        value = _value(problem, cost, dict(zip(parameters, objects, strict=True)))
        if value is not None:
            yield objects, value


def _value(problem: Problem, node: FNode, bound: Mapping[Any, Object]) -> Fraction | None:
    """What a term is worth; None if a fluent in it has no value."""
    if node.is_constant():
        return Fraction(node.constant_value())
    if node.is_fluent_exp():
        words = [bound[a.parameter()] if a.is_parameter_exp() else a.object() for a in node.args]
        atom = node.fluent()(*words)
        given = problem.explicit_initial_values.get(atom)
        given = problem.fluents_defaults.get(node.fluent()) if given is None else given
        return None if given is None else Fraction(given.constant_value())
    first, *rest = (_value(problem, part, bound) for part in node.args)
    for value in rest:
        if first is None or value is None or (node.is_div() and value == 0):
            return None
        operation = next(operation for is_it, operation in _OPERATIONS if is_it(node))
        first = operation(first, value)
    return first


_OPERATIONS: tuple[tuple[Any, Callable[[Fraction, Fraction], Fraction]], ...] = (
    (FNode.is_plus, operator.add),
    (FNode.is_minus, operator.sub),
    (FNode.is_times, operator.mul),
    (FNode.is_div, operator.truediv),
)
