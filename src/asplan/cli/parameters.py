"""Parameter types and options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from asplan.domains import domains
from asplan.drawing.formats import find_format
from asplan.engines import engines, option_forms, spelling
from asplan.engines.run import Form
from asplan.errors import UsageError
from asplan.problem import catalog
from asplan.problem.lp import constants_of
from asplan.problem.problem import STEPS

Function = TypeVar("Function", bound=Callable[..., Any])


class Names(click.ParamType[str]):
    """A word for which names that ship with asplan are offered; files are offered as well."""

    def __init__(self, name: str, known: Callable[[], list[str]]) -> None:
        self.name, self.known = name, known

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names that begin with what was typed, then files."""
        names = [CompletionItem(n) for n in self.known() if n.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


MOST_STEPS = 1_000
"""More than fit side by side, however small they are."""


class Step(click.ParamType[int | tuple[int, ...]]):
    """A step of a plan, or several, as ASP writes intervals: 3, or 0,5,10, or 0..10."""

    name = "step"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | tuple[int, ...]:
        """The step, or the steps in the order in which they were written."""
        if isinstance(value, int):
            return value
        found: list[int] = []
        for part in value.split(","):
            ends = re.fullmatch(r"(-?[0-9]{1,6})(?:\.\.(-?[0-9]{1,6}))?", part.strip())
            if ends is None:
                self.fail(f"{part!r} is no step, such as 3, nor several, such as 0,5 or 0..10.")
            steps = range(int(ends[1]), int(ends[2] or ends[1]) + 1)
            if not steps:
                self.fail(f"{part!r} holds no step.")
            if len(found) + len(steps) > MOST_STEPS:
                self.fail(f"these are more than {MOST_STEPS} steps.")
            found += steps
        return found[0] if len(found) == 1 else tuple(found)


class Output(click.Path):
    """The name of a file or folder to write."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name; an empty one would stand for the folder that one is in."""
        if value == "":
            self.fail("the name is empty.", param, ctx)
        return super().convert(value, param, ctx)


INSTANCE = Names("file", lambda: [e.name for e in [*catalog.instances(), *catalog.rungs()]])
ENCODING = Names("encoding", lambda: [entry.name for entry in catalog.encodings()])
ENGINE = Names("engine", lambda: list(engines()))
STEP = Step()


def debug_option(function: Function) -> Function:
    """`--debug`; it is read where errors are caught."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
    )(function)


def includes_option(function: Function) -> Function:
    """`--allow-includes`; it arrives as `allow_includes`."""
    return click.option(
        "--allow-includes",
        is_flag=True,
        help="Let files include others that are not below their folder.",
    )(function)


def draw_option(function: Function) -> Function:
    """`--draw`."""
    return click.option(
        "--draw", type=click.Path(), metavar="F.lp", help="Drawing rules; see docs/drawing.md."
    )(function)


def steps_option(function: Function) -> Function:
    """`--steps`."""
    return click.option(
        "--steps", type=click.Choice(STEPS), help="For PDDL: what a step may hold; short for -e."
    )(function)


def constant_options(function: Function) -> Function:
    """`-c`, and the short forms of the domains; the constants arrive as `constants`."""
    short = {name: text for d in domains().values() for name, text in d.short_forms.items()}

    @wraps(function)
    def with_constants(*args: Any, constants: tuple[str, ...], **given: Any) -> Any:
        values = {name: given.pop(name) for name in short}
        return function(*args, constants=constants_of(constants, values), **given)

    decorated: Any = with_constants
    for name, text in short.items():
        decorated = click.option(f"--{name}", name, metavar=_values(name), help=text)(decorated)
    return click.option(  # type: ignore[no-any-return]
        "-c",
        "--const",
        "constants",
        metavar="NAME=VALUE",
        multiple=True,
        help="Set a constant of the program.",
    )(decorated)


def _values(variant: str) -> str:
    found = (d.variants[variant] for d in domains().values() if variant in d.short_forms)
    return "|".join(dict.fromkeys(value for values in found for value in values))


def engine_options(function: Function) -> Function:
    """The options of all engines, as these describe them."""
    decorated: Any = function
    for name, form in reversed(option_forms().items()):
        if not form.words:
            decorated = click.option(spelling(name), name, **_clicked(form))(decorated)
    return decorated  # type: ignore[no-any-return]


def _clicked(form: Form) -> dict[str, Any]:
    """How click asks for an option."""
    if form.kind is bool:
        return {"is_flag": True, "default": None, "help": form.help, "hidden": form.hidden}
    kind: click.ParamType[Any] | type = form.kind
    if form.choices:
        kind = click.Choice(form.choices)
    elif form.kind is int:
        kind = click.IntRange(form.least, form.most)
    return {"type": kind, "help": form.help, "metavar": form.metavar, "hidden": form.hidden}


def named(suffix: str, file: str | None) -> list[str]:
    """The file of an option that stands for one format, as a list.

    Raises
    ------
    UsageError
        The name ends with another suffix.
    """
    if file is None:
        return []
    find_format(Path(file))
    if not file.lower().endswith(suffix):
        raise UsageError(f"{file}: the name does not end with {suffix}")
    return [file]


class WithClingoOptions(click.Command):
    """A command whose words after `--` are for clingo; they arrive as `clingo`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split the words at the first `--`."""
        own, clingo = args, []
        if "--" in args:
            cut = args.index("--")
            own, clingo = args[:cut], args[cut + 1 :]
        rest = super().parse_args(ctx, own)
        ctx.params["clingo"] = tuple(clingo)
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Name the words for clingo in the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- CLINGO OPTIONS]"]
