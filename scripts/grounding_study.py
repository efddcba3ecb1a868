"""The report's grounding table and its two timing charts, beside ours.

    python scripts/grounding_study.py [--time-limit S] [--plot F.png] [--markdown] [SAMPLE...]

The table is the ground program of sample02 at horizon 40, as text and in the numeric format that
clingo hands to solvers. The report counted the latter, which is what gringo prints unasked: some 7
words and 28 bytes a line say so. Its version 2 ran on a board in which car c stands in row 4 and
covers (4,6), where f is, too; the size hardly depends on that, the time does.

The first chart has versions 1 (origin) and 2 (block_tuple) with the horizon fixed at the known
optimum, the second has version 1 in multi-shot solving and in minimize up to 40 steps, as the
report has it. Seconds depend on the machine; lines, words, bytes and the ratios can be compared.
The report printed few times: its multi-shot program was run again on a machine like ours.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asplan
from asplan.measuring.grounding import text_size
from asplan.problem import catalog
from asplan.program.incremental import read_program
from lib import tables

RESTS_ON = (
    "encodings/rush_hour/origin.lp",
    "encodings/rush_hour/block_tuple.lp",
    "instances/rush_hour/sample0*.lp",
    "src/asplan/program/rewrite.py",
    "src/asplan/engines/asp/opening.py",
)

SIZES = {"origin": (31184, 225893, 876816), "block_tuple": (19248, 130794, 540640)}
"""Lines, words and bytes in the report: sample02, 40 steps."""

MULTI_SHOT = {
    "sample01": "0.5",
    "sample02": "6.8",
    "sample03": "25.9",
    "sample04": "> 300",
    "sample05": "154",
}
"""Seconds of the report's multi-shot program."""

MOST = 40
"""The limit l of the report."""

MINIMIZE = {"sample02": "4.124"}
"""Seconds in the report."""


@dataclass(frozen=True)
class Bar:
    """Seconds of one run; `late` where the time limit was reached."""

    seconds: float
    late: bool

    def __str__(self) -> str:
        return f"> {self.seconds:.0f}" if self.late else f"{self.seconds:.2f}"


Chart = dict[str, dict[str, Bar]]
"""For each of two ways to run, the time of each sample."""


def optimum(sample: str) -> int:
    """The length of the shortest plan, from the sample's header."""
    header = Path(catalog.find_instance(sample)).read_text().partition("\n")[0]
    found = re.search(r"shortest plan (\d+) steps", header)
    assert found, header
    return int(found[1])


def timed(sample: str, limit: float, **options: Any) -> Bar:
    """Run one sample; grounding and solving count."""
    result = asplan.solve(sample, isolate=True, time_limit=limit, **options)
    if result.stopped:
        return Bar(limit, late=True)
    assert result.horizon == optimum(sample), result
    return Bar(result.seconds.ground + result.seconds.solve, late=False)


def versions(samples: Sequence[str], limit: float) -> Chart:
    """Versions 1 and 2 with the horizon fixed at the known optimum."""
    names = {"version 1 (origin)": "origin", "version 2 (block_tuple)": "block_tuple"}
    return {
        label: {
            s: timed(s, limit, encoding=name, mode="fixed", horizon=optimum(s)) for s in samples
        }
        for label, name in names.items()
    }


def modes(samples: Sequence[str], limit: float) -> Chart:
    """Version 1, multi-shot and minimize up to the report's limit, or to the optimum beyond it."""
    return {
        "multi-shot": {s: timed(s, limit, encoding="origin") for s in samples},
        "minimize": {
            s: timed(s, limit, encoding="origin", mode="minimize", horizon=max(MOST, optimum(s)))
            for s in samples
        },
    }


def size_rows() -> list[tables.Row]:
    """The report's table and ours, in both formats."""
    blocks = {
        "report, numeric": SIZES,
        "ours, numeric": {name: sizes(name, "--mode=gringo") for name in SIZES},
        "ours, text": {name: sizes(name, "--text") for name in SIZES},
    }
    rows: list[tables.Row] = []
    for whose, figures in blocks.items():
        for encoding, (lines, words, size) in figures.items():
            label = f"{whose}: {encoding}"
            rows.append([label, str(lines), str(words), str(size), f"{words / lines:.1f}"])
        pairs = zip(figures["block_tuple"], figures["origin"], strict=True)
        ratios = [f"{second / first:.3f}" for second, first in pairs]
        rows += [[f"{whose}: ratio", *ratios, ""], None]
    return rows[:-1]


def sizes(encoding: str, style: str) -> tuple[int, int, int]:
    """Lines, words and bytes of an encoding's ground program."""
    path = catalog.find_encoding(encoding, "rush_hour").path
    program = read_program([catalog.find_instance("sample02"), str(path)], {})
    size = text_size(program, {}, 40, style)
    return size.lines, size.words, size.bytes


def chart_rows(chart: Chart, published: dict[str, dict[str, str]]) -> list[tables.Row]:
    """A chart as numbers."""
    first, second = chart
    rows: list[tables.Row] = []
    for sample, bar in chart[first].items():
        other = chart[second][sample]
        ratio = "" if bar.late or other.late else f"{other.seconds / bar.seconds:.2f}"
        known = [p.get(sample, "") for p in published.values()]
        rows.append([sample, str(bar), str(other), ratio, *known])
    return rows


def draw(path: str, charts: dict[str, Chart]) -> None:
    """Draw the charts side by side; hatched bars reached the limit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    for axes, (title, chart) in zip(figure.subplots(1, 2), charts.items(), strict=True):
        for i, (label, bars) in enumerate(chart.items()):
            places = [group + 0.38 * i for group in range(len(bars))]
            heights = [bar.seconds for bar in bars.values()]
            hatches = ["//" if bar.late else "" for bar in bars.values()]
            axes.bar(places, heights, 0.36, label=label, hatch=hatches)
        axes.set_xticks([g + 0.19 for g in range(len(bars))], list(bars))
        axes.set_title(title)
        axes.set_ylabel("seconds")
        axes.set_yscale("log")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Print the table and the charts, and draw them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("samples", nargs="*", help="default: the five samples of the report")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for a run")
    parser.add_argument("--plot", metavar="F.png", help="draw the charts")
    parser.add_argument("--sizes", action="store_true", help="the table of sizes alone")
    tables.add_option(parser)
    given = parser.parse_args()
    columns = ("sample02, 40 steps", "lines", "words", "bytes", "words a line")
    tables.show(columns, size_rows(), markdown=given.markdown)
    if given.sizes:
        return
    charts = {}
    samples = given.samples or [f"sample0{n}" for n in range(1, 6)]
    for title, measure, published in (
        ("horizon fixed at the optimum", versions, {}),
        ("version 1", modes, {"multi-shot": MULTI_SHOT, "minimize": MINIMIZE}),
    ):
        charts[title] = chart = measure(samples, given.time_limit)
        heads = ("sample", *chart, "ratio", *(f"report: {name}" for name in published))
        tables.show(heads, chart_rows(chart, published), title, markdown=given.markdown)
    if given.plot:
        draw(given.plot, charts)


if __name__ == "__main__":
    main()
