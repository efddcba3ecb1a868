"""Derived variables: what follows from a state by the axioms.

Each derived variable starts with the value that it has if no axiom applies. Layer by layer the
axioms are applied until nothing changes; conditions of other layers are those of lower ones, so
what they say is settled, negation included (Helmert, The Fast Downward Planning System, 2006).
"""

from __future__ import annotations

from asplan.domains.pddl.matching import Matcher
from asplan.domains.pddl.packing import Packing
from asplan.domains.pddl.task import Axiom, Task

REMEMBERED = 200_000
"""States whose derived variables are kept at most."""


class Axioms:
    """Adds the derived variables to the others, whose bits are all below theirs."""

    def __init__(self, task: Task, packing: Packing) -> None:
        derived = [v for v, variable in enumerate(task.variables) if variable.is_derived]
        basic = [v for v, variable in enumerate(task.variables) if not variable.is_derived]
        # An axiom that sets what holds anyway would only undo others.
        axioms = [a for a in task.axioms if a.fact[1] != task.initial[a.fact[0]]]
        axioms.sort(key=lambda axiom: task.variables[axiom.fact[0]].layer)
        self._initial = packing.pack((v, task.initial[v]) for v in derived)
        self._matching = Matcher(packing, basic, [axiom.condition for axiom in axioms])
        self._rules = [_rule(task, packing, axiom) for axiom in axioms]
        self._known: dict[int, int] = {}

    def __call__(self, state: int) -> int:
        """The state with its derived variables."""
        found = self._known.get(state)
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            found = self._known[state] = self._derive(state | self._initial)
        return found

    def _derive(self, state: int) -> int:
        layer, waiting = -1, list[tuple[int, int, int, int, int]]()
        for rule in map(self._rules.__getitem__, self._matching(state)):
            if rule[0] != layer:
                state, layer = _closed(state, waiting), rule[0]
                waiting = []
            waiting.append(rule)
        return _closed(state, waiting)


def _rule(task: Task, packing: Packing, axiom: Axiom) -> tuple[int, int, int, int, int]:
    """Layer, the condition on derived variables, the bits of the variable, and its value."""
    variable, _ = axiom.fact
    facts = [fact for fact in axiom.condition if task.variables[fact[0]].is_derived]
    mask, value = packing.condition(facts)
    put = packing.pack([axiom.fact])
    return task.variables[variable].layer, mask, value, ~packing.field(variable), put


def _closed(state: int, rules: list[tuple[int, int, int, int, int]]) -> int:
    """A state and what follows by the rules of one layer."""
    while rules:
        waiting = []
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
