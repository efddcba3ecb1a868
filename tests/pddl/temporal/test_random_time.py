"""Random small tasks with time, beside an exhaustive search over all orders of what happens.

The search knows nothing of layers, translation and solvers: it takes each action at most once,
tries every order of starts and ends, and computes the earliest times by longest paths.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from random import Random

import pytest
from test_time import makespan

import asplan

ATOMS = "abcd"
TASKS = int(os.environ.get("ASPLAN_RANDOM_TASKS", "10"))


@dataclass(frozen=True)
class Instant:
    needs: frozenset[str]
    adds: frozenset[str]
    deletes: frozenset[str]

    def interferes(self, other: Instant) -> bool:
        mine, its = self.adds | self.deletes, other.adds | other.deletes
        both = self.adds & other.deletes | self.deletes & other.adds
        return bool(mine & other.needs or its & self.needs or both)


@dataclass(frozen=True)
class Action:
    name: str
    takes: int
    start: Instant
    end: Instant
    throughout: frozenset[str]

    def pddl(self) -> str:
        conditions = [f"(at start ({a}))" for a in sorted(self.start.needs)]
        conditions += (f"(over all ({a}))" for a in sorted(self.throughout))
        conditions += (f"(at end ({a}))" for a in sorted(self.end.needs))
        effects = list[str]()
        for time, instant in (("start", self.start), ("end", self.end)):
            effects += (f"(at {time} ({a}))" for a in sorted(instant.adds))
            effects += (f"(at {time} (not ({a})))" for a in sorted(instant.deletes))
        return (
            f"(:durative-action {self.name} :parameters () :duration (= ?duration {self.takes})"
            f" :condition (and {' '.join(conditions)}) :effect (and {' '.join(effects)}))"
        )


def some(random: Random, share: float) -> frozenset[str]:
    return frozenset(a for a in ATOMS if random.random() < share)


def an_instant(random: Random) -> Instant:
    adds = some(random, 0.3)
    return Instant(some(random, 0.2), adds, some(random, 0.25) - adds)


def search(actions: list[Action], initial: frozenset[str], goal: frozenset[str]) -> int | None:
    """The least makespan, in thousandths, of plans that have each action at most once."""
    found = [0] if goal <= initial else []
    for number in range(1, len(actions) + 1):
        for chosen in combinations(actions, number):
            events = [(action, is_end) for action in chosen for is_end in (False, True)]
            for order in permutations(events):
                is_order = all(order.index((a, False)) < order.index((a, True)) for a in chosen)
                if not is_order or not goal <= _run(order, initial):
                    continue
                if (last := _earliest(order)) is not None:
                    found.append(last)
    return min(found, default=None)


def _run(order: tuple[tuple[Action, bool], ...], state: frozenset[str]) -> frozenset[str]:
    """The state at the end; none of the goal's where something fails."""
    running = set[Action]()
    for action, is_end in order:
        instant = action.end if is_end else action.start
        if not instant.needs <= state:
            return frozenset()
        (running.discard if is_end else running.add)(action)
        state = (state - instant.deletes) | instant.adds
        if any(not one.throughout <= state for one in running):
            return frozenset()
    return state


def _earliest(order: tuple[tuple[Action, bool], ...]) -> int | None:
    """When the last event of an order is at the earliest; None if its times contradict."""
    edges = [(None, event, 1) for event in order]
    for j, later in enumerate(order):
        for earlier in order[:j]:
            one, other = (a.end if is_end else a.start for a, is_end in (earlier, later))
            edges.append((earlier, later, int(one.interferes(other))))
    for action, is_end in order:
        if not is_end:
            takes = 1000 * action.takes
            edges.append(((action, False), (action, True), takes))
            edges.append(((action, True), (action, False), -takes))
    times: dict[object, int] = {None: 0, **dict.fromkeys(order, 0)}
    for _ in range(len(times) + 1):
        changed = False
        for one, other, least in edges:
            if times[one] + least > times[other]:
                times[other], changed = times[one] + least, True
        if not changed:
            return max(times.values())
    return None


@pytest.mark.parametrize("seed", range(TASKS))
def test_random_tasks(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    actions = [
        Action(
            name, random.randint(1, 4), an_instant(random), an_instant(random), some(random, 0.2)
        )
        for name in ("one", "two", "three")
    ]
    initial, goal = some(random, 0.4), some(random, 0.4) or frozenset("a")
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    predicates = " ".join(f"({a})" for a in ATOMS)
    domain.write_text(
        f"(define (domain d) (:predicates {predicates}) {' '.join(a.pddl() for a in actions)})"
    )
    holding, wanted = (" ".join(f"({a})" for a in sorted(some)) for some in (initial, goal))
    problem.write_text(f"(define (problem p) (:domain d) (:init {holding}) (:goal (and {wanted})))")
    least = search(actions, initial, goal)
    # Six instants have room in twelve layers, whatever their order.
    result = asplan.solve(domain, problem, max_horizon=12)
    assert result.plan is not None or least is None
    if result.plan is not None:
        assert result.validated == "text"
        if least is not None and max(Counter(result.plan.actions).values(), default=0) < 2:
            assert makespan(result.plan) * 1000 >= least
