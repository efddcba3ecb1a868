"""The commands by name, each imported when it is called, so that the others cost nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from asplan.core.files import STDIN, is_there
from asplan.core.registry import entries
from asplan.core.text import shortened
from asplan.version import __version__

if TYPE_CHECKING:
    from asplan.problem.catalog import Entry

# The commands in the order in which the help names them; those of other packages follow.
_GROUPS = {
    "Plan": ("solve", "validate", "render", "play"),
    "Understand": ("check", "explain", "analyse", "profile", "studio"),
    "Compare": ("compare", "bench", "grade"),
    "Make": ("new", "generate", "convert", "list"),
}


class _Commands(click.Group):
    """The commands that are registered as entry points in the group `asplan.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in _groups().values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = entries("asplan.commands").get(cmd_name)
        command: click.Command | None = entry.load() if entry else None
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _groups().items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(f"{n:8}", c.get_short_help_str(100)) for n, c in found if c])
        click.Command.format_options(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `asplan FILE…` as `asplan solve FILE…`."""
        return super().parse_args(ctx, ["solve", *args] if self._begins_solve(ctx, args) else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a word that is none may be misspelt."""
        known = self.list_commands(ctx)
        if args[0] in known or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        word = shortened(args[0])
        close = get_close_matches(word, [*known, *(entry.name for entry in _instances())], n=1)
        hint = "".join(f" Did you mean {name}?" for name in close)
        raise click.UsageError(f"{word!r} is neither a command nor a file.{hint}", ctx)

    def _begins_solve(self, ctx: click.Context, args: list[str]) -> bool:
        """Whether the first word is a file, or an option of solve."""
        own = ("-h", "--help", "--version")
        if not args or args[0] in own or args[0] in entries("asplan.commands"):
            return False
        word = args[0].partition("=")[0]
        if word.startswith("-") and word != "-":
            solve = self.get_command(ctx, "solve")
            known = [name for p in solve.get_params(ctx) for name in p.opts] if solve else []
            return word in known or word[:2] in known
        if word == STDIN or is_there(word) or word.endswith((".lp", ".pddl")):
            return True
        return any(entry.is_called(word) for entry in _instances())


def _instances() -> list[Entry]:
    # Imported where a word may be the name of one: `asplan --version` does without.
    from asplan.problem.catalog import instances, rungs

    return [*instances(), *rungs()]


def _groups() -> dict[str, list[str]]:
    known = entries("asplan.commands")
    groups = {title: [n for n in names if n in known] for title, names in _GROUPS.items()}
    other = [name for name in known if all(name not in names for names in _GROUPS.values())]
    return groups | ({"Other": other} if other else {})


_EPILOG = """
Exit status: 0 done, 1 no answer within the limits, 2 bad usage or bad input, 3 proven unsolvable,
4 a plan failed its validation, 130 interrupted.

\b
Shell completion, for bash, zsh and fish:
eval "$(_ASPLAN_COMPLETE=bash_source asplan)"
eval "$(_ASPLAN_COMPLETE=zsh_source asplan)"
_ASPLAN_COMPLETE=fish_source asplan | source
"""


@click.group(
    cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="asplan")
def cli() -> None:
    """Plan with Answer Set Programming: shortest plans, proven, checked and shown.

    \b
    asplan sample02           solve a shipped puzzle
    asplan enc.lp inst.lp     solve a program of your own
    asplan solve --help       see what a command can do
    """
