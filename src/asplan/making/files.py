"""Puzzles as files of a folder, each written as soon as it is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from asplan.errors import UsageError, system_error
from asplan.files import whole_file
from asplan.making.made import Made


class Folder:
    """A folder that gets a file for each puzzle.

    Raises
    ------
    UsageError
        It holds something already, or cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path, self._written = Path(path), 0
        try:
            self._path.mkdir(exist_ok=True)
            if any(self._path.iterdir()):
                raise UsageError(
                    f"{path} is not empty", mend="name another folder for the puzzles by -o"
                )
        except FileExistsError:
            raise UsageError(f"{path} is no folder", mend="name one by -o") from None
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                raise system_error(error) from None
            raise UsageError(f"cannot make {path!r}: {error}") from None

    def write(self, puzzles: Sequence[Made]) -> None:
        """Write those that are not written yet."""
        for made in puzzles[self._written :]:
            with whole_file(self._path / made.name) as file:
                file.write(made.text.encode())
            self._written += 1
