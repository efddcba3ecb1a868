"""`asplan render`: draw a plan from a file."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from asplan.cli.parameters import debug_option, draw_option, includes_option
from asplan.cli.work import Doing, in_worker, limit_options
from asplan.drawing import render
from asplan.drawing.formats import Settings
from asplan.errors import InputError
from asplan.limits import Limits
from asplan.stored import read_plan_file

_EPILOG = """
\b
Examples:
  asplan solve sample02 --json > plan.json
  asplan render plan.json -o sample02.gif
  asplan render plan.json -o sample02.html --speed 2
  asplan render plan.json -o start.png --step 0 --size 800
  asplan render plan.json -o my.gif --draw my_draw.lp
"""


@click.command("render", epilog=_EPILOG)
@click.argument("plan_file", metavar="PLAN.json", type=click.Path())
@click.option(
    "-o",
    "--output",
    metavar="F.gif|F.html|F.png",
    type=click.Path(),
    required=True,
    help="The file to write; its suffix chooses the format.",
)
@draw_option
@includes_option
@click.option("--size", type=int, default=Settings.size, help="Longer side in pixels (GIF, PNG).")
@click.option("--speed", type=float, default=Settings.speed, help="1 is normal (GIF, HTML).")
@click.option("--frames", type=int, default=Settings.frames, help="Frames of one step (GIF).")
@click.option("--step", type=int, default=Settings.step, help="The step to draw (PNG).")
@click.option(
    "--caption/--no-caption",
    default=Settings.caption,
    help="Whether to write step and action below the drawing (GIF, PNG).",
)
@limit_options
@debug_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    plan_file: str,
    output: str,
    time_limit: float | None,
    memory_limit: int | None,
    **settings: Any,
) -> None:
    """Draw a plan as an animation (GIF), a page with a player (HTML), or one step of it (PNG).

    PLAN.json is what asplan solve --json prints; the files that it names are read once more. How
    things look is said by drawing rules in ASP: those of the domain, a draw.lp beside the
    encoding, or those given by --draw.
    """
    work = partial(_render, plan_file, output, settings)
    ctx.exit(in_worker(work, Limits(time_limit, memory_limit)))


def _render(plan_file: str, output: str, settings: dict[str, Any], doing: Doing) -> int:
    result = read_plan_file(plan_file)
    if result.plan is None and result.horizon is None:
        raise InputError(f"{plan_file} holds no plan: its outcome is {result.outcome}")
    doing(f"drawing {output}")

    def progress(done: int, of: int) -> None:
        doing(f"drawing {output}, frame {done} of {of}")

    render(result, output, progress=progress, **settings)
    return 0
