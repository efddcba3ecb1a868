"""`asplan solve`: find a plan, check it, and say what is proven."""

from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from asplan.cli.options import (
    INSTANCE,
    Output,
    WithEngineOptions,
    limit_option,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import Line, bounds, print_json, print_result
from asplan.core.errors import AsplanError, UsageError
from asplan.core.files import stamp_of
from asplan.core.limits import Limits, Stop
from asplan.core.text import amount, printable
from asplan.engines import make_options
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Outcome, Result

_short = partial(output_option, type=Output(), expert=True)


@click.command("solve", cls=WithEngineOptions)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1)
@shared_options("encoding", "steps", "engine", "constants", "actions", "horizon constant")
@shared_options("fresh", "switches", "max horizon")
@limit_option(
    "--min-horizon",
    type=click.IntRange(0),
    default=0,
    expert=True,
    help="Look for plans of at least this many steps.",
)
@shared_options("scripts", "includes", "limits")
@option(
    "--improve",
    section="What to find",
    type=float,
    metavar="SECONDS",
    help="Find any plan, then ever better ones for so long (PDDL).",
)
@option(
    "--from",
    "plan_file",
    section="What to find",
    expert=True,
    type=click.Path(),
    metavar="PLAN",
    help="Improve the plan in this file.",
)
@output_option(
    *("-o", "--output", "outputs"),
    type=Output(),
    metavar="FILE",
    multiple=True,
    help="Draw the plan into this file, or write it: .gif, .mp4, .webm, .webp, .html, .png, .svg; "
    "for PDDL .ipc, .plan, .soln. May be given several times.",
)
@_short("--gif", metavar="F.gif", help="Short for -o F.gif.")
@_short("--html", metavar="F.html", help="Short for -o F.html.")
@output_option(
    "--states",
    is_flag=True,
    help="Say what holds at first, and what each step changes; in JSON what holds after each.",
)
@shared_options("draw", "explain", "json", "debug")
def command(
    files: tuple[str, ...],
    engine: str,
    min_horizon: int,
    max_horizon: int | None,
    limits: Limits,
    improve: float | None,
    plan_file: str | None,
    outputs: tuple[str, ...],
    gif: str | None,
    html: str | None,
    draw: str | None,
    explain: bool,
    states: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find a shortest plan, check it, and say what is proven.

    FILE is an instance (a path, or the name of a shipped one), a whole incremental program with
    the parts base, step(t) and check(t), or a domain and a problem in PDDL; a problem alone does
    with domain.pddl beside it. Words after -- go to clingo.

    Examples:
      asplan solve my_encoding.lp my_instance.lp     a program of your own
      asplan solve sample02                          a shipped instance
      asplan solve sample02 -e origin -c metric=slide
      asplan solve sample02 -o sample02.gif --time-limit 60
      asplan solve domain.pddl problem.pddl --first  PDDL; any plan, and soon
      asplan solve sample03 -- --configuration=jumpy
    """
    limits = replace(limits, min_horizon=min_horizon, max_horizon=max_horizon)
    own = {field.name: options.pop(field.name) for field in fields(Inputs) if field.name in options}
    inputs = Inputs(files, **own)
    written = (*_of_format(".gif", gif), *_of_format(".html", html), *outputs)
    drawings = None
    if written or draw is not None or explain:
        from asplan.drawing.formats import Outputs

        drawings = Outputs(written, draw, inputs.allow_includes, inputs.switches, explain)
        drawings.check()
    plan = None
    if plan_file is not None:
        from asplan.api.checking import first_plan

        plan = first_plan(inputs, plan_file)
    chosen = make_options(engine, options, limits)
    before, after = (drawings.check_problem, drawings.write) if drawings else (None, None)
    request = Request(inputs, engine, chosen, limits, improve, plan, before, after, True, states)
    stamps = {file: stamp_of(file) for file in written}
    with Line() as line:
        result, error = _answer(request, line)
    line.warn_of(result.warnings)
    if as_json:
        from asplan.stored import to_json

        print_json(to_json(result, states))
    else:
        print_result(result, inputs, options.get("optimal"), states)
    if error is not None:
        raise error
    for said in result.written:
        click.echo(printable(f"asplan: {said}"), err=True)
    missing = drawings.missing(stamps) if drawings else []
    for file in missing:
        click.echo(printable(f"asplan: {_why_missing(result)}{file} is not written"), err=True)
    if result.stopped == Stop.INTERRUPT:
        return 130
    status = {Outcome.UNSOLVABLE: 3, Outcome.UNKNOWN: 1}.get(result.outcome, 0)
    return status or int(bool(missing))


def _why_missing(result: Result) -> str:
    """Return why files of a plan are not written, as the beginning of a sentence."""
    if result.plan is not None:
        return ""
    if result.no_actions:
        return f"no actions are listed ({result.no_actions}), so "
    return "there is no plan, so "


def _of_format(suffix: str, file: str | None) -> list[str]:
    if file is None:
        return []
    from asplan.drawing.formats import find_format

    find_format(Path(file))
    if not file.lower().endswith(suffix):
        raise UsageError(f"{file}: the name does not end with {suffix}")
    return [file]


def _answer(request: Request, line: Line) -> tuple[Result, AsplanError | None]:
    """The result, and what went wrong after it was found: a plan that is not drawn is still one."""
    checked, told = list[Result](), 0

    def show(found: Result) -> None:
        nonlocal told
        line.warn_of(found.warnings)
        if found.validated:
            checked.append(found)
        for made in found.improvements[told:]:
            cost = "" if made.cost is None else f", cost {made.cost}"
            line.say(f"{made.seconds:.2f} s: a plan of {amount(made.actions, 'action')}{cost}")
        told = len(found.improvements)
        line.show(found.reason, *bounds(found), amount(found.statistics.conflicts or 0, "conflict"))

    try:
        return answer(request, show, isolate=True), None
    except AsplanError as error:
        if not checked:
            raise
        return checked[-1], error
