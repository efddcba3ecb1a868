"""Invariants: groups of atoms of which every state has at most one, or at least one.

Every state has at most one atom of a mutex group. Candidates are the atoms of a predicate that
share some arguments: all places of a car, or all cars at a place. First the initial states refute
candidates. Then the solver repeatedly looks for a step from a state that satisfies all remaining
candidates to a state that violates some, and these are removed. The rest is inductive (Flanagan and
Leino, Houdini, an Annotation Assistant for ESC/Java, FME 2001).

Encodings seldom state that a package is in one place, because their rules imply it; a solver has to
derive it for each time anew. So each mutex group can become a constraint of `check(t)`. Every
answer set satisfies it, so plans and their lengths stay the same.
"""

from collections import defaultdict
from collections.abc import (
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import lru_cache
from itertools import combinations
from typing import Any, Generic, TypeVar

from asplan.clingo import Backend, Control, Symbol
from asplan.core.budget import EffortBudget, OutOfBudget
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.core.limits import hold_interrupts
from asplan.program.incremental import Program
from asplan.program.reading.unit import HELPER, Section
from asplan.program.syntax import predicate
from asplan.program.transitions.stepwise import TransitionTimes, transition_times_of
from asplan.statespace.step import OpenStep, open_step

TIME = HELPER + "t"  # the parameter of added parts; a program may have a constant `t`
STARTS = 10_000  # the most initial states; a program with more gets no constraints
CONFLICTS = 20_000  # the most conflicts of the search for constraints: some seconds
_MOST = 2000  # the most candidates that are examined: each takes about one solve call
_ARGUMENTS = 4  # the first arguments of a predicate whose subsets define candidates

Atom = TypeVar("Atom", bound=Hashable)


@dataclass(frozen=True)
class Invariant(Generic[Atom]):
    """A group of atoms.

    Every state has at most one of them if `is_most` is set, else at least one.
    """

    atoms: tuple[Atom, ...]
    is_most: bool

    def holds(self, among: frozenset[Atom]) -> bool:
        """Return whether a state with the true atoms `among` satisfies the invariant."""
        count = len(among.intersection(self.atoms))
        return count < 2 if self.is_most else count > 0


def find_invariants(
    step: OpenStep,
    conflicts: int | None = None,
) -> list[Invariant[int]]:
    """Return the inductive invariants of a step, and add them to its control as constraints.

    Return an empty list if the search takes more than `conflicts` conflicts, or if there are too
    many candidates.
    """
    numbers = {symbol: number for number, symbol in step.before.items()}
    states = [
        frozenset(numbers[atom] for atom in start.atoms if atom in numbers) for start in step.starts
    ]
    candidates = [
        invariant
        for invariant in _candidates(step.fluents)
        if all(invariant.holds(state) for state in states)
    ]
    if len(candidates) > _MOST:
        return []
    return _Induction(step.control, candidates, step.after).run(conflicts)


def _candidates(fluents: Mapping[int, Symbol]) -> Iterator[Invariant[int]]:
    """Yield both kinds of invariants for each group of atoms that share some arguments.

    `fluents` are the atoms of a state by their numbers.
    """
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for number, atom in fluents.items():
        for key in _group_keys(atom):
            groups[key].append(number)
    for atoms in {tuple(group) for group in groups.values() if len(group) > 1}:
        yield Invariant(atoms, is_most=True)
        yield Invariant(atoms, is_most=False)


def _group_keys(atom: Symbol) -> Iterator[Hashable]:
    """Yield the keys of an atom's groups.

    A key is the predicate with a proper subset of the arguments.
    """
    terms = atom.arguments[:_ARGUMENTS]
    kind = (*predicate(atom), len(atom.arguments))
    for size in range(len(terms)):
        for places in combinations(range(len(terms)), size):
            yield kind, places, tuple(terms[place] for place in places)


class _Induction:
    """The search for the largest set of candidates that a step preserves.

    The solver gets three auxiliary atoms for each candidate. The first is true if the state before
    the step violates the candidate, the second if the state after the step violates it. The third
    is assumed if the candidate is still kept. A further atom is true if the state after the step
    violates some kept candidate.
    """

    def __init__(
        self,
        control: Control,
        candidates: Sequence[Invariant[int]],
        after: Mapping[int, int | None],
    ) -> None:
        self._control = control
        self._candidates = candidates
        self._broken_before: dict[Invariant[int], int] = {}
        self._sought: dict[Invariant[int], int] = {}
        self._broken_after: dict[Invariant[int], int] = {}
        with control.backend() as backend:
            self._some = backend.add_atom()
            for one in candidates:
                self._add_candidate(backend, one, after)

    def _add_candidate(
        self,
        backend: Backend,
        one: Invariant[int],
        after: Mapping[int, int | None],
    ) -> None:
        before = backend.add_atom()
        sought = backend.add_atom()
        broken = backend.add_atom()
        break_rule(backend, before, one, {atom: atom for atom in one.atoms})
        break_rule(backend, broken, one, after)
        backend.add_rule([sought], [], True)
        backend.add_rule([self._some], [sought, broken])
        self._broken_before[one] = before
        self._sought[one] = sought
        self._broken_after[one] = broken

    def run(self, conflicts: int | None) -> list[Invariant[int]]:
        """Return the inductive candidates, and add them as constraints on the state before a step.

        Return an empty list if the search takes more than `conflicts` conflicts.
        """
        kept = list(self._candidates)
        left = conflicts
        while kept:
            if left is not None:
                left = max(0, left - self._last_conflicts())
                self._limit(f"{left},umax")
            violated = self._find_violated(kept)
            if violated is None:
                kept.clear()
            elif violated:
                kept = [one for one in kept if one not in violated]
            else:
                break
        if conflicts is not None:
            self._limit("umax,umax")
        with self._control.backend() as backend:
            for one in kept:
                backend.add_rule([], [self._broken_before[one]])
        return kept

    def _find_violated(self, kept: Sequence[Invariant[int]]) -> set[Invariant[int]] | None:
        """Return candidates that a step may violate if the state before satisfies all of `kept`.

        Return an empty set if there is no such step, and None if the solver reached its limit.
        """
        among = set(kept)
        assumptions = [self._some, *(-self._broken_before[one] for one in kept)]
        for one in self._candidates:
            sought = self._sought[one]
            assumptions.append(sought if one in among else -sought)
        with hold_interrupts(), self._control.solve(assumptions, yield_=True) as handle:
            model = handle.model()
            if model is not None:
                return {one for one in kept if model.is_true(self._broken_after[one])}
            return None if handle.get().unknown else set()

    def _last_conflicts(self) -> int:
        """Return the number of conflicts of the last solve call."""
        counters: Any = self._control.statistics.get("solving", {})  # clingo nests them untyped
        return int(counters["solvers"]["conflicts"]) if counters else 0

    def _limit(self, limit: str) -> None:
        solving: Any = self._control.configuration.solve  # clingo leaves options untyped
        solving.solve_limit = limit


def break_rule(
    backend: Backend,
    head: int,
    invariant: Invariant[int],
    literals: Mapping[int, int | None],
) -> None:
    """Add a rule to a backend that derives `head` if an invariant is violated.

    `literals` maps the atoms of the invariant to literals; 0 is true and None false.
    """
    values = [literals[atom] for atom in invariant.atoms]
    certain = values.count(0)
    undecided = [literal for literal in values if literal]
    if not invariant.is_most:
        if not certain:
            backend.add_rule([head], [-literal for literal in undecided])
    elif certain > 1:
        backend.add_rule([head], [])
    else:
        weighted = [(literal, 1) for literal in undecided]
        backend.add_weight_rule([head], 2 - certain, weighted)


def with_invariants(
    program: Program,
    constants: Mapping[str, str],
) -> Program:
    """Return the program with a constraint for each mutex group that it has.

    Raise `InputError` if the program is no transition system.
    """
    try:
        text = _mutex_constraints(program, tuple(constants.items()))
    except InputError as error:
        hint = "invariants are found only if all steps are alike: leave --invariants out"
        raise InputError(error.message, at=error.at, hint=hint) from error
    if not text:
        return program
    return program.with_sections(Section.of_text("check", TIME, text))


@lru_cache(maxsize=4)
def _mutex_constraints(
    program: Program,
    constants: tuple[tuple[str, str], ...],
) -> str:
    """Return the constraints as text, for the mutex groups whose atoms all have a time."""
    times = transition_times_of(program)
    try:
        step = open_step(program, dict(constants), EffortBudget(most=STARTS))
    except OutOfBudget:
        return ""
    constraints = []
    for invariant in find_invariants(step, CONFLICTS):
        atoms = [at_time(step.before[number], times) for number in invariant.atoms]
        if invariant.is_most and None not in atoms:
            constraints.append(f":- 2 {{ {'; '.join(map(str, atoms))} }}.")
    return " ".join(constraints)


def at_time(
    atom: Symbol,
    times: TransitionTimes,
) -> str | None:
    """Return an atom of a state as text, with the variable `TIME` as its time.

    Return None if the atom has no time or is a helper atom.
    """
    key = predicate(atom)
    if key not in times.state or atom.name.startswith(HELPER):
        return None
    place = times.places[key]
    terms = [str(term) for term in atom.arguments]
    terms[place] = TIME
    return f"{key[0]}{atom.name}({','.join(terms)})"
