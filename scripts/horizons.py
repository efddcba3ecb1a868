"""A picture of multi-shot solving: clingo's conflicts at each horizon, up to the plan.

    python scripts/horizons.py sample02 -e origin -o docs/horizons.svg

All horizons but the last one are refuted. At the last one clingo finds the plan.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import asplan

REFUTED = "#8aa4bf"
FOUND = "#2a9d58"


def conflicts_by_horizon(instance: str, encoding: str | None) -> dict[int, int]:
    """Return the conflicts at each horizon; raise `SystemExit` if there is no plan."""
    result = asplan.solve(instance, encoding=encoding, no_states=True)
    if result.horizon is None:
        raise SystemExit(f"no plan was found: {result.reason}")
    conflicts = Counter(dict.fromkeys(range(result.horizon + 1), 0))
    for call in result.statistics.steps:
        conflicts[call.horizon] += call.conflicts
    return dict(conflicts)


def draw(conflicts: dict[int, int], file: Path) -> None:
    """Draw a bar for each horizon into a file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = file.stem
    last = max(conflicts)
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    axes = figure.add_subplot(xlabel="horizon (steps)", ylabel="conflicts")
    refuted = [conflicts[horizon] for horizon in range(last)]
    axes.bar(range(last), refuted, color=REFUTED, label="refuted: no plan of this length")
    axes.bar([last], [conflicts[last]], color=FOUND, label=f"plan found: {last} steps")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    """Draw the horizons of an instance."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instance")
    parser.add_argument("-e", "--encoding")
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    draw(conflicts_by_horizon(given.instance, given.encoding), given.output)


if __name__ == "__main__":
    main()
