"""The operators in a fixed order: for each fact those that touch it, one after the other.

If the operators of a step are executed in the order of their numbers, what holds in between is told
along a chain for each fact. Operators with a condition on a variable touch two of its facts, the
one they ask for and the one they bring about; those without may end any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from asplan.domains.pddl.interference import basis, writes
from asplan.domains.pddl.task import Fact, Operator, Task

START = "start"
"""What stands at the beginning of each chain."""

Link = int | str
"""An operator, or `START`."""


class Chains(NamedTuple):
    """The chains of all facts.

    Attributes
    ----------
    links
        For each fact the operators that touch it, in order, `START` first.
    seen
        For each operator and each fact that it may ask for the last in the chain before it.
    """

    links: dict[Fact, list[Link]]
    seen: list[list[tuple[Fact, Link]]]


def chains(task: Task) -> Chains:
    """The chains of the basic variables' facts; a task without axioms has them in linear size."""
    rests_on = basis(task)
    links: dict[Fact, list[Link]] = {
        (v, d): [START]
        for v, variable in enumerate(task.variables)
        for d in range(len(variable.values))
        if not variable.is_derived
    }
    seen = []
    for o, operator in enumerate(task.operators):
        asked = sorted(set(_asked(task, operator, rests_on)))
        seen.append([(fact, links[fact][-1]) for fact in asked])
        for fact in sorted(set(_touched(task, operator))):
            links[fact].append(o)
    return Chains(links, seen)


def _asked(task: Task, operator: Operator, rests_on: dict[int, frozenset[int]]) -> Iterator[Fact]:
    """The facts that an operator may ask for; of what derived variables rest on all of them."""
    conditions = [operator.precondition, *(effect.condition for effect in operator.effects)]
    asked = {fact for condition in conditions for fact in condition}
    yield from (fact for fact in asked if fact[0] not in rests_on)
    derived = {v for v, _ in asked} & rests_on.keys()
    for v in {w for derived_one in derived for w in rests_on[derived_one]}:
        yield from ((v, d) for d in range(len(task.variables[v].values)))


def _touched(task: Task, operator: Operator) -> Iterator[Fact]:
    """The facts that an operator may begin or end."""
    before = dict(operator.precondition)
    for v in writes(operator):
        effects = [e for e in operator.effects if e.fact[0] == v]
        yield from (effect.fact for effect in effects)
        if v in before:
            yield v, before[v]
        else:
            yield from ((v, d) for d in range(len(task.variables[v].values)))
