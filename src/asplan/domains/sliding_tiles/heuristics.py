"""Heuristics for sliding tiles: Manhattan distance, linear conflict, walking distance.

The *walking distance* is the sum of two relaxations. The first one ignores columns: its states
record only how many tiles of each home row are in each row, and the row of the blank. The *home*
row of a tile is the row of its goal. A vertical move takes one tile to the row beside it; a
horizontal move changes nothing. Breadth-first search from the goal fills a table with the fewest
vertical moves. The second relaxation does the same for columns. The sum is consistent. It is never
less than the Manhattan distance, because it also counts the moves by which tiles make room for
others. Source: Ken'ichiro Takahashi, Walking Distance (in Japanese), 2002.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import inf

from asplan.core.dataclass import dataclass
from asplan.core.search import breadth_first
from asplan.domains.heuristic import Heuristic
from asplan.domains.sliding_tiles import patterns
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State
from asplan.domains.sliding_tiles.tile_sum import TileSum

LARGEST = 400_000
"""The most entries of a table of walking distances; four lines of four cells have 24,964."""


@dataclass(frozen=True)
class Lines:
    """The rows of a board without its columns, or its columns without its rows.

    An *arrangement* is a state of this relaxation, stored as one number. The number has a counter
    for each pair of a line and a home line: how many tiles in the line have their goal in the home
    line. The line of the blank is stored above the counters.
    """

    width: int
    """The number of cells of a line."""
    homes: tuple[int, ...]
    """For each line, the number of tiles whose goal is in this line."""

    @cached_property
    def tile_weights(self) -> list[list[int]]:
        """The amounts by which tiles contribute to an arrangement.

        A tile in `line` whose goal is in the line `home` adds `tile_weights[line][home]`.
        """
        count = len(self.homes)
        weights: list[list[int]] = []
        for line in range(count):
            first = line * count
            shifts = [self._counter_bits * (first + home) for home in range(count)]
            weights.append([1 << shift for shift in shifts])
        return weights

    def blank_weight(self, line: int) -> int:
        """Return the amount that the blank in a line adds to an arrangement."""
        return line << self._blank_shift

    @property
    def bits(self) -> int:
        """The number of bits that an arrangement may need."""
        return self._blank_shift + len(self.homes).bit_length()

    @property
    def _counter_bits(self) -> int:
        return self.width.bit_length()

    @property
    def _blank_shift(self) -> int:
        return self._counter_bits * len(self.homes) ** 2

    def goals(self) -> Iterator[tuple[int, int]]:
        """Yield the arrangements with all tiles in the lines of their goals, each with the blank's
        line.
        """
        at_home = 0
        for line, count in enumerate(self.homes):
            at_home += count * self.tile_weights[line][line]
        for line, count in enumerate(self.homes):
            if count < self.width:
                yield at_home + self.blank_weight(line), line

    def successors(
        self,
        arrangement: int,
        blank: int,
    ) -> Iterator[tuple[int, int]]:
        """Yield the successors of an arrangement, each with the line of the blank after the move.

        `blank` is the line of the blank before the move. A tile from a line beside the blank moves
        to the blank's line. A tile without a goal is not counted, so its move changes the line of
        the blank only.
        """
        full_counter = (1 << self._counter_bits) - 1
        for line in (blank - 1, blank + 1):
            if 0 <= line < len(self.homes):
                blank_moved = arrangement + self.blank_weight(line) - self.blank_weight(blank)
                without_goal = self.width
                weights = zip(self.tile_weights[line], self.tile_weights[blank], strict=True)
                for old_weight, new_weight in weights:
                    if count := arrangement // old_weight & full_counter:
                        without_goal -= count
                        yield blank_moved - old_weight + new_weight, line
                if without_goal:
                    yield blank_moved, line

    def expand(self, layer: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the successors of some arrangements; each arrangement comes with the line of the
        blank.
        """
        return {after for state in layer for after in self.successors(*state)}


@lru_cache(maxsize=2)
def walking_distances(lines: Lines) -> Mapping[int, int]:
    """Return the distance of each arrangement to a goal; empty if there are too many arrangements.

    There may be at most `LARGEST` arrangements. An arrangement counts the tiles of each home line
    in each line, as described in `Lines`.
    """
    distances: dict[int, int] = {}
    for distance, layer in enumerate(breadth_first(lines.goals(), lines.expand)):
        distances.update((arrangement, distance) for arrangement, _ in layer)
        if len(distances) > LARGEST:
            return {}
    return distances


def walking_distance(problem: SlidingTiles) -> TileSum:
    """Return the estimate that adds the fewest vertical and the fewest horizontal moves.

    Both numbers are distances in the relaxation that `Lines` describes. Consistent for any goal.
    """
    rows = _rows(problem)
    columns = _columns(problem)
    vertical = walking_distances(rows)
    horizontal = walking_distances(columns)
    shift = rows.bits
    mask = (1 << shift) - 1
    goal = dict(problem.goal)

    def weight(cell: int, tile: int) -> int:
        row, column = divmod(cell, problem.columns)
        if tile == BLANK:
            in_rows = rows.blank_weight(row)
            in_columns = columns.blank_weight(column)
        elif tile in goal:
            goal_row, goal_column = divmod(goal[tile], problem.columns)
            in_rows = rows.tile_weights[row][goal_row]
            in_columns = columns.tile_weights[column][goal_column]
        else:
            return 0
        return in_rows + (in_columns << shift)

    def value(note: int) -> float:
        vertical_moves = vertical.get(note & mask, inf)
        horizontal_moves = horizontal.get(note >> shift, inf)
        return vertical_moves + horizontal_moves

    size = len(problem.initial)
    weights: list[list[int]] = []
    for cell in range(size):
        weights.append([weight(cell, tile) for tile in range(size)])
    return TileSum(problem, weights, value)


def _rows(problem: SlidingTiles) -> Lines:
    goal_rows = [cell // problem.columns for _, cell in problem.goal]
    homes = tuple(map(goal_rows.count, range(problem.rows)))
    return Lines(width=problem.columns, homes=homes)


def _columns(problem: SlidingTiles) -> Lines:
    goal_columns = [cell % problem.columns for _, cell in problem.goal]
    homes = tuple(map(goal_columns.count, range(problem.columns)))
    return Lines(width=problem.rows, homes=homes)


def why_no_walking_distance(problem: SlidingTiles) -> str | None:
    """Return the reason why a board has no walking distance (too large tables);
    None if it has one.
    """
    for lines in (_rows(problem), _columns(problem)):
        if not walking_distances(lines):
            size = f"{len(lines.homes)} lines of {lines.width} cells"
            return f"the table for {size} would have more than {LARGEST} entries"
    return None


def manhattan(problem: SlidingTiles) -> TileSum:
    """Return the estimate that adds the distances, in rows and columns, of all tiles to their
    goals.
    """
    size = len(problem.initial)
    weights = [[0] * size for _ in range(size)]
    for tile, goal in problem.goal:
        for cell in range(size):
            weights[cell][tile] = problem.distance(cell, goal)
    return TileSum(problem, weights, value=lambda distance: distance)


def linear_conflict(problem: SlidingTiles) -> Callable[[State], float]:
    """Return the estimate: Manhattan distance, plus 2 for each tile that must leave its goal line.

    Tiles in their goal line conflict if they are not in the order of their goals. The tiles of a
    longest increasing subsequence may stay; each other tile must leave the line and return. The
    penalty of each line is cached, by the tiles in the line. Source: Hansson, Mayer and Yung
    (1992).
    """
    distance = manhattan(problem)
    goal = dict(problem.goal)
    lines = _line_cells(problem)
    slices = [slice(line.start, line.stop, line.step) for line in lines]
    memories: list[dict[State, int]] = [{} for _ in lines]

    def estimate(state: State) -> float:
        total = distance(state)
        for line, cells, memory in zip(lines, slices, memories, strict=True):
            tiles = state[cells]
            penalty = memory.get(tiles)
            if penalty is None:
                penalty = memory[tiles] = _conflict_penalty(tiles, goal, line)
            total += penalty
        return total

    return estimate


def _line_cells(problem: SlidingTiles) -> list[range]:
    """Return the indices of the cells of each row and each column."""
    size = len(problem.initial)
    columns = problem.columns
    lines: list[range] = []
    for start in range(0, size, columns):
        lines.append(range(start, start + columns))
    for start in range(columns):
        lines.append(range(start, size, columns))
    return lines


def _conflict_penalty(
    tiles: State,
    goal: Mapping[int, int],
    line: range,
) -> int:
    """Return twice the number of tiles that must leave a line; `tiles` are the
    tiles in the line.
    """
    at_home = [tile for tile in tiles if goal.get(tile) in line]
    goals = [goal[tile] for tile in at_home]
    return 2 * (len(goals) - _longest_increasing(goals))


def _longest_increasing(numbers: Sequence[int]) -> int:
    """Return the length of a longest increasing subsequence."""
    lengths: list[int] = []  # of a longest subsequence that ends at each number
    for end, number in enumerate(numbers):
        before = [lengths[index] for index in range(end) if numbers[index] < number]
        lengths.append(1 + max(before, default=0))
    return max(lengths, default=0)


HEURISTICS = (
    Heuristic(
        "pattern_databases",
        patterns.pattern_databases,
        "sum of the moves that each group of tiles needs by itself",
        unfit=patterns.why_no_pattern_databases,
    ),
    Heuristic(
        "linear_conflict",
        linear_conflict,
        "Manhattan distance, plus 2 for each tile that must let another pass in its goal line",
    ),
    Heuristic(
        "walking_distance",
        walking_distance,
        "fewest moves between rows plus fewest moves between columns",
        unfit=why_no_walking_distance,
    ),
    Heuristic("manhattan", manhattan, "rows and columns between each tile and its goal"),
)
