"""Results survive their file, whatever their contents."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from asplan.core.choices import Mode
from asplan.core.errors import InputWarning, Location
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.result import Outcome, Result, Seconds, Statistics, StepStatistics
from asplan.stored import from_json, read_plan_file, to_json

COUNT = st.integers(0, 10**12)
MAYBE = st.none() | COUNT
TEXT = st.text(max_size=20)
SECONDS = st.floats(0, 10**6, allow_nan=False)
NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda n: n != "not")
VALUES = st.one_of(NAMES, st.integers(1 - 2**31, 2**31 - 1).map(str), st.just('f("a b",-1)'))
STEPS = st.lists(st.lists(TEXT, max_size=3).map(tuple), max_size=4).map(tuple)
OTHERS = ("configuration", "steps")
COUNTERS = [name for name in Statistics.__dataclass_fields__ if name not in OTHERS]

WARNINGS = st.builds(
    InputWarning,
    TEXT,
    TEXT,
    st.none() | st.builds(Location, TEXT, st.integers(1, 99), st.integers(1, 99)),
    TEXT,
    st.booleans(),
)


@st.composite
def results(draw: st.DrawFn) -> Result:
    """Return results of all kinds, with costs and names for every plan."""
    cost = draw(st.none() | st.lists(st.integers(-(2**31), 2**31), min_size=1).map(tuple))
    steps = draw(st.lists(STEPS, max_size=3, unique=True))
    names = draw(
        st.dictionaries(st.sampled_from([a for p in steps for s in p for a in s] or [""]), TEXT)
    )
    chosen = st.lists(TEXT, max_size=2).map(tuple)
    plans = [
        Plan(plan, cost, {a: names[a] for step in plan for a in step if a in names}, draw(chosen))
        for plan in steps
    ]
    record = st.builds(StepStatistics, COUNT, SECONDS, SECONDS, COUNT, COUNT)
    return Result(
        outcome=draw(st.sampled_from(Outcome)),
        reason=draw(TEXT),
        stopped=draw(st.none() | st.sampled_from(Stop)),
        horizon=draw(MAYBE),
        lower_bound=draw(COUNT),
        lower_cost=draw(COUNT),
        optimized=draw(st.sampled_from(["steps", "actions", "cost"])),
        cost=cost,
        plans=tuple(plans),
        atoms=tuple(draw(st.lists(TEXT, max_size=3))),
        validated=draw(st.sampled_from([None, "model", "replay"])),
        seconds=draw(st.builds(Seconds, SECONDS, SECONDS, SECONDS)),
        statistics=Statistics(
            **{name: draw(MAYBE) for name in COUNTERS},
            configuration=draw(st.none() | TEXT),
            steps=tuple(draw(st.lists(record, max_size=3))),
        ),
        files=tuple(draw(st.lists(TEXT, max_size=3))),
        domain=draw(st.none() | TEXT),
        encoding=draw(st.none() | TEXT),
        engine=draw(TEXT),
        method=draw(TEXT),
        mode=draw(st.sampled_from(Mode)),
        constants=draw(st.dictionaries(NAMES, VALUES, max_size=3)),
        warnings=tuple(draw(st.lists(WARNINGS, max_size=3))),
    )


@given(results())
def test_nothing_is_lost(result: Result) -> None:
    again = from_json(json.loads(json.dumps(to_json(result))))
    assert again == result
    assert [(p.cost, dict(p.names), p.chosen) for p in again.plans] == [
        (p.cost, dict(p.names), p.chosen) for p in result.plans
    ]
    assert to_json(again) == to_json(result)


def test_names_are_printed_as_the_source_wrote_them(tmp_path: Path) -> None:
    plan = Plan((("pick_up(a)",), ("stack(a,b)",)), names={"pick_up(a)": "pick-up(a)"})
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(to_json(Result(outcome=Outcome.PLAN, plans=(plan,)))))
    assert str(read_plan_file(str(file)).plan) == "1. pick-up(a)\n2. stack(a,b)"
