"""A search for any plan of a task with numbers: greedy, best first, by an estimate.

An operator is tried once, as often as it can be executed in a row, and as often as a relaxed plan
has it. Two searches take turns. One looks at all states that follow. The other prefers what the
relaxed plan does; states to which other operators lead wait, and are looked at in turn, or where
nothing else is left. (Richter and Helmert, Preferred Operators and Deferred Evaluation in
Satisficing Planning, ICAPS 2009; the repetitions are those of Scala, Haslum and Thiébaux.)

The estimate is the additive heuristic with numbers, for many states at once: what an action needs
is brought about one by one, and where a sum must become larger, one operator is executed as often
as that takes (Scala, Haslum and Thiébaux, Heuristics for Numeric Planning via Subgoaling, IJCAI
2016). How much an operator adds is that of the state where this depends on numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asplan.domains.base import Heed
from asplan.pddl.numeric.execution import Execution, State
from asplan.pddl.numeric.scale import LARGEST, Change, NumericTask, Sum, interval_of
from asplan.pddl.task.task import Fact

Array = NDArray[Any]

UNKNOWN = 100.0
"""How often an operator is executed that adds nothing in a state, but may do so in others."""

ROUNDS = 200  # after so many, facts that are not reached are taken for out of reach
NOBODY = -1  # whose rules axioms are


class Rule(NamedTuple):
    """An operator, or nobody, brings about a fact, or adds to a sum and a constant to reach it."""

    owner: int
    needs: frozenset[int]
    adds: int
    gain: tuple[Sum, int] | None = None


class Costs(NamedTuple):
    """What things cost, with a column for each state.

    `facts` and what the rules need (`contexts`) are sums of actions; a rule is `paid` for with its
    context, and its operator is executed so many `times`.
    """

    facts: Array
    contexts: Array
    paid: Array
    times: Array


class Relaxation:
    """The facts of a task, and the rules by which they follow.

    Fact 0 holds always, those of variables come next, and then the tests of numbers. The contexts
    of the operators without further conditions come first, in their order.
    """

    def __init__(self, task: NumericTask) -> None:
        inner = task.task
        sizes = [len(variable.values) for variable in inner.variables]
        self.first = np.cumsum([1, *sizes])
        tests = [t for counted in task.counted for t in counted.tests]
        tests = list(dict.fromkeys([*tests, *task.goal, *task.tests.values()]))
        self.tests = {test: int(self.first[-1]) + k for k, test in enumerate(tests)}
        self.goal = [*map(self._fact, inner.goal), *(self.tests[test] for test in task.goal)]
        self.size = int(self.first[-1]) + len(tests)
        rules = sorted(self._rules(task), key=lambda rule: rule.adds)
        plain = [(o, self._needs(task, o)) for o in range(len(task.counted))]
        contexts = {key: c for c, key in enumerate(plain)}
        for rule in rules:
            contexts.setdefault((rule.owner, rule.needs), len(contexts))
        self.operators = len(plain)
        self.needs = [sorted(needs) or [0] for _, needs in contexts]
        self.flat_needs = np.array([fact for needs in self.needs for fact in needs], np.int64)
        self.need_starts = _starts(self.needs)
        self.owners = [owner for owner, _ in contexts]
        self.context_of = np.array([contexts[r.owner, r.needs] for r in rules], dtype=np.int64)
        adds = np.array([rule.adds for rule in rules], dtype=np.int64)
        self.added, self.starts = np.unique(adds, return_index=True)
        ends = np.append(self.starts, len(rules))[1:]
        self.rules_of = {
            int(fact): (int(start), int(end))
            for fact, start, end in zip(self.added, self.starts, ends, strict=True)
        }
        self.once = _column([rule.owner != NOBODY for rule in rules]).astype(np.float32)
        gaining = [(r, rule.adds, *rule.gain) for r, rule in enumerate(rules) if rule.gain]
        sums: dict[Sum, int] = {}
        self.test_sums = np.array([sums.setdefault(t, len(sums)) for t, _ in tests], np.int64)
        self.least = _column([least for _, least in tests])
        self.gaining = np.array([r for r, *_ in gaining], dtype=np.int64)
        self.gained = np.array([k - self.first[-1] for _, k, *_ in gaining], dtype=np.int64)
        self.gains = _column([constant for *_, constant in gaining])
        varying = [(i, total) for i, (_, _, total, _) in enumerate(gaining) if total]
        self.varying = np.array([i for i, _ in varying], dtype=np.int64)
        self.varying_sums = np.array([sums.setdefault(t, len(sums)) for _, t in varying], np.int64)
        # A sum may have no numbers; then it is nothing times any part of a state.
        offset = len(self.first) - 1
        terms = [total or ((-offset, 0),) for total in sums]
        self.places = np.array([offset + n for total in terms for n, _ in total], dtype=np.int64)
        self.sum_factors = _column([factor for total in terms for _, factor in total])
        self.sum_starts = _starts(terms)

    def _fact(self, fact: Fact) -> int:
        return int(self.first[fact[0]]) + fact[1]

    def _needs(self, task: NumericTask, o: int) -> frozenset[int]:
        facts = map(self._fact, task.task.operators[o].precondition)
        return frozenset({*facts, *(self.tests[test] for test in task.counted[o].tests)})

    def _rules(self, task: NumericTask) -> Iterator[Rule]:
        inner = task.task
        within = task.bounds or [(-inf, inf)] * len(task.numbers)
        speak: dict[int, list[tuple[int, int]]] = {}
        for (total, _), k in self.tests.items():
            for n, factor in total:
                speak.setdefault(n, []).append((k, factor))
        for o, (operator, counted) in enumerate(zip(inner.operators, task.counted, strict=True)):
            needs = self._needs(task, o)
            for effect in operator.effects:
                further = map(self._fact, effect.condition)
                yield Rule(o, needs.union(further), self._fact(effect.fact))
            causes = dict.fromkeys(cause for c in counted.changes for cause in c.causes)
            for cause in ((), *causes):
                changes = [c for c in counted.changes if not c.causes or cause in c.causes]
                for k, (total, constant) in _gains(changes, speak).items():
                    if interval_of(total, within)[1] + constant > 0:
                        further = map(self._fact, cause)
                        yield Rule(o, needs.union(further), k, (total, constant))
        for fact, test in task.tests.items():
            yield Rule(NOBODY, frozenset({self.tests[test]}), self._fact(fact))
        for axiom in inner.firing_axioms:
            yield Rule(NOBODY, frozenset(map(self._fact, axiom.condition)), self._fact(axiom.fact))
        for v in inner.derived:
            yield Rule(NOBODY, frozenset(), self._fact((v, inner.initial[v])))

    def costs(self, states: Sequence[Sequence[int]]) -> Costs:
        """What things cost from complete states on."""
        rows = np.array(states, dtype=np.int64).T
        variables, number = len(self.first) - 1, rows.shape[1]
        facts = np.full((self.size, number), inf, dtype=np.float32)
        facts[0] = 0
        facts[rows[:variables] + self.first[:-1, None], np.arange(number)] = 0
        times = np.repeat(self.once, number, axis=1)
        if len(self.least):
            terms = rows[self.places] * self.sum_factors
            sums = np.add.reduceat(terms, self.sum_starts)
            gaps = self.least - sums[self.test_sums]
            facts[self.first[-1] :][gaps <= 0] = 0
            gains = np.repeat(self.gains, number, axis=1)
            gains[self.varying] += sums[self.varying_sums]
            often = np.maximum(np.ceil(gaps[self.gained] / np.maximum(gains, 1)), 1)
            times[self.gaining] = np.where(gains > 0, often, UNKNOWN)
        for _ in range(ROUNDS):
            contexts = np.add.reduceat(facts[self.flat_needs], self.need_starts)
            paid = contexts[self.context_of] + times
            before = facts[self.added]
            after = np.minimum(before, np.minimum.reduceat(paid, self.starts))
            if np.array_equal(before, after):
                break
            facts[self.added] = after
        return Costs(facts, contexts, paid, times)

    def to_goal(self, costs: Costs) -> list[float]:
        """For each state how many actions are left, about; infinity if there is no way."""
        found: list[float] = costs.facts[self.goal].sum(axis=0).tolist()
        return found

    def relaxed_plan(self, costs: Costs) -> dict[int, int]:
        """How often which operators are executed on the way from the first of the states."""
        plan: dict[int, int] = {}
        open_facts, seen = list(self.goal), set[int]()
        while open_facts:
            fact = open_facts.pop()
            if fact in seen or costs.facts[fact, 0] == 0:
                continue
            seen.add(fact)
            start, end = self.rules_of[fact]
            rule = start + int(costs.paid[start:end, 0].argmin())
            context = int(self.context_of[rule])
            if (owner := self.owners[context]) != NOBODY:
                plan[owner] = max(plan.get(owner, 1), int(costs.times[rule, 0]))
            open_facts += self.needs[context]
        return plan

    def applicable(self, costs: Costs) -> list[int]:
        """The operators that apply in the first of the states, as far as the relaxation tells."""
        found: list[int] = np.flatnonzero(costs.contexts[: self.operators, 0] == 0).tolist()
        return found


def _gains(
    changes: Iterable[Change], speak: Mapping[int, Sequence[tuple[int, int]]]
) -> dict[int, tuple[Sum, int]]:
    """By how much changes that happen together increase the sums of tests, given who speaks of
    each number, and with which factor: another sum, and a constant."""
    totals: dict[int, dict[int, int]] = {}
    constants: dict[int, int] = {}
    for change in changes:
        for k, factor in speak.get(change.number, ()):
            total = totals.setdefault(k, {})
            constants[k] = constants.get(k, 0) + factor * change.constant
            own = () if change.adds else ((change.number, -1),)
            for n, by in (*change.total, *own):
                total[n] = total.get(n, 0) + factor * by
    return {
        k: (tuple(sorted((n, by) for n, by in total.items() if by)), constants[k])
        for k, total in totals.items()
    }


def _column(values: Sequence[int]) -> Array:
    return np.array(values, dtype=np.int64).reshape(-1, 1)


def _starts(lists: Iterable[Sequence[Any]]) -> Array:
    """Where each of several lists begins, if they stand one behind the other."""
    return np.cumsum([0, *map(len, lists)])[:-1]


BOOST = 1000
"""Turns that preferred operators get where they have led to a better state than all before."""

Moves = list[tuple[int, int]]  # operators, and how often each is executed in a row


def find_moves(task: NumericTask, heed: Heed) -> Moves | None:
    """A way to the goal; None where none is found, which proves nothing.

    `heed` is told what it is doing; what that raises ends the search.
    """
    execution = Execution(task)
    if execution.is_goal(execution.initial):
        return []
    if not execution.initial:
        return None  # there is nothing that could change
    relaxation = Relaxation(task)
    searches = [_search(execution, relaxation, prefers) for prefers in (True, False)]
    looked_at = [0, 0]
    while True:
        heed(f"searching, {sum(looked_at)} states looked at")
        turn = looked_at[1] < looked_at[0]
        if (found := next(searches[turn], None)) is None:
            return None  # one has seen all states that it may
        if isinstance(found, list):
            return found
        looked_at[turn] += found


def _search(execution: Execution, relaxation: Relaxation, prefers: bool) -> Iterator[int | Moves]:
    """One of the searches: in each turn how many states it has looked at, in the end a way."""
    complete, initial = execution.complete, execution.initial
    parents: dict[State, tuple[State, int, int] | None] = {initial: None}
    order, best = count(), inf
    first: list[Any] = [(0.0, next(order), initial)]
    others: list[Any] = []
    turns = {True: 0, False: 0}

    def reach(before: State, full: Sequence[int], o: int, times: int) -> State | None:
        """The state after an operator, if it is a new one."""
        state = execution.apply(full, o, times)
        if state is None or state in parents or max(state) > LARGEST or min(state) < -LARGEST:
            return None
        parents[state] = before, o, times
        return state

    while first or others:
        is_first = bool(first) and (not others or turns[True] <= turns[False])
        turns[is_first] += 1
        _, _, state = heappop(first if is_first else others)
        if not is_first:
            before, o = state
            if (state := reach(before, complete(before), o, 1)) is None:
                continue
            if execution.is_goal(state):
                yield _moves_to(state, parents)
        full = complete(state)
        costs = relaxation.costs([full])
        if (estimate := relaxation.to_goal(costs)[0]) == inf:
            yield 1
            continue
        plan, after = relaxation.relaxed_plan(costs), list[State]()
        for o in relaxation.applicable(costs):
            if not (most := execution.max_repeats(full, o)):
                continue  # a derived variable has not the value that the relaxation lets it have
            if prefers and o not in plan:
                heappush(others, (estimate, next(order), (state, o)))
                continue
            for times in sorted({1.0, min(plan.get(o, 1), most), most}):
                if times == inf:
                    continue
                if (found := reach(state, full, o, int(times))) is not None:
                    if execution.is_goal(found):
                        yield _moves_to(found, parents)
                    after.append(found)
        costs = relaxation.costs(list(map(complete, after))) if after else costs
        values = relaxation.to_goal(costs) if after else []
        for new, value in zip(after, values, strict=True):
            if value < inf:
                heappush(first, (value, next(order), new))
            if value < best:
                best, turns[True] = value, turns[True] - BOOST
        yield 1 + len(after)


def _moves_to(state: State, parents: dict[State, tuple[State, int, int] | None]) -> Moves:
    found: Moves = []
    while (edge := parents[state]) is not None:
        state, o, times = edge
        found.append((o, times))
    return found[::-1]
