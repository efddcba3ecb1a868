"""A comparison of clingo's configurations for incremental planning.

Every configuration solves every case (the example programs, and two encodings of Rush Hour) with
the facts of the instance in several orders. CPU seconds of a child process count, so a busy
machine disturbs little, and the configurations take turns, so it disturbs them alike. A run that
was stopped counts as the limit. The table shows medians, and the ratio to `auto`: below 1 is
faster than clingo's default.

    python scripts/configurations.py [--seeds N] [--limit S] [--boards sample02,…]
                                     [--markdown] [-- WORDS…]

WORDS are clingo options; those that belong together stand in one word with spaces between. An
objective, which `blocks` has, is left out of the comparison: it is optimized as asplan does it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from statistics import geometric_mean, median

from asplan.engines.asp import AspOptions
from asplan.engines.asp.controller import incremental
from asplan.engines.run import Run as Planning
from asplan.problem import Inputs, load
from lib import tables
from lib.measuring import Case, Run, folder, run
from lib.programs import cases
from lib.quick import add_quick

AUTO = "--configuration=auto --no-sat-prepro"
"""clingo's own choice, to which asplan adds nothing."""

OWN = ""
CHOICES = (
    OWN,
    "--configuration=frumpy",
    "--configuration=jumpy",
    "--configuration=handy",
    "--configuration=crafty",
)
"""Beside `auto`; the first is what asplan does by itself."""

RESTS_ON = (
    "src/asplan/engines/asp/controller.py",
    "src/asplan/engines/asp/clingo_options.py",
    "src/asplan/engines/asp/opening.py",
    "src/asplan/engines/asp/solver.py",
)

Runs = Mapping[tuple[str, str], list[Run]]
"""By case and configuration, a run for each order of the facts."""


def solve(case: Case, words: str, seed: int, place: Path) -> Run:
    """One run: seconds, and the conflicts and choices that it took."""
    problem = load(Inputs(tuple(case.shuffled(seed, place))))
    planning = Planning(problem, AspOptions(clingo=tuple(words.split())))
    return run(lambda: _counts(planning), LIMIT)


def _counts(planning: Planning[AspOptions]) -> tuple[int | None, int, int]:
    result = incremental(planning)
    return result.horizon, result.statistics.conflicts or 0, result.statistics.choices or 0


def seconds(runs: Runs, case: str, words: str) -> float:
    """The median."""
    return median(r.seconds for r in runs[case, words])


def ratio(runs: Runs, case: str, words: str) -> float:
    """The median of a configuration by that of `auto`."""
    return seconds(runs, case, words) / seconds(runs, case, AUTO)


def conflicts(runs: Runs, case: str, words: str) -> float | None:
    """The median; None where a run was stopped, as its counters are lost."""
    found = [r.answer for r in runs[case, words]]
    return None if None in found else median(conflicts for _, conflicts, _ in found)


def main() -> None:
    """Measure, and print two tables."""
    global LIMIT
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", default=CHOICES, help="what to set beside auto")
    parser.add_argument("--seeds", type=int, default=3, help="orders of the facts")
    parser.add_argument("--limit", type=float, default=30, help="CPU seconds for a run")
    parser.add_argument("--boards", default="sample02,sample03", help="of Rush Hour")
    add_quick(parser, "one order, one board, 10 s", seeds=1, limit=10, boards="sample02")
    tables.add_option(parser)
    given = parser.parse_args()
    LIMIT = given.limit
    chosen = [AUTO, *given.words]
    measured = cases(given.boards.split(","))
    runs: dict[tuple[str, str], list[Run]] = {}
    with folder() as name:
        for seed in range(1, given.seeds + 1):
            for case in measured:
                for words in chosen:
                    done = solve(case, words, seed, Path(name))
                    runs.setdefault((case.name, words), []).append(done)
                    tables.progress(seed, case.name, words, f"{done.seconds:.2f}", done.answer)
    show(runs, [case.name for case in measured], chosen, given.markdown)


def show(runs: Runs, names: list[str], chosen: list[str], markdown: bool) -> None:
    """One line for each configuration, and seconds and conflicts by case."""
    rows = []
    for words in sorted(chosen, key=lambda w: geometric_mean(ratio(runs, n, w) for n in names)):
        ratios = [ratio(runs, name, words) for name in names]
        pairs = [(conflicts(runs, name, words), conflicts(runs, name, AUTO)) for name in names]
        counted = [(a + 1) / (b + 1) for a, b in pairs if a is not None and b is not None]
        stopped = sum(r.answer is None for name in names for r in runs[name, words])
        figures = (geometric_mean(ratios), geometric_mean(counted), max(ratios))
        rows.append((_short(words), *(f"{figure:.2f}" for figure in figures), str(stopped)))
    columns = ("configuration", "time, auto = 1", "conflicts, auto = 1", "worst", "stopped")
    tables.show(columns, rows, markdown=markdown)
    if not markdown:
        cells = [(name, *(_cell(runs, name, words) for words in chosen)) for name in names]
        columns = ("seconds (conflicts/1000)", *(_short(words) for words in chosen))
        tables.show(columns, cells, markdown=False)


def _short(words: str) -> str:
    short = words.replace("--configuration=", "").replace(" --no-sat-prepro", "")
    return short.replace("--", "") or "asplan's own"


def _cell(runs: Runs, name: str, words: str) -> str:
    count = conflicts(runs, name, words)
    return f"{seconds(runs, name, words):.2f} ({'-' if count is None else f'{count / 1000:.1f}'})"


if __name__ == "__main__":
    main()
