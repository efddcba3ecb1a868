"""Plans from state spaces, against trying all sequences of actions and plain counting."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_spaces import SmallSpace, count_plans, is_loopless, plans_up_to, random_space

from asplan.core.errors import UsageError
from asplan.enumeration.by_states import find_by_states
from asplan.enumeration.source import Complete, ValuedPlan
from conftest import examples

LONGEST = 6
SEEDS = st.integers(0, 2**32)


def found_up_to(space: SmallSpace, length: int, loopless: bool = False) -> list[ValuedPlan]:
    events = find_by_states(space, loopless=loopless, most=length)
    return [event for event in events if isinstance(event, ValuedPlan)]


def words(found: list[ValuedPlan]) -> list[tuple[tuple[str, ...], int]]:
    return [(each.plan.actions, each.plan.cost[0]) for each in found if each.plan.cost]


@settings(max_examples=examples(300))
@given(SEEDS, st.booleans())
def test_the_plans_are_those_of_all_sequences(seed: int, is_deterministic: bool) -> None:
    space = random_space(Random(seed), is_deterministic)
    found = words(found_up_to(space, LONGEST))
    assert Counter(found) == Counter(plans_up_to(space, LONGEST))
    values = [(len(actions), cost) for actions, cost in found]
    assert values == sorted(values)


@settings(max_examples=examples(200))
@given(SEEDS, st.booleans())
def test_an_estimate_leaves_no_plan_out(seed: int, by_cost: bool) -> None:
    """Any estimate between 0 and the exact rest will do, also one that is not consistent."""
    random = Random(seed)
    space = random_space(random)
    if by_cost:
        space.moves = [[(a, cost + 1, s) for a, cost, s in moves] for moves in space.moves]
    rests = dict.fromkeys(space.goals, 0)
    for _ in space.moves:
        for state, moves in enumerate(space.moves):
            for _, cost, after in moves:
                step = cost if by_cost else 1
                if after in rests:
                    rests[state] = min(rests.get(state, inf), rests[after] + step)
    estimates = {state: random.randint(0, int(rest)) for state, rest in rests.items()}

    def plans(**more: object) -> list[tuple[int, tuple[str, ...]]]:
        found = []
        for event in find_by_states(space, by_cost, **more):  # type: ignore[arg-type]
            if isinstance(event, Complete) and (event.value is None or event.value >= LONGEST):
                break
            if isinstance(event, ValuedPlan) and event.value <= LONGEST:
                found.append((event.value, event.plan.actions))
        return sorted(found)

    assert plans(estimate=lambda state: estimates.get(state, inf)) == plans()


@settings(max_examples=examples(100))
@given(SEEDS)
def test_their_numbers_are_those_of_plain_counting(seed: int) -> None:
    space = random_space(Random(seed))
    numbers = Counter(each.value for each in found_up_to(space, LONGEST))
    assert [numbers[length] for length in range(LONGEST + 1)] == count_plans(space, LONGEST)


@settings(max_examples=examples(100))
@given(SEEDS)
def test_loopless_plans_visit_no_state_twice(seed: int) -> None:
    space = random_space(Random(seed))
    longest = len(space.moves)  # no loopless plan is longer
    expected = [word for word, _ in plans_up_to(space, longest) if is_loopless(space, word)]
    found = words(found_up_to(space, longest, loopless=True))
    assert sorted(actions for actions, _ in found) == sorted(expected)


@settings(max_examples=examples(100))
@given(SEEDS)
def test_plans_by_cost_come_cheapest_first(seed: int) -> None:
    """Every action costs something, so the plans of few costs are among those of few steps."""
    space = random_space(Random(seed))
    space.moves = [[(a, cost + 1, s) for a, cost, s in moves] for moves in space.moves]
    expected = sorted(cost for _, cost in plans_up_to(space, LONGEST) if cost <= LONGEST)
    costs = []
    for event in find_by_states(space, by_cost=True):
        if isinstance(event, Complete) and (event.value is None or event.value >= LONGEST):
            break
        if isinstance(event, ValuedPlan) and event.value <= LONGEST:
            costs.append(event.value)
    assert costs == expected


def test_a_cycle_without_cost_makes_infinitely_many_plans() -> None:
    space = SmallSpace([[("go", 1, 1), ("turn", 0, 0)], []], [0], frozenset({1}))
    with pytest.raises(UsageError, match="infinitely many plans cost 1"):
        list(find_by_states(space, by_cost=True, wants_all=True))
    best = islice(find_by_states(space, by_cost=True), 5)
    lengths = [len(event.plan) for event in best if isinstance(event, ValuedPlan)]
    assert lengths[:3] == [1, 2, 3]
    loopless = list(find_by_states(space, by_cost=True, loopless=True, wants_all=True))
    assert [len(event.plan) for event in loopless if isinstance(event, ValuedPlan)] == [1]


def test_the_end_of_all_plans_is_proven() -> None:
    space = SmallSpace([[("go", 1, 1), ("jump", 1, 2)], [("go", 1, 2)], []], [0], frozenset({2}))
    last = list(find_by_states(space))[-1]
    assert isinstance(last, Complete)
    assert last.value is None
    assert [len(each.plan) for each in found_up_to(space, 9)] == [1, 2]


def test_no_plan_is_proven_too() -> None:
    space = SmallSpace([[("go", 1, 1)], [("back", 1, 0)]], [0], frozenset())
    assert list(find_by_states(space))[-1] == Complete(
        None, "2 states were searched, and no plan is left"
    )
