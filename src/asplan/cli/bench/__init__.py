"""`asplan bench`: methods on a suite of instances, reported and compared."""

from __future__ import annotations

import click

from asplan.cli.lazy import LazyGroup

COMMANDS = ["report", "compare"]
"""The modules of this package that hold one, in the order in which the help names them."""


@click.group("bench", cls=LazyGroup, package="asplan.cli.bench", modules=COMMANDS)
def command() -> None:
    """Report the results of benchmarks, and compare them."""
