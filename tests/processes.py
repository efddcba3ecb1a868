"""Data about processes from Linux, and scripts in the place of programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import psutil
import pytest

Install = Callable[[str], Path]


def in_session(leader: int) -> list[int]:
    """The processes in a session that run, and are no zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(session) == leader and state != "Z":
            found.append(int(stat.parent.name))
    return found


def resident() -> int:
    """Megabytes that this process holds, with which each fork of it begins."""
    return int(psutil.Process().memory_info().rss // 2**20)


def installer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, find: str
) -> Install:
    """Return a function that puts a shell script in the place of a program.

    `find` is the name of the function of `module` that finds the program.
    """

    def install(script: str) -> Path:
        program = folder / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(module, find, lambda: program)
        return program

    return install
