"""What the parts of the encoding `offset` are worth: the same without one of them.

A part is made of sections of encodings/rush_hour/offset.lp, which are found by their headings;
where others need what they define, a plainer rule takes their place. So every variant finds
shortest plans; only the time may differ. The table says how many times as slow a variant is as the
whole, as the geometric mean over the boards, and for the boards where that is least and most.

    python scripts/rush_hour.py ablation [--boards BOARD…] [--seeds N] [--limit S] [--quick]
                                         [--markdown]

Boards, seconds and bounds (`>`) are those of `encodings`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track

import asplan
from asplan.problem.catalog import find_encoding
from lib import tables
from lib.measuring import folder
from lib.quick import add_quick
from lib.rush_hour.encodings import BOARDS, Figure, Ratio, measure
from lib.rush_hour_boards import problem_of

RESTS_ON = ("encodings/rush_hour/offset.lp",)


@dataclass(frozen=True)
class Part:
    """What is left out: sections by the beginnings of their headings, and what replaces them."""

    name: str
    headings: tuple[str, ...]
    instead: str = ""
    metrics: tuple[str, ...] = ("step", "slide")


PARTS = (
    Part("no undoing", ("No undoing",)),
    Part("one order of independent moves", ("Neighbouring moves",), metrics=("step",)),
    Part(
        "pairs of places",
        (
            "Which pairs of places can be first reached",
            "Which pairs can be reached by now",
            "The state at t",
        ),
        """
        at(t,C,P) :- next(T,C,P), T = t.
        :- at(T,C,P), T = t, at(T,D,Q), C < D, clash(C,P,D,Q).
        """,
    ),
)


def without(text: str, part: Part) -> str:
    """The encoding without a part; ValueError if a section is not found."""
    sections = text.split("\n\n")
    for heading in part.headings:
        found = [section for section in sections if section.startswith(f"% --- {heading}")]
        if len(found) != 1:
            raise ValueError(f"{len(found)} sections are headed {heading!r}")
        sections.remove(found[0])
    return "\n\n".join(sections) + f"\n#program check(t).\n{part.instead}"


def variants(place: Path, parts: Iterable[Part]) -> list[str]:
    """Files in a folder: the whole encoding, and the encoding without each of the parts."""
    text = find_encoding("offset", "rush_hour").path.read_text(encoding="utf-8")
    texts = [text, *(without(text, part) for part in parts)]
    files = [place / f"offset_{number}.lp" for number, _ in enumerate(texts)]
    for file, written in zip(files, texts, strict=True):
        file.write_text(written, encoding="utf-8")
    return [str(file) for file in files]


def row(part: Part, metric: str, whole: Sequence[Figure], left: Sequence[Figure]) -> list[str]:
    """How many times as slow it is without the part: the mean, the least, the most."""
    pairs = list(zip(left, whole, strict=True))
    ratios = sorted((Ratio.of(*pair) for pair in pairs), key=lambda ratio: ratio.value)
    return [part.name, metric, *map(str, (Ratio.mean(ratios), ratios[0], ratios[-1]))]


def options(parser: argparse.ArgumentParser) -> None:
    """What the study may be told."""
    parser.add_argument("--boards", nargs="+", default=BOARDS, help="as for `encodings`")
    parser.add_argument("--metric", nargs="+", default=["step", "slide"])
    parser.add_argument("--seeds", type=int, default=1, help="orders of the facts")
    parser.add_argument("--limit", type=float, default=20, help="CPU seconds for each run")
    add_quick(parser, "two boards that ship", boards=["sample02", "sample03"], limit=10)


def study(given: argparse.Namespace) -> None:
    """Measure, and print the table."""
    asplan.solve("two_cars")  # what is imported late is imported once, before the children start
    rows = []
    terminal = Console(stderr=True)
    with folder() as name:
        for metric in given.metric:
            parts = [part for part in PARTS if metric in part.metrics]
            files = variants(Path(name), parts)
            measured = [
                measure(problem_of(board), files, metric, given.seeds, given.limit)
                for board in track(given.boards, metric, transient=True, console=terminal)
            ]
            whole, *others = zip(*measured, strict=True)
            rows += [row(p, metric, whole, left) for p, left in zip(parts, others, strict=True)]
    columns = ("without", "metric", "times as slow", "least", "most")
    tables.show(columns, rows, markdown=given.markdown)
