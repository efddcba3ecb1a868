"""`asplan explain`: why there is no plan, why a plan is refused, why an atom holds or not."""

from dataclasses import asdict
from functools import partial
from typing import Any

import click

from asplan.api.explaining import explain
from asplan.cli.options import (
    INSTANCE,
    Command,
    option,
    shared_options,
)
from asplan.cli.output import Line, print_json, stop_status, warn
from asplan.stored import warnings_to_json

_constraint = partial(option, multiple=True, expert=True, metavar="FILE:LINE")


@click.command("explain", cls=Command, section="What to explain")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@shared_options("encoding", "steps")
@option("--horizon", type=click.IntRange(0), help="Explain why no plan has this many steps.")
@option(
    "--plan",
    "plan_file",
    type=click.Path(),
    metavar="PLAN",
    help="Explain why the plan in this file is refused; - is standard input.",
)
@option("--atom", metavar="ATOM", help="Explain why this atom holds in a plan, or does not.")
@_constraint("--soft", help="Let the constraint in this line give way.")
@_constraint("--hard", help="Do not let the constraint in this line give way.")
@option("--facts", is_flag=True, expert=True, help="Name the facts that exclude a plan, too.")
@shared_options("constants", "actions", "horizon constant", "fresh", "switches", "scripts")
@shared_options("includes", "json", "time limit", "memory limit", "debug")
def command(files: tuple[str, ...], plan_file: str | None, as_json: bool, **given: Any) -> int:
    """Explain why there is no plan, or why a plan is refused.

    With neither a horizon nor a plan it looks for a plan first, and explains why there is none,
    or none that is shorter.

    Without a plan: a minimal set of constraints that exclude all plans, a plan that breaks the
    fewest of them, by when each condition of the goal can hold, and what can never be. With one:
    the first step that is refused, and by what; or with an atom the rules by which it holds in the
    plan, or those that come near to deriving it.

    Examples:
      asplan explain my_encoding.lp my_instance.lp   why is there no plan?
      asplan explain my_encoding.lp my_instance.lp --horizon 8
      asplan explain my_encoding.lp my_instance.lp --plan plan.txt
      asplan explain my.lp inst.lp --atom 'holds(at(a),3)'
      asplan explain sample02 -e origin --horizon 38 --time-limit 30
      asplan explain my.lp inst.lp --horizon 8 --hard my.lp:14
    """
    with Line() as line:
        found = explain(
            *files, plan=plan_file, progress=lambda partly: line.show(partly.reason), **given
        )
    for warning in found.warnings:
        warn(str(warning))
    if as_json:
        data = asdict(found) | {"warnings": warnings_to_json(found.warnings)}
        if found.never:
            data["never"]["rules"] = warnings_to_json(found.never.rules)
        print_json(data)
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
