"""The variants of `offset` that its ablation measures find shortest plans, too."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import asplan
import oracle
from asplan.domains.rush_hour.notation import instance_text
from conftest import METRICS, crossed

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from lib.rush_hour.ablation import PARTS, Part, variants, without
from lib.rush_hour_boards import oracle_board, problem_of

BOARDS = ("two_cars", "random:1", "random:7")


@pytest.mark.parametrize(("board", "metric"), crossed(BOARDS, METRICS))
def test_every_variant_finds_a_shortest_plan(board: str, metric: str, tmp_path: Path) -> None:
    problem = problem_of(board)
    shortest = oracle.solve(oracle_board(problem), metric)
    assert shortest is not None
    instance = tmp_path / "board.lp"
    instance.write_text(instance_text(problem))
    whole, *others = variants(tmp_path, PARTS)
    text = Path(whole).read_text()
    for file in (whole, *others):
        assert (Path(file).read_text() == text) == (file == whole)
        assert asplan.solve(instance, encoding=file, metric=metric).horizon == shortest


def test_a_heading_that_is_gone_is_named() -> None:
    with pytest.raises(ValueError, match="0 sections are headed 'Elsewhere'"):
        without("% --- Here\n\n% --- There\n", Part("nothing", ("Elsewhere",)))
