"""Finite-domain tasks, the ground form of PDDL tasks.

A state gives each variable one of its values. Operators change the state. Axioms set derived
variables, layer by layer. Source: Helmert, Concise Finite-Domain Representations for PDDL Planning
Tasks, Artificial Intelligence 173, 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, chain

from asplan.core.dataclass import dataclass
from asplan.core.graphs import closure

Fact = tuple[int, int]
"""A variable and one of its values, both counted from 0."""

NONE = "none"
"""The value of a variable in states in which none of its atoms holds."""

_ABSENT = "absent("


def absent(atom: str) -> str:
    """Return the value "this atom does not hold", for an atom that is a value of another variable.

    >>> absent("on(a,b)"), denied(absent("on(a,b)")), denied("on(a,b)")
    ('absent(on(a,b))', 'on(a,b)', None)
    """
    return f"{_ABSENT}{atom})"


def denied(value: str) -> str | None:
    """Return the atom that a value such as `absent(on(a,b))` negates; None for other values."""
    return value[len(_ABSENT) : -1] if value.startswith(_ABSENT) else None


@dataclass(frozen=True)
class Variable:
    """A state variable.

    Attributes
    ----------
    values
        Atoms as ASP terms, such as `on(a,b)`, or `none`. An atom is a value of one variable only.
    layer
        The layer of the axioms that set a derived variable, from 0; -1 for other variables.
    """

    values: tuple[str, ...]
    layer: int = -1

    @property
    def is_derived(self) -> bool:
        """True if axioms set the variable, not operators."""
        return self.layer >= 0


@dataclass(frozen=True)
class Effect:
    """An effect of an operator: the fact becomes true if the condition held before."""

    fact: Fact
    condition: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Operator:
    """The operator of a ground action; an action with a disjunctive precondition has several.

    `action` is the ASP term of the action, such as `stack(a,b)`.
    """

    action: str
    precondition: tuple[Fact, ...]
    effects: tuple[Effect, ...]
    cost: int = 1

    @property
    def always(self) -> list[Fact]:
        """The facts of the unconditional effects."""
        return [effect.fact for effect in self.effects if not effect.condition]

    @property
    def conditions(self) -> set[Fact]:
        """The facts of the precondition and of the conditions of effects."""
        return set(self.precondition).union(*(effect.condition for effect in self.effects))


@dataclass(frozen=True)
class Axiom:
    """An axiom: the fact, a value of a derived variable, holds if the condition holds."""

    fact: Fact
    condition: tuple[Fact, ...]


@dataclass(frozen=True)
class Task:
    """A finite-domain task.

    Attributes
    ----------
    initial
        The initial value of each variable; for a derived variable its value if no axiom applies.
    mutexes
        Groups of facts of several variables. In each reachable state at most one of them holds.
    static
        The atoms that hold in every state, as ASP terms. Only drawings use them.
    objects
        Pairs of an object and one of its types, as ASP terms. Only drawings use them.
    has_costs
        True if the costs of actions count; else each costs 1.
    hopeless
        The reason why there is no plan, if this is known from the start.
    clash
        If the goal requires two atoms that exclude each other: these two, and then the other atoms
        of their mutex group. Otherwise empty.
    monitor
        An operator that must apply before every step and happens together with it. It counts
        neither as an action nor as a cost.
    is_stub
        True if the task is a stub: it has no plan, so it was never grounded.
    names
        The names of the operators in facts; empty if these are their numbers.
    """

    variables: tuple[Variable, ...]
    initial: tuple[int, ...]
    goal: tuple[Fact, ...]
    operators: tuple[Operator, ...]
    axioms: tuple[Axiom, ...] = ()
    mutexes: tuple[tuple[Fact, ...], ...] = ()
    static: tuple[str, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()
    has_costs: bool = False
    hopeless: str = ""
    clash: tuple[str, ...] = ()
    monitor: Operator | None = None
    is_stub: bool = False
    names: tuple[str, ...] = ()

    @cached_property
    def merged(self) -> Task:
        """The task with the precondition and effects of the monitor added to every operator."""
        monitor = self.monitor
        if monitor is None:
            return self
        operators = (
            replace(
                operator,
                precondition=tuple(sorted({*operator.precondition, *monitor.precondition})),
                effects=(*operator.effects, *monitor.effects),
            )
            for operator in self.operators
        )
        return replace(self, operators=tuple(operators), monitor=None)

    @cached_property
    def by_action(self) -> dict[str, list[int]]:
        """The numbers of the operators of each action."""
        found: dict[str, list[int]] = {}
        for o, operator in enumerate(self.operators):
            found.setdefault(operator.action, []).append(o)
        return found

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each operator, by its name in facts."""
        names = self.names or map(str, range(len(self.operators)))
        return {name: number for number, name in enumerate(names)}

    @cached_property
    def basic(self) -> list[int]:
        """The variables that operators set; the others are derived."""
        return [v for v, variable in enumerate(self.variables) if not variable.is_derived]

    @cached_property
    def derived(self) -> list[int]:
        """The variables that axioms set."""
        return [v for v, variable in enumerate(self.variables) if variable.is_derived]

    @cached_property
    def basis(self) -> dict[int, frozenset[int]]:
        """The basic variables on which each derived variable depends, directly or indirectly."""
        direct: dict[int, set[int]] = {v: set() for v in self.derived}
        for axiom in self.axioms:
            direct[axiom.fact[0]].update(v for v, _ in axiom.condition)
        below = {v: closure([v], lambda w: direct.get(w, ())) for v in direct}
        return {v: frozenset(found - direct.keys()) for v, found in below.items()}

    @cached_property
    def packing(self) -> Packing:
        """The layout of states as whole numbers; derived variables have the highest bits."""
        return Packing(
            [len(variable.values) for variable in self.variables], [*self.basic, *self.derived]
        )

    def with_facts(
        self,
        new: Callable[[Iterable[Fact]], tuple[Fact, ...]],
    ) -> Task:
        """Return the task with other facts in its operators, axioms, goal and mutex groups.

        `new` returns the facts that replace given facts, such as the facts of a condition; they may
        be fewer. If `new` returns no fact for an effect or axiom, the task loses this effect or
        axiom. Variables, their initial values and the monitor stay the same.
        """
        operators = list[Operator]()
        for operator in self.operators:
            effects = list[Effect]()
            for effect in operator.effects:
                condition = new(effect.condition)
                effects += [Effect(fact, condition) for fact in new([effect.fact])]
            precondition = new(operator.precondition)
            operators.append(
                replace(
                    operator,
                    precondition=precondition,
                    effects=tuple(effects),
                )
            )
        axioms = list[Axiom]()
        for axiom in self.axioms:
            condition = new(axiom.condition)
            axioms += [Axiom(fact, condition) for fact in new([axiom.fact])]
        groups = map(new, self.mutexes)
        return replace(
            self,
            goal=new(self.goal),
            operators=tuple(operators),
            axioms=tuple(axioms),
            mutexes=tuple(group for group in groups if _count_variables(group) > 1),
        )

    @property
    def firing_axioms(self) -> list[Axiom]:
        """The axioms that change the default value of their variable; others have no effect."""
        return [axiom for axiom in self.axioms if axiom.fact[1] != self.initial[axiom.fact[0]]]

    def atom(self, fact: Fact) -> str:
        """Return the text of the value in a fact: an ASP atom, or `none`."""
        return self.variables[fact[0]].values[fact[1]]

    @cached_property
    def facts(self) -> list[Fact]:
        """All facts, in the order of variables and their values."""
        return list(chain.from_iterable(map(self.facts_of, range(len(self.variables)))))

    def facts_of(self, variable: int) -> list[Fact]:
        """Return the facts of a variable."""
        return [(variable, value) for value in range(len(self.variables[variable].values))]


def task_without_plan(why: str) -> Task:
    """Return a stub for a task that has no plan, so that grounding it is needless.

    `why` is the reason, for messages.
    """
    never = Variable((NONE, "never"))
    return Task(
        (never,),
        (0,),
        ((0, 1),),
        (),
        hopeless=why,
        is_stub=True,
    )


BitTest = tuple[int, int]
"""A mask and a value; a state passes the test if `state & mask == value`."""

NEVER: BitTest = (0, 1)
"""The test that no state passes."""


class Packing:
    """A packing of states as whole numbers, in which each variable has a field of bits.

    Attributes
    ----------
    widths
        The number of bits of each variable.
    shifts
        The index of the lowest bit of each variable.
    masks
        The largest number in the field of each variable.

    >>> packing = Packing([2, 3], order=[0, 1])
    >>> packing.pack([(0, 1), (1, 2)]), packing.test([(1, 2)])
    (5, (6, 4))
    """

    def __init__(
        self,
        sizes: Sequence[int],
        order: Sequence[int],
    ) -> None:
        """Lay out the fields of variables, given the number of values of each.

        The first variable in `order` gets the lowest bits.
        """
        self.widths = [(size - 1).bit_length() for size in sizes]
        starts = accumulate((self.widths[variable] for variable in order), initial=0)
        self.shifts = [shift for _, shift in sorted(zip(order, starts, strict=False))]
        self.masks = [(1 << width) - 1 for width in self.widths]

    def pack(self, facts: Iterable[Fact]) -> int:
        """Return the state in which these facts hold and all other variables have the value 0."""
        return sum(value << self.shifts[variable] for variable, value in facts)

    def fields(self, variables: Iterable[int]) -> int:
        """Return the mask with the bits of some variables set."""
        return sum(self.masks[variable] << self.shifts[variable] for variable in set(variables))

    def value(self, state: int, variable: int) -> int:
        """Return the value of a variable in a state."""
        return state >> self.shifts[variable] & self.masks[variable]

    def holds(self, state: int, fact: Fact) -> bool:
        """Return whether a fact holds in a state."""
        return self.value(state, fact[0]) == fact[1]

    def test(self, facts: Iterable[Fact]) -> BitTest:
        """Return a test, which a state passes if all of these facts hold.

        It is `NEVER`, which no state passes, if two of the facts contradict each other.
        """
        chosen = set(facts)
        if contradicts_itself(chosen):
            return NEVER
        return self.fields(variable for variable, _ in chosen), self.pack(chosen)


def contradicts_itself(facts: Iterable[Fact]) -> bool:
    """Return whether facts include two different values of one variable."""
    chosen = set(facts)
    return _count_variables(chosen) < len(chosen)


def _count_variables(facts: Iterable[Fact]) -> int:
    return len({variable for variable, _ in facts})
