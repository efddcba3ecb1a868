"""Landmarks of an instance, and the identity of plans that use them in the same way.

A landmark is an atom that does not hold at the start, but at some time in every plan. A plan uses
a landmark by the actions of the step that makes it true for the first time. Two plans are the same
if they use each landmark by the same actions. So a plan with additional actions, or with actions in
another order, is the same as the plan without, if these actions make no landmark true first.

The plans for a landmark differ in their possible first actions. These are a disjunctive landmark:
every plan has one of them. Bryce (Landmark-Based Plan Distance Measures for Diverse Planning,
ICAPS 2014) compares plans by the members of disjunctive landmarks that they have.
"""

from __future__ import annotations

from collections import deque
from dataclasses import field

from asplan.core.budget import ENDLESS, Budget
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.text import amount
from asplan.domains.model import DomainModel, DomainState
from asplan.enumeration.graph import PlanGraph, Uses, find_rests

_MOST_STATES = 50_000
"""The most states to search for landmarks."""

Atoms = frozenset[str]
States = frozenset[DomainState]


@dataclass(frozen=True)
class Landmarks:
    """The landmarks of a model, for finding the uses of a path through the model's states.

    A use is a landmark that becomes true on the path, with the actions of the step that makes it
    true for the first time.
    """

    model: DomainModel
    atoms: Atoms
    _reached: dict[States, Atoms] = field(default_factory=dict)

    def after(
        self,
        uses: Uses,
        actions: tuple[str, ...],
        states: States,
    ) -> Uses:
        """Return the uses of a path after another step.

        Parameters
        ----------
        uses
            The uses of the path before the step.
        actions
            The actions of the step.
        states
            The states to which it may lead.
        """
        if states not in self._reached:
            self._reached[states] = atoms_of(self.model, states) & self.atoms
        reached = self._reached[states]
        used = {atom for atom, _ in uses}
        return uses | {(atom, actions) for atom in reached - used}


def find_landmarks(model: DomainModel, budget: Budget = ENDLESS) -> Landmarks:
    """Return the landmarks of a model.

    If the model knows none, explore all of its states. Raise `UsageError` if they are too many.
    """
    known = model.landmarks()
    atoms = _passed_by_all(model, budget) if known is None else frozenset(map(str, known))
    return Landmarks(model, atoms - atoms_of(model, frozenset(model.initials)))


def atoms_of(model: DomainModel, states: States) -> Atoms:
    """Return the atoms that hold in all of the given states."""
    each = [frozenset(map(str, model.fluents(state))) for state in states]
    return frozenset.intersection(*each)


def _passed_by_all(model: DomainModel, budget: Budget) -> Atoms:
    """Return the atoms that hold at some time on every path to a goal; none without a path."""
    graph = PlanGraph(model, budget=budget)
    if not graph.explore_all(_MOST_STATES):
        raise UsageError(
            f"--same landmarks: the instance has more than {amount(_MOST_STATES, 'state')}, "
            "so its landmarks are unknown",
            hint="--same set compares plans by their actions, without order",
        )
    passed = _passed_by_node(graph)
    at_goals = [passed[goal] for goal in graph.goals]
    return frozenset.intersection(*at_goals) if at_goals else frozenset()


def _passed_by_node(graph: PlanGraph) -> dict[int, Atoms]:
    """Return for each node the atoms that hold at some time on every path from the start to it.

    This set has the atoms of the node itself, and all atoms that are in the sets of all its
    predecessors. The sets shrink until this holds for each node.
    """
    useful = find_rests(graph)
    own = {node: atoms_of(graph.model, graph.states_of(node)) for node in useful}
    passed: dict[int, Atoms] = {0: own[0]} if 0 in useful else {}
    waiting = deque(passed)
    while waiting:
        graph.budget.check()
        node = waiting.popleft()
        for edge in graph.edges[node]:
            target = edge.target
            if target not in useful:
                continue
            common = passed[node] | own[target]
            new = passed.get(target, common) & common
            if new != passed.get(target):
                passed[target] = new
                waiting.append(target)
    return passed
