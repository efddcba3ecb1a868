"""Records of a benchmark: a file with a line of JSON for each finished trial.

The first line of `runs.jsonl` is a `RunStart`. Each continuation of the run adds another
`RunStart`; all other lines are `Record`s. Each line is written at once, so an interruption damages
at most the last line.
"""

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Annotated

import msgspec

from asplan.core.dataclass import dataclass
from asplan.core.errors import (
    InputError,
    Location,
    UsageError,
    system_error,
)
from asplan.core.limits import Stop
from asplan.core.misfit import describe_misfit
from asplan.result import Outcome

FILE = "runs.jsonl"
"""The name of the file in a folder of results."""

_HINT = "pass the folder that asplan bench run -o FOLDER has written"
_PACKAGES = ("clingo", "python-sat", "z3-solver", "numpy")

Amount = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]

Key = tuple[str, str, int]
"""The instance, method and repetition of a trial, which together identify it."""


class RunStart(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="start"):
    """The beginning or a continuation of a run: its suite, files, machine and versions.

    `suite` is the suite in JSON, equal for two suites with the same trials. `groups` maps instances
    to their group, and `files` maps paths of input files to their SHA-256.
    """

    name: str
    suite: str
    methods: list[str]
    instances: list[str]
    groups: dict[str, str] = {}
    files: dict[str, str] = {}
    machine: dict[str, str] = {}
    versions: dict[str, str] = {}
    begun: str = ""


class Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="run"):
    """A finished trial: the stored part of its `Result`, and the resources that it used.

    `error` is the reason of a failure; `invalid` marks a failure because the plan is invalid. `cpu`
    and `wall` are in seconds, `memory` is in MB, as the operating system reports them. `host` is
    the name of the machine.
    """

    instance: str
    method: str
    repetition: Count = 0
    outcome: Outcome = Outcome.UNKNOWN
    horizon: Count | None = None
    actions: Count | None = None
    lower_bound: Count = 0
    cost: list[int] | None = None
    optimized: str = "steps"
    stopped: Stop | None = None
    reason: str = ""
    error: str = ""
    invalid: bool = False
    validated: str | None = None
    cpu: Amount | None = None
    wall: Amount = 0.0
    memory: Amount | None = None
    ground: Amount = 0.0
    solve: Amount = 0.0
    calls: Count | None = None
    conflicts: Count | None = None
    choices: Count | None = None
    expanded: Count | None = None
    host: str = ""

    @property
    def key(self) -> Key:
        """The instance, method and repetition, which identify the trial."""
        return self.instance, self.method, self.repetition

    @property
    def solved(self) -> bool:
        """True if there is a plan, or a proof that there is none."""
        return self.outcome is not Outcome.UNKNOWN

    @property
    def answered(self) -> bool:
        """True if the trial is solved and its answer passed all checks."""
        return self.solved and not self.error and not self.invalid

    @property
    def proven(self) -> bool:
        """True if the plan is proven best, or it is proven that there is no plan."""
        return self.outcome in (Outcome.OPTIMAL, Outcome.UNSOLVABLE)


@dataclass(frozen=True)
class Results:
    """The results in a folder: the starts of its runs, and one record for each trial.

    `torn` is the text of a last line that was not written completely, else empty.
    """

    starts: tuple[RunStart, ...]
    records: tuple[Record, ...]
    torn: str = ""

    @property
    def start(self) -> RunStart:
        """The first start, which describes the suite."""
        return self.starts[0]

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of all methods: the suite's, then further ones that occur in records."""
        names = (start.methods for start in self.starts)
        return unique(*names, (record.method for record in self.records))

    @property
    def instances(self) -> tuple[str, ...]:
        """The names of all instances: the suite's, then further ones that occur in records."""
        names = (start.instances for start in self.starts)
        return unique(*names, (record.instance for record in self.records))


def unique(*names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in all arguments without repetitions, in the order of first occurrence."""
    return tuple(dict.fromkeys(chain.from_iterable(names)))


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Read the results in a folder, or in a file of results.

    Raises
    ------
    InputError
        There are no results, or a line is not a line of results.
    """
    path = file_of(folder)
    complete, _, torn = _read_bytes(path, os.fspath(folder)).rpartition(b"\n")
    starts: list[RunStart] = []
    records: dict[Key, Record] = {}
    for line in _decode_lines(path, complete):
        if isinstance(line, RunStart):
            starts.append(line)
        elif not starts:
            break
        else:
            records[line.key] = line
    if not starts:
        raise InputError(f"{path} does not begin with the description of a run", hint=_HINT)
    return Results(tuple(starts), tuple(records.values()), torn.decode(errors="replace"))


def _read_bytes(path: Path, folder: str) -> bytes:
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a regular file", hint=_HINT)
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder!r} has no results", hint=_HINT) from None
    except OSError as error:
        raise system_error(error) from None


def _decode_lines(path: Path, data: bytes) -> Iterator[RunStart | Record]:
    decoder = msgspec.json.Decoder(RunStart | Record)
    for number, text in enumerate(data.splitlines(), 1):
        try:
            yield decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            at = Location(str(path), number, 1)
            why = describe_misfit(str(error))
            raise InputError(f"not a line of results: {why}", at=at, hint=_HINT) from None


def file_of(folder: str | os.PathLike[str]) -> Path:
    """Return the path of the file of results in a folder.

    A path with a suffix counts as the path of such a file, and is returned unchanged.
    """
    path = Path(folder)
    is_folder = path.is_dir() or not path.suffix
    return path / FILE if is_folder else path


@contextmanager
def open_results(path: Path) -> Iterator[Callable[[RunStart | Record], None]]:
    """Open a file of results; yield a function that appends a line and writes it at once.

    Raises
    ------
    UsageError
        Another process writes to the file.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def append(line: RunStart | Record) -> None:
        data = msgspec.json.encode(line) + b"\n"
        while data:
            written = os.write(descriptor, data)
            data = data[written:]

    try:
        _lock(descriptor, path)
        yield append
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    """Lock an open file; do nothing on systems without such locks (Windows, some file systems)."""
    with suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another asplan bench run is writing into {path.parent}") from None
        except OSError:
            pass


def describe_machine() -> dict[str, str]:
    """Describe this machine, so that a reader can judge whether times are comparable."""
    import psutil

    return {
        "host": platform.node(),
        "processor": _processor_name(),
        "cores": str(os.cpu_count() or ""),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": platform.platform(),
    }


def _processor_name() -> str:
    """Return the name of the processor; on Linux the one in /proc/cpuinfo is more precise."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def installed_versions() -> dict[str, str]:
    """Return the versions of asplan, of Python, and of the installed solvers and numpy."""
    versions = {
        "asplan": version("asplan"),
        "Python": platform.python_version(),
    }
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions
