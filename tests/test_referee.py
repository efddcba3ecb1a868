"""A domain's own model looks at the plans of anybody's program for its instances."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.catalog import find_encoding, find_instance
from asplan.result import Opinion
from asplan.stored import from_json, to_json
from conftest import crossed, run

AGREES = "plan checked: replayed in a fresh clingo; {}'s own model agrees\n"
ANOTHER = "\n  if the game of the program is not {0}, use -W no-referee\n"

THROUGH = "position(t-1,C,X,Y), car(C,N,h), free(t-1,X,Y+N)"
"""What makes a car wait for a free cell, in `origin`."""

RIGHT: dict[str, tuple[str, str, dict[str, str]]] = {
    "rush_hour": ("two_cars", "origin", {}),
    "sliding_tiles": ("eight05", "moves", {}),
    "brain_twist": ("twist03", "turns", {}),
}
# What is changed in a shipped encoding, and what the model says of the plan.
WRONG = [
    (
        ("two_cars", "origin", {THROUGH: THROUGH.replace("free(t-1,X,Y+N)", "open(X,Y+N)")}),
        "step 2: move(r,right,1) does not apply: car b is at (3,4)",
    ),
    (
        ("two_cars", "origin", {"target(C,X,Y).": "target(C,X,Y+1)."}),
        "after step 5 the goal does not hold: car r is at (3,4) and not at (3,5)",
    ),
    (
        ("solved", "origin", {"target(C,X,Y).": "target(C,X,Y+1)."}),
        "the goal holds after step 0 of 1 already",
    ),
]


def own(folder: Path, encoding: str, changes: dict[str, str]) -> str:
    """A shipped encoding with changes, as somebody's own."""
    found = find_encoding(encoding, None) if encoding != "moves" else None
    path = found.path if found else find_encoding("sliding_tiles/moves", "sliding_tiles").path
    text = path.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "own.lp").write_text(text)
    return str(folder / "own.lp")


@pytest.mark.parametrize(("domain", "is_whole"), crossed([*RIGHT], [False, True]))
def test_the_model_agrees_and_shows_the_plan(tmp_path: Path, domain: str, is_whole: bool) -> None:
    instance, encoding, changes = RIGHT[domain]
    words = ["-e", own(tmp_path, encoding, changes)]
    facts = Path(find_instance(instance)).read_text()
    if is_whole:
        whole = tmp_path / "whole.lp"
        whole.write_text(f"{facts}\n{Path(words[1]).read_text()}")
        instance, words = str(whole), []
    picture = tmp_path / "plan.svg"
    done = run("solve", instance, *words, "-o", str(picture))
    assert done.stderr.startswith(f"asplan: {picture} is written: step 0, ")
    assert AGREES.format(domain) in done.stdout
    assert "before" in done.stdout
    assert picture.exists()


@pytest.mark.parametrize(("program", "why"), WRONG)
def test_the_model_refuses_with_a_reason(
    tmp_path: Path, program: tuple[str, str, dict[str, str]], why: str
) -> None:
    instance, *given = program
    done = run("solve", instance, "-e", own(tmp_path, *given))
    assert done.returncode == 0
    assert done.stderr == (
        f"asplan: warning: {why}; rush_hour's own model refuses the plan [referee]"
        + ANOTHER.format("rush_hour")
    )
    assert "rush_hour's own model refuses it\n" in done.stdout
    assert "before" not in done.stdout
    switched = run("solve", instance, "-e", own(tmp_path, *given), "-W", "no-referee")
    assert (switched.returncode, switched.stderr) == (0, "")


def test_the_reason_is_not_that_of_a_variant_where_there_is_a_better_one(tmp_path: Path) -> None:
    """A car that jumps over another does so in no variant."""
    (tmp_path / "jump.lp").write_text(
        "#program step(t). occurs(move(r,right,4),t). #program check(t). :- query(t), t < 1."
    )
    done = run("solve", "two_cars", "-e", str(tmp_path / "jump.lp"), "-W", "no-unread-fact")
    why = "step 1: move(r,right,4) does not apply: car b is at (3,4)"
    assert done.stderr.startswith(f"asplan: warning: {why}; rush_hour's own model refuses")


BOARD = "grid(1,1..4). car(r,2,h). position(0,r,1,1)."
PROGRAM = "{facts} #program step(t). {rules} #program check(t). :- query(t), t < {steps}."
SLIDES = {"metric": "slide"}
OPINIONS = [
    (BOARD, "occurs(move(r,right,1),t).", 2, Opinion("rush_hour", True)),
    (BOARD, "occurs(move(r,right,2),t).", 1, Opinion("rush_hour", True, SLIDES)),
    (f"{BOARD} #const metric=slide.", "occurs(move(r,right,2),t).", 1, Opinion("rush_hour", True)),
    (BOARD, "occurs(roll(r,2),t).", 1, Opinion("rush_hour", None)),
    (BOARD, "occurs((move(r,right,1);honk),t).", 2, Opinion("rush_hour", False)),
    # What only looks like the facts of a domain.
    (BOARD.replace("0,r,1,1", "0,r,1,9"), "occurs(move(r,right,1),t).", 2, None),
    (f"{BOARD} position(0,1,a,b).", "occurs(move(r,right,1),t).", 2, None),
    (f"{BOARD} #const metric=3.", "occurs(move(r,right,1),t).", 2, None),
    ("{ grid(1,1..4) }. car(r,2,h). position(0,r,1,1).", "occurs(a,t).", 1, None),
    ("on(0,a,b). on(0,c,d).", "occurs(a,t).", 1, None),
]


@pytest.mark.parametrize(("facts", "rules", "steps", "opinion"), OPINIONS)
def test_opinions(facts: str, rules: str, steps: int, opinion: Opinion | None) -> None:
    result = asplan.solve(text=PROGRAM.format(facts=facts, rules=rules, steps=steps))
    assert (result.validated, result.referee) == ("replay", opinion)
    assert from_json(to_json(result)).referee == opinion
    rules = result.trajectory.rules if result.trajectory else None
    agrees = opinion is not None and opinion.agrees
    assert (rules or "").endswith("rush_hour/draw.lp" if agrees else "")


def test_every_plan_is_looked_at() -> None:
    """The first goes back and forth for a step too many; of the others some are refused."""
    rules = "{ occurs(move(r,(left;right),1),t) } = 1."
    result = asplan.solve(
        text=PROGRAM.format(facts=BOARD, rules=rules, steps=2), mode="fixed", horizon=2, models=0
    )
    assert len(result.plans) == 4
    assert result.referee == Opinion("rush_hour", False)
    found = [warning for warning in result.warnings if warning.code == "referee"]
    assert [warning.doubt for warning in found] == [True]


def test_an_author_who_has_drawing_rules_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text("canvas(1,1). rect(T,X,0,0,1,1) :- holds(me(X),T).")
    (tmp_path / "own.lp").write_text(
        "#program step(t). occurs(move(r,right,1),t). #program check(t). holds(me(t),t). "
        ":- query(t), t < 2."
    )
    (tmp_path / "board.lp").write_text(BOARD)
    result = asplan.solve(tmp_path / "board.lp", encoding=tmp_path / "own.lp")
    assert result.trajectory is not None
    assert tuple(result.trajectory.states) == (("me(0)",), ("me(1)",), ("me(2)",))
    assert result.trajectory.boards == ("r r . .", ". . r r")
    assert result.trajectory.rules == str(tmp_path / "draw.lp")


def test_a_stored_plan_is_drawn_as_well(tmp_path: Path) -> None:
    instance, encoding, changes = RIGHT["rush_hour"]
    stored = tmp_path / "plan.json"
    stored.write_text(
        run("solve", instance, "-e", own(tmp_path, encoding, changes), "--json").stdout
    )
    done = run("render", str(stored), "-o", str(tmp_path / "plan.svg"))
    assert done.returncode == 0
    assert done.stderr.startswith(f"asplan: {tmp_path}/plan.svg is written: step 0, ")
