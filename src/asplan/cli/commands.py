"""The commands by name, each imported when it is called, so that the others cost nothing."""

from __future__ import annotations

import click

from asplan.core.registry import entries
from asplan.version import __version__

_ORDER = (
    *("solve", "check", "explain", "validate", "render", "compare", "profile", "bench", "studio"),
    *("analyse", "generate", "convert", "new", "list"),
)
"""The order in which the help names them; those of other packages follow."""


class _Commands(click.Group):
    """The commands that are registered as entry points in the group `asplan.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in order."""
        known = entries("asplan.commands")
        return [*(n for n in _ORDER if n in known), *(n for n in known if n not in _ORDER)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, if there is one."""
        entry = entries("asplan.commands").get(cmd_name)
        command: click.Command | None = entry.load() if entry else None
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
