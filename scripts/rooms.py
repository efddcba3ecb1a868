"""A picture of asplan's rooms: packages by floor, with their imports and the path of a request.

    python scripts/rooms.py -o docs/rooms.svg

A line leads from a room to one that it imports; lines that longer paths imply are left out. The
numbered rooms are the stations of `asplan solve`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import test_house as house

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATIONS = ("cli", "planner", "problem", "program", "engines", "validation", "result", "drawing")
PLAIN = "#e9eef4"
STATION = "#cfe8d8"
LINE = "#9aa9b8"

Graph = dict[str, set[str]]
Places = dict[str, tuple[float, float]]


def imports_of_rooms() -> Graph:
    """Return the rooms that each room imports."""
    found: Graph = defaultdict(set)
    for module, others in house.graph().items():
        room = house.room_of(module)
        found[room] |= {house.room_of(other) for other in others} - {room}
    return found


def reduced(graph: Graph) -> Graph:
    """Return the imports that no longer path implies."""
    below: Graph = {}
    for room in sorted(house.FLOOR, key=house.FLOOR.__getitem__):
        below[room] = set(graph[room]).union(*(below.get(other, set()) for other in graph[room]))
    return {
        room: {
            other
            for other in others
            if not any(other in below[third] for third in others if third != other)
        }
        for room, others in graph.items()
    }


def places_of_rooms() -> Places:
    """Return the centre of each room: floors from bottom to top, rooms side by side."""
    floors = defaultdict(list)
    for room, floor in house.FLOOR.items():
        floors[floor].append(room)
    return {
        room: ((index + 0.5) / len(rooms) * 10, floor)
        for floor, rooms in floors.items()
        for index, room in enumerate(rooms)
    }


def draw(file: Path) -> None:
    """Draw rooms and imports into a file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = file.stem
    places = places_of_rooms()
    figure = Figure(figsize=(9, 8))
    axes = figure.add_axes((0, 0, 1, 1))
    for room, others in reduced(imports_of_rooms()).items():
        for other in others:
            (x, y), (to_x, to_y) = places[room], places[other]
            axes.plot([x, to_x], [y, to_y], color=LINE, linewidth=0.8, zorder=1)
    for room, place in places.items():
        _draw_room(axes, room, place)
    axes.set_axis_off()
    axes.set(xlim=(0, 10), ylim=(-0.8, max(house.FLOOR.values()) + 0.8))
    figure.savefig(file, metadata={"Date": None})


def _draw_room(axes: Axes, room: str, place: tuple[float, float]) -> None:
    is_station = room in STATIONS
    text = f"{STATIONS.index(room) + 1}. {room}" if is_station else room
    box = {"boxstyle": "round,pad=0.4", "fc": STATION if is_station else PLAIN, "ec": LINE}
    axes.text(*place, text, ha="center", va="center", fontsize=9, bbox=box, zorder=2)


def main() -> None:
    """Draw the rooms."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, required=True)
    draw(parser.parse_args().output)


if __name__ == "__main__":
    main()
