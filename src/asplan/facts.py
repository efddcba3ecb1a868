"""The facts of an instance, each with the place where it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from clingo import Symbol

from asplan.errors import InputError, Location


@dataclass(frozen=True)
class Facts:
    """Ground facts and where each was written, in the order of the files."""

    places: Mapping[Symbol, Location]
    files: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self.places)

    def named(self, name: str, arity: int) -> list[Symbol]:
        """The facts of one predicate."""
        return self._by_signature.get((True, name, arity), [])

    def signatures(self) -> frozenset[tuple[str, int]]:
        """The predicates that occur, as (name, arity)."""
        return frozenset((name, arity) for _, name, arity in self._by_signature)

    @cached_property
    def _by_signature(self) -> dict[tuple[bool, str, int], list[Symbol]]:
        """The facts by sign, name and arity."""
        found: dict[tuple[bool, str, int], list[Symbol]] = {}
        for symbol in self.places:
            key = symbol.positive, symbol.name, len(symbol.arguments)
            found.setdefault(key, []).append(symbol)
        return found

    def at(self, symbol: Symbol) -> Location | None:
        """The place of a fact; None if it is no fact."""
        return self.places.get(symbol)

    def error(self, why: str, fact: Symbol | None = None, mend: str = "") -> InputError:
        """What is wrong with a fact, or with the instance as a whole."""
        if fact is None:
            return InputError(f"{', '.join(self.files) or 'the instance'} {why}", mend=mend)
        return InputError(f"{fact}: {why}", at=self.at(fact), mend=mend)
