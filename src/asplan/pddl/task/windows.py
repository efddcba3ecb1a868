"""Parts of a plan as tasks of their own, which ASP makes cheaper or proves to be cheapest.

What a window has to do is to lead from the state before it to what the rest of the plan needs, for
less than it costs now. Few operators can have a part in that, so the task that ASP gets is small,
however large the whole one is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import inf
from typing import Any

from clingo import Control, Function, Model, Number

from asplan.pddl.task.facts import to_facts
from asplan.pddl.task.landmark_cut import lm_cut, relaxed_of, room_for
from asplan.pddl.task.order import reads, writes
from asplan.pddl.task.relaxation import AXIOM, Flat, find_distances
from asplan.pddl.task.task import Fact, Task, Variable
from asplan.problem.catalog import find_part

_LOOK = 0.1  # seconds between two looks at the clock while clingo searches
_LARGEST = 10_000_000  # the largest cost of a window: sums are numbers of 32 bits


@dataclass(frozen=True)
class Window:
    """A task whose operators are named by their numbers in the whole task.

    A plan for it is looked for that costs at most `most`.
    """

    task: Task
    most: int

    @property
    def longest(self) -> float:
        """The actions that a plan may have at most; infinite where some cost nothing."""
        if not self.task.has_costs:
            return self.most
        least = min((operator.cost for operator in self.task.operators), default=1)
        return self.most // least if least else inf


class Narrowing:
    """Makes windows of a task; what it has of the relaxed task is made once.

    >>> from asplan.pddl.task.task import Effect, Operator, Variable
    >>> lamp = Variable(("off(lamp)", "on(lamp)"))
    >>> press = Operator("press", precondition=((0, 0),), effects=(Effect((0, 1)),))
    >>> narrowing = Narrowing(Task((lamp,), (0,), goal=((0, 1),), operators=(press,)), [1])
    >>> narrowing.window((0,), {(0, 1)}, most=0) is None  # nothing is cheap enough
    True
    """

    def __init__(self, task: Task, prices: Sequence[int], names: Sequence[str] = ()) -> None:
        """Operators that cost so much, which are called by their numbers, or as it is said."""
        self.task, self.prices, self._names = task, prices, names
        self._flat = Flat(task, prices, has_goal=False)
        resting = frozenset[int]().union(*task.basis.values())
        self._resting = self._flat.numbers(fact for v in resting for fact in task.facts_of(v))
        self.reads = [reads(task, operator) for operator in task.operators]
        self.writes = [writes(operator) for operator in task.operators]

    def window(self, state: Sequence[int], need: set[Fact], most: int) -> Window | None:
        """The task to get from a state to some facts for a given cost at most.

        None where even the delete relaxation shows that this cannot be.
        """
        if (task := self._narrowed(state, need, most)) is None:
            return None
        # Another look, now with what LM-cut leaves of the costs: whoever is in no cut comes on top.
        flat = Flat(task, [self.prices[int(operator.action)] for operator in task.operators])
        relaxed, room = relaxed_of(flat), room_for(flat)
        room.costs[:] = relaxed.costs
        initial = flat.numbers((v, task.initial[v]) for v in task.basic)
        least, _ = lm_cut(relaxed, room, [*initial, flat.start], [], 0)
        if least > most:
            return None
        if relaxed.are_alone:  # else the estimate may be more than what is taken off the costs
            names = [operator.action for operator in task.operators]
            again = Narrowing(task, room.costs[: len(names)], names)
            narrowed = again._narrowed(task.initial, set(task.goal), most - least)
            if narrowed is None:
                return None
            task = narrowed
        return Window(task, most)

    def _narrowed(self, state: Sequence[int], need: set[Fact], most: int) -> Task | None:
        """The task of the operators that may help, and are near enough."""
        if most < 0:
            return None
        flat = self._flat
        near = [most + 1] * flat.facts  # lower bounds for what it costs to reach a fact (h-max)
        holding = flat.numbers((v, state[v]) for v in self.task.basic)
        find_distances(flat, [*holding, flat.start], flat.costs, near)
        if any(near[fact] > most for fact in flat.numbers(need)):
            return None
        return self._project(state, need, self._useful(near, need, most))

    def _useful(self, near: list[int], need: set[Fact], most: int) -> set[int]:
        """The operators that a plan of such a cost may need.

        In a plan without idle actions a chain leads from each of them to what is needed: one asks
        for what the other brings about. What comes before an action, the action, and the chain
        after it must not cost more than all may. Where derived variables rest on a variable, or a
        conditional effect asks for it, each change of it may be needed.
        """
        flat, left = self._flat, [inf] * len(near)
        queue = list[tuple[int, int]]()

        def ask(fact: int, cost: int) -> None:
            if cost < left[fact] and near[fact] <= most:
                left[fact] = cost
                heappush(queue, (cost, fact))

        for fact in (*flat.numbers(need), *self._resting):
            ask(fact, 0)
        operators, done = set[int](), set[int]()
        while queue:
            after, fact = heappop(queue)
            if left[fact] < after:
                continue
            for part in flat.added_by[fact]:
                if part in done:
                    continue
                cost = after + flat.costs[part]
                if max(map(near.__getitem__, flat.preconditions[part])) + cost > most:
                    continue
                done.add(part)
                for asked in flat.preconditions[part]:
                    ask(asked, cost)
                if (owner := flat.owners[part]) != AXIOM and owner not in operators:
                    operators.add(owner)
                    for v in {
                        v for e in self.task.operators[owner].effects for v, _ in e.condition
                    }:
                        for asked in flat.numbers(self.task.facts_of(v)):
                            ask(asked, cost)
        return operators

    def _project(self, state: Sequence[int], need: set[Fact], operators: set[int]) -> Task:
        """The task of these operators alone, without the variables that do not matter."""
        task, chosen = self.task, [(o, self.task.operators[o]) for o in sorted(operators)]
        moving = set[int]().union(*(self.writes[o] for o, _ in chosen))
        asked = {v for v, _ in need}.union(*({v for v, _ in o.conditions} for _, o in chosen))
        kept = sorted(moving & asked if not task.basis else range(len(task.variables)))
        seen = [*enumerate(state), *need]
        for _, operator in chosen:
            seen += (*operator.conditions, *(effect.fact for effect in operator.effects))
        if task.basis:
            seen += [fact for v in kept for fact in task.facts_of(v)]
        values: dict[int, dict[int, int]] = {v: {} for v in kept}
        places = dict[Fact, Fact]()
        numbers = {v: n for n, v in enumerate(kept)}
        for v, d in seen:
            if v in values:
                places[v, d] = numbers[v], values[v].setdefault(d, len(values[v]))
        before = [task.initial[v] if task.variables[v].is_derived else state[v] for v in kept]
        narrowed = Task(
            variables=tuple(
                Variable(tuple(map(str, range(len(values[v])))), task.variables[v].layer)
                for v in kept
            ),
            initial=tuple(values[v][d] for v, d in zip(kept, before, strict=True)),
            goal=tuple(sorted(need)),
            operators=tuple(
                replace(operator, action=self._names[o] if self._names else str(o))
                for o, operator in chosen
            ),
            axioms=task.axioms,
            mutexes=task.mutexes,
            has_costs=task.has_costs,
        )
        return narrowed.with_facts(lambda facts: tuple(places[f] for f in facts if f in places))


def cheapen(
    window: Window, steps: int, conflicts: int, until: float
) -> tuple[tuple[int, ...] | None, bool]:
    """Operators that cost less, in at most so many parallel steps, the cheapest if there is time.

    It takes so many conflicts, until a `time.monotonic()`. Without operators it is said whether it
    is proven that there are none. First it is asked whether there can be a plan of any length: so
    many steps and the delete relaxation of what may follow are a lower bound, as in
    encodings/pddl/cheapest.lp.
    """
    if window.most > _LARGEST:
        return None, False
    is_complete = window.longest <= steps
    if is_complete:
        steps = int(window.longest)
    # What clingo says of atoms that no rule of a small task defines is of no interest.
    price = "cost" if window.task.has_costs else "actions"
    words = ["-c", f"optimal={price}", "--warn=none"]
    control = Control(words, lambda code, message: None)
    control.load(str(find_part("window", "pddl")))
    control.add("base", [], to_facts(window.task, ()))
    control.add("query", ["t"], "#external query(t).")
    control.ground([("query", [Number(steps)])])
    control.ground([("base", []), ("check", [Number(0)])])
    for t in range(1, steps + 1):
        control.ground([("step", [Number(t)]), ("check", [Number(t)])])
    limits = [Number(steps), Number(window.most)]
    control.ground([("within", limits), ("whole", limits[:1])])
    control.assign_external(Function("query", [Number(steps)]), True)
    if not is_complete:
        found, is_over = _solve(control, conflicts, until, whole=False)
        if (is_over and found is None) or time.monotonic() > until:
            return None, is_over
    found, is_over = _solve(control, conflicts, until, whole=True)
    return found, is_over and is_complete and found is None


def _solve(
    control: Control, conflicts: int, until: float, whole: bool
) -> tuple[tuple[int, ...] | None, bool]:
    """The operators of an answer, None without one; and whether the search was complete.

    It is a plan if it is to be `whole`, and the best of all where there was time to find that.
    """
    best: list[tuple[int, ...]] = []

    def keep(model: Model) -> None:
        done = [a.arguments for a in model.symbols(shown=True) if a.match("occurs", 2)]
        done.sort(key=lambda arguments: arguments[1].number)
        best.append(tuple(arguments[0].number for arguments in done))

    control.assign_external(Function("whole", []), whole)
    solving: Any = control.configuration.solve
    solving.opt_mode = "opt" if whole else "ignore"
    solving.models = 0 if whole else 1
    solving.solve_limit = f"{conflicts},umax"
    with control.solve(on_model=keep, async_=True) as handle:
        while not handle.wait(_LOOK):
            if time.monotonic() > until:
                handle.cancel()
                break
        is_over = bool(handle.get().exhausted)
    return (best[-1] if best else None), is_over
