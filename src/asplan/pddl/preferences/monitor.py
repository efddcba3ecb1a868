"""Constraints on trajectories as conditions on single states.

A constraint depends on earlier states. Its *memory* consists of atoms of new predicates. The
*monitor* is an action that takes place beside every step and sets these atoms from the state before
it. Its precondition forbids the states that violate a constraint for good.

Percassi and Gerevini, On Compiling Away PDDL3 Soft Trajectory Constraints without Using Automata,
ICAPS 2019, change the memory in the effects of every action instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from asplan.pddl.language import syntax
from asplan.pddl.language.plain import conjunction
from asplan.pddl.language.syntax import ALWAYS, Atom, Formula, Typed
from asplan.pddl.preferences.vocabulary import Vocabulary, for_all, negated


@dataclass(frozen=True)
class StateConditions:
    """Conditions on states by which a plan satisfies a constraint.

    Attributes
    ----------
    forbidden
        A condition that must hold in no state; None if there is no such condition.
    final
        A condition that must hold in the last state.
    """

    forbidden: Formula | None
    final: Formula


class Monitor:
    """The memory of a task, and the conditions on all its states.

    Attributes
    ----------
    effects
        The conditional effects that set the memory.
    conditions
        The conditions on all states; the last state is left to the goal.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
    ) -> None:
        self.effects: list[syntax.EffectFormula] = []
        self.conditions: list[Formula] = []
        self._vocabulary = vocabulary

    def remember(
        self,
        memory: Atom,
        condition: Formula,
        variables: tuple[Typed, ...],
    ) -> None:
        """Add `memory` after each state in which the condition holds."""
        self._set(memory, condition, variables, True)

    def _forget(
        self,
        memory: Atom,
        condition: Formula,
        variables: tuple[Typed, ...],
    ) -> None:
        """Delete `memory` after each state in which the condition holds."""
        self._set(memory, condition, variables, False)

    def _set(
        self,
        memory: Atom,
        condition: Formula,
        variables: tuple[Typed, ...],
        holds: bool,
    ) -> None:
        effect: syntax.EffectFormula = syntax.When(condition, syntax.Changed(memory, holds))
        if variables:
            effect = syntax.Each(variables, effect)
        self.effects.append(effect)

    def require(
        self,
        constraint: syntax.Passing,
        variables: tuple[Typed, ...],
    ) -> Formula:
        """Demand a constraint of every state, and return the condition on the last one."""
        required = self.conditions_of(constraint, variables)
        if required.forbidden is None:
            return for_all(variables, required.final)
        allowed = self._vocabulary.literal(negated(required.forbidden), variables)
        self.conditions.append(for_all(variables, allowed))
        return for_all(variables, conjunction(allowed, required.final))

    def conditions_of(
        self,
        constraint: syntax.Passing,
        variables: tuple[Typed, ...],
    ) -> StateConditions:
        """Return the conditions on states that are equivalent to a constraint.

        Their memory describes the states before, and becomes part of the monitor.
        """
        first, *others = (self._vocabulary.literal(part, variables) for part in constraint.parts)
        memory = self._vocabulary.new_atom(variables)
        match constraint.word:
            case "at end":
                return StateConditions(None, first)
            case "always":
                return StateConditions(negated(first), ALWAYS)
            case "sometime":
                self.remember(memory, first, variables)
                return StateConditions(None, syntax.Connected("or", (memory, first)))
            case "at-most-once":
                return self._at_most_once(memory, first, variables)
            case "sometime-before":
                self.remember(memory, others[0], variables)
                return StateConditions(conjunction(first, negated(memory)), ALWAYS)
            case "sometime-after":
                return self._sometime_after(memory, first, others[0], variables)
        raise AssertionError(constraint.word)

    def _at_most_once(
        self,
        begun: Atom,
        condition: Formula,
        variables: tuple[Typed, ...],
    ) -> StateConditions:
        """Forbid a condition after it has ceased to hold."""
        ended = self._vocabulary.new_atom(variables)
        self.remember(begun, condition, variables)
        self.remember(ended, conjunction(begun, negated(condition)), variables)
        return StateConditions(conjunction(ended, condition), ALWAYS)

    def _sometime_after(
        self,
        pending: Atom,
        trigger: Formula,
        response: Formula,
        variables: tuple[Typed, ...],
    ) -> StateConditions:
        """Demand a response in the state of its trigger or later."""
        self.remember(pending, conjunction(trigger, negated(response)), variables)
        self._forget(pending, response, variables)
        is_pending = syntax.Connected("or", (pending, trigger))
        final = syntax.Connected("or", (response, negated(is_pending)))
        return StateConditions(None, final)

    def action(self) -> syntax.PddlAction | None:
        """Return the action; None if the task needs no monitor."""
        effects = tuple(self.effects)
        if self.conditions:
            # The grounder would drop an action without effects.
            effects += (syntax.Changed(self._vocabulary.new_atom(), True),)
        if not effects:
            return None
        return syntax.PddlAction(
            name=self._vocabulary.action_name("monitor"),
            parameters=(),
            precondition=conjunction(*self.conditions),
            effect=syntax.Together(effects),
        )
