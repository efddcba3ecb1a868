"""The facts of an instance, each with its place in the source file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from itertools import chain

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location

Predicate = tuple[str, int, bool]  # name, arity, and False for classical negation, as in `-p(a)`


@dataclass(frozen=True)
class Facts:
    """The ground facts of an instance, with functions that find their places on demand."""

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
        """Return the facts of a predicate, except facts with classical negation."""
        return self.groups.get((name, arity, True), [])

    def negated(self) -> Iterator[Symbol]:
        """Yield the facts with classical negation, such as `-p(a)`."""
        for (_, _, is_positive), group in self.groups.items():
            if not is_positive:
                yield from group

    def signatures(self) -> frozenset[tuple[str, int]]:
        """Return the predicates of all facts, as pairs of a name and an arity."""
        return frozenset((name, arity) for name, arity, _ in self.groups)

    @cached_property
    def places(self) -> Mapping[Symbol, Location]:
        """The place of each fact, in the order of the source files."""
        return self.find_all()

    def at(self, symbol: Symbol) -> Location | None:
        """Return the place of a fact in the source; None for a symbol that is no fact."""
        return self.find(symbol) if symbol.type == SymbolType.Function else None

    def error(self, why: str, fact: Symbol | None = None, hint: str = "") -> InputError:
        """Return an error at the place of a fact, or about the files of the instance."""
        if fact is None:
            return InputError(f"{', '.join(self.files) or 'the instance'} {why}", hint=hint)
        return InputError(f"{fact}: {why}", at=self.at(fact), hint=hint)
