"""What has to be known of a machine to compare times that were measured on it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import msgspec

from asplan.errors import InputError, Location, UsageError, system_error
from asplan.limits import Stop
from asplan.result import Outcome

_PACKAGES = ("clingo", "python-sat", "z3-solver", "fast-downward.translate", "numpy")


def machine() -> dict[str, str]:
    """Its name, processor, cores, memory and system."""
    import psutil

    return {
        "host": platform.node(),
        "processor": _processor(),
        "cores": str(os.cpu_count() or ""),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": platform.platform(),
    }


def versions() -> dict[str, str]:
    """Of asplan, Python, and the packages that do the work, as far as they are installed."""
    found = {"asplan": version("asplan"), "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """Its name, as Linux tells it; elsewhere what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


# What is kept of a benchmark: a file of lines in JSON, one for each trial that has ended.
#
# A folder of results holds `runs.jsonl`. Its first line is a `Start`: the suite, the machine, the
# versions, and what the input files looked like; each time the work is taken up again one more
# follows. Every other line is a `Record`. A line is written in one go as soon as it is known, so
# that whatever ends the work spoils the last line at most.


FILE = "runs.jsonl"
"""The name of the file in a folder of results."""

Amount = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]

Key = tuple[str, str, int]
"""Instance, method and repetition: what makes a trial."""


class Start(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="start"):
    """When, where and on what the work began, or was taken up again.

    Attributes
    ----------
    name
        The suite's.
    suite
        What the suite says, in JSON; of two suites with the same trials it is the same.
    methods, instances
        Their names, in the suite's order.
    groups
        The group of each instance that is in one.
    files
        The SHA-256 of every input file, by its path.
    machine, versions
        What is to be known to compare times: processor, cores, system; Python, clingo and others.
    begun
        The time of day, with its zone.
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
    """A trial that has ended, whatever ended it.

    Attributes
    ----------
    outcome
        What the method answered; `unknown` where it stopped or failed.
    horizon
        The number of steps of the plan.
    actions
        The number of actions in the plan.
    lower_bound
        No plan has fewer steps.
    cost
        What the plan costs, where something else than steps was optimized.
    optimized
        What `optimal` is about: steps, actions or cost.
    stopped, reason
        The limit that ended it, and the result's own words.
    error
        Why it failed; empty where it did not. A plan that is refused by the validation is one.
    invalid
        Whether the error is that the method's plan is no plan.
    validated
        What checked the plan.
    cpu
        Seconds of processor time, of its process and those below it, as the system accounts them.
    wall
        Seconds from its start to its end.
    memory
        The most that was resident, in MB, as the system accounts it.
    ground, solve
        Seconds that the engine spent with it.
    calls, conflicts, choices, expanded
        As in `asplan.result.Statistics`.
    host
        Where it ran.
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
        """The trial."""
        return self.instance, self.method, self.repetition

    @property
    def solved(self) -> bool:
        """Whether there is an answer: a plan, or a proof that there is none."""
        return self.outcome is not Outcome.UNKNOWN

    @property
    def proven(self) -> bool:
        """Whether nothing is left open: the plan is proven best, or no plan exists."""
        return self.outcome in (Outcome.OPTIMAL, Outcome.UNSOLVABLE)


Line = Start | Record


@dataclass(frozen=True)
class Results:
    """What a folder of results holds.

    Attributes
    ----------
    starts
        At least one.
    records
        In the order in which the trials ended, each trial once.
    torn
        The beginning of a last line that was cut off; empty where none was.
    """

    starts: tuple[Start, ...]
    records: tuple[Record, ...]
    torn: str = ""

    @property
    def start(self) -> Start:
        """The first."""
        return self.starts[0]


def read_results(folder: str | os.PathLike[str]) -> Results:
    """What a folder of results holds, or a file such as its `runs.jsonl`.

    Raises
    ------
    InputError
        There is no such file, or a line of it, other than a last one that was cut off, is not what
        it should be.
    """
    path = file_of(folder)
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file", hint=_HINT)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unread(folder, error) from None
    whole, _, torn = data.rpartition(b"\n")
    lines = list(_decoded(whole.splitlines(), path))
    starts = tuple(line for line in lines if isinstance(line, Start))
    if not lines or not isinstance(lines[0], Start):
        raise InputError(f"{path} does not begin as results do", hint=_HINT)
    records = {line.key: line for line in lines if isinstance(line, Record)}
    return Results(starts, tuple(records.values()), torn.decode(errors="replace"))


_HINT = "results are what asplan bench run writes into the folder that -o names"


def file_of(folder: str | os.PathLike[str]) -> Path:
    """The file in a folder of results; a path that is no folder is taken as such a file."""
    path = Path(folder)
    return path / FILE if path.is_dir() or not path.suffix else path


def _unread(folder: str | os.PathLike[str], error: OSError) -> Exception:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"{os.fspath(folder)} has no results", hint=_HINT)
    return system_error(error)


def _decoded(lines: Iterable[bytes], path: Path) -> Iterator[Line]:
    decoder = msgspec.json.Decoder(Line)
    for number, line in enumerate(lines, 1):
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            at = Location(str(path), number, 1)
            raise InputError(f"no line of results: {error}", at=at, hint=_HINT) from None


@contextmanager
def appending(path: Path) -> Iterator[Appender]:
    """Open a file of results to add lines to it; it is made if it is not there.

    Raises `UsageError` where somebody else has it open for that.
    """
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        if not _locked(number):
            raise UsageError(f"another asplan bench run is at work in {path.parent}")
        yield Appender(number)
    finally:
        os.close(number)


def _locked(number: int) -> bool:
    """Whether an open file is ours alone until it is closed; where systems cannot say, it is."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some file systems have no locks
        return True
    return True


@dataclass(frozen=True)
class Appender:
    """Adds lines to a file of results, each by one call to the system."""

    number: int

    def __call__(self, line: Line) -> None:
        """Add a line."""
        data = msgspec.json.encode(line) + b"\n"
        while data:
            data = data[os.write(self.number, data) :]
