"""Searches on lists beside those of the textbook, on small random tasks."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import tasks

from asplan.core.search import best_first, greedy
from asplan.pddl.task.cheapest import find_cheapest
from asplan.pddl.task.finder import find_plan
from asplan.pddl.task.heuristics import HEURISTICS
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import Task
from conftest import examples
from search_variants import UnitCosts

MAKE = {heuristic.name: heuristic.make for heuristic in HEURISTICS}


@settings(max_examples=examples(200), deadline=None)
@given(tasks(), st.sampled_from(["zero", "lm-cut", "h-max"]))
def test_a_star_on_lists_is_that_of_the_textbook(task: Task, heuristic: str) -> None:
    priced = TaskModel(task)
    costs = {operator.action: operator.cost for operator in task.operators}
    for space in (priced, UnitCosts(priced)):
        is_priced = space is priced
        found = find_cheapest(priced, is_priced, plain=math.inf)
        make = {h.name: h.priced if is_priced else h.make for h in HEURISTICS}[heuristic]
        assert make is not None
        tree = best_first(space, make(priced))
        assert (found.steps is None) == (tree.goal is None)
        if found.steps is not None and tree.goal is not None:
            paid = sum(costs[action] if is_priced else 1 for (action,) in found.steps)
            assert paid == tree.costs[tree.goal]


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_greedy_search_on_lists_finds_a_plan_where_the_textbook_does(task: Task) -> None:
    space = TaskModel(task)
    found = find_plan(space)
    tree = best_first(UnitCosts(space), MAKE["h-add"](space), greedy)
    assert (found.steps is None) == (tree.goal is None)
