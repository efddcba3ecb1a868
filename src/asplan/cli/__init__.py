"""The command line: one module a subcommand, none of which holds logic of its own."""

from __future__ import annotations

import importlib
import os
import sys
import traceback

import click

from asplan.errors import AsplanError
from asplan.version import __version__

_COMMANDS = [
    "solve",
    "validate",
    "render",
    "compare",
    "profile",
    "analyse",
    "convert",
    "list",
]
"""The modules of this package, in the order in which the help names them."""


class _Commands(click.Group):
    """Imports a subcommand when it is called, so that the others cost nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return _COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"asplan.cli.{cmd_name}")
        command: click.Command = module.command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="asplan")
def cli() -> None:
    """Plan with Answer Set Programming: shortest plans, proven, checked and shown.

    \b
    asplan solve sample02             a shipped puzzle
    asplan solve enc.lp inst.lp       a program of your own
    asplan list                       what ships with asplan

    \b
    Shell completion (bash; zsh and fish alike):
    eval "$(_ASPLAN_COMPLETE=bash_source asplan)"
    """


def main(arguments: list[str] | None = None) -> None:
    """Run a command and end with its exit status.

    0 done, 1 no answer within the limits, 2 bad usage or bad input, 3 proven unsolvable,
    4 validation failed, 130 interrupted.
    """
    words = sys.argv[1:] if arguments is None else arguments
    try:
        status = cli.main(args=words, prog_name="asplan", standalone_mode=False)
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("asplan: interrupted", err=True)
        status = 130
    except BrokenPipeError:
        # The reader of our output has gone; nothing more can be said, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        status = _failed(error, debug="--debug" in words)
    sys.exit(status)


def _failed(error: Exception, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    if isinstance(error, AsplanError):
        click.echo(f"asplan: {error}", err=True)
        return error.exit_status
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"asplan: {place}{error.strerror or error}", err=True)
        return 2
    if not debug:
        click.echo(f"asplan: internal error: {error!r}; --debug shows where", err=True)
    return 1
