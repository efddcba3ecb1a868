"""`asplan solve`: find a plan, check it, and say what is proven."""

from __future__ import annotations

from typing import Any

import click

from asplan.api import make_request
from asplan.cli.drawings import Drawings
from asplan.cli.output import Progress, exit_status, print_json, print_result
from asplan.cli.parameters import (
    ENCODING,
    ENGINE,
    INSTANCE,
    WithClingoOptions,
    constant_options,
    debug_option,
    draw_option,
)
from asplan.limits import Limits
from asplan.planfile import to_json
from asplan.planner import solve_request
from asplan.task import Options

_EPILOG = """
\b
Examples:
  asplan solve sample02                          a shipped instance, the fastest encoding
  asplan solve sample02 -e origin --metric slide
  asplan solve sample02 --mode minimize --horizon 40
  asplan solve sample02 --gif sample02.gif --html sample02.html
  asplan solve board.lp --time-limit 60 --json > plan.json
  asplan solve my_encoding.lp my_instance.lp --models 0
  asplan solve sample03 --threads 2 -- --configuration=jumpy

\b
Exit status: 0 a plan was found, 1 no answer within the limits, 2 bad usage or bad input,
3 proven unsolvable, 4 the plan failed its validation, 130 interrupted.
"""


@click.command("solve", cls=WithClingoOptions, epilog=_EPILOG)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1)
@click.option("-e", "--encoding", type=ENCODING, help="A shipped encoding's name, or a path.")
@click.option("--engine", type=ENGINE, default="asp", show_default=True)
@click.option("--mode", type=click.Choice(["incremental", "fixed", "minimize"]))
@click.option("--horizon", type=click.IntRange(0), help="Steps for --mode fixed or minimize.")
@constant_options
@click.option("--min-horizon", type=click.IntRange(0), default=0, help="Begin here.")
@click.option("--max-horizon", type=click.IntRange(0), help="Give up after this one.")
@click.option("--schedule", metavar="linear|stride:K", help="Which horizons are tried.")
@click.option("--heuristic", metavar="NAME", help="For search engines; see asplan list.")
@click.option("--tie-breaking", metavar="NAME", help="For A*, among equal f.")
@click.option("--move-limit", type=click.IntRange(1), help="For SMT: the number of states.")
@click.option("--threads", type=click.IntRange(1), help="Parallel solving threads.")
@click.option("--models", type=click.IntRange(0), help="How many plans; 0 is all.")
@click.option("--no-rewrite", is_flag=True, default=None, help="Ground the program as written.")
@click.option(
    "--allow-scripts", is_flag=True, default=None, help="Run #script (python) of the files."
)
@click.option("--time-limit", type=click.FloatRange(0), metavar="S", help="Seconds.")
@click.option("--memory-limit", type=click.IntRange(1), metavar="MB", help="Megabytes.")
@click.option("--gif", type=click.Path(), metavar="F.gif", help="Draw the plan as an animation.")
@click.option("--html", type=click.Path(), metavar="F.html", help="Draw it as a page to play.")
@draw_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@debug_option
@click.pass_context
def command(ctx: click.Context, /, files: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Find a shortest plan, check it, and say what is proven.

    FILE is an instance (a path, or the name of a shipped one), or a whole incremental program
    with the parts base, step(t) and check(t). Words after -- go to clingo.
    """
    options = Options(**{name: given[name] for name in Options.__dataclass_fields__})
    request = make_request(
        files,
        constants=given["constants"],
        metric=given["metric"],
        encoding=given["encoding"],
        engine=given["engine"],
        options=options,
        limits=Limits(
            seconds=given["time_limit"],
            megabytes=given["memory_limit"],
            min_horizon=given["min_horizon"],
            max_horizon=given["max_horizon"],
        ),
    )
    drawings = Drawings(gif=given["gif"], html=given["html"], rules=given["draw"])
    drawings.check(request)
    with Progress() as progress:
        result = solve_request(request, progress, isolate=True)
    if as_json:
        print_json(to_json(result))
    else:
        print_result(result)
    drawings.write(result)
    ctx.exit(exit_status(result))
