"""`asplan check`: the warnings about a program; `asplan validate`: whether a plan is one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from asplan.cli.options import ENCODING, INSTANCE, Command, input_option, option, shared_options
from asplan.cli.output import Doing, in_worker, print_json, warn
from asplan.core.errors import InputWarning
from asplan.core.text import as_number, counted, decimal_text, printable
from asplan.problem import Inputs
from asplan.version import __version__


@click.command("check", cls=Command, section="How to print")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@shared_options("encoding", "constants", "horizon constant", "fresh", "switches")
@shared_options("scripts", "includes")
@option(
    *("--format", "form"),
    type=click.Choice(("text", "json", "sarif")),
    default="text",
    help="Print a line for each, as compilers do; or JSON; or SARIF 2.1.0.",
)
@shared_options("limits", "debug")
@in_worker("files")
def check_command(doing: Doing, files: tuple[str, ...], form: str, **given: Any) -> int:
    """Warn of what the author of a program most likely did not mean.

    Nothing is solved. A correct program gets no warning; docs/warnings.md lists them all, with
    examples. A comment `% asplan: no-CODE` switches one off, in its line, or in the file where it
    has a line of its own.

    Examples:
      asplan check my_encoding.lp my_instance.lp
      asplan check my.lp -W no-unread
      asplan check my.lp --format sarif > warnings.sarif

    The exit status is 1 where there are warnings.
    """
    from asplan.problem import load
    from asplan.stored import warnings_to_json
    from asplan.warnings import find_warnings

    doing("looking at the program")
    inputs = Inputs(files, **given)
    warnings = find_warnings(load(inputs), inputs.switches)
    if form == "json":
        print_json(warnings_to_json(warnings))
    elif form == "sarif":
        print_json(sarif(warnings))
    else:
        for warning in warnings:
            # In the way of compilers, which editors read.
            where = f"{warning.at}: " if warning.at else ""
            hint = f"; {warning.hint}" if warning.hint else ""
            click.echo(printable(f"{where}warning: {warning.text}{hint} [{warning.code}]"))
    return int(bool(warnings))


def sarif(warnings: Sequence[InputWarning]) -> dict[str, Any]:
    """Warnings in the format of static analysis tools, SARIF 2.1.0."""
    from asplan.warnings import CATALOGUE

    rules = [
        {"id": code, "shortDescription": {"text": kind.about}} for code, kind in CATALOGUE.items()
    ]
    driver = {"name": "asplan", "version": __version__, "rules": rules}
    results = list[dict[str, Any]]()
    for warning in warnings:
        text = "; ".join(filter(None, [warning.text, warning.hint]))
        result = {"ruleId": warning.code, "level": "warning", "message": {"text": text}}
        results.append({**result, "locations": []})
        if (at := warning.at) is not None:
            region = {"startLine": at.line, "startColumn": at.column}
            place = {"artifactLocation": {"uri": Path(at.file).as_posix()}, "region": region}
            results[-1]["locations"] = [{"physicalLocation": place}]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


@click.command("validate", cls=Command)
@click.argument("files", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@click.argument("plan_file", metavar="PLAN", type=click.Path())
@input_option("-e", "--encoding", type=ENCODING, help="Use this one, not that of the plan file.")
@shared_options("constants", "actions", "horizon constant", "fresh", "switches", "scripts")
@shared_options("includes", "json", "limits", "debug")
@in_worker("files", "plan_file")
def validate_command(
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
        said += f"; violated: {counted(checked.violated)}"
    click.echo(f"valid: the goal holds {said}")
    return 0
