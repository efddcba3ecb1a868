"""What PDDL says: a domain, a problem, conditions and effects, as they were written.

The language is that of PDDL 2.1, level 1, with derived predicates (PDDL 2.2) and action costs
(PDDL 3.1): Fox and Long, PDDL2.1: An Extension to PDDL for Expressing Temporal Planning Domains,
JAIR 20, 2003; Edelkamp and Hoffmann, PDDL2.2, 2004; Kovacs, BNF Definition of PDDL 3.1, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from asplan.core.graphs import closure
from asplan.core.warning import InputWarning
from asplan.pddl.language.lexer import Group, Word

TOTAL_COST = "total-cost"
"""The function that actions increase."""

OBJECT = "object"
"""The type of all objects."""

Row = tuple[str, ...]
"""The arguments of a predicate, in lower case."""

GroundAtom = tuple[str, ...]
"""A predicate or function with its arguments, in lower case."""


def substitute(words: Row, values: Mapping[str, str]) -> Row:
    """Words with values in place of variables, as far as these have some."""
    return tuple([values.get(word, word) for word in words])


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable with its types; `(either a b)` gives two, nothing means `object`."""

    name: Word
    types: tuple[Word, ...] = ()

    @property
    def type_keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.types) or frozenset((OBJECT,))


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate or function with its arguments: objects, and variables such as `?x`."""

    name: Word
    arguments: tuple[Word, ...]

    def ground(self, bound: Mapping[str, str] | None = None) -> GroundAtom:
        """The atom with objects in place of variables."""
        return substitute((self.name.key, *[word.key for word in self.arguments]), bound or {})


@dataclass(frozen=True, slots=True)
class Equal:
    left: Word
    right: Word


# Conditions; an empty conjunction holds.


@dataclass(frozen=True, slots=True)
class Connected:
    """Parts behind `and`, `or`, `not` (one part) or `imply` (two)."""

    word: str
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """`exists` or `forall`."""

    word: str
    variables: tuple[Typed, ...]
    body: Formula


Formula = Atom | Equal | Connected | Quantified

ALWAYS = Connected("and", ())


# Effects: atoms that hold afterwards, or do not unless another effect adds them; several together,
# or one for all objects; and those whose condition must hold before the action.


@dataclass(frozen=True, slots=True)
class Changed:
    atom: Atom
    holds: bool


@dataclass(frozen=True, slots=True)
class Together:
    parts: tuple[EffectFormula, ...]


@dataclass(frozen=True, slots=True)
class Each:
    variables: tuple[Typed, ...]
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class When:
    condition: Formula
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class Increase:
    """`(increase (total-cost) …)` by a number or a function; `at` is the whole group."""

    amount: int | Atom
    at: Group


EffectFormula = Changed | Together | Each | When | Increase

Scope = Mapping[str, Typed]
"""The variables that are bound, by their keys; the inner one hides an outer one."""


def scope_of(variables: tuple[Typed, ...], outer: Scope | None = None) -> Scope:
    """The scope inside of a quantifier or an action."""
    return {**(outer or {}), **{typed.name.key: typed for typed in variables}}


def inside(
    node: Formula | EffectFormula, scope: Scope | None = None
) -> Iterator[tuple[Formula | EffectFormula, Scope]]:
    """A condition or effect and all parts of it, from the outside in, each with its scope."""
    scope = scope or {}
    yield node, scope
    parts: tuple[Formula | EffectFormula, ...] = ()
    match node:
        case Connected() | Together():
            parts = node.parts
        case When(condition, body):
            parts = (condition, body)
        case Quantified() | Each():
            parts, scope = (node.body,), scope_of(node.variables, scope)
        case Changed(atom):
            parts = (atom,)
    for part in parts:
        yield from inside(part, scope)


@dataclass(frozen=True, slots=True)
class Signature:
    name: Word
    parameters: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Action:
    name: Word
    parameters: tuple[Typed, ...]
    precondition: Formula
    effect: EffectFormula

    @property
    def cost(self) -> int | Atom:
        """What it says that it costs; 0 where it says nothing."""
        amounts = (p.amount for p, _ in inside(self.effect) if isinstance(p, Increase))
        return next(amounts, 0)


@dataclass(frozen=True, slots=True)
class Derivation:
    """`(:derived (p ?x) body)`: p holds where the body does; a predicate may have several."""

    name: Word
    parameters: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True)
class DomainText:
    """A domain file; what it is called stands in `name`."""

    name: Word
    requirements: tuple[Word, ...] = ()
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Signature, ...] = ()
    functions: tuple[Signature, ...] = ()
    actions: tuple[Action, ...] = ()
    rules: tuple[Derivation, ...] = ()


@dataclass(frozen=True)
class ProblemText:
    """A problem file; `domain` is the name of the domain that it is for.

    `initial` has the atoms that hold at the start, `absent` those of which the file says that they
    do not, and `values` what the functions are, `total-cost` perhaps among them. The costs of
    actions count (`minimizes_cost`) where it says `(:metric minimize (total-cost))`.
    """

    name: Word
    domain: Word
    requirements: tuple[Word, ...] = ()
    objects: tuple[Typed, ...] = ()
    initial: tuple[Atom, ...] = ()
    absent: tuple[Atom, ...] = ()
    values: tuple[tuple[Atom, int], ...] = ()
    goal: Formula = ALWAYS
    minimizes_cost: bool = False


@dataclass(frozen=True)
class TaskText:
    """A domain with a problem, and what is odd about them but does no harm, a line each."""

    domain: DomainText
    problem: ProblemText
    warnings: tuple[InputWarning, ...] = ()

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

        Where types stand in a cycle, each is above the others.
        """
        parents: dict[str, set[str]] = {OBJECT: set()}
        for typed in self.domain.types:
            parents.setdefault(typed.name.key, set()).update(word.key for word in typed.types)
        above = {kind: types - {OBJECT} for kind, types in parents.items()}
        return {
            name: frozenset(closure([name], lambda kind: above.get(kind, ())) | {OBJECT})
            for name in parents
        }

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

    @cached_property
    def objects_of(self) -> Callable[[frozenset[str]], Row]:
        """The objects that have one of some types, in the order of their declaration."""
        types_of = self.types_of.items()
        return cache(lambda types: tuple(k for k, own in types_of if not types.isdisjoint(own)))

    def parts(self) -> Iterator[Formula | EffectFormula]:
        """All parts of all conditions and effects."""
        actions, rules = self.domain.actions, self.domain.rules
        nodes = (node for action in actions for node in (action.precondition, action.effect))
        for node in (*nodes, *(rule.body for rule in rules), self.problem.goal):
            yield from (part for part, _ in inside(node))

    @property
    def goal_atoms(self) -> list[Atom]:
        """The atoms that the goal asks for as they stand."""
        match self.problem.goal:
            case Connected("and", parts):
                return [part for part in parts if isinstance(part, Atom)]
            case Atom() as atom:
                return [atom]
        return []

    @cached_property
    def fluents(self) -> frozenset[str]:
        return frozenset(p.atom.name.key for p in self.parts() if isinstance(p, Changed))

    @cached_property
    def derived(self) -> frozenset[str]:
        return frozenset(rule.name.key for rule in self.domain.rules)

    @cached_property
    def values(self) -> dict[GroundAtom, int]:
        """The functions on which costs depend."""
        return {function.ground(): value for function, value in self.problem.values}
