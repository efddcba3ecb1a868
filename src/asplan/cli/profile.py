"""`asplan profile`: what each rule of a program costs to ground."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from asplan.api.measuring import profile
from asplan.cli.parameters import (
    ENCODING,
    INSTANCE,
    constant_options,
    debug_option,
    includes_option,
    steps_option,
)
from asplan.cli.tables import print_profile
from asplan.cli.work import Line, print_json
from asplan.limits import Stop
from asplan.measuring.profile import Profile

_EPILOG = """
\b
Examples:
  asplan profile sample02 -e origin --horizon 40
  asplan profile sample02 -e origin_naive --horizon 40 --one-call
  asplan profile my_encoding.lp my_instance.lp --horizon 20 --top 5
  asplan profile sample02 --horizon 40 --json > profile.json

\b
Exit status: 0 done, 1 a limit was reached (what was counted until then is shown),
2 bad usage or bad input, 130 interrupted.
"""


@click.command("profile", epilog=_EPILOG)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@click.option("-e", "--encoding", type=ENCODING, help="A name or a path, NAME:CONST=VALUE too.")
@steps_option
@click.option("--horizon", type=click.IntRange(0), required=True, help="Steps to ground.")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="Rules to show.")
@click.option(
    "--one-call",
    is_flag=True,
    help="Ground step(t) and check(t) together, as plain incremental clingo does.",
)
@constant_options
@click.option("--allow-scripts", is_flag=True, help="Run Python code in the program.")
@includes_option
@click.option("--time-limit", type=click.FloatRange(0), metavar="S", help="Seconds.")
@click.option("--memory-limit", type=click.IntRange(1), metavar="MB", help="Megabytes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@debug_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    top: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Count how often each rule is instantiated, and whether that grows with the step.

    The program is looked at as its author wrote it. docs/compare.md defines what is counted;
    counts marked with ~ are approximate.
    """
    with _ProfileProgress() as progress:
        found = profile(*files, progress=progress, **given)
    if as_json:
        print_json(asdict(found))
    else:
        print_profile(found, top)
    ctx.exit(130 if found.stopped == Stop.INTERRUPT else 1 if found.reason else 0)


class _ProfileProgress(Line):
    """Says which step is being grounded."""

    def __call__(self, profile: Profile) -> None:
        """Show a partial profile."""
        self.show(profile.reason, f"{sum(r.instantiations for r in profile.rules)} instantiations")
