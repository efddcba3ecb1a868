"""Heuristics of one's own: how they guide A*, how they are graded, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from asplan.clingo import parse_term
from asplan.core.errors import InputError, UsageError
from asplan.domains.own_heuristic import read_heuristic, to_plain
from asplan.domains.rush_hour.heuristics import HEURISTICS
from asplan.problem import Inputs, load
from asplan.statespace.consistency import check_consistency
from conftest import run

HEURISTIC = '''
def h(state, facts):
    """Count the cells of other cars between the red car and the right edge."""
    cars = {fact[1]: fact[2:] for fact in facts if fact[0] == "car"}
    place = {fluent[1]: fluent[2:] for fluent in state if fluent[0] == "position"}
    covered = set()
    for car, (length, way) in cars.items():
        row, column = place[car]
        for i in range(length):
            covered.add((row, column + i) if way == "h" else (row + i, column))
    row, column = place["r"]
    return sum((row, y) in covered for y in range(column + 2, 7)) + (column < 5)

def zero(state):
    return 0

def high(state):
    return 0 if ("position", "r", 3, 5) in state else 50

def late(state):
    return 1

def fails(state):
    return state[99]

def text(state):
    return "far"

def negative(state):
    return -1
'''


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(HEURISTIC)
    return str(path)


def test_terms_become_tuples() -> None:
    assert to_plain(parse_term('p(a,-3,"b c",(1,q(2)),-r(1))')) == (
        *("p", "a", -3, "b c"),
        (1, ("q", 2)),
        ("-r", 1),
    )


def test_a_heuristic_guides_a_star(file: str) -> None:
    plain = asplan.solve("sample02", engine="astar", heuristic=f"{file}:zero")
    guided = asplan.solve("sample02", engine="astar", heuristic=f"{file}:h")
    assert plain.horizon == guided.horizon == 39
    assert guided.outcome == "plan"  # nothing is claimed of it, so nothing is proven
    assert guided.statistics.queued is not None
    assert plain.statistics.queued is not None
    assert guided.statistics.queued < plain.statistics.queued


@pytest.mark.parametrize("engine", ["astar", "idastar"])
@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("fails", ":fails failed: IndexError: list index out of range"),
        ("text", ":text returned 'far' for the state"),
        ("negative", ":negative returned -1 for the state"),
        ("missing", "defines no function missing"),
    ],
)
def test_what_fails_is_said(file: str, engine: str, function: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        asplan.solve("two_cars", engine=engine, heuristic=f"{file}:{function}")


def test_a_failure_names_its_line(file: str) -> None:
    with pytest.raises(InputError) as failure:
        asplan.solve("two_cars", engine="astar", heuristic=f"{file}:fails")
    assert failure.value.at is not None
    assert failure.value.at.line == HEURISTIC.splitlines().index("    return state[99]") + 1


def test_a_file_must_be_there_and_be_python(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        asplan.solve("two_cars", engine="astar", heuristic=f"{tmp_path}/no.py:h")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def h(state)\n")
    with pytest.raises(InputError, match="SyntaxError"):
        asplan.solve("two_cars", engine="astar", heuristic=f"{wrong}:h")


def test_consistency_is_checked_on_the_whole_space(file: str) -> None:
    problem = load(Inputs(("two_cars",)), needs_model=True)
    _, model = problem.domain_and_model()

    def check(function: str) -> tuple[str, str]:
        estimate = read_heuristic(f"{file}:{function}", problem.facts).make(model)
        found = check_consistency(model, estimate, 1000)
        assert (found.states, found.moves) == (14, 32)
        return found.broken, found.too_high

    assert check("zero") == check("h") == ("", "")
    assert check("late") == (
        "it is 1 at the goal state position(r,3,5) position(b,4,4)",
        "it is 1, and 0 moves are enough, in the state position(r,3,5) position(b,4,4)",
    )
    broken, too_high = check("high")
    assert broken.startswith("move(r,right,1) lowers it from 50 to 0 in the state position(r,3,4)")
    assert too_high.startswith("it is 50, and 6 moves are enough, in the state position(r,3,1)")


def test_what_the_domain_claims_passes_the_check() -> None:
    problem = load(Inputs(("sample02",)), needs_model=True)
    _, model = problem.domain_and_model()
    for heuristic in HEURISTICS:
        found = check_consistency(model, heuristic.make(model), 10_000)
        if heuristic.consistent(model):
            assert not found.broken, heuristic.name
        if heuristic.admissible(model):
            assert not found.too_high, heuristic.name


def test_heuristics_are_graded(file: str, tmp_path: Path) -> None:
    detour = tmp_path / "detour.py"
    detour.write_text("def h(state):\n    return 90 if ('position','b',1,4) not in state else 0\n")
    endless = tmp_path / "endless.py"
    endless.write_text("def h(state):\n    while True: pass\n")
    words = ["grade", "rush_hour", file, str(detour), str(endless), "--heuristic", "h"]
    words += ["--instances", "two_cars", "--time-limit", "2"]
    data = json.loads(run(*words, "--json").stdout)
    mine, other, stopped = data["scores"]
    assert (mine["steps"], mine["is_consistent"], mine["is_admissible"]) == (6, True, True)
    assert 6 <= mine["queued"] <= 18
    assert other["is_consistent"] is False
    assert other["why"].startswith("it is 90 at the goal state")
    assert (stopped["queued"], stopped["is_consistent"]) == (None, None)
    assert "time limit of 2 s reached" in stopped["why"]
    table = run(*words).stdout
    assert "states added to the queue" in table
    assert "not consistent: " in table


def test_a_longer_plan_scores_infinity(tmp_path: Path) -> None:
    file = tmp_path / "greedy.py"
    file.write_text(
        "def h(state):\n"
        "    return 20 * sum(\n"
        "        abs((tile - 1) // 3 + 1 - row) + abs((tile - 1) % 3 + 1 - column)\n"
        "        for _, tile, row, column in state\n"
        "    )\n"
    )
    words = ["grade", "sliding_tiles", str(file), "--heuristic", "h", "--instances", "eight20"]
    (score,) = json.loads(run(*words, "--json").stdout)["scores"]
    assert score["queued"] == "infinity"
    assert score["steps"] > score["shortest"] == 20
    assert "∞" in run(*words).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x.lp"], "x.lp is no .py file with a heuristic\n  pass .py files"),
        (["none.py"], "no such file: none.py"),
        (["{file}", "-o", "a.html"], "scores of heuristics are printed, also with --json"),
    ],
)
def test_what_cannot_be_graded_is_refused(file: str, words: list[str], message: str) -> None:
    given = [word.replace("{file}", file) for word in words]
    done = run("grade", "rush_hour", *given, "--heuristic", "h")
    assert done.returncode == 2
    assert message in done.stderr
