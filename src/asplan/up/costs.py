"""Costs of actions in the forms that PDDL has: an integer, or a table of integers by parameters.

In unified-planning, a cost is any term over numbers and over fluents that never change.
"""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import chain, product
from math import lcm

from unified_planning.exceptions import UPUsageError
from unified_planning.model import (
    Action,
    FNode,
    Object,
    Parameter,
    Problem,
)
from unified_planning.model.metrics import MinimizeActionCosts

from asplan.core.dataclass import dataclass
from asplan.core.text import LARGEST

Arguments = tuple[Object, ...]


@dataclass(frozen=True)
class CostTable:
    """The cost of an action, by the arguments of the parameters that the cost depends on.

    An action whose arguments have no value in the table is not applicable.
    """

    parameters: tuple[Parameter, ...]
    values: Mapping[Arguments, int]

    @property
    def constant(self) -> int | None:
        """The cost of the action if this depends on no parameter.

        None if the cost depends on a parameter, or is undefined.
        """
        return None if self.parameters else self.values.get(())


@dataclass(frozen=True)
class ActionCosts:
    """The costs of all actions, by their names; the integers are multiples of `unit`."""

    tables: Mapping[str, CostTable]
    unit: Fraction


def read_costs(problem: Problem) -> ActionCosts | None:
    """Return the costs of actions as integers; None if the problem's metric is not their sum.

    Raises
    ------
    UPUsageError
        A cost is negative, or too large for clingo.
    """
    metric = next(iter(problem.quality_metrics), None)
    if not isinstance(metric, MinimizeActionCosts):
        return None
    parameters: dict[str, tuple[Parameter, ...]] = {}
    values: dict[str, dict[Arguments, Fraction]] = {}
    for action in problem.actions:
        cost = metric.get_action_cost(action)
        parameters[action.name] = () if cost is None else _parameters_of(cost)
        values[action.name] = _tabulate(problem, action, cost, parameters[action.name])
    all_values = chain.from_iterable(table.values() for table in values.values())
    parts = lcm(*(value.denominator for value in all_values))
    tables = {
        name: CostTable(parameters[name], _make_whole(name, table, parts))
        for name, table in values.items()
    }
    return ActionCosts(tables, Fraction(1, parts))


def _parameters_of(term: FNode) -> tuple[Parameter, ...]:
    """Return the parameters of an action that occur in a term, without repetitions."""
    if term.is_parameter_exp():
        return (term.parameter(),)
    parameters = chain.from_iterable(_parameters_of(part) for part in term.args)
    return tuple(dict.fromkeys(parameters))


def _tabulate(
    problem: Problem,
    action: Action,
    cost: FNode | None,
    parameters: tuple[Parameter, ...],
) -> dict[Arguments, Fraction]:
    """Return the cost of an action for all arguments of `parameters`; 0 if `cost` is None."""
    if cost is None:
        return {(): Fraction(0)}
    objects = [list(problem.objects(parameter.type)) for parameter in parameters]
    values: dict[Arguments, Fraction] = {}
    for arguments in product(*objects):
        binding = dict(zip(parameters, arguments, strict=True))
        value = _evaluate(problem, cost, binding)
        if value is not None and value < 0:
            message = f"asplan needs costs of 0 or more, but {action.name} has a negative cost"
            raise UPUsageError(message)
        if value is not None:
            values[arguments] = value
    return values


def _make_whole(
    action: str, values: Mapping[Arguments, Fraction], parts: int
) -> dict[Arguments, int]:
    """Return values as multiples of 1/`parts`; raise `UPUsageError` if one is too large."""
    multiples = {arguments: int(value * parts) for arguments, value in values.items()}
    if max(multiples.values(), default=0) > LARGEST:
        unit = "" if parts == 1 else f" parts of 1/{parts}, which make all costs whole,"
        message = f"{action} costs more than the {LARGEST}{unit} that asplan can count"
        raise UPUsageError(message)
    return multiples


def _evaluate(
    problem: Problem, term: FNode, binding: Mapping[Parameter, Object]
) -> Fraction | None:
    """Return the value of a term in the initial state, with arguments for the parameters in it.

    None if the value is undefined.
    """
    if term.is_constant():
        return Fraction(term.constant_value())
    if term.is_fluent_exp():
        return _initial_value(problem, term, binding)
    total, *others = (_evaluate(problem, part, binding) for part in term.args)
    for value in others:
        if total is None or value is None or (term.is_div() and value == 0):
            return None
        total = _operation_of(term)(total, value)
    return total


def _initial_value(
    problem: Problem, term: FNode, binding: Mapping[Parameter, Object]
) -> Fraction | None:
    fluent = term.fluent()
    arguments = [
        binding[part.parameter()] if part.is_parameter_exp() else part.object()
        for part in term.args
    ]
    value = problem.explicit_initial_values.get(fluent(*arguments))
    if value is None:
        value = problem.fluents_defaults.get(fluent)
    return None if value is None else Fraction(value.constant_value())


def _operation_of(term: FNode) -> Callable[[Fraction, Fraction], Fraction]:
    for is_such, operation in _OPERATIONS:
        if is_such(term):
            return operation
    raise AssertionError(term)


_OPERATIONS: tuple[
    tuple[Callable[[FNode], bool], Callable[[Fraction, Fraction], Fraction]], ...
] = (
    (FNode.is_plus, operator.add),
    (FNode.is_minus, operator.sub),
    (FNode.is_times, operator.mul),
    (FNode.is_div, operator.truediv),
)
