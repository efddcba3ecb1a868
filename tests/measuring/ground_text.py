"""The output of clingo's own --text, without any part of asplan."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

import clingo
from clingo import Number

from asplan import catalog
from asplan.measuring.counters import instrument
from asplan.program.composition import read_program
from conftest import THOROUGH, plain_encodings


def first_instance(domain: str) -> Path:
    """A shipped instance of a domain that all its encodings serve."""
    found = [entry.path for entry in catalog.instances() if entry.domain == domain]
    preferred = [path for path in found if path.stem in ("sample01", "sample02")]
    return (preferred or found)[0]


def some_encodings(begin: int) -> list[catalog.ShippedFile]:
    """Return each third encoding from `begin` on; with ASPLAN_FUZZ, all of them.

    Encodings with theory atoms are left out, as a package may be missing.
    """
    return plain_encodings() if THOROUGH else plain_encodings()[begin::3]


def clingo_text(
    horizon: int, *files: str, options: Sequence[str] = ("--text",), counted: bool = False
) -> bytes:
    """Return the output of an independent clingo application; `counted` adds counters."""
    with TemporaryFile() as file:
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            clingo.clingo_main(Text(horizon, files, counted), list(options))
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        text = file.read()
    assert text
    return text


class Text(clingo.Application):
    """Grounds base, step 1..N and check 0..N in one call."""

    def __init__(self, horizon: int, files: Sequence[str], counted: bool) -> None:
        self.horizon, self.files, self.counted = horizon, files, counted

    def main(self, control: clingo.Control, files: Sequence[str]) -> None:
        parts = [("base", [])]
        parts += [("step", [Number(t)]) for t in range(1, self.horizon + 1)]
        parts += [("check", [Number(t)]) for t in range(self.horizon + 1)]
        if self.counted:
            instrument(read_program(self.files, {})).program.add_to(control)
        else:
            for file in self.files:
                control.load(file)
        control.ground(parts, context=Functions())
        control.solve()


class Functions:
    """Answers every function with 1, as the profiler does."""

    def __getattr__(self, name: str) -> object:
        return lambda *arguments: Number(1)


def wc(text: bytes) -> tuple[int, int, int]:
    """The lines, words and bytes of a text."""
    done = subprocess.run(["wc"], input=text, capture_output=True, check=True)
    lines, words, size = map(int, done.stdout.split())
    return lines, words, size
