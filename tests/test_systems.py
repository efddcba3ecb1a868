"""Commands on systems without forks, /proc, and some signals and modules.

The facts of other systems are pretended, from the start of each process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from asplan.core import process as worker
from asplan.core.errors import Bug

ELSEWHERE = """
import os, signal, sys
import psutil  # it knows the true system
for name in ("fork", "wait4", "register_at_fork", "O_TMPFILE"):
    delattr(os, name)
for name in ("SIGHUP", "SIGXCPU", "SIGSTOP", "SIGCONT", "pthread_sigmask"):
    delattr(signal, name)
for name in ("resource", "fcntl", "pwd", "grp"):
    sys.modules[name] = None
def without_proc(event, arguments):
    if event == "open" and str(arguments[0]) in ("/proc/self/fd", "/proc/cpuinfo"):
        raise FileNotFoundError(2, "No such file or directory")
sys.addaudithook(without_proc)
import asplan.core.child
asplan.core.child.FORKS = False
"""

SUITE = """
name = "small"
[[instances]]
files = ["rush_hour/two_cars"]
[[methods]]
engine = "bfs"
"""


def elsewhere(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command where nothing is forked."""
    return python_elsewhere("-m", "asplan", *words, folder=folder)


def python_elsewhere(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python, which imports `sitecustomize` whenever it starts."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(ELSEWHERE)
    around = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=around,
        capture_output=True,
        text=True,
        timeout=120,
    )


STUDIO = """
from asplan.core.budget import ENDLESS
from asplan.studio.runs import run
from asplan.studio.settings import StudioSettings

if __name__ == "__main__":
    told = {}
    run(StudioSettings(("two_cars",), encoding="origin"), told.__setitem__, ENDLESS)
    print(told["outcome"]["horizon"], "page" in told["player"], bool(told["heat"]["lines"]))
"""


def test_a_run_of_the_studio_is_solved_drawn_and_measured(tmp_path: Path) -> None:
    (tmp_path / "studio.py").write_text(STUDIO)
    done = python_elsewhere("studio.py", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "6 True True\n", "")


WRITTEN = "is written: step 0, 480x516 pixels\n"


def test_a_plan_is_found_drawn_and_checked(tmp_path: Path) -> None:
    words = ["solve", "two_cars", "-e", "origin", "--json", "-o", "plan.png"]
    done = elsewhere(*words, "--time-limit", "60", "--memory-limit", "2000", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, f"asplan: plan.png {WRITTEN}")
    assert json.loads(done.stdout)["horizon"] == 6
    (tmp_path / "plan.json").write_text(done.stdout)
    done = elsewhere("validate", "two_cars", "plan.json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = elsewhere("render", "plan.json", "-o", "again.png", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, f"asplan: again.png {WRITTEN}")
    assert {path.name for path in tmp_path.iterdir()} == {
        *("plan.json", "plan.png", "again.png", "site")
    }
    assert (tmp_path / "plan.png").read_bytes() == (tmp_path / "again.png").read_bytes()


COMMANDS = [
    ("compare two_cars -e origin --horizon 2", "two_cars, horizon 2"),
    ("profile two_cars -e origin --horizon 2", "rules, horizon 2"),
    ("analyse two_cars", "goal states"),
    ("solve two_cars --engine auto", "optimal"),
    ("bench run small.toml -o results", "results are in results"),
]


@pytest.mark.parametrize(("command", "says"), COMMANDS, ids=lambda word: word.split()[0])
def test_commands(command: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SUITE)
    done = elsewhere(*command.split(), folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert says in done.stdout


def test_missing_features_of_the_system_are_reported(tmp_path: Path) -> None:
    done = elsewhere("solve", "two_cars", "--engine", "race", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "asplan: methods race in forked processes, which this system does not have\n"
        "  use --engine asp or --engine sat\n",
    )


@pytest.mark.parametrize("status", [1, 255, 0xC0000005])
def test_a_worker_that_dies_where_there_are_no_signals(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "KILLED", None)
    with pytest.raises(Bug, match=f"the worker ended with status {status}"):
        worker.death_reason(status)
