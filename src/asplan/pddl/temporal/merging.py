"""The merging of the variables of running actions into variables that their starts set.

A truck that drives is at no place; its variable has the value that it is busy with driving. The
facts that it drives from one place to another are variables, one for each pair. Only one of them
can be true, so they become values in place of the value that the truck is busy. The
same is done with actions whose start sets a variable to `none` until they end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from asplan.pddl.task.task import (
    NONE,
    Effect,
    Fact,
    Operator,
    Task,
)

Runs = Mapping[Fact, tuple[Sequence[int], Sequence[int]]]
"""For each fact that an action is running the operators that start and end it."""


def merge(
    task: Task,
    runs: Runs,
    is_busy: Callable[[str], bool],
) -> Task:
    """Return the task with facts of running actions as values of other variables.

    Variables without use are dropped, and variables with no values but `none` and `is_busy` ones.
    Operators keep their order.
    """
    merging = _Merging(task)
    for fact, host in _find_hosts(
        task,
        runs,
        is_busy,
    ).items():
        merging.move(fact, host)
    merging.drop_useless(is_busy)
    return merging.task()


class _Merging:
    """The values of variables as facts move.

    Attributes
    ----------
    values
        The values of each variable.
    moved
        The new fact of each moved fact.
    replaced
        For each new fact the fact of its host that it implies no more.
    gone
        The variables to drop.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.values = [list(variable.values) for variable in task.variables]
        self.moved = dict[Fact, Fact]()
        self.replaced = dict[Fact, Fact]()
        self.gone = set[int]()

    def move(self, fact: Fact, host: Fact) -> None:
        """Make a fact a value of the host's variable, in place of the host."""
        variable, _ = host
        new = (variable, len(self.values[variable]))
        self.moved[fact] = new
        self.replaced[new] = host
        self.values[variable].append(self._task.atom(fact))
        self.gone.add(fact[0])

    def drop_useless(
        self,
        is_busy: Callable[[str], bool],
    ) -> None:
        """Mark variables without use, and variables with no values but `none` and busy ones."""
        used = _used_variables(self._task)
        for v, variable in enumerate(self._task.variables):
            is_only_busy = all(value == NONE or is_busy(value) for value in variable.values)
            if v not in used or is_only_busy:
                self.gone.add(v)

    def task(self) -> Task:
        """Return the task with the moved facts."""
        left = [v for v in range(len(self.values)) if v not in self.gone]
        places = {v: place for place, v in enumerate(left)}

        def keep(facts: Iterable[Fact]) -> tuple[Fact, ...]:
            kept = dict[Fact, None]()
            for fact in facts:
                if fact in self.moved or fact[0] not in self.gone:
                    kept[self.moved.get(fact, fact)] = None
            replaced = {self.replaced[fact] for fact in kept if fact in self.replaced}
            return tuple((places[v], d) for v, d in kept if (v, d) not in replaced)

        smaller = self._task.with_facts(keep)
        operators = list[Operator]()
        for old, new in zip(self._task.operators, smaller.operators, strict=True):
            # All facts together, as one may replace another.
            always = map(Effect, keep(old.always))
            conditional = (effect for effect in new.effects if effect.condition)
            precondition = tuple(sorted(new.precondition))
            effects = (*always, *conditional)
            operators.append(replace(new, precondition=precondition, effects=effects))
        variables = [replace(self._task.variables[v], values=tuple(self.values[v])) for v in left]
        return replace(
            smaller,
            variables=tuple(variables),
            initial=tuple(self._task.initial[v] for v in left),
            operators=tuple(operators),
        )


def _used_variables(task: Task) -> set[int]:
    """Return the variables of operators, axioms and the goal."""
    facts = set(task.goal)
    for operator in task.operators:
        facts |= operator.conditions
        facts.update(effect.fact for effect in operator.effects)
    for axiom in task.axioms:
        facts.update((axiom.fact, *axiom.condition))
    return {v for v, _ in facts}


@dataclass(frozen=True)
class _Uses:
    """The operators that read each fact and write each variable.

    `fixed` are the facts of the goal and of axioms.
    """

    readers: defaultdict[Fact, set[int]] = field(default_factory=lambda: defaultdict(set))
    writers: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    needed: list[set[int]] = field(default_factory=list)
    fixed: set[Fact] = field(default_factory=set)

    @classmethod
    def of_task(cls, task: Task) -> _Uses:
        """Return the uses in a task."""
        uses = cls()
        for o, operator in enumerate(task.operators):
            uses.needed.append({v for v, _ in operator.precondition})
            for fact in operator.conditions:
                uses.readers[fact].add(o)
            for effect in operator.effects:
                uses.writers[effect.fact[0]].add(o)
        uses.fixed.update(task.goal)
        for axiom in task.axioms:
            uses.fixed.update(axiom.condition)
        return uses


def _find_hosts(
    task: Task,
    runs: Runs,
    is_busy: Callable[[str], bool],
) -> dict[Fact, Fact]:
    """Return the host of each fact that can be moved.

    While an action of a host is running, the variable of the host has the value `none`, or that it
    is busy. The starts of the actions set this value, and only their ends change it.
    """
    uses = _Uses.of_task(task)
    candidates = _candidates(task, runs, uses, is_busy)
    hosts = dict[Fact, Fact]()
    for host in sorted(candidates, key=lambda fact: -len(candidates[fact])):
        if _is_host(
            task,
            host,
            candidates[host].values(),
            uses,
        ):
            for running in candidates[host]:
                hosts.setdefault(running, host)
    return hosts


def _candidates(
    task: Task,
    runs: Runs,
    uses: _Uses,
    is_busy: Callable[[str], bool],
) -> dict[Fact, dict[Fact, Sequence[int]]]:
    """Return for each fact the running actions that it may be a host of, with their ends."""
    variables = Counter(v for v, _ in runs)
    candidates = defaultdict[Fact, dict[Fact, Sequence[int]]](dict)
    for running, (starts, ends) in runs.items():
        variable, _ = running
        if variables[variable] > 1 or not _can_move(task, running, uses):
            continue
        for fact in _set_by_all(task, starts, variable, uses):
            value = task.atom(fact)
            is_free = value == NONE or is_busy(value)
            if is_free and _all_set(task, ends, fact[0]):
                candidates[fact][running] = ends
    return candidates


def _can_move(
    task: Task,
    running: Fact,
    uses: _Uses,
) -> bool:
    """Return whether a fact is false initially, and nothing reads the other value of its variable.

    The variable must have no third value.
    """
    variable, value = running
    if len(task.variables[variable].values) != 2 or task.initial[variable] == value:
        return False
    other = (variable, 1 - value)
    return not uses.readers[other] and other not in uses.fixed


def _set_by_all(
    task: Task,
    starts: Sequence[int],
    running: int,
    uses: _Uses,
) -> set[Fact]:
    """Return the facts that all starts make true, of variables that they need."""
    several = list[set[Fact]]()
    for o in starts:
        facts = task.operators[o].always
        several.append({f for f in facts if f[0] in uses.needed[o] and f[0] != running})
    return set.intersection(*several)


def _all_set(
    task: Task,
    operators: Iterable[int],
    variable: int,
) -> bool:
    """Return whether all operators set a variable without a condition."""
    return all(any(v == variable for v, _ in task.operators[o].always) for o in operators)


def _is_host(
    task: Task,
    host: Fact,
    ends: Iterable[Sequence[int]],
    uses: _Uses,
) -> bool:
    """Return whether only the ends of its actions read a host, and nothing else overwrites it."""
    at_end = {o for operators in ends for o in operators}
    is_read = host in uses.fixed or bool(uses.readers[host] - at_end)
    if is_read or task.variables[host[0]].is_derived:
        return False
    others = uses.writers[host[0]] - at_end
    return all(host[0] in uses.needed[o] for o in others)
