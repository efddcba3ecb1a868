"""A lexer for PDDL: words and groups in parentheses, each with its place.

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
from dataclasses import field
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.core.text import shortened

DEEPEST = 100  # the maximum depth of groups, since conditions are evaluated by recursion

_TOKEN = re.compile(r"[()]|\??[^ \t\r\n\f\v();?]+|\?|;[^\r\n]*")
_LINE_END = re.compile(r"\r\n?|\n")
_SECTION = re.compile(
    r"(?i)\(\s*:(action|durative-action|derived|requirements|types|constants|predicates|functions"
    r"|domain|objects|init|goal|metric|constraints|process|event)(?=[\s()])"
)
FORMS = "PDDL files begin with (define (domain NAME) or (define (problem NAME)"


@dataclass(frozen=True)
class PddlSource:
    """A PDDL file: its name and its text."""

    file: str
    text: str = field(repr=False)

    def location(self, offset: int) -> Location:
        """Return the line and column of the character at an offset; a tab counts as one column."""
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1] + 1
        return Location(self.file, line, column)

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of the first character of each line."""
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def error(
        self,
        offset: int,
        message: str,
        hint: str = "",
    ) -> InputError:
        """Return an error whose place is the character at an offset."""
        return InputError(message, at=self.location(offset), hint=hint)


@dataclass(frozen=True, slots=True)
class _Placed:
    """The base class of nodes: the file of a node, and the offset of its first character."""

    source: PddlSource = field(compare=False, repr=False)
    offset: int = field(compare=False, repr=False)

    @property
    def at(self) -> Location:
        """The location of the node's first character."""
        return self.source.location(self.offset)


@dataclass(frozen=True, slots=True)
class Word(_Placed):
    """A name, variable, keyword or number.

    Attributes
    ----------
    key
        The word in lower case; PDDL ignores case.
    text
        The word as the file writes it.
    """

    key: str
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Group(_Placed):
    """A pair of parentheses with the nodes inside; its place is the opening parenthesis."""

    items: tuple[Node, ...]

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.items))})"


Node = Word | Group


def wrong(
    node: Node,
    message: str,
    hint: str = "",
) -> InputError:
    """Return an error whose place is a node."""
    return node.source.error(node.offset, message, hint)


def quoted(node: Node) -> str:
    """Return the text of a node for a message, shortened if it is long."""
    return shortened(str(node), 60)


def read_group(source: PddlSource) -> Group:
    """Parse a file that contains a single group, and return this group.

    Raises
    ------
    InputError
        If the file is empty, if parentheses do not match or are nested deeper than `DEEPEST`, if
        there is text before or after the group, or a character that PDDL does not allow.
    """
    groups: list[Node] = []
    opened: list[int] = []
    items: list[list[Node]] = []
    for offset, token in _tokens(source):
        if groups and token != ")":
            raise _text_after_group(source, offset)
        if token == "(":
            if len(opened) == DEEPEST:
                raise source.error(offset, f"more than {DEEPEST} parentheses are open here")
            opened.append(offset)
            items.append([])
        elif token == ")" and opened:
            group = Group(source, opened.pop(), tuple(items.pop()))
            siblings = items[-1] if items else groups
            siblings.append(group)
        elif token == ")":
            raise _unopened(source, offset)
        elif items:
            word = Word(source, offset, token.lower(), token)
            items[-1].append(word)
        else:
            message = f"{shortened(token, 60)!r} comes before the first parenthesis"
            raise source.error(offset, message, FORMS)
    if opened:
        raise _unclosed(source, opened)
    return _only(groups, source)


def _only(
    groups: list[Node],
    source: PddlSource,
) -> Group:
    """Return the single group that was read; raise `InputError` if the file is empty."""
    if not groups:
        raise InputError(f"{source.file} is empty", hint=FORMS)
    (group,) = groups
    assert isinstance(group, Group)
    return group


def _tokens(source: PddlSource) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each token of a file; comments are left out."""
    for match in _TOKEN.finditer(source.text):
        token = match[0]
        if token[0] == ";":
            continue
        if not (token.isascii() and token.isprintable()):
            raise _bad_character(source, match.start(), token)
        yield match.start(), token


def _bad_character(
    source: PddlSource,
    offset: int,
    token: str,
) -> InputError:
    """Return the error of a token with a character that PDDL does not allow."""
    index = next(i for i, c in enumerate(token) if not (c.isascii() and c.isprintable()))
    message = f"PDDL does not allow the character {token[index]!r} outside comments"
    hint = "names consist of the letters a to z, digits, - and _"
    return source.error(offset + index, message, hint)


def _text_after_group(
    source: PddlSource,
    offset: int,
) -> InputError:
    """Return the error that something follows the group of the file."""
    message = "the file goes on after the end of (define …)"
    hint = "a parenthesis before it may be one too many; each file holds one domain or problem"
    return source.error(offset, message, hint)


def _unopened(
    source: PddlSource,
    offset: int,
) -> InputError:
    """Return the error of a closing parenthesis that closes nothing."""
    message = "this parenthesis closes nothing"
    hint = "it is one too many, or one before it closes a group too early"
    return source.error(offset, message, hint)


def _unclosed(
    source: PddlSource,
    opened: list[int],
) -> InputError:
    """Return the error of a missing closing parenthesis.

    `opened` has the offsets of the groups that are still open. If a section such as `(:action`
    begins inside another section, the outer section is not closed, and is the place of the error.
    """
    stack: list[int] = []
    for offset, token in _tokens(source):
        if token == ")":
            stack.pop()
        elif token == "(":
            if len(stack) > 1 and _SECTION.match(source.text, offset):
                inside = source.location(offset)
                message = f"this group is still open in line {inside.line}, where a section begins"
                hint = f"close it before line {inside.line}, column {inside.column}"
                return source.error(stack[1], message, hint)
            stack.append(offset)
    message = "this parenthesis is not closed when the file ends"
    return source.error(opened[-1], message, "add a ) where its group ends")


# Dashes before types. Some files write `?x -block`, some a type without objects.

_GLUED = re.compile(r"(?<=[\s)])-(?=[a-zA-Z])")
_EMPTY = re.compile(r"(-\s+[\w-]+|:objects)\s+-\s", re.IGNORECASE)


def odd_dashes(source: PddlSource) -> dict[str, Location]:
    """Return warnings about two mistakes at dashes: no space after one, or no name before one.

    The keys are the messages, and the values are the first places of the mistakes.
    """
    glued = "no space follows this dash"
    empty = "no name comes before this dash"
    # The patterns are quick, but match comments, too.
    may_be_glued = _GLUED.search(source.text)
    may_be_empty = _EMPTY.search(source.text)
    if not (may_be_glued or may_be_empty):
        return {}
    first: dict[str, Location] = {}
    for before, last, token, offset in _windows(source):
        if may_be_glued and _is_glued(token):
            first.setdefault(glued, source.location(offset))
        elif may_be_empty and token == "-" and _lacks_name(before, last):
            first.setdefault(empty, source.location(offset))
    return {message: first[message] for message in (glued, empty) if message in first}


def _windows(source: PddlSource) -> Iterator[tuple[str, str, str, int]]:
    """Yield four values for each token: the two tokens before it, the token, and its offset."""
    before = ""
    last = ""
    for offset, token in _tokens(source):
        yield before, last, token, offset
        before = last
        last = token


def _is_glued(token: str) -> bool:
    """Return whether a token is a dash followed by a letter, as in `-block`."""
    return token[0] == "-" and token[1:2].isalpha()


def _lacks_name(
    before: str,
    last: str,
) -> bool:
    """Return whether no name comes before a dash.

    `last` is the token before the dash, and `before` is the token before `last`.
    """
    return before == "-" or last.lower() == ":objects"
