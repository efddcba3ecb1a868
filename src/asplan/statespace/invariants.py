"""Groups of atoms of which every state has at most one, or at least one.

Candidates are the atoms of a predicate that agree in some arguments: all places of a car, or all
cars at a place. Those that the initial states contradict are dropped, then, again and again, those
that some step contradicts from a state in which all others are right. What is left is inductive,
so it holds in every state that can be reached.

Source of the method: Flanagan and Leino, Houdini, an Annotation Assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, count
from typing import Any

from clingo import Control, Symbol

from asplan.errors import InputError
from asplan.interrupts import interrupts_held
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.stepwise import Times, times_of
from asplan.program.syntax import predicate
from asplan.program.unit import Section
from asplan.statespace.step import OpenStep, open_step

_MOST = 2000
"""Candidates that are tried, at most: each is a question or so."""

_ARGUMENTS = 4
"""Arguments of a predicate that are looked at, at most: each set of them makes candidates."""


@dataclass(frozen=True)
class Group:
    """Atoms, by their numbers in the step; of each state at least or at most one of them holds."""

    atoms: tuple[int, ...]
    is_most: bool

    def holds(self, among: frozenset[int]) -> bool:
        """Whether it is right where some atoms hold."""
        count = len(among.intersection(self.atoms))
        return count < 2 if self.is_most else count > 0


def counted_groups(step: OpenStep, conflicts: int | None = None) -> list[Group]:
    """The groups that are found; each is from then on demanded of the states before a step.

    `conflicts` is how many the search for them may have; where more are needed, none is found.
    """
    numbers = {symbol: number for number, symbol in step.before.items()}
    held = [frozenset(numbers[a] for a in start.atoms if a in numbers) for start in step.starts]
    candidates = [
        group for group in _candidates(step.fluents) if all(group.holds(start) for start in held)
    ]
    if len(candidates) > _MOST:
        return []
    return _inductive(step, candidates, conflicts)


def _candidates(fluents: Mapping[int, Symbol]) -> Iterable[Group]:
    """The groups of atoms that agree in some arguments."""
    families: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, atom in fluents.items():
        terms = atom.arguments[:_ARGUMENTS]
        for size in range(len(terms)):
            for places in combinations(range(len(terms)), size):
                agreed = tuple(terms[place] for place in places)
                families[atom.positive, atom.name, len(atom.arguments), places, agreed].append(
                    number
                )
    for atoms in {tuple(atoms) for atoms in families.values() if len(atoms) > 1}:
        yield Group(atoms, is_most=True)
        yield Group(atoms, is_most=False)


def _inductive(step: OpenStep, groups: Sequence[Group], conflicts: int | None) -> list[Group]:
    """Those of the groups that steps keep, if they all hold before; none if that takes too long."""
    control = step.control
    broken_before, chosen = dict[Group, int](), dict[Group, int]()
    broken_after = dict[Group, int]()
    with control.backend() as backend:
        some = backend.add_atom()
        for group in groups:
            broken_before[group] = backend.add_atom()
            break_rule(backend, broken_before[group], group, {a: a for a in group.atoms})
            chosen[group], broken_after[group] = backend.add_atom(), backend.add_atom()
            break_rule(backend, broken_after[group], group, step.after)
            backend.add_rule([chosen[group]], [], True)
            backend.add_rule([some], [chosen[group], broken_after[group]])
    kept, limit = list(groups), SolveLimit(control, conflicts)
    while kept:
        limit.set()
        left = set(kept)
        given = [some, *(-broken_before[group] for group in kept)]
        given += (chosen[group] if group in left else -chosen[group] for group in groups)
        right = _unbroken(control, given, {group: broken_after[group] for group in kept})
        if right is None:
            kept = []
        elif len(right) == len(kept):
            break
        else:
            kept = right
    limit.lift()
    with control.backend() as backend:
        for group in kept:
            backend.add_rule([], [broken_before[group]])
    return kept


@dataclass
class SolveLimit:
    """How many conflicts the calls of a solver may have together; None is as many as they need."""

    control: Control
    conflicts: int | None

    def set(self) -> None:
        """Let the next call have what is left."""
        if self.conflicts is not None:
            counted: Any = self.control.statistics.get("solving", {})
            used = int(counted["solvers"]["conflicts"]) if counted else 0
            self.conflicts = max(0, self.conflicts - used)
            self._to(str(self.conflicts))

    def lift(self) -> None:
        """Let all later calls have as many as they need."""
        if self.conflicts is not None:
            self._to("umax")

    def _to(self, conflicts: str) -> None:
        solving: Any = self.control.configuration.solve
        solving.solve_limit = f"{conflicts},umax"


def _unbroken(
    control: Control, given: Sequence[int], broken: Mapping[Group, int]
) -> list[Group] | None:
    """The groups that an answer does not break; all, if there is none, and None if none knows."""
    with interrupts_held(), control.solve(given, yield_=True) as handle:
        model = handle.model()
        if model is None and handle.get().unknown:
            return None
        return [g for g, atom in broken.items() if model is None or not model.is_true(atom)]


def break_rule(backend: Any, head: int, group: Group, literals: Mapping[int, int | None]) -> None:
    """Add the rule by which an atom is true where a group is not right; 0 is true, None false."""
    found = [literals[atom] for atom in group.atoms]
    certain, open_ = found.count(0), [literal for literal in found if literal]
    if not group.is_most:
        if not certain:
            backend.add_rule([head], [-literal for literal in open_])
    elif certain > 1:
        backend.add_rule([head], [])
    else:
        backend.add_weight_rule([head], 2 - certain, [(literal, 1) for literal in open_])


# Lemmas: constraints that every state satisfies, found from a program and added to it.
#
# A package is in one place, a cell holds one tile: encodings seldom say so, for it follows from the
# first state and from what actions do. A solver has to find it out for each time anew, and where
# plans are searched from the goal backward it helps much. `groups` finds such sets of atoms and
# proves that steps keep them; here each becomes a constraint of the part `check(t)`.
#
# Every answer set satisfies them, so neither plans nor their lengths change.


TIME = HELPER + "t"
"""The parameter; a program may call things `t`."""

STARTS = 10_000
"""Initial states that are looked at, at most; of programs with more no lemmas are found."""

CONFLICTS = 20_000
"""How many the search for lemmas may have: some seconds."""


class _TooMany(Exception):
    """There are too many initial states."""


def with_lemmas(program: Program, constants: Mapping[str, str]) -> Program:
    """The same program with a constraint for each group of which states have at most one atom.

    Raises
    ------
    InputError
        The steps of the program are not like each other, so that nothing is known of its states.
    """
    try:
        lemmas = _lemmas(program, tuple(constants.items()))
    except InputError as error:
        raise InputError(
            error.message,
            at=error.at,
            hint="lemmas are found where each step is like every other; leave --lemmas out",
        ) from error
    if not lemmas:
        return program
    section = Section("check", TIME, parse_text(lemmas)[1:])
    return replace(program, sections=(*program.sections, section))


@lru_cache(maxsize=4)
def _lemmas(program: Program, constants: tuple[tuple[str, str], ...]) -> str:
    """The constraints as text.

    The step also has atoms that are no state's: some of `base`, which have no time, and some of
    time 1 that only clingo's own constraints for classical negation read. Nothing is said of them.
    """
    times = times_of(program)
    seen = count(1)

    def heed() -> None:
        if next(seen) > STARTS:
            raise _TooMany

    try:
        step = open_step(program, dict(constants), heed)
    except _TooMany:
        return ""
    found = []
    for group in counted_groups(step, CONFLICTS):
        atoms = [at_time(step.before[number], times) for number in group.atoms]
        if group.is_most and None not in atoms:
            found.append(f":- 2 {{ {'; '.join(map(str, atoms))} }}.")
    return " ".join(found)


def at_time(atom: Symbol, times: Times) -> str | None:
    """An atom of a state as one of time t; None for other atoms."""
    key = predicate(atom)
    if key not in times.state or atom.name.startswith(HELPER):
        return None
    place = times.places[key]
    terms = [TIME if i == place else str(term) for i, term in enumerate(atom.arguments)]
    return f"{key[0]}{atom.name}({','.join(terms)})"
