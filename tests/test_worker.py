"""The worker: wherever it is started, however its work ends, and with its parent."""

from __future__ import annotations

import asyncio
import faulthandler
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NoReturn

import pytest

import asplan
from asplan.core import child
from asplan.core.errors import AsplanError, Bug, InvalidPlan, Location
from asplan.core.limits import Limits, Stop
from asplan.core.process import Done, run_isolated
from conftest import run
from processes import in_session

SOLVED = (6, "optimal")


def solved(number: int = 0) -> tuple[int | None, str]:
    result = asplan.solve("two_cars", isolate=True)
    return result.horizon, str(result.outcome)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_in_a_worker_of_a_pool(method: str) -> None:
    """Workers of `multiprocessing` are daemonic and may have no children."""
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(solved, range(3)) == [SOLVED] * 3


def spawned(number: int) -> tuple[int | None, str]:
    child.FORKS = False
    return solved(number)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_in_a_worker_of_a_pool_without_forks(method: str) -> None:
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(spawned, range(1)) == [SOLVED]


def test_in_a_worker_of_an_executor() -> None:
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(solved, range(3))) == [SOLVED] * 3


def test_in_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solved, range(8))) == [SOLVED] * 8


BESIDE = """
from concurrent.futures import ThreadPoolExecutor
import asplan

HARD = '''
    #program step(t). 1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14. :- in(P,H,t), in(Q,H,t), P < Q.
    grid(X,Y,Z,t) :- X = 1..60, Y = 1..60, Z = 1..20*t.
    #program check(t). :- query(t), t < 9.
'''

def within(number):
    return asplan.solve(text=HARD, time_limit=2).horizon

def isolated(number):
    return asplan.solve("two_cars", isolate=True).horizon

with ThreadPoolExecutor(4) as pool:
    hard, small = pool.map(within, range(2)), pool.map(isolated, range(6))
    print(*hard, *small)
"""


def test_beside_threads_in_which_clingo_works() -> None:
    """A fork would keep the locks of these threads, so workers wait or start afresh."""
    words = [sys.executable, "-c", BESIDE]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("None None 6 6 6 6 6 6\n", "")


def test_beside_an_event_loop() -> None:
    async def several() -> list[tuple[int | None, str]]:
        loop, told = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, told.set)
        found = [solved(), *await asyncio.gather(*(asyncio.to_thread(solved) for _ in range(2)))]
        assert not told.is_set()
        return found

    assert asyncio.run(several()) == [SOLVED] * 3


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_in_a_script_without_a_main_guard(method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, asplan\n"
        f"multiprocessing.set_start_method({method!r})\n"
        "print(asplan.solve('two_cars', isolate=True).horizon)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("6\n", "")


def work(body: Callable[[], Any], **limits: float) -> Done:
    def worked(report: Callable[[Done], None]) -> Done:
        report(Done(reason="counting sheep"))
        result: Done = body()
        return result

    return run_isolated(
        worked, Limits(**limits), lambda report: None, Done(reason="reading the files")
    )  # type: ignore[arg-type]


def divide() -> NoReturn:
    raise ZeroDivisionError("one by none")


def leave() -> NoReturn:
    raise SystemExit(0)


class Strange(asplan.AsplanError):
    """An error of somebody else's, which cannot be handed over."""

    def __init__(self) -> None:
        super().__init__("strange")
        self.file = open(os.devnull)  # noqa: SIM115, PTH123


def strange() -> NoReturn:
    raise Strange


def die() -> Done:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)
    return Done()


BUGS: dict[str, tuple[Callable[[], Any], str]] = {
    "an exception": (divide, "ZeroDivisionError: one by none (asplan/core/process.py:"),
    "SystemExit": (leave, "SystemExit: 0 (asplan/core/process.py:"),
    "an answer that cannot be handed over": (lambda: lambda: None, "AttributeError: Can't pickle"),
    "an error that cannot be handed over": (strange, "TypeError: cannot pickle"),
    "a crash": (die, "the worker ended by SIGSEGV"),
    "an end": (lambda: os._exit(5), "the worker ended with status 5"),
}


@pytest.mark.parametrize("name", BUGS)
def test_an_unexpected_exception_is_reported_as_a_bug(name: str) -> None:
    body, message = BUGS[name]
    with pytest.raises(Bug) as caught:
        work(body)
    assert caught.value.message.startswith(message)
    assert caught.value.stations == ("reading the files", "counting sheep")
    assert caught.value.exit_status == 70


class Fleet(asplan.InputError):
    """An error of somebody else's whose arguments are its own."""

    def __init__(self, car: str, *, row: int) -> None:
        self.row = row
        super().__init__(f"{car} is parked in row {row}", hint="drive it away")


def every_error(kind: type[AsplanError] = AsplanError) -> Iterator[type[AsplanError]]:
    """Yield a class and all below it, in the modules that have been imported."""
    yield kind
    for below in kind.__subclasses__():
        yield from every_error(below)


def test_errors_come_through_the_pipe_as_they_are() -> None:
    for module in iter_modules(asplan.__path__, "asplan."):
        if module.ispkg:
            import_module(module.name)
    place = Location("x.lp", 3, 1)
    made = [kind("m", at=place, hint="h") for kind in every_error() if kind not in (Strange, Fleet)]
    for error in [*made, Fleet("b", row=3), InvalidPlan("m", step=4)]:
        error.add_note("noted")
        found = pickle.loads(pickle.dumps(error))
        assert (type(found), str(found), found.args) == (type(error), str(error), error.args)
        assert vars(found) == vars(error)


def test_an_error_with_its_own_arguments_reaches_the_parent() -> None:
    def park() -> NoReturn:
        raise Fleet("b", row=3)

    with pytest.raises(Fleet, match="b is parked in row 3"):
        work(park)


def litter() -> NoReturn:
    """Leave files as packages do, and work for ever."""
    folder = tempfile.mkdtemp()
    Path(folder, "file").write_text("litter")
    with tempfile.TemporaryDirectory():
        time.sleep(3600)
    raise AssertionError


def test_a_worker_that_is_stopped_leaves_no_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert work(litter, seconds=0.2).stopped is Stop.TIME
    assert list(tmp_path.iterdir()) == []


def test_out_of_memory() -> None:
    def fill() -> NoReturn:
        raise MemoryError

    done = work(fill)
    assert (done.stopped, done.reason) == (Stop.MEMORY, "out of memory while counting sheep")


def test_numbers_that_do_not_exist(tmp_path: Path) -> None:
    """clingo computes before anybody can look."""
    file = tmp_path / "program.lp"
    file.write_text("p((-2147483647-1)/(-1)). #program step(t). #program check(t). :- query(t).")
    done = run("solve", str(file))
    assert (done.returncode, done.stderr) == (
        2,
        "asplan: clingo crashed on a number that does not exist\n"
        "  look for a division or a remainder by 0, or of -2147483648 by -1\n",
    )


ENDLESS = "n(1..3000). p(X,Y,Z) :- n(X), n(Y), n(Z). #program step(t)."
PARENTS = {
    "a process": "asplan.solve('endless.lp', isolate=True)",
    "a worker of a pool": "import multiprocessing\n"
    "multiprocessing.Pool(1).apply(asplan.solve, ('endless.lp',), {'isolate': True})",
    "a thread": "import threading\n"
    "threading.Thread(target=asplan.solve, args=('endless.lp',), kwargs={'isolate': True}).start()",
}


@pytest.mark.parametrize("name", PARENTS)
def test_nothing_outlives_a_parent_that_is_killed(name: str, tmp_path: Path) -> None:
    (tmp_path / "endless.lp").write_text(
        "n(1..3000). p(X,Y,Z) :- n(X), n(Y), n(Z). #program step(t)."
    )
    (tmp_path / "script.py").write_text(f"import asplan\n{PARENTS[name]}\n")
    command = [sys.executable, "script.py"]
    parent = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
    wanted = 3 if "pool" in name else 2
    assert until(lambda: len(in_session(parent.pid)) == wanted), in_session(parent.pid)
    time.sleep(0.5)  # well into its work
    if "pool" in name:
        # The pool's own worker does not notice the end of its parent, so it is ended as well.
        worker = children(parent.pid)[0]
        parent.kill()
        os.kill(worker, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert until(lambda: not in_session(parent.pid)), in_session(parent.pid)


def until(what: Callable[[], bool], seconds: float = 240) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.05)
    return False


def children(parent: int) -> list[int]:
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(word) for word in text.split()]


def ending_slowly(report: Callable[[Done], None]) -> Done:
    """Report that a limit ended it, and take long to end."""
    report(Done(reason="time limit of 1 s reached at horizon 1", stopped=Stop.TIME))
    time.sleep(60)
    return Done()


def test_a_worker_reports_its_limit_once() -> None:
    done = run_isolated(ending_slowly, Limits(1), lambda work: None, Done())
    assert (done.reason, done.stopped) == ("time limit of 1 s reached at horizon 1", Stop.TIME)
