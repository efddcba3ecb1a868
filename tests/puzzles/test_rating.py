"""Ratings of puzzles, against plain listing of all shortest plans and plain reachability."""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan.domains.model import Model
from asplan.enumeration.rating import Rating, ShortestPlans, count_shortest, rate
from asplan.problem import Inputs, load
from asplan.puzzles import PuzzleKind, describe, make_puzzles
from asplan.statespace.dead_ends import DeadEnds, count_dead_ends
from conftest import examples, run

sys.path.append(str(Path(__file__).parents[1] / "enumeration"))
from random_spaces import plans_up_to, random_space

SpaceModel = Model[Hashable, Hashable]


def reached(model: SpaceModel, start: Hashable) -> set[Hashable]:
    found = [start]
    for state in found:
        found += [after for after in dict.fromkeys(model.successors(state)) if after not in found]
    return set(found)


def shortest_words(model: SpaceModel, length: int) -> list[tuple[str, ...]]:
    """Return the actions of all plans of a length, by trying all sequences of actions."""
    paths: list[tuple[tuple[str, ...], Hashable]] = [((), model.initial)]
    for _ in range(length):
        paths = [
            ((*word, str(action)), model.apply(state, action))
            for word, state in paths
            for action in model.actions(state)
        ]
    return [word for word, state in paths if model.is_goal(state)]


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32))
def test_a_rating_agrees_with_lists(seed: int) -> None:
    space = random_space(Random(seed))
    rating = rate(space)
    states = {state for start in space.initials for state in reached(space, start)}
    dead = {state for state in states if not any(map(space.is_goal, reached(space, state)))}
    assert rating.dead_ends == DeadEnds(len(states), len(dead))
    words = [word for word, _ in plans_up_to(space, 7)]  # a shortest plan visits no state twice
    if not words:
        assert rating.plans is None or rating.plans.length > 7
        return
    length = min(map(len, words))
    shortest = [word for word in words if len(word) == length]
    sets = {tuple(sorted(word)) for word in shortest}
    assert rating.plans == ShortestPlans(length, len(shortest), len(sets) == 1)
    assert rating.is_unique == (len(sets) == 1)


@pytest.mark.parametrize(
    ("domain", "wish", "measure"),
    [
        ("rush_hour", {"slides": "3..4", "size": "4x4"}, "slides"),
        ("rush_hour", {"steps": "3..5", "size": "4x4"}, "steps"),
        ("sliding_tiles", {"moves": "5..8", "size": "2x3"}, "moves"),
        ("brain_twist", {"moves": 2}, "moves"),
    ],
)
def test_puzzles_have_one_shortest_plan_up_to_order(
    domain: str, wish: dict[str, object], measure: str
) -> None:
    made = asplan.generate(domain, count=2, seed=4, unique=True, **wish)
    assert len(made.puzzles) == 2
    for one in made.puzzles:
        problem = load(Inputs(text=one.puzzle.facts, constants=one.puzzle.constants))
        assert problem.model is not None
        words = shortest_words(problem.model, one.puzzle.difficulty[measure])
        assert len({tuple(sorted(word)) for word in words}) == 1
        assert one.rating is not None
        assert one.rating.plans is not None
        assert one.rating.plans.number == len(words)
        listed = asplan.plans(text=one.text, constants=one.puzzle.constants, within=0, same="set")
        assert len(list(listed)) == 1


def test_puzzles_that_are_only_rated_are_those_that_are_made_anyway() -> None:
    wish = {"slides": "2..5", "size": "4x4", "seed": 3, "count": 4}
    plain = asplan.generate("rush_hour", **wish)
    rated = asplan.generate("rush_hour", rate=True, **wish)
    assert [one.puzzle for one in plain.puzzles] == [one.puzzle for one in rated.puzzles]
    assert [one.rating for one in plain.puzzles] == [None] * 4
    for one in rated.puzzles:
        assert one.rating is not None
        assert one.rating.dead_ends == DeadEnds(one.puzzle.difficulty["states"], 0)
        problem = load(Inputs(text=one.puzzle.facts, constants=one.puzzle.constants))
        assert problem.model is not None
        words = shortest_words(problem.model, one.puzzle.difficulty["slides"])
        sets = {tuple(sorted(word)) for word in words}
        plans = ShortestPlans(one.puzzle.difficulty["slides"], len(words), len(sets) == 1)
        assert one.rating.plans == plans


def test_the_command_makes_the_same_file_and_prints_its_rating(tmp_path: Path) -> None:
    words = ["generate", "sliding_tiles", "--moves", "6", "--size", "2x3", "--unique"]
    text = run(*words).stdout
    assert "\n% Rating: 1 shortest plan; 0 of 360 states are dead ends.\n%\n" in text
    command = "% asplan generate sliding_tiles --moves 6 --size 2x3 --unique --seed 1   (attempt "
    assert command in text
    (found,) = json.loads(run(*words, "--json").stdout)["puzzles"]
    assert found["text"] == text
    assert found["rating"] == {
        "shortest_plans": "1",
        "is_unique": True,
        "states": 360,
        "dead_ends": 0,
        "dead_end_share": 0.0,
    }
    table = run(*words, "-o", "made", cwd=tmp_path).stdout.split()
    assert table[:8] == ["file", "moves", "shortest", "plans", "unique", "dead", "ends", "attempt"]
    assert (tmp_path / "made" / "01.lp").read_text() == text


@pytest.mark.parametrize(
    ("rating", "text"),
    [
        (
            Rating(ShortestPlans(7, 2, True), DeadEnds(10, 4)),
            "Rating: 2 shortest plans, which differ only in order; 4 of 10 states are dead ends.",
        ),
        (
            Rating(ShortestPlans(7, 3, False), DeadEnds(1, 0)),
            "Rating: 3 shortest plans; 0 of 1 states are dead ends.",
        ),
        (
            Rating(None, None),
            "Rating: too many states to count shortest plans; too many states to count dead ends.",
        ),
    ],
)
def test_a_rating_as_a_sentence(rating: Rating, text: str) -> None:
    assert describe(rating) == text


def test_too_many_states_are_not_counted() -> None:
    model = load(Inputs(("eight20",))).model
    assert count_shortest(model, most=100) is None
    assert count_dead_ends(model, 100) is None  # type: ignore[arg-type]


def test_the_end_says_what_was_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asplan.puzzles.rate_puzzle", lambda puzzle: Rating(None, None))
    wish = {"moves": 3, "size": "2x3"}
    found = make_puzzles(
        "sliding_tiles", wish, 1, 1, 4, lambda so_far: None, PuzzleKind(unique=True)
    )
    assert found.reason == (
        "4 attempts made no new puzzle with one shortest plan "
        "(4 had too many states to count plans)"
    )
