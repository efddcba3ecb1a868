"""Portfolios: the winner, the shared bound, and races without a winner."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

import asplan
from asplan import Outcome, planner
from asplan.core.installing import pip_install
from asplan.core.limits import Limits
from asplan.engines import find_engine
from asplan.engines.asp import AspOptions
from asplan.engines.asp import controller as asp_engine
from asplan.engines.options import EngineOptions
from asplan.engines.portfolio import auto as race_engine
from asplan.engines.portfolio.auto import auto_runners
from asplan.engines.portfolio.methods import Method
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.portfolio.race import Race
from asplan.engines.portfolio.runner import Runner, SharedBound
from asplan.engines.run import Run
from asplan.engines.sat import engine as sat_engine
from asplan.engines.scheduling import Start
from asplan.problem import Inputs, load
from asplan.result import Phase, Result
from boards import random_board
from conftest import HERE, examples, facts

sys.path.append(str(HERE / "engines" / "asp"))
from random_programs import random_program

# No two of the pigeons share a hole, of which there are too few: that takes for ever to refute.
HARD = """
    #program step(t). 1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14. :- in(P,H,t), in(Q,H,t), P < Q.
    #program check(t). :- query(t), t < 1.
"""
DEAD_END = """
    #program step(t). { occurs(go,t) }. :- t = 3.
    #program check(t). :- query(t), t < 9.
"""
DISJUNCTION = """
    #program step(t). occurs(a,t) ; occurs(b,t).
    #program check(t). :- query(t), t < 2.
"""
COUNTS = """
    n(0,0).
    #program step(t). { occurs(tick,t) }. n(t,N) :- n(t-1,N). n(t,N+1) :- n(t-1,N), occurs(tick,t).
    #program check(t). :- query(t), not n(t,2).
"""
ENGINES = ["race", "auto"]


@pytest.mark.parametrize("methods", ["asp,sat", "sat,asp", "asp:jumpy,asp,sat:glucose42"])
def test_the_result_names_the_winner_and_the_progress_of_the_others(methods: str) -> None:
    result = asplan.solve("towers4", engine="race", methods=methods)
    assert (result.outcome, result.horizon, result.lower_bound) == ("optimal", 15, 15)
    assert (result.validated, result.engine) == ("replay", "race")
    found, first, *others = result.reason.split("; ")
    assert found == "shortest: 14 steps refuted, 15 found"
    winner = first.removesuffix(" was first")
    assert result.method == winner
    assert result.engine_text == f"race, answered by {winner}"
    behind = [other.partition(" ")[0] for other in others]
    assert sorted([winner, *behind]) == sorted(methods.split(","))
    for other in others:
        assert re.fullmatch(r"\S+ had refuted (nothing|1 step|\d+ steps)", other), other


@pytest.fixture
def late_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes longer for two cars than the other methods wait before they join."""
    late = Start(race=60.0)
    first, *others = race_engine.USUAL
    usual = [first, *(replace(row, start=late) for row in others)]
    monkeypatch.setattr(race_engine, "TABLES", [usual])


@pytest.mark.usefixtures("late_search")
def test_auto_starts_no_second_method_for_easy_problems() -> None:
    result = asplan.solve("two_cars", encoding="origin", engine="auto")
    assert result.reason == "shortest: 5 steps refuted, 6 found; asp was first"


@pytest.mark.usefixtures("late_search")
@pytest.mark.parametrize("engine", ENGINES)
def test_no_plan_wins_as_well(engine: str) -> None:
    result = asplan.solve(text=DEAD_END, engine=engine)
    assert (result.outcome, result.stopped) == ("unsolvable", None)
    # Step 3 for who looks at it; what another one has refuted meanwhile is left out.
    assert re.match(
        r"no plan exists: the program has no answer set from step \d+ on; (asp|sat) was first",
        result.reason,
    )


@pytest.mark.usefixtures("late_search")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("options", "bound", "reason"),
    [
        ({"max_horizon": 4}, 5, "maximal horizon 4 reached"),
        (
            {"mode": "fixed", "horizon": 5},
            6,
            "no plan of at most 5 steps, relying on asplan(monotone)",
        ),
    ],
)
def test_a_refutation_of_all_horizons_wins(
    engine: str, options: dict[str, Any], bound: int, reason: str
) -> None:
    result = asplan.solve("two_cars", encoding="origin", engine=engine, **options)
    assert (result.outcome, result.lower_bound) == ("unknown", bound)
    assert re.match(rf"{re.escape(reason)}; (asp|sat) was first", result.reason)


@pytest.mark.usefixtures("late_search")
@pytest.mark.parametrize("engine", ENGINES)
def test_random_boards(engine: str, tmp_path: Path) -> None:
    random, file, outcomes = Random(engine), tmp_path / "board.lp", set()
    for _ in range(examples(25)):
        file.write_text(facts(random_board(random)))
        agree(engine, file, encoding=random.choice(["origin", "order"]), max_horizon=8)
        outcomes.add(agree(engine, file, encoding="frontier"))
    assert outcomes == {Outcome.OPTIMAL, Outcome.UNSOLVABLE}


@pytest.mark.usefixtures("late_search")
def test_random_programs(tmp_path: Path) -> None:
    file, outcomes = tmp_path / "program.lp", set()
    for seed in range(examples(36)):
        file.write_text(random_program(Random(seed)))
        outcomes.add(agree(ENGINES[seed % 2], file, max_horizon=4))
    assert {Outcome.OPTIMAL, Outcome.UNKNOWN} <= outcomes


JOINED = "asp@origin,sat@order,bfs,asp@frontier,astar"


def test_encodings_and_searches_race_on_random_boards(tmp_path: Path) -> None:
    """The winner's answer equals that of each method alone; the methods are random."""
    random, file, outcomes = Random(3), tmp_path / "board.lp", set()
    for _ in range(examples(21)):
        file.write_text(facts(random_board(random)))
        methods = random.sample(JOINED.split(","), random.randint(2, 5))
        metric = random.choice(["step", "slide"])
        finite = {"bfs", "asp@frontier", "astar"} & set(methods)
        raced = asplan.solve(
            file,
            engine="race",
            methods=",".join(methods),
            metric=metric,
            max_horizon=None if finite else 8,
        )
        alone = asplan.solve(file, engine="bfs", metric=metric)
        if not finite and alone.outcome is Outcome.UNSOLVABLE:
            assert raced.outcome is Outcome.UNKNOWN
        elif not finite and alone.horizon is not None and alone.horizon > 8:
            assert (raced.outcome, raced.lower_bound) == (Outcome.UNKNOWN, 9)
        else:
            assert (raced.outcome, raced.horizon) == (alone.outcome, alone.horizon)
        outcomes.add(raced.outcome)
    assert {Outcome.OPTIMAL, Outcome.UNSOLVABLE} <= outcomes


def agree(engine: str, file: Path, **options: Any) -> Outcome:
    """Return the common answer of a race and of clingo alone."""
    raced = asplan.solve(file, engine=engine, **options)
    alone = asplan.solve(file, engine="asp", **options)
    found = [(r.outcome, r.horizon, r.lower_bound, r.stopped, r.validated) for r in (raced, alone)]
    assert found[0] == found[1], file.read_text()
    return alone.outcome


@pytest.mark.parametrize("engine", ["asp", "sat"])
def test_refuted_horizons_are_not_tried_again(engine: str) -> None:
    """A method that starts later tries only the remaining horizons."""
    bound = SharedBound()
    teller = multiprocessing.get_context("fork").Process(target=bound.raise_to, args=(5,))
    teller.start()
    teller.join()
    problem = load(Inputs(("two_cars",), None, "origin"))
    options = find_engine(engine).options()
    result = find_engine(engine).run(Run(problem, options, shared=bound))
    assert (result.outcome, result.horizon, result.lower_bound) == (Outcome.OPTIMAL, 6, 6)
    tried = [step.horizon for step in result.statistics.steps]
    assert tried == [0, 1, 2, 4, 5, 6]  # up to 4, whether there is any answer set at all
    assert bound.proven() == 6


def test_a_bound_never_falls() -> None:
    bound = SharedBound()
    for told, known in [(0, 0), (7, 7), (3, 7), (9, 9)]:
        bound.raise_to(told)
        assert bound.proven() == known


# ------------------------------------------------------------------ methods made for the occasion


def field(*works: Callable[[Run[Any]], Result]) -> Race:
    """A race of functions, under their names."""
    run = Run(load(Inputs(("two_cars",), None, "origin")), AspOptions())
    return Race(run, [Runner(Method(w.__name__, w, EngineOptions())) for w in works])


def answers(run: Run[Any]) -> Result:
    time.sleep(0.5)
    return Result(outcome=Outcome.PLAN, reason="found", horizon=6)


def answering(told: SharedBound) -> Callable[[Run[Any]], Result]:
    """Return a method that answers at the first report; a lock could wait for ever."""

    def answers(run: Run[Any]) -> Result:
        awaited(told.proven)
        return Result(outcome=Outcome.PLAN, reason="found", horizon=6)

    return answers


def dozes(run: Run[Any]) -> Result:
    while True:
        time.sleep(0.1)


def never(run: Run[Any]) -> Result:
    while True:
        pass


def dies(run: Run[Any]) -> Result:
    os.kill(os.getpid(), signal.SIGKILL)
    return never(run)


def ends(run: Run[Any]) -> Result:
    os._exit(9)


def fails(run: Run[Any]) -> Result:
    raise asplan.InputError("there is a hole in it")


def errs(run: Run[Any]) -> Result:
    return Result(horizon=1 // 0)


def talks(run: Run[Any]) -> Result:
    """Reports more at a time than a pipe takes."""
    for n in range(100):
        run.report(Result(reason="x" * 1_000_000, lower_bound=n))
    return Result(outcome=Outcome.PLAN, reason="found", horizon=6)


def test_a_plan_and_the_refutation_of_another_method_prove_it_shortest() -> None:
    refuted = SharedBound()

    def refutes(run: Run[Any]) -> Result:
        assert run.shared
        run.shared.raise_to(6)
        refuted.raise_to(1)
        return never(run)

    result = field(answering(refuted), refutes).winner()
    assert (result.outcome, result.lower_bound) == ("optimal", 6)
    said = "shortest: 5 steps refuted, 6 found; answers was first; refutes had refuted nothing"
    assert result.reason == said


@pytest.mark.parametrize(
    ("other", "how"),
    [
        (dies, "stopped (the system killed the worker, most likely for want of memory)"),
        (ends, "failed (the worker ended with status 9)"),
        (fails, "failed (there is a hole in it)"),
    ],
)
def test_the_others_continue_after_a_failure(other: Callable[[Run[Any]], Result], how: str) -> None:
    for order in (1, -1):
        noticed = SharedBound()
        race = field(*(other, answering(noticed))[::order])
        race.run.report = partial(_tell_without, noticed, other.__name__)
        result = race.winner()
        assert result.outcome == "plan"
        reason = f"found; answers was first; {other.__name__} had {how}"
        assert result.reason.replace(" while waiting", "") == reason


def _tell_without(event: SharedBound, name: str, partial_result: Result) -> None:
    """Report without the current work, as after its end."""
    if name not in partial_result.reason:
        event.raise_to(1)


def test_different_failures_are_all_reported() -> None:
    with pytest.raises(asplan.InputError) as caught:
        field(fails, ends, errs).winner()
    said = re.sub(r" \(\S+:\d+\)| \(.*\)$", "", str(caught.value))
    assert said == (
        "every method has failed: fails: there is a hole in it; ends: the worker ended with "
        "status 9; errs: ZeroDivisionError: integer division or modulo by zero"
    )


def test_equal_failures_are_reported_once() -> None:
    with pytest.raises(asplan.InputError) as caught:
        field(fails, fails).winner()
    assert str(caught.value) == "there is a hole in it"


def test_the_system_kills_all_methods() -> None:
    result = field(dies, dies).winner()
    assert (result.outcome, result.stopped) == ("unknown", "memory")
    said = "the system killed the worker, most likely for want of memory while waiting"
    assert result.reason == said


@pytest.fixture
def one_core() -> Any:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("works", [(never, answers), (never, never, answers, never)], ids=len)
def test_with_one_core_methods_take_turns(works: tuple[Callable[[Run[Any]], Result], ...]) -> None:
    assert field(*works).winner().outcome == "plan"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_the_first_method_keeps_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = os.sched_getaffinity(0)
    halted = set()
    halt, all_halted = Runner.pause, SharedBound()

    def pause(self: Runner, paused: bool) -> None:
        if paused:
            halted.add(self.method.name)
        halt(self, paused)
        if {"dozes", "answers"} <= halted:
            all_halted.raise_to(1)

    monkeypatch.setattr(Runner, "pause", pause)
    race = field(dozes, never, answering(all_halted))
    race.runners[1].steady = True
    os.sched_setaffinity(0, set(sorted(cores)[:2]))
    try:
        assert race.winner().outcome == "plan"
    finally:
        os.sched_setaffinity(0, cores)
    assert halted == {"dozes", "answers"}


# Least is 1; core-guided search does not begin before the first horizon with a plan.
DEAR = """
    #program step(t). 1 { put(P,H,t) : H = 1..9 } 1 :- P = 1..9.
    { occurs(go,t) }.
    double(H,t) :- put(P,H,t), put(Q,H,t), P < Q.
    #minimize { 1,H,t : double(H,t) ; 1,t : occurs(go,t) }.
    #program check(t). :- query(t), t / 3 = 0. :- query(t), not occurs(go,t).
"""


def test_an_objective_is_minimized_in_two_ways() -> None:
    run = Run(load(Inputs(text=DEAR)), AutoOptions())
    names = [runner.method.name for runner in auto_runners(run)]
    assert names == ["asp", "asp --opt-strategy=usc"]
    chosen = replace(run, options=AutoOptions(clingo=("--opt-strategy=bb,dec",)))
    assert [runner.method.name for runner in auto_runners(chosen)] == ["asp"]
    result = asplan.solve(text=DEAR, engine="auto")
    assert (result.outcome, result.horizon, result.cost) == ("optimal", 3, (1,))


def test_another_configuration_joins_where_asplan_may_choose_one() -> None:
    def names(*clingo: str) -> list[str]:
        problem = load(Inputs(("five21",), encoding="moves"))
        return [r.method.name for r in auto_runners(Run(problem, AutoOptions(clingo=clingo)))]

    assert names() == ["asp", "state search", "asp:jumpy", "sat"]
    assert names("--configuration=handy") == ["asp", "state search", "sat"]


def test_another_solver_has_lemmas_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    def last(name: str, encoding: str | None = None, **options: Any) -> Runner:
        problem = load(Inputs((name,), encoding=encoding))
        return auto_runners(Run(problem, AutoOptions(**options)))[-1]

    assert last("towers5").method.name == "another solver"
    assert last("five21", "moves").method.name == "sat"
    assert last("towers5", invariants=True).method.name == "sat"

    asked: list[tuple[bool | None, int]] = []
    noted = partial(_note, asked, sat_engine.incremental)
    monkeypatch.setattr(asp_engine, "incremental", noted)
    monkeypatch.setattr(sat_engine, "incremental", noted)
    for words in (Inputs(("towers5",)), Inputs(("balls_4",)), Inputs(text=COUNTS)):
        problem = load(words)
        method = auto_runners(Run(problem, AutoOptions()))[-1].method
        assert method.name == "another solver"
        method.solve(Run(problem, method.options, Limits(max_horizon=2)))
    assert asked == [(True, 1), (None, 2), (None, 2)]  # clingo with lemmas, the SAT solver without


def _note(asked: list[Any], work: Callable[..., Result], run: Run[Any], *opener: Any) -> Result:
    """Record whether invariants are wanted and whether a SAT solver is used."""
    asked.append((run.options.invariants, 1 + len(opener)))
    return work(run, *opener)


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("engine", ENGINES)
def test_with_one_core_real_methods_answer(engine: str) -> None:
    result = asplan.solve("towers5", engine=engine)
    assert (result.outcome, result.horizon) == ("optimal", 31)


@pytest.mark.usefixtures("one_core")
def test_the_last_message_of_a_stopped_worker_arrives() -> None:
    result = field(never, talks).winner()
    assert result.outcome == "plan"


# ---------------------------------------------------------------------------- where a race may run


THREADS = """
from concurrent.futures import ThreadPoolExecutor
import psutil
import asplan

def solved(name):
    result = asplan.solve(name, encoding="origin", engine="race")
    return result.outcome.value, result.horizon

with ThreadPoolExecutor(3) as pool:
    assert set(pool.map(solved, ["two_cars"] * 6)) == {("optimal", 6)}
assert psutil.Process().children() == []
"""


def test_races_in_threads() -> None:
    subprocess.run([sys.executable, "-c", THREADS], check=True, timeout=60)


POOL = """
import multiprocessing, sys
import asplan

def solved(name):
    result = asplan.solve(name, encoding="origin", engine="race")
    return result.outcome.value, result.horizon

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(solved, ["two_cars"] * 4) == [("optimal", 6)] * 4
"""


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_races_in_the_workers_of_a_pool(way: str, tmp_path: Path) -> None:
    """In a program of its own, as people write it: a fork of a test runner inherits its threads."""
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    subprocess.run([sys.executable, script, way], check=True, timeout=60)


def test_killed_from_outside(tmp_path: Path) -> None:
    """The race survives the death of one runner, and reports the death of all."""
    (tmp_path / "hard.lp").write_text(HARD)
    before = psutil.Process().children()

    def runners() -> list[psutil.Process]:
        workers = [child for child in psutil.Process().children() if child not in before]
        return [runner for worker in workers for runner in worker.children()]

    doing = [""]

    def progress(partial_result: Result) -> None:
        doing[0] = partial_result.reason

    with ThreadPoolExecutor(1) as pool:
        racing = pool.submit(asplan.solve, tmp_path / "hard.lp", engine="race", progress=progress)
        awaited(lambda: doing[0].count("solving horizon 1") == 2)
        runners()[0].kill()
        awaited(lambda: len(runners()) == 1)
        time.sleep(0.3)
        assert not racing.done()
        runners()[0].kill()
        result = racing.result()
    assert (result.outcome, result.stopped, result.lower_bound) == ("unknown", "memory", 1)
    said = "the system killed the worker, most likely for want of memory while solving horizon 1"
    assert result.reason == said


def awaited(look: Callable[[], Any]) -> Any:
    """Return the first true result of a function."""
    while not (found := look()):
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_a_plan_in_hand_is_not_lost_with_the_time(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found at once; that none is cheaper takes for ever to prove."""
    # A busy machine needs longer for the check after the limit.
    monkeypatch.setattr(planner, "LAST_LOOK", 60.0)
    file = tmp_path / "dear.lp"
    file.write_text(
        HARD.replace(":- in(P,H,t), in(Q,H,t), P < Q.", "occurs(go,t).")
        + "#program step(t). shared(H,t) :- in(P,H,t), in(Q,H,t), P < Q."
        + "#minimize { 1,H,t : shared(H,t) }."
    )
    limited = (asplan.solve(file, engine=engine, time_limit=limit) for limit in (1, 4, 16, 64))
    result = next(result for result in limited if result.plan)
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 1, "replay")
    assert result.stopped == "time"


def test_bad_input_is_reported_once() -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text="p(X). #program step(t).", engine="race")
    assert str(caught.value).startswith("<text>:1:3: X is unsafe")
    assert "every method" not in str(caught.value)


def test_a_disjunction_is_left_to_clingo() -> None:
    result = asplan.solve(text=DISJUNCTION, engine="race")
    assert (result.outcome, result.horizon) == ("optimal", 2)
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve(text=DISJUNCTION, engine="race", clingo=["--trans-ext=all"])
    assert str(caught.value) == (
        "every method has failed: asp: --trans-ext: clasp loses plans if it translates "
        "constraints, preprocesses clauses and solves several times; "
        "sat: <text>:2:23: a SAT solver cannot solve a disjunction in the head of a rule"
    )


def test_without_python_sat_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    result = asplan.solve("towers4", engine="race")
    assert result.horizon == 15
    with pytest.raises(asplan.MissingExtra) as caught:
        asplan.solve("towers4", engine="race", methods="sat,sat:glucose42")
    assert str(caught.value) == (
        f"engine sat needs python-sat, which is not installed\n  {pip_install('sat')}"
    )


def test_only_the_phase_of_a_report_says_that_a_method_is_solving() -> None:
    runner = Runner(Method("any", lambda run: Result(), EngineOptions()))
    runner.received = time.monotonic() - 5
    runner.last = Result(reason="solving horizon 3", phase=Phase.GROUNDING)
    assert runner.searched() == 0
    runner.last = Result(reason="at horizon 3", phase=Phase.SOLVING)
    assert runner.searched() >= 5
