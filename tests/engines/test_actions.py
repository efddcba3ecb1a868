"""Plans with actions of any name: one problem in many styles."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from clingo import Control, Function, Number

import asplan
from conftest import HERE, run

BASE = """
box(1..2). loc(1..3). at(B,B,0) :- box(B). goal(1,3). goal(2,1).
#program step(t).
"""
REST = """
moved(B,t) :- moves(B,_,t).
at(B,L,t) :- moves(B,L,t).
at(B,L,t) :- at(B,L,t-1), not moved(B,t).
:- at(A,L,t), at(B,L,t), A < B.
#program check(t).
:- query(t), goal(B,L), not at(B,L,t).
"""
HIDE = "#show move/3."

STYLES = {
    "occurs": "{ occurs(move(B,L),t) : box(B), loc(L) } 1. moves(B,L,t) :- occurs(move(B,L),t). "
    "#show occurs/2.",
    "time last": f"{{ move(B,L,t) : box(B), loc(L) }} 1. moves(B,L,t) :- move(B,L,t). {HIDE}",
    "time first": f"{{ move(t,B,L) : box(B), loc(L) }} 1. moves(B,L,t) :- move(t,B,L). {HIDE}",
    "another name of time": f"{{ move(B,L,T) : box(B), loc(L) }} 1 :- T = t. "
    f"moves(B,L,T) :- move(B,L,T), T = t. {HIDE}",
    "another parameter": "#program step(k). { move(B,k,L) : box(B), loc(L) } 1. "
    f"moves(B,L,k) :- move(B,k,L). #program step(t). {HIDE}",
    "action language": f"{{ move(B,L,t-1) : box(B), loc(L) }} 1. moves(B,L,t) :- move(B,L,t-1). "
    f"{HIDE}",
    "chosen in parts": "{ take(B,t) : box(B) } 1. 1 { put(L,t) : loc(L) } 1 :- take(B,t). "
    f"move(B,L,t) :- take(B,t), put(L,t). moves(B,L,t) :- move(B,L,t). {HIDE}",
    "several": "{ one(L,t) : loc(L); two(L,t) : loc(L) } 1. moves(1,L,t) :- one(L,t). "
    "moves(2,L,t) :- two(L,t). #show one/2. #show two/2.",
    "denied": "move(B,L,t) :- box(B), loc(L), not stay(B,L,t). "
    "stay(B,L,t) :- box(B), loc(L), not move(B,L,t). :- move(B,L,t), move(C,M,t), (B,L) < (C,M). "
    f"moves(B,L,t) :- move(B,L,t). {HIDE}",
    "a term": "{ move(B,L,t) : box(B), loc(L) } 1. moves(B,L,t) :- move(B,L,t). "
    "#show. #show move(B,L,T) : move(B,L,T).",
    "hidden, but said": "{ move(B,L,t) : box(B), loc(L) } 1. moves(B,L,t) :- move(B,L,t). "
    "#show at/3. #program base. asplan(action(move,3)). #program step(t).",
    "besides": "{ move(B,L,t) : box(B), loc(L) } 1. moves(B,L,t) :- move(B,L,t). "
    "#show move/3. #show moved/2. #program base. occurs(B,0) :- box(B). #program step(t).",
}
NAMES = {"occurs", "move", "one", "two"}


def program(style: str) -> str:
    return BASE + STYLES[style] + REST


def by_hand(text: str) -> tuple[int, int]:
    """The least horizon and the number of its plans, found by clingo's own loop."""
    for horizon in range(9):
        control = Control(["0", "--warn=none"])
        control.add("base", [], text)
        control.add("check", ["t"], "#external query(t).")
        control.ground([("base", []), ("check", [Number(0)])])
        for t in range(1, horizon + 1):
            control.ground([("step", [Number(t)]), ("check", [Number(t)])])
        control.assign_external(Function("query", [Number(horizon)]), True)
        plans = set()
        with control.solve(yield_=True) as handle:
            for model in handle:
                atoms = model.symbols(atoms=True)
                plans.add(frozenset(s for s in atoms if s.name in NAMES and len(s.arguments) > 1))
        if plans:
            return horizon, len(plans)
    raise AssertionError("no plan")


@pytest.mark.parametrize("style", STYLES)
def test_styles_have_the_same_plans(style: str) -> None:
    horizon, number = by_hand(program(style))
    for engine in ("asp", "sat"):
        found = asplan.solve(text=program(style), engine=engine, models=0)
        assert (found.outcome, found.horizon, len(found.plans)) == ("optimal", horizon, number)
        assert found.validated == "replay"
    for engine in ("bfs", "pdr", "auto", "portfolio"):
        found = asplan.solve(text=program(style), engine=engine)
        assert (found.outcome, found.horizon, found.validated) == ("optimal", horizon, "replay")
    if style not in ("several", "hidden, but said"):
        assert {a.partition("(")[0] for plan in found.plans for a in plan.actions} == {"move"}


@pytest.mark.parametrize("mode", ["fixed", "minimize"])
@pytest.mark.parametrize("style", ["time first", "action language", "chosen in parts"])
def test_one_shot_modes(style: str, mode: str) -> None:
    text = program(style) + "#program base. asplan(monotone)."
    found = asplan.solve(text=text, mode=mode, horizon=4)
    assert (len(found.plan or ()), found.validated) == (found.horizon, "replay")
    assert mode == "fixed" or (found.outcome, found.horizon) == ("optimal", by_hand(text)[0])


def test_atoms_are_the_authors_and_in_order_of_time() -> None:
    found = asplan.solve(text=program("time last"))
    assert found.plan is not None
    assert found.trajectory is not None
    assert {atom.partition("(")[0] for atom in found.atoms} == {"move"}
    assert found.trajectory.timed == ()
    steps = "n(0,0). #program step(t). 1 { n(X+1,t); n(X,t) } 1 :- n(X,t-1). "
    counting = asplan.solve(text=f"{steps} #program check(t). :- query(t), not n(11,t).")
    assert counting.trajectory is not None
    assert counting.plans == ()
    assert [time for time, _ in counting.trajectory.timed] == list(range(12))


def test_answers_without_actions_are_counted() -> None:
    text = "p(0). #program step(t). 1 { p(t); q(t) } 1 :- p(t-1). #program check(t). "
    found = asplan.solve(text=f"{text} #show p/1. :- query(t), t < 2.", models=0)
    assert found.plans == ()
    assert found.reason.endswith("the first of 3 answer sets is shown")


def test_a_stored_plan_is_checked(tmp_path: Path) -> None:
    file, plan = tmp_path / "boxes.lp", tmp_path / "plan.json"
    file.write_text(program("time first"))
    plan.write_text(run("solve", str(file), "--json").stdout)
    assert run("validate", str(file), str(plan)).stdout.startswith("valid: the goal holds after")
    changes = {
        "move(1,1)": "step 1: move(1,1) contradicts the encoding",
        "fly(1,3)": "step 1: fly(1,3) is not an action of the encoding at this step",
        "at(1,3)": "step 1: at(1,3) is not an action of the encoding at this step",
        "7": "step 1: 7 is not an action of the encoding at this step",
    }
    stored = json.loads(plan.read_text())
    blocked = "2" if stored["plan"][0][0].startswith("move(1") else "1"
    changes["move(1,1)"] = f"step 1: move({blocked},{3 - int(blocked)}) contradicts the encoding"
    for action, said in changes.items():
        changed = said.split()[2]
        steps = [[changed], *stored["plan"][1:]]
        plan.write_text(json.dumps(stored | {"plan": steps, "plans": [steps]}))
        wrong = run("validate", str(file), str(plan))
        assert (wrong.returncode, wrong.stderr) == (4, f"asplan: {said}\n"), action


def test_swapped_arguments_of_an_action_are_named(tmp_path: Path) -> None:
    file, plan = tmp_path / "ferry.lp", tmp_path / "plan.txt"
    text = "at(shore,0). boat(1). place(shore;isle). #program step(t). "
    text += "{ sail(B,P,t) : boat(B), place(P) } = 1. at(P,t) :- sail(_,P,t). "
    text += "#program check(t). :- query(t), not at(isle,t)."
    file.write_text(text)
    said = "is not an action of the encoding at this step\n"
    for action, hint in [
        ("sail(isle,1)", "  did you mean sail(1,isle)?\n"),
        ("sail(isle,2)", ""),
        ("row(isle,1)", ""),
        ("isle", ""),
    ]:
        plan.write_text(f"{action}\n")
        done = run("validate", str(file), str(plan))
        assert done.stderr == f"asplan: step 1: {action} {said}{hint}"


def test_a_plan_is_drawn_and_explained(tmp_path: Path) -> None:
    file = tmp_path / "boxes.lp"
    file.write_text(program("time last"))
    (tmp_path / "draw.lp").write_text(
        "canvas(9,9). appears(b(B,L)) :- occurs(move(B,L),T).\n"
        "rect(T,b(B,L),2*L,1,1,1) :- occurs(move(B,L),T).\n"
    )
    svg, html = tmp_path / "x.svg", tmp_path / "x.html"
    done = run("solve", str(file), "-o", str(svg), "-o", str(html))
    assert done.returncode == 0, done.stderr
    assert "move(" in html.read_text(encoding="utf-8")
    assert svg.exists()
    found = asplan.explain(file, horizon=1)
    assert found.relaxed is not None
    assert found.relaxed.plan.actions[0].startswith("move(")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("move(1,2)\n")
    refused = asplan.explain(file, plan=str(wrong))
    assert refused.refusal is not None
    assert refused.refusal.step == 1


REFUSED = {
    "move": "--action move: an action is named NAME/ARITY\n"
    "  for move(a,b,t) write move/3: the time counts as an argument",
    "mvoe/3": "--action mvoe/3: no rule of step(t) derives or chooses it\n"
    "  did you mean move/3 or moves/3 or moved/2?",
    "box/1": "--action box/1: no rule of step(t) derives or chooses it\n  did you mean soon/1?",
    "still/1": "--action still/1: none of its arguments is the time t",
    "soon/1": "--action soon/1: rules derive it at other times than t or t-1",
}


@pytest.mark.parametrize("named", REFUSED)
def test_terms_that_are_no_actions_are_refused(named: str) -> None:
    text = program("time last").replace("moved(B,t) :-", "still(1). soon(t+1). moved(B,t) :-")
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve(text=text, actions=[named])
    assert str(caught.value) == REFUSED[named]
    found = asplan.solve(text=text, actions=["moves/3"])
    assert found.plan is not None
    assert found.plan.actions[0].startswith("moves(")


def test_wrong_facts_about_actions_are_refused() -> None:
    for said, message in {
        "asplan(action(mvoe,3)).": "<text>:1:1: mvoe/3 is not an action: no rule of step(t) "
        "derives or chooses it\n  did you mean move/3 or moves/3 or moved/2?",
        "asplan(action(move)).": "<text>:1:1: asplan(action(move)) must be written as "
        "asplan(action(NAME,ARITY))",
        "asplan(action(X,3)) :- box(X).": "<text>:1:1: asplan(action(X,3)) must be known before "
        "anything is grounded\n  write it as a fact of the part base, without a body",
        'asplan(action("move",3)).': '<text>:1:1: asplan(action("move",3)) must be written as '
        "asplan(action(NAME,ARITY))",
    }.items():
        with pytest.raises(asplan.InputError) as caught:
            asplan.solve(text=said + program("time last"))
        assert str(caught.value) == message


def test_the_command_line_names_actions(tmp_path: Path) -> None:
    file = tmp_path / "boxes.lp"
    text = program("hidden, but said").replace("asplan(action(move,3)).", "")
    file.write_text(text.replace("#show at/3.", "#show box/1."))
    still = run("solve", str(file), "--json")
    assert json.loads(still.stdout)["plans"] == []
    found = run("solve", str(file), "--action", "move/3", "--json")
    assert json.loads(found.stdout)["horizon"] == len(json.loads(found.stdout)["plan"])
    assert ("hidden-actions" in still.stderr, "hidden-actions" in found.stderr) == (True, False)
    alone = run("analyse", "two_cars", "--action", "move/3")
    assert (alone.returncode, alone.stderr) == (
        2,
        "asplan: --action move/3 needs a program, but only an instance is given\n"
        "  name an encoding with -e\n",
    )


# The shipped encodings with `occurs(move(A,…),t)` written as `move(A,…,t)`.

RENAMED = {
    "rush_hour/origin": ("two_cars", "sample01"),
    "rush_hour/independent_blocks": ("two_cars",),
    "hanoi/hanoi": ("towers3", "towers4"),
    "sliding_tiles/moves": ("eight05",),
    "robots/robots": ("six_robots",),
    "blocks/blocks": ("sussman",),
    "logistics/logistics": ("five_packages",),
    "pancakes/pancakes": ("seven",),
    "recolouring/recolouring": ("nine_vertices",),
    "river/river": ("wolf_goat_cabbage",),
}
ACTION = re.compile(r"occurs\((\w+)\(([^()]*)\),([tn])\)")


@pytest.mark.parametrize(
    ("encoding", "instance"), [(e, i) for e, several in RENAMED.items() for i in several]
)
def test_names_make_no_difference(encoding: str, instance: str, tmp_path: Path) -> None:
    text = (HERE.parent / "encodings" / f"{encoding}.lp").read_text(encoding="utf-8")
    text = re.sub(r"%.*", "", text)
    names = {f"{m[1]}/{m[2].count(',') + 2}" for m in ACTION.finditer(text)}
    text = ACTION.sub(r"\1(\2,\3)", text).replace("occurs/2", ". #show ".join(sorted(names)))
    assert "occurs" not in text
    renamed = tmp_path / "renamed.lp"
    renamed.write_text(text)
    folder = encoding.partition("/")[0]
    for engine in ("asp", "sat"):
        first, second = (
            asplan.solve(f"{folder}/{instance}", encoding=e, engine=engine)
            for e in (encoding, str(renamed))
        )
        assert (first.outcome, first.horizon) == (second.outcome, second.horizon)
        assert second.plan is not None
        assert second.validated in ("replay", "model")
