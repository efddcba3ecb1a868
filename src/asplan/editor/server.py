"""The language server: the state of a session, and a handler for each request."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from asplan.core.errors import AsplanError
from asplan.core.limits import Limits
from asplan.editor import lenses, navigation, outline, tokens
from asplan.editor.check_process import CheckProcess, open_check_process
from asplan.editor.checks import Checks
from asplan.editor.commands import Commands, message_of
from asplan.editor.completion import completions_at
from asplan.editor.documents import Document, Documents
from asplan.editor.fixes import fixes_of
from asplan.editor.hover import hover_at
from asplan.editor.index import Occurrence
from asplan.editor.project import Project
from asplan.editor.protocol import Protocol
from asplan.version import __version__

Json: TypeAlias = Any  # data of any shape
Params: TypeAlias = Any  # parameters of a request, of a class for each kind of request
Handler: TypeAlias = Callable[[Params], Json]

CHECKING = 10.0  # the most seconds of a check

_TRIGGERS = types.CompletionOptions(trigger_characters=["#", "(", ":", "?"])
_FIXES = types.CodeActionOptions(
    code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]
)


def serve(seconds: float, megabytes: int) -> None:
    """Serve an editor on standard input and output until it leaves; limit each command."""
    # pygls logs mistakes of a client as tracebacks, which would puzzle the user.
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    limits = Limits(min(CHECKING, seconds), megabytes)
    with _own_output() as output, open_check_process(limits) as process:
        session = Session(process, seconds, megabytes)
        try:
            session.server.start_io(stdout=output)
        finally:
            session.close()


@contextmanager
def _own_output() -> Iterator[BinaryIO]:
    """Reserve standard output for the protocol; discard what other code prints."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), sys.stdout.fileno())
    try:
        yield output
    finally:
        with suppress(OSError):  # the client has left
            output.close()


class Session:
    """A session with an editor."""

    def __init__(self, process: CheckProcess, seconds: float, megabytes: int) -> None:
        self.server = LanguageServer("asplan", __version__, protocol_cls=Protocol)
        self._documents = Documents()
        self._project = Project(self._documents)
        self._commands = Commands(self._documents, self._project, seconds, megabytes)
        self._client_shows_pages = False  # the extension for VS Code does
        self._checks = Checks(
            self._documents,
            self._project,
            process,
            lambda params: self.server.text_document_publish_diagnostics(params),
        )
        self._checks.changed = self._refresh
        self._register_documents()
        self._register_names()
        self._register_texts()
        self._register_commands()

    def close(self) -> None:
        """Remove the pages that the session has made."""
        self._commands.close()

    def _add(self, feature: str, handler: Handler, options: object = None) -> None:
        """Register a handler as a plain function, because pygls sets attributes of it."""

        def handle(params: Params) -> Json:
            return handler(params)

        self.server.feature(feature, options)(handle)

    # Documents

    def _register_documents(self) -> None:
        self._add(types.INITIALIZE, self._greet)
        self._add(types.INITIALIZED, self._begin)
        self._add(types.TEXT_DOCUMENT_DID_OPEN, self._update)
        self._add(types.TEXT_DOCUMENT_DID_CHANGE, self._update)
        self._add(types.TEXT_DOCUMENT_DID_SAVE, self._update)
        self._add(types.TEXT_DOCUMENT_DID_CLOSE, self._close)
        self._add(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._check_all)

    def _greet(self, params: Params) -> None:
        options = params.initialization_options
        self._client_shows_pages = isinstance(options, dict) and bool(options.get("showsPages"))

    def _begin(self, _: Params) -> None:
        self._documents.codec = self.server.workspace.position_codec
        self._checks.start()

    def _update(self, params: Params) -> None:
        uri = params.text_document.uri
        found = self.server.workspace.text_documents.get(uri)
        if found is not None:
            path = _path_of(uri)
            self._documents.update(path, uri, found.source)
            self._checks.touch(path)

    def _close(self, params: Params) -> None:
        uri = params.text_document.uri
        self._documents.close(_path_of(uri))
        self._checks.forget(_path_of(uri), uri)

    def _check_all(self, _: Params) -> None:
        for path in self._documents.open:
            self._checks.touch(path)

    def _refresh(self) -> None:
        """Make the client request lenses, hints and tokens again, after a check or a run."""
        workspace = self.server.client_capabilities.workspace
        if workspace is None:
            return
        if workspace.code_lens and workspace.code_lens.refresh_support:
            self.server.workspace_code_lens_refresh(None)
        if workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.server.workspace_inlay_hint_refresh(None)
        if workspace.semantic_tokens and workspace.semantic_tokens.refresh_support:
            self.server.workspace_semantic_tokens_refresh(None)

    def _document(self, params: Params) -> Document | None:
        return self._documents.find(_path_of(params.text_document.uri))

    def _related(self, params: Params) -> list[Document]:
        """Return the document of a request, and others in which its names are looked up.

        Return an empty list if the request's document cannot be read.
        """
        document = self._document(params)
        if document is None:
            return []
        return self._project.documents_of(document.path) or [document]

    def _name_at(self, params: Params) -> tuple[list[Document], Occurrence] | None:
        """Return the name at the position of a request, and the documents that may contain it."""
        document = self._document(params)
        if document is None:
            return None
        found = document.index.at(*document.place(params.position))
        return None if found is None else (self._related(params), found)

    def _roles(self, document: Document) -> dict[Any, Any]:
        group = self._project.group_of(document.path)
        return dict(self._checks.findings_of(group).roles or {})

    # Names

    def _register_names(self) -> None:
        self._add(types.TEXT_DOCUMENT_HOVER, self._hover)
        self._add(types.TEXT_DOCUMENT_DEFINITION, self._definition)
        self._add(types.TEXT_DOCUMENT_REFERENCES, self._references)
        self._add(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, self._highlight)
        rename = types.RenameOptions(prepare_provider=True)
        self._add(types.TEXT_DOCUMENT_RENAME, self._rename, rename)
        self._add(types.TEXT_DOCUMENT_PREPARE_RENAME, self._prepare_rename)
        self._add(types.TEXT_DOCUMENT_COMPLETION, self._complete, _TRIGGERS)

    def _hover(self, params: Params) -> types.Hover | None:
        documents = self._related(params)
        if not documents:
            return None
        document = documents[0]
        line, column = document.place(params.position)
        profile = self._commands.solved(self._project.group_of(document.path)).profile
        return hover_at(documents, line, column, self._roles(document), profile)

    def _definition(self, params: Params) -> list[types.Location]:
        found = self._name_at(params)
        return [] if found is None else navigation.definitions_of(found[0], found[1].name)

    def _references(self, params: Params) -> list[types.Location]:
        found = self._name_at(params)
        if found is None:
            return []
        with_definitions = params.context.include_declaration
        return navigation.references_of(found[0], found[1].name, with_definitions)

    def _highlight(self, params: Params) -> list[types.DocumentHighlight]:
        found = self._name_at(params)
        return [] if found is None else navigation.highlights_of(found[0][0], found[1].name)

    def _rename(self, params: Params) -> types.WorkspaceEdit | None:
        found = self._name_at(params)
        return None if found is None else navigation.rename(*found, params.new_name)

    def _prepare_rename(self, params: Params) -> types.Range | None:
        found = self._name_at(params)
        if found is None or not navigation.can_rename(found[1].name):
            return None
        return found[0][0].range(found[1].span)

    def _complete(self, params: Params) -> list[types.CompletionItem]:
        documents = self._related(params)
        if not documents:
            return []
        line, column = documents[0].place(params.position)
        return completions_at(documents, line, column, self._roles(documents[0]))

    # Texts

    def _register_texts(self) -> None:
        self._add(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._outline)
        self._add(types.TEXT_DOCUMENT_FOLDING_RANGE, self._fold)
        self._add(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, self._tokens, tokens.LEGEND)
        self._add(types.TEXT_DOCUMENT_CODE_ACTION, self._fix, _FIXES)
        self._add(types.TEXT_DOCUMENT_INLAY_HINT, self._hint)
        self._add(types.TEXT_DOCUMENT_CODE_LENS, self._lens)

    def _outline(self, params: Params) -> list[types.DocumentSymbol]:
        document = self._document(params)
        return [] if document is None else outline.outline_of(document)

    def _fold(self, params: Params) -> list[types.FoldingRange]:
        document = self._document(params)
        return [] if document is None else outline.folds_of(document)

    def _tokens(self, params: Params) -> types.SemanticTokens:
        document = self._document(params)
        if document is None:
            return types.SemanticTokens([])
        return tokens.tokens_of(document, self._roles(document))

    def _fix(self, params: Params) -> list[types.CodeAction]:
        documents = self._related(params)
        if not documents:
            return []
        line, _ = documents[0].place(params.range.start)
        roles = self._roles(documents[0])
        return fixes_of(documents, params.context.diagnostics, roles, line)

    def _hint(self, params: Params) -> list[types.InlayHint]:
        document = self._document(params)
        if document is None:
            return []
        group = self._project.group_of(document.path)
        horizon = self._checks.findings_of(group).horizon
        return lenses.hints_of(document, self._commands.solved(group), horizon)

    def _lens(self, params: Params) -> list[types.CodeLens]:
        document = self._document(params)
        if document is None:
            return []
        group = self._project.group_of(document.path)
        if not self._checks.findings_of(group).can_be_solved:
            return []
        return lenses.lenses_of(document, self._commands.solved(group))

    # Commands

    def _register_commands(self) -> None:
        self._command(lenses.SOLVE, self._solve)
        self._command(lenses.EXPLAIN, self._explain)
        self._command(lenses.PLAY, self._play)
        self._command(lenses.PROFILE, self._commands.profile)

    def _command(self, name: str, work: Callable[[str], Awaitable[Json]]) -> None:
        """Register a command that gets the URI of a document; show its errors as messages."""

        async def run(uri: str) -> Json:
            try:
                return await work(_path_of(uri))
            except AsplanError as error:
                self._show(message_of(error), types.MessageType.Error)
                return None
            finally:
                self._refresh()

        self.server.command(name)(run)

    def _show(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.server.window_show_message(types.ShowMessageParams(kind, text))

    async def _solve(self, path: str) -> Json:
        answer = await self._commands.solve(path)
        steps = ""
        if "plan" in answer:
            steps = ": 1 step" if answer["steps"] == 1 else f": {answer['steps']} steps"
        self._show(f"{answer['outcome']}{steps}")
        return answer

    async def _explain(self, path: str) -> str:
        text = await self._commands.explain(path)
        self._show(text)
        return text

    async def _play(self, path: str) -> Json:
        answer = await self._commands.play(path)
        window = self.server.client_capabilities.window
        can_show = window is not None and window.show_document and window.show_document.support
        if can_show and not self._client_shows_pages:
            uri = Path(answer["page"]).as_uri()
            shown = types.ShowDocumentParams(uri, external=True)
            self.server.window_show_document(shown)
        return answer


def _path_of(uri: str) -> str:
    """Return the path of a URI; the URI itself if it names no file."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return path or uri
