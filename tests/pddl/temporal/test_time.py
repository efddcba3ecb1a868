"""Tasks with time: from text to a plan with times, checked by the referee on the text."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.stored import from_json, to_json
from conftest import run

CASES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text())


def files(folder: Path, case: dict[str, Any]) -> tuple[Path, Path]:
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(f"(define (domain d) {case['domain']})")
    problem.write_text(f"(define (problem p) (:domain d) {case['problem']})")
    return domain, problem


def makespan(plan: Plan) -> Fraction:
    timing = chain.from_iterable(plan.times)
    return max((start + (takes or 0) for start, takes in timing), default=Fraction(0))


@pytest.mark.parametrize("name", CASES)
def test_tasks(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    paths = files(tmp_path, case)
    if "error" in case:
        with pytest.raises(asplan.InputError, match=case["error"]):
            asplan.solve(*paths)
        return
    result = asplan.solve(*paths, max_horizon=case.get("max_horizon"))
    if "said" in case:
        assert (result.plan, result.reason) == (None, case["said"])
        return
    assert result.plan is not None
    assert (result.outcome, result.validated) == ("optimal", "text")
    assert (result.horizon, makespan(result.plan)) == (case["layers"], Fraction(case["makespan"]))
    if "plan" in case:
        assert str(result.plan).splitlines() == case["plan"]
    stored = from_json(to_json(result))
    assert stored.plan == result.plan
    asplan.validate(*paths, plan=stored.plan)


def test_pictures(tmp_path: Path) -> None:
    """A picture of a plan has a bar for each action, also where the plan was stored."""
    paths = files(tmp_path, CASES["match"])
    result = asplan.solve(*paths)
    picture = asplan.render(result, tmp_path / "plan.svg").read_text()
    assert all(f"(mend f{k} " in picture for k in (1, 2, 3))
    again = asplan.render(from_json(to_json(result)), tmp_path / "again.svg").read_text()
    assert again == picture
    page = asplan.render(result, tmp_path / "plan.html").read_text()
    assert "0.001: (strike m" in page


@pytest.mark.parametrize("engine", ["bfs", "astar", "sat"])
def test_other_engines_refuse(engine: str, tmp_path: Path) -> None:
    with pytest.raises((asplan.UsageError, asplan.InputError)):
        asplan.solve(*files(tmp_path, CASES["epsilon"]), engine=engine)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "forall"}, "the encoding forall does not support time"),
        ({"steps": "sequential"}, "the encoding sequential does not support time"),
        ({"optimal": "actions"}, "minimizes the layers"),
        ({"models": 2}, "looks for one plan"),
    ],
)
def test_options_that_exclude_time_are_refused(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(asplan.UsageError, match=said):
        asplan.solve(*files(tmp_path, CASES["epsilon"]), **options)


def test_no_command_is_named_that_knows_no_time() -> None:
    said = run("solve", "cellar-1", "--max-horizon", "3").stdout.splitlines()
    assert said[2:4] == ["unknown (maximal horizon 3 reached)", "every plan has at least 4 layers"]
    assert len(said) == 5  # and what it took


def test_the_hint_for_a_wrong_plan_line_shows_the_form_with_times(tmp_path: Path) -> None:
    plan = tmp_path / "plan.ipc"
    plan.write_text("0.001: (strike long) [8]\n0.5: (mend hall) [3.5\n")
    said = run("validate", "cellar-1", str(plan)).stderr
    assert said.endswith(
        "2:1: '0.5: (mend hall) [3.5' is not a line of a plan\n"
        "  write an action a line with its time and its duration, as in 0.001: (load a) [5]\n"
    )


def test_rounded_times_keep_their_order() -> None:
    """An end and a start at the same moment stay equal in the file after rounding."""
    third = Fraction(1, 3)
    first, takes = 34 + third, 10 + 2 * third / 10
    plan = Plan(
        (("(a)",), ("(b)",)),
        times=(((first, takes),), ((first + takes, Fraction(1)),)),
    )
    lines = list(plan.timed_lines())
    assert lines == ["34.333333: (a) [10.066667]", "44.4: (b) [1]"]
    start, takes = Fraction("34.3366666"), Fraction("10.6666666")
    plan = Plan((("(a)",), ("(b)",)), times=(((start, takes),), ((start + takes, takes),)))
    assert [line.split()[0] for line in plan.timed_lines()] == ["34.336667:", "45.003333:"]
    assert next(plan.timed_lines()).endswith("[10.666666]")


def test_a_plan_without_times_has_no_lines_with_times() -> None:
    with pytest.raises(UsageError, match="this plan has no times"):
        list(Plan((("wait",),)).timed_lines())
    assert list(Plan().timed_lines()) == []
