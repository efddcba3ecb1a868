"""The encodings of tasks against an oracle that knows nothing of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from small_tasks import Oracle, Values, holds, tasks

import asplan
from asplan.catalog import find_encoding, find_part
from asplan.pddl.task.facts import to_facts
from asplan.pddl.task.relaxation import layers
from asplan.pddl.task.task import Effect, Operator, Task
from conftest import examples

PARALLEL = ("forall", "exists", "relaxed")
FAR = 6
"""Steps after which nobody looks any further for a plan that does not exist."""


def steps_of(task: Task, encoding: str) -> float:
    """Return the fewest steps by an encoding, after the model has checked the plan."""
    result = asplan.solve(text=to_facts(task), encoding=encoding, max_horizon=FAR)
    assert result.plan is None or result.validated == "model"
    return math.inf if result.horizon is None else result.horizon


def solve_layered(text: str, encoding: str, **options: Any) -> asplan.Result:
    """Solve with the part that leaves impossible atoms out of early steps."""
    files = find_encoding(encoding, "pddl").path, find_part("layers", "pddl")
    text += "".join(f'#include "{file}".\n' for file in files)
    return asplan.solve(text=text, allow_includes=True, **options)


@settings(max_examples=examples(50), deadline=None)
@given(tasks())
def test_the_fewest_actions_one_by_one(task: Task) -> None:
    oracle = Oracle(task)
    fewest = oracle.distances(lambda operator: 1)[oracle.initial]
    assert steps_of(task, "sequential") == (fewest if fewest <= FAR else math.inf)
    for encoding in PARALLEL:
        assert steps_of(task, encoding) <= fewest or fewest > FAR


@settings(max_examples=examples(20), deadline=None)
@given(tasks())
def test_old_names_of_cycles_are_read(task: Task) -> None:
    encoding = find_encoding("exists", "pddl").path
    text = f'#include "{encoding}".\n'

    def shortest(facts: str) -> tuple[asplan.Outcome, int | None]:
        result = asplan.solve(text=facts + text, allow_includes=True, max_horizon=FAR)
        return result.outcome, result.horizon

    facts = to_facts(task)
    assert shortest(facts.replace("cycle", "circle")) == shortest(facts)


@settings(max_examples=examples(40), deadline=None)
@given(tasks())
def test_the_least_of_all_plans(task: Task) -> None:
    oracle = Oracle(task)
    costs: dict[str, Callable[[Operator], int]] = {"actions": lambda o: 1, "cost": lambda o: o.cost}
    for wanted, cost in costs.items():
        least = oracle.distances(cost)[oracle.initial]
        if least == math.inf:  # such a task may have no end
            continue
        result = asplan.solve(text=to_facts(task), optimal=wanted)
        assert result.plan is not None
        found = (len(result.plan.actions),) if wanted == "actions" else result.cost
        assert (result.outcome, found, result.optimized) == ("optimal", (least,), wanted)


def plain(task: Task) -> Task:
    """The task without axioms and conditions of effects, and with at most four operators."""
    operators = tuple(
        replace(o, effects=tuple(Effect(e.fact) for e in o.effects)) for o in task.operators[:4]
    )
    return replace(task, operators=operators, axioms=())


def after(oracle: Oracle, state: Values, operators: Sequence[Operator]) -> Values | None:
    """The state after some operators; None if one of them does not apply."""
    for operator in operators:
        if not holds(state, operator.precondition):
            return None
        state = oracle.after(state, operator)
    return state


def in_all_orders(oracle: Oracle, state: Values, step: Sequence[Operator]) -> Values | None:
    """Return the state after a step if all its orders lead there."""
    found = {after(oracle, state, order) for order in permutations(step)}
    return found.pop() if len(found) == 1 else None


def in_some_order(oracle: Oracle, state: Values, step: Sequence[Operator]) -> Values | None:
    """Return the state after a step whose operators apply, agree, and have an order."""
    wanted = dict(effect.fact for operator in step for effect in operator.effects)
    agreed = {effect.fact for operator in step for effect in operator.effects} == {*wanted.items()}
    if not agreed or not all(holds(state, operator.precondition) for operator in step):
        return None
    found = (after(oracle, state, order) for order in permutations(step))
    return next((end for end in found if end is not None), None)


def makespan(task: Task, leads: Callable[..., Values | None]) -> float:
    """The fewest steps, by trying all sets of operators in all states."""
    oracle = Oracle(task)
    steps = [s for n in range(1, 5) for s in combinations(task.operators, n)]
    seen, new = {oracle.initial}, {oracle.initial}
    for length in range(FAR + 1):
        if any(map(oracle.is_goal, new)):
            return length
        found = {leads(oracle, state, step) for state in new for step in steps}
        new = {state for state in found if state is not None} - seen
        seen |= new
    return math.inf


@settings(max_examples=examples(50), deadline=None)
@given(tasks().map(plain))
def test_the_fewest_parallel_steps(task: Task) -> None:
    fewest = makespan(task, in_all_orders)
    assert steps_of(task, "forall") == fewest
    layered = solve_layered(to_facts(task), "forall", max_horizon=FAR).horizon
    assert (math.inf if layered is None else layered) == fewest
    assert steps_of(task, "exists") == makespan(task, in_some_order)


@settings(max_examples=examples(50), deadline=None)
@given(tasks())
def test_layers_come_no_later_than_the_facts(task: Task) -> None:
    oracle, known = Oracle(task), layers(task)
    seen, new = {oracle.initial}, {oracle.initial}
    for step in range(FAR + 1):
        assert all(known[fact] <= step for state in new for fact in enumerate(state))
        new = {after for state in new for _, after in oracle.steps(state)} - seen
        seen |= new


LAMP = """variable(v). value(v,(off;on)). initially(v,off). goal(v,on).
operator(o,press). cost(o,1). precondition(o,v,off). effect(o,v,on). """


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("asplan(least(1)).", "shortest: asplan(least(1)) rules out fewer steps"),
        ("asplan(least(0)).", "shortest: 0 steps refuted, 1 found"),
        ("earliest(v,on,1).", "shortest: asplan(least(1)) rules out fewer steps"),
    ],
)
def test_the_least_horizon_is_reported(more: str, said: str) -> None:
    result = solve_layered(LAMP + more, "exists")
    assert (result.outcome, result.horizon, result.reason) == ("optimal", 1, said)


def test_the_least_horizon_is_a_number() -> None:
    with pytest.raises(asplan.InputError, match=r"asplan\(least\(a\)\): a is not a number"):
        solve_layered(LAMP + "asplan(least(a)).", "exists")


@pytest.mark.parametrize("encoding", ["sequential", *PARALLEL])
def test_all_plans_with_conditional_effects(encoding: str) -> None:
    """Two switches toggle a lamp each; their effect depends on the state."""
    task = """
        variable(0). value(0,on(a)). value(0,none). initially(0,none). goal(0,on(a)).
        variable(1). value(1,on(b)). value(1,none). initially(1,none). goal(1,on(b)).
        operator(0,toggle(a)). operator(1,toggle(b)).
        effect(0,0,on(a),0). when(0,0,none).  effect(0,0,none,1). when(1,0,on(a)).
        effect(1,1,on(b),2). when(2,1,none).  effect(1,1,none,3). when(3,1,on(b)).
        last(0,on(a),0). last(0,none,0). last(1,on(b),1). last(1,none,1).
        next(0,on(a),start,0). next(0,none,start,0). next(1,on(b),start,1). next(1,none,start,1).
        seen(0,0,on(a),start). seen(0,0,none,start). seen(1,1,on(b),start). seen(1,1,none,start).
    """
    result = asplan.solve(text=task, encoding=encoding, models=0)
    one_by_one = encoding == "sequential"
    assert (result.horizon, len(result.plans)) == ((2, 2) if one_by_one else (1, 1))


def test_an_estimate_is_no_plan() -> None:
    with pytest.raises(asplan.UsageError, match="use --optimal actions or --optimal cost"):
        asplan.solve("blocks_task", encoding="cheapest")


def test_relaxed_steps_need_their_chains() -> None:
    task = "variable(0). value(0,p). value(0,none). initially(0,none). operator(0,a). goal(0,p)."
    with pytest.raises(asplan.InputError, match="there are no chains of its facts"):
        asplan.solve(text=f"{task} effect(0,0,p).", encoding="relaxed")


def test_a_goal_that_the_relaxation_does_not_see() -> None:
    """All lamps are lit where the rule of a dark one does not apply, as it never needs to."""
    result = asplan.solve("lamps-1", encoding="cheapest", optimal="actions")
    assert (result.outcome, result.horizon, result.cost) == ("optimal", 4, None)
    assert result.reason == (
        "fewest actions: 4 parallel steps and the delete relaxation of the rest take at "
        "least 4 actions"
    )


def test_the_fewest_actions_may_cost_a_lot() -> None:
    for engine in ("asp", "astar"):
        result = asplan.solve("castle-1", engine=engine, optimal="actions")
        assert (result.outcome, result.horizon, result.cost) == ("optimal", 3, (11,))


def test_costs_beyond_the_numbers_of_clingo() -> None:
    task = """
        variable(0). value(0,p). value(0,none). initially(0,none). goal(0,p). costs.
        operator(0,a). cost(0,2000000000). effect(0,0,p).
    """
    with pytest.raises(asplan.InputError, match="take --engine astar"):
        asplan.solve(text=task, encoding="cheapest", optimal="cost")
    for engine in ("asp", "astar"):
        assert asplan.solve(text=task, engine=engine, optimal="cost").cost == (2000000000,)


def test_the_least_cost_of_a_task_without_costs() -> None:
    for engine in ("asp", "astar"):
        with pytest.raises(asplan.UsageError, match="have no costs"):
            asplan.solve("blocks-1", engine=engine, optimal="cost")


def test_actions_of_cost_0_do_not_continue_for_ever() -> None:
    """A lamp is switched for nothing, and the relaxation pays for tea and cake with one coin."""
    task = """
        costs.
        variable(0). value(0,coin). value(0,none). initially(0,coin).
        variable(1). value(1,tea). value(1,none). initially(1,none). goal(1,tea).
        variable(2). value(2,cake). value(2,none). initially(2,none). goal(2,cake).
        variable(3). value(3,lit). value(3,none). initially(3,none).
        operator(0,buy(tea)). cost(0,1). precondition(0,0,coin). effect(0,0,none). effect(0,1,tea).
        operator(1,buy(cake)). cost(1,1). precondition(1,0,coin).
        effect(1,0,none). effect(1,2,cake).
        operator(2,earn). cost(2,3). precondition(2,0,none). effect(2,0,coin).
        operator(3,on). cost(3,0). precondition(3,3,none). effect(3,3,lit).
        operator(4,off). cost(4,0). precondition(4,3,lit). effect(4,3,none).
    """
    result = asplan.solve(text=task, optimal="cost")
    assert (result.outcome, result.cost) == ("optimal", (5,))


def test_no_beginning_leads_to_the_goal() -> None:
    """Each of two goals is possible, but each uses up a condition of the other."""
    task = """
        variable(0). value(0,coin). value(0,none). initially(0,coin).
        variable(1). value(1,tea). value(1,none). initially(1,none). goal(1,tea).
        variable(2). value(2,cake). value(2,none). initially(2,none). goal(2,cake).
        operator(0,buy(tea)). precondition(0,0,coin). effect(0,0,none). effect(0,1,tea).
        operator(1,buy(cake)). precondition(1,0,coin). effect(1,0,none). effect(1,2,cake).
    """
    result = asplan.solve(text=task, encoding="cheapest", optimal="actions")
    assert (result.outcome, result.plan) == ("unsolvable", None)
    assert result.reason == (
        "no plan exists: after 1 parallel step the goal is out of reach, even if "
        "nothing became false from then on"
    )
