"""A finite-domain task: what a PDDL task is once it is grounded.

A state gives each variable one of its values. Operators change it; derived variables follow from
it by axioms, layer by layer. The form is that of Helmert, Concise Finite-Domain Representations for
PDDL Planning Tasks, Artificial Intelligence 173, 2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

REQUIRED = frozenset({("variable", 1), ("value", 2), ("initially", 2), ("operator", 2)})
OPTIONAL = frozenset(
    {
        ("goal", 2),
        ("cost", 2),
        ("costs", 0),
        ("precondition", 3),
        ("effect", 3),
        ("effect", 4),
        ("when", 3),
        ("derived", 2),
        ("rule", 3),
        ("body", 3),
        ("mutex", 3),
        ("circles", 0),
        ("circle", 2),
        ("next", 4),
        ("last", 3),
        ("seen", 4),
        ("static", 1),
        ("object", 2),
    }
)
"""The predicates that all instances have, and those that some have: what encodings read."""


Fact = tuple[int, int]
"""A variable and one of its values, both counted from 0."""

NONE = "none"
"""The value of a variable of whose atoms none holds."""


@dataclass(frozen=True)
class Variable:
    """A state variable.

    Attributes
    ----------
    values
        The atom that each value stands for, as an ASP term such as `on(a,b)`, or `none`. An atom
        is a value of one variable only.
    layer
        Of a derived variable the layer of its axioms, from 0; else -1.
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

    Attributes
    ----------
    action
        The action as an ASP term, such as `stack(a,b)`.
    """

    action: str
    precondition: tuple[Fact, ...]
    effects: tuple[Effect, ...]
    cost: int = 1


@dataclass(frozen=True)
class Axiom:
    """A derived variable has a value if the condition holds."""

    fact: Fact
    condition: tuple[Fact, ...]


@dataclass(frozen=True)
class Task:
    """A finite-domain task.

    Attributes
    ----------
    initial
        A value for each variable; for a derived one that which it has if no axiom applies.
    mutexes
        Groups of facts of which at most one holds in each state that can be reached; those of one
        variable alone are left out.
    static
        Atoms that hold in every state, as ASP terms; for drawing.
    objects
        Each object with each of its types, as ASP terms; for drawing.
    has_costs
        Whether the costs of actions count; else each costs 1.
    hopeless
        Why there is no plan, where that is plain from the start.
    is_stub
        Whether this only stands for a task that nobody grounded, as its answer was plain before.
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
    is_stub: bool = False


# States as whole numbers: each variable has a field of bits of its own.
#
# >>> packing = Packing([2, 3], order=[0, 1])
# >>> packing.pack([(0, 1), (1, 2)]), packing.condition([(1, 2)])
# (5, (6, 4))


Condition = tuple[int, int]
"""A mask and a value: it holds in a state if `state & mask == value`."""

NEVER: Condition = (0, 1)
"""The condition that holds in no state."""


class Packing:
    """Where the variables are in a number.

    Attributes
    ----------
    widths, shifts, masks
        For each variable its number of bits, the lowest of them, and the largest number that
        they hold.
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

    def field(self, variable: int) -> int:
        """The bits of a variable."""
        return self.masks[variable] << self.shifts[variable]

    def fields(self, variables: Iterable[int]) -> int:
        """The bits of some variables."""
        return sum(map(self.field, set(variables)))

    def value(self, state: int, variable: int) -> int:
        """The value of a variable."""
        return state >> self.shifts[variable] & self.masks[variable]

    def holds(self, state: int, fact: Fact) -> bool:
        """Whether a variable has a value."""
        return self.value(state, fact[0]) == fact[1]

    def condition(self, facts: Iterable[Fact]) -> Condition:
        """All of these facts at once; `NEVER` if two of them are of one variable."""
        chosen = set(facts)
        if contradicts_itself(chosen):
            return NEVER
        return self.fields(variable for variable, _ in chosen), self.pack(chosen)


def contradicts_itself(facts: Iterable[Fact]) -> bool:
    """Whether two of some facts are of the same variable."""
    chosen = set(facts)
    return len({variable for variable, _ in chosen}) < len(chosen)
