"""Trajectories of answer sets: the fluents at each time, and the other atoms sorted by time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from asplan.clingo import Function, Symbol, SymbolType
from asplan.program.incremental import Program
from asplan.program.syntax import Signature, predicate
from asplan.program.theory import ByTime, Values, group_by_time, sort_by_time, time_places
from asplan.result import Texts, Trajectory

if TYPE_CHECKING:
    from asplan.program.roles.roles import Roles

HOLDS: Signature = ("", "holds", 2)
DENIED: Signature = ("-", "holds", 2)


def read_trajectory(
    shown: Iterable[Symbol],
    horizon: int,
    program: Program,
    facts: Callable[[], Iterable[Symbol]] = tuple,
    all_atoms: Sequence[Symbol] = (),
    values: Values | None = None,
) -> Trajectory:
    """Return the trajectory of an answer set from time 0 to `horizon`.

    If the program has no actions, the trajectory also has the shown atoms sorted by time. The texts
    of atoms are made when they are first read.

    Parameters
    ----------
    shown
        The shown atoms and terms.
    horizon
        The number of the last step.
    program
        The program of the answer set.
    facts
        A function that returns the facts of the instance.
    all_atoms
        All atoms of the answer set, if they are known.
    values
        The values of a theory's variables.
    """
    shown = tuple(shown)
    places = time_places(program.sections, _roles_of(program).places) if values else {}
    return Trajectory(
        facts=Texts(lambda: map(str, facts())),
        states=Texts(lambda: _states(shown, all_atoms or shown, horizon, program)),
        timed=() if program.plans else _by_time(shown, program),
        values=group_by_time(values, places) if values else (),
        theory=program.theory.tool if program.theory and values else "",
        changing=Texts(lambda: changing_predicates(program)),
        columns=Texts(lambda: find_columns(program)),
    )


def changing_predicates(program: Program) -> Iterator[str]:
    """Yield the predicates with a time argument, as NAME/ARITY."""
    for sign, name, arity in sorted(_roles_of(program).places):
        if not sign:
            yield f"{name}/{arity}"


def find_columns(program: Program) -> Iterable[tuple[str, int, int]]:
    """Return votes for the coordinate of a cell that is the column, from the names of variables.

    A vote has the name of a predicate or function with two coordinates, the index of the column
    among these (0 or 1), and the weight of the vote.
    """
    from asplan.program.roles import cells  # only drawings need it

    return cells.find_columns(program)


def _states(
    shown: Sequence[Symbol],
    all_atoms: Sequence[Symbol],
    horizon: int,
    program: Program,
) -> Iterable[tuple[str, ...]]:
    """Return the fluents at each time from 0 to `horizon`, as texts; () if there is no fluent."""
    states: list[set[Symbol]] = [set() for _ in range(horizon + 1)]
    for step, fluent, _, _ in fluents_of(shown, all_atoms, program):
        if step <= horizon:
            states[step].add(fluent)
    if not any(states):
        return ()
    return (tuple(map(str, sorted(state))) for state in states)


def fluents_of(
    shown: Iterable[Symbol],
    all_atoms: Iterable[Symbol],
    program: Program,
) -> Iterator[tuple[int, Symbol, Symbol, int]]:
    """Yield `(step, fluent, atom, place)` for each fluent in an answer set.

    `place` is the index of the time among the atom's arguments. If atoms `holds(Fluent,t)` are
    shown, only they have fluents. Otherwise a predicate has fluents if a rule with a head at t
    reads it at an earlier time, such as t-1. A fluent is its atom without the time: `holds(F,t)`
    gives `F`, `-holds(F,t)` gives `-holds(F)`, and `at(X,t)` gives `at(X)`.
    """
    places: Mapping[Signature, int] = {HOLDS: 1, DENIED: 1}
    atoms = [atom for atom in shown if _is_of(atom, places)]
    if not atoms:
        places = _places_of_kept(program)
        atoms = [atom for atom in all_atoms if _is_of(atom, places)]
    start = 0 if program.horizon is None else program.horizon.start
    for atom in atoms:
        place = places[predicate(atom)]
        time = atom.arguments[place]
        if time.type != SymbolType.Number or time.number < start:
            continue
        step = time.number - start
        fluent = without_time(atom, place)
        yield step, fluent, atom, place


def _places_of_kept(program: Program) -> Mapping[Signature, int]:
    """Return the index of the time argument of each fluent's predicate."""
    roles = _roles_of(program)
    return {key: roles.places[key] for key in roles.kept if key in roles.places}


def _is_of(atom: Symbol, predicates: Collection[Signature]) -> bool:
    return atom.type == SymbolType.Function and predicate(atom) in predicates


def without_time(atom: Symbol, place: int) -> Symbol:
    """Return the fluent of an atom whose argument with the index `place` is the time."""
    rest = [*atom.arguments[:place], *atom.arguments[place + 1 :]]
    return rest[0] if predicate(atom) == HOLDS else Function(atom.name, rest, atom.positive)


def _by_time(atoms: Iterable[Symbol], program: Program) -> ByTime:
    """Group atoms by their time, each group in clingo's order; atoms without a time come last."""
    places = _roles_of(program).places
    groups: dict[int | None, list[Symbol]] = {}
    for atom in atoms:
        groups.setdefault(_time_of(atom, places), []).append(atom)
    return sort_by_time(groups)


def _time_of(atom: Symbol, places: Mapping[Signature, int]) -> int | None:
    """Return the time of an atom; None if it has no time argument, or if that is no number.

    `places` maps each predicate with a time argument to the index of that argument.
    """
    if not _is_of(atom, places):
        return None
    time = atom.arguments[places[predicate(atom)]]
    return time.number if time.type == SymbolType.Number else None


def _roles_of(program: Program) -> Roles:
    from asplan.program.roles.roles import roles_of  # many trajectories are never read

    return roles_of(program)
