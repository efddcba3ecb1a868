"""`asplan explain`: why there is no plan, or why a plan is refused."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from asplan.api.explaining import explain
from asplan.cli.parameters import (
    ENCODING,
    INSTANCE,
    constant_options,
    debug_option,
    includes_option,
    steps_option,
)
from asplan.cli.work import Line, limit_options, print_json
from asplan.explaining.explanation import Explanation
from asplan.limits import Stop

_EPILOG = """
\b
Examples:
  asplan explain my_encoding.lp my_instance.lp --horizon 8
  asplan explain my_encoding.lp my_instance.lp --plan plan.txt
  asplan explain sample02 -e origin --horizon 38 --time-limit 30
  asplan explain my.lp inst.lp --horizon 8 --hard my.lp:14

\b
Exit status: 0 done (a plan exists, too, or the plan is accepted), 1 a limit was reached
(what was found until then is shown), 2 bad usage or bad input, 130 interrupted.
"""


@click.command("explain", epilog=_EPILOG)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@click.option("-e", "--encoding", type=ENCODING, help="A name or a path, NAME:CONST=VALUE too.")
@steps_option
@click.option("--horizon", type=click.IntRange(0), help="Why is there no plan of so many steps?")
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(),
    metavar="PLAN",
    help="Why is this plan refused? JSON of asplan solve, or a line for each step.",
)
@click.option("--soft", multiple=True, metavar="FILE:LINE", help="A constraint that may give way.")
@click.option("--hard", multiple=True, metavar="FILE:LINE", help="One that must not.")
@click.option("--facts", is_flag=True, help="Name the facts that exclude a plan, too.")
@constant_options
@click.option("--allow-scripts", is_flag=True, help="Run Python code in the program.")
@includes_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@limit_options
@debug_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    plan_file: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Explain why no plan of N steps exists, or why a plan is refused.

    Without a plan: what can never be (a misspelt predicate shows here), a minimal set of
    constraints that exclude all plans, a plan that breaks the fewest of them, and by when each
    condition of the goal can hold. With one: the first step that is refused, and by what.
    """
    with _Progress() as progress:
        found = explain(*files, plan=plan_file, progress=progress, **given)
    if as_json:
        print_json(asdict(found))
    else:
        _print(found)
    ctx.exit(130 if found.stopped == Stop.INTERRUPT else 1 if found.stopped else 0)


def _print(found: Explanation) -> None:
    from asplan.cli.tables import make_console
    from asplan.explaining.text import paragraphs

    console = make_console()
    for number, lines in enumerate(paragraphs(found)):
        if number:
            console.print()
        for line in lines:
            console.print(line, soft_wrap=True)


class _Progress(Line):
    """Says what is being looked for."""

    def __call__(self, explanation: Explanation) -> None:
        """Show what is being done."""
        self.show(explanation.reason)
