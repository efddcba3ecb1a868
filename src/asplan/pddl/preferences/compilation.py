"""Compilation of constraints and preferences into an equivalent task without them.

Constraints become the work of a monitor (see `monitor`). Preferences are compiled only if the
metric is to be optimized. A plan then ends with *closing actions*, after which no action of the
task applies. For each preference, one closing action is free and requires that the preference is
satisfied; another one costs the weight of the preference and requires nothing (Keyder and Geffner,
Soft Goals Can Be Compiled Away, JAIR 36, 2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.plain import conjunction, rewritten
from asplan.pddl.language.syntax import Formula, TaskText, Typed
from asplan.pddl.preferences.monitor import Monitor
from asplan.pddl.preferences.variants import Variant, variants_of
from asplan.pddl.preferences.vocabulary import Vocabulary, for_all, negated


@dataclass(frozen=True)
class CompiledText:
    """A task without constraints and preferences, and the meaning of its new actions.

    Attributes
    ----------
    text
        The task.
    monitor
        The key of the action that is applied together with every step; empty if there is none.
    has_conditions
        True if the monitor has a precondition.
    closing
        The costs of the closing actions, by the actions' keys.
    variants
        The variants of actions that have new names, by the keys of these names.
    constant
        The part of the metric that does not depend on the plan.
    """

    text: TaskText
    monitor: str
    has_conditions: bool
    closing: Mapping[str, Fraction]
    variants: Mapping[str, Variant]
    constant: Fraction


def compile_demands(
    task: TaskText,
    weights: Mapping[str, Fraction],
) -> CompiledText:
    """Return a task in which new actions replace constraints and preferences.

    Parameters
    ----------
    task
        The task; its numbers are costs of actions.
    weights
        The cost of a violation by the key of each preference. Other preferences are dropped.

    Raises
    ------
    InputError
        If the preferences of an action cannot be compiled.
    """
    return _Compiler(task, weights).compiled()


class _Compiler:
    """Compiles the constraints and preferences of one task into actions, rules and goals."""

    def __init__(
        self,
        task: TaskText,
        weights: Mapping[str, Fraction],
    ) -> None:
        self.task = task
        self.weights = weights
        self.vocabulary = Vocabulary(task.problem.name)
        self.monitor = Monitor(self.vocabulary)
        self.is_closed = self.vocabulary.new_atom()
        self.goals: list[Formula] = []
        self.closing_actions: list[syntax.PddlAction] = []
        self.closing_costs: dict[str, Fraction] = {}
        self.constant = Fraction(0)

    def compiled(self) -> CompiledText:
        domain = self.task.domain
        for demand in (*domain.demands, *self.task.problem.demands):
            if demand.name is None:
                self._compile_constraint(demand)
            elif weight := self.weights.get(demand.key):
                self._compile_preference(demand, weight)
        variants = self._all_variants()
        actions = [variant.action for variant in variants]
        if self.closing_actions:
            actions = self._with_closing(actions)
        monitor = self.monitor.action()
        if monitor is not None:
            actions.append(monitor)
        return CompiledText(
            text=self._text(actions),
            monitor=monitor.name.key if monitor else "",
            has_conditions=bool(self.monitor.conditions),
            closing=self.closing_costs,
            variants=_renamed(variants),
            constant=self.constant,
        )

    def _all_variants(self) -> list[Variant]:
        variants: list[Variant] = []
        for action in self.task.domain.actions:
            variants += variants_of(action, self.weights, self.vocabulary)
        return variants

    def _compile_constraint(
        self,
        demand: syntax.TrajectoryDemand,
    ) -> None:
        for part in demand.parts:
            variables = (*demand.variables, *part.variables)
            self.goals.append(self.monitor.require(part, variables))

    def _compile_preference(
        self,
        demand: syntax.TrajectoryDemand,
        weight: Fraction,
    ) -> None:
        """Add two closing actions for a preference.

        The action `keep` is free, and applies only if the preference is satisfied. The action
        `miss` costs the weight. If the weight is negative, `keep` applies only if the preference is
        violated, and `miss` costs the absolute weight. The goal demands one of the two actions for
        each choice of values of the preference's variables.
        """
        variables = demand.variables
        free_if = self._satisfaction(demand)
        if weight < 0:
            # A plan pays for satisfying the preference; the constant refunds all violations.
            free_if = negated(free_if)
            self.constant += weight * self._number_of_values(variables)
        settled = self.vocabulary.new_atom(variables)
        self.goals.append(for_all(variables, settled))
        keep = syntax.PddlAction(
            name=self.vocabulary.action_name(f"keep-{demand.key}"),
            parameters=variables,
            precondition=conjunction(self.is_closed, free_if),
            effect=syntax.Changed(settled, True),
        )
        self._add_closing(keep, Fraction(0))
        miss = syntax.PddlAction(
            name=self.vocabulary.action_name(f"miss-{demand.key}"),
            parameters=variables,
            precondition=self.is_closed,
            effect=syntax.Changed(settled, True),
        )
        self._add_closing(miss, abs(weight))

    def _satisfaction(
        self,
        demand: syntax.TrajectoryDemand,
    ) -> Formula:
        """Return a literal about the last state that is equivalent to a preference."""
        conditions: list[Formula] = []
        for part in demand.parts:
            variables = (*demand.variables, *part.variables)
            condition = self._trajectory_condition(part, variables)
            conditions.append(for_all(part.variables, condition))
        return self.vocabulary.literal(conjunction(*conditions), demand.variables)

    def _trajectory_condition(
        self,
        part: syntax.Passing,
        variables: tuple[Typed, ...],
    ) -> Formula:
        """Return a condition on the last state that is equivalent to the constraint `part`.

        `variables` are all variables of the constraint.
        """
        required = self.monitor.conditions_of(part, variables)
        if required.forbidden is None:
            return required.final
        is_violated = self.vocabulary.new_atom(variables)
        self.monitor.remember(is_violated, required.forbidden, variables)
        return conjunction(negated(is_violated), negated(required.forbidden), required.final)

    def _number_of_values(
        self,
        variables: Sequence[Typed],
    ) -> int:
        return prod(len(self.task.objects_of(typed.type_keys)) for typed in variables)

    def _with_closing(
        self,
        actions: Sequence[syntax.PddlAction],
    ) -> list[syntax.PddlAction]:
        """Return the given actions and the closing actions.

        Each given action gets the condition that the plan is not closed yet. The closing action
        `end` closes the plan, and the others follow, to pay for violated preferences.
        """
        is_open = negated(self.is_closed)
        close = syntax.PddlAction(
            name=self.vocabulary.action_name("end"),
            parameters=(),
            precondition=is_open,
            effect=syntax.Changed(self.is_closed, True),
        )
        self._add_closing(close, Fraction(0))
        guarded: list[syntax.PddlAction] = []
        for action in actions:
            precondition = conjunction(action.precondition, is_open)
            guarded.append(replace(action, precondition=precondition))
        return [*guarded, *self.closing_actions]

    def _add_closing(
        self,
        action: syntax.PddlAction,
        cost: Fraction,
    ) -> None:
        self.closing_actions.append(action)
        self.closing_costs[action.name.key] = cost

    def _text(
        self,
        actions: Sequence[syntax.PddlAction],
    ) -> TaskText:
        """Return the task with only these actions, and with all new conditions in its goal."""
        domain = self.task.domain
        goal = conjunction(self.task.problem.goal, *self.goals)
        return rewritten(
            self.task,
            domain={
                "predicates": (*domain.predicates, *self.vocabulary.predicates),
                "actions": tuple(actions),
                "rules": (*domain.rules, *self.vocabulary.rules),
                "demands": (),
            },
            problem={"goal": goal, "demands": ()},
        )


def _renamed(variants: Sequence[Variant]) -> dict[str, Variant]:
    """Return the variants whose name differs from the original action's, by the variants' keys."""
    renamed: dict[str, Variant] = {}
    for variant in variants:
        key = variant.action.name.key
        if key != variant.original:
            renamed[key] = variant
    return renamed
