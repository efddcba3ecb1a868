"""Proofs that there is no plan, and their check on a step that is grounded anew."""

from __future__ import annotations

from collections.abc import Mapping

from asplan.clingo import Backend, Symbol
from asplan.core.dataclass import dataclass
from asplan.core.limits import hold_interrupts
from asplan.engines.pdr.relation import signed
from asplan.statespace.invariants import Invariant, break_rule
from asplan.statespace.step import InitialStep, OpenStep

StateCube = frozenset[tuple[Symbol, bool]]  # atoms at time 0 with their truth values


@dataclass(frozen=True)
class InductiveProof:
    """A proof that there is no plan, by a set of states that no step leaves and that has no goal.

    The set has all states that are in one of the cubes and satisfy all invariants. A cube is a set
    of literals, for all states in which they are true.
    """

    cubes: tuple[StateCube, ...]
    invariants: tuple[Invariant[Symbol], ...]


def is_right(
    proof: InductiveProof,
    step: OpenStep,
) -> bool:
    """Return whether a proof is right for a program's step, which must be freshly grounded.

    Each initial state must be in the proof's set of states, and must not be a goal. No step may
    lead from the set to a goal or out of the set. The check adds rules to the step.
    """
    if not all(_covers(proof, start) for start in step.starts):
        return False
    numbers = {symbol: number for number, symbol in step.before.items()}
    with step.control.backend() as backend:
        elsewhere = backend.add_atom()
        _add_cubes(backend, proof, step, numbers, elsewhere)
        if step.goal_missed != 0:
            backend.add_rule([elsewhere], [-step.goal_missed] if step.goal_missed else [])
        for invariant in proof.invariants:
            _add_invariant(backend, invariant, step, numbers, elsewhere)
    with hold_interrupts():
        return not step.control.solve([elsewhere]).satisfiable


def _covers(
    proof: InductiveProof,
    start: InitialStep,
) -> bool:
    """Return whether an initial state is no goal, is in a cube, and satisfies all invariants."""
    if start.is_goal or not any(_has(start, cube) for cube in proof.cubes):
        return False
    return all(invariant.holds(start.atoms) for invariant in proof.invariants)


def _has(
    start: InitialStep,
    cube: StateCube,
) -> bool:
    return all((atom in start.atoms) == is_true for atom, is_true in cube)


def _add_cubes(
    backend: Backend,
    proof: InductiveProof,
    step: OpenStep,
    numbers: Mapping[Symbol, int],
    elsewhere: int,
) -> None:
    """Add rules by which the state before the step is in a cube.

    If the state after the step is in no cube, the rules derive the atom `elsewhere`.
    `numbers` maps atoms at time 0 to their numbers in the ground step.
    """
    inside = backend.add_atom()
    still_inside = backend.add_atom()
    for named in proof.cubes:
        cube = [numbers[atom] if is_true else -numbers[atom] for atom, is_true in named]
        backend.add_rule([inside], cube)
        after = [signed(step.after[abs(literal)], literal) for literal in cube]
        if None not in after:
            backend.add_rule([still_inside], [literal for literal in after if literal])
    backend.add_rule([], [-inside])
    backend.add_rule([elsewhere], [-still_inside])


def _add_invariant(
    backend: Backend,
    named: Invariant[Symbol],
    step: OpenStep,
    numbers: Mapping[Symbol, int],
    elsewhere: int,
) -> None:
    """Add rules by which an invariant holds before the step.

    If the invariant does not hold after the step, the rules derive the atom `elsewhere`.
    `numbers` maps atoms at time 0 to their numbers in the ground step.
    """
    invariant = Invariant(tuple(numbers[atom] for atom in named.atoms), named.is_most)
    broken = backend.add_atom()
    break_rule(backend, broken, invariant, {atom: atom for atom in invariant.atoms})
    backend.add_rule([], [broken])
    break_rule(backend, elsewhere, invariant, step.after)
