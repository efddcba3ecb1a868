"""The run of a suite: checks the whole suite first, then runs and records trial after trial."""

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

from asplan.bench.instances import SuiteInstance, instances_of, portable_path
from asplan.bench.records import (
    FILE,
    Key,
    Record,
    Results,
    RunStart,
    describe_machine,
    installed_versions,
    open_results,
    read_results,
)
from asplan.bench.suite import (
    NO_TRUST,
    Suite,
    SuiteLimits,
    Trust,
    read_suite,
)
from asplan.bench.trials import (
    Trial,
    check_trial,
    first_trials,
    run_trial,
    trials_of,
)
from asplan.catalog import ShippedFile, domain_of, encodings
from asplan.core.budget import Budget, Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, UsageError, system_error
from asplan.core.files import (
    Stamp,
    check_writable,
    is_there,
    read_text,
    stamp_of,
)
from asplan.core.pool import run_all
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.program.reading.source import read_source

Executor = Callable[[Iterable[Trial], SuiteLimits, Callable[[], None]], Iterator[Record]]
"""Runs trials within limits and yields their records in the order in which they end.

The last argument is a function to call now and then while waiting.
"""


@dataclass(frozen=True)
class SuiteProgress:
    """The progress of a suite: numbers of finished and of all trials, and the last
    record, if any.
    """

    done: int
    total: int
    last: Record | None = None


def run_suite(
    path: str,
    folder: str,
    executor: Executor | None = None,
    resume: bool = False,
    trust: Trust = NO_TRUST,
    progress: Reporter[SuiteProgress] = ignore_report,
    runner: str = "asplan",
) -> Results:
    """Run the trials of a suite that have no record in a folder yet; return all results.

    Parameters
    ----------
    executor
        Runs the trials; by default one after the other on this machine.
    resume
        Whether to continue with the results in the folder.
    trust
        The permissions for the programs of the suite.
    runner
        The name of the program by which `executor` measures; it is recorded.

    Raises
    ------
    InputError
        The suite is wrong.
    UsageError
        The folder has results already, or results of another suite, or input files changed.
    """
    suite = read_suite(path, trust)
    instances = instances_of(suite)
    stamps = {file: stamp_of(file) for file in _input_files(suite, instances)}
    start = _make_start(suite, instances, stamps, runner)
    file = Path(folder, FILE)
    _finished_trials(file, resume, start)  # raises an error before time is spent
    _try_methods(suite, instances)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise system_error(error) from None
    check_writable(file)
    with open_results(file) as append:
        # Another process may have written between the first check and the lock.
        finished = _finished_trials(file, resume, start)
        _drop_torn_line(file, has_trials=bool(finished))
        append(start)
        trials = [trial for trial in trials_of(suite, instances) if trial.key not in finished]
        done = len(finished)
        total = done + len(trials)
        progress(SuiteProgress(done, total))
        execute = executor or partial(on_this_machine, 1)
        records = execute(
            _check_unchanged(trials, stamps),
            suite.entries.limits,
            lambda: progress(SuiteProgress(done, total)),
        )
        for record in records:
            append(record)
            done += 1
            progress(SuiteProgress(done, total, record))
    return read_results(folder)


def _make_start(
    suite: Suite,
    instances: Sequence[SuiteInstance],
    files: Iterable[str],
    runner: str,
) -> RunStart:
    digests = {
        portable_path(suite, file): sha256(read_text(file).encode()).hexdigest() for file in files
    }
    return RunStart(
        name=suite.entries.name,
        suite=suite.content,
        methods=[method.name for method in suite.methods],
        instances=[instance.name for instance in instances],
        groups={instance.name: instance.group for instance in instances if instance.group},
        files=digests,
        machine=describe_machine(),
        versions={**installed_versions(), "runner": runner},
        begun=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _finished_trials(file: Path, resume: bool, start: RunStart) -> set[Key]:
    """Return the keys of the trials that a file of results has; none if it does not exist.

    Raises
    ------
    UsageError
        This run must not continue the results.
    """
    if file.parent.exists() and not file.parent.is_dir():
        raise UsageError(
            f"{file.parent} is not a folder", hint="pass a folder for the results with -o"
        )
    if not file.exists() or not file.stat().st_size:
        return set()
    results = read_results(file)
    if not resume:
        if not results.records:
            return set()  # an earlier run ended before its first trial
        hint = "continue them with --resume, or pass another folder with -o"
        raise UsageError(f"{file.parent} has results already", hint=hint)
    if difference := _find_difference(results.start, start):
        message = f"{file.parent} has results of another run: {difference}"
        raise UsageError(message, hint="pass another folder with -o")
    return {record.key for record in results.records}


def _find_difference(old: RunStart, new: RunStart) -> str:
    """Return the reason why trials of two runs must not be mixed; empty if they may.

    Each run is described by its `RunStart`.
    """
    if old.name != new.name:
        return f"the suite was {old.name}, and is {new.name}"
    if old.suite != new.suite:
        return f"the suite {old.name} was another one"
    runners = [start.versions.get("runner", "asplan") for start in (old, new)]
    if runners[0] != runners[1]:
        return f"they were measured by {runners[0]}"
    changed = [path for path, digest in new.files.items() if old.files.get(path) != digest]
    if changed:
        return f"{', '.join(changed[:5])} changed"
    gone = [path for path in old.files if path not in new.files]
    if gone:
        return f"{', '.join(gone[:5])} is no longer read"
    return ""


def _try_methods(suite: Suite, instances: Sequence[SuiteInstance]) -> None:
    """Run each method on one instance of each folder for a moment; raise the first error."""
    for trial in first_trials(suite, instances):
        try:
            check_trial(trial, suite.entries.limits)
        except AsplanError as error:
            message = f"{trial.method.name} on {trial.instance.name}: {error.message}"
            if error.at is None:
                i = suite.methods.index(trial.method)
                raise suite.toml.error_at(message, "methods", i, hint=error.hint) from None
            error.message = message
            raise


def _drop_torn_line(file: Path, has_trials: bool) -> None:
    """Remove an incomplete last line from a file of results.

    If `has_trials` is false, the file has no finished trial, and all of it is removed.
    """
    with file.open("r+b") as lines:
        end_of_last_line = lines.read().rfind(b"\n") + 1
        lines.truncate(end_of_last_line if has_trials else 0)


def _input_files(suite: Suite, instances: Sequence[SuiteInstance]) -> Iterator[str]:
    """Yield the paths of all instances, databases and encodings, and of the files that they
    include.
    """
    for instance in instances:
        if instance.line:
            yield instance.line.file
        for file in instance.files:
            yield from with_included(file, suite.trust)
    for method in suite.methods:
        word = method.encoding_name
        if word and is_there(word):
            yield from with_included(word, suite.trust)
        elif word:
            own = [instance for instance in instances if method.runs_on(instance.group)]
            yield from (str(entry.path) for entry in _encodings_called(word, own))


def _encodings_called(word: str, instances: Iterable[SuiteInstance]) -> Iterator[ShippedFile]:
    """Yield the shipped encodings with a name for the domains of some instances.

    An instance that is not shipped may be of any domain.
    """
    homes = {domain_of(instance.files, None) for instance in instances}
    for entry in encodings():
        if entry.is_called(word) and (None in homes or entry.domain in homes):
            yield entry


def with_included(file: str, trust: Trust) -> Iterator[str]:
    """Yield a file; if it is an ASP program, also the files that it includes."""
    if file.endswith(".lp"):
        yield from (text.name for text in read_source(file, trust.includes).texts)
    else:
        yield file


def _check_unchanged(trials: Iterable[Trial], stamps: Mapping[str, Stamp]) -> Iterator[Trial]:
    """Yield the trials; raise `UsageError` before a trial if one of its files has changed.

    `stamps` has the time of change, size and inode of each file at the beginning.
    """
    for trial in trials:
        line = trial.instance.line
        database = line.file if line else ""
        encoding = trial.method.encoding or ""
        for path in (*trial.instance.files, database, encoding):
            if path in stamps and stamp_of(path) != stamps[path]:
                hint = "restore it and continue with --resume, or start again in another folder"
                raise UsageError(f"{path} changed while the suite ran", hint=hint)
        yield trial


def on_this_machine(
    jobs: int,
    trials: Iterable[Trial],
    limits: SuiteLimits,
    on_wait: Callable[[], None],
) -> Iterator[Record]:
    """Run trials on this machine, `jobs` at a time, each in a process of its own; yield their
    records.

    `on_wait` is called now and then.
    """
    # Python and clingo initialize some things once. Forks inherit them after this call; otherwise
    # they would dominate a trial of milliseconds.
    answer(Request(Inputs(("rush_hour/two_cars",)), "bfs"))

    def run(trial: Trial, budget: Budget) -> Record:
        return run_trial(trial, limits, budget)

    yield from run_all(trials, run, jobs, on_wait)
