"""Shared code of measuring scripts: runs in child processes by CPU time, cases, and boards.

A run is repeated with the facts of its instance in another order: clasp's own seed changes little
where nothing is drawn at random, the order of atoms changes the whole search.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asplan.bench.trials import measure
from asplan.core.limits import Limits
from asplan.core.process import Done
from asplan.program.ground import read_facts

HARDEST = "GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo"
"""A 6x6 board of Rush Hour with the longest shortest plan: 51 slides, 81 steps."""

HARDEST_WITH_WALLS = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"
"""The same where cells may be impassable: 60 slides, 103 steps."""


def data(name: str) -> Path:
    """A table in the folder that ASPLAN_DATA names; without one the script ends here."""
    folder = os.environ.get("ASPLAN_DATA")
    if not folder:
        sys.exit(f"ASPLAN_DATA has to name the folder with {name}")
    return Path(folder, name)


@dataclass(frozen=True)
class Case:
    """An encoding on an instance."""

    name: str
    encoding: str
    instance: str

    def shuffled(self, seed: int, folder: Path) -> tuple[str, str]:
        """Encoding and instance, with the facts of the instance in an order of their own."""
        facts = sorted(read_facts([self.instance], {}))
        random.Random(seed).shuffle(facts)
        file = folder / f"{self.name.replace('/', '_').replace(' ', '_')}_{seed}.lp"
        file.write_text("".join(f"{fact}.\n" for fact in facts))
        return self.encoding, str(file)


@dataclass(frozen=True)
class Run:
    """One run: CPU seconds of the child process, and what the task returned; None if stopped."""

    seconds: float
    answer: Any


def run(task: Callable[[], Any], limit: float) -> Run:
    """Run a task in a child process that ends after about `limit` seconds of CPU time."""
    done = measure(lambda report: Done(task()), Limits(), Done(), cpu_seconds=limit)
    if done.error is not None:
        raise done.error
    stopped = done.answer.stopped is not None
    return Run(limit if stopped or done.cpu is None else done.cpu, done.answer.value)


def folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for shuffled instances that goes away by itself."""
    return tempfile.TemporaryDirectory(prefix="measure-")
