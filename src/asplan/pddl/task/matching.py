"""The index that finds conditions that hold in a state, and the derivation of variables.

A state is a whole number with a field of bits for each variable, as `task.Packing` makes it.
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
"""The most bits of a state that one table lookup covers, unless one variable has more."""


class Matcher:
    """An index of conditions, which finds the conditions that hold in a state.

    A condition is a conjunction of facts.

    Called with a state, it returns the indices of the conditions that hold. A set of conditions is
    a number with a bit for each condition. Each fact has the set of conditions that it does not
    contradict. The intersection of these sets over the facts of a state has the conditions that
    hold. A few consecutive variables form a *piece*. A table maps the bits of a piece to the
    intersection over its variables; it grows as states are looked up. On most tasks this takes less
    time than a decision tree over the variables, which has many branches in Python.
    """

    def __init__(
        self,
        packing: Packing,
        variables: Sequence[int],
        conditions: Sequence[Sequence[Fact]],
    ) -> None:
        """Index conditions by their facts of the given variables, which are sorted by their bits.

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
        """Divide the variables into pieces: runs of consecutive variables, of few bits.

        A piece has at most `_PIECE` bits, or a single variable. Variables that occur in no
        condition are left out.
        """
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
        """Return the indices of the conditions that hold in a state, in ascending order."""
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
        """Return the conditions that a state does not contradict in the variables of a piece.

        The result is a set of conditions, as a number with a bit for each.
        """
        matching = self._all
        for variable in piece:
            fact = (variable, self._packing.value(state, variable))
            matching &= ~self._restricted[variable] | self._needs.get(fact, 0)
        return matching


_MOST_KEPT = 200_000
"""The largest number of states whose derived variables are cached."""

_Rule = tuple[int, int, int, int, int]
"""An axiom: its layer, a mask and a value that test derived variables, and bits to keep and to set.

The axiom applies to a state if `state & mask == value`.
"""


class DerivedVariables:
    """The derived variables as a function of the basic ones.

    In a state, the bits of derived variables are above the bits of basic variables. Each derived
    variable starts with its default value. Layer by layer the axioms are applied until nothing
    changes. When a layer is applied, all lower layers are final, so its conditions may negate their
    variables (Helmert, The Fast Downward Planning System, 2006).
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
        """Return the state with the values of its derived variables set."""
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
    """Apply the rules of one layer to a state until nothing changes; return the state."""
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
