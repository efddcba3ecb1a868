"""Diverse plans: their distances, the choice of plans that are far apart, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from test_lists import SWITCHES, WAYS

import asplan
from asplan import Diversity, Listing, Result, UsageError
from asplan.cli.diversity import describe_choice
from asplan.core.budget import Budget
from asplan.enumeration.distance import DISTANCES, SequenceDistance, jaccard
from asplan.enumeration.selection import Choice, improve, traverse
from conftest import THOROUGH, run

SETS = 2000 if THOROUGH else 300

TELINGO = """
    #program initial. at(a).
    #program always. edge(a,b). edge(b,c). edge(a,d). edge(d,c).
    #program dynamic.
    { go(X,Y) : edge(X,Y) } 1.
    :- go(X,_), not 'at(X).
    at(Y) :- go(_,Y).
    at(X) :- 'at(X), not go(X,_).
    #program final. :- not at(c).
    #show go/2. #show at/1.
"""

SINGLE_SHOT = """
    #const n=2. time(1..n). edge(a,b). edge(b,c). edge(a,d). edge(d,c). at(a,0).
    { go(X,Y,T) : edge(X,Y) } 1 :- time(T).
    :- go(X,_,T), not at(X,T-1).
    at(Y,T) :- go(_,Y,T).
    at(X,T) :- at(X,T-1), time(T), not go(X,_,T).
    :- not at(c,n).
    #show go/3. #show at/2.
"""

THEORY = """
    &dom { 0..9 } = x(0). &sum { x(0) } = 0.
    #program step(t).
    &dom { 0..9 } = x(t).
    1 { occurs(by(1..2),t) } 1.
    &sum { x(t) ; -x(t-1) } = D :- occurs(by(D),t).
    #program check(t). #external query(t).
    :- query(t), not &sum { x(t) } = 4.
    #show occurs/2.
"""
"""A sum that grows by 1 or 2 a step, from 0 to 4."""


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of a longest common subsequence by the textbook's table."""
    row = [0] * (len(other) + 1)
    for a in one:
        before = row
        row = [0]
        for place, b in enumerate(other, 1):
            grown = before[place - 1] + 1 if a == b else 0
            row.append(max(grown, before[place], row[-1]))
    return row[-1]


def random_words(random: Random) -> list[tuple[str, ...]]:
    words = [tuple(random.choices("abc", k=random.randint(0, 6))) for _ in range(8)]
    return list(dict.fromkeys(words))


def is_metric(matrix: Sequence[Sequence[float]]) -> bool:
    """Return whether distances are symmetric, zero only for the same, and take no detours."""
    every = range(len(matrix))
    return all(
        matrix[a][b] == matrix[b][a]
        and (matrix[a][b] == 0) == (a == b)
        and matrix[a][c] <= matrix[a][b] + matrix[b][c] + 1e-12
        for a in every
        for b in every
        for c in every
    )


@pytest.mark.parametrize("seed", range(SETS))
def test_the_choice_is_the_best_of_all_subsets(seed: int) -> None:
    random = Random(seed)
    words = random_words(random)
    if seed % 2:
        matrix = [SequenceDistance().from_one(word, words) for word in words]
    else:
        sets = list(dict.fromkeys(map(frozenset, words)))
        matrix = [[jaccard(one, other) for other in sets] for one in sets]
    count = len(matrix)
    number = random.randint(2, 4)
    best = random.randint(1, count)
    assert is_metric(matrix)
    greedy = traverse(count, number, matrix.__getitem__)
    choice = improve(greedy, matrix, best)

    subsets = combinations(range(count), min(number, count))
    expected = max((least(matrix, subset) for subset in subsets if subset[0] < best), default=1.0)
    assert least(matrix, choice.plans) == choice.minimum == expected
    assert greedy.minimum <= expected <= greedy.bound
    assert choice.is_proven
    assert choice.plans[0] < best
    assert choice.plans == tuple(sorted(set(choice.plans)))


def least(matrix: Sequence[Sequence[float]], plans: Sequence[int]) -> float:
    return min((matrix[one][other] for one, other in combinations(plans, 2)), default=1.0)


@pytest.mark.parametrize("seed", range(50))
def test_the_order_distance_has_the_length_of_the_textbook(seed: int) -> None:
    words = random_words(Random(seed))
    for one in words:
        for other, distance in zip(words, SequenceDistance().from_one(one, words), strict=True):
            longer = max(len(one), len(other))
            expected = (longer - longest_common(one, other)) / longer if longer else 0
            assert distance == expected


@pytest.mark.parametrize("limits", [{"most_nodes": 0}, {"budget": Budget(deadline=0)}])
def test_the_search_without_effort_keeps_the_choice_and_its_bound(
    limits: dict[str, object],
) -> None:
    places = [0.0, 0.1, 0.4, 0.6, 1.0]
    matrix = [[abs(one - other) for other in places] for one in places]
    choice = improve(Choice((0, 1, 2, 3), 0.1, 0.2), matrix, 5, **limits)  # type: ignore[arg-type]
    assert choice == Choice((0, 1, 2, 3), 0.1, 0.2)


@pytest.mark.parametrize(
    ("text", "distance", "plans", "minimum"),
    [
        (WAYS.replace("edge(a,c).", "edge(a,d). edge(d,c)."), "actions", 2, 1.0),
        (WAYS.replace("edge(a,c).", "edge(a,d). edge(d,c)."), "states", 2, 2 / 3),
        (WAYS.replace("edge(a,c).", "edge(a,d). edge(d,c)."), "order", 2, 1.0),
        (TELINGO, "actions", 2, 1.0),
        (TELINGO, "states", 2, 2 / 3),
        (SINGLE_SHOT, "actions", 2, 1.0),
        (SINGLE_SHOT, "order", 2, 1.0),
    ],
    ids=lambda value: value.split()[1] if isinstance(value, str) and " " in value else None,
)
@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_plans_of_each_kind_of_program(
    text: str, distance: str, plans: int, minimum: float, engine: str
) -> None:
    result = asplan.diverse_plans(text=text, number=3, distance=distance, engine=engine)
    assert len(result.plans) == plans
    assert result.diversity is not None
    assert result.diversity.minimum == minimum
    assert result.diversity.is_proven
    assert result.outcome == "optimal"


def test_a_theory_program() -> None:
    result = asplan.diverse_plans(text=THEORY, number=2, within=2, distance="order")
    assert [len(plan) for plan in result.plans] == [2, 4]
    assert result.diversity == Diversity("order", 2, 1.0, 1.0, True, 5, ((0.0, 1.0), (1.0, 0.0)))


@pytest.mark.parametrize(
    "problem",
    [
        {"files": ("blocks-1",), "within": 2},
        {"files": ("wolf_goat_cabbage",), "within": 2, "distance": "states"},
        {"files": ("two_cars",), "within": 1, "distance": "order"},
        {"files": ("two_cars",), "within": 1, "distance": "order", "encoding": "origin"},
    ],
    ids=lambda problem: " ".join(map(str, problem.values())),
)
def test_the_plans_of_an_instance_are_the_best_of_all_subsets(problem: dict[str, object]) -> None:
    named = dict(problem)
    files = named.pop("files")
    result = asplan.diverse_plans(*files, number=3, **named)  # type: ignore[misc, arg-type]
    distance = named.pop("distance", "actions")
    claim = result.diversity
    assert claim is not None
    assert claim.is_proven
    assert claim.minimum == claim.bound == least(claim.matrix, range(len(result.plans)))
    if distance == "states":
        return
    compare = DISTANCES[str(distance)]
    traits = {
        frozenset(plan.actions) if distance == "actions" else sequence_of(plan): len(plan)
        for plan in asplan.plans(*files, **named)  # type: ignore[misc, arg-type]
    }
    matrix = [compare.from_one(trait, list(traits)) for trait in traits]
    lengths = list(traits.values())
    subsets = combinations(range(len(traits)), 3)
    shortest = min(lengths)
    expected = max(least(matrix, s) for s in subsets if lengths[s[0]] == shortest)
    assert claim.minimum == expected


def sequence_of(plan: asplan.Plan) -> tuple[str, ...]:
    return tuple(action for step in plan.steps for action in sorted(step))


def test_plans_with_the_same_trait_are_left_out() -> None:
    # Pressing 2 before, with or without 1: three plans, two sets of actions.
    result = asplan.diverse_plans(text=SWITCHES, number=5, within=0)
    assert [len(plan) for plan in result.plans] == [1, 1]
    assert result.diversity is not None
    assert result.diversity.wanted == 5


@pytest.mark.parametrize(
    ("name", "distance"), [("wolf_goat_cabbage", "order"), ("blocks-1", "actions")]
)
def test_plans_with_the_same_actions_are_compared_by_order(name: str, distance: str) -> None:
    result = asplan.diverse_plans(name, number=2, within=0 if distance == "order" else 2)
    assert len(result.plans) == 2
    assert result.diversity is not None
    assert result.diversity.distance == distance


def test_a_bounded_number_of_plans_proves_nothing() -> None:
    result = asplan.diverse_plans("two_cars", number=2, distance="order", within=1, compared=2)
    assert result.diversity is not None
    assert result.diversity.compared == 2
    assert not result.diversity.is_proven
    assert result.diversity.bound == 1


def test_a_single_plan_has_no_distance() -> None:
    result = asplan.diverse_plans(text=WAYS, number=2)
    assert result.diversity == Diversity("actions", 2, None, 1.0, True, 1, ((0.0,),))


def test_no_plan() -> None:
    text = WAYS.replace("not at(c,t)", "not at(nowhere,t)")
    result = asplan.diverse_plans(text=text, engine="bfs")
    assert result.outcome == "unsolvable"
    assert result.diversity is None


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"number": 1}, "--diverse 1: pass a number of at least 2"),
        ({"distance": "colour"}, "--distance colour: pass actions, states or order"),
        ({"quality": 2, "within": 2}, "are both bounds"),
        ({"compared": 0}, "--plans 0: pass a number of at least 1"),
        ({"optimal": "actions"}, "plans are ordered by steps"),
    ],
)
def test_wrong_wishes_are_refused(wishes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asplan.diverse_plans(text=WAYS, **wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_states_that_are_unknown_are_refused(engine: str) -> None:
    text = "#program step(t). 1 { occurs(a,t); occurs(b,t) } 1. #program check(t). "
    text += "#external query(t). :- query(t), t < 2. #show occurs/2."
    assert len(asplan.diverse_plans(text=text, number=2, engine=engine).plans) == 2
    with pytest.raises(UsageError, match="--distance states needs the states of a plan"):
        asplan.diverse_plans(text=text, distance="states", engine=engine)


def test_the_command_prints_plans_distances_and_the_claim() -> None:
    done = run("solve", "blocks-1", "--within", "4", "--diverse", "3")
    assert done.returncode == 0
    assert "plan 3: 10 steps" in done.stdout
    assert "distances by actions" in done.stdout
    claim = "3 of 71 plans, at least 0.33 apart by actions; no 3 plans with a length of at most 10"
    assert claim in done.stdout


PLANS = tuple(asplan.Plan(((str(number),),)) for number in range(3))
ALL = Listing(is_complete=True, bound=1)
SOME = Listing(known_to=1)


@pytest.mark.parametrize(
    ("compared", "wanted", "listing", "claim"),
    [
        (9, 3, ALL, "3 of 9 plans, at least 0.20 apart by order; no 3 plans with a length of at"),
        (9, 5, ALL, "every other plan with a length of at most 1 has the same order of actions"),
        (3, 5, ALL, "no other plan exists with a length of at most 1; --within N allows longer"),
        (3, 3, ALL, "3 plans, at least 0.20 apart by order; no other plan exists"),
        (3, 5, replace(ALL, is_exhausted=True), "order; no other plan exists"),
        (9, 3, replace(ALL, bound=2), "2 are farther apart if one of them is a shortest one"),
        (9, 3, SOME, "others may be farther apart; --plans N compares more"),
        (9, 3, replace(SOME, is_cut=True), "others may be farther apart"),
        (9, 5, SOME, "the others that were compared have the same order of actions"),
        (3, 5, SOME, "others may exist; --plans N compares more"),
    ],
)
def test_the_claim_is_what_is_known(
    compared: int, wanted: int, listing: Listing, claim: str
) -> None:
    diversity = Diversity("order", wanted, 0.2, 0.2, is_proven=True, compared=compared)
    result = Result(plans=PLANS, listing=listing, diversity=diversity)
    assert claim in describe_choice(result, diversity, listing)


def test_a_bound_without_a_proof_is_named() -> None:
    diversity = Diversity("order", 3, 0.2, 0.4, compared=9)
    text = describe_choice(Result(plans=PLANS), diversity, ALL)
    assert text.endswith("; 3 plans with a length of at most 1 may be up to 0.40 apart")


def test_the_json_has_the_distances_and_the_claim() -> None:
    done = run("solve", "blocks-1", "--within", "4", "--diverse", "3", "--json")
    data = json.loads(done.stdout)
    assert len(data["plans"]) == len(data["diversity"]["matrix"]) == 3
    assert data["diversity"]["is_proven"] is True
    assert data["listing"]["is_complete"] is True
    assert json.loads(json.dumps(asplan.to_json(asplan.from_json(data)))) == data


def test_a_limit_keeps_what_was_found() -> None:
    words = ("--within", "20", "--plans", "1000000", "--diverse", "3", "--time-limit", "6")
    done = run("solve", "sample02", *words, "--distance", "order", "--json")
    data = json.loads(done.stdout)
    assert data["listing"]["is_cut"] is True
    assert data["diversity"]["is_proven"] is False
    assert 1 <= len(data["plans"]) <= 3
