"""The rules of a single-shot program in the form in which their times are seen.

In that form each time has one name, and what is said of two times is a list of bounds:

    on(B,L,T2) :- move(B,L,T1), T2 = T1+1, time(T1), not last(T1).

is, with `time(0..n)` and `last(n)`,

    on(B,L,T1+1) :- move(B,L,T1), time(T1), T1 != n.      0 <= T1, T1 <= n, T1 != n
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.clauses import NONE
from asplan.program.horizon import Horizon
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    ConditionalLiteral,
    Sign,
    Signature,
    Variable,
    Walker,
    heads,
)
from asplan.program.terms import (
    MIRRORED,
    Op,
    Substitution,
    Time,
    comparison,
    comparisons,
    is_name,
    shift_of,
)

Bound = tuple[Time, Op, Time]
_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)
FALSE: AST = parse_text(":- a.")[1].head
_TRUE: AST = parse_text(":- #true.")[1].body[0]


class NotConvertible(InputError):
    """A program that has to be grounded anew for each horizon, and why."""


@dataclass(frozen=True)
class Known:
    """What is known of the times of a program; `dynamic` is what depends on the constant."""

    horizon: Horizon
    dynamic: Collection[Signature]

    def bounds(self, literal: AST) -> list[Bound]:
        """What a literal says of two times: `0 <= T < n`, `T = 1..n`, `time(T)`, `not T > n`."""
        if syntax.is_literal(literal):
            key, terms = syntax.signature(literal.atom), syntax.arguments(literal.atom)
            time = shift_of(terms[0]) if key in self.horizon.domains else None
            if time is None:
                return []
            low, high = self.horizon.domains[key]
            last = self.horizon.constant, high
            return [(time, Op.GreaterEqual, ("", low)), (time, Op.LessEqual, last)]
        found = list[Bound]()
        is_compared = syntax.is_literal(literal, ASTType.Comparison, None)
        for left, operator, right in comparisons(literal) if is_compared else ():
            a, b = shift_of(left), shift_of(right)
            if a and b:
                found.append((a, operator, b))
            elif a and operator == Op.Equal and right.ast_type == ASTType.Interval:
                begin, end = shift_of(right.left), shift_of(right.right)
                if begin and end:
                    found += [(a, Op.GreaterEqual, begin), (a, Op.LessEqual, end)]
        return found

    def normal_forms(self, statement: AST) -> list[AST]:
        """A statement as one or more, with one name for each time."""
        has_pools = ASTType.Pool in syntax.kinds(statement)
        statements = list(statement.unpool()) if has_pools else [statement]
        if not hasattr(statement, "body"):
            return statements
        ends = Walker(Literal=self._without_end)
        parted = (new for each in statements for new in self._without_choices_of_times(each))
        return [self._with_names(self._unified(ends.visit(new))) for new in parted]

    def _without_end(self, literal: AST) -> AST:
        """For `last(T)` that `T = n`."""
        if literal.atom.ast_type != ASTType.SymbolicAtom or literal.sign == Sign.DoubleNegation:
            return literal
        if (by := self.horizon.ends.get(syntax.signature(literal.atom))) is None:
            return literal
        (term,), end = syntax.arguments(literal.atom), (self.horizon.constant, by)
        new = comparison(literal, end, Op.NotEqual if literal.sign else Op.Equal, end)
        return new if str(term) == "_" else new.update(atom=new.atom.update(term=term))

    def _without_choices_of_times(self, rule: AST) -> list[AST]:
        """For `{ a(T) : time(T) }`, which has no bounds on its number, `{ a(T) } :- time(T)`."""
        head = rule.head if rule.ast_type == ASTType.Rule else FALSE
        if head.ast_type != ASTType.Aggregate or head.left_guard or head.right_guard:
            return [rule]
        outside = set(syntax.global_variables(rule.body))
        bounds = [b for e in head.elements for c in e.condition for b in self.bounds(c)]
        if all(not is_name(a) or a in outside for (a, _), _, _ in bounds):
            return [rule]
        alone = ((e, head.update(elements=[e.update(condition=[])])) for e in head.elements)
        return [rule.update(head=one, body=[*rule.body, *e.condition]) for e, one in alone]

    def _unified(self, statement: AST) -> AST:
        """The statement without variables that others and numbers replace: `T2 = T1+1`."""
        for place, literal in enumerate(statement.body):
            rest, equal = [*statement.body], self.bounds(literal)
            key = syntax.signature(literal.atom) if syntax.is_literal(literal) else NONE
            if len(equal) == 1 and equal[0][1] == Op.Equal:
                del rest[place]
            elif key in self.horizon.successors:
                first, second, by = self.horizon.successors[key]
                one, other = (shift_of(syntax.arguments(literal.atom)[i]) for i in (first, second))
                equal = [(other, Op.Equal, (one[0], one[1] + by))] if one and other else []
            else:
                continue
            new = statement.update(body=rest)
            used = {variable.name for variable in syntax.find(ASTType.Variable, [new])}
            for a, _, b in equal:
                for (name, shift), (other_name, more) in ((a, b), (b, a)):
                    if name != other_name and is_name(name) and name in used:
                        put = Substitution({name: (other_name, more - shift)})
                        return self._unified(put.visit(new))
        return statement

    def _with_names(self, statement: AST) -> AST:
        """The statement with names for times that have none.

        `not p(X,_)` becomes `#false : p(X,T)`: clingo makes a predicate of its own for the former,
        to which later steps cannot add.
        """
        taken = {variable.name for variable in syntax.find(ASTType.Variable, [statement])}
        fresh = syntax.fresh_names("T", taken)
        body = []
        for literal in statement.body:
            key = syntax.signature(literal.atom) if syntax.is_literal(literal, sign=None) else NONE
            place = self.horizon.places.get(key) if key in self.dynamic else None
            if place is not None and str((terms := syntax.arguments(literal.atom))[place]) == "_":
                is_denied = literal.sign == Sign.Negation
                for i, term in enumerate(terms):
                    if str(term) == "_" and (is_denied or i == place):
                        terms[i] = Variable(term.location, next(fresh))
                literal = literal.update(atom=syntax.renamed(literal.atom, key[1], terms))
                if is_denied:
                    inner = literal.update(sign=Sign.NoSign)
                    literal = ConditionalLiteral(literal.location, FALSE, [inner])
            body.append(literal)
        return statement.update(body=body)


# What a rule tells of times.


@dataclass(frozen=True)
class Reading:
    """An atom that a rule reads, `is_plain` without negation; its time is at most `limit`."""

    key: Signature
    time: Time | None
    is_plain: bool
    limit: Time | None


@dataclass(frozen=True, eq=False)
class Rule:
    """A statement of a program in that form, `node`; `source` is what the author wrote.

    It derives `heads`, with their times, from `readings`. `bounds` are what the body says of two
    times, `inner` what conditions say of a time (or its limit) and the constant, which stands
    `elsewhere` if no time is compared with it.
    """

    source: AST
    node: AST
    heads: tuple[tuple[Signature, Time | None], ...]
    readings: tuple[Reading, ...]
    bounds: tuple[Bound, ...]
    inner: tuple[tuple[Time | None, Op, Time], ...]
    elsewhere: bool

    @property
    def at(self) -> Location:
        return syntax.location(self.source)

    @property
    def keys(self) -> set[Signature]:
        return {key for key, _ in self.heads}

    @property
    def is_open(self) -> bool:
        """Whether it leaves open what it derives."""
        return syntax.is_choice(self.node)


def rule_of(source: AST, node: AST, known: Known) -> Rule:
    """What a statement in that form tells of times."""
    constant, places = known.horizon.constant, known.horizon.places
    body = list(node.body) if hasattr(node, "body") else []
    bounds = [bound for literal in body for bound in known.bounds(literal)]
    outside = set(syntax.global_variables(body))
    readings, inner = list[Reading](), list[tuple[Time | None, Op, Time]]()

    def time_in(atom: AST) -> Time | None:
        term = syntax.time_of(atom, places)
        return None if term is None else shift_of(term)

    def read(nodes: Iterable[AST], is_plain: bool, limits: Mapping[str, Time | None]) -> None:
        for atom in (a for each in nodes for a in syntax.atoms(each)):
            if (key := syntax.signature(atom)) in known.dynamic:
                time = time_in(atom)
                readings.append(Reading(key, time, is_plain, _limited(time, limits)))

    for literal in (b for b in body if syntax.is_literal(b, sign=None)):
        read([literal], syntax.is_literal(literal), {})
    for literals in _conditions(node):
        own = [bound for literal in literals for bound in known.bounds(literal)]
        names = {n for literal in literals for n in syntax.variable_names(literal)} - outside
        limits = {name: _limit(name, [*own, *bounds], outside) for name in names}
        read(literals, False, limits)
        for a, operator, b in own:
            if is_name(b[0]) and not is_name(a[0]):
                a, operator, b = b, MIRRORED[operator], a
            if b[0] == constant and is_name(a[0]):
                inner.append((_limited(a, limits), operator, b))
    if node.ast_type in (ASTType.Heuristic, ASTType.ProjectAtom):
        read([node], False, {})

    def without_times(literal: AST) -> AST:
        if any(is_name(a[0]) or is_name(b[0]) for a, _, b in known.bounds(literal)):
            return _TRUE
        return literal.update(**blind.visit_children(literal))

    blind = Walker(Literal=without_times)
    return Rule(
        source=source,
        node=node,
        heads=tuple((syntax.signature(atom), time_in(atom)) for atom in heads(node)),
        readings=tuple(readings),
        bounds=tuple(bounds),
        inner=tuple(inner),
        elsewhere=syntax.names_term(blind.visit(node), constant),
    )


def _limited(time: Time | None, limits: Mapping[str, Time | None]) -> Time | None:
    limit = limits.get(time[0], (time[0], 0)) if time else None
    return (limit[0], limit[1] + time[1]) if time and limit else None


def _limit(name: str, bounds: Iterable[Bound], outside: Collection[str]) -> Time | None:
    """What a variable of a condition is at most; None if that is not told."""
    for a, operator, b in bounds:
        if b[0] == name:
            a, operator, b = b, MIRRORED[operator], a
        is_above = operator in (Op.LessThan, Op.LessEqual, Op.Equal)
        if a[0] == name and is_above and (b[0] in outside or not b[0]):
            return b[0], b[1] - a[1] - (operator == Op.LessThan)
    return None


def _conditions(node: AST) -> Iterator[list[AST]]:
    """The literals that stand together in a condition."""
    for literal in getattr(node, "body", ()):
        if literal.ast_type == ASTType.ConditionalLiteral:
            yield [*literal.condition, literal.literal]
        elif literal.ast_type == ASTType.Literal and literal.atom.ast_type in _AGGREGATES:
            for element in literal.atom.elements:
                own = [element.literal] if literal.atom.ast_type == ASTType.Aggregate else []
                yield [*own, *element.condition]
    head = node.head if node.ast_type == ASTType.Rule else FALSE
    if head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        yield from (list(element.condition) for element in head.elements)
    elif head.ast_type == ASTType.HeadAggregate:
        yield from (list(element.condition.condition) for element in head.elements)
