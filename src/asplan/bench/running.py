"""A suite is run: checked as a whole, trial after trial, each written down as soon as it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from asplan.bench.inputs import digests, input_files, stamps, unchanged
from asplan.bench.instances import Instance, instances_of
from asplan.bench.local import Place, on_this_machine
from asplan.bench.machine import machine, versions
from asplan.bench.records import FILE, Record, Results, Start, appending, read_results
from asplan.bench.suite import NO_TRUST, Suite, Trust, read_suite
from asplan.bench.trials import Trial, check_trial, trials_of
from asplan.errors import AsplanError, UsageError, system_error
from asplan.files import check_writable


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
        _mend(file, bool(done))
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
        raise UsageError(f"{file.parent} is no folder", mend="name one for the results by -o")
    if not file.exists() or not file.stat().st_size:
        return set()
    results = read_results(file)
    if not resume and not results.records:
        return set()  # something kept it from its first trial
    if not resume:
        raise UsageError(
            f"{file.parent} has results already",
            mend="say --resume to go on with them, or name another folder by -o",
        )
    if what := _changed(results.start, start):
        raise UsageError(
            f"{file.parent} has the results of something else: {what}",
            mend="name another folder by -o",
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


def _mend(file: Path, has_trials: bool) -> None:
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
            raise suite.toml.wrong(message, "methods", i, mend=error.mend) from None
        error.message = message
        raise
