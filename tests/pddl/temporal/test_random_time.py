"""Random small tasks with time, against an exhaustive search over all orders of happenings.

The search knows nothing of layers, translation and solvers: it takes each action at most once,
tries every order of starts, ends and timed literals, and computes the earliest times by longest
paths. Some tasks have a number, which conditions compare, effects change, and durations depend on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from test_time import makespan

import asplan

ATOMS = "abcd"
TASKS = int(os.environ.get("ASPLAN_FUZZ", "14"))

Test = tuple[str, int]
"""A comparison of the number with another."""


@dataclass(frozen=True)
class Change:
    """The number is set or increased, by a constant, or by the duration where that is None."""

    word: str
    amount: int | None


@dataclass(frozen=True)
class Instant:
    needs: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()
    tests: tuple[Test, ...] = ()
    change: Change | None = None
    reads_number: bool = False

    def interferes(self, other: Instant) -> bool:
        mine, its = self.adds | self.deletes, other.adds | other.deletes
        both = self.adds & other.deletes | self.deletes & other.adds
        if mine & other.needs or its & self.needs or both:
            return True
        read, other_read = (bool(one.tests) or one.reads_number for one in (self, other))
        words = {one.change.word for one in (self, other) if one.change}
        both_change = bool(self.change and other.change) and words != {"increase"}
        return both_change or (read and bool(other.change)) or (other_read and bool(self.change))


@dataclass(frozen=True)
class Action:
    """An action of `least` to `most` units; if it is `slow`, the number is added."""

    name: str
    least: Fraction
    most: Fraction
    slow: bool
    start: Instant
    end: Instant
    throughout: frozenset[str]
    tests: tuple[Test, ...]

    def pddl(self) -> str:
        conditions = [f"(over all ({a}))" for a in sorted(self.throughout)]
        conditions += (f"(over all ({word} (x) {bound}))" for word, bound in self.tests)
        effects = list[str]()
        for time, instant in (("start", self.start), ("end", self.end)):
            conditions += (f"(at {time} ({a}))" for a in sorted(instant.needs))
            conditions += (f"(at {time} ({word} (x) {bound}))" for word, bound in instant.tests)
            effects += (f"(at {time} ({a}))" for a in sorted(instant.adds))
            effects += (f"(at {time} (not ({a})))" for a in sorted(instant.deletes))
            if change := instant.change:
                amount = "?duration" if change.amount is None else change.amount
                effects.append(f"(at {time} ({change.word} (x) {amount}))")
        limits = [("=", self.least)]
        if self.least != self.most:
            limits = [(">=", self.least), ("<=", self.most)]
        bounds = (f"(+ (x) {number})" if self.slow else f"(long{number})" for _, number in limits)
        limited = (f"({w} ?duration {b})" for (w, _), b in zip(limits, bounds, strict=True))
        return (
            f"(:durative-action {self.name} :parameters () :duration (and {' '.join(limited)})"
            f" :condition (and {' '.join(conditions)}) :effect (and {' '.join(effects)}))"
        )


@dataclass(frozen=True)
class Task:
    actions: tuple[Action, ...]
    events: tuple[tuple[int, Instant], ...]
    initial: frozenset[str]
    number: int | None
    goal: frozenset[str]
    asked: tuple[Test, ...]

    def put_into(self, folder: Path) -> tuple[Path, Path]:
        domain, problem = folder / "domain.pddl", folder / "problem.pddl"
        predicates = " ".join(f"({a})" for a in ATOMS)
        functions = "" if self.number is None else "(x)"
        functions += " ".join(f"(long{k})" for k in range(1, 8))  # which nothing changes
        actions = " ".join(action.pddl() for action in self.actions)
        domain.write_text(
            f"(define (domain d) (:predicates {predicates}) (:functions {functions}) {actions})"
        )
        holding = [f"({a})" for a in sorted(self.initial)]
        holding += [] if self.number is None else [f"(= (x) {self.number})"]
        holding += (f"(= (long{k}) {k})" for k in range(1, 8))
        for time, event in self.events:
            holding += (f"(at {time} ({a}))" for a in event.adds)
            holding += (f"(at {time} (not ({a})))" for a in event.deletes)
        wanted = [f"({a})" for a in sorted(self.goal)]
        wanted += (f"({word} (x) {bound})" for word, bound in self.asked)
        problem.write_text(
            f"(define (problem p) (:domain d) (:init {' '.join(holding)})"
            f" (:goal (and {' '.join(wanted)})))"
        )
        return domain, problem


def some(random: Random, share: float) -> frozenset[str]:
    return frozenset(a for a in ATOMS if random.random() < share)


def a_test(random: Random, share: float) -> tuple[Test, ...]:
    return ((random.choice(["<=", ">=", ">"]), random.randint(0, 4)),) * (random.random() < share)


def an_instant(random: Random, numbers: bool, amounts: list[int | None]) -> Instant:
    adds, change = some(random, 0.3), None
    needs, deletes = some(random, 0.2), some(random, 0.25) - adds
    if numbers and random.random() < 0.5:
        change = Change(random.choice(["increase", "assign"]), random.choice(amounts))
    return Instant(needs, adds, deletes, a_test(random, 0.3 * numbers), change)


def an_action(random: Random, name: str, numbers: bool) -> Action:
    least = random.randint(1, 4)
    most = least + random.choice([0, 0, 1, 3])
    slow = numbers and random.random() < 0.4
    start = an_instant(random, numbers, [0, 1, 2])
    start = Instant(
        start.needs, start.adds, start.deletes, start.tests, start.change, reads_number=slow
    )
    end = an_instant(random, numbers, [0, 1, 2, None] if least == most else [0, 1, 2])
    throughout, tests = some(random, 0.2), a_test(random, 0.2 * numbers)
    return Action(name, Fraction(least), Fraction(most), slow, start, end, throughout, tests)


def a_task(random: Random) -> Task:
    numbers = random.random() < 0.6
    actions = tuple(an_action(random, name, numbers) for name in ("one", "two", "three"))
    events = list[tuple[int, Instant]]()
    while random.random() < 0.3 and len(events) < 2:
        atom, time = frozenset(random.choice(ATOMS)), random.randint(1, 6)
        if all(time != other for other, _ in events):
            event = Instant(adds=atom) if random.random() < 0.5 else Instant(deletes=atom)
            events.append((time, event))
    initial, goal = some(random, 0.4), some(random, 0.4)
    asked = a_test(random, 0.4 * numbers)
    number = random.randint(0, 2) if numbers else None
    return Task(actions, tuple(events), initial, number, goal or frozenset("a"), asked)


Event = tuple[str, str]
"""An action, or the number of a timed literal, and `start`, `end` or `at`."""

State = tuple[frozenset[str], Fraction]


def holds(tests: tuple[Test, ...], number: Fraction) -> bool:
    of = {"<=": number.__le__, ">=": number.__ge__, ">": number.__gt__}
    return all(of[word](bound) for word, bound in tests)


def search(task: Task) -> Fraction | None:
    """The least makespan of plans that have each action at most once; None if there is none."""
    found = (_earliest(task, order, spans) for order, spans in _orders(task))
    return min((last for last in found if last is not None), default=None)


Spans = dict[str, tuple[Fraction, Fraction]]


def _orders(task: Task) -> Iterator[tuple[list[Event], Spans]]:
    """Yield the orders of happenings that reach the goal, with bounds of durations."""
    actions = {action.name: action for action in task.actions}
    order, spans = list[Event](), Spans()
    running, rest = list[Action](), [(str(k), "at") for k in range(len(task.events))]
    rest += ((name, "start") for name in actions)

    def go_on(state: State) -> Iterator[tuple[list[Event], Spans]]:
        late = any(what == "at" for _, what in rest)
        if not running and not late and task.goal <= state[0] and holds(task.asked, state[1]):
            yield list(order), dict(spans)
        for event in list(rest):
            name, what = event
            takes = Fraction(0)
            if what == "at":
                instant = task.events[int(name)][1]
            else:
                action = actions[name]
                instant = action.start if what == "start" else action.end
                if what == "start":
                    more = state[1] if action.slow else 0
                    spans[name] = action.least + more, action.most + more
                takes = spans[name][0]
            if not (instant.needs <= state[0] and holds(instant.tests, state[1])):
                continue
            number = state[1]
            if change := instant.change:
                amount = takes if change.amount is None else change.amount
                number = amount if change.word == "assign" else number + amount
            after = (state[0] - instant.deletes) | instant.adds, Fraction(number)
            others = [one for one in running if what != "end" or one.name != name]
            others += [actions[name]] if what == "start" else []
            if any(
                not (one.throughout <= after[0] and holds(one.tests, after[1])) for one in others
            ):
                continue
            before = list(running)
            running[:] = others
            rest.remove(event)
            rest.extend([(name, "end")] if what == "start" else [])
            order.append(event)
            yield from go_on(after)
            order.pop()
            if what == "start":
                rest.remove((name, "end"))
            rest.append(event)
            running[:] = before

    yield from go_on((task.initial, Fraction(task.number or 0)))


def _earliest(task: Task, order: list[Event], spans: Spans) -> Fraction | None:
    """When the last action of an order ends at the earliest; None if its times contradict."""
    of = {(a.name, when): getattr(a, when) for a in task.actions for when in ("start", "end")}
    edges = list[tuple[Event | None, Event | None, Fraction]]()
    for name, what in order:
        if what == "at":
            time = Fraction(task.events[int(name)][0])
            of[name, what] = task.events[int(name)][1]
            edges += ((None, (name, what), time), ((name, what), None, -time))
        elif what == "start":
            edges.append((None, (name, what), Fraction(1, 1000)))
            edges.append(((name, "start"), (name, "end"), spans[name][0]))
            edges.append(((name, "end"), (name, "start"), -spans[name][1]))
    for j, later in enumerate(order):
        for earlier in order[:j]:
            apart = of[earlier].interferes(of[later])
            edges.append((earlier, later, Fraction(apart, 1000)))
    times: dict[Event | None, Fraction] = dict.fromkeys([None, *order], Fraction(0))
    for _ in range(len(times) + 1):
        changed = False
        for one, other, least in edges:
            if times[one] + least > times[other]:
                times[other], changed = times[one] + least, True
        if not changed:
            ends = (time for event, time in times.items() if event and event[1] == "end")
            return max(ends, default=Fraction(0))
    return None


@pytest.mark.parametrize("seed", range(TASKS))
def test_random_tasks(seed: int, tmp_path: Path) -> None:
    task = a_task(Random(seed))
    least = search(task)
    # As many layers suffice as two for each instant, whatever their order.
    result = asplan.solve(*task.put_into(tmp_path), max_horizon=12 + 2 * len(task.events))
    assert result.plan is not None or least is None
    if result.plan is not None:
        assert result.validated == "text"
        if max(Counter(result.plan.actions).values(), default=0) < 2:
            assert least is not None
            assert makespan(result.plan) >= least
