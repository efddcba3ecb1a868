"""A domain with a problem: what a name stands for in both together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from asplan.pddl.language.lexer import Word
from asplan.pddl.language.syntax import Domain, Problem, Typed

OBJECT = "object"
"""The type of all objects."""


@dataclass(frozen=True)
class Task:
    """A domain with a problem, and what is odd about them but does no harm, a line each."""

    domain: Domain
    problem: Problem
    warnings: tuple[str, ...] = ()

    @cached_property
    def objects(self) -> dict[str, tuple[Typed, ...]]:
        """All declarations of each object by its key: the constants first, in order."""
        found: dict[str, tuple[Typed, ...]] = {}
        for typed in (*self.domain.constants, *self.problem.objects):
            found[typed.name.key] = (*found.get(typed.name.key, ()), typed)
        return found

    @cached_property
    def supertypes(self) -> dict[str, frozenset[str]]:
        """For each declared type all types above it, itself and `object` included.

        Where types stand in a circle, each is above the others.
        """
        parents: dict[str, set[str]] = {OBJECT: set()}
        for typed in self.domain.types:
            parents.setdefault(typed.name.key, set()).update(word.key for word in typed.types)
        above: dict[str, frozenset[str]] = {}
        for name in parents:
            found, waiting = {name, OBJECT}, [name]
            while waiting:
                new = parents.get(waiting.pop(), set()) - found
                found |= new
                waiting += new
            above[name] = frozenset(found)
        return above

    def objects_of(self, types: tuple[Word, ...]) -> tuple[str, ...]:
        """The objects that have one of some types, in the order of their declaration."""
        return self._objects_of(frozenset(word.key for word in types) or frozenset((OBJECT,)))

    def _objects_of(self, types: frozenset[str]) -> tuple[str, ...]:
        if types not in self._known:
            fitting = (key for key in self.objects if not types.isdisjoint(self.types_of[key]))
            self._known[types] = tuple(fitting)
        return self._known[types]

    @cached_property
    def _known(self) -> dict[frozenset[str], tuple[str, ...]]:
        return {}

    @cached_property
    def types_of(self) -> dict[str, frozenset[str]]:
        """For each object all its types, the ones above included."""
        nothing: frozenset[str] = frozenset((OBJECT,))
        return {
            key: nothing.union(
                *(self.supertypes.get(t.key, nothing) for typed in declared for t in typed.types)
            )
            for key, declared in self.objects.items()
        }
