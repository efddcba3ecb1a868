"""Semantic tokens: names coloured by their roles, such as action, fluent and static."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from asplan.editor.checking import Key, PredicateRole
from asplan.editor.documents import Document
from asplan.editor.index import Kind, Name, Use

TYPES = (
    *("method", "property", "class", "function", "variable", "parameter"),
    *("enumMember", "type", "namespace"),
)
"""The types of tokens, which are standard names that colour themes support."""

MODIFIERS = ("definition", "declaration")

LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))

_ROLES = {"action": "method", "fluent": "property", "static": "class", "timed": "function"}
_KINDS = {
    Kind.PREDICATE: "function",
    Kind.TERM: "enumMember",
    Kind.VARIABLE: "variable",
    Kind.PARAMETER: "parameter",
    Kind.PART: "namespace",
    Kind.ACTION: "method",
    Kind.TYPE: "type",
    Kind.OBJECT: "enumMember",
}
_USES = {Use.DEFINE: 1, Use.DECLARE: 2, Use.READ: 0}


def tokens_of(document: Document, roles: Mapping[Key, PredicateRole]) -> types.SemanticTokens:
    """Return the tokens of a document, each relative to the one before; skip overlapping ones."""
    data: list[int] = []
    line = 0
    start = 0
    for occurrence in document.index.occurrences:
        place = document.range(occurrence.span)
        begin = place.start
        if place.end.line != begin.line or (begin.line, begin.character) < (line, start):
            continue
        before = start if begin.line == line else 0
        data += [begin.line - line, begin.character - before]
        data += [place.end.character - begin.character, TYPES.index(_type(occurrence.name, roles))]
        data.append(_USES[occurrence.use])
        line = begin.line
        start = begin.character
    return types.SemanticTokens(data)


def _type(name: Name, roles: Mapping[Key, PredicateRole]) -> str:
    role = roles.get((name.text, name.arity or 0)) if name.kind is Kind.PREDICATE else None
    return _KINDS[name.kind] if role is None else _ROLES[role.role]
