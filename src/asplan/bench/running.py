"""A suite is run: checked as a whole, trial after trial, each written down as soon as it ended.

A trial is a method on an instance, once; it is measured in a process of its own.
"""

import math
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Generic

import msgspec

from asplan.bench.instances import Instance, instances_of, seen_from
from asplan.bench.records import (
    FILE,
    Key,
    Record,
    Results,
    Start,
    machine,
    open_results,
    read_results,
    versions,
)
from asplan.bench.suite import NO_TRUST, Method, Suite, SuiteLimits, Trust, read_suite
from asplan.core.errors import AsplanError, InvalidPlan, UsageError, system_error
from asplan.core.files import Stamp, check_writable, is_there, read_text, stamp_of
from asplan.core.limits import Limits, holding_locks
from asplan.core.pool import run_all
from asplan.core.process import Answer, Done, Usage, run_isolated
from asplan.engines.run import Report, ignore_report
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.problem.catalog import encodings
from asplan.program.source import read_source
from asplan.result import Outcome, Result

MOMENT = 1.0  # seconds for which each method is tried before anything is run


@dataclass(frozen=True)
class Measured(Generic[Answer]):
    """What came of work in a process of its own: its answer, or error, and what it took.

    `wall` has the start of the process in it; `cpu`, in seconds, the processes that it waited for;
    `memory`, in MB, is the most in one of them. None is what the system does not account for.
    """

    answer: Answer
    error: AsplanError | None
    wall: float
    cpu: float | None = None
    memory: float | None = None


def measure(
    work: Callable[[Callable[[Answer], None]], Answer],
    limits: Limits,
    begin: Answer,
    heed: Callable[[], None] = lambda: None,
    cpu_seconds: float | None = None,
) -> Measured[Answer]:
    """Do work that may report a part; `heed` is called at times, and what it raises ends it."""
    usages: list[Usage | None] = [None]
    outcome, error, start = begin, None, time.monotonic()
    try:
        within = partial(_work_within, work, cpu_seconds)
        outcome = run_isolated(within, limits, lambda _: heed(), begin, None, usages.append)
    except AsplanError as failure:
        error = failure
    wall, usage = time.monotonic() - start, usages[-1]
    return Measured(outcome, error, wall, *((usage.seconds, usage.megabytes) if usage else ()))


def _work_within(
    work: Callable[[Callable[[Answer], None]], Answer],
    cpu_seconds: float | None,
    report: Callable[[Answer], None],
) -> Answer:
    if cpu_seconds is not None:
        try:
            import resource
        except ImportError:  # not on Windows
            what = "this system has no limits of processor time"
            raise UsageError(what, hint="set seconds, not cpu_seconds") from None
        whole = math.ceil(cpu_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    return work(report)


@dataclass(frozen=True)
class Trial:
    """A method on an instance, once; `order` numbers an order of the facts, None is as written."""

    instance: Instance
    method: Method
    repetition: int = 0
    order: int | None = None
    trust: Trust = NO_TRUST

    @property
    def key(self) -> Key:
        return self.instance.name, self.method.name, self.repetition

    def answer(self, limits: Limits, report: Report) -> Result:
        """Answer in this process, and keep what a record needs."""
        line, method, trust = self.instance.line, self.method, self.trust
        text = None if line is None else line.facts()
        given = self.instance.files, text, method.encoding, method.constants
        allowed = trust.scripts, trust.includes
        inputs = Inputs(*given, *allowed, steps=method.steps, order=self.order)
        request = Request(inputs, method.engine, method.options, limits)
        return replace(answer(request, report), trajectory=None, atoms=())


def trials_of(suite: Suite, instances: Sequence[Instance]) -> Iterator[Trial]:
    """All trials of a suite; methods take turns, so that a machine that slows does so for all."""
    for repetition in range(suite.written.repetitions):
        order = None if suite.written.seed is None else suite.written.seed + repetition
        for i, instance in enumerate(instances):
            fit = [method for method in suite.methods if method.serves(instance.group)]
            turn = (i + repetition) % len(fit) if fit else 0
            for method in fit[turn:] + fit[:turn]:
                yield Trial(instance, method, repetition, order, suite.trust)


def check_trial(trial: Trial, limits: SuiteLimits) -> None:
    """Try for a moment whether a method suits an instance, and import here what that imported."""
    seconds = min(MOMENT, limits.seconds or MOMENT)
    work = partial(_import_for, trial, seconds)
    done = run_isolated(work, Limits(seconds, limits.megabytes), ignore_report, Done())
    with holding_locks():
        for name in done.value or ():
            with suppress(ImportError):
                import_module(name)


def _import_for(trial: Trial, seconds: float, report: Callable[[Done], None]) -> Done:
    """Begin a trial; what comes back are the names of the modules that it imported."""
    before = set(sys.modules)
    imported: Callable[[], Done] = lambda: Done(sorted(set(sys.modules) - before))  # noqa: E731
    trial.answer(Limits(seconds), lambda result: report(imported()))
    return imported()


def run_trial(trial: Trial, limits: SuiteLimits, heed: Callable[[], None] = lambda: None) -> Record:
    """Make a trial in a process of its own; what `heed` raises, called at times, ends it."""
    work = partial(trial.answer, limits.limits())
    done = measure(work, limits.limits(), Result(), heed, limits.cpu_seconds)
    result, error = done.answer, done.error
    if error is not None:
        result = Result()
    elif result.plans and result.validated is None:
        reason = f"{result.reason}; the plan was not checked"
        result = replace(result, outcome=Outcome.UNKNOWN, reason=reason)
    values = {
        **vars(result),
        **vars(result.seconds),
        **vars(result.statistics),
        **vars(done),
        **dict(zip(("instance", "method", "repetition"), trial.key, strict=True)),
        "actions": None if result.plan is None else len(result.plan.actions),
        "error": "" if error is None else str(error),
        "invalid": isinstance(error, InvalidPlan),
        "host": platform.node(),
    }
    return msgspec.convert(values, Record)


Place = Callable[[Iterable[Trial], SuiteLimits, Callable[[], None]], Iterator[Record]]
"""Makes trials and yields their records as they end; calls the function now and then."""


@dataclass(frozen=True)
class SuiteProgress:
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
    progress: Callable[[SuiteProgress], None] = lambda progress: None,
) -> Results:
    """Run the trials of a suite that are not in a folder of results yet; all results.

    The trials run at a place, without one on this machine, one after the other; with `resume` the
    results in the folder are gone on with. `InputError` is raised where the suite makes no sense,
    and `UsageError` where there are results already, or those of another suite, or files have
    changed.
    """
    suite = read_suite(path, trust)
    instances = instances_of(suite)
    known = {path: stamp_of(path) for path in _input_files(suite, instances)}
    start = Start(
        name=suite.written.name,
        suite=suite.content,
        methods=[method.name for method in suite.methods],
        instances=[instance.name for instance in instances],
        groups={one.name: one.group for one in instances if one.group},
        files={seen_from(suite, p): sha256(read_text(p).encode()).hexdigest() for p in known},
        machine=machine(),
        versions=versions(),
        begun=datetime.now().astimezone().isoformat(timespec="seconds"),
    )
    file = Path(folder, FILE)
    _trials_in(file, resume, start)  # refused before any time is spent
    for trial in _firsts(suite, instances):
        try:
            check_trial(trial, suite.written.limits)
        except AsplanError as error:
            message = f"{trial.method.name} on {trial.instance.name}: {error.message}"
            if error.at is None:
                i = suite.methods.index(trial.method)
                raise suite.toml.wrong(message, "methods", i, hint=error.hint) from None
            error.message = message
            raise
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise system_error(error) from None
    check_writable(file)
    with open_results(file) as append:
        done = _trials_in(file, resume, start)
        with file.open("r+b") as lines:  # a line that was cut off, or all where none is of a trial
            lines.truncate(lines.read().rfind(b"\n") + 1 if done else 0)
        trials = [trial for trial in trials_of(suite, instances) if trial.key not in done]
        total, count = len(trials) + len(done), len(done)
        append(start)
        progress(SuiteProgress(count, total))
        make = place or partial(on_this_machine, 1)
        waiting = lambda: progress(SuiteProgress(count, total))  # noqa: E731
        for record in make(_unchanged(trials, known), suite.written.limits, waiting):
            append(record)
            count += 1
            progress(SuiteProgress(count, total, record))
    return read_results(folder)


def _trials_in(file: Path, resume: bool, start: Start) -> set[Key]:
    """The trials in a file of results; `UsageError` where they are not to be gone on with."""
    if file.parent.exists() and not file.parent.is_dir():
        raise UsageError(f"{file.parent} is no folder", hint="name one for the results by -o")
    if not file.exists() or not file.stat().st_size:
        return set()
    results = read_results(file)
    if not resume and not results.records:
        return set()  # something kept it from its first trial
    if not resume:
        hint = "say --resume to go on with them, or name another folder by -o"
        raise UsageError(f"{file.parent} has results already", hint=hint)
    if what := _change(results.start, start):
        hint = "name another folder by -o"
        raise UsageError(f"{file.parent} has the results of something else: {what}", hint=hint)
    return {record.key for record in results.records}


def _change(old: Start, new: Start) -> str:
    """What makes results incomparable; empty if nothing does."""
    if old.name != new.name:
        return f"the suite was {old.name}, and is {new.name}"
    if old.suite != new.suite:
        return f"the suite {old.name} was another one"
    if changed := [path for path, digest in new.files.items() if old.files.get(path) != digest]:
        return f"{', '.join(changed[:5])} changed"
    gone = [path for path in old.files if path not in new.files]
    return f"{', '.join(gone[:5])} was read and is not any more" if gone else ""


def _firsts(suite: Suite, instances: Sequence[Instance]) -> Iterator[Trial]:
    """Each method on the first instance of each source of its own kind."""
    seen: set[tuple[str, str]] = set()
    for instance in instances:
        kind = instance.line.file if instance.line else str(Path(instance.files[-1]).parent)
        for method in suite.methods:
            if method.serves(instance.group) and (kind, method.name) not in seen:
                seen.add((kind, method.name))
                yield Trial(instance, method, 0, suite.written.seed, suite.trust)


def _input_files(suite: Suite, instances: Sequence[Instance]) -> Iterator[str]:
    """The paths of all instances, databases and encodings, and of what they include."""
    for instance in instances:
        if instance.line:
            yield instance.line.file
        for file in instance.files:
            yield from with_included(file, suite.trust)
    for method in suite.methods:
        word = (method.encoding or "").partition(":")[0]
        if word and is_there(word):
            yield from with_included(word, suite.trust)
        elif word:
            yield from (str(entry.path) for entry in encodings() if entry.is_called(word))


def with_included(file: str, trust: Trust) -> Iterator[str]:
    """A file, and those that it includes if it is an ASP program."""
    if file.endswith(".lp"):
        yield from (text.name for text in read_source(file, trust.includes).texts)
    else:
        yield file


def _unchanged(trials: Iterable[Trial], known: Mapping[str, Stamp]) -> Iterator[Trial]:
    """The trials, as long as their files are as they were; `UsageError` where one is not."""
    for trial in trials:
        line, encoding = trial.instance.line, trial.method.encoding
        for path in (*trial.instance.files, line.file if line else "", encoding or ""):
            if path in known and stamp_of(path) != known[path]:
                hint = "put it back and say --resume, or begin anew in another folder"
                raise UsageError(f"{path} changed while the suite ran", hint=hint)
        yield trial


def on_this_machine(
    jobs: int, trials: Iterable[Trial], limits: SuiteLimits, waiting: Callable[[], None]
) -> Iterator[Record]:
    """Make so many trials at a time, each in a process that a thread attends."""
    # What Python and clingo make once, forks find made; a trial of milliseconds is mostly that.
    answer(Request(Inputs(("rush_hour/two_cars",)), "bfs"))
    yield from run_all(trials, lambda trial, heed: run_trial(trial, limits, heed), jobs, waiting)
