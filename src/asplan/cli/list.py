"""`asplan list`: the shipped domains, encodings, instances, engines and heuristics."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict

import click

from asplan import catalog
from asplan.cli import settings
from asplan.cli.features import FEATURES
from asplan.cli.options import Command, ShippedName, shared_options
from asplan.cli.output import print_json
from asplan.cli.parameters import OneOf
from asplan.cli.tables import Column, make_console, print_columns
from asplan.core.errors import UsageError, nearest
from asplan.core.text import plain_text
from asplan.domains import domains
from asplan.engines import ABOUT, engines

Rows = list[dict[str, str]]

KINDS = ("encodings", "instances", "engines", "heuristics", "settings", "features")
_WITHOUT_DOMAIN = ("engines", "settings", "features")


@click.command("list", cls=Command)
@click.argument(
    "kind",
    type=OneOf(KINDS),
    required=False,
)
@click.argument(
    "domain",
    type=ShippedName("domain", lambda: _domains()),
    required=False,
)
@shared_options("json", "debug")
def command(
    kind: str | None,
    domain: str | None,
    as_json: bool,
) -> None:
    """Show the shipped domains, and the engines.

    With a kind, list all encodings, instances, engines or heuristics, each with a description; with
    a domain as well, list those of the domain. The instances of a ladder, a generated series, share
    a line. The first heuristic of a domain is its default. The settings are those of the working
    folder; docs/settings.md explains them. The features are those of ASP and PDDL, each with an
    answer whether asplan understands it.

    Examples:
      asplan list
      asplan list encodings rush_hour
      asplan list heuristics
      asplan list instances rush_hour/ladder
      asplan list settings
      asplan list features --json
    """
    tables = {name: rows for name, rows in _tables().items() if kind in (None, name)}
    if domain is not None:
        tables = {name: _rows_of(domain, name, rows) for name, rows in tables.items()}
    if as_json:
        print_json(tables)
    elif kind is None:
        _print_overview(tables)
    elif tables[kind]:
        _print_rows(tables[kind])
    else:
        click.echo("there are none")


def _print_rows(rows: Rows) -> None:
    heads = [head for head in rows[0] if head != "path"]
    columns = []
    for head in heads:
        cells = [row[head] for row in rows]
        columns.append(
            Column(
                head,
                cells,
                is_words=True,
                folds=head == "about",
            )
        )
    print_columns(columns, key=heads.index("name"))


def _tables() -> dict[str, Rows]:
    """Return the rows of the table of each kind, such as encodings or engines."""
    return {
        "encodings": [_row(entry) for entry in catalog.encodings()],
        "instances": [*map(_row, catalog.instances()), *_ladders()],
        "engines": [{"name": name, "about": about} for name, about in _engines().items()],
        "heuristics": [
            {"domain": domain.name, "name": heuristic.name, "about": heuristic.about}
            for domain in domains().values()
            for heuristic in domain.heuristics
        ],
        "settings": [_setting_row(name) for name in settings.KINDS],
        "features": [asdict(feature) for feature in FEATURES],
    }


def _setting_row(name: str) -> dict[str, str]:
    """Return the row of a setting; its value and place are empty if no file sets it."""
    setting = settings.read_settings().get(name)
    value = "" if setting is None else json.dumps(setting.value)
    place = "" if setting is None else str(setting.at)
    return {"name": name, "value": value, "place": place, "about": settings.KINDS[name].about}


def _engines() -> dict[str, str]:
    return {name: engine.about for name, engine in engines().items()} | ABOUT


def _row(entry: catalog.ShippedFile) -> dict[str, str]:
    return {
        "domain": entry.domain,
        "name": entry.name,
        "about": entry.title,
        "path": str(entry.path),
    }


def _ladders() -> Rows:
    """Return a row for each ladder, a generated series of instances of a domain."""
    found: dict[str, list[catalog.ShippedFile]] = {}
    for entry in catalog.rungs():
        found.setdefault(entry.domain, []).append(entry)
    rows = []
    for domain, rungs in found.items():
        first = rungs[0]
        last = rungs[-1]
        hint = f"asplan list instances {domain}/{catalog.LADDER} shows each"
        row = {
            "domain": domain,
            "name": f"{catalog.LADDER}/",
            "about": f"{len(rungs)} instances, {first.name} to {last.name}; {hint}",
            "path": str(first.path.parent),
        }
        rows.append(row)
    return rows


def _rows_of(
    domain: str,
    kind: str,
    rows: Rows,
) -> Rows:
    """Return the rows of a kind, such as encodings, that belong to a domain.

    Raises `UsageError` if the domain is unknown, or for kinds without domains, such as engines.
    """
    if kind in _WITHOUT_DOMAIN:
        raise UsageError(f"{kind} have no domain", hint=f"use asplan list {kind}")
    rungs = [entry for entry in catalog.rungs() if domain == f"{entry.domain}/{catalog.LADDER}"]
    if rungs:
        return [_row(entry) for entry in rungs] if kind == "instances" else []
    known = _domains()
    if domain not in known:
        raise UsageError(f"unknown domain {domain!r}", hint=nearest(domain, known, noun="domains"))
    return [row for row in rows if row["domain"] == domain]


def _domains() -> list[str]:
    """Return the names of all domains, with a model in Python or only with shipped files."""
    entries = [*catalog.encodings(), *catalog.instances()]
    return sorted({*domains(), *(entry.domain for entry in entries)})


def _print_overview(tables: Mapping[str, Rows]) -> None:
    """Print a table of the number of shipped files of each domain, and the names of engines."""
    names = _domains()
    kinds = [kind for kind in KINDS if kind not in _WITHOUT_DOMAIN]
    counts = {kind: Counter(row["domain"] for row in tables[kind]) for kind in kinds}
    instances = [*catalog.instances(), *catalog.rungs()]
    counts["instances"] = Counter(entry.domain for entry in instances)
    first = {row["domain"]: row["name"] for row in reversed(tables["instances"])}
    columns = [Column("domain", names, is_words=True)]
    for kind in kinds:
        columns.append(Column(kind, [str(counts[kind][name]) for name in names]))
    columns.append(Column("an instance", [first.get(name, "") for name in names], is_words=True))
    print_columns(columns)
    console = make_console()
    console.print(
        plain_text(f"engines: {', '.join(_engines())}"), soft_wrap=not console.is_terminal
    )
    click.echo("more: asplan list encodings rush_hour, instances, heuristics, settings, features")
