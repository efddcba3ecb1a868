"""An index of a program as its author wrote it: its rules by the predicates that they mention.

Aliases of the time are replaced (`without_aliases`): checks see the same after `T = t` as without.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import chain

from asplan.clingo import SymbolType
from asplan.core.errors import Location
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.inputs import key_text
from asplan.program.roles import (
    Occurrence,
    Roles,
    roles_of,
    without_aliases,
)
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
)
from asplan.program.terms import OWN
from asplan.program.unit import QUERY, Section, pairs
from asplan.program.wording import Wording, without_extra_brackets

_READERS = frozenset(
    {
        ASTType.Rule,
        ASTType.Minimize,
        ASTType.ShowTerm,
        ASTType.Heuristic,
        ASTType.Edge,
        ASTType.External,
    }
)
"""Statements that read atoms."""

INSIDE = " "  # the sign in the signature of a function in an argument


@dataclass(frozen=True, eq=False)
class Use(Occurrence):
    """An occurrence of an atom in a rule.

    `sign` counts the `not` before it. It is `inner` in a condition or an aggregate, and `pooled` if
    it belongs to a pool of several atoms.
    """

    sign: int = 0
    inner: bool = False
    pooled: bool = False

    @property
    def parameter(self) -> str:
        """The parameter of its part; empty in `base`."""
        return self.section.parameter

    @cached_property
    def at(self) -> Location:
        """The place of the atom."""
        return syntax.place_in(self.statement, self.atom.symbol)

    @property
    def shifts(self) -> list[int]:
        """The times among its arguments, relative to the parameter of its part."""
        return [shift for shift in self.all_shifts if shift is not None]

    @cached_property
    def inside(self) -> tuple[Use, ...]:
        """The functions in its arguments, as if they were atoms."""
        functions = syntax.find(ASTType.Function, self.terms)
        return tuple(map(self._as_use, functions))

    def _as_use(self, function: AST) -> Use:
        key = (INSIDE, function.name, len(function.arguments))
        return replace(self, key=key, terms=tuple(function.arguments))

    @property
    def text(self) -> str:
        """The atom as its author wrote it."""
        if OWN in str(self.atom):  # a constant of asplan; the file has the number
            return Wording()(self.atom.symbol, self.statement.location.begin.filename)
        return as_written(self.atom)

    @property
    def literal(self) -> str:
        """The literal of the atom; without the sign if it is inner."""
        sign = "" if self.inner else "not " * self.sign
        return f"{sign}{self.text}"

    @property
    def is_positive(self) -> bool:
        """True for a positive literal of a body."""
        return self.sign == Sign.NoSign and not self.inner

    @property
    def is_negative(self) -> bool:
        """True for a literal of a body, with one `not`."""
        return self.sign == Sign.Negation and not self.inner


def as_written(term: AST) -> str:
    """Return a term without extra brackets."""
    return without_extra_brackets(str(term))


@dataclass(frozen=True, eq=False)
class Clause:
    """A rule, a constraint, or another statement that reads atoms."""

    part: str
    statement: AST
    heads: tuple[Use, ...]
    reads: tuple[Use, ...]

    @property
    def is_constraint(self) -> bool:
        """True for an integrity constraint."""
        is_rule = self.statement.ast_type == ASTType.Rule
        return is_rule and not self.heads and self.statement.head.ast_type != ASTType.TheoryAtom

    @cached_property
    def is_choice(self) -> bool:
        """True for a rule that leaves its head open."""
        return syntax.is_choice(self.statement)

    @cached_property
    def positive(self) -> list[Use]:
        """The positive literals of its body."""
        return [use for use in self.reads if use.is_positive]

    @cached_property
    def positive_keys(self) -> frozenset[Signature]:
        """The predicates of the positive literals of its body."""
        return frozenset(use.key for use in self.positive)

    @cached_property
    def negated_keys(self) -> frozenset[Signature]:
        """The predicates that its body reads behind `not`, conditions included."""
        return frozenset(use.key for use in self.reads if use.sign == Sign.Negation)

    @property
    def has_inner(self) -> bool:
        """True if it reads an atom in a condition or an aggregate."""
        return any(use.inner for use in self.reads)

    @property
    def at(self) -> Location:
        """The place of the statement."""
        return syntax.location(self.statement)


Definition = tuple[Clause, Use]
"""A rule and one of its heads."""


@dataclass(frozen=True, eq=False)
class ProgramIndex:
    """The clauses of a program, by the predicates that they define and read.

    `is_one_file` holds if encoding and instance are one file.
    """

    program: Program
    roles: Roles
    clauses: tuple[Clause, ...]
    is_one_file: bool

    @cached_property
    def rules(self) -> tuple[Clause, ...]:
        """The clauses with heads."""
        return tuple(clause for clause in self.clauses if clause.heads)

    @cached_property
    def reads(self) -> dict[Signature, list[Use]]:
        """The uses of each predicate outside of heads."""
        uses: dict[Signature, list[Use]] = {}
        for clause in self.clauses:
            for use in clause.reads:
                uses.setdefault(use.key, []).append(use)
        return uses

    @cached_property
    def queries(self) -> list[tuple[Clause, Use]]:
        """The uses of `query/1` in timed parts, with their clauses."""
        queries: list[tuple[Clause, Use]] = []
        for clause in self.clauses:
            for use in clause.reads:
                if use.key == QUERY and use.parameter:
                    queries.append((clause, use))
        return queries

    @cached_property
    def definitions(self) -> dict[Signature, list[Definition]]:
        """The rules of each predicate."""
        definitions: dict[Signature, list[Definition]] = {}
        for clause in self.rules:
            for head in clause.heads:
                definitions.setdefault(head.key, []).append((clause, head))
        return definitions

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates with rules or facts."""
        facts = (facts.signatures for facts in self.program.facts)
        return frozenset(self.definitions).union(*facts)

    @cached_property
    def chosen(self) -> frozenset[Signature]:
        """The predicates in heads of choices."""
        heads = (clause.heads for clause in self.rules if clause.is_choice)
        return frozenset(head.key for head in chain.from_iterable(heads))

    @cached_property
    def has_facts(self) -> bool:
        """True if the program has facts or a start, so it most likely has its instance."""
        if any(facts.signatures for facts in self.program.facts):
            return True
        base = (c for c in self.rules if c.part == "base" and not c.reads and not c.is_choice)
        return any(clause.heads[0].key in self.places for clause in base)

    @property
    def is_complete(self) -> bool:
        """True if one file most likely has both the encoding and the instance."""
        return self.is_one_file and self.has_facts

    @cached_property
    def shown(self) -> dict[Signature, Location]:
        """The predicates of `#show p/n.`, with the places of these statements."""
        shows = (s for s in self.program.of_kind(ASTType.ShowSignature) if s.name)
        return {syntax.named_by(show): syntax.location(show) for show in shows}

    def is_in_base(self, key: Signature) -> bool:
        """Return whether `base` has facts or rules of a predicate."""
        if any(clause.part == "base" for clause, _ in self.definitions.get(key, ())):
            return True
        return any(key in facts.signatures for facts in self.program.facts)

    def timed_definitions(self, key: Signature) -> list[Definition]:
        """Return the rules of a predicate outside of `base`."""
        return [pair for pair in self.definitions.get(key, ()) if pair[0].part != "base"]

    def step_definitions(self, key: Signature) -> list[Definition]:
        """Return the rules of a predicate in `step`."""
        return [pair for pair in self.definitions.get(key, ()) if pair[0].part == "step"]

    def is_timed(self, key: Signature) -> bool:
        """Return whether atoms of a predicate have a time."""
        horizon = self.program.horizon
        if horizon is not None:
            return key in horizon.places and key not in horizon.domains
        return bool(self.timed_definitions(key))

    @cached_property
    def places(self) -> dict[Signature, int]:
        """The time argument of the predicates that have one in all rules of timed parts."""
        places: dict[Signature, int] = {}
        for key, place in self.roles.places.items():
            heads = [head for _, head in self.timed_definitions(key)]
            if heads and all(head.shift(place) is not None for head in heads):
                places[key] = place
        return places

    def start(
        self,
        key: Signature,
        place: int,
    ) -> set[int] | None:
        """Return the times of a predicate's atoms in `base`; None if they are not plain."""
        heads = (head for clause, head in self.definitions.get(key, ()) if clause.part == "base")
        times = {syntax.number_of(head.terms[place]) for head in heads}
        times |= self._times_of_facts(key, place)
        # A program has just one fact of each kind for times before 1, so these are incomplete.
        numbers = {time for time in times if time is not None}
        is_plain = None not in times and min(numbers, default=0) >= 0
        return numbers if is_plain else None

    def is_initial(self, key: Signature) -> bool:
        """Return whether a predicate with a time has atoms of time 0 in `base`, and no others."""
        place = self.places.get(key)
        return place is not None and self.start(key, place) == {0}

    def _times_of_facts(
        self,
        key: Signature,
        place: int,
    ) -> set[int | None]:
        """Return the numbers in an argument of a predicate's facts; there may be millions."""
        times = self._fact_times.get((key, place))
        if times is None:
            times = self._read_times(key, place)
            self._fact_times[key, place] = times
        return times

    def _read_times(
        self,
        key: Signature,
        place: int,
    ) -> set[int | None]:
        times: set[int | None] = set()
        for facts in self.program.facts:
            for fact in facts.symbols_of({key}):
                time = fact.arguments[place]
                times.add(time.number if time.type == SymbolType.Number else None)
        return times

    @cached_property
    def _fact_times(self) -> dict[tuple[Signature, int], set[int | None]]:
        return {}

    @cached_property
    def origins(self) -> dict[Signature, set[Signature]]:
        """The predicates that the rules of each predicate read, without choices."""
        origins: dict[Signature, set[Signature]] = {}
        for clause in self.rules:
            if clause.is_choice:
                continue
            for head in clause.heads:
                origins.setdefault(head.key, set()).update(use.key for use in clause.reads)
        return origins

    def behind(self, keys: Iterable[Signature]) -> set[Signature]:
        """Return the predicates that some predicates depend on, directly or not."""

        def origins(key: Signature) -> Collection[Signature]:
            return self.origins.get(key, ())

        direct = set[Signature]().union(*map(origins, keys))
        return closure(direct, origins)


@lru_cache(maxsize=4)
def index_of(
    program: Program,
    is_one_file: bool,
) -> ProgramIndex:
    """Return the index of a program."""
    roles = roles_of(program)
    program = without_aliases(program)
    clauses: list[Clause] = []
    for section, statement in pairs(program.sections):
        if statement.ast_type in _READERS:
            clauses.append(_clause(section, statement))
    return ProgramIndex(program, roles, tuple(clauses), is_one_file)


def _clause(
    section: Section,
    statement: AST,
) -> Clause:
    heads = [] if _is_denial(statement) else syntax.heads(statement)
    head_uses = tuple(_head_use(section, statement, atom) for atom in heads)
    read_uses = tuple(_read_uses(section, statement))
    return Clause(section.part, statement, head_uses, read_uses)


def _is_denial(statement: AST) -> bool:
    """Return whether a rule has a negative head: `not p :- q.` is a constraint."""
    if statement.ast_type != ASTType.Rule or statement.head.ast_type != ASTType.Literal:
        return False
    return bool(statement.head.sign)


def _head_use(
    section: Section,
    statement: AST,
    atom: AST,
) -> Use:
    key = syntax.signature(atom)
    return Use(section, statement, key, atom, syntax.arguments(atom), True)


def _read_uses(
    section: Section,
    statement: AST,
) -> Iterator[Use]:
    """Yield the uses of atoms in a body, then of those in conditions of the head."""
    for node in getattr(statement, "body", ()):
        is_inner = not syntax.is_literal(node, sign=None)
        yield from _uses_in(section, statement, node, is_inner)
    for node in _conditions(statement):
        yield from _uses_in(section, statement, node, True)


def _conditions(statement: AST) -> list[AST]:
    """Return the literals that a statement reads outside of its body."""
    if statement.ast_type == ASTType.Heuristic:
        return [statement.atom]
    if _is_denial(statement):
        return [statement.head]
    if statement.ast_type != ASTType.Rule or statement.head.ast_type == ASTType.Literal:
        return []
    elements = syntax.find(ASTType.ConditionalLiteral, [statement.head])
    return list(chain.from_iterable(element.condition for element in elements))


def _uses_in(
    section: Section,
    statement: AST,
    node: AST,
    is_inner: bool,
) -> Iterator[Use]:
    sign = getattr(node, "sign", 0)
    for symbolic in syntax.find(ASTType.SymbolicAtom, [node]):
        pool = syntax.atoms(symbolic)
        for atom in pool:
            key = syntax.signature(atom)
            terms = syntax.arguments(atom)
            is_pooled = len(pool) > 1
            yield Use(section, statement, key, atom, terms, False, sign, is_inner, is_pooled)


def suggest_predicates(
    key: Signature,
    defined: Collection[Signature],
) -> str:
    """Return a hint about defined predicates with a similar name; empty if there is none."""
    sign, name, _ = key
    arities = sorted(arity for s, n, arity in defined if (s, n) == (sign, name))
    if arities:
        return f"there is {' and '.join(f'{sign}{name}/{arity}' for arity in arities)}"
    names = {n for _, n, _ in defined if not n.startswith("asplan")}
    alike = get_close_matches(name, names, n=1, cutoff=0.6)
    similar = sorted(key_text(other) for other in defined if other[1] in alike)
    return f"did you mean {' or '.join(similar)}?" if similar else ""


def _common_length(
    first: str,
    second: str,
) -> int:
    """Return the length of the common prefix of two words."""
    length = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        length += 1
    return length


def is_slip(
    name: str,
    other: str,
    least: int = 5,
) -> bool:
    """Return whether a name is most likely a misspelling of another one.

    Names of fewer than `least` letters may differ in one letter on purpose.

    >>> is_slip("ocurs", "occurs"), is_slip("claen", "clean"), is_slip("room", "rooms")
    (True, True, True)
    >>> is_slip("on", "in"), is_slip("wall_h", "wall_v"), is_slip("move1", "move2")
    (False, False, False)
    """
    if min(len(name), len(other)) < 3 or name == other:
        return False
    start = _common_length(name, other)
    end = _common_length(name[start:][::-1], other[start:][::-1])
    left = name[start : len(name) - end]
    right = other[start : len(other) - end]
    if len(left) == len(right) == 1:
        is_within = start > 0 and end > 0
        return len(name) >= least and is_within and (left + right).isalpha()
    is_missing_letter = len(left + right) == 1 and (left + right).isalpha()
    is_transposed = len(left) == 2 and left == right[::-1]
    return is_missing_letter or is_transposed
