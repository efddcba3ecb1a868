"""A breadth-first search through the states of a program, which runs beside clingo.

clingo's search from horizon to horizon never ends if there is no plan, and takes long if plans are
long. Many programs have few states. A search through all of them then proves that there is no plan,
or how long the shortest one is, in a fraction of the time. The number of states is not known
before, so the search starts when clingo has searched for a while, and gets a share of clingo's
effort. It cannot help if grounding takes most of the time.

Effort is counted in conflicts of clingo, not by a clock. So a program has the same plan each time,
even on a busy machine. A conflict was measured to take about 75 microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from asplan.clingo import Function, Number
from asplan.core.budget import EffortBudget, OutOfBudget
from asplan.core.errors import InputError
from asplan.core.limits import Limits
from asplan.core.search import Frontier, path_through
from asplan.core.text import amount
from asplan.engines.asp.effort import conflicts_worth
from asplan.engines.asp.opening import PlanningRun
from asplan.engines.asp.solver import Pin
from asplan.engines.scheduling import Lead
from asplan.program.reading.unit import is_helper
from asplan.program.syntax import predicate
from asplan.program.transitions.retiming import Retimed, as_transition_system
from asplan.program.transitions.stepwise import transition_times_of
from asplan.statespace.circuit import WORK
from asplan.statespace.model import ProgramModel, SuccessorGenerator

SHARE = 5  # conflicts of clingo for each conflict's worth of effort on states
SMALL_SHARE = 12  # used instead of `SHARE` if layers grow so fast that clingo is likely to be first
MOST = 2  # the search ends if its effort exceeds clingo's conflicts divided by this
HOPELESS = 2  # the factor by which the expected effort may exceed the share

MOST_STATES = 1_000_000  # some hundred megabytes
A_MEGABYTE = 2_000  # states for each megabyte of a memory limit

MOST_BEFORE = 3  # steps before the first state; they are enumerated

_LEAST = 16  # states of the smallest batch
_BATCH = 1024  # states of the largest batch
_STAGES = 64  # stages of a circuit for one conflict
_REACHED = 100  # reached states for one conflict
SLOW = 4  # the factor of time if clingo has to find the successors of a state
OPENING = 3  # the number of times that a step is grounded, with all atoms that may hold


def most_states(limits: Limits) -> int:
    """Return the greatest number of states that a search may keep within the memory limit."""
    if limits.megabytes is None:
        return MOST_STATES
    return min(MOST_STATES, A_MEGABYTE * limits.megabytes)


@dataclass
class StateSearch:
    """A breadth-first search through the states of a program, which works in portions.

    Attributes
    ----------
    bound
        Every horizon below this number is refuted.
    is_used
        True if clingo did not have to solve a horizon that this search had refuted.
    end
        The reason why there is no plan, once that is proven; else empty.
    path
        The atoms of the states along a shortest plan with their truth values, once one is found.
    expanded
        The number of expanded states.
    budget
        The budget of the search, which counts its effort in conflicts of clingo.
    """

    run: PlanningRun
    bound: int = 0
    is_used: bool = False
    end: str = ""
    path: Sequence[Pin] = ()
    expanded: int = 0
    budget: EffortBudget = field(init=False)
    _effort: int = 0
    _layers: list[list[bytes]] = field(default_factory=list)
    _retimed: Retimed | None = None
    _search: Iterator[None] | None = None

    def __post_init__(self) -> None:
        self.budget = EffortBudget(
            self.run.budget.deadline, self.run.is_abandoned, price=_price(WORK)
        )

    @property
    def spent(self) -> float:
        """The effort of the search so far, in conflicts of clingo."""
        return self.budget.spent

    def report(self) -> str:
        """Return the result of the search so far, in words."""
        steps = amount(self.bound - 1, "step")
        return f"a search through {self.expanded} states found no goal within {steps}"

    def advance(self, lead: Lead) -> None:
        """Continue until the search has used its share of clingo's effort.

        Give up for good if the search has become too expensive. Raises `OutOfBudget` if the time of
        the run is up.
        """
        allowed = self._allowed_effort(lead.effort, lead.horizon)
        if self._search is None and _opening_effort(lead.rules, lead.horizon) > allowed:
            return
        self._effort = lead.effort
        self.budget.most = lead.effort / MOST
        try:
            self._continue(allowed, lead.horizon)
        except (OutOfBudget, InputError):
            self._search = iter(())
            self.run.budget.check()

    def _allowed_effort(self, effort: int, horizon: int) -> float:
        """Return this search's share of clingo's effort, in conflicts.

        The share is small if the layers grow so fast that the horizon is out of reach.
        """
        allowed = effort / SHARE
        is_hopeless = self._expected_effort(horizon) > HOPELESS * allowed
        return effort / SMALL_SHARE if is_hopeless else allowed

    def _expected_effort(self, horizon: int) -> float:
        """Return the effort to reach a horizon if layers keep growing as the last two did."""
        if len(self._layers) < 3:
            return self.spent
        growth = max(1.0, len(self._layers[-1]) / len(self._layers[-2]))
        missing = max(0, horizon + 1 - len(self._layers))
        return self.spent * growth ** min(missing, 99)

    def _continue(self, allowed: float, horizon: int) -> None:
        """Search until the effort reaches `allowed`, in conflicts.

        A program may have some steps before its first state. Clingo refutes these horizons, and
        this search begins after them.
        """
        if self._search is None:
            if self._retimed is None:
                # Horizons below the first one that is tried are not refuted.
                most = 0 if self.run.limits.min_horizon else MOST_BEFORE
                self._retimed = as_transition_system(self.run.problem.program, most)
            if horizon <= self._retimed.before:
                return  # clingo refutes these horizons
            self._search = self._breadth_first(self._retimed)
        while self.spent < allowed and next(self._search, self) is None:
            pass

    def _breadth_first(self, retimed: Retimed) -> Iterator[None]:
        """Visit the states layer by layer; yield after each batch, so that the caller can pause."""
        model = self._open_model(retimed)
        most = most_states(self.run.limits)
        frontier = Frontier(model.initials)
        while frontier.layer:
            layer = sorted(frontier.layer)  # sets of bytes are in another order each time
            self._layers.append(layer)
            goal = next(filter(model.is_goal, layer), None)
            if goal is not None:
                self.bound = retimed.before + len(self._layers) - 1
                self.path = list(_pins(retimed, model.generator, self._trace(model, goal)))
                return
            fresh = set[bytes]()
            for batch in self._batches(layer):
                fresh.update(self._expand(model.generator, batch))
                yield
            frontier.advance(fresh)
            if frontier.states > most:
                raise OutOfBudget
            self.bound = retimed.before + len(self._layers)
        self.end = f"none of the {frontier.states} reachable states is a goal"

    def _open_model(self, retimed: Retimed) -> ProgramModel:
        """Return the program's states and successors as a model, and count the effort for it."""
        given = self.run.problem.user_constants
        model = ProgramModel(retimed.program, given, budget=self.budget, before=retimed.before)
        self.budget.spent += OPENING * conflicts_worth(len(model.step.ground.rules))
        if model.generator.stages is None:
            self.budget.price = SLOW * _price(WORK)
        return model

    def _expand(self, generator: SuccessorGenerator, batch: list[bytes]) -> Sequence[bytes]:
        """Return the successors of a batch of states, and count the effort for them."""
        successors = generator.after(batch, self.budget)
        self.expanded += len(batch)
        self.budget.spent += len(successors) / _REACHED
        stages = generator.stages
        self.budget.spend(_price(stages) if stages else self.budget.price)
        return successors

    def _trace(self, model: ProgramModel, goal: bytes) -> list[bytes]:
        """Return a path through the layers to a goal in the last one, found backwards."""

        def predecessor(layer: list[bytes], state: bytes) -> bytes:
            self.run.budget.check()
            leading = (model.leading(batch, state) for batch in self._batches(layer))
            return next(chain.from_iterable(leading))

        return path_through(self._layers, goal, predecessor)

    def _batches(self, layer: list[bytes]) -> Iterator[list[bytes]]:
        """Yield batches of a layer, each small enough to take little of the allowed effort."""
        first = 0
        while first < len(layer):
            each = self.spent / (self.expanded + 1)
            size = max(_LEAST, min(_BATCH, int(self._effort / SHARE / 4 / each)))
            yield layer[first : first + size]
            first += size


def _price(stages: int) -> float:
    """Return the effort to evaluate a number of stages of a circuit, in conflicts.

    A circuit computes the successors of states.
    """
    return stages / _STAGES


def _opening_effort(rules: int, horizon: int) -> float:
    """Return the effort that must be allowed before a state search is opened, in conflicts.

    It is twice the estimated effort to ground one step. `rules` is the number of ground rules of
    all steps up to `horizon`.
    """
    return 2 * OPENING * conflicts_worth(rules) / (horizon + 2)


def _pins(
    retimed: Retimed,
    generator: SuccessorGenerator,
    path: Sequence[bytes],
) -> Iterator[Pin]:
    """Yield the atoms of the states on a path, each at its time, with their truth values."""
    times = transition_times_of(retimed.program)
    for place, atom in enumerate(generator.atoms, 1):
        key = predicate(atom)
        if key not in times.state or is_helper(atom):
            continue
        terms = atom.arguments
        at = times.places[key]
        shift = retimed.before + retimed.distances.get(key, 0)
        for t, state in enumerate(path, shift):
            now = [*terms[:at], Number(t), *terms[at + 1 :]]
            is_true = bool(state[place // 8] >> place % 8 & 1)
            yield Function(atom.name, now, atom.positive), is_true
