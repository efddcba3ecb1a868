"""The formats by suffix, and the settings that each of them has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from asplan.drawing.timing import make_timing
from asplan.engines.run import Report
from asplan.errors import MissingExtra, UsageError
from asplan.files import check_writable, whole_file
from asplan.problem import Problem
from asplan.registry import Later
from asplan.result import Result
from asplan.validation import total_cost

if TYPE_CHECKING:
    from asplan.drawing.scene import Scene
    from asplan.drawing.stage import Stage

Progress = Callable[[int, int], None]
"""Called with the number of frames that are done, and of all."""


@dataclass(frozen=True)
class Settings:
    """How a scene is shown.

    Attributes
    ----------
    size
        The longer side of the drawing in pixels; the caption comes below it.
    speed
        How fast an animation runs; 1 is 0.45 seconds a step.
    frames
        Frames from one step to the next.
    step
        The step that a still picture shows, or several: they stand side by side.
    caption
        Whether the step and its action are written below the drawing.
    """

    size: int = 480
    speed: float = 1.0
    frames: int = 10
    step: int | Sequence[int] = 0
    caption: bool = True

    @property
    def steps(self) -> Sequence[int]:
        """The steps that a still picture shows."""
        return (self.step,) if isinstance(self.step, int) else self.step


@dataclass(frozen=True)
class Format:
    """A kind of file: how it is written, which settings it has, and what it needs of an extra."""

    write: Callable[[BinaryIO, Scene, Settings, Progress], None]
    settings: frozenset[str]
    package: str | None = None


# What draws is imported when it is needed: it takes longer than the rest of asplan together.


def _animation(find: Callable[[], Any], package: str | None = None) -> Format:
    """A format whose writer takes a stage and a clock."""
    writer = Later(find)

    def write(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> None:
        timing = make_timing(settings.speed, settings.frames, scene.last)
        writer(file, _stage(scene, settings), timing, progress)

    return Format(write, frozenset({"size", "speed", "frames", "caption"}), package)


def _still(find: Callable[[], Any]) -> Format:
    """A format whose writer takes a stage and the steps to show."""
    writer = Later(find)

    def write(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> None:
        writer(file, _stage(scene, settings), settings.steps)
        progress(1, 1)

    return Format(write, frozenset({"size", "step", "caption"}))


def _page(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> None:
    from asplan.drawing.html import page

    file.write(page(scene, make_timing(settings.speed)).encode())
    progress(1, 1)


def _stage(scene: Scene, settings: Settings) -> Stage:
    from asplan.drawing.stage import Stage

    return Stage(scene, settings.size, settings.caption)


def _film() -> Any:
    from asplan.drawing import film

    return film


def _svg() -> Any:
    from asplan.drawing import svg

    return svg


FORMATS = {
    ".gif": _animation(lambda: _film().write_gif),
    ".mp4": _animation(lambda: _film().write_mp4, "av"),
    ".webm": _animation(lambda: _film().write_webm, "av"),
    ".webp": _animation(lambda: _film().write_webp),
    ".html": Format(_page, frozenset({"speed"})),
    ".png": _still(lambda: _svg().write_png),
    ".svg": _still(lambda: _svg().write_svg),
}


def find_format(path: Path, others: Iterable[str] = ()) -> Format:
    """The format that the suffix of a file names; `UsageError` if there is none.

    `others` are suffixes that the caller knows besides.
    """
    if found := FORMATS.get(path.suffix.lower()):
        return found
    known = ", ".join([*FORMATS, *others])
    problem = f"there is no format {path.suffix}" if path.suffix else "the name has no suffix"
    raise UsageError(f"{path}: {problem}", hint=f"the suffix chooses the format: {known}")


def check_outputs(paths: Sequence[Path], settings: Settings, others: Iterable[str] = ()) -> None:
    """Raise for what can be known to fail before anything is solved or drawn.

    Parameters
    ----------
    settings
        Each that is not the usual one must be a setting of one of the files at least.
    others
        Suffixes that the caller knows besides.

    Raises
    ------
    UsageError
        A format is unknown, a setting is one of no format, or a file cannot be written.
    MissingExtra
        A format needs a package that is not installed.
    """
    formats = [find_format(path, others) for path in paths]
    known = frozenset[str]().union(*(form.settings for form in formats))
    for field in fields(Settings):
        if field.name not in known and getattr(settings, field.name) != field.default:
            owners = [suffix for suffix, form in FORMATS.items() if field.name in form.settings]
            raise UsageError(
                f"{', '.join(map(str, paths))}: only {', '.join(owners)} have {field.name}"
            )
    for path, form in zip(paths, formats, strict=True):
        if form.package is not None and find_spec(form.package) is None:
            raise MissingExtra(
                f"{path}: films need PyAV ({form.package}), which is not installed",
                hint="pip install 'asplan[video]'",
            )
        check_writable(path)


def write_drawing(path: Path, scene: Scene, settings: Settings, progress: Progress) -> None:
    """Draw a scene into a file, which is written whole or not at all."""
    with whole_file(path) as file:
        find_format(path).write(file, scene, settings, progress)


# The files that are made of an answer as soon as it is there: drawings, and the plan itself.


PLANS = (".ipc", ".plan", ".soln")
"""Suffixes of files for the plan as those write it who write such problems."""


Look = tuple[int, int, int] | None
"""Number, size and time of change of a file; None if there is none."""


def _look(file: str) -> Look:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


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

    def seen(self) -> dict[str, Look]:
        """How each file looks now."""
        return {file: _look(file) for file in self.files}

    def missing(self, before: Mapping[str, Look]) -> list[str]:
        """The files that were not written since they looked as before.

        No clock is asked: that of their file system may be another one than ours.
        """
        return [file for file in self.files if _look(file) in (None, before[file])]

    def before(self, problem: Problem) -> None:
        """Raise before anything is solved what would hinder the writing afterwards."""
        if self.plans and problem.plan_files is None:
            raise UsageError(
                f"{self.plans[0]}: plans are written so for PDDL, and the files are none",
                hint="asplan solve --json prints the plan of any problem",
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
