"""`asplan generate`: puzzles with proven difficulty."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from asplan.api.generating import TRIES, generate
from asplan.cli.parameters import debug_option
from asplan.cli.progress import Line
from asplan.cli.streams import print_json
from asplan.cli.work import limit_options
from asplan.domains.wishes import Option
from asplan.errors import UsageError
from asplan.making.made import Generated
from asplan.making.wishes import find_generator, makers
from asplan.numbers import LARGEST
from asplan.result import Stop

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
    """A command for each domain that makes puzzles, with the options that it names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The domains."""
        return list(makers())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a domain; refuses others in the words of the API."""
        generator = find_generator(cmd_name)
        about = generator.about[:1].upper() + generator.about[1:]
        wishes: list[click.Parameter] = [_click_option(option) for option in generator.options]

        @click.pass_context
        def make(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
            if given["count"] > 1 and given["output"] is None and not as_json:
                raise UsageError("several puzzles need a folder", mend="name one by -o")
            with _Progress() as progress:
                made = generate(cmd_name, progress=progress, **given)
            _print(made, as_json, given["output"])
            ctx.exit(130 if made.stopped == Stop.INTERRUPT else 1 if made.reason else 0)

        help = f"Make puzzles with proven difficulty: {generator.about}."
        command = click.Command(
            cmd_name, callback=make, params=wishes, help=help, short_help=f"{about}."
        )
        return _common_options(command)


@click.group("generate", cls=_Domains, epilog=_EPILOG)
def command() -> None:
    """Make puzzles whose fewest moves are proven, no two alike.

    \b
    asplan generate DOMAIN --help     what can be wished of its puzzles

    The same wish and seed give the same puzzles on any machine. docs/generate.md tells more.
    """


def _click_option(option: Option) -> click.Option:
    shown = f"{option.help}  [default: {option.default}]" if option.default else option.help
    if option.read is None:
        return click.Option([f"--{option.name}"], is_flag=True, help=shown)
    return click.Option([f"--{option.name}"], metavar=option.metavar, help=shown)


def _common_options(command: click.Command) -> click.Command:
    """Give a command the options that all domains have."""
    for option in (
        click.option(
            "--count",
            type=click.IntRange(1, LARGEST),
            default=1,
            show_default=True,
            help="How many puzzles.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, LARGEST),
            default=1,
            show_default=True,
            help="Another one gives other puzzles.",
        ),
        click.option(
            "-o", "--output", type=click.Path(), metavar="DIR", help="A folder for a file of each."
        ),
        click.option(
            "--tries",
            type=click.IntRange(1, LARGEST),
            default=TRIES,
            show_default=True,
            help="End after so many attempts in a row without a new one.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        limit_options,
        debug_option,
    ):
        command = option(command)
    return command


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
        click.echo(
            f"asplan: {len(found.puzzles)} of {found.count} puzzles: {found.reason}", err=True
        )


def _plain(found: Generated) -> dict[str, Any]:
    puzzles = [
        {"attempt": made.attempt, **asdict(made.puzzle), "text": made.text}
        for made in found.puzzles
    ]
    return {**asdict(found), "stopped": found.stopped, "puzzles": puzzles}


def _print_table(found: Generated) -> None:
    from asplan.cli.tables import print_table

    heads = ["file", *found.puzzles[0].puzzle.difficulty, "attempt"]
    rows = [
        [made.name, *map(str, made.puzzle.difficulty.values()), str(made.attempt)]
        for made in found.puzzles
    ]
    print_table("", heads, rows)
