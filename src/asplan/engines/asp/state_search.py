"""A search through the states themselves, beside the one from horizon to horizon.

That search never ends where there is no plan, and takes long where plans are long. Often there are
few states; a breadth-first search through them then proves that there is no plan, or how long the
shortest one is, in a fraction of the time. Nobody knows before how many there are. So it
starts when clingo has searched for a while, and gets a share of the effort. Where grounding takes
the time, there is nothing to win.

Effort is counted, in conflicts of clingo, and no clock is read: so a program has the same plan each
time, on a busy machine as well. What a conflict is worth was measured: about 75 microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from clingo import Function, Number

from asplan.core.errors import InputError
from asplan.core.text import amount
from asplan.engines.asp.configuration import conflicts_worth
from asplan.engines.asp.session import Pin
from asplan.engines.run import Run, Shared
from asplan.program.retiming import Retimed, as_transition_system
from asplan.program.stepwise import transition_times_of
from asplan.program.syntax import predicate
from asplan.program.unit import is_helper
from asplan.statespace.circuit import WORK
from asplan.statespace.model import ProgramModel, SuccessorGenerator

SHARE = 5  # of so many conflicts of clingo the states get the worth of one
SMALL_SHARE = 12  # the same where layers grow so fast that clingo is likely to be first
MOST = 2  # of so many, where too much may happen together; that ends the search
HOPELESS = 2  # times their share that layers, growing as they do, would need

MOST_STATES, A_MEGABYTE = 1_000_000, 2_000
"""States that are kept: some hundred megabytes; and for a megabyte of a limit."""

MOST_BEFORE = 3  # steps before the first state; they are enumerated

_LEAST, _BATCH = 16, 1024  # states that are expanded together
_STAGES, _REACHED = 64, 100  # stages of a circuit, and states that are reached, for one conflict
SLOW = 4  # times as long, where clingo has to find what follows a state
OPENING = 3  # a step is grounded so often, about, with all that may hold


class _Enough(Exception):
    """There are too many states, or too much may happen in one."""


@dataclass
class StateSearch(Shared):
    """A breadth-first search through the states of a program, which can be continued.

    Horizons below `bound` are refuted; it `is_used` if clingo was spared one of them. `end` says
    why there is no plan, once that is proven; `path` are the states of a shortest plan as atoms,
    once there is one.
    """

    run: Run[Any]
    inner: Shared
    bound: int = 0
    is_used: bool = False
    end: str = ""
    path: Sequence[Pin] = ()
    expanded: int = 0
    spent: float = 0.0
    _effort: int = 0
    _price: float = 1 / _STAGES
    _layers: list[list[bytes]] = field(default_factory=list)
    _search: Iterator[None] | None = None

    def proven(self) -> int:
        return max(self.bound, self.inner.proven())

    def tell(self, bound: int) -> None:
        self.inner.tell(bound)

    def report(self) -> str:
        """In words: what the states have shown."""
        steps = self.bound - 1
        found = f"found no goal within {amount(steps, 'step')}"
        return f"a search through {self.expanded} states {found}"

    def go_on(self, effort: int, rules: int, horizon: int) -> None:
        """Go on while the states have their share of clingo's effort, in conflicts.

        So many ground rules are worth a part of that effort. Raises `OutOfTime`.
        """
        allowed = effort / SHARE
        opening = 0 if self._search else 2 * OPENING * conflicts_worth(rules) / (horizon + 2)
        # What it takes to reach clingo's horizon if layers go on to grow as the last ones did.
        needs, layers = self.spent, [len(layer) for layer in self._layers]
        if len(layers) >= 3:
            growth = max(1.0, layers[-1] / layers[-2])
            needs *= growth ** min(max(0, horizon + 1 - len(layers)), 99)
        if needs > HOPELESS * allowed:
            allowed = effort / SMALL_SHARE
        if opening > allowed:
            return
        self._effort = effort
        try:
            if horizon <= self._times.before:
                return  # those are for clingo to refute
            self._search = self._search or self._breadth_first()
            while self.spent < allowed and next(self._search, self) is None:
                pass
        except (_Enough, InputError):
            self._search = iter(())

    def _breadth_first(self) -> Iterator[None]:
        """See the states layer by layer, with a break after each batch."""
        given, times = self.run.problem.given, self._times
        model = ProgramModel(times.program, given, heed=self._heed, before=times.before)
        self.spent += OPENING * conflicts_worth(len(model.step.ground.rules))
        if model.generator.stages is None:
            self._price = SLOW / _STAGES
        stages, megabytes = model.generator.stages or WORK, self.run.limits.megabytes
        most = MOST_STATES if megabytes is None else min(MOST_STATES, A_MEGABYTE * megabytes)
        layer = sorted(model.initials)
        seen = set(layer)
        while layer:
            self._layers.append(layer)
            if (goal := next(filter(model.is_goal, layer), None)) is not None:
                self.bound = times.before + len(self._layers) - 1
                self.path = list(self._pins(model.generator, self._trace(model, goal)))
                return
            fresh = set[bytes]()
            for batch in self._batches(layer):
                found = model.generator.after(batch, self._heed)
                self.expanded += len(batch)
                self.spent += len(found) / _REACHED
                self._heed(stages)
                fresh.update(found)
                yield
            layer = sorted(fresh - seen)  # sets of bytes are in another order each time
            seen.update(layer)
            if len(seen) > most:
                raise _Enough
            self.bound = times.before + len(self._layers)
        self.end = f"none of the {len(seen)} reachable states is a goal"

    def _trace(self, model: ProgramModel, goal: bytes) -> list[bytes]:
        """A path through the layers to a state in the last one, found from its end."""
        states = [goal]
        for layer in reversed(self._layers[:-1]):
            batches = self._batches(layer)
            leading = (s for batch in batches for s in model.leading(batch, states[-1]))
            states.append(next(leading))
            self.run.look()
        return states[::-1]

    def _pins(self, generator: SuccessorGenerator, path: Sequence[bytes]) -> Iterator[Pin]:
        """The atoms of the states on a path, each with its time, and whether it is true."""
        moved = self._times
        times = transition_times_of(moved.program)
        for place, atom in enumerate(generator.atoms, 1):
            if (key := predicate(atom)) in times.state and not is_helper(atom):
                terms, at = atom.arguments, times.places[key]
                shift = moved.before + moved.distances.get(key, 0)
                for t, state in enumerate(path, shift):
                    now = [*terms[:at], Number(t), *terms[at + 1 :]]
                    is_true = bool(state[place // 8] >> place % 8 & 1)
                    yield Function(atom.name, now, atom.positive), is_true

    @cached_property
    def _times(self) -> Retimed:
        """The program as a transition system; an `InputError` where it is none."""
        # Horizons below the first one that is tried are not refuted.
        most = 0 if self.run.limits.min_horizon else MOST_BEFORE
        return as_transition_system(self.run.problem.program, most)

    def _batches(self, layer: list[bytes]) -> Iterator[list[bytes]]:
        """Pieces of a layer, of which none is likely to take much of what is left."""
        first = 0
        while first < len(layer):
            each = self.spent / (self.expanded + 1)
            size = max(_LEAST, min(_BATCH, int(self._effort / SHARE / 4 / each)))
            yield layer[first : first + size]
            first += size

    def _heed(self, stages: int = WORK) -> None:
        """Count what was done: stages of a circuit, or as much by clingo, or by its grounder."""
        self.run.look()
        self.spent += stages * self._price
        if self.spent > self._effort / MOST:
            raise _Enough
