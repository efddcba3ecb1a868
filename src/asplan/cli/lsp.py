"""`asplan lsp`: a language server for editors."""

import sys

import click

from asplan.cli.options import Command, megabytes_option, seconds_option, shared_options
from asplan.core.errors import UsageError, needs_extra
from asplan.core.limits import Limits


@click.command("lsp", cls=Command)
@seconds_option(help="Stop each command of the editor after this many seconds.", default=60.0)
@megabytes_option(help="Stop it when it uses this many megabytes.", default=2000)
@shared_options("debug")
def command(time_limit: float, memory_limit: int) -> None:
    """Serve an editor: warnings, names and plans of ASP and PDDL.

    The editor starts this command itself. The two exchange messages of the Language Server Protocol
    on standard input and output; docs/editors.md shows the setup. No script of a program runs, and
    only pages with plans are written, into a temporary folder.

    Examples:
      asplan lsp
      asplan lsp --time-limit 20
    """
    Limits(time_limit, memory_limit).check()
    if sys.stdin is None:
        raise UsageError(
            "asplan lsp reads an editor's requests from standard input, which is closed"
        )
    with needs_extra("asplan lsp needs the package {}, which is not installed", "editor"):
        from asplan.editor.server import serve

    serve(time_limit, memory_limit)
