"""Invariants: of some atoms every state has at most one (a mutex group), or at least one.

Candidates are the atoms of a predicate that agree in some arguments: all places of a car, or all
cars at a place. Those that initial states contradict are dropped, then, again and again, those that
some step contradicts from a state in which all others are right. What is left is inductive
(Flanagan and Leino, Houdini, an Annotation Assistant for ESC/Java, FME 2001).

Encodings seldom say that a package is in one place, for it follows; a solver has to find it out for
each time anew. So each mutex group can become a constraint of `check(t)`: every answer set
satisfies it, so neither plans nor their lengths change.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, count
from typing import Any, Generic, TypeVar, cast

from clingo import Symbol

from asplan.core.errors import InputError
from asplan.core.limits import interrupts_held
from asplan.program.incremental import Program
from asplan.program.stepwise import Times, times_of
from asplan.program.syntax import predicate
from asplan.program.unit import HELPER, Section
from asplan.statespace.step import OpenStep, open_step

TIME = HELPER + "t"  # the parameter of added parts; a program may call things `t`
STARTS = 10_000  # initial states that are looked at; of more, nothing is found
CONFLICTS = 20_000  # how many the search for invariants to be added may have: some seconds
_MOST = 2000  # candidates that are tried, at most: each is a question or so
_ARGUMENTS = 4  # arguments of a predicate that are looked at; sets are candidates

Atom = TypeVar("Atom", bound=Hashable)


@dataclass(frozen=True)
class Invariant(Generic[Atom]):
    """Of some atoms at most one holds in every state, or at least one."""

    atoms: tuple[Atom, ...]
    is_most: bool

    def holds(self, among: frozenset[Atom]) -> bool:
        count = len(among.intersection(self.atoms))
        return count < 2 if self.is_most else count > 0


def find_invariants(step: OpenStep, conflicts: int | None = None) -> list[Invariant[int]]:
    """The invariants of a step, demanded from then on; None if they take more `conflicts`."""
    numbers = {symbol: number for number, symbol in step.before.items()}
    held = [frozenset(numbers[a] for a in start.atoms if a in numbers) for start in step.starts]
    candidates = [
        one for one in _candidates(step.fluents) if all(one.holds(start) for start in held)
    ]
    return [] if len(candidates) > _MOST else _inductive(step, candidates, conflicts)


def _candidates(fluents: Mapping[int, Symbol]) -> Iterable[Invariant[int]]:
    """Atoms that agree in some arguments."""
    families: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, atom in fluents.items():
        terms, kind = atom.arguments[:_ARGUMENTS], (*predicate(atom), len(atom.arguments))
        for size in range(len(terms)):
            for places in combinations(range(len(terms)), size):
                families[kind, places, tuple(terms[p] for p in places)].append(number)
    for atoms in {tuple(atoms) for atoms in families.values() if len(atoms) > 1}:
        yield Invariant(atoms, is_most=True)
        yield Invariant(atoms, is_most=False)


def _inductive(
    step: OpenStep, candidates: Sequence[Invariant[int]], conflicts: int | None
) -> list[Invariant[int]]:
    """Those that steps keep, if they all hold before; none if that takes too many conflicts."""
    control, solving = step.control, cast(Any, step.control.configuration.solve)
    before, chosen, after = (dict[Invariant[int], int]() for _ in range(3))
    with control.backend() as backend:
        some = backend.add_atom()
        for one in candidates:
            before[one], chosen[one], after[one] = (backend.add_atom() for _ in range(3))
            break_rule(backend, before[one], one, {a: a for a in one.atoms})
            break_rule(backend, after[one], one, step.after)
            backend.add_rule([chosen[one]], [], True)
            backend.add_rule([some], [chosen[one], after[one]])
    kept = list(candidates)
    while kept:
        if conflicts is not None:
            counted: Any = control.statistics.get("solving", {})
            conflicts = max(0, conflicts - (int(counted["solvers"]["conflicts"]) if counted else 0))
            solving.solve_limit = f"{conflicts},umax"
        left = set(kept)
        given = [some, *(-before[one] for one in kept)]
        given += (chosen[one] if one in left else -chosen[one] for one in candidates)
        with interrupts_held(), control.solve(given, yield_=True) as handle:
            model = handle.model()
            if model is None and not handle.get().unknown:
                break
            kept = [] if model is None else [o for o in kept if not model.is_true(after[o])]
    if conflicts is not None:
        solving.solve_limit = "umax,umax"
    with control.backend() as backend:
        for one in kept:
            backend.add_rule([], [before[one]])
    return kept


def break_rule(
    backend: Any, head: int, invariant: Invariant[int], literals: Mapping[int, int | None]
) -> None:
    """Add the rule by which an atom is true where an invariant of literals is not right."""
    found = [literals[atom] for atom in invariant.atoms]
    certain, open_ = found.count(0), [literal for literal in found if literal]
    if not invariant.is_most:
        if not certain:
            backend.add_rule([head], [-literal for literal in open_])
    elif certain > 1:
        backend.add_rule([head], [])
    else:
        backend.add_weight_rule([head], 2 - certain, [(literal, 1) for literal in open_])


class _TooMany(Exception):
    """There are too many initial states."""


def with_invariants(program: Program, constants: Mapping[str, str]) -> Program:
    """The same program with a constraint for each mutex group."""
    try:
        text = _mutex_constraints(program, tuple(constants.items()))
    except InputError as error:
        hint = "lemmas are found where each step is like every other; leave --lemmas out"
        raise InputError(error.message, at=error.at, hint=hint) from error
    if not text:
        return program
    return program.with_sections(Section.of_text("check", TIME, text))


@lru_cache(maxsize=4)
def _mutex_constraints(program: Program, constants: tuple[tuple[str, str], ...]) -> str:
    """The constraints as text; of atoms that are no state's nothing is said."""
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
    for invariant in find_invariants(step, CONFLICTS):
        atoms = [at_time(step.before[number], times) for number in invariant.atoms]
        if invariant.is_most and None not in atoms:
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
