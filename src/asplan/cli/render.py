"""`asplan render`: draw a plan from a file."""

import re
from pathlib import Path
from typing import Any

import click

from asplan.cli.options import Command, Output, option, output_option, shared_options
from asplan.cli.output import Doing, in_worker, warn
from asplan.core.errors import InputError, UsageError
from asplan.core.text import printable
from asplan.drawing.formats import Settings, check_outputs, draw_files, draw_pair
from asplan.stored import read_plan_file

MOST_STEPS = 1_000  # more than fit side by side, however small they are


class Step(click.ParamType[int | tuple[int, ...]]):
    """A step of a plan, or several, as ASP writes intervals: 3, or 0,5,10, or 0..10."""

    name = "step"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | tuple[int, ...]:
        if isinstance(value, int):
            return value
        found: list[int] = []
        for part in value.split(","):
            ends = re.fullmatch(r"(-?[0-9]{1,6})(?:\.\.(-?[0-9]{1,6}))?", part.strip())
            if ends is None:
                self.fail(f"{part!r} is no step, such as 3, nor several, such as 0,5 or 0..10.")
            steps = range(int(ends[1]), int(ends[2] or ends[1]) + 1)
            if not steps:
                self.fail(f"{part!r} holds no step.")
            if len(found) + len(steps) > MOST_STEPS:
                self.fail(f"these are more than {MOST_STEPS} steps.")
            found += steps
        return found[0] if len(found) == 1 else tuple(found)


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
@option("--size", type=int, default=Settings.size, help="Make the longer side so many pixels.")
@option("--speed", type=float, default=Settings.speed, help="Play so many times as fast.")
@option("--frames", type=int, default=Settings.frames, help="Draw so many frames for each step.")
@option(
    "--step",
    type=Step(),
    default=Settings.step,
    metavar="N[,N…]|N..N",
    help="Draw this step in a picture, or several side by side: 0,5,10 or 0..10.",
)
@option("--caption/--no-caption", default=Settings.caption, help="Write step and action below.")
@shared_options("limits", "debug")
@in_worker()
def command(
    doing: Doing,
    plan_files: tuple[str, ...],
    outputs: tuple[str, ...],
    draw: str | None,
    allow_includes: bool,
    **settings: Any,
) -> int:
    """Draw a plan: an animation, a page with a player, or pictures.

    PLAN.json is what asplan solve --json prints; the files that it names are read once more. How
    things look is said by drawing rules in ASP: those of the domain, a draw.lp beside the
    encoding, or those given by --draw. Where there are none, asplan draws a board or a timeline.

    Two plans are set side by side in a page, in step, with what differs marked.

    Examples:
      asplan solve sample02 --json > plan.json
      asplan render plan.json -o sample02.gif -o sample02.mp4
      asplan render plan.json -o start.png --step 0 --size 800
      asplan render plan.json -o strip.svg --step 0,5,10
      asplan render mine.json yours.json -o both.html
    """
    look = Settings(**settings)
    way: dict[str, Any] = {"rules": draw, "allow_includes": allow_includes}
    if len(plan_files) > 2:
        raise UsageError(f"{len(plan_files)} plans are too many: one is drawn, or two side by side")
    results = [read_plan_file(file) for file in plan_files]
    for file, result in zip(plan_files, results, strict=True):
        if result.plan is None and result.horizon is None:
            raise InputError(f"{file} holds no plan: its outcome is {result.outcome}")
    check_outputs([Path(file) for file in outputs], look)
    if len(results) == 2:
        names = [Path(file).stem for file in plan_files]
        if names[0] == names[1]:  # their folders alone tell them apart
            names = [f"{n}. {file}" for n, file in enumerate(plan_files, 1)]
        for file in outputs:
            pair = dict(zip(names, results, strict=True))
            for slip in draw_pair(pair, file, doing, settings=look, **way):
                warn(str(slip))
            click.echo(printable(f"asplan: {file} is written: two plans side by side"), err=True)
        return 0
    (result,) = results
    drawn = draw_files(result, outputs, doing, settings=look, **way)
    for warning in drawn.warnings[len(result.warnings) :]:
        warn(str(warning))
    for said in drawn.written:
        click.echo(printable(f"asplan: {said}"), err=True)
    return 0
