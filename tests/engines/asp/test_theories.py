"""Programs with theory atoms: asplan agrees with a plain loop of the theory's package.

Each file in `theories` is solved by both. What the check of a plan finds is tested with values that
were changed: by plain arithmetic, nothing of the package's solving.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from clingo import Control, Function, Model, Number, Symbol
from clingo.ast import ProgramBuilder, parse_string

import asplan
from asplan.api.checking import read_lines
from asplan.cli.results import print_result
from asplan.core.installing import pip_install
from asplan.core.plan import Plan
from asplan.problem import Inputs, load
from asplan.program.reading.source import parse_text
from asplan.program.syntax import ASTType
from asplan.program.theory import CON, DL, LPX, Package, group_by_time, package_of
from asplan.stored import from_json, to_json
from asplan.validation import check

PROGRAMS = {file.stem: file for file in sorted(Path(__file__).with_name("theories").glob("*.lp"))}
PACKAGES = {"jobs": DL, "bounds": DL, "tank": LPX, "mix": LPX}
LAST = 8
LEAST = {
    **{"fuel": 5, "jobs": 3, "tank": 3, "never": None, "walk": 2, "choice": 4, "bounds": 2},
    **{"several": 2, "staged": 4, "disjoint": 2, "mix": 4, "start": 0},
}
"""The least horizon of each, which the loop below found; None where no horizon up to 8 will do."""


def loop(text: str, package: Package, last: int = LAST) -> tuple[int, set[tuple[str, ...]]] | None:
    """The least horizon and the answers that are shown there, by the package and a plain loop."""
    theory = getattr(importlib.import_module(package.module), package.kind)()
    control = Control(["0", "--project=show"])
    theory.register(control)
    with ProgramBuilder(control) as builder:
        parse_string(
            f"{text}\n#program check(t). #external query(t).",
            lambda each: theory.rewrite_ast(each, builder.add),
        )
    for t in range(last + 1):
        first = [("base", list[Symbol]())] if t == 0 else [("step", [Number(t)])]
        if t:
            control.release_external(Function("query", [Number(t - 1)]))
        control.ground([*first, ("check", [Number(t)])])
        theory.prepare(control)
        control.assign_external(Function("query", [Number(t)]), True)
        found: set[tuple[str, ...]] = set()
        with control.solve(yield_=True, on_model=theory.on_model) as handle:
            for model in handle:
                found.add(tuple(sorted(map(str, model.symbols(shown=True)))))
        if found:
            return t, found
    return None


def plans(answers: set[tuple[str, ...]], actions: set[str]) -> set[tuple[str, ...]]:
    """Return the answers, reduced to their actions."""
    return {tuple(a for a in answer if a.partition("(")[0] in actions) for answer in answers}


def timed(plan: Plan) -> tuple[str, ...]:
    """The actions of a plan as the atoms that they were."""
    return tuple(
        sorted(
            f"{action[:-1]},{t})" if action.endswith(")") else f"{action}({t})"
            for t, step in enumerate(plan, 1)
            for action in step
        )
    )


def test_the_table_is_whole() -> None:
    assert PROGRAMS.keys() == LEAST.keys()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_loop_finds_the_same(name: str) -> None:
    text = PROGRAMS[name].read_text()
    expected = loop(text, PACKAGES.get(name, CON))
    result = asplan.solve(PROGRAMS[name], models=0, max_horizon=LAST)
    if expected is None:
        assert LEAST[name] is None
        assert result.plan is None
        return
    assert (result.outcome, result.horizon, expected[0]) == ("optimal", LEAST[name], LEAST[name])
    actions = {term.name for plan in result.plans for step in plan.terms for term in step}
    assert {timed(plan) for plan in result.plans} == plans(expected[1], actions)


SINGLE_SHOT = {
    CON: """
        #const last=9. step(0..last). &dom { 0..7*T } = at(T) :- step(T). &sum { at(0) } = 0.
        { move(T) } :- step(T), T > 0. &sum { at(T-1); 7 } = at(T) :- move(T).
        &sum { at(T-1) } = at(T) :- not move(T), step(T), step(T-1).
        :- &sum { at(last) } <= 20. #show move/1.
    """,
    DL: """
        #const n=9. time(0..n). { move(T) } :- time(T), T < n. &diff { at(0) - 0 } = 0.
        &diff { at(T+1) - at(T) } = 7 :- move(T).
        &diff { at(T+1) - at(T) } = 0 :- not move(T), time(T), T < n.
        :- &diff { at(n) - 0 } <= 20. #show move/1.
    """,
    LPX: """
        #theory lp {}. #const n=9. time(1..n). { move(T) } :- time(T). &sum { at(0) } = 0.
        &sum { at(T); -1*at(S) } = 7 :- move(T), S = T-1.
        &sum { at(T); -1*at(S) } = 0 :- not move(T), time(T), S = T-1.
        &sum { at(n) } >= 21. #show move/1.
    """,
}


@pytest.mark.parametrize("package", SINGLE_SHOT, ids=lambda package: package.tool)
def test_single_shot_programs(package: Package) -> None:
    """Each horizon is grounded anew; the times are seen from the variables of the theory."""
    result = asplan.solve(text=SINGLE_SHOT[package])
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 3, "replay")
    assert result.plan is not None
    assert result.plan.steps == (("move",),) * 3
    assert result.trajectory is not None
    assert result.trajectory.values == tuple((t, (f"at={7 * t}",)) for t in range(4))


KINDS = {
    file.stem: file
    for file in sorted(Path(__file__).with_name("single_shot_theories").glob("*.lp"))
}
BOUND = {
    **{"counter": "n", "fuel": "horizon", "walk_dl": "m", "jumps_dl": "n", "tank_lpx": "n"},
    **{"heights_lpx": "last", "grid": "n", "time_first": "n", "goal_predicate": "n"},
    **{"goal_at_any_time": "n", "literal_range": "9", "goal_at_literal": "9", "length_fact": "5"},
}
"""The constant, or the number, that bounds the times of what plans; the others are refused."""

LISTED = {"listed_times": 3, "time_after_last": 3}
UNSURE = {"interval_alone": "k", "next_time": "n", "no_domain": "n", "two_negations": "n"}
"""Plans which look like schedules to asplan, so that it asks for their constant."""


def _at(text: str, bound: str, last: int) -> bool:
    """Return whether a single-shot program has an answer for a last time, by its package alone."""
    package = package_of(parse_text(text))
    assert package is not None
    theory = getattr(importlib.import_module(package.module), package.kind)()
    if bound.isdigit():
        text = text.replace(bound, str(last))
    control = Control([] if bound.isdigit() else ["-c", f"{bound}={last}"])
    theory.register(control)
    with ProgramBuilder(control) as builder:
        for statement in parse_text(text):
            if statement.ast_type != ASTType.TheoryDefinition:
                theory.rewrite_ast(statement, builder.add)
    control.ground([("base", [])])
    theory.prepare(control)
    return bool(control.solve(on_model=theory.on_model).satisfiable)


@pytest.mark.parametrize(("name", "bound"), [*BOUND.items(), *UNSURE.items()])
def test_plans_without_parts(name: str, bound: str) -> None:
    text = KINDS[name].read_text()
    least = next(n for n in range(9) if _at(text, bound, n))
    named = bound if name in UNSURE else None
    result = asplan.solve(KINDS[name], horizon_constant=named)
    assert (result.outcome, result.horizon, result.warnings) == ("optimal", least, ())


@pytest.mark.parametrize("name", LISTED)
def test_times_as_numbers(name: str) -> None:
    assert asplan.solve(KINDS[name]).horizon == LISTED[name]


@pytest.mark.parametrize("name", sorted(KINDS.keys() - BOUND.keys() - LISTED.keys()))
def test_a_schedule_is_refused_with_the_name_of_its_tool(name: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(KINDS[name])
    what, hint = str(caught.value).splitlines()
    assert what.endswith(": no rule leads from one time to the next, so the program has no plans")
    assert hint.startswith("  solve it with ")
    assert hint.endswith(
        "; if it plans, name its last time with --horizon-constant, "
        "or divide it into base, step(t) and check(t)"
    )


@pytest.mark.parametrize(
    ("atom", "tool"), [("&sum { x(n) } <= 3", "clingo-lpx"), ("&dom { 1..3 } = x(n)", "clingcon")]
)
def test_atoms_for_heads(atom: str, tool: str) -> None:
    theory = "#theory lp {}." if tool == "clingo-lpx" else ""
    text = (
        f"#const n=3. {theory} time(1..n). {{ a(T) }} :- time(T). :- {atom}.\n&sum {{ x(n) }} >= 1."
    )
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=text, horizon_constant="n")
    name = atom.partition(" ")[0]
    assert f": {name} in a body: {tool} allows it only in heads\n" in str(caught.value)


WALK = """
#const n=9. time(0..n). at(0,0). { go(X,T) : X=1..2 } = 1 :- time(T), T < n.
at(P+X,T+1) :- at(P,T), go(X,T). :- not at(P,n) : P=3..9. #show go/2.
&sum { toll(T) } = X*X :- go(X,T). OBJECTIVE.
"""
STEPS = """
at(0,0). &sum { total(0) } = 0. #show go/2.
#program step(t). { go(X,t) : X=1..2 } = 1. at(P+X,t) :- at(P,t-1), go(X,t).
&sum { total(t) } = total(t-1) + X*X :- go(X,t). OBJECTIVE.
#program check(t). :- not at(P,t) : P=3..9; query(t).
"""
COSTS = {
    "&minimize { toll(T) : time(T), T < n }": (WALK, 5),
    "&maximize { toll(T) : time(T), T < n; 0-3*toll(0) }": (WALK, -2),
    "&minimize { total(t) - total(t-1) }": (STEPS, 5),
    "&minimize { 2*total(t); total(0) }": (STEPS, 12),
}


def best(text: str, steps: int) -> int:
    """The least cost of a horizon, by clingcon alone."""
    theory = getattr(importlib.import_module(CON.module), CON.kind)()
    control = Control(["0", f"-cn={steps}"])
    theory.register(control)
    with ProgramBuilder(control) as builder:
        parse_string(
            f"{text}\n#program check(t). #external query(t).",
            lambda each: theory.rewrite_ast(each, builder.add),
        )
    parts = [(part, [Number(t)]) for t in range(1, steps + 1) for part in ("step", "check")]
    control.ground([("base", []), *parts])
    theory.prepare(control)
    control.assign_external(Function("query", [Number(steps)]), True)
    costs = []

    def take(model: Model) -> None:
        theory.on_model(model)
        costs.extend(s for s in model.symbols(theory=True) if s.name == "__csp_cost")

    control.solve(on_model=take)
    return int(costs[-1].arguments[0].string)


@pytest.mark.parametrize("objective", COSTS)
def test_the_best_values_at_the_least_horizon(objective: str) -> None:
    text, cost = COSTS[objective]
    text = text.replace("OBJECTIVE", objective)
    result = asplan.solve(text=text)
    assert (result.outcome, result.horizon, result.cost) == ("optimal", 2, (cost,))
    assert cost == best(text, 2)
    assert result.plan is not None
    problem = load(Inputs(text=text))
    with pytest.raises(asplan.InvalidPlan, match=f"the values of the plan cost {cost}, not 99"):
        check(problem, replace(result.plan, cost=(99,)))


NO_BEST: dict[str, tuple[dict[str, Any], str]] = {
    "models": ({"models": 0}, "--models 0: a theory's objective gives one best plan of a horizon"),
    "minimize": (
        {"mode": "minimize", "horizon": 3},
        "--mode minimize: a theory's objective gives one best plan of a horizon",
    ),
    "variable": (
        {"clingo": ("--minimize-variable=x",)},
        "--minimize-variable=x: the fact asplan(minimize(VARIABLE)). in the program does that",
    ),
}


@pytest.mark.parametrize(("options", "message"), NO_BEST.values(), ids=NO_BEST)
def test_no_best_values(options: dict[str, Any], message: str) -> None:
    text = STEPS.replace("OBJECTIVE", "&minimize { total(t) - total(t-1) }")
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve(text=text, **options)
    assert str(caught.value) == message
    for other in ("#minimize { 1,X : go(X,_) }.", "asplan(minimize(total(2)))."):
        with pytest.raises(asplan.InputError) as error:
            asplan.solve(text=f"{other} {text}")
    assert "the program has clingcon's objective and another one" in str(error.value)


def test_no_plan_is_proven() -> None:
    result = asplan.solve(PROGRAMS["never"])
    assert (result.outcome, result.reason) == (
        "unsolvable",
        "no plan exists: the program has no answer set from step 3 on",
    )


@pytest.mark.parametrize("name", [name for name, least in LEAST.items() if least])
def test_one_less_is_refuted(name: str) -> None:
    least = LEAST[name]
    assert least is not None
    result = asplan.solve(PROGRAMS[name], max_horizon=least - 1)
    assert (result.outcome, result.lower_bound, result.plan) == ("unknown", least, None)


@pytest.mark.parametrize("options", [{"no_rewrite": True}, {"threads": 2}, {"engine": "auto"}])
@pytest.mark.parametrize("name", ["fuel", "jobs", "mix"])
def test_ways_to_solve(name: str, options: Mapping[str, object]) -> None:
    assert asplan.solve(PROGRAMS[name], **options).horizon == LEAST[name]


@pytest.mark.parametrize("mode", ["fixed", "minimize"])
def test_modes(mode: str) -> None:
    result = asplan.solve(PROGRAMS["staged"], mode=mode, horizon=6)
    assert result.horizon in ((4, 5, 6) if mode == "fixed" else (4,))
    assert result.outcome == ("plan" if mode == "fixed" else "optimal")
    assert result.validated == "replay"


LEAST_VALUES = {
    "diff": ("&diff { at(T) - at(T-1) } >= D", "&diff { at(n) - sum } <= 0", DL),
    "sum": ("&sum { at(T); -1*at(T-1) } >= D", "&sum { at(n); -1*sum } <= 0", CON),
}


@pytest.mark.parametrize("atoms", LEAST_VALUES.values(), ids=LEAST_VALUES)
@pytest.mark.parametrize("name", ["sum", "other"])
def test_the_least_value(atoms: tuple[str, str, Package], name: str) -> None:
    """Each of two steps takes 3, 5 or 8, all of them differ, and 3 comes last if at all."""
    step, total, package = atoms
    start = "&diff { at(0) - 0 } >= 0" if package is DL else "&sum { at(0) } >= 0"
    text = f"""
        asplan(minimize({name})). {start}.
        #program step(t). 1 {{ do(3,t); do(5,t); do(8,t) }} 1.
        :- do(D,t), do(D,t-1). :- do(3,t-1), do(_,t).
        {step.replace("T-1", "t-1").replace("T", "t")} :- do(D,t).
        #program check(t). :- query(t), t < 2. {total.replace("n", "t")} :- query(t).
    """
    if name == "other":
        with pytest.raises(asplan.InputError, match="no theory atom gives it a value"):
            asplan.solve(text=text)
        return
    result = asplan.solve(text=text)
    assert (result.outcome, result.cost) == ("optimal", (8,))
    assert result.plan is not None
    assert result.plan.steps == (("do(5)",), ("do(3)",))
    assert result.reason.endswith("; sum 8, the least of 2 steps")
    with pytest.raises(asplan.UsageError, match="one plan"):
        asplan.solve(text=text, models=2)


def test_values_by_step() -> None:
    result = asplan.solve(PROGRAMS["jobs"])
    assert result.plan is not None
    assert set(result.plan.values) == {f"start({t})" for t in range(4)}
    assert result.trajectory is not None
    assert [time for time, _ in result.trajectory.values] == [0, 1, 2, 3]
    found = asplan.solve(PROGRAMS["several"])
    assert found.trajectory is not None
    times = [time for time, _ in found.trajectory.values]
    assert times == [0, 1, 2, None]
    assert [text.partition("=")[0] for text in found.trajectory.values[-1][1]] == ["a", "b"]


def test_rationals() -> None:
    plan = asplan.solve(PROGRAMS["mix"]).plan
    assert plan is not None
    assert (plan.values["extra"], plan.values["x(4)"]) == ("1/8", "11/8")


def test_the_text_of_a_plan_is_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    result = asplan.solve(PROGRAMS["several"])
    print_result(result, Inputs((str(PROGRAMS["several"]),)))
    text = capsys.readouterr().out.split("\n\n")[1]
    assert result.plan is not None
    assert read_lines(text, "plan.txt").steps == result.plan.steps
    first, *steps, last = text.splitlines()
    assert (first, last[:4], last[-13:]) == ("% sum=0 at the start", "% a=", " without time")
    assert all("  % sum=" in line for line in steps)


def test_values_are_stored() -> None:
    result = asplan.solve(PROGRAMS["tank"])
    assert result.plan is not None
    data = to_json(result)
    assert data["values"] == [dict(result.plan.values)]
    again = from_json(data).plan
    assert again is not None
    assert again.values == result.plan.values


@pytest.mark.parametrize("name", [name for name, least in LEAST.items() if least])
def test_a_plan_without_values_gets_some(name: str) -> None:
    result = asplan.solve(PROGRAMS[name])
    assert result.plan is not None
    bare = replace(result.plan, values={})
    found = check(load(Inputs((str(PROGRAMS[name]),))), bare)
    assert found.plan.steps == result.plan.steps
    assert found.plan.values.keys() == result.plan.values.keys()


@pytest.mark.parametrize("name", ["fuel", "tank", "walk", "choice", "mix", "disjoint"])
def test_wrong_values_are_found(name: str) -> None:
    """Each variable that the constraints fix: any other value breaks one of them."""
    plan = asplan.solve(PROGRAMS[name]).plan
    assert plan is not None
    for term, value in plan.values.items():
        if name == "disjoint" and not term.startswith("clock(0)"):
            continue
        for change in (-1, Fraction(1, 7), 1000):
            wrong = {**plan.values, term: str(Fraction(value) + change)}
            with pytest.raises(asplan.InvalidPlan) as caught:
                asplan.validate(PROGRAMS[name], plan=replace(plan, values=wrong))
            assert str(caught.value).startswith("the values do not fit the plan: ")


def test_a_missing_value_is_found() -> None:
    plan = asplan.solve(PROGRAMS["fuel"]).plan
    assert plan is not None
    some = {term: value for term, value in plan.values.items() if term != "fuel(2)"}
    with pytest.raises(asplan.InvalidPlan, match="the values do not fit the plan"):
        asplan.validate(PROGRAMS["fuel"], plan=replace(plan, values=some))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"h(0)": 1, "h(1)": 3, "h(2)": 6, "h(3)": 9, "h(4)": 12},
            "the values do not fit the plan: &sum { h(0) } = 0 does not hold",
        ),
        ({"h(0)": "zero"}, "h(0)=zero is not a value of a variable"),
        ({"h(0)": "1/0"}, "h(0)=1/0 is not a value of a variable"),
        ({"h(": 1}, "h(=1 is not a value of a variable"),
    ],
)
def test_messages_of_the_check(values: dict[str, int | str], message: str) -> None:
    plan = Plan((("climb",),) * 4, values=values)
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.validate(PROGRAMS["staged"], plan=plan)
    assert str(caught.value) == message


def test_wrong_actions_are_named_first() -> None:
    plan = Plan((("climb",), ("fly",)), values={"h(0)": 7})
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.validate(PROGRAMS["staged"], plan=plan)
    assert str(caught.value) == "step 2: fly is not an action of the encoding at this step"


@pytest.mark.parametrize("engine", ["sat", "bfs", "pdr", "portfolio", "astar"])
def test_other_engines_refuse(engine: str) -> None:
    file = PROGRAMS["staged"]
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, engine=engine)
    assert str(caught.value) == (
        f"{file}:3:1: &sum: engine {engine} does not understand theory atoms\n"
        "  use asplan solve with --engine asp, or asplan validate"
    )


def test_preprocessing_is_refused() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve(PROGRAMS["jobs"], clingo=("--sat-prepro=2",))
    assert str(caught.value) == (
        "--sat-prepro: clingo-dl looks at atoms that preprocessing removes\n"
        "  leave it out: asplan does without it for programs with theory atoms"
    )


@pytest.mark.parametrize(("name", "tool"), [("jobs", "clingo-dl"), ("fuel", "clingcon")])
def test_a_missing_package(name: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, PACKAGES.get(name, CON).module, None)
    with pytest.raises(asplan.MissingExtra) as caught:
        asplan.solve(PROGRAMS[name])
    assert str(caught.value) == (
        f"the program's theory atoms need {tool}, which is not installed\n  {pip_install('theory')}"
    )


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("&sum { v(7,t) } = 3.", (1, ("v(7)=3",))),
        ("&sum { v(t-1,7) } = 3.", (0, ("v(7)=3",))),
        ("&sum { v(S,7) } = 3 :- S = t-1.", (0, ("v(7)=3",))),
        ("&sum { v(7,T) } = 3 :- act(T).", (1, ("v(7)=3",))),
        ("&sum { v(7,8) } = 3.", (None, ("v(7,8)=3",))),
    ],
)
def test_the_argument_of_the_time_is_found(
    constraint: str, expected: tuple[int | None, tuple[str, ...]]
) -> None:
    text = (
        f"#program step(t). {{ act(t) }}. {constraint} #program check(t). :- query(t), not act(t)."
    )
    trajectory = asplan.solve(text=f"{text} #show act/1.").trajectory
    assert trajectory is not None
    assert trajectory.values == (expected,)


def test_times_of_values() -> None:
    values = {"x(a,10)": 1, "x(b,2)": 2, "y": "1/3", "x(a,2)": 0}
    assert group_by_time(values, {("x", 2): 1}) == (
        (2, ("x(a)=0", "x(b)=2")),
        (10, ("x(a)=1",)),
        (None, ("y=1/3",)),
    )


def _random_program(random: Random) -> str:
    """Moves that add to one of two sums, with bounds and a strict literal of some kind."""
    low, high = random.randint(-3, 0), random.randint(3, 8)
    start, goal = random.randint(0, 2), random.randint(4, 14)
    steps = random.sample([-2, -1, 1, 2, 3, 5], 3)
    relation = random.choice(["<=", ">=", "=", "!=", "<", ">"])
    extra = random.choice(
        [
            f":- add(x,_,t), not &sum {{ x(t) }} {relation} y(t).",
            f"odd(t) :- &sum {{ x(t); -1*y(t) }} {relation} {random.randint(-2, 2)}."
            " :- odd(t), odd(t-1).",
            f"&sum {{ x(t) }} {relation} 2*y(t) - 3 :- add(y,_,t), t > 1.",
            "&distinct { x(t); y(t)+1 }.",
        ]
    )
    facts = " ".join(f"by({step})." for step in steps)
    return f"""
        var(x;y). {facts} &sum {{ x(0) }} = {start}. &sum {{ y(0) }} = 1.
        #program step(t).
        1 {{ add(V,D,t) : var(V), by(D) }} 1.
        &sum {{ x(t) }} = x(t-1) + D :- add(x,D,t).  &sum {{ x(t) }} = x(t-1) :- add(y,_,t).
        &sum {{ y(t) }} = y(t-1) + D :- add(y,D,t).  &sum {{ y(t) }} = y(t-1) :- add(x,_,t).
        &dom {{ {low}..{high} }} = x(t). &dom {{ {low}..{high} }} = y(t).
        {extra}
        #program check(t).
        :- query(t), &sum {{ x(t); y(t) }} != {goal}.
        #show add/3.
    """


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    text = _random_program(Random(seed))
    expected = loop(text, CON, 4)
    result = asplan.solve(text=text, models=0, max_horizon=4)
    if expected is None:
        assert result.plan is None, text
    else:
        assert (result.outcome, result.horizon) == ("optimal", expected[0]), text
        assert {timed(plan) for plan in result.plans} == expected[1], text


def test_each_plan_is_printed_with_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    text = """
    #program base.
    &sum{ w(0) } = 2. n(0,0).
    #program step(t).
    1 { add(t); dbl(t) } 1.
    &sum{ w(t) } = w(t-1) + 3 :- add(t).
    &sum{ w(t) } = 2*w(t-1) :- dbl(t).
    n(N+1,t) :- n(N,t-1), add(t).
    n(N,t) :- n(N,t-1), dbl(t).
    #program check(t).
    :- query(t), t < 2.
    :- query(t), not n(1,t).
    #show add/1. #show dbl/1.
    """
    result = asplan.solve(text=text, models=0)
    assert [plan.actions for plan in result.plans] == [("dbl", "add"), ("add", "dbl")]
    print_result(result, Inputs(text=text))
    said = capsys.readouterr().out.split("\n\n")
    assert said[1] == "plan 1 of 2\n% w=2 at the start\n1. dbl  % w=4\n2. add  % w=7"
    assert said[2] == "plan 2 of 2\n% w=2 at the start\n1. add  % w=5\n2. dbl  % w=10"
