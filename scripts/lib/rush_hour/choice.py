"""The threshold between `frontier` and `order`: both on random boards of all sizes.

The boards are `random:N` of 6 to 8 rows and columns for which a search over 60,000 states neither
finds a plan of fewer than 14 steps nor comes to an end. For groups of boards the table says how
many each encoding finished within the limit, the longest run and the most memory: first by the
estimate, which asplan's own choice rests on, then by the length of a shortest plan, which nothing
can know beforehand.

    python scripts/rush_hour.py choice [--metric METRIC…] [--limit S] [--boards N…] [--quick]
                                       [--markdown]
"""

from __future__ import annotations

import argparse
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.progress import track

import asplan
from asplan.domains.rush_hour.facts import MANY, estimated_states
from lib import tables
from lib.quick import add_quick
from lib.rush_hour.encodings import Figure, measure
from lib.rush_hour_boards import problem_of

RESTS_ON = (
    "encodings/rush_hour/frontier.lp",
    "encodings/rush_hour/order.lp",
    "src/asplan/domains/rush_hour/facts.py",
)

ENCODINGS = ["frontier", "order"]
NUMBERS = (
    102, 50, 91, 128, 3, 51, 4, 60, 33, 96, 37, 113, 24, 28,
    44, 94, 101, 81, 27, 12, 110, 38, 48, 9, 34, 112, 80,
)  # fmt: skip

SIZES = ("up to 3e6 estimated states", "3e6 to 2e7", "above 2e7")
BOUNDS = (MANY, 2e7)
"""Estimated states that part the sizes; the first is the one of the choice."""

LENGTHS = ("plans of fewer than 18 moves", "longer plans", "no plan", "neither finished")
SHORT = 18


@dataclass(frozen=True)
class Outcome:
    """One board, and how the encodings did on it."""

    estimate: float
    figures: tuple[Figure, ...]

    @property
    def size(self) -> str:
        """The group by the estimate."""
        return SIZES[bisect_left(BOUNDS, self.estimate)]

    @property
    def length(self) -> str:
        """The group by what was found."""
        found = [figure.moves for figure in self.figures if not figure.stopped]
        if not found:
            return LENGTHS[3]
        moves = found[0]
        return LENGTHS[2] if moves is None else LENGTHS[moves >= SHORT]


def grouped(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """The groups that have boards, first by the estimate and then by the length."""
    outcomes = list(outcomes)
    for name in SIZES + LENGTHS:
        group = [outcome for outcome in outcomes if name in (outcome.size, outcome.length)]
        if group:
            yield name, group


def row(metric: str, name: str, group: list[Outcome]) -> list[str]:
    """Return the finished boards of each encoding, its longest run and its most memory."""
    cells = [f"{metric}: {name}", str(len(group))]
    for column in zip(*(outcome.figures for outcome in group), strict=True):
        done = [figure for figure in column if not figure.stopped]
        longest = max((figure.seconds for figure in done), default=None)
        memory = max((figure.memory or 0 for figure in done), default=None)
        cells += [str(len(done)), "" if longest is None else f"{longest:.1f}"]
        cells.append("" if memory is None else f"{memory:.0f}")
    return cells


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--boards", nargs="+", type=int, default=NUMBERS, help="of random boards")
    parser.add_argument("--metric", nargs="+", default=["step", "slide"])
    parser.add_argument("--limit", type=float, default=4, help="CPU seconds for each run")
    add_quick(parser, "six boards, metric step", boards=NUMBERS[:6], metric=["step"])


def study(given: argparse.Namespace) -> None:
    """Measure, and print the table."""
    asplan.solve("two_cars")  # what is imported late is imported once, before the children start
    problems = [problem_of(f"random:{number}") for number in given.boards]
    rows: list[tables.Row] = []
    for metric in given.metric:
        outcomes = [
            Outcome(
                estimated_states(problem),
                tuple(measure(problem, ENCODINGS, metric, 1, given.limit)),
            )
            for problem in track(problems, metric, transient=True, console=Console(stderr=True))
        ]
        rows += [row(metric, name, group) for name, group in grouped(outcomes)]
    figures = [f"{name}{what}" for name in ENCODINGS for what in (" finished", ", s", ", MB")]
    title = f"finished within {given.limit:g} s, longest run and most memory of those"
    tables.show(("metric: boards", "", *figures), rows, title, markdown=given.markdown)
