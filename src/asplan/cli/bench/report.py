"""`asplan bench report`: what a folder of results says, as a page, Markdown, rows and charts."""

from __future__ import annotations

from functools import partial

import click

from asplan.bench.reports.values import MEASURES
from asplan.cli.parameters import debug_option
from asplan.cli.streams import warn
from asplan.cli.work import Doing, in_worker, limit_options
from asplan.limits import Limits

_EPILOG = """
\b
Examples:
  asplan bench report results
  asplan bench report results --baseline origin
  asplan bench report results --by memory --pair frontier sat

\b
Exit status: 0 done, also where methods disagree; 1 a limit was reached, 2 bad usage or bad
input, 130 interrupted.
"""


@click.command("report", epilog=_EPILOG)
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
def command(
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
