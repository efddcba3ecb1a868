"""Random PDDL from text to plan, against a search over the meaning of the text."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings

import asplan
from asplan.pddl.grounding import translate
from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.names import names_of
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.world import State
from asplan.pddl.task import DOMAIN
from asplan.pddl.task.facts import to_facts
from asplan.pddl.task.model import TaskModel
from asplan.statespace.analysis import analyse
from random_pddl import pddl

EXAMPLES = int(os.environ.get("ASPLAN_FUZZ", "8"))
FAR = 6


def costs(meaning: TextModel, price: Callable[..., int]) -> dict[State, int]:
    """Return the least cost to each state, improved until nothing changes."""
    best = {meaning.initial: 0}
    new = [meaning.initial]
    while new:
        state = new.pop()
        for action in meaning.actions(state):
            after, cost = meaning.apply(state, action), best[state] + price(state, action)
            if cost < best.get(after, math.inf):
                best[after] = cost
                new.append(after)
    return best


def least(meaning: TextModel, price: Callable[..., int]) -> float:
    """Return the cost of the cheapest plan."""
    best = costs(meaning, price).items()
    return min((cost for state, cost in best if meaning.is_goal(state)), default=math.inf)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(texts=pddl())
def test_all_ways_agree(texts: tuple[str, str], tmp_path: Path) -> None:
    written = task_of_sources(
        PddlSource("domain.pddl", texts[0]), PddlSource("problem.pddl", texts[1])
    )
    names = names_of(written)
    meaning = TextModel(written, names)
    fewest = least(meaning, lambda state, action: 1)
    facts = to_facts(translate(written, names))

    found = asplan.solve(text=facts, encoding="sequential", max_horizon=FAR)
    assert found.horizon == (fewest if fewest <= FAR else None)
    for encoding in ("forall", "exists", "relaxed"):
        parallel = asplan.solve(text=facts, encoding=encoding, max_horizon=FAR)
        assert fewest > FAR or (parallel.horizon is not None and parallel.horizon <= fewest)

    files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    searched = asplan.solve(*files, engine="bfs")
    if fewest == math.inf:
        assert searched.outcome == "unsolvable"
        return
    assert (searched.outcome, searched.horizon, searched.validated) == ("optimal", fewest, "text")
    cheapest = asplan.solve(*files, engine="astar", optimal="cost")
    assert cheapest.cost == (least(meaning, meaning.cost),)


@settings(max_examples=EXAMPLES, deadline=None)
@given(texts=pddl())
def test_all_states_are_counted(texts: tuple[str, str]) -> None:
    written = task_of_sources(
        PddlSource("domain.pddl", texts[0]), PddlSource("problem.pddl", texts[1])
    )
    names = names_of(written)
    meaning = TextModel(written, names)
    best = costs(meaning, lambda state, action: 1)
    goals = sum(map(meaning.is_goal, best))
    model = TaskModel(translate(written, names, all_variables=True))
    if why := model.unexplored():
        assert "there is no plan" in why
        assert goals == 0
        return
    analysis = analyse(DOMAIN, model)
    assert (analysis.states, analysis.goal_states) == (len(best), goals)
    assert sum(analysis.depths) == len(best)
    assert len(analysis.depths) == max(best.values()) + 1
