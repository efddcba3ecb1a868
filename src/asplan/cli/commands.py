"""The commands by name."""

from __future__ import annotations

import importlib

import click

from asplan.version import __version__

COMMANDS = [
    "solve",
    "validate",
    "render",
    "compare",
    "profile",
    "bench",
    "analyse",
    "convert",
    "list",
]
"""The modules of this package that hold one, in the order in which the help names them."""


class _Commands(click.Group):
    """Imports a subcommand when it is called, so that the others cost nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
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
