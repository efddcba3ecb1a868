"""The commands as a user meets them: output, exit status, JSON."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import asplan
from asplan import catalog
from asplan.stored import from_json
from conftest import run

KEYS = [
    *["version", "files", "instance", "domain", "encoding", "engine", "mode", "constants"],
    *["outcome", "reason", "proof", "stopped", "horizon", "lower_bound", "lower_cost"],
    *["optimized", "cost", "plan", "plans", "names", "atoms", "validated", "seconds"],
    *["statistics", "warnings"],
]


def test_solve_prints_plan_boards_and_outcome() -> None:
    done = run("solve", "two_cars", "-e", "origin")
    assert done.returncode == 0
    assert "1. move(" in done.stdout
    assert "before" in done.stdout
    assert "│ . . . . r r │" in done.stdout
    assert "optimal (shortest: 5 steps refuted, 6 found)" in done.stdout
    assert "plan checked: replayed in the domain's own model" in done.stdout
    assert done.stderr == ""  # progress is for terminals


def test_solve_json() -> None:
    done = run("solve", "two_cars", "-e", "origin", "--metric", "slide", "--json")
    result = json.loads(done.stdout)
    assert list(result) == KEYS
    assert result["version"] == asplan.__version__
    assert result["plan"] == [["move(b,down,2)"], ["move(r,right,4)"]]
    assert result["atoms"] == ["occurs(move(b,down,2),1)", "occurs(move(r,right,4),2)"]
    assert result["constants"] == {"metric": "slide"}
    assert (result["domain"], result["instance"]) == ("rush_hour", "two_cars")
    assert (result["encoding"], result["engine"], result["mode"]) == (
        "origin",
        "asp",
        "incremental",
    )
    assert (result["outcome"], result["validated"], result["cost"]) == ("optimal", "model", None)
    assert set(result["seconds"]) == {"total", "ground", "solve"}


EXITS = [
    (["solve", "two_cars", "-e", "origin", "--max-horizon", "3"], 1),
    (["solve", "nowhere.lp"], 2),
    (["solve", "two_cars", "--mode", "sideways"], 2),
    (["solve", "two_cars", "-c", "metric"], 2),
    (["solve"], 2),
    (["dance"], 2),
    (["solve", "--help"], 0),
    (["--version"], 0),
]


@pytest.mark.parametrize(("words", "status"), EXITS)
def test_exit_status(words: list[str], status: int) -> None:
    done = run(*words)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    if status == 2:
        assert done.stdout == ""
        assert done.stderr


def test_unsolvable_is_status_3(tmp_path: Path) -> None:
    board = tmp_path / "stuck.lp"
    board.write_text("grid(1,1..4). car(r,1,h). position(0,r,1,1). no(1,2).")
    done = run("solve", str(board), "-e", "origin")
    assert done.returncode == 3
    assert "unsolvable (no plan exists: the program has no answer set from step 1 on)" in (
        done.stdout
    )


def test_debug_shows_the_traceback() -> None:
    assert "Traceback" in run("solve", "nowhere.lp", "--debug").stderr


def test_options_after_the_dashes_go_to_clingo() -> None:
    done = run("solve", "two_cars", "-e", "origin", "--", "--configuration=frumpy", "--seed=7")
    assert done.returncode == 0
    wrong = run("solve", "two_cars", "-e", "origin", "--", "--configuration=frumpish")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("asplan: clingo refuses its options: ")


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(run("solve", "two_cars", "-e", "origin", "--json").stdout)
    return file


def test_validate(plan_file: Path) -> None:
    done = run("validate", "two_cars", str(plan_file))
    assert (done.returncode, done.stdout) == (0, "valid: the goal holds after step 6 of 6\n")
    done = run("validate", "two_cars", str(plan_file), "--json")
    assert json.loads(done.stdout) == {"valid": True, "horizon": 6, "validated": "model"}


def test_validate_reads_a_plan_as_it_is_printed_and_written(plan_file: Path) -> None:
    steps = json.loads(plan_file.read_text())["plan"]
    for text in (
        "\n".join(f"{t}. {'  '.join(step)}" for t, step in enumerate(steps, 1)),
        "% by hand\n\n" + "".join(f"{step[0]}.\n" for step in steps),
        plan_file.read_text(),
    ):
        done = run("validate", "two_cars", "-", input=text)
        assert (done.returncode, done.stdout) == (0, "valid: the goal holds after step 6 of 6\n")
    done = run("validate", "two_cars", "-", input="move(b,up,1)\nmove(b\n")
    assert (done.returncode, done.stderr) == (
        2,
        "asplan: -:2:1: action: 'move(b' is not a term: syntax error, unexpected <EOF>, "
        "expecting )\n"
        "  a plan is what asplan solve --json prints, or has the actions of a step in each line\n",
    )
    done = run("validate", "two_cars", "-", input="move(b,up,1)\n\n% again\nmove(b,up,1)\n")
    assert (done.returncode, done.stderr) == (
        4,
        "asplan: -:4:1: step 2: move(b,up,1) does not apply: car b would leave the board at "
        "(0,4)\n",
    )
    done = run(
        "explain", "two_cars", "-e", "origin", "--plan", "-", input="move(b,up,1)\nmove(b,up,1)\n"
    )
    assert "step 2" in done.stdout


WRONG = [
    (
        lambda plan: plan[:-1],
        "after step 5 the goal does not hold: car r is at (3,4) and not at (3,5)",
    ),
    (
        lambda plan: [["move(b,up,1)"], ["move(b,up,1)"]],
        "step 2: move(b,up,1) does not apply: car b would leave the board at (0,4)",
    ),
    (
        lambda plan: [["move(r,right,1)", "move(b,down,1)"]],
        "step 1: move(r,right,1), move(b,down,1): a step may have only one action",
    ),
    (
        lambda plan: [["move(r,right,2)"]],
        "step 1: move(r,right,2) does not apply: metric step moves one cell at a time, not 2",
    ),
    (lambda plan: [["jump(r)"]], "step 1: jump(r) is not a move(Car,Dir,Cells)"),
    (
        lambda plan: [["move(r"]],
        "step 1: action: 'move(r' is not a term: syntax error, unexpected <EOF>, expecting )",
    ),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_plans(plan_file: Path, change: object, message: str) -> None:
    data = json.loads(plan_file.read_text())
    data["plan"] = change(data["plan"])  # type: ignore[operator]
    del data["plans"]
    plan_file.write_text(json.dumps(data))
    done = run("validate", "two_cars", str(plan_file))
    assert (done.returncode, done.stderr) == (4, f"asplan: {message}\n")


NOT_OURS = [
    ("[1,", "{file}:1:4: this is not JSON: Expecting value"),
    ("[]", "{file} is not a plan file: it is not an object of JSON"),
    ("{}", "{file} is not a plan file: the key outcome is missing"),
    (
        '{"outcome": "won"}',
        "{file} is not a plan file: outcome: 'won' is not one of the known values",
    ),
    (
        '{"outcome": "plan", "plan": ["left"]}',
        "{file} is not a plan file: plan[0]: must be a list, not a text",
    ),
    (
        '{"outcome": "plan", "plan": [["a"]], "plans": [[["b"]]]}',
        "{file} is not a plan file: plan: must equal plans[0]",
    ),
    (
        '{"outcome": "plan", "constants": {"n": "1)"}}',
        "{file} is not a plan file: constants.n: '1)' is not a term: syntax error, "
        "unexpected ), expecting <EOF>",
    ),
    ("[" * 100_000, "{file} is not a plan file: it is nested too deeply"),
    (
        '{"outcome": "plan", "files": 3}',
        "{file} is not a plan file: files: must be a list, not a whole number",
    ),
    (
        '{"outcome": "plan", "statistics": {"steps": [{"horizon": "one"}]}}',
        "{file} is not a plan file: statistics.steps[0].horizon: must be a whole number, not a "
        "text",
    ),
]


@pytest.mark.parametrize(("text", "message"), NOT_OURS)
def test_plan_files_that_are_not_ours(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    done = run("validate", "two_cars", str(file))
    hint = "\n  a plan file is what asplan solve --json prints\n"
    assert done.stderr == f"asplan: {message.replace('{file}', str(file))}{hint}"
    assert done.returncode == 2


def test_validate_without_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"outcome": "unknown", "plan": null}')
    done = run("validate", "two_cars", str(file))
    assert done.stderr == f"asplan: {file} holds no plan: its outcome is unknown\n"
    assert done.returncode == 2


COUNTER = """
at(0,0).
#program step(t).
{ occurs(up,t) } 1.
at(t,N+1) :- at(t-1,N), occurs(up,t).
at(t,N) :- at(t-1,N), not occurs(up,t).
:- t = 2, occurs(up,t).
#program check(t).
:- query(t), not at(t,2).
#show occurs/2.
"""


def test_a_program_without_a_model_is_replayed(tmp_path: Path) -> None:
    program, plan = tmp_path / "counter.lp", tmp_path / "plan.json"
    program.write_text(COUNTER)
    plan.write_text(run("solve", str(program), "--json").stdout)
    assert json.loads(plan.read_text())["plan"] == [["up"], [], ["up"]]
    done = run("validate", str(program), str(plan), "--json")
    assert json.loads(done.stdout) == {"valid": True, "horizon": 3, "validated": "replay"}
    for steps, message in [
        ([["up"], ["up"]], "step 2: up contradicts the encoding"),
        ([["up"], []], "after step 2 the goal does not hold"),
        ([["down"]], "step 1: down is not an action of the encoding at this step"),
        (
            [["up"], ["up("]],
            "step 2: action: 'up(' is not a term: syntax error, unexpected <EOF>, expecting )",
        ),
    ]:
        plan.write_text(json.dumps({"outcome": "plan", "plan": steps}))
        done = run("validate", str(program), str(plan))
        assert (done.returncode, done.stderr) == (4, f"asplan: {message}\n")


def test_a_refused_plan_comes_with_the_warnings_of_the_program(tmp_path: Path) -> None:
    program, plan = tmp_path / "counter.lp", tmp_path / "plan.txt"
    program.write_text(COUNTER + ":- occurs(up,t), ocurs(up,t-1).")
    plan.write_text("up\nup\n")
    done = run("validate", str(program), str(plan), "--json")
    refused = json.loads(done.stdout)
    assert [warning["code"] for warning in refused.pop("warnings")] == ["undefined"]
    assert refused == {"valid": False, "reason": "step 2: up contradicts the encoding"}
    assert done.returncode == 4
    warning, error = done.stderr.replace("\n  ", " ").splitlines()
    assert (warning.split(": ")[1], "[undefined]" in warning) == ("warning", True)
    assert error == "asplan: step 2: up contradicts the encoding"


def test_list_names_all_that_ships() -> None:
    done = run("list", "--json")
    data = json.loads(done.stdout)
    assert {row["name"] for row in data["encodings"]} >= {"origin", "origin_naive", "block_tuple"}
    paths = [row["path"] for row in data["instances"]]
    ladder = {str(entry.path.parent) for entry in catalog.rungs()}
    assert paths == [*(str(entry.path) for entry in catalog.instances()), *ladder]
    assert "multi-shot clingo" in run("list", "engines").stdout


ASKED = [
    ("bash", {"COMP_WORDS": "asplan solve two", "COMP_CWORD": "2"}, "plain,two_cars"),
    ("zsh", {"COMP_WORDS": "asplan solve two", "COMP_CWORD": "2"}, "plain\ntwo_cars\n"),
    ("fish", {"COMP_WORDS": "asplan solve two", "COMP_CWORD": "two"}, "two_cars"),
    ("zsh", {"COMP_WORDS": "asplan list encodings rush", "COMP_CWORD": "3"}, "plain\nrush_hour\n"),
]


@pytest.mark.parametrize(("shell", "asked", "offered"), ASKED)
def test_completion_offers_shipped_names(shell: str, asked: dict[str, str], offered: str) -> None:
    environment = {**os.environ, "_ASPLAN_COMPLETE": f"{shell}_complete", **asked}
    assert offered in run(env=environment).stdout


@pytest.mark.parametrize(("shell", "mark"), [("zsh", "#compdef asplan"), ("fish", "complete ")])
def test_completion_for_a_shell_is_a_script(shell: str, mark: str) -> None:
    done = run(env={**os.environ, "_ASPLAN_COMPLETE": f"{shell}_source"})
    assert (done.returncode, done.stderr) == (0, "")
    assert mark in done.stdout


@pytest.mark.parametrize("command", ["list", "solve", "analyse"])
def test_a_full_disk_gives_an_error_of_one_line(command: str) -> None:
    import subprocess
    import sys

    words = [sys.executable, "-m", "asplan", command, *(["two_cars"] if command != "list" else [])]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (
        2,
        "asplan: cannot write the output: No space left on device\n",
    )


def test_the_command_that_explains_is_complete(tmp_path: Path) -> None:
    (tmp_path / "no way.lp").write_text(
        "#const n=1. #program step(t). { occurs(go,t) }. #program check(t). :- query(t), n = 1."
    )
    words = ("no way.lp", "-c", "n=1", "--max-horizon", "2")
    limited, proven = (
        run("solve", *words, *more, cwd=tmp_path) for more in ((), ("--engine", "bfs"))
    )
    explained = "to see why: asplan explain 'no way.lp' -c n=1"
    assert f"{explained} --horizon 2\n" in limited.stdout
    assert f"{explained}\n" in proven.stdout


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ("asp --time-limit 1", True),
        ("sat --time-limit 1", True),
        ("asp --max-horizon 2", False),
        ("auto --max-horizon 2", False),
    ],
)
def test_an_unknown_outcome_suggests_auto(words: str, is_told: bool) -> None:
    """A loop over horizons cannot show that this board has no solution."""
    done = run("solve", "unsolvable", "-e", "origin", "--engine", *words.split())
    assert done.returncode == 1
    command = r"to see why: asplan explain unsolvable -e origin --horizon \d+\n"
    assert re.search(command, done.stdout), done.stdout
    assert ("--engine auto also searches the states" in done.stdout) == is_told, done.stdout


STATES = """\
jugs
0. contains(five,0)  contains(three,0)
1. fill(five)
   no longer contains(five,0); now contains(five,5)
2. pour(five,three)
   no longer contains(five,5), contains(three,0); now contains(five,2), contains(three,3)
3. empty(three)
   no longer contains(three,3); now contains(three,0)
4. pour(five,three)
   no longer contains(five,2), contains(three,0); now contains(five,0), contains(three,2)
5. fill(five)
   no longer contains(five,0); now contains(five,5)
6. pour(five,three)
   no longer contains(five,5), contains(three,2); now contains(five,4), contains(three,3)
"""


def test_states_stand_below_the_steps() -> None:
    done = run("solve", "three_and_five", "-e", "jugs", "--states")
    assert done.returncode == 0
    assert done.stdout.split("\n\n")[1] + "\n" == STATES.removeprefix("jugs\n")


def test_states_are_in_json_on_request() -> None:
    words = ["solve", "three_and_five", "-e", "jugs", "--json"]
    plain, told = (json.loads(run(*words, *more).stdout) for more in ([], ["--states"]))
    assert "states" not in plain
    assert len(told["states"]) == told["horizon"] + 1
    assert told["states"][-1] == ["contains(five,4)", "contains(three,3)"]
    assert from_json(told).plan == from_json(plain).plan
