"""Trials that BenchExec runs: limited and measured by control groups of the Linux kernel.

BenchExec's command `runexec` starts this module as a program, which runs one trial. The processor
time and the memory of all its processes together are measured, the start of Python included.
"""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from asplan.bench.records import Record
from asplan.bench.running import Executor
from asplan.bench.suite import SuiteLimits
from asplan.bench.trials import Trial, run_trial
from asplan.core.budget import Budget
from asplan.core.errors import UsageError, needs_extra
from asplan.core.limits import Stop
from asplan.core.pool import run_all
from asplan.core.text import shortened

_RUNEXEC = (sys.executable, "-m", "benchexec.runexecutor", "--no-container")
"""BenchExec's command for one run, in the same Python and without a container."""

_GRACE = 10
"""The seconds after the time limit at which BenchExec ends a trial that has not ended by itself."""

_POLL = 0.1
_MEGABYTE = 1_000_000
_STOPS = {"memory": Stop.MEMORY, "walltime": Stop.TIME, "cputime": Stop.TIME}
"""The limits behind BenchExec's reasons for ending a run."""


def with_benchexec(jobs: int) -> Executor:
    """Return an executor that runs `jobs` trials at a time by BenchExec.

    Raises
    ------
    MissingExtra
        BenchExec is not installed.
    UsageError
        BenchExec cannot measure here, for example because it may not use control groups.
    """
    with needs_extra("the runner benchexec needs the package {}", "benchexec"):
        import benchexec  # noqa: F401
    _check_runexec()
    return partial(_run_with_benchexec, jobs)


def _check_runexec() -> None:
    """Raise `UsageError` unless `runexec` measures the time and memory of a small command."""
    with TemporaryDirectory() as folder:
        command = [*_RUNEXEC, "--output", str(Path(folder, "output")), "--", "true"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    measured = _read_values(done.stdout)
    if {"walltime", "cputime", "memory"} <= measured.keys():
        return
    lines = done.stderr.splitlines() or ["it measured no memory"]
    hint = "python -m benchexec.check_cgroups says what is missing"
    raise UsageError(f"BenchExec cannot measure here: {shortened(lines[-1], 200)}", hint=hint)


def _run_with_benchexec(
    jobs: int,
    trials: Iterable[Trial],
    limits: SuiteLimits,
    on_wait: Callable[[], None],
) -> Iterator[Record]:
    """Run trials by BenchExec, `jobs` at a time; yield their records."""

    def run(trial: Trial, budget: Budget) -> Record:
        return _run_trial(trial, limits, budget)

    yield from run_all(trials, run, jobs, on_wait)


def _run_trial(trial: Trial, limits: SuiteLimits, budget: Budget) -> Record:
    """Run a trial by `runexec`, and return its record with BenchExec's time and memory."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        given = folder / "trial"
        given.write_bytes(pickle.dumps((trial, limits)))
        written = folder / "record"
        words = [*_RUNEXEC, "--output", str(folder / "output"), *_limit_options(limits)]
        words += ["--", sys.executable, "-m", __name__, str(given), str(written)]
        measured = _read_values(_output_of(words, budget))
        if written.exists():
            record = msgspec.json.decode(written.read_bytes(), type=Record)
        else:
            reason = measured.get("terminationreason", "")
            record = _make_unfinished(trial, reason, _last_line(folder / "output"))
    return msgspec.structs.replace(
        record,
        wall=_seconds(measured["walltime"]) if "walltime" in measured else record.wall,
        cpu=_seconds(measured["cputime"]) if "cputime" in measured else None,
        memory=int(measured["memory"].removesuffix("B")) / _MEGABYTE
        if "memory" in measured
        else None,
    )


def _limit_options(limits: SuiteLimits) -> Iterator[str]:
    """Yield the options of `runexec` for the limits of a suite."""
    if limits.seconds is not None:
        yield f"--walltimelimit={math.ceil(limits.seconds) + _GRACE}s"
    if limits.cpu_seconds is not None:
        yield f"--timelimit={limits.cpu_seconds}s"
    if limits.megabytes is not None:
        yield f"--memlimit={limits.megabytes}MB"


def _output_of(command: Sequence[str], budget: Budget) -> str:
    """Run a command, and return its output; end it once nobody waits for the result."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    while True:
        try:
            return process.communicate(timeout=_POLL)[0]
        except subprocess.TimeoutExpired:
            if budget.is_spent():
                process.terminate()  # BenchExec then ends the trial and all its processes


def _read_values(output: str) -> dict[str, str]:
    r"""Return the values that `runexec` prints, by name.

    >>> _read_values("walltime=0.5s\nmemory=262144B\n")
    {'walltime': '0.5s', 'memory': '262144B'}
    """
    lines = (line.partition("=") for line in output.splitlines())
    return {name: value for name, equals, value in lines if equals}


def _seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def _last_line(output: Path) -> str:
    """Return the last line that a trial printed, such as the error of a crash."""
    if not output.exists():
        return "runexec has failed"
    return output.read_text(errors="replace").rstrip().rpartition("\n")[2]


def _make_unfinished(trial: Trial, reason: str, last_line: str) -> Record:
    """Return the record of a trial that BenchExec ended, or that crashed."""
    instance, method, repetition = trial.key
    stopped = _STOPS.get(reason)
    text = f"BenchExec ended the trial: {reason or last_line}"
    return Record(
        instance=instance,
        method=method,
        repetition=repetition,
        stopped=stopped,
        reason=text if stopped else "",
        error="" if stopped else text,
    )


def main() -> None:
    """Run the trial in the file of the first argument; write its record into the second file."""
    given, written = map(Path, sys.argv[1:])
    trial, limits = pickle.loads(given.read_bytes())
    written.write_bytes(msgspec.json.encode(run_trial(trial, limits)))


if __name__ == "__main__":
    main()
