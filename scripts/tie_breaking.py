"""The effect of tie-breaking in A*, on forty Rush Hour cards and on eight-puzzles.

Counted are the additions to the queue and the states that were taken out of it, summed over all
boards: rush_hour/jams.tsv and sliding_tiles/eight.tsv in the folder ASPLAN_DATA. The ratios are
those of the default to `none`.

    python scripts/tie_breaking.py [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from asplan.domains import domains
from asplan.domains.base import Domain
from asplan.domains.model import Model
from asplan.domains.rush_hour.notation import parse_board
from asplan.engines.model_run import run_on_model
from asplan.engines.search.astar import TIE_BREAKING
from lib import tables
from lib.plots import draw_bars
from lib.quick import add_quick
from lib.rush_hour_boards import card_strings
from lib.tiles_boards import EIGHT, read_boards

RESTS_ON = (
    "src/asplan/engines/search/astar.py",
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/rush_hour/model.py",
    "src/asplan/domains/sliding_tiles/*.py",
)

RUSH_HOUR, TILES = domains()["rush_hour"], domains()["sliding_tiles"]

HEURISTICS = {
    RUSH_HOUR.name: ("blocking", "cars_between", "abstraction"),
    TILES.name: ("manhattan", "linear_conflict", "pattern_databases"),
}


def effort(
    domain: Domain, boards: Sequence[Model], heuristic: str, tie_breaking: str
) -> tuple[int, int]:
    """Additions to the queue and states taken out, over all boards."""
    queued = expanded = 0
    for board in boards:
        how = {"heuristic": heuristic, "tie_breaking": tie_breaking}
        result = run_on_model(domain, board, "astar", **how)
        assert result.outcome == "optimal"
        queued += result.statistics.queued or 0
        expanded += result.statistics.expanded or 0
    return queued, expanded


def measure() -> Iterator[tuple[str, str, dict[str, tuple[int, int]]]]:
    """The efforts by way to break ties, for each kind of boards and each heuristic."""
    cards = [parse_board(text) for text in card_strings()]
    kinds = [
        (f"cards, metric {metric}", RUSH_HOUR, [replace(card, metric=metric) for card in cards])
        for metric in ("step", "slide")
    ]
    kinds.append(("eight-puzzles", TILES, [board.problem for board in read_boards(EIGHT)]))
    for kind, domain, boards in kinds:
        for heuristic in HEURISTICS[domain.name]:
            tables.progress(kind, heuristic)
            yield (
                kind,
                heuristic,
                {name: effort(domain, boards, heuristic, name) for name in TIE_BREAKING},
            )


def row(kind: str, heuristic: str, efforts: Mapping[str, tuple[int, int]]) -> tables.Row:
    """The counts, and what the first of the ways has to the second."""
    cells = []
    for counts in zip(*efforts.values(), strict=True):
        by_name = dict(zip(efforts, counts, strict=True))
        ratio = by_name["larger-g"] / by_name["none"]
        cells += [*map(str, counts), f"{ratio:.2f}"]
    return [kind, f"`{heuristic}`", *cells]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", type=Path, metavar="F.svg", help="draw the states taken out")
    add_quick(parser, "all of it: it is short")
    tables.add_option(parser)
    given = parser.parse_args()
    columns = [f"{what}, {name}" for what in ("added", "out") for name in (*TIE_BREAKING, "ratio")]
    found = list(measure())
    rows = [row(*one) for one in found]
    tables.show(["boards", "heuristic", *columns], rows, markdown=given.markdown)
    if given.plot:
        draw(given.plot, found)


def draw(file: Path, found: Sequence[tuple[str, str, Mapping[str, tuple[int, int]]]]) -> None:
    """The states taken out, compared with those where nothing decides among equals."""
    kinds = [(kind.replace(", metric", ",\n").replace("-", "-\n"), name) for kind, name, _ in found]
    groups = ["\n".join(words).replace("_", "_\n") for words in kinds]
    bars = {
        way: [[efforts[way][1] / efforts["none"][1]] for *_, efforts in found]
        for way in TIE_BREAKING
        if way != "none"
    }
    draw_bars(file, groups, bars, "states taken out, to those of none", digits=2)


if __name__ == "__main__":
    main()
