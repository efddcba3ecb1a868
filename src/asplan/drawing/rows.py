"""Rows of values over time: the variables and the propositions among the fluents of a plan.

A predicate is a *variable* if its other arguments determine some of its arguments, the value:
`at(b,3)` means that the value of `at(b)` is 3, if b is never at two places at a step. Any other
predicate is a *proposition*. The parameter `number` of the functions is the number of states.

>>> states = [["at(a,1)", "at(b,1)", "open"], ["at(a,2)", "at(b,1)"], ["at(a,2)", "at(b,1)"]]
>>> for row in find_rows(read_states(states), 3):
...     print(row.name, row.runs)
at(a) (ValueSpan(first=0, last=0, value='1'), ValueSpan(first=1, last=2, value='2'))
at(b) (ValueSpan(first=0, last=2, value='1'),)
open (ValueSpan(first=0, last=0, value=''),)
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from asplan.clingo import Function, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.program.reading.source import ground_term

States = Iterable[Iterable[str]]  # the fluents at steps 0, 1, …, as text
Steps = Mapping[Symbol, Sequence[int]]  # the states in which each fluent holds, in order
Predicate = tuple[str, int, bool]  # name, arity, and whether it is positive


class ValueSpan(NamedTuple):
    """A range of consecutive steps, `first` to `last`, during which a row keeps one value."""

    first: int
    last: int
    value: str


@dataclass(frozen=True)
class PlanRow:
    """The values of a variable over time, or the times at which a proposition holds.

    The spans of a proposition have the empty text as their value.
    """

    name: str
    runs: tuple[ValueSpan, ...]
    is_variable: bool = False

    def covers(self, number: int) -> bool:
        """Return whether the row has a value in each of the states 0 to `number` - 1."""
        return sum(run.last - run.first + 1 for run in self.runs) == number

    def changes(self, number: int) -> bool:
        """Return whether the value of the row changes within the states 0 to `number` - 1."""
        run = self.runs[0]
        return run.last - run.first + 1 < number


def steps_of(states: States) -> dict[str, list[int]]:
    """Map each fluent to the numbers of the states in which it holds."""
    steps: dict[str, list[int]] = defaultdict(list)
    for step, fluents in enumerate(states):
        for fluent in fluents:
            steps[fluent].append(step)
    return steps


def read_states(states: States) -> dict[Symbol, list[int]]:
    """Map each fluent, as a clingo term, to the numbers of the states in which it holds."""
    return {_read_fluent(fluent): steps for fluent, steps in steps_of(states).items()}


def _read_fluent(text: str) -> Symbol:
    """Return a fluent as a term; a text that is not a term becomes the name of a constant."""
    with suppress(UsageError):
        return ground_term(text, "fluent")
    return Function(text)


def group_by_predicate(steps: Steps) -> dict[Predicate, list[Symbol]]:
    """Return the atoms of each predicate, sorted.

    Terms that are no atoms, such as numbers, are in the group ('', 0).
    """
    groups: dict[Predicate, list[Symbol]] = defaultdict(list)
    for atom in sorted(steps):
        predicate = ("", 0, True)
        if atom.type == SymbolType.Function:
            predicate = (atom.name, len(atom.arguments), atom.positive)
        groups[predicate].append(atom)
    return groups


def find_rows(steps: Steps, number: int) -> list[PlanRow]:
    """Return the rows of all fluents in the states 0 to `number` - 1.

    Variables with a value in every state come first, then other variables, then propositions.
    Within each group, predicates with fewer rows come first.
    """
    groups = []
    for atoms in group_by_predicate(steps).values():
        values = find_values(atoms, steps, number)
        rows = _make_rows(atoms, steps, values)
        rank = 2
        if values is not None:
            rank = 0 if values.is_total else 1
        groups.append((rank, len(rows), rows[0].name, rows))
    groups.sort(key=lambda group: group[:3])
    return [row for *_, rows in groups for row in rows]


class ValuePlaces(NamedTuple):
    """The indices of the arguments that form the value of a variable.

    `is_total` is set if each row of the predicate has a value in every state.
    """

    places: range
    is_total: bool


def _make_rows(
    atoms: Sequence[Symbol],
    steps: Steps,
    values: ValuePlaces | None,
) -> list[PlanRow]:
    """Return the rows of the atoms of one predicate; `values` is None for a proposition."""
    entries: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for atom in atoms:
        if values is None:
            name = str(atom)
            value = ""
        else:
            name, value = split_atom(atom, values.places)
        entries[name] += [(step, value) for step in steps[atom]]
    rows = []
    for name, row in entries.items():
        runs = find_runs(sorted(row))
        rows.append(PlanRow(name, runs, is_variable=values is not None))
    return rows


def find_values(
    atoms: Sequence[Symbol],
    steps: Steps,
    number: int,
) -> ValuePlaces | None:
    """Return the indices of the arguments that form the value of a variable.

    `atoms` are all atoms of one predicate. None if the predicate is a proposition. If several
    choices are possible, prefer one with a value in each of the `number` states, then one with
    fewer rows.
    """
    first = atoms[0]
    arity = len(first.arguments) if first.type == SymbolType.Function else 0
    best: ValuePlaces | None = None
    least: tuple[bool, int] | None = None
    for places in _value_places(arity):
        rank = _rank_places(places, atoms, steps, number)
        if rank is None:
            continue
        if least is None or rank < least:
            has_gaps, _ = rank
            best = ValuePlaces(places, not has_gaps)
            least = rank
    return best


def _value_places(arity: int) -> Iterator[range]:
    """Yield the possible indices of the value: the last argument, the first, the
    last two, …, all.
    """
    if arity >= 1:
        yield range(arity - 1, arity)
    if arity > 1:
        yield range(1)
    for number in range(2, arity + 1):
        yield range(arity - number, arity)


def _rank_places(
    places: range,
    atoms: Sequence[Symbol],
    steps: Steps,
    number: int,
) -> tuple[bool, int] | None:
    """Return the rank of a choice of value arguments; `find_values` takes the choice of least rank.

    The rank is a pair: whether a row lacks a value in one of the `number` states, and the number of
    rows. None if the choice is impossible: a row has two values in a state, or no row ever changes
    its value.
    """
    taken: set[tuple[str, int]] = set()
    values: dict[str, set[str]] = defaultdict(set)
    count = 0
    for atom in atoms:
        name, value = split_atom(atom, places)
        taken.update((name, step) for step in steps[atom])
        count += len(steps[atom])
        values[name].add(value)
    if len(taken) < count:
        return None
    if all(len(different) == 1 for different in values.values()):
        return None
    return len(taken) < len(values) * number, len(values)


def split_atom(atom: Symbol, places: range) -> tuple[str, str]:
    """Return the name of an atom's row and its value; `places` are the indices of the value
    arguments.

    For `split_atom(at(b,3), range(1, 2))`, return ("at(b)", "3").
    """
    terms = atom.arguments
    value = ",".join(str(terms[place]) for place in places)
    rest = [term for place, term in enumerate(terms) if place not in places]
    if len(places) > 1:
        value = f"({value})"
    if not atom.name:
        return ",".join(map(str, rest)), value
    return str(Function(atom.name, rest, atom.positive)), value


def find_runs(values: Iterable[tuple[int, str]]) -> tuple[ValueSpan, ...]:
    """Return the runs of equal values at consecutive steps; `values` are (step, value) in order."""
    runs: list[ValueSpan] = []
    for step, value in values:
        last = runs[-1] if runs else None
        if last is not None and last.last == step - 1 and last.value == value:
            runs[-1] = ValueSpan(last.first, step, value)
        else:
            runs.append(ValueSpan(step, step, value))
    return tuple(runs)
