"""The formats of drawings, registered by suffix, and the output files of a run.

An entry point in the group `asplan.formats` is named like the suffix without the dot and refers to
a `Format`. The modules that draw are imported only when needed, because importing them takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields, replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from asplan.core.budget import Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, MissingExtra, UsageError
from asplan.core.files import Stamp, atomic_file, check_writable, stamp_of
from asplan.core.installing import pip_install
from asplan.core.plan import Plan
from asplan.core.registry import entries
from asplan.core.text import amount
from asplan.execution import total_cost
from asplan.problem import Problem
from asplan.problem.kinds import TranslatedTask
from asplan.result import Result
from asplan.warnings import read_switches

if TYPE_CHECKING:
    from asplan.drawing.scene import Scene

Progress = Callable[[int, int], None]  # called with frames written and frames in all

GROUP = "asplan.formats"

_ORDER = ("gif", "mp4", "webm", "webp", "html", "png", "svg")
"""The order in which messages list asplan's own formats; formats of other packages follow."""


@dataclass(frozen=True)
class Settings:
    """The settings of a drawing; `asplan.render` describes each of them."""

    size: int | None = None  # None is the size of the scene: 480, or as much as a timeline needs
    speed: float = 1.0
    frames: int = 10
    step: int | Sequence[int] = 0
    caption: bool = True
    explain: bool = False
    show: Sequence[str] = ()
    coordinates: bool = False

    @property
    def steps(self) -> Sequence[int]:
        """The numbers of the states to draw in a picture, side by side."""
        return (self.step,) if isinstance(self.step, int) else self.step


@dataclass(frozen=True)
class Format:
    """A file format of drawings: the function that writes it, and the settings that it uses."""

    write: Callable[[BinaryIO, Scene, Settings, Progress], str | None]
    """Writes a scene into a file; returns a short description, such as frames and size, or None."""
    settings: frozenset[str]
    check: Callable[[Path], None] = lambda path: None
    """Raises `MissingExtra`, before anything is drawn, if a package that the format needs is
    missing.
    """


def _write_animation(
    suffix: str,
    file: BinaryIO,
    scene: Scene,
    settings: Settings,
    progress: Progress,
) -> str:
    from asplan.drawing import film
    from asplan.drawing.scene import make_timing
    from asplan.drawing.stage import Stage

    timing = make_timing(settings.speed, settings.frames, scene.last)
    stage = Stage(scene, settings.size or scene.size, settings.caption)
    film.WRITERS[suffix](file, stage, timing, progress)
    frames = amount(film.count_frames(stage, timing), "frame")
    width, height = stage.size
    return f"{frames}, {width}x{height} pixels"


def _write_picture(
    suffix: str,
    file: BinaryIO,
    scene: Scene,
    settings: Settings,
    progress: Progress,
) -> str:
    from asplan.drawing import stills
    from asplan.drawing.stage import Stage

    stage = Stage(scene, settings.size or scene.size, settings.caption)
    steps = settings.steps
    width, height = stills.WRITERS[suffix](file, stage, steps)
    progress(1, 1)
    drawn = f"step {steps[0]}" if len(steps) == 1 else f"{len(steps)} steps"
    return f"{drawn}, {width}x{height} pixels"


def _write_page(
    file: BinaryIO,
    scene: Scene,
    settings: Settings,
    progress: Progress,
) -> str:
    from asplan.drawing.html import make_page
    from asplan.drawing.scene import make_timing

    page = make_page(scene, make_timing(settings.speed))
    file.write(page.encode())
    progress(1, 1)
    return f"a page with {amount(scene.last, 'step')}"


def _check_films(path: Path) -> None:
    if find_spec("av") is None or find_spec("imageio") is None:
        what = f"{path}: films need PyAV (av) and imageio, which are not installed"
        raise MissingExtra(what, hint=pip_install("video"))


_ALL = frozenset({"show", "coordinates"})
"""The settings that every format accepts, because they change the scene and not the file."""
_MOVING = frozenset({"size", "speed", "frames", "caption"})
_STILL = frozenset({"size", "step", "caption"})

GIF = Format(partial(_write_animation, "gif"), _MOVING)
WEBP = Format(partial(_write_animation, "webp"), _MOVING)
MP4 = Format(partial(_write_animation, "mp4"), _MOVING, _check_films)
WEBM = Format(partial(_write_animation, "webm"), _MOVING, _check_films)
HTML = Format(_write_page, frozenset({"speed", "explain"}))
PNG = Format(partial(_write_picture, "png"), _STILL)
SVG = Format(partial(_write_picture, "svg"), _STILL)


def list_suffixes() -> list[str]:
    """Return the suffixes of all formats, asplan's own first."""
    others = sorted(entries(GROUP).keys() - set(_ORDER))
    return [f".{name}" for name in (*_ORDER, *others)]


def find_format(path: Path, others: Iterable[str] = ()) -> Format:
    """Return the format that the suffix of a file selects.

    Raises `UsageError` for an unknown suffix; the hint of the error lists the suffixes of all
    formats, followed by `others`, further suffixes that the user may choose.
    """
    suffix = path.suffix.lower()
    if entry := entries(GROUP).get(suffix[1:]):
        return entry.load_as(Format, "a format")
    if suffix:
        problem = f"there is no format {path.suffix}"
    elif path.name.startswith(".") and path.name[1:].lower() in entries(GROUP):
        problem = "the name before the suffix is missing"
    else:
        problem = "the name has no suffix"
    choices = ", ".join([*list_suffixes(), *others])
    raise UsageError(f"{path}: {problem}", hint=f"the suffix chooses the format: {choices}")


def check_outputs(
    paths: Sequence[Path],
    settings: Settings,
    others: Iterable[str] = (),
) -> None:
    """Check, before anything is solved, that drawings can be written with these settings.

    Raises `UsageError` for an unknown suffix, for a setting that none of the formats uses and for a
    file that cannot be written, and `MissingExtra` for a missing package. The hint about an unknown
    suffix lists the suffixes of all formats, followed by `others`, further suffixes that the user
    may choose.
    """
    formats = [find_format(path, others) for path in paths]
    used = _ALL.union(*(form.settings for form in formats))
    for field in fields(Settings):
        if field.name not in used:
            _check_default(paths, settings, field)
    for path, form in zip(paths, formats, strict=True):
        form.check(path)
        check_writable(path)


def _check_default(
    paths: Sequence[Path],
    settings: Settings,
    field: Field[object],
) -> None:
    """Raise `UsageError` if a setting has been changed, but none of the chosen formats uses it.

    `field` is the field of the setting, and `paths` are the output files for the message.
    """
    if getattr(settings, field.name) == field.default:
        return
    owners = []
    for suffix in list_suffixes():
        if field.name in find_format(Path(f"x{suffix}")).settings:
            owners.append(suffix)
    files = ", ".join(map(str, paths))
    raise UsageError(f"{files}: the option {field.name} is only for {', '.join(owners)}")


def write_drawing(
    path: Path,
    scene: Scene,
    settings: Settings,
    progress: Progress,
) -> str:
    """Write a scene into a file, whole or not at all.

    Return a sentence that describes the file to the user.
    """
    with atomic_file(path) as file:
        description = find_format(path).write(file, scene, settings, progress)
    return f"{path} is written: {description}" if description else f"{path} is written"


def prepare_scene(
    result: Result,
    settings: Settings,
    rules: str | None,
    allow_includes: bool,
    report: Reporter[str] = ignore_report,
    name: str = "",
) -> Scene:
    """Make the scene of a plan; `settings` may request derived atoms, coordinates and reasons.

    `rules` is a file with drawing rules; None selects the problem's own rules. `name` is the name
    of the plan in reports. Raises the errors of `make_scene`, `show_derived`, `add_coordinates` and
    `add_reasons`.
    """
    from asplan.drawing.rules import add_reasons, make_scene

    scene = make_scene(result, rules, allow_includes)
    if settings.show:
        from asplan.drawing.derived import show_derived

        report("looking for what the encoding derives")
        scene = show_derived(scene, result, settings.show, allow_includes)
    if settings.coordinates:
        from asplan.drawing.cells import add_coordinates

        scene = add_coordinates(scene)
    if not settings.explain:
        return scene
    where = f" in {name}" if name else ""
    report(f"finding the reasons of atoms{where}")
    return add_reasons(scene, result, allow_includes)


def draw_files(
    result: Result,
    files: Sequence[str],
    report: Reporter[str],
    *,
    settings: Settings,
    rules: str | None = None,
    allow_includes: bool = False,
) -> Result:
    """Draw a plan into each of several files.

    Returns the result with the warnings about the drawing rules and a sentence about each file.
    """
    report(f"drawing {files[0]}")
    scene = prepare_scene(
        result,
        settings,
        rules,
        allow_includes,
        report,
    )
    written = []
    for file in files:

        def report_frame(
            done: int,
            total: int,
            file: str = file,
        ) -> None:
            report(f"drawing {file}, frame {done} of {total}")

        written.append(write_drawing(Path(file), scene, settings, report_frame))
    warnings = (*result.warnings, *scene.warnings)
    return replace(result, warnings=warnings, written=(*result.written, *written))


def draw_pair(
    results: Mapping[str, Result],
    file: str,
    report: Reporter[str],
    *,
    settings: Settings,
    rules: str | None = None,
    allow_includes: bool = False,
) -> tuple[InputWarning, ...]:
    """Draw two named plans side by side into a page; return the warnings about the
    drawing rules.
    """
    from asplan.drawing.html import make_pair_page
    from asplan.drawing.scene import make_timing

    if Path(file).suffix.lower() != ".html":
        raise UsageError(f"{file}: two plans side by side make a page, such as both.html")
    scenes = {}
    for name, result in results.items():
        report(f"drawing {name}")
        scenes[name] = prepare_scene(
            result,
            settings,
            rules,
            allow_includes,
            report,
            name,
        )
    page = make_pair_page(scenes, make_timing(settings.speed))
    with atomic_file(Path(file)) as opened:
        opened.write(page.encode())
    return tuple(chain.from_iterable(scene.warnings for scene in scenes.values()))


PLANS = (".ipc", ".plan", ".soln")
"""The suffixes of plan files: the plan itself, written in the notation of its problem."""


@dataclass(frozen=True)
class Outputs:
    """The files that a run writes as soon as it has a plan."""

    files: tuple[str, ...] = ()
    rules: str | None = None
    """The file with drawing rules; None for those of the problem."""
    allow_includes: bool = False
    switches: tuple[str, ...] = ()
    """The switches that turn warnings off, as given to `-W`."""
    explain: bool = False
    """Whether a page shows the reason for each atom."""

    @property
    def plans(self) -> list[str]:
        """The files to which the plan itself is written, recognised by a suffix in `PLANS`."""
        return [file for file in self.files if Path(file).suffix.lower() in PLANS]

    @property
    def drawings(self) -> list[str]:
        """The files to which the plan is drawn: all but the plan files."""
        return [file for file in self.files if file not in self.plans]

    def check(self) -> None:
        """Check files and options before the input is read; raise the errors of `check_outputs`."""
        for file in self.plans:
            check_writable(Path(file))
        if self.explain and not self.drawings:
            raise UsageError("--explain needs a page, such as -o plan.html")
        drawings = list(map(Path, self.drawings))
        check_outputs(drawings, Settings(explain=self.explain), PLANS)
        if self.rules is not None and not self.drawings:
            raise UsageError("--draw needs a drawing, such as -o plan.gif")

    def missing(self, before: Mapping[str, Stamp]) -> list[str]:
        """Return the output files that have not been written since the stamps `before` were taken.

        A stamp is the time of change, size and inode of a file. Stamps are compared with each other
        and not with the clock, because the clock of the file system may differ from ours.
        """
        return [file for file in self.files if stamp_of(file) in (None, before[file])]

    def check_problem(self, problem: Problem) -> None:
        """Check before solving that the files can be written for this problem.

        Raises `UsageError` for a plan file of a problem without a plan notation, and `InputError`
        for wrong drawing rules.
        """
        if self.plans and not problem.is_translated:
            why = f"{self.plans[0]}: this format is for PDDL tasks, and the files are not PDDL"
            raise UsageError(why, hint="asplan solve --json prints the plan of any problem")
        if self.drawings:
            from asplan.drawing.rules import check_rules

            check_rules(problem, self.rules, self.allow_includes)

    def write(
        self,
        problem: Problem,
        result: Result,
        report: Reporter[Result],
    ) -> Result:
        """Write the plan files and the drawings, if there is a plan.

        Returns the result with a sentence about each file, and with the warnings of the drawing
        rules.
        """
        if result.plan is None:
            return result
        written = tuple(_write_plan(file, problem, result.plan) for file in self.plans)
        result = replace(result, written=(*result.written, *written))
        return self._draw(result, report) if self.drawings else result

    def _draw(self, result: Result, report: Reporter[Result]) -> Result:
        drawn = draw_files(
            result,
            self.drawings,
            lambda work: report(replace(result, reason=work)),
            settings=Settings(explain=self.explain),
            rules=self.rules,
            allow_includes=self.allow_includes,
        )
        off = read_switches(self.switches)
        warnings = tuple(warning for warning in drawn.warnings if warning.code not in off)
        return replace(drawn, warnings=warnings)


def _write_plan(file: str, problem: Problem, plan: Plan) -> str:
    """Write a plan in the problem's own notation; return a sentence about the file for the user."""
    assert isinstance(problem, TranslatedTask)  # `check_problem` has refused all others
    # A plan with times needs no cost.
    cost = 0
    if problem.source is not None:
        cost = total_cost(problem.source.referee, plan.actions)
    with atomic_file(Path(file)) as opened:
        opened.write(problem.write_plan(plan, cost).encode())
    return f"{file} is written: {amount(len(plan.actions), 'action')}"
