"""The report's central study: what anonymous variables cost, above all in the inertia rule.

sample02, minimize, horizon 40. `origin_naive` says that a car stays if it makes no move, with
anonymous variables; `origin` names the four directions. The report's figures stand beside ours:
first the programs as they are written, under clingo's own options, then as asplan runs them. Ours
are medians over orders of the facts, with the least and the most in brackets. Seconds depend on
the machine; choices, conflicts and ratios can be compared.

    python scripts/inertia_study.py [--runs N] [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import asplan
from asplan.problem.catalog import find_encoding, find_instance
from lib import tables
from lib.measuring import Case, folder, run

RESTS_ON = (
    "encodings/rush_hour/origin.lp",
    "encodings/rush_hour/origin_naive.lp",
    "instances/rush_hour/sample02.lp",
    "src/asplan/program/rewrite.py",
    "src/asplan/engines/asp/opening.py",
)

HORIZON, OPTIMUM = 40, 39

Figures = Sequence[float]
"""Seconds, choices, conflicts and restarts."""

PUBLISHED: Mapping[str, Figures] = {
    "origin_naive": (7.954, 237130, 71504, 227),
    "origin": (4.124, 116361, 48310, 171),
}

WAYS: Mapping[str, Mapping[str, Any]] = {
    "as written": {"no_rewrite": True, "clingo": ["--sat-prepro=no"]},
    "as asplan runs it": {},
}


def figures(files: Sequence[str], how: Mapping[str, Any]) -> Figures:
    """What one run of a program takes."""
    result = asplan.solve(*files, mode="minimize", horizon=HORIZON, **how)
    assert result.horizon == OPTIMUM, result
    counts = result.statistics
    seconds = result.seconds.ground + result.seconds.solve
    return seconds, counts.choices or 0, counts.conflicts or 0, counts.restarts or 0


def study(runs: int) -> dict[str, dict[str, list[Figures]]]:
    """For each way and encoding, the figures of all runs; they take turns."""
    found: dict[str, dict[str, list[Figures]]] = {way: {e: [] for e in PUBLISHED} for way in WAYS}
    instance = find_instance("sample02")
    with folder() as place:
        for seed in range(1, runs + 1):
            for way, how in WAYS.items():
                for encoding in PUBLISHED:
                    path = str(find_encoding(encoding, "rush_hour").path)
                    files = Case(encoding, path, instance).shuffled(seed, Path(place))
                    done = run(partial(figures, files, how), 600)
                    tables.progress(seed, way, encoding, done.answer)
                    found[way][encoding].append(done.answer)
    return found


def rows(runs: int) -> list[tables.Row]:
    """The table: the report, then each way, with the ratio of the two encodings."""
    lines: list[tables.Row] = []
    for encoding, known in PUBLISHED.items():
        lines.append([f"report: {encoding}", f"{known[0]:.2f}", *(f"{n:.0f}" for n in known[1:])])
    naive, spelt = PUBLISHED.values()
    lines.append(["report: ratio", *(f"{a / b:.2f}" for a, b in zip(naive, spelt, strict=True))])
    for way, measured in study(runs).items():
        lines.append(None)
        for encoding, found in measured.items():
            first, *counts = zip(*found, strict=True)
            cells = [_spread(first, 2), *(_spread(column, 0) for column in counts)]
            lines.append([f"{way}: {encoding}", *cells])
        pairs = zip(*measured.values(), strict=True)
        ratios = [[a / b for a, b in zip(*pair, strict=True)] for pair in pairs]
        columns = zip(*ratios, strict=True)
        lines.append([f"{way}: ratio", *(_spread(column, 2) for column in columns)])
    return lines


def _spread(values: Sequence[float], digits: int) -> str:
    low, high = min(values), max(values)
    return f"{median(values):.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def main() -> None:
    """Print the study as a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="orders of the facts")
    tables.add_option(parser)
    given = parser.parse_args()
    columns = ("sample02, 40 steps", "seconds", "choices", "conflicts", "restarts")
    tables.show(columns, rows(given.runs), markdown=given.markdown)


if __name__ == "__main__":
    main()
