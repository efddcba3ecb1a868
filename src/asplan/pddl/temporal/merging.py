"""The merging of variables, so that a task with time has fewer of them.

Grounding makes a variable with two values for each fact that an action is running. For example,
while a truck drives, its place is the value `busy`; and for each pair of places there is a fact
that the truck drives from one to the other. Only one of these facts can be true at a time. So they
become further values of the truck's place, instead of `busy`, which is called their host. The same
is done if the start of an action sets a variable to `none` until the end of the action.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace

from asplan.core.dataclass import dataclass
from asplan.pddl.task.task import (
    NONE,
    Effect,
    Fact,
    Operator,
    Task,
)

Runs = Mapping[Fact, tuple[Sequence[int], Sequence[int]]]
"""For each fact that an action is running: the operators that start it, and those that end it."""


def merge(
    task: Task,
    runs: Runs,
    is_busy: Callable[[str], bool],
) -> Task:
    """Return the task with fewer variables.

    Some facts that hold while an action is running become values of other variables. A variable is
    dropped if it is unused, or if its only values are `none` and values for which `is_busy` is
    true. (While an action is running, these values mark its parameters as busy.) Operators keep
    their numbers.

    For each fact that holds while an action is running, `runs` has the operators that start the
    action, and the operators that end it.
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
    """The changed values of variables.

    A fact that holds while an action is running becomes a value of another variable. Its host is
    the value that this variable has during that time otherwise.

    Attributes
    ----------
    values
        The values of each variable, new ones included.
    moved
        For each fact that was moved to another variable, the new fact.
    replaced
        For each new fact, the host that it replaces while the action is running.
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
        """Replace a fact by a new value of the host's variable.

        A condition or effect that has both the new value and the host loses the host.
        """
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
        """Mark the variables to drop: unused ones, and ones with only `none` and busy values."""
        used = _used_variables(self._task)
        for v, variable in enumerate(self._task.variables):
            is_only_busy = all(value == NONE or is_busy(value) for value in variable.values)
            if v not in used or is_only_busy:
                self.gone.add(v)

    def task(self) -> Task:
        """Return the task with the moved facts, and without the marked variables."""
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
            # Convert all facts together, because one may replace another.
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
    """Return the variables that occur in operators, axioms or the goal."""
    facts = set(task.goal)
    for operator in task.operators:
        facts |= operator.conditions
        facts.update(effect.fact for effect in operator.effects)
    for axiom in task.axioms:
        facts.update((axiom.fact, *axiom.condition))
    return {v for v, _ in facts}


@dataclass(frozen=True)
class _Uses:
    """The uses of facts and variables.

    Attributes
    ----------
    readers
        The operators with a condition on each fact.
    writers
        The operators with an effect on each variable.
    needed
        The variables in the precondition of each operator.
    fixed
        The facts of the goal and of the conditions of axioms.
    """

    readers: defaultdict[Fact, set[int]] = field(default_factory=lambda: defaultdict(set))
    writers: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    needed: list[set[int]] = field(default_factory=list)
    fixed: set[Fact] = field(default_factory=set)

    @classmethod
    def of_task(cls, task: Task) -> _Uses:
        """Collect the uses in a task."""
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
    """Return a host for each fact that can become a value of another variable.

    Each of these facts holds while an action is running. Its host is the fact of the other variable
    that holds during this time: the value is `none` or a busy value. The start of the action makes
    the host true, and only the end of the action makes it false.
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
    """Return the facts that may be hosts, each with the running actions for which it is a host.

    A running action is given by the fact that holds while it is running, and by the operators that
    end it.
    """
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
    """Return whether the fact `running` can become a value of another variable.

    This fact holds while an action is running. It must be false initially, its variable must have
    only one other value, and nothing may read this other value.
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
    """Return the facts that every start makes true, and whose variable every start needs.

    `starts` are the operators that start an action. Facts of the variable `running`, which records
    whether the action is running, are left out.
    """
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
    """Return whether all these operators set the variable unconditionally."""
    return all(any(v == variable for v, _ in task.operators[o].always) for o in operators)


def _is_host(
    task: Task,
    host: Fact,
    ends: Iterable[Sequence[int]],
    uses: _Uses,
) -> bool:
    """Return whether a fact is read and made false only by the ends of running actions.

    If so, facts such as "this action is running" can replace the host. `ends` has the operators
    that end each of these actions.
    """
    at_end = {o for operators in ends for o in operators}
    is_read = host in uses.fixed or bool(uses.readers[host] - at_end)
    if is_read or task.variables[host[0]].is_derived:
        return False
    others = uses.writers[host[0]] - at_end
    return all(host[0] in uses.needed[o] for o in others)
