"""A program as a domain of its own, with its model and estimate; and the program along a path."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from asplan.core.facts import Facts
from asplan.domains.base import Domain
from asplan.domains.heuristic import ZERO, Heuristic
from asplan.domains.model import Model
from asplan.problem import Problem
from asplan.program.incremental import Program
from asplan.program.retiming import as_transition_system
from asplan.program.stepwise import check_names, times_of
from asplan.program.unit import HELPER, Section
from asplan.statespace import circuit
from asplan.statespace.circuit import Add, Close, Define, Refute, Stage, columns
from asplan.statespace.invariants import TIME, at_time
from asplan.statespace.model import Evaluated, ProgramModel

_SPACES: WeakKeyDictionary[Problem, tuple[Domain, Model[Any, Any]]] = WeakKeyDictionary()
"""A space is explored by several, one after the other, and keeps what it has seen."""

_HOLDS = HELPER + "holds"


def state_space(
    problem: Problem, heed: Callable[[], None] = lambda: None
) -> tuple[Domain, Model[Any, Any]]:
    """The domain and the model whose states are searched: those of the program, if need be.

    `heed` is called for each initial state of a program; what it raises ends the search.
    """
    if problem.model is not None and not problem.by_encoding:
        return problem.domain_and_model()
    if problem not in _SPACES:
        program = as_transition_system(problem.program).program
        if not problem.nameless:
            check_names(program)
        name = Path(problem.encoding).stem if problem.encoding else ""
        domain = Domain(name, frozenset(), _no_model, heuristics=(LAYERS, ZERO))
        model = ProgramModel(program, problem.given, problem.all_states, heed)
        _SPACES[problem] = domain, model
    return _SPACES[problem]


def _no_model(facts: Facts, values: Mapping[str, str]) -> Model[Any, Any]:
    raise NotImplementedError("a program's model is made from its rules, not from facts")


def program_along(program: Program, evaluated: Evaluated, states: Sequence[bytes]) -> Program:
    """The same program with just those answer sets that go through some states of its own."""
    times, facts, rules = times_of(program), list[str](), list[str]()
    columns = [int.from_bytes(state, "little") for state in states]
    for place, atom in enumerate(evaluated.atoms, 1):
        if (now := at_time(atom, times)) is not None:
            found = [str(t) for t, bits in enumerate(columns) if bits >> place & 1]
            facts.append(f"{_HOLDS}({place},({';'.join(found)}))." if found else "")
            rules.append(f":- {_HOLDS}({place},{TIME}), not {now}.")
            rules.append(f":- {now}, not {_HOLDS}({place},{TIME}).")
    base = Section.of_text("base", "", f"#defined {_HOLDS}/2. {' '.join(facts)}")
    return program.with_sections(base, Section.of_text("check", TIME, " ".join(rules)))


_BATCH = 512  # states that are estimated together
_REMEMBERED = 500_000  # estimates that are kept


@dataclass
class Layers:
    """An estimate from the program itself: how many steps until the goal may hold.

    For each literal it is noted whether it may hold, and whether it must: after a step an atom may
    if one of its rules may apply, and must if one must; a constraint whose other literals must hold
    forbids the last one. These are the layers of a planning graph (Blum and Furst, 1997) without
    its pairs, and the first one in which the goal may hold is h-max (Bonet and Geffner, Planning as
    Heuristic Search, 2001), for negative conditions as well. It is never too large, for a state
    reached in k steps has nothing that the k-th layer lacks; and it is consistent, for the layers
    of a state hold those of each that follows.
    """

    model: ProgramModel
    _known: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        step, wiring = self.model.step, self.model.evaluated.wiring
        assert wiring is not None
        self._inputs, self._goal_missed = self.model.evaluated.inputs, step.goal_missed
        self._outputs = [step.after[number] for number in self._inputs]
        self._stages = wiring.stages(out for out in (step.goal_missed, *self._outputs) if out)
        self._top = wiring.top

    def __call__(self, state: bytes) -> float:
        """The estimate of the steps from a state to the goal; infinity where it is out of reach."""
        if state not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            ahead = (s for s in self.model.expected() if s not in self._known)
            batch = list(dict.fromkeys((state, *ahead)))[:_BATCH]
            self._known.update(zip(batch, self.estimates(batch), strict=True))
        return self._known[state]

    def estimates(self, states: Sequence[bytes]) -> list[float]:
        full = (1 << len(states)) - 1
        given = columns(states, len(self._inputs) + 1)
        found: list[float] = [inf] * len(states)
        left = given[0]
        _note(found, full ^ left, 0)
        true, false = given[1:], [full ^ column for column in given[1:]]
        layer = 0
        while left:
            layer += 1
            values = Values(full, self._top)
            for atom, yes, no in zip(self._inputs, true, false, strict=True):
                values.set(atom, yes, full ^ no)
            alive = values.follow(self._stages)
            reached = left & alive & values.both(self._goal_missed)[1]
            _note(found, reached, layer)
            left ^= reached
            grown = 0
            for index, out in enumerate(self._outputs):
                yes, no = values.both(out)
                grown |= (yes & alive & ~true[index]) | (no & alive & ~false[index])
                true[index] |= yes & alive
                false[index] |= no & alive
            left &= grown
        return found


class Values:
    """Of each literal, by its number, in which states it may hold, and in which it must."""

    def __init__(self, full: int, top: int) -> None:
        self.full = full
        self.may = [full] + [0] * top + [full] * top
        self.must = [full] + [0] * top + [full] * top

    def set(self, atom: int, may: int, must: int) -> None:
        self.may[atom], self.must[atom] = may, must
        self.may[-atom], self.must[-atom] = self.full ^ must, self.full ^ may

    def both(self, literal: int | None) -> tuple[int, int]:
        """Where a literal may hold, and where it may fail."""
        if not literal:
            return (0, self.full) if literal is None else (self.full, 0)
        return self.may[literal], self.may[-literal]

    def follow(self, stages: Iterable[Stage]) -> int:
        """Note all atoms that stages define; the states in which no constraint must fail."""
        most: dict[int, dict[int, int]] = {}
        least: dict[int, dict[int, int]] = {}
        alive = self.full
        for stage in stages:
            if isinstance(stage, Define):
                self._define(stage)
            elif isinstance(stage, Refute):
                alive &= ~self._refute(stage)
            elif isinstance(stage, Add):
                reached = circuit.totals_with(stage, self.may, most, self.full)
                certain = circuit.totals_with(stage, self.must, least, self.full)
                self.set(stage.sum, reached, certain)
            else:
                self._close(stage)
        return alive

    def _define(self, stage: Define) -> None:
        may = circuit.any_of((*stage.may, *stage.bodies), self.may, self.full)
        self.set(stage.atom, may, circuit.any_of(stage.bodies, self.must, self.full))

    def _close(self, stage: Close) -> None:
        for define in stage.defined:
            self.set(define.atom, 0, 0)
        changed = True
        while changed:
            changed = False
            for define in stage.defined:
                before = self.may[define.atom], self.must[define.atom]
                self._define(define)
                changed |= before != (self.may[define.atom], self.must[define.atom])

    def _refute(self, stage: Refute) -> int:
        """Forbid the last literal where all others must hold; the states where it must as well."""
        for literal in stage.body:
            others = circuit.all_of([x for x in stage.body if x != literal], self.must, self.full)
            forbidden = others & self.may[literal] & ~self.must[literal]
            if forbidden:
                atom = abs(literal)
                may, must = self.may[atom], self.must[atom]
                if literal > 0:
                    self.set(atom, may & ~forbidden, must)
                else:
                    self.set(atom, may, must | forbidden)
        return circuit.all_of(stage.body, self.must, self.full)


def _note(found: list[float], states: int, value: float) -> None:
    for index in range(len(found)) if states else ():
        if states >> index & 1:
            found[index] = value


LAYERS = Heuristic(
    "layers",
    Layers,
    "steps until the goal may hold, where what may hold once may hold for ever",
    unfit=lambda model: (
        "its rules have a cycle through a negation, or a disjunction"
        if model.evaluated.wiring is None
        else None
    ),
)
