"""The stages of a circuit: single operations, which evaluate the rules of a step in order.

Atoms have the numbers of the ground program. A literal is the number of its atom or the negated
number, and a body is a conjunction of literals. A sum, the body of a weight rule, has a number
above those of the atoms. The literal 0 is always true.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from asplan.core.dataclass import dataclass

Body = tuple[int, ...]
"""A conjunction of literals."""


@dataclass(frozen=True)
class Define:
    """The definition of an atom.

    The atom is true if one of `bodies` holds; otherwise it can be chosen if one of `may` holds.
    """

    atom: int
    bodies: tuple[Body, ...] = ()
    may: tuple[Body, ...] = ()

    def read(self) -> set[int]:
        """Return the atoms and sums in the bodies."""
        bodies = chain(self.bodies, self.may)
        return set(map(abs, chain.from_iterable(bodies)))


@dataclass(frozen=True)
class Close:
    """The definitions of atoms that depend on each other positively.

    The values of these atoms are a least fixpoint.
    """

    defined: tuple[Define, ...]


@dataclass(frozen=True)
class Add:
    """The addition of a literal's weight to a sum, if the literal holds.

    The sum itself holds once it reaches its bound. `first` and `last` mark the first and the last
    addition to the sum.
    """

    sum: int
    literal: int
    weight: int
    bound: int
    first: bool
    last: bool


@dataclass(frozen=True)
class Refute:
    """A constraint: states in which this body holds have no answer set."""

    body: Body


Stage = Define | Close | Add | Refute
"""One operation of a circuit."""


def find_assigned(stage: Stage) -> Iterator[int]:
    """Yield the numbers of the atoms and sums that have their value after an operation.

    A sum has its value after its last addition.
    """
    if isinstance(stage, Close):
        yield from (define.atom for define in stage.defined)
    elif isinstance(stage, Define):
        yield stage.atom
    elif isinstance(stage, Add) and stage.last:
        yield stage.sum
