"""The conversion of facts to a finite-domain task; `facts` describes the converse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from asplan.clingo import Symbol, SymbolType
from asplan.core.facts import Facts
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import (
    Axiom,
    Effect,
    Fact,
    Operator,
    Task,
    Variable,
)


def model_of(facts: Facts) -> TaskModel:
    """Return the model of the task that the facts define; raise the errors of `read`."""
    return TaskModel(read(facts))


def read(facts: Facts) -> Task:
    """Return the task that the facts define.

    Variables, operators, axioms and mutex groups may have any terms as names. They are numbered in
    the order of these terms.

    Raises
    ------
    InputError
        If a fact contradicts others or refers to something undefined, or the task has numbers.
    """
    numeric = facts.named("number", 2)
    if numeric:
        raise facts.error(
            "asplan cannot solve a task with numbers from facts, as they cannot check its plans",
            numeric[0],
            hint="solve the PDDL files instead",
        )
    return _Reader(facts).task()


class _Reader:
    """A reader of the facts of a task; it numbers the variables and their values."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.named = facts.named
        names = sorted(fact.arguments[0] for fact in self.named("variable", 1))
        self.variables = {name: v for v, name in enumerate(names)}
        self.values: list[dict[Symbol, int]] = [{} for _ in names]
        for fact in self.named("value", 2):
            values = self.values[self._variable(fact, fact.arguments[0])]
            values[fact.arguments[1]] = len(values)

    def task(self) -> Task:
        """Return the task that the facts define.

        Raise `InputError` at a fact that makes no sense.
        """
        layers = dict[int, int]()
        for fact in self.named("derived", 2):
            layers[self._variable(fact, fact.arguments[0])] = self._number(fact)
        variables = list[Variable]()
        for v, values in enumerate(self.values):
            variables.append(Variable(tuple(map(str, values)), layers.get(v, -1)))
        return Task(
            variables=tuple(variables),
            initial=self._initial(),
            goal=tuple(self._fact(fact, *fact.arguments) for fact in self.named("goal", 2)),
            operators=tuple(self._operators()),
            axioms=tuple(self._axioms(layers)),
            mutexes=tuple(map(tuple, self._grouped("mutex").values())),
            static=tuple(str(fact.arguments[0]) for fact in self.named("static", 1)),
            objects=tuple((str(a), str(b)) for a, b in self._pairs("object")),
            has_costs=bool(self.named("costs", 0)),
            names=self._names(),
        )

    def _names(self) -> tuple[str, ...]:
        """Return the names of the operators; an empty tuple if the names are the numbers from 0."""
        names = tuple(map(str, sorted(dict(self._pairs("operator")))))
        return () if names == tuple(map(str, range(len(names)))) else names

    def _initial(self) -> tuple[int, ...]:
        initial: dict[int, int] = {}
        for fact in self.named("initially", 2):
            v, d = self._fact(fact, *fact.arguments)
            if v in initial:
                problem = f"variable {fact.arguments[0]} has a second initial value"
                raise self.facts.error(problem, fact)
            initial[v] = d
        for name, v in self.variables.items():
            if v not in initial:
                hint = f"write initially({name},…)."
                raise self.facts.error(f"has no initial value for variable {name}", hint=hint)
        return tuple(initial[v] for v in range(len(self.values)))

    def _operators(self) -> Iterator[Operator]:
        actions = dict(self._pairs("operator"))
        for predicate, arity in (
            ("cost", 2),
            ("precondition", 3),
            ("effect", 3),
            ("effect", 4),
        ):
            for fact in self.named(predicate, arity):
                name = fact.arguments[0]
                if name not in actions:
                    hint = f"write operator({name},…)."
                    raise self.facts.error(f"there is no operator {name}", fact, hint=hint)
        costs = {fact.arguments[0]: self._number(fact) for fact in self.named("cost", 2)}
        preconditions = self._grouped("precondition")
        effects = self._effects()
        for name in sorted(actions):
            yield Operator(
                str(actions[name]),
                tuple(preconditions[name]),
                tuple(effects[name]),
                costs.get(name, 1),
            )

    def _effects(self) -> defaultdict[Symbol, list[Effect]]:
        """Return the effects of each operator, by the operator's name."""
        conditions = self._grouped("when")
        effects: defaultdict[Symbol, list[Effect]] = defaultdict(list)
        for name, facts in self._grouped("effect").items():
            effects[name] += map(Effect, facts)
        for fact in self.named("effect", 4):
            name, variable, value, number = fact.arguments
            if number not in conditions:
                hint = f"write when({number},…)."
                raise self.facts.error(f"effect {number} has no condition", fact, hint=hint)
            changed = self._fact(fact, variable, value)
            effects[name].append(Effect(changed, tuple(conditions[number])))
        return effects

    def _axioms(self, derived: Collection[int]) -> Iterator[Axiom]:
        bodies = self._grouped("body")
        for fact in sorted(self.named("rule", 3)):
            name, variable, value = fact.arguments
            if self.variables.get(variable) not in derived:
                hint = f"write derived({variable},Layer)."
                raise self.facts.error(f"variable {variable} is not derived", fact, hint=hint)
            yield Axiom(
                self._fact(
                    fact,
                    variable,
                    value,
                ),
                tuple(bodies[name]),
            )

    def _pairs(
        self,
        predicate: str,
    ) -> Iterator[tuple[Symbol, Symbol]]:
        return ((f.arguments[0], f.arguments[1]) for f in self.named(predicate, 2))

    def _grouped(
        self,
        predicate: str,
    ) -> defaultdict[Symbol, list[Fact]]:
        """Return the pairs of variable and value in the facts of a predicate with three arguments.

        The pairs are grouped by the first argument, the name of an operator, axiom or group.
        """
        groups: defaultdict[Symbol, list[Fact]] = defaultdict(list)
        for fact in self.named(predicate, 3):
            name, variable, value = fact.arguments
            groups[name].append(self._fact(fact, variable, value))
        return groups

    def _fact(
        self,
        fact: Symbol,
        variable: Symbol,
        value: Symbol,
    ) -> Fact:
        v = self._variable(fact, variable)
        if value not in self.values[v]:
            hint = f"write value({variable},{value})."
            raise self.facts.error(f"variable {variable} has no value {value}", fact, hint=hint)
        return v, self.values[v][value]

    def _variable(self, fact: Symbol, name: Symbol) -> int:
        if name not in self.variables:
            hint = f"write variable({name})."
            raise self.facts.error(f"there is no variable {name}", fact, hint=hint)
        return self.variables[name]

    def _number(self, fact: Symbol) -> int:
        term = fact.arguments[1]
        if term.type != SymbolType.Number or term.number < 0:
            raise self.facts.error(f"{term} is not a whole number from 0", fact)
        return int(term.number)
