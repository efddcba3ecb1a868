"""What is kept of a benchmark: a file of lines in JSON, one for each trial that has ended.

The first line of `runs.jsonl` is a `Start`, as are those where the work is taken up again; all
others are `Record`s. Each is written in one go, so that whatever ends the work spoils one at most.
"""

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import msgspec

from asplan.core.errors import InputError, Location, UsageError, system_error
from asplan.core.limits import Stop
from asplan.result import Outcome

FILE = "runs.jsonl"  # the name of the file in a folder of results


_HINT = "results are what asplan bench run writes into the folder that -o names"
_PACKAGES = ("clingo", "python-sat", "z3-solver", "numpy")

Amount = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]

Key = tuple[str, str, int]  # instance, method and repetition: what makes a trial


class Start(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="start"):
    """When, where and on what the work began, or was taken up again.

    `suite` is what the suite says, in JSON: the same for two suites with the same trials. `groups`
    has the group of each instance that is in one, and `files` the SHA-256 of input files by their
    paths.
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
    """A trial that has ended: what is kept of its `Result`, and what it took.

    `error` says why it failed, and `invalid` whether that is because its plan is no plan. `cpu` and
    `wall` are in seconds, `memory` in MB, as the system accounts them. `host` is where it ran.
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
        return self.instance, self.method, self.repetition

    @property
    def solved(self) -> bool:
        """Whether there is an answer: a plan, or a proof that there is none."""
        return self.outcome is not Outcome.UNKNOWN

    @property
    def answered(self) -> bool:
        """Whether there is an answer that was not refused."""
        return self.solved and not self.error and not self.invalid

    @property
    def proven(self) -> bool:
        """Whether nothing is left open: the plan is proven best, or no plan exists."""
        return self.outcome in (Outcome.OPTIMAL, Outcome.UNSOLVABLE)


@dataclass(frozen=True)
class Results:
    """What a folder holds: starts, each trial once, and a last line that was cut off."""

    starts: tuple[Start, ...]
    records: tuple[Record, ...]
    torn: str = ""

    @property
    def start(self) -> Start:
        return self.starts[0]


def read_results(folder: str | os.PathLike[str]) -> Results:
    """What a folder of results holds, or a file of them; `InputError` where a line is no such."""
    path = file_of(folder)
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file", hint=_HINT)
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{os.fspath(folder)} has no results", hint=_HINT) from None
    except OSError as error:
        raise system_error(error) from None
    whole, _, torn = data.rpartition(b"\n")
    starts, records = list[Start](), dict[Key, Record]()
    decoder = msgspec.json.Decoder(Start | Record)
    for number, text in enumerate(whole.splitlines(), 1):
        try:
            line = decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            at = Location(str(path), number, 1)
            raise InputError(f"no line of results: {error}", at=at, hint=_HINT) from None
        if isinstance(line, Start):
            starts.append(line)
        elif starts:
            records[line.key] = line
        else:
            break
    if not starts:
        raise InputError(f"{path} does not begin as results do", hint=_HINT)
    return Results(tuple(starts), tuple(records.values()), torn.decode(errors="replace"))


def file_of(folder: str | os.PathLike[str]) -> Path:
    """The file in a folder of results; a path that is no folder is taken as such a file."""
    path = Path(folder)
    return path / FILE if path.is_dir() or not path.suffix else path


@contextmanager
def open_results(path: Path) -> Iterator[Callable[[Start | Record], None]]:
    """What adds a line to a file of results in one go; `UsageError` where somebody else does."""
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def append(line: Start | Record) -> None:
        data = msgspec.json.encode(line) + b"\n"
        while data:
            data = data[os.write(number, data) :]

    try:
        with suppress(ImportError):  # Windows has no such locks
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        raise UsageError(f"another asplan bench run is at work in {path.parent}") from None
    except OSError:  # nor have some file systems
        pass
    try:
        yield append
    finally:
        os.close(number)


def machine() -> dict[str, str]:
    """What has to be known of this machine to compare times that were measured on it."""
    import psutil

    processor = platform.processor() or platform.machine()
    with suppress(OSError):  # Linux tells more
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        processor = next(names, processor)
    return {
        "host": platform.node(),
        "processor": processor,
        "cores": str(os.cpu_count() or ""),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": platform.platform(),
    }


def versions() -> dict[str, str]:
    """Of asplan, Python, and the packages that do the work, as far as they are installed."""
    found = {"asplan": version("asplan"), "Python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
