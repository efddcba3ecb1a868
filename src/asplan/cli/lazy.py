"""Groups of commands that import one when it is called, so that the others cost nothing."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click


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
