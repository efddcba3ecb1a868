"""Several pieces of work at a time, each in a process that a thread attends.

>>> sorted(run_all([1, 2, 3], lambda number, heed: number * number, jobs=2))
[1, 4, 9]
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from threading import Event
from typing import TypeVar

LOOK = 0.5  # seconds between two calls of the function that waits

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


class Abandoned(Exception):
    """Nobody waits for the work any more."""


def run_all(
    tasks: Iterable[Task],
    work: Callable[[Task, Callable[[], None]], Outcome],
    jobs: int,
    waiting: Callable[[], None] = lambda: None,
) -> Iterator[Outcome]:
    """What comes of tasks, as they end; `waiting` is called now and then.

    `work` is given a task, and a function to call several times a second: it ends work that nobody
    waits for any more, because of Ctrl-C for one, by what it raises.
    """
    left = Event()

    def heed() -> None:
        if left.is_set():
            raise Abandoned

    rest = iter(tasks)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running: set[Future[Outcome]] = set()
            while True:
                more = islice(rest, 2 * jobs - len(running))
                running |= {pool.submit(work, task, heed) for task in more}
                if not running:
                    return
                done, running = wait(running, LOOK, FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                if not done:
                    waiting()
        finally:  # the caller may leave early
            left.set()
