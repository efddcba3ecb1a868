"""The drawings that are made of an answer as soon as it is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from asplan.drawing.formats import Settings, check_output, find_format
from asplan.errors import UsageError
from asplan.files import whole_file
from asplan.loading import Problem
from asplan.result import Result
from asplan.run import Report


@dataclass(frozen=True)
class Outputs:
    """The files to write, and the drawing rules if they were named."""

    files: tuple[str, ...] = ()
    rules: str | None = None
    allow_includes: bool = False

    def check(self) -> None:
        """Raise `UsageError` for what can be known to fail before anything is read."""
        for file in self.files:
            check_output(Path(file), Settings())
        if self.rules is not None and not self.files:
            raise UsageError("--draw needs --gif or --html")

    def missing(self, since: float) -> list[str]:
        """The files that were not written since a moment, in seconds of `time.time()`."""
        paths = {file: Path(file) for file in self.files}
        return [f for f, p in paths.items() if not p.exists() or p.stat().st_mtime < since]

    def before(self, problem: Problem) -> None:
        """Raise before anything is solved what would hinder the drawing afterwards."""
        if self.files:
            # Imported where something is drawn: it takes as long as solving a small puzzle.
            from asplan.drawing.rules import check_rules

            check_rules(problem, self.rules, self.allow_includes)

    def after(self, problem: Problem, result: Result, report: Report) -> None:
        """Draw the plan of a result, if it has one; the scene is made once for all files."""
        if not self.files or result.plan is None:
            return
        from asplan.drawing.rules import make_scene

        report(replace(result, reason=f"drawing {self.files[0]}"))
        scene = make_scene(result, self.rules, self.allow_includes)
        for file in self.files:

            def tell(done: int, of: int, file: str = file) -> None:
                report(replace(result, reason=f"drawing {file}, frame {done} of {of}"))

            with whole_file(Path(file)) as opened:
                find_format(Path(file)).write(opened, scene, Settings(), tell)
