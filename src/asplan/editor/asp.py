"""The index of an ASP program. Its parser, tree-sitter, accepts half-typed text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

import tree_sitter_clingo
from tree_sitter import Language, Node, Parser, Query, QueryCursor

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
(variable) @variable
(program name: (identifier) @name parameters: (parameters)? @parameters) @program
(const name: (identifier) @name) @const
(include (string (string_fragment) @include))
(rule head: (_) @head)
(external atom: (_) @head)
(condition) @condition
(line_comment) @comment
(block_comment) @comment
"""

_KINDS = ("symbolic_atom", "function", "theory_function", "signature", "const")

Match = dict[str, list[Node]]
"""The nodes of a match of the query, by the names in the query."""


@cache
def _language() -> Language:
    return Language(tree_sitter_clingo.language())


@cache
def _query() -> Query:
    return Query(_language(), _NAMES)


def index_asp(text: str) -> Index:
    """Return the index of a program; syntax errors hide only the names that they break."""
    root = Parser(_language()).parse(text.encode()).root_node
    matches = [match for _, match in QueryCursor(_query()).matches(root)]
    return _Reader(text, root, matches).read()


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


class _Reader:
    """A converter of the query's matches in a text to an index."""

    def __init__(self, text: str, root: Node, matches: list[Match]) -> None:
        self._bytes = text.encode()
        self._is_ascii = text.isascii()
        self._lines = [] if self._is_ascii else self._bytes.split(b"\n")
        self._matches = matches
        self._heads = _Ranges(self._nodes("head"))
        self._conditions = _Ranges(self._nodes("condition"))
        self._top = [n for n in root.children if n.is_named and n.type not in _COMMENTS]
        self._starts = [node.start_byte for node in self._top]
        self._parts = {m["program"][0].start_byte: m for m in matches if "program" in m}
        names = {self._text(match["name"][0]) for match in self._parts.values()}
        self._is_telingo = bool(names & TEMPORAL)

    def _nodes(self, name: str) -> list[Node]:
        return [node for match in self._matches for node in match.get(name, ())]

    def read(self) -> Index:
        """Return the index of the text."""
        occurrences: list[Occurrence] = []
        statements: list[Statement] = []
        self._scopes: list[tuple[int, frozenset[str]]] = []  # the part of each statement
        part = "base"
        scope = (-1, frozenset[str]())
        for number, node in enumerate(self._top):
            match = self._parts.get(node.start_byte)
            if match is not None:
                part = self._text(match["name"][0])
                parameters = self._parameters(match)
                scope = (number, frozenset(map(self._text, parameters)))
                occurrences += self._of_part(match, number, parameters)
            self._scopes.append(scope)
            statements.append(Statement(node.type, self._span(node), part))
        for match in self._matches:
            occurrences += self._of_match(match)
        return Index(
            tuple(sorted(occurrences, key=lambda each: each.span)),
            tuple(statements),
            tuple(map(self._span, self._nodes("comment"))),
            tuple(map(self._text, self._nodes("include"))),
            self._is_telingo,
        )

    def _parameters(self, match: Match) -> list[Node]:
        found = match.get("parameters", ())
        return [child for node in found for child in node.children if child.type == "identifier"]

    def _of_part(self, match: Match, number: int, parameters: list[Node]) -> Iterator[Occurrence]:
        """Yield the names in a statement `#program`."""
        name = match["name"][0]
        written = self._text(match["program"][0])
        part = Name(Kind.PART, self._text(name))
        yield Occurrence(part, self._span(name), Use.DECLARE, written, number)
        for node in parameters:
            parameter = Name(Kind.PARAMETER, self._text(node), None, number)
            yield Occurrence(parameter, self._span(node), Use.DEFINE, written, number)

    def _of_match(self, match: Match) -> Iterator[Occurrence]:
        """Yield the occurrence of a match that names a predicate, a term or a variable."""
        if "variable" in match:
            node = match["variable"][0]
            number = self._statement_of(node)
            variable = Name(Kind.VARIABLE, self._text(node), None, number)
            yield Occurrence(variable, self._span(node), Use.READ, variable.text, number)
            return
        kind = next((kind for kind in _KINDS if kind in match), None)
        if kind is None or (kind == "theory_function" and not self._is_telingo):
            return
        node = match["name"][0]
        whole = match[kind][0]
        number = self._statement_of(node)
        name, use = self._name_of(kind, match, number)
        written = " ".join(self._text(whole)[:_LONGEST].split())
        is_marked = name.kind is Kind.PREDICATE and self._is_telingo
        span = self._plain_span(node) if is_marked else self._span(node)
        yield Occurrence(name, span, use, written, number)

    def _name_of(self, kind: str, match: Match, number: int) -> tuple[Name, Use]:
        """Return the name of a match, and its use; `number` is the number of its statement."""
        node = match["name"][0]
        text = self._text(node)
        if kind == "signature":
            arity = int(self._text(match["arity"][0]))
            return Name(Kind.PREDICATE, self._plain(text), arity), Use.DECLARE
        if kind == "const":
            return Name(Kind.TERM, text, 0), Use.DEFINE
        arity = self._arity(match)
        if kind == "function":
            scope, parameters = self._scopes[number] if number >= 0 else (-1, frozenset())
            if arity == 0 and text in parameters:
                return Name(Kind.PARAMETER, text, None, scope), Use.READ
            return Name(Kind.TERM, text, arity), Use.READ
        start = node.start_byte
        is_head = self._heads.cover(start) and not self._conditions.cover(start)
        return Name(Kind.PREDICATE, self._plain(text), arity), Use.DEFINE if is_head else Use.READ

    def _arity(self, match: Match) -> int:
        """Return the number of arguments; for a pool such as `p(1;2,3)`, of its first member."""
        if "theory_function" in match:
            terms = match["theory_function"][0].child_by_field_name("arguments")
            return 0 if terms is None else terms.named_child_count
        arguments = match.get("arguments")
        return arguments[0].named_child_count if arguments else 0

    def _statement_of(self, node: Node) -> int:
        return bisect_right(self._starts, node.start_byte) - 1

    def _plain(self, text: str) -> str:
        """Return a predicate's name without telingo's marks of time, as in `'p`, `p'` and `_p`."""
        return text.strip("'").removeprefix("_") if self._is_telingo else text

    def _plain_span(self, node: Node) -> Span:
        """Return the span of a name without telingo's marks of time."""
        span = self._span(node)
        text = self._text(node)
        before = len(text) - len(text.lstrip("'"))
        before += text[before : before + 1] == "_"
        behind = len(text) - len(text.rstrip("'"))
        return Span(span.line, span.column + before, span.end_line, span.end_column - behind)

    def _text(self, node: Node) -> str:
        return self._bytes[node.start_byte : node.end_byte].decode(errors="replace")

    def _span(self, node: Node) -> Span:
        line, column = node.start_point
        end_line, end_column = node.end_point
        if not self._is_ascii:
            column = self._characters(line, column)
            end_column = self._characters(end_line, end_column)
        return Span(line, column, end_line, end_column)

    def _characters(self, line: int, column: int) -> int:
        """Return the number of characters before a byte of a line."""
        if line >= len(self._lines):
            return column
        return len(self._lines[line][:column].decode(errors="ignore"))
