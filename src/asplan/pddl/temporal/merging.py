"""Fewer variables: what takes place becomes a value of a variable that its start sets.

A truck that drives is at no place; it is busy with driving, says its variable. Which way it drives
is told by many variables, one for each. As only one of them can be true, they become values in
place of the one that the truck is busy. So do those of actions by whose start a variable has no
value (`none`) until they end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from asplan.pddl.task.task import NONE, Effect, Fact, Operator, Task

Runs = Mapping[Fact, tuple[Sequence[int], Sequence[int]]]
"""Actions that take time: for the fact that one is running the operators that start and end it."""


def merge(task: Task, runs: Runs, is_busy: Callable[[str], bool]) -> Task:
    """The same task with the facts of actions that are running as values of other variables.

    Variables without use, and those that only say that something `is_busy`, are dropped. Operators
    keep their order.
    """
    hosts = _hosts(task, runs, is_busy)
    values = [list(variable.values) for variable in task.variables]
    moved, gone = dict[Fact, Fact](), set[int]()
    stood_for = dict[Fact, Fact]()
    for fact, (host, value) in hosts.items():
        moved[fact] = host, len(values[host])
        stood_for[moved[fact]] = host, value
        values[host].append(task.atom(fact))
        gone.add(fact[0])
    used = {v for o in task.operators for v, _ in (*o.conditions, *(e.fact for e in o.effects))}
    used.update(v for axiom in task.axioms for v, _ in (axiom.fact, *axiom.condition))
    used.update(v for v, _ in task.goal)
    for v, variable in enumerate(task.variables):
        if v not in used or all(value == NONE or is_busy(value) for value in variable.values):
            gone.add(v)
    places = {v: i for i, v in enumerate(v for v in range(len(values)) if v not in gone)}

    def kept(facts: Iterable[Fact]) -> tuple[Fact, ...]:
        found = dict.fromkeys(
            moved.get(fact, fact) for fact in facts if fact in moved or fact[0] not in gone
        )
        replaced = {stood_for[fact] for fact in found if fact in stood_for}
        return tuple((places[v], d) for v, d in found if (v, d) not in replaced)

    def operator(old: Operator, new: Operator) -> Operator:
        always = map(Effect, kept(old.always))  # together: one may stand for another
        conditional = (effect for effect in new.effects if effect.condition)
        precondition = tuple(sorted(new.precondition))
        return replace(new, precondition=precondition, effects=(*always, *conditional))

    found = task.with_facts(kept)
    return replace(
        found,
        variables=tuple(replace(task.variables[v], values=tuple(values[v])) for v in places),
        initial=tuple(task.initial[v] for v in places),
        operators=tuple(map(operator, task.operators, found.operators)),
    )


def _hosts(task: Task, runs: Runs, is_busy: Callable[[str], bool]) -> dict[Fact, Fact]:
    """For each fact that can be moved the fact that it stands beside, of the host.

    While one of the actions of a host is running, that has the value `none` or that it is busy:
    each of them sets it so at its start, and nothing but their ends changes it from that.
    """
    readers, writers = defaultdict[Fact, set[int]](set), defaultdict[int, set[int]](set)
    for o, operator in enumerate(task.operators):
        for fact in operator.conditions:
            readers[fact].add(o)
        for effect in operator.effects:
            writers[effect.fact[0]].add(o)
    fixed = set(task.goal).union(*(axiom.condition for axiom in task.axioms))
    asked = [{v for v, _ in operator.precondition} for operator in task.operators]
    alone = Counter(v for v, _ in runs)
    found = defaultdict[Fact, dict[Fact, Sequence[int]]](dict)
    for (v, d), (starts, ends) in runs.items():
        other = v, 1 - d
        is_alone = alone[v] == 1 and len(task.variables[v].values) == 2
        if not is_alone or task.initial[v] == d or readers[other] or other in fixed:
            continue
        started = [
            {f for f in task.operators[o].always if f[0] in asked[o] and f[0] != v} for o in starts
        ]
        ended = [{w for w, _ in task.operators[o].always} for o in ends]
        for fact in set.intersection(*started):
            value = task.atom(fact)
            if all(fact[0] in some for some in ended) and (value == NONE or is_busy(value)):
                found[fact][v, d] = ends
    hosts = dict[Fact, Fact]()
    for fact in sorted(found, key=lambda fact: -len(found[fact])):
        at_end = {o for ends in found[fact].values() for o in ends}
        others = writers[fact[0]] - at_end
        if fact in fixed or readers[fact] - at_end or task.variables[fact[0]].is_derived:
            continue
        if all(fact[0] in asked[o] for o in others):
            for running in found[fact]:
                hosts.setdefault(running, fact)
    return hosts
