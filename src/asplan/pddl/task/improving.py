"""Ever better plans: a plan in hand becomes cheaper window by window, until it is proven cheapest.

Large neighbourhood search: most of the plan stays, and what its other actions do together is done
anew by ASP, for less. First goes what is not needed at all. The actions of a window need not stand
side by side: a plan is a partial order of actions that hinder each other, and any convex part of it
can be moved together. Windows grow when none of their size gives anything; the last of them is the
whole plan.

Sources: Nakhost and Müller, Action Elimination and Plan Neighborhood Graph Search, ICAPS 2010;
Siddiqui and Haslum, Continuing Plan Quality Optimisation, JAIR 54, 2015.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, inf

from asplan.domains.base import Better
from asplan.pddl.task.heuristics import lm_cut
from asplan.pddl.task.model import State, TaskModel
from asplan.pddl.task.order import find_needed, operators_of
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.task import Fact
from asplan.pddl.task.windows import Narrowing, Window, cheapen

SMALLEST = 8  # actions in the first windows

GROWTH = 1.5

CONFLICTS, GROUND = 2000, 10000
"""Conflicts that a window of the first round may take, and its operators times its steps at most;
both grow with the windows."""

SLACK = 2  # parallel steps that a window may take beyond those that it takes
_BOUNDED = 5_000  # operators of tasks for which a lower bound of all plans is computed at first


def improve(model: TaskModel, actions: Sequence[str], until: float = inf) -> Iterator[Better]:
    """Better plans than a given one, each better than the last, until a `time.monotonic()`.

    The last one may be no better, and says what was proven. What is given must be a plan.
    """
    return _Improvement(model, until).run(operators_of(model, actions), len(actions))


@dataclass(frozen=True)
class Deordering:
    """Which operators of a plan have to come before which: those that hinder each other.

    Sets of places are bits. `beside` are the places that directly hinder one.
    """

    before: list[int]
    after: list[int]
    beside: list[int]


def deorder(narrowing: Narrowing, plan: Sequence[int]) -> Deordering:
    """The partial order of a plan; every order that keeps it leads to the same state."""
    before, after, beside = ([0] * len(plan) for _ in range(3))
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for n, operator in enumerate(plan):
        read, written = narrowing.reads[operator], narrowing.writes[operator]
        earlier = {writer[v] for v in read | written if v in writer}
        earlier.update(m for v in written for m in readers.get(v, ()))
        for m in earlier - {n}:
            before[n] |= before[m] | 1 << m
            beside[n] |= 1 << m
            beside[m] |= 1 << n
        for v in read:
            readers.setdefault(v, []).append(n)
        for v in written:
            writer[v], readers[v] = n, []
    for n in reversed(range(len(plan))):
        for m in places(before[n]):
            after[m] |= 1 << n
    return Deordering(before, after, beside)


def places(bits: int) -> list[int]:
    """The places of a set of bits."""
    return [n for n, digit in enumerate(bin(bits)[:1:-1]) if digit == "1"]


def grow(order: Deordering, seed: int, size: int) -> list[int]:
    """A convex part of the partial order around a place: nothing outside is between two of it."""
    part, before, after, tried = 1 << seed, order.before[seed], order.after[seed], 0
    while part.bit_count() < size:
        near = 0
        for n in places(part):
            near |= order.beside[n]
        near &= ~(part | tried)
        if not near:
            break
        n = min(places(near), key=lambda n: abs(n - seed))
        wider, earlier, later = part | 1 << n, before | order.before[n], after | order.after[n]
        wider |= earlier & later
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
    """What of a plan comes before a convex part of it, the part, and what comes after it.

    What hinders none of the part stays on its side of the middle.
    """
    part = before = after = 0
    for n in window:
        part |= 1 << n
        before |= order.before[n]
        after |= order.after[n]
    others = ~(before | after | part) & ((1 << len(plan)) - 1)
    before |= others & ((1 << window[len(window) // 2]) - 1)
    first = before & ~part
    rest = ((1 << len(plan)) - 1) & ~(first | part)
    chosen = [[plan[n] for n in places(bits)] for bits in (first, part, rest)]
    return chosen[0], chosen[1], chosen[2]


class _Improvement:
    """One pass over windows of growing size; `plan` is the best so far."""

    def __init__(self, model: TaskModel, until: float) -> None:
        task = model.task
        self.model, self.until = model, until
        self.prices = [o.cost if task.has_costs else 1 for o in task.operators]
        self.plan: list[int] = []
        self.narrowing = Narrowing(task, self.prices)
        self.least = 0
        self.cheapest = set[object]()
        self.tried: dict[Window, tuple[float, int]] = {}
        self.random = random.Random(0)

    def run(self, plan: list[int], given: int) -> Iterator[Better]:
        self.plan = self.without_needless(plan)
        if len(self.plan) < given:
            yield self.better("without actions that are not needed")
        if len(self.model.task.operators) <= _BOUNDED:
            flat = Flat(self.model.task, self.prices)
            self.least = ceil(lm_cut(flat)(self.model.initial))
        proof = "LM-cut is a lower bound" if self.cost(self.plan) else "it costs nothing"
        size, effort, longer = float(SMALLEST), 1.0, 0
        while not self.is_best and time.monotonic() < self.until:
            proof, worth = "the whole plan was one window", self.cost(self.plan)
            is_whole = size >= len(self.plan)
            yield from self.round(int(size), effort, longer)
            if self.cost(self.plan) == worth:
                size, effort = size * GROWTH, effort * GROWTH
                longer += is_whole * (1 + longer)
        if self.is_best:
            yield self.better(proof, proven=True)

    @property
    def is_best(self) -> bool:
        """Whether the plan is proven to be as good as any."""
        return self.least >= self.cost(self.plan)

    def round(self, size: int, effort: float, longer: int) -> Iterator[Better]:
        """All windows of a size, as the plan was when it began; from anew after a better plan."""
        stride, improved = max(1, size // 3), True
        while improved and not self.is_best:
            improved, worth = False, len(self.plan)
            order = deorder(self.narrowing, self.plan)
            windows = [
                list(range(at, min(at + size, worth)))
                for at in range(0, max(1, worth - size + stride), stride)
            ]
            if size < worth:
                windows += [grow(order, seed, size) for seed in range(0, worth, stride)]
                self.random.shuffle(windows)
            for window in windows:
                if time.monotonic() > self.until:
                    return
                if self.replace(order, window, effort, longer):
                    yield self.better(f"a window of {len(window)} actions was replaced")
                    improved = True
                    break

    def replace(self, order: Deordering, window: list[int], effort: float, longer: int) -> bool:
        """Put something cheaper in the place of a window, if ASP finds it."""
        prefix, part, suffix = split(order, self.plan, window)
        state = self.after(self.model.initial, prefix)
        need = self.needed(self.after(state, part), suffix)
        cost, facts = self.cost(part), self.facts(state)
        key = (tuple(facts), frozenset(need), cost)
        if key in self.cheapest:
            return self.proven(key, part)
        asked = self.narrowing.window(facts, need, cost - 1)
        if asked is None or asked in self.cheapest:
            return self.proven(key, part)
        depth, most = self.depth(part), int(GROUND * effort) // max(1, len(asked.task.operators))
        if depth > most:
            return False
        # A cheaper plan rarely takes many more steps; it is given them round by round.
        room = min(most, asked.longest, depth + SLACK) if asked.longest < inf else depth
        steps = max(depth, int(room)) + longer
        if self.tried.get(asked, (0.0, 0)) >= (effort, steps):
            return False
        self.tried[asked] = effort, steps
        found, is_proven = cheapen(asked, steps, int(CONFLICTS * effort), self.until)
        if is_proven:
            self.cheapest.add(asked)
            self.proven(key, part)
        if found is None:
            return False
        self.plan = self.without_needless([*prefix, *found, *suffix])
        return True

    def without_needless(self, plan: Sequence[int]) -> list[int]:
        return [plan[place] for place in find_needed(self.model, plan)]

    def after(self, state: State, operators: Iterable[int]) -> State:
        for operator in operators:
            state = self.model.after(state, operator)
        return state

    def facts(self, state: State) -> list[int]:
        return [d for _, d in self.model.facts(self.model.complete(state))]

    def proven(self, key: object, part: Sequence[int]) -> bool:
        """Note that no window of this kind can be cheaper; False, as it is not replaced."""
        self.cheapest.add(key)
        if len(part) == len(self.plan):
            self.least = self.cost(self.plan)
        return False

    def depth(self, part: Sequence[int]) -> int:
        """The parallel steps that some operators take in their order."""
        layers = list[int]()
        for earlier in deorder(self.narrowing, part).before:
            layers.append(1 + max((layers[m] for m in places(earlier)), default=0))
        return max(layers, default=0)

    def needed(self, state: State, suffix: Sequence[int]) -> set[Fact]:
        """The facts that a plan needs after a state to go on as it does, and reach the goal.

        What a conditional effect asks for, and what derived variables rest on, is to stay as it is.
        """
        task, passed = self.model.task, [self.facts(state)]
        for number in suffix:
            state = self.model.after(state, number)
            passed.append(self.facts(state))
        need = set(task.goal)
        if suffix:
            need = self.settled(need, passed.pop())
        for number, facts in zip(reversed(suffix), reversed(passed), strict=False):
            operator = task.operators[number]
            asked = set(operator.precondition)
            for effect in operator.effects:
                asked.update((v, facts[v]) for v, _ in effect.condition)
                if all(facts[v] == d for v, d in effect.condition):
                    need.discard(effect.fact)
            need |= self.settled(asked, facts)
        return need

    def settled(self, need: Iterable[Fact], facts: Sequence[int]) -> set[Fact]:
        """The same facts, but for derived ones all that they rest on, as it is."""
        basis, found = self.model.task.basis, set[Fact]()
        for v, d in need:
            found.update({(w, facts[w]) for w in basis[v]} if v in basis else {(v, d)})
        return found

    def cost(self, plan: Sequence[int]) -> int:
        return sum(map(self.prices.__getitem__, plan))

    def better(self, how: str, proven: bool = False) -> Better:
        operators = self.model.task.operators
        actions = tuple(operators[o].action for o in self.plan)
        return Better(actions, self.cost(self.plan), self.least, how, proven)
