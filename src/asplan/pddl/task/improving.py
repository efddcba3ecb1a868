"""The improvement of a plan, window by window, until it is proven optimal or the budget is spent.

This is large neighbourhood search. A *window* is a part of the plan that ASP replaces by a cheaper
part, while the rest of the plan stays. First, needless actions are removed. The actions of a window
need not be neighbours: a plan is a partial order of interfering actions, and the actions of any
convex part of it can be moved together. If no window of a size can be improved, windows grow. The
last window is the whole plan.

Sources: Nakhost and Müller, Action Elimination and Plan Neighborhood Graph Search, ICAPS 2010;
Siddiqui and Haslum, Continuing Plan Quality Optimisation, JAIR 54, 2015.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate
from math import ceil, inf

from asplan.core.budget import ENDLESS, Budget
from asplan.core.dataclass import dataclass
from asplan.domains.base import Better
from asplan.pddl.task.elimination import find_needed, operators_of
from asplan.pddl.task.heuristics import lm_cut
from asplan.pddl.task.model import State, TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.task import Fact
from asplan.pddl.task.windows import Narrowing, Window, cheapen

SMALLEST = 8
"""The number of actions of each window in the first round."""

GROWTH = 1.5
"""The factor by which the size of windows, and the effort for them, grow from round to round."""

CONFLICTS = 2000
"""The largest number of conflicts that clingo may spend on a window in the first round."""

GROUND = 10000
"""The largest product of operators and steps of a window in the first round."""

SLACK = 2
"""The number of parallel steps that a window may take in addition to its current ones."""

_MOST_BOUNDED = 5_000
"""The largest number of operators of a task for which a lower bound is computed at the start."""


def improve(
    model: TaskModel,
    actions: Sequence[str],
    budget: Budget = ENDLESS,
) -> Iterator[Better]:
    """Yield cheaper and cheaper plans than the given one, until the budget is spent.

    The given actions must be a plan. The last result may have the same plan as the one before it,
    together with a proof that it is optimal.
    """
    return _Improvement(model, budget).run(operators_of(model, actions), len(actions))


@dataclass(frozen=True)
class Deordering:
    """The partial order of a plan's operators, in which operators that interfere keep their order.

    An operator is given by its index in the plan. A set of indices is a number with a bit for each
    index.

    Attributes
    ----------
    before, after
        For each index, the set of indices that must come before it, and after it.
    beside
        For each index, the set of indices whose operators directly interfere with its operator.
    """

    before: list[int]
    after: list[int]
    beside: list[int]


def deorder(narrowing: Narrowing, plan: Sequence[int]) -> Deordering:
    """Return the partial order of a plan; `plan` has the numbers of the plan's operators.

    All total orders that extend the partial order lead to the same state.
    """
    before = [0] * len(plan)
    after = [0] * len(plan)
    beside = [0] * len(plan)
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for n, operator in enumerate(plan):
        read = narrowing.reads[operator]
        written = narrowing.writes[operator]
        earlier = {writer[v] for v in read | written if v in writer}
        for v in written:
            earlier.update(readers.get(v, ()))
        for m in earlier:
            before[n] |= before[m] | 1 << m
            beside[n] |= 1 << m
            beside[m] |= 1 << n
        for v in read:
            readers.setdefault(v, []).append(n)
        for v in written:
            writer[v] = n
            readers[v] = []
    for n in reversed(range(len(plan))):
        for m in places(before[n]):
            after[m] |= 1 << n
    return Deordering(before, after, beside)


def places(bits: int) -> list[int]:
    """Return the indices in a set of indices, which is a number with a bit for each index."""
    return [n for n, digit in enumerate(bin(bits)[:1:-1]) if digit == "1"]


def grow(
    order: Deordering,
    seed: int,
    size: int,
) -> list[int]:
    """Return a convex part of the partial order of a plan, as indices; `seed` is one of them.

    A part is convex if no index outside of it is between two indices inside. The part has about
    `size` indices, and at most `size + size // 2`.
    """
    part = 1 << seed
    before = order.before[seed]
    after = order.after[seed]
    tried = 0
    while part.bit_count() < size:
        near = 0
        for n in places(part):
            near |= order.beside[n]
        near &= ~(part | tried)
        if not near:
            break
        n = min(places(near), key=lambda n: abs(n - seed))
        earlier = before | order.before[n]
        later = after | order.after[n]
        wider = part | 1 << n | (earlier & later)
        if wider.bit_count() > size + size // 2:
            tried |= 1 << n
            continue
        for m in places(wider & ~part):
            before |= order.before[m]
            after |= order.after[m]
        part = wider
    return places(part)


def split(
    order: Deordering, plan: Sequence[int], window: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Split a plan into the operators before a convex part, the part, and the operators after it.

    `window` has the indices of the part. If an operator may come before or after the part, it comes
    before if its index in the plan is below the middle index of the part.
    """
    part = 0
    before = 0
    after = 0
    for n in window:
        part |= 1 << n
        before |= order.before[n]
        after |= order.after[n]
    others = ~(before | after | part) & ((1 << len(plan)) - 1)
    before |= others & ((1 << window[len(window) // 2]) - 1)
    first = before & ~part
    rest = ((1 << len(plan)) - 1) & ~(first | part)

    def operators(bits: int) -> list[int]:
        return [plan[n] for n in places(bits)]

    return operators(first), operators(part), operators(rest)


@dataclass(frozen=True)
class _Limits:
    """The limits of a round, in which all windows have about the same size.

    Attributes
    ----------
    size
        The number of actions of a window.
    effort
        The factor by which `CONFLICTS` and `GROUND` are multiplied.
    longer
        The number of parallel steps that each window may take beyond the usual limit.
    """

    size: int
    effort: float
    longer: int


class _Improvement:
    """The improvement of one plan by windows of growing size.

    Attributes
    ----------
    plan
        The operators of the best plan so far, by their numbers.
    least
        A lower bound of the cost of all plans.
    cheapest
        Windows, and keys of windows, that are proven to have no cheaper plan.
    tried
        For each other window the largest effort and number of steps with which ASP has tried it.
    """

    def __init__(self, model: TaskModel, budget: Budget) -> None:
        task = model.task
        self.model = model
        self.budget = budget
        self.prices = [o.cost if task.has_costs else 1 for o in task.operators]
        self.plan: list[int] = []
        self.narrowing = Narrowing(task, self.prices)
        self.least = 0
        self.cheapest = set[object]()
        self.tried: dict[Window, tuple[float, int]] = {}
        self.random = random.Random(0)

    def run(
        self,
        plan: list[int],
        given: int,
    ) -> Iterator[Better]:
        """Yield cheaper and cheaper plans; the last result may only add a proof.

        `plan` has the operators of the first plan. `given` is the number of its actions before
        needless ones were left out.
        """
        self.plan = self._needed_part(plan)
        if len(self.plan) < given:
            yield self._better("without actions that are not needed")
        if len(self.model.task.operators) <= _MOST_BOUNDED:
            flat = Flat(self.model.task, self.prices)
            self.least = ceil(lm_cut(flat)(self.model.initial))
        proof = "LM-cut is a lower bound" if self._cost(self.plan) else "it costs nothing"
        size = float(SMALLEST)
        effort = 1.0
        longer = 0
        while not self.is_best and not self.budget.is_spent():
            proof = "the whole plan was one window"
            cost = self._cost(self.plan)
            is_whole = size >= len(self.plan)
            yield from self._round(_Limits(int(size), effort, longer))
            if self._cost(self.plan) == cost:
                size *= GROWTH
                effort *= GROWTH
                if is_whole:
                    longer += 1 + longer
        if self.is_best:
            yield self._better(proof, proven=True)

    @property
    def is_best(self) -> bool:
        """True if the plan is proven to be optimal."""
        return self.least >= self._cost(self.plan)

    def _round(self, limits: _Limits) -> Iterator[Better]:
        """Replace windows of the size of this round until none can be improved.

        Yield each better plan.
        """
        improved = True
        while improved and not self.is_best:
            improved = False
            order = deorder(self.narrowing, self.plan)
            for window in self._windows(order, limits.size):
                if self.budget.is_spent():
                    return
                if self._replace(order, window, limits):
                    yield self._better(f"a window of {len(window)} actions was replaced")
                    improved = True
                    break

    def _windows(
        self,
        order: Deordering,
        size: int,
    ) -> list[list[int]]:
        """Return the windows to try, each as its indices in the plan; `size` is their size.

        They are intervals of the plan, and convex parts of its partial order.
        """
        length = len(self.plan)
        stride = max(1, size // 3)
        windows = list[list[int]]()
        for start in range(0, max(1, length - size + stride), stride):
            windows.append(list(range(start, min(start + size, length))))
        if size < length:
            windows += [grow(order, seed, size) for seed in range(0, length, stride)]
            self.random.shuffle(windows)
        return windows

    def _replace(
        self,
        order: Deordering,
        window: list[int],
        limits: _Limits,
    ) -> bool:
        """Replace a window by a cheaper part, if ASP finds one; return whether it does.

        `window` has the indices of the window in the plan.
        """
        prefix, part, suffix = split(order, self.plan, window)
        state = reduce(self.model.after, prefix, self.model.initial)
        need = self._needed_facts(reduce(self.model.after, part, state), suffix)
        cost = self._cost(part)
        values = self._values(state)
        key = (tuple(values), frozenset(need), cost)
        if key in self.cheapest:
            self._mark_cheapest(key, part)
            return False
        task = self.narrowing.window(values, need, cost - 1)
        if task is None or task in self.cheapest:
            self._mark_cheapest(key, part)
            return False
        steps = self._steps(task, part, limits)
        if steps is None or self.tried.get(task, (0.0, 0)) >= (limits.effort, steps):
            return False
        self.tried[task] = (limits.effort, steps)
        answer = cheapen(
            task,
            steps,
            int(CONFLICTS * limits.effort),
            self.budget,
        )
        if answer.operators is not None:
            self.plan = self._needed_part([*prefix, *answer.operators, *suffix])
            return True
        if answer.is_over:
            self.cheapest.add(task)
            self._mark_cheapest(key, part)
        return False

    def _steps(
        self,
        window: Window,
        part: Sequence[int],
        limits: _Limits,
    ) -> int | None:
        """Return the number of parallel steps for a window; None if grounding them takes too long.

        `part` has the current operators of the window. A cheaper plan rarely takes many more steps,
        so the limit grows round by round.
        """
        depth = self._depth(part)
        most = int(GROUND * limits.effort) // max(1, len(window.task.operators))
        if depth > most:
            return None
        if window.longest == inf:
            return depth + limits.longer
        steps = min(most, window.longest, depth + SLACK)
        return max(depth, int(steps)) + limits.longer

    def _needed_part(self, plan: Sequence[int]) -> list[int]:
        """Return a plan without its needless operators."""
        return [plan[place] for place in find_needed(self.model, plan)]

    def _values(self, state: State) -> list[int]:
        """Return the value of each variable, derived ones included."""
        return [d for _, d in self.model.facts(self.model.complete(state))]

    def _mark_cheapest(
        self,
        key: object,
        part: Sequence[int],
    ) -> None:
        """Record that windows with this key have no cheaper plan.

        The key has the state before the window, the facts that it must reach, and its cost. `part`
        has the operators of the window. If it is the whole plan, the plan is proven to be optimal.
        """
        self.cheapest.add(key)
        if len(part) == len(self.plan):
            self.least = self._cost(self.plan)

    def _depth(self, part: Sequence[int]) -> int:
        """Return the number of parallel steps of some operators.

        Operators that interfere keep their order, so they are in different steps.
        """
        layers = list[int]()
        for earlier in deorder(self.narrowing, part).before:
            layers.append(1 + max((layers[m] for m in places(earlier)), default=0))
        return max(layers, default=0)

    def _needed_facts(
        self,
        state: State,
        suffix: Sequence[int],
    ) -> set[Fact]:
        """Return facts of a state that let the rest of a plan, `suffix`, apply and reach the goal.

        They include the current facts of variables that occur in conditions of effects, or on which
        a derived variable depends: these must keep their values.
        """
        task = self.model.task
        states = accumulate(suffix, self.model.after, initial=state)
        passed = list(map(self._values, states))
        need = set(task.goal)
        if suffix:
            need = self._basic_facts(need, passed.pop())
        for number, values in zip(reversed(suffix), reversed(passed), strict=False):
            operator = task.operators[number]
            read = set(operator.precondition)
            for effect in operator.effects:
                read.update((v, values[v]) for v, _ in effect.condition)
                if all(values[v] == d for v, d in effect.condition):
                    need.discard(effect.fact)
            need |= self._basic_facts(read, values)
        return need

    def _basic_facts(
        self,
        facts: Iterable[Fact],
        values: Sequence[int],
    ) -> set[Fact]:
        """Replace each derived fact by the facts of the basic variables on which it depends.

        `values` has the value of each variable.
        """
        basis = self.model.task.basis
        basic = set[Fact]()
        for fact in facts:
            if fact[0] in basis:
                basic.update((v, values[v]) for v in basis[fact[0]])
            else:
                basic.add(fact)
        return basic

    def _cost(self, plan: Sequence[int]) -> int:
        return sum(map(self.prices.__getitem__, plan))

    def _better(self, how: str, proven: bool = False) -> Better:
        operators = self.model.task.operators
        actions = tuple(operators[o].action for o in self.plan)
        return Better(
            actions,
            self._cost(self.plan),
            self.least,
            how,
            proven,
        )
