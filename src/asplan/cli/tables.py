"""Tables of measurements for a terminal."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asplan.asp.growth import sparkline
from asplan.asp.profile import PredicateCost, Profile, RuleCost
from asplan.bench.comparison import COSTS, SIZES, SOLVING, Row, columns, geometric_ratios

_HEADS = {
    "choice_rules": "choices",
    "ground_seconds": "ground s",
    "memory_mb": "MB",
    "solve_seconds": "solve s",
    "choices": "decisions",
}


def write_csv(rows: Iterable[Row], solve: bool) -> None:
    """Print rows as comma-separated values; what is missing stays empty."""
    writer = csv.DictWriter(sys.stdout, columns(solve), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)


def print_comparison(rows: Sequence[Row], solve: bool) -> None:
    """Print a table for each instance, the ratios to the first encoding, and what is missing."""
    console = Console(highlight=False)
    for instance in dict.fromkeys(row.instance for row in rows):
        own = [row for row in rows if row.instance == instance]
        measures = [*SIZES, *COSTS, *(SOLVING if solve else ())]
        lines = [[row.encoding, *(_cell(getattr(row, m)) for m in measures)] for row in own]
        title = f"{instance}, horizon {own[0].horizon}"
        _print(console, _table(title, ["encoding", *measures], lines))
    _print_ratios(console, rows, geometric_ratios(rows))
    for row in rows:
        if row.reason:
            what = Text(f"{row.instance}, {row.encoding or 'no encoding'}: ", style="bold red")
            console.print(what + Text(row.reason), soft_wrap=True)


def print_profile(profile: Profile, top: int) -> None:
    """Print the dearest rules, what helps, the predicates, and how it was counted."""
    console = Console(highlight=False)
    rules = [rule for rule in profile.rules[:top] if rule.instantiations]
    names = ["instantiations", "different", "share", "growth", "by step", "file:line"]
    title = f"rules, horizon {profile.horizon}"
    _print(console, _table(title, names, [_rule_cells(rule) for rule in rules]))
    for rule in rules:
        _print_rule(console, rule)
    if profile.predicates:
        console.print()
        shown = [_predicate_cells(predicate) for predicate in profile.predicates[:top]]
        _print(console, _table("predicates", ["predicate", "atoms", "facts"], shown))
    for line in _notes(profile, len(rules)):
        console.print(Text(line, style="dim"), soft_wrap=True)
    if profile.reason:
        console.print(Text(profile.reason, style="bold red"), soft_wrap=True)


def _print_rule(console: Console, rule: RuleCost) -> None:
    place = Text(f"{rule.file}:{rule.line}: ", style="cyan")
    console.print(place + Text(rule.rule), soft_wrap=True)
    if rule.approximate:
        console.print(Text(f"  ~ {rule.approximate}", style="dim"), soft_wrap=True)
    if rule.advice:
        console.print(Text(f"  {rule.growth}: {rule.advice}", style="yellow"), soft_wrap=True)


def _notes(profile: Profile, shown: int) -> list[str]:
    how = "in one call" if profile.one_call else "in two calls"
    notes = [f"step(t) and check(t) grounded {how}; {profile.seconds:.2f} s with the counters in"]
    rest = profile.rules[shown:]
    if others := sum(rule.instantiations for rule in rest):
        notes.insert(0, f"{len(rest)} more rules, {others} instantiations together")
    return notes


def _rule_cells(rule: RuleCost) -> list[str]:
    mark = "~" if rule.approximate else ""
    return [
        f"{mark}{rule.instantiations}",
        str(rule.different),
        f"{rule.share:.1%}",
        rule.growth,
        sparkline(rule.per_step[1:]),
        f"{rule.file.rpartition('/')[2]}:{rule.line}",
    ]


def _predicate_cells(predicate: PredicateCost) -> list[str]:
    return [predicate.predicate, str(predicate.atoms), str(predicate.facts)]


def _print_ratios(
    console: Console, rows: Sequence[Row], ratios: Mapping[str, Mapping[str, float]]
) -> None:
    measured = {name: found for name, found in ratios.items() if found}
    if not measured:
        return
    measures = [*SIZES, *COSTS]
    lines = [
        [name, *(f"{found[m]:.2f}" if m in found else "" for m in measures)]
        for name, found in measured.items()
    ]
    several = len({row.instance for row in rows}) > 1
    title = f"ratio to {rows[0].encoding}" + (", geometric mean" if several else "")
    _print(console, _table(title, ["encoding", *measures], lines))


def _table(title: str, names: Sequence[str], lines: Iterable[Sequence[str]]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in names:
        words = name in ("encoding", "predicate", "growth", "by step", "file:line", "outcome")
        head = _HEADS.get(name, name).replace("_", " ")
        table.add_column(head, justify="left" if words else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    return table


def _print(console: Console, table: Table) -> None:
    """Print a table in full width: figures that are cut off are of no use."""
    console.print(table, width=max(console.width, 200), no_wrap=True, crop=False, soft_wrap=False)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
