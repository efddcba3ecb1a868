"""Files, folders and standard input.

Input is UTF-8 text of limited size. Other input, such as an endless device or bytes that are no
text, raises an error here, so that no other code has to handle it. Output is written completely or
not at all.
"""

import os
import select
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from shutil import copyfileobj, rmtree
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from asplan.core.budget import ENDLESS
from asplan.core.errors import InputError, Stopped, UsageError, suggest

ASP = (".lp", ".asp", ".clingo", ".gringo")  # suffixes of ASP programs

_STANDARD_INPUT = "standard input"  # its name in messages
STDIN = "-"  # the name of standard input among names of files
LARGEST = 2**28  # most bytes of a file
_MANY = 2000  # most files of a folder that are compared with a misspelt name
_LONGEST_NAME = 255  # most characters of the name of a file
_ALIKE = 0.7  # least similarity of a misspelt name and a suggestion
LONGEST_LINE = 2**20  # most characters of a line, in files that are read by line

AnyPath = str | os.PathLike[str]


@contextmanager
def atomic_file(path: Path, is_new: bool = False) -> Iterator[BinaryIO]:
    """Open a new file, which replaces the file `path` at the end of the block.

    Until then the file has no name, so it disappears if the process is killed. If `is_new` is set,
    raise `UsageError` if `path` exists, even if another process has just made it.
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
def atomic_folder(path: Path) -> Iterator[Path]:
    """Make a new folder, which gets the name `path` only at the end of the block."""
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
    """Open a file without a name in a folder; a temporary file if the system has no such files."""
    try:
        return open(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")  # noqa: PTH123
    except (AttributeError, OSError):
        return cast(BinaryIO, TemporaryFile(dir=folder))


def _name(file: BinaryIO, path: Path) -> None:
    """Give the name `path` to a file without a name; if that is impossible, copy the file."""
    try:
        # The system follows the link in /proc only if the call names the folder by its number.
        numbers = os.open("/proc/self/fd", os.O_RDONLY)
        try:
            os.link(str(file.fileno()), path, src_dir_fd=numbers)
        finally:
            os.close(numbers)
    except (OSError, NotImplementedError):
        file.seek(0)
        with path.open("xb") as copy:
            copyfileobj(file, copy)


def check_writable(path: Path) -> None:
    """Raise `UsageError` if a file cannot be written, before work is spent on it."""
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
    """Return the file that a path leads to when all links are followed."""
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # a NUL in it
        raise UsageError(f"cannot write {path}: {error}") from None


def exists(path: AnyPath) -> bool:
    """Return True if a path exists; return False for text that cannot be the name of a file."""
    return os.path.exists(path)  # noqa: PTH110


def nearest_files(path: AnyPath) -> list[str]:
    """Return files whose names are similar to a missing file's, in its folder, the nearest first.

    In a large folder, only some of the files are compared.
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
    """Return True if a path exists and is no folder: a file, or a pipe that a shell has made."""
    return exists(path) and not os.path.isdir(path)  # noqa: PTH112


def is_regular(path: AnyPath) -> bool:
    """Return True if a path is a regular file, which can be read twice."""
    return os.path.isfile(path)  # noqa: PTH113


def real_path(path: AnyPath) -> str:
    """Return the absolute path with all links followed; raise `InputError` as `read_text` does."""
    with _input_errors(path):
        return os.path.realpath(path)


def is_linked_out(path: AnyPath) -> bool:
    """Return True if a path is a link to something outside of the folder that has the link."""
    name = os.fspath(path)
    if not os.path.islink(name):  # noqa: PTH114
        return False
    return not is_below(name, os.path.dirname(name) or os.curdir)  # noqa: PTH120


def is_below(path: AnyPath, folder: AnyPath) -> bool:
    """Return True if a path, with all links followed, is inside of a folder or its subfolders."""
    return Path(real_path(path)).is_relative_to(real_path(folder))


Stamp = tuple[int, int, int] | None


def stamp_of(path: AnyPath) -> Stamp:
    """Return a file's time of change, size and inode, to detect changes; None if it is missing."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


_unsaved: dict[str, str] = {}  # texts to read in place of files, by real path


@contextmanager
def unsaved_texts(texts: Mapping[str, str]) -> Iterator[None]:
    """Let `read_text` return these texts, by path, in place of existing files in this block.

    An editor has such texts before the user saves them.
    """
    _unsaved.update((os.path.realpath(path), text) for path, text in texts.items())
    try:
        yield
    finally:
        _unsaved.clear()


def read_text(path: AnyPath) -> str:
    """Return the text of a file, without a byte order mark; raise `InputError` if it is no text."""
    if _unsaved and (unsaved := _unsaved.get(real_path(path))) is not None:
        return unsaved
    with _input_errors(path), open(path, "rb") as file:  # noqa: PTH123
        data = file.read(LARGEST + 1)
    return _decode(data, os.fspath(path))


def read_lines(path: AnyPath) -> Iterator[str]:
    """Yield the lines of a file, with replacement characters for bytes that are no text."""
    with _input_errors(path), open(path, encoding="utf-8-sig", errors="replace") as file:  # noqa: PTH123
        lines = iter(partial(file.readline, LONGEST_LINE + 1), "")
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST_LINE:
                raise InputError(f"{os.fspath(path)}: line {number} is too long for a board")
            yield line


def await_input(files: Iterable[str], seconds: float | None) -> None:
    """Read standard input now if it is among the files; a worker process could not read it later.

    Raises `Stopped` if reading takes longer than `seconds`; None means no limit.
    """
    if STDIN in files:
        standard_input(seconds)


_read_before: list[str] = []  # the text of standard input; a worker process inherits it


def standard_input(seconds: float | None = None) -> str:
    """Return the text of standard input, which is read only once.

    Raises `Stopped` if reading takes longer than `seconds`; None means no limit.
    """
    if not _read_before:
        if sys.stdin is None or sys.stdin.closed:
            raise InputError(f"{_STANDARD_INPUT} is closed, so nothing can be read from it")
        data = bytearray()
        with _input_errors(_STANDARD_INPUT):
            for part in _standard_input_parts(seconds):
                data += part
                if len(data) > LARGEST:
                    break
        _read_before.append(_decode(bytes(data), _STANDARD_INPUT))
    return _read_before[0]


def _standard_input_parts(seconds: float | None) -> Iterator[bytes]:
    """Yield the bytes of standard input as they arrive; after `seconds` raise `Stopped`."""
    budget = ENDLESS if seconds is None else ENDLESS.within(seconds)
    while True:
        # Windows cannot wait for input without reading it.
        if seconds is not None and sys.platform != "win32":
            left = max(0.0, budget.remaining)
            if not select.select([sys.stdin], [], [], left)[0]:
                limit = f"time limit of {seconds:g} s"
                raise Stopped(f"{limit} reached while reading {_STANDARD_INPUT}")
        part = cast(BufferedIOBase, sys.stdin.buffer).read1(2**20)
        if not part:
            return
        yield part


@contextmanager
def _input_errors(path: AnyPath) -> Iterator[None]:
    """Turn the system's errors about a path, inside this block, into `InputError`."""
    name = os.fspath(path)
    try:
        yield
    except FileNotFoundError:
        why = f"no such file: {name}" if name else "the name of a file is empty"
        raise InputError(why, hint=suggest(nearest_files(path))) from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder, where a file is expected") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError:  # a NUL, or half a character
        raise InputError(f"no file can have this name: {name}") from None


def _decode(data: bytes, name: str) -> str:
    if len(data) > LARGEST:
        raise InputError(f"{name} has more than {LARGEST >> 20} MB, the most that asplan reads")
    if (zero := data.find(b"\0")) >= 0:
        raise InputError(f"{name} is not text: byte {zero} is a NUL")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 (byte {error.start})") from None
