"""The translator's output, read as a finite-domain task.

The format, line by line: https://www.fast-downward.org/latest/documentation/translator-output-format/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from asplan.domains.pddl.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable

Named = Callable[[str, Sequence[str]], str]
"""From the name of a predicate or an action, and those of its arguments, to an ASP term."""

_ATOM = re.compile(r"Atom (.*)\((.*)\)")
_MADE = re.compile(r"new-axiom@(\d+)")


def read_sas(text: str, atom: Named, action: Named) -> Task:
    """The task in a text that the translator wrote."""
    lines = iter(text.splitlines())
    _expect(lines, "begin_version", "3", "end_version", "begin_metric")
    has_costs = next(lines) == "1"
    _expect(lines, "end_metric")
    variables = tuple(_variable(lines, atom) for _ in range(int(next(lines))))
    mutexes = tuple(filter(_tells, [_mutex(lines) for _ in range(int(next(lines)))]))
    _expect(lines, "begin_state")
    initial = tuple(int(next(lines)) for _ in variables)
    _expect(lines, "end_state", "begin_goal")
    goal = _facts(lines)
    _expect(lines, "end_goal")
    operators = tuple(_operator(lines, action) for _ in range(int(next(lines))))
    if not has_costs:
        operators = tuple(replace(operator, cost=1) for operator in operators)
    axioms = tuple(_axiom(lines) for _ in range(int(next(lines))))
    return Task(variables, initial, goal, operators, axioms, mutexes, has_costs=has_costs)


def _expect(lines: Iterator[str], *words: str) -> None:
    for word in words:
        if (line := next(lines)) != word:
            raise ValueError(f"the translator wrote {line!r} where {word!r} should stand")


def _variable(lines: Iterator[str], atom: Named) -> Variable:
    _expect(lines, "begin_variable")
    next(lines)  # var0, var1, …
    layer, size = int(next(lines)), int(next(lines))
    values = tuple(_value(next(lines), atom) for _ in range(size))
    _expect(lines, "end_variable")
    return Variable(values, layer)


def _value(line: str, atom: Named) -> str:
    """The term for `Atom on(a, b)`; a negated atom is a variable's other value, as is none."""
    found = _ATOM.fullmatch(line)
    if found is None:
        return NONE
    name, arguments = found[1], found[2].split(", ") if found[2] else []
    if made := _MADE.fullmatch(name):
        # A derived predicate that the translator needed for a part of a condition.
        return f"axiom({','.join([made[1], *(atom(a, []) for a in arguments)])})"
    return atom(name, arguments)


def _mutex(lines: Iterator[str]) -> tuple[Fact, ...]:
    _expect(lines, "begin_mutex_group")
    facts = _facts(lines)
    _expect(lines, "end_mutex_group")
    return facts


def _tells(group: tuple[Fact, ...]) -> bool:
    """Whether a group speaks of several variables; one has a single value anyhow."""
    return len({variable for variable, _ in group}) > 1


def _facts(lines: Iterator[str]) -> tuple[Fact, ...]:
    return tuple(_pair(next(lines)) for _ in range(int(next(lines))))


def _pair(line: str) -> Fact:
    variable, value = line.split()
    return int(variable), int(value)


def _operator(lines: Iterator[str], action: Named) -> Operator:
    _expect(lines, "begin_operator")
    name, *arguments = next(lines).split()
    precondition = list(_facts(lines))
    effects = []
    for _ in range(int(next(lines))):
        numbers = [int(word) for word in next(lines).split()]
        size, rest = numbers[0], numbers[1:]
        condition = tuple(zip(rest[0 : 2 * size : 2], rest[1 : 2 * size : 2], strict=True))
        variable, before, after = rest[2 * size :]
        if before != -1 and (variable, before) not in precondition:
            precondition.append((variable, before))
        effects.append(Effect((variable, after), condition))
    cost = int(next(lines))
    _expect(lines, "end_operator")
    return Operator(action(name, arguments), tuple(sorted(precondition)), tuple(effects), cost)


def _axiom(lines: Iterator[str]) -> Axiom:
    _expect(lines, "begin_rule")
    condition = _facts(lines)
    variable, _, after = map(int, next(lines).split())
    _expect(lines, "end_rule")
    return Axiom((variable, after), condition)
