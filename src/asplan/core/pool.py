"""Work on several tasks at a time, each in a process that a thread attends.

>>> sorted(run_all([1, 2, 3], lambda number, budget: number * number, jobs=2))
[1, 4, 9]
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from threading import Event
from typing import TypeVar

from asplan.core.budget import Budget

LOOK = 0.5  # seconds between two calls of the function that waits

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def run_all(
    tasks: Iterable[Task],
    work: Callable[[Task, Budget], Outcome],
    jobs: int,
    waiting: Callable[[], None] = lambda: None,
) -> Iterator[Outcome]:
    """Yield the outcomes of tasks as they end; call `waiting` now and then.

    `work` gets a task and a budget, which is abandoned when nobody waits for the outcome any more,
    for instance after Ctrl-C.
    """
    left = Event()
    budget = Budget(is_abandoned=left.is_set)
    rest = iter(tasks)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running: set[Future[Outcome]] = set()
            while True:
                more = islice(rest, 2 * jobs - len(running))
                running |= {pool.submit(work, task, budget) for task in more}
                if not running:
                    return
                done, running = wait(running, LOOK, FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                if not done:
                    waiting()
        finally:  # the caller may leave early
            left.set()
