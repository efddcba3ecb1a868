"""The formats of drawings, which are registered by their suffixes, and the files that a run writes.

An entry point in the group `asplan.formats` is named like the suffix without the dot, and leads to
a `Format`. What draws is imported when it is needed, for that takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from asplan.core.errors import InputWarning, MissingExtra, UsageError
from asplan.core.files import Stamp, check_writable, stamp_of, whole_file
from asplan.core.registry import entries
from asplan.core.text import amount
from asplan.engines.run import Report
from asplan.problem import Problem
from asplan.result import Result
from asplan.validation import total_cost
from asplan.warnings.catalogue import read_switches

if TYPE_CHECKING:
    from asplan.drawing.scene import Scene

Progress = Callable[[int, int], None]  # called with the number of frames that are done, and of all

GROUP = "asplan.formats"

_ORDER = ("gif", "mp4", "webm", "webp", "html", "png", "svg")
"""The order in which messages name them; those of other packages follow."""


@dataclass(frozen=True)
class Settings:
    """How a scene is shown; `asplan.render` says what each setting means."""

    size: int | None = None  # None is that of the scene: 480, or what a timeline needs
    speed: float = 1.0
    frames: int = 10
    step: int | Sequence[int] = 0
    caption: bool = True
    explain: bool = False

    @property
    def steps(self) -> Sequence[int]:
        return (self.step,) if isinstance(self.step, int) else self.step


@dataclass(frozen=True)
class Format:
    """A kind of file: what writes a scene into it, and which settings that heeds."""

    write: Callable[[BinaryIO, Scene, Settings, Progress], str | None]
    """Returns what was written, such as the number of frames and their size."""
    settings: frozenset[str]
    check: Callable[[Path], None] = lambda path: None
    """Raises before anything is drawn where something is missing that the format needs."""


def _animate(
    suffix: str, file: BinaryIO, scene: Scene, settings: Settings, progress: Progress
) -> str:
    from asplan.drawing import film
    from asplan.drawing.scene import make_timing
    from asplan.drawing.stage import Stage

    timing = make_timing(settings.speed, settings.frames, scene.last)
    stage = Stage(scene, settings.size or scene.size, settings.caption)
    film.WRITERS[suffix](file, stage, timing, progress)
    frames = amount(film.number_of_frames(stage, timing), "frame")
    return "{}, {}x{} pixels".format(frames, *stage.size)


def _picture(
    suffix: str, file: BinaryIO, scene: Scene, settings: Settings, progress: Progress
) -> str:
    from asplan.drawing import svg
    from asplan.drawing.stage import Stage

    stage = Stage(scene, settings.size or scene.size, settings.caption)
    width, height = svg.WRITERS[suffix](file, stage, settings.steps)
    progress(1, 1)
    steps = settings.steps
    which = f"step {steps[0]}" if len(steps) == 1 else f"{len(steps)} steps"
    return f"{which}, {width}x{height} pixels"


def _page(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> str:
    from asplan.drawing.html import page
    from asplan.drawing.scene import make_timing

    file.write(page(scene, make_timing(settings.speed)).encode())
    progress(1, 1)
    return f"a page with {amount(scene.last, 'step')}"


def _check_films(path: Path) -> None:
    if find_spec("av") is None:
        hint = "pip install 'asplan[video]'"
        raise MissingExtra(f"{path}: films need PyAV (av), which is not installed", hint=hint)


_MOVING = frozenset({"size", "speed", "frames", "caption"})
_STILL = frozenset({"size", "step", "caption"})

GIF = Format(partial(_animate, "gif"), _MOVING)
WEBP = Format(partial(_animate, "webp"), _MOVING)
MP4 = Format(partial(_animate, "mp4"), _MOVING, _check_films)
WEBM = Format(partial(_animate, "webm"), _MOVING, _check_films)
HTML = Format(_page, frozenset({"speed", "explain"}))
PNG = Format(partial(_picture, "png"), _STILL)
SVG = Format(partial(_picture, "svg"), _STILL)


def suffixes() -> list[str]:
    """The suffixes of all formats, asplan's own first."""
    return [f".{name}" for name in [*_ORDER, *sorted(entries(GROUP).keys() - set(_ORDER))]]


def find_format(path: Path, others: Iterable[str] = ()) -> Format:
    """The format that the suffix of a file names; `others` exist besides."""
    suffix = path.suffix.lower()
    if entry := entries(GROUP).get(suffix[1:]):
        return entry.load_as(Format, "a format")
    problem = f"there is no format {path.suffix}" if suffix else "the name has no suffix"
    known = ", ".join([*suffixes(), *others])
    raise UsageError(f"{path}: {problem}", hint=f"the suffix chooses the format: {known}")


def check_outputs(paths: Sequence[Path], settings: Settings, others: Iterable[str] = ()) -> None:
    """Raise what can be known to fail before anything is solved, such as settings nobody heeds."""
    formats = [find_format(path, others) for path in paths]
    known = frozenset[str]().union(*(form.settings for form in formats))
    for field in fields(Settings):
        if field.name not in known and getattr(settings, field.name) != field.default:
            all_formats = {suffix: find_format(Path(f"x{suffix}")) for suffix in suffixes()}
            owners = [suffix for suffix, form in all_formats.items() if field.name in form.settings]
            raise UsageError(
                f"{', '.join(map(str, paths))}: only {', '.join(owners)} "
                f"{'has' if len(owners) == 1 else 'have'} {field.name}"
            )
    for path, form in zip(paths, formats, strict=True):
        form.check(path)
        check_writable(path)


def write_drawing(path: Path, scene: Scene, settings: Settings, progress: Progress) -> str:
    with whole_file(path) as file:
        what = find_format(path).write(file, scene, settings, progress)
    return f"{path} is written: {what}" if what else f"{path} is written"


def scene_of(
    result: Result,
    settings: Settings,
    rules: str | None,
    allow_includes: bool,
    doing: Callable[[str], None] = lambda what: None,
    where: str = "",
) -> Scene:
    """What the plan of a result looks like, with why atoms hold if the settings ask for it."""
    from asplan.drawing.rules import make_scene, with_reasons

    scene = make_scene(result, rules, allow_includes)
    if settings.explain:
        doing(f"looking for why atoms hold{where}")
        scene = with_reasons(scene, result, allow_includes)
    return scene


def draw_files(
    result: Result,
    files: Sequence[str],
    doing: Callable[[str], None],
    *,
    settings: Settings,
    rules: str | None = None,
    allow_includes: bool = False,
) -> Result:
    """Draw a plan into files from one scene; the result with what to say of it."""
    doing(f"drawing {files[0]}")
    scene = scene_of(result, settings, rules, allow_includes, doing)
    written = []
    for file in files:

        def show(done: int, of: int, file: str = file) -> None:
            doing(f"drawing {file}, frame {done} of {of}")

        written.append(write_drawing(Path(file), scene, settings, show))
    warnings = (*result.warnings, *scene.warnings)
    return replace(result, warnings=warnings, written=(*result.written, *written))


def draw_pair(
    results: Mapping[str, Result],
    file: str,
    doing: Callable[[str], None],
    *,
    settings: Settings,
    rules: str | None = None,
    allow_includes: bool = False,
) -> tuple[InputWarning, ...]:
    """Draw two plans side by side into a page; what is most likely wrong in the drawing rules."""
    from asplan.drawing.html import pair_page
    from asplan.drawing.scene import make_timing

    if Path(file).suffix.lower() != ".html":
        raise UsageError(f"{file}: two plans side by side make a page, such as both.html")
    scenes = {}
    for name, result in results.items():
        doing(f"drawing {name}")
        scenes[name] = scene_of(result, settings, rules, allow_includes, doing, f" in {name}")
    with whole_file(Path(file)) as opened:
        opened.write(pair_page(scenes, make_timing(settings.speed)).encode())
    return tuple(slip for scene in scenes.values() for slip in scene.warnings)


PLANS = (".ipc", ".plan", ".soln")
"""Suffixes of files for the plan as those write it who write such problems."""


@dataclass(frozen=True)
class Outputs:
    """The files to write as soon as there is an answer, and the drawing rules if they are named."""

    files: tuple[str, ...] = ()
    rules: str | None = None
    allow_includes: bool = False
    switches: tuple[str, ...] = ()  # those of warnings
    explain: bool = False  # whether a page is to say why atoms hold

    @property
    def plans(self) -> list[str]:
        return [file for file in self.files if Path(file).suffix.lower() in PLANS]

    @property
    def drawings(self) -> list[str]:
        return [file for file in self.files if file not in self.plans]

    def check(self) -> None:
        """Raise `UsageError` for what can be known to fail before anything is read."""
        for file in self.plans:
            check_writable(Path(file))
        if self.explain and not self.drawings:
            raise UsageError("--explain needs a page, such as -o plan.html")
        check_outputs(list(map(Path, self.drawings)), Settings(explain=self.explain), PLANS)
        if self.rules is not None and not self.drawings:
            raise UsageError("--draw needs a drawing, such as -o plan.gif")

    def missing(self, before: Mapping[str, Stamp]) -> list[str]:
        """The files not written since they were as before, by no clock, which may be another's."""
        return [file for file in self.files if stamp_of(file) in (None, before[file])]

    def before(self, problem: Problem) -> None:
        """Raise before anything is solved what would hinder the writing afterwards."""
        if self.plans and problem.plan_files is None:
            why = f"{self.plans[0]}: plans are written so for PDDL, and the files are none"
            raise UsageError(why, hint="asplan solve --json prints the plan of any problem")
        if self.drawings:
            from asplan.drawing.rules import check_rules

            check_rules(problem, self.rules, self.allow_includes)

    def after(self, problem: Problem, result: Result, report: Report) -> Result:
        """Write the plan of a result, if it has one; the result with what to say of the files."""
        if result.plan is None:
            return result
        for file in self.plans:
            assert problem.plan_files is not None  # `before` has seen to it
            # What a plan with times is worth is told by its times.
            cost = 0 if result.plan.times else total_cost(problem.referee, result.plan.actions)
            with whole_file(Path(file)) as opened:
                opened.write(problem.plan_files.write(result.plan, cost).encode())
            said = f"{file} is written: {amount(len(result.plan.actions), 'action')}"
            result = replace(result, written=(*result.written, said))
        if self.drawings:
            off = read_switches(self.switches)
            drawn = draw_files(
                result,
                self.drawings,
                lambda doing: report(replace(result, reason=doing)),
                settings=Settings(explain=self.explain),
                rules=self.rules,
                allow_includes=self.allow_includes,
            )
            left = tuple(slip for slip in drawn.warnings if slip.code not in off)
            result = replace(drawn, warnings=left)
        return result
