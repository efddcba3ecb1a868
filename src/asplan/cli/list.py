"""`asplan list`: what ships with asplan."""

from __future__ import annotations

import click
from rich.table import Table

from asplan import catalog
from asplan.cli.output import make_console, plain
from asplan.cli.parameters import debug_option
from asplan.cli.streams import print_json
from asplan.domains import domains
from asplan.engines import ENGINES


@click.command("list")
@click.argument(
    "kind", type=click.Choice(["encodings", "instances", "engines", "heuristics"]), required=False
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@debug_option
def command(kind: str | None, as_json: bool) -> None:
    """Show the encodings, instances, engines and heuristics that ship with asplan.

    The first heuristic of a domain is its default.
    """
    tables = {
        "encodings": [_row(entry) for entry in catalog.encodings()],
        "instances": [_row(entry) for entry in catalog.instances()],
        "engines": [{"name": name, "about": e.about} for name, e in ENGINES.items()],
        "heuristics": [
            {"domain": domain.name, "name": heuristic.name, "about": heuristic.about}
            for domain in domains().values()
            for heuristic in domain.heuristics
        ],
    }
    wanted = {name: rows for name, rows in tables.items() if kind in (None, name)}
    if as_json:
        print_json(wanted)
        return
    console = make_console()
    for name, rows in wanted.items():
        console.print(_table(name, rows))


def _row(entry: catalog.Entry) -> dict[str, str]:
    return {
        "domain": entry.domain,
        "name": entry.name,
        "about": entry.title,
        "path": str(entry.path),
    }


def _table(title: str, rows: list[dict[str, str]]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    columns = [column for column in rows[0] if column != "path"] if rows else []
    for column in columns:
        table.add_column(column, style="cyan" if column == "name" else None)
    for row in rows:
        table.add_row(*(plain(row[column]) for column in columns))
    return table
