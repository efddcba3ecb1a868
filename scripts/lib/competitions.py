"""Shared code of studies that run planners on tasks of competitions."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lib import tables

WALL = 6
"""Times the seconds of CPU time that a planner may take by the clock."""


class Trial(Protocol):
    """A task of a family, which a row calls by its name."""

    @property
    def family(self) -> str: ...

    @property
    def name(self) -> str: ...


AnyTrial = TypeVar("AnyTrial", bound=Trial)


def kept_rows(
    trials: Iterable[AnyTrial],
    methods: Sequence[str],
    families: int,
    file: Path,
    measure: Callable[[AnyTrial, str], dict[str, Any]],
) -> list[dict[str, Any]]:
    """A row for each task of so many families, evenly spread, by each method.

    Rows are written to the file as they come; what is in it is not measured again.
    """
    tasks = list(trials)
    names = list(dict.fromkeys(trial.family for trial in tasks))
    chosen = set(names[:: max(1, -(-len(names) // families))])
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    done = {(row["task"], row["method"]) for row in rows}
    for trial in tasks:
        for method in methods:
            if trial.family in chosen and (trial.name, method) not in done:
                rows.append(measure(trial, method))
                with file.open("a", encoding="utf-8") as kept:
                    kept.write(json.dumps(rows[-1]) + "\n")
                tables.progress(*rows[-1].values())
    return rows


def limited(words: Sequence[str], seconds: float) -> tuple[str, float]:
    """Return the output of a command, and its CPU time with all its processes."""
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


WITHOUT_KAIROS = """
from asplan.pddl.front import kairos
kairos.find_kairos = lambda: None
from asplan.cli import main
main()
"""


def asplan_alone(*words: object) -> list[str]:
    """The command `asplan` with some words, as it runs where Kairos is not installed."""
    return [sys.executable, "-c", WITHOUT_KAIROS, *map(str, words)]


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
