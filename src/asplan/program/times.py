"""When the rules of a single-shot program come into being as its horizon grows.

Let the horizon be v, the value of the constant. The instance of a rule for the time T is there from
v = T+n on, its *natural* time: `time(T+1)` with `time(0..v)` asks for T+1, `T < v` for T+1 as well.
An atom p(..,s) is *complete* from v = s+E on, where E is the same for all rules of p. What a rule
reads under negation, in an aggregate or in a condition must be complete before the instance can
stay as it is for good, so it is *settled* at v = T+g, with n <= g. Between the two it holds for the
time being: the atoms that are not complete yet have only what their own rules say by then.

All of it is found by a fixpoint over the rules. What no such number is found for is *late*: it is
another thing for each horizon.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from clingo import Function, Number, SymbolType

from asplan.core.errors import InputError, Location
from asplan.program.sorts import shift_of
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperation,
    BinaryOperator,
    Comparison,
    ComparisonOperator,
    Guard,
    Literal,
    Sign,
    Signature,
    SymbolicTerm,
    UnaryOperator,
    Variable,
    Walker,
    location,
)

Time = tuple[str, int]
"""A variable or the constant of the horizon, and what is added; a number has no name."""

MOST = 8
"""How many horizons may lie between the natural time of an instance and its settled one."""

Op = ComparisonOperator
_ORDER = (Op.LessThan, Op.LessEqual, Op.Equal, Op.NotEqual, Op.GreaterEqual, Op.GreaterThan)
MIRRORED = dict(zip(_ORDER, _ORDER[::-1], strict=True)) | {Op.Equal: Op.Equal} | {
    Op.NotEqual: Op.NotEqual
}  # fmt: skip
_DENIED = {
    Op.LessThan: Op.GreaterEqual,
    Op.LessEqual: Op.GreaterThan,
    Op.Equal: Op.NotEqual,
    Op.NotEqual: Op.Equal,
    Op.GreaterEqual: Op.LessThan,
    Op.GreaterThan: Op.LessEqual,
}


class NotConvertible(InputError):
    """A program that has to be grounded anew for each horizon, and why."""


def is_variable(name: str) -> bool:
    """Whether the name in a time is that of a variable."""
    return name[:1] == "_" or name[:1].isupper()


def term_of(at: AST, time: Time) -> AST:
    """A time as a term, where another stands."""
    name, shift = time
    if not name:
        return SymbolicTerm(at.location, Number(shift))
    place = at.location
    term = Variable(place, name) if is_variable(name) else SymbolicTerm(place, Function(name))
    if not shift:
        return term
    operator = BinaryOperator.Plus if shift > 0 else BinaryOperator.Minus
    number = SymbolicTerm(place, Number(abs(shift)))
    return BinaryOperation(place, operator, term, number)


class Putting(Walker):
    """Puts times in the place of variables and constants, and adds up what is computed of them."""

    def __init__(self, times: Mapping[str, Time]) -> None:
        self.times = times

    def visit_Variable(self, term: AST) -> AST:
        return term_of(term, self.times[term.name]) if term.name in self.times else term

    def visit_SymbolicTerm(self, term: AST) -> AST:
        known = term.symbol.type == SymbolType.Function and not term.symbol.arguments
        name = term.symbol.name if known else ""
        return term_of(term, self.times[name]) if known and name in self.times else term

    def visit_BinaryOperation(self, term: AST) -> AST:
        changed = self.visit_children(term)
        new: AST = term.update(**changed) if changed else term
        time = shift_of(new)
        return new if not changed or time is None else term_of(term, time)

    def visit_UnaryOperation(self, term: AST) -> AST:
        changed = self.visit_children(term)
        new: AST = term.update(**changed) if changed else term
        time = shift_of(new) if term.operator_type == UnaryOperator.Minus else None
        return new if not changed or time is None else term_of(term, time)


def compared(literal: AST) -> tuple[Time, Op, Time] | None:
    """What a literal says of two times; None if it is nothing of the kind."""
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return None
    if literal.sign != Sign.NoSign or len(literal.atom.guards) != 1:
        return None
    guard = literal.atom.guards[0]
    left, right = shift_of(literal.atom.term), shift_of(guard.term)
    if left is None or right is None:
        return None
    return left, Op(guard.comparison), right


def bounds_of(literal: AST) -> list[tuple[Time, Op, Time]]:
    """What a literal says of two times; an interval has two ends."""
    if (found := compared(literal)) is not None:
        return [found]
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return []
    if literal.sign != Sign.NoSign or len(literal.atom.guards) != 1:
        return []
    guard = literal.atom.guards[0]
    time, interval = shift_of(literal.atom.term), guard.term
    if guard.comparison != Op.Equal or interval.ast_type != ASTType.Interval or time is None:
        return []
    low, high = shift_of(interval.left), shift_of(interval.right)
    if low is None or high is None or not is_variable(time[0]):
        return []
    return [(time, Op.GreaterEqual, low), (time, Op.LessEqual, high)]


def comparison(at: AST, left: Time, operator: Op, right: Time) -> AST:
    """A literal that compares two times, where a statement stands."""
    guard = Guard(int(operator), term_of(at, right))
    return Literal(at.location, Sign.NoSign, Comparison(term_of(at, left), [guard]))


def truth(literal: AST, values: Collection[str] = (), least: float = -inf) -> bool | None:
    """Whether a comparison holds for all values, or for none; `values` are names that have numbers.

    The name that is `t` of a part has at least the value `least`.
    """
    found = compared(literal)
    if found is None:
        return None
    (a, x), operator, (b, y) = found
    if a == b and (a in values or not a or is_variable(a)):
        return _holds(x - y, operator, x - y)
    if a in values and not b:
        return _holds(least + x - y, operator, inf)
    if b in values and not a:
        return _holds(least + y - x, MIRRORED[operator], inf)
    return None


def _holds(low: float, operator: Op, high: float) -> bool | None:
    """Whether all numbers in a range compare so with 0, or none does."""
    match operator:
        case Op.LessThan:
            return False if low >= 0 else True if high < 0 else None
        case Op.LessEqual:
            return False if low > 0 else True if high <= 0 else None
        case Op.GreaterThan:
            return True if low > 0 else False if high <= 0 else None
        case Op.GreaterEqual:
            return True if low >= 0 else False if high < 0 else None
    apart = low > 0 or high < 0
    equal = low == high == 0
    if not (apart or equal):
        return None
    return equal == (operator == Op.Equal)


@dataclass(frozen=True)
class Reading:
    """An atom that a rule reads, with its time, and how.

    `is_plain` is that it stands in the body without negation. `limits` says for each variable of a
    condition what it is at most: a time of a variable of the rule, or a number; `?` if unknown.
    """

    key: Signature
    time: Time | None
    is_plain: bool
    limits: Mapping[str, Time]


@dataclass(frozen=True, eq=False)
class Clause:
    """A statement in the form in which its times are seen.

    Attributes
    ----------
    source, node
        What the author wrote, and the same with one name for each time.
    heads
        The predicates that it derives, with their times.
    readings
        What it reads.
    bounds
        What the body says of two times.
    inner
        The same in conditions, with the limits of their variables.
    is_open
        Whether it leaves open what it derives.
    elsewhere
        Whether the constant stands where no time is compared with it.
    """

    source: AST
    node: AST
    heads: tuple[tuple[Signature, Time | None], ...]
    readings: tuple[Reading, ...]
    bounds: tuple[tuple[Time, Op, Time], ...]
    inner: tuple[tuple[Time, Op, Time, Mapping[str, Time]], ...]
    is_open: bool
    elsewhere: bool

    @property
    def at(self) -> Location:
        """Where it stands."""
        return location(self.source)


@dataclass(frozen=True)
class Span:
    """When instances are there and when they are settled, as numbers to add to the time.

    `others` are variables for times that are not bounded by that of `name`; with them the rule has
    a copy for each that may be the greatest.
    """

    name: str
    natural: float
    settled: float
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Analysis:
    """What is found of the times of a program.

    `places` are those of the predicates that speak of times, `domains` as in `Horizon`, together
    with predicates of pairs `next(T,T+1)`. `complete`, `appears` and `lowest` say of an atom of a
    time s from which horizon on it is complete, from which it may hold, and the least s.
    """

    constant: str
    origin: int
    dynamic: Collection[Signature]
    domains: Mapping[Signature, tuple[int, int]]
    places: Mapping[Signature, int]
    rules: list[Clause]
    fixed: Mapping[Signature, tuple[float, float]]
    facts: Mapping[Signature, tuple[float, float]]
    complete: dict[Signature, float] = field(default_factory=dict)
    appears: dict[Signature, float] = field(default_factory=dict)
    lowest: dict[Signature, float] = field(default_factory=dict)
    late: dict[Signature, Clause] = field(default_factory=dict)
    early: set[Signature] = field(default_factory=set)
    _final: dict[int, Span | None] | None = None

    def run(self) -> None:
        """Find all of it."""
        self._find_lowest()
        late = -1
        while late != len(self.late):
            late = len(self.late)
            self.early = set()
            while self._settle():
                pass
            self._find_appearance()
            for rule in self.rules:
                for key, time in rule.heads:
                    timeless = self.span(rule) is None and time is not None and time[0]
                    if timeless or self.reason(rule):
                        self.late.setdefault(key, rule)
        self._final = {}

    def _find_appearance(self) -> None:
        """From which horizon on atoms may hold, and which are there before their time."""
        self.early = {
            key
            for key, (_, high) in self.facts.items()
            if high > self.origin - self.complete.get(key, -inf)
        }
        self.appears = {}
        for _ in range(60):
            # No horizon is below the origin, so neither is that at which such a fact is read.
            found: dict[Signature, float] = {
                key: self.origin - self.facts[key][1] for key in self.early
            }
            for rule in self.rules:
                for key, time in self._timed_heads(rule):
                    if is_variable(time[0]):
                        span = self.span(rule)
                        natural = -inf if span is None else span.natural - time[1]
                        found[key] = min(found.get(key, inf), natural)
            if found == self.appears:
                break
            self.appears = found

    def _settle(self) -> bool:
        """One more fixpoint; whether it found more that is late."""
        self.complete = self.appears = {}
        late = len(self.late)
        for _ in range(60):
            before = dict(self.complete)
            for rule in self.rules:
                keys = {key for key, _ in rule.heads}
                if keys <= self.late.keys():
                    continue
                if keys & self.late.keys() or self._reason(rule):
                    for key in keys:
                        self.late.setdefault(key, rule)
                    continue
                span = self.span(rule)
                for key, time in rule.heads:
                    if time is None or not is_variable(time[0]):
                        if span is not None or (time and not self._is_at_start(key, time)):
                            self.late.setdefault(key, rule)
                    elif span is not None and (span.name != time[0] or span.others):
                        self.late.setdefault(key, rule)
                    elif span is not None:
                        settled = span.settled - time[1]
                        self.complete[key] = max(settled, self.complete.get(key, -inf))
                        if self.complete[key] > MOST:
                            self.late.setdefault(key, rule)
            for key, (_, high) in self.fixed.items():
                if high + self.complete.get(key, -inf) > self.origin:
                    self.late.setdefault(key, self.rules_of(key)[0])
            for sign, name, arity in list(self.complete):
                other = ("" if sign else "-", name, arity)
                if other in self.complete:
                    both = max(self.complete[sign, name, arity], self.complete[other])
                    self.complete[sign, name, arity] = self.complete[other] = both
                if other in self.late:
                    self.late.setdefault((sign, name, arity), self.late[other])
            if len(self.late) != late:
                return True
            if self.complete == before:
                break
        return False

    def rules_of(self, key: Signature) -> list[Clause]:
        """The rules that derive a predicate as time goes on."""
        return [rule for rule in self.rules if any(key == head for head, _ in rule.heads)]

    def _is_at_start(self, key: Signature, time: Time) -> bool:
        """Whether an atom of a fixed time is complete in base."""
        return not time[0] and time[1] + self.complete.get(key, -inf) <= self.origin

    def _timed_heads(self, rule: Clause) -> list[tuple[Signature, Time]]:
        return [
            (key, time)
            for key, time in rule.heads
            if key not in self.late and time is not None and key in self.places
        ]

    def reason(self, rule: Clause) -> str:
        """What makes the body of a rule another one for each horizon; empty if nothing does."""
        span = self.span(rule)
        if span is not None and (span.settled - span.natural > MOST or span.natural == -inf):
            return "open"
        return self._reason(rule)

    def _reason(self, rule: Clause) -> str:
        if rule.elsewhere:
            return "elsewhere"
        for reading in rule.readings:
            if reading.key in self.late:
                return "late"
            if reading.key in self.dynamic and reading.key in self.places:
                if reading.time is None or reading.time[0] == self.constant:
                    return "time"
                name, shift = self._limited(reading)
                if name is None:
                    return "all"
                if not name and shift + self.complete.get(reading.key, -inf) > self.origin:
                    return "fixed"
        for time, operator, _, limits in rule.inner:
            if operator not in (Op.LessThan, Op.LessEqual, Op.NotEqual):
                return "inner"
            if time[0] in limits and limits[time[0]][0] == "?":
                return "inner"
        return ""

    def _limited(self, reading: Reading) -> tuple[str | None, int]:
        """The time of a reading, or what it is at most."""
        assert reading.time is not None
        name, shift = reading.time
        if name in reading.limits:
            name, by = reading.limits[name]
            return (None if name == "?" else name), by + shift
        return name, shift

    def span(self, rule: Clause) -> Span | None:
        """When a rule is there and settled; None if it speaks of no time that moves."""
        if self._final is None:
            return self._span(rule)
        if id(rule) not in self._final:
            self._final[id(rule)] = self._span(rule)
        return self._final[id(rule)]

    def _span(self, rule: Clause) -> Span | None:
        natural, settled = dict[str, float](), dict[str, float]()

        def ask(table: dict[str, float], name: str, value: float) -> None:
            table[name] = max(value, table.get(name, -inf))

        upper = dict[str, float]()
        for reading in rule.readings:
            if reading.is_plain and reading.key in self.domains and reading.time is not None:
                name, shift = reading.time
                if is_variable(name):
                    upper[name] = min(self.domains[reading.key][1] - shift, upper.get(name, inf))
        for (name, _), operator, (_, by), shift in _of(rule.bounds, self.constant):
            if operator in (Op.LessThan, Op.LessEqual):
                most = by - shift - (operator == Op.LessThan)
                upper[name] = min(most, upper.get(name, inf))
        for name, high in upper.items():
            ask(natural, name, -high)
        for (name, _), operator, (_, by), shift in _of(rule.bounds, self.constant):
            by -= shift
            if operator == Op.NotEqual and upper.get(name, inf) <= by:
                if upper[name] == by:
                    ask(natural, name, 1 - by)
            elif operator == Op.NotEqual or operator in (Op.GreaterEqual, Op.Equal):
                ask(settled, name, 1 - by)
            elif operator == Op.GreaterThan:
                ask(settled, name, -by)
        for (name, shift), operator, (_, by), limits in rule.inner:
            if name in limits:
                name, more = limits[name]
                shift += more
            if is_variable(name):
                ask(settled, name, shift - by + (operator != Op.LessEqual))
        for reading in rule.readings:
            if reading.key not in self.places or reading.key not in self.dynamic:
                continue
            if reading.time is None or reading.key in self.late:
                continue
            limited, shift = self._limited(reading)
            if limited is None or not is_variable(limited):
                continue
            if reading.key in self.domains:
                value: float = shift - self.domains[reading.key][1]
                ask(natural if reading.is_plain else settled, limited, value)
                continue
            ask(settled, limited, shift + self.complete.get(reading.key, -inf))
            if reading.is_plain:
                ask(natural, limited, shift + self.appears.get(reading.key, -inf))
        for key, time in rule.heads:
            if time is not None and is_variable(time[0]) and key not in self.late:
                ask(settled, time[0], time[1] + self.complete.get(key, -inf))
        for name, value in natural.items():
            ask(settled, name, value)
        names = [name for name, value in settled.items() if value > -inf]
        if not names:
            return None
        first = [t[0] for _, t in rule.heads if t is not None and t[0] in names]
        apart = differences(rule)
        best: Span | None = None
        for name in [*first, *(n for n in names if n not in first)]:
            own, others = settled[name], dict[str, float]()
            for other in names:
                if other == name:
                    continue
                if (other, name) in apart:
                    own = max(own, apart[other, name] + settled[other])
                else:
                    others[other] = settled[other]
            span = Span(name, natural.get(name, -inf), own, others)
            if others and any(natural.get(n, -inf) != settled[n] for n in (name, *others)):
                span = Span(name, -inf, inf, others)
            if first or (not span.others and own == settled[name]):
                return span
            if best is None or (best.others and not span.others):
                best = span
        return best

    def _find_lowest(self) -> None:
        """The least times of the atoms of each predicate."""
        self.lowest = dict.fromkeys(self.places, inf)
        for key, (least, _) in (*self.fixed.items(), *self.facts.items()):
            self.lowest[key] = min(least, self.lowest.get(key, inf))
        for turn in range(40):
            before = dict(self.lowest)
            for rule in self.rules:
                for key, time in rule.heads:
                    if key not in self.places:
                        continue
                    low: float = -inf
                    if time is not None and is_variable(time[0]):
                        low = self.lower(rule, time[0]) + time[1]
                    elif time is not None and not time[0]:
                        low = time[1]
                    if low < self.lowest[key]:
                        self.lowest[key] = low if turn < 30 else -inf
            if self.lowest == before:
                break

    def lower(self, rule: Clause, name: str) -> float:
        """The least value of a variable."""
        found: list[float] = [-inf]
        for reading in rule.readings:
            if reading.is_plain and reading.time is not None and reading.time[0] == name:
                if reading.key in self.domains:
                    found.append(self.domains[reading.key][0] - reading.time[1])
                elif reading.key in self.places:
                    found.append(self.lowest.get(reading.key, -inf) - reading.time[1])
        for (left, x), operator, (right, y) in rule.bounds:
            if right == name and not left:
                left, x, operator, right, y = right, y, MIRRORED[operator], left, x
            if left == name and not right:
                if operator in (Op.GreaterEqual, Op.Equal):
                    found.append(y - x)
                elif operator == Op.GreaterThan:
                    found.append(y - x + 1)
        return max(found)


def _of(
    bounds: Iterable[tuple[Time, Op, Time]], constant: str
) -> Iterator[tuple[Time, Op, Time, int]]:
    """What is said of a variable and the constant, the variable on the left."""
    for left, operator, right in bounds:
        if left[0] == constant and is_variable(right[0]):
            left, operator, right = right, MIRRORED[operator], left
        if right[0] == constant and is_variable(left[0]):
            yield left, operator, right, left[1]


def differences(rule: Clause) -> dict[tuple[str, str], int]:
    """For two variables how much more than the second the first is at most."""
    found: dict[tuple[str, str], int] = {}
    for (a, x), operator, (b, y) in rule.bounds:
        if not (is_variable(a) and is_variable(b)):
            continue
        if operator in (Op.GreaterThan, Op.GreaterEqual):
            a, x, operator, b, y = b, y, MIRRORED[operator], a, x
        if operator in (Op.LessThan, Op.LessEqual, Op.Equal):
            most = y - x - (operator == Op.LessThan)
            found[a, b] = min(most, found.get((a, b), most))
            if operator == Op.Equal:
                found[b, a] = min(x - y, found.get((b, a), x - y))
    for via in {name for pair in found for name in pair}:
        for a, b in [(a, b) for a, m in found if m == via for n, b in found if n == via]:
            if a != b:
                most = found[a, via] + found[via, b]
                found[a, b] = min(most, found.get((a, b), most))
    return found
