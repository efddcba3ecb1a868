"""PDDL at the command line: plans of planners, facts, comparisons, and limits."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

import asplan
from asplan.catalog import find_instance
from asplan.core.registry import entries
from conftest import run

BLOCKS = Path(find_instance("blocks-1"))
DOMAIN = BLOCKS.parent / "domain.pddl"

ODD = {
    "domain.pddl": """(define (domain odd-names) (:requirements :strips :typing)
  (:types 2d a-b) (:constants NOT - a-b)
  (:predicates (IS-3d ?x - a-b) (is_3d ?x - a-b) (on ?x - 2d))
  (:action Do-It :parameters (?x - a-b) :precondition (not (is-3D ?x)) :effect (Is-3d ?x))
  (:action do_it :parameters (?x - A-B) :precondition (is-3d ?x) :effect (is_3d ?x)))""",
    "problem.pddl": """(define (problem p) (:domain ODD-NAMES)
  (:objects 7 a-b a_b - a-b 007 - 2d) (:init (on 007))
  (:goal (and (is_3d 7) (is_3d A-b) (is_3d a_B) (is_3d not))))""",
}


def test_a_plan_that_is_written_is_valid(tmp_path: Path) -> None:
    for name, suffix in [("blocks-1", "ipc"), ("gripper-1", "plan"), ("lamps-2", "SOLN")]:
        file = f"{name}.{suffix}"
        assert run("solve", name, "-o", file, cwd=tmp_path).returncode == 0
        done = run("validate", name, file, cwd=tmp_path)
        steps = asplan.solve(name).horizon
        valid = f"valid: the goal holds after step {steps} of {steps}\n"
        assert (done.returncode, done.stdout) == (0, valid)
    assert (tmp_path / "blocks-1.ipc").read_text().startswith("(unstack C A)\n(put-down C)\n")


def test_plan_and_drawing_of_one_run(tmp_path: Path) -> None:
    words = ["solve", str(DOMAIN), str(BLOCKS), "-o", "a.plan", "-o", "a.png", "-o", "b.ipc"]
    assert run(*words, cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.plan").read_text() == (tmp_path / "b.ipc").read_text()
    assert (tmp_path / "a.png").stat().st_size > 0


def test_a_drawing_that_fails_takes_no_plan_with_it(tmp_path: Path) -> None:
    words = ["solve", "lamps-1", "-o", "plan.gif", "-o", "plan.ipc"]
    done = run(*words, "--draw", "none.lp", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")  # nothing was searched
    assert done.stderr == "asplan: no such file: none.lp\n"
    assert not any(tmp_path.iterdir())
    # What only a plan shows is seen when the plan is there, and written.
    (tmp_path / "draw.lp").write_text('canvas(9,9). circle(T,y,0,0,"b") :- occurs(A,T).')
    done = run(*words, "--draw", "draw.lp", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == 'asplan: draw.lp:1:14: circle(1,y,0,0,"b"): "b" is not a number\n'
    assert {file.name for file in tmp_path.iterdir()} == {"draw.lp", "plan.ipc"}
    assert run("validate", "lamps-1", "plan.ipc", cwd=tmp_path).returncode == 0


def test_a_stored_result_is_checked_and_drawn(tmp_path: Path) -> None:
    stored = run("solve", "blocks-1", "--json").stdout
    (tmp_path / "plan.json").write_text(stored)
    done = run("validate", "blocks-1", "plan.json", cwd=tmp_path)
    assert done.stdout == "valid: the goal holds after step 6 of 6\n"
    assert run("render", "plan.json", "-o", "plan.html", cwd=tmp_path).returncode == 0
    assert "(unstack C A)" in (tmp_path / "plan.html").read_text()
    data = json.loads(stored)
    del data["plans"]
    data["plan"] = [["pick_up(b)"], ["stack(b,a)"]]
    (tmp_path / "plan.json").write_text(json.dumps(data))
    done = run("validate", "blocks-1", "plan.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        4,
        "asplan: step 2: (stack B A) does not apply: (clear A) does not hold\n",
    )


def test_costs_are_reported_and_checked(tmp_path: Path) -> None:
    words = ["solve", "castle-1", "--engine", "astar", "--optimal", "cost", "-o", "plan.ipc"]
    assert run(*words, cwd=tmp_path).returncode == 0
    plan = tmp_path / "plan.ipc"
    assert plan.read_text().endswith("; cost = 5 (general cost)\n")
    done = run("validate", "castle-1", "plan.ipc", cwd=tmp_path)
    assert done.stdout == "valid: the goal holds after step 4 of 4, at a cost of 5\n"
    done = run("validate", "castle-1", "plan.ipc", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {
        "valid": True, "horizon": 4, "cost": 5, "validated": "text",
    }  # fmt: skip
    plan.write_text(plan.read_text().replace("= 5", "= 4"))
    done = run("validate", "castle-1", "plan.ipc", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        4,
        "asplan: the actions cost 5, but plan.ipc states 4\n",
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["castle-1"], "cost: 11; --optimal cost finds the least"),
        (["castle-1", "--engine", "bfs"], "cost: 11; --optimal cost finds the least"),
        (["castle-1", "--optimal", "actions"], "cost: 11"),
        (["castle-1", "--optimal", "cost"], "cost: 5"),
        (["lamps-1"], None),
    ],
)
def test_the_output_suggests_the_least_cost(words: list[str], line: str | None) -> None:
    said = [one for one in run("solve", *words).stdout.splitlines() if one.startswith("cost")]
    assert said == ([] if line is None else [line])


def test_a_plan_is_checked_without_translation(tmp_path: Path) -> None:
    (tmp_path / "plan.ipc").write_text("(pick-up b)\n(stack b c)\n")
    hidden = "import sys; sys.modules['fast_downward'] = None"
    command = [sys.executable, "-c", f"{hidden}; from asplan.cli import main; main()"]
    words = [*command, "validate", "blocks-1", "plan.ipc"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == "asplan: after step 2 the goal does not hold: (on A B) does not hold\n"


def test_names_that_are_none_in_asp(tmp_path: Path) -> None:
    for name, text in ODD.items():
        (tmp_path / name).write_text(text)
    done = run("solve", "problem.pddl", "-o", "plan.ipc", "--json", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert (data["outcome"], data["horizon"], data["validated"]) == ("optimal", 2, "text")
    lines = (tmp_path / "plan.ipc").read_text().splitlines()
    names = ("NOT", "7", "a-b", "a_b")
    actions = {f"({word} {name})" for word in ("Do-It", "do_it") for name in names}
    assert {line for line in lines if line.startswith("(")} == actions
    assert run("validate", "problem.pddl", "plan.ipc", cwd=tmp_path).returncode == 0


def test_an_empty_goal_needs_nothing(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN.read_text())
    text = BLOCKS.read_text().partition("(:goal")[0] + "(:goal (and)))"
    (tmp_path / "problem.pddl").write_text(text)
    for words in ([], ["--engine", "bfs"], ["-e", "sequential"], ["--optimal", "actions"]):
        done = run("solve", "problem.pddl", *words, "--json", "-o", "plan.ipc", cwd=tmp_path)
        assert (json.loads(done.stdout)["outcome"], done.returncode) == ("optimal", 0), words
        assert (tmp_path / "plan.ipc").read_text() == "; cost = 0 (unit cost)\n"


def test_comparing_goes_by_problems() -> None:
    second = str(BLOCKS.with_name("blocks-2.pddl"))
    words = ["compare", str(DOMAIN), str(BLOCKS), second, "--horizon", "2", "--csv"]
    done = run(*words, "-e", "exists", "-e", "forall")
    rows = [(row["instance"], row["encoding"]) for row in csv.DictReader(StringIO(done.stdout))]
    names = ("blocks-1", "blocks-2")
    assert rows == [(name, encoding) for name in names for encoding in ("exists", "forall")]
    done = run("compare", str(BLOCKS), str(DOMAIN), "--horizon", "2", "--csv", "--solve")
    rows = [(row["instance"], row["encoding"]) for row in csv.DictReader(StringIO(done.stdout))]
    # The default is the base of the ratios; cheapest means something else by a horizon.
    assert rows == [("blocks-1", name) for name in ("exists", "forall", "relaxed", "sequential")]
    done = run("compare", "blocks-1", "--horizon", "2", "--csv", "-e", "cheapest")
    assert [row["encoding"] for row in csv.DictReader(StringIO(done.stdout))] == ["cheapest"]


def test_profile_and_analyse() -> None:
    words = [str(DOMAIN), str(BLOCKS)]
    done = run("profile", *words, "--steps", "forall", "--horizon", "3", "--json")
    assert json.loads(done.stdout)["rules"]
    done = run("analyse", *words, "--json")
    assert json.loads(done.stdout)["distance"] == 6


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        (
            "(door kitchen kitchen)",
            "there is no plan (the goal requires (door kitchen kitchen), which no action makes "
            "true)",
        ),
        (
            "(and (ball-in red hall) (ball-in red kitchen))",
            "there is no plan (the goal requires atoms that can never hold together)",
        ),
    ],
)
def test_unexplored_states_are_not_counted(goal: str, why: str, tmp_path: Path) -> None:
    gripper = Path(find_instance("gripper-1"))
    text = gripper.read_text().partition("(:goal")[0]
    (tmp_path / "problem.pddl").write_text(f"{text}(:goal {goal}))")
    domain = str(gripper.with_name("domain.pddl"))
    done = run("analyse", domain, "problem.pddl", "--json", cwd=tmp_path)
    said = f"asplan: the state space was not explored: the task was not grounded, since {why}\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_a_goal_that_always_holds_leaves_all_states(tmp_path: Path) -> None:
    gripper = Path(find_instance("gripper-1"))
    text = gripper.read_text().partition("(:goal")[0]
    (tmp_path / "problem.pddl").write_text(f"{text}(:goal (door kitchen hall)))")
    counts = []
    for problem in ("problem.pddl", str(gripper)):
        domain = str(gripper.with_name("domain.pddl"))
        done = run("analyse", domain, problem, "--json", cwd=tmp_path)
        counts.append(json.loads(done.stdout)["states"])
    assert counts[0] == counts[1]


def test_states_may_differ_in_atoms_irrelevant_to_the_goal(tmp_path: Path) -> None:
    text = BLOCKS.read_text().partition("(:goal")[0]
    (tmp_path / "problem.pddl").write_text(f"{text}(:goal (and)))")
    data = json.loads(run("analyse", str(DOMAIN), "problem.pddl", "--json", cwd=tmp_path).stdout)
    # Three blocks make 13 towers; with one of three in the arm the others make 3.
    assert (data["states"], data["distances"]) == (13 + 3 * 3, [22])


def test_pddl_is_described() -> None:
    assert "blocks-1" in run("list", "instances").stdout
    assert "--steps" in run("solve", "--help").stdout
    assert "pddl" in run("convert", "--help").stdout.lower()
    assert set(entries("asplan.commands")) >= {"solve", "validate", "convert"}


def test_all_actions_of_a_plan_count(tmp_path: Path) -> None:
    """The goal must hold after the last action; an earlier step is not enough."""
    (
        tmp_path / "domain.pddl"
    ).write_text("""(define (domain lamp) (:requirements :adl) (:predicates (lit))
      (:action press :parameters () :precondition (not (lit)) :effect (lit))
      (:action pull :parameters () :precondition (lit) :effect (not (lit))))""")
    (tmp_path / "problem.pddl").write_text(
        "(define (problem p) (:domain lamp) (:init) (:goal (lit)))"
    )
    assert run("convert", "problem.pddl", "-o", "task.lp", cwd=tmp_path).returncode == 0
    refused = "asplan: after step 2 the goal does not hold: {}\n" + (
        "  it holds after step 1: leave out the steps after that\n"
    )
    (tmp_path / "plan.ipc").write_text("(press)\n(pull)\n")
    words = ["validate", "domain.pddl", "problem.pddl", "plan.ipc"]
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == refused.format("(lit) does not hold")
    (tmp_path / "plan.txt").write_text("press\npull\n")
    done = run("validate", "task.lp", "plan.txt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    (tmp_path / "plan.ipc").write_text("(press)\n(pull)\n(press)\n")
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "valid: the goal holds after step 3 of 3\n")
