"""`asplan explain`: why there is no plan, or why a plan is refused."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from asplan.api.explaining import explain
from asplan.cli.options import INSTANCE, shared_options
from asplan.cli.work import Line, print_json, stop_status

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
@shared_options("encoding", "steps")
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
@shared_options("constants", "scripts", "includes", "json", "time limit", "memory limit", "debug")
def command(files: tuple[str, ...], plan_file: str | None, as_json: bool, **given: Any) -> int:
    """Explain why no plan of N steps exists, or why a plan is refused.

    Without a plan: what can never be (a misspelt predicate shows here), a minimal set of
    constraints that exclude all plans, a plan that breaks the fewest of them, and by when each
    condition of the goal can hold. With one: the first step that is refused, and by what.
    """
    with Line() as line:
        found = explain(
            *files, plan=plan_file, progress=lambda partly: line.show(partly.reason), **given
        )
    if as_json:
        print_json(asdict(found))
    else:
        from asplan.cli.tables import make_console
        from asplan.explaining.text import paragraphs

        console = make_console()
        for number, lines in enumerate(paragraphs(found)):
            if number:
                console.print()
            for text in lines:
                console.print(text, soft_wrap=True)
    return stop_status(found.stopped)
