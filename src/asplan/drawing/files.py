"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO

from asplan.errors import UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once all of it is written.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    target = path.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        # A file without a name goes away with its process, even one that is killed.
        with TemporaryFile(dir=target.parent) as file:
            yield file
            file.seek(0)
            with partial.open("xb") as whole:
                copyfileobj(file, whole)
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise `UsageError` where a file could not be written, before work is spent on it."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}")
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {path}: the folder does not allow it")
