"""How results look in a terminal, and how progress is shown."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Mapping
from typing import Any, Self

import click
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.status import Status
from rich.text import Text

from asplan.domains import domains
from asplan.errors import LONGEST
from asplan.loading.variant import STEPPED
from asplan.result import Outcome, Result, Stop, Trajectory
from asplan.text import printable, shortened

_COLOURS = ["cyan", "yellow", "green", "magenta", "blue", "bright_cyan", "bright_yellow"]
_COLOURS += ["bright_green", "bright_magenta", "bright_blue", "white", "bright_white"]
_OUTCOMES = {
    Outcome.OPTIMAL: "bold green",
    Outcome.PLAN: "bold yellow",
    Outcome.UNSOLVABLE: "bold red",
    Outcome.UNKNOWN: "bold magenta",
}
_CHECKS = {
    "model": "plan checked: replayed in the domain's own model",
    "replay": "plan checked: replayed in a fresh clingo",
    "text": "plan checked: executed on the PDDL text, apart from its translation",
}


def exit_status(result: Result) -> int:
    """What the command line ends with."""
    if result.stopped == Stop.INTERRUPT:
        return 130
    return {Outcome.UNSOLVABLE: 3, Outcome.UNKNOWN: 1}.get(result.outcome, 0)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the error to whoever decides how a command ends."""
        raise


def make_console(**settings: Any) -> Console:
    """A console for standard output, or for standard error."""
    return _Console(highlight=False, **settings)


def plain(text: str, style: str = "") -> Text:
    """Text from anywhere: nothing in it is markup, or steers the terminal."""
    return Text(printable(text), style=style)


def print_json(data: Any) -> None:
    """Print plain data for other programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=not unicode)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def print_result(result: Result, optimal: str | None = None) -> None:
    """Print a result for people; `optimal` is what they asked to be least."""
    console = make_console()
    variants = [f"{name}={value}" for name, value in result.constants.items()]
    heading = [result.domain, result.instance, result.encoding, result.engine, *variants]
    console.print(plain(" · ".join(filter(None, heading)), style="dim"), soft_wrap=True)
    for number, plan in enumerate(result.plans, 1):
        console.print()
        if len(result.plans) > 1:
            console.print(Text(f"plan {number} of {len(result.plans)}", style="bold"))
        console.print(plain(str(plan) if len(plan) else "nothing to do"))
    if result.trajectory is not None:
        _print_boards(console, result, result.trajectory.boards)
        if result.plan is None:
            _print_atoms(console, result.trajectory)
    console.print()
    outcome = Text(str(result.outcome), style=_OUTCOMES[result.outcome])
    console.print(outcome, plain(f"({result.reason})"), soft_wrap=True)
    for line in _footnotes(result, optimal):
        console.print(Text(line, style="dim"), soft_wrap=True)


def _print_atoms(console: Console, trajectory: Trajectory) -> None:
    """The shown atoms of a program without `occurs/2`, a line for each time."""
    for time_, atoms in trajectory.timed:
        heading = "always" if time_ is None else f"{time_}."
        console.print(Text(f"{heading:>6} ", style="dim") + plain("  ".join(atoms)))


def _footnotes(result: Result, optimal: str | None) -> list[str]:
    lines = []
    if result.outcome in (Outcome.UNKNOWN, Outcome.PLAN):
        lines += [f"every plan {bound}" for bound in _bounds(result)]
    if result.cost:
        tasks_own = result.domain == STEPPED and optimal is None and any(result.cost)
        hint = "; --optimal cost finds the least" if tasks_own else ""
        lines.append(f"cost: {' '.join(map(str, result.cost))}{hint}")
    if result.validated:
        lines.append(_CHECKS[result.validated])
    if (refuted := result.lower_bound - 1) >= 0 and result.stopped and result.plan is None:
        lines.append(f"asplan explain … --horizon {refuted} tells what stands in the way")
    seconds = result.seconds
    parts = f"{seconds.total:.2f} s: grounding {seconds.ground:.2f}, solving {seconds.solve:.2f}"
    conflicts = result.statistics.conflicts
    lines.append(parts if conflicts is None else f"{parts}, {conflicts} conflicts")
    return lines


def _bounds(result: Result) -> list[str]:
    """What is proven of every plan."""
    lines = []
    if result.lower_bound > 0:
        counted = "actions" if result.optimized == "actions" else "steps"
        lines.append(f"has at least {result.lower_bound} {counted}")
    if result.lower_cost > 0:
        lines.append(f"costs at least {result.lower_cost}")
    return lines


def _print_boards(console: Console, result: Result, boards: tuple[str, ...]) -> None:
    if not boards:
        return
    titles = ("before", f"after {len(result.plan or ())}")
    colours = colours_of(result.domain)
    panels = [
        Panel(coloured(board, colours), title=title, expand=False, border_style="dim")
        for title, board in zip(titles, boards, strict=True)
    ]
    console.print()
    console.print(Columns(panels))


def colours_of(domain: str | None) -> Mapping[str, str]:
    """The names that have a colour of their own in a domain."""
    found = domains().get(domain or "")
    return found.colours if found else {}


def coloured(board: str, own: Mapping[str, str]) -> Text:
    """A board with one colour a name; some names have their own."""
    board = printable(board)
    names = sorted({word for word in re.findall(r"\w+", board) if word not in own})
    styles = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)} | dict(own)
    text = Text(board)
    for match in re.finditer(r"\w+", board):
        text.stylize(styles[match[0]], match.start(), match.end())
    return text


def print_warnings(result: Result) -> None:
    """Print what the caller should know about the input, on standard error."""
    for warning in result.warnings:
        warn(warning)


def warn(text: str) -> None:
    """Print a warning on standard error."""
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)


class Line:
    """A line on standard error that says what is being done; none where that is no terminal."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        console = make_console(stderr=True)
        # The display is refreshed by hand: a thread of its own must not live across a fork.
        self._status = Status("reading", console=console) if console.is_terminal else None
        if self._status:
            self._status._live.auto_refresh = False

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status:
            self._status.stop()

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return time.monotonic() - self._start

    def show(self, *parts: str) -> None:
        """Show what is being done and for how long."""
        if self._status:
            seconds = f"{self.seconds:.0f} s"
            self._status.update(plain(" · ".join([*filter(None, parts), seconds])))
            self._status._live.refresh()


class Progress(Line):
    """Says what is proven so far."""

    def __call__(self, result: Result) -> None:
        """Show what a partial result says."""
        self.show(result.reason, *_bounds(result), f"{result.statistics.conflicts or 0} conflicts")
