"""Programs to measure planners on: the examples, two encodings of Rush Hour, and listed ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import asplan
from asplan.catalog import find_encoding, find_instance
from lib.measuring import Case

EXAMPLES = (
    "blocks/three_grippers",
    "gripper/balls_5",
    "hanoi/towers6",
    "jugs/eight_thirteen",
    "logistics/twenty_packages",
    "pancakes/nine",
    "recolouring/fourteen_vertices",
    "river/sheep",
    "robots/thirty_robots",
    "sokoban/warehouse",
)
RUSH_HOUR = ("origin", "block_tuple")

RESTS_ON = (
    "encodings/blocks/blocks.lp",
    "encodings/gripper/gripper.lp",
    "encodings/hanoi/hanoi.lp",
    "encodings/jugs/jugs.lp",
    "encodings/logistics/logistics.lp",
    "encodings/pancakes/pancakes.lp",
    "encodings/recolouring/recolouring.lp",
    "encodings/river/river.lp",
    "encodings/robots/robots.lp",
    "encodings/sokoban/sokoban.lp",
    "encodings/rush_hour/origin.lp",
    "encodings/rush_hour/block_tuple.lp",
)


def cases(boards: Iterable[str]) -> list[Case]:
    """The example programs, and two encodings of Rush Hour on some boards."""
    found = []
    for name in EXAMPLES:
        domain = name.partition("/")[0]
        found.append(Case(name, str(find_encoding(domain, domain).path), find_instance(name)))
    boards = list(boards)
    for encoding in RUSH_HOUR:
        path = str(find_encoding(encoding, "rush_hour").path)
        found += [Case(f"{encoding} {board}", path, find_instance(board)) for board in boards]
    return found


@dataclass(frozen=True)
class Listed:
    """A program: its files, the instance last, and the encoding if `asplan` has to be told."""

    name: str
    files: tuple[str, ...]
    encoding: str | None = None

    def planned(self, engine: str) -> int | None:
        """The horizon that an engine finds."""
        files = self.files[-1:] if self.encoding else self.files
        return asplan.solve(*files, encoding=self.encoding, engine=engine).horizon


def own(boards: str) -> list[Listed]:
    """asplan's own programs."""
    found = cases(boards.split(","))
    return [Listed(case.name, (case.encoding, case.instance), case.encoding) for case in found]


def listed(path: Path) -> list[Listed]:
    """The programs of a list."""
    programs = []
    for line in path.read_text().splitlines():
        name, files, instance, *_ = line.split("\t")
        paths = [str(path.parent / file) for file in (*files.split(), instance)]
        programs.append(Listed(name, tuple(paths)))
    return programs
