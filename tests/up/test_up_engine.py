"""The engine in unified-planning: plans, statuses, bounds, limits, and how it is registered."""

from __future__ import annotations

import io
import itertools
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import psutil
import pytest

pytest.importorskip("unified_planning")

from dataclasses import replace

from problems import cups, lamps, ring, solved
from unified_planning.engines import (
    AnytimeGuarantee,
    OptimalityGuarantee,
    SequentialPlanValidator,
    ValidationResultStatus,
)
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines.results import FailedValidationReason
from unified_planning.plans import (
    ActionInstance,
    PartialOrderPlan,
    PlanKind,
    SequentialPlan,
)
from unified_planning.shortcuts import (
    FALSE,
    TRUE,
    AnytimePlanner,
    BoolType,
    Fluent,
    GlobalStartTiming,
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeMakespan,
    MinimizeSequentialPlanLength,
    Not,
    OneshotPlanner,
    PlanValidator,
    Problem,
    RealType,
    Replanner,
    Sometime,
    get_environment,
)

import asplan.up.register
from asplan.engines.scheduling import Start
from asplan.up import Engine, solving
from asplan.up.questions import EngineSettings, make_question
from conftest import in_time

get_environment().credits_stream = None


def two_ways() -> Problem:
    """A goal that one dear action reaches, or three cheap ones."""
    x, y, g = map(Fluent, "xyg")
    problem = Problem("ways")
    for fluent in (x, y, g):
        problem.add_fluent(fluent, default_initial_value=False)
    dear, first, second, third = map(InstantaneousAction, ["dear", "first", "second", "third"])
    dear.add_effect(g, True)
    first.add_effect(x, True)
    second.add_precondition(x)
    second.add_effect(y, True)
    third.add_precondition(y)
    third.add_effect(g, True)
    problem.add_actions([dear, first, second, third])
    problem.add_goal(g)
    return problem


def priced(*costs: object) -> Problem:
    problem = two_ways()
    prices = dict(zip(problem.actions, costs, strict=True))
    problem.add_quality_metric(MinimizeActionCosts(prices))
    return problem


def eight_cups() -> Problem:
    """Bits of which there is a plan to turn eight; that it is shortest takes long to prove."""
    problem = cups(9)
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.clear_goals()
    for number in range(8):
        problem.add_goal(problem.fluent("up")(problem.object(f"b{number}")))
    return problem


def test_without_a_metric_the_first_plan_is_returned() -> None:
    result = solved(ring(5))
    assert result.status is Status.SOLVED_SATISFICING
    assert isinstance(result.plan, SequentialPlan)
    assert [str(action) for action in result.plan.actions] == [
        f"go(p{n}, p{n + 1})" for n in range(4)
    ]
    assert result.engine_name == "asplan"


@pytest.mark.parametrize("engine", ["asp", "astar"])
def test_the_metric_decides_which_plan_is_best(engine: str) -> None:
    length = two_ways()
    length.add_quality_metric(MinimizeSequentialPlanLength())
    cases = [
        (length, ["dear"], "1"),
        (priced(5, 1, 1, 2), ["first", "second", "third"], "4"),
        (priced(3, 1, 1, 2), ["dear"], "3"),
        (priced(Fraction(5, 2), Fraction(1, 3), Fraction(1, 2), 1), None, "11/6"),
    ]
    for problem, actions, best in cases:
        result = solved(problem, engine=engine)
        assert result.status is Status.SOLVED_OPTIMALLY
        assert actions is None or [a.action.name for a in result.plan.actions] == actions
        assert result.metrics["lower_bound"] == best


def test_costs_may_be_any_term_over_static_fluents() -> None:
    problem = ring(4)
    place = problem.user_type("place")
    toll = Fluent("toll", RealType(), p=place)
    problem.add_fluent(toll)
    for number in range(4):
        problem.set_initial_value(toll(problem.object(f"p{number}")), Fraction(number, 2))
    go = problem.action("go")
    cost = toll(go.parameter("q")) * 3 + 1
    problem.add_quality_metric(MinimizeActionCosts({go: cost}))
    result = solved(problem)
    assert result.status is Status.SOLVED_OPTIMALLY
    assert result.metrics["cost"] == "12"
    judged = SequentialPlanValidator().validate(problem, result.plan)
    assert list(judged.metric_evaluations.values()) == [12]
    assert list(Engine().validate(problem, result.plan).metric_evaluations.values()) == [12]


def test_an_action_of_undefined_cost_does_not_apply() -> None:
    problem = ring(3)
    toll = Fluent("toll", RealType(), p=problem.user_type("place"))
    problem.add_fluent(toll)
    problem.set_initial_value(toll(problem.object("p1")), 1)
    go = problem.action("go")
    problem.add_quality_metric(MinimizeActionCosts({go: toll(go.parameter("q"))}))
    assert solved(problem).status is Status.UNSOLVABLE_PROVEN


def test_makespan_counts_parallel_steps_and_every_order_of_a_step_works() -> None:
    problem = lamps(3)
    problem.add_quality_metric(MinimizeMakespan())
    result = solved(problem)
    assert result.status is Status.SOLVED_OPTIMALLY
    assert result.metrics["lower_bound"] == result.metrics["steps"] == "1"
    assert isinstance(result.plan, PartialOrderPlan)
    orders = list(result.plan.all_sequential_plans())
    assert len(orders) == 6
    problem.clear_quality_metrics()  # of which the validator does not know makespan
    for plan in orders:
        judged = SequentialPlanValidator().validate(problem, plan)
        assert judged.status is ValidationResultStatus.VALID


def test_steps_stay_in_order_in_a_partial_order_plan() -> None:
    result = solved(ring(4), partial_order=True)
    assert isinstance(result.plan, PartialOrderPlan)
    assert len(list(result.plan.all_sequential_plans())) == 1
    assert solved(lamps(0), partial_order=True).plan == PartialOrderPlan({})


def test_without_optimal_any_plan_is_returned() -> None:
    result = solved(priced(5, 1, 1, 2), optimal=False)
    assert result.status is Status.SOLVED_SATISFICING
    assert [a.action.name for a in result.plan.actions] == ["dear"]


def test_unreachable_goals_are_proven_unsolvable() -> None:
    never = lamps(1)
    never.clear_actions()
    assert solved(never).status is Status.UNSOLVABLE_PROVEN
    wrong = lamps(1)
    wrong.add_goal(FALSE())
    assert solved(wrong).status is Status.UNSOLVABLE_PROVEN


@pytest.mark.parametrize("metric", [None, MinimizeSequentialPlanLength, MinimizeMakespan])
def test_the_joining_search_proves_that_there_is_no_plan(
    metric: type | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "BESIDE", replace(solving.BESIDE, start=Start(race=0.2)))
    problem = cups(4)
    if metric is not None:
        problem.add_quality_metric(metric())
    assert solved(problem).status is Status.UNSOLVABLE_PROVEN


def test_without_the_search_asp_runs_into_the_timeout() -> None:
    alone = in_time(
        lambda limit: solved(cups(4), timeout=limit, search_beside=False),
        lambda alone: int(alone.metrics["lower_bound"]) > 0,
    )
    assert alone.status is Status.TIMEOUT
    assert int(alone.metrics["lower_bound"]) > 0


def test_a_problem_without_goals_has_an_empty_plan() -> None:
    empty, true = Problem(), lamps(1)
    true.clear_goals()
    true.add_goal(TRUE())
    for problem in (empty, true):
        result = solved(problem)
        assert result.status is Status.SOLVED_SATISFICING
        assert result.plan == SequentialPlan([])


def test_time_and_memory_limits_have_statuses() -> None:
    assert solved(ring(200), timeout=1e-6).status is Status.TIMEOUT  # reading takes longer
    assert solved(ring(5), memory_limit=5).status is Status.MEMOUT


def test_progress_is_written_to_a_stream() -> None:
    stream, errors = io.StringIO(), io.StringIO()
    Engine().solve(ring(4), output_stream=stream)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "asplan: reading the files"
    assert any(line.endswith("searching for any plan") for line in lines)
    assert all(one != other for one, other in itertools.pairwise(lines))
    Engine().solve(ring(4), output_stream=(errors, io.StringIO()))
    assert errors.getvalue().startswith("asplan: reading the files\n")


def test_a_heuristic_is_ignored_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="asplan does not use the heuristic"):
        Engine().solve(ring(2), heuristic=lambda state: 0.0)


def test_plans_become_better_until_one_is_proven_best() -> None:
    problem = priced(9, 1, 1, 2)
    with AnytimePlanner(name="asplan") as planner:
        found = list(planner.get_solutions(problem))
    *before, last = found
    assert last.status is Status.SOLVED_OPTIMALLY
    assert last.metrics["lower_bound"] == last.metrics["cost"] == "4"
    assert {result.status for result in before} <= {Status.INTERMEDIATE}  # or the proof is first
    costs = [int(result.metrics["cost"]) for result in found]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs[:-1])) == len(costs[:-1])
    for result in found:
        judged = SequentialPlanValidator().validate(problem, result.plan)
        assert list(judged.metric_evaluations.values()) == [int(result.metrics["cost"])]


def test_windows_of_a_plan_are_improved_until_a_proof() -> None:
    there, ways, never = two_ways(), priced(5, Fraction(1, 2), 1, 2), cups(2)
    there.set_initial_value(there.fluent("g"), True)
    for problem in (there, never):
        problem.add_quality_metric(MinimizeSequentialPlanLength())
    cases = [
        # Without a search beside them the windows have to prove it.
        (there, False, Status.SOLVED_OPTIMALLY, []),
        (ways, False, Status.SOLVED_OPTIMALLY, ["first", "second", "third"]),
        (never, True, Status.UNSOLVABLE_PROVEN, None),
    ]
    for problem, search_beside, status, best in cases:
        *_, last = Engine(search_beside=search_beside).get_solutions(problem)
        assert last.status is status
        assert (last.plan and [action.action.name for action in last.plan.actions]) == best


def test_windows_need_an_additive_metric_and_an_encoding() -> None:
    short, parallel = two_ways(), two_ways()
    short.add_quality_metric(MinimizeSequentialPlanLength())
    parallel.add_quality_metric(MinimizeMakespan())
    watched = priced(1, 1, 1, 1)
    watched.add_trajectory_constraint(Sometime(watched.fluent("x")))
    cases = [
        (short, {}, True),
        (short, {"engine": "astar"}, False),
        (short, {"optimal": False}, False),
        (parallel, {}, False),
        (watched, {}, False),
        (two_ways(), {}, False),
    ]
    for problem, given, improves in cases:
        question = make_question(problem, EngineSettings.from_names(given))
        assert (question.for_better_plans(1) is not None) == improves


def test_at_the_timeout_the_best_plan_is_returned() -> None:
    problem = eight_cups()
    last = in_time(
        lambda limit: list(Engine(search_beside=False).get_solutions(problem, timeout=limit))[-1],
        lambda last: last.plan is not None,
    )
    assert last.status in (Status.TIMEOUT, Status.SOLVED_OPTIMALLY)
    assert SequentialPlanValidator().validate(problem, last.plan)


def test_without_a_metric_one_plan_is_yielded() -> None:
    with AnytimePlanner(name="asplan") as planner:
        (only,) = planner.get_solutions(ring(3))
        (none,) = planner.get_solutions(cups(1))
    assert only.status is Status.SOLVED_SATISFICING
    assert none.status is Status.UNSOLVABLE_PROVEN


def test_closing_the_iterator_ends_the_work() -> None:
    problem = eight_cups()
    # Tests that ran here before may have left a browser or a scheduler at work.
    threads, processes = threading.active_count(), set(psutil.Process().children())
    plans = Engine(search_beside=False).get_solutions(problem)
    assert next(plans).status is Status.INTERMEDIATE
    plans.close()
    assert set(psutil.Process().children()) <= processes
    assert threading.active_count() <= threads


def test_errors_reach_the_caller_of_the_iterator() -> None:
    from unified_planning.exceptions import UPUsageError

    with pytest.raises(UPUsageError, match="unknown engine 'asq'"):
        list(Engine(engine="asq").get_solutions(ring(3)))


def test_an_invalid_plan_has_a_reason() -> None:
    problem = ring(3)
    go, (p0, p1, p2) = problem.action("go"), problem.all_objects
    step = lambda *objects: ActionInstance(go, tuple(map(object_of, objects)))  # noqa: E731
    object_of = problem.environment.expression_manager.ObjectExp
    stranger = InstantaneousAction("fly")
    cases = [
        (
            [step(p1, p2)],
            FailedValidationReason.INAPPLICABLE_ACTION,
            "action 1, go(p1, p2), does not apply: (here p1) does not hold",
        ),
        (
            [step(p0, p1)],
            FailedValidationReason.UNSATISFIED_GOALS,
            "the goal does not hold at the end: (here p2) does not hold",
        ),
        (
            [ActionInstance(stranger)],
            FailedValidationReason.INAPPLICABLE_ACTION,
            "action 1, fly, does not apply: the problem has no such action or object",
        ),
    ]
    for actions, reason, said in cases:
        result = Engine().validate(problem, SequentialPlan(actions))
        assert result.status is ValidationResultStatus.INVALID
        assert result.reason is reason
        assert [log.message for log in result.log_messages] == [said]


def test_a_plan_of_another_kind_is_refused() -> None:
    from unified_planning.exceptions import UPUsageError
    from unified_planning.plans import TimeTriggeredPlan

    problem = ring(2)
    timed = problem.clone()
    timed.add_timed_effect(GlobalStartTiming(5), timed.fluent("here")(timed.object("p1")), True)
    for asked, plan, wanted in [
        (problem, TimeTriggeredPlan([]), "without time asplan checks a SequentialPlan"),
        (problem, PartialOrderPlan({}), "without time asplan checks a SequentialPlan"),
        (timed, SequentialPlan([]), "with time asplan checks a TimeTriggeredPlan"),
    ]:
        engine = Engine()
        engine.skip_checks = True
        with pytest.raises(UPUsageError, match=wanted):
            engine.validate(asked, plan)


def test_the_factory_knows_the_engine_in_all_its_modes() -> None:
    factory = get_environment().factory
    assert factory.preference_list.count("asplan") == 1
    assert asplan.up.register.NAME in factory.engines
    with Replanner(name="replanner[asplan]", problem=ring(4)) as replanner:
        assert len(replanner.resolve().plan.actions) == 3
        replanner.update_initial_value(ring(4).fluent("here")(ring(4).object("p2")), True)
        assert len(replanner.resolve().plan.actions) == 1
    with OneshotPlanner(name="asplan") as planner:
        assert planner.solve(ring(3)).status is Status.SOLVED_SATISFICING
    with PlanValidator(name="asplan") as validator:
        assert validator.validate(lamps(0), SequentialPlan([]))
    assert Engine.satisfies(OptimalityGuarantee.SOLVED_OPTIMALLY)
    assert Engine.ensures(AnytimeGuarantee.INCREASING_QUALITY)
    assert not Engine.ensures(AnytimeGuarantee.OPTIMAL_PLANS)
    assert Engine.supports_plan(PlanKind.SEQUENTIAL_PLAN)
    assert Engine.supports_plan(PlanKind.TIME_TRIGGERED_PLAN)
    assert not Engine.supports_plan(PlanKind.CONTINGENT_PLAN)


INI = """
[engine asplan]
module_name: asplan.up
class_name: Engine
"""

ASK = """
from unified_planning.shortcuts import OneshotPlanner, get_environment
get_environment().credits_stream = None
print(OneshotPlanner(name="asplan").name)
import asplan.up.register
print(get_environment().factory.preference_list.count("asplan"))
"""


def test_up_ini_registers_the_engine(tmp_path: Path) -> None:
    (tmp_path / "up.ini").write_text(INI)
    (tmp_path / "ask.py").write_text(ASK)
    words = [sys.executable, str(tmp_path / "ask.py")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["asplan", "1"], done.stderr


def test_odd_names_survive_the_translation() -> None:
    problem = Problem("Problem 1")
    marks = [Fluent(name, BoolType()) for name in ("At it!", "at it_", "not", "3", "ü", "when")]
    for mark in marks:
        problem.add_fluent(mark, default_initial_value=False)
        action = InstantaneousAction(f"Make {mark.name}")
        action.add_precondition(Not(mark))
        action.add_effect(mark, True)
        problem.add_action(action)
        problem.add_goal(mark)
    for name in ("make at it!", "MAKE AT IT!"):
        problem.add_action(InstantaneousAction(name))
    result = solved(problem)
    wanted = {f"Make {mark.name}" for mark in marks}
    assert {action.action.name for action in result.plan.actions} == wanted
