"""Explanations of broken programs, shipped programs, and wrong questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from asplan.explaining.explanation import Conflict, in_turn
from asplan.explaining.question import open_question
from asplan.explaining.unreachable import find_never
from asplan.problem import Inputs, load
from asplan.program.incremental import with_query
from conftest import run

BROKEN = Path(__file__).parents[2] / "docs" / "broken"
RIGHT = (BROKEN / "right.lp").read_text()
PLAN = asplan.Plan((("take",), ("go(2)",), ("go(3)",), ("go(4)",), ("drop",)))


def program(tmp_path: Path, old: str, new: str) -> Path:
    """The right program with a part of its text replaced, on as many lines."""
    assert old in RIGHT
    path = tmp_path / "courier.lp"
    path.write_text(RIGHT.replace(old, new))
    return path


def line(text: str) -> int:
    """The line of the right program that begins so."""
    return next(n for n, found in enumerate(RIGHT.split("\n"), 1) if found.startswith(text))


def test_the_right_program_is_accepted() -> None:
    found = asplan.explain(BROKEN / "right.lp", plan=PLAN)
    assert (found.accepted, found.refusal, found.warnings, found.model) == (True, None, (), None)


def test_a_plan_that_exists_is_no_mystery() -> None:
    found = asplan.explain(BROKEN / "right.lp", horizon=5)
    assert found.found == PLAN
    assert (found.excluded, found.conflict, found.relaxed, found.never) == (False, None, None, None)


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("", "", "No plan has 4 steps or fewer; a shortest plan has 5. Why not 4:"),
        (
            "holds(carried,t)       :-",
            "% holds :-",
            "There is no plan: none of the 8 reachable states is a goal. Why not of 10 steps:",
        ),
    ],
)
def test_the_question_is_chosen(tmp_path: Path, old: str, new: str, question: str) -> None:
    found = asplan.explain(program(tmp_path, old, new), time_limit=60)
    assert (found.question, found.excluded, found.found) == (question, True, None)
    assert found.conflict is not None
    assert f"{question}\n\nthese together exclude every plan" in str(found)


IDLE = "A plan of 0 steps exists, so there is nothing to explain: "
HELD = f"{IDLE}at time 0 no constraint of the goal is violated.\n\n"


def _warned(found: asplan.Explanation) -> str:
    """Return the warnings as the text of an explanation begins with them."""
    return "".join(f"warning: {warning}\n\n" for warning in found.warnings)


@pytest.mark.parametrize(
    ("goals", "text"),
    [
        (
            ":- query(t), not at(a,t).",
            HELD + "  idle.lp:2:20 goal\n      :- query(t), not at(a,t).",
        ),
        (
            ":- query(t), at(b,t). :- query(t), not at(a,t).",
            HELD
            + "  idle.lp:2:20 goal\n      :- query(t), at(b,t).\n"
            + "  idle.lp:2:42 goal\n      :- query(t), not at(a,t).",
        ),
        (":- at(c,t).", IDLE + "no constraint reads query(t), so nothing demands a goal."),
        ("due(t) :- query(t). :- due(t), at(b,t).", IDLE + "the goal holds at time 0."),
    ],
)
def test_a_plan_without_steps_needs_no_explanation(tmp_path: Path, goals: str, text: str) -> None:
    file = tmp_path / "idle.lp"
    file.write_text(
        "room(a;b;c). at(a,0). #program step(t). { go(R,t) : room(R) } = 1. at(R,t) :- go(R,t).\n"
        f"#program check(t). {goals}"
    )
    found = asplan.explain(file)
    assert (str(found).removeprefix(_warned(found)), found.found) == (text, asplan.Plan())


def test_a_plan_without_steps_comes_with_the_warnings_of_solve(tmp_path: Path) -> None:
    file = tmp_path / "idle.lp"
    file.write_text(
        "room(a;b). at(a,0). #program step(t). { go(R,t) : room(R) } = 1. at(R,t) :- go(R,t).\n"
        "#program check(t). :- query(t), at(c,t)."
    )
    assert [warning.code for warning in asplan.explain(file).warnings] == ["no-match"]
    plan = tmp_path / "plan.txt"
    plan.write_text("go(a)\n")
    done = run("validate", str(file), str(plan), "--json")
    assert [warning["code"] for warning in json.loads(done.stdout)["warnings"]] == ["no-match"]
    assert "[no-match]" in done.stderr


@pytest.mark.parametrize(
    ("goal", "suspect"),
    [
        (":- query(t), wanted(R), at(R,t).", "at(R,t)"),
        (":- query(t), wanted(R), not at(a,t), at(R,t).", None),
        (":- query(t), wanted(R), at(S,t), R = S.", None),
        (":- query(t), at(c,t).", None),
    ],
)
def test_a_goal_may_lack_a_not(tmp_path: Path, goal: str, suspect: str | None) -> None:
    """Name the fluent that the goal demands to be false, if other atoms bind its variables."""
    file = tmp_path / "inverted.lp"
    file.write_text(
        "room(a;b;c). at(a,0). wanted(c). #program step(t). { go(R,t) : room(R) } = 1.\n"
        f"at(R,t) :- go(R,t). #program check(t). {goal}"
    )
    found = asplan.explain(file)
    assert found.goals is not None
    (condition,) = found.goals.goals
    assert (condition.suspect and condition.suspect.text) == suspect
    question = "this goal demands that at(R,t) is false: is a `not` missing?"
    assert (question in str(found)) == (suspect is not None)


def test_limits_hold_while_the_question_is_chosen(tmp_path: Path) -> None:
    found = asplan.explain(program(tmp_path, "", ""), time_limit=0)
    assert found.stopped == "time"


def test_an_encoding_is_taken_that_can_be_explained() -> None:
    found = asplan.explain("two_cars", horizon=1)
    assert found.conflict is not None
    assert {Path(rule.at.file).name for rule in found.conflict.rules} == {"block_tuple.lp"}


WAITING = """
{said}
age(0,0).
#program step(t).
{{ occurs(water,t) }}.
:- occurs(water,t).
age(N+1,t) :- age(N,t-1), N < 2.
age(2,t) :- age(2,t-1).
#program check(t).
:- query(t), not age(2,t).
"""


@pytest.mark.parametrize(
    ("said", "horizon", "length"),
    [("asplan(monotone).", 2, 2), ("asplan(monotone).", 4, 2), ("", 4, 4)],
)
def test_waiting_is_a_step_of_a_plan(tmp_path: Path, said: str, horizon: int, length: int) -> None:
    path = tmp_path / "waiting.lp"
    path.write_text(WAITING.format(said=said))
    found = asplan.explain(path, horizon=horizon)
    assert found.found == asplan.Plan(((),) * length)


@pytest.mark.parametrize(
    ("old", "new", "step", "kind", "named"),
    [
        ("holds(carried,t)       :-", "% holds :-", 5, "constraint", ":- occurs(drop,t)"),
        (", X < Y.", ".", 1, "constraint", ":- holds(at(T,X),t)"),
        ("holds(at(parcel,X),t)  :-", "put(X,t) :-", 5, "goal", ":- query(t)"),
        ("room(X); occurs(take,t)", "room(X+1); occurs(take,t)", 4, "action", "{ occurs"),
        ("occurs(drop,t) } 1.", "occurs(drop,t) } 0.", 1, "constraint", "{ occurs"),
        ("; occurs(drop,t) }", " }", 5, "action", ""),
    ],
)
def test_places_of_refused_plans(
    tmp_path: Path, old: str, new: str, step: int, kind: str, named: str
) -> None:
    found = asplan.explain(program(tmp_path, old, new), plan=PLAN)
    assert found.refusal is not None
    assert (found.accepted, found.refusal.step, found.refusal.kind) == (False, step, kind)
    rules = [v.rule for v in found.refusal.broken] or [n.rule for n in found.refusal.nearest]
    places = [rule.at.line if rule else None for rule in rules]
    assert places[0] == (line(named) if named else None)


def test_the_nearest_rule_is_followed(tmp_path: Path) -> None:
    """No room is entered, as no door is there, as rooms are counted wrongly."""
    path = program(tmp_path, "not door(X,Y).", "not way(X,Y). way(X,Y) :- door(X,Y), X > 1.")
    refusal = asplan.explain(path, plan=PLAN).refusal
    assert refusal is not None
    (broken,) = refusal.broken
    assert dict(broken.values) == {"X": "1", "Y": "2"}
    behind = list(in_turn(broken.because))
    assert [b.atom for b in behind][:1] == ["way(1,2)"]
    assert behind[0].literal is not None
    assert (behind[0].literal.text, dict(behind[0].values)) == ("X > 1", {"X": "1", "Y": "2"})


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        (
            "not door(X,Y)",
            "not dor(X,Y)",
            "19:51: nothing defines dor/2, so not dor(X,Y) is always true [undefined]\n"
            "  did you mean door/2?",
        ),
        (
            ":- occurs(take,t), holds(at(courier,X),t-1)",
            ":- occurs(take,t), at(courier,X,t-1)",
            "20:20: nothing defines at/3, so at(courier,X,t-1) is never true [undefined]\n"
            "  there is at/2",
        ),
        (
            ":- occurs(drop,t), not holds(carried,t-1)",
            ":- occurs(drop,t), not holds(t-1,carried)",
            "21:24: holds(t-1,carried) has its time in argument 1 [no-match]\n"
            "  in all other atoms of holds/2 it is argument 2",
        ),
        (
            "occurs(drop,t), holds(at(courier,X),t-1).",
            "occurs(drop,t), holds(at(X,courier),t-1).",
            "26:43: no atom of holds/2 matches holds(at(X,courier),t-1) [no-match]\n"
            "  did you mean at(courier,X)?",
        ),
        (
            ":- occurs(drop,t), not holds(carried,t-1).",
            ":- occurs(drop,t), 0 { hold(carried,t-1) } 0.",
            "21:24: nothing defines hold/2, so hold(carried,t-1) is never true [undefined]\n"
            "  did you mean holds/2?",
        ),
        (
            "ended(carried,t)       :-",
            "ended(carried,t-1)     :-",
            "29:1: ended(carried,t-1) has an earlier time than other heads of ended/2 [late-head]\n"
            "  they have t; each step derives the state of its own time",
        ),
        ("#show occurs/2.", "#defined dor/2. :- dor(X,Y).", None),
        ("#show occurs/2.", "late :- holds(at(piano,X),0).", None),
        ("#show occurs/2.", "late :- holds(at(courier,9),0).", None),
    ],
)
def test_warnings_come_once(tmp_path: Path, old: str, new: str, warning: str | None) -> None:
    path = program(tmp_path, old, new)
    found = asplan.explain(path, plan=PLAN)
    assert [str(w) for w in found.warnings] == ([f"{path}:{warning}"] if warning else [])


def test_what_an_instance_may_lack_counts_where_something_is_wrong(tmp_path: Path) -> None:
    goal = "goal(parcel,4)."
    assert goal in RIGHT
    encoding, instance = tmp_path / "encoding.lp", tmp_path / "instance.lp"
    strange = "#program step(t). :- wet(X), occurs(go(X),t)."
    encoding.write_text(RIGHT.replace(goal, "") + strange)
    instance.write_text(goal)
    assert asplan.find_warnings(instance, encoding=encoding) == ()
    (warning,) = asplan.explain(instance, encoding=encoding, plan=PLAN).warnings
    assert warning.text == "nothing defines wet/1, so wet(X) is never true"


def test_goals_one_by_one() -> None:
    """Each of two goals of Sussman's blocks is possible in two steps, but not both."""
    goals = asplan.explain("sussman", horizon=2).goals
    assert goals is not None
    assert [(dict(g.values), g.reached) for g in goals.goals] == [
        ({"B": "a", "L": "b"}, 2),
        ({"B": "b", "L": "c"}, 1),
    ]
    assert (goals.exclusive, goals.complete) == (((0, 1),), True)


def test_facts_in_a_conflict() -> None:
    conflict = asplan.explain("sussman", horizon=2, facts=True).conflict
    assert conflict is not None
    assert conflict.facts == ("goal(a,b)", "goal(b,c)", "on(c,a)")
    assert conflict.minimal


# Its steps contradict themselves, and its goal cannot hold either.
CONTRADICTION = """
door(1..2).
#program step(t).
1 { occurs(open(D),t) : door(D) } 1.
ajar(t) :- occurs(open(_),t).
-ajar(t) :- occurs(open(_),t).
#program check(t).
:- not through(t), query(t).
"""


@pytest.mark.parametrize("facts", [False, True])
def test_no_sequence_of_steps_exists_for_any_goal(tmp_path: Path, facts: bool) -> None:
    path = tmp_path / "contradiction.lp"
    path.write_text(CONTRADICTION)
    found = asplan.explain(path, horizon=1, facts=facts)
    assert found.conflict is not None
    assert found.conflict.minimal
    assert {rule.at.line for rule in found.conflict.rules} == {4, 6}
    assert (found.goals, found.never) == (None, None)
    assert "whatever the goal is" in str(found)
    assert "never" not in str(found)


def test_both_rules_of_a_contradiction_are_named(tmp_path: Path) -> None:
    path = tmp_path / "contradiction.lp"
    path.write_text(CONTRADICTION.replace("not through(t)", "not ajar(t)"))
    relaxed = asplan.explain(path, horizon=1).relaxed
    assert relaxed is not None
    (broken,) = relaxed.broken
    assert broken.rule.text == "ajar(t) and -ajar(t) contradict"
    assert [(near.atom, near.rule and near.rule.at.line) for near in broken.because] == [
        ("ajar(1)", 5),
        ("-ajar(1)", 6),
    ]


def test_nothing_is_never_true_of_steps_that_do_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "contradiction.lp"
    path.write_text(CONTRADICTION)
    question = open_question(with_query(load(Inputs((str(path),))).program), {})
    assert find_never(question) is not None
    question.ground(1)
    assert find_never(question) is None


def test_never(tmp_path: Path) -> None:
    path = program(tmp_path, "room(1..4).", "room(1..2). room(4).")
    never = asplan.explain(path, horizon=5).never
    assert never is not None
    assert never.actions == ("go(4)",)


def test_never_leaves_out_rules_with_warnings_or_switched_off() -> None:
    def codes(name: str, *switches: str) -> list[str]:
        never = asplan.explain(BROKEN / name, horizon=5, switches=switches).never
        assert never is not None
        return [f"{rule.at.line if rule.at else 0} {rule.code}" for rule in never.rules]

    assert codes("inertia.lp") == ["26 never-fires"]
    assert codes("inertia.lp", "no-never-fires") == []
    assert codes("swapped.lp") == []
    assert codes("swapped.lp", "no-no-match") == ["26 never-fires"]


def test_soft_and_hard(tmp_path: Path) -> None:
    """A hard constraint is kept if a soft one can be broken."""
    path = BROKEN / "strong.lp"
    free = asplan.explain(path, horizon=5).relaxed
    text = path.read_text().split("\n")
    number = next(n for n, found in enumerate(text, 1) if found.startswith(":- occurs(go(X),t)"))
    assert free is not None
    assert len(free.broken) == 1
    others = [n for n, found in enumerate(text, 1) if found.startswith(("{", ":-")) and n != number]
    hard = [f"strong.lp:{n}" for n in others]
    kept = asplan.explain(path, horizon=5, hard=hard).relaxed
    assert kept is not None
    assert {v.rule.at.line for v in kept.broken} == {number}
    assert kept.least
    goal = f"strong.lp:{others[-1]}"
    assert asplan.explain(path, horizon=5, soft=[goal]).relaxed is not None


def test_the_verdict_of_the_model() -> None:
    """An encoding that lets a car jump disagrees with the model of the domain."""
    plan = asplan.Plan((("move(r,right,4)",),))
    found = asplan.explain("two_cars", encoding="origin", plan=plan)
    assert found.accepted is False
    assert found.model is not None
    assert found.model.startswith("step 1: move(r,right,4) does not apply")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"horizon": 3, "plan": PLAN}, "pass a horizon or a plan, not both"),
        ({"horizon": -1}, "the horizon is -1, but it cannot be below 0"),
        (
            {"horizon": 3, "soft": ["right.lp:1"]},
            "right.lp:1: there is no constraint at this place",
        ),
        ({"horizon": 3, "hard": ["right.lp"]}, "right.lp: there is no constraint at this place"),
    ],
)
def test_wrong_questions(given: dict[str, object], message: str) -> None:
    with pytest.raises(asplan.UsageError) as error:
        asplan.explain(BROKEN / "right.lp", **given)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


def test_a_program_that_searches_while_it_is_grounded() -> None:
    with pytest.raises(asplan.UsageError, match="while it grounds\n  use -e block_tuple or"):
        asplan.explain("two_cars", encoding="frontier", horizon=3)


def test_a_program_without_constraints(tmp_path: Path) -> None:
    path = tmp_path / "free.lp"
    path.write_text("#program step(t). { occurs(a,t) }. p(t) :- not p(t).")
    found = asplan.explain(path, horizon=2)
    assert found.excluded
    assert found.conflict == Conflict((), minimal=True)
    assert found.relaxed is None
    path.write_text("#program step(t). { occurs(a,t) }.")
    assert asplan.explain(path, horizon=2).found == asplan.Plan(((), ()))


def test_a_plan_of_another_instance() -> None:
    plan = asplan.solve("two_cars", encoding="origin")
    found = asplan.explain("sample02", encoding="origin", plan=plan.plan)
    assert found.accepted is False
    assert found.refusal is not None
    assert found.refusal.kind == "action"
    assert found.refusal.nearest[0].atom.startswith("occurs(move(")


def test_a_limit_keeps_the_results_so_far() -> None:
    found = asplan.explain("sample05", encoding="origin", horizon=34, time_limit=2)
    assert found.stopped == "time"
    assert found.reason.startswith("time limit of 2 s reached while")
    assert found.horizon == 34


def test_a_plan_without_steps(tmp_path: Path) -> None:
    """It begins well, and misses the goal."""
    (tmp_path / "none.txt").write_text("% nothing\n")
    done = run("explain", str(BROKEN / "right.lp"), "--plan", str(tmp_path / "none.txt"))
    assert done.stdout.startswith(
        "the encoding refuses the plan of 0 steps\n\n"
        "all 0 steps are fine, but then the goal does not hold:\n"
    )


CONTRADICTING = """lamp(a;b). lit(a,0).
#program step(t).
1 { press(L,t) : lamp(L) } 1.
lit(L,t) :- press(L,t).
-lit(L,t) :- lamp(L), press(L,t).
#program check(t).
:- query(t), not lit(c,t).
"""


@pytest.mark.parametrize("horizon", [1, 2])
def test_rules_that_exclude_all_steps_are_named_instead_of_the_goal(horizon: int) -> None:
    conflict = asplan.explain(text=CONTRADICTING, horizon=horizon).conflict
    assert conflict is not None
    assert sorted(rule.at.line for rule in conflict.rules) == [3, 5]


def test_no_step_is_no_reason_to_call_a_rule_of_steps_dead() -> None:
    found = asplan.explain(text=CONTRADICTING, horizon=0)
    assert found.never is None or found.never.rules == ()
