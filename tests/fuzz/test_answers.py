"""Every engine and every encoding of Rush Hour, against the oracle, over boards of all shapes."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest
from attacks import MANY
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from boards import boards_of_all_shapes
from conftest import METRICS, facts

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from attack import Method, fits, methods, wrong


@pytest.mark.parametrize("method", methods(), ids=str)
def test_claims_are_true(method: Method) -> None:
    @MANY
    @given(boards_of_all_shapes(), st.sampled_from(METRICS), st.integers(0, 10**9))
    def said(board: oracle.Board, metric: str, number: int) -> None:
        assume(fits(method, board, metric))
        best = oracle.solve(board, metric)
        assume(not method.engine.startswith("smt") or (best or 0) < 4)  # Z3 takes its time
        result = method.answer(board, metric, best, Random(number))
        assert wrong(result, board, metric, best) is None, facts(board)

    said()


def test_wrong_claims_are_noticed() -> None:
    """The judge itself: an answer of one board is none of another."""
    near = oracle.parse("oooooooooBooAAoBoooooBoooooooooooooo")
    far = oracle.parse("ooooooooooooAAoBoooooBoooooBoooooooo")
    result = Method("bfs").answer(near, "step", oracle.solve(near), Random(1))
    assert wrong(result, near, "step", oracle.solve(near)) is None
    assert wrong(result, near, "step", 5) == "lower bound 6"
    assert wrong(result, near, "step", 7) == "optimal, 6 steps"
    assert wrong(result, near, "step", None) == "optimal, 6 steps"
    assert wrong(result, far, "step", 6) == "step 2: move(b,down,1) is blocked"
