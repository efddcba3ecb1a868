"""A converted program is grounded step by step, and anew for horizons that promise to be hard."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

import asplan
from asplan.core.limits import Limits
from asplan.engines import find_engine
from asplan.engines.asp import alternation
from asplan.engines.asp.alternation import DEAR, grounds_anew, written_alternative
from asplan.engines.asp.anew import AnewSolver
from asplan.engines.asp.effort import REGROUNDED
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from conftest import HERE

PROGRAMS = tomllib.loads((HERE / "program" / "single_shot.toml").read_text())

WALK = """
#const n = 20.
time(0..n). cell(1..6).
{ go(C,T) : cell(C) } = 1 :- time(T), T > 0.
at(C,T) :- go(C,T).
at(1,0).
:- go(C,T), at(D,T-1), |C-D| > 1.
:- not at(6,n).
#show go/2.
"""
NEVER = WALK.replace(":- not at(6,n).", ":- not at(7,n).").replace("cell(1..6)", "cell(1..7)")
NEVER += ":- at(C,T), C > 6. :- at(C,T), T > 5."  # no answer set for more than five steps


FEW = DEAR * REGROUNDED  # rules that are grounded in the time of the fewest conflicts


@pytest.mark.parametrize(
    ("conflicts", "rules", "is_refuted", "expected"),
    [
        (0, 0, False, False),  # an easy horizon is solved in parts
        (DEAR - 1, 0, False, False),
        (DEAR, FEW, False, True),  # a hard one anew
        (DEAR, FEW + REGROUNDED, False, False),  # grounding would take longer than the search
        (2 * DEAR, 2 * FEW, False, True),
        (100 * DEAR, FEW, True, False),  # a refuted one is only grounded
    ],
)
def test_the_choice_depends_on_counted_evidence(
    conflicts: int, rules: int, is_refuted: bool, expected: bool
) -> None:
    assert grounds_anew(conflicts, rules, is_refuted) is expected


def run_of(text: str, fresh: bool = False, **options: object) -> Run[object]:
    problem = load(Inputs(text=text, fresh=fresh))
    return Run(problem, find_engine("asp").options(**options), Limits())


@pytest.mark.parametrize(
    "options",
    [{"first": True}, {"schedule": "stride:2"}, {"clingo": ("--configuration=crafty",)}],
)
def test_options_about_the_search_keep_one_solver(options: dict[str, object]) -> None:
    assert written_alternative(run_of(WALK)) is not None
    assert written_alternative(run_of(WALK, **options)) is None


def test_only_converted_programs_without_objective_alternate() -> None:
    assert written_alternative(run_of(WALK, fresh=True)) is None
    assert written_alternative(run_of(WALK + "#minimize { C,T : go(C,T) }.")) is None


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The horizons that the engine searches anew, with every horizon taken for a hard one."""
    horizons: list[int] = []
    search = AnewSolver.search

    def record(self: AnewSolver, horizon: int, *arguments: object, **more: object) -> object:
        horizons.append(horizon)
        return search(self, horizon, *arguments, **more)

    monkeypatch.setattr(alternation, "DEAR", 0)
    monkeypatch.setattr(AnewSolver, "search", record)
    return horizons


def test_horizons_solved_anew_give_the_same_result(searched: list[int]) -> None:
    found = asplan.solve(text=WALK)
    assert searched[:6] == [0, 1, 2, 3, 4, 5]
    assert (str(found.outcome), found.horizon, found.lower_bound) == ("optimal", 5, 5)
    assert found.plan is not None
    assert list(found.plan.steps) == [(f"go({cell})",) for cell in range(2, 7)]
    assert found.validated == "replay"
    assert found.statistics is not None
    assert found.statistics.anew == (0, 1, 2, 3, 4, 5)
    assert searched.count(4) == 1  # the check of the conversion does not solve it again


def test_a_program_without_answer_sets_is_still_unsolvable(searched: list[int]) -> None:
    found = asplan.solve(text=NEVER, max_horizon=30, no_states=True)
    assert str(found.outcome) == "unsolvable"
    assert searched


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_of_all_forms(program: dict[str, Any], searched: list[int]) -> None:
    found = asplan.solve(text=program["text"])
    assert (str(found.outcome), found.horizon) == ("optimal", program["steps"])
    assert found.lower_bound == found.horizon
