"""Tasks said in plainer words, which mean the same: for programs that know less of the language.

A cost that is an expression of numbers that never change becomes a function of its own. At the end
stands what all who rewrite tasks have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

from asplan.core.errors import Location
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import Interpretation, value_of
from asplan.pddl.language.lexer import Word
from asplan.pddl.language.syntax import Action, Assign, Atom, Formula, TaskText

MADE_COST = "@"  # ends the names of functions that are made; no name in a file can hold it

_MOST = 100_000  # values that one function gets at most


def with_plain_costs(task: TaskText) -> TaskText:
    """A task whose actions cost a number or what one function says, as far as that can be said.

    Where one is no whole number from 0, or there are other numbers, all stay as they are.
    """
    plain = _with_cost_functions(task)
    return task if plain.has_numbers else plain


def beyond_costs(task: TaskText) -> tuple[Location, str] | None:
    """Return the first number that is more than a cost, with its place; None if there is none."""
    return _with_cost_functions(task).beyond_costs


def _with_cost_functions(task: TaskText) -> TaskText:
    """The task with a function in the place of each cost that is an expression of constants."""
    rows = {
        action.name.key: found
        for action in task.domain.actions
        if (cost := _expression(task, action)) is not None
        and (found := rows_of(task, cost.amount)) is not None
        and all(syntax.is_cost(value) for _, value in found)
    }
    return with_prices(task, rows)


def _expression(task: TaskText, action: Action) -> Assign | None:
    """The one effect on the total cost that is an expression of what never changes."""
    costs = [part for part in syntax.together(action.effect) if isinstance(part, Assign)]
    moving = task.assigned | {syntax.TOTAL_COST, syntax.DURATION}
    if (
        len(costs) != 1
        or costs[0].word != "increase"
        or costs[0].target.name.key != syntax.TOTAL_COST
    ):
        return None
    if not isinstance(costs[0].amount, syntax.Operation):
        return None
    is_static = all(atom.name.key not in moving for atom in syntax.functions(costs[0].amount))
    return costs[0] if is_static else None


Rows = Sequence[tuple[dict[str, str], Fraction]]  # what variables may be, each time with a value


def with_prices(task: TaskText, prices: Mapping[str, Rows]) -> TaskText:
    """A task in which some actions, by their keys, change no number but the total cost.

    Each costs what a function of its own says, of the parameters on which that depends. It never
    applies where that has no value.
    """
    made, values, actions = list[syntax.Signature](), list[tuple[Atom, Fraction]](), list[Action]()
    for action in task.domain.actions:
        if (rows := prices.get(action.name.key)) is None:
            actions.append(action)
            continue
        bound_names = rows[0][0] if rows else {}
        variables = tuple(p for p in action.parameters if p.name.key in bound_names)
        name = f"cost-of-{action.name.text}{MADE_COST}"
        word = replace(action.name, key=name.lower(), text=name)
        made.append(syntax.Signature(word, variables))
        for bound, value in rows:
            objects = (task.objects[bound[v.name.key]][0].name for v in variables)
            values.append((Atom(word, tuple(objects)), value))
        total = replace(word, key=syntax.TOTAL_COST, text=syntax.TOTAL_COST)
        amount = Atom(word, tuple(v.name for v in variables))
        price = Assign("increase", Atom(total, ()), amount, action.name)  # type: ignore[arg-type]
        kept = (part for part in syntax.together(action.effect) if not isinstance(part, Assign))
        actions.append(replace(action, effect=syntax.Together((*kept, price))))  # type: ignore[arg-type]
    domain, problem = task.domain, task.problem
    return replace(
        task,
        domain=replace(domain, actions=tuple(actions), functions=(*domain.functions, *made)),
        problem=replace(problem, values=(*problem.values, *values)),
    )


def rows_of(task: TaskText, expression: syntax.Expression) -> Rows | None:
    """The values of variables for which an expression of constants has a value, and that.

    None if it divides by 0, or there are too many.
    """
    bindings: list[dict[str, str]] = [{}]
    for atom in syntax.functions(expression):
        words = atom.ground()[1:]
        known = [row[1:] for row in task.values if row[0] == atom.name.key]
        bindings = [
            {**bound, **new}
            for bound in bindings
            for row in known
            if (new := _matched(words, row, bound)) is not None
        ]
        if len(bindings) > _MOST:
            return None
    facts, value = Interpretation(task.values), value_of(expression, {})
    try:
        return [(bound, value(bound, facts)) for bound in bindings]
    except ZeroDivisionError:
        return None


def _matched(
    words: tuple[str, ...], row: tuple[str, ...], bound: Mapping[str, str]
) -> dict[str, str] | None:
    """What further variables must be where an atom is a row; None where it cannot be."""
    new: dict[str, str] = {}
    for word, value in zip(words, row, strict=True):
        if (bound.get(word) or new.get(word, value if word[0] == "?" else word)) != value:
            return None
        if word[0] == "?":
            new[word] = value
    return new


def rewritten(task: TaskText, domain: Mapping[str, Any], problem: Mapping[str, Any]) -> TaskText:
    """A task with other parts, which may all name what were objects of the problem."""
    constants = (*task.domain.constants, *task.problem.objects)
    return TaskText(
        replace(task.domain, requirements=(), constants=constants, **domain),
        replace(task.problem, requirements=(), objects=(), **problem),
    )


def conjunction(*parts: Formula) -> Formula:
    """All of some conditions, but for those that hold always."""
    kept = tuple(part for part in parts if part != syntax.ALWAYS)
    return kept[0] if len(kept) == 1 else syntax.Connected("and", kept)


def with_changes(
    effect: syntax.EffectFormula, new: Callable[[Assign], syntax.EffectFormula]
) -> syntax.EffectFormula:
    """An effect with something else in place of each change of a number."""
    match effect:
        case Assign():
            return new(effect)
        case syntax.Together(parts):
            return syntax.Together(tuple(with_changes(part, new) for part in parts))
        case syntax.Each(_, body) | syntax.When(_, body):
            return replace(effect, body=with_changes(body, new))
    return effect


class FreshNames:
    """Makes words that nothing in a task is called by."""

    def __init__(
        self, place: Word, *taken: Iterable[syntax.Signature | Action | syntax.DurativeAction]
    ) -> None:
        self.place, self.used = place, {named.name.key for several in taken for named in several}

    def new(self, wanted: str, is_numbered: bool = False) -> Word:
        """A word like this; that it `is_numbered` is also so of the first."""
        names = (f"{wanted}-{n}" if is_numbered or n > 1 else wanted for n in count(1))
        key = next(key for key in names if key not in self.used)
        self.used.add(key)
        return replace(self.place, key=key, text=key)
