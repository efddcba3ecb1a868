"""Count the states of Brain Twist at each distance from the goal.

From one solved arrangement 11!/2 arrangements can be reached, flipped or not: 39,916,800 states.
This is a breadth-first search over all of them, one byte each. The other solved arrangement of the
goal has the same numbers, because turns act on positions: exchanging the names of the tiles makes
one search the other. So does the goal `points`, whose solved arrangements only name tiles anew.

A state is three numbers: the flip, where five of the tiles are (55,440 ways), and how the other
six lie on the positions left over, in ascending order. Every turn is even, so the order of the last
two is decided by the others, and the third number has 360 values. A turn is then one table lookup
for the second number and one for the third.

    python scripts/brain_twist.py distances [--instances FOLDER] [--markdown]
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asplan.domains.brain_twist.turns import ARRANGEMENTS, CYCLES, MOVES
from lib import tables
from lib.quick import add_quick

RESTS_ON = ("src/asplan/domains/brain_twist/turns.py",)

FREE = 11
"""Position 1 always holds rc; the others count from 0 here, and so do their tiles."""
PLACED = 5
REST = FREE - PLACED
PAIRS = 360
UNSEEN = 255
BLOCK = 5040
"""Rows that are looked up at a time, to bound the memory."""

Numbers = NDArray[np.integer]
Distances = NDArray[np.uint8]


@dataclass(frozen=True)
class Coordinates:
    """The numbering of states.

    Attributes
    ----------
    placed
        For each value of the second number where the first five tiles are, shape (55440, 5).
    rest
        The positions left over, ascending, shape (55440, 6).
    orders
        All orders of six, shape (720, 6); 2k and 2k+1 differ in the last two and are one pair k.
    """

    placed: Numbers
    rest: Numbers
    orders: Numbers

    def tiles(self, row: int, pair: int) -> tuple[int, ...]:
        """The tile at each position, by the position where it is solved."""
        for order in self.orders[2 * pair : 2 * pair + 2]:
            where = [*self.placed[row], *self.rest[row][order]]
            if _is_even(where):
                return tuple(where.index(position) for position in range(FREE))
        raise AssertionError("one order of a pair is even")

    def numbers(self, tiles: tuple[int, ...]) -> tuple[int, int]:
        """The row and the pair of an arrangement; the inverse of `tiles`."""
        where = [tiles.index(tile) for tile in range(FREE)]
        row = int(np.flatnonzero((self.placed == where[:PLACED]).all(axis=1))[0])
        order = np.searchsorted(self.rest[row], where[PLACED:])
        return row, int(np.flatnonzero((self.orders == order).all(axis=1))[0]) // 2


def coordinates() -> Coordinates:
    """Number all states."""
    placed = np.array(list(permutations(range(FREE), PLACED)), dtype=np.int64)
    free = np.ones((len(placed), FREE), dtype=bool)
    free[np.arange(len(placed))[:, None], placed] = False
    rest = np.nonzero(free)[1].reshape(-1, REST)
    return Coordinates(placed, rest, np.array(list(permutations(range(REST))), dtype=np.int64))


def turn_tables(numbering: Coordinates, move: int) -> tuple[Numbers, Numbers]:
    """Return the row after a turn for each row, and the order that it applies to the rest."""
    go = np.array(destinations(move))
    size = len(numbering.placed)
    rows = _lookup(numbering.placed, FREE)[_code(go[numbering.placed], FREE)]
    rank = np.zeros((size, FREE), dtype=np.int64)
    rank[np.arange(size)[:, None], numbering.rest] = np.arange(REST)
    applied = rank[rows[:, None], go[numbering.rest]]
    return rows, _lookup(numbering.orders, REST)[_code(applied, REST)]


def destinations(move: int) -> list[int]:
    """Return the new position of the tile at each position in a turn."""
    go = list(range(FREE))
    for cycle in CYCLES["fixed"][abs(move)]:
        path = cycle if move > 0 else cycle[::-1]
        for come, to in zip(path, path[1:] + path[:1], strict=True):
            go[come - 2] = to - 2
    return go


def pair_table(numbering: Coordinates) -> Numbers:
    """The pair that follows when an order is applied to a pair, shape (720, 360)."""
    first = numbering.orders[::2]
    composed = numbering.orders[:, first]
    return (_lookup(numbering.orders, REST)[_code(composed, REST)] // 2).astype(np.int16)


def search(numbering: Coordinates) -> Iterator[tuple[int, int, Distances]]:
    """Yield each distance, the number of states at it, and all distances known so far.

    The array has the shape (2, 55440, 360): flip, row, pair.
    """
    pairs = pair_table(numbering)
    tables = [[turn_tables(numbering, move) for move in moves] for moves in MOVES]
    distance = np.full((2, len(numbering.placed), PAIRS), UNSEEN, dtype=np.uint8)
    row, pair = numbering.numbers(tuple(range(FREE)))
    distance[:, row, pair] = 0
    depth, count = 0, 2
    while count:
        yield depth, count, distance
        last = distance == depth
        depth += 1
        # Turns come with their inverses, so what follows is what has a neighbour in the layer.
        for flip in (0, 1):
            reached = last[1 - flip].copy()
            live = last[flip].any(axis=1)
            for rows, applied in tables[flip]:
                touched = np.flatnonzero(live[rows])
                for part in np.array_split(touched, len(touched) // BLOCK + 1):
                    columns = pairs[applied[part]]
                    reached[part] |= np.take_along_axis(last[flip][rows[part]], columns, axis=1)
            distance[flip][reached & (distance[flip] == UNSEEN)] = depth
        count = int(np.count_nonzero(distance == depth))


def example(
    numbering: Coordinates, distance: Distances, depth: int, seed: int
) -> tuple[int, tuple[str, ...]]:
    """The flip and the tiles of a random state at a distance."""
    found = np.flatnonzero(distance == depth)
    chosen = int(np.random.default_rng([seed, depth]).choice(found))
    flip, row, pair = (int(n) for n in np.unravel_index(chosen, distance.shape))
    solved = ARRANGEMENTS["faces"][0]
    return flip, (solved[0], *(solved[tile + 1] for tile in numbering.tiles(row, pair)))


def instance(flip: int, tiles: tuple[str, ...], depth: int, count: int) -> str:
    """A state as an instance."""
    facts = [f"on(0,{tile},{position})." for position, tile in enumerate(tiles, 1)]
    lines = ["  ".join(facts[i : i + 4]) for i in range(0, len(facts), 4)]
    return "\n".join(
        [
            f"% Brain Twist: shortest plan {depth} move{'s' * (depth > 1)} to goal faces.",
            f"% Drawn at random from the {count:,} states at this distance, which an exhaustive",
            "% search found.",
            "",
            *lines,
            f"on(0,f,{flip}).",
            "",
        ]
    )


def _lookup(words: Numbers, base: int) -> Numbers:
    """The index of each word among `words`, by its code."""
    table = np.zeros(base ** words.shape[1], dtype=np.int64)
    table[_code(words, base)] = np.arange(len(words))
    return table


def _code(words: Numbers, base: int) -> Numbers:
    """Words of digits as numbers; the digits are the last axis."""
    weights = base ** np.arange(words.shape[-1])[::-1]
    return words @ weights


def _is_even(where: list[int]) -> bool:
    pairs = ((i, j) for j in range(len(where)) for i in range(j))
    return sum(where[i] > where[j] for i, j in pairs) % 2 == 0


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--instances", type=Path, help="write one instance for each distance here")
    parser.add_argument("--seed", type=int, default=1, help="for the choice of the instances")
    parser.add_argument("--plot", type=Path, metavar="F.svg", help="draw the table")
    add_quick(parser, "all of it: it is short")


def study(given: argparse.Namespace) -> None:
    """Print the table; how far the search is goes to standard error."""
    begin, rows, total, weighted = time.process_time(), [], 0, 0
    numbering = coordinates()
    for depth, count, distance in search(numbering):
        total, weighted = total + count, weighted + depth * count
        rows.append((str(depth), f"{count:,}", f"{total:,}"))
        tables.progress(*rows[-1])
        if given.instances and depth:
            flip, tiles = example(numbering, distance, depth, given.seed)
            path = given.instances / f"twist{depth:02}.lp"
            path.write_text(instance(flip, tiles, depth, count), encoding="utf-8")
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    tables.show(("distance", "states", "together"), rows, markdown=given.markdown)
    tables.say(
        f"The mean distance is {weighted / total:.4f}. "
        f"The search took {seconds:.0f} s of processor time and {memory} MB."
    )
    if given.plot:
        draw(given.plot, [int(count.replace(",", "")) for _, count, _ in rows])


def draw(file: Path, counts: list[int]) -> None:
    """A bar for each distance, logarithmic."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = file.stem
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    axes = figure.add_subplot(xlabel="moves from solved", ylabel="states", yscale="log")
    bars = axes.bar(range(len(counts)), counts, color="#2a9d8f")
    axes.bar_label(bars, [f"{count:,}" for count in counts], fontsize=7, rotation=45)
    axes.set_xticks(range(len(counts)))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, metadata={"Date": None})
