"""Groups of commands that import one when it is called, so that the others cost nothing."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click

from asplan.version import __version__


class LazyGroup(click.Group):
    """A group whose commands are modules of a package, each with one named `command`.

    Parameters
    ----------
    package
        Where the modules are.
    modules
        Their names, in the order in which the help shows them.
    """

    def __init__(self, *args: Any, package: str, modules: Sequence[str], **given: Any) -> None:
        super().__init__(*args, **given)
        self.package, self.modules = package, list(modules)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in order."""
        return self.modules

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, if there is one."""
        if cmd_name not in self.modules:
            return None
        module = importlib.import_module(f"{self.package}.{cmd_name}")
        command: click.Command = module.command
        return command


# The commands by name.


COMMANDS = [
    "solve",
    "explain",
    "validate",
    "render",
    "compare",
    "profile",
    "bench",
    "studio",
    "analyse",
    "generate",
    "convert",
    "new",
    "list",
]
"""The modules of this package that hold one, in the order in which the help names them."""


@click.group(
    cls=LazyGroup,
    package="asplan.cli",
    modules=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="asplan")
def cli() -> None:
    """Plan with Answer Set Programming: shortest plans, proven, checked and shown.

    \b
    asplan solve sample02             a shipped puzzle
    asplan solve enc.lp inst.lp       a program of your own
    asplan list                       what ships with asplan
    asplan new garden                 a domain of your own, to begin with

    \b
    Shell completion, for bash, zsh and fish:
    eval "$(_ASPLAN_COMPLETE=bash_source asplan)"
    eval "$(_ASPLAN_COMPLETE=zsh_source asplan)"
    _ASPLAN_COMPLETE=fish_source asplan | source
    """
