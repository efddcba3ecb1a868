"""Single-shot programs as incremental ones: at each horizon they have the same answer sets."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from clingo import Control, Function, Number
from clingo.ast import ProgramBuilder

from asplan.core.errors import InputError
from asplan.program.composition import compose
from asplan.program.conversion.conversion import convert
from asplan.program.conversion.normal import NotConvertible
from asplan.program.conversion.writing import incremental_text, single_shot_text
from asplan.program.reading.unit import Unit, is_helper, read_unit, unit_of_text
from asplan.program.roles.roles import roles_of
from asplan.program.times.horizon import find_horizon
from asplan.program.transitions.stepwise import transition_times_of
from conftest import run

PROGRAMS = tomllib.loads(Path(__file__).with_name("conversion.toml").read_text("utf-8"))["program"]
CONVERTED = [each for each in PROGRAMS if "refused" not in each]
STEPS = 4
MOST = 150
"""Answer sets at a horizon beyond which it is not looked at."""

Answers = list[tuple[list[str], list[int]]]


def control_of(units: Sequence[Unit], *options: str) -> Control:
    """A control with some units, which enumerates answer sets without regard to their cost."""
    control = Control(
        [*options, str(MOST + 1), "--opt-mode=ignore"], logger=lambda code, text: None
    )
    with ProgramBuilder(control) as builder:
        for unit in units:
            for statement in unit.statements:
                builder.add(statement)
    for unit in units:
        for facts in unit.facts:
            control.add("base", [], facts.text)
    return control


def answers(control: Control) -> Answers:
    """Return the shown atoms of each answer set without helpers, each with its cost."""
    with control.solve(yield_=True) as handle:
        return sorted(
            (sorted(str(s) for s in m.symbols(shown=True) if not is_helper(s)), list(m.cost))
            for m in handle
        )


def at_once(units: Sequence[Unit], constant: str, value: int) -> Answers:
    """The answer sets of a single-shot program at a horizon."""
    control = control_of(units, f"-c{constant}={value}")
    control.ground([("base", [])])
    return answers(control)


def step_by_step(units: Sequence[Unit], steps: int) -> list[Answers]:
    """The answer sets of an incremental program at each horizon."""
    control = control_of(units)
    t = next(s.parameter for unit in units for s in unit.sections if s.part == "check")
    control.add("check", [t], f"#external query({t}).")
    control.ground([("base", []), ("check", [Number(0)])])
    found = []
    for k in range(steps + 1):
        if k:
            control.ground([("step", [Number(k)]), ("check", [Number(k)])])
            control.release_external(Function("query", [Number(k - 1)]))
        control.assign_external(Function("query", [Number(k)]), True)
        found.append(answers(control))
    return found


def assert_same(text: str, named: str | None = None) -> bool:
    """Assert equal answers at each horizon; return whether there are any."""
    horizon, units = find_horizon([unit_of_text(text)], {}, named)
    converted = step_by_step(convert(units, horizon, {}), horizon.least + STEPS)
    has_some = False
    for k in range(horizon.least, horizon.least + STEPS + 1):
        wanted = at_once(units, horizon.constant, horizon.value(k))
        if max(len(wanted), len(converted[k])) > MOST:
            assert len(wanted) == len(converted[k]), text
            break
        assert converted[k] == wanted, f"horizon {k} of\n{text}"
        has_some = has_some or bool(wanted)
    return has_some


@pytest.mark.parametrize("each", CONVERTED, ids=[each["name"] for each in CONVERTED])
def test_same_answers_at_each_horizon(each: dict[str, str]) -> None:
    assert_same(each["text"], each.get("constant"))


@pytest.mark.parametrize("each", [each for each in PROGRAMS if "refused" in each])
def test_refused(each: dict[str, str]) -> None:
    horizon, units = find_horizon([unit_of_text(each["text"])], {}, each.get("constant"))
    with pytest.raises(NotConvertible) as caught:
        convert(units, horizon, {})
    assert str(caught.value) == each["refused"]


TEXTBOOK = {
    "blocks world": ({"move"}, {"on"}),
    "hanoi": ({"move"}, {"on"}),
    "wolf goat cabbage": ({"cross"}, {"at"}),
    "classical negation inertia": ({"flip"}, {"holds"}),
    "two domains": ({"go"}, {"at"}),
    "states with counters": ({"pump", "drain", "wait"}, {"level"}),
    "fluents that follow from fluents of the same time": ({"do"}, {"fluent"}),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_programs_are_transition_systems(name: str) -> None:
    text = next(each["text"] for each in PROGRAMS if each["name"] == name)
    horizon, units = find_horizon([unit_of_text(text)], {})
    program = compose(convert(units, horizon, {}), {})
    transition_times_of(program)
    roles = roles_of(program)
    found = {key[1] for key in roles.actions}, {key[1] for key in roles.fluents}
    assert found == TEXTBOOK[name]


HEADS = ("p(1,T)", "p(1,T+1)", "p(2,T-1)", "q(T)", "q(T+1)", "h(1,T+1)", "h(2,T)")
READ = (
    "a(T)",
    "a(T-1)",
    "not a(T)",
    "not a(T+1)",
    "p(1,T)",
    "not p(1,T-1)",
    "not p(_,T)",
    "q(T)",
    "not q(T+1)",
    "h(1,T)",
    "not h(2,T)",
    "h(1,T-1)",
    "a(S), S<T",
    "1 { a(S) : S<T }",
)
WHEN = (
    "time(T)",
    "time(T), T<n",
    "time(T), T<n",
    "time(T), time(T+1)",
    "time(T), T>0",
    "time(T), not time(T+1)",
    "time(T), T != n",
    "time(T), T >= n-1",
)
DEMANDS = (
    ":- not a(n-1), n>1.",
    ":- h(1,T), not a(T).",
    ":- not p(1,n), n>2.",
    ":- not goal, n>1. goal :- q(T).",
    ":- not a(_), n>1.",
    ":- 3 { a(T) : time(T) }.",
    "#minimize { 1,T : a(T), not q(T) }.",
    "#show a/1. #show x(T) : h(1,T), not a(T).",
)
DOMAINS = ("time(0..n).", "time(1..n).", "time(0..n-1). time(n).", "time(0..n). last(n).")


def random_program(number: int) -> str:
    """A program made of pieces."""
    draw = random.Random(number)
    rules = [
        f"{draw.choice(HEADS)} :- {', '.join([draw.choice(WHEN), *draw.sample(READ, 2)])}."
        for _ in range(draw.randint(1, 4))
    ]
    choice = draw.choice(("{{ a(T) }} :- {}.", "{{ a(T) : {} }}.", "1 {{ a(T); b(T) }} 1 :- {}."))
    start = draw.choice(("h(1,0).", "q(0). p(1,2).", "h(X,0) :- X = 1..2."))
    demands = draw.sample(DEMANDS, draw.randint(0, 2))
    lines = [draw.choice(DOMAINS), choice.format(draw.choice(WHEN)), start, *rules, *demands]
    return "#const n = 3.\n" + "\n".join(lines)


def compare_random(numbers: range) -> tuple[int, int]:
    """Return the numbers of converted random programs with answers and of refused ones."""
    same = refused = 0
    for number in numbers:
        try:
            same += assert_same(random_program(number), "n")
        except NotConvertible:
            refused += 1
    return same, refused


def test_random_programs() -> None:
    same, refused = compare_random(range(15))
    assert same > refused


HOMEWORK = """\
% Lights
#const n = 3.   % the horizon
time(0..n). light(1). light(2).  % two of them

% off at first
off(L,0) :- light(L).

% press one
{ press(L,T) : light(L) } 1 :- time(T), T < n.  % or none
on(L,T+1) :- press(L,T), off(L,T).
on(L,T+1) :- on(L,T), not press(L,T), time(T), T < n.
off(L,T+1) :- off(L,T), not press(L,T), time(T), T < n.
off(L,T+1) :- press(L,T), on(L,T).
:- light(L), not on(L,n).
#show press/2.
"""

INCREMENTAL = """\
% Made of homework.lp by asplan convert, for asplan and for clingo's incremental mode.
% In the original, n bounds the time (homework.lp:2). step(t) adds the rules
% for its value t; check(t) has the rules for the last step alone, and the
% goal.

#program base.
% Lights
% the horizon
light(1). light(2).  % two of them

% off at first
off(L,0) :- light(L).
#show press/2.

#program step(t).

% press one
{ press(L,t-1): light(L) } 1.  % or none
on(L,t) :- press(L,t-1), off(L,t-1).
on(L,t) :- on(L,t-1), not press(L,t-1).
off(L,t) :- off(L,t-1), not press(L,t-1).
off(L,t) :- press(L,t-1), on(L,t-1).

#program check(t).
:- light(L), not on(L,t), query(t).
"""


def test_texts(tmp_path: Path) -> None:
    file = tmp_path / "homework.lp"
    file.write_text(HOMEWORK)
    horizon, units = find_horizon([read_unit(str(file))], {})
    text = incremental_text(units, horizon, {})
    assert text == INCREMENTAL
    file = tmp_path / "incremental.lp"
    file.write_text(text)
    incremental = [read_unit(str(file))]
    (tmp_path / "again.lp").write_text(single_shot_text(incremental))
    again = [read_unit(str(tmp_path / "again.lp"))]
    for k, found in enumerate(step_by_step(incremental, 4)):
        assert found == at_once(units, "n", k) == at_once(again, "n", k)


def test_command(tmp_path: Path) -> None:
    (tmp_path / "homework.lp").write_text(HOMEWORK)
    done = run("convert", "homework.lp", "-o", "incremental.lp", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "incremental.lp").read_text() == INCREMENTAL
    done = run("convert", "incremental.lp", "--to", "single-shot", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert ":- light(L), not on(L,n)." in done.stdout
    done = run("convert", "homework.lp", "--to", "single-shot", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "asplan: homework.lp has no parts, so it is one already\n"
        "  without --to it becomes incremental\n",
    )
    done = run("convert", "incremental.lp", "--to", "incremental", cwd=tmp_path)
    assert done.stderr == (
        "asplan: incremental.lp has parts already\n  --to single-shot removes them\n"
    )


AHEAD = (
    ("#program step(t). p(t) :- q(t+1).", "<text>:1:19: q(t+1) belongs to a later step"),
    (
        "#program step(t). #external q(t).",
        "<text>:1:19: #external q(t). [false] is set from outside",
    ),
    ("#program check(t). :- p, not query(t).", "<text>:1:20: not query(t): only a positive query"),
)


@pytest.mark.parametrize(("text", "said"), AHEAD)
def test_not_at_once(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        single_shot_text([unit_of_text(text)])
    assert str(caught.value).startswith(said)


def test_included_files_are_written_and_asp_is_a_suffix(tmp_path: Path) -> None:
    (tmp_path / "cells.lp").write_text("cell(1..4).")
    text = '#include "cells.lp". #const n=3. time(0..n). 1 { go(T); stay(T) } 1 :- time(T), T < n.'
    text += " at(X+1,T+1) :- at(X,T), go(T), cell(X+1). at(X,T+1) :- at(X,T), stay(T)."
    (tmp_path / "walk.lp").write_text(text + " :- not at(4,n).")
    (tmp_path / "start.asp").write_text("at(1,0).")
    (tmp_path / "elsewhere").mkdir()
    files = ("walk.lp", "start.asp")
    done = run("convert", *files, "-o", "elsewhere/steps.lp", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    written = (tmp_path / "elsewhere" / "steps.lp").read_text()
    assert "#include" not in written
    assert "cell(1..4)." in written
    assert "optimal" in run("solve", "elsewhere/steps.lp", cwd=tmp_path).stdout
