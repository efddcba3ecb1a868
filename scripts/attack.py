"""Do all engines and encodings tell the truth? Random boards of Rush Hour against another search.

    python scripts/attack.py [--boards N] [--seed S] [--jobs J] [--smt-every K] [--keep FILE]
                             [--markdown]
    python scripts/attack.py programs …     random planning programs: see attack_programs.py
    python scripts/attack.py tasks …        random PDDL tasks: see attack_pddl.py

Board number S, S+1, … is drawn by that number: 3 to 7 rows and columns, cars of 1 to 4 cells,
walls, the red car either way, its goal at the far end or elsewhere; of forty such boards the one
that takes the most moves, or, for every sixth number, the first without a plan. Every third number
has no cars of one cell, which `block_tuple` does not serve. `tests/oracle.py`, which shares no code
with the package, finds the fewest moves. Each engine and each encoding answers in a mode, a
schedule and a metric that the number draws, too. What it may say:

- `optimal`: just these fewest moves; `plan`: not fewer; `unsolvable`: only where there is no plan;
- `unknown`, at a limit: every lower bound is one;
- a plan: each move is one on the board, and the last one reaches the goal.

The table counts what was said. A disagreement is printed with its board, and the status is 1.
With `--keep` the findings are written to a file board by board, and a later run does not attack the
boards in it again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import track

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import asplan
import attack_pddl
import attack_programs
import oracle
from asplan import Outcome, Result
from asplan.catalog import encodings
from asplan.engines import engines
from boards import any_board
from conftest import facts
from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "encodings/rush_hour/*.lp",
    "src/asplan/engines/asp/controller.py",
    "src/asplan/program/transitions/rewrite.py",
    "tests/boards.py",
    "tests/oracle.py",
)

METRICS = ("step", "slide")
FURTHEST = 8
"""Steps up to which the engines look where there is no plan, and they cannot prove it."""
SECONDS = 4.0


@dataclass(frozen=True)
class Method:
    """An engine, with an encoding where it has one."""

    engine: str
    encoding: str | None = None

    def __str__(self) -> str:
        return self.encoding or self.engine

    def answer(self, board: oracle.Board, metric: str, best: int | None, random: Random) -> Result:
        """Return the answer of the method on a board."""
        options = self._options(best, random)
        return asplan.solve(
            text=facts(board),
            engine=self.engine,
            encoding=self.encoding,
            metric=metric,
            time_limit=SECONDS,
            **options,
        )

    def _options(self, best: int | None, random: Random) -> dict[str, Any]:
        bound = FURTHEST if best is None else best + random.randint(0, 3)
        if self.engine.startswith("smt") or self.engine in ("dfs", "bfs-tree", "idastar"):
            return {"max_horizon": bound} if best is None else {}
        if self.engine != "asp":
            return {}
        mode = random.choice(["incremental", "incremental", "fixed", "minimize"])
        if mode != "incremental" and self.encoding != "frontier":
            return {"mode": mode, "horizon": bound}
        options: dict[str, Any] = {"max_horizon": bound} if best is None else {}
        if random.random() < 0.3:
            options["schedule"] = f"stride:{random.randint(2, 4)}"
        return options


def methods() -> list[Method]:
    """All encodings of Rush Hour, and all other engines that it has."""
    names = [entry.name for entry in encodings() if entry.domain == "rush_hour"]
    return [
        *(Method("asp", name) for name in names),
        *(Method(name) for name in engines() if name not in ("asp", "bidirectional")),
    ]


def wrong(result: Result, board: oracle.Board, metric: str, best: int | None) -> str | None:
    """Describe the wrong claim of an answer; None if all claims are true."""
    said, steps = result.outcome, result.horizon
    if best is not None and result.lower_bound > best:
        return f"lower bound {result.lower_bound}"
    if said == Outcome.UNSOLVABLE:
        return None if best is None else "unsolvable"
    if said == Outcome.UNKNOWN:
        return None if result.stopped or result.mode != "incremental" else "unknown without a limit"
    if best is None or steps is None or steps < best or (said == Outcome.OPTIMAL and steps != best):
        return f"{said}, {steps} steps"
    if result.plan is None or len(result.plan) != steps:
        return "another plan than was said"
    return broken(board, metric, result.plan.steps)


def broken(board: oracle.Board, metric: str, steps: tuple[tuple[str, ...], ...]) -> str | None:
    """Describe the error of a plan, by the masks of the oracle."""
    names = [car[0] for car in board.cars]
    state = [board.mask(*car[1:]) for car in board.cars]
    blocked = board.blocked()
    for number, step in enumerate(steps, 1):
        if len(step) != 1:
            return f"step {number} has {len(step)} actions"
        name, way, cells = step[0].removeprefix("move(").removesuffix(")").split(",")
        index = names.index(name)
        along = {"left": "h", "right": "h", "up": "v", "down": "v"}[way]
        if board.cars[index][2] != along or (metric == "step" and cells != "1"):
            return f"step {number}: {step[0]}"
        by = 1 if along == "h" else board.columns + 1
        for _ in range(int(cells)):
            others = blocked | (sum(state) - state[index])
            moved = state[index] << by if way in ("right", "down") else state[index] >> by
            if moved & others:
                return f"step {number}: {step[0]} is blocked"
            state[index] = moved
    red, target = board.target()
    return None if state[red] == target else "the goal is not reached"


def fits(method: Method, board: oracle.Board, metric: str) -> bool:
    """Return whether a method serves a board and a metric."""
    if method.encoding == "block_tuple":
        return all(length > 1 for _, length, *_ in board.cars)
    if method.encoding and method.encoding.endswith("_published"):
        return metric == "step" and all(length in (2, 3) for _, length, *_ in board.cars)
    return metric == "slide" or method.engine != "smt-alternating"


def drawn(number: int) -> tuple[oracle.Board, str, int | None, Random]:
    """The board of a number, its metric, the fewest moves, and what is drawn after it."""
    random = Random(number)
    metric = random.choice(METRICS)
    shortest = 1 + (number % 3 == 0)
    boards = [any_board(random, shortest=shortest) for _ in range(40)]
    fewest = [oracle.solve(board, metric) for board in boards]
    if number % 6 == 0 and None in fewest:
        return boards[fewest.index(None)], metric, None, random
    most = max(range(40), key=lambda i: fewest[i] or 0)
    return boards[most], metric, fewest[most], random


@dataclass(frozen=True)
class Finding:
    """The answer of one method on one board; `wrong` describes its error."""

    method: str
    said: str
    wrong: str | None


def attack(number: int, smt_every: int) -> list[Finding]:
    """All findings on one board."""
    board, metric, best, random = drawn(number)
    found = []
    for method in methods():
        skipped = method.engine.startswith("smt") and number % smt_every
        if skipped or not fits(method, board, metric):
            continue
        try:
            result = method.answer(board, metric, best, random)
            found.append(
                Finding(str(method), str(result.outcome), wrong(result, board, metric, best))
            )
        except Exception as error:
            found.append(Finding(str(method), "error", f"{type(error).__name__}: {error}"))
    return found


def findings(
    numbers: Sequence[int], jobs: int, smt_every: int
) -> Iterator[tuple[int, list[Finding]]]:
    """The findings board by board."""
    with ProcessPoolExecutor(jobs) as pool:
        each = pool.map(partial(attack, smt_every=smt_every), numbers, chunksize=4)
        yield from zip(numbers, each, strict=True)


def kept(file: Path | None) -> dict[int, list[Finding]]:
    """The findings of earlier runs; a last line that was cut off is taken away."""
    if file is None or not file.exists():
        return {}
    text = file.read_text()
    whole = text[: text.rfind("\n") + 1]
    file.write_text(whole)
    lines = map(json.loads, whole.splitlines())
    return {number: [Finding(*finding) for finding in found] for number, found in lines}


def keep(file: Path | None, number: int, found: list[Finding]) -> None:
    """Add the findings on a board to those of earlier runs."""
    if file:
        with file.open("a") as lines:
            lines.write(json.dumps([number, list(map(astuple, found))]) + "\n")


HEADS = ("optimal", "plan", "unsolvable", "unknown")


def main() -> int:
    """Attack, and print the table; or attack with programs or tasks instead of boards."""
    others = {"programs": attack_programs.main, "tasks": attack_pddl.main}
    if len(sys.argv) > 1 and sys.argv[1] in others:
        return others[sys.argv.pop(1)]()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first board")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--smt-every", type=int, default=7, help="Z3 is slow: every K-th board")
    parser.add_argument("--keep", type=Path, help="a file for findings, to go on from")
    add_quick(parser, "200 boards", boards=200)
    tables.add_option(parser)
    given = parser.parse_args()
    numbers = range(given.seed, given.seed + given.boards)
    done = {n: found for n, found in kept(given.keep).items() if n in numbers}
    left = [number for number in numbers if number not in done]
    every = findings(left, given.jobs, given.smt_every)
    for number, found in track(every, "boards", len(left), console=Console(stderr=True)):
        keep(given.keep, number, found)
        done[number] = found
    for number, finding in ((n, f) for n, found in sorted(done.items()) for f in found if f.wrong):
        tables.progress(f"board {number}, {finding.method}: {finding.wrong}")
        tables.progress(facts(drawn(number)[0]))
    every_finding = [finding for found in done.values() for finding in found]
    show(every_finding, len(done), given.markdown)
    return 1 if any(finding.wrong for finding in every_finding) else 0


def show(found: Sequence[Finding], boards: int, markdown: bool) -> None:
    """A line for each method."""
    said = Counter((finding.method, finding.said) for finding in found)
    asked = Counter(finding.method for finding in found)
    wrong = Counter(finding.method for finding in found if finding.wrong)
    rows = [
        [method, *map(str, [asked[method], *(said[method, head] for head in HEADS), wrong[method]])]
        for method in map(str, methods())
    ]
    title = f"The answers about {boards} boards"
    tables.show(["", "answers", *HEADS, "wrong"], rows, title, markdown=markdown)


if __name__ == "__main__":
    sys.exit(main())
