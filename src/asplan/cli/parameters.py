"""The types of arguments and options on the command line, with errors in plain words.

>>> WholeNumber(1, 9).convert("x", None, None)
Traceback (most recent call last):
click.exceptions.BadParameter: pass a whole number from 1 to 9, not 'x'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, TypeAlias

import click

from asplan.core.text import LARGEST

Word: TypeAlias = Any  # click passes the word of the command line, or a default of any type


class WholeNumber(click.IntRange):
    """The type of whole numbers from `least` to `most`; None means no bound."""

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        super().__init__(least, most)

    def convert(self, value: Word, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; refuse any other word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            _refuse_number(self, value, "whole number", param, ctx)


class Number(click.FloatRange):
    """The type of numbers that are at least `least`; None means no bound."""

    def __init__(self, least: float | None = None) -> None:
        super().__init__(least)

    def convert(
        self, value: Word, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; refuse any other word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            _refuse_number(self, value, "number", param, ctx)


def _refuse_number(
    kind: WholeNumber | Number,
    value: Word,
    noun: str,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> NoReturn:
    bounds = ""
    if kind.max is not None and kind.max < LARGEST:
        bounds = f" from {kind.min or 0:g} to {kind.max:g}"
    elif kind.min is not None:
        bounds = f" of at least {kind.min:g}"
    kind.fail(f"pass a {noun}{bounds}, not {str(value)!r}", param, ctx)


class OneOf(click.Choice[str]):
    """The type of an option whose value is one of some words."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([str(word) for word in words])  # click compares members of enums by name

    def convert(self, value: Word, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word if it is one of the choices; refuse any other word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            *words, last = self.choices
            choice = f"{', '.join(words)} or {last}" if words else last
            self.fail(f"pass {choice}, not {str(value)!r}", param, ctx)


class Output(click.Path):
    """The type of an option that names a file or a folder to write."""

    def convert(
        self, value: Word, param: click.Parameter | None, ctx: click.Context | None
    ) -> Word:
        """Return the name; refuse an empty name, which would mean the current folder."""
        if value == "":
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)
