"""Rules seen by the times in them: their atoms with times, and their bounds on times.

One sort of the program is taken as time. A time is a name plus a number: `T+1` is `("T", 1)`, `n`
is `("n", 0)`, and `3` is `("", 3)`. A scope is a rule outside of its elements, or one element of a
choice, an aggregate or a conditional literal, whose condition binds variables for this element
alone.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.program.model.program import Kind, Literal, Member, TemporalRule, Where
from asplan.program.model.sorts import Sort, Sorts
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.syntax.terms import ABOVE, MIRRORED, Op, Time, comparisons, is_name


class RuleEffect(Enum):
    """The effect of a rule: it derives its head, leaves its head open, or excludes answers."""

    DERIVES = "derives"
    OPENS = "opens"
    EXCLUDES = "excludes"


@dataclass(frozen=True, eq=False)
class TimedAtom:
    """A literal of a rule, with the index of its time argument (None if it has no time)."""

    literal: Literal
    place: int | None

    @property
    def key(self) -> Signature:
        """The predicate of the literal."""
        return self.literal.key

    @property
    def has_time(self) -> bool:
        """True if the predicate has a time argument."""
        return self.place is not None

    @cached_property
    def time(self) -> Time | None:
        """The time of the atom; the upper end if the time is an interval.

        None if there is no time argument, or if it is not a name plus a number, as with `_`.
        """
        return None if self.place is None else self.literal.last_time(self.place)

    @cached_property
    def low(self) -> Time | None:
        """The time, or its lower end if it is an interval; None in the same cases as `time`."""
        return None if self.place is None else self.literal.first_time(self.place)

    @property
    def is_negative(self) -> bool:
        """True if exactly one `not` stands before the atom."""
        return self.literal.sign == Sign.Negation

    @property
    def is_counted(self) -> bool:
        """True if the atom is in an element of the body, for example of an aggregate.

        The rule may then need the atom to be true or to be false.
        """
        return self.literal.where is Where.ELEMENT


@dataclass(frozen=True)
class Bound:
    """The comparison `low <= high` of two times. `S < T` becomes `S <= T-1`."""

    low: Time
    high: Time


@dataclass(frozen=True, eq=False)
class Scope:
    """The heads, the body atoms and the bounds on times of a rule, or of one of its elements."""

    heads: tuple[TimedAtom, ...]
    body: tuple[TimedAtom, ...]
    bounds: tuple[Bound, ...]

    def names(self) -> set[str]:
        """Return the time variables that a positive atom or an interval of this scope binds."""
        positive = (atom for atom in self.body if not atom.is_negative)
        bound_by_atoms = {atom.time[0] for atom in positive if atom.time is not None}
        bound_from_below = {bound.high[0] for bound in self.bounds if is_variable(bound.high)}
        bound_from_above = {bound.low[0] for bound in self.bounds}
        return bound_by_atoms | (bound_from_below & bound_from_above)


@dataclass(frozen=True, eq=False)
class ScopedRule:
    """A rule divided into scopes: the rule without its elements, and each element.

    `places` maps each predicate to the index of its time argument.
    """

    rule: TemporalRule
    places: Mapping[Signature, int]

    @property
    def effect(self) -> RuleEffect:
        """The effect of the rule on answers."""
        if self.rule.is_open:
            return RuleEffect.OPENS
        return RuleEffect.DERIVES if self.rule.heads else RuleEffect.EXCLUDES

    @cached_property
    def own(self) -> Scope:
        """The scope of the rule without its elements."""
        return self._scope(0)

    @cached_property
    def elements(self) -> tuple[Scope, ...]:
        """The scopes of the rule's elements, in order."""
        last = max((member.scope for member in self.rule.members), default=0)
        return tuple(self._scope(number) for number in range(1, last + 1))

    def scopes(self) -> Iterator[Scope]:
        """Yield the scope of the rule itself, then the scopes of its elements."""
        yield self.own
        yield from self.elements

    @cached_property
    def heads(self) -> list[TimedAtom]:
        """All atoms that the rule derives or leaves open, in any scope."""
        return [atom for scope in self.scopes() for atom in scope.heads]

    @cached_property
    def body(self) -> list[TimedAtom]:
        """All atoms that the rule reads, in any scope."""
        return [atom for scope in self.scopes() for atom in scope.body]

    def _scope(self, number: int) -> Scope:
        bounds: list[Bound] = []
        for member in self.rule.members:
            if member.scope == number and _is_condition(member):
                bounds += _bounds(member.node, self.rule)
        return Scope(
            heads=self._atoms(self.rule.heads, number),
            body=self._atoms(self.rule.reads, number),
            bounds=tuple(bounds),
        )

    def _atoms(self, literals: tuple[Literal, ...], scope: int) -> tuple[TimedAtom, ...]:
        own = (literal for literal in literals if literal.scope == scope)
        return tuple(TimedAtom(literal, self.places.get(literal.key)) for literal in own)


def temporal_rules(sorts: Sorts, sort: Sort) -> list[ScopedRule]:
    """Return the rules and externals of a program, divided into scopes.

    The arguments of `sort` are the times.
    """
    places = sort.place_of()
    rules = (rule for rule in sorts.rules if rule.is_rule or rule.kind is Kind.EXTERNAL)
    return [ScopedRule(rule, places) for rule in rules]


def _is_condition(member: Member) -> bool:
    """Return whether a member is a condition of its scope, rather than a head."""
    if member.where is Where.CONDITION:
        return member.scope > 0
    return member.where is not Where.HEAD


def _bounds(literal: AST, rule: TemporalRule) -> Iterator[Bound]:
    """Yield the bounds on times that a comparison states; nothing for another literal.

    `T = a..b` states `a <= T` and `T <= b`.
    """
    for left, operator, right in comparisons(literal):
        if operator in ABOVE:
            left, right = right, left
            operator = MIRRORED[operator]
        if operator in (Op.LessThan, Op.LessEqual, Op.Equal):
            yield from _bound(left, right, rule, is_strict=operator == Op.LessThan)
        if operator == Op.Equal:
            yield from _bound(right, left, rule)


def _bound(low: AST, high: AST, rule: TemporalRule, is_strict: bool = False) -> Iterator[Bound]:
    """Yield the bound `low <= high`, or `low < high` if `is_strict`.

    Yield nothing if one of the terms is not a name plus a number.
    """
    low_end = rule.time_of(low.left if low.ast_type == ASTType.Interval else low)
    high_end = rule.time_of(high.right if high.ast_type == ASTType.Interval else high)
    if low_end is not None and high_end is not None:
        yield Bound(low_end, (high_end[0], high_end[1] - is_strict))


def is_variable(time: Time | None) -> bool:
    """Return whether a time is a variable plus a number, as ("T", 1)."""
    return time is not None and is_name(time[0])
