"""What there is to see, in sections of plain data, for as many browsers as look at it.

A process makes it that is started before the server has threads and connections. So each run is a
plain fork, which inherits no lock and begins at once; a new order ends the one that works.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe
from operator import itemgetter
from typing import Any, NamedTuple

from asplan.core.errors import AsplanError, Bug, bug_of
from asplan.core.files import real_path
from asplan.core.process import signals_held, start_child
from asplan.engines import find_engine
from asplan.problem.catalog import shipped_as
from asplan.studio.runs import Gone, report_error, run
from asplan.studio.settings import StudioSettings, to_page
from asplan.studio.sources import Files, save, source

_PATIENCE = 0.3  # seconds that the process gets to end by itself

Order = tuple[int, StudioSettings | None]
"""The number of a run, and what it is to do; without settings nothing any more."""

News = tuple[int, str, Any]
"""What the run of a number tells: a section of the page, and what is in it from now on."""


class Workshop(NamedTuple):
    """Our ends of the pipes: an `Order` goes out, `News` come in."""

    orders: Connection
    news: Connection


@contextmanager
def open_workshop() -> Iterator[Workshop]:
    """Start the process, and end it with whatever it is doing."""
    find_engine("asp").load()
    theirs, ours = Pipe(duplex=False)
    with signals_held():  # until it has its own ways with them, a Ctrl-C would end it
        child, news = start_child(partial(_attend, theirs, ours))
    theirs.close()
    try:
        yield Workshop(ours, news)
    finally:
        ours.close()
        deadline = time.monotonic() + _PATIENCE
        while child.status() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        child.kill()
        news.close()


def _attend(orders: Connection, other_end: Connection, news: Connection) -> int:
    """Carry out orders until nobody can give any; what the process does."""
    other_end.close()  # else the pipe would stay open for ever
    try:
        while True:
            number, settings = orders.recv()
            if settings is not None:
                _carry_out(number, settings, orders, news)
    except (EOFError, BrokenPipeError):
        return 0


def _carry_out(number: int, settings: StudioSettings, orders: Connection, news: Connection) -> None:
    def tell(section: str, value: Any) -> None:
        news.send((number, section, value))

    def go_on() -> None:
        if orders.poll():
            raise Gone

    try:
        run(settings, tell, go_on)
    except Gone:
        return
    except AsplanError as error:
        report_error(error, tell)
    except BrokenPipeError:
        raise
    except Exception as error:
        report_error(bug_of(error), tell)
    tell("doing", "")


_MOST_FILES = 20  # that are shown; however many a program includes, all are followed
_HEARTBEAT = 15.0  # seconds without news after which a browser is asked whether it is still there


class Sections:
    """Sections by name. Whoever looks gets all of them, and then those that change."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[int, Any]] = {}
        self._version = 0
        self._changed = asyncio.Event()
        self.closed = False

    def put(self, section: str, value: Any) -> None:
        self._version += 1
        self._values[section] = self._version, value
        self._stir()

    def get(self, section: str) -> Any:
        return self._values.get(section, (0, None))[1]

    def close(self) -> None:
        self.closed = True
        self._stir()

    def _stir(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def look(self) -> AsyncIterator[tuple[str, Any] | None]:
        """The sections and their changes until they are closed; None now and then."""
        seen = 0
        while not self.closed:
            changed = self._changed
            fresh = [(n, name, value) for name, (n, value) in self._values.items() if n > seen]
            for number, section, value in sorted(fresh, key=itemgetter(0)):
                yield section, value
                seen = number
            if changed is self._changed:
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                except TimeoutError:
                    yield None


class Studio:
    """Settings and files lead to runs, and what these tell is put into the sections."""

    def __init__(self, settings: StudioSettings, workshop: Workshop) -> None:
        self.loop = asyncio.get_running_loop()
        self.settings, self.sections, self.player = settings, Sections(), ""
        self._workshop, self._number = workshop, 0
        self._lost = False
        self._files = Files()
        self._take(settings)

    def begin(self) -> None:
        """Run what the settings ask for; what runs already is given up."""
        self._order(self.settings)
        began = {"began": time.time(), "limit": self.settings.time_limit, "number": self._number}
        self.sections.put("run", began)
        self.sections.put("doing", "reading the files")
        self._show()

    def stop(self) -> None:
        if self.sections.get("doing"):
            self._order(None)
            self.sections.put("stopped", self._number)
            self.sections.put("doing", "")

    def change(self, settings: StudioSettings) -> None:
        if settings != self.settings:
            self._take(settings)
        self.begin()

    def save(self, body: bytes) -> None:
        """Save what a page sends into a file that is shown; that it changed is seen as always."""
        try:
            save(body, self.sections.get("sources") or [])
        finally:
            self._show()

    def _take(self, settings: StudioSettings) -> None:
        self.settings, self._named = settings, settings.named
        self._shown = list(self._named)
        self._files.follow(self._shown)
        self.sections.put("settings", to_page(settings))

    async def follow(self) -> None:
        async for _ in self._files.changes():
            self.begin()

    def hear(self, lost: Callable[[], None]) -> None:
        """Put what the workshop tells into sections, in a thread of its own."""
        with suppress(RuntimeError):  # the loop has ended before us
            with suppress(EOFError, OSError):
                while True:
                    self.loop.call_soon_threadsafe(self._take_in, self._workshop.news.recv())
            self._lost = True
            lost()

    def check(self) -> None:
        if self._lost:
            raise Bug("the process that works for the studio has ended")

    def _order(self, settings: StudioSettings | None) -> None:
        self._number += 1
        with suppress(OSError):  # it has ended, which `check` tells
            self._workshop.orders.send((self._number, settings))

    def _take_in(self, news: News) -> None:
        number, section, value = news
        if number != self._number:
            return  # of a run that was given up
        if section == "files":
            shown, followed = value["shown"], [*value["shown"], *value["others"]]
            self._files.follow(followed)
            # What was found for the files stands in front of them: their encoding.
            self._shown = list(dict.fromkeys([*shown, *self._shown]))
            if value["are_all"]:
                self._shown = [file for file in self._shown if file in shown]
                self._files.keep(followed)
            self._show()
            return
        if section == "player":
            self.player = value.pop("page", "")
        marked = {**value, "number": number} if isinstance(value, dict) else value
        self.sections.put(section, marked)

    def _show(self) -> None:
        # A link may lead elsewhere than before, so it is the names that are kept.
        # What is one's own, or was named, and PDDL stand in front of what else ships.
        names = dict.fromkeys(map(real_path, self._shown))
        named = set(map(real_path, self._named))

        def is_behind(file: str) -> bool:
            return not (file in named or file.endswith(".pddl") or shipped_as(file) is None)

        files = sorted(names, key=is_behind)
        shown = [source(file) for file in files[:_MOST_FILES]]
        if self.settings.read_only:
            shown = [{**one, "editable": False} for one in shown]
        if self.sections.get("sources") != shown:
            self.sections.put("sources", shown)
