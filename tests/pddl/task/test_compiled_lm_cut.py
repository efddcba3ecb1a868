"""LM-cut in compiled functions, against plain Python."""

from __future__ import annotations

import pytest

from asplan.core.compiling import has_compiler
from asplan.pddl.task import landmark_cut
from asplan.pddl.task.heuristics import LmCut
from asplan.pddl.task.relaxation import Flat
from asplan.problem import Inputs, load_space
from asplan.statespace.space import state_space


@pytest.mark.skipif(not has_compiler(), reason="needs numba")
@pytest.mark.parametrize("task", ["blocks-1", "parcels-1"])
def test_compiled_estimates_are_the_same(task: str) -> None:
    _, model = state_space(load_space(Inputs((task,))))
    flat = Flat(model.task, [1] * len(model.task.operators))
    compiled = LmCut(flat, plain=0)
    plain = LmCut(flat, plain=1e9)
    states = [model.initial]
    for state in states[:30]:
        states += model.successors(state)
    assert [compiled(state) for state in states] == [plain(state) for state in states]
    assert plain._find is landmark_cut.lm_cut
    assert compiled._find is not landmark_cut.lm_cut
