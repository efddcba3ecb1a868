"""A proof that there is no plan, and its check by a step that is grounded anew.

The proof is a set of cubes, and groups that are right in every state. Each initial state has one
of the cubes and is no goal; and from no state with one of them a step leads to a goal, out of them
all, or to where a group is wrong. That is a single question.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from clingo import Symbol

from asplan.transition.groups import Group, break_rule
from asplan.transition.opening import OpenStep, Start

Cube = tuple[frozenset[Symbol], frozenset[Symbol]]
"""The atoms, at time 0, that hold in a state with the cube, and those that do not."""


@dataclass(frozen=True)
class Claim:
    """Of some atoms, at time 0, at most one holds, or at least one."""

    atoms: tuple[Symbol, ...]
    is_most: bool

    def holds(self, among: frozenset[Symbol]) -> bool:
        """Whether it is right where some atoms hold."""
        count = len(among.intersection(self.atoms))
        return count < 2 if self.is_most else count > 0


@dataclass(frozen=True)
class Proof:
    """Why there is no plan: every state has one of some cubes, and is as claimed."""

    cubes: tuple[Cube, ...]
    claims: tuple[Claim, ...]


def is_right(proof: Proof, step: OpenStep) -> bool:
    """Whether a proof holds for a step, of which nothing has been demanded so far."""
    numbers = {symbol: number for number, symbol in step.before.items()}
    groups = [
        Group(tuple(numbers[atom] for atom in claim.atoms), claim.is_most) for claim in proof.claims
    ]
    cubes = [
        [*(numbers[atom] for atom in holding), *(-numbers[atom] for atom in failing)]
        for holding, failing in proof.cubes
    ]
    return all(_begins(proof, start) for start in step.starts) and _is_closed(cubes, groups, step)


def _begins(proof: Proof, start: Start) -> bool:
    has_cube = any(
        holding <= start.atoms and start.atoms.isdisjoint(failing)
        for holding, failing in proof.cubes
    )
    return has_cube and not start.is_goal and all(c.holds(start.atoms) for c in proof.claims)


def _is_closed(cubes: Collection[list[int]], groups: Collection[Group], step: OpenStep) -> bool:
    """Whether no step leads from what has a cube, and in which the groups are right, elsewhere."""
    with step.control.backend() as backend:
        inside, still_inside, elsewhere = (backend.add_atom() for _ in range(3))
        for cube in cubes:
            backend.add_rule([inside], cube)
            _add_rule(backend, still_inside, [_after(step, literal) for literal in cube])
        backend.add_rule([], [-inside])
        backend.add_rule([elsewhere], [-still_inside])
        if step.amiss != 0:
            backend.add_rule([elsewhere], [-step.amiss] if step.amiss else [])
        for group in groups:
            broken = backend.add_atom()
            break_rule(backend, broken, group, {atom: atom for atom in group.atoms})
            backend.add_rule([], [broken])
            break_rule(backend, elsewhere, group, step.after)
    return not step.control.solve([elsewhere]).satisfiable


def _after(step: OpenStep, literal: int) -> int | None:
    """A literal after the step; 0 is true, None is false."""
    after = step.after[abs(literal)]
    if literal > 0:
        return after
    return {None: 0, 0: None}.get(after, -(after or 0))


def _add_rule(backend: Any, head: int, body: Collection[int | None]) -> None:
    if None not in body:
        backend.add_rule([head], [literal for literal in body if literal])
