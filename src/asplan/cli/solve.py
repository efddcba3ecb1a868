"""`asplan solve`: find a plan, check it, and say what is proven."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from asplan.cli.parameters import (
    ENCODING,
    ENGINE,
    INSTANCE,
    Output,
    WithClingoOptions,
    constant_options,
    debug_option,
    draw_option,
    engine_options,
    includes_option,
    named,
    steps_option,
)
from asplan.cli.work import Progress, exit_status, print_json, print_warnings
from asplan.drawing.formats import Outputs
from asplan.engines import make_options
from asplan.errors import AsplanError
from asplan.limits import Limits
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Result

_EPILOG = """
\b
Examples:
  asplan solve sample02                          a shipped instance, the fastest encoding
  asplan solve sample02 -e origin --metric slide
  asplan solve sample02 -e origin --mode minimize --horizon 40
  asplan solve sample02 -o sample02.mp4 -o sample02.gif -o sample02.html
  asplan solve board.lp --time-limit 60 --json > plan.json
  asplan solve my_encoding.lp my_instance.lp --models 0
  asplan solve domain.pddl problem.pddl          PDDL; with --first any plan, and soon
  asplan solve blocks-1 --optimal actions -o plan.ipc
  asplan solve sample03 --threads 2 -- --configuration=jumpy

\b
Exit status: 0 a plan was found, 1 no answer within the limits, 2 bad usage or bad input,
3 proven unsolvable, 4 the plan failed its validation, 130 interrupted.
"""


@click.command("solve", cls=WithClingoOptions, epilog=_EPILOG)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1)
@click.option("-e", "--encoding", type=ENCODING, help="A name or a path, NAME:CONST=VALUE too.")
@steps_option
@click.option("--engine", type=ENGINE, default="asp", show_default=True)
@engine_options
@constant_options
@click.option("--min-horizon", type=click.IntRange(0), default=0, help="Begin here.")
@click.option("--max-horizon", type=click.IntRange(0), help="Give up after this one.")
@click.option("--allow-scripts", is_flag=True, help="Run #script (python) of the files.")
@includes_option
@click.option("--time-limit", type=click.FloatRange(0), metavar="S", help="Seconds.")
@click.option("--memory-limit", type=click.IntRange(1), metavar="MB", help="Megabytes.")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=Output(),
    metavar="FILE",
    multiple=True,
    help="Draw the plan: .gif, .mp4, .webm or .webp (animations), .html (a page with a "
    "player), .png or .svg (the start); .ipc, .plan or .soln: write it (PDDL). May be given "
    "several times.",
)
@click.option("--gif", type=Output(), metavar="F.gif", help="Short for -o F.gif.")
@click.option("--html", type=Output(), metavar="F.html", help="Short for -o F.html.")
@draw_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@debug_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    encoding: str | None,
    steps: str | None,
    engine: str,
    constants: dict[str, str],
    min_horizon: int,
    max_horizon: int | None,
    allow_scripts: bool,
    allow_includes: bool,
    time_limit: float | None,
    memory_limit: int | None,
    outputs: tuple[str, ...],
    gif: str | None,
    html: str | None,
    draw: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find a shortest plan, check it, and say what is proven.

    FILE is an instance (a path, or the name of a shipped one), a whole incremental program with
    the parts base, step(t) and check(t), or a domain and a problem in PDDL; a problem alone does
    with domain.pddl beside it. Words after -- go to clingo.
    """
    limits = Limits(time_limit, memory_limit, min_horizon, max_horizon)
    drawings = Outputs((*named(".gif", gif), *named(".html", html), *outputs), draw, allow_includes)
    drawings.check()
    request = Request(
        words=Inputs(files, None, encoding, constants, allow_scripts, allow_includes, steps=steps),
        engine=engine,
        options=make_options(engine, options, limits),
        limits=limits,
        before=drawings.before,
        after=drawings.after,
        is_drawn=True,
    )
    before = drawings.stamps()
    with Progress() as progress:
        result, error = _answered(request, progress, _load_json if as_json else _load_text)
    if as_json:
        print_json(_load_json()(result))
    else:
        _load_text()(result, options["optimal"])
    print_warnings(result)
    if error is not None:
        raise error
    missing = drawings.missing(before)
    for file in missing:
        why = "there is no plan, so " if result.plan is None else ""
        click.echo(f"asplan: {why}{file} is not written", err=True)
    ctx.exit(exit_status(result) or bool(missing))


def _load_text() -> Callable[[Result, str | None], None]:
    from asplan.cli.output import print_result

    return print_result


def _load_json() -> Callable[[Result], dict[str, Any]]:
    from asplan.result import to_json

    return to_json


def _answered(
    request: Request, progress: Progress, load: Callable[[], object]
) -> tuple[Result, AsplanError | None]:
    """The result, and what went wrong after it was found: a plan that is not drawn is still one."""
    checked: list[Result] = []

    def remember(partial_result: Result) -> None:
        load()  # the worker is busy, so this costs no time
        if partial_result.validated:
            checked.append(partial_result)
        progress(partial_result)

    try:
        return answer(request, remember, isolate=True), None
    except AsplanError as error:
        if not checked:
            raise
        return checked[0], error
