"""Trials in processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TypeVar

from asplan.bench.instances import Instance, instances_of, seen_from
from asplan.bench.records import (
    FILE,
    Record,
    Results,
    Start,
    appending,
    machine,
    read_results,
    versions,
)
from asplan.bench.suite import NO_TRUST, Suite, SuiteLimits, Trust, read_suite
from asplan.bench.trials import Trial, check_trial, run_trial, trials_of
from asplan.errors import AsplanError, UsageError, system_error
from asplan.files import check_writable, is_there, read_text
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.problem.catalog import encodings
from asplan.program.source import read_source

Place = Callable[[Iterable[Trial], SuiteLimits, Callable[[], None]], Iterator[Record]]
"""Makes trials and yields their records as they end; calls the function now and then."""

LOOK = 0.5
"""Seconds between two calls of `waiting`."""


Item = TypeVar("Item")
Made = TypeVar("Made")


class _Abandoned(Exception):
    """Nobody waits for the work any more."""


@cache
def _warm_up() -> None:
    """Solve something small here: what Python and clingo make once, forks find made.

    A trial of some milliseconds takes two thirds of the time by it.
    """
    answer(Request(Inputs(("rush_hour/two_cars",)), "bfs"))


def on_this_machine(jobs: int) -> Place:
    """A place that makes so many trials at a time."""
    return partial(run_locally, jobs)


def run_locally(
    jobs: int, trials: Iterable[Trial], limits: SuiteLimits, waiting: Callable[[], None]
) -> Iterator[Record]:
    """Make trials, `jobs` at a time, and yield their records as they end; see `attended`."""
    _warm_up()
    return attended(jobs, lambda trial, heed: run_trial(trial, limits, heed), trials, waiting)


def attended(
    jobs: int,
    work: Callable[[Item, Callable[[], None]], Made],
    items: Iterable[Item],
    waiting: Callable[[], None],
) -> Iterator[Made]:
    """Do work on items, `jobs` at a time, and yield what comes of each as it ends.

    A thread attends each item, whose work is to be done in a process. Where the caller leaves
    early, what the work is given raises when it is called, so that the process can be ended.
    `waiting` is called now and then while nothing ends.
    """
    left = Event()

    def heed() -> None:
        if left.is_set():
            raise _Abandoned

    rest = iter(items)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running: set[Future[Made]] = set()
            while True:
                more = islice(rest, 2 * jobs - len(running))
                running |= {pool.submit(work, item, heed) for item in more}
                if not running:
                    return
                done, running = wait(running, LOOK, FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                if not done:
                    waiting()
        finally:
            left.set()


# The files that a suite reads, and what they looked like.


def input_files(suite: Suite, instances: Sequence[Instance]) -> list[str]:
    """The paths of all instances, databases and encodings, and of what they include."""
    return list(dict.fromkeys(_all(suite, instances)))


def digests(suite: Suite, instances: Sequence[Instance]) -> dict[str, str]:
    """The SHA-256 of each input file, by its path as seen from the suite."""
    home = Path(suite.toml.path).resolve().parent
    return {
        seen_from(home, path): sha256(read_text(path).encode()).hexdigest()
        for path in input_files(suite, instances)
    }


def _all(suite: Suite, instances: Sequence[Instance]) -> Iterator[str]:
    for instance in instances:
        if instance.line:
            yield instance.line.file
        for file in instance.files:
            yield from with_included(file, suite.trust)
    for method in suite.methods:
        if method.encoding is None:
            continue
        word = method.encoding.partition(":")[0]
        if is_there(word):
            yield from with_included(word, suite.trust)
        else:
            yield from (str(entry.path) for entry in encodings() if entry.is_called(word))


def with_included(file: str, trust: Trust) -> Iterator[str]:
    """A file, and those that it includes if it is an ASP program."""
    if not file.endswith(".lp"):
        yield file
        return
    yield from (text.name for text in read_source(file, trust.includes).texts)


Stamp = tuple[int, int]


def stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    """When each of some files was last written, and its size."""
    return {path: _stamp(path) for path in paths}


def unchanged(trials: Iterable[Trial], known: Mapping[str, Stamp]) -> Iterator[Trial]:
    """The trials, as long as their files are as they were.

    Raises
    ------
    UsageError
        One has been written since, so that what comes now would be of something else.
    """
    for trial in trials:
        line, encoding = trial.instance.line, trial.method.encoding
        files = [*trial.instance.files, line.file if line else "", encoding or ""]
        for path in files:
            if path in known and _stamp(path) != known[path]:
                raise UsageError(
                    f"{path} changed while the suite ran",
                    hint="put it back and say --resume, or begin anew in another folder",
                )
        yield trial


def _stamp(path: str) -> Stamp:
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


# A suite is run: checked as a whole, trial after trial, each written down as soon as it ended.


@dataclass(frozen=True)
class Progress:
    """How far a suite has come: trials that are done, and of how many; the last record, if any."""

    done: int
    of: int
    last: Record | None = None


def run_suite(
    path: str,
    folder: str,
    place: Place | None = None,
    resume: bool = False,
    trust: Trust = NO_TRUST,
    progress: Callable[[Progress], None] = lambda progress: None,
) -> Results:
    """Run the trials of a suite that are not in a folder of results yet.

    Parameters
    ----------
    path
        The suite.
    folder
        Where the results go; it is made if it is not there.
    place
        Where the trials run; in a process of this machine, one after the other, if it is not said.
    resume
        Go on with the results that are there.
    trust
        What its programs may do.

    Returns
    -------
    Results
        All, those that were there included. After Ctrl-C, `KeyboardInterrupt` is raised, and what
        was done is in the folder.

    Raises
    ------
    InputError
        The suite makes no sense, or a method is none for the instances.
    UsageError
        There are results already, or those of another suite, or input files have changed.
    """
    suite = read_suite(path, trust)
    instances = instances_of(suite)
    known = stamps(input_files(suite, instances))
    start = _start(suite, instances)
    file = Path(folder, FILE)
    _there(file, resume, start)  # refused before any time is spent
    for trial in _firsts(suite, instances):
        _check(suite, trial)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise system_error(error) from None
    check_writable(file)
    with appending(file) as append:
        done = _there(file, resume, start)
        _hint(file, bool(done))
        every = [trial for trial in trials_of(suite, instances) if trial.key not in done]
        total, count = len(every) + len(done), len(done)
        append(start)
        progress(Progress(count, total))
        make = place or on_this_machine(1)
        waiting = partial(_wait, progress, total, lambda: count)
        for record in make(unchanged(every, known), suite.limits, waiting):
            append(record)
            count += 1
            progress(Progress(count, total, record))
    return read_results(folder)


def _wait(progress: Callable[[Progress], None], total: int, count: Callable[[], int]) -> None:
    progress(Progress(count(), total))


def _start(suite: Suite, instances: Sequence[Instance]) -> Start:
    return Start(
        name=suite.name,
        suite=suite.said,
        methods=[method.name for method in suite.methods],
        instances=[instance.name for instance in instances],
        groups={one.name: one.group for one in instances if one.group},
        files=digests(suite, instances),
        machine=machine(),
        versions=versions(),
        begun=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _there(file: Path, resume: bool, start: Start) -> set[tuple[str, str, int]]:
    """The trials that a file of results has.

    Raises `UsageError` where they are not to be gone on with.
    """
    if file.parent.exists() and not file.parent.is_dir():
        raise UsageError(f"{file.parent} is no folder", hint="name one for the results by -o")
    if not file.exists() or not file.stat().st_size:
        return set()
    results = read_results(file)
    if not resume and not results.records:
        return set()  # something kept it from its first trial
    if not resume:
        raise UsageError(
            f"{file.parent} has results already",
            hint="say --resume to go on with them, or name another folder by -o",
        )
    if what := _changed(results.start, start):
        raise UsageError(
            f"{file.parent} has the results of something else: {what}",
            hint="name another folder by -o",
        )
    return {record.key for record in results.records}


def _changed(old: Start, new: Start) -> str:
    """What makes results incomparable; empty if nothing does."""
    if old.suite != new.suite:
        return (
            f"the suite {old.name} was another one"
            if old.name == new.name
            else (f"the suite was {old.name}, and is {new.name}")
        )
    changed = [path for path, digest in new.files.items() if old.files.get(path) != digest]
    gone = [path for path in old.files if path not in new.files]
    if changed:
        return f"{', '.join(changed[:5])} changed"
    return f"{', '.join(gone[:5])} was read and is not any more" if gone else ""


def _hint(file: Path, has_trials: bool) -> None:
    """Take away a line that was cut off; all lines, where none is of a trial.

    Only whoever has the file locked may do that.
    """
    with file.open("r+b") as lines:
        lines.truncate(lines.read().rfind(b"\n") + 1 if has_trials else 0)


def _firsts(suite: Suite, instances: Sequence[Instance]) -> Iterator[Trial]:
    """Each method on the first instance of each source of its own kind."""
    seen: set[tuple[str, str]] = set()
    for instance in instances:
        kind = instance.line.file if instance.line else str(Path(instance.files[-1]).parent)
        for method in suite.methods:
            if (not method.on or instance.group in method.on) and (kind, method.name) not in seen:
                seen.add((kind, method.name))
                yield Trial(instance, method, 0, suite.seed, suite.trust)


def _check(suite: Suite, trial: Trial) -> None:
    try:
        check_trial(trial, suite.limits)
    except AsplanError as error:
        message = f"{trial.method.name} on {trial.instance.name}: {error.message}"
        if error.at is None:
            i = suite.methods.index(trial.method)
            raise suite.toml.wrong(message, "methods", i, hint=error.hint) from None
        error.message = message
        raise
