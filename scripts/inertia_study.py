"""The report's central study: one inertia rule, written in two ways.

sample02, minimize, horizon 40: `origin_naive` says that a car stays if it makes no move, with
anonymous variables; `origin` names the moves. The report's figures stand beside ours. Seconds
depend on the machine; choices, conflicts and the ratios can be compared.

    python scripts/inertia_study.py [--runs N]
"""

from __future__ import annotations

import argparse
from statistics import median

from rich.console import Console
from rich.table import Table

import asplan

PUBLISHED = {"origin_naive": (7.954, 237130, 71504, 227), "origin": (4.124, 116361, 48310, 171)}


def study(encoding: str, runs: int) -> tuple[float, int, int, int]:
    """Median seconds, choices, conflicts and restarts; a seed a run."""
    results = [
        asplan.solve(
            "sample02", encoding=encoding, mode="minimize", horizon=40, clingo=[f"--seed={seed}"]
        )
        for seed in range(1, runs + 1)
    ]
    assert {result.horizon for result in results} == {39}
    counts = [result.statistics for result in results]
    return (
        median(result.seconds.ground + result.seconds.solve for result in results),
        int(median(c.choices or 0 for c in counts)),
        int(median(c.conflicts or 0 for c in counts)),
        int(median(c.restarts or 0 for c in counts)),
    )


def main() -> None:
    """Print the study as a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs for each encoding")
    runs = parser.parse_args().runs
    ours = {encoding: study(encoding, runs) for encoding in PUBLISHED}
    table = Table("", "seconds", "choices", "conflicts", "restarts")
    for whose, figures in (("report", PUBLISHED), ("ours", ours)):
        for encoding, (seconds, *counts) in figures.items():
            table.add_row(f"{whose}: {encoding}", f"{seconds:.2f}", *map(str, counts))
        pairs = zip(figures["origin_naive"], figures["origin"], strict=True)
        table.add_row(f"{whose}: ratio", *(f"{naive / spelt:.2f}" for naive, spelt in pairs))
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
