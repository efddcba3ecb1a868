"""Explanations of PDDL tasks speak of the task, not of the encodings of asplan."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan

BLOCKS = Path(__file__).parents[2] / "docs" / "broken" / "blocks"
DOMAIN = BLOCKS / "domain.pddl"


def explain(problem: str, goal: str, tmp_path: Path, horizon: int | None) -> asplan.Explanation:
    """The explanation of a task with another goal."""
    path = tmp_path / "problem.pddl"
    path.write_text((BLOCKS / "painted.pddl").read_text().replace("(painted c)", goal))
    return asplan.explain(DOMAIN, path, horizon=horizon, time_limit=60)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (
            "(painted c)",
            [
                "the goal (painted c) can never hold",
                "(paint c) would add (painted c), but needs (wet c)",
                "no action adds (wet c), and it does not hold at the start",
            ],
        ),
        (
            "(on c c) (wet a)",
            [
                "the goal (wet a) can never hold",
                "no action adds (wet a), and it does not hold at the start",
            ],
        ),
    ],
)
def test_a_goal_that_no_action_leads_to(goal: str, said: list[str], tmp_path: Path) -> None:
    found = explain("painted", goal, tmp_path, 3)
    assert [one.text for one in found.obstacles] == said
    assert (found.excluded, found.conflict) == (True, None)
    assert str(found).startswith("no plan of 3 steps exists\n\n  problem.pddl:5:")


SWITCH = """(define (domain switch) (:requirements :adl)
 (:predicates (on) (off) (tired))
 (:action press :parameters () :precondition (off)
  :effect (and (on) (not (off)) (tired)))
 (:action rest :parameters () :precondition (on)
  :effect (and (not (on)) (off) (not (tired)))))"""


def test_broken_conditions_have_places_in_the_pddl(tmp_path: Path) -> None:
    """Places are those of predicates and of actions in the PDDL text."""
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(SWITCH)
    problem.write_text(
        "(define (problem p) (:domain switch) (:init (off))\n(:goal (and (off) (tired))))"
    )
    relaxed = asplan.explain(domain, problem, horizon=3).relaxed
    assert relaxed is not None
    (broken,) = relaxed.broken
    expected = {
        "(off) begins to hold, and no action adds it": 2,
        "(not (on)) begins to hold, and no action adds it": 2,
        "(tired) begins to hold, and no action adds it": 2,
        "(on) begins to hold, and no action adds it": 2,
    }
    assert expected[broken.rule.text] == broken.rule.at.line


def test_why_no_plan_is_shorter() -> None:
    found = asplan.explain(DOMAIN, BLOCKS / "tower.pddl", time_limit=60)
    assert found.question == "No plan has 3 steps or fewer; a shortest plan has 4. Why not 3:"
    assert found.conflict is not None
    assert found.relaxed is not None
    assert found.goals is not None
    texts = [rule.text for rule in found.conflict.rules]
    assert texts[0] == "the goal (and (on a b) (on b c))"
    assert set(texts[1:]) <= {
        "preconditions of actions",
        "effects of actions",
        "nothing changes by itself",
        "atoms exclude each other",
        "actions interfere in a step",
    }
    assert [(g.rule.text, g.reached) for g in found.goals.goals] == [
        ("the goal (on a b)", 2),
        ("the goal (on b c)", 2),
    ]
    assert found.goals.exclusive == ((0, 1),)
    files = {Path(one.rule.at.file).suffix for one in found.relaxed.broken}
    assert files == {".pddl"}
    assert ".lp" not in str(found)


def test_a_refused_plan() -> None:
    plan = asplan.Plan((("pick_up(b)",), ("stack(a,b)",)))
    found = asplan.explain(DOMAIN, BLOCKS / "tower.pddl", plan=plan)
    assert found.refusal is not None
    said = [(one.step, one.rule.text) for one in found.refusal.broken]
    needed = {(2, f"(stack a b) needs {what}") for what in ("(holding a)", "(clear b)")}
    assert needed.intersection(said)
    assert ".lp" not in str(found)


TOLL = """(define (domain toll) (:requirements :adl :action-costs)
 (:predicates (near) (far)) (:functions (fee) (total-cost) - number)
 (:action ride :parameters () :effect (and (near) (far) (increase (total-cost) (fee)))))"""


@pytest.mark.parametrize(("goal", "what"), [("(or (near) (far))", "the goal"), ("(far)", "(far)")])
def test_unreachable_atoms_are_written_as_in_the_task(goal: str, what: str, tmp_path: Path) -> None:
    """An action without a cost never applies; a disjunction is an atom that grounding made."""
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(TOLL)
    problem.write_text(
        f"(define (problem p) (:domain toll) (:init) (:goal {goal})"
        " (:metric minimize (total-cost)))"
    )
    found = asplan.solve(domain, problem)
    never = "can never hold, even if no action deleted anything"
    assert found.reason == f"no plan exists: {what} {never}"
    assert [one.at.line for one in asplan.explain(domain, problem).obstacles] == [1]


LAMP = """(define (domain lamp) (:requirements :adl)
 (:predicates (on) (off) (hot))
 (:action press :parameters () :precondition (off) :effect (and (on) (not (off)) (hot)))
 (:action pull :parameters () :precondition (on) :effect (and (off) (not (on)))))"""


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (
            "(and (on) (hot) (off))",
            [
                "problem.pddl:2:7: the goals (on) and (off) can never hold together",
                "problem.pddl:2:18: at any time at most one of these holds: (off) (on)",
            ],
        ),
        (
            "(and (hot) (and (off) (on)))",
            [
                "problem.pddl:2:18: the goals (off) and (on) can never hold together",
                "problem.pddl:2:24: at any time at most one of these holds: (off) (on)",
            ],
        ),
        (
            "(and (not (on)) (hot) (on))",
            ["problem.pddl:2:12: the goal requires atoms that can never hold together"],
        ),
    ],
)
def test_goals_that_exclude_each_other_are_named(
    goal: str, said: list[str], tmp_path: Path
) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(LAMP)
    problem.write_text(f"(define (problem p) (:domain lamp) (:init (off)) (:goal\n{goal}))")
    found = asplan.explain(domain, problem)
    places = [str(one.at).replace(str(tmp_path) + "/", "") for one in found.obstacles]
    assert [f"{at}: {one.text}" for at, one in zip(places, found.obstacles, strict=True)] == said
    assert (found.excluded, found.relaxed) == (True, None)
