"""The commands by name."""

from __future__ import annotations

import click

from asplan.cli.lazy import LazyGroup
from asplan.version import __version__

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
