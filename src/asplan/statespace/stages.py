"""The stages of a circuit: the kinds of work that it does, one after the other.

An atom is its number in the ground program, a literal is that number or its negation, and a body is
a conjunction of literals. Sums have numbers above those of the atoms. The literal 0 is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

Body = tuple[int, ...]


@dataclass(frozen=True)
class Define:
    """The definition of an atom: any of `bodies` makes it true, any of `may` lets it be chosen."""

    atom: int
    bodies: tuple[Body, ...] = ()
    may: tuple[Body, ...] = ()

    def read(self) -> set[int]:
        """Return the atoms and sums in the bodies."""
        bodies = chain(self.bodies, self.may)
        return set(map(abs, chain.from_iterable(bodies)))


@dataclass(frozen=True)
class Close:
    """The definitions of the atoms of a positive cycle; the least fixpoint is their value."""

    defined: tuple[Define, ...]


@dataclass(frozen=True)
class Add:
    """The addition of a weighted literal to a sum; the sum holds once it reaches its bound.

    `first` and `last` mark the first and the last addition to a sum.
    """

    sum: int
    literal: int
    weight: int
    bound: int
    first: bool
    last: bool


@dataclass(frozen=True)
class Refute:
    """A constraint: no answer set satisfies this body."""

    body: Body


Stage = Define | Close | Add | Refute


def find_assigned(stage: Stage) -> Iterator[int]:
    """Yield the atoms and sums that get their final value in a stage."""
    if isinstance(stage, Close):
        yield from (define.atom for define in stage.defined)
    elif isinstance(stage, Define):
        yield stage.atom
    elif isinstance(stage, Add) and stage.last:
        yield stage.sum
