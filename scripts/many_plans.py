"""Lists of plans against other ways to find all plans.

    python scripts/many_plans.py programs [--number 2000]    random programs, by all answer sets
    python scripts/many_plans.py spaces [--number 300]       random state spaces, by plain counting
    python scripts/many_plans.py tasks [--number 20]         PDDL tasks, by the planner K*

The first two print how many agree, and each that does not. `tasks` needs the package kstar-planner;
it compares the costs of the 20 best plans of shipped and of random tasks, and prints the seconds of
both. K* also counts plans that reach the goal and leave it again, so they are counted here, too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from lib.quick import add_quick

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests" / "enumeration"), str(ROOT / "tests")]


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


def compare_tasks(number: int) -> Counter[str]:
    """Compare the costs of the best plans with those of K*."""
    from kstar_planner import planners

    from asplan.core.budget import OutOfBudget
    from asplan.core.errors import AsplanError

    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder, chdir(folder):  # K* writes files
        for domain, problem in tasks(number, Path(folder)):
            start = time.monotonic()
            answer = planners.plan_topk(domain, problem, BEST, timeout=SECONDS)
            expected = sorted(plan["cost"] for plan in answer["plans"])
            between = time.monotonic()
            try:
                costs = best_costs(domain, problem)
            except (AsplanError, OutOfBudget) as error:
                print(f"{problem.stem}: no list, {error!r}", flush=True)
                counts["no list"] += 1
                continue
            outcome = (
                "unknown to K*" if not expected else "agree" if costs == expected else "differ"
            )
            counts[outcome] += 1
            seconds = f"K* {between - start:.2f} s, asplan {time.monotonic() - between:.2f} s"
            print(f"{problem.stem}: {outcome}, {costs[:1]} to {costs[-1:]}; {seconds}", flush=True)
            if outcome == "differ":
                print(f"  {expected} {costs}", flush=True)
    return counts


def main() -> None:
    """Run the comparison that the words name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("programs", "spaces", "tasks"))
    parser.add_argument("--number", type=int)
    add_quick(parser, "five programs, spaces or tasks", number=5)
    words = parser.parse_args()
    start = time.monotonic()
    if words.what == "programs":
        counts = compare_programs(words.number or 2000)
    elif words.what == "spaces":
        counts = compare_spaces(words.number or 300)
    else:
        counts = compare_tasks(words.number or 20)
    print(", ".join(f"{key} {count}" for key, count in sorted(counts.items())))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
