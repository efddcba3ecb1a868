"""The commands of the editor: solve, explain, play and profile the files that belong together.

Each runs a command of asplan in a process of its own, under limits and without scripts. The
command reads the files from disk, so all of them must be saved.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from asplan.agents.answers import answer_of_solve
from asplan.agents.calls import Caller, Ended
from asplan.core.errors import AsplanError, UsageError
from asplan.editor.documents import Document, Documents
from asplan.editor.lenses import Solved
from asplan.editor.profile import profile_of
from asplan.editor.project import FileGroup, Project

Json: TypeAlias = Any  # data of any shape

_STEPS = 5  # the steps to profile if no plan is known


class Commands:
    """The commands, and the result of the last run of each group of files."""

    def __init__(
        self, documents: Documents, project: Project, seconds: float, megabytes: int
    ) -> None:
        self._documents = documents
        self._project = project
        self._limits = (seconds, megabytes)
        self._solved: dict[tuple[str, ...], Solved] = {}
        self._pages: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Remove the pages with plans."""
        if self._pages is not None:
            self._pages.cleanup()

    def solved(self, group: FileGroup) -> Solved:
        """Return the result of a group's last run; an empty one if a file has changed since."""
        known = self._solved.get(group.files, Solved())
        for path, text in known.texts.items():
            document = self._documents.find(path)
            if document is None or document.text != text:
                return Solved()
        return known

    async def solve(self, path: str) -> dict[str, Json]:
        """Find a shortest plan of the group of a file.

        Return the same answer as the tool `solve` of the server for agents.
        """
        group, documents = self._saved(path)
        ended = await self._run(path, ["solve", *group.files, "--json"], group)
        data = ended.data()
        self._note(group, documents, data)
        return answer_of_solve(data)

    async def explain(self, path: str) -> str:
        """Return the output of `asplan explain`: the reason why there is no plan."""
        group, _ = self._saved(path)
        return _text_of(await self._run(path, ["explain", *group.files], group))

    async def play(self, path: str) -> dict[str, Json]:
        """Solve, and make a page that plays the plan.

        Return the answer of `solve`, with the path of the page as `page`. Raises `UsageError` if
        there is no plan.
        """
        group, documents = self._saved(path)
        if self._pages is None:
            self._pages = tempfile.TemporaryDirectory(prefix="asplan-pages-")
        page = Path(self._pages.name) / f"{Path(path).stem}.html"
        page.unlink(missing_ok=True)
        words = ["solve", *group.files, "--json", "-o", str(page)]
        ended = await self._run(path, words, group)
        data = ended.data()
        self._note(group, documents, data)
        if not page.is_file():
            raise UsageError(f"there is no plan to play: {data['outcome']}")
        return {"page": str(page), **answer_of_solve(data)}

    async def profile(self, path: str) -> dict[str, Json]:
        """Count the instances of each rule, up to the length of the last plan, or 5 steps.

        Return the horizon and the number of rules.
        """
        group, documents = self._saved(path)
        known = self.solved(group)
        horizon = _STEPS if known.steps is None else known.steps
        words = ["profile", *group.files, "--json", f"--horizon={horizon}"]
        data = (await self._run(path, words, group)).data()
        profile = profile_of(data, horizon)
        self._solved[group.files] = replace(known, texts=_texts(documents), profile=profile)
        return {"horizon": horizon, "rules": len(profile.sizes)}

    def _saved(self, path: str) -> tuple[FileGroup, list[Document]]:
        """Return the group of a file, and the documents in which its names are looked up.

        Raises
        ------
        UsageError
            One of these documents is not saved.
        """
        group = self._project.group_of(path)
        documents = self._project.documents_of(path)
        for document in documents:
            if not _is_saved(document):
                name = Path(document.path).name
                raise UsageError(f"{name} is not saved", hint="save it, and try again")
        return group, documents

    async def _run(self, path: str, words: list[str], group: FileGroup) -> Ended:
        seconds, megabytes = self._limits
        caller = Caller(Path(path).parent, seconds, megabytes)
        includes = ["--allow-includes"] if group.settings.allow_includes else []
        return await caller.run([*words, *includes, *caller.limits()])

    def _note(self, group: FileGroup, documents: list[Document], data: Mapping[str, Json]) -> None:
        """Store the outcome of a run with the texts of the documents.

        `data` is the JSON object that `asplan solve --json` has printed.
        """
        self._project.note_solved(group)
        steps = data["horizon"] if data.get("plan") is not None else None
        before = self.solved(group)
        self._solved[group.files] = Solved(
            data["outcome"], steps, _texts(documents), before.profile
        )


def _texts(documents: list[Document]) -> dict[str, str]:
    return {document.path: document.text for document in documents}


def _is_saved(document: Document) -> bool:
    """Return whether a file on disk has the text of a document."""
    try:
        return Path(document.path).read_bytes().decode() == document.text
    except (OSError, ValueError):
        return False


def _text_of(ended: Ended) -> str:
    return "\n".join(filter(None, [ended.output.strip(), ended.error.strip()]))


def message_of(error: AsplanError) -> str:
    """Return the message of an error and its hint in one line, for the editor to show."""
    return "; ".join(filter(None, [error.placed_message, error.hint]))
