"""The model of a program with times: its rules, and the literals in them.

`Program.model` builds it once from clingo's syntax trees. The analysis of roles, the rewriting, the
check for transition systems and the warnings all read this model instead of syntax trees.

In `step(t)` and `check(t)` the parameter is `t`. The *shift* of an argument `t+k` is k: 0 for `t`,
-1 for `t-1`. Arguments of another form have no shift. Throughout, the `place` of an argument is its
index, counted from 0; the `key` of an atom is its predicate, a `Signature`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from itertools import count

from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.reading.unit import QUERY, TIMED, Section, pairs
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.syntax.term_uses import End, Successors, TermReader, TermUse, find_aliases
from asplan.program.syntax.terms import OWN, Compared, Op, Time, comparisons, distance_to
from asplan.program.syntax.wording import Wording, without_extra_brackets

INSIDE = " "  # marks the key of a function in an argument, which is no predicate


class Kind(Enum):
    """The kind of a statement. `RULE` is a rule that has a body and derives an atom."""

    FACT = "fact"
    RULE = "rule"
    CHOICE = "choice"
    CONSTRAINT = "constraint"
    THEORY = "theory"
    EXTERNAL = "external"
    SHOW = "show"
    MINIMIZE = "minimize"
    HEURISTIC = "heuristic"
    EDGE = "edge"
    PROJECT = "project"
    OTHER = "other"


_KINDS = {
    ASTType.External: Kind.EXTERNAL,
    ASTType.ShowTerm: Kind.SHOW,
    ASTType.Minimize: Kind.MINIMIZE,
    ASTType.Heuristic: Kind.HEURISTIC,
    ASTType.Edge: Kind.EDGE,
    ASTType.ProjectAtom: Kind.PROJECT,
}
"""The kinds of statements that have atoms but are not rules."""

_RULES = (Kind.FACT, Kind.RULE, Kind.CHOICE, Kind.CONSTRAINT, Kind.THEORY)
_TRANSITION_KINDS = (*_RULES, Kind.EXTERNAL, Kind.EDGE)


class Where(Enum):
    """The part of a rule that contains a literal.

    `CONDITION` is a condition of the head. An atom that a statement names but does not derive, as
    in `#project a.` or `#heuristic a.`, counts as a condition too. `ELEMENT` is an element of an
    aggregate, of a conditional literal or of a theory atom in the body.
    """

    HEAD = "head"
    BODY = "body"
    CONDITION = "condition"
    ELEMENT = "element"


@dataclass(frozen=True, eq=False)
class Literal:
    """An atom in a rule, with its sign.

    Attributes
    ----------
    rule
        The rule that contains the literal.
    atom
        The atom as a syntax tree. Each member of a pool `p(1;2)` is a literal of its own.
    key
        The predicate of the atom.
    terms
        The arguments of the atom.
    where
        The part of the rule that contains the literal.
    scope
        The scope of the literal's variables: 0 for the whole rule, else the number of the element
        (counted from 1) to which they are local.
    sign
        The number of `not` directly before the atom: 0, 1 or 2.
    outer_sign
        The number of `not` before the body literal that contains the atom. For an atom inside `not
        #count { X : not p(X) }`, `sign` and `outer_sign` are both 1.
    is_pooled
        Whether the atom is one of several members of a pool.
    """

    rule: TemporalRule
    atom: AST
    key: Signature
    terms: Sequence[AST]
    where: Where
    scope: int
    sign: int
    outer_sign: int
    is_pooled: bool

    @property
    def part(self) -> str:
        """The part of the program, such as `step`, that contains the literal."""
        return self.rule.part

    @property
    def parameter(self) -> str:
        """The parameter of the literal's part, such as `t`; empty in `base`."""
        return self.rule.parameter

    @cached_property
    def at(self) -> Location:
        """The location of the atom in its file."""
        return syntax.place_in(self.rule.statement, self.atom.symbol)

    # Its place in the rule.

    @property
    def is_head(self) -> bool:
        """True if the rule derives the atom, chooses it, or declares it external."""
        return self.where is Where.HEAD

    @property
    def is_inner(self) -> bool:
        """True if the literal is in a condition, an aggregate or another element."""
        return self.where in (Where.CONDITION, Where.ELEMENT)

    @property
    def is_positive(self) -> bool:
        """True for a literal of the body, not inside an element, without `not`."""
        return self.where is Where.BODY and self.sign == Sign.NoSign

    @property
    def is_negative(self) -> bool:
        """True for a literal of the body, not inside an element, with exactly one `not`."""
        return self.where is Where.BODY and self.sign == Sign.Negation

    @property
    def is_denied(self) -> bool:
        """True if the atom is in a body literal with exactly one `not`.

        An atom inside an aggregate is denied if one `not` stands before the aggregate.
        """
        is_in_body = self.where in (Where.BODY, Where.ELEMENT)
        return is_in_body and self.outer_sign == Sign.Negation

    @property
    def is_timed(self) -> bool:
        """True if the rule is in `step(t)` or `check(t)` and may restrict transitions."""
        return self.rule.is_timed

    # Its times.

    def shift(self, place: int) -> int | None:
        """Return k if the argument at index `place` is t+k, with the parameter t; else None."""
        return self.all_shifts[place]

    @cached_property
    def all_shifts(self) -> list[int | None]:
        """For each argument: k if it is t+k, with the parameter t; else None."""
        parameter = self.parameter
        return [distance_to(term, parameter) if parameter else None for term in self.terms]

    def first_time(self, place: int) -> Time | None:
        """Return the argument at index `place` as a name plus a number, such as ("T", 1) for T+1.

        For an interval, return its lower end. Return None for a term of another form.
        """
        term = self.terms[place]
        return self.rule.time_of(term.left if term.ast_type == ASTType.Interval else term)

    def last_time(self, place: int) -> Time | None:
        """Return the argument at index `place` as a name plus a number, such as ("T", 1) for T+1.

        For an interval, return its upper end. Return None for a term of another form.
        """
        term = self.terms[place]
        return self.rule.time_of(term.right if term.ast_type == ASTType.Interval else term)

    @property
    def shifts(self) -> list[int]:
        """The numbers k of all arguments of the form t+k, with the parameter t."""
        return [shift for shift in self.all_shifts if shift is not None]

    def is_now(self, place: int) -> bool:
        """Return whether the argument at index `place` is the parameter itself."""
        return syntax.is_now(self.terms[place], self.parameter)

    def is_earlier(self, place: int) -> bool:
        """Return whether the argument at index `place` is the parameter minus a positive number."""
        return syntax.is_before(self.terms[place], self.parameter)

    def is_just_before(self, place: int) -> bool:
        """Return whether the argument at index `place` is the parameter minus 1."""
        return syntax.is_just_before(self.terms[place], self.parameter)

    def is_start(self, place: int) -> bool:
        """Return whether the argument at index `place` is 0 or a negative number."""
        text = str(self.terms[place])
        return text == "0" or (text.startswith("-") and text[1:].isdigit())

    # Its text.

    @property
    def text(self) -> str:
        """The atom as the author wrote it."""
        if OWN in str(self.atom):  # a constant of asplan; the file has the number
            return Wording()(self.atom.symbol, self.rule.statement.location.begin.filename)
        return without_extra_brackets(str(self.atom))

    @property
    def signed_text(self) -> str:
        """The literal as the author wrote it. The sign of an inner literal is left out."""
        sign = "" if self.is_inner else "not " * self.sign
        return f"{sign}{self.text}"

    @cached_property
    def functions(self) -> tuple[Literal, ...]:
        """The functions in the arguments, each as a literal; the sign in its key is `INSIDE`."""
        return tuple(map(self._as_literal, syntax.find(ASTType.Function, self.terms)))

    def _as_literal(self, function: AST) -> Literal:
        key = (INSIDE, function.name, len(function.arguments))
        return replace(self, key=key, terms=tuple(function.arguments))


@dataclass(frozen=True, eq=False)
class TemporalRule:
    """A statement of a program with its part, its kind and its literals.

    All statements count, not only rules. A rule with a negated head, as in `not p :- q`, is a
    constraint that reads `p`.

    Attributes
    ----------
    statement
        The syntax tree.
    part
        The name of the part that contains the statement, such as `step`.
    parameter
        The parameter of that part, such as `t`; empty in `base`.
    successors
        The predicates such as `next(T,T+1)`, which relate two times. An atom `next(T,S)` in the
        body makes S an alias of T+1.
    """

    statement: AST
    part: str = "base"
    parameter: str = ""
    successors: Successors = field(default_factory=dict)

    @property
    def at(self) -> Location:
        """The location of the statement in its file."""
        return syntax.location(self.statement)

    @cached_property
    def kind(self) -> Kind:
        """The kind of the statement; a rule with a head and no body is a fact."""
        statement = self.statement
        if statement.ast_type != ASTType.Rule:
            return _KINDS.get(statement.ast_type, Kind.OTHER)
        if syntax.is_choice(statement):
            return Kind.CHOICE
        if statement.head.ast_type == ASTType.TheoryAtom:
            return Kind.THEORY
        if not syntax.is_literal(statement.head):
            return Kind.CONSTRAINT
        return Kind.RULE if statement.body else Kind.FACT

    @property
    def is_rule(self) -> bool:
        """True for facts, rules, choices, constraints and rules for theory atoms."""
        return self.kind in _RULES

    @property
    def is_constraint(self) -> bool:
        """True for an integrity constraint, also if it is written with a negated head."""
        return self.kind is Kind.CONSTRAINT

    @property
    def is_choice(self) -> bool:
        """True for a choice or a disjunction, which leave open which heads hold."""
        return self.kind is Kind.CHOICE

    @property
    def restricts_transitions(self) -> bool:
        """True if a statement of this kind may restrict the transitions of a program."""
        return self.kind in _TRANSITION_KINDS

    @property
    def is_timed(self) -> bool:
        """True if the rule is in `step(t)` or `check(t)` and may restrict transitions."""
        return self.part in TIMED and self.restricts_transitions

    def section_of(self, statement: AST) -> Section:
        """Return a section with only `statement`, in the part of this rule, with its parameter."""
        return Section(self.part, self.parameter, (statement,))

    @cached_property
    def members(self) -> list[Member]:
        """The atoms and comparisons of the statement as syntax trees, ordered like `literals`."""
        return _members_of(self.statement)

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """All literals of the statement: heads, then the body, then conditions of the head."""
        found: list[Literal] = []
        for member in self.members:
            found += _literals_of(self, member)
        return tuple(found)

    @cached_property
    def heads(self) -> tuple[Literal, ...]:
        """The heads: atoms that the statement derives, chooses or declares external."""
        return tuple(literal for literal in self.literals if literal.is_head)

    @cached_property
    def reads(self) -> tuple[Literal, ...]:
        """All literals that are not heads."""
        return tuple(literal for literal in self.literals if not literal.is_head)

    @cached_property
    def positive(self) -> list[Literal]:
        """The literals of the body without `not`, except inside elements."""
        return [literal for literal in self.reads if literal.is_positive]

    @cached_property
    def positive_keys(self) -> frozenset[Signature]:
        """The predicates of the body literals without `not`, except inside elements."""
        return keys_of(self.positive)

    @cached_property
    def negated_keys(self) -> frozenset[Signature]:
        """The predicates of atoms with exactly one `not`, also in conditions of the head.

        An atom inside an aggregate counts if one `not` stands before the aggregate.
        """
        return keys_of(each for each in self.reads if each.outer_sign == Sign.Negation)

    @property
    def has_inner(self) -> bool:
        """True if a literal is in a condition, an aggregate or another element."""
        return any(literal.is_inner for literal in self.reads)

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates of the heads."""
        return keys_of(self.heads)

    @cached_property
    def read(self) -> frozenset[Signature]:
        """The predicates of all literals that are not heads."""
        return keys_of(self.reads)

    @cached_property
    def denied(self) -> frozenset[Signature]:
        """The predicates of atoms in body literals with exactly one `not`."""
        return keys_of(each for each in self.reads if each.is_denied)

    @property
    def is_open(self) -> bool:
        """True if the statement leaves its heads open: a choice, a disjunction or an external."""
        return self.kind in (Kind.CHOICE, Kind.EXTERNAL)

    @property
    def demands_goal(self) -> bool:
        """True if the body has `query(t)`, so that the rule counts only if the goal is demanded."""
        return any(each.key == QUERY and each.is_now(0) for each in self.positive)

    # The uses of its terms that are a name plus a number.

    @cached_property
    def aliases(self) -> dict[str, Time]:
        """Maps each alias to its name and number: `S = T+1` makes S an alias of ("T", 1)."""
        return find_aliases(self.statement, self._comparisons, self.successors)

    def time_of(self, term: AST) -> Time | None:
        """Return a term as a name plus a number, such as ("T", 1) for T+1.

        Aliases are replaced. Return None for a term of another form.
        """
        use = self._terms.use(term)
        return None if use is None else (use.name, use.shift)

    @cached_property
    def uses(self) -> tuple[TermUse, ...]:
        """The arguments in the statement's literals that are a name plus a number, heads first."""
        found: list[TermUse] = []
        for literal in self.literals:
            for place, term in enumerate(literal.terms):
                use = self._terms.use(term, literal.key, place, literal.is_head)
                if use is not None:
                    found.append(use)
        return tuple(found)

    @cached_property
    def compared(self) -> list[tuple[TermUse, Op, TermUse]]:
        """The comparisons in which both sides are a name plus a number."""
        return self._terms.compared(self._comparisons)

    @cached_property
    def ends(self) -> tuple[End, ...]:
        """The intervals a..b that are arguments or that a variable equals, with their ends."""
        found = list(self._terms.ends_of_variables(self._comparisons))
        for literal in self.literals:
            for place, term in enumerate(literal.terms):
                end = self._terms.end_at(term, literal.key, place, literal.is_head)
                if end is not None:
                    found.append(end)
        return tuple(found)

    @cached_property
    def _comparisons(self) -> list[Compared]:
        return list(comparisons(self.statement))

    @cached_property
    def _terms(self) -> TermReader:
        return TermReader(self.aliases, self.at.file)


def keys_of(literals: Iterable[Literal]) -> frozenset[Signature]:
    """Return the predicates of `literals`."""
    return frozenset(literal.key for literal in literals)


# The syntax trees of statements.


@dataclass(frozen=True)
class Member:
    """An atom or a comparison in a statement, as a syntax tree.

    Attributes
    ----------
    node
        The literal; for some heads, the atom without a sign.
    where
        The part of the rule that contains it.
    scope
        0 if its variables belong to the whole rule, else the number of the element, counted from 1.
    outer_sign
        The number of `not` before the body literal that contains it.
    """

    node: AST
    where: Where
    scope: int = 0
    outer_sign: int = Sign.NoSign


_WITH_ELEMENTS = (ASTType.Aggregate, ASTType.BodyAggregate, ASTType.TheoryAtom)


def _members_of(statement: AST) -> list[Member]:
    """Return the atoms and comparisons of a statement: heads, then the body, then conditions."""
    head, conditions = _members_of_head(statement)
    body: list[Member] = []
    scopes = count(1 + max((member.scope for member in (*head, *conditions)), default=0))
    for node in statement.body if syntax.has_body(statement) else ():
        elements = _elements_of(node)
        if elements is None:
            body.append(Member(node, Where.BODY, outer_sign=node.sign))
            continue
        sign = Sign.NoSign if node.ast_type == ASTType.ConditionalLiteral else node.sign
        for element, scope in zip(elements, scopes, strict=False):
            body += [Member(each, Where.ELEMENT, scope, sign) for each in _literals_in(element)]
    return [*head, *body, *conditions]


def _members_of_head(statement: AST) -> tuple[list[Member], list[Member]]:
    """Return two lists: the members that a statement derives, and members that it reads.

    The second list has conditions of heads, and atoms of `#project`, `#heuristic` and negated
    heads; it has no members of the body.
    """
    kind = statement.ast_type
    if kind == ASTType.External:
        return [Member(statement.atom, Where.HEAD)], []
    if kind in (ASTType.Heuristic, ASTType.ProjectAtom):
        return [], [Member(statement.atom, Where.CONDITION)]
    if kind != ASTType.Rule:
        return [], []
    if statement.head.ast_type == ASTType.Literal:
        if statement.head.sign == Sign.NoSign:
            return [Member(statement.head, Where.HEAD)], []
        return [], [Member(statement.head, Where.CONDITION, outer_sign=statement.head.sign)]
    heads: list[Member] = []
    conditions: list[Member] = []
    for scope, element in enumerate(statement.head.elements, start=1):
        conditional = element
        if element.ast_type == ASTType.HeadAggregateElement:
            conditional = element.condition
        if conditional.ast_type == ASTType.ConditionalLiteral:
            heads.append(Member(conditional.literal, Where.HEAD, scope))
        for each in conditional.condition:
            conditions.append(Member(each, Where.CONDITION, scope, each.sign))
    return heads, conditions


def _elements_of(node: AST) -> Sequence[AST] | None:
    """Return the elements of a body literal, such as an aggregate; None for a plain literal."""
    if node.ast_type == ASTType.ConditionalLiteral:
        return [node]
    elements: Sequence[AST] | None = None
    if node.atom.ast_type in _WITH_ELEMENTS:
        elements = node.atom.elements
    return elements


def _literals_in(element: AST) -> list[AST]:
    """Return the literals of an element of an aggregate, a conditional literal or a theory atom."""
    if element.ast_type == ASTType.ConditionalLiteral:
        return [element.literal, *element.condition]
    return list(element.condition)


def _literals_of(rule: TemporalRule, member: Member) -> Iterator[Literal]:
    """Yield the atom of a member as a literal; for a pool, one literal for each member of the pool.

    Yield nothing for a comparison.
    """
    symbolic = member.node
    sign = Sign.NoSign
    if symbolic.ast_type == ASTType.Literal:
        sign = symbolic.sign
        symbolic = symbolic.atom
    if symbolic.ast_type != ASTType.SymbolicAtom:
        return
    pool = syntax.atoms(symbolic)
    for atom in pool:
        yield Literal(
            rule=rule,
            atom=atom,
            key=syntax.signature(atom),
            terms=syntax.arguments(atom),
            where=member.where,
            scope=member.scope,
            sign=sign,
            outer_sign=member.outer_sign,
            is_pooled=len(pool) > 1,
        )


# The model.


@dataclass(frozen=True, eq=False)
class TemporalProgram:
    """The rules and other statements of a program, in order."""

    rules: tuple[TemporalRule, ...]

    @classmethod
    def of_sections(cls, sections: Iterable[Section]) -> TemporalProgram:
        """Return the model of a program that consists of `sections`."""
        statements = pairs(sections)
        return cls(tuple(TemporalRule(s, each.part, each.parameter) for each, s in statements))

    @cached_property
    def literals(self) -> dict[Signature, list[Literal]]:
        """Maps each predicate to all its literals, in the order of the program."""
        found: dict[Signature, list[Literal]] = {}
        for rule in self.rules:
            for literal in rule.literals:
                found.setdefault(literal.key, []).append(literal)
        return found

    @cached_property
    def places(self) -> dict[Signature, int]:
        """Map each predicate to the index of its time argument.

        The time argument is the one that is most often t+k in `step(t)` and `check(t)`. Predicates
        without a time are left out.
        """
        places: dict[Signature, int] = {}
        for key, found in self.literals.items():
            place = _time_argument(found)
            if place is not None and key != QUERY:
                places[key] = place
        return places

    def derived_shifts(self, key: Signature, place: int) -> set[int | None]:
        """Return all k for which timed rules derive atoms with t+k at index `place`.

        Include None if the argument of a head at this index has another form.
        """
        found = self.literals.get(key, ())
        return {each.shift(place) for each in found if each.is_head and each.is_timed}


def _time_argument(literals: Collection[Literal]) -> int | None:
    """Return the index of the argument that most often has the form t+k in `literals`.

    A head counts twice. Return None if no argument has this form.
    """
    counts: dict[int, int] = {}
    for literal in literals:
        if literal.is_timed:
            for place, shift in enumerate(literal.all_shifts):
                if shift is not None:
                    counts[place] = counts.get(place, 0) + 1 + literal.is_head
    best = max(counts.values(), default=0)
    return min((place for place, count in counts.items() if count == best), default=None)


def depending_on(
    starts: Iterable[Signature],
    links: Iterable[tuple[Set[Signature], Set[Signature]]],
) -> set[Signature]:
    """Return the predicates `starts` and all that depend on them.

    Each link is a pair for one rule: the predicates that it defines, and the predicates that it
    reads.
    """
    after: dict[Signature, set[Signature]] = {}
    for defined, read in links:
        for key in read:
            after.setdefault(key, set()).update(defined)
    return closure(starts, lambda key: after.get(key, ()))
