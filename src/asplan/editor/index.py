"""The index of a text: the names that it defines, declares and reads; for ASP and PDDL alike.

Lines and columns count from 0, and columns count characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cached_property

from asplan.core.dataclass import dataclass


class Use(Enum):
    """The use of a name at a place."""

    DEFINE = "define"
    DECLARE = "declare"
    READ = "read"


class Kind(Enum):
    """The kind of a name. A term is a constant or a function of ASP."""

    PREDICATE = "predicate"
    TERM = "term"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    PART = "part"
    ACTION = "action"
    TYPE = "type"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Name:
    """A name. Equal names denote the same thing, such as a predicate.

    Attributes
    ----------
    kind
        The kind.
    text
        The text; in lower case for PDDL.
    arity
        The number of arguments of a predicate or term; None for other kinds of names.
    scope
        For a variable, the number of its statement or section. For a parameter of a part, the
        number of the statement that begins the part. None for names that all files share.
    """

    kind: Kind
    text: str
    arity: int | None = None
    scope: int | None = None

    def __str__(self) -> str:
        return self.text if self.arity is None else f"{self.text}/{self.arity}"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of a text, from a line and column to a line and column; the end is not in it."""

    line: int
    column: int
    end_line: int
    end_column: int

    def covers(self, line: int, column: int) -> bool:
        """Return whether a place is in the range, or at its end."""
        start = (self.line, self.column)
        return start <= (line, column) <= (self.end_line, self.end_column)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place of a text.

    Attributes
    ----------
    name
        The name.
    span
        The place of its text.
    use
        Whether the name is defined, declared or read here.
    written
        The name with its arguments, as written in the text.
    statement
        The number of the statement, an index of `Index.statements`.
    """

    name: Name
    span: Span
    use: Use
    written: str
    statement: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of ASP, or a section of PDDL, with its kind, such as `rule` or `:action`."""

    kind: str
    span: Span
    part: str = ""


@dataclass(frozen=True)
class Index:
    """The names and statements of a text.

    Attributes
    ----------
    occurrences
        All occurrences, in the order of the text.
    statements
        The statements, in the order of the text.
    comments
        The spans of comments.
    includes
        The names of included files.
    is_telingo
        Whether the text has the parts of a program for telingo.
    """

    occurrences: tuple[Occurrence, ...] = ()
    statements: tuple[Statement, ...] = ()
    comments: tuple[Span, ...] = ()
    includes: tuple[str, ...] = ()
    is_telingo: bool = False

    @cached_property
    def by_name(self) -> dict[Name, list[Occurrence]]:
        """Map each name to its occurrences, in the order of the text."""
        found: dict[Name, list[Occurrence]] = {}
        for occurrence in self.occurrences:
            found.setdefault(occurrence.name, []).append(occurrence)
        return found

    @cached_property
    def _by_line(self) -> dict[int, list[Occurrence]]:
        found: dict[int, list[Occurrence]] = {}
        for occurrence in self.occurrences:
            found.setdefault(occurrence.span.line, []).append(occurrence)
        return found

    def at(self, line: int, column: int) -> Occurrence | None:
        """Return the occurrence at a place, or the one that ends there; None if there is none."""
        found = [each for each in self._by_line.get(line, ()) if each.span.covers(line, column)]
        return found[-1] if found else None

    def statement_at(self, line: int, column: int) -> Statement | None:
        """Return the statement at a place; None if there is none."""
        for statement in self.statements:
            if statement.span.covers(line, column):
                return statement
        return None

    def part_at(self, line: int) -> tuple[str, int | None]:
        """Return the name of the part at the end of a line, and the number of its `#program`.

        The number is an index of `statements`. It is None if no `#program` precedes; the part is
        then `base`.
        """
        part: tuple[str, int | None] = ("base", None)
        for number, statement in enumerate(self.statements):
            if statement.kind == "program" and statement.span.line <= line:
                part = (statement.part, number)
        return part

    def definitions(self, name: Name) -> Iterator[Occurrence]:
        """Yield the places where a name is defined."""
        return (each for each in self.by_name.get(name, ()) if each.use is Use.DEFINE)


EMPTY = Index()
