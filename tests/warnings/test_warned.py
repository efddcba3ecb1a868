"""Warnings on the command line: their output, the switches, and formats for CI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from asplan.warnings.catalogue import CATALOGUE
from conftest import HERE, run

SLIPS = HERE / "warnings" / "slips"
WARNING = (
    "goal_without_time.lp:13:1: warning: this condition of the goal, dirty(R), is the same at all "
    "times; add the time t to the predicates that steps change [static-goal]\n"
    "goal_without_time.lp:13:14: warning: nothing defines dirty/1, so dirty(R) is never true; "
    "there is dirty/2 [undefined]\n"
)


def test_check_prints_a_line_for_each() -> None:
    done = run("check", "goal_without_time.lp", cwd=SLIPS)
    assert (done.stdout, done.stderr, done.returncode) == (WARNING, "", 1)


def test_check_of_a_correct_program() -> None:
    done = run("check", "vacuum.lp", cwd=HERE / "warnings" / "correct")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_shipped_programs_have_no_warnings() -> None:
    for words in (("sample02",), ("sample02", "-e", "origin"), ("blocks-1",)):
        done = run("check", *words)
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.parametrize("words", [("--format", "json"), ("--json",)])
def test_check_as_json(words: tuple[str, ...]) -> None:
    done = run("check", "goal_without_time.lp", *words, cwd=SLIPS)
    assert json.loads(done.stdout)[1] == {
        "code": "undefined",
        "file": "goal_without_time.lp",
        "line": 13,
        "column": 14,
        "text": "nothing defines dirty/1, so dirty(R) is never true",
        "hint": "there is dirty/2",
        "doubt": True,
    }


def test_check_as_sarif() -> None:
    """The log has the parts that the schema of SARIF 2.1.0 requires."""
    done = run("check", "goal_without_time.lp", "--format", "sarif", cwd=SLIPS)
    log = json.loads(done.stdout)
    assert (log["version"], log["$schema"]) == (
        "2.1.0",
        "https://json.schemastore.org/sarif-2.1.0.json",
    )
    (only,) = log["runs"]
    driver = only["tool"]["driver"]
    assert driver["name"] == "asplan"
    assert [rule["id"] for rule in driver["rules"]] == list(CATALOGUE)
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert only["results"][1] == {
        "ruleId": "undefined",
        "level": "warning",
        "message": {"text": "nothing defines dirty/1, so dirty(R) is never true; there is dirty/2"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "goal_without_time.lp"},
                    "region": {"startLine": 13, "startColumn": 14},
                }
            }
        ],
    }


def test_solve_doubts_its_answer() -> None:
    done = run("solve", "goal_without_time.lp", cwd=SLIPS)
    assert "\n".join(done.stdout.splitlines()[:7]) == (
        "goal_without_time · goal_without_time.lp · asp\n\nnothing to do\n\n"
        "optimal for the program as written; 2 warnings above (the goal holds at the start)\n"
        "plan checked: replayed in a fresh clingo\n"
        "to see why the goal needs no step: asplan explain goal_without_time.lp"
    )
    assert done.stderr == (
        "asplan: warning: goal_without_time.lp:13:1: this condition of the goal, dirty(R), is the "
        "same at all times [static-goal]\n  add the time t to the predicates that steps change\n"
        "asplan: warning: goal_without_time.lp:13:14: nothing defines dirty/1, so dirty(R) is "
        "never true [undefined]\n  there is dirty/2\n"
    )
    assert done.returncode == 0


def test_a_warning_without_doubt_leaves_the_verdict() -> None:
    done = run("solve", "constant_fluent.lp", cwd=SLIPS)
    assert "\noptimal (" in done.stdout
    assert "[unchanged]" in done.stderr


@pytest.mark.parametrize("name", sorted(file.name for file in SLIPS.glob("*.lp")))
def test_no_slip_is_green(name: str) -> None:
    done = run("solve", name, "--max-horizon", "6", "--json", cwd=SLIPS)
    if done.returncode == 2:  # it is refused, by clingo at the latest
        return
    assert done.stderr.startswith("asplan: warning: ")
    result = asplan.from_json(json.loads(done.stdout))
    if result.outcome is not asplan.Outcome.UNKNOWN:
        doubt = {"unset-external", "unread-action", "unchanged", "no-atoms", "hidden-actions"}
        is_minor = {warning.code for warning in result.warnings} <= doubt
        assert is_minor or result.verdict.startswith(f"{result.outcome} for the program as written")


def test_json_has_them() -> None:
    done = run("solve", "misspelt_action.lp", "--json", cwd=SLIPS)
    (warning,) = json.loads(done.stdout)["warnings"]
    assert (warning["code"], warning["line"], warning["column"]) == ("undefined", 11, 4)
    assert asplan.from_json(json.loads(done.stdout)).is_doubtful


def test_a_switch() -> None:
    words = ("-W", "no-undefined", "-W", "no-static-goal")
    done = run("check", "goal_without_time.lp", *words, cwd=SLIPS)
    assert (done.stdout, done.returncode) == ("", 0)
    done = run("solve", "goal_without_time.lp", *words, cwd=SLIPS)
    assert (done.stderr, done.returncode) == ("", 0)
    assert asplan.solve(SLIPS / "misspelt_action.lp", switches=["no-undefined"]).warnings == ()


@pytest.mark.parametrize("command", ["check", "solve"])
def test_a_switch_that_there_is_not(command: str) -> None:
    done = run(command, "goal_without_time.lp", "-W", "no-undefinde", cwd=SLIPS)
    assert done.stderr == (
        "asplan: -W no-undefinde switches no warning off\n"
        "  did you mean no-undefined or no-unread or no-undefined-constant?\n"
    )
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [("", " % asplan: no-undefined"), ("% asplan: no-undefined, no-unread\n", "")],
    ids=["in its line", "in the file"],
)
def test_a_comment(tmp_path: Path, before: str, after: str) -> None:
    text = (SLIPS / "misspelt_action.lp").read_text()
    slip = ":- ocurs(go(R),t), at(R,t-1)."
    assert slip in text
    file = tmp_path / "a.lp"
    file.write_text(before + text.replace(slip, slip + after))
    assert asplan.find_warnings(file) == ()


def test_a_comment_of_another_line(tmp_path: Path) -> None:
    text = (SLIPS / "misspelt_action.lp").read_text()
    file = tmp_path / "a.lp"
    file.write_text(text.replace("#show occurs/2.", "#show occurs/2. % asplan: no-undefined"))
    assert [warning.code for warning in asplan.find_warnings(file)] == ["undefined"]


def test_explain_has_them() -> None:
    done = run("explain", "misspelt_fluent.lp", "--horizon", "2", cwd=SLIPS)
    assert "misspelt_fluent.lp:9:33: nothing defines claened/2" in done.stderr
    done = run("explain", "misspelt_fluent.lp", "--horizon", "2", "--json", cwd=SLIPS)
    first = json.loads(done.stdout)["warnings"][0]
    assert (first["code"], first["line"], first["column"]) == ("undefined", 9, 33)


def test_validate_has_them(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(run("solve", "misspelt_action.lp", "--json", cwd=SLIPS).stdout)
    done = run("validate", "misspelt_action.lp", str(plan), cwd=SLIPS)
    assert "misspelt_action.lp:11:4: nothing defines ocurs/2" in done.stderr
    assert done.returncode == 0


def test_a_fluent_with_several_values(tmp_path: Path) -> None:
    """Only the plan shows that nothing limits the actions."""
    file = tmp_path / "a.lp"
    file.write_text(SEVERAL)
    (warning,) = asplan.solve(file).warnings
    assert str(warning).partition("a.lp:")[2] == (
        "6:1: after step 1 of the plan both at(1) and at(3) are true [several-values]\n"
        "  at the start only one is true; does a rule limit the actions of a step?"
    )
    assert asplan.solve(file, switches=["no-several-values"]).warnings == ()
    file.write_text(SEVERAL.replace("room(R) }.", "room(R) } 1.").replace("near(2,3)", "near(1,3)"))
    assert asplan.solve(file).warnings == ()


SEVERAL = """room(1..3). near(2,1). near(2,3). at(2,0).
#program step(t).
{ go(R,t) : room(R) }.
:- go(R,t), at(S,t-1), not near(S,R).
at(R,t) :- go(R,t).
at(R,t) :- at(R,t-1), not moved(t).
moved(t) :- go(_,t).
been(R,t) :- at(R,t).
been(R,t) :- been(R,t-1).
#program check(t).
:- query(t), not been(1,t).
:- query(t), not been(3,t).
#show go/2.
"""


@pytest.mark.parametrize("command", ["check", "solve"])
def test_errors_of_clingo_are_no_warnings(command: str, tmp_path: Path) -> None:
    """A head of another time and a variable that nothing binds: the error alone is printed."""
    text = (SLIPS / "earlier_effect.lp").read_text()
    file = tmp_path / "a.lp"
    file.write_text(text + "#program step(t).\nclean(R,t) :- occurs(clean,t).\n")
    done = run(command, "a.lp", cwd=tmp_path)
    assert "R is unsafe" in done.stderr
    assert "late-head" not in done.stdout + done.stderr
    assert done.returncode == 2
