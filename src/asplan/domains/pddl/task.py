"""A finite-domain task: what a PDDL task is once it is grounded.

A state gives each variable one of its values. Operators change it; derived variables follow from
it by axioms, layer by layer. The form is that of Helmert, Concise Finite-Domain Representations for
PDDL Planning Tasks, Artificial Intelligence 173, 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

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
