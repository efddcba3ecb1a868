"""`asplan bench compare`: results of the same suite before and after a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import click
from msgspec import to_builtins

from asplan.bench.records import Record, Results, read_results
from asplan.bench.reports.contents import ratio
from asplan.bench.reports.differences import FACTOR, Change, Difference, Differences, differences
from asplan.bench.reports.values import MEASURES
from asplan.bench.running import SuiteProgress, on_this_machine, run_suite
from asplan.bench.suite import Trust
from asplan.cli.parameters import Output, debug_option, includes_option
from asplan.cli.tables import make_console, print_table
from asplan.cli.work import Doing, Line, in_worker, limit_options, print_json, warn
from asplan.limits import Limits
from asplan.problem.catalog import find_suite
from asplan.text import plain, shortened

_EPILOG = """
\b
Examples:
  asplan bench compare before after
  asplan bench compare before after --by conflicts --factor 2
  asplan bench compare before after --json > changes.json

\b
Exit status: 0 nothing became wrong; 1 something did, or fails that did not, or a limit was
reached; 2 bad usage, or the results are not of the same suite; 130 interrupted.
"""

_STYLES = {
    Change.WRONG: "bold red",
    Change.FAILED: "red",
    Change.UNSOLVED: "yellow",
    Change.SLOWER: "yellow",
    Change.FASTER: "green",
    Change.SOLVED: "green",
}


@click.command("compare", epilog=_EPILOG)
@click.argument("old", metavar="OLD", type=click.Path())
@click.argument("new", metavar="NEW", type=click.Path())
@click.option(
    "--by", type=click.Choice(list(MEASURES)), default="cpu", show_default=True, help="The measure."
)
@click.option(
    "--factor",
    type=click.FloatRange(1),
    default=FACTOR,
    show_default=True,
    help="The least change of an instance that is told.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@limit_options
@debug_option
@click.pass_context
def compare_command(
    ctx: click.Context,
    /,
    old: str,
    new: str,
    by: str,
    factor: float,
    as_json: bool,
    time_limit: float | None,
    memory_limit: int | None,
) -> None:
    """Tell what became faster, slower, newly solved or wrong from OLD to NEW results.

    Both are folders that asplan bench run has written for the same suite, for example before and
    after a change to an encoding. A change of times is told where it is beyond noise: by the
    factor, by more than 0.05 s, and with repetitions only where their ranges do not touch.
    """
    work = partial(_compare, old, new, by, factor, as_json)
    ctx.exit(in_worker(work, Limits(time_limit, memory_limit)))


def _compare(old: str, new: str, by: str, factor: float, as_json: bool, doing: Doing) -> int:
    doing(f"reading {old} and {new}")
    before, after = read_results(old), read_results(new)
    doing("comparing the results")
    found = differences(before, after, by, factor)
    if as_json:
        print_json(_as_json(found))
    else:
        _print(found)
    return int(found.is_worse)


def _as_json(found: Differences) -> dict[str, Any]:
    return {
        "by": found.by,
        "worse": found.is_worse,
        "counts": {str(change): number for change, number in found.counts().items()},
        "ratios": to_builtins(found.ratios),
        "differences": to_builtins(found.differences),
        "notes": list(found.notes),
    }


def _print(found: Differences) -> None:
    console = make_console()
    for note in found.notes:
        console.print(plain(note, style="dim"), soft_wrap=True)
    for change, style in _STYLES.items():
        own = [d for d in found.differences if d.change is change]
        if own:
            console.print(plain(f"{change}: {len(own)}", style=style))
            for line in _lines(found, own):
                console.print(plain(f"  {line}"), soft_wrap=True)
    if not found.differences:
        console.print(plain("no instance changed beyond noise"))
    console.print()
    rows = [(method, *ratio(own)) for method, own in found.ratios.items()]
    title = f"{MEASURES[found.by].label}, new divided by old"
    print_table(title, ["method", "ratio", "95 % interval"], rows)


def _lines(found: Differences, own: Sequence[Difference]) -> Iterator[str]:
    measure = MEASURES[found.by]
    for one in own:
        values = [
            f"{name} {measure.shown(value)} {measure.unit}".rstrip()
            for name, value in (("old", one.old), ("new", one.new))
            if value is not None
        ]
        if one.old and one.new:
            values.append(f"x {one.new / one.old:.2f}")
        said = [", ".join(values), one.text]
        yield f"{one.instance}, {one.method}: {'; '.join(filter(None, said))}"


# `asplan bench report`: what a folder of results says, as a page, Markdown, rows and charts.


_EPILOG_REPORT = """
\b
Examples:
  asplan bench report results
  asplan bench report results --baseline origin
  asplan bench report results --by memory --pair frontier sat

\b
Exit status: 0 done, also where methods disagree; 1 a limit was reached, 2 bad usage or bad
input, 130 interrupted.
"""


@click.command("report", epilog=_EPILOG_REPORT)
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option("--baseline", metavar="METHOD", help="What ratios are given to; else the first.")
@click.option(
    "--by", type=click.Choice(list(MEASURES)), default="cpu", show_default=True, help="The measure."
)
@click.option(
    "--pair",
    "pairs",
    metavar="A B",
    type=(str, str),
    multiple=True,
    help="Two methods for a scatter plot, beside those with the baseline; may be given several "
    "times.",
)
@limit_options
@debug_option
@click.pass_context
def report_command(
    ctx: click.Context,
    /,
    folder: str,
    baseline: str | None,
    by: str,
    pairs: tuple[tuple[str, str], ...],
    time_limit: float | None,
    memory_limit: int | None,
) -> None:
    """Write report.html, report.md, runs.csv and charts into a folder of results.

    DIR is the folder that asplan bench run has written. The page holds all that it shows, and
    begins with what methods disagree about. The charts are in DIR/charts, as PNG and SVG.
    """
    work = partial(_report, folder, baseline, by, pairs)
    ctx.exit(in_worker(work, Limits(time_limit, memory_limit)))


def _report(
    folder: str,
    baseline: str | None,
    by: str,
    pairs: tuple[tuple[str, str], ...],
    doing: Doing,
) -> int:
    from asplan.bench.reports.report import report

    done = report(folder, baseline, by, pairs, doing)
    for warning in done.warnings:
        warn(warning)
    for path in done.files:
        click.echo(path)
    return 0


# `asplan bench run`: run the trials of a suite.


_EPILOG_RUN = """
\b
Examples:
  asplan bench run quick -o results              the suite that ships, in a minute or two
  asplan bench run mine.toml --jobs 4            into the folder mine-results
  asplan bench run mine.toml --resume            go on after Ctrl-C or a crash
  asplan bench run mine.toml --scheduler tcp://head:8786
  asplan bench report mine-results

\b
Exit status: 0 all trials have ended (an error of one is in its row), 2 bad usage or bad input,
130 interrupted; --resume goes on.
"""


@click.command("run", epilog=_EPILOG_RUN)
@click.argument("suite", metavar="SUITE", type=click.Path())
@click.option("-o", "--output", metavar="DIR", type=Output(), help="Where the results go.")
@click.option("--jobs", type=click.IntRange(1, 1024), default=1, help="Trials at a time.")
@click.option("--resume", is_flag=True, help="Go on with the results that are there.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the workers of a Dask scheduler.")
@click.option("--allow-scripts", is_flag=True, help="Run Python code in the programs.")
@includes_option
@debug_option
@click.pass_context
def run_command(
    ctx: click.Context,
    suite: str,
    output: str | None,
    jobs: int,
    resume: bool,
    scheduler: str | None,
    allow_scripts: bool,
    allow_includes: bool,
) -> None:
    """Run each method of a suite on each of its instances, in processes of their own.

    SUITE is a TOML file, or the name of one that ships with asplan; docs/benchmarks.md says what
    stands in it. Each result is written down as soon as it is there.
    """
    path = find_suite(suite)
    folder = output or f"{Path(path).stem}-results"
    trust = Trust(allow_scripts, allow_includes)
    place = on_this_machine(jobs)
    if scheduler is not None:
        from asplan.bench.cluster import on_cluster

        place = on_cluster(scheduler)
    try:
        with _Trials(jobs) as line:
            results = run_suite(path, folder, place, resume, trust, line)
    except KeyboardInterrupt:
        click.echo(f"asplan: interrupted; --resume goes on with what is in {folder}", err=True)
        ctx.exit(130)
    _run_print(results, folder)


class _Trials(Line):
    """Says how far the trials are, and how long they may still take."""

    def __init__(self, jobs: int) -> None:
        super().__init__()
        self._jobs = jobs
        self._first: SuiteProgress | None = None

    def __call__(self, progress: SuiteProgress) -> None:
        """Show how far a suite has come."""
        self._first = self._first or progress
        last = progress.last
        what = (
            "" if last is None else f"{shortened(last.instance, 40)} {shortened(last.method, 30)}"
        )
        self.show(f"{progress.done} of {progress.of} trials", what, self._left(progress))

    def _left(self, progress: SuiteProgress) -> str:
        assert self._first is not None
        ended = progress.done - self._first.done
        if not ended:
            return ""
        seconds = self.seconds / ended * (progress.of - progress.done)
        return f"about {_spoken(seconds)} left"


def _spoken(seconds: float) -> str:
    """A time in words.

    >>> [_spoken(s) for s in (8, 200, 9000)]
    ['8 s', '3 min', '2.5 h']
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _run_print(results: Results, folder: str) -> None:
    """A line for each method, and where the results are."""
    rows = []
    for method in results.start.methods:
        own = [record for record in results.records if record.method == method]
        rows.append([method, *_cells(own)])
    heads = ["method", "trials", "solved", "proven", "stopped", "errors", "median s", "sum s"]
    print_table(f"{results.start.name}: CPU seconds", heads, rows)
    for error in dict.fromkeys(r.error for r in results.records if r.error):
        click.echo(f"error: {shortened(error, 300)}", err=True)
    click.echo(f"results are in {folder}; asplan bench report {folder} makes a page of them")


def _cells(records: list[Record]) -> list[str]:
    seconds = [record.wall if record.cpu is None else record.cpu for record in records]
    counts = [
        len(records),
        sum(record.solved for record in records),
        sum(record.proven for record in records),
        sum(record.stopped is not None for record in records),
        sum(bool(record.error) for record in records),
    ]
    return [
        *map(str, counts),
        f"{median(seconds):.3f}" if seconds else "",
        f"{sum(seconds):.1f}",
    ]


# `asplan bench`: methods beside each other on many instances.


class _InOrder(click.Group):
    """A group whose help names commands in the order of their work."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in order."""
        return list(self.commands)


@click.group("bench", cls=_InOrder)
def bench() -> None:
    """Run methods on many instances, and compare what comes of it."""


for _command in (run_command, report_command, compare_command):
    bench.add_command(_command)
