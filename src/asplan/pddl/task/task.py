"""A finite-domain task: what a PDDL task is once it is grounded.

A state gives each variable one of its values. Operators change it; derived variables follow from
it by axioms, layer by layer. The form is that of Helmert, Concise Finite-Domain Representations for
PDDL Planning Tasks, Artificial Intelligence 173, 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from asplan.core.graphs import closure

Fact = tuple[int, int]  # a variable and one of its values, both counted from 0
NONE = "none"  # the value of a variable of whose atoms none holds

_ABSENT = "absent("


def absent(atom: str) -> str:
    """The value of a variable that says that an atom does not hold, which another one has too.

    >>> absent("on(a,b)"), denied(absent("on(a,b)")), denied("on(a,b)")
    ('absent(on(a,b))', 'on(a,b)', None)
    """
    return f"{_ABSENT}{atom})"


def denied(value: str) -> str | None:
    """The atom of which a value says that it does not hold; None for other values."""
    return value[len(_ABSENT) : -1] if value.startswith(_ABSENT) else None


@dataclass(frozen=True)
class Variable:
    """A state variable.

    Each value is an atom as an ASP term, such as `on(a,b)`, or `none`; an atom is a value of one
    variable only. A derived variable has the layer of its axioms, from 0.
    """

    values: tuple[str, ...]
    layer: int = -1

    @property
    def is_derived(self) -> bool:
        """Whether axioms, not operators, set it."""
        return self.layer >= 0


@dataclass(frozen=True)
class Effect:
    """What an operator does: its variable takes the value if the condition held before."""

    fact: Fact
    condition: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Operator:
    """A ground action, or one of several that stand for one whose condition is a disjunction.

    `action` is a term of ASP, such as `stack(a,b)`.
    """

    action: str
    precondition: tuple[Fact, ...]
    effects: tuple[Effect, ...]
    cost: int = 1

    @property
    def always(self) -> list[Fact]:
        """What it brings about without a further condition."""
        return [effect.fact for effect in self.effects if not effect.condition]

    @property
    def conditions(self) -> set[Fact]:
        """All facts that it asks for, or that one of its effects does."""
        return set(self.precondition).union(*(effect.condition for effect in self.effects))


@dataclass(frozen=True)
class Axiom:
    """A derived variable has a value if the condition holds."""

    fact: Fact
    condition: tuple[Fact, ...]


@dataclass(frozen=True)
class Task:
    """A finite-domain task; its `static` atoms and its `objects` are for drawing, as ASP terms."""

    variables: tuple[Variable, ...]
    initial: tuple[int, ...]  # of a derived variable that which it has if no axiom applies
    goal: tuple[Fact, ...]
    operators: tuple[Operator, ...]
    axioms: tuple[Axiom, ...] = ()
    # Groups of facts of which at most one holds in each state that can be reached; those of one
    # variable alone are left out.
    mutexes: tuple[tuple[Fact, ...], ...] = ()
    static: tuple[str, ...] = ()  # what holds in every state
    objects: tuple[tuple[str, str], ...] = ()  # each with each of its types
    has_costs: bool = False  # whether the costs of actions count; else each costs 1
    hopeless: str = ""  # why there is no plan, where that is plain from the start
    clash: tuple[str, ...] = ()  # atoms that exclude each other; the goal asks for the first two
    # What happens beside every step, in the state before it, and must apply there. It counts
    # neither as an action nor as a cost.
    monitor: Operator | None = None
    is_stub: bool = False  # whether it stands for a task that nobody grounded, as that was plain
    names: tuple[str, ...] = ()  # of the operators in facts, where these are not their numbers

    @cached_property
    def merged(self) -> Task:
        """The same task without a monitor, whose part every operator does."""
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
        """For each action the numbers of the operators that stand for it."""
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
        """The variables that operators set."""
        return [v for v, variable in enumerate(self.variables) if not variable.is_derived]

    @cached_property
    def derived(self) -> list[int]:
        return [v for v, variable in enumerate(self.variables) if variable.is_derived]

    @cached_property
    def basis(self) -> dict[int, frozenset[int]]:
        """For each derived variable those on which it rests and that operators set."""
        direct: dict[int, set[int]] = {v: set() for v in self.derived}
        for axiom in self.axioms:
            direct[axiom.fact[0]].update(v for v, _ in axiom.condition)
        below = {v: closure([v], lambda w: direct.get(w, ())) for v in direct}
        return {v: frozenset(found - direct.keys()) for v, found in below.items()}

    @cached_property
    def packing(self) -> Packing:
        """States as numbers, in which derived variables have the highest bits."""
        return Packing(
            [len(variable.values) for variable in self.variables], [*self.basic, *self.derived]
        )

    def with_facts(self, new: Callable[[Iterable[Fact]], tuple[Fact, ...]]) -> Task:
        """The task with other facts in the place of its own; an effect goes with its fact.

        Variables, their initial values and the monitor stay as they are.
        """

        def effects(several: Iterable[Effect]) -> tuple[Effect, ...]:
            return tuple(Effect(f, new(e.condition)) for e in several for f in new([e.fact]))

        return replace(
            self,
            goal=new(self.goal),
            operators=tuple(
                replace(o, precondition=new(o.precondition), effects=effects(o.effects))
                for o in self.operators
            ),
            axioms=tuple(Axiom(f, new(a.condition)) for a in self.axioms for f in new([a.fact])),
            mutexes=tuple(g for g in map(new, self.mutexes) if len({v for v, _ in g}) > 1),
        )

    @property
    def firing_axioms(self) -> list[Axiom]:
        """The axioms but for those that set what holds anyway, and so would only undo others."""
        return [axiom for axiom in self.axioms if axiom.fact[1] != self.initial[axiom.fact[0]]]

    def atom(self, fact: Fact) -> str:
        """The atom that a fact stands for, or `none`."""
        return self.variables[fact[0]].values[fact[1]]

    @cached_property
    def facts(self) -> list[Fact]:
        """All facts, in the order of variables and values."""
        return [fact for v in range(len(self.variables)) for fact in self.facts_of(v)]

    def facts_of(self, variable: int) -> list[Fact]:
        """A variable with each of its values."""
        return [(variable, value) for value in range(len(self.variables[variable].values))]


def task_without_plan(why: str) -> Task:
    """Return a task without a plan, which stands for one that nobody grounded."""
    never = Variable((NONE, "never"))
    return Task((never,), (0,), ((0, 1),), (), hopeless=why, is_stub=True)


BitTest = tuple[int, int]  # a mask and a value: it holds in a state if `state & mask == value`
NEVER: BitTest = (0, 1)  # the test that no state passes


class Packing:
    """States as whole numbers: each variable has a field of bits of its own.

    For each variable `widths` has its number of bits, `shifts` the lowest of them, and `masks` the
    largest number that they hold.

    >>> packing = Packing([2, 3], order=[0, 1])
    >>> packing.pack([(0, 1), (1, 2)]), packing.test([(1, 2)])
    (5, (6, 4))
    """

    def __init__(self, sizes: Sequence[int], order: Sequence[int]) -> None:
        """Variables that have so many values; the first of the order has the lowest bits."""
        self.widths = [(size - 1).bit_length() for size in sizes]
        starts = accumulate((self.widths[variable] for variable in order), initial=0)
        self.shifts = [shift for _, shift in sorted(zip(order, starts, strict=False))]
        self.masks = [(1 << width) - 1 for width in self.widths]

    def pack(self, facts: Iterable[Fact]) -> int:
        """The number in which these facts hold, all other variables being 0."""
        return sum(value << self.shifts[variable] for variable, value in facts)

    def fields(self, variables: Iterable[int]) -> int:
        """The bits of some variables."""
        return sum(self.masks[variable] << self.shifts[variable] for variable in set(variables))

    def value(self, state: int, variable: int) -> int:
        return state >> self.shifts[variable] & self.masks[variable]

    def holds(self, state: int, fact: Fact) -> bool:
        return self.value(state, fact[0]) == fact[1]

    def test(self, facts: Iterable[Fact]) -> BitTest:
        """All of these facts at once; `NEVER` if two of them are of one variable."""
        chosen = set(facts)
        if contradicts_itself(chosen):
            return NEVER
        return self.fields(variable for variable, _ in chosen), self.pack(chosen)


def contradicts_itself(facts: Iterable[Fact]) -> bool:
    """Whether two of some facts are of the same variable."""
    chosen = set(facts)
    return len({variable for variable, _ in chosen}) < len(chosen)
