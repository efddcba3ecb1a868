"""The thesis's two samples of boards, and runs on them.

The samples are drawn from a database of boards with a header line (`slides`, `board`) or with the
number of moves before each board. Sample1 is two boards without walls for each number of moves up
to 51, or as many as there are; Sample2 all boards of 26 moves. Where a number of moves has no
board without walls, boards with walls stand in.

The database is rush_hour/fogleman_sample.tsv in the folder ASPLAN_DATA, if no other one is given.
Without either the boards are generated: the states that shortest plans of the
boards that ship come through, and for Sample2 states that the hardest board can reach.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from clingo import parse_term
from rich.console import Console
from rich.progress import track

from asplan.core.limits import Limits
from asplan.domains import Domain, domains
from asplan.domains.reading import entries
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.generator import layers_from
from asplan.domains.rush_hour.notation import board_text, parse_board
from asplan.engines.model_run import run_on_model
from asplan.program.ground import read_facts
from lib.kept_runs import Fields, KeptRuns
from lib.measuring import HARDEST, data

RUSH_HOUR = domains()["rush_hour"]
MOST_MOVES, SAMPLE2_MOVES = 51, 26

LADDER = Path(__file__).parents[2] / "instances" / "rush_hour" / "ladder"

RESTS_ON = (
    "src/asplan/engines/search/astar.py",
    "src/asplan/engines/search/search.py",
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/rush_hour/model.py",
)


@dataclass(frozen=True)
class Board:
    """A board of a sample, with its fewest slides."""

    text: str
    moves: int


@dataclass(frozen=True)
class Database:
    """Boards to draw samples from, and where they are from."""

    boards: Sequence[Board]
    generated: bool = False

    def told(self, boards: Sequence[Board], sample: str) -> str:
        """Return the part of a title about some boards of a sample."""
        noun = "board" if len(boards) == 1 else "boards"
        return f"{len(boards)} {'generated ' * self.generated}{noun} of {sample}"


@dataclass(frozen=True)
class Measured:
    """One board and one engine, CPU seconds; `horizon` is None where the limit was reached."""

    seconds: float
    nodes: int
    horizon: int | None
    optimal: bool


Configuration = Mapping[str, Any]
"""An engine and its options, as `asplan.solve` takes them."""

Rows = dict[str, list[Measured]]


def astar(heuristic: str, tie_breaking: str = "none") -> Configuration:
    """A* as the thesis has it: among equal f first in, first out, if nothing else is said."""
    return {"engine": "astar", "heuristic": heuristic, "tie_breaking": tie_breaking}


def database(path: Path | None) -> Database:
    """The boards of a file, of the folder ASPLAN_DATA, or generated ones."""
    if path is None and not os.environ.get("ASPLAN_DATA"):
        return Database(list(generated()), generated=True)
    path = path or data("rush_hour/fogleman_sample.tsv")
    with path.open(encoding="utf-8") as lines:
        found = entries(lines, path.name, "board")
        return Database([Board(one.text, one.moves) for one in found if one.moves is not None])


def generated() -> Iterator[Board]:
    """Return the states on shortest plans of the shipped boards and of the hardest one.

    A state on a shortest plan is a board of its own, with as many moves as are left.
    """
    files = sorted(LADDER.glob("slides*.lp"))
    boards = [read(read_facts([str(file)], {}), {"metric": "slide"}) for file in files]
    for board in [*boards, parse_board(HARDEST, metric="slide")]:
        steps = run_on_model(RUSH_HOUR, board, "bfs").plans[0]
        state = board.initial
        for done, (action,) in enumerate(steps):
            here = replace(board, start=tuple(board.offsets(state)))
            yield Board(board_text(here), len(steps) - done)
            state = board.apply(state, board.parse_action(parse_term(action)))
    # What is 26 moves from the goal in the largest of these spaces; every move has a way back.
    reached = [state for layer in layers_from(board, [board.initial]) for state in layer]
    away = layers_from(board, filter(board.is_goal, reached))
    for state in sorted(next(islice(away, SAMPLE2_MOVES, None)))[::5]:
        yield Board(board_text(replace(board, start=tuple(board.offsets(state)))), SAMPLE2_MOVES)


def sample1(boards: Sequence[Board], seed: int = 1) -> list[Board]:
    """Two boards for each number of moves, easy before hard."""
    random = Random(seed)
    by_moves: dict[int, list[Board]] = defaultdict(list)
    for board in boards:
        by_moves[board.moves].append(board)
    chosen: list[Board] = []
    for moves in range(1, MOST_MOVES + 1):
        plain = [board for board in by_moves[moves] if "x" not in board.text]
        pool = plain or by_moves[moves]
        chosen += random.sample(pool, min(2, len(pool)))
    return chosen


def sample2(boards: Sequence[Board], states: Sequence[int]) -> list[Board]:
    """Boards in the thesis's order of Sample2: those with the most states to visit come first."""
    pairs = sorted(zip(states, boards, strict=True), key=lambda pair: -pair[0])
    return [board for _, board in pairs]


def of_26_moves(boards: Sequence[Board]) -> list[Board]:
    """The boards of Sample2."""
    return [board for board in boards if board.moves == SAMPLE2_MOVES]


def chosen(boards: Sequence[Board], every: int) -> list[Board]:
    """Every Nth board, counted from the last, which is the hardest of Sample1."""
    return list(boards[::-1][::every][::-1])


def measure(
    boards: Sequence[Board],
    configurations: Mapping[str, Configuration],
    seconds: float,
    domain: Domain = RUSH_HOUR,
    kept: Path | None = None,
) -> Rows:
    """Run all configurations board by board, so that all see the same state of the machine.

    The seconds are CPU seconds, the limit is one of the clock. Runs are kept in a file and taken
    from there, if one is given; a board that stands in the sample twice is run once then.
    """
    rows: Rows = {name: [] for name in configurations}
    runs = KeptRuns(kept)
    for board in track(boards, "boards", transient=True, console=Console(stderr=True)):
        for name, how in configurations.items():
            task = partial(_measured, board, how, seconds, domain)
            fields = runs.run(task, board=board.text, how=dict(how), limit=seconds)
            rows[name].append(Measured(**fields))
    return rows


ONE_CAR = "ooooooooooooAAoooooooooooooooooooooo"


@cache
def _warm_up(engine: str) -> None:
    """Solve an easy board, so that no measured run loads modules."""
    run_on_model(RUSH_HOUR, parse_board(ONE_CAR, metric="slide"), engine)


def _measured(board: Board, how: Configuration, seconds: float, domain: Domain) -> Fields:
    _warm_up(how["engine"])
    problem = parse_board(board.text, metric="slide")
    start = time.process_time()
    result = run_on_model(domain, problem, limits=Limits(seconds=seconds), **how)
    spent, counts = time.process_time() - start, result.statistics
    nodes = counts.expanded or counts.conflicts or 0
    return asdict(Measured(spent, nodes, result.horizon, result.horizon == board.moves))
