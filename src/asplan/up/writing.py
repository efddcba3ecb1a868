"""Problems of unified-planning as PDDL text.

unified-planning's own writer enumerates all possible atoms, which takes most of its time; this one
enumerates only the given values. It also keeps every action and every constant condition: a
condition that never holds is written as `(or)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from os import PathLike
from pathlib import Path

from unified_planning import model
from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.model import (
    Effect,
    FNode,
    Problem,
    TimeInterval,
    Timing,
)
from unified_planning.model.metrics import (
    MaximizeExpressionOnFinalState,
    MinimizeExpressionOnFinalState,
    Oversubscription,
)

from asplan.core.dataclass import dataclass
from asplan.pddl.language.names import number_text
from asplan.up.costs import CostTable, read_costs
from asplan.up.features import find_refusal, has_demands, has_time
from asplan.up.naming import PddlNaming
from asplan.up.object_fluents import without_object_fluents
from asplan.up.terms import TermWriter, call


def write(problem: Problem, folder: str | PathLike[str] = ".") -> tuple[str, str]:
    """Write a problem as `domain.pddl` and `problem.pddl` into a folder.

    The folder is made if it does not exist. A `draw.lp` in it is used to draw plans.

    Returns
    -------
    tuple
        The paths of the domain and of the problem.

    Raises
    ------
    UPUnsupportedProblemTypeError
        asplan does not support features of the problem; the message names them.
    UPUsageError
        A cost is negative, or too large to count.
    """
    refusal = find_refusal(problem.kind)
    if refusal:
        raise UPUnsupportedProblemTypeError(refusal)
    compiled, _ = without_object_fluents(problem)
    Path(folder).mkdir(parents=True, exist_ok=True)
    return to_pddl(compiled).put_into(folder)


@dataclass(frozen=True)
class PddlText:
    """A problem as PDDL text; `names` maps names to objects, actions and fluents.

    Costs are integers that count multiples of `unit`. `has_numbers` is true if there are numeric
    fluents, `has_time` if there are durations or effects at given times.
    """

    domain: str
    problem: str
    names: PddlNaming
    unit: Fraction | int = 1
    has_numbers: bool = False
    has_time: bool = False

    def put_into(self, folder: str | PathLike[str]) -> tuple[str, str]:
        """Write the two files into a folder; return their paths."""
        domain = Path(folder, "domain.pddl")
        problem = Path(folder, "problem.pddl")
        domain.write_text(self.domain, encoding="utf-8")
        problem.write_text(self.problem, encoding="utf-8")
        return str(domain), str(problem)


def to_pddl(problem: Problem) -> PddlText:
    """Return a problem of a supported kind as PDDL text; raise `UPUsageError` for
    impossible costs.
    """
    writer = _Writer(problem)
    return PddlText(
        domain=_join(writer.domain_lines()),
        problem=_join(writer.problem_lines()),
        names=writer.terms.names,
        unit=1 if writer.costs is None else writer.costs.unit,
        has_numbers=bool(writer.terms.numbers),
        has_time=has_time(problem.kind),
    )


def _join(lines: Iterable[str]) -> str:
    return "\n".join([*lines, ")", ""])


class _Writer:
    """Writes the lines of a PDDL domain and of its problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.terms = TermWriter(problem)
        self.costs = read_costs(problem)
        tables = {} if self.costs is None else self.costs.tables
        # Costs that depend on the parameters of an action are functions.
        self._cost_functions: dict[str, CostTable] = {
            action: table for action, table in tables.items() if table.constant is None
        }

    def domain_lines(self) -> list[str]:
        """Return the lines of the domain, without the closing parenthesis."""
        lines = ["(define (domain d)", f"(:requirements {self._requirements()})"]
        lines += _section("types", self._types())
        lines += _section("constants", self._constants())
        lines += _section("predicates", self._predicates())
        lines += _section("functions", self._functions())
        for action in self.problem.actions:
            if isinstance(action, model.DurativeAction):
                lines += self._durative_action(action)
            else:
                lines += self._action(action)
        return lines

    def _requirements(self) -> str:
        requirements = [":adl"]
        if self.costs is not None:
            requirements.append(":action-costs")
        if self.terms.numbers:
            requirements.append(":numeric-fluents")
        if has_demands(self.problem.kind):
            requirements += [":constraints", ":preferences"]
        return " ".join(requirements)

    def _types(self) -> Iterator[str]:
        for kind in self.problem.user_types:
            parent = "object" if kind.father is None else self.terms.name(kind.father)
            yield f"{self.terms.name(kind)} - {parent}"

    def _constants(self) -> Iterator[str]:
        for item in self.problem.all_objects:
            yield f"{self.terms.name(item)} - {self.terms.name(item.type)}"

    def _predicates(self) -> Iterator[str]:
        for fluent in self.problem.fluents:
            if fluent.type.is_bool_type():
                yield self.terms.declaration(fluent)

    def _functions(self) -> Iterator[str]:
        for fluent in self.terms.numbers:
            yield f"{self.terms.declaration(fluent)} - number"
        if self.costs is not None:
            yield "(total-cost) - number"
        for action, table in self._cost_functions.items():
            name = self._cost_name(action)
            yield f"({name} {self.terms.typed_list(table.parameters)}) - number"

    def _cost_name(self, action: str) -> str:
        return self.terms.names.of(("cost", action), f"cost-{action}")

    def _action_name(self, action: model.Action) -> str:
        return self.terms.names.of(action, action.name, "a")

    def _action(self, action: model.InstantaneousAction) -> list[str]:
        effects: list[str] = []
        for effect in action.effects:
            effects += self.terms.effects(effect)
        conditions = [self.terms.formula(condition) for condition in action.preconditions]
        for effect in action.effects:
            conditions += self.terms.bounds(effect)
        if self.costs is not None:
            effects.append(f"(increase (total-cost) {self._cost(action.name)})")
        return [
            f"(:action {self._action_name(action)}",
            f"  :parameters ({self.terms.typed_list(action.parameters)})",
            f"  :precondition (and {' '.join(conditions)})",
            f"  :effect (and {' '.join(effects)}))",
        ]

    def _cost(self, action: str) -> str:
        """Return the cost of an action as PDDL: a number, or a term of its cost function."""
        assert self.costs is not None
        table = self.costs.tables[action]
        if table.constant is not None:
            return str(table.constant)
        return call(self._cost_name(action), map(self.terms.name, table.parameters))

    def _durative_action(self, action: model.DurativeAction) -> list[str]:
        duration = self._duration(action)
        conditions = []
        for interval, several in action.conditions.items():
            times = _times_of(interval)
            for condition in several:
                formula = self.terms.formula(condition)
                conditions += [f"({time} {formula})" for time in times]
        effects = []
        for timing, changes in action.effects.items():
            time = _end_of(timing)
            for change in changes:
                conditions += [f"({time} {bound})" for bound in self.terms.bounds(change)]
                effects += [f"({time} {effect})" for effect in self.terms.effects(change)]
        return [
            f"(:durative-action {self._action_name(action)}",
            f"  :parameters ({self.terms.typed_list(action.parameters)})",
            f"  :duration (and {' '.join(duration)})",
            f"  :condition (and {' '.join(conditions)})",
            f"  :effect (and {' '.join(effects)}))",
        ]

    def _duration(self, action: model.DurativeAction) -> list[str]:
        duration = action.duration
        if duration.is_left_open() or duration.is_right_open():
            raise UPUsageError(f"{action.name}: asplan takes durations with closed bounds")
        lower = self.terms.formula(duration.lower)
        upper = self.terms.formula(duration.upper)
        if duration.lower == duration.upper:
            return [f"(= ?duration {lower})"]
        return [f"(>= ?duration {lower})", f"(<= ?duration {upper})"]

    def problem_lines(self) -> list[str]:
        """Return the lines of the problem, without the closing parenthesis."""
        lines = ["(define (problem p) (:domain d)", "(:init"]
        lines += self._explicit_values()
        lines += self._default_values()
        lines += self._timed_literals()
        lines += self._costs()
        lines += [")", "(:goal (and"]
        lines += [self.terms.formula(goal) for goal in self.problem.goals]
        lines += [f"(preference g{n} {goal})" for n, (goal, _) in enumerate(self._soft_goals())]
        lines.append("))")
        constraints = list(self._constraints())
        if constraints:
            lines += _section("constraints", ["(and", *constraints, ")"])
        lines += self._metric()
        return lines

    def _explicit_values(self) -> Iterator[str]:
        for atom, value in self.problem.explicit_initial_values.items():
            if value.is_true() or atom.fluent() in self.terms.numbers:
                arguments = [argument.object() for argument in atom.args]
                yield self.terms.initial_value(atom.fluent(), arguments, value)

    def _default_values(self) -> Iterator[str]:
        """Yield the initial values of all atoms that have a default value and no explicit one."""
        explicit = self.problem.explicit_initial_values
        for fluent, value in self.problem.fluents_defaults.items():
            if not value.is_true() and fluent not in self.terms.numbers:
                continue
            objects = [list(self.problem.objects(item.type)) for item in fluent.signature]
            for arguments in product(*objects):
                if fluent(*arguments) not in explicit:
                    yield self.terms.initial_value(fluent, arguments, value)

    def _timed_literals(self) -> Iterator[str]:
        for timing, effects in self.problem.timed_effects.items():
            for effect in effects:
                if timing.is_from_end() or not self._is_literal(effect):
                    message = (
                        f"{effect} at {timing}: asplan accepts literals at times from the start"
                    )
                    raise UPUsageError(message)
                time = number_text(Fraction(timing.delay))
                for literal in self.terms.effects(effect):
                    yield f"(at {time} {literal})"

    def _is_literal(self, effect: Effect) -> bool:
        """Return whether an effect sets one atom, with neither condition nor quantifier."""
        is_numeric = effect.fluent.fluent() in self.terms.numbers
        return effect.condition.is_true() and not effect.is_forall() and not is_numeric

    def _costs(self) -> Iterator[str]:
        if self.costs is not None:
            yield "(= (total-cost) 0)"
        for action, table in self._cost_functions.items():
            for objects, value in table.values.items():
                yield f"(= {call(self._cost_name(action), map(self.terms.name, objects))} {value})"

    def _soft_goals(self) -> Iterator[tuple[str, str]]:
        """Yield the soft goals of an oversubscription metric with their rewards."""
        metric = next(iter(self.problem.quality_metrics), None)
        if isinstance(metric, Oversubscription):
            for goal, reward in metric.goals.items():
                yield self.terms.formula(goal), number_text(Fraction(reward))

    def _constraints(self) -> Iterator[str]:
        for constraint in self.problem.trajectory_constraints:
            yield self._constraint(constraint)

    def _constraint(self, constraint: FNode) -> str:
        """Return the PDDL text of a trajectory constraint.

        unified-planning simplifies some constraints to a truth value; such a value is written as
        the condition of `always`.
        """
        formula = self.terms.formula(constraint)
        return f"(always {formula})" if constraint.is_bool_constant() else str(formula)

    def _metric(self) -> Iterator[str]:
        match next(iter(self.problem.quality_metrics), None):
            case MinimizeExpressionOnFinalState(expression=expression):
                yield f"(:metric minimize {self.terms.formula(expression)})"
            case MaximizeExpressionOnFinalState(expression=expression):
                yield f"(:metric maximize {self.terms.formula(expression)})"
            case Oversubscription() as metric:
                rewards = [Fraction(reward) for reward in metric.goals.values()]
                total = number_text(sum(rewards, Fraction(0)))
                losses = [
                    f"(* {reward} (is-violated g{n}))"
                    for n, (_, reward) in enumerate(self._soft_goals())
                ]
                yield f"(:metric maximize (- {total} (+ 0 {' '.join(losses)})))"
            case _ if self.costs is not None:
                yield "(:metric minimize (total-cost))"


def _times_of(interval: TimeInterval) -> list[str]:
    """Return the PDDL time specifiers of a condition that must hold during an interval.

    A closed end of the interval adds `at start` or `at end` to `over all`.
    """
    begins_at_start = interval.lower.is_from_start()
    ends_at_end = interval.upper.is_from_end()
    if interval.lower == interval.upper:
        return ["at start" if begins_at_start else "at end"]
    times = ["over all"]
    if begins_at_start and not interval.is_left_open():
        times.append("at start")
    if ends_at_end and not interval.is_right_open():
        times.append("at end")
    return times


def _end_of(timing: Timing) -> str:
    return "at start" if timing.is_from_start() else "at end"


def _section(name: str, lines: Iterable[str]) -> list[str]:
    """Return a section of a PDDL file with indented lines; no lines if the section is empty."""
    indented = [f"  {line}" for line in lines]
    return [f"(:{name}", *indented, ")"] if indented else []
