"""Additive pattern databases: the sum of the moves that each group of tiles needs by itself.

The tiles are divided into groups. The table of a group has an entry for each placement of its tiles
and of the blank: the fewest moves *of the group's tiles* that bring them to their goals. A move
belongs to one group only, so the sum over the groups is admissible. Korf and Felner store only the
least value over all cells of the blank. With the blank, values are larger and the sum is
consistent.

A square board and its mirror image in a diagonal are equally far from the goal, if the set of goal
cells is its own image. Then the estimate is the larger of two sums: over the groups of the board,
and over the groups of its mirror image. The board and its image are the *views*.

Sources: Korf and Felner, Disjoint Pattern Database Heuristics, Artificial Intelligence 134, 2002;
Culberson and Schaeffer, Pattern Databases, 1998.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count, pairwise, product

from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, transposed_cells
from asplan.domains.sliding_tiles.tile_sum import TileSum

Group = tuple[int, ...]
"""A group of tiles, given by their goal cells."""

LARGEST = 2**26
"""The most entries, of one byte each, of all tables of a board together."""

MOST_CELLS = 64
"""The most cells of a board: sets of cells are words of 64 bits while a table is filled."""


def pattern_databases(problem: SlidingTiles) -> TileSum:
    """Return the estimate that adds the fewest moves of each group of tiles; consistent for any
    goal.
    """
    size = len(problem.initial)
    goal_cells = tuple(sorted(cell for _, cell in problem.goal))
    groups = divide(goal_cells, size)
    tables = _make_tables(problem.rows, problem.columns, goal_cells)
    views = [list(range(size))]
    if len(groups) > 1:
        image = mirror_of(problem, goal_cells)
        if image is not None:
            views.append(image)
    index_bits = max(map(len, tables)).bit_length()
    weights = _index_weights(problem, groups, views, index_bits)
    value = _largest_sum(tables, len(views), index_bits)
    return TileSum(problem, weights, value)


def why_no_pattern_databases(problem: SlidingTiles) -> str | None:
    """Return the reason why a board has no pattern databases (it is too large); None if it has."""
    if len(problem.initial) <= MOST_CELLS:
        return None
    return f"its tables are for boards of up to {MOST_CELLS} cells"


def divide(cells: Group, size: int) -> list[Group]:
    """Divide goal cells into groups that are consecutive in row order and of about equal size.

    There are as few groups as `LARGEST` allows. `size` is the number of cells of the board.
    """
    for parts in count(1):
        cuts = [part * len(cells) // parts for part in range(parts + 1)]
        groups = [cells[start:stop] for start, stop in pairwise(cuts)]
        if sum(_count_entries(group, size) for group in groups) <= LARGEST:
            break
    return groups


def _count_entries(group: Group, size: int) -> int:
    """Return the number of entries of a group's table.

    The table also has entries for placements with several tiles on one cell.
    """
    entries: int = size ** (len(group) + 1)
    return entries


def mirror_of(problem: SlidingTiles, cells: Group) -> list[int] | None:
    """Return for each cell its mirror image in a diagonal that maps the goal cells to themselves.

    `cells` are the goal cells. None if there is no such diagonal.
    """
    side = problem.columns
    if problem.rows != side:
        return None
    transposed = transposed_cells(side)
    for image in (transposed, transposed[::-1]):
        if {image[cell] for cell in cells} == set(cells):
            return image
    return None


def _index_weights(
    problem: SlidingTiles,
    groups: Sequence[Group],
    views: Sequence[list[int]],
    index_bits: int,
) -> list[list[int]]:
    """Return a weight for each cell and tile; summed over a state they give all table indices.

    The index into a group's table is a number to the base of the board's size. It has a digit for
    the cell of each tile of the group, and a last digit for the cell of the blank. The sum contains
    an index for each group and each of the `views` (the board and its mirror image), with
    `index_bits` bits each.
    """
    size = len(problem.initial)
    goal = dict(problem.goal)
    weights = [[0] * size for _ in range(size)]
    for slot, (image, group) in enumerate(product(views, groups)):
        shift = slot * index_bits
        exponents = {home: len(group) - at for at, home in enumerate(group)}
        place_values = {BLANK: 1}
        for tile, cell in goal.items():
            if image[cell] in exponents:
                place_values[tile] = size ** exponents[image[cell]]
        for tile, place_value in place_values.items():
            for cell in range(size):
                digit = image[cell]
                weights[cell][tile] += digit * place_value << shift
    return weights


def _largest_sum(
    tables: Sequence[bytearray],
    views: int,
    index_bits: int,
) -> Callable[[int], int]:
    """Return a function that turns a sum of index weights into the estimate.

    The sum contains an index into each table, for each of the `views`: 1 for the board alone, 2 for
    the board and its mirror image. The function adds the entries of each view, and returns the
    larger total.
    """
    mask = (1 << index_bits) - 1

    def value(indices: int) -> int:
        largest = 0
        for _ in range(views):
            total = 0
            for table in tables:
                total += table[indices & mask]
                indices >>= index_bits
            if total > largest:
                largest = total
        return largest

    return value


@lru_cache(maxsize=1)
def _make_tables(
    rows: int,
    columns: int,
    goal_cells: Group,
) -> list[bytearray]:
    """Return the tables of all groups.

    The last tables are cached for further boards with the same goal.
    """
    from asplan.domains.sliding_tiles.retrograde import Retrograde

    size = rows * columns
    blank_goals = [cell for cell in range(size) if cell not in goal_cells]
    groups = divide(goal_cells, size)
    lengths = {len(group) for group in groups}
    searches = {length: Retrograde(rows, columns, length) for length in lengths}
    return [searches[len(group)].table(group, blank_goals) for group in groups]
