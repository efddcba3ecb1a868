"""Lists of plans of programs and shipped instances, by the public function and the command."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from every_plan import Order, TooMany, every_plan, random_program

import asplan
from asplan import UsageError
from asplan.api.solving import make_request
from asplan.core.budget import Reporter, ignore_report
from asplan.core.errors import AsplanError
from asplan.enumeration.identity import KnownPlans, order_of
from asplan.enumeration.run import PlanFinder
from asplan.enumeration.wanted import Wanted
from asplan.planner import Request, answer
from asplan.problem import Inputs, Problem, load
from asplan.result import Result
from conftest import THOROUGH, run

WITHIN = 2
LAST = 4
MOST = 500
"""Plans of a program; a program that has more is left out, because each plan is replayed."""

PROGRAMS = 2000 if THOROUGH else 40

WAYS = """
    edge(a,b). edge(b,c). edge(a,c). edge(c,a). at(a,0).
    #program step(t).
    { occurs(go(X,Y),t) : edge(X,Y) } 1.
    :- occurs(go(X,_),t), not at(X,t-1).
    at(Y,t) :- occurs(go(_,Y),t).
    at(X,t) :- at(X,t-1), not occurs(go(X,_),t).
    #program check(t).  #external query(t).
    :- query(t), not at(c,t).
    #show occurs/2.
"""
"""A walk from a to c, in which one may wait; it ends at c."""

SWITCHES = """
    switch(1..2).
    #program step(t).
    { occurs(press(S),t) : switch(S) }.
    on(S,t) :- on(S,t-1), not occurs(press(S),t).
    on(S,t) :- occurs(press(S),t), not on(S,t-1).
    #program check(t).  #external query(t).
    :- query(t), not on(1,t).
    #show occurs/2.
"""
"""Two switches, which may be pressed at once; the first one is to be on."""


def differences(seed: int) -> str | None:
    """Return how asplan's plans of a random program differ from all plans; None if it has none."""
    text = random_program(Random(seed))
    try:
        program = load(Inputs(text=text)).program
        if not program.plans or len(program.readings) > 1:
            return None
        expected = every_plan(text, WITHIN, LAST)
    except (AsplanError, RuntimeError, TooMany):
        return None
    if len(expected) > MOST:
        return None
    try:
        found = listed(text)
    except UsageError as error:  # such programs have no list
        if "cannot be told apart" not in error.message:
            raise
        return None
    if not expected and not found:
        return None
    return "" if found == expected else f"expected {expected}, found {found}"


def listed(text: str) -> dict[Order, int]:
    plans = asplan.plans(text=text, within=WITHIN, max_horizon=LAST)
    return {order_of(plan): len(plan) for plan in plans}


def test_random_programs() -> None:
    found = {seed: differences(seed) for seed in range(PROGRAMS)}
    assert {seed: text for seed, text in found.items() if text} == {}
    assert len([text for text in found.values() if text == ""]) > PROGRAMS / 8


@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_all_plans_are_proven_to_be_all(engine: str) -> None:
    plans = asplan.plans(text=WAYS, engine=engine)
    assert [plan.actions for plan in plans] == [("go(a,c)",), ("go(a,b)", "go(b,c)")]
    assert plans.listing.is_complete
    assert plans.listing.is_exhausted


def test_a_bound_is_a_factor_or_a_difference() -> None:
    lengths = [len(plan) for plan in asplan.plans(text=WAYS, quality=1.9)]
    assert lengths == [1]
    assert [len(plan) for plan in asplan.plans(text=WAYS, quality=2)] == [1, 2]
    assert [len(plan) for plan in asplan.plans(text=WAYS, within=1)] == [1, 2]


def test_plans_are_found_one_by_one() -> None:
    plans = asplan.plans(text=SWITCHES)
    assert [len(plan) for plan in islice(plans, 2)] == [1, 1]
    assert not plans.listing.is_complete


@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_superfluous_actions_are_left_out(engine: str) -> None:
    every = [order_of(plan) for plan in asplan.plans(text=SWITCHES, within=1, engine=engine)]
    one = (("press(1)",),)
    both = (("press(1)", "press(2)"),)
    later = (("press(2)",), ("press(1)",))
    together = (("press(2)",), ("press(1)", "press(2)"))
    assert sorted(every) == sorted([one, both, later, together])
    minimal = asplan.plans(text=SWITCHES, within=1, engine=engine, minimal=True)
    assert [order_of(plan) for plan in minimal] == [one]
    assert minimal.listing.is_complete


@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_sets_of_actions_have_no_order(engine: str) -> None:
    plans = asplan.plans(text=SWITCHES, within=1, engine=engine, same="set")
    actions = sorted(sorted(plan.actions) for plan in plans)
    assert actions == [["press(1)"], ["press(1)", "press(2)"], ["press(1)", "press(2)", "press(2)"]]


def test_loops_are_left_out() -> None:
    text = WAYS.replace("edge(a,b).", "edge(a,b). edge(b,a).")
    every = [len(plan) for plan in asplan.plans(text=text, within=3)]
    loopless = [len(plan) for plan in asplan.plans(text=text, within=3, loopless=True)]
    assert every == [1, 2, 3, 4]
    assert loopless == [1, 2]


def test_a_single_shot_program_has_the_same_plans() -> None:
    single = WAYS.replace("at(a,0).", "at(a,0). #const n=1. time(1..n).")
    single = single.replace("#program step(t).", "").replace("#external query(t).", "")
    single = single.replace("#program check(t).", "").replace(":- query(t), not at(c,t).", "")
    single = single.replace("t-1", "T-1").replace(",t)", ",T)")
    rules = [f"{rule.strip()}" for rule in single.split("\n")]
    timed = [
        rule.replace("} 1.", "} 1 :- time(T).").replace("T-1),", "T-1), time(T),")
        if "T)" in rule
        else rule
        for rule in rules
    ]
    text = "\n".join([*timed, ":- not at(c,n)."])
    found = [order_of(plan) for plan in asplan.plans(text=text, within=1)]
    assert found == [order_of(plan) for plan in asplan.plans(text=WAYS, within=1)]


def test_costs_order_the_plans_of_a_length() -> None:
    text = WAYS.replace("edge(a,c).", "edge(a,d). edge(d,c).") + (
        "#program step(t). #minimize { 5,t : occurs(go(a,b),t) }."
    )
    plans = asplan.plans(text=text, number=2)
    assert [plan.actions[0] for plan in plans] == ["go(a,d)", "go(a,b)"]


def test_the_instances_of_a_domain_have_the_plans_of_an_encoding() -> None:
    by_states = {order_of(plan) for plan in asplan.plans("two_cars", within=1)}
    by_clingo = {order_of(plan) for plan in asplan.plans("two_cars", within=1, encoding="origin")}
    assert by_states == by_clingo
    assert len(by_states) > 1


def test_the_task_without_a_plan_is_proven() -> None:
    text = WAYS.replace("not at(c,t)", "not at(nowhere,t)")
    plans = asplan.plans(text=text, number=3, engine="bfs")
    assert list(plans) == []
    assert plans.listing.is_exhausted


def test_a_task_that_is_not_grounded_has_no_plan(tmp_path: Path) -> None:
    domain = "(define (domain d) (:predicates (p) (q)) (:action a :effect (p)))"
    (tmp_path / "domain.pddl").write_text(domain)
    problem = tmp_path / "problem.pddl"
    problem.write_text("(define (problem x) (:domain d) (:init) (:goal (q)))")
    plans = asplan.plans(str(tmp_path / "domain.pddl"), str(problem), number=2)
    assert list(plans) == []
    assert plans.listing.is_exhausted


def test_actions_that_are_shown_only_at_some_steps_are_refused() -> None:
    text = """
        #program step(t).
        { occurs(1..2,t-1) } 1.  late(t) :- t >= 3.
        #program check(t).  #external query(t).
        :- query(t), not late(t).  :~ occurs(_,t-1). [1,t]  :~ not occurs(1,t-1). [2,t]
        #show. #show occurs(A,t) : occurs(A,t).
    """
    with pytest.raises(UsageError, match="shows some of its actions only at some steps"):
        list(asplan.plans(text=text, within=1, max_horizon=4))


def test_known_plans_do_not_depend_on_waiting() -> None:
    known = KnownPlans()
    waits = asplan.Plan((("a",), ()))
    assert known.add(waits)
    # It begins with `a`, but no plan ends after one step.
    assert known.add(asplan.Plan((("a",), ("b",))))
    assert not known.add(asplan.Plan((("a",), ("c",), ())))


def test_the_command_lists_plans() -> None:
    done = run("solve", "two_cars", "--within", "1", "--json")
    data = json.loads(done.stdout)
    assert data["plan"] == data["plans"][0]
    assert [len(plan) for plan in data["plans"]] == [6, 6, 6]
    assert data["listing"]["is_complete"] is True
    assert data["engine"] == "kstar"
    assert json.loads(json.dumps(asplan.to_json(asplan.from_json(data)))) == data


def test_the_command_prints_each_plan_and_the_claim() -> None:
    done = run("solve", "two_cars", "--plans", "2")
    assert done.returncode == 0
    assert "plan 2: 6 steps" in done.stdout
    assert "2 plans: these are the best; more may exist" in done.stdout


def test_a_limit_keeps_what_was_found() -> None:
    done = run("solve", "sample02", "--within", "20", "--time-limit", "4", "--json")
    data = json.loads(done.stdout)
    assert data["listing"]["is_cut"] is True
    assert data["reason"].startswith(f"cut after {len(data['plans'])} plans")


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"number": 0}, "--plans 0: pass a number of at least 1"),
        ({"quality": 0.9}, "--quality 0.9: pass a factor of at least 1"),
        ({"quality": 2, "within": 2}, "are both bounds"),
        ({"same": "colour"}, "--same colour: pass order, set or landmarks"),
    ],
)
def test_wrong_wishes_are_refused(wishes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asplan.plans(text=WAYS, **wishes)  # type: ignore[arg-type]


def test_the_list_of_a_worker_that_was_stopped_is_cut() -> None:
    """The last report of the worker did not know that it would be the last one."""
    request = make_request(("two_cars",), "asp", {})
    result = answer(replace(request, finder=report_and_wait), interrupt_list, isolate=True)
    assert result.stopped == "interrupt"
    assert result.listing is not None
    assert result.listing.is_cut
    assert len(result.plans) == 1


def report_and_wait(
    problem: Problem, request: Request, start: float, report: Reporter[Result]
) -> Result:
    report(PlanFinder(Wanted(number=1))(problem, request, start, ignore_report))
    while True:
        signal.pause()


def interrupt_list(part: Result) -> None:
    if part.plans:
        raise KeyboardInterrupt


def test_reports_of_a_list_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has all plans so far, so with one report for each plan the time would be quadratic."""
    monkeypatch.setattr("asplan.enumeration.run._REPORTS", 0)
    numbers: list[int] = []
    request = make_request(("sample02",), "asp", {})
    finder = PlanFinder(Wanted(within=0))
    result = answer(replace(request, finder=finder), lambda part: numbers.append(len(part.plans)))
    assert len(result.plans) == 544
    reported = list(dict.fromkeys(filter(None, numbers)))
    assert reported[0] == 1
    assert len(reported) < 60


def test_the_iterator_shows_how_to_read_it() -> None:
    shown = repr(asplan.plans("two_cars", number=1))
    assert shown == (
        "Plans of two_cars, each found when it is needed: for plan in plans: print(plan)"
    )
    refuted = "#program step(t). { occurs(a,t) }. #program check(t). :- query(t). :- not x."
    assert repr(asplan.plans(text=refuted)).startswith("Plans of <text>: none, no plan exists: ")
