"""Thesis: choosing a solver by a board's features before solving it, as its outlook asks.

    python scripts/thesis_choice.py [--runs FILE] [--every N] [--every-second N] [--markdown]

Three tables: how features of a board go with the states that A* visits and the seconds of Z3; a
rule learned on one half of Sample1, beside each solver alone and the fastest solver of each board;
and the same for many random halves.

A rule is a tree of comparisons `feature < threshold`. A leaf names a solver. Learning takes the
comparison that leaves the fewest seconds in all, and goes on below it. The features are those of
the start, so nothing is solved for them; their seconds are added to those of the rule. The length
of a shortest plan is not known before and is no feature.

Runs are those of scripts/thesis.py, and so are the options.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb, log10, prod
from pathlib import Path
from random import Random
from statistics import correlation, mean, median, quantiles

from asplan.domains.rush_hour.heuristics import blocking_cars, cars_between, goal_distance
from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.notation import parse_board
from lib import tables
from lib.quick import add_quick
from lib.thesis import Board, Rows, database
from thesis import ASTAR, BFS, CELLS, ITERATIVE, PACE, PACED, SAMPLE1, SAMPLE2, Study

RESTS_ON = (
    "src/asplan/engines/search/*.py",
    "src/asplan/engines/smt/*.py",
    "src/asplan/domains/rush_hour/smt.py",
)


def count_placements(board: RushHour) -> float:
    """Return the logarithm of the placements of all cars, if those of different lines never met."""
    return log10(
        prod(
            comb(line.size - sum(line.lengths) + len(line.cars), len(line.cars))
            for line in board.lines
        )
    )


FEATURES: Mapping[str, Callable[[RushHour], float]] = {
    "vehicles": lambda board: len(board.cars),
    "trucks": lambda board: sum(car.length == 3 for car in board.cars),
    "free cells": lambda board: 36 - len(board.walls) - len(board.cars_by_cell(board.initial)),
    "cars in the way": lambda board: cars_between(board)(board.initial),
    "cars blocking in a chain": lambda board: blocking_cars(board)(board.initial),
    "cells to the exit": lambda board: goal_distance(board)(board.initial),
    "moves at the start": lambda board: sum(1 for _ in board.actions(board.initial)),
    "log of placements": count_placements,
}
"""What a look at the start shows."""

Features = Mapping[str, float]
Seconds = Mapping[str, Sequence[float]]
"""The seconds of each solver on the boards."""

LEAST_BOARDS = 5
"""On each side of a comparison."""


@dataclass(frozen=True)
class Case:
    """A board by its features, with the seconds of each solver and of computing the features."""

    features: Features
    seconds: Mapping[str, float]
    cost: float = 0.0

    @property
    def fastest(self) -> str:
        """The solver that needs the fewest seconds."""
        return min(self.seconds, key=self.seconds.__getitem__)


@dataclass(frozen=True)
class Leaf:
    """A rule that always names the same solver."""

    solver: str

    def choose(self, features: Features) -> str:
        """Return the solver for a board."""
        return self.solver

    def __str__(self) -> str:
        return self.solver


@dataclass(frozen=True)
class Comparison:
    """A rule that compares a feature with a threshold."""

    feature: str
    threshold: float
    below: Rule
    above: Rule

    def choose(self, features: Features) -> str:
        """Return the solver for a board."""
        side = self.below if features[self.feature] < self.threshold else self.above
        return side.choose(features)

    def __str__(self) -> str:
        return f"{self.feature} < {self.threshold:.3g} ? ({self.below}) : ({self.above})"


Rule = Leaf | Comparison


def learn(cases: Sequence[Case], depth: int) -> Rule:
    """Return a rule with at most `depth` comparisons one below the other."""
    single = Leaf(best_single(cases))
    found = best_comparison(cases) if depth else None
    if found is None:
        return single
    feature, threshold = found
    below = [case for case in cases if case.features[feature] < threshold]
    above = [case for case in cases if case.features[feature] >= threshold]
    low, high = learn(below, depth - 1), learn(above, depth - 1)
    return single if low == high else Comparison(feature, threshold, low, high)


def best_single(cases: Sequence[Case]) -> str:
    """Return the solver with the fewest seconds in all."""
    return min(cases[0].seconds, key=lambda name: sum(case.seconds[name] for case in cases))


def best_comparison(cases: Sequence[Case]) -> tuple[str, float] | None:
    """Return the feature and the threshold that leave the fewest seconds, if some boards differ."""
    found = [
        (seconds, feature, threshold)
        for feature in cases[0].features
        for threshold, seconds in thresholds(cases, feature)
    ]
    if not found:
        return None
    _, feature, threshold = min(found)
    return feature, threshold


def thresholds(cases: Sequence[Case], feature: str) -> Iterator[tuple[float, float]]:
    """Yield each threshold of a feature, with the seconds if each side has one solver."""
    ordered = sorted(cases, key=lambda case: case.features[feature])
    values = [case.features[feature] for case in ordered]
    sums = {
        name: list(accumulate((case.seconds[name] for case in ordered), initial=0.0))
        for name in cases[0].seconds
    }
    for index in range(LEAST_BOARDS, len(ordered) - LEAST_BOARDS + 1):
        if values[index - 1] < values[index]:
            below = min(one[index] for one in sums.values())
            above = min(one[-1] - one[index] for one in sums.values())
            yield (values[index - 1] + values[index]) / 2, below + above


def spent(rule: Rule, cases: Sequence[Case]) -> list[float]:
    """Return the seconds on each board, those of the features included where there is a choice."""
    is_choice = isinstance(rule, Comparison)
    return [case.seconds[rule.choose(case.features)] + is_choice * case.cost for case in cases]


def rules(cases: Sequence[Case]) -> dict[str, Rule]:
    """Return what is learned on some boards, by name."""
    return {
        "one comparison": learn(cases, 1),
        "two comparisons": learn(cases, 2),
    }


REPEATS = 20
"""How often features are computed for their seconds."""


def look(board: Board) -> tuple[Features, float]:
    """Return the features of a board, and the seconds that they take."""
    start = time.process_time()
    for _ in range(REPEATS):
        problem = parse_board(board.text, metric="slide")
        features = {name: feature(problem) for name, feature in FEATURES.items()}
    return features, (time.process_time() - start) / REPEATS


def cases_of(boards: Sequence[Board], seconds: Seconds) -> list[Case]:
    """Return the boards with their features and seconds."""
    looks = [look(board) for board in boards]
    return [
        Case(features, {name: times[index] for name, times in seconds.items()}, cost)
        for index, (features, cost) in enumerate(looks)
    ]


def seconds_of(rows: Rows, ways: Sequence[str]) -> Seconds:
    """Return the seconds of solvers; `PACED` takes the published time for each of our states."""
    times = {way: [one.seconds for one in rows[way]] for way in ways if way != PACED}
    if PACED in ways:
        times[PACED] = [one.nodes * PACE for one in rows[ASTAR]]
    return times


def judged(learned: Mapping[str, Rule], best: str, cases: Sequence[Case]) -> Iterator[tables.Row]:
    """Yield a row for each solver, each rule, and the fastest solver of each board."""
    single = sum(spent(Leaf(best), cases))

    def row(name: str, seconds: Sequence[float], right: float) -> tables.Row:
        shown = f"{median(seconds):.4g}", f"{max(seconds):.4g}"
        total = sum(seconds)
        return name, f"{total / single:.3f}", f"{total:.4g}", *shown, f"{right:.0%}"

    for name in cases[0].seconds:
        right = mean(case.fastest == name for case in cases)
        yield row(f"always {name}", spent(Leaf(name), cases), right)
    for name, rule in learned.items():
        right = mean(case.fastest == rule.choose(case.features) for case in cases)
        yield row(name, spent(rule, cases), right)
    fastest = [case.seconds[case.fastest] for case in cases]
    yield row("the fastest of each board", fastest, 1.0)


def halves(cases: Sequence[Case], number: int) -> Iterator[tuple[list[Case], list[Case]]]:
    """Yield random halves of some boards."""
    random = Random(1)
    for _ in range(number):
        mixed = random.sample(cases, len(cases))
        yield mixed[: len(cases) // 2], mixed[len(cases) // 2 :]


def repeated(cases: Sequence[Case], number: int) -> Iterator[tables.Row]:
    """Yield a row for each kind of rule: how it compares with the best solver of its half."""
    ratios: dict[str, list[float]] = {}
    for known, others in halves(cases, number):
        single = sum(spent(Leaf(best_single(known)), others))
        for name, rule in rules(known).items():
            ratios.setdefault(name, []).append(sum(spent(rule, others)) / single)
        fastest = sum(case.seconds[case.fastest] for case in others)
        ratios.setdefault("the fastest of each board", []).append(fastest / single)
    for name, found in ratios.items():
        low, middle, high = quantiles(found, n=4, method="inclusive")
        better = mean(ratio < 1 for ratio in found)
        yield name, f"{middle:.3f}", f"{low:.3f} to {high:.3f}", f"{better:.0%}"


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share the mean of their ranks."""
    ordered = sorted(values)
    places: dict[float, list[int]] = {}
    for place, value in enumerate(ordered):
        places.setdefault(value, []).append(place)
    return [mean(places[value]) for value in values]


def correlated(boards: Sequence[Board], rows: Rows) -> Iterator[tables.Row]:
    """Yield for each feature its rank correlations with the states and the seconds."""
    looks = [look(board)[0] for board in boards]
    known = {name: [one[name] for one in looks] for name in FEATURES}
    known["moves of a shortest plan (not known before)"] = [board.moves for board in boards]
    states = ranks([one.nodes for one in rows[ASTAR]])
    seconds = ranks([one.seconds for one in rows[ITERATIVE]])
    for name, values in known.items():
        found = (correlation(ranks(values), other) for other in (states, seconds))
        yield name, *(f"{one:.2f}" for one in found)


CHOICES = ((PACED, ITERATIVE), (ASTAR, BFS, ITERATIVE, CELLS))
"""The solvers of the thesis, and ours."""

JUDGED = ("", "to the best", "total, s", "median, s", "largest, s", "is the fastest")


def show_choice(study: Study, ways: Sequence[str]) -> None:
    """Learn on every second board of Sample1, judge on the others, and on random halves."""
    boards, rows = runs_of(study, SAMPLE1, ways)
    cases = cases_of(boards, seconds_of(rows, ways))
    known, others = cases[::2], cases[1::2]
    learned = rules(known)
    title = f"choosing among {', '.join(ways)}: {len(others)} boards that the rule has not seen"
    show_judged(study, title, learned, known, others)
    for name, rule in learned.items():
        tables.say(f"{name.capitalize()}, learned: `{rule}`")
    if PACED in ways:
        show_sample2(study, ways, cases)
    number = study.given.halves
    tables.show(
        ("", "median, to the best", "middle half of the ratios", "better than the best"),
        repeated(cases, number),
        f"choosing among {', '.join(ways)}: {number} random halves",
        markdown=study.given.markdown,
    )


def runs_of(study: Study, sample: str, ways: Sequence[str]) -> tuple[list[Board], Rows]:
    """Return the boards on which all solvers ran, and the runs."""
    used = list(dict.fromkeys(ASTAR if way == PACED else way for way in ways))
    boards = study.boards(sample, used)
    return boards, study.run(sample, boards, used)


def show_judged(
    study: Study,
    title: str,
    learned: Mapping[str, Rule],
    known: Sequence[Case],
    others: Sequence[Case],
) -> None:
    """Print rules beside solvers."""
    rows = judged(learned, best_single(known), others)
    tables.show(JUDGED, rows, title, markdown=study.given.markdown)


def show_sample2(study: Study, ways: Sequence[str], known: Sequence[Case]) -> None:
    """Judge on Sample2 what is learned on Sample1, whose boards are of other difficulties."""
    boards, rows = runs_of(study, SAMPLE2, ways)
    others = cases_of(boards, seconds_of(rows, ways))
    title = f"learned on Sample1, {len(others)} boards of Sample2"
    show_judged(study, title, rules(known), known, others)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database", type=Path, help="default: in ASPLAN_DATA, or generated")
    parser.add_argument("--every", type=int, default=1, help="every Nth board of Sample1")
    parser.add_argument("--every-second", type=int, default=1, help="the same for Sample2")
    parser.add_argument("--halves", type=int, default=1000, help="random halves")
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds for each board")
    parser.add_argument("--runs", type=Path, help="take runs from this file, add what is missing")
    add_quick(parser, "some boards", every=5, every_second=42, halves=50)
    tables.add_option(parser)
    given = parser.parse_args()
    study = Study(database(given.database), given)
    boards, rows = runs_of(study, SAMPLE1, (ASTAR, ITERATIVE))
    tables.show(
        ("feature", "states of A*", "seconds of Z3"),
        correlated(boards, rows),
        f"rank correlations ({len(boards)} boards of Sample1)",
        markdown=given.markdown,
    )
    for ways in CHOICES:
        show_choice(study, ways)


if __name__ == "__main__":
    main()
