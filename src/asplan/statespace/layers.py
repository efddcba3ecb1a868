"""An admissible heuristic from a program itself: the least number of steps until its goal may hold.

For each literal there is a set of states in which it may hold, and a set of states in which it must
hold. After a step an atom may hold if the body of one of its rules may hold, and must hold if one
must. If all literals of a constraint but one must hold, the last one must be false. These are the
layers of a planning graph without mutexes (Blum and Furst, Fast Planning Through Planning Graph
Analysis, 1997). The number of the first layer in which the goal may hold is h-max (Bonet and
Geffner, Planning as Heuristic Search, 2001), extended to negative conditions.

The estimate is admissible: the k-th layer allows every state that k steps reach. It is consistent:
the layers of a state allow all that the layers of its successors allow.

Many states are estimated together. A set of states is a whole number with a bit for each.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from asplan.domains.heuristic import Heuristic
from asplan.statespace.circuit import (
    add_to_totals,
    conjoin,
    disjoin,
    pack_columns,
)
from asplan.statespace.model import ProgramModel
from asplan.statespace.stages import (
    Add,
    Close,
    Define,
    Refute,
    Stage,
)

_BATCH = 512  # the most states that are estimated together
_REMEMBERED = 500_000  # the most estimates that are cached


@dataclass
class Layers:
    """The heuristic as a function of the states of a program; its estimates are cached.

    The model must have a circuit.
    """

    model: ProgramModel
    _cache: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        step = self.model.step
        wiring = self.model.generator.wiring
        assert wiring is not None
        self._inputs = self.model.generator.inputs
        self._goal_missed = step.goal_missed
        self._outputs = [step.after[number] for number in self._inputs]
        self._stages = wiring.stages(out for out in (step.goal_missed, *self._outputs) if out)
        self._top = wiring.top

    def __call__(self, state: bytes) -> float:
        """Return the least number of steps until the goal may hold; infinity for a dead end.

        States that the model expects soon are estimated together with this one.
        """
        if state not in self._cache:
            if len(self._cache) > _REMEMBERED:
                self._cache.clear()
            ahead = (other for other in self.model.expected() if other not in self._cache)
            batch = list(dict.fromkeys((state, *ahead)))[:_BATCH]
            self._cache.update(zip(batch, self.estimates(batch), strict=True))
        return self._cache[state]

    def estimates(self, states: Sequence[bytes]) -> list[float]:
        """Return the least number of steps until the goal may hold, for each of some states."""
        estimates: list[float] = [inf] * len(states)
        full = (1 << len(states)) - 1
        left, *true = pack_columns(states, len(self._inputs) + 1)
        false = [full ^ column for column in true]
        _set_estimates(estimates, full ^ left, 0)
        layer = 0
        while left:
            layer += 1
            bounds = self._bounds(full, true, false)
            alive = bounds.follow(self._stages)
            _, goal = bounds.possible(self._goal_missed)
            reached = left & alive & goal
            _set_estimates(estimates, reached, layer)
            left ^= reached
            left &= self._grow(bounds, alive, true, false)
        return estimates

    def _bounds(
        self,
        full: int,
        true: Sequence[int],
        false: Sequence[int],
    ) -> "Bounds":
        """Return bounds for the open atoms before a step.

        `true` and `false` have for each open atom the states in which it may hold, and may be
        false. `full` is the set of all states.
        """
        bounds = Bounds(full, self._top)
        for atom, may_hold, may_fail in zip(self._inputs, true, false, strict=True):
            bounds.assign(atom, may_hold, full ^ may_fail)
        return bounds

    def _grow(
        self,
        bounds: "Bounds",
        alive: int,
        true: list[int],
        false: list[int],
    ) -> int:
        """Update `true` and `false` by the results of a step.

        They have for each open atom the states in which it may be true, and may be false. `alive`
        are the states in which no constraint is certainly violated. Return the states in which an
        atom may have a new value.
        """
        grown = 0
        for index, out in enumerate(self._outputs):
            may_hold, may_fail = bounds.possible(out)
            may_hold &= alive
            may_fail &= alive
            grown |= may_hold & ~true[index]
            grown |= may_fail & ~false[index]
            true[index] |= may_hold
            false[index] |= may_fail
        return grown


class Bounds:
    """The states in which each literal may hold, and the states in which it must hold.

    `full` is the set of all states, and `top` the largest number of an atom or a sum. Literals are
    indices of the lists `may` and `must`; those of negated atoms are negative.
    """

    def __init__(
        self,
        full: int,
        top: int,
    ) -> None:
        self.full = full
        self.may = [full] + [0] * top + [full] * top
        self.must = [full] + [0] * top + [full] * top

    def assign(
        self,
        atom: int,
        may: int,
        must: int,
    ) -> None:
        """Set the states in which an atom may hold and must hold; derive those of its negation."""
        self.may[atom] = may
        self.must[atom] = must
        self.may[-atom] = self.full ^ must
        self.must[-atom] = self.full ^ may

    def possible(self, literal: int | None) -> tuple[int, int]:
        """Return the states in which a literal may hold, and the states in which it may be false.

        The literal 0 is true, and None is false.
        """
        if literal is None:
            return 0, self.full
        if literal == 0:
            return self.full, 0
        return self.may[literal], self.may[-literal]

    def follow(self, stages: Iterable[Stage]) -> int:
        """Evaluate the stages of a step.

        Return the states in which no constraint is certainly violated.
        """
        most: dict[int, dict[int, int]] = {}
        least: dict[int, dict[int, int]] = {}
        alive = self.full
        for stage in stages:
            if isinstance(stage, Define):
                self._define(stage)
            elif isinstance(stage, Refute):
                alive &= ~self._refute(stage)
            elif isinstance(stage, Add):
                may = add_to_totals(stage, self.may, most, self.full)
                must = add_to_totals(stage, self.must, least, self.full)
                self.assign(stage.sum, may, must)
            else:
                self._close(stage)
        return alive

    def _define(self, stage: Define) -> None:
        may = disjoin((*stage.may, *stage.bodies), self.may, self.full)
        must = disjoin(stage.bodies, self.must, self.full)
        self.assign(stage.atom, may, must)

    def _close(self, stage: Close) -> None:
        """Compute the least fixpoint of the bounds of atoms that depend on each other."""
        for define in stage.defined:
            self.assign(define.atom, 0, 0)
        changed = True
        while changed:
            changed = False
            for define in stage.defined:
                atom = define.atom
                before = (self.may[atom], self.must[atom])
                self._define(define)
                changed |= before != (self.may[atom], self.must[atom])

    def _refute(self, stage: Refute) -> int:
        """Propagate a constraint: if all its literals but one must hold, the other must be false.

        Return the states in which all its literals must hold, so that it is certainly violated.
        """
        for literal in stage.body:
            rest = [other for other in stage.body if other != literal]
            others = conjoin(rest, self.must, self.full)
            forbidden = others & self.may[literal] & ~self.must[literal]
            if forbidden:
                self._forbid(literal, forbidden)
        return conjoin(stage.body, self.must, self.full)

    def _forbid(
        self,
        literal: int,
        states: int,
    ) -> None:
        """Require that a literal is false in some states."""
        atom = abs(literal)
        if literal > 0:
            self.assign(atom, self.may[atom] & ~states, self.must[atom])
        else:
            self.assign(atom, self.may[atom], self.must[atom] | states)


def _set_estimates(
    estimates: list[float],
    states: int,
    value: float,
) -> None:
    if not states:
        return
    for index in range(len(estimates)):
        if states >> index & 1:
            estimates[index] = value


def _why_unfit(model: ProgramModel) -> str | None:
    if model.generator.wiring is None:
        return "the program has a cycle through a negation, or a disjunction"
    return None


LAYERS = Heuristic(
    "layers",
    Layers,
    "steps until the goal may hold, if atoms never became false again",
    unfit=_why_unfit,
)
