"""Runs of suites: each trial is recorded once, even if the run is interrupted."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

import asplan
from asplan.bench.records import FILE, Record, Results, read_results
from asplan.bench.running import SuiteProgress, on_this_machine, run_suite
from asplan.bench.suite import SuiteLimits
from asplan.bench.trials import Trial, measure
from asplan.core.limits import Limits, Stop
from asplan.core.process import Done
from asplan.result import Outcome
from conftest import THOROUGH, in_time
from processes import in_session, resident

KILLS = 20 if THOROUGH else 2
SUITE = """
    name = "small"
    repetitions = 2
    seed = 1
    [limits]
    seconds = 200
    [[instances]]
    files = ["two_cars", "rush_hour/sample01", "own.lp"]
    [[methods]]
    engine = "bfs"
    [[methods]]
    encoding = "origin"
    [[methods]]
    name = "clauses"
    encoding = "origin"
    clingo = ["--configuration=jumpy"]
"""
OWN = "grid(1..6,1..6). car(r,2,h). car(b,3,v). position(0,r,3,1). position(0,b,1,4).\n"
TRIALS = 18


def write_suite(folder: Path, text: str = SUITE) -> str:
    (folder / "own.lp").write_text(OWN)
    (folder / "suite.toml").write_text(text)
    return str(folder / "suite.toml")


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return write_suite(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results, list[SuiteProgress]]:
    """Run the suite once; the folder, the results, and the progress."""
    folder, told = tmp_path_factory.mktemp("whole"), list[SuiteProgress]()
    results = run_suite(write_suite(folder), str(folder / "out"), progress=told.append)
    return folder / "out", results, told


def answers(records: tuple[Record, ...]) -> dict[tuple[str, str, int], tuple[str, int | None]]:
    assert len({record.key for record in records}) == len(records)
    return {record.key: (record.outcome, record.horizon) for record in records}


def test_a_record_has_the_answer_and_its_resources(
    whole: tuple[Path, Results, list[SuiteProgress]],
) -> None:
    out, results, seen = whole
    assert results == read_results(out)
    found = answers(results.records)
    assert len(found) == TRIALS
    expected = {"two_cars": 6, "sample01": 21, "own": 7}
    for (instance, _, _), answer in found.items():
        assert answer == ("optimal", expected[instance])
    for record in results.records:
        assert not record.error
        assert record.lower_bound == record.horizon == record.actions
        assert record.cpu is not None
        assert 0 < record.cpu < 200
        assert record.memory is not None
        assert 5 < record.memory < 2000
        assert record.wall >= record.solve
        assert (record.expanded is None) == (record.method != "bfs")
        assert record.validated == "model"
    assert [progress.done for progress in seen if progress.last] == list(range(1, TRIALS + 1))
    assert {progress.total for progress in seen} == {TRIALS}
    start = results.start
    assert (start.name, start.methods) == ("small", ["bfs", "origin", "clauses"])
    assert start.instances == ["two_cars", "sample01", "own"]
    assert set(start.files) >= {"own.lp", "asplan:instances/rush_hour/two_cars.lp"}
    assert "asplan:encodings/rush_hour/origin.lp" in start.files
    assert start.versions["clingo"]
    assert start.machine["cores"] == str(os.cpu_count())


def test_only_encodings_of_the_domains_of_instances_are_input_files(tmp_path: Path) -> None:
    """Other domains have encodings with the same name."""
    text = """
        name = "frontiers"
        [[instances]]
        files = ["two_cars"]
        [[methods]]
        encoding = "frontier"
    """
    start = run_suite(write_suite(tmp_path, text), str(tmp_path / "out")).start
    assert set(start.files) == {
        "asplan:instances/rush_hour/two_cars.lp",
        "asplan:encodings/rush_hour/frontier.lp",
    }


def test_the_order_of_facts_changes_the_search_but_parallel_trials_do_not(
    suite: str, tmp_path: Path, whole: tuple[Path, Results, list[SuiteProgress]]
) -> None:
    results = run_suite(suite, str(tmp_path / "out"), partial(on_this_machine, 2))
    by = {record.key: record for record in results.records}
    pairs = [(by["sample01", m, 0], by["sample01", m, 1]) for m in ("origin", "clauses")]
    assert any(one.conflicts != other.conflicts for one, other in pairs)
    again = whole[1]
    assert answers(again.records) == answers(results.records)
    assert {r.key: r.conflicts for r in again.records} == {k: r.conflicts for k, r in by.items()}


HARD = """
    #program step(t). 1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14. :- in(P,H,t), in(Q,H,t), P < Q.
    #program check(t). :- query(t), t < 1.
"""
HUNGRY = """
    big(X,Y,Z) :- X = 1..900, Y = 1..900, Z = 1..900.
    #program step(t). { occurs(a,t) }.
    #program check(t). :- query(t), t < 1.
"""


def test_stopped_and_failed_trials_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asplan.bench.trials.MOMENT", 0.2)
    for name, text in {"hard": HARD, "wrong": "p(X) :- q.\n"}.items():
        (tmp_path / f"{name}.lp").write_text(text)

    def work(limit: int) -> list[Record]:
        suite = tmp_path / f"{limit}.toml"
        suite.write_text(
            f'name = "x"\n[limits]\nseconds = {limit}\n[[instances]]\nfiles = ["*.lp"]\n'
            '[[methods]]\nengine = "asp"\n'
        )
        found = run_suite(
            str(suite), str(tmp_path / f"out{limit}"), partial(on_this_machine, 2)
        ).records
        return sorted(found, key=lambda record: record.instance)

    hard, wrong = in_time(work, lambda records: records[0].lower_bound == 1)
    assert (hard.outcome, hard.stopped, hard.lower_bound) == (Outcome.UNKNOWN, Stop.TIME, 1)
    # A worker that is slow to end is stopped "while solving" the horizon.
    assert re.search(r" s reached (at|while solving) horizon 1$", hard.reason)
    assert wrong.error.startswith(f"{tmp_path}/wrong.lp:1:3: X is unsafe: ")


def test_the_memory_limit_stops_a_trial(tmp_path: Path) -> None:
    most = resident() + 60  # a fork begins with the memory of its parent
    (tmp_path / "hungry.lp").write_text(HUNGRY)
    (tmp_path / "suite.toml").write_text(
        f'name = "x"\n[limits]\nmegabytes = {most}\n[[instances]]\nfiles = ["hungry.lp"]\n'
        '[[methods]]\nengine = "asp"\n'
    )
    (hungry,) = run_suite(str(tmp_path / "suite.toml"), str(tmp_path / "out")).records
    assert (hungry.outcome, hungry.stopped) == (Outcome.UNKNOWN, Stop.MEMORY)
    assert hungry.reason.startswith(f"memory limit of {most} MB reached")


FOREVER = """
from asplan.bench.trials import measure
from asplan.core.limits import Limits
from asplan.core.process import Done

def forever(report):
    while True:
        pass

done = measure(forever, Limits(seconds=60), Done(reason="working"), cpu_seconds=1)
print(done.answer.stopped, done.error, done.answer.reason, sep="; ")
"""


def test_the_limit_of_processor_time_stops_work() -> None:
    words = [sys.executable, "-c", FOREVER]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    said = "time; None; the limit of processor time was reached while working\n"
    assert (done.stdout, done.stderr) == (said, "")


def test_measure_counts_memory_and_child_processes() -> None:
    size = resident() + 200

    def task(report: object) -> Done:
        taken = bytearray(size << 20)
        subprocess.run([sys.executable, "-c", "sum(range(10**7))"], check=True)
        return Done(len(taken))

    done = measure(task, Limits(), Done())
    assert done.answer.value == size << 20
    assert done.memory is not None
    assert size < done.memory < 2 * size
    assert done.cpu is not None
    assert 0.05 < done.cpu < done.wall * (os.cpu_count() or 1) + 1


COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from asplan.cli import main; main()"
)


def wait_for_lines(out: Path, number: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many lines of results are written, or the process has ended."""
    file = out / FILE
    while process.poll() is None:
        if file.exists() and len(file.read_text().splitlines()) >= number:
            return
        time.sleep(0.01)


def begun(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "bench", "run", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_killed_run_resumes_without_repeating_trials(suite: str, tmp_path: Path) -> None:
    """However often that happens, each trial is there once, and nothing of the runner is left."""
    out = tmp_path / "out"
    Path(suite).write_text(SUITE.replace('"rush_hour/sample01", ', ""))
    for kill in range(KILLS):
        process = begun(suite, "-o", str(out), "--resume", "--jobs", "2")
        wait_for_lines(out, 2 + kill, process)
        process.kill()
        process.communicate()
        end = time.monotonic() + 120
        while in_session(process.pid):
            assert time.monotonic() < end, "its processes outlive it"
            time.sleep(0.02)
    results = run_suite(suite, str(out), resume=True)
    lines = [json.loads(line) for line in (out / FILE).read_text().splitlines()]
    keys = [(ln["instance"], ln["method"], ln["repetition"]) for ln in lines if ln["kind"] == "run"]
    assert len(keys) == len(set(keys)) == 12
    assert answers(results.records).keys() == set(keys)


def test_an_interrupted_run_keeps_its_finished_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a trial that would take long; when it is made again, it may take only a moment."""
    monkeypatch.setattr("asplan.bench.trials.MOMENT", 0.2)
    (tmp_path / "hard.lp").write_text(HARD)
    (tmp_path / "suite.toml").write_text(
        'name = "x"\n[limits]\nseconds = 60\n[[instances]]\n'
        'files = ["two_cars", "hard.lp"]\n[[methods]]\nengine = "asp"\n'
    )
    suite, out = str(tmp_path / "suite.toml"), tmp_path / "out"
    process = begun(suite, "-o", str(out))
    wait_for_lines(out, 2, process)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert f"asplan: interrupted; --resume continues with {out}\n" in said
    assert not in_session(process.pid)
    kept = read_results(out).records
    assert [record.instance for record in kept] == ["two_cars"]
    results = run_suite(suite, str(out), for_a_moment, resume=True)
    assert results.records[:1] == kept
    assert len(results.starts) == 2
    assert len(answers(results.records)) == 2


def test_the_trial_of_a_torn_line_is_repeated(
    suite: str, tmp_path: Path, whole: tuple[Path, Results, list[SuiteProgress]]
) -> None:
    out, records = tmp_path / "out", whole[1].records
    shutil.copytree(whole[0], out)
    lines = (out / FILE).read_bytes()
    (out / FILE).write_bytes(lines[:-30])
    results = read_results(out)
    assert results.records == records[:-1]
    assert results.torn.startswith('{"kind":"run","instance":')
    again = run_suite(suite, str(out), resume=True)
    assert again.torn == ""
    assert answers(again.records) == answers(records)


def test_a_changed_input_file_ends_the_run(suite: str, tmp_path: Path) -> None:
    def spoil(progress: SuiteProgress) -> None:
        if progress.done == 3:
            (tmp_path / "own.lp").write_text(OWN + "no(6,6).\n")

    with pytest.raises(asplan.UsageError) as caught:
        run_suite(suite, str(tmp_path / "out"), progress=spoil)
    assert str(caught.value) == (
        f"{tmp_path}/own.lp changed while the suite ran\n"
        "  restore it and continue with --resume, or start again in another folder"
    )
    made = read_results(tmp_path / "out").records
    assert 3 <= len(made) < TRIALS
    assert "own" not in {record.instance for record in made}


def test_only_one_run_writes_to_a_folder(suite: str, tmp_path: Path) -> None:
    said: list[str] = []

    def another(progress: SuiteProgress) -> None:
        """Before the first trial has ended, and after it."""
        if progress.done == len(said) < 2:
            with pytest.raises(asplan.UsageError) as caught:
                run_suite(suite, str(tmp_path / "out"), resume=bool(said))
            said.append(str(caught.value))

    results = run_suite(suite, str(tmp_path / "out"), first_only, progress=another)
    assert said == [f"another asplan bench run is writing into {tmp_path}/out"] * 2
    assert len((tmp_path / "out" / FILE).read_text().splitlines()) == 1 + 1
    assert len(results.records) == 1


def test_results_without_trials_are_overwritten(suite: str, tmp_path: Path) -> None:
    run_suite(suite, str(tmp_path / "out"), nowhere)
    results = run_suite(suite, str(tmp_path / "out"), nowhere)
    assert (len(results.starts), results.records) == (1, ())


def nowhere(*given: object) -> Iterator[Record]:
    """A place that makes no trials."""
    return iter(())


def first_only(
    trials: Iterable[Trial], limits: SuiteLimits, waiting: Callable[[], None]
) -> Iterator[Record]:
    """A place that makes one trial."""
    yield from on_this_machine(1, list(trials)[:1], limits, waiting)


def for_a_moment(
    trials: Iterable[Trial], limits: SuiteLimits, waiting: Callable[[], None]
) -> Iterator[Record]:
    """A place that makes all trials, within a fraction of a second."""
    yield from on_this_machine(1, trials, SuiteLimits(seconds=0.2), waiting)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda folder: None,
            "{out} has results already\n"
            "  continue them with --resume, or pass another folder with -o",
        ),
        (
            lambda folder: (folder / "own.lp").write_text(OWN + "no(6,6).\n"),
            "{out} has results of another run: own.lp changed\n  pass another folder with -o",
        ),
        (
            lambda folder: (folder / "suite.toml").write_text(SUITE.replace("jumpy", "trendy")),
            "{out} has results of another run: the suite small was another one\n"
            "  pass another folder with -o",
        ),
        (
            lambda folder: (folder / "suite.toml").write_text(SUITE.replace('"small"', '"big"')),
            "{out} has results of another run: the suite was small, and is big\n"
            "  pass another folder with -o",
        ),
        (
            lambda folder: (folder / "out" / FILE).write_text("[1]\n"),
            "{out}/runs.jsonl:1:1: not a line of results: must be an object, not a list\n"
            "  pass the folder that asplan bench run -o FOLDER has written",
        ),
        (
            lambda folder: (file := folder / "out" / FILE).write_text(
                re.sub('"wall":', '"wall":-', file.read_text())
            ),
            "{out}/runs.jsonl:2:1: not a line of results: wall: must be a number of at least 0\n"
            "  pass the folder that asplan bench run -o FOLDER has written",
        ),
    ],
)
def test_results_of_another_run_are_not_continued(
    spoil: Callable[[Path], object],
    said: str,
    suite: str,
    tmp_path: Path,
    whole: tuple[Path, Results, list[SuiteProgress]],
) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole[0], out)
    spoil(tmp_path)
    with pytest.raises(asplan.AsplanError) as caught:
        run_suite(suite, str(out), resume=not said.startswith("{out} has results already"))
    assert str(caught.value) == said.replace("{out}", str(out))


def test_an_empty_folder_has_no_results(tmp_path: Path) -> None:
    with pytest.raises(asplan.InputError) as caught:
        read_results(tmp_path)
    assert str(caught.value) == (
        f"'{tmp_path}' has no results\n"
        "  pass the folder that asplan bench run -o FOLDER has written"
    )
