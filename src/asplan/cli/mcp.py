"""`asplan mcp`: a server for agents, by the Model Context Protocol."""

import sys
from pathlib import Path

import click

from asplan.cli.options import Command, megabytes_option, option, seconds_option, shared_options
from asplan.core.errors import UsageError, needs_extra
from asplan.core.limits import Limits


@click.command("mcp", cls=Command)
@option(
    "--root",
    type=click.Path(),
    default=".",
    metavar="FOLDER",
    help="Let tools read files below this folder only.",
)
@seconds_option(help="Stop each call of a tool after this many seconds.", default=60.0)
@megabytes_option(help="Stop it when it uses this many megabytes.", default=2000)
@shared_options("debug")
def command(root: str, time_limit: float, memory_limit: int) -> None:
    """Serve the commands of asplan as tools for a coding agent.

    The agent starts this command itself, and speaks with it through standard input and output by
    the Model Context Protocol. docs/agents.md says how to set that up. No tool runs a script of a
    program, writes a file, or reads one outside of the folder.

    Examples:
      asplan mcp
      asplan mcp --root puzzles --time-limit 20
    """
    Limits(time_limit, memory_limit).check()
    folder = Path(root)
    if not folder.is_dir():
        raise UsageError(f"--root: {root} is not a folder")
    if sys.stdin is None:
        raise UsageError(
            "asplan mcp reads an agent's requests from standard input, which is closed"
        )
    with needs_extra("asplan mcp needs the package {}, which is not installed", "agents"):
        from asplan.agents.server import make_server
    from asplan.agents.calls import Caller

    make_server(Caller(folder.resolve(), time_limit, memory_limit)).run()
