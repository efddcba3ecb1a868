"""Small finite-domain tasks for property tests, and their meaning written as plainly as can be.

A state of the oracle is a tuple with the value of every variable, derived ones included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st

from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable

Values = tuple[int, ...]
T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[T]], T]


@st.composite
def tasks(draw: Draw) -> Task:  # type: ignore[type-arg]
    """Tasks with conditional effects, axioms in up to two layers, and costs from 0."""
    basic = [
        Variable(_values(f"v{index}", draw(st.integers(2, 4)), draw(st.booleans())))
        for index in range(draw(st.integers(1, 4)))
    ]
    layers = draw(st.sampled_from([(), (), (0,), (0, 0), (0, 1), (0, 1, 1)]))
    derived = [Variable((f"d{index}", NONE), layer) for index, layer in enumerate(layers)]
    variables = [*basic, *derived]
    if draw(st.booleans()):
        variables.reverse()
    initial = tuple(draw(st.integers(0, len(v.values) - 1)) for v in variables)
    return Task(
        variables=tuple(variables),
        initial=initial,
        goal=tuple(_facts(draw, variables, 1, 3)),
        operators=tuple(_operator(draw, variables, i) for i in range(draw(st.integers(1, 6)))),
        axioms=tuple(_axioms(draw, variables, initial)),
        has_costs=True,
    )


def _values(name: str, count: int, none: bool) -> tuple[str, ...]:
    atoms = [f"{name}({value})" for value in range(count)]
    return (*atoms[:-1], NONE) if none else tuple(atoms)


def _facts(draw: Draw, variables: Sequence[Variable], least: int, most: int) -> list[Fact]:  # type: ignore[type-arg]
    """Facts of different variables."""
    chosen = draw(
        st.lists(st.sampled_from(range(len(variables))), min_size=least, max_size=most, unique=True)
    )
    return [(v, draw(st.integers(0, len(variables[v].values) - 1))) for v in chosen]


def _operator(draw: Draw, variables: Sequence[Variable], index: int) -> Operator:  # type: ignore[type-arg]
    basic = [v for v, variable in enumerate(variables) if not variable.is_derived]
    effects = []
    for v in draw(st.lists(st.sampled_from(basic), min_size=1, max_size=3, unique=True)):
        value = draw(st.integers(0, len(variables[v].values) - 1))
        condition = _facts(draw, variables, 0, 2) if draw(st.booleans()) else []
        effects.append(Effect((v, value), tuple(condition)))
    return Operator(
        action=f"o({index})",
        precondition=tuple(_facts(draw, variables, 0, 2)),
        effects=tuple(effects),
        cost=draw(st.integers(0, 3)),
    )


def _axioms(draw: Draw, variables: Sequence[Variable], initial: Values) -> Iterator[Axiom]:  # type: ignore[type-arg]
    for v, variable in enumerate(variables):
        if variable.is_derived:
            for _ in range(draw(st.integers(0, 3))):
                body = [
                    fact
                    for fact in _facts(draw, variables, 1, 3)
                    if _may_stand(variables, initial, fact, variable.layer)
                ]
                yield Axiom((v, 1 - initial[v]), tuple(body))


def _may_stand(variables: Sequence[Variable], initial: Values, fact: Fact, layer: int) -> bool:
    """Return whether a body in a layer may have a fact: only lower layers are negated."""
    other = variables[fact[0]].layer
    return other < layer or (other == layer and fact[1] != initial[fact[0]])


@dataclass(frozen=True)
class Oracle:
    """The meaning of a task, without any cleverness."""

    task: Task

    @property
    def initial(self) -> Values:
        """The initial state."""
        return self.derived(self.task.initial)

    def derived(self, state: Iterable[int]) -> Values:
        """A state whose derived variables are found anew."""
        values = [
            self.task.initial[v] if self.task.variables[v].is_derived else value
            for v, value in enumerate(state)
        ]
        for layer in (0, 1):
            for _ in range(len(values)):
                for axiom in self.task.axioms:
                    v, value = axiom.fact
                    if self.task.variables[v].layer == layer and holds(values, axiom.condition):
                        values[v] = value
        return tuple(values)

    def steps(self, state: Values) -> list[tuple[Operator, Values]]:
        """The operators that apply, and where they lead."""
        return [
            (operator, self.after(state, operator))
            for operator in self.task.operators
            if holds(state, operator.precondition)
        ]

    def after(self, state: Values, operator: Operator) -> Values:
        """The state that follows."""
        values = list(state)
        for effect in operator.effects:
            if holds(state, effect.condition):
                values[effect.fact[0]] = effect.fact[1]
        return self.derived(values)

    def is_goal(self, state: Values) -> bool:
        """Return whether the goal holds."""
        return holds(state, self.task.goal)

    def states(self) -> list[Values]:
        """All that can be reached."""
        seen, new = {self.initial}, [self.initial]
        while new:
            new = [after for state in new for _, after in self.steps(state) if after not in seen]
            new = list(dict.fromkeys(new))
            seen.update(new)
        return list(seen)

    def distances(self, cost: Callable[[Operator], int]) -> dict[Values, float]:
        """The least cost from each state to a goal, found by improving until nothing changes."""
        states = self.states()
        found = {state: 0.0 if self.is_goal(state) else math.inf for state in states}
        steps = {state: self.steps(state) for state in states}
        changed = True
        while changed:
            changed = False
            for state in states:
                best = min((cost(o) + found[after] for o, after in steps[state]), default=math.inf)
                if best < found[state]:
                    found[state], changed = best, True
        return found


def holds(state: Sequence[int], facts: Iterable[Fact]) -> bool:
    """Return whether all facts hold."""
    return all(state[variable] == value for variable, value in facts)
