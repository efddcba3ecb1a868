"""Trials in processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cache, partial
from itertools import islice
from threading import Event
from typing import TypeVar

from asplan.bench.records import Record
from asplan.bench.suite import SuiteLimits
from asplan.bench.trials import Trial, run_trial
from asplan.loading import Words
from asplan.planner import Request, answer

Place = Callable[[Iterable[Trial], SuiteLimits, Callable[[], None]], Iterator[Record]]
"""Makes trials and yields their records as they end; calls the function now and then."""

LOOK = 0.5
"""Seconds between two calls of `waiting`."""


Item = TypeVar("Item")
Made = TypeVar("Made")


class _Abandoned(Exception):
    """Nobody waits for the work any more."""


@cache
def _warm_up() -> None:
    """Solve something small here: what Python and clingo make once, forks find made.

    A trial of some milliseconds takes two thirds of the time by it.
    """
    answer(Request(Words(("rush_hour/two_cars",)), "bfs"))


def on_this_machine(jobs: int) -> Place:
    """A place that makes so many trials at a time."""
    return partial(run_locally, jobs)


def run_locally(
    jobs: int, trials: Iterable[Trial], limits: SuiteLimits, waiting: Callable[[], None]
) -> Iterator[Record]:
    """Make trials, `jobs` at a time, and yield their records as they end; see `attended`."""
    _warm_up()
    return attended(jobs, lambda trial, heed: run_trial(trial, limits, heed), trials, waiting)


def attended(
    jobs: int,
    work: Callable[[Item, Callable[[], None]], Made],
    items: Iterable[Item],
    waiting: Callable[[], None],
) -> Iterator[Made]:
    """Do work on items, `jobs` at a time, and yield what comes of each as it ends.

    A thread attends each item, whose work is to be done in a process. Where the caller leaves
    early, what the work is given raises when it is called, so that the process can be ended.
    `waiting` is called now and then while nothing ends.
    """
    left = Event()

    def heed() -> None:
        if left.is_set():
            raise _Abandoned

    rest = iter(items)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running: set[Future[Made]] = set()
            while True:
                more = islice(rest, 2 * jobs - len(running))
                running |= {pool.submit(work, item, heed) for item in more}
                if not running:
                    return
                done, running = wait(running, LOOK, FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                if not done:
                    waiting()
        finally:
            left.set()
