"""Fast variants of searches beside the textbook's: what each is worth.

A variant on bits, arrays or compiled functions stays only if it takes at most two thirds of the
time of `asplan.core.search` with the same model on real tasks; tests compare the results of both.
Seconds are those of the CPU, without compilation.

    python scripts/search_variants.py [--most S] [--quick] [--markdown] [DOMAIN PROBLEM]…

With files it measures the PDDL tasks in these alone, without them what ships.

A search is cut after S seconds. If that is the plain one alone, the ratio is a lower bound.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from math import inf
from pathlib import Path

from asplan.core.budget import Budget, OutOfBudget
from asplan.core.search import Priority, a_star, best_first, greedy
from asplan.domains import domains
from asplan.domains.rush_hour.heuristics import Projection
from asplan.domains.rush_hour.model import State as Board
from asplan.domains.sliding_tiles.retrograde import Retrograde
from asplan.pddl.language import read_task
from asplan.pddl.numeric.execution import NumericExecution, State
from asplan.pddl.numeric.greedy import find_moves, repetitions
from asplan.pddl.numeric.relaxation import Relaxation
from asplan.pddl.numeric.scale import LARGEST, NumericTask, numeric_task
from asplan.pddl.task.cheapest import find_cheapest
from asplan.pddl.task.finder import find_plan
from asplan.pddl.task.heuristics import HEURISTICS
from asplan.pddl.task.model import TaskModel
from asplan.problem import Inputs, load
from asplan.program.ground import read_facts
from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/core/search.py",
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/sliding_tiles/retrograde.py",
    "src/asplan/pddl/task/*.py",
    "src/asplan/pddl/numeric/*.py",
    "instances/pddl/*/*.pddl",
)

INSTANCES = Path(__file__).parents[1] / "instances"

_COMPILED = 0.0
"""Seconds of plain functions before compiled ones."""


@dataclass
class Backwards:
    """A projection of a Rush Hour board from its goals; moves in `used` cost 0, all others 1."""

    projection: Projection
    used: Collection[tuple[Board, int]]

    @property
    def initials(self) -> Iterable[Board]:
        return self.projection.goals

    def priced_successors(self, state: Board) -> Iterator[tuple[Board, int]]:
        for before, move in self.projection.predecessors[state]:
            yield before, int(move not in self.used)

    def is_goal(self, state: Board) -> bool:
        return False


Placement = tuple[int, ...]
"""The cells of the tiles of a group, and then the cell of the blank."""


@dataclass
class Placements:
    """The placements of a group of tiles, from its goal; moves of other tiles cost 0."""

    rows: int
    columns: int
    initials: list[Placement]

    def priced_successors(self, state: Placement) -> Iterator[tuple[Placement, int]]:
        *tiles, blank = state
        for cell in self._beside(blank):
            moved = tuple(blank if tile == cell else tile for tile in tiles)
            yield (*moved, cell), int(cell in tiles)

    def _beside(self, cell: int) -> Iterator[int]:
        row, column = divmod(cell, self.columns)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if 0 <= row + down < self.rows and 0 <= column + right < self.columns:
                yield cell + down * self.columns + right

    def is_goal(self, state: Placement) -> bool:
        return False


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """CPU seconds of work, the least of some times; up to the limit if it is cut there."""
    least = inf
    for _ in range(times):
        began = time.process_time()
        with suppress(OutOfBudget):
            work()
        least = min(least, time.process_time() - began)
    return least


def projections() -> Iterator[tuple[str, float, float]]:
    """Distances on projections of boards, by 0-1 breadth-first search and by `best_first`."""
    domain = domains()["rush_hour"]
    for number in range(1, 6):
        name = f"sample0{number}"
        facts = read_facts([str(INSTANCES / "rush_hour" / f"{name}.lp")], {})
        board = domain.model(facts, {"metric": "step"})
        others = [line for line in board.lines if line is not board.red_line]
        all_of = [Projection(board, [board.red_line, *pair]) for pair in permutations(others, 2)]
        fast = seconds(lambda all_of=all_of: [p.distances() for p in all_of], 3)
        plain = seconds(
            lambda all_of=all_of: [best_first(Backwards(p, ()), lambda _: 0) for p in all_of], 3
        )
        yield f"projections of {name}", fast, plain


def patterns() -> Iterator[tuple[str, float, float]]:
    """Tables of pattern databases, by arrays of placements and by `best_first`."""
    for rows, columns, tiles in ((3, 3, 4), (4, 4, 3), (4, 4, 4)):
        blank = rows * columns - 1
        group = tuple(range(tiles))
        space = Placements(rows, columns, [(*group, blank)])
        fast = seconds(
            lambda r=rows, c=columns, g=group, b=blank: Retrograde(r, c, len(g)).table(g, [b])
        )
        plain = seconds(lambda space=space: best_first(space, lambda _: 0))
        yield f"{tiles} tiles of {rows}x{columns}", fast, plain


def shipped() -> list[Path]:
    """The files of the PDDL tasks that ship, each domain before its problem."""
    files = []
    for problem in sorted((INSTANCES / "pddl").glob("*/*-?.pddl")):
        files += [problem.parent / "domain.pddl", problem]
    return files


def tasks(files: Sequence[Path]) -> Iterator[tuple[str, TaskModel | NumericTask]]:
    """The tasks of some files, with numbers or without."""
    for domain, problem in zip(files[::2], files[1::2], strict=True):
        paths = str(domain), str(problem)
        name = f"{domain.parent.name} {problem.stem}"
        model = load(Inputs(paths)).model
        if not isinstance(model, TaskModel):
            yield name, numeric_task(read_task(*paths))
        elif model.unsolvable() is None:
            yield name, model


class UnitCosts:
    """A task whose actions cost 1 each."""

    def __init__(self, model: TaskModel) -> None:
        self.initials = model.initials
        self.is_goal = model.is_goal
        self._successors = model.successors

    def priced_successors(self, state: int) -> Iterator[tuple[int, int]]:
        for after in self._successors(state):
            yield after, 1


class ProcessBudget(Budget):
    """A budget of processor time."""

    def __init__(self, most: float) -> None:
        super().__init__()
        self.until = time.process_time() + most

    def check(self) -> None:
        if time.process_time() > self.until:
            raise OutOfBudget

    def visit(self, f: float, g: int) -> bool:
        """Let a state be expanded while there is time."""
        self.check()
        return True


def pddl(name: str, model: TaskModel, most: float) -> Iterator[tuple[str, float, float]]:
    """A* and greedy search, on compiled lists and by `best_first` on the task's model."""
    space = UnitCosts(model)
    make = {heuristic.name: heuristic.make for heuristic in HEURISTICS}

    def plain(heuristic: str, priority: Priority) -> None:
        best_first(space, make[heuristic](model), priority, ProcessBudget(most).visit)

    fast = seconds(lambda: find_cheapest(model, False, ProcessBudget(most), plain=_COMPILED))
    yield f"A*, {name}", fast, seconds(lambda: plain("lm-cut", a_star))
    fast = seconds(lambda: find_plan(model, ProcessBudget(most), plain=_COMPILED))
    yield f"greedy, {name}", fast, seconds(lambda: plain("h-add", greedy))


class Numbers:
    """A task with numbers; actions are repeated as in its own search, and cost 1 each."""

    def __init__(self, task: NumericTask) -> None:
        self.execution = NumericExecution(task)
        self.relaxation = Relaxation(task)
        self.initials = (self.execution.initial,)
        self.is_goal = self.execution.is_goal

    def estimate(self, state: State) -> float:
        costs = self.relaxation.costs([self.execution.complete(state)])
        return float(self.relaxation.to_goal(costs)[0])

    def priced_successors(self, state: State) -> Iterator[tuple[State, int]]:
        full = self.execution.complete(state)
        costs = self.relaxation.costs([full])
        plan = self.relaxation.relaxed_plan(costs)
        for operator in self.relaxation.applicable(costs):
            most = self.execution.max_repeats(full, operator)
            for times in repetitions(plan.get(operator, 1), most) if most else ():
                after = self.execution.apply(full, operator, times)
                if after is not None and max(map(abs, after)) <= LARGEST:
                    yield after, 1


def numeric(name: str, task: NumericTask, most: float) -> tuple[str, float, float]:
    """Greedy search with preferred operators, and by `best_first` with the same estimate."""
    space = Numbers(task)
    fast = seconds(lambda: find_moves(task, ProcessBudget(most)))
    plain = seconds(lambda: best_first(space, space.estimate, greedy, ProcessBudget(most).visit))
    return f"numbers, {name}", fast, plain


def measure(files: Sequence[Path], most: float) -> Iterator[tuple[str, float, float]]:
    """The variants, each with a task, its seconds and those of the plain search."""
    if not files:
        yield from projections()
        yield from patterns()
    is_compiled = False
    for name, model in tasks(files or shipped()):
        if not isinstance(model, TaskModel):
            yield numeric(name, model, most)
            continue
        if not is_compiled:
            find_cheapest(model, False, plain=_COMPILED)
            find_plan(model, plain=_COMPILED)
            is_compiled = True
        yield from pddl(name, model, most)


def main() -> None:
    """Measure all variants, and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--most", type=float, default=20, help="seconds of the plain search")
    parser.add_argument("files", nargs="*", type=Path, help="a domain and a problem, and so on")
    tables.add_option(parser)
    add_quick(parser, "searches of at most two seconds", most=2)
    given = parser.parse_args()
    rows = []
    for task, fast, plain in measure(given.files, given.most):
        tables.progress(task, f"{fast:.3f}", f"{plain:.3f}")
        rows.append((task, f"{fast:.3f}", f"{plain:.3f}", f"{plain / fast:.1f}"))
    tables.show(("task", "variant", "plain", "ratio"), rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
