"""`asplan validate`: the check of a plan in a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from asplan.cli.diagnostics import print_warning
from asplan.cli.options import ENCODING, INSTANCE, Command, Value, input_option, shared_options
from asplan.cli.output import in_worker, print_json
from asplan.core.budget import Reporter
from asplan.core.errors import InputWarning, InvalidPlan
from asplan.core.text import as_number, decimal_text, list_counts

if TYPE_CHECKING:
    from asplan.validation import Checked


@click.command("validate", cls=Command)
@click.argument("files", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@click.argument("plan_file", metavar="PLAN", type=click.Path())
@input_option(
    "-e", "--encoding", type=ENCODING, help="Use this encoding instead of that in the plan file."
)
@shared_options("constants", "actions", "horizon constant", "fresh", "switches", "scripts")
@shared_options("includes", "json", "limits", "debug")
@in_worker("files", "plan_file")
def command(
    report: Reporter[str], files: tuple[str, ...], plan_file: str, as_json: bool, **given: Value
) -> int:
    """Check that a plan leads from the instance to its goal.

    The domain's model in Python replays the plan; it shares no code with the encodings. Without a
    model, a fresh clingo replays it in the program. The plan file sets the constants that are not
    set here. PLAN is the output of asplan solve --json, a file with the actions of a step in each
    line, or for PDDL the output of a planner, which is executed on the PDDL text; - is standard
    input.

    Examples:
      asplan solve sample02 --json > plan.json
      asplan validate sample02 plan.json
      asplan validate domain.pddl problem.pddl plan.ipc
    """
    from asplan.api.checking import check_plan_file
    from asplan.problem import Inputs

    report("checking the plan")
    try:
        checked, steps = check_plan_file(Inputs(files, **given), plan_file)
    except InvalidPlan as error:
        _print_warnings(error.warnings)
        if as_json:
            print_json(_refusal_data(error))
        raise
    _print_warnings(checked.warnings)
    if as_json:
        print_json(_plain_data(checked))
    else:
        click.echo(f"valid: the goal holds {_verdict(checked, steps)}")
    return 0


def _print_warnings(warnings: Iterable[InputWarning]) -> None:
    for warning in warnings:
        print_warning(warning)


def _refusal_data(error: InvalidPlan) -> dict[str, object]:
    """Return the data about a plan that is not valid, for JSON."""
    data: dict[str, object] = {"valid": False, "reason": error.message}
    if error.step is not None:
        data["step"] = error.step
    return data | _warning_data(error.warnings)


def _warning_data(warnings: Sequence[InputWarning]) -> dict[str, object]:
    """Return the key `warnings` for JSON; no key if there are none."""
    if not warnings:
        return {}
    from asplan.stored import warnings_to_json  # --help does without it

    return {"warnings": warnings_to_json(warnings)}


def _plain_data(checked: Checked) -> dict[str, object]:
    data: dict[str, object] = {"valid": True, "horizon": len(checked.plan)}
    for name, number in (("makespan", checked.makespan), ("metric", checked.metric)):
        if number is not None:
            data[name] = as_number(number)
    if checked.cost is not None:
        data["cost"] = checked.cost
    if checked.violated:
        data["violated"] = dict(checked.violated)
    data |= _warning_data(checked.warnings)
    data["validated"] = checked.how
    return data


def _verdict(checked: Checked, steps: int) -> str:
    """Return the verdict on a valid plan as text: when the goal holds, the cost and the metric.

    `steps` is the number of steps of the whole plan; an earlier step may reach the goal.
    """
    verdict = f"after step {len(checked.plan)} of {steps}"
    if checked.makespan is not None:
        verdict = f"at the end of the plan, {decimal_text(checked.makespan)}"
    if checked.cost is not None:
        verdict += f", at a cost of {checked.cost}"
    if checked.metric is not None:
        verdict += f"; the metric is {decimal_text(checked.metric)}"
    if checked.violated:
        verdict += f"; violated: {list_counts(checked.violated)}"
    return verdict
