"""Data about processes from Linux."""

from __future__ import annotations

from pathlib import Path

import psutil


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
