"""`asplan bench run`: run the trials of a suite."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import click

from asplan.bench.local import on_this_machine
from asplan.bench.records import Record, Results
from asplan.bench.running import Progress, run_suite
from asplan.bench.suite import Trust
from asplan.catalog import find_suite
from asplan.cli.parameters import debug_option, includes_option
from asplan.cli.progress import Line
from asplan.cli.tables import print_table
from asplan.text import shortened

_EPILOG = """
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


@click.command("run", epilog=_EPILOG)
@click.argument("suite", metavar="SUITE", type=click.Path())
@click.option("-o", "--output", metavar="DIR", type=click.Path(), help="Where the results go.")
@click.option("--jobs", type=click.IntRange(1, 1024), default=1, help="Trials at a time.")
@click.option("--resume", is_flag=True, help="Go on with the results that are there.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the workers of a Dask scheduler.")
@click.option("--allow-scripts", is_flag=True, help="Run Python code in the programs.")
@includes_option
@debug_option
@click.pass_context
def command(
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
    _print(results, folder)


class _Trials(Line):
    """Says how far the trials are, and how long they may still take."""

    def __init__(self, jobs: int) -> None:
        super().__init__()
        self._jobs = jobs
        self._first: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        """Show how far a suite has come."""
        self._first = self._first or progress
        last = progress.last
        what = (
            "" if last is None else f"{shortened(last.instance, 40)} {shortened(last.method, 30)}"
        )
        self.show(f"{progress.done} of {progress.of} trials", what, self._left(progress))

    def _left(self, progress: Progress) -> str:
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


def _print(results: Results, folder: str) -> None:
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
