"""The translator's output, read as a finite-domain task.

The format, line by line: https://www.fast-downward.org/latest/documentation/translator-output-format/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from asplan.domains.pddl.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable
from asplan.pddl.names import Names

_ATOM = re.compile(r"Atom (.*)\((.*)\)")
_MADE = re.compile(r"new-axiom@(\d+)")

MADE = "axiom"
"""What derived predicates are called that the translator makes; no predicate of a task is."""


def read_sas(text: str, names: Names) -> Task:
    """The task in a text that the translator wrote."""
    lines = iter(text.splitlines())
    _expect(lines, "begin_version", "3", "end_version", "begin_metric")
    has_costs = next(lines) == "1"
    _expect(lines, "end_metric")
    variables = tuple(_variable(lines, names) for _ in range(int(next(lines))))
    mutexes = tuple(filter(_tells, [_mutex(lines) for _ in range(int(next(lines)))]))
    _expect(lines, "begin_state")
    initial = tuple(int(next(lines)) for _ in variables)
    _expect(lines, "end_state", "begin_goal")
    goal = _facts(lines)
    _expect(lines, "end_goal")
    operators = tuple(_operator(lines, names) for _ in range(int(next(lines))))
    if not has_costs:
        operators = tuple(replace(operator, cost=1) for operator in operators)
    axioms = tuple(_axiom(lines) for _ in range(int(next(lines))))
    return Task(variables, initial, goal, operators, axioms, mutexes, has_costs=has_costs)


def _expect(lines: Iterator[str], *words: str) -> None:
    for word in words:
        if (line := next(lines)) != word:
            raise ValueError(f"the translator wrote {line!r} where {word!r} should stand")


def _variable(lines: Iterator[str], names: Names) -> Variable:
    _expect(lines, "begin_variable")
    next(lines)  # var0, var1, …
    layer, size = int(next(lines)), int(next(lines))
    values = tuple(_value(next(lines), names) for _ in range(size))
    _expect(lines, "end_variable")
    return Variable(values, layer)


def _value(line: str, names: Names) -> str:
    """The term for `Atom on(a, b)`; a negated atom is a variable's other value, as is none."""
    found = _ATOM.fullmatch(line)
    if found is None:
        return NONE
    predicate, arguments = found[1], found[2].split(", ") if found[2] else []
    if made := _MADE.fullmatch(predicate):
        # A derived predicate that the translator needed for a part of a condition.
        return f"{MADE}({','.join([made[1], *(names.objects.terms[a] for a in arguments)])})"
    return names.atom(predicate, arguments)


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


def _operator(lines: Iterator[str], names: Names) -> Operator:
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
    return Operator(
        names.action(name, arguments), tuple(sorted(precondition)), tuple(effects), cost
    )


def _axiom(lines: Iterator[str]) -> Axiom:
    _expect(lines, "begin_rule")
    condition = _facts(lines)
    variable, _, after = map(int, next(lines).split())
    _expect(lines, "end_rule")
    return Axiom((variable, after), condition)


_TRIVIAL = re.compile(r"(.*)! Generating (un)?solvable task")
_REASONS = {
    "No relaxed solution": "the goal cannot be reached, not even if actions made nothing false",
    "Trivially false goal": "the goal asks for what no action can change",
    "Goal violates a mutex": "the goal asks for what can never hold together",
    "Simplified to trivially false goal": "the goal asks for what no action can bring about",
}
"""Why the translator gives up, in its words and in ours."""


def trivial(said: str) -> Task | None:
    """The task where the translator needs no search to see that there is no plan, or an empty one.

    It writes one of its own making then, and says so.
    """
    if (found := _TRIVIAL.search(said)) is None:
        return None
    if not found[2]:
        return Task((Variable((NONE,)),), initial=(0,), goal=(), operators=(), is_stub=True)
    hopeless = _REASONS.get(found[1], found[1])
    stub = Task((Variable((NONE, "never")),), initial=(0,), goal=((0, 1),), operators=())
    return replace(stub, hopeless=hopeless, is_stub=True)
