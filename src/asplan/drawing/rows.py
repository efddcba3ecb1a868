"""What the states of a plan tell over time: a row for each proposition and each variable.

A predicate is a variable where some of its arguments are the value that the others have: `at(b,3)`
says that `at(b)` is 3, if b is at one place at a time.

>>> atoms = [["at(a,1)", "at(b,1)", "open"], ["at(a,2)", "at(b,1)"], ["at(a,2)", "at(b,1)"]]
>>> for row in find_rows(read_states(atoms), 3):
...     print(row.name, row.runs)
at(a) (Run(first=0, last=0, value='1'), Run(first=1, last=2, value='2'))
at(b) (Run(first=0, last=2, value='1'),)
open (Run(first=0, last=0, value=''),)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from clingo import Function, Symbol, SymbolType

from asplan.core.errors import UsageError
from asplan.program.source import ground_term

Steps = Mapping[Symbol, Sequence[int]]  # the steps after which each fluent holds, in order
Kind = tuple[str, int, bool]  # name, arity, and whether it is positive


class Run(NamedTuple):
    """The steps, from the first to the last, at which a row has a value."""

    first: int
    last: int
    value: str


@dataclass(frozen=True)
class Row:
    """A proposition, whose value is empty text while it holds, or a variable."""

    name: str
    runs: tuple[Run, ...]
    is_variable: bool = False

    def changes(self, number: int) -> bool:
        """Whether its value is not the same at a number of steps from 0."""
        return self.runs[0].last - self.runs[0].first + 1 < number


def read_states(states: Iterable[Iterable[str]]) -> dict[Symbol, list[int]]:
    """The steps at which each fluent holds; one that is no term is the constant of its text."""
    steps: dict[str, list[int]] = defaultdict(list)
    for step, fluents in enumerate(states):
        for fluent in fluents:
            steps[fluent].append(step)
    return {_read(fluent): at for fluent, at in steps.items()}


def _read(text: str) -> Symbol:
    with suppress(UsageError):
        return ground_term(text, "fluent")
    return Function(text)


def by_kind(steps: Steps) -> dict[Kind, list[Symbol]]:
    """The fluents by predicate, in clingo's order."""
    kinds: dict[Kind, list[Symbol]] = defaultdict(list)
    for atom in sorted(steps):
        is_function = atom.type == SymbolType.Function
        kind = (atom.name, len(atom.arguments), atom.positive) if is_function else ("", 0, True)
        kinds[kind].append(atom)
    return kinds


def find_rows(steps: Steps, number: int) -> list[Row]:
    """The rows of all fluents at a number of steps from 0; variables come first."""
    groups = []
    for atoms in by_kind(steps).values():
        values = find_values(atoms, steps, number)
        rows: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for atom in atoms:
            name, value = split(atom, values[1]) if values else (str(atom), "")
            rows[name] += [(step, value) for step in steps[atom]]
        found = [Row(name, _runs(sorted(at)), bool(values)) for name, at in rows.items()]
        rank = 2 if values is None else 1 - values[0]
        groups.append((rank, len(found), found[0].name, found))
    return [row for group in sorted(groups, key=lambda g: g[:3]) for row in group[3]]


def find_values(atoms: Sequence[Symbol], steps: Steps, number: int) -> tuple[bool, range] | None:
    """Which arguments are a value, and whether one is at each step; few rows come before many."""
    arity = len(atoms[0].arguments) if atoms[0].type == SymbolType.Function else 0
    best: tuple[bool, int] | None = None
    chosen: range | None = None
    ends = [range(arity - n, arity) for n in range(1, arity + 1)]
    for values in ends[:1] + [range(1)] * (arity > 1) + ends[1:]:
        taken: set[tuple[str, int]] = set()
        seen: dict[str, set[str]] = defaultdict(set)
        count = 0
        for atom in atoms:
            name, value = split(atom, values)
            taken.update((name, step) for step in steps[atom])
            count += len(steps[atom])
            seen[name].add(value)
        if len(taken) < count or all(len(different) == 1 for different in seen.values()):
            continue
        rank = len(taken) < len(seen) * number, len(seen)
        if best is None or rank < best:
            best, chosen = rank, values
    return None if best is None or chosen is None else (not best[0], chosen)


def split(atom: Symbol, values: range) -> tuple[str, str]:
    """The name of the row and its value, the arguments at some places being the value."""
    terms = atom.arguments
    value = ",".join(str(terms[i]) for i in values)
    rest = [term for i, term in enumerate(terms) if i not in values]
    name = str(Function(atom.name, rest, atom.positive)) if atom.name else ",".join(map(str, rest))
    return name, f"({value})" if len(values) > 1 else value


def _runs(values: Sequence[tuple[int, str]]) -> tuple[Run, ...]:
    """Values by step, in order, with equal ones of steps in a row together."""
    runs: list[Run] = []
    for step, value in values:
        if runs and runs[-1].last == step - 1 and runs[-1].value == value:
            runs[-1] = runs[-1]._replace(last=step)
        else:
            runs.append(Run(step, step, value))
    return tuple(runs)
