"""`asplan solve`: the search for a plan.

What plans is imported when the command runs, so that its help and its completion are fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asplan.cli.options import (
    INSTANCE,
    Value,
    WithEngineOptions,
    limit_option,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import ProgressLine, note, print_json
from asplan.cli.parameters import Number, Output, WholeNumber
from asplan.core.errors import AsplanError, UsageError
from asplan.core.files import stamp_of
from asplan.core.limits import Limits, Stop
from asplan.core.text import amount
from asplan.engines import make_options

if TYPE_CHECKING:
    from asplan.core.budget import Reporter
    from asplan.core.plan import Plan
    from asplan.planner import Request
    from asplan.problem import Inputs
    from asplan.result import Result

_short = partial(output_option, type=Output(), expert=True)


class SolveCommand(WithEngineOptions):
    """The command, with the options for lists of plans if its words may contain one of them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters."""
        params = super().get_params(ctx)
        if not self.is_plain(ctx):
            from asplan.cli.listing import list_options

            params += list_options()
        return params


@click.command("solve", cls=SolveCommand)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1)
@shared_options("encoding", "steps", "engine", "constants", "actions", "horizon constant")
@shared_options("fresh", "switches", "max horizon")
@limit_option(
    "--min-horizon",
    type=WholeNumber(0),
    default=0,
    expert=True,
    help="Look for plans of at least this many steps.",
)
@shared_options("scripts", "includes", "limits")
@option(
    "--improve",
    section="What to find",
    type=Number(),
    metavar="SECONDS",
    help="Find any plan, then improve it for this many seconds (PDDL).",
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
    help="Print the first state and the changes of each step; with --json all states.",
)
@shared_options("draw", "explain", "json", "debug")
def command(  # noqa: PLR0913  # each option is a parameter
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
    **options: Value,
) -> int:
    """Find a shortest plan, check it, and prove bounds.

    FILE is an instance (a path, or the name of a shipped one), a complete incremental program with
    the parts base, step(t) and check(t), or a domain and a problem in PDDL; a problem alone is
    enough with domain.pddl beside it. Words after -- go to clingo.

    Examples:
      asplan solve my_encoding.lp my_instance.lp     a program of your own
      asplan solve sample02                          a shipped instance
      asplan solve sample02 -e origin -c metric=slide
      asplan solve sample02 -o sample02.gif --time-limit 60
      asplan solve domain.pddl problem.pddl --first  PDDL; any plan, fast
      asplan solve sample03 -- --configuration=jumpy
    """
    from asplan.cli.results import print_result
    from asplan.planner import Request
    from asplan.problem import Inputs

    limits = replace(limits, min_horizon=min_horizon, max_horizon=max_horizon)
    own = {field.name: options.pop(field.name) for field in fields(Inputs) if field.name in options}
    inputs = Inputs(files, **own)
    written = (*_of_format(".gif", gif), *_of_format(".html", html), *outputs)
    drawings = None
    if written or draw is not None or explain:
        from asplan.drawing.formats import Outputs

        drawings = Outputs(written, draw, inputs.allow_includes, inputs.switches, explain)
        drawings.check()
    printer = finder = None
    if "plans" in options:
        from asplan.cli.listing import take_list

        printer, finder = take_list(options, as_json)
    request = Request(
        inputs,
        engine,
        make_options(engine, options, limits),
        limits,
        improve=improve,
        plan=_first_plan(inputs, plan_file),
        finder=finder,
        before=drawings.check_problem if drawings else None,
        after=drawings.write if drawings else None,
        is_drawn=True,
        states=states,
    )
    stamps = {file: stamp_of(file) for file in written}
    with ProgressLine() as line:
        result, error = _answer(request, line, printer.show if printer else None)
    line.warn_of(result.warnings)
    if as_json:
        from asplan.stored import to_json

        print_json(to_json(result, states))
    elif printer:
        printer.end(result, inputs, options.get("optimal"))
    else:
        print_result(result, inputs, options.get("optimal"), states)
    if error is not None:
        raise error
    missing = drawings.missing(stamps) if drawings else []
    _print_files(result, missing)
    return _status(result, is_incomplete=bool(missing))


def _print_files(result: Result, missing: Iterable[str]) -> None:
    """Print a message for each drawing or plan file that was written, or is missing."""
    for message in result.written:
        note(message)
    for file in missing:
        note(f"{_why_missing(result)}{file} is not written")


def _first_plan(inputs: Inputs, plan_file: str | None) -> Plan | None:
    if plan_file is None:
        return None
    from asplan.api.checking import first_plan

    return first_plan(inputs, plan_file)


def _status(result: Result, is_incomplete: bool) -> int:
    """Return the exit status of a result.

    `is_incomplete` means that an output file was not written; the status is then not 0.
    """
    from asplan.result import Outcome

    if result.stopped == Stop.INTERRUPT:
        return 130
    if result.outcome is Outcome.UNSOLVABLE:
        return 3
    return int(is_incomplete or result.outcome is Outcome.UNKNOWN)


def _why_missing(result: Result) -> str:
    """Return the reason why files were not written, as the beginning of a sentence."""
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


def _answer(
    request: Request, line: ProgressLine, show_plans: Reporter[Result] | None
) -> tuple[Result, AsplanError | None]:
    """Solve the request; return the result and None.

    If an error occurs once a plan is checked, such as in drawing, return the checked result and the
    error.
    """
    from asplan.cli.results import bounds
    from asplan.planner import answer

    checked: list[Result] = []
    shown = 0  # number of improvements above the line

    def show(result: Result) -> None:
        nonlocal shown
        line.warn_of(result.warnings)
        if result.validated:
            checked.append(result)
        for made in result.improvements[shown:]:
            cost = "" if made.cost is None else f", cost {made.cost}"
            line.print(f"{made.seconds:.2f} s: a plan of {amount(made.actions, 'action')}{cost}")
        shown = len(result.improvements)
        if show_plans:
            with line.paused():
                show_plans(result)
        conflicts = amount(result.statistics.conflicts or 0, "conflict")
        line.show(result.reason, *bounds(result), conflicts)

    try:
        return answer(request, show, isolate=True), None
    except AsplanError as error:
        if not checked:
            raise
        return checked[-1], error
