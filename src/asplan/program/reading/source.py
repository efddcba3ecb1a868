"""The reading of `.lp` files into clingo's statements and plain facts.

`scan` examines each file and its includes once; clingo's parser gets the text without plain facts.
Errors of the parser and of the grounder become an `InputError` with a location and a hint.

>>> [str(s) for s in parse_text("p(1..3).")]
['#program base.', 'p((1..3)).']
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from asplan.clingo import MessageCode, Symbol, parse_term
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputError, UsageError
from asplan.core.files import (
    STDIN,
    is_regular,
    is_there,
    read_text,
    real_path,
    standard_input,
)
from asplan.core.limits import hold_interrupts
from asplan.core.text import shortened
from asplan.program.reading.scan import (
    Include,
    Scanned,
    find_foreign_sign,
    is_plain_term,
    scan,
)
from asplan.program.syntax import (
    AST,
    ASTType,
    FindRule,
    FindStatement,
    Node,
    Position,
    Span,
    location,
    parse_string,
)

TEXT = "<stdin>"
"""The name of standard input as the file of statements and messages."""

_STRING = "<string>"
"""The file name that clingo's parser gives to every text."""

NodeMaker = Callable[[list[AST], str, str], list[AST]]
"""A function with the arguments and the result of `new_nodes`."""

_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)
_HEADS = (ASTType.Aggregate, ASTType.Disjunction, ASTType.HeadAggregate)
_UNTRUSTED = "if you trust it, add --allow-includes"


@dataclass(frozen=True)
class Text:
    """The text of one file. `in_base` means that it begins in the part `base` of the program."""

    name: str
    text: str
    in_base: bool = True


@lru_cache(maxsize=32)
def scan_text(text: Text) -> Scanned:
    """Scan a text into plain facts and the rest; raise the errors of `scan`."""
    return scan(text.name, text.text, text.in_base)


@dataclass(frozen=True)
class Source:
    """The texts of a file and of all files that it includes, directly or not.

    `included` has for each text the indices of the texts that it includes, in order. The index is
    None for a file that an earlier include has brought in.
    """

    texts: tuple[Text, ...]
    included: tuple[tuple[int | None, ...], ...]


def read_source(file: str, allow_includes: bool = False) -> Source:
    """Read a file and the files that it includes.

    Files outside of its folder are read only with `allow_includes`.
    """
    if file == STDIN:
        return source_of_text(standard_input(), TEXT, allow_includes)
    return _with_included(Text(file, read_text(file)), file, allow_includes)


def source_of_text(text: str, name: str, allow_includes: bool = False) -> Source:
    """Return the source of a program given as text.

    A text has no folder, so it may include files only with `allow_includes`.
    """
    return _with_included(Text(name, text), None, allow_includes)


def _with_included(root: Text, file: str | None, allow: bool) -> Source:
    """Return the source that consists of a text and the files that it includes.

    Like clingo, include each file once, at its first `#include`. Thousands of files may include
    each other, so the function is not recursive. `file` is the path of the text; `allow` permits
    includes anywhere.
    """
    texts = [root]
    paths = [file]
    included = [list[int | None]()]
    seen = set() if file is None else {real_path(file)}
    stack = [(0, iter(scan_text(root).includes))]
    while stack:
        parent, includes = stack[-1]
        include = next(includes, None)
        if include is None:
            stack.pop()
            continue
        path = _find(include, paths[parent], allow)
        real = real_path(path)
        if real in seen:
            included[parent].append(None)
            continue
        seen.add(real)
        number = len(texts)
        text = _included_text(include, path)
        included[parent].append(number)
        stack.append((number, iter(scan_text(text).includes)))
        texts.append(text)
        paths.append(path)
        included.append([])
    return Source(tuple(texts), tuple(map(tuple, included)))


def _included_text(include: Include, path: str) -> Text:
    """Read an included file; if that fails, raise `InputError` at the `#include`.

    `path` is the path of the file.
    """
    try:
        return Text(path, read_text(path), include.in_base)
    except InputError as error:
        raise InputError(error.message, at=include.at) from None


def _find(include: Include, parent: str | None, allow: bool) -> str:
    """Return the path of an included file.

    Look for it in the working folder, then in the folder of `parent`, the including file. `allow`
    permits files outside of its folder.
    """
    folder = str(Path(parent or ".").parent)
    candidates = [include.path, str(Path(folder, include.path))]
    path = next(filter(is_there, candidates), candidates[-1])
    if not allow:
        reason = _distrust(path, parent, folder)
        if reason:
            what = f'#include "{include.path}": {reason}'
            raise InputError(what, at=include.at, hint=_UNTRUSTED)
    return path


def _distrust(path: str, parent: str | None, folder: str) -> str:
    """Return why a file may not be included without permission; empty if it may.

    `parent` is the including file, and `folder` its folder.
    """
    if parent is None:
        return "a program that comes as text has no folder to include files from"
    if not Path(real_path(path)).is_relative_to(real_path(folder)):
        return "this file is not below the folder of the one that includes it"
    if is_there(path) and not is_regular(path):
        return f"{path} is not a regular file"
    return ""


def statements_of(source: Source) -> tuple[AST, ...]:
    """Return the statements of a source in order; its plain facts are left out."""
    statements: list[AST] = []
    stack = [iter(_items(source, 0))]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
        elif isinstance(item, int):
            stack.append(iter(_items(source, item)))
        else:
            statements.append(item)
    return tuple(statements)


def _items(source: Source, number: int) -> list[AST | int]:
    """Return the statements of one text in order, with an index for each `#include`.

    The index is that of the included text in the source. `number` is the index of the text itself.
    """
    text = source.texts[number]
    scanned = scan_text(text)
    opening, *statements = _parsed(scanned.rest, text.name, text.text)
    placed = list[tuple[int, int, AST | int]]()
    for statement in statements:
        begin = statement.location.begin
        placed.append((begin.line, begin.column, statement))
    for include, inserted in zip(scanned.includes, source.included[number], strict=True):
        if inserted is not None:
            placed.append((include.at.line, include.at.column, inserted))
    placed.sort(key=lambda item: item[:2])
    inside = [item for _, _, item in placed]
    return [*inside, opening] if number else [opening, *inside]


def parse_text(text: str, name: str = "<text>") -> tuple[AST, ...]:
    """Return the statements of a text without includes. Messages give `name` in place of a file."""
    for include in scan(name, text).includes:
        raise InputError(f'#include "{include.path}" in a text', at=include.at)
    return tuple(_parsed(text, name, text))


def _parsed(text: str, name: str, written: str) -> list[AST]:
    """Return the statements of a text. `written` is the same text with its comments, for hints."""
    parsed: list[AST] = []
    try:
        with reporting(Messages(name)) as messages:
            parse_string(text, parsed.append, logger=messages)
    except InputError as error:
        from asplan.program.reading.hints import syntax_error

        raise syntax_error(error, text, written) from None
    statements = [each for each in parsed if each.ast_type != ASTType.Comment]
    return _make_nodes(statements, name, text)


def new_nodes(statements: list[AST], name: str, text: str) -> list[AST]:
    """Return nodes for the statements of a text; their locations give `name` as file."""
    _set_file(statements, name)
    return [Node(statement) for statement in statements]


_make_nodes: NodeMaker = new_nodes


def make_nodes_by(maker: NodeMaker) -> None:
    """Let `maker` make all nodes from now on; it may return nodes that it made earlier."""
    global _make_nodes
    _make_nodes = maker


def _set_file(statements: Iterable[AST], name: str) -> None:
    """Replace the file name `<string>` of clingo's parser by `name` in all locations."""
    # clingo cannot keep a name of bytes that are no text.
    file = name.encode("utf-8", "backslashreplace").decode()
    for statement in statements:
        for node in _placed_nodes(statement):
            begin = node.location.begin
            end = node.location.end
            if begin.filename != _STRING:
                # The scan has seen no include, but clingo has.
                raise InputError("a file is included in an unusual way", at=location(node))
            node.location = Span(
                Position(file, begin.line, begin.column), Position(file, end.line, end.column)
            )


def _placed_nodes(statement: AST) -> Iterator[AST]:
    """Yield a statement, and the nodes in it whose locations occur in clingo's messages."""
    yield statement
    if statement.ast_type == ASTType.Rule:
        if statement.head.ast_type in _HEADS:
            yield statement.head
        for literal in statement.body:
            if literal.ast_type == ASTType.Literal and literal.atom.ast_type in _AGGREGATES:
                yield literal


_NAME = re.compile(r"[_']*[a-z][A-Za-z0-9_']*")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_VARIABLE = re.compile(r"(?<![\w'])(?:_*'*[A-Z][\w']*|_+)(?![\w'])")
_ODD = re.compile(r"[^\x20-\x7e\t\n\r]|[/\\%@$?:;.]|#(?!inf|sup)")
"""Matches text that no constant and no action contains outside of strings."""


def parse_constant(definition: str, subject: str = "") -> tuple[str, str]:
    """Parse `NAME=VALUE`; return the name and the value, a ground term, as text.

    `subject` names the constant in errors about its value; by default it is `constant NAME`.
    """
    name, equals, value = definition.partition("=")
    hint = "write it as -c NAME=VALUE, for example -c metric=slide"
    if not equals:
        raise UsageError(f"constant {definition!r} has no '='", hint=hint)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a name for a constant", hint=hint)
    return name, str(ground_term(value, subject or f"constant {name}"))


def ground_term(text: str, subject: str) -> Symbol:
    """Parse a ground term; `subject` names it in the `UsageError` that other texts raise.

    The text may come from anybody, so it is checked before clingo reads it: clingo stops at a NUL,
    and its process ends at a division by zero and the like.
    """
    if text.isascii() and text.isprintable() and is_plain_term(text):
        return parse_term(text)
    try:
        foreign = find_foreign_sign(text)
        if foreign:
            raise InputError(f"it has {foreign}")
        scan(subject, text)
        odd = _ODD.search(_QUOTED.sub('""', text))
        if odd is not None:
            raise InputError(f"{odd[0]!r} is not allowed in it")
        variable = _VARIABLE.search(_QUOTED.sub('""', text))
        if variable is not None:
            raise InputError(f"the variable {variable[0]} is not allowed in it")
        with reporting() as messages:
            return parse_term(text, messages)
    except InputError as error:
        why = " ".join(error.message.split())
        raise UsageError(f"{subject}: {shortened(text, 100)!r} is not a term: {why}") from error


class Messages:
    """A logger for clingo that keeps messages about errors and drops all others.

    `find` and `find_rule` find what clingo's messages refer to; they are explained at `input_error`
    of `diagnosis`.
    """

    find_rule: FindRule | None = None

    def __init__(self, text_name: str = "<text>", find: FindStatement | None = None) -> None:
        self.errors: list[str] = []
        self.text_name = text_name
        self.find = find

    def __call__(self, code: MessageCode, text: str) -> None:
        """Record a message that is an error, with the text's name in place of `<string>`."""
        if code == MessageCode.RuntimeError or "error:" in text:
            text = text.strip()
            if text.startswith(f"{_STRING}:"):
                text = self.text_name + text.removeprefix(_STRING)
            self.errors.append(text)


@contextmanager
def reporting(messages: Messages | None = None) -> Iterator[Messages]:
    """Turn a bare `RuntimeError` of clingo into an `InputError` with clingo's logged message."""
    messages = Messages() if messages is None else messages
    messages.errors.clear()
    try:
        with hold_interrupts():
            yield messages
    except AsplanError:
        raise
    except RuntimeError as error:
        from asplan.program.reading.diagnosis import input_error

        errors = messages.errors or [str(error)]
        raise input_error(errors, messages.find, messages.find_rule) from error
