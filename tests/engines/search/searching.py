"""Helpers that run a search engine on a board."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import oracle
from asplan.core.limits import Limits
from asplan.domains import domains
from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.notation import parse_board
from asplan.engines.model_run import run_on_model
from asplan.execution import goal_step
from asplan.program.ground import ground_facts
from asplan.program.reading.unit import unit_of_text
from asplan.result import Result
from conftest import facts, rows

RUSH_HOUR = domains()["rush_hour"]


def model(board: oracle.Board, metric: str) -> RushHour:
    """The model of a board of the oracle."""
    problem: RushHour = RUSH_HOUR.model(
        ground_facts([unit_of_text(facts(board))], {}), {"metric": metric}
    )
    return problem


def run(problem: RushHour, name: str, limits: Limits | None = None, **options: Any) -> Result:
    """The answer of an engine; a plan is checked."""
    result = run_on_model(RUSH_HOUR, problem, name, limits, **options)
    if result.plan is not None:
        assert goal_step(problem, result.plan) == result.horizon == len(result.plan)
    return result


@cache
def cards(data: Path) -> dict[int, tuple[RushHour, dict[str, int]]]:
    """The classic cards by number, with their optimum in each metric."""
    return {
        int(row["card"]): (
            parse_board(row["board"]),
            {"step": int(row["steps"]), "slide": int(row["slides"])},
        )
        for row in rows(data / "rush_hour" / "jams.tsv")
    }


def card(data: Path, number: int, metric: str) -> RushHour:
    """One card in a metric."""
    return replace(cards(data)[number][0], metric=metric)


def distances(problem: RushHour) -> dict[int, float]:
    """The moves from every reachable state to a goal, by nothing but the model's moves."""
    seen, layer = {problem.initial}, [problem.initial]
    while layer:
        layer = list(set(problem.expand(layer)) - seen)
        seen.update(layer)
    found: dict[int, float] = dict.fromkeys(seen, math.inf)
    layer, away = [state for state in seen if problem.is_goal(state)], 0
    while layer:
        found.update(dict.fromkeys(layer, away))
        away += 1
        layer = [state for state in set(problem.expand(layer)) if found[state] == math.inf]
    return found
