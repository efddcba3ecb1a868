"""Random small tasks with constraints and preferences, beside an exhaustive search."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest
from random_preferences import Oracle, random_task

import asplan
from asplan import Outcome
from asplan.pddl.numeric.strip import evaluate

SEEDS = int(os.environ.get("ASPLAN_FUZZ", "8"))


@pytest.mark.parametrize("seed", range(19, 19 + SEEDS))
def test_random_task(seed: int, tmp_path: Path) -> None:
    texts = random_task(seed)
    files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    oracle = Oracle(*texts)
    fewest, best = oracle.best(by_metric=False), oracle.best(by_metric=True)
    found = asplan.solve(*files, engine="astar", optimal="metric")
    if fewest is None or best is None:
        assert found.outcome is Outcome.UNSOLVABLE
        assert asplan.solve(*files, engine="bfs").outcome is Outcome.UNSOLVABLE
        return
    assert oracle.task.problem.metric is not None
    direction, expression = oracle.task.problem.metric
    sign = Fraction(-1 if direction == "maximize" else 1)
    assert found.outcome is Outcome.OPTIMAL
    assert found.metric == evaluate(expression, {}, {}).constant + sign * best
    for engine, steps in (("bfs", None), ("asp", "sequential")):
        shortest = asplan.solve(*files, engine=engine, steps=steps)
        assert shortest.outcome is Outcome.OPTIMAL
        assert shortest.horizon == fewest
    for parallel in ("forall", "exists"):  # the referee sees every state of a step
        short = asplan.solve(*files, steps=parallel)
        assert short.horizon is not None
        assert short.horizon <= fewest
