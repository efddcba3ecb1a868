"""The interference of operators: one reads a variable that the other writes.

An operator *reads* a variable V if it has a condition on V, or on a derived variable that depends
on V. It *writes* V if it has an effect on V other than a fact of its own precondition. Within a
parallel step, all readers of a variable come before its writers. This order is a graph with a
node for each operator, and two nodes for each variable V, so that its size is linear (edges from
operator to operator would be quadratically many):

    reads only         operator -> reading(V)
    reads and writes   reading(V) -> operator -> writing(V)
    writes only        reading(V) -> operator,  writing(V) -> operator

The operators of a step can only form a cycle within a strongly connected component of this graph.
"""

from __future__ import annotations

from asplan.core.graphs import components
from asplan.pddl.task.task import Fact, Operator, Task


def reads(task: Task, operator: Operator) -> set[int]:
    """Return the basic variables that an operator reads.

    It reads a variable V if it has a condition on V, or on a derived variable that depends on V.
    """
    basis = task.basis
    variables = {v for v, _ in operator.conditions}
    for v in variables & basis.keys():
        variables |= basis[v]
    return variables - basis.keys()


def writes(operator: Operator) -> set[int]:
    """Return the variables that an operator sets to a value not required by its precondition."""
    kept = set(operator.precondition)
    return {effect.fact[0] for effect in operator.effects if effect.fact not in kept}


def cycles(task: Task) -> list[list[str]]:
    """Return the strongly connected components with several nodes in the graph of interference.

    In this graph, the readers of a variable come before its writers. The nodes have the names
    `operator(O)`, `reading(V)` and `writing(V)`.
    """
    variables = range(len(task.variables))
    names = [f"operator({o})" for o in range(len(task.operators))]
    reading = len(names)
    names += [f"reading({v})" for v in variables]
    writing = len(names)
    names += [f"writing({v})" for v in variables]
    after = _edges(task, reading, writing)
    parts = (part for part in components(after) if len(part) > 1)
    return [[names[node] for node in part] for part in parts]


def _edges(
    task: Task,
    reading: int,
    writing: int,
) -> list[list[int]]:
    """Return the successors of each node in the graph of interference.

    Nodes are numbered: first the operators; from `reading` on the nodes reading(V), from `writing`
    on the nodes writing(V).
    """
    after: list[list[int]] = [[] for _ in range(writing + len(task.variables))]
    for o, operator in enumerate(task.operators):
        read = reads(task, operator)
        written = writes(operator)
        after[o] += [reading + v for v in read - written]
        after[o] += [writing + v for v in read & written]
        for v in written:
            after[reading + v].append(o)
        for v in written - read:
            after[writing + v].append(o)
    return after


START = "start"
"""The first link of each chain."""

Link = int | str
"""An element of a chain: the number of an operator, or `START`."""


def chains(task: Task) -> tuple[dict[Fact, list[Link]], list[list[tuple[Fact, Link]]]]:
    """Return the chain of each basic fact, and the facts that each operator may read.

    The chain of a fact lists, in order, the operators that may change the fact. If the operators of
    a step are executed in the order of their numbers, an encoding can pass the truth of a fact
    along its chain. If an operator has a precondition on a variable that it writes, it can change
    only two facts of the variable: the required fact becomes false, and the fact of the effect
    becomes true. Otherwise it can make any fact of the variable false. Chains of a task without
    axioms have linear size.

    The second result has a list for each operator: the facts that the operator may read, each with
    the last link before the operator in the fact's chain.
    """
    links: dict[Fact, list[Link]] = {}
    for v in task.basic:
        for fact in task.facts_of(v):
            links[fact] = [START]
    seen = list[list[tuple[Fact, Link]]]()
    for o, operator in enumerate(task.operators):
        needed = sorted(_facts_read(task, operator))
        seen.append([(fact, links[fact][-1]) for fact in needed])
        for fact in sorted(_touched(task, operator)):
            links[fact].append(o)
    return links, seen


def _facts_read(task: Task, operator: Operator) -> set[Fact]:
    """Return the facts that an operator may read.

    For a condition on a derived variable, these are all facts of the basic variables on which the
    derived variable depends.
    """
    basis = task.basis
    facts = set[Fact]()
    for fact in operator.conditions:
        if fact[0] not in basis:
            facts.add(fact)
            continue
        for v in basis[fact[0]]:
            facts.update(task.facts_of(v))
    return facts


def _touched(task: Task, operator: Operator) -> set[Fact]:
    """Return the facts whose truth value an operator may change."""
    before = dict(operator.precondition)
    written = writes(operator)
    touched = {effect.fact for effect in operator.effects if effect.fact[0] in written}
    for v in written:
        if v in before:
            touched.add((v, before[v]))
        else:
            touched.update(task.facts_of(v))
    return touched
