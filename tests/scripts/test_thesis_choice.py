"""Choosing a solver by a board's features: features, rules, and how rules are judged."""

from __future__ import annotations

import sys
from itertools import product
from math import log10
from pathlib import Path

import pytest

from asplan.domains.rush_hour.notation import parse_board

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import thesis_choice as choice
from lib.measuring import HARDEST
from lib.thesis import Board
from thesis_choice import Case, Comparison, Leaf

SMALL = Case({"size": 1.0, "noise": 3.0}, {"search": 1.0, "solver": 5.0}, 0.5)
LARGE = Case({"size": 9.0, "noise": 3.0}, {"search": 12.0, "solver": 5.0}, 0.5)
CASES = [SMALL] * 6 + [LARGE] * 6
RULE = Comparison("size", 5.0, Leaf("search"), Leaf("solver"))


def test_features_of_a_board() -> None:
    features, cost = choice.look(Board(HARDEST, 51))
    assert {name: features[name] for name in ("vehicles", "trucks", "free cells")} == {
        "vehicles": 13,
        "trucks": 3,
        "free cells": 7,
    }
    assert (features["cars in the way"], features["cells to the exit"]) == (1, 1)
    assert cost > 0


def count_slowly(text: str) -> int:
    """Count the placements of a board's cars line by line, by trying all offsets in order."""
    board, number = parse_board(text), 1
    for line in board.lines:
        fitting = 0
        for offsets in product(*(range(line.size - length + 1) for length in line.lengths)):
            ends = [first + length for first, length in zip(offsets, line.lengths, strict=True)]
            fitting += all(end <= first for end, first in zip(ends, offsets[1:], strict=False))
        number *= fitting
    return number


@pytest.mark.parametrize("text", [HARDEST, "ooooooooooooAAoooooooooooooooooooooo"])
def test_placements_are_those_of_each_line(text: str) -> None:
    assert choice.count_placements(parse_board(text)) == pytest.approx(log10(count_slowly(text)))


def test_a_comparison_is_learned_where_boards_differ() -> None:
    assert choice.learn(CASES, 1) == RULE
    assert choice.learn(CASES, 2) == RULE  # nothing is left to gain
    assert choice.learn(CASES, 0) == Leaf("solver")
    assert choice.learn([LARGE] * 12, 2) == Leaf("solver")


def test_few_boards_make_no_comparison() -> None:
    assert choice.learn([SMALL] * 4 + [LARGE] * 8, 1) == Leaf("solver")


def test_a_rule_pays_for_its_features() -> None:
    assert choice.spent(RULE, [SMALL, LARGE]) == [1.5, 5.5]
    assert choice.spent(Leaf("search"), [SMALL, LARGE]) == [1.0, 12.0]


def test_rules_are_judged_beside_solvers() -> None:
    rows = {row[0]: row[1:] for row in choice.judged({"rule": RULE}, "solver", CASES) if row}
    assert rows["always solver"][:2] == ("1.000", "60")
    assert rows["always search"][:2] == ("1.300", "78")
    assert rows["rule"] == ("0.700", "42", "3.5", "5.5", "100%")
    assert rows["the fastest of each board"][:2] == ("0.600", "36")


def test_halves_share_nothing() -> None:
    for one, other in choice.halves(list(range(9)), 5):
        assert sorted(one + other) == list(range(9))
        assert len(one) == 4


def test_equal_values_share_a_rank() -> None:
    assert choice.ranks([3.0, 1.0, 3.0, 7.0]) == [1.5, 0.0, 1.5, 3.0]
