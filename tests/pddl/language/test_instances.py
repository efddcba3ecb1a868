"""The PDDL files that ship with asplan: read, executed and drawn."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from pathlib import Path

import pytest

from asplan.core.plan import Plan
from asplan.drawing.rules import read_scene, run_rules, write_facts
from asplan.drawing.shapes import Atoms
from asplan.pddl.language import read_task
from asplan.pddl.language.numbers import model_of
from asplan.pddl.language.semantics import GroundAction, TextModel
from asplan.result import Trajectory

FOLDER = Path(__file__).parents[3] / "instances" / "pddl"
PROBLEMS = sorted(p for p in FOLDER.glob("*/*.pddl") if p.name != "domain.pddl")


def loaded(problem: Path) -> TextModel:
    return model_of(read_task(problem.parent / "domain.pddl", problem))


def cheapest(model: TextModel) -> tuple[int, list[GroundAction]]:
    """A plan of least cost, by Dijkstra's algorithm."""
    number = count()
    queue = [(0, next(number), model.initial, list[GroundAction]())]
    seen = set()
    while queue:
        cost, _, state, plan = heappop(queue)
        if model.is_goal(state):
            return cost, plan
        if state not in seen:
            seen.add(state)
            for action in model.actions(state):
                after = cost + model.cost(state, action)
                heappush(queue, (after, next(number), model.apply(state, action), [*plan, action]))
    raise AssertionError("there is no plan")


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.stem)
def test_a_file_is_read_without_a_warning(problem: Path) -> None:
    task = loaded(problem).task
    assert task.warnings == ()
    assert (task.domain.name.key, task.problem.name.key) == (problem.parent.name, problem.stem)
    assert problem.read_text().startswith("; ")


@pytest.mark.parametrize(
    ("name", "cost"),
    [("blocks", 6), ("castle", 5), ("crates", 7), ("gripper", 5), ("lamps", 4), ("lamps-2", 7)],
)
def test_the_least_cost(name: str, cost: int) -> None:
    file = name if "-" in name else f"{name}-1"
    model = loaded(FOLDER / name.partition("-")[0] / f"{file}.pddl")
    assert cheapest(model)[0] == cost


@pytest.mark.parametrize("rules", sorted(FOLDER.glob("*/draw.lp")), ids=lambda p: p.parent.name)
def test_a_plan_is_drawn(rules: Path) -> None:
    model = loaded(rules.parent / f"{rules.parent.name}-1.pddl")
    _, actions = cheapest(model)
    states = [model.initial]
    for action in actions:
        states.append(model.apply(states[-1], action))
    plan = Plan(tuple((str(action),) for action in actions))
    trajectory = Trajectory(
        facts=[
            f"object({model.names.objects.terms[key]},{model.names.types.terms[kind]})"
            for key, kinds in model.task.types_of.items()
            for kind in kinds
        ],
        states=[tuple(map(str, model.fluents(state))) for state in states],
    )
    derived = run_rules(str(rules), write_facts(trajectory, plan), {})
    atoms = Atoms(derived, str(rules), len(plan))
    scene = read_scene(atoms, rules.parent.name, plan.actions, trajectory)
    drawn = {thing.name for thing in scene.objects}
    wanted = {
        "courier": "home school courier book battery charge",
        "blocks": "a b c arm table",
        "crates": "a robot",
        "gripper": "red blue robot",
    }
    assert drawn >= set(wanted[rules.parent.name].split())
