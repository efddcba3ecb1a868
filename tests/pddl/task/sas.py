"""A reader of the output of Fast Downward's translator."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language.names import PddlNames
from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable

Found = TypeVar("Found")

_ATOM = re.compile(r"Atom (.*)\((.*)\)")
_MADE = re.compile(r"new-axiom@(\d+)")


def read_sas(text: str, names: PddlNames) -> Task:
    """The task in a text that the translator wrote.

    The format: https://www.fast-downward.org/latest/documentation/translator-output-format/
    """
    lines = iter(text.splitlines())

    def block(name: str, read: Callable[[], Found]) -> Found:
        """Return the lines between two lines with a name."""
        if (line := next(lines)) != f"begin_{name}":
            raise ValueError(f"the translator wrote {line!r} where {name!r} should begin")
        found = read()
        if (line := next(lines)) != f"end_{name}":
            raise ValueError(f"the translator wrote {line!r} where {name!r} should end")
        return found

    def blocks(name: str, read: Callable[[], Found]) -> tuple[Found, ...]:
        return tuple(block(name, read) for _ in range(number()))

    def number() -> int:
        return int(next(lines))

    @cache  # there are as many lines as operators have facts, and few facts
    def fact(line: str) -> Fact:
        variable, value = line.split()
        return int(variable), int(value)

    def facts() -> tuple[Fact, ...]:
        return tuple([fact(next(lines)) for _ in range(number())])

    @cache
    def effect(line: str) -> tuple[Effect, Fact | None]:
        """Return an effect, and the value of its variable before, if it is given."""
        size, *rest = map(int, line.split())
        condition = tuple(zip(rest[0 : 2 * size : 2], rest[1 : 2 * size : 2], strict=True))
        changed, before, after = rest[2 * size :]
        return Effect((changed, after), condition), None if before == -1 else (changed, before)

    def variable() -> Variable:
        next(lines)  # var0, var1, …
        layer = number()
        return Variable(tuple(_value(next(lines), names) for _ in range(number())), layer)

    def operator() -> Operator:
        name, *arguments = next(lines).split()
        precondition = set(facts())
        found = [effect(next(lines)) for _ in range(number())]
        precondition.update([before for _, before in found if before is not None])
        cost, action = number(), names.action(name, arguments)
        parts = tuple(sorted(precondition)), tuple([effect for effect, _ in found])
        return Operator(action, *parts, cost if has_costs else 1)

    def axiom() -> Axiom:
        condition = facts()
        changed, _, after = map(int, next(lines).split())
        return Axiom((changed, after), condition)

    block("version", number)
    has_costs = block("metric", number) == 1
    variables = blocks("variable", variable)
    mutexes = blocks("mutex_group", facts)
    initial = block("state", lambda: tuple(number() for _ in variables))
    goal = block("goal", facts)
    operators = blocks("operator", operator)
    axioms = blocks("rule", axiom)
    # A group that speaks of one variable says nothing: a variable has a single value anyhow.
    groups = tuple(group for group in mutexes if len({v for v, _ in group}) > 1)
    return Task(variables, initial, goal, operators, axioms, groups, has_costs=has_costs)


def _value(line: str, names: PddlNames) -> str:
    """The term for `Atom on(a, b)`; a negated atom is a variable's other value, as is none."""
    found = _ATOM.fullmatch(line)
    if found is None:
        return NONE
    predicate, arguments = found[1], found[2].split(", ") if found[2] else []
    if made := _MADE.fullmatch(predicate):
        # A derived predicate that the translator needed for a part of a condition.
        return f"{AUXILIARY}({','.join([made[1], *(names.objects.terms[a] for a in arguments)])})"
    return names.atom(predicate, arguments)
