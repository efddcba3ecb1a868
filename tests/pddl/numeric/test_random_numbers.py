"""Random tasks with numbers, from text to plan, against a search over their meaning."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from random_numbers import numeric_pddl

import asplan
from asplan.core.budget import Budget, OutOfBudget, ignore_report
from asplan.core.errors import Stopped
from asplan.pddl.front.kairos import find_by_kairos, find_kairos
from asplan.pddl.front.source import load_source_pair
from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.numbers import NumericModel
from asplan.problem import Inputs

EXAMPLES = int(os.environ.get("ASPLAN_FUZZ", "6"))
FAR, MANY = 4, 3_000


def fewest(model: NumericModel) -> int | None:
    """The length of the shortest plan of at most `FAR` actions; None where there is none."""
    layer = {model.initial}
    seen = set(layer)
    for length in range(FAR + 1):
        if any(map(model.is_goal, layer)):
            return length
        if length < FAR:
            layer = {model.apply(s, action) for s in layer for action in model.actions(s)} - seen
            seen |= layer
            assume(len(seen) < MANY)
    return None


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=numeric_pddl())
@pytest.mark.usefixtures("without_kairos")
def test_fewest_actions(texts: tuple[str, str], tmp_path: Path) -> None:
    sources = (PddlSource(name, text) for name, text in zip("dp", texts, strict=True))
    best = fewest(NumericModel(task_of_sources(*sources)))
    files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    if best is not None:
        soon = asplan.solve(*files, first=True)
        assert soon.validated == "text"
        assert soon.plan is not None
        assert len(soon.plan.actions) >= best
    for steps in ("sequential", "forall", "rolled"):
        found = asplan.solve(*files, steps=steps, max_horizon=FAR)
        length = None if found.plan is None else found.horizon
        if steps == "sequential":
            assert length == best
        elif best is not None:
            assert length is not None
            assert length <= best


@settings(max_examples=2 * EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=numeric_pddl())
def test_plans_of_kairos_are_right_or_refused(texts: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("kairos")
    program = find_kairos()
    assert program is not None
    files = str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")
    for file, text in zip(files, texts, strict=True):
        Path(file).write_text(text)
    task = load_source_pair(Inputs(files), files)
    try:
        found = find_by_kairos(program, task, Budget().within(10), ignore_report)
    except (Stopped, OutOfBudget):
        return
    assert found.steps is not None
    sources = (PddlSource(name, text) for name, text in zip("dp", texts, strict=True))
    model = NumericModel(task_of_sources(*sources))
    state = model.initial
    for (wanted,) in found.steps:
        (action,) = (action for action in model.actions(state) if str(action) == wanted)
        state = model.apply(state, action)
    assert model.is_goal(state)
