"""`asplan render`: drawings of plans in files."""

import re
from collections.abc import Sequence
from pathlib import Path

import click

from asplan.cli.diagnostics import print_warning
from asplan.cli.options import (
    Command,
    Value,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import in_worker, note
from asplan.cli.parameters import Number, Output, WholeNumber
from asplan.core.budget import Reporter
from asplan.core.errors import InputError, UsageError
from asplan.drawing.formats import Settings, check_outputs, draw_files, draw_pair
from asplan.result import Result
from asplan.stored import read_plan_file

MOST_STEPS = 1_000  # more than fit side by side at any size


class StepNumbers(click.ParamType[int | tuple[int, ...]]):
    """The type of an option for one step (3), or several: a list (0,5,10) or a range (0..10)."""

    name = "step"

    def convert(
        self,
        value: int | str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> int | tuple[int, ...]:
        """Return the step that a word names, or a tuple of several steps; refuse any other word."""
        if isinstance(value, int):
            return value
        numbers: list[int] = []
        for part in value.split(","):
            ends = re.fullmatch(r"(-?[0-9]{1,6})(?:\.\.(-?[0-9]{1,6}))?", part.strip())
            if ends is None:
                self.fail(f"{part!r} is not a step (3), a list (0,5) or a range (0..10)")
            steps = range(int(ends[1]), int(ends[2] or ends[1]) + 1)
            if not steps:
                self.fail(f"{part!r} is an empty range")
            if len(numbers) + len(steps) > MOST_STEPS:
                self.fail(f"at most {MOST_STEPS} steps can be drawn")
            numbers += steps
        return numbers[0] if len(numbers) == 1 else tuple(numbers)


class PredicateNames(click.ParamType[tuple[str, ...]]):
    """The type of an option for names of predicates, such as `busy,free` or `executable/5`."""

    name = "names"

    def convert(
        self,
        value: str | tuple[str, ...],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, ...]:
        """Return the names in a word, each once; refuse a word with anything else."""
        if not isinstance(value, str):
            return value
        names = [part.strip() for part in value.split(",")]
        for name in names:
            if re.fullmatch(r"_*[a-z]\w*(/[0-9]{1,2})?", name) is None:
                self.fail(f"{name!r} is no predicate, such as busy or busy/4")
        return tuple(dict.fromkeys(names))


@click.command("render", cls=Command, section="How it looks")
@click.argument("plan_files", metavar="PLAN.json...", type=click.Path(), nargs=-1, required=True)
@output_option(
    *("-o", "--output", "outputs"),
    metavar="FILE",
    type=Output(),
    required=True,
    multiple=True,
    help="Write this file: .gif, .mp4, .webm or .webp (animations), .html (a page with a player), "
    ".png or .svg (pictures). May be given several times.",
)
@shared_options("draw", "explain", "includes")
@option(
    "--size",
    type=WholeNumber(),
    default=Settings.size,
    help="Make the longer side this many pixels.",
)
@option("--speed", type=Number(), default=Settings.speed, help="Play this many times as fast.")
@option(
    "--frames",
    type=WholeNumber(),
    default=Settings.frames,
    help="Draw this many frames for each step.",
)
@option(
    "--step",
    type=StepNumbers(),
    default=Settings.step,
    metavar="N[,N…]|N..N",
    help="Draw this step in a picture, or several side by side: 0,5,10 or 0..10.",
)
@option(
    "--show",
    type=PredicateNames(),
    default=Settings.show,
    metavar="NAME[,NAME…]",
    help="Draw what the encoding derives at each time: cells, as of busy,free, and moves as "
    "arrows, as of executable.",
)
@option(
    "--coordinates/--no-coordinates",
    default=Settings.coordinates,
    help="Number the rows and the columns of the board.",
)
@option("--caption/--no-caption", default=Settings.caption, help="Write step and action below.")
@shared_options("limits", "debug")
@in_worker()
def command(
    report: Reporter[str],
    plan_files: tuple[str, ...],
    outputs: tuple[str, ...],
    draw: str | None,
    allow_includes: bool,
    **settings: Value,
) -> int:
    """Draw a plan: an animation, a page with a player, or pictures.

    PLAN.json is the output of asplan solve --json; the files that it names are read again. Drawing
    rules in ASP define the look: those of the domain, a draw.lp beside the encoding, or those of
    --draw. Without rules, asplan draws a board or a timeline.

    Two plans are drawn side by side in a page, in step, with marked differences.

    Examples:
      asplan solve sample02 --json > plan.json
      asplan render plan.json -o sample02.gif -o sample02.mp4
      asplan render plan.json -o start.png --step 0 --size 800
      asplan render plan.json -o strip.svg --step 0,5,10
      asplan render plan.json -o free.png --show busy,free --coordinates
      asplan render mine.json yours.json -o both.html
    """
    look = Settings(**settings)
    if len(plan_files) > 2:
        raise UsageError(f"{len(plan_files)} plans are too many: draw one, or two side by side")
    results = [_read_plan(file) for file in plan_files]
    check_outputs([Path(file) for file in outputs], look)
    if len(results) == 2:
        pair = dict(zip(_labels(plan_files), results, strict=True))
        for file in outputs:
            for warning in draw_pair(
                pair,
                file,
                report,
                rules=draw,
                allow_includes=allow_includes,
                settings=look,
            ):
                print_warning(warning)
            note(f"{file} is written: two plans side by side")
        return 0
    (result,) = results
    drawn = draw_files(
        result,
        outputs,
        report,
        rules=draw,
        allow_includes=allow_includes,
        settings=look,
    )
    for warning in drawn.warnings[len(result.warnings) :]:
        print_warning(warning)
    for message in drawn.written:
        note(message)
    return 0


def _read_plan(file: str) -> Result:
    result = read_plan_file(file)
    if result.plan is None and result.horizon is None:
        raise InputError(f"{file} holds no plan: its outcome is {result.outcome}")
    return result


def _labels(files: Sequence[str]) -> list[str]:
    """Return a different label for each file: its name without the suffix.

    If names repeat, the label is a number with the whole path.
    """
    names = [Path(file).stem for file in files]
    if len(set(names)) == len(names):
        return names
    return [f"{number}. {file}" for number, file in enumerate(files, 1)]
