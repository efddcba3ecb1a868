"""The options of the domains' commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import click

from asplan.api.exploring import TRIES, generate
from asplan.cli.parameters import Output, debug_option
from asplan.cli.work import Line, limit_options, print_json
from asplan.domains.generator import Option
from asplan.errors import UsageError
from asplan.limits import Stop
from asplan.puzzles import Generated, find_generator, makers
from asplan.text import LARGEST

COUNT = click.IntRange(1, LARGEST)


def click_option(option: Option) -> click.Parameter:
    """What a domain's option is on the command line."""
    shown = f"{option.help}  [default: {option.default}]" if option.default else option.help
    if option.read is None:
        return click.Option([f"--{option.name}"], is_flag=True, help=shown)
    return click.Option([f"--{option.name}"], metavar=option.metavar, help=shown)


def common_options() -> Iterable[click.Parameter]:
    """Those that every domain has."""
    yield click.Option(
        ["--count"], type=COUNT, default=1, show_default=True, help="How many puzzles."
    )
    yield click.Option(
        ["--seed"],
        type=click.IntRange(0, LARGEST),
        default=1,
        show_default=True,
        help="Another one gives other puzzles.",
    )
    yield click.Option(
        ["-o", "--output"],
        type=Output(),
        metavar="DIR",
        help="A folder for a file of each; with --all the file of counts.",
    )
    yield click.Option(
        ["--tries"],
        type=COUNT,
        default=TRIES,
        show_default=True,
        help="End after so many attempts in a row without a new one.",
    )
    yield click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object.")
    yield from debug_option(limit_options(click.Command(None))).params


# Makes some puzzles of a domain.


@click.pass_context
def make(ctx: click.Context, /, as_json: bool, **wished: Any) -> None:
    """What a domain's command does."""
    domain = str(ctx.info_name)
    if wished["count"] > 1 and wished["output"] is None and not as_json:
        raise UsageError("several puzzles need a folder", hint="name one by -o")
    with _Progress() as progress:
        made = generate(domain, progress=progress, **wished)
    _print(made, as_json, wished["output"])
    ctx.exit(130 if made.stopped == Stop.INTERRUPT else 1 if made.reason else 0)


class _Progress(Line):
    """Says which puzzle is being looked for."""

    def __call__(self, made: Generated) -> None:
        """Show what is being done."""
        self.show(made.reason)


def _print(found: Generated, as_json: bool, folder: str | None) -> None:
    if as_json:
        print_json(_plain(found))
    elif folder is None:
        for one in found.puzzles:
            click.echo(one.text, nl=False)
    elif found.puzzles:
        _print_table(found)
    if found.reason:
        made = f"{len(found.puzzles)} of {found.count} puzzles"
        click.echo(f"asplan: {made}: {found.reason}", err=True)


def _plain(found: Generated) -> dict[str, Any]:
    puzzles = [
        {"name": made.name, "attempt": made.attempt, **asdict(made.puzzle), "text": made.text}
        for made in found.puzzles
    ]
    return {**asdict(found), "puzzles": puzzles}


def _print_table(found: Generated) -> None:
    from asplan.cli.tables import print_table

    heads = ["file", *found.puzzles[0].puzzle.difficulty, "attempt"]
    rows = [
        [made.name, *map(str, made.puzzle.difficulty.values()), str(made.attempt)]
        for made in found.puzzles
    ]
    print_table("", heads, rows)


# `asplan generate`: puzzles with proven difficulty, and all that there are.
#
# The commands below it are the domains that make puzzles, each with the options that it names.


_EPILOG = """
\b
Examples:
  asplan generate rush_hour --slides 20..30 --count 12 --seed 7 -o boards
  asplan generate sliding_tiles --moves 20
  asplan generate brain_twist --moves 4..12 --count 5 --json

\b
Exit status: 0 done, 1 fewer than wished for (those that were made are written), 2 bad usage,
130 interrupted.
"""


class _Domains(click.Group):
    """A command for each domain that makes puzzles."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The domains."""
        return list(makers())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a domain; refuses others in the words of the API."""
        generator = find_generator(cmd_name)
        about = f"{generator.about[:1].upper()}{generator.about[1:]}."
        return click.Command(
            cmd_name,
            callback=make,
            params=[
                *map(click_option, generator.options),
                *common_options(),
            ],
            help=f"Make puzzles with proven difficulty: {generator.about}.",
            short_help=about,
        )


@click.group("generate", cls=_Domains, epilog=_EPILOG)
def command() -> None:
    """Make puzzles whose fewest moves are proven, no two alike.

    \b
    asplan generate DOMAIN --help     what can be wished of its puzzles

    The same wish and seed give the same puzzles on any machine. docs/generate.md tells more.
    """
