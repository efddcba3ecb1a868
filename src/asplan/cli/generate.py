"""`asplan generate`: puzzles with proven difficulty, a command for each domain that makes some."""

from dataclasses import asdict
from typing import Any

import click

from asplan.api.exploring import TRIES, generate
from asplan.cli.options import (
    Command,
    Option,
    Output,
    limit_option,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import Line, print_json, stop_status
from asplan.core.errors import UsageError
from asplan.core.text import LARGEST
from asplan.domains import domains
from asplan.puzzles import find_generator

COUNT, SEED = click.IntRange(1, LARGEST), click.IntRange(0, LARGEST)


@click.command()
@option("--count", type=COUNT, default=1, help="Make this many puzzles.")
@option("--seed", type=SEED, default=1, help="Make other puzzles with another number.")
@output_option("-o", "--output", type=Output(), metavar="DIR", help="Write a file for each here.")
@limit_option(
    "--tries", type=COUNT, default=TRIES, help="End after so many attempts without a new puzzle."
)
@shared_options("json", "time limit", "memory limit", "debug")
def make(as_json: bool, **given: Any) -> int:
    """Make some puzzles of the domain that the command is named after."""
    domain, folder = str(click.get_current_context().info_name), given["output"]
    if given["count"] > 1 and folder is None and not as_json:
        raise UsageError("several puzzles need a folder", hint="name one by -o")
    with Line() as line:
        made = generate(domain, progress=lambda partly: line.show(partly.reason), **given)
    if as_json:
        puzzles = [
            {"name": one.name, "attempt": one.attempt, **asdict(one.puzzle), "text": one.text}
            for one in made.puzzles
        ]
        print_json(asdict(made) | {"puzzles": puzzles})
    elif folder is not None and made.puzzles:
        from asplan.cli.tables import print_table

        rows = [
            [one.name, *map(str, one.puzzle.difficulty.values()), str(one.attempt)]
            for one in made.puzzles
        ]
        print_table("", ["file", *made.puzzles[0].puzzle.difficulty, "attempt"], rows)
    elif folder is None:
        for one in made.puzzles:
            click.echo(one.text, nl=False)
    if made.reason:
        count = f"{len(made.puzzles)} of {made.count} puzzles"
        click.echo(f"asplan: {count}: {made.reason}", err=True)
    return stop_status(made.stopped, bool(made.reason))


class _Domains(click.Group):
    """A command for each domain that makes puzzles."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, domain in domains().items() if domain.generator is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a domain; refuses others in the words of the API."""
        generator, parameters = find_generator(cmd_name), list[click.Parameter]()
        for wish in generator.options:
            about = f"{wish.help}  [default: {wish.default}]" if wish.default else wish.help
            takes = {"is_flag": True} if wish.read is None else {"metavar": wish.metavar}
            parameters.append(Option([f"--{wish.name}"], help=about, **takes))
        return Command(
            cmd_name,
            section="The puzzles",
            callback=make.callback,
            params=[*parameters, *make.params],
            help=f"Make puzzles with proven difficulty: {generator.about}.",
            short_help=f"{generator.about[:1].upper()}{generator.about[1:]}.",
        )


@click.group("generate", cls=_Domains)
def command() -> None:
    """Make puzzles whose fewest moves are proven, no two alike.

    \b
    asplan generate DOMAIN --help     what can be wished of its puzzles

    The same wish and seed give the same puzzles on any machine. docs/generate.md tells more.

    \b
    Examples:
      asplan generate rush_hour --slides 20..30 --count 12 --seed 7 -o boards
      asplan generate sliding_tiles --moves 20
      asplan generate brain_twist --moves 4..12 --count 5 --json
    """
