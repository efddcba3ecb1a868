"""A parser for constraints and preferences on the trajectory of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from asplan.pddl.language import syntax
from asplan.pddl.language.formulas import (
    CONSTRAINT_WORDS,
    TIMED_CONSTRAINT,
    TIMED_CONSTRAINT_WORDS,
    formula_of,
)
from asplan.pddl.language.lexer import Group, Node, quoted, wrong
from asplan.pddl.language.nodes import (
    arguments_of,
    as_group,
    as_word,
    head_of,
    refusal,
    split_conjunction,
    time_of,
    variables_in,
)
from asplan.pddl.language.syntax import ALWAYS, Formula, TrajectoryDemand


def with_preferences(node: Node) -> tuple[Formula, tuple[TrajectoryDemand, ...]]:
    """Parse a condition with or without preferences; these may be inside `and` and `forall`.

    Return the condition without the preferences, and the preferences.
    """
    group = as_group(node, "a condition")
    key = head_of(group, "a condition").key if group.items else ""
    if key == "preference":
        name, body = _preference(group)
        part = syntax.Passing((), "at end", (formula_of(body),), group)
        return ALWAYS, (TrajectoryDemand(name, (), (part,), group),)
    if key == "and":
        return _conjunction(group)
    if key == "forall" and len(group.items) == 3:
        return _universal(group)
    return formula_of(group), ()


def _conjunction(group: Group) -> tuple[Formula, tuple[TrajectoryDemand, ...]]:
    """Parse an `and`, and return the condition without preferences, and the preferences.

    A part that consists only of preferences adds nothing to the condition.
    """
    conditions: list[Formula] = []
    preferences: list[TrajectoryDemand] = []
    for item in group.items[1:]:
        formula, demands = with_preferences(item)
        preferences += demands
        if formula != ALWAYS or not demands:
            conditions.append(formula)
    return syntax.Connected("and", tuple(conditions)), tuple(preferences)


def _universal(group: Group) -> tuple[Formula, tuple[TrajectoryDemand, ...]]:
    """Parse `(forall (VARIABLES) CONDITION)`.

    Return the condition without preferences, and the preferences, quantified by the variables.
    """
    formula, demands = with_preferences(group.items[2])
    variables = variables_in(group.items[1])
    if formula != ALWAYS or not demands:
        formula = syntax.Quantified("forall", variables, formula)
    inner = (replace(demand, variables=(*variables, *demand.variables)) for demand in demands)
    return formula, tuple(inner)


def _preference(group: Group) -> tuple[str, Node]:
    """Return the name of a preference and its body; a missing name is empty text."""
    if len(group.items) == 2:
        return "", group.items[1]
    name, body = arguments_of(group, 2, "(preference NAME CONDITION)")
    return as_word(name, "the name of a preference").text, body


def demands_of(node: Node) -> Iterator[TrajectoryDemand]:
    """Yield the constraints and preferences in a `:constraints` section."""
    for around, group, key in split_conjunction(node, "a constraint"):
        name: str | None = None
        body: Node = group
        if key == "preference":
            name, body = _preference(group)
        yield TrajectoryDemand(name, tuple(chain(*around)), tuple(_passing(body)), group)


def _passing(node: Node) -> Iterator[syntax.Passing]:
    """Yield the constraints in a node, including those inside `and` and `forall`.

    Each constraint gets the variables of all `forall` around it.
    """
    for around, group, key in split_conjunction(node, "a constraint"):
        word, parts = _constraint(group, key)
        formulas = tuple(map(formula_of, parts))
        yield syntax.Passing(tuple(chain(*around)), word, formulas, group)


def _constraint(
    group: Group,
    key: str,
) -> tuple[str, tuple[Node, ...]]:
    """Return the word of a single constraint, and its conditions, which are not parsed yet.

    `key` is the first word of the group, in lower case.
    """
    timed = time_of(group)
    if timed is not None and timed[0] == "end":
        return "at end", (timed[1],)
    if key in CONSTRAINT_WORDS:
        number = CONSTRAINT_WORDS[key]
        return key, arguments_of(group, number, f"({key}{number * ' CONDITION'})")
    if key in TIMED_CONSTRAINT_WORDS:
        raise refusal(group, TIMED_CONSTRAINT)
    words = ", ".join(CONSTRAINT_WORDS)
    hint = f"constraints are {words} and at end, under and, forall or preference"
    raise wrong(group, f"{quoted(group)} is not a constraint", hint)
