"""A problem of unified-planning as PDDL text.

unified-planning has a writer of its own, for all that its problems may have. This one is for what
asplan takes of them. It goes through the values that are given and not through all atoms that there
could be, which is most of the time for anything large, and it needs no action to be left out and no
constant to be simplified away: what can never hold is written `(or)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

from unified_planning.exceptions import UPUnsupportedProblemTypeError
from unified_planning.model import Effect, Fluent, FNode, Object, Problem, Type

from asplan.up.kind import refusal
from asplan.up.names import Names
from asplan.up.prices import Prices, prices_of

_TRUE, _FALSE = "(and)", "(or)"


@dataclass(frozen=True)
class Written:
    """A problem as PDDL.

    Attributes
    ----------
    domain, problem
        The text of the two files.
    names
        What is called how there; objects, actions and fluents are its items.
    unit
        What a cost of 1 in the text is worth: costs are whole numbers there.
    """

    domain: str
    problem: str
    names: Names
    unit: Any = 1

    def put_into(self, folder: str | PathLike[str]) -> tuple[str, str]:
        """Write the two files into a folder; their paths."""
        files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        for file, text in zip(files, (self.domain, self.problem), strict=True):
            file.write_text(text, encoding="utf-8")
        return str(files[0]), str(files[1])


def written(problem: Problem) -> Written:
    """Write a problem, which `kind` allows.

    Raises
    ------
    UPUsageError
        An action costs less than nothing, or more than can be counted.
    """
    return _Writer(problem).written()


def write(problem: Problem, folder: str | PathLike[str] = ".") -> tuple[str, str]:
    """Write a problem as PDDL, for all that asplan can do with files.

    Parameters
    ----------
    problem
        A problem of unified-planning.
    folder
        Where `domain.pddl` and `problem.pddl` are written; it is made if it is not there. A
        `draw.lp` in it says how plans are drawn.

    Returns
    -------
    tuple
        The paths of the two files.

    Raises
    ------
    UPUnsupportedProblemTypeError
        asplan does not take such problems; the message names what it cannot do.
    UPUsageError
        An action costs less than nothing, or more than can be counted.
    """
    if why := refusal(problem.kind):
        raise UPUnsupportedProblemTypeError(why)
    text = written(problem)
    Path(folder).mkdir(parents=True, exist_ok=True)
    return text.put_into(folder)


class _Writer:
    def __init__(self, problem: Problem) -> None:
        self.problem, self.names = problem, Names()
        self.prices: Prices | None = prices_of(problem)

    def written(self) -> Written:
        prices = self.prices
        domain, functions, costs = ["(define (domain d)", "(:requirements :adl"], [], {}
        if prices is not None:
            domain[-1] += " :action-costs"
            functions = list(self._functions(prices))
            costs = {name: self._cost(prices, name) for name in prices.costs}
        domain[-1] += ")"
        domain += _part("types", (self._type(kind) for kind in self.problem.user_types))
        domain += _part("constants", map(self._typed_object, self.problem.all_objects))
        predicates = [f for f in self.problem.fluents if f.type.is_bool_type()]
        domain += _part("predicates", map(self._declared, predicates))
        if prices is not None:
            domain += _part("functions", ["(total-cost) - number", *functions])
        for action in self.problem.actions:
            domain += self._action(action, costs.get(action.name))
        problem = ["(define (problem p) (:domain d)"]
        problem += _part("init", [*self._initial(), *self._values()], always=True)
        problem += ["(:goal (and", *map(self._formula, self.problem.goals), "))"]
        if prices is not None:
            problem += ["(:metric minimize (total-cost))"]
        first, second = ("\n".join([*lines, ")", ""]) for lines in (domain, problem))
        return Written(first, second, self.names, prices.unit if prices else 1)

    def _type(self, kind: Any) -> str:
        above = "object" if kind.father is None else self._kind(kind.father)
        return f"{self._kind(kind)} - {above}"

    def _kind(self, kind: Type) -> str:
        return self.names.of(("type", kind), str(kind.name), "t")

    def _object(self, item: Object) -> str:
        return self.names.of(item, item.name, "o")

    def _typed_object(self, item: Object) -> str:
        return f"{self._object(item)} - {self._kind(item.type)}"

    def _fluent(self, fluent: Fluent) -> str:
        return self.names.of(fluent, fluent.name, "f")

    def _word(self, item: Any) -> str:
        """A parameter or a variable; what is called alike and has another type is another word."""
        return "?" + self.names.of((type(item).__name__, item.name, item.type), item.name, "v")

    def _words(self, items: Iterable[Any]) -> str:
        return " ".join(f"{self._word(item)} - {self._kind(item.type)}" for item in items)

    def _declared(self, fluent: Fluent) -> str:
        return f"({self._fluent(fluent)} {self._words(fluent.signature)})"

    def _action(self, action: Any, cost: str | None) -> list[str]:
        effects = [line for effect in action.effects for line in self._effect(effect)]
        if cost is not None:
            effects.append(f"(increase (total-cost) {cost})")
        return [
            f"(:action {self.names.of(action, action.name, 'a')}",
            f"  :parameters ({self._words(action.parameters)})",
            f"  :precondition (and {' '.join(map(self._formula, action.preconditions))})",
            f"  :effect (and {' '.join(effects)}))",
        ]

    def _effect(self, effect: Effect) -> Iterator[str]:
        """What an effect makes true, and what it makes false."""
        atom, value, condition = self._formula(effect.fluent), effect.value, effect.condition
        for change, when in ((atom, value), (f"(not {atom})", value.Not())):
            needed = condition.And(when).simplify()
            if needed.is_false():
                continue
            if not needed.is_true():
                change = f"(when {self._formula(needed)} {change})"
            if effect.is_forall():
                change = f"(forall ({self._words(effect.forall)}) {change})"
            yield change

    def _formula(self, node: FNode) -> str:
        return self._simple(node.simplify())

    def _simple(self, node: FNode) -> str:
        """A condition or a term, of those that `kind` allows."""
        if node.is_fluent_exp():
            return f"({' '.join([self._fluent(node.fluent()), *map(self._simple, node.args)])})"
        if node.is_parameter_exp():
            return self._word(node.parameter())
        if node.is_variable_exp():
            return self._word(node.variable())
        if node.is_object_exp():
            return self._object(node.object())
        if node.is_bool_constant():
            return _TRUE if node.is_true() else _FALSE
        if node.is_iff():
            one, other = map(self._simple, node.args)
            return f"(and (imply {one} {other}) (imply {other} {one}))"
        if node.is_exists() or node.is_forall():
            quantifier = "exists" if node.is_exists() else "forall"
            return f"({quantifier} ({self._words(node.variables())}) {self._simple(node.arg(0))})"
        word = next(word for word, is_it in _CONNECTIVES if is_it(node))
        return f"({word} {' '.join(map(self._simple, node.args))})"

    def _initial(self) -> Iterator[str]:
        """The atoms that are true at the start."""
        given = self.problem.explicit_initial_values
        for atom, value in given.items():
            if value.is_true():
                yield self._ground(atom.fluent(), [argument.object() for argument in atom.args])
        for fluent, value in self.problem.fluents_defaults.items():
            if value.is_true():
                domains = [self.problem.objects(p.type) for p in fluent.signature]
                for objects in product(*map(list, domains)):
                    if fluent(*objects) not in given:
                        yield self._ground(fluent, objects)

    def _ground(self, fluent: Fluent, objects: Iterable[Object]) -> str:
        return f"({' '.join([self._fluent(fluent), *map(self._object, objects)])})"

    def _functions(self, prices: Prices) -> Iterator[str]:
        """The tables of costs that depend on the parameters of an action."""
        for action, price in prices.costs.items():
            if not isinstance(price, int):
                name = self.names.of(("cost", action), f"cost-{action}")
                yield f"({name} {self._words(price.parameters)}) - number"

    def _cost(self, prices: Prices, action: str) -> str:
        price = prices.costs[action]
        if isinstance(price, int):
            return str(price)
        name = self.names.of(("cost", action), f"cost-{action}")
        return f"({' '.join([name, *map(self._word, price.parameters)])})"

    def _values(self) -> Iterator[str]:
        if self.prices is None:
            return
        yield "(= (total-cost) 0)"
        for action, price in self.prices.costs.items():
            if not isinstance(price, int):
                name = self.names.of(("cost", action), f"cost-{action}")
                for objects, value in price.values.items():
                    yield f"(= ({' '.join([name, *map(self._object, objects)])}) {value})"


_CONNECTIVES = (
    ("and", FNode.is_and),
    ("or", FNode.is_or),
    ("not", FNode.is_not),
    ("imply", FNode.is_implies),
    ("=", FNode.is_equals),
)


def _part(name: str, lines: Iterable[str], always: bool = False) -> list[str]:
    """A part of a file, left out where it has nothing."""
    found = [f"  {line}" for line in lines]
    return [f"(:{name}", *found, ")"] if found or always else []
