"""Reads `.lp` files into clingo statements, after a look that clingo itself does not take.

clingo wraps a number of more than 32 bits silently, and a byte that it cannot decode ends the
whole process. Both are found here, before clingo sees the text.

>>> [str(s) for s in parse_text("p(1..3).")]
['#program base.', 'p((1..3)).']
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from clingo import Symbol, ast, parse_term
from clingo.ast import AST, parse_files, parse_string

from asplan.errors import InputError, Location, UsageError
from asplan.program.messages import Messages, reporting
from asplan.text import shortened

MAX_NUMBER = 2**31 - 1
STDIN = "-"
TEXT = "<stdin>"
"""The file that clingo's statements and messages name where a program came as text."""

_TOKEN = re.compile(
    r"""(?P<block> %\* )
      | (?P<skip> %[^\n]* | \#script.*?\#end )
      | (?P<include> \#include\s*"(?P<path>[^"\n]*)" )
      | (?P<string> "(?:\\.|[^"\\\n])*" )
      | (?P<word> [_']*[A-Za-z][A-Za-z0-9_']* )
      | (?P<number> 0x[0-9a-fA-F]+ | 0o[0-7]+ | 0b[01]+ | 0 | [1-9][0-9]* )
      | (?P<strange> [^\x00-\x7f] )""",
    re.VERBOSE | re.DOTALL,
)

_STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_ODD = re.compile(r"[^\x20-\x7e\t\n\r]|[/\\%@$?:;.]|#(?!inf|sup)")
"""What stands in no constant and in no action, outside of strings."""
_LONG = re.compile(r"\d{1000}")
_LONGEST_TERM = 100_000
_DEEPEST_TERM = 1_000

_BLOCK = re.compile(r"%\*|\*%")


@dataclass(frozen=True)
class Source:
    """A file as it was read: its path and text, and those of the files that it includes."""

    file: str
    texts: tuple[tuple[str, str], ...]


def read_source(file: str) -> Source:
    """Read a file and what it includes.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    if file == STDIN:
        return Source(file, ((TEXT, standard_input()),))
    return Source(file, tuple(_with_included(Path(file), frozenset())))


@lru_cache(maxsize=64)
def statements_of(source: Source) -> tuple[AST, ...]:
    """The statements of a source, in order; a text is parsed once.

    Raises
    ------
    InputError
        It is no program; the message names file, line and column.
    """
    if source.file == STDIN:
        return parse_text(source.texts[0][1], TEXT)
    for path, text in source.texts:
        _check(text, path)
    statements: list[AST] = []
    with reporting() as messages:
        parse_files([source.file], statements.append, logger=messages)
    return tuple(statements)


def parse(files: Iterable[str]) -> tuple[AST, ...]:
    """All statements of the files and of what they include, in order.

    Raises
    ------
    InputError
        A file cannot be read, or is no program; the message names file, line and column.
    """
    return tuple(s for file in files for s in statements_of(read_source(file)))


@cache
def standard_input() -> str:
    """What comes in on standard input, read once; a worker process inherits it."""
    return sys.stdin.read()


def parse_text(text: str, name: str = "<text>") -> tuple[AST, ...]:
    """The statements of a program given as text; `name` stands for the file in messages."""
    _check(text, name)
    statements: list[AST] = []
    with reporting(Messages(name)) as messages:
        parse_string(text, statements.append, logger=messages)
    for statement in statements:
        statement.location = _renamed(statement.location, name)
    return tuple(statements)


def _renamed(place: ast.Location, name: str) -> ast.Location:
    """A place in a text, which clingo calls <string>, under the name of the text."""
    ends = (place.begin, place.end)
    begin, end = (ast.Position(name, at.line, at.column) for at in ends)
    return ast.Location(begin, end)


def parse_constant(definition: str) -> tuple[str, str]:
    """Split `NAME=VALUE`; the value is a ground term.

    Raises
    ------
    UsageError
        There is no `=`, or name or value is malformed.
    """
    name, equals, value = definition.partition("=")
    mend = "write it as -c NAME=VALUE, for example -c metric=slide"
    if not equals:
        raise UsageError(f"constant {definition!r} has no '='", mend=mend)
    if not re.fullmatch(r"[_']*[a-z][A-Za-z0-9_']*", name):
        raise UsageError(f"{name!r} is no name for a constant", mend=mend)
    return name, str(ground_term(value, f"constant {name}"))


def ground_term(text: str, what: str) -> Symbol:
    """The term that a text writes; `what` names it in the `UsageError` if it writes none.

    The text may come from anybody, so it is looked at before clingo sees it: that stops at a NUL,
    and it dies of the numbers that a division by zero and the like would give, and of deep nesting.
    """
    try:
        if (odd := _ODD.search(_STRING.sub('""', text))) or (odd := re.search("\0", text)):
            raise InputError(f"{odd[0]!r} has no place in it")
        if len(text) > _LONGEST_TERM or text.count("(") > _DEEPEST_TERM or _LONG.search(text):
            raise InputError("it is too long")
        _check(text, what)
        with reporting() as messages:
            return parse_term(text, messages)
    except InputError as error:
        why = " ".join(error.message.split())
        raise UsageError(f"{what}: {shortened(text, 100)!r} is no term: {why}") from error


def _with_included(path: Path, seen: frozenset[Path]) -> Iterator[tuple[str, str]]:
    """A file and those it includes; a file may include itself, as clingo allows it."""
    if path in seen:
        return
    text = read_text(path)
    yield str(path), text
    for included in _includes(text):
        # clingo looks in the working folder first, then beside the including file.
        found = [p for p in (Path(included), path.parent / included) if p.is_file()]
        if found:
            yield from _with_included(found[0], seen | {path})


def read_text(path: Path) -> str:
    """The text of a file; InputError if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"no such file: {path}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _includes(text: str) -> Iterator[str]:
    return (m["path"] for m in _tokens(text) if m["include"])


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens outside of block comments, which may hold others."""
    position = 0
    while found := _TOKEN.search(text, position):
        position = found.end()
        if found["block"]:
            position = _end_of_block(text, position)
        else:
            yield found


def _end_of_block(text: str, position: int) -> int:
    depth = 1
    while depth and (mark := _BLOCK.search(text, position)):
        position = mark.end()
        depth += 1 if mark[0] == "%*" else -1
    return len(text) if depth else position


def _check(text: str, name: str) -> None:
    for token in _tokens(text):
        if token["number"] and int(token["number"], 0) > MAX_NUMBER:
            raise InputError(
                f"the number {token['number']} does not fit clingo's 32 bits",
                at=_location(text, token.start(), name),
                mend=f"the largest is {MAX_NUMBER}",
            )
        if token["strange"]:
            raise InputError(
                f"the character {token['strange']!r} may stand only in strings and comments",
                at=_location(text, token.start(), name),
            )


def _location(text: str, offset: int, name: str) -> Location:
    line_start = text.rfind("\n", 0, offset) + 1
    return Location(name, text.count("\n", 0, offset) + 1, offset - line_start + 1)
