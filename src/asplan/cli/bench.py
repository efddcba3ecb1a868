"""`asplan bench`: the comparison of methods on many instances."""

from functools import partial
from pathlib import Path
from statistics import median

import click
from msgspec import to_builtins

from asplan.bench.records import Results, read_results
from asplan.bench.reports.contents import ratio_cells
from asplan.bench.reports.differences import (
    FACTOR,
    Difference,
    Differences,
    Trend,
    compare_results,
)
from asplan.bench.reports.statistics import Ratio
from asplan.bench.reports.values import MEASURES, Measure
from asplan.bench.running import Executor, SuiteProgress, on_this_machine, run_suite
from asplan.bench.suite import Trust
from asplan.catalog import find_suite
from asplan.cli.options import (
    Command,
    option,
    shared_options,
)
from asplan.cli.output import ProgressLine, in_worker, note, print_json, warn
from asplan.cli.parameters import Number, OneOf, Output, WholeNumber
from asplan.cli.tables import (
    TableForm,
    form_options,
    make_console,
    print_note,
    print_table,
    print_values,
)
from asplan.core.budget import Reporter
from asplan.core.errors import UsageError
from asplan.core.text import shortened

by_option = option(
    "--by", type=OneOf(list(MEASURES)), default="cpu", help="Compare by this measure."
)


class _InOrder(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands in the order in which they are used."""
        return list(self.commands)


@click.group("bench", cls=_InOrder)
def bench() -> None:
    """Run methods on many instances, and compare their results."""


@bench.command("run", cls=Command)
@click.argument("suite", metavar="SUITE", type=click.Path())
@option("-o", "--output", metavar="DIR", type=Output(), help="Write the results into this folder.")
@option("--jobs", type=WholeNumber(1, 1024), default=1, help="Run this many trials at a time.")
@option("--resume", is_flag=True, help="Continue with the results in the folder.")
@option("--scheduler", metavar="ADDRESS", help="Run on the workers of a Dask scheduler.")
@option(
    "--runner",
    type=OneOf(["asplan", "benchexec"]),
    default="asplan",
    help="Measure trials by this program; benchexec uses control groups.",
)
@form_options
@shared_options("scripts", "includes", "debug")
def run_command(  # noqa: PLR0913  # a parameter for each option
    suite: str,
    output: str | None,
    jobs: int,
    resume: bool,
    scheduler: str | None,
    runner: str,
    form: TableForm,
    allow_scripts: bool,
    allow_includes: bool,
) -> int:
    """Run each method of a suite on each of its instances.

    SUITE is a TOML file, or the name of a shipped suite; docs/benchmarks.md describes suites. Each
    trial has its own process, and each result is written at once.

    Examples:
      asplan bench run quick -o results       the shipped suite
      asplan bench run mine.toml --jobs 4     into the folder mine-results
      asplan bench run mine.toml --resume     continue after Ctrl-C or a crash
    """
    path = find_suite(suite)
    folder = output or f"{Path(path).stem}-results"
    trust = Trust(allow_scripts, allow_includes)
    executor = _choose_executor(runner, jobs, scheduler)
    try:
        with _Trials() as line:
            results = run_suite(path, folder, executor, resume, trust, line.show_trials, runner)
    except KeyboardInterrupt:
        click.echo(f"asplan: interrupted; --resume continues with {folder}", err=True)
        return 130
    _print_summary(results, form)
    for error in dict.fromkeys(record.error for record in results.records if record.error):
        click.echo(f"error: {shortened(error, 300)}", err=True)
    end = f"results are in {folder}; asplan bench report {folder} makes a page of them"
    click.echo(end, err=form is not TableForm.TEXT)
    return 0


def _choose_executor(runner: str, jobs: int, scheduler: str | None) -> Executor:
    """Return the executor of the trials: this machine, BenchExec, or the workers of a scheduler."""
    if scheduler is not None:
        if runner != "asplan":
            raise UsageError(f"pass --runner {runner} or --scheduler, not both")
        from asplan.bench.cluster import on_cluster

        return on_cluster(scheduler)
    if runner == "benchexec":
        from asplan.bench.benchexec import with_benchexec

        return with_benchexec(jobs)
    return partial(on_this_machine, jobs)


def _print_summary(results: Results, form: TableForm) -> None:
    """Print a table of methods: the numbers of their trials by outcome, and their CPU seconds."""
    heads = ["method", "trials", "solved", "proven", "stopped", "errors", "median s", "sum s"]
    rows = []
    for method in results.start.methods:
        own = [record for record in results.records if record.method == method]
        seconds = [record.wall if record.cpu is None else record.cpu for record in own]
        counts = [
            len(own),
            sum(record.solved for record in own),
            sum(record.proven for record in own),
            sum(record.stopped is not None for record in own),
            sum(bool(record.error) for record in own),
        ]
        middle = f"{median(seconds):.3f}" if seconds else ""
        rows.append([method, *map(str, counts), middle, f"{sum(seconds):.1f}"])
    print_table(f"{results.start.name}: CPU seconds", heads, rows, form)


class _Trials(ProgressLine):
    """A status line with the number of finished trials and the estimated remaining time."""

    _done_before: int | None = None

    def show_trials(self, progress: SuiteProgress) -> None:
        """Show the progress of a suite in the status line."""
        if self._done_before is None:
            self._done_before = progress.done
        last = progress.last
        trial = f"{shortened(last.instance, 40)} {shortened(last.method, 30)}" if last else ""
        ended = progress.done - self._done_before
        left = ""
        if ended:
            seconds = self.seconds / ended * (progress.total - progress.done)
            left = f"about {_rounded_time(seconds)} left"
        self.show(f"{progress.done} of {progress.total} trials", trial, left)


def _rounded_time(seconds: float) -> str:
    """Return a time in seconds as rounded text with a unit.

    >>> [_rounded_time(s) for s in (8, 200, 9000)]
    ['8 s', '3 min', '2.5 h']
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


@bench.command("report", cls=Command)
@click.argument("folder", metavar="DIR", type=click.Path())
@option(
    "--baseline",
    metavar="METHOD",
    help="Use this method as the baseline; by default the first one.",
)
@by_option
@option(
    "--pair",
    "pairs",
    metavar="A B",
    type=(str, str),
    multiple=True,
    help="Draw a scatter plot of these two methods, too; may be given several times.",
)
@shared_options("limits", "debug")
@in_worker()
def report_command(
    report: Reporter[str],
    folder: str,
    baseline: str | None,
    by: str,
    pairs: tuple[tuple[str, str], ...],
) -> int:
    """Write a report with charts and tables into a folder of results.

    DIR is the folder of asplan bench run. It gets report.html, report.md, runs.csv, and the charts
    in DIR/charts as PNG and SVG. The page needs no other file, and begins with disagreements of
    methods.

    Examples:
      asplan bench report results
      asplan bench report results --by memory --pair frontier sat
    """
    from asplan.bench.reports.report import write_report

    done = write_report(folder, baseline, by, pairs, report)
    for warning in done.warnings:
        warn(warning)
    for path in done.files:
        click.echo(path)
    return 0


@bench.command("export", cls=Command)
@click.argument("suite", metavar="SUITE", type=click.Path())
@option("-o", "--output", metavar="DIR", type=Output(), help="Write into this empty folder.")
@shared_options("scripts", "includes", "debug")
def export_command(
    suite: str, output: str | None, allow_scripts: bool, allow_includes: bool
) -> int:
    """Write a suite as a runscript for Potassco's benchmark-tool.

    The folder has the runscript, the template of a run, a result parser, and copies of all
    instances and encodings. benchmark-tool needs runlim as DIR/programs/runlim.

    Examples:
      asplan bench export mine.toml -o runs       then, in the folder runs:
      btool gen runscript.xml                     a script for each trial
      btool eval runscript.xml > results.xml      after the scripts have run
    """
    from asplan.bench.benchmark_tool.export import export_suite

    path = find_suite(suite)
    folder = output or f"{Path(path).stem}-benchmark-tool"
    done = export_suite(path, folder, Trust(allow_scripts, allow_includes))
    for remark in done.notes:
        note(remark)
    click.echo(done.runscript)
    return 0


_STYLES = {
    Trend.WRONG: "bold red",
    Trend.FAILED: "red",
    Trend.UNSOLVED: "yellow",
    Trend.SLOWER: "yellow",
    Trend.FASTER: "green",
    Trend.SOLVED: "green",
}


@bench.command("compare", cls=Command)
@click.argument("old", metavar="OLD", type=click.Path())
@click.argument("new", metavar="NEW", type=click.Path())
@by_option
@option(
    "--factor",
    type=Number(1),
    default=FACTOR,
    help="Report changes of an instance by at least this factor.",
)
@form_options
@shared_options("json", "limits", "debug")
@in_worker()
def compare_command(
    report: Reporter[str],
    old: str,
    new: str,
    by: str,
    factor: float,
    form: TableForm,
    as_json: bool,
) -> int:
    """Report instances that became faster, slower, newly solved or wrong.

    OLD and NEW are folders of asplan bench run for the same suite, for example before and after a
    change to an encoding. A change of times is reported if it is beyond noise: by the factor, by
    more than 0.05 s, and with repetitions only if their ranges do not overlap.

    Examples:
      asplan bench compare before after
      asplan bench compare before after --by conflicts --factor 2

    The exit status is 1 if a result became wrong, or if a trial newly fails.
    """
    report(f"reading {old} and {new}")
    before = read_results(old)
    after = read_results(new)
    report("comparing the results")
    found = compare_results(before, after, by, factor)
    if as_json:
        counts = {str(change): number for change, number in found.counts().items()}
        rest = {"ratios": found.ratios, "differences": found.differences, "notes": found.notes}
        about = {"by": found.by, "worse": found.is_worse, "counts": counts}
        print_json(about | to_builtins(rest))
    else:
        _print_differences(found, form)
    return int(found.is_worse)


def _print_differences(found: Differences, form: TableForm) -> None:
    """Print the changed instances by kind of change, and each method's ratio of new to old.

    As CSV, print one table: the changes, and a row for the mean ratio of each method.
    """
    for remark in found.notes:
        print_note(remark, form, "dim")
    measure = MEASURES[found.by]
    if form is TableForm.CSV:
        _print_difference_values(found, measure)
        return
    if form is TableForm.TEXT:
        _print_changes(found, measure)
    elif found.differences:
        heads = ["change", "instance", "method", "old", "new", "remark"]
        rows = [_difference_cells(one, measure) for one in found.differences]
        print_table("changes", heads, rows, form)
    rows = [[method, *ratio_cells(own), _judge(own)] for method, own in found.ratios.items()]
    title = f"{measure.label}, new divided by old"
    print_table(title, ["method", "ratio", "95 % interval", "difference"], rows, form)


def _print_difference_values(found: Differences, measure: Measure) -> None:
    """Print the changes and the mean ratios of the methods as comma-separated values."""
    heads = ["change", "instance", "method", "old", "new", "ratio", "95 % interval", "remark"]
    rows = []
    for one in found.differences:
        *cells, remark = _difference_cells(one, measure)
        ratio = f"{one.new / one.old:.2f}" if one.old and one.new else ""
        rows.append([*cells, ratio, "", remark])
    for method, own in found.ratios.items():
        rows.append(["all instances", "", method, "", "", *ratio_cells(own), _judge(own)])
    print_values(heads, rows)


def _judge(ratio: Ratio | None) -> str:
    """Return whether a ratio differs from 1 by more than noise, in words."""
    if ratio is None:
        return ""
    if ratio.is_within_noise:
        return "within noise"
    return "less" if ratio.mean < 1 else "more"


def _print_changes(found: Differences, measure: Measure) -> None:
    """Print the changed instances as lines, by kind of change."""
    for change, style in _STYLES.items():
        own = [d for d in found.differences if d.change is change]
        if own:
            print_note(f"{change}: {len(own)}", TableForm.TEXT, style)
        for one in own:
            print_note(_difference_line(one, measure), TableForm.TEXT)
    if not found.differences:
        print_note("no instance changed by more than noise", TableForm.TEXT)
    make_console().print()


def _difference_cells(one: Difference, measure: Measure) -> list[str]:
    """Return the cells of a change in a table."""
    values = ["" if value is None else measure.format(value) for value in (one.old, one.new)]
    return [str(one.change), one.instance, one.method, *values, one.text]


def _difference_line(one: Difference, measure: Measure) -> str:
    """Return a line about how a method's result on an instance changed."""
    values = []
    for name, value in (("old", one.old), ("new", one.new)):
        if value is not None:
            values.append(f"{name} {measure.format(value)} {measure.unit}".rstrip())
    if one.old and one.new:
        values.append(f"x {one.new / one.old:.2f}")
    parts = filter(None, [", ".join(values), one.text])
    return f"  {one.instance}, {one.method}: {'; '.join(parts)}"
