"""The schedule of checks, and the diagnostics that the client gets after each check."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field

from lsprotocol import types

from asplan.editor.check_process import CheckProcess
from asplan.editor.checking import Findings, Order
from asplan.editor.diagnostics import diagnostic_of, settings_diagnostic
from asplan.editor.documents import Document, Documents
from asplan.editor.project import FileGroup, Project
from asplan.problem.inputs import TEXT

DEBOUNCE = 0.01  # seconds without a change before a check begins

Publish = Callable[[types.PublishDiagnosticsParams], None]


@dataclass
class _Running:
    """A check that is running: its number, its files, and the open documents that it reads."""

    number: int
    group: FileGroup
    documents: dict[str, Document] = field(default_factory=dict)


class Checks:
    """The checks of a session; at most one is running, and a change of its files restarts it."""

    def __init__(
        self, documents: Documents, project: Project, process: CheckProcess, publish: Publish
    ) -> None:
        self._documents = documents
        self._project = project
        self._process = process
        self._publish = publish
        self._waiting: dict[str, None] = {}  # paths, in the order of their last change
        self._timer: asyncio.TimerHandle | None = None
        self._running: _Running | None = None
        self._number = 0
        self._findings: dict[tuple[str, ...], Findings] = {}
        self._published: dict[str, tuple[str, ...]] = {}  # uri -> files of its group
        self.changed: Callable[[], None] = lambda: None  # called after each check

    def start(self) -> None:
        """Receive findings from the process from now on."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._process.news.fileno(), self._receive)

    def findings_of(self, group: FileGroup) -> Findings:
        """Return the findings of the last check of a group.

        If this check found an error, the roles and the horizon are from an earlier check, if there
        was one.
        """
        return self._findings.get(group.files, Findings())

    def touch(self, path: str) -> None:
        """Let a check of a file begin as soon as nothing has changed for a short time."""
        self._waiting.pop(path, None)
        self._waiting[path] = None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(DEBOUNCE, self._dispatch)

    def forget(self, path: str, uri: str) -> None:
        """Remove the diagnostics of a file that the editor has closed."""
        self._waiting.pop(path, None)
        self._published.pop(uri, None)
        self._publish(types.PublishDiagnosticsParams(uri, []))

    def _dispatch(self) -> None:
        """Order a check of the file that changed last, with all files of its group."""
        self._timer = None
        if not self._waiting:
            return
        path = next(reversed(self._waiting))
        group = self._project.group_of(path)
        if not self._stop_running(group):
            return
        for file in (path, *group.files):
            self._waiting.pop(file, None)
        self._send(group, path)

    def _stop_running(self, group: FileGroup) -> bool:
        """Return whether a check of `group` may begin now, in place of the running check.

        A running check of the same group may be replaced. A running check of another group may be
        replaced only if one of its own files has changed; this other group is then marked for
        another check.
        """
        if self._running is None or self._running.group.files == group.files:
            return True
        files = self._running.group.files
        if not any(file in self._waiting for file in files):
            return False
        self._waiting[files[0]] = None
        return True

    def _send(self, group: FileGroup, path: str) -> None:
        opened = self._documents.open
        related = {each.path: each for each in self._project.documents_of(path)}
        documents = {file: document for file, document in related.items() if file in opened}
        self._number += 1
        self._running = _Running(self._number, group, documents)
        names = tuple(_name_in_order(file) for file in group.files)
        texts = {_name_in_order(file): each.text for file, each in documents.items()}
        settings = group.settings
        order = Order(names, texts, settings.switches, settings.allow_includes, group.is_whole)
        try:
            self._process.orders.send((self._number, order))
        except OSError:  # the process was killed from outside
            self._running = None
        for document in documents.values():
            document.prepare()  # the process is checking meanwhile

    def _receive(self) -> None:
        """Receive findings; publish them if their documents have not changed since the order."""
        try:
            number, findings = self._process.news.recv()
        except (EOFError, OSError):
            asyncio.get_running_loop().remove_reader(self._process.news.fileno())
            return
        running = self._running
        if running is None or running.number != number:
            return
        self._running = None
        opened = self._documents.open
        is_current = all(opened.get(f) is each for f, each in running.documents.items())
        if is_current:
            self._take(running, findings)
        self._dispatch_later()

    def _dispatch_later(self) -> None:
        if self._waiting and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(0, self._dispatch)

    def _take(self, running: _Running, findings: Findings) -> None:
        """Keep the findings of a check, and publish them."""
        files = running.group.files
        before = self.findings_of(running.group)
        if findings.roles is None:
            findings = Findings(
                findings.found, before.roles, before.horizon, findings.can_be_solved
            )
        self._findings[files] = findings
        diagnostics: dict[str, list[types.Diagnostic]] = {}
        for uri, group in self._published.items():
            if group == files:
                diagnostics[uri] = []
        error = running.group.settings.error
        for document in running.documents.values():
            diagnostics[document.uri] = [settings_diagnostic(error)] if error else []
        for finding in findings.found:
            found = self._document_of(finding.file, running)
            if found is not None and self._project.group_of(found.path).files == files:
                diagnostic = diagnostic_of(finding, found)
                diagnostics.setdefault(found.uri, []).append(diagnostic)
        for uri, listed in diagnostics.items():
            self._published[uri] = files
            self._publish(types.PublishDiagnosticsParams(uri, listed))
        self.changed()

    def _document_of(self, file: str, running: _Running) -> Document | None:
        """Return the document that a finding is about; None if it cannot be read."""
        if file == TEXT:
            return next(iter(running.documents.values()), None)
        path = os.path.normpath(os.path.abspath(file))  # noqa: PTH100  # links stay
        return self._documents.find(path)


def _name_in_order(path: str) -> str:
    """Return the name of a document in an `Order`: its path, or `<text>` if it has no file."""
    return path if os.path.isabs(path) else TEXT  # noqa: PTH117
