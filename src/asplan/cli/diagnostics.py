"""The printing of errors and warnings on standard error.

A pipe gets the text alone. A terminal also shows the line of the file, in colours:

    asplan: warning: lamps.lp:4:4: nothing defines presed/2 [undefined]
      4 │ :- presed(L,T), not lamp(L).
        │    ^^^^^^^^^^^
      did you mean pressed/2?
"""

from __future__ import annotations

import re
import sys
import unicodedata
from contextlib import suppress
from itertools import islice
from pathlib import Path

import click

from asplan.core.dataclass import dataclass
from asplan.core.errors import LONGEST, AsplanError, InputWarning, Location
from asplan.core.files import ASP
from asplan.core.text import printable, shortened

_WIDEST = 96  # most characters of a line of a file; a longer one is cut around the place
_BEFORE = 30  # characters that stay before the place in a line that is cut
_LARGEST = 10_000_000  # most bytes of a file from which a line is shown
_OPENING = {"(": ")", "[": "]", "{": "}"}
_WORD = re.compile(r"[\w'@#-]+")


def print_error(error: AsplanError) -> None:
    """Print an error on standard error; on a terminal, add the line of the input with marks."""
    with suppress(OSError):  # without standard error, the exit status has to do
        if sys.stderr.isatty():
            _print_with_line("asplan: ", "bold red", error, str(error))
        else:
            click.echo(printable(f"asplan: {error}"), err=True)


def print_warning(warning: InputWarning) -> None:
    """Print a warning on standard error; on a terminal, add the line of the input with marks."""
    text = printable(shortened(str(warning), LONGEST))
    if sys.stderr.isatty():
        _print_with_line("asplan: warning: ", "bold yellow", warning, text)
    else:
        click.echo(f"asplan: warning: {text}", err=True)


def _print_with_line(
    prefix: str, style: str, diagnostic: AsplanError | InputWarning, text: str
) -> None:
    """Print an error or a warning in colours, with the line of the file that it is about.

    `prefix` is printed before `text` in a `style`, such as `bold red`.
    """
    from rich.text import Text

    from asplan.cli.tables import make_console

    place = f"{diagnostic.at}: " if diagnostic.at else ""
    if not text.startswith(place):  # a long place was shortened
        place = ""
    message, _, hint = text.removeprefix(place).partition("\n")
    lines = [Text.assemble((prefix, style), (place, "bold"), message)]
    excerpt = read_excerpt(diagnostic.at) if diagnostic.at else None
    if excerpt is not None:
        number = str(excerpt.number)
        lines.append(Text.assemble((f"  {number} │ ", "blue"), excerpt.line))
        lines.append(Text.assemble((f"  {' ' * len(number)} │ ", "blue"), (excerpt.mark, style)))
    if hint:
        lines.append(Text(hint, style="green"))
    make_console(stderr=True).print(Text("\n").join(lines), soft_wrap=True)


@dataclass(frozen=True)
class Excerpt:
    """A line of a file with its number, and a line of `^` marks to print below it."""

    number: int
    line: str
    mark: str


def read_excerpt(at: Location) -> Excerpt | None:
    """Return the line at a place, with the term there marked; None if it cannot be read."""
    try:
        path = Path(at.file)
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        with path.open(encoding="utf-8", errors="replace") as lines:
            line = next(islice(lines, at.line - 1, None), None)
    except (OSError, ValueError):
        return None
    if line is None:
        return None
    before = at.column - 1
    if path.suffix in ASP:  # clingo counts bytes
        before = len(line.encode()[:before].decode(errors="ignore"))
    return mark_term(line.rstrip("\r\n"), at.line, before)


def mark_term(line: str, number: int, start: int) -> Excerpt | None:
    """Return a line with marks below the term that starts at the index `start`.

    `number` is the number of the line in its file. Return None if the index is outside of the line.

    >>> mark_term(":- presed(L,f(T)), lamp(L).", 4, 3).mark
    '   ^^^^^^^^^^^^^^'
    """
    if not 0 <= start <= len(line):
        return None
    end = max(_end_of_term(line, start), start + 1)
    if len(line) > _WIDEST:
        cut = max(0, start - _BEFORE)
        line = ("…" if cut else "") + line[cut : cut + _WIDEST]
        start += bool(cut) - cut
        end += bool(cut) - cut
    line = "".join(" " if char == "\t" else _visible(char) for char in line)
    end = min(end, len(line) + 1)
    blank = " " * _width(line[:start])
    return Excerpt(number, line, blank + "^" * max(1, _width(line[start:end])))


def _end_of_term(line: str, start: int) -> int:
    """Return the index after the term, the word or the bracket that starts at an index."""
    word = _WORD.match(line, start)
    end = word.end() if word else start
    if line[end : end + 1] not in _OPENING:
        return end
    open_brackets: list[str] = []
    for index in range(end, len(line)):
        char = line[index]
        if char in _OPENING:
            open_brackets.append(_OPENING[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return index + 1
    return len(line)


def _visible(char: str) -> str:
    """Return a character for the terminal; a dot for an unprintable one."""
    return char if char.isprintable() else "·"


def _width(text: str) -> int:
    """Return the width of a text on a terminal, where some characters are two columns wide."""
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
