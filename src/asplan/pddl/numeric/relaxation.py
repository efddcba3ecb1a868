"""The additive heuristic for tasks with numbers, evaluated for many states at once.

It estimates the number of actions to reach each fact, as if facts stayed true and were reached one
by one. A numeric condition (a sum has at least some value) counts as a fact, too. To reach it, one
operator is repeated until the sum is large enough (Scala, Haslum and Thiébaux, Heuristics for
Numeric Planning via Subgoaling, IJCAI 2016). If the gain of an operator depends on numbers, their
values in the evaluated state are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asplan.pddl.numeric.scale import (
    UNBOUNDED,
    NumberChange,
    NumericPart,
    NumericTask,
    Sum,
    interval_of,
)
from asplan.pddl.task.task import Fact, Operator

Array = NDArray[Any]  # Any: indices are whole numbers, costs are floats

UNKNOWN = 100.0
"""The assumed repetitions of an operator that gains nothing in a state, but may do so in others."""

ROUNDS = 200
"""The number of rounds after which facts that are not reached count as unreachable."""

NO_OPERATOR = -1
"""The owner of rules that belong to axioms, not to an operator."""

Gain = tuple[Sum, int]
"""The amount by which an operator increases a sum: another sum plus a constant."""


class ReachRule(NamedTuple):
    """A rule by which an operator, or an axiom, reaches a fact.

    Attributes
    ----------
    owner
        The operator, or `NO_OPERATOR`.
    needs
        The facts that must be reached before.
    adds
        The fact that the rule reaches.
    gain
        If the fact is a numeric condition: the amount by which each execution of the operator
        increases the sum in the condition.
    """

    owner: int
    needs: frozenset[int]
    adds: int
    gain: Gain | None = None


class Costs(NamedTuple):
    """Estimated costs, in actions. Each array has a column for each state.

    Attributes
    ----------
    facts
        The cost of each fact.
    contexts
        The sum of the costs of the facts in each context (see `Relaxation`).
    paid
        The cost of each rule: the cost of its context, plus the number of executions.
    times
        The number of executions of each rule's operator.
    """

    facts: Array
    contexts: Array
    paid: Array
    times: Array


class Relaxation:
    """The relaxation of a task: its facts, and the rules that reach them.

    The context of a rule is its operator (`NO_OPERATOR` for an axiom) together with the facts that
    the rule needs. Rules with the same context share its cost. The first contexts are the operators
    with their preconditions, in the order of the operators.
    """

    def __init__(self, task: NumericTask) -> None:
        self.ids = _FactIds(task)
        self.first_facts = self.ids.first[:-1, None]
        goal_tests = (self.ids.tests[test] for test in task.goal)
        self.goal = [*map(self.ids.of, task.task.goal), *goal_tests]
        writer = _RuleWriter(task, self.ids)
        rules = sorted(writer.rules(), key=lambda rule: rule.adds)
        self.operators = len(task.counted)
        self._index_contexts(task, rules)
        self._index_rules(rules)
        self.numbers = _NumberArrays(self.ids, rules)

    def _index_contexts(
        self,
        task: NumericTask,
        rules: Sequence[ReachRule],
    ) -> None:
        """Give numbers to the contexts, and store the facts of all contexts in one array."""
        contexts: dict[tuple[int, frozenset[int]], int] = {}
        pairs = zip(task.task.operators, task.counted, strict=True)
        for o, (operator, counted) in enumerate(pairs):
            contexts[o, self.ids.needs(operator, counted)] = o
        for rule in rules:
            contexts.setdefault((rule.owner, rule.needs), len(contexts))
        self.owners = [owner for owner, _ in contexts]
        self.needs = [sorted(needs) or [0] for _, needs in contexts]
        self.flat_needs = _indices(chain.from_iterable(self.needs))
        self.need_starts = _starts(self.needs)
        self.context_of = _indices(contexts[rule.owner, rule.needs] for rule in rules)

    def _index_rules(self, rules: Sequence[ReachRule]) -> None:
        """Store the rules in arrays; `rules` is sorted by the facts that the rules add."""
        self.added, self.starts = np.unique(
            _indices(rule.adds for rule in rules), return_index=True
        )
        ends = np.append(self.starts, len(rules))[1:]
        self.rules_of = {
            int(fact): (int(start), int(end))
            for fact, start, end in zip(self.added, self.starts, ends, strict=True)
        }
        executions = [rule.owner != NO_OPERATOR for rule in rules]
        self.once = _column(executions).astype(np.float32)

    def costs(self, states: Sequence[Sequence[int]]) -> Costs:
        """Return the costs from several states, which include the values of derived variables."""
        rows = np.array(states, dtype=np.int64).T
        variables = len(self.first_facts)
        number = rows.shape[1]
        facts = np.full((self.ids.size, number), inf, dtype=np.float32)
        facts[0] = 0
        true_facts = rows[:variables] + self.first_facts
        facts[true_facts, np.arange(number)] = 0
        times = np.repeat(self.once, number, axis=1)
        if self.ids.tests:
            self.numbers.enter(rows, facts[self.ids.first_test :], times)
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
        """Return the estimated number of actions to the goal from each state.

        An estimate is infinite if the relaxation shows that the goal is unreachable.
        """
        goal_costs = costs.facts[self.goal]
        estimates: list[float] = goal_costs.sum(axis=0).tolist()
        return estimates

    def relaxed_plan(self, costs: Costs) -> dict[int, int]:
        """Return a relaxed plan for the first state: its operators and their repetitions."""
        plan: dict[int, int] = {}
        open_facts = list(self.goal)
        seen = set[int]()
        while open_facts:
            fact = open_facts.pop()
            if fact in seen or costs.facts[fact, 0] == 0:
                continue
            seen.add(fact)
            start, end = self.rules_of[fact]
            rule = start + int(costs.paid[start:end, 0].argmin())
            context = int(self.context_of[rule])
            owner = self.owners[context]
            if owner != NO_OPERATOR:
                times = int(costs.times[rule, 0])
                plan[owner] = max(plan.get(owner, 1), times)
            open_facts += self.needs[context]
        return plan

    def applicable(self, costs: Costs) -> list[int]:
        """Return the operators whose precondition costs nothing in the first state.

        An operator may not apply nevertheless, because several values of a derived variable may
        cost nothing.
        """
        needed = costs.contexts[: self.operators, 0]
        operators: list[int] = np.flatnonzero(needed == 0).tolist()
        return operators


class _FactIds:
    """The indices of facts in the relaxation; numeric conditions have indices, too.

    Index 0 belongs to a fact that always holds. Then come the facts of variables, and last the
    numeric conditions.

    Attributes
    ----------
    first
        The index of each variable's first fact. One more entry has the index of the first numeric
        condition.
    first_test
        The index of the first numeric condition.
    tests
        The index of each numeric condition.
    size
        The count of all indices.
    """

    def __init__(self, task: NumericTask) -> None:
        sizes = [len(variable.values) for variable in task.task.variables]
        self.first = np.cumsum([1, *sizes])
        self.first_test = int(self.first[-1])
        operator_tests = chain.from_iterable(counted.tests for counted in task.counted)
        tests = dict.fromkeys([*operator_tests, *task.goal, *task.tests.values()])
        self.tests = {test: self.first_test + k for k, test in enumerate(tests)}
        self.size = self.first_test + len(tests)

    def of(self, fact: Fact) -> int:
        """Return the index of a fact of a variable."""
        return int(self.first[fact[0]]) + fact[1]

    def needs(
        self,
        operator: Operator,
        counted: NumericPart,
    ) -> frozenset[int]:
        """Return the indices of the facts and numeric conditions in an operator's precondition."""
        facts = map(self.of, operator.precondition)
        return frozenset(chain(facts, (self.tests[test] for test in counted.tests)))


class _RuleWriter:
    """Makes the rules of a task.

    Attributes
    ----------
    uses
        For each number, the numeric conditions whose sum contains it, with its coefficients there.
    """

    def __init__(self, task: NumericTask, ids: _FactIds) -> None:
        self.task = task
        self.ids = ids
        self.bounds = task.bounds or [UNBOUNDED] * len(task.numbers)
        self.uses: dict[int, list[tuple[int, int]]] = {}
        for (total, _), test in ids.tests.items():
            for number, factor in total:
                self.uses.setdefault(number, []).append((test, factor))

    def rules(self) -> Iterator[ReachRule]:
        """Yield the rules of all operators and axioms."""
        task = self.task.task
        fact_id = self.ids.of
        for o, operator in enumerate(task.operators):
            counted = self.task.counted[o]
            needs = self.ids.needs(operator, counted)
            for effect in operator.effects:
                conditions = map(fact_id, effect.condition)
                yield ReachRule(o, needs.union(conditions), fact_id(effect.fact))
            yield from self._gain_rules(o, needs, counted)
        for fact, test in self.task.tests.items():
            yield ReachRule(NO_OPERATOR, frozenset({self.ids.tests[test]}), fact_id(fact))
        for axiom in task.firing_axioms:
            yield ReachRule(
                NO_OPERATOR, frozenset(map(fact_id, axiom.condition)), fact_id(axiom.fact)
            )
        for variable in task.derived:
            default = fact_id((variable, task.initial[variable]))
            yield ReachRule(NO_OPERATOR, frozenset(), default)

    def _gain_rules(
        self,
        o: int,
        needs: frozenset[int],
        counted: NumericPart,
    ) -> Iterator[ReachRule]:
        """Yield rules for the numeric conditions whose sum the operator `o` may increase.

        There are separate rules for each condition under which the operator changes numbers.
        `needs` are the facts of the operator's precondition.
        """
        causes = dict.fromkeys(chain.from_iterable(change.causes for change in counted.changes))
        for cause in ((), *causes):
            changes = [c for c in counted.changes if not c.causes or cause in c.causes]
            all_needs = needs.union(map(self.ids.of, cause))
            for test, gain in _gains(changes, self.uses).items():
                if self._greatest(gain) > 0:
                    yield ReachRule(o, all_needs, test, gain)

    def _greatest(self, gain: Gain) -> float:
        """Return the greatest value of a gain within the bounds of the numbers."""
        total, constant = gain
        _, most = interval_of(total, self.bounds)
        return most + constant


def _gains(
    changes: Iterable[NumberChange],
    uses: Mapping[int, Sequence[tuple[int, int]]],
) -> dict[int, Gain]:
    """Return for numeric conditions how much their sums grow if all of `changes` happen together.

    For each number, `uses` has the numeric conditions whose sum contains it, with its coefficients.
    """
    totals: dict[int, dict[int, int]] = {}
    constants: dict[int, int] = {}
    for change in changes:
        terms = list(change.total)
        if not change.adds:
            terms.append((change.number, -1))  # the old value is lost
        for test, factor in uses.get(change.number, ()):
            constants[test] = constants.get(test, 0) + factor * change.constant
            total = totals.setdefault(test, {})
            for number, coefficient in terms:
                total[number] = total.get(number, 0) + factor * coefficient
    return {test: (_nonzero(total), constants[test]) for test, total in totals.items()}


def _nonzero(total: Mapping[int, int]) -> Sum:
    """Return the terms as a sum, without terms whose coefficient is 0."""
    return tuple(sorted((number, factor) for number, factor in total.items() if factor))


class _NumberArrays:
    """The sums of numeric conditions and of gains, as arrays.

    Attributes
    ----------
    test_sums, least
        For each numeric condition the number of its sum, and the least value of the sum for which
        it holds.
    rules, gained, gains
        For each rule with a gain, an entry: the number of the rule, the index of the numeric
        condition that it reaches, and the constant part of the gain.
    varying, varying_sums
        For each gain that depends on numbers: the index of its entry in `gains`, and the number of
        the sum that is added to the constant part.
    places, factors, starts
        The terms of all sums, one sum after the other: their indexes in a state, their
        coefficients, and the index of each sum's first term.
    """

    def __init__(self, ids: _FactIds, rules: Sequence[ReachRule]) -> None:
        sums = _SumIds()
        self.test_sums = _indices(sums.of(total) for total, _ in ids.tests)
        self.least = _column([least for _, least in ids.tests])
        self.rules = _indices(r for r, rule in enumerate(rules) if rule.gain)
        self.gained = _indices(rule.adds - ids.first_test for rule in rules if rule.gain)
        self._index_gains([rule.gain for rule in rules if rule.gain], sums)
        self._index_terms(list(sums.ids), offset=len(ids.first) - 1)

    def _index_gains(
        self,
        gains: Sequence[Gain],
        sums: _SumIds,
    ) -> None:
        """Store the gains of rules in arrays; `sums` gives numbers to their sums."""
        self.gains = _column([constant for _, constant in gains])
        self.varying = _indices(i for i, (total, _) in enumerate(gains) if total)
        self.varying_sums = _indices(sums.of(total) for total, _ in gains if total)

    def _index_terms(self, sums: Sequence[Sum], offset: int) -> None:
        """Store the terms of all sums in arrays.

        The numbers of a state begin at the index `offset`.
        """
        # A sum may have no numbers; then it is 0 times any part of a state.
        padded = [total or ((-offset, 0),) for total in sums]
        terms = list(chain.from_iterable(padded))
        self.places = _indices(offset + number for number, _ in terms)
        self.factors = _column([factor for _, factor in terms])
        self.starts = _starts(padded)

    def enter(self, rows: Array, tests: Array, times: Array) -> None:
        """Enter the numeric parts of the initial costs for several states.

        Parameters
        ----------
        rows
            The states, each a column.
        tests
            The costs of numeric conditions. The cost of a condition that holds is set to 0.
        times
            The numbers of executions of rules. They are set for rules with a gain.
        """
        sums = np.add.reduceat(rows[self.places] * self.factors, self.starts)
        gaps = self.least - sums[self.test_sums]
        tests[gaps <= 0] = 0
        gains = np.repeat(self.gains, rows.shape[1], axis=1)
        gains[self.varying] += sums[self.varying_sums]
        quotients = gaps[self.gained] / np.maximum(gains, 1)
        repetitions = np.maximum(np.ceil(quotients), 1)
        times[self.rules] = np.where(gains > 0, repetitions, UNKNOWN)


class _SumIds:
    """The numbers of sums, in the order of first use."""

    def __init__(self) -> None:
        self.ids: dict[Sum, int] = {}

    def of(self, total: Sum) -> int:
        """Return the number of a sum; a new sum gets the next number."""
        return self.ids.setdefault(total, len(self.ids))


def _indices(values: Iterable[int]) -> Array:
    """Return an array of indexes."""
    return np.array(list(values), dtype=np.int64)


def _column(values: Sequence[int]) -> Array:
    """Return a matrix of one column."""
    return np.array(values, dtype=np.int64).reshape(-1, 1)


def _starts(lists: Iterable[Sequence[object]]) -> Array:
    """Return the index of each list's first element in the concatenation of all lists."""
    return np.cumsum([0, *map(len, lists)])[:-1]
