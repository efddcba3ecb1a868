"""The assignment's score, and the penalty for a longer solution."""

from __future__ import annotations

import sys
from math import inf
from pathlib import Path

import pytest

from asplan.domains.rush_hour.notation import parse_board
from conftest import rows

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from assignment_cards import ENGINES, PUBLISHED, Counted, Effort, score, search


@pytest.mark.parametrize(
    ("efforts", "shortest", "expected"),
    [
        ([], [], 0),
        ([Effort(17, 1072)], [17], 1072),
        ([Effort(17, 400, 660)], [17], 1060),  # preprocessing counts
        ([Effort(18, 1)], [17], inf),
        ([Effort(17, 10), Effort(15, 20, 3)], [17, 15], 33),
        ([Effort(17, 10), Effort(16, 1), Effort(34, 5)], [17, 15, 34], inf),  # one is enough
    ],
)
def test_score(efforts: list[Effort], shortest: list[int], expected: float) -> None:
    assert score(efforts, shortest) == expected


def test_efforts_on_a_card(data: Path) -> None:
    (number, card) = 4, list(rows(data / "rush_hour" / "jams.tsv"))[3]
    problem = parse_board(card["board"])
    before = Counted.states
    efforts = {name: search(problem, how) for name, how in ENGINES.items()}
    assert {effort.length for effort in efforts.values()} == {PUBLISHED[number - 1][0]}
    assert {name for name, effort in efforts.items() if effort.preprocessing} == {"abstraction"}
    assert efforts["abstraction"].preprocessing == Counted.states - before
