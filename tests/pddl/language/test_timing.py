"""Plans with times: random ones beside another validator, and the ways in which one is wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import timed_task
from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator
from unified_planning.environment import Environment
from unified_planning.exceptions import UPConflictingEffectsException
from unified_planning.io import PDDLReader

from asplan.core.errors import InvalidPlan
from asplan.pddl.language import PddlSource, task_of_sources
from asplan.pddl.language.names import names_of
from asplan.pddl.language.plans import read_plan
from asplan.pddl.language.timing import TimedExecution, TimedModel

FOLDER = Path(__file__).parent
TEXTS = [(FOLDER / f"vans-{kind}.pddl").read_text() for kind in ("domain", "problem")]


def executed(plan: str) -> TimedExecution:
    task = task_of_sources(*(PddlSource("vans", text) for text in TEXTS))
    names = names_of(task)
    return TimedModel(task, names).execute(read_plan(plan.split("\n"), "p", names, timed=True))


@pytest.mark.parametrize(
    ("plan", "makespan", "metric"),
    [
        ("0: (drive V A Hub) [3]", "3", "9"),
        ("0: (drive V A Hub) [3]\n0: (light) [4]\n1: (look A)", "4", "10"),
        ("0: (refuel W A) [2]\n0.5: (drive V A Hub) [3]", "7/2", "19/2"),
        ("0: (tune)\n0.001: (drive V A Hub) [1.5]", "1501/1000", "7501/1000"),
        ("0: (refuel V A) [3]\n3.001: (drive V A Hub) [3]", "6001/1000", "12001/1000"),
        ("0: (light) [4]\n0.5: (refuel V A) [6]\n1: (look A)\n6.6: (drive V A Hub) [3]",
         "48/5", "78/5"),
        ("0: (drive V A Hub) [2.9995]", "5999/2000", "17999/2000"),
    ],
)  # fmt: skip
def test_right_plans(plan: str, makespan: str, metric: str) -> None:
    done = executed(plan)
    assert (done.makespan, done.metric) == (Fraction(makespan), Fraction(metric))
    assert done.times == tuple(sorted(done.times))
    assert len(done.times) == len(done.states)


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("", "after 20 the goal does not hold: (at V Hub) does not hold"),
        ("0: (drive V B Hub) [3]",
         "at 0: (drive V B Hub) has no duration: (distance B Hub) has no value"),
        ("0: (drive V A B) [4]", "at 4: (drive V A B) does not end: (open B) does not hold"),
        ("0: (drive V A Hub) [3.001]", "at 0: (drive V A Hub) takes 3, not 3.001"),
        ("0: (drive V A Hub)", "at 0: (drive V A Hub) has no duration"),
        ("0: (drive V A Hub) [0]", "at 0: (drive V A Hub) takes 3, not 0"),
        ("0: (drive A V Hub) [3]", "at 0: (drive A V Hub): ?v is of type van, A is not"),
        ("0: (drive W A Hub) [3]",
         "at 0: (drive W A Hub) does not begin: (>= (fuel W) (distance A Hub)) does not hold: "
         "(fuel W) is 2 and (distance A Hub) is 3"),
        ("0: (refuel V A) [7]", "at 7: (refuel V A) takes at most 6, not 7"),
        ("0: (refuel V A) [0.5]", "at 0: (refuel V A) takes at least 1, not 0.5"),
        ("0: (refuel V A) [3]\n1: (drive V A Hub) [3]",
         "after 1: (refuel V A), begun at 0, needs this condition until it ends: "
         "(at V A) does not hold"),
        ("0: (refuel V A) [3]\n3: (drive V A Hub) [3]",
         "the start of (drive V A Hub) at 3 needs (fuel V), which the end of (refuel V A) at 3 "
         "changes; such happenings must be 0.001 apart"),
        ("0: (refuel V A) [3]\n3.0005: (drive V A Hub) [3]",
         "the start of (drive V A Hub) at 3.0005 needs (fuel V), which the end of (refuel V A) "
         "at 3 changes; such happenings must be 0.001 apart"),
        ("0: (drive V A Hub) [3]\n0: (tune)",
         "the start of (drive V A Hub) at 0 needs (speed), which (tune) at 0 changes; such "
         "happenings must be 0.001 apart"),
        ("0: (tune)\n0: (tune)",
         "(tune) at 0 and (tune) at 0 both change (speed); such happenings must be 0.001 apart"),
        ("0: (drive V A Hub) [3]\n18: (light) [4]\n18: (look A)",
         "at 18: (look A) does not apply: (lit) does not hold"),
        ("0: (drive V A Hub) [3]\n0: (light) [4]\n4: (look A)",
         "(look A) at 4 needs (lit), which the end of (light) at 4 changes; such happenings "
         "must be 0.001 apart"),
        ("0: (drive V A Hub) [3]\n19: (light) [4]\n20: (look B)",
         "(look B) at 20 adds (open B), which (not (open B)) at 20 deletes; such happenings "
         "must be 0.001 apart"),
        ("0: (light) [4]\n4: (light) [4]",
         "the start of (light) at 4 adds (lit), which the end of (light) at 4 deletes; such "
         "happenings must be 0.001 apart"),
        ("0: (through)", "at 0: (through) does not apply: it divides by 0"),
        ("0: (light) [4]\n8: (drive V A B) [4]\n8: (look A)",
         "at 8: (look A) does not apply: (lit) does not hold"),
        ("8: (refuel V A) [2]\n9: (drive V A Hub) [3]",
         "the start of (refuel V A) at 8 needs (open B), which (open B) at 8 changes; such "
         "happenings must be 0.001 apart"),
    ],
)  # fmt: skip
def test_wrong_plans(plan: str, why: str) -> None:
    with pytest.raises(InvalidPlan) as error:
        executed(plan)
    assert str(error.value) == why


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_unified_planning_agrees(seed: int) -> None:
    """Its validator lets things interfere, but for effects on the same; in all else it agrees."""
    domain, problem, plan = timed_task(Random(seed))
    reader = PDDLReader(Environment())
    try:
        read = reader.parse_problem_string(domain, problem)
    except UPConflictingEffectsException:
        return
    theirs = TimeTriggeredPlanValidator(environment=read.environment).validate(
        read, reader.parse_plan_string(read, plan)
    )
    task = task_of_sources(PddlSource("d", domain), PddlSource("p", problem))
    names = names_of(task)
    why = ""
    try:
        TimedModel(task, names).execute(read_plan(plan.splitlines(), "p", names, timed=True))
    except InvalidPlan as error:
        why = str(error)
    if "apart" not in why and "Conflicting effects" not in str(theirs.log_messages):
        assert bool(theirs) == (not why), why
