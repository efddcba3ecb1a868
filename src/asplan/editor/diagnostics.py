"""Diagnostics: the findings of a check in the form of the protocol."""

from __future__ import annotations

import re

from lsprotocol import types

from asplan.catalog import find_page
from asplan.editor.checking import ERROR, STOPPED, LocatedMessage
from asplan.editor.documents import Document
from asplan.editor.index import Span
from asplan.warnings.catalogue import CATALOGUE

PAGE = "warnings.md"  # the page that explains the codes
SOURCE = "asplan"
_WORD = re.compile(r"\??[\w'@#&-]+|\S")
_NO_MISTAKES = frozenset({"missing-instance", STOPPED})
"""Codes of findings that are no mistakes in the text; they are shown as information."""


def diagnostic_of(finding: LocatedMessage, document: Document) -> types.Diagnostic:
    """Return the diagnostic of a finding; `document` has the text that the finding is about."""
    is_error = finding.code == ERROR
    has_page = finding.code in CATALOGUE
    severity = types.DiagnosticSeverity.Error if is_error else types.DiagnosticSeverity.Warning
    if finding.code in _NO_MISTAKES:
        severity = types.DiagnosticSeverity.Information
    return types.Diagnostic(
        range=document.range(_span_of(finding, document)),
        message="\n".join(filter(None, [finding.text, finding.hint])),
        severity=severity,
        code=None if is_error else finding.code,
        code_description=types.CodeDescription(find_page(PAGE).as_uri()) if has_page else None,
        source=SOURCE,
    )


def settings_diagnostic(error: str) -> types.Diagnostic:
    """Return the diagnostic for a text whose settings cannot be read, at its first line."""
    start = types.Position(0, 0)
    return types.Diagnostic(
        range=types.Range(start, start),
        message=f"the settings are not used: {error}",
        severity=types.DiagnosticSeverity.Error,
        source=SOURCE,
    )


def _span_of(finding: LocatedMessage, document: Document) -> Span:
    """Return the span to underline for a finding: the word that begins at the finding's place.

    For a warning at the start of a statement of one line, return the span of this statement.
    """
    line = min(max(finding.line - 1, 0), len(document.lines) - 1)
    column = document.column_of(line, finding.column)
    statement = document.index.statement_at(line, column)
    if statement is not None and finding.code != ERROR:
        start = (statement.span.line, statement.span.column)
        if start == (line, column) and statement.span.end_line == line:
            return statement.span
    word = _WORD.match(document.line(line), column)
    end = word.end() if word else column
    return Span(line, column, line, max(end, column))
