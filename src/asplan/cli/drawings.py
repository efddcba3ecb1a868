"""The drawings that `asplan solve` makes of the plan it finds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from asplan.catalog import find_instance
from asplan.cli.output import FrameProgress
from asplan.errors import UsageError
from asplan.planner import Request
from asplan.render import render
from asplan.render.formats import Settings, check_output
from asplan.result import Result


@dataclass(frozen=True)
class Drawings:
    """The files to write, and the drawing rules if they were named."""

    gif: str | None
    html: str | None
    rules: str | None

    def check(self, request: Request) -> None:
        """Raise before anything is solved what would hinder the drawing afterwards."""
        for suffix, file in {".gif": self.gif, ".html": self.html}.items():
            if file is not None:
                check_output(Path(file), Settings(), suffix)
        if self._files():
            from asplan.render.drawing import check_rules

            files = [find_instance(file) for file in request.files]
            check_rules(files, request.encoding, request.constants, self.rules)
        elif self.rules is not None:
            raise UsageError("--draw needs --gif or --html")

    def write(self, result: Result) -> None:
        """Draw the plan of a result, if it has one."""
        for file in self._files():
            if result.plan is None:
                click.echo(f"asplan: there is no plan, so {file} is not written", err=True)
                continue
            with FrameProgress(file) as progress:
                render(result, file, draw=self.rules, progress=progress)

    def _files(self) -> list[str]:
        return [file for file in (self.gif, self.html) if file is not None]
