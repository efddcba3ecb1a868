"""The export of suites for benchmark-tool."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as xml

import pytest

from asplan.bench.benchmark_tool import parser
from asplan.bench.benchmark_tool.export import export_suite
from asplan.bench.suite import NO_TRUST
from asplan.core.errors import UsageError

SUITE = """
name = "two encodings, and PDDL"
repetitions = 2
seed = 1

[limits]
seconds = 29.5
cpu_seconds = 20
megabytes = 1500
max_horizon = 30

[[instances]]
files = ["two_cars"]

[[instances]]
group = "database"
database = "boards.txt"

[[instances]]
group = "pddl"
files = ["blocks-1"]

[[methods]]
name = "slide, written plainly"
encoding = "mine.lp"
metric = "slide"
rewrite = false
clingo = ["--configuration=jumpy"]
on = ["database"]

[[methods]]
encoding = "origin"
on = ["database"]

[[methods]]
engine = "astar"
heuristic = "blocking"
on = ["database"]

[[methods]]
engine = "bfs"
"""

RUNLIM = """#!/bin/sh
while case "$1" in --*) true ;; *) false ;; esac; do
    case "$1" in --output-file=*) watcher="${1#--output-file=}" ;; esac
    shift
done
printf '[runlim] status: ok\\n[runlim] real: 0.25 seconds\\n[runlim] space: 40 MB\\n' > "$watcher"
exec "$@"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an exported suite."""
    from asplan.catalog import find_encoding

    own = find_encoding("origin", "rush_hour").path
    (tmp_path / "mine.lp").write_bytes(own.read_bytes())
    (tmp_path / "boards.txt").write_text("02 ooooooooooooAAoooooooooooooooooooooo 3\n")
    (tmp_path / "suite.toml").write_text(SUITE)
    home = tmp_path / "runs"
    found = export_suite(str(tmp_path / "suite.toml"), home, NO_TRUST)
    assert found.runscript == home / "runscript.xml"
    assert [note.partition(";")[0] for note in found.notes] == [
        "benchmark-tool repeats each run with the same order of facts"
    ]
    return home


def test_the_runscript_has_the_methods_the_instances_and_the_limits(folder: Path) -> None:
    root = xml.parse(folder / "runscript.xml").getroot()
    settings = {s.get("name"): s for s in root.iter("setting")}
    plain = settings["slide-written-plainly"]
    words = shlex.split(plain.get("cmdline", ""))
    assert words == [
        *("--engine", "asp", "-c", "metric=slide"),
        *("--no-rewrite", "--no-states", "--max-horizon", "30"),
    ]
    assert plain.get("cmdline_post") == "-- --configuration=jumpy"
    assert [e.get("file") for e in plain.iter("encoding")] == ["encodings/mine.lp"]
    assert "-e origin" in settings["origin"].get("cmdline", "")
    assert "--heuristic blocking" in settings["astar"].get("cmdline", "")
    job = next(root.iter("seqjob"))
    assert (job.get("timeout"), job.get("runs"), job.get("memout")) == ("30", "2", "1500")
    assert job.get("template_options") == "--time-limit=20"
    for files in root.iter("files"):
        for add in files.iter("add"):
            assert (folder / files.get("path", "") / add.get("file", "")).is_file()
    runs = [(run.get("benchmark"), run.get("setting")) for run in root.iter("runspec")]
    database = ["slide-written-plainly", "origin", "astar", "bfs"]
    assert sorted(runs) == sorted(
        [("instances", "bfs"), ("pddl", "bfs"), *(("database", name) for name in database)]
    )


def test_a_folder_with_files_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="is not empty"):
        export_suite(str(folder.parent / "suite.toml"), folder, NO_TRUST)


def test_the_command_names_the_runscript(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "asplan", "bench", "export", "quick", "-o", tmp_path / "new"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'new' / 'runscript.xml'}\n")


SPECIFICATION: Any = SimpleNamespace(project=SimpleNamespace(job=SimpleNamespace(timeout=30)))
SOLVED = {"outcome": "optimal", "horizon": 6, "lower_bound": 6, "statistics": {"conflicts": 12}}
RUNS = [
    (json.dumps(SOLVED), "ok", "0.5", ("optimal", 0.5, 0, 0, 0)),
    ('{"outcome": "unsolvable"}', "ok", "0.5", ("unsolvable", 0.5, 0, 0, 0)),
    ('{"outcome": "unknown"}', "ok", "0.5", ("unknown", 30, 1, 0, 0)),
    ("", "out of time", "30.1", ("unknown", 30, 1, 0, 0)),
    ("", "out of memory", "3.5", ("unknown", 30, 1, 1, 0)),
    ("", "ok", "0.5", ("unknown", 30, 1, 0, 1)),
]


@pytest.mark.parametrize(("answer", "status", "seconds", "expected"), RUNS)
def test_the_parser_reads_a_run(
    tmp_path: Path, answer: str, status: str, seconds: str, expected: tuple[object, ...]
) -> None:
    (tmp_path / "runsolver.solver").write_text(answer)
    watcher = f"[runlim] status:\t\t{status}\n[runlim] real:\t\t{seconds} seconds\n"
    (tmp_path / "runsolver.watcher").write_text(watcher)
    found = parser.parse(str(tmp_path), SPECIFICATION, None, 1)
    names = ("status", "time", "timeout", "memout", "error")
    assert tuple(found[name][1] for name in names) == expected
    assert ("conflicts" in found) == ("conflicts" in answer)


def test_the_parser_needs_no_files(tmp_path: Path) -> None:
    found = parser.parse(str(tmp_path), SPECIFICATION, None, 1)
    assert (found["error"][1], found["time"][1]) == (1, 30)


def test_benchmark_tool_runs_the_export(folder: Path) -> None:
    pytest.importorskip("benchmarktool", reason="benchmark-tool is not installed")
    (folder / "programs" / "runlim").write_text(RUNLIM)
    (folder / "programs" / "runlim").chmod(stat.S_IRWXU)
    tool = [sys.executable, "-c", "from benchmarktool.entry_points import main; main()"]
    subprocess.run([*tool, "gen", "runscript.xml"], cwd=folder, check=True)
    scripts = list((folder / "output").rglob("start.sh"))
    # 4 methods on the board, 1 on each of 2 instances, each twice
    assert len([s for s in scripts if "run" in s.parent.name]) == 12
    for script in scripts:
        if script.parent.name == "run1":
            subprocess.run([script], check=True, env=os.environ)
            assert json.loads((script.parent / "runsolver.solver").read_text())["plan"]
    written = subprocess.run(
        [*tool, "eval", "runscript.xml"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert 'name="status" type="string" val="optimal"' in written.stdout
