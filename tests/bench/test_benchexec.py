"""Trials run by BenchExec, where it is installed and may use control groups."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asplan.bench import benchexec
from asplan.bench.running import run_suite
from asplan.bench.suite import SuiteLimits
from asplan.core.errors import MissingExtra, UsageError
from asplan.core.limits import Stop
from conftest import run

SUITE = """
name = "small"
limits = { seconds = 60, megabytes = %d }
instances = [{ files = ["two_cars"] }]
methods = [{ engine = "bfs" }]
"""


@pytest.fixture
def executor() -> object:
    """Return the executor; skip if BenchExec cannot measure here."""
    try:
        return benchexec.with_benchexec(1)
    except (MissingExtra, UsageError) as error:
        pytest.skip(str(error))


def suite(path: Path, megabytes: int) -> str:
    path.write_text(SUITE % megabytes)
    return str(path)


def test_time_and_memory_are_those_of_the_control_group(tmp_path: Path, executor: object) -> None:
    file = suite(tmp_path / "s.toml", 1000)
    done = run("bench", "run", file, "-o", str(tmp_path / "out"), "--runner", "benchexec")
    assert done.returncode == 0, done.stderr
    results = run_suite(file, str(tmp_path / "out"), resume=True, runner="benchexec")
    (record,) = results.records
    assert (record.outcome, record.horizon, record.validated) == ("optimal", 6, "model")
    assert record.cpu is not None
    assert record.memory is not None
    assert 0.1 < record.cpu < 60  # with the start of Python
    assert 5 < record.memory < 1000
    with pytest.raises(UsageError, match="they were measured by benchexec"):
        run_suite(file, str(tmp_path / "out"), resume=True)


def test_a_control_group_limits_the_memory(tmp_path: Path, executor: object) -> None:
    file = suite(tmp_path / "s.toml", 20)
    results = run_suite(file, str(tmp_path / "out"), executor, runner="benchexec")  # type: ignore[arg-type]
    (record,) = results.records
    assert (record.stopped, record.reason) == (Stop.MEMORY, "BenchExec ended the trial: memory")


def test_limits_become_options() -> None:
    limits = SuiteLimits(seconds=1.5, cpu_seconds=3, megabytes=70)
    options = ["--walltimelimit=12s", "--timelimit=3s", "--memlimit=70MB"]
    assert list(benchexec._limit_options(limits)) == options
    assert list(benchexec._limit_options(SuiteLimits())) == []


def test_benchexec_that_is_missing_or_cannot_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "benchexec", None)
    with pytest.raises(MissingExtra, match="the runner benchexec needs the package benchexec"):
        benchexec.with_benchexec(1)
    fake = [sys.executable, "-c", "import sys; sys.exit('no cgroups')"]
    monkeypatch.setattr(benchexec, "_RUNEXEC", fake)
    monkeypatch.setitem(sys.modules, "benchexec", sys)
    with pytest.raises(UsageError, match="BenchExec cannot measure here: no cgroups"):
        benchexec.with_benchexec(1)
