"""`asplan bench`: methods beside each other on many instances."""

from __future__ import annotations

import click

from asplan.cli.lazy import LazyGroup

COMMANDS = ["run", "report", "compare"]
"""The modules of this package that hold one, in the order in which the help names them."""


@click.group("bench", cls=LazyGroup, package="asplan.cli.bench", modules=COMMANDS)
def command() -> None:
    """Run methods on many instances, and compare what comes of it."""
