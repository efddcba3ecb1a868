"""Plans in the format of the planning competitions: reading, writing, errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asplan.core.errors import InputError, InvalidPlan
from asplan.core.plan import Plan
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.plans import read_plan, with_names, write_plan

NAMES = PddlNames.of(["A", "b-1", "7"], [], ["pick-up", "Drop", "wait"])
ACTIONS = st.sampled_from(["pick_up(a)", "pick_up(b_1,7)", "drop(7)", "wait"])
PLANS = st.lists(st.lists(ACTIONS, max_size=3).map(tuple), max_size=6).map(tuple)


@given(PLANS, st.integers(0, 10**6), st.booleans())
def test_written_files_are_read_back(
    steps: tuple[tuple[str, ...], ...], cost: int, general: bool
) -> None:
    plan = with_names(Plan(steps), NAMES)
    text = write_plan(plan, cost if general else len(plan.actions), general)
    again = read_plan(text.splitlines(keepends=True), "plan.ipc", NAMES)
    assert again == plan
    assert again.names == plan.names
    assert again.cost == ((cost,) if general else None)
    lines = [line for line in text.splitlines() if not line.startswith(";")]
    assert lines == [plan.name(action) for action in plan.actions]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", ()),
        ("; cost = 0 (unit cost)", ()),
        ("(wait)\n\n(PICK-UP a)\n", (("wait",), ("pick_up(a)",))),
        ("( wait )\r\n(drop  7)  ; gone\r\n", (("wait",), ("drop(7)",))),
        ("0.000: (wait) [1.000]\n1.000: (drop 7) [1]", (("wait",), ("drop(7)",))),
        ("0: (wait)\n0: (drop 7)\n1: (wait)", (("wait", "drop(7)"), ("wait",))),
        ("2 : (wait)\n0.5: (drop 7)\n2.0: (drop a)", (("drop(7)",), ("wait", "drop(a)"))),
        ("; step 1\n(wait)\n(drop 7)\n; step 2\n; step 3\n(wait)",
         (("wait", "drop(7)"), (), ("wait",))),
        ("; found in step 7 of the search\n(wait)", (("wait",),)),
        ("; Step 0\n(wait)\n; STEP 1\n", (("wait",), ())),
        ("step    0: WAIT\n        1: DROP 7", (("wait",), ("drop(7)",))),
        ("step    0: WAIT\n        1: REACH-GOAL", (("wait",),)),
        ("1. (wait)\n2. (drop 7)\n", (("wait",), ("drop(7)",))),
        (" 9. (wait)\n10. (drop 7)  (drop a)\n", (("wait",), ("drop(7)", "drop(a)"))),
        ("1. WAIT\n2. DROP 7\n", (("wait",), ("drop(7)",))),
        ("; LPG\n0.0003:   (WAIT) [D:1.0000; C:1.0000]\n1.0003: (DROP 7) [D:1; C:0.1]\n",
         (("wait",), ("drop(7)",))),
        ("INFO     Running search.\n[t=0.001s, 9 KB] Solution found!\n"
         "[t=0.001s, 9 KB] Actual search time: 0.0s\nwait  (1)\ndrop 7 (3)\n"
         "[t=0.001s, 9 KB] Plan length: 2 step(s).\n[t=0.001s, 9 KB] Plan cost: 4\n",
         (("wait",), ("drop(7)",))),
        ("ff: parsing domain file\ndomain 'D' defined\n ... done.\n\n"
         "ff: found legal plan as follows\n\nstep    0: WAIT\n        1: PICK-UP A B-1\n     \n\n"
         "time spent:    0.00 seconds instantiating 1 easy, 0 hard action templates\n"
         "               0.00 seconds total time\n",
         (("wait",), ("pick_up(a,b_1)",))),
    ],
)  # fmt: skip
def test_forms_of_plans(text: str, steps: tuple[tuple[str, ...], ...]) -> None:
    assert read_plan(text.splitlines(keepends=True), "plan.ipc", NAMES).steps == steps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\"plan\": 1}", """plan.ipc:1:1: '{"plan": 1}' is not a line of a plan
  write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"""),
        ("(wait)\n  (drop 7", """plan.ipc:2:3: '(drop 7' is not a line of a plan
  write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"""),
        ("(wait) (wait)", """plan.ipc:1:1: '(wait) (wait)' is not a line of a plan
  write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"""),
        ("()", """plan.ipc:1:1: () names no action
  write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"""),
        (" (drap 7)", "plan.ipc:1:3: the task has no drap\n  did you mean drop?"),
        ("(drop b1)", "plan.ipc:1:7: the task has no b1\n  did you mean b-1?"),
        ("0: (wait)\n(wait)", "plan.ipc:2:1: this action has no number before it, but others have\n"
         "  give all actions a number, or none"),
        ("; step 1\n(wait)\n; step 3", "plan.ipc:3:1: step 3 is out of order\n"
         "  steps count from 1 in the order of the file"),
        ("(wait)\n; step 1", "plan.ipc:1:1: this action comes before the first step"),
    ],
)  # fmt: skip
def test_wrong_plans(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_plan(text.splitlines(keepends=True), "plan.ipc", NAMES)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(wait)\n(drop 7)\n; cost = 1 (unit cost)",
         "plan.ipc:3:1: the plan has 2 actions, but this line gives cost = 1 (unit cost)"),
        ("0: (wait)\n ; Cost = 2 (unit cost) of 1 step",
         "plan.ipc:2:2: the plan has 1 action, but this line gives cost = 2 (unit cost)"),
        ("; cost = 99999999999 (unit cost)",
         "plan.ipc:1:1: the plan has 0 actions, but this line gives cost = 99999999999 "
         "(unit cost)"),
    ],
)  # fmt: skip
def test_a_cost_in_units_is_the_number_of_actions(text: str, message: str) -> None:
    with pytest.raises(InvalidPlan) as error:
        read_plan(text.splitlines(keepends=True), "plan.ipc", NAMES)
    assert str(error.value) == message


def test_an_action_with_other_arguments_than_it_takes_has_a_place() -> None:
    def check(name: str, arguments: tuple[str, ...]) -> None:
        if (name, len(arguments)) != ("wait", 0):
            raise ValueError(f"{name} takes no argument")

    for text, place in [
        ("(wait)\n  (wait 7)", "2:4"),
        ("0: (wait 7)", "1:5"),
        ("1: WAIT 7", "1:4"),
    ]:
        with pytest.raises(InvalidPlan) as error:
            read_plan(text.splitlines(), "plan.ipc", NAMES, check=check)
        assert str(error.value) == f"plan.ipc:{place}: wait takes no argument"
