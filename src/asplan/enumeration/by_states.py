"""The plans of a model, from the graph of its states, best first."""

from __future__ import annotations

from math import inf

from asplan.core.budget import ENDLESS, Budget
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.domains.base import Domain
from asplan.domains.heuristic import Estimate
from asplan.domains.model import DomainModel
from asplan.enumeration.graph import End, Level, Path, PathUses, PlanGraph, estimate_nothing
from asplan.enumeration.source import Complete, Source, ValuedPlan

KSTAR = "kstar"
"""The name of this search, as the engine of a result."""


def find_by_states(
    model: DomainModel,
    by_cost: bool = False,
    loopless: bool = False,
    wants_all: bool = False,
    most: int | None = None,
    budget: Budget = ENDLESS,
    estimate: Estimate | None = None,
    landmarks: PathUses | None = None,
) -> Source:
    """Yield the plans of a model, level by level, and within a level best first.

    Parameters
    ----------
    model
        The model of an instance.
    by_cost
        True if a level has all plans with the same cost; False if all with the same length.
    loopless
        True to leave out plans that visit a state twice.
    wants_all
        True if the caller wants all plans of a level; a level with infinitely many plans then
        raises `UsageError`.
    most
        The most steps of a plan; None for any number. It has no effect if `by_cost` is set.
    budget
        The budget of the search.
    estimate
        An admissible estimate of the rest of a plan: of its cost if `by_cost`, else of its steps.
    landmarks
        The landmarks of the model. Of plans that make each landmark true by the same actions, only
        the first is yielded. None to yield all plans.
    """
    graph = PlanGraph(model, by_cost, budget, estimate or estimate_nothing)
    last = inf if most is None or by_cost else most
    above = -1
    bound = graph.next_value()
    while bound is not None:
        if bound > last:
            return
        graph.explore(bound)
        level = Level(graph, bound, loopless, landmarks)
        if wants_all:
            _refuse_endless(level)
        bounds = [graph.next_value()]
        for path in level.paths(above):
            if isinstance(path, End):
                bounds.append(path.beyond)
            else:
                plan = _plan_of(path, by_cost, model.has_costs)
                yield ValuedPlan(
                    plan,
                    path.value[0],
                    path.uses,
                )
        yield Complete(bound)
        above = bound
        bound = min((value for value in bounds if value is not None), default=None)
    yield Complete(None, _proof(graph))


def make_estimate(
    domain: Domain,
    model: DomainModel,
    by_cost: bool = False,
) -> Estimate | None:
    """Return the estimate of the domain's default heuristic; None if it is not admissible."""
    heuristic = domain.heuristic(None, model, by_cost)
    make = heuristic.priced if by_cost else heuristic.make
    return make(model) if make is not None and heuristic.admissible(model) else None


def _refuse_endless(level: Level) -> None:
    """Raise `UsageError` if a level has infinitely many plans."""
    is_endless = not level.loopless and level.landmarks is None
    if level.graph.by_cost and is_endless and level.has_free_cycle():
        raise UsageError(
            f"infinitely many plans cost {level.bound}: a cycle of actions costs nothing",
            hint="--loopless leaves out plans that visit a state twice; --plans N lists N",
        )


def prove_end(
    model: DomainModel,
    longest: int,
    most_nodes: int,
    budget: Budget = ENDLESS,
) -> str:
    """Return a proof, in words, that no plan has more than `longest` steps; empty without one.

    There is none if the graph has more than `most_nodes` nodes.
    """
    graph = PlanGraph(model, budget=budget)
    if not graph.explore_all(most_nodes) or Level(graph, longest).exceeds():
        return ""
    return _proof(graph)


def _proof(graph: PlanGraph) -> str:
    return f"{amount(graph.nodes, 'state')} were searched, and no plan is left"


def _plan_of(
    path: Path,
    by_cost: bool,
    has_costs: bool,
) -> Plan:
    cost = path.value[0] if by_cost else path.value[1]
    return Plan(path.steps(), (cost,) if has_costs else None)
