"""The index of an ASP program. Its parser, tree-sitter, accepts half-typed text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache

import tree_sitter_clingo
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from asplan.core.dataclass import dataclass
from asplan.editor.index import Index, Kind, Name, Occurrence, Span, Statement, Use

TEMPORAL = frozenset({"initial", "always", "dynamic", "final"})
"""The names of parts that only programs for telingo have."""

_COMMENTS = ("line_comment", "block_comment", "doc_comment")
_LONGEST = 200  # most characters of an atom that is shown

# A query is much faster than a walk over the tree in Python.
_NAMES = """
(symbolic_atom name: (identifier) @name arguments: (terms)? @arguments) @symbolic_atom
(function name: (identifier) @name arguments: (terms)? @arguments) @function
(theory_function name: (identifier) @name) @theory_function
(signature name: (identifier) @name arity: (number) @arity) @signature
(variable) @name @variable
(program name: (identifier) @name parameters: (parameters)? @parameters) @program
(const name: (identifier) @name) @const
(include (string (string_fragment) @include))
(rule head: (_) @head)
(external atom: (_) @head)
(condition) @condition
(line_comment) @comment
(block_comment) @comment
"""

Match = dict[str, list[Node]]
"""The nodes of a match of the query, by the names in the query."""


@cache
def _language() -> Language:
    return Language(tree_sitter_clingo.language())


@cache
def _query() -> Query:
    return Query(_language(), _NAMES)


def index_asp(text: str) -> Index:
    """Return the index of a program.

    After a syntax error the index still has all names that the parser recognises.
    """
    source = _Source(text)
    root = source.parse()
    matches = [match for _, match in QueryCursor(_query()).matches(root)]
    return _Reader(source, root, matches).read()


def time_span(text: str, span: Span, place: int) -> Span | None:
    """Return the span of argument number `place`, from 0, of the atom whose name is at `span`.

    Return None if the argument is no variable and no constant.
    """
    source = _Source(text)
    point = source.point(span.line, span.column)
    name = source.parse().named_descendant_for_point_range(point, point)
    terms = None if name is None or name.parent is None else _arguments_of(name.parent)
    if terms is None or place >= terms.named_child_count:
        return None
    argument = terms.named_children[place]
    is_name = argument.type == "variable"
    is_name |= argument.type == "function" and argument.named_child_count == 1
    return source.span(argument) if is_name else None


def _arguments_of(atom: Node) -> Node | None:
    """Return the arguments of an atom; for a pool such as `p(1;2,3)`, of its first member."""
    return atom.child_by_field_name("arguments")


class _Source:
    """A text, with conversions between its characters and the bytes that the parser counts."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        self._is_ascii = text.isascii()
        self._lines = [] if self._is_ascii else self._bytes.split(b"\n")

    def parse(self) -> Node:
        """Return the root of the syntax tree."""
        return Parser(_language()).parse(self._bytes).root_node

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self._bytes[node.start_byte : node.end_byte].decode(errors="replace")

    def span(self, node: Node) -> Span:
        """Return the span of a node."""
        line, column = node.start_point
        end_line, end_column = node.end_point
        if not self._is_ascii:
            column = self._characters(line, column)
            end_column = self._characters(end_line, end_column)
        return Span(line, column, end_line, end_column)

    def point(self, line: int, column: int) -> tuple[int, int]:
        """Return a line and column as the parser counts them: the column in bytes."""
        if self._is_ascii or line >= len(self._lines):
            return line, column
        return line, len(self._lines[line].decode(errors="ignore")[:column].encode())

    def _characters(self, line: int, column: int) -> int:
        """Return the number of characters before a byte of a line."""
        if line >= len(self._lines):
            return column
        return len(self._lines[line][:column].decode(errors="ignore"))


class _Ranges:
    """Ranges of bytes; any two of them are nested or disjoint."""

    def __init__(self, nodes: list[Node]) -> None:
        self._ends: dict[int, int] = {}
        for node in nodes:
            start = node.start_byte
            self._ends[start] = max(node.end_byte, self._ends.get(start, 0))
        self._starts = sorted(self._ends)
        most = 0
        self._reach = [most := max(most, self._ends[start]) for start in self._starts]

    def cover(self, byte: int) -> bool:
        """Return whether a byte is in one of the ranges."""
        before = bisect_right(self._starts, byte)
        return before > 0 and byte < self._reach[before - 1]


@dataclass(frozen=True)
class _Part:
    """A part of a program: its name, its parameters, and the number of its first statement."""

    name: str = "base"
    parameters: frozenset[str] = frozenset()
    number: int = -1


class _Reader:
    """The maker of an index from the matches of the tree-sitter query in a text."""

    def __init__(self, source: _Source, root: Node, matches: list[Match]) -> None:
        self._source = source
        self._matches = matches
        self._heads = _Ranges(self._nodes("head"))
        self._conditions = _Ranges(self._nodes("condition"))
        self._top = [n for n in root.children if n.is_named and n.type not in _COMMENTS]
        self._starts = [node.start_byte for node in self._top]
        self._begun = {m["program"][0].start_byte: m for m in matches if "program" in m}
        self._parts = list(self._parts_of_statements())
        self._is_telingo = any(part.name in TEMPORAL for part in self._parts)
        self._namers: dict[str, Callable[[Match, int], tuple[Name, Use]]] = {
            "variable": self._name_variable,
            "symbolic_atom": self._name_atom,
            "function": self._name_term,
            "signature": self._name_signature,
            "const": self._name_constant,
        }
        if self._is_telingo:
            self._namers["theory_function"] = self._name_atom

    def _nodes(self, name: str) -> list[Node]:
        return [node for match in self._matches for node in match.get(name, ())]

    def _parts_of_statements(self) -> Iterator[_Part]:
        """Yield the part of each statement; a statement `#program` belongs to its own part."""
        part = _Part()
        for number, node in enumerate(self._top):
            match = self._begun.get(node.start_byte)
            if match is not None:
                parameters = frozenset(map(self._source.text, _parameters(match)))
                part = _Part(self._source.text(match["name"][0]), parameters, number)
            yield part

    def read(self) -> Index:
        """Return the index of the text."""
        occurrences: list[Occurrence] = []
        for match in self._begun.values():
            occurrences += self._of_part(match)
        for match in self._matches:
            occurrences += self._of_match(match)
        return Index(
            tuple(sorted(occurrences, key=lambda each: each.span)),
            tuple(self._statements()),
            tuple(map(self._source.span, self._nodes("comment"))),
            tuple(map(self._source.text, self._nodes("include"))),
            self._is_telingo,
        )

    def _statements(self) -> Iterator[Statement]:
        for node, part in zip(self._top, self._parts, strict=True):
            yield Statement(node.type, self._source.span(node), part.name)

    def _of_part(self, match: Match) -> Iterator[Occurrence]:
        """Yield the names in a statement `#program`."""
        name = match["name"][0]
        number = self._statement_of(name)
        written = self._source.text(match["program"][0])
        part = Name(Kind.PART, self._source.text(name))
        yield Occurrence(part, self._source.span(name), Use.DECLARE, written, number)
        for node in _parameters(match):
            parameter = Name(Kind.PARAMETER, self._source.text(node), None, number)
            yield Occurrence(parameter, self._source.span(node), Use.DEFINE, written, number)

    def _of_match(self, match: Match) -> Iterator[Occurrence]:
        """Yield the occurrence of a match that names a predicate, a term or a variable."""
        kind = next((kind for kind in self._namers if kind in match), None)
        if kind is None:
            return
        node = match["name"][0]
        number = self._statement_of(node)
        name, use = self._namers[kind](match, number)
        written = " ".join(self._source.text(match[kind][0])[:_LONGEST].split())
        is_marked = name.kind is Kind.PREDICATE and self._is_telingo
        span = self._plain_span(node) if is_marked else self._source.span(node)
        yield Occurrence(name, span, use, written, number)

    def _name_variable(self, match: Match, number: int) -> tuple[Name, Use]:
        return Name(Kind.VARIABLE, self._source.text(match["name"][0]), None, number), Use.READ

    def _name_atom(self, match: Match, number: int) -> tuple[Name, Use]:
        node = match["name"][0]
        start = node.start_byte
        is_head = self._heads.cover(start) and not self._conditions.cover(start)
        name = Name(Kind.PREDICATE, self._plain(self._source.text(node)), _arity(match))
        return name, Use.DEFINE if is_head else Use.READ

    def _name_term(self, match: Match, number: int) -> tuple[Name, Use]:
        text = self._source.text(match["name"][0])
        arity = _arity(match)
        part = self._parts[number] if number >= 0 else _Part()
        if arity == 0 and text in part.parameters:
            return Name(Kind.PARAMETER, text, None, part.number), Use.READ
        return Name(Kind.TERM, text, arity), Use.READ

    def _name_signature(self, match: Match, number: int) -> tuple[Name, Use]:
        text = self._plain(self._source.text(match["name"][0]))
        arity = int(self._source.text(match["arity"][0]))
        return Name(Kind.PREDICATE, text, arity), Use.DECLARE

    def _name_constant(self, match: Match, number: int) -> tuple[Name, Use]:
        return Name(Kind.TERM, self._source.text(match["name"][0]), 0), Use.DEFINE

    def _statement_of(self, node: Node) -> int:
        return bisect_right(self._starts, node.start_byte) - 1

    def _plain(self, text: str) -> str:
        """Return a predicate's name without telingo's marks of time, as in `'p`, `p'` and `_p`."""
        return text.strip("'").removeprefix("_") if self._is_telingo else text

    def _plain_span(self, node: Node) -> Span:
        """Return the span of a name without telingo's marks of time."""
        span = self._source.span(node)
        text = self._source.text(node)
        before = len(text) - len(text.lstrip("'"))
        before += text[before : before + 1] == "_"
        behind = len(text) - len(text.rstrip("'"))
        return Span(span.line, span.column + before, span.end_line, span.end_column - behind)


def _parameters(match: Match) -> list[Node]:
    """Return the parameters in a match of a statement `#program`."""
    found = match.get("parameters", ())
    return [child for node in found for child in node.children if child.type == "identifier"]


def _arity(match: Match) -> int:
    """Return the number of arguments in a match."""
    if "theory_function" in match:
        terms = _arguments_of(match["theory_function"][0])
        return 0 if terms is None else terms.named_child_count
    arguments = match.get("arguments")
    return arguments[0].named_child_count if arguments else 0
