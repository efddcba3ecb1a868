"""However a race ends, none of its processes is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from conftest import HERE
from processes import in_session

HARD = """
    #program step(t). 1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14. :- in(P,H,t), in(Q,H,t), P < Q.
    #program check(t). :- query(t), t < 1.
"""
# A shell starts what runs in the background with interrupts off; a terminal has them on.
HEEDS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
COMMAND = "from asplan.cli import main; main()"
CALL = "import asplan, sys; asplan.solve(sys.argv[2], engine=sys.argv[4])"
SECONDS = 240


def awaited(look: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not look():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


@pytest.fixture
def words(tmp_path: Path) -> Iterator[list[str]]:
    (tmp_path / "hard.lp").write_text(HARD)
    yield ["solve", str(tmp_path / "hard.lp"), "--engine", "race"]
    for left in psutil.process_iter(["cmdline"]):  # by a test that failed
        if str(tmp_path / "hard.lp") in (left.info["cmdline"] or []):
            left.kill()


def cpu_seconds(number: int) -> float:
    """Return the CPU seconds of a process; 0 if it has ended."""
    try:
        return sum(psutil.Process(number).cpu_times()[:2])
    except psutil.Error:
        return 0


def started(code: str, words: list[str], processes: int) -> subprocess.Popen[str]:
    """A race in a session of its own, once all of its processes are there and have worked."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEEDS + code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=HERE,
        start_new_session=True,
    )
    if processes:
        awaited(lambda: len(in_session(process.pid)) == processes)
        awaited(lambda: sum(map(cpu_seconds, in_session(process.pid))) > 1)
    return process


def ended(process: subprocess.Popen[str]) -> str:
    """Return the output of a process when all its children have ended."""
    said = "".join(process.communicate(timeout=SECONDS))
    awaited(lambda: not in_session(process.pid))
    return said


def test_the_losers_of_a_race() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "solve", "towers4", "--engine", "race"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert " was first; " in " ".join(ended(process).split())
    assert process.returncode == 0


def test_a_time_limit(words: list[str]) -> None:
    process = started(COMMAND, [*words, "--time-limit", "2"], 0)
    assert "time limit of 2 s reached" in ended(process)
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_signal_to_the_command(number: int, status: int, words: list[str]) -> None:
    process = started(COMMAND, words, 4)
    process.send_signal(number)
    said = ended(process)
    assert process.returncode == status
    assert ("interrupted while " in said) == (number == signal.SIGINT)


def test_ctrl_c_at_a_terminal_reaches_all(words: list[str]) -> None:
    process = started(COMMAND, words, 4)
    os.killpg(process.pid, signal.SIGINT)
    assert "interrupted while " in ended(process)
    assert process.returncode == 130


def test_the_worker_of_the_command_is_killed(words: list[str]) -> None:
    process = started(COMMAND, words, 4)
    worker = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(worker) == 1
    os.kill(int(worker[0]), signal.SIGKILL)
    assert "the system killed the worker" in " ".join(ended(process).split())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_a_program_that_calls_the_api(number: int, words: list[str]) -> None:
    process = started(CALL, words, 4)
    process.send_signal(number)
    said = ended(process)
    assert process.returncode == -number
    assert ("KeyboardInterrupt" in said) == (number == signal.SIGINT)


def test_ctrl_c_in_a_sat_solver_that_the_api_calls(words: list[str]) -> None:
    process = started(CALL, [*words[:3], "sat"], 1)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in ended(process)
    assert process.returncode == -signal.SIGINT
