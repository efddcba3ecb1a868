"""The roles that asplan finds in a program are those that its author meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asplan.problem import Inputs, load
from asplan.program.roles.understanding import describe_roles
from conftest import run

TEMPLATES = Path(__file__).parents[2] / "templates"

LAMPS = """\
#program base.
lamp(1..2).
lit(1,0).
#program step(t).
{ press(L,t) : lamp(L) } 1.
lit(L,t) :- press(L,t).
lit(L,t) :- lit(L,t-1).
#program check(t).
:- query(t), lamp(L), not lit(L,t).
#show press/2.
"""


def roles_of(*files: Path) -> list[tuple[str, str, int]]:
    """The roles, the texts and the lines that asplan finds."""
    problem = load(Inputs(tuple(map(str, files))))
    return [
        (role.role, role.text, role.at.line if role.at else 0)
        for role in describe_roles(problem.written_program)
    ]


def test_a_program_in_parts(tmp_path: Path) -> None:
    file = tmp_path / "lamps.lp"
    file.write_text(LAMPS)
    assert roles_of(file) == [
        ("action", "press(L,t)", 5),
        ("fluent", "lit(L,t)", 6),
        ("initial state", "lit(1,0)", 3),
        ("static", "lamp(1..2)", 2),
        ("goal", ":- query(t), lamp(L), not lit(L,t).", 9),
    ]


def test_a_single_shot_program() -> None:
    folder = TEMPLATES / "crossing"
    found = roles_of(folder / "encoding.lp", folder / "instances" / "first.lp")
    assert [(role, text) for role, text, _ in found if role not in ("static", "fluent")] == [
        ("action", "cross(W,t)"),
        ("initial state", "at(X,left,0)"),
        ("goal", ":- moves(X), not at(X,right,horizon)."),
        ("horizon", "horizon"),
    ]
    assert {"eats/2", "item/1", "side/1"} <= {text for role, text, _ in found if role == "static"}


def test_a_program_for_telingo() -> None:
    folder = TEMPLATES / "elevator"
    found = roles_of(folder / "encoding.lp", folder / "instances" / "first.lp")
    actions = [text for role, text, _ in found if role == "action"]
    assert actions == ["enter(P,t)", "go(D,t)", "leave(P,t)"]
    goals = [text for role, text, _ in found if role == "goal"]
    assert goals == [":- _person(P,_,_), not arrived(P)."]
    assert not any(text.startswith("__") for _, text, _ in found)


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_shows_roles_beside_the_warnings(tmp_path: Path, form: str) -> None:
    (tmp_path / "lamps.lp").write_text(LAMPS.replace("press(L,t).", "presed(L,t)."))
    done = run("check", "lamps.lp", "--roles", "--format", form, cwd=tmp_path)
    assert done.returncode == 1
    if form == "json":
        data = json.loads(done.stdout)
        assert data["roles"][0] == {
            "role": "action",
            "text": "press(L,t)",
            "file": "lamps.lp",
            "line": 5,
            "column": 3,
        }
        assert "undefined" in [warning["code"] for warning in data["warnings"]]
    else:
        assert "action" in done.stdout
        assert "[undefined]" in done.stdout


def test_a_pddl_task_has_no_roles_to_find() -> None:
    done = run("check", "blocks-1", "--roles")
    assert done.returncode == 2
    assert done.stderr.startswith("asplan: --roles is for ASP programs")
