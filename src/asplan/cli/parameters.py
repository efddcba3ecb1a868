"""Parameter types and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from asplan import catalog
from asplan.engines import ENGINES

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


INSTANCE = Names("file", lambda: [entry.name for entry in catalog.instances()])
ENCODING = Names("encoding", lambda: [entry.name for entry in catalog.encodings()])
ENGINE = Names("engine", lambda: list(ENGINES))


def debug_option(function: Function) -> Function:
    """`--debug`; it is read where errors are caught."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
    )(function)


def draw_option(function: Function) -> Function:
    """`--draw`."""
    return click.option(
        "--draw", type=click.Path(), metavar="F.lp", help="Drawing rules; see docs/drawing.md."
    )(function)


def constant_options(function: Function) -> Function:
    """`-c` and `--metric`."""
    function = click.option(
        "--metric", metavar="step|slide", help="What one move is; short for -c metric=…"
    )(function)
    return click.option(
        "-c",
        "--const",
        "constants",
        metavar="NAME=VALUE",
        multiple=True,
        help="Set a constant of the program.",
    )(function)


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
