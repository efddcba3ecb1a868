"""`asplan compare`: the cost of encodings on the same instances."""

import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from asplan.api.measuring import compare
from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Value,
    input_option,
    megabytes_option,
    option,
    output_option,
    seconds_option,
    shared_options,
)
from asplan.cli.output import ProgressLine, note, print_json
from asplan.cli.parameters import Output, WholeNumber
from asplan.cli.tables import make_console, print_table
from asplan.core.errors import LONGEST, UsageError
from asplan.core.files import atomic_file, check_writable
from asplan.core.limits import Stop
from asplan.core.text import plain_text, shortened
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, Row, column_names, geometric_ratios


@click.command("compare", cls=Command, section="What to measure")
@click.argument("instances", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@input_option(
    *("-e", "--encoding", "encodings"),
    type=ENCODING,
    multiple=True,
    help="Measure this encoding, or NAME:CONST=VALUE; by default all of the domain.",
)
@option("--horizon", type=WholeNumber(0), required=True, help="Ground this many steps.")
@option("--solve", is_flag=True, help="Solve as well, with at most this many steps.")
@shared_options("constants", "horizon constant", "fresh", "scripts", "includes")
@seconds_option(help="Stop the work on a row after this many seconds.")
@megabytes_option(help="Stop it when it uses this many megabytes.")
@output_option("--plot", type=Output(), metavar="F.png", help="Draw size and time into this file.")
@output_option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@shared_options("json", "debug")
def command(
    instances: tuple[str, ...], plot: str | None, as_csv: bool, as_json: bool, **given: Value
) -> int:
    """Measure the size of encodings, and their time and memory.

    Lines, words and bytes are those of the output of clingo --text, with base, all steps and all
    checks up to the horizon grounded in one call.

    Examples:
      asplan compare sample02 --horizon 40         all encodings of the domain
      asplan compare sample01 sample02 -e origin -e my.lp --horizon 40 --solve
      asplan compare domain.pddl problem.pddl -e exists -e forall --horizon 10
      asplan compare sample02 --horizon 40 --plot sizes.png
    """
    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other")
    if plot is not None:
        if Path(plot).suffix.lower() != ".png":
            raise UsageError(f"{plot}: charts are written as .png")
        check_writable(Path(plot))

    def show(row: Row) -> None:
        line.show(row.instance, row.encoding, row.reason)

    with ProgressLine() as line:
        rows = compare(*instances, progress=show, **given)
    status = _status(rows)
    if status == 2:
        _print_errors(rows)
        return status
    if as_json:
        print_json({"rows": _cells(rows, given["solve"])})
    elif as_csv:
        names = column_names(given["solve"])
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_cells(rows, given["solve"]))
    else:
        print_comparison(rows, given["solve"])
    if plot is not None:
        _write_plot(rows, Path(plot))
    return status


def _status(rows: Sequence[Row]) -> int:
    """Return the exit status: 130 if interrupted, 2 if all rows have bad input, 1 if some fail."""
    if any(row.stopped == Stop.INTERRUPT for row in rows):
        return 130
    if all(row.reason and row.stopped is None for row in rows):
        return 2
    return int(any(row.reason for row in rows))


def _print_errors(rows: Sequence[Row]) -> None:
    for row in rows:
        method = shortened(", ".join(filter(None, [row.instance, row.encoding])), 100)
        note(f"{method}: {shortened(row.reason, LONGEST - 110)}")


def _cells(rows: Sequence[Row], solve: bool) -> list[dict[str, Value]]:
    names = column_names(solve)
    return [{name: asdict(row)[name] for name in names} for row in rows]


def _write_plot(rows: Sequence[Row], plot: Path) -> None:
    if all(row.lines is None for row in rows):
        note(f"nothing was measured, so {plot} is not written")
        return
    from asplan.measuring.chart import comparison_chart

    with atomic_file(plot) as file:
        comparison_chart(rows).savefig(file, format="png", dpi=120)


def print_comparison(rows: Sequence[Row], solve: bool) -> None:
    """Print a table for each instance, the ratios between encodings, and remarks on single rows."""
    for instance in dict.fromkeys(row.instance for row in rows):
        own = [row for row in rows if row.instance == instance]
        title = f"{instance}, horizon {own[0].horizon}"
        _print_measures(own, title, [*SIZES, *COSTS])
        if solve:
            _print_measures(own, f"{title}: solving", SOLVING)
    _print_ratios(rows)
    console = make_console()
    for row in rows:
        if row.remark:
            console.print(plain_text(f"{row.instance}, {row.encoding}: {row.remark}", style="dim"))
        if row.reason:
            encoding = row.encoding or "no encoding"
            label = plain_text(f"{row.instance}, {encoding}: ", style="bold red")
            console.print(label + plain_text(row.reason), soft_wrap=True)


def _print_measures(
    rows: Sequence[Row],
    title: str,
    names: Sequence[str],
) -> None:
    lines = []
    for row in rows:
        lines.append([row.encoding, *(_cell(getattr(row, name)) for name in names)])
    print_table(title, ["encoding", *names], lines)


def _print_ratios(rows: Sequence[Row]) -> None:
    """Print a table of the ratios of each encoding's measures to the first encoding's."""
    measures = [*SIZES, *COSTS]
    lines = []
    for name, ratios in geometric_ratios(rows).items():
        if ratios:
            cells = (f"{ratios[m]:.2f}" if m in ratios else "" for m in measures)
            lines.append([name, *cells])
    if lines:
        has_several = len({row.instance for row in rows}) > 1
        title = f"ratio to {rows[0].encoding}" + (", geometric mean" if has_several else "")
        print_table(title, ["encoding", *measures], lines)


def _cell(value: Value) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
