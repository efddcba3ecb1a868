"""`asplan profile`: what each rule of a program costs to ground."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from asplan.api.measuring import profile
from asplan.cli.options import INSTANCE, shared_options
from asplan.cli.tables import print_profile
from asplan.cli.work import Line, print_json, stop_status
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
@shared_options("encoding", "steps")
@click.option("--horizon", type=click.IntRange(0), required=True, help="Steps to ground.")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="Rules to show.")
@click.option(
    "--one-call",
    is_flag=True,
    help="Ground step(t) and check(t) together, as plain incremental clingo does.",
)
@shared_options("constants", "scripts", "includes", "time limit", "memory limit", "json", "debug")
def command(files: tuple[str, ...], top: int, as_json: bool, **given: Any) -> int:
    """Count how often each rule is instantiated, and whether that grows with the step.

    The program is looked at as its author wrote it. docs/compare.md defines what is counted;
    counts marked with ~ are approximate.
    """

    def show(found: Profile) -> None:
        counted = sum(rule.instantiations for rule in found.rules)
        line.show(found.reason, f"{counted} instantiations")

    with Line() as line:
        found = profile(*files, progress=show, **given)
    if as_json:
        print_json(asdict(found))
    else:
        print_profile(found, top)
    return stop_status(found.stopped, bool(found.reason))
