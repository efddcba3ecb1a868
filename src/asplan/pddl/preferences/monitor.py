"""Constraints on trajectories as conditions on single states.

A constraint depends on earlier states. Its *memory* consists of atoms of new predicates. The
*monitor* is an action that takes place beside every step and sets these atoms from the state before
it. Its precondition forbids the states that violate a constraint for good.

Percassi and Gerevini, On Compiling Away PDDL3 Soft Trajectory Constraints without Using Automata,
ICAPS 2019, change the memory in the effects of every action instead.
"""

from __future__ import annotations

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.plain import conjunction
from asplan.pddl.language.syntax import ALWAYS, Atom, Formula, Typed
from asplan.pddl.preferences.vocabulary import Vocabulary, for_all, negated


@dataclass(frozen=True)
class StateConditions:
    """Conditions on single states that hold if and only if a plan satisfies a constraint.

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
    """An action under construction, which checks each state of a trajectory.

    The action also adds and deletes new atoms, the memory, which record facts about earlier states.

    Attributes
    ----------
    effects
        The conditional effects that set the memory.
    conditions
        The conditions on all states but the last; the goal checks the last state.
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
        """Add an effect to the monitor: add `memory` after each state in which `condition` holds.

        `variables` are all variables of the memory and the condition.
        """
        self._set(memory, condition, variables, True)

    def _forget(
        self,
        memory: Atom,
        condition: Formula,
        variables: tuple[Typed, ...],
    ) -> None:
        """Add an effect to the monitor: delete `memory` after each state with `condition`.

        `variables` are all variables of the memory and the condition.
        """
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
        """Make the monitor check a constraint in all states except the last one.

        Return the condition that the last state must satisfy. `variables` are all variables of the
        constraint.
        """
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

        The conditions may read memory about earlier states. The effects that set this memory are
        added to the monitor. `variables` are all variables of the constraint.
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
        """Return state conditions that forbid `condition` after it has held and ceased to hold.

        `begun` is the new atom that records that the condition has held.
        """
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
        """Return state conditions that demand a `response` after each `trigger`.

        The response may hold in the same state as the trigger, or in a later one. `pending` is the
        new atom that records that the trigger has held, and the response has not held since then.
        """
        self.remember(pending, conjunction(trigger, negated(response)), variables)
        self._forget(pending, response, variables)
        is_pending = syntax.Connected("or", (pending, trigger))
        final = syntax.Connected("or", (response, negated(is_pending)))
        return StateConditions(None, final)

    def action(self) -> syntax.PddlAction | None:
        """Return the monitor as an action; None if the task needs no monitor."""
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
