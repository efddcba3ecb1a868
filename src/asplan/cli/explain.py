"""`asplan explain`: explanations of missing plans, refused plans, and atoms."""

from dataclasses import asdict
from functools import partial

import click

from asplan.api.explaining import explain
from asplan.cli.diagnostics import print_warning
from asplan.cli.options import (
    INSTANCE,
    Command,
    Value,
    option,
    shared_options,
)
from asplan.cli.output import ProgressLine, print_json, stop_status
from asplan.cli.parameters import WholeNumber
from asplan.explaining.explanation import Explanation
from asplan.stored import warnings_to_json

_constraint = partial(option, multiple=True, expert=True, metavar="FILE:LINE")


@click.command("explain", cls=Command, section="What to explain")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@shared_options("encoding", "steps")
@option("--horizon", type=WholeNumber(0), help="Explain why no plan has this many steps.")
@option(
    "--plan",
    "plan_file",
    type=click.Path(),
    metavar="PLAN",
    help="Explain why the plan in this file is refused; - is standard input.",
)
@option(
    "--against",
    metavar="PLAN",
    help="Compare the plan with the word best, for a shortest plan, or with the plan in a file.",
)
@option("--atom", metavar="ATOM", help="Explain why this atom holds in a plan, or does not.")
@_constraint("--soft", help="Let a relaxed plan break the constraint in this line.")
@_constraint("--hard", help="Let no relaxed plan break the constraint in this line.")
@option("--facts", is_flag=True, expert=True, help="Name the facts that exclude a plan, too.")
@shared_options("constants", "actions", "horizon constant", "fresh", "switches", "scripts")
@shared_options("includes", "json", "time limit", "memory limit", "debug")
def command(files: tuple[str, ...], plan_file: str | None, as_json: bool, **given: Value) -> int:
    """Explain why there is no plan, or why a plan is refused.

    Without a horizon and a plan, search for a plan first, and explain why there is none, or none
    that is shorter.

    With --against best, compare a plan with a shortest one: where the two part, which steps make
    the plan longer, and the fewest changes of the program that would make it a shortest one.

    The explanation of a missing plan is a minimal set of constraints that exclude all plans, a plan
    that breaks the fewest of them, the earliest time of each condition of the goal, and impossible
    atoms. The explanation of a refused plan is its first refused step with the reason. The
    explanation of an atom is the rules that derive it in the plan, or that nearly derive it.

    Examples:
      asplan explain my_encoding.lp my_instance.lp   why is there no plan?
      asplan explain my_encoding.lp my_instance.lp --horizon 8
      asplan explain my_encoding.lp my_instance.lp --plan plan.txt
      asplan explain my.lp inst.lp --plan plan.txt --against best
      asplan explain my.lp inst.lp --atom 'holds(at(a),3)'
      asplan explain sample02 -e origin --horizon 38 --time-limit 30
      asplan explain my.lp inst.lp --horizon 8 --hard my.lp:14
    """

    def show(explanation: Explanation) -> None:
        line.show(explanation.reason)

    with ProgressLine() as line:
        found = explain(*files, plan=plan_file, progress=show, **given)
    for warning in found.warnings:
        print_warning(warning)
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
