"""The text of PDDL: words and groups in parentheses, each with its place.

>>> group = read_group(PddlSource("p.pddl", "(define (domain Blocks)) ; a comment"))
>>> print(group)
(define (domain Blocks))
>>> word = group.items[1].items[1]
>>> word.key, word.text, str(word.at)
('blocks', 'Blocks', 'p.pddl:1:17')
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from asplan.core.errors import InputError, Location
from asplan.core.text import shortened

DEEPEST = 100  # groups inside of groups at most; conditions are read and evaluated by recursion

_TOKEN = re.compile(r"[()]|\??[^ \t\r\n\f\v();?]+|\?|;[^\r\n]*")
_LINE_END = re.compile(r"\r\n?|\n")
_SECTION = re.compile(
    r"(?i)\(\s*:(action|durative-action|derived|requirements|types|constants|predicates|functions"
    r"|domain|objects|init|goal|metric|constraints|process|event)(?=[\s()])"
)
FORMS = "PDDL files begin with (define (domain NAME) or (define (problem NAME)"


@dataclass(frozen=True)
class PddlSource:
    """The text of a file, and its name."""

    file: str
    text: str = field(repr=False)

    def location(self, offset: int) -> Location:
        """Where a character stands; a tab counts as one column."""
        line = bisect_right(self._starts, offset)
        return Location(self.file, line, offset - self._starts[line - 1] + 1)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def error(self, offset: int, message: str, hint: str = "") -> InputError:
        return InputError(message, at=self.location(offset), hint=hint)


@dataclass(frozen=True, slots=True)
class _Placed:
    source: PddlSource = field(compare=False, repr=False)
    offset: int = field(compare=False, repr=False)

    @property
    def at(self) -> Location:
        return self.source.location(self.offset)


@dataclass(frozen=True, slots=True)
class Word(_Placed):
    """A name, variable, keyword or number; PDDL does not tell its `key` from other cases."""

    key: str
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Group(_Placed):
    """What stands between two parentheses; its place is that of the first."""

    items: tuple[Node, ...]

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.items))})"


Node = Word | Group


def wrong(node: Node, message: str, hint: str = "") -> InputError:
    return node.source.error(node.offset, message, hint)


def quoted(node: Node) -> str:
    """A node as it is shown in a message; a group that is long is cut."""
    return shortened(str(node), 60)


def read_group(source: PddlSource) -> Group:
    """The one group that a file consists of.

    Raises `InputError` if parentheses do not match or are nested deeper than `DEEPEST`, if there
    is nothing, something before or behind the group, or a character that PDDL does not know.
    """
    groups: list[Group] = []
    opened: list[int] = []
    items: list[list[Node]] = []
    for offset, token in _tokens(source):
        if groups and token != ")":
            hint = (
                "a parenthesis before it may be one too many; each file holds one domain or problem"
            )
            raise source.error(offset, "the file goes on behind the group that (define opens", hint)
        if token == "(":
            if len(opened) == DEEPEST:
                raise source.error(offset, f"more than {DEEPEST} parentheses are open here")
            opened.append(offset)
            items.append([])
        elif token == ")":
            if not opened:
                hint = "it is one too many, or one before it closes a group too early"
                raise source.error(offset, "this parenthesis closes nothing", hint)
            group = Group(source, opened.pop(), tuple(items.pop()))
            (items[-1] if items else groups).append(group)
        elif items:
            items[-1].append(Word(source, offset, token.lower(), token))
        else:
            what = f"{shortened(token, 60)!r} stands before the first parenthesis"
            raise source.error(offset, what, FORMS)
    if opened:
        raise _unclosed(source, opened)
    if not groups:
        raise InputError(f"{source.file} is empty", hint=FORMS)
    return groups[0]


def _tokens(source: PddlSource) -> Iterator[tuple[int, str]]:
    for found in _TOKEN.finditer(source.text):
        token = found[0]
        if token[0] == ";":
            continue
        if not (token.isascii() and token.isprintable()):
            index = next(i for i, c in enumerate(token) if not (c.isascii() and c.isprintable()))
            what = f"the character {token[index]!r} has no place in PDDL outside of comments"
            hint = "names consist of the letters a to z, digits, - and _"
            raise source.error(found.start() + index, what, hint)
        yield found.start(), token


_GLUED = re.compile(r"(?<=[\s)])-(?=[a-zA-Z])")
_EMPTY = re.compile(r"(-\s+[\w-]+|:objects)\s+-\s", re.IGNORECASE)


def odd_dashes(source: PddlSource) -> dict[str, Location]:
    """What is odd about dashes before types, with the first place of each.

    Some write `?x -block`, and some a type of which there are no objects.
    """
    glued, empty = "no space stands behind this dash", "before this dash stands no name"
    found: dict[str, Location] = {}
    # In comments all of that means nothing.
    may_be_glued, may_be_empty = (form.search(source.text) for form in (_GLUED, _EMPTY))
    before, last = "", ""
    for offset, token in _tokens(source) if may_be_glued or may_be_empty else ():
        if may_be_glued and token[0] == "-" and token[1:2].isalpha():
            found.setdefault(glued, source.location(offset))
        elif may_be_empty and token == "-" and (before == "-" or last.lower() == ":objects"):
            found.setdefault(empty, source.location(offset))
        before, last = last, token
    return {what: found[what] for what in (glued, empty) if what in found}


def _unclosed(source: PddlSource, opened: list[int]) -> InputError:
    """The error of a missing parenthesis: a section that begins inside of another tells which."""
    stack: list[int] = []
    for offset, token in _tokens(source):
        if token == ")":
            stack.pop()
        elif token == "(":
            if len(stack) > 1 and _SECTION.match(source.text, offset):
                inside = source.location(offset)
                what = f"this group is still open in line {inside.line}, where a section begins"
                hint = f"close it before line {inside.line}, column {inside.column}"
                return source.error(stack[1], what, hint)
            stack.append(offset)
    what = "this parenthesis is not closed when the file ends"
    return source.error(opened[-1], what, "add a ) where its group ends")
