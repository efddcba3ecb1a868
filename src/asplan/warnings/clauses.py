"""A program as its author wrote it, made easy to ask: rules, what they define and what they read.

Names that a rule gives to its time are replaced by the time (`without_aliases`), so that `T = t`
hides nothing from a check.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Any

from clingo import SymbolType

from asplan.core.errors import Location
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.inputs import spelled
from asplan.program.roles import Occurrence, Roles, roles_of, without_aliases
from asplan.program.syntax import AST, ASTType, Sign, Signature, heads
from asplan.program.terms import OWN
from asplan.program.unit import QUERY, Section, pairs
from asplan.program.wording import Wording, without_extra_brackets

_READERS = (
    *(ASTType.Rule, ASTType.Minimize, ASTType.ShowTerm),
    *(ASTType.Heuristic, ASTType.Edge, ASTType.External),
)
INSIDE = " "  # stands for the sign in the signature of a function inside of an atom


@dataclass(frozen=True, eq=False)
class Use(Occurrence):
    """An atom in a rule.

    `sign` is how many times `not` stands before it; `inner` that it stands in a condition or an
    aggregate, `pooled` that it is one of a pool.
    """

    sign: int = 0
    inner: bool = False
    pooled: bool = False

    @property
    def parameter(self) -> str:
        return self.section.parameter

    @cached_property
    def at(self) -> Location:
        return syntax.place_in(self.statement, self.atom.symbol)

    @property
    def shifts(self) -> list[int]:
        """The times among its arguments, relative to that of the part."""
        return [shift for shift in self.all_shifts if shift is not None]

    @cached_property
    def inside(self) -> tuple[Use, ...]:
        """The functions in its arguments, as if they were atoms."""
        return tuple(
            replace(self, key=(INSIDE, node.name, len(node.arguments)), terms=tuple(node.arguments))
            for node in syntax.find(ASTType.Function, self.terms)
        )

    @property
    def text(self) -> str:
        if OWN in str(self.atom):  # the file has the number
            return Wording()(self.atom.symbol, self.statement.location.begin.filename)
        return as_written(self.atom)

    @property
    def literal(self) -> str:
        """It with each `not` before it, but for those inside of something."""
        return f"{'not ' * (0 if self.inner else self.sign)}{self.text}"

    @property
    def is_true(self) -> bool:
        """Whether its rule asks for it, and for nothing around it."""
        return self.sign == Sign.NoSign and not self.inner


def as_written(term: AST) -> str:
    """A term as people write it."""
    return without_extra_brackets(str(term))


@dataclass(frozen=True, eq=False)
class Clause:
    """A rule, a constraint (nothing in `heads`), or something else that reads atoms."""

    part: str
    statement: AST
    heads: tuple[Use, ...]
    reads: tuple[Use, ...]

    @property
    def is_constraint(self) -> bool:
        is_rule = self.statement.ast_type == ASTType.Rule
        return is_rule and not self.heads and self.statement.head.ast_type != ASTType.TheoryAtom

    @cached_property
    def is_choice(self) -> bool:
        return syntax.is_choice(self.statement)

    @cached_property
    def true(self) -> list[Use]:
        """What it asks for, and nothing around that."""
        return [use for use in self.reads if use.is_true]

    @property
    def at(self) -> Location:
        return syntax.location(self.statement)


@dataclass(frozen=True, eq=False)
class Clauses:
    """All clauses of a program, and what can be asked about its predicates."""

    program: Program
    roles: Roles
    clauses: tuple[Clause, ...]
    is_one_file: bool

    @cached_property
    def rules(self) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if clause.heads)

    @cached_property
    def reads(self) -> dict[Signature, list[Use]]:
        """Where each predicate is read."""
        found: dict[Signature, list[Use]] = {}
        for use in (use for clause in self.clauses for use in clause.reads):
            found.setdefault(use.key, []).append(use)
        return found

    @cached_property
    def demands(self) -> list[tuple[Clause, Use]]:
        """Where timed parts read the query."""
        reads = ((clause, use) for clause in self.clauses for use in clause.reads)
        return [(clause, use) for clause, use in reads if use.key == QUERY and use.parameter]

    @cached_property
    def definitions(self) -> dict[Signature, list[tuple[Clause, Use]]]:
        found: dict[Signature, list[tuple[Clause, Use]]] = {}
        for clause in self.rules:
            for head in clause.heads:
                found.setdefault(head.key, []).append((clause, head))
        return found

    @cached_property
    def defined(self) -> frozenset[Signature]:
        facts = (facts.signatures for facts in self.program.facts)
        return frozenset(self.definitions).union(*facts)

    @cached_property
    def has_facts(self) -> bool:
        """Whether it has plain facts, so that it most likely is no mere encoding."""
        base = (c for c in self.rules if c.part == "base" and not c.reads and not c.is_choice)
        starts = any(clause.heads[0].key in self.places for clause in base)
        return starts or any(facts.signatures for facts in self.program.facts)

    @cached_property
    def shown(self) -> dict[Signature, Location]:
        named = (s for s in self.program.of_kind(ASTType.ShowSignature) if s.name)
        return {syntax.named_by(statement): syntax.location(statement) for statement in named}

    def timed_definitions(self, key: Signature) -> list[tuple[Clause, Use]]:
        """Where a predicate is defined outside of `base`."""
        return [pair for pair in self.definitions.get(key, ()) if pair[0].part != "base"]

    def is_timed(self, key: Signature) -> bool:
        """Return whether atoms of a predicate have a time."""
        horizon = self.program.horizon
        if horizon is not None:
            return key in horizon.places and key not in horizon.domains
        return bool(self.timed_definitions(key))

    @cached_property
    def places(self) -> dict[Signature, int]:
        """Which argument is the time, of predicates that have one in all rules of timed parts."""
        found = {key: self.timed_definitions(key) for key in self.roles.places}
        known = ((key, place, found[key]) for key, place in self.roles.places.items())
        return {k: p for k, p, own in known if own and all(u.shift(p) is not None for _, u in own)}

    def start(self, key: Signature, place: int) -> set[int] | None:
        """The times that `base` gives a predicate; None where they are not plain to see."""
        uses = [head for clause, head in self.definitions.get(key, ()) if clause.part == "base"]
        times = {syntax.number_of(use.terms[place]) for use in uses}
        times |= self._times_of_facts(key, place)
        # Of facts of times before 1 the program has one of each kind alone.
        told = {time for time in times if time is not None}
        return None if None in times or min(told, default=0) < 0 else told

    def _times_of_facts(self, key: Signature, place: int) -> Set[int | None]:
        """The numbers at a place of a predicate's facts, of which there may be millions."""
        if (key, place) not in self._known_times:
            facts = (fact for facts in self.program.facts for fact in facts.symbols_of({key}))
            times = (fact.arguments[place] for fact in facts)
            numbers = {t.number if t.type == SymbolType.Number else None for t in times}
            self._known_times[key, place] = numbers
        return self._known_times[key, place]

    @cached_property
    def _known_times(self) -> dict[tuple[Signature, int], set[int | None]]:
        return {}

    @cached_property
    def origins(self) -> dict[Signature, set[Signature]]:
        """For each predicate those that its rules read, but for what is chosen."""
        found: dict[Signature, set[Signature]] = {}
        for clause in self.rules:
            for head in () if clause.is_choice else clause.heads:
                found.setdefault(head.key, set()).update(use.key for use in clause.reads)
        return found

    def behind(self, keys: Iterable[Signature]) -> set[Signature]:
        """All predicates that some depend on, in several steps, too."""

        def origins(key: Signature) -> Collection[Signature]:
            return self.origins.get(key, ())

        return closure({other for key in keys for other in origins(key)}, origins)


@lru_cache(maxsize=4)
def clauses_of(program: Program, is_one_file: bool) -> Clauses:
    roles, program = roles_of(program), without_aliases(program)
    found = (_clause(*pair) for pair in pairs(program.sections) if pair[1].ast_type in _READERS)
    return Clauses(program, roles, tuple(found), is_one_file)


def _clause(section: Section, statement: AST) -> Clause:
    def use(atom: AST, head: bool, *more: Any) -> Use:
        key, terms = syntax.signature(atom), syntax.arguments(atom)
        return Use(section, statement, key, atom, terms, head, *more)

    defined, within = heads(statement), list[AST]()
    if statement.ast_type == ASTType.Rule:
        plain = statement.head.ast_type == ASTType.Literal
        conditions = [] if plain else syntax.find(ASTType.ConditionalLiteral, [statement.head])
        within = [node for each in conditions for node in each.condition]
        if plain and statement.head.sign:
            within, defined = [statement.head], []  # `not p :- q.` is a constraint
    if statement.ast_type == ASTType.Heuristic:
        within = [statement.atom]
    nodes = [
        (node, not syntax.is_literal(node, sign=None)) for node in getattr(statement, "body", ())
    ]
    reads = [
        use(atom, False, getattr(node, "sign", 0), inner, len(pool) > 1)
        for node, inner in (*nodes, *((node, True) for node in within))
        for pool in map(syntax.atoms, syntax.find(ASTType.SymbolicAtom, [node]))
        for atom in pool
    ]
    return Clause(section.part, statement, tuple(use(a, True) for a in defined), tuple(reads))


def meant(key: Signature, defined: Collection[Signature]) -> str:
    """What to say of predicates that one may stand for; empty if none is like it."""
    sign, name, _ = key
    same = sorted(n for s, m, n in defined if (s, m) == (sign, name))
    if same:
        return f"there is {' and '.join(f'{sign}{name}/{n}' for n in same)}"
    names = {m for _, m, _ in defined if not m.startswith("asplan")}
    alike = get_close_matches(name, names, n=1, cutoff=0.6)
    found = sorted(spelled(other) for other in defined if other[1] in alike)
    return f"did you mean {' or '.join(found)}?" if found else ""


def _shared(one: str, other: str) -> int:
    """How many letters two names begin with both."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def is_slip(name: str, known: str, least: int = 5) -> bool:
    """Return whether one name is most likely the other with a slip of the pen in it.

    Names of fewer than `least` letters may differ by another letter on purpose.

    >>> is_slip("ocurs", "occurs"), is_slip("claen", "clean"), is_slip("room", "rooms")
    (True, True, True)
    >>> is_slip("on", "in"), is_slip("wall_h", "wall_v"), is_slip("move1", "move2")
    (False, False, False)
    """
    if min(len(name), len(known)) < 3 or name == known:
        return False
    start = _shared(name, known)
    end = _shared(name[start:][::-1], known[start:][::-1])
    one, other = name[start : len(name) - end], known[start : len(known) - end]
    if len(one) == len(other) == 1:
        return len(name) >= least and start > 0 and end > 0 and (one + other).isalpha()
    is_letter = len(one + other) == 1 and (one + other).isalpha()
    return is_letter or (len(one) == 2 and one == other[::-1])
