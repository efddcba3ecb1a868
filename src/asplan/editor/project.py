"""Groups of files that belong together: an encoding with an instance, or PDDL domain and problem.

A file may belong to several groups. The group that was solved last comes first, then those of the
setting `problems`. Then come the files of the folder that include the file; for PDDL, its pairs of
a domain and a problem. The file alone comes last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from asplan.core.dataclass import dataclass
from asplan.core.files import ASP
from asplan.editor.documents import Document, Documents
from asplan.editor.index import Name, Occurrence
from asplan.editor.settings import FolderSettings, SettingsReader
from asplan.pddl.front import SUFFIX

_MANY = 200  # most files of a folder or of its includes, and most groups to remember


@dataclass(frozen=True)
class FileGroup:
    """Files that belong together, as absolute paths.

    `is_whole` is true if the user has named them as a problem, or if they are a PDDL domain with a
    problem.
    """

    files: tuple[str, ...]
    is_whole: bool = False
    settings: FolderSettings = FolderSettings()


class Project:
    """The groups of files of a session."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._settings = SettingsReader()
        self._solved: list[FileGroup] = []

    def note_solved(self, group: FileGroup) -> None:
        """Remember that a group was solved; it comes first from now on."""
        self._solved = [group, *(each for each in self._solved if each != group)][:_MANY]

    def group_of(self, path: str) -> FileGroup:
        """Return the first group of a file; the group has the file, or includes it."""
        return next(self._groups(path))

    def documents_of(self, path: str) -> list[Document]:
        """Return the documents in which the names of a file are looked up, the file first.

        These are the files of every `FileGroup` with this file, and the files that they include.
        """
        paths = [path]
        for group in self._groups(path):
            paths += group.files
        return self._documents.find_all(self._with_included(paths))

    def _groups(self, path: str) -> Iterator[FileGroup]:
        yield from (group for group in self._solved if path in self._with_included(group.files))
        settings = self._settings.settings_above(path)
        for files in settings.problems:
            if path in self._with_included(files):
                yield FileGroup(files, True, settings)
        found = self._pairs_of(path) if path.endswith(SUFFIX) else self._includers(path)
        yield from (FileGroup(files, len(files) > 1, settings) for files in found)
        yield FileGroup((path,), False, settings)

    def _includers(self, path: str) -> Iterator[tuple[str, ...]]:
        """Yield each file of the same folder that includes a file, as a group of one path."""
        for other in _files_in(Path(path).parent, ASP):
            if other != path and path in self._with_included([other]):
                yield (other,)

    def _pairs_of(self, path: str) -> Iterator[tuple[str, ...]]:
        """Yield the pairs (domain, problem) of a PDDL file with other files of its folder."""
        document = self._documents.find(path)
        name = _domain_name(document)
        if document is None or not name:
            return
        is_domain = _is_domain(document)
        for other in _files_in(Path(path).parent, (SUFFIX,)):
            found = self._documents.find(other)
            if found is not None and _domain_name(found) == name and _is_domain(found) != is_domain:
                yield (path, other) if is_domain else (other, path)

    def _with_included(self, paths: list[str] | tuple[str, ...]) -> list[str]:
        """Return paths, and the paths of all files that these include, directly or not."""
        found: dict[str, None] = {}
        stack = list(reversed(paths))
        while stack:
            path = stack.pop()
            if path in found or len(found) > _MANY:
                continue
            found[path] = None
            document = self._documents.find(path) if path.endswith(ASP) else None
            if document is not None:
                folder = Path(path).parent
                names = reversed(document.includes)
                stack += [os.path.normpath(folder / name) for name in names]
        return list(found)


def _files_in(folder: Path, suffixes: tuple[str, ...]) -> list[str]:
    """Return the files of a folder with given suffixes, sorted; at most `_MANY` of them."""
    try:
        with os.scandir(folder) as entries:
            paths = [entry.path for entry in islice(entries, 10 * _MANY)]
    except OSError:
        return []
    return sorted(path for path in paths if path.endswith(suffixes))[:_MANY]


def _is_domain(document: Document) -> bool:
    return any(statement.kind == "domain" for statement in document.index.statements)


def _domain_name(document: Document | None) -> str:
    """Return the name of the domain that a PDDL file defines or names; empty if there is none."""
    if document is None:
        return ""
    for statement in document.index.statements:
        if statement.kind in ("domain", ":domain"):
            line = document.line(statement.span.line)
            inside = line[statement.span.column :].strip("()").partition(")")[0]
            return inside.removeprefix(statement.kind).strip().lower()
    return ""


def occurrences(documents: list[Document], name: Name) -> list[tuple[Document, Occurrence]]:
    """Return all places of a name in documents; for a local name, only in the first."""
    documents = documents[:1] if name.scope is not None else documents
    return [
        (document, occurrence)
        for document in documents
        for occurrence in document.index.by_name.get(name, ())
    ]
