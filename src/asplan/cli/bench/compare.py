"""`asplan bench compare`: results of the same suite before and after a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click
from msgspec import to_builtins

from asplan.bench.records import read_results
from asplan.bench.reports.contents import ratio
from asplan.bench.reports.differences import FACTOR, Change, Difference, Differences, differences
from asplan.bench.reports.values import MEASURES
from asplan.cli.console import make_console
from asplan.cli.parameters import debug_option
from asplan.cli.streams import print_json
from asplan.cli.tables import print_table
from asplan.cli.work import Doing, in_worker, limit_options
from asplan.limits import Limits
from asplan.plain import plain

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
def command(
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
