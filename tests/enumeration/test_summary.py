"""What all shortest plans share, against the list of all plans."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_spaces import count_plans, plans_up_to, random_space

import asplan
from asplan.enumeration.picture import draw_braid, place_nodes
from asplan.enumeration.summary import PlanSummary, summarize_plans
from asplan.problem import Inputs, load_space
from asplan.statespace.analysis import TooManyStates
from asplan.statespace.space import state_space
from conftest import examples, run

WITHIN = 3
SEEDS = st.integers(0, 2**32)


def summary_of(name: str, within: int = 0) -> PlanSummary:
    _, model = state_space(load_space(Inputs((name,))))
    return summarize_plans(model, within)


@settings(max_examples=examples(300))
@given(SEEDS, st.booleans())
def test_a_summary_agrees_with_the_list_of_plans(seed: int, is_deterministic: bool) -> None:
    space = random_space(Random(seed), is_deterministic)
    summary = summarize_plans(space, WITHIN)
    plans = [word for word, _ in plans_up_to(space, 7)]  # a shortest plan visits no state twice
    if not plans:
        assert not summary.counts or min(summary.counts) > 7
        return
    length = min(map(len, plans))
    counts = Counter(map(len, plans))
    expected = {n: counts[n] for n in range(length, min(length + WITHIN, 7) + 1)}
    assert {n: number for n, number in summary.counts.items() if n <= 7} == expected
    shortest = [word for word in plans if len(word) == length]
    used = {action for word in shortest for action in word}
    needed = {action for action in used if all(action in word for word in shortest)}
    assert set(summary.always) == needed
    assert set(summary.sometimes) == used - needed
    assert used.isdisjoint(summary.never)
    assert closure(summary.order) == {
        (first, second)
        for first, second in permutations(needed, 2)
        if all(word.index(first) < word.index(second) for word in shortest)
    }


def closure(pairs: tuple[tuple[str, str], ...]) -> set[tuple[str, str]]:
    """Return the pairs and all that follow from them."""
    closed = set(pairs)
    while more := {(a, d) for a, b in closed for c, d in closed if b == c} - closed:
        closed |= more
    return closed


@settings(max_examples=examples(100))
@given(SEEDS)
def test_numbers_are_those_of_plain_counting(seed: int) -> None:
    space = random_space(Random(seed))
    summary = summarize_plans(space, 10)
    if summary.counts:
        length = min(summary.counts)
        assert list(summary.counts.values()) == count_plans(space, length + 10)[length:]


def test_the_paths_of_a_braid_are_the_shortest_plans() -> None:
    braid = summary_of("sample02").braid
    assert braid is not None
    assert braid.plans == 544  # as `asplan analyse sample02` counts them
    assert len(braid.layers) == 40
    for time in range(39):
        here = set(braid.layers[time])
        assert sum(strand.plans for strand in braid.strands if strand.source in here) == 544
    assert len(set(place_nodes(braid).values())) == sum(map(len, braid.layers))


def test_the_function_returns_what_the_command_prints(tmp_path: Path) -> None:
    picture = tmp_path / "plans.svg"
    summary = asplan.analyse_plans("wolf_goat_cabbage", within=2, plot=picture)
    data = json.loads(run("analyse", "wolf_goat_cabbage", "--plans", "--json").stdout)
    assert {str(n): str(number) for n, number in summary.counts.items()} == data["plans"]
    for name in ("always", "sometimes", "never", "states", "waits"):
        assert data[name] == json.loads(json.dumps(getattr(summary, name)))
    assert data["order"] == [list(pair) for pair in summary.order]
    assert "2 shortest plans" in picture.read_text()


def test_the_function_refuses_a_negative_number() -> None:
    with pytest.raises(asplan.UsageError, match="within=-1"):
        asplan.analyse_plans("wolf_goat_cabbage", within=-1)


def test_actions_in_all_some_and_no_plans_are_printed() -> None:
    lines = run("analyse", "gripper-1", "--plans", "--within", "0").stdout.splitlines()
    assert "in all shortest plans: 1 action: (go kitchen hall)" in lines
    assert any(line.startswith("in some shortest plans: 8 actions: ") for line in lines)
    assert any(line.startswith("in no shortest plan: 9 actions: ") for line in lines)


def test_too_many_states_are_refused() -> None:
    _, model = state_space(load_space(Inputs(("sample02",))))
    with pytest.raises(TooManyStates, match="more than 10 states"):
        summarize_plans(model, max_states=10)


def test_the_same_braid_makes_the_same_picture(tmp_path: Path) -> None:
    braid = summary_of("wolf_goat_cabbage").braid
    assert braid is not None
    first = tmp_path / "first.svg"
    again = tmp_path / "again.svg"
    draw_braid(braid, first, "river")
    draw_braid(braid, again, "river")
    assert first.read_bytes() == again.read_bytes()
    assert "river: 2 shortest plans of 7 steps" in first.read_text()


def test_the_command_prints_numbers_and_order() -> None:
    done = run("analyse", "wolf_goat_cabbage", "--plans", "--json")
    data = json.loads(done.stdout)
    assert data["plans"] == {"7": "2", "8": "0", "9": "16"}
    assert ["cross(left)", "take(wolf)"] in data["order"]
    done = run("analyse", "two_cars", "--plans", "--within", "0")
    assert done.stdout.splitlines()[:2] == ["plans by length", "  6 steps  3"]


def test_no_plan_has_a_status_of_its_own() -> None:
    done = run("analyse", "unsolvable", "-e", "origin", "--plans")
    assert done.returncode == 3
    assert done.stdout.startswith("no plan exists: none of")
