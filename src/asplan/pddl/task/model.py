"""A finite-domain task as a model: what search and the check of plans know of it.

A state is a whole number with a field of bits for each variable that operators set; derived
variables are added where they are asked for. An action is its term.

>>> from asplan.pddl.task.task import Effect, Operator, Task, Variable
>>> switch = Variable(("off(lamp)", "on(lamp)"))
>>> press = Operator("press(lamp)", precondition=((0, 0),), effects=(Effect((0, 1)),))
>>> model = TaskModel(Task((switch,), initial=(0,), goal=((0, 1),), operators=(press,)))
>>> model.why_not(model.apply(model.initial, "press(lamp)"), "press(lamp)")
'off(lamp) does not hold, but on(lamp)'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, cached_property
from itertools import groupby
from textwrap import fill

from clingo import Symbol, parse_term

from asplan.domains.model import Model
from asplan.pddl.task.relaxation import layers
from asplan.pddl.task.task import (
    NONE,
    BitTest,
    Fact,
    Operator,
    Packing,
    Task,
    contradicts_itself,
    denied,
)

State = int
Action = str

_COLUMNS = 76  # of a line of text


_Change = tuple[int, int, tuple[tuple[BitTest, int, int], ...]]
"""What an operator does: bits that stay, bits that are set; then what has conditions."""


class TaskModel(Model[State, Action]):
    """A finite-domain task.

    Several operators may stand for one action: it is the first of them that applies. Conditions
    of effects are read in the state before; of effects that set one variable the last one counts.
    """

    def __init__(self, task: Task, written: Callable[[str], str] = str) -> None:
        """Make the model; `written` is how the author of the task writes an atom."""
        self.task, self._written = task, written
        self.packing, self.basic = task.packing, task.basic
        self.has_axioms = bool(task.derived)
        self._axioms = _Derivation(task)
        self._names = [operator.action for operator in task.operators]
        self._changes = [self._change(operator) for operator in task.operators]
        self._goal = self.packing.test(task.goal)
        self._operators = task.by_action
        self.initial: State = self.packing.pack((v, task.initial[v]) for v in self.basic)

    @cached_property
    def _matching(self) -> _Matcher:
        conditions = [operator.precondition for operator in self.task.operators]
        return _Matcher(self.packing, [*self.basic, *self.task.derived], conditions)

    @property
    def has_costs(self) -> bool:
        return self.task.has_costs

    def actions(self, state: State) -> list[Action]:
        return [self._names[index] for index in self._applicable(self.complete(state))]

    def apply(self, state: State, action: Action) -> State:
        complete = self.complete(state)
        return _changed(state, complete, self._changes[self._operator(complete, action)])

    def _operator(self, complete: State, action: Action) -> int:
        """The number of the operator that an action is in a state; `ValueError` if it is none."""
        for index in self._operators[action]:
            mask, value = self._tests[index]
            if complete & mask == value:
                return index
        raise ValueError(f"{action} does not apply")

    def successors(self, state: State) -> list[State]:
        complete, changes, found = self.complete(state), self._changes, []
        for index in self._applicable(complete):
            keep, put, conditional = change = changes[index]
            found.append(_changed(state, complete, change) if conditional else state & keep | put)
        return found

    def priced_successors(self, state: State) -> list[tuple[State, int]]:
        complete, operators = self.complete(state), self.task.operators
        return [
            (_changed(state, complete, self._changes[index]), operators[index].cost)
            for index in self._applicable(complete)
        ]

    def applies(self, state: State, operator: int) -> bool:
        """Whether an operator applies, by its number."""
        mask, value = self._tests[operator]
        return self.complete(state) & mask == value

    def after(self, state: State, operator: int) -> State:
        """The state that an applicable operator leads to."""
        change = self._changes[operator]
        if change[2]:
            return _changed(state, self.complete(state), change)
        return state & change[0] | change[1]

    def cost(self, state: State, action: Action) -> int:
        several = self._operators[action]
        one = several[0] if len(several) == 1 else self._operator(self.complete(state), action)
        return self.task.operators[one].cost

    def is_goal(self, state: State) -> bool:
        mask, value = self._goal
        return self.complete(state) & mask == value

    @cached_property
    def layers(self) -> dict[Fact, int]:
        """How many parallel steps each fact takes at least, as far as it can be reached."""
        return layers(self.task)

    def unsolvable(self) -> str | None:
        """Why the goal is out of reach, even if nothing that once held were ever lost."""
        if self.task.hopeless:
            return self.task.hopeless
        if self._goal[0] == 0 != self._goal[1]:
            return "the goal contradicts itself: it asks for two values of one variable"
        for fact in self.task.goal:
            if fact not in self.layers:
                atom = self.task.atom(fact)
                what = "the goal" if _MADE.match(atom) else self._written(atom)
                return f"{what} can never hold, even if no action deleted anything"
        return None

    def unexplored(self) -> str | None:
        """Why the states are not those of the task: it is known before that there is no plan."""
        why = self.task.hopeless
        return f"no task is ground, for there is no plan ({why})" if self.task.is_stub else None

    def parse_action(self, term: Symbol) -> Action:
        action = str(term)
        if action not in self._operators:
            raise ValueError(f"{term} is no action of this task, or one that can never apply")
        return action

    def why_not(self, state: State, action: Action) -> str | None:
        """The first precondition that does not hold; of several operators of the nearest one."""
        complete = self.complete(state)
        conditions = (self.task.operators[index].precondition for index in self._operators[action])
        violated = min(
            ([f for f in facts if not self.packing.holds(complete, f)] for facts in conditions),
            key=len,
        )
        if not violated:
            return None
        variable, _ = violated[0]
        wanted = self.task.atom(violated[0])
        given = self.task.atom((variable, self.packing.value(complete, variable)))
        if wanted == NONE or denied(wanted):
            return f"{denied(wanted) or given} holds"
        return f"{wanted} does not hold" + ("" if given == NONE else f", but {given}")

    def fluents(self, state: State) -> Iterator[Symbol]:
        """The atoms of the task's author that hold, those that always do at the end."""
        atoms = map(self.task.atom, self.facts(self.complete(state)))
        yield from (self._symbol(a) for a in atoms if not _MADE.match(a))
        yield from map(self._symbol, self.task.static)

    def text(self, state: State) -> str:
        """The atoms that hold and may change, predicate by predicate."""
        values = {self.task.atom(fact) for fact in self.facts(self.complete(state))}
        atoms = [value for value in values if value != NONE and denied(value) is None]
        by_predicate = groupby(sorted(atoms), key=lambda atom: atom.partition("(")[0])
        return "\n".join(
            fill("  ".join(group), _COLUMNS, break_long_words=False, break_on_hyphens=False)
            for _, group in by_predicate
        )

    def complete(self, state: State) -> State:
        return self._axioms(state) if self.has_axioms else state

    def facts(self, state: State) -> Iterator[Fact]:
        """The value of each variable in a complete state."""
        for variable in range(len(self.task.variables)):
            yield variable, self.packing.value(state, variable)

    def _applicable(self, complete: State) -> list[int]:
        """An operator for each action that applies in a complete state."""
        found = self._matching(complete)
        if len(self._operators) == len(self._names):
            return found
        first: dict[str, int] = {}
        for index in found:
            first.setdefault(self._names[index], index)
        return list(first.values())

    def _change(self, operator: Operator) -> _Change:
        conditional = tuple(
            (self.packing.test(effect.condition), *self._assignment([effect.fact]))
            for effect in operator.effects
            if effect.condition
        )
        return *self._assignment(dict(operator.always).items()), conditional

    def _assignment(self, facts: Collection[Fact]) -> tuple[int, int]:
        """The bits that stay, and those that are set."""
        return ~self.packing.fields(variable for variable, _ in facts), self.packing.pack(facts)

    @cached_property
    def _tests(self) -> list[BitTest]:
        return [self.packing.test(operator.precondition) for operator in self.task.operators]

    @cached_property
    def _symbol(self) -> Callable[[str], Symbol]:
        return cache(parse_term)


_MADE = re.compile(rf"axiom\(\d|absent\(|{NONE}$")
"""How a value begins that is no atom of the author's: no name in PDDL begins with a digit."""


def _changed(state: State, complete: State, change: _Change) -> State:
    keep, put, conditional = change
    after = state & keep | put
    for (mask, value), keep, put in conditional:
        if complete & mask == value:
            after = after & keep | put
    return after


_REMEMBERED = 200_000  # states whose derived variables are kept at most


_Rule = tuple[int, int, int, int, int]
"""Layer, a test of derived variables, the bits that stay, and those that are set."""


class _Derivation:
    """Adds the derived variables to the others, whose bits are all below theirs.

    Each derived variable starts with the value that it has if no axiom applies. Layer by layer the
    axioms are applied until nothing changes; conditions of other layers are those of lower ones, so
    what they say is settled, negation included (Helmert, The Fast Downward Planning System, 2006).
    """

    def __init__(self, task: Task) -> None:
        packing, derived = task.packing, set(task.derived)
        layers = [variable.layer for variable in task.variables]
        axioms = sorted(task.firing_axioms, key=lambda axiom: layers[axiom.fact[0]])
        self._initial = packing.pack((v, task.initial[v]) for v in derived)
        self._matching = _Matcher(packing, task.basic, [axiom.condition for axiom in axioms])
        self._rules: list[_Rule] = []
        for axiom in axioms:
            test = packing.test(fact for fact in axiom.condition if fact[0] in derived)
            keep, put = ~packing.fields([axiom.fact[0]]), packing.pack([axiom.fact])
            self._rules.append((layers[axiom.fact[0]], *test, keep, put))
        self._known: dict[int, int] = {}

    def __call__(self, state: int) -> int:
        found = self._known.get(state)
        if found is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found, layer, waiting = state | self._initial, -1, list[_Rule]()
            for rule in map(self._rules.__getitem__, self._matching(found)):
                if rule[0] != layer:
                    found, layer, waiting = _closed(found, waiting), rule[0], []
                waiting.append(rule)
            found = self._known[state] = _closed(found, waiting)
        return found


def _closed(state: int, rules: list[_Rule]) -> int:
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


_LOOKED_UP = 10  # bits of a state that are looked up at once, if no variable has more


class _Matcher:
    """Finds those of many conditions that hold in a state; each is a conjunction of facts.

    Sets of conditions are bits, and a few variables are looked at a time. For each fact the
    conditions that do not contradict it are a number with a bit for each of them. Those that hold
    in a state are what its facts have in common. What the facts of a few neighbouring variables
    have in common is looked up in a table that is filled as states are met. On most tasks that
    takes less time than a decision tree over the variables, which has many branches in Python.
    """

    def __init__(
        self, packing: Packing, variables: Sequence[int], conditions: Sequence[Sequence[Fact]]
    ) -> None:
        """Facts of other than the given variables, neighbours in a state, are passed over."""
        self._packing = packing
        self._all = sum(1 << i for i, c in enumerate(conditions) if not contradicts_itself(c))
        self._needs: dict[Fact, int] = {}
        self._restricted: dict[int, int] = {}
        known = set(variables)
        for index, condition in enumerate(conditions):
            for variable, value in condition:
                if variable in known:
                    bit, fact = 1 << index, (variable, value)
                    self._needs[fact] = self._needs.get(fact, 0) | bit
                    self._restricted[variable] = self._restricted.get(variable, 0) | bit
        pieces: list[list[int]] = []
        for variable in variables:
            if variable in self._restricted:
                end = packing.shifts[variable] + packing.widths[variable]
                if pieces and end - packing.shifts[pieces[-1][0]] <= _LOOKED_UP:
                    pieces[-1].append(variable)
                else:
                    pieces.append([variable])
        # The variables that matter, in pieces of neighbours: where, which bits, what was found.
        self._pieces: list[tuple[int, int, dict[int, int], list[int]]] = []
        for piece in pieces:
            shift = packing.shifts[piece[0]]
            self._pieces.append((shift, packing.fields(piece) >> shift, {}, piece))

    def __call__(self, state: int) -> list[int]:
        """The conditions that hold in a state, counted from 0, in ascending order."""
        common = self._all
        for shift, mask, table, piece in self._pieces:
            part = state >> shift & mask
            found = table.get(part)
            if found is None:
                found = self._all
                for v in piece:
                    needed = self._needs.get((v, self._packing.value(part << shift, v)), 0)
                    found &= ~self._restricted[v] | needed
                table[part] = found
            common &= found
        digits = bin(common)[:1:-1]
        matches, index = [], digits.find("1")
        while index >= 0:
            matches.append(index)
            index = digits.find("1", index + 1)
        return matches
