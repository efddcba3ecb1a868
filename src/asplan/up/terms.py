"""Terms, conditions and effects of unified-planning as PDDL text."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TypeAlias

from unified_planning import model
from unified_planning.io.pddl_writer import ConverterToPDDLString
from unified_planning.model import Effect, FNode, Problem

from asplan.pddl.language.names import number_text
from asplan.up.features import has_numbers
from asplan.up.naming import PddlNaming

Item: TypeAlias = model.Object | model.Fluent | model.Parameter | model.Variable | model.Type
"""An item of a problem that has a name in PDDL."""


class TermWriter:
    """Writes terms of a problem as PDDL, with unique names.

    `numbers` are the numeric fluents of the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self.names = PddlNaming()
        self.formula = _ConditionWriter(problem.environment, self.name).convert
        fluents = problem.fluents if has_numbers(problem.kind) else ()
        self.numbers = [
            fluent for fluent in fluents if fluent.type.is_int_type() or fluent.type.is_real_type()
        ]

    def name(self, item: Item) -> str:
        """Return the PDDL name of an item.

        Parameters and variables that share a name but not a type get different names.
        """
        match item:
            case model.Object():
                return self.names.of(item, item.name, "o")
            case model.Fluent():
                return self.names.of(item, item.name, "f")
            case model.Parameter() | model.Variable():
                key = (type(item).__name__, item.name, item.type)
                return f"?{self.names.of(key, item.name, 'v')}"
        return self.names.of(("type", item), str(item.name), "t")

    def typed_list(self, items: Iterable[model.Parameter | model.Variable]) -> str:
        """Return parameters or variables with their types as PDDL text, such as `?x - block`."""
        return " ".join(f"{self.name(item)} - {self.name(item.type)}" for item in items)

    def declaration(self, fluent: model.Fluent) -> str:
        """Return the PDDL declaration of a fluent: its name with its typed parameters."""
        name = self.name(fluent)
        return f"({name} {self.typed_list(fluent.signature)})"

    def initial_value(
        self, fluent: model.Fluent, arguments: Iterable[model.Object], value: FNode
    ) -> str:
        """Return the PDDL text for an initial value: an atom, or an equation for a number."""
        atom = call(self.name(fluent), map(self.name, arguments))
        if fluent not in self.numbers:
            return atom
        return f"(= {atom} {number_text(Fraction(value.constant_value()))})"

    def effects(self, effect: Effect) -> Iterator[str]:
        """Yield the PDDL effects that express one effect of unified-planning.

        A Boolean assignment becomes two conditional effects: one adds the atom, one deletes it.
        """
        atom = self.formula(effect.fluent)
        if effect.fluent.fluent() in self.numbers:
            change = f"({_numeric_change(effect)} {atom} {self.formula(effect.value)})"
            yield from self._conditional(effect, change, effect.condition)
        else:
            adds = effect.condition.And(effect.value)
            deletes = effect.condition.And(effect.value.Not())
            yield from self._conditional(effect, atom, adds)
            yield from self._conditional(effect, f"(not {atom})", deletes)

    def _conditional(self, effect: Effect, change: str, condition: FNode) -> Iterator[str]:
        """Yield `change` as a PDDL effect under a condition, with the quantifier of `effect`.

        Yield nothing if the condition is false.
        """
        condition = condition.simplify()
        if condition.is_false():
            return
        if not condition.is_true():
            change = f"(when {self.formula(condition)} {change})"
        yield self._quantified(effect, change)

    def _quantified(self, effect: Effect, text: str) -> str:
        if not effect.is_forall():
            return text
        return f"(forall ({self.typed_list(effect.forall)}) {text})"

    def bounds(self, effect: Effect) -> Iterator[str]:
        """Yield preconditions of an effect on a number.

        They keep the changed number within the bounds of its type.
        """
        fluent = effect.fluent.fluent()
        if fluent not in self.numbers:
            return
        amount = self.formula(effect.value)
        after = amount
        if not effect.is_assignment():
            sign = "+" if effect.is_increase() else "-"
            after = f"({sign} {self.formula(effect.fluent)} {amount})"
        bounds = ((">=", fluent.type.lower_bound), ("<=", fluent.type.upper_bound))
        for relation, bound in bounds:
            if bound is not None:
                condition = f"({relation} {after} {number_text(Fraction(bound))})"
                if not effect.condition.is_true():
                    condition = f"(imply {self.formula(effect.condition)} {condition})"
                yield self._quantified(effect, condition)


def _numeric_change(effect: Effect) -> str:
    if effect.is_assignment():
        return "assign"
    return "increase" if effect.is_increase() else "decrease"


class _ConditionWriter(ConverterToPDDLString):  # type: ignore[misc]
    """Writes conditions as PDDL with exact numbers; true is `(and)`, and false is `(or)`."""

    def walk_real_constant(self, expression: FNode, args: list[str]) -> str:
        """Return the text of a number, without rounding."""
        return number_text(Fraction(expression.constant_value()))

    def walk_bool_constant(self, expression: FNode, args: list[str]) -> str:
        """Return the text of a truth value."""
        return "(and)" if expression.is_true() else "(or)"


def call(name: str, arguments: Iterable[str]) -> str:
    """Return a PDDL atom or function with its arguments."""
    return f"({' '.join([name, *arguments])})"
