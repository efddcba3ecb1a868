"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj, rmtree
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from asplan.errors import UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once all of it is written.

    Until then it has no name, so that it goes away with its process, even one that is killed.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    target = _target(path)
    partial = target.with_name(f".{os.urandom(8).hex()}.part")
    try:
        with _unnamed(target.parent) as file:
            yield file
            file.flush()
            _name(file, partial)
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Make a new folder that gets its name once all that is to be in it is there.

    Until then it stands beside its place under another one.

    Raises
    ------
    UsageError
        There is something of that name, or the folder cannot be written.
    """
    partial = path.with_name(f".{os.urandom(8).hex()}.part")
    try:
        if os.path.lexists(path):
            raise UsageError(f"{path} exists already", mend="take another name, or move it away")
        partial.mkdir()
        yield partial
        partial.rename(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        rmtree(partial, ignore_errors=True)


def _unnamed(folder: Path) -> BinaryIO:
    """A file in a folder without a name there; where the system has none, one in its own place."""
    try:
        return open(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")  # noqa: PTH123
    except (AttributeError, OSError):
        return cast(BinaryIO, TemporaryFile(dir=folder))


def _name(file: BinaryIO, path: Path) -> None:
    try:
        # Only a link that starts in a folder of its own follows the one in /proc.
        numbers = os.open("/proc/self/fd", os.O_RDONLY)
        try:
            os.link(str(file.fileno()), path, src_dir_fd=numbers)
        finally:
            os.close(numbers)
    except (OSError, NotImplementedError):
        file.seek(0)
        with path.open("xb") as whole:
            copyfileobj(file, whole)


def check_writable(path: Path) -> None:
    """Raise `UsageError` where a file could not be written, before work is spent on it."""
    target = _target(path)
    try:
        if not target.parent.is_dir():
            raise UsageError(f"cannot write {path}: there is no folder {target.parent}")
        if target.is_dir():
            raise UsageError(f"cannot write {path}: it is a folder")
        if target.exists() and not target.is_file():
            raise UsageError(f"cannot write {path}: it is a device or a pipe")
        if not os.access(target.parent, os.W_OK):
            raise UsageError(f"cannot write {path}: the folder does not allow it")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def _target(path: Path) -> Path:
    """The file that a path leads to."""
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # a NUL in it
        raise UsageError(f"cannot write {path}: {error}") from None
