"""The files that are made of an answer as soon as it is there: drawings, and the plan itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from asplan.drawing.formats import Settings, check_outputs, write_drawing
from asplan.errors import UsageError
from asplan.execution import total_cost
from asplan.files import check_writable, whole_file
from asplan.loading import Problem
from asplan.result import Result
from asplan.run import Report

PLANS = (".ipc", ".plan", ".soln")
"""Suffixes of files for the plan as those write it who write such problems."""


@dataclass(frozen=True)
class Outputs:
    """The files to write, and the drawing rules if they were named."""

    files: tuple[str, ...] = ()
    rules: str | None = None
    allow_includes: bool = False

    @property
    def plans(self) -> list[str]:
        """The files for the plan itself."""
        return [file for file in self.files if Path(file).suffix.lower() in PLANS]

    @property
    def drawings(self) -> list[str]:
        """All others."""
        return [file for file in self.files if file not in self.plans]

    def check(self) -> None:
        """Raise `UsageError` for what can be known to fail before anything is read."""
        for file in self.plans:
            check_writable(Path(file))
        check_outputs([Path(file) for file in self.drawings], Settings(), others=PLANS)
        if self.rules is not None and not self.drawings:
            raise UsageError("--draw needs a drawing, such as -o plan.gif")

    def missing(self, since: float) -> list[str]:
        """The files that were not written since a moment, in seconds of `time.time()`."""
        paths = {file: Path(file) for file in self.files}
        return [f for f, p in paths.items() if not p.exists() or p.stat().st_mtime < since]

    def before(self, problem: Problem) -> None:
        """Raise before anything is solved what would hinder the writing afterwards."""
        if self.plans and problem.plan_files is None:
            raise UsageError(
                f"{self.plans[0]}: plans are written so for PDDL, and the files are none",
                mend="asplan solve --json prints the plan of any problem",
            )
        if self.drawings:
            # Imported where something is drawn: it takes as long as solving a small puzzle.
            from asplan.drawing.rules import check_rules

            check_rules(problem, self.rules, self.allow_includes)

    def after(self, problem: Problem, result: Result, report: Report) -> None:
        """Write the plan of a result, if it has one; the scene is made once for all drawings."""
        if result.plan is None:
            return
        for file in self.plans:
            assert problem.plan_files is not None  # `before` has seen to it
            cost = total_cost(problem.referee, result.plan.actions)
            with whole_file(Path(file)) as opened:
                opened.write(problem.plan_files.write(result.plan, cost).encode())
        if self.drawings:
            draw_files(
                result,
                self.drawings,
                lambda doing: report(replace(result, reason=doing)),
                rules=self.rules,
                allow_includes=self.allow_includes,
            )


def draw_files(
    result: Result,
    files: Sequence[str],
    doing: Callable[[str], None],
    *,
    settings: Settings | None = None,
    rules: str | None = None,
    allow_includes: bool = False,
) -> None:
    """Draw the plan of a result into files; the scene is made once for all of them.

    Parameters
    ----------
    doing
        Is told in words what is being done.
    """
    from asplan.drawing.rules import make_scene

    doing(f"drawing {files[0]}")
    scene = make_scene(result, rules, allow_includes)
    for file in files:

        def tell(done: int, of: int, file: str = file) -> None:
            doing(f"drawing {file}, frame {done} of {of}")

        write_drawing(Path(file), scene, settings or Settings(), tell)
