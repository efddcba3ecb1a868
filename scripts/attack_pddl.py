"""Do all ways to plan from PDDL tell the truth? Random tasks against a plain search.

    python scripts/attack_pddl.py [--count N] [--seed S] [--ways K] [--folder DIR]

Task number S, S+1, … is drawn by that number: of a dozen small tasks the one whose shortest plan is
longest, or, for every fifth number, the first without a plan. Conditions are disjunctive, with
`imply`, `exists` and `forall`; effects have conditions; costs come from functions.
`lib/pddl_tasks.py`, which reads no PDDL and shares no code with the package, finds the fewest
actions and the least cost. Ways to plan take turns, K a task. They may say:

- `optimal`: just the fewest actions, or the least cost; of parallel steps no more than actions;
- `unsolvable`: only where there is no plan; a lower bound: none above the optimum;
- a plan: every action applies in the order listed, and the goal holds after the last one, whatever
  the order of a `forall` step.

Besides, a random walk is given to `asplan validate`, which must judge it as the plain search does.
What is wrong is printed, its task is written to a folder, and the status is 1. Ctrl-C ends it with
the summary of what was done.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import asplan
from asplan import Outcome, Plan, Result
from asplan.core.errors import AsplanError, InvalidPlan
from lib import tables
from lib.pddl_tasks import GeneratedTask, Meaning, Move, domain_text, problem_text, random_task
from lib.quick import add_quick

RESTS_ON = ("encodings/pddl/*.lp", "encodings/pddl/parts/*.lp", "src/asplan/pddl/*/*.py")

SECONDS = 5.0
DRAWN = 12  # tasks of which the hardest is taken


@dataclass(frozen=True)
class Way:
    """A way to plan; `counts` is what it proves least: actions, cost, steps or nothing."""

    name: str
    counts: str
    options: dict[str, Any] = field(default_factory=dict)
    ends: bool = False  # whether it proves that there is no plan
    by_facts: bool = False


STEPS = ("sequential", "forall", "exists", "relaxed")


def ways() -> list[Way]:
    """Return all ways to plan, in the order of their turns."""
    found = [Way("default", "steps")]
    for steps in STEPS:
        counts = "actions" if steps == "sequential" else "steps"
        found.append(Way(f"asp {steps}", counts, {"steps": steps}))
        found.append(Way(f"sat {steps}", counts, {"steps": steps, "engine": "sat"}))
        found.append(Way(f"facts {steps}", counts, {"encoding": steps}, by_facts=True))
        found.append(Way(f"first {steps}", "nothing", {"steps": steps, "schedule": "parallel:4"}))
    for engine in ("bfs", "idastar"):
        found.append(Way(engine, "actions", {"engine": engine}, ends=engine == "bfs"))
    for wanted in ("cost", "actions"):
        best = {"optimal": wanted}
        found.append(Way(f"astar {wanted}", wanted, {"engine": "astar", **best}, ends=True))
        found.append(Way(f"cheapest {wanted}", wanted, {"encoding": "cheapest", **best}))
        found.append(Way(f"race {wanted}", wanted, best, ends=True))
    found.append(Way("pdr sequential", "actions", {"steps": "sequential", "engine": "pdr"}, True))
    found.append(Way("pdr relaxed", "steps", {"steps": "relaxed", "engine": "pdr"}, True))
    found.append(Way("auto", "steps", {"engine": "auto"}))
    found.append(Way("first", "nothing", {"first": True}))
    found.append(Way("improve", "nothing", {"improve": 0.2}))
    return found


@dataclass
class Attack:
    """A task, what is true of it, and the files that it is written to."""

    number: int
    folder: Path
    task: GeneratedTask = field(init=False)
    meaning: Meaning = field(init=False)

    def __post_init__(self) -> None:
        self.task, self.meaning = drawn(self.number)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.domain, self.problem = self.folder / "domain.pddl", self.folder / "problem.pddl"
        self.domain.write_text(domain_text(self.task))
        self.problem.write_text(problem_text(self.task))

    @property
    def fewest(self) -> int | None:
        plan = self.meaning.shortest
        return None if plan is None else len(plan)

    def answer(self, way: Way) -> Result:
        """Return the answer of a way to plan."""
        options = dict(way.options)
        is_bounded = way.ends or not {"optimal", "first", "improve"}.isdisjoint(options)
        if self.fewest is None and not is_bounded:
            options |= {"max_horizon": 4}
        else:
            options |= {"time_limit": SECONDS}
        if way.by_facts:
            text = asplan.convert(self.problem, domain=self.domain)
            return asplan.solve(text=text, **options)
        return asplan.solve(self.domain, self.problem, **options)

    def wrong(self, way: Way, result: Result) -> str | None:
        """Return what of an answer is not so."""
        fewest = self.fewest
        best = self.meaning.least_cost if way.counts == "cost" else fewest
        if result.outcome is Outcome.UNSOLVABLE:
            return None if fewest is None else "unsolvable"
        if result.plan is None:
            ended = way.ends and fewest is None and result.stopped is None
            if ended or (fewest is not None and result.stopped is None):
                return f"{result.outcome} without a limit: {result.reason}"
            bound = max(result.lower_bound, result.lower_cost)
            is_less = way.counts != "nothing" and best is not None and bound > best
            return f"lower bound {bound}" if is_less else None
        if said := self.broken(result.plan, is_free=way.name.endswith("forall")):
            return said
        moves = moves_of(result.plan)
        assert fewest is not None
        if result.outcome is Outcome.OPTIMAL and (said := self.not_least(way, result, moves)):
            return said
        if len(moves) < fewest:
            return f"{len(moves)} actions, and {fewest} are the fewest"
        if self.task.has_costs and result.plan.cost not in (None, (self.meaning.cost_of(moves),)):
            return f"cost {result.plan.cost}, not {self.meaning.cost_of(moves)}"
        return None

    def not_least(self, way: Way, result: Result, moves: Sequence[Move]) -> str | None:
        """Return why a plan that is said to be optimal is not."""
        fewest, least = self.fewest, self.meaning.least_cost
        if way.counts == "actions" and len(moves) != fewest:
            return f"optimal with {len(moves)} actions, but {fewest} are the fewest"
        if way.counts == "cost" and self.meaning.cost_of(moves) != least:
            return f"optimal at {self.meaning.cost_of(moves)}, but {least} is the least"
        if way.counts == "steps" and fewest is not None and len(result.plan or ()) > fewest:
            return f"optimal with {len(result.plan or ())} steps, but {fewest} actions are enough"
        return None

    def broken(self, plan: Plan, is_free: bool) -> str | None:
        """Return what is wrong with a plan; the order of a step does not matter if it `is_free`."""
        states = {self.meaning.initial}
        for number, step in enumerate(plan.terms, 1):
            moves = [Move(action.name, tuple(map(str, action.arguments))) for action in step]
            orders = permutations(moves) if is_free and len(moves) < 5 else [moves]
            ends = {self.meaning.execute(order, state) for order in orders for state in states}
            if None in ends:
                return f"step {number} of {plan.steps} does not apply"
            states = {end for end in ends if end is not None}
        is_met = all(map(self.meaning.is_goal, states))
        return None if is_met else f"{plan.steps} misses the goal"

    def misjudged(self, random: Random) -> str | None:
        """Return what is wrong with the verdict on a random walk, which may end anywhere."""
        moves: list[Move] = []
        state = self.meaning.initial
        for _ in range(random.randint(0, 5)):
            able = list(self.meaning.moves(state))
            if not able:
                break
            moves.append(random.choice(able))
            state = self.meaning.execute(moves[-1:], state) or state
        if moves and random.random() < 0.3:
            del moves[random.randrange(len(moves))]
        after = self.meaning.execute(moves)
        is_plan = after is not None and self.meaning.is_goal(after)
        terms = tuple((_term(move),) for move in moves)
        try:
            asplan.validate(self.domain, self.problem, plan=Plan(terms))
        except InvalidPlan as error:
            return f"{terms} is refused: {error}" if is_plan else None
        return None if is_plan else f"{terms} is accepted"


def _term(move: Move) -> str:
    return f"{move.name}({','.join(move.arguments)})" if move.arguments else move.name


def moves_of(plan: Plan) -> list[Move]:
    """Return the actions of a plan in their order."""
    actions = [action for step in plan.terms for action in step]
    return [Move(action.name, tuple(map(str, action.arguments))) for action in actions]


def drawn(number: int) -> tuple[GeneratedTask, Meaning]:
    """Return the task of a number, and its meaning."""
    random = Random(number)
    meanings = [Meaning(random_task(random)) for _ in range(DRAWN)]
    if number % 5 == 0:
        without = [meaning for meaning in meanings if meaning.shortest is None]
        if without:
            return without[0].task, without[0]
    hardest = max(meanings, key=lambda meaning: len(meaning.shortest or ()))
    return hardest.task, hardest


@dataclass(frozen=True)
class Finding:
    """The answer of one way on one task; `wrong` says what of it is not so."""

    number: int
    way: str
    said: str
    wrong: str | None


def attack(number: int, several: int, folder: Path) -> Iterator[Finding]:
    """Yield the findings on one task, of `several` ways whose turn it is."""
    attacked = Attack(number, folder)
    random = Random(number)
    fitting = [way for way in ways() if attacked.task.has_costs or way.counts != "cost"]
    for way in random.sample(fitting, several):
        yield _judged(number, way.name, lambda way=way: _ask(attacked, way))
    yield _judged(number, "validate", lambda: ("judged", attacked.misjudged(random)))


def _ask(attacked: Attack, way: Way) -> tuple[str, str | None]:
    result = attacked.answer(way)
    return str(result.outcome), attacked.wrong(way, result)


def _judged(number: int, name: str, ask: Callable[[], tuple[str, str | None]]) -> Finding:
    try:
        return Finding(number, name, *ask())
    except AsplanError as error:
        return Finding(number, name, "error", f"{type(error).__name__}: {error}")


def main() -> int:
    """Attack, and print a line that sums up."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=5000, help="tasks")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first task")
    parser.add_argument("--ways", type=int, default=3, help="ways to plan for each task")
    parser.add_argument("--folder", type=Path, default=Path("attack_pddl"), help="for what fails")
    add_quick(parser, "50 tasks", count=50)
    given = parser.parse_args()
    said: Counter[str] = Counter()
    done = 0
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        for number in range(given.seed, given.seed + given.count):
            for finding in attack(number, given.ways, Path(folder)):
                said["wrong" if finding.wrong else finding.said] += 1
                if finding.wrong:
                    tables.progress(f"task {number}, {finding.way}: {finding.wrong}")
                    Attack(number, given.folder / str(number))
            done += 1
    parts = ", ".join(f"{word} {many}" for word, many in sorted(said.items()))
    print(f"{done} tasks, {said.total()} answers: {parts or 'none'}")
    return 1 if said["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
