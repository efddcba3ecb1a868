"""`asplan generate`: puzzles with proven difficulty, a command for each domain."""

from collections.abc import Sequence
from dataclasses import asdict

import click

from asplan.api.exploring import TRIES, generate
from asplan.cli.options import (
    Command,
    HelpOption,
    Value,
    limit_option,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import ProgressLine, print_json, stop_status
from asplan.cli.parameters import Output, WholeNumber
from asplan.core.errors import UsageError
from asplan.core.text import LARGEST
from asplan.domains import domains
from asplan.enumeration.rating import Rating
from asplan.puzzles import Generated, Made, find_generator

COUNT = WholeNumber(1, LARGEST)
SEED = WholeNumber(0, LARGEST)


@click.command()
@option("--count", type=COUNT, default=1, help="Make this many puzzles.")
@option(
    "--seed",
    type=SEED,
    default=1,
    help="Seed the random numbers; another seed makes other puzzles.",
)
@output_option(
    "-o",
    "--output",
    type=Output(),
    metavar="DIR",
    help="Write one file for each puzzle into this folder.",
)
@limit_option(
    "--tries", type=COUNT, default=TRIES, help="End after this many attempts without a new puzzle."
)
@option(
    "--unique",
    is_flag=True,
    help="Keep only puzzles with one shortest plan, up to the order of its actions.",
)
@option("--rate", is_flag=True, help="Count shortest plans and dead ends of each puzzle.")
@shared_options("json", "time limit", "memory limit", "debug")
def make(as_json: bool, **given: Value) -> int:
    """Make puzzles of the domain that the command is named after; return the exit status."""
    domain = str(click.get_current_context().info_name)
    folder = given["output"]
    if given["count"] > 1 and folder is None and not as_json:
        raise UsageError("several puzzles need a folder", hint="name a folder with -o")

    def show(made: Generated) -> None:
        line.show(made.reason)

    with ProgressLine() as line:
        made = generate(domain, progress=show, **given)
    if as_json:
        print_json(asdict(made) | {"puzzles": [_plain_data(one) for one in made.puzzles]})
    elif folder is None:
        for one in made.puzzles:
            click.echo(one.text, nl=False)
    elif made.puzzles:
        _print_difficulties(made.puzzles)
    if made.reason:
        count = f"{len(made.puzzles)} of {made.count} puzzles"
        click.echo(f"asplan: {count}: {made.reason}", err=True)
    return stop_status(made.stopped, bool(made.reason))


def _plain_data(made: Made) -> dict[str, object]:
    puzzle = asdict(made.puzzle)
    rating = None if made.rating is None else _rating_data(made.rating)
    data = {"name": made.name, "attempt": made.attempt, **puzzle}
    return data | {"rating": rating, "text": made.text}


def _rating_data(rating: Rating) -> dict[str, object]:
    plans = rating.plans
    dead_ends = rating.dead_ends
    return {
        # As text: other programs may not read all of its digits.
        "shortest_plans": None if plans is None else str(plans.number),
        "is_unique": None if plans is None else plans.is_unique,
        "states": None if dead_ends is None else dead_ends.states,
        "dead_ends": None if dead_ends is None else dead_ends.dead_ends,
        "dead_end_share": None if dead_ends is None else dead_ends.share,
    }


def _print_difficulties(puzzles: Sequence[Made]) -> None:
    """Print a table of the written files, with the difficulty of each puzzle."""
    from asplan.cli.tables import print_table

    rows = []
    for made in puzzles:
        measures = map(str, made.puzzle.difficulty.values())
        rows.append([made.name, *measures, *_rating_cells(made.rating), str(made.attempt)])
    titles = ["file", *puzzles[0].puzzle.difficulty]
    if puzzles[0].rating is not None:
        titles += ["shortest plans", "unique", "dead ends"]
    print_table("", [*titles, "attempt"], rows)


def _rating_cells(rating: Rating | None) -> list[str]:
    """Return the cells of a rating: shortest plans, whether unique, and share of dead ends."""
    if rating is None:
        return []
    plans = ["?", "?"]
    if rating.plans is not None:
        plans = [str(rating.plans.number), "yes" if rating.plans.is_unique else "no"]
    share = "?" if rating.dead_ends is None else f"{rating.dead_ends.share:.0%}"
    return [*plans, share]


class _Domains(click.Group):
    """The group of commands `generate DOMAIN`, one for each domain with a generator."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the domains that have a generator of puzzles."""
        return [name for name, domain in domains().items() if domain.generator is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command for the domain `cmd_name`; raise `UsageError` without a generator."""
        generator = find_generator(cmd_name)
        parameters: list[click.Parameter] = []
        for wish in generator.options:
            about = f"{wish.help}  [default: {wish.default}]" if wish.default else wish.help
            takes = {"is_flag": True} if wish.read is None else {"metavar": wish.metavar}
            parameters.append(HelpOption([f"--{wish.name}"], help=about, **takes))
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
    """Make different puzzles with a proven number of moves.

    \b
    asplan generate DOMAIN --help     the options of its puzzles

    The same options and seed give the same puzzles on any machine; see docs/generate.md.

    \b
    Examples:
      asplan generate rush_hour --slides 20..30 --count 12 --seed 7 -o boards
      asplan generate sliding_tiles --moves 20
      asplan generate brain_twist --moves 4..12 --count 5 --json
    """  # noqa: D301  # click reads the character \b
