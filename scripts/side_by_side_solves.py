"""Solves in threads and processes at once, compared with the same solves one after the other.

Each way runs the calls in another order and says how many answers differ; the exit status is 1 if
any does.

    python scripts/side_by_side_solves.py --count 200
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import asplan
from lib.quick import add_quick

Answer = tuple[str, int | None, str | None]
Call = tuple[str, dict[str, object]]

CALLS: tuple[Call, ...] = (
    ("two_cars", {"encoding": "origin"}),
    ("two_cars", {"encoding": "order", "isolate": True}),
    ("towers3", {}),
    ("towers3", {"engine": "bfs"}),
    ("balls_4", {"engine": "sat"}),
    ("blocks-1", {}),
    ("sussman", {"engine": "auto"}),
    ("unsolvable", {"engine": "bfs"}),
)
WAYS: dict[str, Callable[[], Executor]] = {
    "8 threads": partial(ThreadPoolExecutor, 8),
    "4 forked processes": partial(
        ProcessPoolExecutor, 4, mp_context=multiprocessing.get_context("fork")
    ),
    "4 spawned processes": partial(
        ProcessPoolExecutor, 4, mp_context=multiprocessing.get_context("spawn")
    ),
}


def solve(call: Call) -> Answer:
    """Return what is always the same of an answer: several plans may be shortest."""
    name, options = call
    result = asplan.solve(name, **options)  # type: ignore[arg-type]
    return str(result.outcome), result.horizon, result.validated


def count_differences(executor: Executor, calls: Sequence[Call], wanted: list[Answer]) -> int:
    """Count the calls that an executor answers otherwise than expected."""
    with executor:
        found = list(executor.map(solve, calls))
    return sum(one != other for one, other in zip(found, wanted, strict=True))


def main() -> int:
    """Run all ways, and print for each how many answers differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many solves each way makes")
    parser.add_argument("--seed", type=int, default=1)
    add_quick(parser, "sixteen solves each way", count=16)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    serial = list(map(solve, CALLS))
    wrong = 0
    for name, executor in WAYS.items():
        picked = [draw.randrange(len(CALLS)) for _ in range(given.count)]
        calls, wanted = [CALLS[i] for i in picked], [serial[i] for i in picked]
        differing = count_differences(executor(), calls, wanted)
        print(f"{name}: {given.count} answers, {differing} other than one after the other")
        wrong += differing
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
