"""The options of the domains' commands."""

from __future__ import annotations

from collections.abc import Iterable

import click

from asplan.api.generating import TRIES
from asplan.cli.parameters import debug_option
from asplan.cli.work import limit_options
from asplan.domains.wishes import Option
from asplan.errors import UsageError
from asplan.numbers import LARGEST

COUNT = click.IntRange(1, LARGEST)
MAKING = ("count", "seed", "tries", "memory_limit")
COUNTING = ("resume", "jobs", "scheduler")


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
        type=click.Path(),
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


def counting_options() -> Iterable[click.Parameter]:
    """Those that domains have besides whose puzzles can be counted."""
    yield click.Option(["--all", "is_all"], is_flag=True, help="Count all there are instead.")
    yield click.Option(["--resume"], is_flag=True, help="With --all: go on with the file.")
    yield click.Option(
        ["--jobs"],
        type=click.IntRange(1, 1024),
        default=1,
        show_default=True,
        help="With --all: parts that are counted at a time.",
    )
    yield click.Option(
        ["--scheduler"],
        metavar="ADDRESS",
        help="With --all: count on the workers of a Dask scheduler.",
    )


def refuse_idle(ctx: click.Context, is_all: bool) -> None:
    """Raise `UsageError` for an option that was given and would do nothing."""
    given = click.core.ParameterSource.COMMANDLINE
    for name in MAKING if is_all else COUNTING:
        if ctx.get_parameter_source(name) == given:
            when = "with" if is_all else "without"
            raise UsageError(f"--{name.replace('_', '-')} has no use {when} --all")
