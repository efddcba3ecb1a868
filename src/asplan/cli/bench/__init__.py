"""`asplan bench`: methods beside each other on many instances."""

from __future__ import annotations

import importlib

import click

COMMANDS = ["run"]


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"asplan.cli.bench.{cmd_name}").command
        return command


@click.group(cls=_Commands)
def command() -> None:
    """Run methods on many instances, and compare what comes of it."""
