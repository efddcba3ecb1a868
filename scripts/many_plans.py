"""Lists of plans against other ways to find all plans.

    python scripts/many_plans.py programs [--number 2000]    random programs, by all answer sets
    python scripts/many_plans.py spaces [--number 300]       random state spaces, by plain counting
    python scripts/many_plans.py tasks [--number 20]         PDDL tasks, by the planner K*
    python scripts/many_plans.py tasks --planner symk        the same by the planner SymK

The first two print how many agree, and each that does not. `tasks` needs the package kstar-planner
or up-symk. It compares the costs of the 20 best plans of shipped and of random tasks, so also how
many plans have each cost, and prints the CPU seconds of both; --markdown prints a table of them.
The other planners also count plans that reach the goal and leave it again, so they are counted
here, too.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from datetime import date
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from lib.quick import add_quick

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests" / "enumeration"), str(ROOT / "tests")]

RESTS_ON = (
    "src/asplan/enumeration/*.py",
    "src/asplan/pddl/*/*.py",
)


def compare_programs(number: int) -> Counter[str]:
    """Compare until so many random programs have plans."""
    from test_lists import differences

    counts: Counter[str] = Counter()
    seed = 0
    while counts["agree"] + counts["differ"] < number:
        found = differences(seed)
        if found:
            print(f"program {seed}: {found}", flush=True)
        counts["without plans" if found is None else "differ" if found else "agree"] += 1
        seed += 1
        if seed % 200 == 0:
            print(f"{seed} programs: {dict(counts)}", file=sys.stderr, flush=True)
    return counts


def compare_spaces(number: int) -> Counter[str]:
    """Compare the numbers of plans of up to 8 steps of random state spaces."""
    from random_spaces import count_plans, random_space
    from test_graph import found_up_to

    counts: Counter[str] = Counter()
    for seed in range(number):
        space = random_space(Random(seed))
        numbers = Counter(found.value for found in found_up_to(space, 8))
        agree = [numbers[length] for length in range(9)] == count_plans(space, 8)
        counts["agree" if agree else "differ"] += 1
        counts["plans"] += sum(numbers.values())
        if not agree:
            print(f"space {seed} differs", flush=True)
    return counts


BEST = 20
SECONDS = 60
ROADS = """(define (domain roads)
  (:requirements :typing :action-costs)
  (:types place parcel)
  (:predicates (road ?a ?b - place) (at ?a - place) (in ?p - parcel) (lies ?p - parcel ?a - place))
  (:functions (length ?a ?b - place) (total-cost) - number)
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (length ?a ?b))))
  (:action load :parameters (?p - parcel ?a - place) :precondition (and (at ?a) (lies ?p ?a))
    :effect (and (not (lies ?p ?a)) (in ?p) (increase (total-cost) 1)))
  (:action drop :parameters (?p - parcel ?a - place) :precondition (and (at ?a) (in ?p))
    :effect (and (lies ?p ?a) (not (in ?p)) (increase (total-cost) 1))))
"""


def random_roads(random: Random) -> str:
    """Return a problem with a van, four to six places and one or two parcels."""
    places = [f"a{n}" for n in range(random.randint(4, 6))]
    parcels = [f"p{n}" for n in range(random.randint(1, 2))]
    ways = {(a, b) for a, b in zip(places, places[1:] + places[:1], strict=True)}
    ways |= {tuple(random.sample(places, 2)) for _ in range(4)}  # type: ignore[misc]
    roads = [f"(road {a} {b}) (= (length {a} {b}) {random.randint(1, 4)})" for a, b in sorted(ways)]
    lies = [f"(lies {p} {random.choice(places)})" for p in parcels]
    goals = [f"(lies {p} {random.choice(places)})" for p in parcels]
    return f"""(define (problem one) (:domain roads)
      (:objects {" ".join(places)} - place {" ".join(parcels)} - parcel)
      (:init (at a0) (= (total-cost) 0) {" ".join([*roads, *lies])})
      (:goal (and {" ".join(goals)})) (:metric minimize (total-cost)))"""


def tasks(number: int, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield domains and problems: the shipped ones of plain PDDL, and random ones."""
    for problem in sorted((ROOT / "instances" / "pddl").glob("*/*-?.pddl")):
        yield problem.with_name("domain.pddl"), problem
    domain = folder / "domain.pddl"
    domain.write_text(ROADS)
    for seed in range(number):
        problem = folder / f"roads-{seed}.pddl"
        problem.write_text(random_roads(Random(seed)))
        yield domain, problem


def best_costs(domain: Path, problem: Path) -> list[int]:
    """Return the costs of the best plans by asplan; a plan may go on after the goal."""
    from asplan.core.budget import Budget
    from asplan.enumeration.by_states import find_by_states, make_estimate
    from asplan.enumeration.source import ValuedPlan
    from asplan.problem import Inputs, load_space
    from asplan.statespace.space import state_space

    kind, model = state_space(load_space(Inputs((str(domain), str(problem)))))
    model.is_whole = True
    by_cost = model.has_costs
    budget = Budget(time.monotonic() + SECONDS)
    estimate = make_estimate(kind, model, by_cost)
    source = find_by_states(model, by_cost, budget=budget, estimate=estimate)
    found = (event for event in source if isinstance(event, ValuedPlan))
    return [event.value for event in islice(found, BEST)]


Best = Callable[[Path, Path], list[int]]
"""A function that returns the costs of the best plans of a task, by another planner."""


def best_by_kstar(domain: Path, problem: Path) -> list[int]:
    """Return the costs of the best plans by K*; none if it fails or takes too long."""
    from kstar_planner import planners

    answer = planners.plan_topk(domain, problem, BEST, timeout=SECONDS)
    return sorted(plan["cost"] for plan in answer["plans"])


def best_by_symk(domain: Path, problem: Path) -> list[int]:
    """Return the costs of the best plans by SymK; none if it fails or takes too long."""
    package = find_spec("up_symk")
    assert package is not None, "install up-symk"
    assert package.origin is not None
    planner = Path(package.origin).parent / "symk" / "fast-downward.py"
    with TemporaryDirectory() as folder:
        search = f"symk_bd(simple=false,plan_selection=top_k(num_plans={BEST},dump_plans=false))"
        files = ["--plan-file", f"{folder}/plan", str(domain.absolute()), str(problem.absolute())]
        command = [sys.executable, str(planner), *files, "--search", search]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, check=False)
        found = [COST.search(file.read_text()) for file in Path(folder).glob("plan*")]
    return sorted(int(cost[1]) for cost in found if cost)


COST = re.compile(r"; cost = (\d+)")
PLANNERS: dict[str, Best] = {"kstar": best_by_kstar, "symk": best_by_symk}
NAMES = {"kstar": "K*", "symk": "SymK"}


class Row(NamedTuple):
    """The comparison of a task: the outcome, the least and the greatest cost, and CPU seconds."""

    task: str
    outcome: str
    costs: str
    other: float
    own: float


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its ended children."""
    return sum(os.times()[:4])


def compare_task(domain: Path, problem: Path, best: Best) -> Row:
    """Compare the costs of the best plans of a task with those of another planner."""
    from asplan.core.budget import OutOfBudget
    from asplan.core.errors import AsplanError

    start = cpu_seconds()
    expected = best(domain, problem)
    between = cpu_seconds()
    costs: list[int] = []
    outcome = ""
    try:
        costs = best_costs(domain, problem)
    except OutOfBudget:
        outcome = f"no list in {SECONDS} s"
    except AsplanError as error:
        outcome = f"refused: {error.message}"
    end = cpu_seconds()
    if not outcome:
        outcome = "agree" if costs == expected else "differ" if expected else "no list of the other"
    if outcome == "differ":
        print(f"{problem.stem}: {expected} {costs}", file=sys.stderr, flush=True)
    span = f"{costs[0]} to {costs[-1]}" if costs else ""
    return Row(problem.stem, outcome, span, between - start, end - between)


def compare_tasks(number: int, planner: str, markdown: bool) -> Counter[str]:
    """Compare the costs of the best plans with those of another planner, task by task."""
    name = NAMES[planner]
    counts: Counter[str] = Counter()
    if markdown:
        print(f"| task | {BEST} best costs | {name}, CPU s | asplan, CPU s | outcome |")
        print("|---|---|---:|---:|---|")
    with TemporaryDirectory() as folder, chdir(folder):  # K* writes files
        for domain, problem in tasks(number, Path(folder)):
            row = compare_task(domain, problem, PLANNERS[planner])
            counts[row.outcome] += 1
            seconds = f"{row.other:.2f} | {row.own:.2f}"
            if markdown:
                print(f"| {row.task} | {row.costs} | {seconds} | {row.outcome} |", flush=True)
            else:
                print(f"{row.task}: {row.outcome}, {row.costs}; {name} | asplan: {seconds} CPU s")
    if markdown:
        from asplan import __version__

        line = f"python scripts/many_plans.py tasks --planner {planner} --markdown"
        print(f"\n*Made by `{line}`, asplan {__version__}, {date.today()}.*\n")
    return counts


def main() -> None:
    """Run the comparison that the words name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("programs", "spaces", "tasks"))
    parser.add_argument("--number", type=int)
    parser.add_argument("--planner", choices=sorted(PLANNERS), default="kstar")
    parser.add_argument("--markdown", action="store_true", help="print a table of the tasks")
    add_quick(parser, "five programs, spaces or tasks", number=5)
    words = parser.parse_args()
    start = time.monotonic()
    if words.what == "programs":
        counts = compare_programs(words.number or 2000)
    elif words.what == "spaces":
        counts = compare_spaces(words.number or 300)
    else:
        counts = compare_tasks(words.number or 20, words.planner, words.markdown)
    print(", ".join(f"{key} {count}" for key, count in sorted(counts.items())))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
