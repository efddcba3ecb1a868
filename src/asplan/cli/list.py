"""`asplan list`: what ships with asplan."""

from collections import Counter
from collections.abc import Mapping

import click

from asplan.cli.options import Command, Names, shared_options
from asplan.cli.output import print_json
from asplan.cli.tables import Column, make_console, print_columns
from asplan.core.errors import UsageError, nearest
from asplan.core.text import plain_text
from asplan.domains import domains
from asplan.engines import ABOUT, engines
from asplan.problem import catalog

Rows = list[dict[str, str]]

KINDS = ("encodings", "instances", "engines", "heuristics")


@click.command("list", cls=Command)
@click.argument("kind", type=click.Choice(KINDS), required=False)
@click.argument("domain", type=Names("domain", lambda: _domains()), required=False)
@shared_options("json", "debug")
def command(kind: str | None, domain: str | None, as_json: bool) -> None:
    """Show the domains that ship with asplan, and the engines.

    With a kind, all encodings, instances, engines or heuristics, each with a line about it; with
    a domain as well, those of the domain. All that stand on a ladder, which are made alike, share
    a line. The first heuristic of a domain is its default.

    Examples:
      asplan list
      asplan list encodings rush_hour
      asplan list heuristics
      asplan list instances rush_hour/ladder
    """
    tables = {name: rows for name, rows in _tables().items() if kind in (None, name)}
    if domain is not None:
        tables = {name: _rows_of(domain, name, rows) for name, rows in tables.items()}
    if as_json:
        print_json(tables)
    elif kind is None:
        _print_overview(tables)
    elif rows := tables[kind]:
        heads = [head for head in rows[0] if head != "path"]
        columns = [Column(h, [row[h] for row in rows], True, folds=h == "about") for h in heads]
        print_columns(columns, key=heads.index("name"))
    else:
        click.echo("there are none")


def _tables() -> dict[str, Rows]:
    return {
        "encodings": [_row(entry) for entry in catalog.encodings()],
        "instances": [*map(_row, catalog.instances()), *_ladders()],
        "engines": [{"name": name, "about": about} for name, about in _engines().items()],
        "heuristics": [
            {"domain": domain.name, "name": heuristic.name, "about": heuristic.about}
            for domain in domains().values()
            for heuristic in domain.heuristics
        ],
    }


def _engines() -> dict[str, str]:
    return {name: engine.about for name, engine in engines().items()} | ABOUT


def _row(entry: catalog.Entry) -> dict[str, str]:
    place = {"path": str(entry.path)}
    return {"domain": entry.domain, "name": entry.name, "about": entry.title} | place


def _ladders() -> Rows:
    found: dict[str, list[catalog.Entry]] = {}
    for entry in catalog.rungs():
        found.setdefault(entry.domain, []).append(entry)
    rows = []
    for domain, rungs in found.items():
        shows = f"asplan list instances {domain}/{catalog.LADDER} shows each"
        about = f"{len(rungs)} instances, {rungs[0].name} to {rungs[-1].name}; {shows}"
        place = {"path": str(rungs[0].path.parent)}
        rows.append({"domain": domain, "name": f"{catalog.LADDER}/", "about": about} | place)
    return rows


def _rows_of(domain: str, kind: str, rows: Rows) -> Rows:
    """The rows of a domain; `UsageError` if there is no such domain, or for engines."""
    if kind == "engines":
        raise UsageError("engines are of no domain", hint="say asplan list engines")
    rungs = [entry for entry in catalog.rungs() if domain == f"{entry.domain}/{catalog.LADDER}"]
    if rungs:
        return [_row(entry) for entry in rungs] if kind == "instances" else []
    known = _domains()
    if domain not in known:
        raise UsageError(f"unknown domain {domain!r}", hint=nearest(domain, known, noun="domains"))
    return [row for row in rows if row["domain"] == domain]


def _domains() -> list[str]:
    """Those with a model, and those with files alone."""
    entries = [*catalog.encodings(), *catalog.instances()]
    return sorted({*domains(), *(entry.domain for entry in entries)})


def _print_overview(tables: Mapping[str, Rows]) -> None:
    names = _domains()
    kinds = [kind for kind in KINDS if kind != "engines"]
    counts = {kind: Counter(row["domain"] for row in tables[kind]) for kind in kinds}
    counts["instances"] = Counter(e.domain for e in [*catalog.instances(), *catalog.rungs()])
    easy = {row["domain"]: row["name"] for row in reversed(tables["instances"])}
    columns = [Column("domain", names, is_words=True)]
    columns += [Column(kind, [str(counts[kind][name]) for name in names]) for kind in kinds]
    columns.append(Column("an instance", [easy.get(name, "") for name in names], is_words=True))
    print_columns(columns)
    console = make_console()
    console.print(
        plain_text(f"engines: {', '.join(_engines())}"), soft_wrap=not console.is_terminal
    )
    click.echo("more: asplan list encodings rush_hour; so with instances and heuristics")
