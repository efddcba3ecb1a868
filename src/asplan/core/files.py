"""What comes from outside and goes there: files, folders, standard input.

Whatever is read is text in UTF-8 of a limited size. Everything else is refused here, with the
reason, so that nobody after it has to think of devices without an end or of bytes that are no text.
Whatever is written is written whole or not at all.
"""

import os
import select
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from shutil import copyfileobj, rmtree
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from asplan.core.errors import InputError, Stopped, UsageError, suggest

ASP = (".lp", ".asp", ".clingo", ".gringo")  # how names of programs end

STDIN = "-"  # the word for standard input where a file is expected
LARGEST = 2**28  # bytes of one file that are read at most
_MANY = 2000  # files of a folder among which a misspelt name is looked for
_LONGEST_NAME = 255  # characters of the name of a file
_ALIKE = 0.7  # how alike two names of files are at least, of which one may be meant
LONGEST_LINE = 2**20  # characters of one line at most, in files that are read line by line

AnyPath = str | os.PathLike[str]


@contextmanager
def whole_file(path: Path, is_new: bool = False) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once all of it is written.

    Until then it has no name, so that it goes away with its process, even one that is killed.
    With `is_new` a file that is there already is refused, also one that somebody makes meanwhile.
    """
    target = _target(path)
    partial = target.with_name(f".{os.urandom(8).hex()}.part")
    try:
        with _unnamed(target.parent) as file:
            yield file
            file.flush()
            _name(file, target if is_new else partial)
        if not is_new:
            partial.replace(target)
    except FileExistsError:
        raise UsageError(f"{path} exists already", hint="take another name") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Make a new folder that gets its name once all that is to be in it is there."""
    partial = path.with_name(f".{os.urandom(8).hex()}.part")
    try:
        if os.path.lexists(path):
            raise UsageError(f"{path} exists already", hint="take another name, or move it away")
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


def exists(path: AnyPath) -> bool:
    """Whether a path names anything; a word that cannot be a name (too long, say) does not."""
    return os.path.exists(path)  # noqa: PTH110


def nearest_files(path: AnyPath) -> list[str]:
    """Return the files beside a missing one whose names are most like its name, the nearest first.

    A folder with very many files is not searched to its end.
    """
    from difflib import get_close_matches

    folder, name = os.path.split(os.fspath(path))
    suffix = os.path.splitext(name)[1]  # noqa: PTH122
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = [entry.name for entry in islice(entries, _MANY) if not entry.is_dir()]
    except (OSError, ValueError):
        return []
    alike = [found for found in names if found.endswith(suffix)]
    close = get_close_matches(name[:_LONGEST_NAME], alike, n=3, cutoff=_ALIKE)
    return [os.path.join(folder, found) for found in close]  # noqa: PTH118


def is_there(path: AnyPath) -> bool:
    """Whether a path names something that can be read: a file, or a pipe as a shell makes it."""
    return exists(path) and not os.path.isdir(path)  # noqa: PTH112


def is_regular(path: AnyPath) -> bool:
    """Whether a path names a file that can be read more than once."""
    return os.path.isfile(path)  # noqa: PTH113


def real_path(path: AnyPath) -> str:
    """A path without links in it, from the root; raises as `read_text` does."""
    with _explained(path):
        return os.path.realpath(path)


def is_linked_out(path: AnyPath) -> bool:
    """Return whether a path is a link that leads out of the folder in which it lies."""
    name = os.fspath(path)
    if not os.path.islink(name):  # noqa: PTH114
        return False
    return not is_below(name, os.path.dirname(name) or os.curdir)  # noqa: PTH120


def is_below(path: AnyPath, folder: AnyPath) -> bool:
    """Return whether a path lies in a folder, or below it, once links are followed."""
    return Path(real_path(path)).is_relative_to(real_path(folder))


Stamp = tuple[int, int, int] | None


def stamp_of(path: AnyPath) -> Stamp:
    """Time of change, size and number of a file, which tell that it changed; None without one."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_text(path: AnyPath) -> str:
    """The text of a file, without a byte order mark; `InputError` where there is none."""
    with _explained(path), open(path, "rb") as file:  # noqa: PTH123
        data = file.read(LARGEST + 1)
    return _decoded(data, os.fspath(path))


def read_lines(path: AnyPath) -> Iterator[str]:
    """The lines of a file, one at a time, with marks for what is no text."""
    with _explained(path), open(path, encoding="utf-8-sig", errors="replace") as file:  # noqa: PTH123
        lines = iter(partial(file.readline, LONGEST_LINE + 1), "")
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST_LINE:
                raise InputError(f"{os.fspath(path)}: line {number} is too long for a board")
            yield line


def await_input(files: Iterable[str], seconds: float | None) -> None:
    """Read standard input, which a worker has not, before one starts, if a file stands for it."""
    if STDIN in files:
        standard_input(seconds)


_read_before: list[str] = []  # what stood on standard input; a worker process inherits it


def standard_input(seconds: float | None = None) -> str:
    """What comes in on standard input, read once; `Stopped` where it takes more than `seconds`."""
    name = "standard input"
    if _read_before:
        return _read_before[0]
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{name} is closed, so nothing can be read from it")
    deadline = None if seconds is None else time.monotonic() + seconds
    data = bytearray()
    with _explained(name):
        while len(data) <= LARGEST:
            # On Windows it is not known without reading whether there is anything to be read.
            if deadline is not None and sys.platform != "win32":
                left = max(0.0, deadline - time.monotonic())
                if not select.select([sys.stdin], [], [], left)[0]:
                    raise Stopped(f"time limit of {seconds:g} s reached while reading {name}")
            if not (some := cast(BufferedIOBase, sys.stdin.buffer).read1(2**20)):
                break
            data += some
    _read_before.append(_decoded(bytes(data), name))
    return _read_before[0]


@contextmanager
def _explained(path: AnyPath) -> Iterator[None]:
    """Turn what the system says of a path into an InputError."""
    name = os.fspath(path)
    try:
        yield
    except FileNotFoundError:
        what = f"no such file: {name}" if name else "a file without a name: the word is empty"
        raise InputError(what, hint=suggest(nearest_files(path))) from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder, where a file is expected") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError:  # a NUL, or half a character
        raise InputError(f"no file can have this name: {name}") from None


def _decoded(data: bytes, name: str) -> str:
    if len(data) > LARGEST:
        raise InputError(f"{name} has more than {LARGEST >> 20} MB, the most that asplan reads")
    if (zero := data.find(b"\0")) >= 0:
        raise InputError(f"{name} is no text: byte {zero} is a NUL")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 (byte {error.start})") from None
