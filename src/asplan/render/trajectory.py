"""What holds and what happens at each step of a plan: all that drawing rules can read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clingo import Symbol, SymbolType

from asplan.asp.source import ground_term, parse
from asplan.errors import UsageError
from asplan.facts import ground_facts
from asplan.instance import Instance
from asplan.result import Plan, Result
from asplan.validation import states


@dataclass(frozen=True)
class Trajectory:
    """A plan, and the states it leads through.

    Attributes
    ----------
    facts
        Those of the instance; for a program that is all in one, those of its base part.
    holds
        For each fluent the steps at which it holds, in ascending order.
    """

    facts: tuple[Symbol, ...]
    holds: dict[Symbol, list[int]]
    plan: Plan

    @property
    def text(self) -> str:
        """Facts, `holds(Fluent,Step)` and `occurs(Action,Step)` as a program."""
        lines = [f"{fact}." for fact in self.facts]
        lines += [f"holds({fluent},({_ranges(steps)}))." for fluent, steps in self.holds.items()]
        lines += [f"occurs({a},{t})." for t, step in enumerate(self.plan, 1) for a in step]
        return "\n".join(lines)


def follow(result: Result, instance: Instance) -> Trajectory:
    """Follow the plan of a result.

    Raises
    ------
    UsageError
        There is no plan.
    InvalidPlan
        An action does not apply.
    """
    plan = result.plan
    if plan is None and result.horizon is not None:
        plan = Plan(((),) * result.horizon)
    if plan is None:
        raise UsageError("there is no plan, so there is nothing to draw")
    holds: dict[Symbol, list[int]] = defaultdict(list)
    for fluent, step in _modelled(instance, plan) or _shown(result, len(plan)):
        holds[fluent].append(step)
    return Trajectory(facts_of(instance), holds, plan)


def facts_of(instance: Instance) -> tuple[Symbol, ...]:
    """The facts that drawing rules may read."""
    if instance.domain is None:
        return tuple(ground_facts(parse(instance.files), instance.constants, strict=False))
    return tuple(instance.facts)


def _modelled(instance: Instance, plan: Plan) -> list[tuple[Symbol, int]]:
    problem = instance.problem
    if problem is None:
        return []
    return [(f, t) for t, s in enumerate(states(problem, plan)) for f in problem.fluents(s)]


def _shown(result: Result, last: int) -> Iterator[tuple[Symbol, int]]:
    """The fluents in the shown atoms `holds(Fluent,Step)`, by step."""
    atoms = (ground_term(atom, "atom") for atom in result.atoms if atom.startswith("holds("))
    pairs = (atom.arguments for atom in atoms if atom.match("holds", 2))
    found = [(f, t.number) for f, t in pairs if t.type == SymbolType.Number and t.number <= last]
    return iter(sorted(found, key=lambda pair: pair[1]))


def _ranges(steps: Iterable[int]) -> str:
    """Ascending steps as a pool of intervals.

    >>> _ranges([0, 1, 2, 5])
    '0..2;5..5'
    """
    runs: list[list[int]] = []
    for step in steps:
        if runs and step <= runs[-1][1] + 1:
            runs[-1][1] = step
        else:
            runs.append([step, step])
    return ";".join(f"{first}..{last}" for first, last in runs)
