"""Reads the facts of a finite-domain task, and says what is wrong with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clingo import Symbol, SymbolType

from asplan.domains.pddl.task import Axiom, Effect, Fact, Operator, Task, Variable
from asplan.facts import Facts


def read(facts: Facts) -> Task:
    """The task that facts describe.

    Variables, operators and the like may have any names; they are counted in the order of terms.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    return _Reader(facts).task()


@dataclass
class _Reader:
    facts: Facts
    variables: dict[Symbol, int] = field(init=False)
    values: list[dict[Symbol, int]] = field(init=False)

    def __post_init__(self) -> None:
        found = sorted(fact.arguments[0] for fact in self.facts.named("variable", 1))
        self.variables = {name: v for v, name in enumerate(found)}
        self.values = [{} for _ in found]
        for fact in self.facts.named("value", 2):
            known = self.values[self._variable(fact, fact.arguments[0])]
            known[fact.arguments[1]] = len(known)

    def task(self) -> Task:
        """All of it."""
        named = self.facts.named
        return Task(
            variables=tuple(self._variables()),
            initial=self._initial(),
            goal=tuple(self._fact(fact, *fact.arguments) for fact in named("goal", 2)),
            operators=tuple(self._operators()),
            axioms=tuple(self._axioms()),
            mutexes=tuple(tuple(group) for group in self._grouped("mutex").values()),
            static=tuple(str(fact.arguments[0]) for fact in named("static", 1)),
            objects=tuple((str(f.arguments[0]), str(f.arguments[1])) for f in named("object", 2)),
            has_costs=bool(named("costs", 0)),
        )

    def _variables(self) -> Iterable[Variable]:
        layers = {f.arguments[0]: self._number(f, 1) for f in self.facts.named("derived", 2)}
        for fact in self.facts.named("derived", 2):
            self._variable(fact, fact.arguments[0])
        for name, v in self.variables.items():
            yield Variable(tuple(map(str, self.values[v])), layers.get(name, -1))

    def _initial(self) -> tuple[int, ...]:
        found: dict[int, int] = {}
        for fact in self.facts.named("initially", 2):
            v, d = self._fact(fact, *fact.arguments)
            if v in found:
                raise self.facts.error(f"a second value for variable {fact.arguments[0]}", fact)
            found[v] = d
        for name, v in self.variables.items():
            if v not in found:
                raise self.facts.error(
                    f"has no value for variable {name} at the start",
                    mend=f"write initially({name},…).",
                )
        return tuple(found[v] for v in range(len(self.values)))

    def _operators(self) -> Iterable[Operator]:
        costs = {f.arguments[0]: self._number(f, 1) for f in self.facts.named("cost", 2)}
        actions = {f.arguments[0]: f.arguments[1] for f in self.facts.named("operator", 2)}
        preconditions, effects = self._grouped("precondition"), self._effects()
        for fact in self._of(("cost", 2), ("precondition", 3), ("effect", 3), ("effect", 4)):
            if fact.arguments[0] not in actions:
                raise self.facts.error(
                    f"there is no operator {fact.arguments[0]}",
                    fact,
                    mend=f"write operator({fact.arguments[0]},…).",
                )
        for name in sorted(actions):
            action, cost = str(actions[name]), costs.get(name, 1)
            yield Operator(action, tuple(preconditions[name]), tuple(effects[name]), cost)

    def _effects(self) -> Mapping[Symbol, list[Effect]]:
        found: defaultdict[Symbol, list[Effect]] = defaultdict(list)
        conditions = self._grouped("when")
        for fact in self.facts.named("effect", 3):
            name, *rest = fact.arguments
            found[name].append(Effect(self._fact(fact, *rest)))
        for fact in self.facts.named("effect", 4):
            name, variable, value, number = fact.arguments
            if number not in conditions:
                raise self.facts.error(
                    f"the effect {number} has no condition", fact, mend=f"write when({number},…)."
                )
            condition = tuple(conditions[number])
            found[name].append(Effect(self._fact(fact, variable, value), condition))
        return found

    def _axioms(self) -> Iterable[Axiom]:
        bodies = self._grouped("body")
        derived = {fact.arguments[0] for fact in self.facts.named("derived", 2)}
        for fact in sorted(self.facts.named("rule", 3)):
            name, variable, value = fact.arguments
            if variable not in derived:
                raise self.facts.error(
                    f"variable {variable} is not derived",
                    fact,
                    mend=f"write derived({variable},Layer).",
                )
            yield Axiom(self._fact(fact, variable, value), tuple(bodies[name]))

    def _grouped(self, predicate: str) -> defaultdict[Symbol, list[Fact]]:
        found: defaultdict[Symbol, list[Fact]] = defaultdict(list)
        for fact in self.facts.named(predicate, 3):
            name, variable, value = fact.arguments
            found[name].append(self._fact(fact, variable, value))
        return found

    def _of(self, *predicates: tuple[str, int]) -> Iterable[Symbol]:
        return (fact for name, arity in predicates for fact in self.facts.named(name, arity))

    def _fact(self, fact: Symbol, variable: Symbol, value: Symbol) -> Fact:
        v = self._variable(fact, variable)
        if value not in self.values[v]:
            raise self.facts.error(
                f"variable {variable} has no value {value}",
                fact,
                mend=f"write value({variable},{value}).",
            )
        return v, self.values[v][value]

    def _variable(self, fact: Symbol, name: Symbol) -> int:
        if name not in self.variables:
            raise self.facts.error(
                f"there is no variable {name}", fact, mend=f"write variable({name})."
            )
        return self.variables[name]

    def _number(self, fact: Symbol, place: int) -> int:
        term = fact.arguments[place]
        if term.type != SymbolType.Number or term.number < 0:
            raise self.facts.error(f"{term} is no number from 0", fact)
        return int(term.number)
