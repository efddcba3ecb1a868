"""Work on several tasks at a time, by a pool of threads that each wait for a process.

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
    """Yield the outcome of `work` on each task, as the tasks end; run `jobs` tasks at a time.

    `work` gets a task and a budget. The budget counts as abandoned once the caller wants no further
    outcome, for instance after Ctrl-C. `waiting` is called from time to time in between.
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
