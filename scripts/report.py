"""The studies of the report on Rush Hour: sizes, the inertia rule, ten boards, and ways to run.

    python scripts/report.py sizes      ground programs of sample02 at 40 steps
    python scripts/report.py inertia    the inertia rule before and after; sample02, minimize, 40
    python scripts/report.py boards     its Figure 6: both versions at the optimum on ten boards
    python scripts/report.py ways       a given limit, minimize, multi-shot

Without a name all four run: half an hour or more, with --quick three minutes. Programs "as
published" are the single-shot ones in encodings/rush_hour/single_shot, run by plain clingo; beside
them stand asplan's multi-shot forms and its own encodings. Seconds are processor time of a child
process, grounding included, with a limit for each run. They depend on the machine; counts and
ratios can be compared.
--plot FOLDER draws a picture of each study beside its table.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

from clingo import Control

import asplan
from asplan import catalog
from asplan.measuring.ground_size import TextSize, measure_text
from asplan.program.composition import read_program
from asplan.program.incremental import with_query
from asplan.program.syntax import ASTType
from asplan.program.transitions.rewrite import COPY, START, rewrite
from lib import tables
from lib.measuring import Case, folder, run
from lib.plots import draw_bars

RESTS_ON = (
    "encodings/rush_hour/single_shot/*.lp",
    "encodings/rush_hour/origin_published.lp",
    "encodings/rush_hour/block_tuple_published.lp",
    "encodings/rush_hour/origin.lp",
    "encodings/rush_hour/block_tuple.lp",
    "encodings/rush_hour/order.lp",
    "instances/rush_hour/sample*.lp",
    "src/asplan/program/transitions/rewrite.py",
    "src/asplan/engines/asp/clingo_options.py",
    "src/asplan/engines/asp/opening.py",
)

BOARD, LIMIT = "sample02", 40
"""The board of the report's tables, and its limit l."""

OLD, NEW, TUPLE = "origin_naive_published", "origin_published", "block_tuple_published"

SIZES = {NEW: (31184, 225893, 876816), TUPLE: (19248, 130794, 540640)}
"""Printed in the report: lines, words and bytes of the two versions."""

INERTIA = {
    OLD: (7.954, 237130, 71504, 227, 4.76, 3.02),
    NEW: (4.124, 116361, 48310, 171, 2.91, 1.04),
}
"""Printed in the report: seconds, choices, conflicts, restarts, and the seconds to the first plan
and for the proof that none is shorter."""

BOARDS = [f"sample0{n}" for n in range(1, 6)] + [f"sample{n}" for n in (1, 2, 23, 3, 9)]

Figures = Sequence[float]
"""Seconds, choices, conflicts and restarts of a run; those of plain clingo also have the seconds to
the first plan, and for the proof at the end."""


@dataclass(frozen=True)
class Method:
    """A way to run an encoding: plain clingo on a single-shot program, or asplan."""

    encoding: str
    is_single_shot: bool = False
    mode: str = "incremental"
    options: tuple[tuple[str, Any], ...] = ()

    def files(self, instance: str) -> tuple[str, str]:
        """The encoding, without constants, and the instance."""
        name = self.encoding.partition(":")[0]
        if self.is_single_shot:
            return str(single_shot(name)), instance
        return str(catalog.find_encoding(name, "rush_hour").path), instance

    def call(self, files: tuple[str, str], limit: int, best: int | None) -> Figures:
        """Run it up to a limit; a plan has the best length where one is asked for."""
        if self.is_single_shot:
            return self._clingo(files, limit, best)
        constants = dict(word.split("=") for word in self.encoding.split(":")[1:])
        horizon = {} if self.mode == "incremental" else {"horizon": limit}
        options = dict(self.options) | horizon | {"no_states": True}
        result = asplan.solve(*files, mode=self.mode, constants=constants, **options)
        assert best is None or result.horizon == best, (self, result)
        counts, seconds = result.statistics, result.seconds
        spent = seconds.ground + seconds.solve
        return spent, counts.choices or 0, counts.conflicts or 0, counts.restarts or 0

    def _clingo(self, files: tuple[str, str], limit: int, best: int | None) -> Figures:
        # All times of version 1 are below its limit.
        is_below = self.mode == "fixed" and self.encoding != TUPLE
        constants = [f"l={limit + is_below}", f"run={self.mode}"]
        words = ["--stats", *(word for each in constants for word in ("-c", each))]
        control = Control(words, logger=lambda code, text: None)
        for file in files:
            control.load(file)
        control.ground()
        costs: list[Sequence[int]] = []
        found = control.solve(on_model=lambda model: costs.append(model.cost))
        assert found.satisfiable, files
        assert self.mode == "fixed" or best is None or costs[-1] == [best], costs
        solvers, times = control.statistics["solving"]["solvers"], control.statistics["summary"]
        counts = [solvers[name] for name in ("choices", "conflicts", "restarts")]
        seconds = times["times"]
        return seconds["cpu"], *counts, seconds["sat"], seconds["unsat"]


@cache
def single_shot(name: str) -> Path:
    """A program of the report that has all times in one."""
    return catalog.find_encoding(NEW, "rush_hour").path.parent / "single_shot" / f"{name}.lp"


@cache
def optimum(board: str) -> int:
    """The length of the shortest plan, from the header of the board."""
    header = Path(catalog.find_instance(board)).read_text().partition("\n")[0]
    found = re.search(r"shortest plan (\d+) steps", header)
    assert found, header
    return int(found[1])


# Sizes


def printed(path: Path, board: str | None = None) -> tuple[int, int, int]:
    """Return the size of a ground single-shot program in gringo's numeric format.

    It is grounded on the facts of `board`, by default those of the instance. It has no #show, which
    shortens the table of names alone.
    """
    facts = Path(catalog.find_instance(BOARD)).read_text() if board is None else board
    with folder() as place:
        text = re.sub(r"(?m)^#show .*\n", "", path.read_text())
        file = Path(place, "program.lp")
        file.write_text(f"{text}\n{facts}")
        words = [file, "-c", f"l={LIMIT}", "--mode=gringo", "-Wnone"]
        command = [sys.executable, "-m", "clingo", *map(str, words)]
        done = subprocess.run(command, capture_output=True, check=True)
    printed = done.stdout
    return TextSize(printed.count(b"\n"), len(printed.split()), len(printed))


def overlapping_board() -> str:
    """Return the report's own facts of version 2, in which car e overlaps car f at (4,6)."""
    facts = asplan.convert(BOARD, "tuples")
    place = "position(0,e,h,5,5,6)."
    assert place in facts
    return facts.replace(place, "position(0,e,h,4,5,6).")


EFFECT = re.compile(r"(move\(T-1,Car,(\w+)\),.*), grid\(\S+\),\n")


def guarded(place: Path) -> Path:
    """Version 1 with effect rules that read executable."""
    text, count = EFFECT.subn(
        r"\1, executable(T-1,Car,\2,Row,Col),\n", single_shot(NEW).read_text(encoding="utf-8")
    )
    assert count == 4, count
    file = place / "guarded.lp"
    file.write_text(text, encoding="utf-8")
    return file


def grounded(encoding: str, is_rewritten: bool = False) -> tuple[int, int, int]:
    """The same of an incremental encoding, all steps grounded in one call."""
    path = catalog.find_encoding(encoding, "rush_hour").path
    program = with_query(read_program([catalog.find_instance(BOARD), str(path)], {}))
    program = rewrite(program) if is_rewritten else program
    sections = []
    for section in program.sections:
        kept = (s for s in section.statements if s.ast_type != ASTType.ShowSignature)
        part = {START: "base", COPY: "check"}.get(section.part, section.part)
        sections.append(replace(section, part=part, statements=tuple(kept)))
    return measure_text(replace(program, sections=tuple(sections)), {}, LIMIT, "--mode=gringo")


def sizes(given: argparse.Namespace) -> None:
    """The report's table, and what makes programs smaller."""
    with folder() as place:
        middle = printed(guarded(Path(place)))
    versions = {name: printed(single_shot(name)) for name in (NEW, TUPLE)}
    rows: list[tables.Row] = [*size_rows("printed in the report", SIZES), None]
    rows += [*size_rows("as published", versions), None]
    overlapping = printed(single_shot(TUPLE), overlapping_board())
    rows += [size_row("version 2 on the report's board, with its facts", overlapping), None]
    rows += [size_row("version 1, effects that read executable", middle), None]
    rows += [*size_rows("multi-shot", {n: grounded(n) for n in (NEW, TUPLE)}), None]
    rows += [*size_rows("asplan rewrites", {n: grounded(n, True) for n in (NEW, TUPLE)}), None]
    own = {name: grounded(name) for name in ("origin", "block_tuple", "order")}
    rows += [size_row(name, found) for name, found in own.items()]
    columns = (f"{BOARD}, {LIMIT} steps", "lines", "words", "bytes", "words a line")
    tables.show(columns, rows, markdown=given.markdown)
    if given.plot:
        bars: dict[str, list[Sequence[float]]] = {
            "version 1": [SIZES[NEW][:1], versions[NEW][:1], middle[:1], own["origin"][:1]],
            "version 2": [SIZES[TUPLE][:1], versions[TUPLE][:1], [], own["block_tuple"][:1]],
        }
        groups = ["printed", "as published", "effects read\nexecutable", "asplan's own"]
        draw_bars(given.plot / "report_sizes.svg", groups, bars, "thousand lines", per=1000)


def size_rows(label: str, found: Mapping[str, Sequence[int]]) -> list[tables.Row]:
    """Two versions and their ratios."""
    ratios = [f"{b / a:.3f}" for a, b in zip(found[NEW], found[TUPLE], strict=True)]
    names = {NEW: "version 1", TUPLE: "version 2"}
    rows = [size_row(f"{label}: {names[n]}", size) for n, size in found.items()]
    return [*rows, [f"{label}: ratio", *ratios, ""]]


def size_row(label: str, size: Sequence[int]) -> list[str]:
    """One ground program."""
    return [label, *map(str, size), f"{size[1] / size[0]:.1f}"]


# Inertia


def inertia(given: argparse.Namespace) -> None:
    """The rule before and after, in the report, as published, and as asplan runs it."""
    pairs = {
        "as published": [Method(n, True, "minimize") for n in (OLD, NEW)],
        "multi-shot form": [
            Method(f"{NEW}:inertia={which}", mode="minimize")
            for which in ("anonymous", "directions")
        ],
        "asplan's own": [Method(n, mode="minimize") for n in ("origin_naive", "origin")],
    }
    methods = [method for pair in pairs.values() for method in pair]
    found = measure(given, [BOARD], methods, lambda board, method: LIMIT, 1 if given.quick else 3)
    lines: list[tables.Row] = []
    bars: dict[str, list[Sequence[float]]] = {label: [] for label in WHEN}
    for label, known in zip(WHEN, INERTIA.values(), strict=True):
        lines.append([f"report: {label}", *write_figures([known])])
        bars[label].append([known[1]])
    lines.append(["report: ratio", *ratios(*INERTIA.values())])
    for way, (old, new) in pairs.items():
        lines.append(None)
        both = [[r for r in found[BOARD, method] if r is not None] for method in (old, new)]
        for label, runs in zip(WHEN, both, strict=True):
            cells = write_figures(runs) if runs else [f"> {given.time_limit:.0f}"]
            lines.append([f"{way}: {label}", *cells, *[""] * (len(INERTIA[OLD]) - len(cells))])
            bars[label].append([run[1] for run in runs])
        if all(both):
            medians = [[median(column) for column in zip(*runs, strict=True)] for runs in both]
            cells = ratios(*medians)
            lines.append([f"{way}: ratio", *cells, *[""] * (len(INERTIA[OLD]) - len(cells))])
    heads = (
        f"{BOARD}, minimize, {LIMIT} steps",
        "seconds",
        "choices",
        "conflicts",
        "restarts",
        "first plan, s",
        "proof, s",
    )
    tables.show(heads, lines, markdown=given.markdown)
    if given.plot:
        groups = ["report", *pairs]
        draw_bars(given.plot / "report_inertia.svg", groups, bars, "thousand choices", per=1000)


def ratios(first: Figures, other: Figures) -> list[str]:
    """How many times as much the first takes."""
    return [f"{a / b:.2f}" for a, b in zip(first, other, strict=True)]


WHEN = ("before", "after")


def write_figures(runs: Sequence[Figures]) -> list[str]:
    """The cells of one program; counts are whole numbers."""
    columns = zip(*runs, strict=True)
    return [spread(column, 0 if n in (1, 2, 3) else 2) for n, column in enumerate(columns)]


def spread(values: Sequence[float], digits: int) -> str:
    """The median, with the least and the most of several."""
    low, high = min(values), max(values)
    if len(values) == 1:
        return f"{low:.{digits}f}"
    return f"{median(values):.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


# Ten boards


def boards(given: argparse.Namespace) -> None:
    """Both versions with the limit at the optimum, and asplan's own encodings."""
    some = (
        [b for b in BOARDS if b in ("sample01", "sample02", "sample05")] if given.quick else BOARDS
    )
    methods = {
        "version 1": Method(NEW, True, "fixed"),
        "version 2": Method(TUPLE, True, "fixed"),
        "origin": Method("origin", mode="fixed"),
        "order": Method("order", mode="fixed"),
    }
    found = measure(given, some, list(methods.values()), limit_of, 1)
    rows: list[tables.Row] = []
    for board in some:
        runs = {name: found[board, method][0] for name, method in methods.items()}
        one, two = runs["version 1"], runs["version 2"]
        ratio = f"{one[0] / two[0]:.1f}" if one and two and two[0] > 0.05 else ""
        cells = [shown(runs[name], given) for name in methods]
        rows.append([board, str(optimum(board)), *cells[:2], ratio, *cells[2:]])
    columns = ("board", "l", "version 1", "version 2", "1 to 2", *OWN)
    tables.show(columns, rows, markdown=given.markdown)
    if given.plot:
        bars = {n: [height(found[b, m][0], given) for b in some] for n, m in methods.items()}
        late = {n: [found[b, m][0] is None for b in some] for n, m in methods.items()}
        draw_bars(given.plot / "report_boards.svg", some, bars, "seconds", late)
        show_boards(given.plot / "report_ten_boards.png")


OWN = ("origin", "order")


def show_boards(file: Path) -> None:
    """The ten boards side by side, each drawn by the rules of the domain, with its optimum."""
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    figure = Figure(figsize=(11, 5), layout="constrained")
    with folder() as place:
        for axes, board in zip(figure.subplots(2, 5).flat, BOARDS, strict=True):
            picture = Path(place, f"{board}.png")
            asplan.render(asplan.solve(board), picture, size=320, caption=False)
            axes.imshow(imread(picture))
            axes.set_title(f"{board}: {optimum(board)} steps", fontsize=10)
            axes.set_axis_off()
    figure.savefig(file, dpi=110)


# Ways to run


def ways(given: argparse.Namespace) -> None:
    """Version 1 with a given limit, with minimize and multi-shot."""
    some = BOARDS[:2] if given.quick else BOARDS[:5]
    methods = {
        "optimum given": Method(NEW, True, "fixed"),
        "minimize": Method(NEW, True, "minimize"),
        "multi-shot": Method(NEW, options=(("no_rewrite", True), ("clingo", ("--sat-prepro=no",)))),
        "multi-shot, asplan": Method(NEW),
        "origin": Method("origin"),
        "order": Method("order"),
    }

    found = measure(given, some, list(methods.values()), limit_of, 1)
    rows: list[tables.Row] = []
    for board in some:
        cells = [shown(found[board, method][0], given) for method in methods.values()]
        rows.append([board, str(optimum(board)), *cells])
    columns = ("board", "optimum", *methods)
    tables.show(columns, rows, markdown=given.markdown)
    if given.plot:
        bars = {n: [height(found[b, m][0], given) for b in some] for n, m in methods.items()}
        late = {n: [found[b, m][0] is None for b in some] for n, m in methods.items()}
        draw_bars(given.plot / "report_ways.svg", some, bars, "seconds", late)


# What the studies share


def limit_of(board: str, method: Method) -> int:
    """The optimum where a plan of a given length is asked for, else the report's limit, or more."""
    return optimum(board) if method.mode == "fixed" else max(LIMIT, optimum(board))


def measure(
    given: argparse.Namespace,
    some: Iterable[str],
    methods: Sequence[Method],
    limit: Callable[[str, Method], int],
    runs: int,
) -> dict[tuple[str, Method], list[Figures | None]]:
    """The runs of each method on each board; they take turns. None where one reached the limit.

    The first run has the facts as they are written, each other one in an order of its own.
    """
    found: dict[tuple[str, Method], list[Figures | None]] = {}
    with folder() as place:
        for seed in range(runs):
            for board in some:
                for method in methods:
                    files = method.files(catalog.find_instance(board))
                    if seed:
                        case = Case(f"{board}_{method.encoding}", *files)
                        files = case.shuffled(seed, Path(place))
                    best = None if method.mode == "fixed" else optimum(board)
                    done = run(
                        partial(method.call, files, limit(board, method), best), given.time_limit
                    )
                    figures = done.answer and (done.seconds, *done.answer[1:])
                    tables.progress(board, method.encoding, method.mode, figures)
                    found.setdefault((board, method), []).append(figures)
    return found


def shown(figures: Figures | None, given: argparse.Namespace) -> str:
    """The seconds of a run in a table."""
    return f"> {given.time_limit:.0f}" if figures is None else f"{figures[0]:.2f}"


def height(figures: Figures | None, given: argparse.Namespace) -> Figures:
    """The height of its bar."""
    return [given.time_limit if figures is None else figures[0]]


STUDIES = {"sizes": sizes, "inertia": inertia, "boards": boards, "ways": ways}


def main() -> None:
    """Run the studies that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=", ".join(STUDIES))
    parser.add_argument("--quick", action="store_true", help="fewer boards and runs")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for a run (60)")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="draw the studies into it")
    tables.add_option(parser)
    given = parser.parse_args()
    if strange := set(given.studies) - set(STUDIES):
        parser.error(f"no study {', '.join(sorted(strange))}; there are {', '.join(STUDIES)}")
    for study in given.studies or STUDIES:
        STUDIES[study](given)


if __name__ == "__main__":
    main()
