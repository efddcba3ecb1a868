"""`asplan check`: the warnings about a program, without solving it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from asplan.cli.options import INSTANCE, Command, option, shared_options
from asplan.cli.output import Doing, in_worker, print_json
from asplan.core.errors import InputWarning
from asplan.core.text import printable
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
def command(doing: Doing, files: tuple[str, ...], form: str, **given: Any) -> int:
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
