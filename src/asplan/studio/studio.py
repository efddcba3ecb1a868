"""The studio: starts runs when settings or files change, and turns their news into sections."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from asplan.catalog import shipped_as
from asplan.core.errors import Bug
from asplan.core.files import real_path
from asplan.studio.page_data import FilesData
from asplan.studio.sections import Sections
from asplan.studio.settings import StudioSettings, encode_settings
from asplan.studio.sources import SourceData, save_source, show_source
from asplan.studio.watching import WatchedFiles
from asplan.studio.workshop import News, Workshop

_MOST_FILES = 20  # the most files that are shown; more may be watched


class Studio:
    """The state behind the page: settings, files, and the sections that browsers receive.

    Attributes
    ----------
    loop
        The event loop of the server; the studio is changed only in its thread.
    player
        The page that plays the current plan; empty without a plan.
    """

    def __init__(self, settings: StudioSettings, workshop: Workshop) -> None:
        self.loop = asyncio.get_running_loop()
        self.settings = settings
        self.sections = Sections()
        self.player = ""
        self._workshop = workshop
        self._number = 0  # of the current run
        self._is_lost = False  # the workshop has ended
        self._files = WatchedFiles()
        self._sources: Sequence[SourceData] = ()
        self._named: tuple[str, ...] = ()
        self._shown: list[str] = []
        self._apply(settings)

    def begin(self) -> None:
        """Begin a run, which cancels the current one."""
        self._order(self.settings)
        begun = {"began": time.time(), "limit": self.settings.time_limit, "number": self._number}
        self.sections.put("run", begun)
        self.sections.put("doing", "reading the files")
        self._show_sources()

    def stop(self) -> None:
        """Cancel the current run, if any."""
        if self.sections.get("doing"):
            self._order(None)
            self.sections.put("stopped", self._number)
            self.sections.put("doing", "")

    def change(self, settings: StudioSettings) -> None:
        """Begin a run with other settings; raise `InputError` if a file does not exist."""
        if settings != self.settings:
            self._apply(settings)
        self.begin()

    def save(self, body: bytes) -> None:
        """Save the text in a request's body into a shown file; raise the errors of `save_source`.

        The change is noticed like a change by an editor, and begins a run.
        """
        try:
            save_source(body, self._sources)
        finally:
            self._show_sources()

    def _apply(self, settings: StudioSettings) -> None:
        self.settings = settings
        self._named = settings.named
        self._shown = list(self._named)
        self._files.follow(self._shown)
        self.sections.put("settings", encode_settings(settings))

    async def follow(self) -> None:
        """Begin a run after each change of a followed file; never returns."""
        async for _ in self._files.changes():
            self.begin()

    def receive_news(self, on_loss: Callable[[], None]) -> None:
        """Receive news, in a thread, until the workshop ends; then call `on_loss`."""
        with suppress(RuntimeError):  # the loop has ended before
            with suppress(EOFError, OSError):
                while True:
                    news: News = self._workshop.news.recv()
                    self.loop.call_soon_threadsafe(self._take_in, news)
            self._is_lost = True
            on_loss()

    def check(self) -> None:
        """Raise `Bug` if the workshop has ended unexpectedly."""
        if self._is_lost:
            raise Bug("the process that works for the studio has ended")

    def _order(self, settings: StudioSettings | None) -> None:
        self._number += 1
        with suppress(OSError):  # the workshop has ended, as `check` reports
            self._workshop.orders.send((self._number, settings))

    def _take_in(self, news: News) -> None:
        """Update a section of the page with news; ignore news of cancelled runs."""
        number, section, content = news
        if number != self._number:
            return
        if section == "files":
            self._take_in_files(cast(FilesData, content))
            return
        if isinstance(content, dict):
            if section == "player":
                self.player = content.pop("page", "")
            content = {**content, "number": number}
        self.sections.put(section, content)

    def _take_in_files(self, files: FilesData) -> None:
        """Show and watch the files of a run; newly found ones are shown first."""
        shown = files["shown"]
        followed = [*shown, *files["others"]]
        self._files.follow(followed)
        self._shown = list(dict.fromkeys([*shown, *self._shown]))
        if files["are_all"]:
            self._shown = [file for file in self._shown if file in shown]
            self._files.keep(followed)
        self._show_sources()

    def _show_sources(self) -> None:
        """Read the shown files, and update their section if a text has changed."""
        # The paths are resolved anew each time: a link may lead to another file than before.
        named = set(map(real_path, self._named))
        files = list(dict.fromkeys(map(real_path, self._shown)))
        files.sort(key=lambda file: _is_secondary(file, named))
        shown = [show_source(file) for file in files[:_MOST_FILES]]
        if self.settings.read_only:
            for source in shown:
                source["editable"] = False
        if self._sources != shown:
            self._sources = shown
            self.sections.put("sources", shown)


def _is_secondary(file: str, named: set[str]) -> bool:
    """Return whether a file is listed after the others: a shipped file that the user did not name.

    PDDL files are never secondary.
    """
    if file in named or file.endswith(".pddl"):
        return False
    return shipped_as(file) is not None
