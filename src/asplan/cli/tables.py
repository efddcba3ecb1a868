"""The terminal, and tables of which nothing is cut off.

In a pipe a table is as wide as it needs to be. In a terminal that is narrower, long texts are
folded, and columns that still have no room follow below, beside the one that names the rows.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from asplan.core.text import plain, printable
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, Row, columns, geometric_ratios
from asplan.measuring.profile import Profile, RuleCost, sparkline


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the error to whoever decides how a command ends."""
        raise


def make_console(**settings: Any) -> Console:
    """A console for standard output, or for standard error."""
    return _Console(highlight=False, **settings)


NARROWEST = 24
"""Characters that a column of texts keeps at least when it is folded."""

_ANY_WIDTH = 1_000_000


@dataclass(frozen=True)
class Column:
    """A column: its head, its cells, and whether they are words, or texts that may be folded."""

    head: str
    cells: Sequence[str]
    is_words: bool = False
    folds: bool = False

    @property
    def width(self) -> int:
        """Characters that its longest line takes in a terminal."""
        texts = [*self.head.splitlines(), *map(printable, self.cells)]
        return max(map(cell_len, texts), default=0)


def print_columns(columns: Sequence[Column], title: str = "", key: int = 0) -> None:
    """Print a table, in several parts where it has no room; `key` is the column in all of them."""
    console = make_console()
    room = console.width if console.is_terminal else _ANY_WIDTH

    def measure(table: Table) -> Measurement:
        return Measurement.get(console, console.options.update(width=_ANY_WIDTH), table)

    for part in _parts(columns, key, lambda some: measure(_table(some)).minimum <= room):
        table = _table(part, title)
        width = measure(table)
        console.width = max(min(room, width.maximum), width.minimum, len(title))
        console.print(table)
        title = ""


def _parts(
    columns: Sequence[Column], key: int, fits: Callable[[Sequence[Column]], bool]
) -> Iterator[Sequence[Column]]:
    if fits(columns):
        yield columns
        return
    part = [columns[key]]
    for column in [*columns[:key], *columns[key + 1 :]]:
        if len(part) > 1 and not fits([*part, column]):
            yield part
            part = [columns[key]]
        part.append(column)
    yield part


def _table(columns: Sequence[Column], title: str = "") -> Table:
    table = Table(
        title=plain(title, style="bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in columns:
        table.add_column(
            column.head,
            justify="left" if column.is_words or column.folds else "right",
            no_wrap=not column.folds,
            overflow="fold",
            min_width=min(NARROWEST, column.width) if column.folds else column.width,
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(plain, cells))
    return table


_HEADS = {
    "choice_rules": "choices",
    "ground_seconds": "ground s",
    "memory_mb": "MB",
    "solve_seconds": "solve s",
    "choices": "decisions",
}
_WORDS = {"encoding", "predicate", "growth", "by step", "place", "rule", "outcome", "method"}


def write_csv(rows: Iterable[Row], solve: bool) -> None:
    """Print rows as comma-separated values; what is missing stays empty."""
    writer = csv.DictWriter(sys.stdout, columns(solve), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)


def print_table(title: str, names: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Print a table; its columns hold figures, but for those that `_WORDS` names."""
    print_columns(_columns(names, lines), title)


def print_comparison(rows: Sequence[Row], solve: bool) -> None:
    """Print a table for each instance, the ratios to the first encoding, and what is missing."""
    console = make_console()
    for instance in dict.fromkeys(row.instance for row in rows):
        own = [row for row in rows if row.instance == instance]
        title = f"{instance}, horizon {own[0].horizon}"
        for heading, names in ((title, [*SIZES, *COSTS]), (f"{title}: solving", SOLVING)):
            if solve or names is not SOLVING:
                lines = [[row.encoding, *(_cell(getattr(row, n)) for n in names)] for row in own]
                print_table(heading, ["encoding", *names], lines)
    _print_ratios(rows)
    for row in rows:
        if row.remark:
            console.print(plain(f"{row.instance}, {row.encoding}: {row.remark}", style="dim"))
        if row.reason:
            what = plain(f"{row.instance}, {row.encoding or 'no encoding'}: ", style="bold red")
            console.print(what + plain(row.reason), soft_wrap=True)


def print_profile(profile: Profile, top: int) -> None:
    """Print the dearest rules, what helps, the predicates, and how it was counted."""
    console = make_console()
    rules = [rule for rule in profile.rules[:top] if rule.instantiations]
    notes = list(dict.fromkeys(note for rule in rules for note in _notes(rule)))
    names = ["instantiations", "different", "share", "growth", "by step", "place", "rule"]
    title = f"rules, horizon {profile.horizon}"
    cells = [_rule_cells(rule, notes) for rule in rules]
    print_columns(_columns(names, cells), title, key=names.index("place"))
    for number, note in enumerate(notes, 1):
        console.print(plain(f"[{number}] {note}", style="yellow"), soft_wrap=True)
    if profile.predicates:
        console.print()
        cells = [[p.predicate, str(p.atoms), str(p.facts)] for p in profile.predicates[:top]]
        print_table("predicates", ["predicate", "atoms", "facts"], cells)
    rest = profile.rules[len(rules) :]
    how = "in one call" if profile.one_call else "in two calls"
    lines = [f"step(t) and check(t) grounded {how}; {profile.seconds:.2f} s with the counters in"]
    if others := sum(rule.instantiations for rule in rest):
        lines.insert(0, f"{len(rest)} more rules, {others} instantiations together")
    for line in lines:
        console.print(plain(line, style="dim"), soft_wrap=True)
    if profile.reason:
        console.print(plain(profile.reason, style="bold red"), soft_wrap=True)


def _notes(rule: RuleCost) -> list[str]:
    return [note for note in (rule.advice, rule.approximate) if note]


def _rule_cells(rule: RuleCost, notes: Sequence[str]) -> list[str]:
    marks = "".join(f" [{notes.index(note) + 1}]" for note in _notes(rule))
    return [
        f"{'~' if rule.approximate else ''}{rule.instantiations}",
        str(rule.different),
        f"{rule.share:.1%}",
        rule.growth + marks,
        sparkline(rule.per_step[1:]),
        f"{PurePath(rule.file).name}:{rule.line}",
        rule.rule,
    ]


def _print_ratios(rows: Sequence[Row]) -> None:
    measures = [*SIZES, *COSTS]
    lines = [
        [name, *(f"{found[m]:.2f}" if m in found else "" for m in measures)]
        for name, found in geometric_ratios(rows).items()
        if found
    ]
    if lines:
        several = len({row.instance for row in rows}) > 1
        title = f"ratio to {rows[0].encoding}" + (", geometric mean" if several else "")
        print_table(title, ["encoding", *measures], lines)


def _columns(names: Sequence[str], lines: Iterable[Sequence[str]]) -> list[Column]:
    rows = list(lines)
    return [
        Column(
            _HEADS.get(name, name).replace("numeric_", "numeric\n").replace("_", " "),
            [row[number] for row in rows],
            is_words=name in _WORDS,
            folds=name == "rule",
        )
        for number, name in enumerate(names)
    ]


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
