"""Shared code for tests of wrong input: attacks, their ends, and their number."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

from conftest import run_command

EXAMPLES = int(os.environ.get("ASPLAN_FUZZ", "5"))
"""Attacks on each command, and boards for each engine: 5 take 20 seconds, 20,000 a night."""

MANY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)

SECONDS = float(os.environ.get("ASPLAN_FUZZ_SECONDS", "60"))
"""In this time every wrong input is answered; 5 are enough on a machine with nothing else to do."""
LONGEST = 600
"""Characters of a message."""
STATUSES = (0, 1, 2, 3, 4, 130, 141)
"""Those that the guide names; 70 is a bug."""

Text = str | list[str | list[Any]]
"""A text: as it is, or in pieces of which `[text, n]` stands n times."""
Content = Text | dict[str, str]
"""What a file holds, or with `link` where it leads."""


def text_of(content: Text) -> str:
    """The text that stands for itself or in pieces."""
    if isinstance(content, str):
        return content
    return "".join(p if isinstance(p, str) else p[0] * p[1] for p in content)


@dataclass(frozen=True)
class Attack:
    """Words for the command line, and the files and the surroundings that they meet."""

    words: tuple[Text, ...]
    files: dict[str, Content] = field(default_factory=dict)
    around: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """The end of a command; `left` counts processes that outlive it."""

    status: int | None
    seconds: float
    left: int
    out: str
    err: str


def run(attack: Attack, folder: Path, seconds: float = SECONDS) -> Ended:
    """Write the files of an attack into a folder, and run it there."""
    for name, content in attack.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            path.symlink_to(content["link"])
        else:
            path.write_bytes(text_of(content).encode("utf-8", "surrogateescape"))
    for name in ("out", "err"):
        (folder / name).unlink(missing_ok=True)
    words = [text_of(word) for word in attack.words]
    answer = run_command(words, str(folder), seconds, **attack.around)
    said = [_read(folder / name) for name in ("out", "err")]
    return Ended(**answer, out=said[0], err=said[1])


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "backslashreplace") if path.is_file() else ""


def faults(ended: Ended) -> list[str]:
    """Return the errors in the end of a command."""
    found = []
    if ended.status is None:
        found.append("it did not end")
    elif ended.status not in STATUSES:
        found.append(f"status {ended.status}")
    if "Traceback" in ended.out + ended.err:
        found.append("a traceback")
    if longest := [p for p in ended.err.split("\nasplan: ") if len(p) > LONGEST]:
        found.append(f"a message of {len(longest[0])} characters")
    if ended.left:
        found.append(f"{ended.left} processes are left")
    return found
