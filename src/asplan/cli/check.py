"""`asplan check`: the warnings about a program, without solving it."""

from collections.abc import Sequence
from pathlib import Path

import click

from asplan.cli.options import INSTANCE, Command, Value, option, shared_options
from asplan.cli.output import in_worker, print_json
from asplan.cli.parameters import OneOf
from asplan.core.budget import Reporter
from asplan.core.errors import InputWarning, Location
from asplan.core.text import printable
from asplan.problem import Inputs
from asplan.version import __version__


@click.command("check", cls=Command, section="How to print")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@shared_options("encoding", "constants", "horizon constant", "fresh", "switches")
@shared_options("scripts", "includes")
@option(
    *("--format", "form"),
    type=OneOf(("text", "json", "sarif")),
    default="text",
    help="Print a line for each warning, as compilers do; or JSON; or SARIF 2.1.0.",
)
@shared_options("limits", "debug")
@in_worker("files")
def command(report: Reporter[str], files: tuple[str, ...], form: str, **given: Value) -> int:
    """Warn of likely mistakes in a program, without solving it.

    A correct program gets no warning; docs/warnings.md lists all warnings with examples. A comment
    `% asplan: no-CODE` disables a warning: after a rule in that line, on a line of its own in the
    whole file.

    Examples:
      asplan check my_encoding.lp my_instance.lp
      asplan check my.lp -W no-unread
      asplan check my.lp --format sarif > warnings.sarif

    The exit status is 1 if there are warnings.
    """
    from asplan.problem import load
    from asplan.stored import warnings_to_json
    from asplan.warnings import find_warnings

    report("checking the program")
    inputs = Inputs(files, **given)
    warnings = find_warnings(load(inputs), inputs.switches)
    if form == "json":
        print_json(warnings_to_json(warnings))
    elif form == "sarif":
        print_json(sarif(warnings))
    else:
        for warning in warnings:
            # The format of compilers, which editors read.
            where = f"{warning.at}: " if warning.at else ""
            hint = f"; {warning.hint}" if warning.hint else ""
            click.echo(printable(f"{where}warning: {warning.text}{hint} [{warning.code}]"))
    return int(bool(warnings))


def sarif(warnings: Sequence[InputWarning]) -> dict[str, object]:
    """Return warnings in the format of static analysis tools, SARIF 2.1.0."""
    from asplan.warnings import CATALOGUE

    rules = [
        {"id": code, "shortDescription": {"text": kind.about}} for code, kind in CATALOGUE.items()
    ]
    driver = {"name": "asplan", "version": __version__, "rules": rules}
    results = [
        {
            "ruleId": warning.code,
            "level": "warning",
            "message": {"text": "; ".join(filter(None, [warning.text, warning.hint]))},
            "locations": [_sarif_location(warning.at)] if warning.at else [],
        }
        for warning in warnings
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _sarif_location(at: Location) -> dict[str, object]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": Path(at.file).as_posix()},
            "region": {"startLine": at.line, "startColumn": at.column},
        }
    }
