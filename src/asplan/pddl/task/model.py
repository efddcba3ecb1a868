"""The model of a finite-domain task, for searches and for the check of plans.

A state is a whole number with a field of bits for each basic variable. A complete state also has
the fields of the derived variables. An action is the text of its term.

>>> from asplan.pddl.task.task import Effect, Operator, Task, Variable
>>> switch = Variable(("off(lamp)", "on(lamp)"))
>>> press = Operator("press(lamp)", precondition=((0, 0),), effects=(Effect((0, 1)),))
>>> model = TaskModel(Task((switch,), initial=(0,), goal=((0, 1),), operators=(press,)))
>>> model.why_not(model.apply(model.initial, "press(lamp)"), "press(lamp)")
'off(lamp) does not hold, but on(lamp)'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, cached_property
from itertools import groupby
from textwrap import fill

from asplan.clingo import Symbol, parse_term
from asplan.domains.model import Model
from asplan.pddl.task.landmarks import landmarks as relaxed_landmarks
from asplan.pddl.task.matching import DerivedVariables, Matcher
from asplan.pddl.task.relaxation import Flat, layers
from asplan.pddl.task.task import (
    NONE,
    BitTest,
    Fact,
    Operator,
    Task,
    denied,
)

State = int
"""A state as a whole number, as `task.Packing` packs it."""
Action = str
"""The term of an action as text, such as `stack(a,b)`."""

_COLUMNS = 76
"""The width of a text in characters."""

_Change = tuple[int, int, tuple[tuple[BitTest, int, int], ...]]
"""The effects of an operator on a state, as bits.

The first two numbers are the bits to keep and the bits to set by unconditional effects. For each
conditional effect a test follows, with its own bits to keep and to set.
"""


class TaskModel(Model[State, Action]):
    """The model of a finite-domain task.

    If an action has several operators, the first applicable one is executed. The conditions of
    effects are tested in the state before the operator. If several effects set a variable, the last
    one counts.
    """

    def __init__(
        self,
        task: Task,
        written: Callable[[str], str] = str,
    ) -> None:
        """Make the model of a task.

        `written` converts a term to the author's spelling, for messages.
        """
        self.task = task
        self._written = written
        self.packing = task.packing
        self.basic = task.basic
        self.has_axioms = bool(task.derived)
        self._axioms = DerivedVariables(task)
        self._names = [operator.action for operator in task.operators]
        self._changes = [self._change(operator) for operator in task.operators]
        self._goal = self.packing.test(task.goal)
        self._operators = task.by_action
        self.initial: State = self.packing.pack((v, task.initial[v]) for v in self.basic)

    @cached_property
    def _matching(self) -> Matcher:
        conditions = [operator.precondition for operator in self.task.operators]
        return Matcher(
            self.packing,
            [*self.basic, *self.task.derived],
            conditions,
        )

    @property
    def has_costs(self) -> bool:
        """True if the costs of actions count.

        Otherwise plans are compared by their numbers of actions.
        """
        return self.task.has_costs

    def actions(self, state: State) -> list[Action]:
        """Return the actions that apply in a state, each once."""
        return [self._names[index] for index in self._applicable(self.complete(state))]

    def apply(self, state: State, action: Action) -> State:
        """Return the state after an action; raise `ValueError` if it does not apply."""
        return self.after(state, self._operator(state, action))

    def _operator(self, state: State, action: Action) -> int:
        """Return the number of the first applicable operator of an action.

        Raise `ValueError` if none applies.
        """
        operator = self.find_operator(state, action)
        if operator is None:
            raise ValueError(f"{action} does not apply")
        return operator

    def find_operator(self, state: State, action: Action) -> int | None:
        """Return the number of the first applicable operator of an action; None if none applies."""
        complete = self.complete(state)
        for index in self._operators.get(action, ()):
            mask, value = self._tests[index]
            if complete & mask == value:
                return index
        return None

    def successors(self, state: State) -> list[State]:
        """Return the states that follow a state, one for each applicable action."""
        complete = self.complete(state)
        changes = self._changes
        states = list[State]()
        for index in self._applicable(complete):
            change = changes[index]
            keep, put, conditional = change
            if conditional:
                states.append(_change_state(state, complete, change))
            else:
                states.append(state & keep | put)
        return states

    def priced_successors(
        self,
        state: State,
    ) -> list[tuple[State, int]]:
        """Return the states that follow a state, each with the cost of the action to it."""
        complete = self.complete(state)
        pairs = list[tuple[State, int]]()
        for index in self._applicable(complete):
            after = _change_state(state, complete, self._changes[index])
            pairs.append((after, self.task.operators[index].cost))
        return pairs

    def applies(self, state: State, operator: int) -> bool:
        """Return whether an operator, given by its number, applies in a state."""
        mask, value = self._tests[operator]
        return self.complete(state) & mask == value

    def after(self, state: State, operator: int) -> State:
        """Return the state after an applicable operator, given by its number."""
        change = self._changes[operator]
        if change[2]:
            return _change_state(state, self.complete(state), change)
        return state & change[0] | change[1]

    def cost(self, state: State, action: Action) -> int:
        """Return the cost of an action in a state."""
        operator, *others = self._operators[action]
        if others:
            operator = self._operator(state, action)
        return self.task.operators[operator].cost

    def is_goal(self, state: State) -> bool:
        """Return whether the goal holds in a state."""
        mask, value = self._goal
        return self.complete(state) & mask == value

    @cached_property
    def layers(self) -> dict[Fact, int]:
        """The least number of parallel steps to each reachable fact in the delete relaxation."""
        return layers(self.task)

    def landmarks(self) -> list[Symbol]:
        """Return the landmarks of the delete relaxation that are atoms of the PDDL task."""
        flat = Flat(self.task, [1] * len(self.task.operators))
        facts = flat.facts_of(self.initial)
        marks, _ = relaxed_landmarks(flat, facts, len(self.task.facts))
        atoms = [self.task.atom(self.task.facts[mark]) for mark in marks]
        return [self._symbol(atom) for atom in atoms if not _AUXILIARY.match(atom)]

    def unsolvable(self) -> str | None:
        """Return a reason why the task has no plan, or None if none is known.

        For example, even the delete relaxation cannot reach the goal.
        """
        if self.task.hopeless:
            return self.task.hopeless
        if self._goal[0] == 0 != self._goal[1]:
            return "the goal contradicts itself: it requires two values of one variable"
        for fact in self.task.goal:
            if fact not in self.layers:
                atom = self.task.atom(fact)
                subject = "the goal" if _AUXILIARY.match(atom) else self._written(atom)
                return f"{subject} can never hold, even if no action deleted anything"
        return None

    def unexplored(self) -> str | None:
        """Return the reason why the task was not grounded; None if it was grounded.

        Without grounding, a task has no states.
        """
        if not self.task.is_stub:
            return None
        return f"the task was not grounded, since there is no plan ({self.task.hopeless})"

    def parse_action(self, term: Symbol) -> Action:
        """Return the action whose term is given.

        Raise `ValueError` if the task has no such action.
        """
        action = str(term)
        if action not in self._operators:
            raise ValueError(f"{term} is not an action of this task, or can never apply")
        return action

    def why_not(self, state: State, action: Action) -> str | None:
        """Return why an action does not apply: the first violated precondition; None if it applies.

        If the action has several operators, the one with the fewest violated preconditions counts.
        """
        complete = self.complete(state)
        several = [self._violated(complete, operator) for operator in self._operators[action]]
        violated = min(several, key=len)
        if not violated:
            return None
        variable, _ = violated[0]
        wanted = self.task.atom(violated[0])
        given = self.task.atom((variable, self.packing.value(complete, variable)))
        if wanted == NONE or denied(wanted):
            return f"{denied(wanted) or given} holds"
        if given == NONE:
            return f"{wanted} does not hold"
        return f"{wanted} does not hold, but {given}"

    def _violated(
        self,
        complete: State,
        operator: int,
    ) -> list[Fact]:
        """Return the facts of an operator's precondition that do not hold."""
        facts = self.task.operators[operator].precondition
        return [fact for fact in facts if not self.packing.holds(complete, fact)]

    def fluents(self, state: State) -> Iterator[Symbol]:
        """Yield the true atoms of a state, then the static atoms; auxiliary atoms are left out."""
        atoms = map(self.task.atom, self.facts(self.complete(state)))
        yield from (self._symbol(atom) for atom in atoms if not _AUXILIARY.match(atom))
        yield from map(self._symbol, self.task.static)

    def text(self, state: State) -> str:
        """Return the true atoms of a state that are not static, grouped by predicate."""
        values = {self.task.atom(fact) for fact in self.facts(self.complete(state))}
        atoms = [value for value in values if value != NONE and denied(value) is None]
        lines = list[str]()
        for _, group in groupby(sorted(atoms), key=lambda atom: atom.partition("(")[0]):
            text = "  ".join(group)
            lines.append(
                fill(
                    text,
                    _COLUMNS,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
        return "\n".join(lines)

    def complete(self, state: State) -> State:
        """Return a state with the values of its derived variables set."""
        return self._axioms(state) if self.has_axioms else state

    def facts(self, state: State) -> Iterator[Fact]:
        """Yield for each variable its fact that holds in a complete state."""
        for variable in range(len(self.task.variables)):
            yield variable, self.packing.value(state, variable)

    def _applicable(self, complete: State) -> list[int]:
        """Return the numbers of the operators that apply, only the first of each action."""
        applicable = self._matching(complete)
        if len(self._operators) == len(self._names):
            return applicable
        first: dict[str, int] = {}
        for index in applicable:
            first.setdefault(self._names[index], index)
        return list(first.values())

    def _change(self, operator: Operator) -> _Change:
        conditional = list[tuple[BitTest, int, int]]()
        for effect in operator.effects:
            if effect.condition:
                test = self.packing.test(effect.condition)
                conditional.append((test, *self._assignment([effect.fact])))
        keep, put = self._assignment(dict(operator.always).items())
        return keep, put, tuple(conditional)

    def _assignment(
        self,
        facts: Collection[Fact],
    ) -> tuple[int, int]:
        """Return two masks that make facts true in a state: of bits to keep, and of bits to set."""
        return ~self.packing.fields(variable for variable, _ in facts), self.packing.pack(facts)

    @cached_property
    def _tests(self) -> list[BitTest]:
        return [self.packing.test(operator.precondition) for operator in self.task.operators]

    @cached_property
    def _symbol(self) -> Callable[[str], Symbol]:
        return cache(parse_term)


_AUXILIARY = re.compile(rf"axiom\(\d|absent\(|{NONE}$")
"""The beginning of values that are no atoms of the PDDL task. No PDDL name begins with a digit."""


def _change_state(state: State, complete: State, change: _Change) -> State:
    """Return the state after an operator's effects in `state`.

    `complete` is `state` with the values of its derived variables set.
    """
    keep, put, conditional = change
    after = state & keep | put
    for (mask, value), keep, put in conditional:
        if complete & mask == value:
            after = after & keep | put
    return after
