"""Temporal programs: asplan and telingo agree at each horizon."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from random import Random

import pytest
from clingo import Control, Model
from clingo.ast import ProgramBuilder

import asplan
from asplan.core.errors import AsplanError
from asplan.core.installing import pip_install
from asplan.engines.asp.solver import PartsSolver
from asplan.problem import Inputs, load
from asplan.program.incremental import with_query

PROGRAMS = tomllib.loads(Path(__file__).with_name("temporal.toml").read_text())
LAST = 3

Answers = list[set[tuple[str, ...]]]
"""What is shown in the answer sets of each horizon."""


def by_telingo(text: str, last: int = LAST) -> Answers:
    """The answers of horizons 0 to `last`, by telingo's own loop."""
    from telingo import imain
    from telingo.transformers import transform

    control, found = Control(["0"], logger=lambda code, message: None), Answers()
    with ProgramBuilder(control) as builder:
        future, parts = transform([text], builder.add)
    found += [set() for _ in range(last + 1)]

    def take(model: Model, step: int) -> None:
        shown = (str(s) for s in model.symbols(shown=True) if not s.name.startswith("__"))
        found[step].add(tuple(sorted(shown)))

    imain(control, future, parts, take, imax=last + 1, istop="UNKNOWN")
    return found


def by_asplan(text: str, last: int = LAST) -> Answers:
    """The same by asplan's solver."""
    solver = PartsSolver(with_query(load(Inputs(text=text)).program), {}, ["--project=no"])
    solver.ground_first()
    found = Answers()
    for t in range(last + 1):
        if t:
            solver.ground_step(t)
        solver.demand(t)
        models = solver.search(t, models=0).models
        found.append({tuple(sorted(map(str, model.symbols))) for model in models})
        solver.forbid(t)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_horizon_has_the_answers_of_telingo(name: str) -> None:
    text = PROGRAMS[name]["text"]
    assert by_asplan(text) == by_telingo(text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_least_horizon(name: str) -> None:
    result = asplan.solve(text=PROGRAMS[name]["text"])
    assert (result.outcome, result.horizon) == ("optimal", PROGRAMS[name]["least"])
    assert result.warnings == () or {w.code for w in result.warnings} <= {"no-actions"}


BODIES = (
    "{a}, {b}",
    "{a}, not '{b}",
    "'{a}, not {b}",
    "not {a}, {b}'",
    "{a}'', not {b}",
    "_{a}, not {b}",
    "{a}, &final",
    "{a}, not &initial",
    "not &tel {{ {a} >? {b} }}",
    "{a}, &tel {{ > ({a} | ~ {b}) }}",
    "not &tel {{ {b} <? {a} }}, {c}",
    "{c}, not &tel {{ >* {a} }}",
)
HEADS = ("", "{a}", "{c}'", "{b}''")


def random_program(number: int) -> str:
    """A temporal program of a few rules, drawn by a number."""
    draw = Random(number)
    rules = ["#program always.", "{ p; q }.", "{ r } :- q."]
    for _ in range(4):
        names = dict(zip("abc", draw.sample("pqr", 3), strict=True))
        head = draw.choice(HEADS).format(**names)
        body = draw.choice(BODIES).format(**names)
        part = draw.choice(("initial", "dynamic", "always", "final"))
        if re.search(r"[pqr]'|, &tel", body):
            head = ""  # telingo takes what looks ahead in constraints alone
        rules += [f"#program {part}.", f"{head} :- {body}."]
    return "\n".join(rules)


@pytest.mark.parametrize("number", range(40))
def test_random_programs(number: int) -> None:
    text = random_program(number)
    assert by_asplan(text) == by_telingo(text), text


@pytest.mark.parametrize("engine", ["sat", "bfs", "pdr"])
def test_all_engines_run_a_program_without_formulas(engine: str) -> None:
    result = asplan.solve(text=PROGRAMS["river"]["text"], engine=engine)
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 7, "replay")


REFUSED = {
    "a part with a parameter": (
        "#program always.\np.\n#program step(t).\nq(t).",
        "<text>:3:1: #program step(t) is not a part of a temporal program",
    ),
    "a script": (
        '#program always.\np.\n#script (python)\nprint("x")\n#end.',
        "<text>:3:1: a script in a temporal program: telingo runs no scripts",
    ),
    "another theory": (
        "#program always.\np.\n&foo { a } :- p.",
        "<text>:3:1: &foo: asplan has no solver for this theory atom",
    ),
    "a look ahead in a rule": (
        "#program always.\np.\nq :- p'.",
        "<text>:3:1: telingo refuses the statement: future atoms not supported in this context",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_input_is_refused(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(AsplanError) as error:
        asplan.solve(text=text)
    assert str(error.value).splitlines()[0].startswith(message)


def test_a_second_encoding_is_refused() -> None:
    with pytest.raises(AsplanError, match="a temporal program is complete, so -e walk would be"):
        asplan.solve(text=PROGRAMS["river"]["text"], encoding="walk")


def test_other_engines_refuse_formulas() -> None:
    with pytest.raises(AsplanError, match=r"^<text>:2:1: &tel: engine bfs does not understand"):
        asplan.solve(text=PROGRAMS["until"]["text"], engine="bfs")


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "telingo"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "telingo.transformers", None)
    with pytest.raises(AsplanError) as error:
        asplan.solve(text=PROGRAMS["switch"]["text"])
    assert error.value.message == "a temporal program needs telingo, which is not installed"
    assert error.value.hint == f"{pip_install('telingo')}"


def test_the_warning_about_a_missing_goal_uses_the_words_of_the_program() -> None:
    result = asplan.solve(text="#program initial. a. #program dynamic. { b }.")
    assert [(each.text, each.hint) for each in result.warnings if each.code == "no-goal"] == [
        (
            "no part final has rules, so no goal is demanded",
            "write it as `#program final. :- not goal.`, or give the file that has it",
        )
    ]
