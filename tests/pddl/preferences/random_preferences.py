"""Random small tasks with constraints and preferences, and an exhaustive search in them.

The search goes through all pairs of a state and of what must be remembered of those before it; it
knows nothing of the compilation, and nothing of how the referee judges a plan.
"""

from __future__ import annotations

import heapq
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

from asplan.pddl.language import PddlSource, TaskText, task_of_sources
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import TrajectoryDemand

WORDS = ("always", "sometime", "at-most-once", "sometime-after", "sometime-before", "at end")


def random_task(seed: int) -> tuple[str, str]:
    """A domain and a problem; objects a and b, predicates of no or one argument."""
    random = Random(seed)

    def literal(variable: str) -> str:
        atom = random.choice(("(p)", "(q)", f"(r {variable})", f"(s {variable})"))
        return atom if random.random() < 0.6 else f"(not {atom})"

    def condition(variable: str) -> str:
        kind = random.random()
        if kind < 0.5:
            return literal(variable)
        if kind < 0.8:
            word = random.choice(("and", "or"))
            return f"({word} {literal(variable)} {literal(variable)})"
        return f"(exists (?z - t) {literal('?z')})"

    def passing(variable: str) -> str:
        word = random.choice((*WORDS, *WORDS[1:5]))
        parts = [condition(variable) for _ in range(2 if word in WORDS[3:5] else 1)]
        return f"({word} {' '.join(parts)})"

    def everywhere(make: Any) -> str:
        if random.random() < 0.4:
            return f"(forall (?y - t) {make('?y')})"
        return str(make(random.choice("ab")))

    actions = []
    for name, adds in zip("ABCDE", ("(p)", "(q)", "(r ?x)", "(s ?x)", "(p)"), strict=True):
        needs = [literal("?x") for _ in range(random.choice((0, 1, 1, 2)))]
        if random.random() < 0.4:
            needs.append(f"(preference w{random.randint(0, 1)} {condition('?x')})")
        does = [adds if random.random() < 0.7 else f"(not {adds})"]
        does += [literal("?x") for _ in range(random.randint(0, 2))]
        does += [f"(increase (total-cost) {random.choice((0, 1, 2, 1.5))})"]
        actions.append(
            f"(:action {name} :parameters (?x - t)\n  :precondition (and {' '.join(needs)})\n"
            f"  :effect (and {' '.join(does)}))"
        )
    hard = [everywhere(passing) for _ in range(random.choice((0, 1, 1, 1, 2)))]
    soft = [
        everywhere(lambda v, n=n: f"(preference v{n} {passing(v)})")
        for n in range(random.randint(1, 3))
    ]
    wanted = random.sample(("(p)", "(q)", "(r a)", "(s b)"), random.randint(1, 3))
    goals = [atom if random.random() < 0.6 else f"(not {atom})" for atom in wanted]
    goals += [everywhere(lambda v: f"(preference g {condition(v)})")]
    weights = {"g": 2, "w0": 1, "w1": 0.5}
    weights |= {f"v{n}": random.choice((3, 1, -1, 2.5)) for n in range(len(soft))}
    said = " ".join(actions + soft + goals)
    present = (name for name in weights if f"preference {name} " in said)
    terms = [f"(* {weights[name]} (is-violated {name}))" for name in present]
    terms += ["(total-cost)"] * (random.random() < 0.7)
    metric = random.choice(("minimize (+ 0 {})", "maximize (- 10 (+ 0 {}))"))
    atoms = ("(p)", "(q)", "(r a)", "(r b)", "(s a)", "(s b)")
    start = [atom for atom in atoms if random.random() < 0.3]
    domain = (
        "(define (domain small) (:requirements :adl :constraints :preferences :action-costs "
        ":numeric-fluents) (:types t)\n(:predicates (p) (q) (r ?x - t) (s ?x - t))\n"
        f"(:functions (total-cost) - number)\n{chr(10).join(actions)})\n"
    )
    problem = (
        f"(define (problem it) (:domain small) (:objects a b - t)\n(:init {' '.join(start)} "
        f"(= (total-cost) 0))\n(:goal (and {' '.join(goals)}))\n"
        f"(:constraints (and {' '.join([*hard, *soft])}))\n"
        f"(:metric {metric.format(' '.join(terms))}))\n"
    )
    return domain, problem


class Oracle:
    """All that plans of a small task can come to."""

    def __init__(self, domain: str, problem: str) -> None:
        self.task: TaskText = task_of_sources(PddlSource("d", domain), PddlSource("p", problem))
        self.model = TextModel(self.task)
        self.demands = [
            (demand, part_bounds)
            for demand in self.task.problem.demands
            for part_bounds in self._instances(demand)
        ]

    def _instances(
        self, demand: TrajectoryDemand
    ) -> list[list[tuple[str, tuple[Any, ...], dict[str, str]]]]:
        """Yield word, parts and values of a constraint for each value of its variables."""
        return [
            [(part.word, part.parts, values) for part in demand.parts]
            for values in self._values(demand.variables)
        ]

    def _values(self, variables: Any) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = [{}]
        for typed in variables:
            objects = self.task.objects_of(typed.type_keys)
            rows = [{**row, typed.name.key: thing} for row in rows for thing in objects]
        return rows

    def _fold(self, word: str, memory: Any, truth: list[bool]) -> Any:
        """Return the memory of a constraint after a state; None at the start."""
        first = truth[0]
        match word:
            case "always":
                return first and memory in (None, True)
            case "sometime":
                return bool(first or memory)
            case "at end":
                return first
            case "at-most-once":  # never, now, no longer, again
                return {
                    None: "now" if first else "never",
                    "never": "now" if first else "never",
                    "now": "now" if first else "over",
                    "over": "again" if first else "over",
                    "again": "again",
                }[memory]
            case "sometime-after":  # whether something is owed
                return not truth[1] and bool(first or memory)
        violated, seen = memory or (False, False)
        return violated or (first and not seen), seen or truth[1]

    def _is_kept(self, word: str, memory: Any) -> bool:
        if word == "at-most-once":
            return bool(memory != "again")
        if word == "sometime-after":
            return not memory
        if word == "sometime-before":
            return not memory[0]
        return bool(memory)

    def _seen(self, state: Any, memories: Any) -> Any:
        world = self.model.world(state)
        found = []
        for (_, parts), memory in zip(self.demands, memories, strict=True):
            after = tuple(
                self._fold(word, old, [self.model.holds(world, f, values) for f in formulas])
                for (word, formulas, values), old in zip(parts, memory, strict=True)
            )
            found.append(after)
        return tuple(found)

    def _kept(self, memories: Any) -> list[bool]:
        return [
            all(self._is_kept(word, m) for (word, _, _), m in zip(parts, memory, strict=True))
            for (_, parts), memory in zip(self.demands, memories, strict=True)
        ]

    def _is_plan(self, state: Any, memories: Any) -> bool:
        kept = zip(self.demands, self._kept(memories), strict=True)
        hard = all(is_kept for (demand, _), is_kept in kept if demand.name is None)
        return hard and self.model.is_goal(state)

    def _steps(self, state: Any) -> list[tuple[Any, Fraction]]:
        """Yield the successors, each with the cost of its action in the metric."""
        world, found = self.model.world(state), []
        declared = {action.name.key: action for action in self.task.domain.actions}
        for action in self.model.actions(state):
            schema = declared[action.name]
            keys = [typed.name.key for typed in schema.parameters]
            values = dict(zip(keys, action.arguments, strict=True))
            price = self.weight("total-cost") * self.cost_of(schema)
            for demand in schema.preferences:
                if not self.model.holds(world, demand.parts[0].parts[0], values):
                    price += self.weight(demand.name)
            found.append((self.model.apply(state, action), price))
        return found

    def cost_of(self, schema: Any) -> Fraction:
        from asplan.pddl.language.syntax import Assign, together

        return sum(
            (p.amount for p in together(schema.effect) if isinstance(p, Assign)), Fraction(0)
        )

    def weight(self, name: str) -> Fraction:
        """Return the weight of one violation, or of one unit of cost, in the metric."""
        from asplan.pddl.numeric.strip import evaluate

        direction, expression = self.task.problem.metric
        terms = evaluate(expression, {}, {}).terms
        key = (name,) if name == "total-cost" else ("is-violated", name)
        return terms.get(key, Fraction(0)) * (-1 if direction == "maximize" else 1)

    def best(self, by_metric: bool) -> Fraction | None:
        """The fewest actions, or the best metric as it is minimized; None if there is no plan."""
        start = self.model.initial
        first = self._seen(start, tuple((None,) * len(parts) for _, parts in self.demands))
        order, queue = count(), [(Fraction(0), 0, start, first)]
        done: set[Any] = set()
        best: Fraction | None = None
        while queue:
            cost, _, state, memories = heapq.heappop(queue)
            if (state, memories) in done:
                continue
            done.add((state, memories))
            if self._is_plan(state, memories):
                if not by_metric:
                    return cost
                kept = zip(self.demands, self._kept(memories), strict=True)
                lost = [self.weight(d.name) for (d, _), is_kept in kept if d.name and not is_kept]
                total = cost + sum(lost, Fraction(0))
                best = total if best is None else min(best, total)
            for after, price in self._steps(state):
                paid = cost + (price if by_metric else 1)
                heapq.heappush(queue, (paid, next(order), after, self._seen(after, memories)))
        return best
