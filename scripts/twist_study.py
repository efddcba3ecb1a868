"""Brain Twist: what the rules of the talk are worth, and the encodings beside search.

The talk says that three extra constraints are "not needed but faster", and it holds rc at position
1, which leaves 2 solved arrangements of 24. Here each of the two is measured with and without, on
random states that are all equally far from being solved: to the proof that a plan is `shortest`,
and for any plan of a given `length`, the fewest moves, in one shot, as the talk has it.

    python scripts/twist_study.py [--methods NAME…] [--distance N|any] [--modes MODE…]
                                  [--states N] [--orders N] [--limit S] [--markdown]

A method is an encoding of Brain Twist, NAME:CONST=VALUE for a variant, or a search engine. All of
them take turns on each state, each run in a child process, with --orders N on N orders of its
facts. Seconds are those of the processor, the median over the orders; a run that was stopped counts
as the limit. With `--distance any` the states are drawn from all, else from those at that distance,
by throwing away all others. The second table compares two methods on the same states: the seconds
and conflicts of the one without as multiples of those of the one with, so above 1 it is worth
having. These are geometric means over the states, between brackets the least and the most; states
on which one of the two was stopped do not count.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import geometric_mean, median

import asplan
from asplan.domains.brain_twist.model import TILES
from asplan.engines import engines
from lib import tables
from lib.measuring import run

RESTS_ON = (
    "encodings/brain_twist/turns.lp",
    "encodings/brain_twist/frontier.lp",
    "src/asplan/domains/brain_twist/*.py",
    "src/asplan/program/rewrite.py",
)

METHODS = (
    "turns:order=talk:extra=1",
    "turns:order=talk",
    "turns:order=none",
    "turns",
    "turns:extra=1",
    "turns:order=talk:extra=1:rotation=free",
    "turns:order=talk:rotation=free",
    "turns:rotation=free",
)

PAIRS = (
    ("extra constraints", "turns:order=talk:extra=1", "turns:order=talk"),
    ("extra constraints", "turns:extra=1", "turns"),
    ("rc held", "turns:order=talk:extra=1", "turns:order=talk:extra=1:rotation=free"),
    ("rc held", "turns:order=talk", "turns:order=talk:rotation=free"),
    ("rc held", "turns", "turns:rotation=free"),
    ("the talk's rules", "turns:order=talk", "turns:order=none"),
    ("ascending order", "turns", "turns:order=talk"),
)
"""What is measured, with it and without, or with what it takes the place of."""

PROOF, LENGTH = MODES = ("incremental", "fixed")
ASKED = {PROOF: "shortest", LENGTH: "length"}


@dataclass(frozen=True)
class State:
    """Facts, and how many moves they are from being solved."""

    facts: tuple[str, ...]
    distance: int

    def orders(self, count: int) -> Iterator[str]:
        """The facts as programs that differ in their order alone."""
        for seed in range(count):
            yield " ".join(random.Random(seed).sample(self.facts, len(self.facts)))


@dataclass(frozen=True)
class Figure:
    """What a method takes on one state: medians over the orders of its facts."""

    seconds: float
    conflicts: float
    stopped: bool


Figures = Mapping[tuple[str, str], Sequence[Figure]]
"""By method and mode a figure for each state."""


def states(count: int, distance: int | None) -> Iterator[State]:
    """Random states with rc at position 1, at a distance or anywhere."""
    draw = random.Random(1)
    while count:
        tiles = ["rc", *draw.sample(sorted(TILES - {"rc"}), len(TILES) - 1)]
        placed = [f"on(0,{tile},{position})." for position, tile in enumerate(tiles, 1)]
        facts = (*placed, f"on(0,f,{draw.randrange(2)}).")
        horizon = asplan.solve(text=" ".join(facts), engine="bidirectional").horizon
        assert horizon is not None
        if distance in (None, horizon):
            count -= 1
            yield State(facts, horizon)


def work(method: str, mode: str, text: str, distance: int) -> int:
    """Solve, and return the conflicts."""
    if method in engines():
        result = asplan.solve(text=text, engine=method)
    elif mode == LENGTH:
        result = asplan.solve(text=text, encoding=method, mode=mode, horizon=distance)
    else:
        result = asplan.solve(text=text, encoding=method)
    assert result.horizon == distance, (method, result.horizon, distance)
    return result.statistics.conflicts or 0


def serves(method: str, mode: str) -> bool:
    """Whether a method can be asked for a plan in that mode."""
    return mode == PROOF or method.startswith("turns")


def measure(
    some: Sequence[State], methods: Sequence[str], modes: Sequence[str], orders: int, limit: float
) -> Figures:
    """All methods take turns on each order of each state."""
    asked = [(method, mode) for mode in modes for method in methods if serves(method, mode)]
    found: dict[tuple[str, str], list[Figure]] = {key: [] for key in asked}
    for number, state in enumerate(some, 1):
        runs = [
            [run(partial(work, *key, text, state.distance), limit) for key in asked]
            for text in state.orders(orders)
        ]
        for key, several in zip(asked, zip(*runs, strict=True), strict=True):
            seconds = median(one.seconds if one.answer is not None else limit for one in several)
            conflicts = median(one.answer or 0 for one in several)
            stopped = any(one.answer is None for one in several)
            found[key].append(Figure(seconds, conflicts, stopped))
            tables.progress(number, state.distance, *key, f"{seconds:.2f} s", conflicts)
    return found


def method_rows(figures: Figures, modes: Sequence[str]) -> Iterator[list[str]]:
    """For each method, in each mode, the median and the largest seconds, and the conflicts."""
    for method in dict.fromkeys(method for method, _ in figures):
        cells = (cell for mode in modes for cell in summary(figures.get((method, mode), ())))
        yield [f"`{method}`", *cells]


def summary(column: Sequence[Figure]) -> list[str]:
    """The three cells of a method in one mode."""
    if not column:
        return ["", "", ""]
    seconds = [figure.seconds for figure in column]
    mark = ">" if any(figure.stopped for figure in column) else ""
    conflicts = median(figure.conflicts for figure in column)
    return [f"{median(seconds):.2f}", f"{mark}{max(seconds):.1f}", f"{conflicts:,.0f}"]


def pair_rows(figures: Figures, modes: Sequence[str]) -> Iterator[list[str]]:
    """For each pair that was measured: how many times as fast the first is, and the conflicts."""
    for (what, *pair), mode in product(PAIRS, modes):
        if any((method, mode) not in figures for method in pair):
            continue
        both = zip(*(figures[method, mode] for method in pair), strict=True)
        known = [(a, b) for a, b in both if not (a.stopped or b.stopped)]
        faster = spread([b.seconds / a.seconds for a, b in known])
        fewer = spread([(b.conflicts + 1) / (a.conflicts + 1) for a, b in known])
        yield [what, *(f"`{method}`" for method in pair), ASKED[mode], faster, fewer]


def spread(ratios: Sequence[float]) -> str:
    """The geometric mean, the least and the most."""
    if not ratios:
        return "?"
    return f"{geometric_mean(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def main() -> None:
    """Measure, and print a table of methods and one of pairs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--methods", nargs="+", default=METHODS, help="encodings, or engines")
    parser.add_argument("--distance", default="9", help="moves, or `any`")
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--orders", type=int, default=1, help="of the facts of each state")
    parser.add_argument("--limit", type=float, default=300, help="CPU seconds for each run")
    tables.add_option(parser)
    given = parser.parse_args()
    asplan.solve("twist01")  # what is imported late is imported once, before the children start
    some = list(states(given.states, None if given.distance == "any" else int(given.distance)))
    figures = measure(some, given.methods, given.modes, given.orders, given.limit)
    report(figures, some, given)


def report(figures: Figures, some: Sequence[State], given: argparse.Namespace) -> None:
    """The two tables, with what one has to know to read them."""
    far = sorted(state.distance for state in some)
    tables.say(
        f"{len(some)} random states, {'–'.join(map(str, dict.fromkeys((far[0], far[-1]))))} moves "
        f"from solved, orders of the facts: {given.orders}; processor seconds on one core, "
        f"the median over the states and the most; limit: {given.limit:g} s."
    )
    columns = [
        f"{ASKED[mode]}: {what}" for mode in given.modes for what in ("s", "most", "conflicts")
    ]
    tables.show(("method", *columns), method_rows(figures, given.modes), markdown=given.markdown)
    if rows := list(pair_rows(figures, given.modes)):
        columns = ["with", "without", "asked for", "seconds, ratio", "conflicts, ratio"]
        tables.show(("what", *columns), rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
