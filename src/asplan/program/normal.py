"""The rules of a single-shot program in the form in which their times are seen.

In that form each time has one name: `T2 = T1+1` is put in, `lasttime(T)` is `T = n`, what holds of
neighbouring times, `next(T,U)`, says `U = T+1`. A choice over all times, `{ a(T) : time(T) }`, is a
choice for each; where it has bounds, a constraint says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from clingo import SymbolType

from asplan.core.graphs import closure
from asplan.program.grounded import ground_facts
from asplan.program.horizon import Horizon
from asplan.program.sorts import shift_of
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Literal,
    Rule,
    Sign,
    Signature,
    Variable,
    Walker,
    arguments,
    atoms,
    find,
    global_variables,
    heads,
    is_choice,
    is_literal,
    kinds,
    names_term,
    reads,
    signature,
    variable_names,
)
from asplan.program.times import (
    MIRRORED,
    Clause,
    Op,
    Putting,
    Reading,
    Time,
    bounds_of,
    compared,
    comparison,
    is_variable,
    term_of,
)
from asplan.program.unit import Unit

_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)


@dataclass(frozen=True)
class Known:
    """The predicates of times that the constant alone decides.

    `domains` hold for the times from a number to the value plus a number, `pairs` of them together
    with a later one, and `ends` for one time, the value plus a number.
    """

    domains: Mapping[Signature, tuple[int, int]]
    pairs: Mapping[Signature, int]
    ends: Mapping[Signature, int]


def dynamic_predicates(statements: Iterable[AST], constant: str) -> set[Signature]:
    """The predicates that depend on the constant."""
    readers: dict[Signature, set[Signature]] = {}
    starts = set[Signature]()
    for statement in statements:
        defined = {signature(atom) for atom in heads(statement)}
        for atom in reads(statement) if defined else ():
            readers.setdefault(signature(atom), set()).update(defined)
        if names_term(statement, constant):
            starts |= defined
    return closure(starts, lambda key: readers.get(key, ()))


def is_dynamic(statement: AST, constant: str, dynamic: Collection[Signature]) -> bool:
    """Whether a statement names the constant, or reads what depends on it."""
    return names_term(statement, constant) or any(
        signature(atom) in dynamic for atom in reads(statement)
    )


def known_times(
    units: Sequence[Unit],
    horizon: Horizon,
    constants: Mapping[str, str],
    dynamic: Collection[Signature],
    is_open: Collection[Signature],
) -> Known:
    """The predicates of times that the constant alone decides, as a few values of it show."""
    rules: dict[Signature, list[AST]] = {}
    for unit in units:
        for statement in unit.statements:
            for key in {signature(atom) for atom in heads(statement)}:
                rules.setdefault(key, []).append(statement)
    wanted = {key for key in dynamic if key not in is_open and key[2] in (1, 2)}
    wanted |= set(horizon.domains) | set(horizon.ends)
    keys = closure(wanted, lambda key: {signature(a) for s in rules.get(key, ()) for a in reads(s)})
    chosen = {id(s): s for key in keys for s in rules.get(key, ())}
    given = [s for unit in units for s in unit.of_kind(ASTType.Definition)]
    given = [s for s in given if s.name != horizon.constant]
    facts = tuple(f.of(keys) for unit in units for f in unit.facts)
    part = Unit((*given, *chosen.values()), facts)
    first = horizon.value(horizon.least)
    seen: list[tuple[int, dict[Signature, set[tuple[int, ...]] | None]]] = []
    named = {n: v for n, v in constants.items() if n in part.constants or n in part.definitions}
    for value in (first, first + 1, first + 2, first + 3, first + 9):
        found = ground_facts([part], {**named, horizon.constant: str(value)}, strict=False)
        extents = {}
        for key in wanted:
            tuples = [
                atom.arguments
                for atom in found.named(*key[1:])
                if atom.positive is not bool(key[0])
            ]
            numeric = all(t.type == SymbolType.Number for terms in tuples for t in terms)
            extents[key] = {tuple(t.number for t in terms) for terms in tuples} if numeric else None
        seen.append((value, extents))
    return _classified(wanted, seen)


def _classified(
    wanted: Iterable[Signature],
    seen: Sequence[tuple[int, Mapping[Signature, set[tuple[int, ...]] | None]]],
) -> Known:
    domains = dict[Signature, tuple[int, int]]()
    pairs, ends = dict[Signature, int](), dict[Signature, int]()
    for key in sorted(wanted):
        extents = [(value, extents[key]) for value, extents in seen]
        value, last = extents[-1]
        if not last or any(extent is None for _, extent in extents):
            continue
        firsts = sorted(terms[0] for terms in last)
        apart = {terms[-1] - terms[0] for terms in last}
        low, high = firsts[0], firsts[-1] - value
        if len(apart) > 1:
            continue
        by = apart.pop()
        if len(last) == 1 and key[2] == 1 and all(e == {(v + high,)} for v, e in extents):
            ends[key] = high
        elif low <= extents[1][0] + high and all(
            e == {((s, s + by)[: key[2]]) for s in range(low, v + high + 1)} for v, e in extents
        ):
            domains[key] = low, high
            if key[2] == 2:
                pairs[key] = by
    return Known(domains, pairs, ends)


class _Ends(Walker):
    """Says of the ends which times they are."""

    def __init__(self, constant: str, ends: Mapping[Signature, int]) -> None:
        self.constant, self.ends = constant, ends

    def visit_Literal(self, literal: AST) -> AST:
        if literal.atom.ast_type != ASTType.SymbolicAtom or literal.sign == Sign.DoubleNegation:
            return literal
        if (by := self.ends.get(signature(literal.atom))) is None:
            return literal
        (term,) = arguments(literal.atom)
        operator = Op.Equal if literal.sign == Sign.NoSign else Op.NotEqual
        if str(term) == "_":
            term = term_of(term, (self.constant, by))
        new = comparison(literal, (self.constant, by), operator, (self.constant, by))
        return new.update(atom=new.atom.update(term=term))


def normal_forms(statement: AST, constant: str, known: Known) -> list[AST]:
    """A statement as one or more, with one name for each time."""
    statements = list(statement.unpool()) if ASTType.Pool in kinds(statement) else [statement]
    return [_unified(_plain(each, constant, known), known) for each in statements]


def _plain(statement: AST, constant: str, known: Known) -> AST:
    """The statement without ends, chains of comparisons, and intervals and `_` for times."""
    if not hasattr(statement, "body"):
        return statement
    body = [new for b in statement.body for new in _plain_literals(b)]
    statement = statement.update(body=body)
    text = str(statement)
    if any(name in text for _, name, _ in known.ends):
        statement = _Ends(constant, known.ends).visit(statement)
    if ".." in text and statement.ast_type == ASTType.Rule:
        return _without_intervals(statement, constant)
    return statement


_DENIED = {
    Op.LessThan: Op.GreaterEqual,
    Op.LessEqual: Op.GreaterThan,
    Op.Equal: Op.NotEqual,
    Op.NotEqual: Op.Equal,
    Op.GreaterEqual: Op.LessThan,
    Op.GreaterThan: Op.LessEqual,
}


def _plain_literals(literal: AST) -> list[AST]:
    """A chain `0 <= T < n` as two comparisons, and a denied one as its opposite."""
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return [literal]
    guards = list(literal.atom.guards)
    if literal.sign == Sign.Negation and len(guards) == 1:
        if find(ASTType.Interval, [literal]) or find(ASTType.Pool, [literal]):
            return [literal]
        denied = guards[0].update(comparison=int(_DENIED[Op(guards[0].comparison)]))
        return [literal.update(sign=Sign.NoSign, atom=literal.atom.update(guards=[denied]))]
    if literal.sign != Sign.NoSign or len(guards) == 1:
        return [literal]
    found, left = [], literal.atom.term
    for guard in guards:
        found.append(literal.update(atom=literal.atom.update(term=left, guards=[guard])))
        left = guard.term
    return found


def _without_intervals(rule: AST, constant: str) -> AST:
    """The rule with variables for intervals up to the horizon in its head."""
    if rule.head.ast_type != ASTType.Literal or rule.head.atom.ast_type != ASTType.SymbolicAtom:
        return rule
    intervals = [i for i in find(ASTType.Interval, [rule.head]) if names_term(i, constant)]
    if len(intervals) != 1:
        return rule
    variable = Variable(rule.location, fresh_name(rule))
    (interval,) = intervals
    equal = comparison(rule, (variable.name, 0), Op.Equal, ("", 0))
    guard = equal.atom.guards[0].update(term=interval)
    literal = equal.update(atom=equal.atom.update(guards=[guard]))
    head = _Instead(interval, variable).visit(rule.head)
    return rule.update(head=head, body=[*rule.body, literal])


class _Instead(Walker):
    """Puts a node in the place of another."""

    def __init__(self, old: AST, new: AST) -> None:
        self.old, self.new = str(old), new

    def visit_Interval(self, node: AST) -> AST:
        return self.new if str(node) == self.old else node


def fresh_name(node: AST) -> str:
    """A name for a variable that a statement does not have."""
    taken = {v.name for v in find(ASTType.Variable, [node])}
    return next(name for i in count(1) if (name := f"T{i}") not in taken)


def _unified(statement: AST, known: Known) -> AST:
    """The statement with one name for each time."""
    if not hasattr(statement, "body"):
        return statement
    body = [*statement.body, *_equalities(statement.body, known)]
    for place, literal in enumerate(body):
        rest = [*body[:place], *body[place + 1 :]]
        found = _alias(literal, statement.update(body=rest), None)
        if found is not None:
            renamed: AST = Putting(found).visit(statement.update(body=rest))
            return _unified(renamed, known)
    outside = set(global_variables(statement.body))
    return statement if not any(_conditions(statement)) else _Inner(known, outside).visit(statement)


def _equalities(literals: Iterable[AST], known: Known) -> Iterator[AST]:
    """What pairs of times say."""
    for literal in literals:
        if is_literal(literal) and (by := known.pairs.get(signature(literal.atom))) is not None:
            first, second = map(shift_of, arguments(literal.atom))
            if first and second and (first[0], first[1] + by) != second:
                yield comparison(literal, second, Op.Equal, (first[0], first[1] + by))


def _alias(literal: AST, rest: AST, outside: Collection[str] | None) -> dict[str, Time] | None:
    """What a variable is by another name; `outside` are those that may not be replaced."""
    found = compared(literal)
    if found is None or found[1] != Op.Equal or found[0][0] == found[2][0]:
        return None
    for (name, shift), _, (other, by) in (found, (found[2], found[1], found[0])):
        is_free = is_variable(name) and (outside is None or name not in outside)
        if is_free and any(v.name == name for v in find(ASTType.Variable, [rest])):
            return {name: (other, by - shift)}
    return None


class _Inner(Walker):
    """Gives each time in a condition one name."""

    def __init__(self, known: Known, outside: Collection[str]) -> None:
        self.known, self.outside = known, outside

    def visit_ConditionalLiteral(self, node: AST) -> AST:
        return self._unified(node)

    def visit_BodyAggregateElement(self, node: AST) -> AST:
        return self._unified(node)

    def visit_HeadAggregateElement(self, node: AST) -> AST:
        return node

    def _unified(self, node: AST) -> AST:
        literals = [new for c in node.condition for new in _plain_literals(c)]
        literals += _equalities(literals, self.known)
        for place, literal in enumerate(literals):
            rest = node.update(condition=[*literals[:place], *literals[place + 1 :]])
            if (found := _alias(literal, rest, self.outside)) is not None:
                return self._unified(Putting(found).visit(rest))
        return node.update(condition=literals)


# Where the times are.


@dataclass(frozen=True)
class Spoken:
    """The times that the atoms of a statement may have, of its heads alone, and what is compared.

    Each is a list with what the arguments of an atom are.
    """

    atoms: list[tuple[Signature, list[Time | None]]]
    heads: list[tuple[Signature, list[Time | None]]]
    pairs: list[tuple[str, str]]

    @classmethod
    def of(cls, node: AST) -> Spoken:
        """What a statement speaks of."""

        def terms(found: Iterable[AST]) -> list[tuple[Signature, list[Time | None]]]:
            return [(signature(a), [shift_of(term) for term in arguments(a)]) for a in found]

        pairs = [
            (a[0], b[0])
            for literal in find(ASTType.Literal, [node])
            for a, _, b in bounds_of(literal)
        ]
        return cls(terms(atoms(node)), terms(heads(node)), pairs + [(b, a) for a, b in pairs])

    def times(self, constant: str, places: Mapping[Signature, int]) -> set[str]:
        """The variables that are times."""
        found = {a for a, b in self.pairs if b == constant and is_variable(a)}
        for key, terms in self.atoms:
            if (place := places.get(key)) is not None and (time := terms[place]) is not None:
                found |= {time[0]} if is_variable(time[0]) else set()
        return closure(
            found, lambda name: {b for a, b in self.pairs if a == name and is_variable(b)}
        )


def places_of(
    spoken: Sequence[Spoken], constant: str, known: Known, dynamic: Collection[Signature]
) -> dict[Signature, int]:
    """For each predicate that depends on the constant the argument that is its time."""
    places = dict.fromkeys(known.domains, 0)
    while True:
        votes: dict[Signature, Counter[int]] = {}
        for each in spoken:
            times = each.times(constant, places)
            for key, terms in each.heads:
                for place, time in enumerate(terms if key in dynamic - places.keys() else ()):
                    if time is not None and time[0] in times:
                        rank = 100 + 10 * max(-4, min(time[1], 4)) + place
                        votes.setdefault(key, Counter())[place] += rank
        if not votes:
            return places
        for key, counted in votes.items():
            places[key] = counted.most_common(1)[0][0]


def split(node: AST, constant: str, places: Mapping[Signature, int], known: Known) -> list[AST]:
    """A choice over times as choices at each, and as a constraint where it has bounds."""
    if node.ast_type != ASTType.Rule or node.head.ast_type != ASTType.Aggregate:
        return [node]
    outside = set(global_variables(node.body))
    if not any(element.condition for element in node.head.elements):
        return [node]
    times = Spoken.of(node).times(constant, places)
    local = [
        {
            v.name
            for atom in atoms(element.literal)
            for v in find(ASTType.Variable, [atom])
            if v.name in times and v.name not in outside and v.name != "_"
        }
        for element in node.head.elements
    ]
    if not any(local):
        return [node]
    found = list[AST]()
    for element, names in zip(node.head.elements, local, strict=True):
        moved = [c for c in element.condition if _is_moved(c, names, outside, known)]
        bound = {name for c in moved if is_literal(c) for name in variable_names(c)}
        bound |= {t[0] for c in moved for t, op, _ in bounds_of(c) if find(ASTType.Interval, [c])}
        if not names <= bound:
            moved = list(element.condition)
        rest = [c for c in element.condition if c not in moved]
        head = node.head.update(
            left_guard=None, right_guard=None, elements=[element.update(condition=rest)]
        )
        found.append(node.update(head=head, body=[*node.body, *moved]))
    if node.head.left_guard is not None or node.head.right_guard is not None:
        literal = Literal(node.location, Sign.Negation, node.head)
        false = find(ASTType.Literal, [_FALSE])[0].update(location=node.location)
        found.append(Rule(node.location, false, [*node.body, literal]))
    return found


def _is_moved(literal: AST, names: Collection[str], outside: Collection[str], known: Known) -> bool:
    """Whether a condition says of a time alone when it is."""
    variables = set(variable_names(literal))
    if not variables & set(names) or not variables <= {*names, *outside}:
        return False
    return bool(list(bounds_of(literal))) or (
        is_literal(literal) and signature(literal.atom) in known.domains
    )


class Reader:
    """Reads the clauses of statements in that form."""

    def __init__(
        self,
        constant: str,
        dynamic: Collection[Signature],
        places: Mapping[Signature, int],
        known: Known,
    ) -> None:
        self.constant, self.dynamic, self.places, self.known = constant, dynamic, places, known

    def clause(self, source: AST, node: AST) -> Clause:
        """What is told of the times of a statement."""
        body = list(node.body) if hasattr(node, "body") else []
        bounds = [bound for literal in body for bound in bounds_of(literal)]
        outside = set(global_variables(body))
        readings, inner = list[Reading](), list[tuple[Time, Op, Time, Mapping[str, Time]]]()
        for literal in body:
            if literal.ast_type == ASTType.Literal:
                plain = is_literal(literal)
                if literal.atom.ast_type == ASTType.SymbolicAtom:
                    readings += self._readings([literal], plain, {})
        for literals in _conditions(node):
            own = [bound for literal in literals for bound in bounds_of(literal)]
            if not literals:
                continue
            names = {n for c in literals for n in variable_names(c)} - outside
            limits = {name: _limit(name, [*own, *bounds], outside) for name in names}
            readings += self._readings(literals, False, limits)
            for a, operator, b in own:
                if a[0] == self.constant and is_variable(b[0]):
                    a, operator, b = b, MIRRORED[operator], a
                if b[0] == self.constant and is_variable(a[0]):
                    inner.append((a, operator, b, limits))
        if node.ast_type in (ASTType.Heuristic, ASTType.ProjectAtom):
            readings += self._readings([node], False, {})
        derived = [] if node.ast_type != ASTType.Rule else heads(node)
        return Clause(
            source=source,
            node=node,
            heads=tuple((signature(atom), self._time(atom)) for atom in derived),
            readings=tuple(readings),
            bounds=tuple(bounds),
            inner=tuple(inner),
            is_open=is_choice(node),
            elsewhere=names_term(_Blind().visit(node), self.constant),
        )

    def _readings(
        self, nodes: Iterable[AST], is_plain: bool, limits: Mapping[str, Time]
    ) -> Iterator[Reading]:
        for atom in (a for node in nodes for a in atoms(node)):
            if (key := signature(atom)) in self.dynamic:
                yield Reading(key, self._time(atom), is_plain, limits)

    def _time(self, atom: AST) -> Time | None:
        place = self.places.get(signature(atom))
        return None if place is None else shift_of(arguments(atom)[place])


def _conditions(node: AST) -> Iterator[list[AST]]:
    """The literals that stand together in a condition."""
    for literal in getattr(node, "body", ()):
        if literal.ast_type == ASTType.ConditionalLiteral:
            yield [*literal.condition, literal.literal]
        elif literal.ast_type == ASTType.Literal and literal.atom.ast_type in _AGGREGATES:
            for element in literal.atom.elements:
                own = [element.literal] if literal.atom.ast_type == ASTType.Aggregate else []
                yield [*own, *element.condition]
    head = node.head if node.ast_type == ASTType.Rule else None
    if head is not None and head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        yield from (list(element.condition) for element in head.elements)
    elif head is not None and head.ast_type == ASTType.HeadAggregate:
        yield from (list(element.condition.condition) for element in head.elements)


def _limit(name: str, bounds: Iterable[tuple[Time, Op, Time]], outside: Collection[str]) -> Time:
    """What a variable of a condition is at most; `?` if that is not told."""
    for a, operator, b in bounds:
        if b[0] == name:
            a, operator, b = b, MIRRORED[operator], a
        is_above = b[0] in outside or not b[0]
        if a[0] == name and operator in (Op.LessThan, Op.LessEqual, Op.Equal) and is_above:
            return b[0], b[1] - a[1] - (operator == Op.LessThan)
    return "?", 0


class _Blind(Walker):
    """Leaves out what is compared with times."""

    def visit_Literal(self, literal: AST) -> AST:
        found = [bound for bound in bounds_of(literal) if is_variable(bound[0][0]) or
                 is_variable(bound[2][0])]  # fmt: skip
        return _TRUE if found else literal.update(**self.visit_children(literal))


_FALSE = parse_text(":- a.")[1].head
_TRUE = parse_text(":- #true.")[1].body[0]


def with_names(node: AST, places: Mapping[Signature, int]) -> AST:
    """The statement with variables for times that have no name in its body."""
    if not hasattr(node, "body"):
        return node
    for index, literal in enumerate(node.body):
        if not is_literal(literal) or literal.atom.symbol.ast_type != ASTType.Function:
            continue
        place = places.get(signature(literal.atom))
        if place is not None and str(arguments(literal.atom)[place]) == "_":
            terms = list(literal.atom.symbol.arguments)
            terms[place] = Variable(terms[place].location, fresh_name(node))
            symbol = literal.atom.symbol.update(arguments=terms)
            named = literal.update(atom=literal.atom.update(symbol=symbol))
            body = [*node.body[:index], named, *node.body[index + 1 :]]
            return with_names(node.update(body=body), places)
    return node
