"""Definitions, references and renaming, in all files that belong together."""

from __future__ import annotations

import re

from lsprotocol import types

from asplan.editor.documents import Document
from asplan.editor.index import Kind, Name, Occurrence, Use
from asplan.editor.project import occurrences

_LOWER = re.compile(r"_*[a-z][A-Za-z0-9_']*")
_UPPER = re.compile(r"_*[A-Z][A-Za-z0-9_']*")
_PDDL = re.compile(r"[A-Za-z][\w-]*")
_RESERVED = {"not"}


def definitions_of(documents: list[Document], name: Name) -> list[types.Location]:
    """Return the places that define a name; those that declare it if none defines it."""
    places = occurrences(documents, name)
    for use in (Use.DEFINE, Use.DECLARE):
        found = [each for each in places if each[1].use is use]
        if found:
            return [document.location(each.span) for document, each in found]
    return []


def references_of(
    documents: list[Document], name: Name, with_definitions: bool
) -> list[types.Location]:
    """Return all places of a name; without `with_definitions`, skip those that define it."""
    return [
        document.location(each.span)
        for document, each in occurrences(documents, name)
        if with_definitions or each.use is not Use.DEFINE
    ]


def highlights_of(document: Document, name: Name) -> list[types.DocumentHighlight]:
    """Return the places of a name in one document."""
    return [
        types.DocumentHighlight(
            document.range(each.span),
            types.DocumentHighlightKind.Write
            if each.use is Use.DEFINE
            else types.DocumentHighlightKind.Read,
        )
        for each in document.index.by_name.get(name, ())
    ]


def rename(
    documents: list[Document], occurrence: Occurrence, new: str
) -> types.WorkspaceEdit | None:
    """Return the edits that rename a name everywhere; None if it cannot have the name `new`."""
    name = occurrence.name
    if not can_rename(name) or not _is_valid(name, new, documents[0].is_pddl):
        return None
    changes: dict[str, list[types.TextEdit]] = {}
    for document, each in occurrences(documents, name):
        edit = types.TextEdit(document.range(each.span), new)
        changes.setdefault(document.uri, []).append(edit)
    return types.WorkspaceEdit(changes=changes)


def can_rename(name: Name) -> bool:
    """Return whether users may rename a name: any except parts, `query`, `asplan` and `_`."""
    if name.kind is Kind.PART or name.text == "_":
        return False
    return not (name.kind is Kind.PREDICATE and name.text in ("query", "asplan"))


def _is_valid(name: Name, new: str, is_pddl: bool) -> bool:
    if is_pddl:
        if name.kind is Kind.VARIABLE:
            return new.startswith("?") and bool(_PDDL.fullmatch(new[1:]))
        return bool(_PDDL.fullmatch(new))
    pattern = _UPPER if name.kind is Kind.VARIABLE else _LOWER
    return bool(pattern.fullmatch(new)) and new not in _RESERVED
