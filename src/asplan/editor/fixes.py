"""Quick fixes: small edits that answer a warning, or switch it off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from lsprotocol import types

from asplan.editor.asp import time_span
from asplan.editor.checking import Key, PredicateRole
from asplan.editor.diagnostics import SOURCE
from asplan.editor.documents import Document
from asplan.editor.index import Index, Kind, Name, Occurrence, Span, Use
from asplan.warnings.catalogue import CATALOGUE

_EARLIER = frozenset({"circular", "impossible"})
"""Codes of warnings about an atom that a rule reads at the time at which it derives it."""

_UNKNOWN = frozenset({"undefined", "unread", "arity"})
"""Codes of warnings about a predicate that may be misspelt, or defined elsewhere."""


def fixes_of(
    documents: list[Document],
    diagnostics: list[types.Diagnostic],
    roles: Mapping[Key, PredicateRole],
    line: int,
) -> list[types.CodeAction]:
    """Return the fixes for some diagnostics of the first document.

    If `line` is in a part `check` and the program does not declare `query(t)`, also return an edit
    that adds this declaration.
    """
    fixer = _Fixer(documents, roles)
    found: list[types.CodeAction] = []
    for diagnostic in diagnostics:
        if diagnostic.source == SOURCE and diagnostic.code in CATALOGUE:
            found += fixer.fixes(diagnostic, str(diagnostic.code))
    return [*found, *fixer.declare_query(line)]


class _Fixer:
    """A maker of fixes for the first of some documents that belong together."""

    def __init__(self, documents: list[Document], roles: Mapping[Key, PredicateRole]) -> None:
        self._documents = documents
        self._document = documents[0]
        self._index: Index = documents[0].index
        self._roles = roles

    def fixes(self, diagnostic: types.Diagnostic, code: str) -> Iterator[types.CodeAction]:
        """Yield the fixes for a diagnostic with a code."""
        if code in _UNKNOWN:
            yield from self._fix_name(diagnostic)
        if code in _EARLIER:
            yield from self._fix_time(diagnostic)
        if code == "hidden-actions":
            yield from self._show_actions(diagnostic)
        yield from self._switch_off(diagnostic, code)

    def declare_query(self, line: int) -> Iterator[types.CodeAction]:
        """Yield an edit that declares `query(t)` in a part check, because plain clingo needs it.

        Yield nothing if `line` is in another part, or if `query/1` is defined.
        """
        name, number = self._index.part_at(line)
        query = Name(Kind.PREDICATE, "query", 1)
        if name != "check" or number is None or self._document.is_pddl:
            return
        if any(each.use is Use.DEFINE for each in self._index.by_name.get(query, ())):
            return
        parameters = [n.text for n in self._index.by_name if n.kind is Kind.PARAMETER]
        parameter = parameters[0] if parameters else "t"
        end = self._index.statements[number].span.end_line
        text = f"#external query({parameter}).\n"
        title = f"Declare #external query({parameter}), as clingo needs it"
        edit = self._edit(self._insertion(end + 1), text)
        yield types.CodeAction(title, kind=types.CodeActionKind.RefactorRewrite, edit=edit)

    def _fix_name(self, diagnostic: types.Diagnostic) -> Iterator[types.CodeAction]:
        """Yield fixes for a predicate that may be misspelt.

        Replace it by a defined predicate with a similar name, or add `#defined` if it is not
        defined.
        """
        found = self._predicate_at(diagnostic)
        if found is None:
            return
        name = found.name
        others = {
            other.text
            for document in self._documents
            for other, places in document.index.by_name.items()
            if other.kind is Kind.PREDICATE and other.arity == name.arity
            if any(each.use is Use.DEFINE for each in places)
        }
        for other in get_close_matches(name.text, sorted(others - {name.text}), n=2):
            yield self._fix(f"Replace {name.text} by {other}", diagnostic, found.span, other)
        if found.use is not Use.DEFINE:
            start = self._start_of_rules()
            text = f"#defined {name}.\n"
            title = f"Add #defined {name}: it may have no atoms"
            yield self._fix(title, diagnostic, self._insertion(start), text)

    def _predicate_at(self, diagnostic: types.Diagnostic) -> Occurrence | None:
        """Return the first predicate in the range of a diagnostic."""
        return next(self._predicates_in(diagnostic), None)

    def _predicates_in(self, diagnostic: types.Diagnostic) -> Iterator[Occurrence]:
        start = self._document.place(diagnostic.range.start)
        end = self._document.place(diagnostic.range.end)
        for each in self._index.occurrences:
            is_inside = start <= (each.span.line, each.span.column) <= end
            if is_inside and each.name.kind is Kind.PREDICATE:
                yield each

    def _fix_time(self, diagnostic: types.Diagnostic) -> Iterator[types.CodeAction]:
        """Yield edits that change the time of a literal from `t` to `t-1`."""
        for each in self._predicates_in(diagnostic):
            role = self._roles.get((each.name.text, each.name.arity or 0))
            if each.use is not Use.READ or role is None or role.role == "action":
                continue
            if role.time is None:
                continue
            span = time_span(self._document.text, each.span, role.time)
            if span is None:
                continue
            time = self._document.line(span.line)[span.column : span.end_column]
            title = f"Read {each.name.text} at the time before: {time}-1"
            yield self._fix(title, diagnostic, span, f"{time}-1")

    def _show_actions(self, diagnostic: types.Diagnostic) -> Iterator[types.CodeAction]:
        """Yield an edit that adds `#show` for each action of the program."""
        names = [
            f"{name}/{arity}"
            for (name, arity), role in self._roles.items()
            if role.role == "action"
        ]
        end = len(self._document.lines)
        for name in names:
            start = "" if self._document.text.endswith("\n") else "\n"
            text = f"{start}#show {name}.\n"
            yield self._fix(f"Add #show {name}", diagnostic, self._insertion(end), text)

    def _switch_off(self, diagnostic: types.Diagnostic, code: str) -> Iterator[types.CodeAction]:
        """Yield edits that add a comment to switch a warning off, in its line or in the whole file.

        In PDDL a comment can switch a warning off only in its line.
        """
        number, _ = self._document.place(diagnostic.range.start)
        end = len(self._document.line(number))
        mark = "; %" if self._document.is_pddl else "%"
        span = Span(number, end, number, end)
        title = f"Switch {code} off in this line"
        yield self._fix(title, diagnostic, span, f"  {mark} asplan: no-{code}")
        if not self._document.is_pddl:
            span = self._insertion(0)
            title = f"Switch {code} off in this file"
            yield self._fix(title, diagnostic, span, f"% asplan: no-{code}\n")

    def _start_of_rules(self) -> int:
        """Return the line of the first statement."""
        statements = self._index.statements
        return statements[0].span.line if statements else 0

    def _insertion(self, line: int) -> Span:
        """Return the empty span at the start of a line, or at the end of the text."""
        last = len(self._document.lines) - 1
        if line > last:
            end = len(self._document.line(last))
            return Span(last, end, last, end)
        return Span(line, 0, line, 0)

    def _fix(
        self, title: str, diagnostic: types.Diagnostic, span: Span, text: str
    ) -> types.CodeAction:
        return types.CodeAction(
            title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            edit=self._edit(span, text),
        )

    def _edit(self, span: Span, text: str) -> types.WorkspaceEdit:
        edit = types.TextEdit(self._document.range(span), text)
        return types.WorkspaceEdit(changes={self._document.uri: [edit]})
