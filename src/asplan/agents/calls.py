"""Calls of asplan's commands for a coding agent, each in a process of its own, under limits.

An agent may pass any words to a command, so each word is checked. Files must lie below one folder,
words cannot be options, and no script of a program runs. The settings of the folder are not read,
as they might allow more.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from asplan.cli.settings import IGNORE
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError

Json: TypeAlias = Any  # data of any shape

_GRACE = 15.0  # seconds after the time limit in which a command may end by itself
_CONSTANT = re.compile(r"[a-z_][A-Za-z0-9_']*")
_MARKS = re.compile(r"\A[^\x00-\x1f]+\Z")


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its exit status, standard output and standard error."""

    status: int
    output: str
    error: str

    def data(self) -> Json:
        """Return the data that the command has printed as JSON.

        Raises
        ------
        UsageError
            If the command printed an error instead.
        """
        with suppress(json.JSONDecodeError):
            return json.loads(self.output)
        raise UsageError(self.error.removeprefix("asplan: ").strip() or "there is no output")


@dataclass(frozen=True)
class Caller:
    """A runner of asplan's commands in a folder, under limits.

    Attributes
    ----------
    root
        The folder; no file outside of it is read.
    seconds
        The greatest time limit that a call may have.
    megabytes
        The memory limit of each call.
    """

    root: Path
    seconds: float = 60.0
    megabytes: int = 2000

    def file(self, name: str) -> str:
        """Check and return the name of a file below the folder, or of a shipped file.

        Raises
        ------
        UsageError
            If the name looks like an option, or names a file outside of the folder.
        """
        if not _MARKS.match(name) or name.startswith("-"):
            raise UsageError(f"{name!r} is not the name of a file")
        # A command may take the whole name as a file, or only the part before a variant.
        for path in (name, name.partition(":")[0]):
            if not (self.root / path).resolve().is_relative_to(self.root.resolve()):
                hint = "pass files below that folder"
                raise UsageError(f"{name} lies outside of {self.root}", hint=hint)
        return name

    def files(self, names: Iterable[str]) -> list[str]:
        """Check the names of files with the method `file`, and return them.

        Raises `UsageError` if `names` is empty, or if a name is refused.
        """
        checked = [self.file(name) for name in names]
        if not checked:
            raise UsageError("no files are given")
        return checked

    def limits(self, seconds: float | None = None) -> list[str]:
        """Return the options for the limits of a call; `seconds` can only lower the time limit."""
        time = self.seconds if seconds is None else min(seconds, self.seconds)
        return ["--time-limit", f"{time:g}", "--memory-limit", str(self.megabytes)]

    async def run(self, words: Iterable[str], text: str = "") -> Ended:
        """Run a command with `text` as its standard input; end it if the agent stops waiting."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "asplan", *words),
            cwd=self.root,
            env={**os.environ, IGNORE: "1", "NO_COLOR": "1", "COLUMNS": "100"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            work = process.communicate(text.encode())
            output, error = await asyncio.wait_for(work, self.seconds + _GRACE)
        except TimeoutError:
            raise UsageError(f"the command took longer than {self.seconds:g} s") from None
        finally:
            if process.returncode is None:
                process.terminate()  # a command ends its workers itself
                await process.wait()
        status = process.returncode or 0
        return Ended(status, output.decode(errors="replace"), error.decode(errors="replace"))


def option(name: str, value: str | int | float | None) -> list[str]:
    """Return `[NAME=VALUE]`; an empty list if the value is None or empty.

    Raises
    ------
    UsageError
        If the value has control characters.
    """
    if value is None or value == "":
        return []
    if not _MARKS.match(str(value)):
        raise UsageError(f"{name}: {value!r} has control characters")
    return [f"{name}={value}"]


def constant_options(values: Mapping[str, str | int] | None) -> list[str]:
    """Return the options `-c NAME=VALUE` that set constants of a program.

    Raises `UsageError` if a name is no valid name of a constant.
    """
    words: list[str] = []
    for name, value in (values or {}).items():
        if not _CONSTANT.fullmatch(name) or not _MARKS.match(str(value)):
            raise UsageError(f"{name}={value} sets no constant of a program")
        words += ["-c", f"{name}={value}"]
    return words
