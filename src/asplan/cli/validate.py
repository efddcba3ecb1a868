"""`asplan validate`: check a plan from a file."""

from typing import Any

import click

from asplan.cli.options import ENCODING, INSTANCE, Command, input_option, shared_options
from asplan.cli.output import Doing, in_worker, print_json, warn
from asplan.core.text import as_number, decimal_text, list_counts
from asplan.problem import Inputs


@click.command("validate", cls=Command)
@click.argument("files", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@click.argument("plan_file", metavar="PLAN", type=click.Path())
@input_option("-e", "--encoding", type=ENCODING, help="Use this one, not that of the plan file.")
@shared_options("constants", "actions", "horizon constant", "fresh", "switches", "scripts")
@shared_options("includes", "json", "limits", "debug")
@in_worker("files", "plan_file")
def command(
    doing: Doing, files: tuple[str, ...], plan_file: str, as_json: bool, **given: Any
) -> int:
    """Check that a plan leads from the instance to its goal.

    The plan is replayed in the domain's model in Python, which shares no code with the
    encodings; a program without such a model is replayed in a fresh clingo. Constants are taken
    from the plan file, unless they are given here. PLAN is what asplan solve --json prints, a
    file with the actions of a step in each line, or for PDDL what planners write, which is
    executed on the PDDL text; - is standard input.

    Examples:
      asplan solve sample02 --json > plan.json
      asplan validate sample02 plan.json
      asplan validate domain.pddl problem.pddl plan.ipc
    """
    from asplan.api.checking import check_plan_file

    doing("checking the plan")
    checked, steps = check_plan_file(Inputs(files, **given), plan_file)
    for warning in checked.warnings:
        warn(str(warning))
    reached, cost = len(checked.plan), checked.cost
    exact = {"makespan": checked.makespan, "metric": checked.metric}
    if as_json:
        found = {name: as_number(number) for name, number in exact.items() if number is not None}
        found |= {} if cost is None else {"cost": cost}
        violated = {"violated": dict(checked.violated)} if checked.violated else {}
        whole = {"valid": True, "horizon": reached, **found, **violated, "validated": checked.how}
        print_json(whole)
        return 0
    said = f"after step {reached} of {steps}"
    if checked.makespan is not None:
        said = f"at the end of the plan, {decimal_text(checked.makespan)}"
    said += "" if cost is None else f", at a cost of {cost}"
    said += "" if checked.metric is None else f"; the metric is {decimal_text(checked.metric)}"
    if checked.violated:
        said += f"; violated: {list_counts(checked.violated)}"
    click.echo(f"valid: the goal holds {said}")
    return 0
