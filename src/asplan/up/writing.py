"""A problem of unified-planning as PDDL text.

Unlike unified-planning's own writer this one goes through the values that are given and not through
all atoms that could be, which takes most of the time, and it leaves out no action and simplifies no
constant away: what can never hold is written `(or)`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from os import PathLike
from pathlib import Path
from typing import Any

from unified_planning import model
from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.io.pddl_writer import ConverterToPDDLString
from unified_planning.model import Effect, FNode, Problem
from unified_planning.model.metrics import (
    MaximizeExpressionOnFinalState,
    MinimizeActionCosts,
    MinimizeExpressionOnFinalState,
    Oversubscription,
)

from asplan.core.text import LARGEST
from asplan.pddl.language.names import number_text
from asplan.up.object_fluents import without_object_fluents

_VERSION = 2  # of the features below; unified-planning translates between versions

_FEATURES = """
    ACTION_BASED FLAT_TYPING HIERARCHICAL_TYPING NEGATIVE_CONDITIONS DISJUNCTIVE_CONDITIONS
    EQUALITIES EXISTENTIAL_CONDITIONS UNIVERSAL_CONDITIONS CONDITIONAL_EFFECTS FORALL_EFFECTS
    STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS FLUENTS_IN_BOOLEAN_ASSIGNMENTS PLAN_LENGTH MAKESPAN
    ACTIONS_COST INT_NUMBERS_IN_ACTIONS_COST REAL_NUMBERS_IN_ACTIONS_COST
    STATIC_FLUENTS_IN_ACTIONS_COST UNDEFINED_INITIAL_NUMERIC FINAL_VALUE
    SIMPLE_NUMERIC_PLANNING GENERAL_NUMERIC_PLANNING CONTINUOUS_NUMBERS DISCRETE_NUMBERS
    BOUNDED_TYPES INT_FLUENTS REAL_FLUENTS NUMERIC_FLUENTS INCREASE_EFFECTS DECREASE_EFFECTS
    STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS FLUENTS_IN_NUMERIC_ASSIGNMENTS
    CONTINUOUS_TIME TIMED_EFFECTS DURATION_INEQUALITIES STATIC_FLUENTS_IN_DURATIONS
    INT_TYPE_DURATIONS REAL_TYPE_DURATIONS
    STATE_INVARIANTS TRAJECTORY_CONSTRAINTS OVERSUBSCRIPTION INT_NUMBERS_IN_OVERSUBSCRIPTION
    REAL_NUMBERS_IN_OVERSUBSCRIPTION
    OBJECT_FLUENTS FLUENTS_IN_OBJECT_ASSIGNMENTS STATIC_FLUENTS_IN_OBJECT_ASSIGNMENTS
"""
FEATURES = tuple(_FEATURES.split())
"""What a problem may have, as long as its numbers are linear. Where a cost is undefined, its action
does not apply."""

_TIME = frozenset(("CONTINUOUS_TIME", "DISCRETE_TIME"))

_NUMBERS = frozenset(
    ("INT_FLUENTS", "REAL_FLUENTS", "NUMERIC_FLUENTS", "STATIC_FLUENTS_IN_DURATIONS")
)

_DEMANDS = frozenset(("STATE_INVARIANTS", "TRAJECTORY_CONSTRAINTS", "OVERSUBSCRIPTION"))
"""What asplan takes where there are neither numbers nor time."""


def supported_kind() -> model.ProblemKind:
    return model.ProblemKind(FEATURES, version=_VERSION)


def has_demands(kind: model.ProblemKind) -> bool:
    """Whether a plan is judged by more than where it ends and what its actions cost."""
    return not _DEMANDS.isdisjoint(kind.features)


def refusal(kind: model.ProblemKind) -> str | None:
    """Why asplan does not take a kind of problem, and what would help; None if it takes it."""
    known, version = supported_kind(), kind.version
    if kind <= known:
        beside = sorted(kind.features & (_TIME | _NUMBERS))
        demands = sorted(kind.features & _DEMANDS)
        if not (beside and demands):
            return None
        return f"asplan does not take problems with {', '.join(demands)} beside {', '.join(beside)}"
    wrong = [
        f for f in sorted(kind.features) if not model.ProblemKind({f}, version=version) <= known
    ]
    return f"asplan does not take problems with {', '.join(wrong)}"


def write(problem: Problem, folder: str | PathLike[str] = ".") -> tuple[str, str]:
    """Write a problem as `domain.pddl` and `problem.pddl` into a folder; the paths of the two.

    The folder is made if it is not there. A `draw.lp` in it says how plans are drawn. Raises
    `UPUnsupportedProblemTypeError`, which names what asplan does not take, and `UPUsageError` where
    an action costs less than nothing, or more than can be counted.
    """
    if why := refusal(problem.kind):
        raise UPUnsupportedProblemTypeError(why)
    text = to_pddl(without_object_fluents(problem)[0])
    Path(folder).mkdir(parents=True, exist_ok=True)
    return text.put_into(folder)


@dataclass(frozen=True)
class PddlText:
    """A problem as PDDL; `names` has objects, actions and fluents as its items.

    Costs are whole numbers, of which `unit` is what 1 is worth; `has_numbers` is where there are
    others.
    """

    domain: str
    problem: str
    names: PddlNaming
    unit: Any = 1
    has_numbers: bool = False
    has_time: bool = False

    def put_into(self, folder: str | PathLike[str]) -> tuple[str, str]:
        files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        for file, text in zip(files, (self.domain, self.problem), strict=True):
            file.write_text(text, encoding="utf-8")
        return str(files[0]), str(files[1])


_WORDS = """
    and assign decrease define either exists forall imply increase maximize minimize not number
    object or preference scale-down scale-up total-cost when
"""
_TAKEN = frozenset(_WORDS.split())
"""Words that mean something in PDDL, or to those who read it, where a name may stand."""


class PddlNaming:
    """A name that PDDL can have for each of some items, no two of which have the same.

    >>> names = PddlNaming()
    >>> names.of("first", "Move to"), names.of("second", "move_to"), names.of("third", "3d", "o")
    ('move_to', 'move_to_2', 'o_3d')
    >>> names.of("first", "Move to"), names.items["move_to_2"]
    ('move_to', 'second')
    """

    def __init__(self) -> None:
        self.names: dict[Hashable, str] = {}
        self.items: dict[str, Any] = {}

    def of(self, item: Hashable, like: str, letter: str = "x") -> str:
        """The name of an item, which is `like` as far as that is free and PDDL allows it."""
        if item not in self.names:
            name = re.sub(r"[^0-9a-z_-]", "_", like.lower())
            if not re.match(r"[a-z]", name):
                name = f"{letter}_{name.lstrip('_')}"
            free, number = name, 1
            while free in self.items or free in _TAKEN:
                number += 1
                free = f"{name}_{number}"
            self.names[item], self.items[free] = free, item
        return self.names[item]


def to_pddl(problem: Problem) -> PddlText:
    """A problem of a supported kind as text; raises `UPUsageError` for costs that cannot be."""
    return _Writer(problem).text()


class _Writer:
    def __init__(self, problem: Problem) -> None:
        self.problem, self.names = problem, PddlNaming()
        self._formula = _Conditions(problem.environment, self._name).convert
        self.costs, self.unit = _costs(problem)
        self.tables = {n: c for n, c in self.costs.items() if isinstance(c, CostTable)}
        has_numbers = not _NUMBERS.isdisjoint(problem.kind.features)
        fluents = problem.fluents if has_numbers else ()
        self.numbers = [f for f in fluents if f.type.is_int_type() or f.type.is_real_type()]

    def text(self) -> PddlText:
        types: list[Any] = self.problem.user_types
        requirements = ":adl" if self.unit is None else ":adl :action-costs"
        requirements += " :numeric-fluents" if self.numbers else ""
        requirements += " :constraints :preferences" if has_demands(self.problem.kind) else ""
        domain = ["(define (domain d)", f"(:requirements {requirements})"]
        kinds = ((k, "object" if k.father is None else self._name(k.father)) for k in types)
        domain += _part("types", (f"{self._name(kind)} - {above}" for kind, above in kinds))
        objects = ((self._name(item), self._name(item.type)) for item in self.problem.all_objects)
        domain += _part("constants", (f"{item} - {kind}" for item, kind in objects))
        predicates = [f for f in self.problem.fluents if f.type.is_bool_type()]
        terms = ((self._name(f), self._words(f.signature)) for f in predicates)
        domain += _part("predicates", (f"({name} {words})" for name, words in terms))
        terms = ((self._name(f), self._words(f.signature)) for f in self.numbers)
        functions = [f"({name} {words}) - number" for name, words in terms]
        if self.unit is not None:
            # Costs that depend on the parameters of an action are functions.
            terms = ((self._cost(a), self._words(t.parameters)) for a, t in self.tables.items())
            functions += ["(total-cost) - number"]
            functions += (f"({name} {words}) - number" for name, words in terms)
        domain += _part("functions", functions)
        for action in self.problem.actions:
            lines = self._durative if isinstance(action, model.DurativeAction) else self._action
            domain += lines(action)
        problem = ["(define (problem p) (:domain d)", "(:init", *self._start(), ")"]
        preferences = (f"(preference g{n} {goal})" for n, (goal, _) in enumerate(self._wishes()))
        problem += ["(:goal (and", *map(self._formula, self.problem.goals), *preferences, "))"]
        constraints = [  # unified-planning makes constants of some
            f"(always {self._formula(one)})" if one.is_bool_constant() else self._formula(one)
            for one in self.problem.trajectory_constraints
        ]
        problem += _part("constraints", ["(and", *constraints, ")"] if constraints else [])
        problem += self._metric()
        first, second = ("\n".join([*lines, ")", ""]) for lines in (domain, problem))
        unit = 1 if self.unit is None else self.unit
        has_time = not self.problem.kind.features.isdisjoint(_TIME)
        return PddlText(first, second, self.names, unit, bool(self.numbers), has_time)

    def _wishes(self) -> Iterator[tuple[str, str]]:
        """The goals that need not be reached, each with what it is worth."""
        metric = next(iter(self.problem.quality_metrics), None)
        if isinstance(metric, Oversubscription):
            for goal, worth in metric.goals.items():
                yield self._formula(goal), number_text(Fraction(worth))

    def _metric(self) -> Iterator[str]:
        match next(iter(self.problem.quality_metrics), None):
            case MinimizeExpressionOnFinalState(expression=expression):
                yield f"(:metric minimize {self._formula(expression)})"
            case MaximizeExpressionOnFinalState(expression=expression):
                yield f"(:metric maximize {self._formula(expression)})"
            case Oversubscription() as metric:
                lost = (f"(* {w} (is-violated g{n}))" for n, (_, w) in enumerate(self._wishes()))
                most = number_text(sum(map(Fraction, metric.goals.values()), Fraction(0)))
                yield f"(:metric maximize (- {most} (+ 0 {' '.join(lost)})))"
            case _ if self.unit is not None:
                yield "(:metric minimize (total-cost))"

    def _name(self, item: Any) -> str:
        """A parameter or variable that is called alike and has another type is another word."""
        match item:
            case model.Object():
                return self.names.of(item, item.name, "o")
            case model.Fluent():
                return self.names.of(item, item.name, "f")
            case model.Parameter() | model.Variable():
                key = type(item).__name__, item.name, item.type
                return f"?{self.names.of(key, item.name, 'v')}"
        return self.names.of(("type", item), str(item.name), "t")

    def _cost(self, action: str) -> str:
        return self.names.of(("cost", action), f"cost-{action}")

    def _words(self, items: Iterable[Any]) -> str:
        return " ".join(f"{self._name(item)} - {self._name(item.type)}" for item in items)

    def _action(self, action: Any) -> list[str]:
        effects = [line for effect in action.effects for line in self._effect(effect)]
        conditions = [*map(self._formula, action.preconditions)]
        conditions += (line for effect in action.effects for line in self._within(effect))
        if self.unit is not None:
            cost = str(self.costs[action.name])
            if table := self.tables.get(action.name):
                cost = _call(self._cost(action.name), map(self._name, table.parameters))
            effects.append(f"(increase (total-cost) {cost})")
        return [
            f"(:action {self.names.of(action, action.name, 'a')}",
            f"  :parameters ({self._words(action.parameters)})",
            f"  :precondition (and {' '.join(conditions)})",
            f"  :effect (and {' '.join(effects)}))",
        ]

    def _durative(self, action: model.DurativeAction) -> list[str]:
        """An action that takes time; a closed interval is both its ends and what is between."""
        duration, formula = action.duration, self._formula
        if duration.is_left_open() or duration.is_right_open():
            raise UPUsageError(f"{action.name}: asplan takes durations with closed bounds")
        bounds = [f"(>= ?duration {formula(duration.lower)})"]
        bounds += [f"(<= ?duration {formula(duration.upper)})"]
        if duration.lower == duration.upper:
            bounds = [f"(= ?duration {formula(duration.lower)})"]
        conditions = list[str]()
        for interval, several in action.conditions.items():
            is_point = interval.lower == interval.upper
            first, last = interval.lower.is_from_start(), interval.upper.is_from_end()
            times = ["at start" if first else "at end"] if is_point else ["over all"]
            if not is_point:
                times += ["at start"] * (first and not interval.is_left_open())
                times += ["at end"] * (last and not interval.is_right_open())
            conditions += (f"({time} {formula(each)})" for each in several for time in times)
        effects = list[str]()
        for timing, changes in action.effects.items():
            time = "at start" if timing.is_from_start() else "at end"
            for change in changes:
                conditions += (f"({time} {line})" for line in self._within(change))
                effects += (f"({time} {line})" for line in self._effect(change))
        return [
            f"(:durative-action {self.names.of(action, action.name, 'a')}",
            f"  :parameters ({self._words(action.parameters)})",
            f"  :duration (and {' '.join(bounds)})",
            f"  :condition (and {' '.join(conditions)})",
            f"  :effect (and {' '.join(effects)}))",
        ]

    def _within(self, effect: Effect) -> Iterator[str]:
        """That what an effect makes of a number is a value of its type."""
        kind = effect.fluent.fluent().type
        if effect.fluent.fluent() not in self.numbers:
            return
        amount = after = self._formula(effect.value)
        if not effect.is_assignment():
            sign = "+" if effect.is_increase() else "-"
            after = f"({sign} {self._formula(effect.fluent)} {amount})"
        for word, bound in ((">=", kind.lower_bound), ("<=", kind.upper_bound)):
            if bound is not None:
                line = f"({word} {after} {number_text(Fraction(bound))})"
                if not effect.condition.is_true():
                    line = f"(imply {self._formula(effect.condition)} {line})"
                if effect.is_forall():
                    line = f"(forall ({self._words(effect.forall)}) {line})"
                yield line

    def _effect(self, effect: Effect) -> Iterator[str]:
        """What an effect makes true, what it makes false, or what it does to a number."""
        atom, value, condition = self._formula(effect.fluent), effect.value, effect.condition
        if effect.fluent.fluent() in self.numbers:
            word = "increase" if effect.is_increase() else "decrease"
            word = "assign" if effect.is_assignment() else word
            changes = [(f"({word} {atom} {self._formula(value)})", condition)]
        else:
            changes = [(atom, value), (f"(not {atom})", value.Not())]
        for change, when in changes:
            needed = condition.And(when).simplify()
            if needed.is_false():
                continue
            if not needed.is_true():
                change = f"(when {self._formula(needed)} {change})"
            if effect.is_forall():
                change = f"(forall ({self._words(effect.forall)}) {change})"
            yield change

    def _start(self) -> Iterator[str]:
        given = self.problem.explicit_initial_values
        for atom, value in given.items():
            if value.is_true() or atom.fluent() in self.numbers:
                items = tuple(argument.object() for argument in atom.args)
                yield self._holding(atom.fluent(), items, value)
        for fluent, value in self.problem.fluents_defaults.items():
            if value.is_true() or fluent in self.numbers:
                kinds = [self.problem.objects(p.type) for p in fluent.signature]
                for items in product(*map(list, kinds)):
                    if fluent(*items) not in given:
                        yield self._holding(fluent, items, value)
        for timing, effects in self.problem.timed_effects.items():
            for effect in effects:
                plain = effect.condition.is_true() and not effect.is_forall()
                if not plain or effect.fluent.fluent() in self.numbers or timing.is_from_end():
                    why = f"{effect} at {timing}: asplan takes literals, from the start"
                    raise UPUsageError(why)
                time = number_text(Fraction(timing.delay))
                for line in self._effect(effect):
                    yield f"(at {time} {line})"
        if self.unit is not None:
            yield "(= (total-cost) 0)"
        for action, table in self.tables.items():
            for objects, value in table.values.items():
                yield f"(= {_call(self._cost(action), map(self._name, objects))} {value})"

    def _holding(self, fluent: model.Fluent, items: Iterable[model.Object], value: FNode) -> str:
        """That a fluent is true, or what number it is."""
        atom = _call(self._name(fluent), map(self._name, items))
        if fluent in self.numbers:
            return f"(= {atom} {number_text(Fraction(value.constant_value()))})"
        return atom


class _Conditions(ConverterToPDDLString):  # type: ignore[misc]
    """Writes conditions and terms, numbers exactly; what can never hold is `(or)`."""

    def walk_real_constant(self, expression: FNode, args: list[str]) -> str:
        return number_text(Fraction(expression.constant_value()))

    def walk_bool_constant(self, expression: FNode, args: list[str]) -> str:
        return "(and)" if expression.is_true() else "(or)"


def _call(name: str, arguments: Iterable[str]) -> str:
    return f"({' '.join([name, *arguments])})"


def _part(name: str, lines: Iterable[str]) -> list[str]:
    indented = [f"  {line}" for line in lines]
    return [f"(:{name}", *indented, ")"] if indented else []


# What actions cost, as PDDL can say it: whole numbers, alone or in a table by parameters.
# In unified-planning a cost is any term over numbers and over fluents that never change.


@dataclass(frozen=True)
class CostTable:
    """A cost that depends on some parameters of its action; where it is undefined there is none."""

    parameters: tuple[Any, ...]
    values: Mapping[tuple[model.Object, ...], int]


def _costs(problem: Problem) -> tuple[dict[str, int | CostTable], Fraction | None]:
    """The cost of each action, and the unit in which all are whole, if any is minimized."""
    metric = next(iter(problem.quality_metrics), None)
    if not isinstance(metric, MinimizeActionCosts):
        return {}, None
    terms: dict[str, tuple[tuple[Any, ...], dict[tuple[model.Object, ...], Fraction]]] = {}
    for action in problem.actions:
        cost = metric.get_action_cost(action)
        parameters = () if cost is None else _parameters(cost)
        values = {}
        for objects in product(*(list(problem.objects(p.type)) for p in parameters)):
            bound = dict(zip(parameters, objects, strict=True))
            value = Fraction(0) if cost is None else _amount(problem, cost, bound)
            if value is not None:
                values[objects] = value
        if any(value < 0 for value in values.values()):
            raise UPUsageError(f"asplan needs costs of 0 or more, and {action.name} has one below")
        terms[action.name] = parameters, values
    parts = lcm(*(v.denominator for _, values in terms.values() for v in values.values()))
    costs: dict[str, int | CostTable] = {}
    for name, (parameters, values) in terms.items():
        whole = {objects: int(value * parts) for objects, value in values.items()}
        if max(whole.values(), default=0) > LARGEST:
            unit = "" if parts == 1 else f" parts of 1/{parts}, which make all costs whole,"
            raise UPUsageError(f"{name} costs more than the {LARGEST}{unit} that asplan can count")
        costs[name] = CostTable(parameters, whole) if parameters or not whole else whole[()]
    return costs, Fraction(1, parts)


def _parameters(node: FNode) -> tuple[Any, ...]:
    if node.is_parameter_exp():
        return (node.parameter(),)
    return tuple(dict.fromkeys(p for part in node.args for p in _parameters(part)))


def _amount(problem: Problem, node: FNode, bound: Mapping[Any, model.Object]) -> Fraction | None:
    """What a term is worth; None if a fluent in it has no value."""
    if node.is_constant():
        return Fraction(node.constant_value())
    if node.is_fluent_exp():
        words = [bound[a.parameter()] if a.is_parameter_exp() else a.object() for a in node.args]
        given = problem.explicit_initial_values.get(node.fluent()(*words))
        given = problem.fluents_defaults.get(node.fluent()) if given is None else given
        return None if given is None else Fraction(given.constant_value())
    first, *rest = (_amount(problem, part, bound) for part in node.args)
    for value in rest:
        if first is None or value is None or (node.is_div() and value == 0):
            return None
        first = next(apply for apply, is_it in _ARITHMETIC.items() if is_it(node))(first, value)
    return first


_ARITHMETIC: dict[Callable[[Fraction, Fraction], Fraction], Callable[[FNode], bool]] = {
    operator.add: FNode.is_plus,
    operator.sub: FNode.is_minus,
    operator.mul: FNode.is_times,
    operator.truediv: FNode.is_div,
}
