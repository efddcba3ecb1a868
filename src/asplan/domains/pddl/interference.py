"""Which operators may hinder each other within a step, and where they might do so in a circle.

An operator *reads* a variable if it has a condition on it, or on a derived variable that rests on
it; it *writes* a variable if it has an effect on it, other than what its precondition asks for.
Within a step all that read a variable come before those that write it. With a node for each
operator and two for each variable that order is a graph of linear size (it would be quadratic from
operator to operator):

    reads only         operator -> reading(V)
    reads and writes   reading(V) -> operator -> writing(V)
    writes only        reading(V) -> operator,  writing(V) -> operator

Only within the strongly connected components of this graph can a step go round in a circle.
"""

from __future__ import annotations

from asplan.domains.pddl.task import Operator, Task
from asplan.graphs import components


def basis(task: Task) -> dict[int, frozenset[int]]:
    """For each derived variable the basic ones that it rests on."""
    direct: dict[int, set[int]] = {
        v: set() for v, variable in enumerate(task.variables) if variable.is_derived
    }
    for axiom in task.axioms:
        direct[axiom.fact[0]].update(v for v, _ in axiom.condition)
    return {v: frozenset(_reached(v, direct) - direct.keys()) for v in direct}


def _reached(start: int, after: dict[int, set[int]]) -> set[int]:
    found, left = set[int](), [start]
    while left:
        for v in after.get(left.pop(), ()):
            if v not in found:
                found.add(v)
                left.append(v)
    return found


def reads(operator: Operator, rests_on: dict[int, frozenset[int]]) -> set[int]:
    """The basic variables that an operator reads."""
    conditions = [operator.precondition, *(effect.condition for effect in operator.effects)]
    found = {v for condition in conditions for v, _ in condition}
    return found.union(*(rests_on[v] for v in found if v in rests_on)) - rests_on.keys()


def writes(operator: Operator) -> set[int]:
    """The variables that an operator writes; what its precondition asks for stays as it is."""
    kept = set(operator.precondition)
    return {effect.fact[0] for effect in operator.effects if effect.fact not in kept}


def circles(task: Task) -> list[list[str]]:
    """The strongly connected components of two nodes and more: `operator(O)`, `reading(V)`, …"""
    first, last = len(task.operators), len(task.operators) + len(task.variables)
    after: list[list[int]] = [[] for _ in range(last + len(task.variables))]
    rests_on = basis(task)
    for o, operator in enumerate(task.operators):
        read, written = reads(operator, rests_on), writes(operator)
        after[o] += [first + v for v in read - written] + [last + v for v in read & written]
        for v in written:
            after[first + v].append(o)
            if v not in read:
                after[last + v].append(o)

    def name(node: int) -> str:
        if node < first:
            return f"operator({node})"
        return f"reading({node - first})" if node < last else f"writing({node - last})"

    return [[name(node) for node in part] for part in components(after) if len(part) > 1]
