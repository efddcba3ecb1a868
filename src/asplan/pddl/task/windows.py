"""Windows: parts of a plan as tasks of their own, which ASP solves at less cost or refutes.

The initial state of a window's task is the state before the part. Its goal are the facts that the
rest of the plan needs, and its plan must cost less than the part. Only few operators can occur in
such a plan, so the window's task is small for ASP even if the whole task is large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from math import inf
from typing import Any

from asplan.catalog import find_part
from asplan.clingo import Control, Function, Model, Number, open_control
from asplan.core.budget import Budget
from asplan.core.dataclass import dataclass
from asplan.pddl.task.facts import to_facts
from asplan.pddl.task.interference import reads, writes
from asplan.pddl.task.landmark_cut import lm_cut, relaxed_of, room_for
from asplan.pddl.task.relaxation import AXIOM, Flat, find_distances
from asplan.pddl.task.task import (
    Fact,
    Operator,
    Task,
    Variable,
)

_LOOK = 0.1
"""The seconds between two looks at the clock while clingo searches."""

_LARGEST = 10_000_000
"""The largest cost limit of a window that ASP is given, since clingo's sums have 32 bits."""


_Numbered = Sequence[tuple[int, Operator]]
"""Operators with their numbers."""


@dataclass(frozen=True)
class Window:
    """A task for a part of a plan, and the largest cost that a plan for it may have.

    The operators are named by their numbers in the whole task.
    """

    task: Task
    most: int

    @property
    def longest(self) -> float:
        """The largest number of actions of a plan; infinite if some action costs nothing."""
        if not self.task.has_costs:
            return self.most
        least = min((operator.cost for operator in self.task.operators), default=1)
        return self.most // least if least else inf


class Narrowing:
    """A maker of windows of one task, which leaves out operators that no cheap plan needs.

    It holds the delete relaxation of the task, without a goal.

    >>> from asplan.pddl.task.task import Effect, Operator, Variable
    >>> lamp = Variable(("off(lamp)", "on(lamp)"))
    >>> press = Operator("press", precondition=((0, 0),), effects=(Effect((0, 1)),))
    >>> narrowing = Narrowing(Task((lamp,), (0,), goal=((0, 1),), operators=(press,)), [1])
    >>> narrowing.window((0,), {(0, 1)}, most=0) is None  # nothing is cheap enough
    True
    """

    def __init__(
        self,
        task: Task,
        prices: Sequence[int],
        names: Sequence[str] = (),
    ) -> None:
        """Prepare the windows of a task whose operators have these prices.

        `names` are the names of its operators in the windows, by default their numbers.
        """
        self.task = task
        self.prices = prices
        self._names = names or list(map(str, range(len(task.operators))))
        self._flat = Flat(task, prices, has_goal=False)
        basis = frozenset[int]().union(*task.basis.values())
        # The facts on which derived variables depend.
        self._basis = [number for v in basis for number in self._facts_of(v)]
        self.reads = [reads(task, operator) for operator in task.operators]
        self.writes = [writes(operator) for operator in task.operators]

    def window(
        self,
        state: Sequence[int],
        need: set[Fact],
        most: int,
    ) -> Window | None:
        """Return the task to get from a state to the facts `need`, at a cost of at most `most`.

        `state` has the value of each variable. Return None if even the delete relaxation has no
        plan of this cost.
        """
        task = self._narrow(state, need, most)
        if task is None:
            return None
        flat = Flat(task, [self.prices[int(operator.action)] for operator in task.operators])
        relaxed = relaxed_of(flat)
        room = room_for(flat)
        room.costs[:] = relaxed.costs
        initial = flat.numbers((v, task.initial[v]) for v in task.basic)
        least, _ = lm_cut(
            relaxed,
            room,
            [*initial, flat.start],
            [],
            0,
        )
        if least > most:
            return None
        if not relaxed.are_alone:
            # The estimate may be more than LM-cut has taken off the costs.
            return Window(task, most)
        # Narrow once more by the costs that LM-cut has left. An operator that is in no cut still
        # has its whole cost, which a plan with it pays in addition to the estimate.
        names = [operator.action for operator in task.operators]
        again = Narrowing(
            task,
            room.costs[: len(names)],
            names,
        )
        narrowed = again._narrow(
            task.initial,
            set(task.goal),
            most - least,
        )
        return None if narrowed is None else Window(narrowed, most)

    def _facts_of(self, variable: int) -> list[int]:
        """Return the numbers of the facts of a variable in the delete relaxation."""
        return self._flat.numbers(self.task.facts_of(variable))

    def _narrow(
        self,
        state: Sequence[int],
        need: set[Fact],
        most: int,
    ) -> Task | None:
        """Return the task for a window with only the operators that a cheap enough plan may need.

        Return None if there is no such plan.
        """
        if most < 0:
            return None
        flat = self._flat
        # Lower bounds for the cost of each fact (h-max).
        near: list[float] = [most + 1] * flat.facts
        holding = flat.numbers((v, state[v]) for v in self.task.basic)
        find_distances(
            flat,
            [*holding, flat.start],
            [*flat.costs],
            near,
        )
        if any(near[fact] > most for fact in flat.numbers(need)):
            return None
        return self._project(
            state,
            need,
            self._useful(near, need, most),
        )

    def _useful(
        self,
        near: Sequence[float],
        need: set[Fact],
        most: int,
    ) -> set[int]:
        """Return the operators that may occur in a plan that costs at most `most`.

        In a plan without needless actions a chain leads from each action to a needed fact: each
        action of the chain needs a fact that the one before it adds. So an operator is left out if
        three costs together exceed `most`: the cost to reach its precondition (`near`, by h-max),
        its own cost, and the least cost of a chain after it. If derived variables or conditional
        effects depend on a variable, each change of the variable may be needed.
        """
        flat = self._flat
        chains = _Chains(near, most)
        for fact in (*flat.numbers(need), *self._basis):
            chains.add(fact, 0)
        operators = set[int]()
        done = set[int]()
        while chains.queue:
            after, fact = heappop(chains.queue)
            if chains.cost[fact] < after:
                continue
            for part in flat.added_by[fact]:
                if part in done:
                    continue
                cost = after + flat.costs[part]
                needed = flat.preconditions[part]
                if max(map(near.__getitem__, needed)) + cost > most:
                    continue
                done.add(part)
                chains.add_all(needed, cost)
                owner = flat.owners[part]
                if owner != AXIOM and owner not in operators:
                    operators.add(owner)
                    chains.add_all(self._condition_facts(owner), cost)
        return operators

    def _condition_facts(self, operator: int) -> Iterator[int]:
        """Yield all facts of the variables on which an operator's conditional effects depend."""
        variables = set[int]()
        for effect in self.task.operators[operator].effects:
            variables.update(v for v, _ in effect.condition)
        for v in variables:
            yield from self._facts_of(v)

    def _project(
        self,
        state: Sequence[int],
        need: set[Fact],
        chosen: set[int],
    ) -> Task:
        """Return the window's task with the chosen operators and the variables relevant to them."""
        task = self.task
        operators = [(o, task.operators[o]) for o in sorted(chosen)]
        kept = self._variables(need, operators)
        values: dict[int, dict[int, int]] = {v: {} for v in kept}
        numbers = {v: n for n, v in enumerate(kept)}
        places = dict[Fact, Fact]()
        for v, d in self._mentioned(state, need, operators, kept):
            if v in values:
                places[v, d] = (numbers[v], values[v].setdefault(d, len(values[v])))
        variables = list[Variable]()
        initial = list[int]()
        for v in kept:
            names = tuple(map(str, range(len(values[v]))))
            variables.append(Variable(names, task.variables[v].layer))
            before = task.initial[v] if task.variables[v].is_derived else state[v]
            initial.append(values[v][before])
        renamed = (replace(operator, action=self._names[o]) for o, operator in operators)
        whole = Task(
            variables=tuple(variables),
            initial=tuple(initial),
            goal=tuple(sorted(need)),
            operators=tuple(renamed),
            axioms=task.axioms,
            mutexes=task.mutexes,
            has_costs=task.has_costs,
        )
        return whole.with_facts(lambda facts: tuple(places[f] for f in facts if f in places))

    def _variables(
        self,
        need: set[Fact],
        operators: _Numbered,
    ) -> list[int]:
        """Return the variables that some operator changes and that a condition or the goal reads.

        Return all variables if some are derived.
        """
        if self.task.basis:
            return list(range(len(self.task.variables)))
        changing = set[int]()
        read = {v for v, _ in need}
        for o, operator in operators:
            changing |= self.writes[o]
            read.update(v for v, _ in operator.conditions)
        return sorted(changing & read)

    def _mentioned(
        self,
        state: Sequence[int],
        need: set[Fact],
        operators: _Numbered,
        kept: Iterable[int],
    ) -> Iterator[Fact]:
        """Yield the facts of the state, of the goal `need` and of the operators, with repetitions.

        If variables are derived, yield all facts of the `kept` variables, too.
        """
        yield from enumerate(state)
        yield from need
        for _, operator in operators:
            yield from operator.conditions
            yield from (effect.fact for effect in operator.effects)
        if self.task.basis:
            for v in kept:
                yield from self.task.facts_of(v)


class _Chains:
    """The costs of chains of actions from each fact to a needed fact, for Dijkstra's algorithm.

    Attributes
    ----------
    cost
        For each fact, the least cost of a chain from it so far.
    queue
        A heap of costs and facts.
    """

    def __init__(
        self,
        near: Sequence[float],
        most: int,
    ) -> None:
        self._near = near
        self._most = most
        self.cost = [inf] * len(near)
        self.queue = list[tuple[float, int]]()

    def add(self, fact: int, cost: float) -> None:
        """Record a chain of this cost from a fact, if it is the cheapest so far.

        Ignore facts that cost more than `most` to reach.
        """
        if cost < self.cost[fact] and self._near[fact] <= self._most:
            self.cost[fact] = cost
            heappush(self.queue, (cost, fact))

    def add_all(
        self,
        facts: Iterable[int],
        cost: float,
    ) -> None:
        """Add a chain of this cost from each fact."""
        for fact in facts:
            self.add(fact, cost)


@dataclass(frozen=True)
class WindowAnswer:
    """The result of clingo for a window.

    Attributes
    ----------
    operators
        The operators of a cheaper plan, by their numbers in the whole task; None if none was found.
    is_over
        True if the search was complete, so that no cheaper plan is left to be found.
    """

    operators: tuple[int, ...] | None
    is_over: bool


def cheapen(
    window: Window,
    steps: int,
    conflicts: int,
    budget: Budget,
) -> WindowAnswer:
    """Search for the cheapest plan of a window with at most `steps` parallel steps.

    If `steps` may be too few, another search comes first. It tests whether there can be a plan of
    any length. In this test, a delete relaxation replaces the steps after the first `steps`, as in
    encodings/pddl/cheapest.lp.

    Parameters
    ----------
    conflicts
        The most conflicts of each of the two searches.
    budget
        The budget of the searches. If it is spent, the result may be a plan that is not the
        cheapest.

    Returns
    -------
    WindowAnswer
        Without a plan, `is_over` is true only if there is no plan of any length.
    """
    if window.most > _LARGEST:
        return WindowAnswer(None, is_over=False)
    is_complete = window.longest <= steps
    if is_complete:
        steps = int(window.longest)
    control = _ground(window, steps)
    if not is_complete:
        relaxed = _solve(control, conflicts, budget, whole=False)
        is_refuted = relaxed.is_over and relaxed.operators is None
        if is_refuted or budget.is_spent():
            return WindowAnswer(None, is_refuted)
    answer = _solve(control, conflicts, budget, whole=True)
    if answer.operators is not None:
        return WindowAnswer(answer.operators, is_over=False)
    return WindowAnswer(None, answer.is_over and is_complete)


def _ground(window: Window, steps: int) -> Control:
    """Ground the program for a window and a number of steps."""
    price = "cost" if window.task.has_costs else "actions"
    # A small task does not define all atoms of the program, so clingo's messages do not matter.
    control = open_control(["-c", f"optimal={price}", "--warn=none"], lambda code, message: None)
    control.load(str(find_part("window", "pddl")))
    control.add(
        "base",
        [],
        to_facts(window.task, ()),
    )
    control.add("query", ["t"], "#external query(t).")
    control.ground([("query", [Number(steps)])])
    control.ground([("base", []), ("check", [Number(0)])])
    for t in range(1, steps + 1):
        control.ground([("step", [Number(t)]), ("check", [Number(t)])])
    limits = [Number(steps), Number(window.most)]
    control.ground([("within", limits), ("whole", limits[:1])])
    control.assign_external(Function("query", [Number(steps)]), True)
    return control


def _solve(
    control: Control,
    conflicts: int,
    budget: Budget,
    whole: bool,
) -> WindowAnswer:
    """Search for an answer set of the window's program.

    If `whole` is set, the steps alone must form a plan, and the search looks for the cheapest.
    Otherwise any answer set will do, and a delete relaxation may follow the steps.
    """
    best: list[tuple[int, ...]] = []

    def keep(model: Model) -> None:
        atoms = (atom for atom in model.symbols(shown=True) if atom.match("occurs", 2))
        pairs = [atom.arguments for atom in atoms]
        pairs.sort(key=lambda arguments: arguments[1].number)
        best.append(tuple(operator.number for operator, _ in pairs))

    control.assign_external(Function("whole", []), whole)
    solving: Any = control.configuration.solve  # Any: its attributes are clasp's options
    solving.opt_mode = "opt" if whole else "ignore"
    solving.models = 0 if whole else 1
    solving.solve_limit = f"{conflicts},umax"
    with control.solve(on_model=keep, async_=True) as handle:
        while not handle.wait(_LOOK):
            if budget.is_spent():
                handle.cancel()
                break
        is_over = bool(handle.get().exhausted)
    return WindowAnswer(best[-1] if best else None, is_over)
