"""The outline of a file by parts or sections, and the ranges that an editor can fold."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from asplan.editor.documents import Document
from asplan.editor.index import Kind, Occurrence, Span, Use

_SHOWN = {
    Kind.PREDICATE: types.SymbolKind.Function,
    Kind.TERM: types.SymbolKind.Constant,
    Kind.ACTION: types.SymbolKind.Method,
    Kind.TYPE: types.SymbolKind.Class,
    Kind.OBJECT: types.SymbolKind.Object,
}


def outline_of(document: Document) -> list[types.DocumentSymbol]:
    """Return the parts of a program or the sections of a PDDL file, with the defined names."""
    symbols = []
    for title, span, found in _sections(document):
        place = document.range(span)
        start = types.Range(place.start, place.start)
        symbols.append(
            types.DocumentSymbol(
                name=title,
                kind=types.SymbolKind.Namespace,
                range=place,
                selection_range=start,
                children=[_symbol(document, each) for each in found],
            )
        )
    return symbols


def _symbol(document: Document, occurrence: Occurrence) -> types.DocumentSymbol:
    place = document.range(occurrence.span)
    kind = _SHOWN[occurrence.name.kind]
    return types.DocumentSymbol(str(occurrence.name), kind, place, place, occurrence.written)


def _sections(document: Document) -> Iterator[tuple[str, Span, list[Occurrence]]]:
    """Yield each part or section: its title, its place, and the first definition of each name."""
    index = document.index
    if not index.statements:
        return
    starts = [n for n, each in enumerate(index.statements) if _begins(each.kind, document)]
    if not starts or starts[0] > 0:
        starts.insert(0, 0)
    for start, end in zip(starts, [*starts[1:], len(index.statements)], strict=True):
        first = index.statements[start]
        last = index.statements[end - 1]
        span = Span(first.span.line, first.span.column, last.span.end_line, last.span.end_column)
        title = first.kind if document.is_pddl else f"#program {first.part}"
        found = {
            each.name: each
            for each in reversed(index.occurrences)
            if each.use is Use.DEFINE and each.name.kind in _SHOWN
            if start <= each.statement < end
        }
        yield title, span, sorted(found.values(), key=lambda each: each.span)


def _begins(kind: str, document: Document) -> bool:
    return kind == "program" or document.is_pddl


def folds_of(document: Document) -> list[types.FoldingRange]:
    """Return the ranges of parts, statements and comments that have more than one line."""
    index = document.index
    folds = {
        (span.line, span.end_line): types.FoldingRangeKind.Region
        for _, span, _ in _sections(document)
    }
    for statement in index.statements:
        folds[statement.span.line, statement.span.end_line] = types.FoldingRangeKind.Region
    for start, end in _comment_blocks(index.comments):
        folds[start, end] = types.FoldingRangeKind.Comment
    return [
        types.FoldingRange(start, end, kind=kind)
        for (start, end), kind in sorted(folds.items())
        if end > start
    ]


def _comment_blocks(comments: tuple[Span, ...]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each block of comments."""
    block: tuple[int, int] | None = None
    for comment in sorted(comments):
        if block is not None and comment.line <= block[1] + 1:
            block = (block[0], comment.end_line)
            continue
        if block is not None:
            yield block
        block = (comment.line, comment.end_line)
    if block is not None:
        yield block
