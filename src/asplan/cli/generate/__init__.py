"""`asplan generate`: puzzles with proven difficulty, and all that there are.

The commands below it are the domains that make puzzles, each with the options that it names:
`puzzles` makes some, `counting` counts all.
"""

from __future__ import annotations

import click

from asplan.cli.generate.options import click_option, common_options, counting_options
from asplan.cli.generate.puzzles import make
from asplan.making.wishes import find_generator, makers

_EPILOG = """
\b
Examples:
  asplan generate rush_hour --slides 20..30 --count 12 --seed 7 -o boards
  asplan generate sliding_tiles --moves 20
  asplan generate brain_twist --moves 4..12 --count 5 --json
  asplan generate rush_hour --all --size 4x4 -o counts.jsonl

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
                *(counting_options() if generator.census else ()),
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
