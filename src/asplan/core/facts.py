"""The facts of an instance, each with the place where it was written."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from clingo import Symbol, SymbolType

from asplan.core.errors import InputError, Location

Predicate = tuple[str, int, bool]  # name and arity; and False for what is denied, as by `-p(a)`


@dataclass(frozen=True)
class Facts:
    """Ground facts with the places where they were written, which are found when asked for."""

    groups: Mapping[Predicate, list[Symbol]]  # the facts of each predicate, as clingo derives them
    find: Callable[[Symbol], Location | None]
    find_all: Callable[[], Mapping[Symbol, Location]]
    files: tuple[str, ...] = ()
    _members: dict[Predicate, frozenset[Symbol]] = field(default_factory=dict, repr=False)

    def __iter__(self) -> Iterator[Symbol]:
        return chain.from_iterable(self.groups.values())

    def __contains__(self, fact: Symbol) -> bool:
        key = fact.name, len(fact.arguments), fact.positive
        if key not in self._members:
            self._members[key] = frozenset(self.groups.get(key, ()))
        return fact in self._members[key]

    def named(self, name: str, arity: int) -> list[Symbol]:
        return self.groups.get((name, arity, True), [])

    def denied(self) -> Iterator[Symbol]:
        """The facts that say what is not, as `-p(a)` does."""
        return (fact for key in self.groups if not key[2] for fact in self.groups[key])

    def signatures(self) -> frozenset[tuple[str, int]]:
        """The predicates that occur, as (name, arity)."""
        return frozenset((name, arity) for name, arity, _ in self.groups)

    @cached_property
    def places(self) -> Mapping[Symbol, Location]:
        """All facts with their places, in the order in which they were written."""
        return self.find_all()

    def at(self, symbol: Symbol) -> Location | None:
        """The place of a fact; None if it is no fact."""
        return self.find(symbol) if symbol.type == SymbolType.Function else None

    def error(self, why: str, fact: Symbol | None = None, hint: str = "") -> InputError:
        if fact is None:
            return InputError(f"{', '.join(self.files) or 'the instance'} {why}", hint=hint)
        return InputError(f"{fact}: {why}", at=self.at(fact), hint=hint)
