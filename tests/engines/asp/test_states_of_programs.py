"""Search through the states of a program agrees with clingo's own incremental mode.

The programs in `programs` are written by hand, each for one trait of the language; the others are
random, of a kind in which most steps are like each other. The circuit has to agree with clingo
asked state by state, and the estimate by layers with distances found by counting back from goals.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random

import pytest
from incmode import Refused, loop
from random_programs import leave_steps_alike, random_program

from asplan import Outcome
from asplan.core.errors import AsplanError, InputError
from asplan.core.limits import Limits
from asplan.engines.options import EngineOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.run import Run
from asplan.problem.kinds import AspProgram
from asplan.problem.problem import SpaceOptions
from asplan.program.composition import compose
from asplan.program.reading.unit import unit_of_text
from asplan.program.transitions.stepwise import HINT
from asplan.statespace.invariants import TIME, with_invariants
from asplan.statespace.layers import LAYERS
from asplan.statespace.model import ProgramModel, SuccessorGenerator
from asplan.statespace.space import program_along
from conftest import THOROUGH

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.lp"))
LAST = 4
"""The last horizon that is tried."""

RANDOM, CHUNK = 4000 if THOROUGH else 80, 40
MOST = 500
"""States of a program whose distances are measured, at most."""


@pytest.fixture
def alike(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_steps_alike(monkeypatch)


@pytest.mark.parametrize("start", range(0, RANDOM, CHUNK))
@pytest.mark.usefixtures("alike")
def test_random_programs(start: int) -> None:
    compared, differences = 0, []
    for seed in range(start, start + CHUNK):
        text = random_program(Random(seed))
        try:
            found = difference(text)
        except (Refused, AsplanError):
            continue
        compared += 1
        if found:
            differences.append(f"program {seed}: {found}\n{text}")
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences[:4])
    assert compared > CHUNK / 4


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_programs(file: Path) -> None:
    text = file.read_text()
    if re.match(r"%.*constants:", text):
        pytest.skip("it is meant for constants that are given")
    try:
        assert not difference(text)
    except AsplanError as error:
        if HINT not in str(error):
            raise


TWO = "{ p(1..2,0) }. ok :- p(1,0). #program step(t)."
READ_BY_BASE = [
    "{ q(0,1) }. ok :- q(0,1). #program step(t). q(t,2). :- not ok, t > 1.",
    f"{TWO} {{ p(1..2,t) }} 1. p(1,t) :- p(2,t-1). :- not ok, t > 1.",
    f"{TWO} 1 {{ p(1..2,t) : p(3-X,t-1), X = 1..2 }} 1. :- ok, p(1,t-1).",
]
"""What `base` derives from time 0 stays; the state beside it goes on."""


@pytest.mark.parametrize("text", READ_BY_BASE)
@pytest.mark.parametrize(
    "goal", [":- query(t), t < 2.", ":- query(t), not ok.", ":- query(t), ok."]
)
def test_base_may_read_atoms_of_time_0(text: str, goal: str) -> None:
    assert not difference(f"{text} #program check(t). {goal} #show.")


def difference(text: str) -> str:
    """Describe a difference between the states of a program and clingo; empty if none.

    Raises
    ------
    AsplanError
        The program is no transition system.
    Refused
        clingo does not ground it.
    """
    horizons = loop(text, LAST)
    model = ProgramModel(compose([unit_of_text(text)], {}), {})
    asked = SuccessorGenerator.make(model.step, wired=False)
    lengths = {
        "clingo's loop": next((t for t, h in enumerate(horizons) if h.satisfiable), None),
        "circuit": length(model.generator),
        "state by state": length(asked),
        "pdr": length_by_pdr(text),
    }
    if len(set(lengths.values())) > 1:
        return str(lengths)
    if lemmas := lemmas_of(text):
        known = loop(f"{text}\n#program check({TIME}).\n{lemmas}", LAST)
        if known != horizons:
            return f"with {lemmas} {known}, without {horizons}"
    if model.generator.wiring and (wrong := wrong_estimate(model)):
        return wrong
    return wrong_way(text, model.generator) or wrong_way(text, asked)


def wrong_way(text: str, generator: SuccessorGenerator) -> str:
    """Describe an error of the path traced back from a goal; empty if there is none."""
    way = way_back(generator)
    if not way:
        return ""
    for state, after in pairwise(way):
        found = {
            (lane, what)
            for lane, what, follows in generator.transitions([state])
            if follows == after
        }
        if {(0, what) for what in generator.between(state, after)} != found:
            return f"what happens between {state!r} and {after!r}"
    program = compose([unit_of_text(text)], {})
    sections = program_along(program, generator, way).sections[len(program.sections) :]
    more = "\n".join(
        f"#program {part}{f'({parameter})' if parameter else ''}.\n" + "\n".join(map(str, rules))
        for part, parameter, rules in ((s.part, s.parameter, s.statements) for s in sections)
    )
    if not loop(f"{text}\n{more}", LAST)[len(way) - 1].satisfiable:
        return f"no answer set goes through {way} of\n{more}"
    return ""


def way_back(generator: SuccessorGenerator) -> list[bytes]:
    """Return a shortest path to a goal, found from its end by comparing all successors."""
    layers = [set(generator.starts())]
    while not (goals := [state for state in layers[-1] if not state[0] & 1]):
        if len(layers) > LAST or not layers[-1]:
            return []
        layers.append(set(generator.after(sorted(layers[-1]))) - set().union(*layers))
    way = [min(goals)]
    for layer in reversed(layers[:-1]):
        states = sorted(layer)
        leading = generator.leading(states, way[-1])
        assert leading == [s for s in states if way[-1] in generator.after([s])]
        way.append(leading[0])
    return way[::-1]


def lemmas_of(text: str) -> str:
    """The lemmas of a program as text."""
    program = compose([unit_of_text(text)], {})
    more = with_invariants(program, {}).sections[len(program.sections) :]
    return " ".join(str(statement) for section in more for statement in section.statements)


def length_by_pdr(text: str) -> int | None:
    """The same by property-directed reachability, which has nothing to do with disjunctions."""
    problem = AspProgram(units=(unit_of_text(text),), space=SpaceOptions(unnamed_actions=True))
    try:
        found = pdr(Run(problem, EngineOptions(), Limits(max_horizon=LAST)))
    except InputError as error:
        if "a disjunction in the head" not in error.message:
            raise
        return length(ProgramModel(problem.program, {}).generator)
    assert found.outcome is Outcome.OPTIMAL or found.horizon is None
    return found.horizon


def length(generator: SuccessorGenerator) -> int | None:
    """The steps to the nearest goal, layer by layer."""
    layer = set(generator.starts())
    for t in range(LAST + 1):
        if any(not state[0] & 1 for state in layer):
            return t
        layer = set(generator.after(list(layer))) if layer else set()
    return None


def wrong_estimate(model: ProgramModel) -> str:
    """Return a state whose estimate by layers is inconsistent or too large."""
    seen, layer = set(model.initials), set(model.initials)
    while layer and len(seen) < MOST:
        layer = set(model.expand(layer)) - seen
        seen |= layer
    if layer:
        return ""
    before = defaultdict(set)
    for state in seen:
        for after in model.successors(state):
            before[after].add(state)
    away = {state: 0 for state in seen if model.is_goal(state)}
    layer = set(away)
    while layer:
        layer = {b for state in layer for b in before[state] if b not in away}
        away.update(dict.fromkeys(layer, max(away.values()) + 1))
    estimate = LAYERS.make(model)
    for state in seen:
        h = estimate(state)
        if h > away.get(state, inf):
            return f"{model.text(state)}: layers says {h}, and it is {away.get(state)}"
        if any(estimate(after) < h - 1 for after in model.successors(state)):
            return f"{model.text(state)}: layers drops by more than 1"
    return ""
