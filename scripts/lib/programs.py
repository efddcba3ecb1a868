"""Programs to measure planners on: the examples, and two encodings of Rush Hour."""

from __future__ import annotations

from collections.abc import Iterable

from asplan.problem.catalog import find_encoding, find_instance
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
