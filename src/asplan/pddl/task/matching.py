"""The matching of many conditions with a state, and the derived variables of a state.

A state is a whole number, as `task.Packing` makes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from asplan.pddl.task.task import (
    Fact,
    Packing,
    Task,
    contradicts_itself,
)

_PIECE = 10
"""The most bits of a state that are looked up at once, unless one variable has more."""


class Matcher:
    """A finder of the conditions that hold in a state; each is a conjunction of facts.

    Sets of conditions are numbers with a bit for each condition. A fact has the set of conditions
    that it does not contradict; the intersection over the facts of a state are the conditions that
    hold. The intersection over a piece of neighbouring variables is kept in a table, which grows
    with the states. On most tasks this takes less time than a decision tree over the variables,
    which has many branches in Python.
    """

    def __init__(
        self,
        packing: Packing,
        variables: Sequence[int],
        conditions: Sequence[Sequence[Fact]],
    ) -> None:
        """Match conditions on the variables, which are in the order of their bits.

        Facts of other variables are ignored.
        """
        self._packing = packing
        self._all = 0
        for index, condition in enumerate(conditions):
            if not contradicts_itself(condition):
                self._all |= 1 << index
        # The conditions that need a fact, and those that need some fact of a variable.
        self._needs: dict[Fact, int] = {}
        self._restricted: dict[int, int] = {}
        self._add_needs(set(variables), conditions)
        # The pieces: the lowest bit, the mask above it, the table, and the variables.
        self._pieces: list[tuple[int, int, dict[int, int], list[int]]] = []
        for piece in self._split(variables):
            shift = packing.shifts[piece[0]]
            mask = packing.fields(piece) >> shift
            self._pieces.append((shift, mask, {}, piece))

    def _add_needs(
        self,
        variables: set[int],
        conditions: Sequence[Sequence[Fact]],
    ) -> None:
        for index, condition in enumerate(conditions):
            bit = 1 << index
            for fact in condition:
                variable, _ = fact
                if variable in variables:
                    self._needs[fact] = self._needs.get(fact, 0) | bit
                    self._restricted[variable] = self._restricted.get(variable, 0) | bit

    def _split(
        self,
        variables: Sequence[int],
    ) -> list[list[int]]:
        """Split the restricted variables into pieces of neighbours."""
        packing = self._packing
        pieces: list[list[int]] = []
        for variable in variables:
            if variable not in self._restricted:
                continue
            end = packing.shifts[variable] + packing.widths[variable]
            if pieces and end - packing.shifts[pieces[-1][0]] <= _PIECE:
                pieces[-1].append(variable)
            else:
                pieces.append([variable])
        return pieces

    def __call__(self, state: int) -> list[int]:
        """Return the conditions that hold in a state, counted from 0, in ascending order."""
        common = self._all
        for shift, mask, table, piece in self._pieces:
            part = state >> shift & mask
            matching = table.get(part)
            if matching is None:
                matching = self._match_piece(part << shift, piece)
                table[part] = matching
            common &= matching
        digits = bin(common)[:1:-1]
        matches = list[int]()
        index = digits.find("1")
        while index >= 0:
            matches.append(index)
            index = digits.find("1", index + 1)
        return matches

    def _match_piece(
        self,
        state: int,
        piece: Sequence[int],
    ) -> int:
        """Return the set of conditions that the variables of a piece do not contradict."""
        matching = self._all
        for variable in piece:
            fact = (variable, self._packing.value(state, variable))
            matching &= ~self._restricted[variable] | self._needs.get(fact, 0)
        return matching


_MOST_KEPT = 200_000
"""The most states whose derived variables are kept."""

_Rule = tuple[int, int, int, int, int]
"""A layer, a mask and a value that test derived variables, the bits to keep, and those to set."""


class Derivation:
    """The derived variables as a function of the basic ones, whose bits are all below theirs.

    Each derived variable starts with its default value. Layer by layer the axioms are applied until
    nothing changes. Their conditions on lower layers are settled then, negated ones included
    (Helmert, The Fast Downward Planning System, 2006).
    """

    def __init__(self, task: Task) -> None:
        packing = task.packing
        derived = set(task.derived)
        layers = [variable.layer for variable in task.variables]
        axioms = sorted(task.firing_axioms, key=lambda axiom: layers[axiom.fact[0]])
        self._initial = packing.pack((v, task.initial[v]) for v in derived)
        self._matching = Matcher(
            packing,
            task.basic,
            [axiom.condition for axiom in axioms],
        )
        self._rules: list[_Rule] = []
        for axiom in axioms:
            test = packing.test(fact for fact in axiom.condition if fact[0] in derived)
            head = axiom.fact[0]
            keep = ~packing.fields([head])
            put = packing.pack([axiom.fact])
            self._rules.append(
                (
                    layers[head],
                    *test,
                    keep,
                    put,
                )
            )
        self._complete: dict[int, int] = {}

    def __call__(self, state: int) -> int:
        """Return a state with its derived variables."""
        complete = self._complete.get(state)
        if complete is None:
            if len(self._complete) >= _MOST_KEPT:
                self._complete.clear()
            complete = self._derive(state | self._initial)
            self._complete[state] = complete
        return complete

    def _derive(self, state: int) -> int:
        layer = -1
        waiting = list[_Rule]()
        for rule in map(self._rules.__getitem__, self._matching(state)):
            if rule[0] != layer:
                state = _close(state, waiting)
                layer = rule[0]
                waiting = []
            waiting.append(rule)
        return _close(state, waiting)


def _close(state: int, rules: list[_Rule]) -> int:
    """Return a state after all applications of the rules of one layer."""
    while rules:
        waiting = list[_Rule]()
        for rule in rules:
            _, mask, value, keep, put = rule
            if state & mask == value:
                state = state & keep | put
            else:
                waiting.append(rule)
        if len(waiting) == len(rules):
            break
        rules = waiting
    return state
