"""`asplan compare`: what encodings cost on the same instances."""

import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from asplan.api.measuring import compare
from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Output,
    input_option,
    megabytes_option,
    option,
    output_option,
    seconds_option,
    shared_options,
)
from asplan.cli.output import Line, print_json
from asplan.cli.tables import make_console, print_table
from asplan.core.errors import LONGEST, UsageError
from asplan.core.files import atomic_file, check_writable
from asplan.core.limits import Stop
from asplan.core.text import plain_text, printable, shortened
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, Row, column_names, geometric_ratios


@click.command("compare", cls=Command, section="What to measure")
@click.argument("instances", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@input_option(
    *("-e", "--encoding", "encodings"),
    type=ENCODING,
    multiple=True,
    help="Measure this encoding, or NAME:CONST=VALUE; else all of the domain.",
)
@option("--horizon", type=click.IntRange(0), required=True, help="Ground this many steps.")
@option("--solve", is_flag=True, help="Plan as well, with at most so many steps.")
@shared_options("constants", "horizon constant", "fresh", "scripts", "includes")
@seconds_option(help="Stop the work on a row after this many seconds.")
@megabytes_option(help="Stop it when this many megabytes are in use.")
@output_option("--plot", type=Output(), metavar="F.png", help="Draw size and time into this file.")
@output_option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@shared_options("json", "debug")
def command(
    instances: tuple[str, ...], plot: str | None, as_csv: bool, as_json: bool, **given: Any
) -> int:
    """Measure how large encodings become, and what they take.

    Lines, words and bytes are those of what clingo prints with --text when base, all steps and
    all checks up to the horizon are grounded in one call.

    Examples:
      asplan compare sample02 --horizon 40         all encodings of the domain
      asplan compare sample01 sample02 -e origin -e my.lp --horizon 40 --solve
      asplan compare domain.pddl problem.pddl -e exists -e forall --horizon 10
      asplan compare sample02 --horizon 40 --plot sizes.png
    """
    if as_csv and as_json:
        raise UsageError("--csv and --json cannot both be printed")
    if plot is not None:
        if Path(plot).suffix.lower() != ".png":
            raise UsageError(f"{plot}: charts are written as .png")
        check_writable(Path(plot))

    def show(row: Row) -> None:
        line.show(row.instance, row.encoding, row.reason)

    with Line() as line:
        rows = compare(*instances, progress=show, **given)
    is_interrupted = any(row.stopped == Stop.INTERRUPT for row in rows)
    is_wrong = all(row.reason and row.stopped is None for row in rows)  # all is bad input
    status = 130 if is_interrupted else 2 if is_wrong else int(any(row.reason for row in rows))
    if status == 2:
        for row in rows:
            what = shortened(", ".join(filter(None, [row.instance, row.encoding])), 100)
            why = shortened(row.reason, LONGEST - 110)
            click.echo(printable(f"asplan: {what}: {why}"), err=True)
        return status
    names = column_names(given["solve"])
    cells = [{name: asdict(row)[name] for name in names} for row in rows]
    if as_json:
        print_json({"rows": cells})
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(cells)
    else:
        print_comparison(rows, given["solve"])
    if plot is not None and all(row.lines is None for row in rows):
        click.echo(f"asplan: nothing was measured, so {plot} is not written", err=True)
    elif plot is not None:
        from asplan.measuring.chart import comparison_chart

        with atomic_file(Path(plot)) as file:
            comparison_chart(rows).savefig(file, format="png", dpi=120)
    return status


def print_comparison(rows: Sequence[Row], solve: bool) -> None:
    console = make_console()
    for instance in dict.fromkeys(row.instance for row in rows):
        own = [row for row in rows if row.instance == instance]
        title = f"{instance}, horizon {own[0].horizon}"
        for heading, names in ((title, [*SIZES, *COSTS]), (f"{title}: solving", SOLVING)):
            if solve or names is not SOLVING:
                lines = [[row.encoding, *(_cell(getattr(row, n)) for n in names)] for row in own]
                print_table(heading, ["encoding", *names], lines)
    measures, ratios = [*SIZES, *COSTS], geometric_ratios(rows)
    lines = [
        [name, *(f"{found[m]:.2f}" if m in found else "" for m in measures)]
        for name, found in ratios.items()
        if found
    ]
    if lines:
        several = len({row.instance for row in rows}) > 1
        title = f"ratio to {rows[0].encoding}" + (", geometric mean" if several else "")
        print_table(title, ["encoding", *measures], lines)
    for row in rows:
        if row.remark:
            console.print(plain_text(f"{row.instance}, {row.encoding}: {row.remark}", style="dim"))
        if row.reason:
            what = plain_text(
                f"{row.instance}, {row.encoding or 'no encoding'}: ", style="bold red"
            )
            console.print(what + plain_text(row.reason), soft_wrap=True)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
