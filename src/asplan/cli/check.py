"""`asplan check`: the warnings about a program, without solving it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asplan.cli.options import INSTANCE, Command, Value, option, shared_options
from asplan.cli.output import in_worker, print_json
from asplan.cli.parameters import OneOf
from asplan.core.budget import Reporter
from asplan.core.errors import InputWarning, Location, UsageError
from asplan.core.text import printable
from asplan.version import __version__

if TYPE_CHECKING:
    from asplan.problem import Problem
    from asplan.program.roles.understanding import Role


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
@option("--json", "form", flag_value="json", help="The same as --format json.")
@option("--roles", is_flag=True, help="Show the actions, fluents, goal and horizon, with places.")
@shared_options("limits", "debug")
@in_worker("files")
def command(
    report: Reporter[str], files: tuple[str, ...], form: str, roles: bool, **given: Value
) -> int:
    """Warn of likely mistakes in a program, without solving it.

    A correct program gets no warning; docs/warnings.md lists all warnings with examples. A comment
    `% asplan: no-CODE` disables a warning: after a rule in that line, on a line of its own in the
    whole file.

    Examples:
      asplan check my_encoding.lp my_instance.lp
      asplan check my.lp -W no-unread
      asplan check my.lp --format sarif > warnings.sarif
      asplan check my.lp --roles

    The exit status is 1 if there are warnings.
    """
    from asplan.problem import Inputs, load
    from asplan.stored import warnings_to_json
    from asplan.warnings import find_warnings

    report("checking the program")
    inputs = Inputs(files, **given)
    problem = load(inputs)
    warnings = find_warnings(problem, inputs.switches)
    found = _find_roles(problem) if roles else None
    if form == "json" and found is not None:
        roles_as_data = [_plain(role) for role in found]
        print_json({"roles": roles_as_data, "warnings": warnings_to_json(warnings)})
    elif form == "json":
        print_json(warnings_to_json(warnings))
    elif form == "sarif":
        print_json(sarif(warnings))
    else:
        if found is not None:
            _print_roles(found)
        _print_warnings(warnings)
    return int(bool(warnings))


def _print_warnings(warnings: Sequence[InputWarning]) -> None:
    """Print a line for each warning, in the format of compilers, which editors read."""
    for warning in warnings:
        where = f"{warning.at}: " if warning.at else ""
        hint = f"; {warning.hint}" if warning.hint else ""
        click.echo(printable(f"{where}warning: {warning.text}{hint} [{warning.code}]"))


def _find_roles(problem: Problem) -> list[Role]:
    """Return the roles that asplan finds in a program: its actions, fluents, goal and horizon.

    Raises `UsageError` for tasks in PDDL, which declare these themselves.
    """
    from asplan.program.roles.understanding import describe_roles

    if problem.files and problem.files[0].endswith(".pddl"):
        raise UsageError("--roles is for ASP programs; a PDDL domain declares its own roles")
    return describe_roles(problem.written_program)


def _print_roles(roles: Sequence[Role]) -> None:
    """Print a table of roles: the role, the predicate or constant as written, and the place."""
    from asplan.cli.tables import Column, print_columns

    columns = [
        Column("role", [role.role for role in roles], is_words=True),
        Column("as written", [role.text for role in roles], is_words=True, folds=True),
        Column("place", [str(role.at or "") for role in roles], is_words=True, folds=True),
    ]
    print_columns(columns, key=1)


def _plain(role: Role) -> dict[str, object]:
    """Return a role as data for JSON."""
    return {
        "role": role.role,
        "text": role.text,
        "file": role.at.file if role.at else None,
        "line": role.at.line if role.at else None,
        "column": role.at.column if role.at else None,
    }


def sarif(warnings: Sequence[InputWarning]) -> dict[str, object]:
    """Return warnings as data in SARIF 2.1.0, a JSON format of static analysis tools."""
    from asplan.warnings.catalogue import CATALOGUE

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
