"""Additive pattern databases: groups of tiles, each brought home by itself, whose moves are added.

For a group of tiles a table holds, for each placement of it and of the blank, the fewest moves *of
its tiles* that bring them home. No move counts for two groups, so the sum is consistent. Korf and
Felner keep the least value over the places of the blank; with them values are larger, and only so
consistent. A square board in the mirror of a diagonal is as far from its goal: where the goal's
cells are the same there, the larger of the two sums counts.

Sources: Korf and Felner, Disjoint Pattern Database Heuristics, Artificial Intelligence 134, 2002;
Culberson and Schaeffer, Pattern Databases, 1998.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count, pairwise

from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, TileSum

Group = tuple[int, ...]  # the goal cells of some tiles
LARGEST = 2**26  # the most entries, of a byte each, that the tables of a board have
MOST_CELLS = 64  # while a table is filled, a set of cells is a word of so many bits


def pattern_databases(problem: SlidingTiles) -> TileSum:
    """The fewest moves of groups of tiles, each group by itself, added; consistent for any goal."""
    size = len(problem.initial)
    cells = tuple(sorted(cell for _, cell in problem.goal))
    groups = divide(cells, size)
    tables = _tables(problem.rows, problem.columns, cells)
    mirror = mirror_of(problem, cells) if len(groups) > 1 else None
    views = [list(range(size)), *([mirror] if mirror else [])]
    shift = max(map(len, tables)).bit_length()
    weights = _weights(problem, groups, views, shift)
    return TileSum(problem, weights, _largest(tables, len(views), shift))


def too_large(problem: SlidingTiles) -> str | None:
    """Why there are no pattern databases for a board, if it is too large."""
    if len(problem.initial) <= MOST_CELLS:
        return None
    return f"its tables are for boards of up to {MOST_CELLS} cells"


def divide(cells: Group, size: int) -> list[Group]:
    """Groups of neighbours in row order, about equal and as few as `LARGEST` allows."""
    for parts in count(1):
        cuts = [part * len(cells) // parts for part in range(parts + 1)]
        groups = [cells[start:stop] for start, stop in pairwise(cuts)]
        if sum(size ** (len(group) + 1) for group in groups) <= LARGEST:
            break
    return groups


def mirror_of(problem: SlidingTiles, cells: Group) -> list[int] | None:
    """For each cell its image in a diagonal, if the goal's cells are the same in the mirror."""
    side = problem.columns
    if problem.rows != side:
        return None
    transposed = [column * side + row for row in range(side) for column in range(side)]
    for image in (transposed, transposed[::-1]):
        if {image[cell] for cell in cells} == set(cells):
            return image
    return None


def _weights(
    problem: SlidingTiles, groups: Sequence[Group], views: Sequence[list[int]], shift: int
) -> list[list[int]]:
    """What each cell and tile add to the indices, which stand side by side, `shift` bits each."""
    size, goal = len(problem.initial), dict(problem.goal)
    weights = [[0] * size for _ in range(size)]
    for slot, (image, group) in enumerate((image, group) for image in views for group in groups):
        digits = {home: size ** (len(group) - at) for at, home in enumerate(group)}
        for tile in (BLANK, *goal):
            digit = 1 if tile == BLANK else digits.get(image[goal[tile]], 0)
            for cell, row in enumerate(weights):
                row[tile] += image[cell] * digit << slot * shift
    return weights


def _largest(tables: Sequence[bytearray], views: int, shift: int) -> Callable[[int], int]:
    """From the indices to the entries, added for each view."""
    mask = (1 << shift) - 1

    def value(indices: int) -> int:
        largest = 0
        for _ in range(views):
            total = 0
            for table in tables:
                total += table[indices & mask]
                indices >>= shift
            if total > largest:
                largest = total
        return largest

    return value


@lru_cache(maxsize=1)
def _tables(rows: int, columns: int, cells: Group) -> list[bytearray]:
    """The tables of the groups; kept, for the next board may have the same goal."""
    from asplan.domains.sliding_tiles.retrograde import Retrograde

    size = rows * columns
    blanks = [cell for cell in range(size) if cell not in cells]
    groups = divide(cells, size)
    searches = {tiles: Retrograde(rows, columns, tiles) for tiles in {*map(len, groups)}}
    return [searches[len(group)].table(group, blanks) for group in groups]
