"""Rewriting of tasks into simpler tasks with the same plans.

If the cost of an action is an expression of constants, the action gets a new function as its cost.
The end of the module has helpers of all modules that rewrite tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any, TypeAlias

from asplan.core.errors import Location
from asplan.pddl.language import syntax
from asplan.pddl.language.interpretation import Interpretation, value_of
from asplan.pddl.language.lexer import Word
from asplan.pddl.language.syntax import (
    Assign,
    Atom,
    EffectFormula,
    Expression,
    Formula,
    PddlAction,
    TaskText,
)

MADE_COST = "@"
"""The end of the names of generated functions; no name in a file can contain it."""

_MOST = 100_000  # the maximum number of values of a generated function


def with_plain_costs(task: TaskText) -> TaskText:
    """Return a task in which the cost of each action is a number or a single function.

    Return the task unchanged unless all its numbers are costs, and all costs are natural numbers.
    """
    plain = _with_cost_functions(task)
    return task if plain.has_numbers else plain


def beyond_costs(task: TaskText) -> tuple[Location, str] | None:
    """Return the location and a description of the first number that is not a cost.

    Return None if all numbers are costs. An expression of constants counts as a cost.
    """
    return _with_cost_functions(task).beyond_costs


def _with_cost_functions(task: TaskText) -> TaskText:
    """Replace each cost that is an expression of constants by a new function."""
    prices: dict[str, Rows] = {}
    for action in task.domain.actions:
        cost = _constant_cost(task, action)
        rows = None if cost is None else rows_of(task, cost)
        if rows is not None and all(syntax.is_cost(value) for _, value in rows):
            prices[action.name.key] = rows
    return with_prices(task, prices)


def _constant_cost(
    task: TaskText,
    action: PddlAction,
) -> Expression | None:
    """Return the cost of an action if the cost is an operation on constants; else None."""
    costs = [part for part in syntax.together(action.effect) if isinstance(part, Assign)]
    if len(costs) != 1:
        return None
    (cost,) = costs
    if cost.word != "increase" or cost.target.name.key != syntax.TOTAL_COST:
        return None
    if not isinstance(cost.amount, syntax.Operation):
        return None
    changing = task.assigned | {syntax.TOTAL_COST, syntax.DURATION}
    functions = {atom.name.key for atom in syntax.functions(cost.amount)}
    return cost.amount if functions.isdisjoint(changing) else None


Rows: TypeAlias = Sequence[tuple[dict[str, str], Fraction]]
"""Values of variables, each time with the value that an expression has for them."""


def with_prices(
    task: TaskText,
    prices: Mapping[str, Rows],
) -> TaskText:
    """Return a task in which each action in `prices` has a generated function as its cost.

    The cost replaces all numeric effects of the action. The function's parameters are the action's
    parameters that occur in the rows. The action never applies for arguments without a row.

    Parameters
    ----------
    task
        The task.
    prices
        The costs by the keys of actions. A row has the values of some parameters, and the cost for
        these values.
    """
    functions = list(task.domain.functions)
    values = list(task.problem.values)
    actions: list[PddlAction] = []
    for action in task.domain.actions:
        rows = prices.get(action.name.key)
        if rows is None:
            actions.append(action)
            continue
        function = _cost_function(action, rows)
        functions.append(function)
        values += _cost_values(task, function, rows)
        actions.append(_with_cost(action, function))
    return replace(
        task,
        domain=replace(task.domain, actions=tuple(actions), functions=tuple(functions)),
        problem=replace(task.problem, values=tuple(values)),
    )


def _cost_function(
    action: PddlAction,
    rows: Rows,
) -> syntax.Signature:
    """Return a new function; its parameters are the action's parameters that occur in the rows."""
    keys = rows[0][0] if rows else {}
    variables = tuple(typed for typed in action.parameters if typed.name.key in keys)
    name = f"cost-of-{action.name.text}{MADE_COST}"
    word = replace(action.name, key=name.lower(), text=name)
    return syntax.Signature(word, variables)


def _cost_values(
    task: TaskText,
    function: syntax.Signature,
    rows: Rows,
) -> Iterator[tuple[Atom, Fraction]]:
    """Yield the values of a generated function, as a problem file would give them."""
    for bound, value in rows:
        keys = (bound[typed.name.key] for typed in function.parameters)
        objects = tuple(task.objects[key][0].name for key in keys)
        yield Atom(function.name, objects), value


def _with_cost(
    action: PddlAction,
    function: syntax.Signature,
) -> PddlAction:
    """Return an action whose only numeric effect adds the value of a function to the total cost."""
    total = replace(function.name, key=syntax.TOTAL_COST, text=syntax.TOTAL_COST)
    at: Any = action.name  # a word in the place of the group that no file has
    cost = Assign("increase", Atom(total, ()), function.atom, at)
    kept: Any = [  # the parts of an effect are effects
        part for part in syntax.together(action.effect) if not isinstance(part, Assign)
    ]
    return replace(action, effect=syntax.Together((*kept, cost)))


def rows_of(
    task: TaskText,
    expression: Expression,
) -> Rows | None:
    """Return rows: the values of an expression for all values of its variables.

    A row has values of the variables, and the value of the expression for them. Values for which
    the expression has no value are left out. The functions in the expression must be constant.
    Return None if the expression divides by 0, or if there are too many rows.
    """
    bindings: list[dict[str, str]] = [{}]
    for atom in syntax.functions(expression):
        rows = [row[1:] for row in task.values if row[0] == atom.name.key]
        bindings = list(_extended(bindings, atom.ground()[1:], rows))
        if len(bindings) > _MOST:
            return None
    facts = Interpretation(task.values)
    value = value_of(expression, {})
    try:
        return [(bound, value(bound, facts)) for bound in bindings]
    except ZeroDivisionError:
        return None


def _extended(
    bindings: Iterable[dict[str, str]],
    words: syntax.Row,
    rows: Sequence[syntax.Row],
) -> Iterator[dict[str, str]]:
    """Yield extensions of the bindings that give values to the variables in `words`.

    `words` are the arguments of a function, and `rows` the arguments for which the function has a
    value. A binding has one extension for each row that `words` can equal.
    """
    for bound in bindings:
        for row in rows:
            new = _matched(words, row, bound)
            if new is not None:
                yield {**bound, **new}


def _matched(
    words: syntax.Row,
    row: syntax.Row,
    bound: Mapping[str, str],
) -> dict[str, str] | None:
    """Return the values of variables for which `words` equals `row`; None if there are none.

    `bound` has the values of variables that are already known.
    """
    new: dict[str, str] = {}
    for word, value in zip(words, row, strict=True):
        expected = value if word[0] == "?" else word
        if (bound.get(word) or new.get(word, expected)) != value:
            return None
        if word[0] == "?":
            new[word] = value
    return new


# Helpers of all modules that rewrite tasks.


def rewritten(
    task: TaskText,
    domain: Mapping[str, Any],  # fields of `DomainText`, of many types
    problem: Mapping[str, Any],  # fields of `ProblemText`, of many types
) -> TaskText:
    """Return a task in which `domain` and `problem` replace fields of its domain and problem.

    The objects of the problem become constants of the domain, and the requirements are left out.
    """
    constants = (*task.domain.constants, *task.problem.objects)
    return TaskText(
        replace(task.domain, requirements=(), constants=constants, **domain),
        replace(task.problem, requirements=(), objects=(), **problem),
    )


def conjunction(*parts: Formula) -> Formula:
    """Return the conjunction of conditions, without conditions that always hold."""
    kept = tuple(part for part in parts if part != syntax.ALWAYS)
    return kept[0] if len(kept) == 1 else syntax.Connected("and", kept)


def with_changes(
    effect: EffectFormula,
    new: Callable[[Assign], EffectFormula],
) -> EffectFormula:
    """Replace each numeric effect inside an effect by the result of `new`."""
    match effect:
        case Assign():
            return new(effect)
        case syntax.Together(parts):
            return syntax.Together(tuple(with_changes(part, new) for part in parts))
        case syntax.Each(_, body) | syntax.When(_, body):
            return replace(effect, body=with_changes(body, new))
    return effect


class FreshNames:
    """A source of names that a task does not use.

    Parameters
    ----------
    place
        A word of the task; its place in the file becomes the place of all new names.
    taken
        The declarations and actions whose names are in use.
    """

    def __init__(
        self,
        place: Word,
        *taken: Iterable[syntax.Signature | PddlAction | syntax.DurativeAction],
    ) -> None:
        self.place = place
        self.used: set[str] = set()
        for named in taken:
            self.used.update(one.name.key for one in named)

    def new(
        self,
        wanted: str,
        is_numbered: bool = False,
    ) -> Word:
        """Return a new name that begins with `wanted`.

        If `is_numbered`, the name always ends with a number: the first one that makes the name
        new. Otherwise a number is added only if `wanted` itself is in use.
        """
        names = (f"{wanted}-{n}" if is_numbered or n > 1 else wanted for n in count(1))
        key = next(key for key in names if key not in self.used)
        self.used.add(key)
        return replace(self.place, key=key, text=key)
