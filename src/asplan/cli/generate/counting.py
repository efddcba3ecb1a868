"""Counts all puzzles of a domain that are as wished."""

from __future__ import annotations

from typing import Any

import click

from asplan.cli.generate.options import MAKING
from asplan.cli.progress import Line
from asplan.cli.streams import print_json
from asplan.errors import Stopped
from asplan.limits import Limits
from asplan.making.census import Counted, on_cluster, on_this_machine, take_census


def count_all(
    domain: str,
    as_json: bool,
    output: str | None,
    resume: bool,
    jobs: int,
    scheduler: str | None,
    time_limit: float | None,
    **wish: Any,
) -> None:
    """Count, and print the counts."""
    limits = Limits(time_limit)
    limits.check()
    place = on_this_machine(jobs) if scheduler is None else on_cluster(scheduler)
    words = {name: word for name, word in wish.items() if name not in MAKING}
    with _Parts(limits, output) as parts:
        try:
            found = take_census(domain, words, output, resume, place, parts)
        except KeyboardInterrupt:
            raise _Interrupted(f"interrupted{parts.kept}") from None
    if as_json:
        print_json({"domain": domain, "parts": found.of, "counts": found.counts})
        return
    for name, count in (found.counts or {}).items():
        click.echo(f"{name:<12} {count}")


class _Interrupted(Stopped):
    exit_status = 130


class _Parts(Line):
    """Says how many parts are counted, and ends the count when its time is up."""

    def __init__(self, limits: Limits, file: str | None) -> None:
        super().__init__()
        self._limits = limits
        self.kept = f"; --resume goes on with {file}" if file else ""

    def __call__(self, counted: Counted) -> None:
        """Show how far a count is."""
        done = f"{counted.done} of {counted.of} parts"
        self.show(f"{done} counted")
        if self._limits.seconds is not None and self.seconds > self._limits.seconds:
            raise Stopped(f"{self._limits.time_reason()} after {done}{self.kept}")
