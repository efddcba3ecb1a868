"""Completion: predicates with their arguments, constants, objects, types, parts and directives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lsprotocol import types

from asplan.editor.checking import Key, PredicateRole
from asplan.editor.documents import Document
from asplan.editor.hover import describe
from asplan.editor.index import Kind, Name, Occurrence, Use
from asplan.editor.pddl import SECTIONS

_DIRECTIVES = (
    *("#program", "#const", "#show", "#external", "#defined", "#include", "#minimize"),
    *("#maximize", "#heuristic", "#project", "#edge", "#count", "#sum", "#min", "#max"),
    *("#true", "#false", "#inf", "#sup"),
)
_PARTS = ("base", "step(t)", "check(t)", "initial", "dynamic", "always", "final")
_ITEMS = {
    Kind.PREDICATE: types.CompletionItemKind.Function,
    Kind.TERM: types.CompletionItemKind.Constant,
    Kind.VARIABLE: types.CompletionItemKind.Variable,
    Kind.PARAMETER: types.CompletionItemKind.Variable,
    Kind.ACTION: types.CompletionItemKind.Method,
    Kind.TYPE: types.CompletionItemKind.Class,
    Kind.OBJECT: types.CompletionItemKind.Value,
}
_ARGUMENT = re.compile(r"\?[\w-]+|[^(),\s]+")
_PLAIN = re.compile(r"\??[A-Za-z][\w'-]*")
_MOST = 500  # most items of an answer


def completions_at(
    documents: list[Document],
    line: int,
    column: int,
    roles: Mapping[Key, PredicateRole],
) -> list[types.CompletionItem]:
    """Return the completions at a place of the first document; `roles` describe the predicates."""
    document = documents[0]
    before = document.line(line)[:column]
    words = _words_at(document, before)
    if words:
        kind = types.CompletionItemKind.Keyword
        return [types.CompletionItem(word, kind=kind) for word in words]
    if document.is_pddl and re.search(r"-\s+[\w-]*$", before):
        kinds = frozenset({Kind.TYPE})
    else:
        kinds = frozenset(_ITEMS) - {Kind.TYPE, Kind.ACTION}
    found = [
        _item(each, roles, document.is_pddl) for each in _names(documents, line, column, kinds)
    ]
    return found[:_MOST]


def _words_at(document: Document, before: str) -> list[str]:
    """Return the keywords that may complete the text `before` of a line.

    The list is empty if a name, not a keyword, is expected at the end of `before`.
    """
    if document.is_pddl:
        if not re.search(r"\(:[\w-]*$", before):
            return []
        is_domain = any(each.kind == "domain" for each in document.index.statements)
        return list(SECTIONS["domain" if is_domain else "problem"])
    if re.search(r"#program\s+\w*$", before):
        return list(_PARTS)
    return list(_DIRECTIVES) if re.search(r"#\w*$", before) else []


def _names(
    documents: list[Document], line: int, column: int, kinds: frozenset[Kind]
) -> Iterator[Occurrence]:
    """Yield an occurrence of each name of some kinds that is in scope at a place.

    If the name is defined, the occurrence is a definition.
    """
    best: dict[Name, Occurrence] = {}
    for document in documents:
        for name, found in document.index.by_name.items():
            if name.kind not in kinds or name.text == "_":
                continue
            if name.scope is not None and (
                document is not documents[0] or not _is_near(document, name, line)
            ):
                continue
            places = [each for each in found if not each.span.covers(line, column)]
            if places:
                defined = [each for each in places if each.use is Use.DEFINE]
                best.setdefault(name, (defined or places)[0])
    yield from sorted(best.values(), key=lambda each: (each.name.text, each.name.arity or 0))


def _is_near(document: Document, name: Name, line: int) -> bool:
    """Return whether a local name is in scope in a line."""
    if name.kind is Kind.PARAMETER:
        return document.index.part_at(line)[1] == name.scope
    assert name.scope is not None
    span = document.index.statements[name.scope].span
    return span.line <= line <= span.end_line


def _item(
    occurrence: Occurrence, roles: Mapping[Key, PredicateRole], is_pddl: bool
) -> types.CompletionItem:
    """Return the completion item of a name; a predicate gets placeholders for its arguments."""
    name = occurrence.name
    item = types.CompletionItem(
        name.text, kind=_ITEMS[name.kind], detail=f"{name}: {describe(name, roles, is_pddl)}"
    )
    if name.kind is Kind.PREDICATE and name.arity:
        item.insert_text = _snippet(occurrence, is_pddl)
        item.insert_text_format = types.InsertTextFormat.Snippet
    return item


def _snippet(occurrence: Occurrence, is_pddl: bool) -> str:
    """Return a predicate with placeholders for its arguments, as `p(${1:X},${2:Y})`."""
    name = occurrence.name
    count = name.arity or 0
    _, _, inside = occurrence.written.partition(" " if is_pddl else "(")
    words = _ARGUMENT.findall(inside)
    if is_pddl:
        words = [word for word in words if word.startswith("?")]
    if len(words) != count or not all(map(_PLAIN.fullmatch, words)):
        words = [f"A{number}" for number in range(1, count + 1)]
    places = [f"${{{number}:{word}}}" for number, word in enumerate(words, 1)]
    return f"{name.text} {' '.join(places)}" if is_pddl else f"{name.text}({','.join(places)})"
