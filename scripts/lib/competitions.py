"""What the studies share that run planners on tasks of competitions."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

WALL = 6
"""Times the seconds of CPU time that a planner may take by the clock."""


def limited(words: Sequence[str], seconds: float) -> tuple[str, float]:
    """What a command prints, and the CPU time that it has taken, with all that it has started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))

    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=WALL * seconds, preexec_fn=limit
        )
        printed = done.stdout
    except subprocess.TimeoutExpired:
        printed = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return printed, spent


def asplan(*words: object) -> list[str]:
    """The command `asplan` with some words."""
    return [sys.executable, "-m", "asplan", *map(str, words)]


def smallest(domain: Path, each: int) -> Iterator[tuple[Path, Path]]:
    """The domain's file and the task's of the smallest tasks in a folder.

    They are as https://github.com/potassco/pddl-instances has them: `instances/instance-3.pddl`
    with `domain.pddl`, or with `domains/domain-3.pddl`.
    """
    tasks = sorted((domain / "instances").glob("*.pddl"), key=lambda f: (f.stat().st_size, f.name))
    for task in tasks[:each]:
        whole = domain / "domain.pddl"
        number = task.stem.rpartition("-")[2]
        yield (whole if whole.exists() else domain / "domains" / f"domain-{number}.pddl"), task
