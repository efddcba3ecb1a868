"""Brain Twist: what the rules of the talk are worth, and the encodings beside search.

The talk says that three extra constraints are "not needed but faster", and it holds rc at position
1, which leaves 2 solved arrangements of 24. Here each of the two is measured with and without, on
random states that are all equally far from being solved: to the proof that a plan is `shortest`,
and for any plan of a given `length`, the fewest moves, in one shot, as the talk has it.

    python scripts/brain_twist.py rules [--published | --methods NAME…] [--distance N|any]
                                        [--modes MODE…] [--states N] [--orders N] [--limit S]
                                        [--plot F.svg] [--markdown]

--published measures the talk's own program, and each of the three extra constraints by itself.

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
from asplan.domains.brain_twist.turns import TILES
from asplan.engines import engines
from lib import tables
from lib.measuring import run
from lib.quick import add_quick

RESTS_ON = (
    "encodings/brain_twist/turns.lp",
    "encodings/brain_twist/turns_published.lp",
    "encodings/brain_twist/frontier.lp",
    "src/asplan/domains/brain_twist/*.py",
    "src/asplan/program/transitions/rewrite.py",
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

NONE = "turns_published:one=0:eight=0:nine=0"
ONE, EIGHT, NINE = (NONE.replace(f"{name}=0", f"{name}=1") for name in ("one", "eight", "nine"))
PUBLISHED = ("turns_published", ONE, EIGHT, NINE, NONE)
"""The talk's program with all extra constraints, with each by itself, and with none."""

PAIRS = (
    ("extra constraints", "turns:order=talk:extra=1", "turns:order=talk"),
    ("extra constraints", "turns:extra=1", "turns"),
    ("rc held", "turns:order=talk:extra=1", "turns:order=talk:extra=1:rotation=free"),
    ("rc held", "turns:order=talk", "turns:order=talk:rotation=free"),
    ("rc held", "turns", "turns:rotation=free"),
    ("the talk's rules", "turns:order=talk", "turns:order=none"),
    ("ascending order", "turns", "turns:order=talk"),
    ("all three constraints", "turns_published", NONE),
    ("one is chosen", ONE, NONE),
    ("eight are not chosen", EIGHT, NONE),
    ("nine are possible", NINE, NONE),
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
    """The effort of a method on one state: medians over the orders of its facts."""

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
        result = asplan.solve(text=text, encoding=method, no_states=True)
    assert result.horizon == distance, (method, result.horizon, distance)
    return result.statistics.conflicts or 0


def serves(method: str, mode: str) -> bool:
    """Return whether a method can plan in that mode."""
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


def ratios(
    figures: Figures, pair: Sequence[str], mode: str
) -> tuple[list[float], list[float]] | None:
    """Return the speed-up of the first of two methods on each state, and the conflicts."""
    if any((method, mode) not in figures for method in pair):
        return None
    both = zip(*(figures[method, mode] for method in pair), strict=True)
    known = [(a, b) for a, b in both if not (a.stopped or b.stopped)]
    faster = [b.seconds / a.seconds for a, b in known]
    return faster, [(b.conflicts + 1) / (a.conflicts + 1) for a, b in known]


def draw(file: str, figures: Figures, modes: Sequence[str]) -> None:
    """A line for each pair, from the least ratio of seconds to the most; the dot is the mean."""
    import matplotlib
    from matplotlib.figure import Figure as Picture

    matplotlib.rcParams["svg.hashsalt"] = "twist"
    found = [
        (f"{what}\n{pair[0]}, {ASKED[mode]}", known[0])
        for (what, *pair), mode in product(PAIRS, modes)
        if (known := ratios(figures, pair, mode)) and known[0]
    ]
    picture = Picture(figsize=(8, 0.5 * len(found) + 1), layout="constrained")
    axes = picture.add_subplot(xlabel="times as fast with it", xscale="log")
    for place, (_, values) in enumerate(found):
        axes.plot([min(values), max(values)], [-place, -place], color="#8aa4c8", linewidth=5)
        axes.plot(geometric_mean(values), -place, "o", color="#1d3557")
    axes.axvline(1, color="#888888", linewidth=1)
    axes.set_yticks([-n for n in range(len(found))], [label for label, _ in found], fontsize=10)
    ticks = [0.25, 0.5, 1, 2, 4]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.spines[["top", "right"]].set_visible(False)
    picture.savefig(file, metadata={"Date": None})


def pair_rows(figures: Figures, modes: Sequence[str]) -> Iterator[list[str]]:
    """For each pair that was measured: how many times as fast the first is, and the conflicts."""
    for what, *pair in PAIRS:
        known = [found for mode in modes if (found := ratios(figures, pair, mode)) is not None]
        if known:
            yield [what, f"`{pair[0]}`", *(spread(values) for found in known for values in found)]


def spread(values: Sequence[float]) -> str:
    """The geometric mean, the least and the most."""
    if not values:
        return "?"
    return f"{geometric_mean(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--methods", nargs="+", default=METHODS, help="encodings, or engines")
    parser.add_argument("--published", action="store_true", help="the talk's program as published")
    parser.add_argument("--plot", metavar="F.svg", help="draw what each rule is worth")
    parser.add_argument("--distance", default="9", help="moves, or `any`")
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--orders", type=int, default=1, help="of the facts of each state")
    parser.add_argument("--limit", type=float, default=300, help="CPU seconds for each run")
    add_quick(
        parser,
        "two states, three encodings, 60 s",
        states=2,
        limit=60,
        methods=[METHODS[0], METHODS[1], METHODS[5]],
    )


def study(given: argparse.Namespace) -> None:
    """Measure, and print a table of methods and one of pairs."""
    asplan.solve("twist01")  # what is imported late is imported once, before the children start
    some = list(states(given.states, None if given.distance == "any" else int(given.distance)))
    methods = PUBLISHED if given.published else given.methods
    figures = measure(some, methods, given.modes, given.orders, given.limit)
    report(figures, some, given)
    if given.plot:
        draw(given.plot, figures, given.modes)


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
        of = [f"{ASKED[mode]}: {what}" for mode in given.modes for what in ("seconds", "conflicts")]
        tables.show(("what", "with it", *of), rows, markdown=given.markdown)
