"""The numbering of states for the exhaustive count, against the model."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from asplan.domains.brain_twist.model import BrainTwist, Move
from asplan.domains.brain_twist.turns import ARRANGEMENTS, MOVES

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from lib.brain_twist import distances as script


def test_numbers_and_tables() -> None:
    """A turn in numbers is the turn of the model."""
    numbering = script.coordinates()
    pairs = script.pair_table(numbering)
    solved = ARRANGEMENTS["faces"][0]
    twist = BrainTwist((0, solved))
    random = Random(1)
    for move in [m for moves in MOVES for m in moves]:
        rows, applied = script.turn_tables(numbering, move)
        for _ in range(20):
            row, pair = random.randrange(55440), random.randrange(360)
            tiles = numbering.tiles(row, pair)
            assert numbering.numbers(tiles) == (row, pair)
            names = (solved[0], *(solved[tile + 1] for tile in tiles))
            _, after = twist.apply((int(abs(move) > 4), names), Move(move))
            expected = tuple(solved.index(name) - 1 for name in after[1:])
            assert numbering.tiles(int(rows[row]), int(pairs[applied[row], pair])) == expected


def test_first_layers() -> None:
    """The counts equal those of breadth-first search over the model."""
    solved = ARRANGEMENTS["faces"][0]
    twist = BrainTwist((0, solved))
    layer = {(flip, solved) for flip in (0, 1)}
    seen, counts = set(layer), [2]
    for _ in range(3):
        layer = {after for state in layer for after in twist.successors(state)} - seen
        seen |= layer
        counts.append(len(layer))
    found = list(islice(script.search(script.coordinates()), 4))
    assert [count for _, count, _ in found] == counts
    distance = found[-1][2]
    assert np.count_nonzero(distance != script.UNSEEN) == sum(counts)


def test_an_example_has_the_stated_length() -> None:
    numbering = script.coordinates()
    depth, count, distance = next(islice(script.search(numbering), 3, None))
    flip, tiles = script.example(numbering, distance, depth, seed=5)
    layer = {(flip, tiles)}
    for _ in range(depth):
        assert not any(BrainTwist(state).is_goal(state) for state in layer)
        layer = {after for state in layer for after in BrainTwist(state).successors(state)}
    assert any(BrainTwist(state).is_goal(state) for state in layer)
    assert f"shortest plan {depth} moves" in script.instance(flip, tiles, depth, count)
