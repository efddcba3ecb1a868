"""Trials on a real Dask scheduler with two worker processes, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import asplan
from asplan.bench.cluster import Parcel, on_cluster, run_parcel
from asplan.bench.instances import SuiteInstance
from asplan.bench.records import FILE, read_results
from asplan.bench.running import SuiteProgress, run_suite
from asplan.bench.suite import BenchMethod, SuiteLimits
from asplan.bench.trials import Trial
from asplan.core.installing import pip_install
from asplan.engines.options import EngineOptions

distributed = pytest.importorskip("distributed")


@pytest.fixture
def suite(tmp_path: Path) -> str:
    """A suite whose files lie in several folders, with an encoding that includes another file."""
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "own.lp").write_text('start(0). #include "more.lp".\n')
    (tmp_path / "boards" / "more.lp").write_text("end(3).\n")
    (tmp_path / "walk.lp").write_text(
        '#include "parts/goal.lp".\n#program base. at(X,0) :- start(X).\n'
        "#program step(t). { occurs(up,t) } = 1. at(X+1,t) :- at(X,t-1), occurs(up,t).\n"
    )
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "goal.lp").write_text(
        "#program check(t). :- query(t), end(X), not at(X,t).\n"
    )
    (tmp_path / "db.txt").write_text(
        "2 oooooooooBooAAoBoooooBoooooooooooooo 9\n1 ooooooooooooAAoooooooooooooooooooooo 5\n"
    )
    (tmp_path / "suite.toml").write_text(
        'name = "spread"\nrepetitions = 1\nseed = 3\n[limits]\nseconds = 60\n'
        '[[instances]]\nfiles = ["two_cars", "towers4"]\ngroup = "all"\n'
        '[[instances]]\ndatabase = "db.txt"\ngroup = "all"\n'
        '[[instances]]\nfiles = ["boards/own.lp"]\ngroup = "own"\n'
        '[[methods]]\nname = "mine"\nencoding = "walk.lp"\non = ["own"]\n'
        '[[methods]]\nname = "asp"\non = ["all"]\n'
        '[[methods]]\nname = "plain"\nrewrite = false\non = ["all"]\n'
    )
    return str(tmp_path / "suite.toml")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Two worker processes whose folders are their own; one that is killed is replaced."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        local_directory=str(tmp_path_factory.mktemp("workers")),
        silence_logs=50,
    ) as found:
        yield found


def test_an_interrupt_cancels_trials_on_workers(
    suite: str, cluster: object, tmp_path: Path
) -> None:
    """Finished trials are kept, and the workers stop the others."""
    hard = """
        #program step(t). 1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14.
        :- in(P,H,t), in(Q,H,t), P < Q.
        #program check(t). :- query(t), t < 1.
    """
    (tmp_path / "boards" / "own.lp").write_text(hard)
    (tmp_path / "suite.toml").write_text(
        'name = "x"\n[[instances]]\nfiles = ["two_cars", "boards/own.lp"]\n[[methods]]\n'
        'engine = "asp"\n'
    )

    def leave(progress: SuiteProgress) -> None:
        if progress.done == 1 and progress.last is None:
            raise KeyboardInterrupt

    place = on_cluster(cluster.scheduler_address)  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, str(tmp_path / "out"), place, progress=leave)
    assert [record.instance for record in read_results(tmp_path / "out").records] == ["two_cars"]
    with distributed.Client(cluster.scheduler_address) as client:  # type: ignore[attr-defined]
        end = time.monotonic() + 120
        while any(client.processing().values()) or any(client.run(_children).values()):
            assert time.monotonic() < end, "a worker goes on"
            time.sleep(0.1)


def _children() -> int:
    import psutil

    return len(psutil.Process().children())


def test_trials_of_a_dead_worker_are_repeated(suite: str, cluster: object, tmp_path: Path) -> None:
    workers = list(cluster.workers.values())  # type: ignore[attr-defined]
    killed = threading.Event()

    def kill(progress: SuiteProgress) -> None:
        if progress.done >= 3 and not killed.is_set():
            killed.set()
            os.kill(workers[0].process.pid, signal.SIGKILL)

    place = on_cluster(cluster.scheduler_address)  # type: ignore[attr-defined]
    there = run_suite(suite, str(tmp_path / "there"), place, progress=kill)
    assert killed.is_set()
    assert len({record.key for record in there.records}) == len(there.records) == 9
    lengths = {"two_cars": 6, "towers4": 15, "own": 3}
    for record in there.records:
        assert (record.outcome, record.error) == ("optimal", "")
        assert record.horizon == lengths.get(record.instance, record.horizon)
    assert len((tmp_path / "there" / FILE).read_text().splitlines()) == 1 + 9


def test_a_missing_scheduler_is_reported(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asplan.bench.cluster.PATIENCE", 0.5)
    with pytest.raises(asplan.UsageError) as caught:
        run_suite(suite, str(tmp_path / "out"), on_cluster("tcp://127.0.0.1:9"))
    assert str(caught.value).startswith("no Dask scheduler answers at tcp://127.0.0.1:9: ")
    assert str(caught.value).endswith(
        "\n  start one with dask scheduler and pass its address, such as tcp://head:8786"
    )


@contextmanager
def lone_worker(folder: Path) -> Iterator[tuple[str, int]]:
    """A worker and its scheduler in processes of their own; its address and its process."""
    file = folder / "scheduler.json"
    start = [sys.executable, "-m", "distributed.cli.dask_{}"]
    scheduler = [*start, "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    worker = [*start, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    worker += ["--scheduler-file", str(file), "--death-timeout", "60"]
    with ExitStack() as stack:
        running = []
        for name, words in (("scheduler", scheduler), ("worker", worker)):
            command = [word.format(name) for word in words]
            quiet = subprocess.DEVNULL
            process = subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet)
            running.append(stack.enter_context(process))
            stack.callback(process.kill)
        while not file.exists():
            assert running[0].poll() is None
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], running[0].pid


def test_results_survive_a_dead_scheduler(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finished trials are kept, and the rest can run without it."""
    monkeypatch.setattr("asplan.bench.cluster.PATIENCE", 2)
    with lone_worker(tmp_path) as (address, number):

        def kill(progress: SuiteProgress) -> None:
            if progress.done == 1 and progress.last is not None:
                os.kill(number, signal.SIGKILL)

        with pytest.raises(asplan.UsageError) as caught:
            run_suite(suite, str(tmp_path / "out"), on_cluster(address), progress=kill)
    assert str(caught.value) == (
        "the Dask scheduler no longer answers\n"
        "  finished trials are kept; start a scheduler and continue with --resume"
    )
    assert 1 <= len(read_results(tmp_path / "out").records) < 9
    assert len(run_suite(suite, str(tmp_path / "out"), resume=True).records) == 9


def test_a_worker_of_another_version_refuses_trials() -> None:
    trial = Trial(SuiteInstance("two_cars"), BenchMethod("asp", "asp", EngineOptions()))
    with pytest.raises(asplan.UsageError) as caught:
        run_parcel(Parcel(trial, {}, {}, "0.0.1"), SuiteLimits())
    assert str(caught.value) == (
        f"a worker has asplan {asplan.__version__}, but the trial needs 0.0.1\n"
        "  install the same version everywhere"
    )


def test_a_scheduler_needs_the_package_distributed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(asplan.MissingExtra) as caught:
        on_cluster("tcp://127.0.0.1:9")
    assert str(caught.value) == (
        f"a Dask scheduler needs the package distributed\n  {pip_install('cluster')}"
    )
