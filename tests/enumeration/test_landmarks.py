"""Plans that use the same landmarks, against all plans and landmarks found by removing states."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_spaces import SmallSpace, Word, plans_up_to, random_space

import asplan
from asplan import UsageError
from asplan.enumeration import landmarks
from asplan.enumeration.by_states import find_by_states
from asplan.enumeration.graph import Uses
from asplan.enumeration.landmarks import find_landmarks
from asplan.enumeration.source import Complete, ValuedPlan
from asplan.problem import Inputs, load_space
from asplan.statespace.space import state_space
from conftest import examples

LONGEST = 7


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32))
def test_one_plan_is_listed_for_the_same_uses(seed: int) -> None:
    space = random_space(Random(seed))
    atoms = landmarks_of(space)
    found = find_landmarks(space)
    assert found.atoms == atoms
    shortest: dict[Uses, int] = {}
    for word, _ in plans_up_to(space, LONGEST):
        shortest.setdefault(uses_of(space, word, atoms), len(word))
    listed: dict[Uses, int] = {}
    for plan in find_by_states(space, most=LONGEST, landmarks=found):
        if isinstance(plan, ValuedPlan):  # two goals may be reached by the same uses
            listed.setdefault(plan.uses, plan.value)
    assert listed == shortest


def landmarks_of(space: SmallSpace) -> frozenset[str]:
    """Return the atoms without which no goal can be reached, except those of the start."""
    (start,) = space.initials
    reachable = reached_without(space, None)
    if reachable.isdisjoint(space.goals):
        return frozenset()
    atoms = {str(atom) for state in reachable for atom in space.fluents(state)}
    atoms -= set(map(str, space.fluents(start)))
    return frozenset(a for a in atoms if reached_without(space, a).isdisjoint(space.goals))


def reached_without(space: SmallSpace, avoided: str | None) -> set[int]:
    """Return the states that a plan can pass without an atom."""
    waiting = list(space.initials)
    reached = set(waiting)
    while waiting:
        state = waiting.pop()
        for after in () if state in space.goals else space.successors(state):
            if after not in reached and avoided not in map(str, space.fluents(after)):
                reached.add(after)
                waiting.append(after)
    return reached


def uses_of(space: SmallSpace, word: Word, atoms: frozenset[str]) -> Uses:
    """Return the uses of a plan: replay it, and note the action that makes an atom true first."""
    (state,) = space.initials
    uses: dict[str, tuple[str, ...]] = {}
    for action in word:
        state = next(after for name, _, after in space.moves[state] if name == action)
        for atom in atoms & set(map(str, space.fluents(state))):
            uses.setdefault(atom, (action,))
    return frozenset(uses.items())


def test_the_list_ends_although_plans_have_loops() -> None:
    space = SmallSpace([[("turn", 1, 0), ("go", 1, 1), ("fly", 1, 1)], []], [0], frozenset({1}))
    events = list(find_by_states(space, landmarks=find_landmarks(space)))
    plans = [event.plan.actions for event in events if isinstance(event, ValuedPlan)]
    assert sorted(plans) == [("fly",), ("go",)]
    assert isinstance(events[-1], Complete)
    assert events[-1].value is None


@pytest.mark.parametrize("task", ["blocks-1", "gripper-1", "parcels-1"])
def test_every_plan_passes_the_landmarks_of_a_task(task: str) -> None:
    _, model = state_space(load_space(Inputs((task,))))
    found = find_landmarks(model)
    assert found.atoms
    for plan in asplan.plans(task, number=20):
        state = model.initial
        passed = set()
        for action in plan.actions:
            state = model.apply(state, action)
            passed |= set(map(str, model.fluents(state)))
        assert found.atoms <= passed


@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_orders_and_detours_are_the_same_but_other_grippers_are_not(engine: str) -> None:
    river = asplan.plans("wolf_goat_cabbage", within=0, same="landmarks", engine=engine)
    assert len(list(river)) == 1
    balls = asplan.plans("gripper-1", same="landmarks", engine=engine)
    carried = [{a for a in plan.actions if a.startswith("grasp")} for plan in balls]
    assert len(carried) == 4
    assert len({frozenset(pairs) for pairs in carried}) == 4
    assert balls.listing.is_exhausted


@pytest.mark.parametrize("more", [{"minimal": True}, {"loopless": True}])
def test_other_wishes_hold_too(more: dict[str, bool]) -> None:
    balls = asplan.plans("gripper-1", within=2, same="landmarks", **more)  # type: ignore[arg-type]
    assert [len(plan) for plan in balls] == [5, 5, 7, 7]


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landmarks, "_MOST_STATES", 10)
    with pytest.raises(UsageError, match="has more than 10 states, so its landmarks are unknown"):
        next(asplan.plans("sample02", number=1, same="landmarks"))


def test_a_program_without_states_is_refused() -> None:
    text = """
        #program step(t). { go(X,t) : X = 1..2 } = 1.
        #program check(t). #external query(t). :- query(t), #count { T : go(1,T), T=1..t } < 2.
        #show go/2.
    """
    with pytest.raises(UsageError, match="landmarks needs the states of the program, but"):
        asplan.plans(text=text, number=1, same="landmarks")
