"""Recursion that counts without a bound, so that clingo never ends to ground it.

A rule carries an argument from an atom of its body to its head, with a number added or inside of a
function: `level(L,T+1) :- level(L,T)`. A cycle of such rules that adds up to more or less than
nothing derives atoms without end, unless something bounds an argument that changes on it. All that
may be a bound counts as one: another positive atom, a comparison, an aggregate, or `not p(T)` of a
predicate that is not chosen. So what is found has no end for sure, as long as the rules fire.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from asplan.core.graphs import DisjointSets, components_of
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, BinaryOperator, Sign, Signature
from asplan.program.terms import (
    ABOVE,
    BELOW,
    MIRRORED,
    NEGATED,
    Op,
    Time,
    comparisons,
    is_name,
    shift_of,
)
from asplan.program.wording import plain_text

Place = tuple[Signature, int]  # a predicate and one of its arguments, counted from 0

_WRITTEN = {Op.LessThan: "<", Op.LessEqual: "<=", Op.GreaterThan: ">", Op.GreaterEqual: ">="}
_SUMS = (BinaryOperator.Plus, BinaryOperator.Minus)
_IN_FUNCTION = 1  # what a function around a variable counts as


@dataclass(frozen=True)
class Recursion:
    """A head and an atom of the body that both are of one cycle of predicates."""

    rule: AST
    head: AST
    atom: AST


@dataclass(frozen=True)
class _Link:
    """An argument of the body's atom that comes to the head's with a number added."""

    name: str
    source: Place
    target: Place
    shift: int


def find_endless_recursion(
    rules: Iterable[AST],
    chosen: Collection[Signature],
    is_same_time: Callable[[AST, AST, AST], bool],
) -> Iterator[Recursion]:
    """Yield one recursion of each cycle of rules that has no bound.

    Parameters
    ----------
    rules
        Those that are grounded together, with one name for each time.
    chosen
        The predicates that depend on choices; negation of others bounds.
    is_same_time
        Whether a rule may read the atom as its head derives it: false for one of an earlier step.
    """
    found = [
        Recursion(rule, head, atom)
        for rule in rules
        for head in syntax.heads(rule)
        for atom in _positive_atoms(rule)
        if is_same_time(rule, head, atom)
    ]
    after: dict[Signature, set[Signature]] = {}
    for one in found:
        after.setdefault(syntax.signature(one.atom), set()).add(syntax.signature(one.head))
    for members in map(set, components_of(after)):
        inside = [
            r for r in found if {syntax.signature(r.atom), syntax.signature(r.head)} <= members
        ]
        if (endless := _endless(inside, chosen)) is not None:
            yield endless


def _positive_atoms(rule: AST) -> list[AST]:
    literals = (b for b in rule.body if syntax.is_literal(b))
    groups = [syntax.atoms(literal) for literal in literals]
    return [group[0] for group in groups if len(group) == 1]


def _endless(inside: list[Recursion], chosen: Collection[Signature]) -> Recursion | None:
    """Return a recursion that counts on a cycle without a bound; None if there is none."""
    links = {one: list(_links(one)) for one in inside}
    alike = DisjointSets[Place]()
    for group in links.values():
        for link in group:
            alike.join(link.source, link.target)
    changing = {alike.find(link.source) for group in links.values() for link in group if link.shift}
    free = dict[Recursion, list[_Link]]()
    for one, group in links.items():
        moved = [link for link in group if alike.find(link.source) in changing]
        if not any(_is_bounded(one, link, chosen) for link in moved):
            free[one] = group
    after = {one: [other for other in free if _may_follow(one, other)] for one in free}
    cycles = (m for m in components_of(after) if len(m) > 1 or m[0] in after[m[0]])
    found = (_unbalanced({one: free[one] for one in members}) for members in cycles)
    return next(filter(None, found), None)


def _may_follow(one: Recursion, other: Recursion) -> bool:
    """Return whether what a rule derives may be what another one reads."""
    if syntax.signature(one.head) != syntax.signature(other.atom):
        return False
    derived = [_resolved(t, _aliases(one.rule)) for t in syntax.arguments(one.head)]
    read = [_resolved(t, _aliases(other.rule)) for t in syntax.arguments(other.atom)]
    both = [(a, b) for a, b in zip(derived, read, strict=True) if a is not None and b is not None]
    for a, b in both:
        if not is_name(a[0]) and not is_name(b[0]) and a != b:
            return False
    # Where two arguments are one variable plus numbers on both sides, they are as far apart.
    return all(
        a[1] - c[1] == b[1] - d[1]
        for a, b in both
        for c, d in both
        if a[0] == c[0] and b[0] == d[0] and is_name(a[0]) and is_name(b[0])
    )


def _links(one: Recursion) -> Iterator[_Link]:
    aliases = _aliases(one.rule)
    before = [(i, _resolved(term, aliases)) for i, term in enumerate(syntax.arguments(one.atom))]
    source, target = syntax.signature(one.atom), syntax.signature(one.head)
    for i, known in before:
        if known is None or not is_name(known[0]):
            continue
        for j, term in enumerate(syntax.arguments(one.head)):
            now = _resolved(term, aliases)
            if now is not None and now[0] == known[0]:
                yield _Link(known[0], (source, i), (target, j), now[1] - known[1])
            elif now is None and _is_inside(known[0], term):
                yield _Link(known[0], (source, i), (target, j), _IN_FUNCTION)


def _is_inside(name: str, term: AST) -> bool:
    """Return whether a variable stands within a function or a sum that is a term."""
    is_function = term.ast_type == ASTType.Function and not term.external
    is_sum = term.ast_type == ASTType.BinaryOperation and term.operator_type in _SUMS
    return (is_function or is_sum) and name in syntax.variable_names(term)


def _aliases(rule: AST) -> dict[str, Time]:
    """Return the variables that a rule sets equal to another one plus a number."""
    found = dict[str, Time]()
    for left, operator, right in comparisons(rule):
        one, other = shift_of(left), shift_of(right)
        if operator != Op.Equal or one is None or other is None:
            continue
        if is_name(one[0]) and is_name(other[0]) and one[0] not in found and one[0] != other[0]:
            found[one[0]] = other[0], other[1] - one[1]
    return found


def _resolved(term: AST, aliases: dict[str, Time]) -> Time | None:
    known = shift_of(term)
    for _ in aliases:
        if known is not None and known[0] in aliases:
            name, more = aliases[known[0]]
            known = name, known[1] + more
    return known


def _is_bounded(one: Recursion, link: _Link, chosen: Collection[Signature]) -> bool:
    """Return whether a rule bounds a variable otherwise than by the atom of its cycle.

    A rule that reads the predicate of its head twice counts as bounded if it compares two
    variables: one atom may count down what the other one counts up. So does a rule whose head has
    an argument from elsewhere: in `depth(Y,D+1) :- depth(X,D), edge(X,Y)` the edges may end.
    """
    aliases = _aliases(one.rule)
    key = syntax.signature(one.head)
    twice = [atom for atom in _positive_atoms(one.rule) if syntax.signature(atom) == key]
    if len(twice) > 1 and any(_orders_variables(*pair) for pair in comparisons(one.rule)):
        return True
    if _has_argument_from_elsewhere(one, aliases):
        return True
    names = {link.name, *(n for n in aliases if _root(n, aliases) == link.name)}
    own = {syntax.signature(one.atom), syntax.signature(one.head)}
    for literal in one.rule.body:
        if names.isdisjoint(syntax.variable_names(literal)):
            continue
        if syntax.is_literal(literal, ASTType.Comparison, None):
            if _comparison_bounds(literal, link, names, aliases):
                return True
        elif not syntax.is_literal(literal, sign=None):
            return True
        elif literal.sign == Sign.NoSign:
            atoms = syntax.atoms(literal)
            if str(one.atom) not in map(str, atoms) and syntax.signature(atoms[0]) not in own:
                return True
        elif not {syntax.signature(a) for a in syntax.atoms(literal)} <= {*chosen, *own}:
            return True
    conditions = [
        c for e in syntax.find(ASTType.ConditionalLiteral, [one.rule.head]) for c in e.condition
    ]
    return not names.isdisjoint(syntax.variable_names(*conditions))


def _has_argument_from_elsewhere(one: Recursion, aliases: dict[str, Time]) -> bool:
    """Return whether an argument of the head has variables, but none of the recursive atom."""
    own = {_root(name, aliases) for name in syntax.variable_names(*syntax.arguments(one.atom))}
    for term in syntax.arguments(one.head):
        names = {_root(name, aliases) for name in syntax.variable_names(term)}
        if names and names.isdisjoint(own):
            return True
    return False


def _orders_variables(left: AST, operator: Op, right: AST) -> bool:
    """Return whether a comparison says which of two variables is the greater one."""
    sides = [shift_of(side) for side in (left, right)]
    return operator in (*BELOW, *ABOVE) and all(side and is_name(side[0]) for side in sides)


def _root(name: str, aliases: dict[str, Time]) -> str:
    for _ in aliases:
        name = aliases[name][0] if name in aliases else name
    return name


def _comparison_bounds(
    literal: AST, link: _Link, names: set[str], aliases: dict[str, Time]
) -> bool:
    for left, operator, right in comparisons(literal):
        one, other = _resolved(left, aliases), _resolved(right, aliases)
        if one is None or other is None:
            return True
        if one[0] == other[0]:
            continue
        operators = [operator] if one[0] in names else []
        operators += [MIRRORED[operator]] if other[0] in names else []
        harmless = ABOVE if link.shift > 0 else BELOW if link.shift < 0 else ()
        if any(each not in harmless for each in operators):
            return True
    return False


def _unbalanced(free: dict[Recursion, list[_Link]]) -> Recursion | None:
    """Return a recursion on a cycle of arguments whose shifts do not add up to nothing."""
    after: dict[Place, set[Place]] = {}
    for group in free.values():
        for link in group:
            after.setdefault(link.source, set()).add(link.target)
    for members in map(set, components_of(after)):
        height = dict[Place, int]()
        pairs = [(one, link) for one, group in free.items() for link in group]
        inside = [pair for pair in pairs if {pair[1].source, pair[1].target} <= members]
        height[next(iter(sorted(members)))] = 0
        for _ in members:
            for _, link in inside:
                if link.source in height:
                    height.setdefault(link.target, height[link.source] + link.shift)
        for one, link in sorted(inside, key=lambda pair: not pair[1].shift):
            if height[link.target] != height[link.source] + link.shift:
                return _counting(one, inside)
    return None


def _counting(one: Recursion, inside: list[tuple[Recursion, _Link]]) -> Recursion:
    """Return the recursion itself if it counts, else the first one beside it that does."""
    counting = [other for other, link in inside if link.shift]
    return one if one in counting else counting[0]


def bounding_atom(statements: Iterable[AST], head: AST) -> str:
    """Return the atom that bounds an argument of a head that is computed; empty if none is known.

    A constraint such as `:- in(R,t), not room(R).` says that `room(R+1)` bounds `in(R+1,t)`.
    """
    key = syntax.signature(head)
    computed = {i: t for i, t in enumerate(syntax.arguments(head)) if _is_computed(t)}
    for statement in statements:
        if statement.ast_type != ASTType.Rule or syntax.heads(statement):
            continue
        for atom in _positive_atoms(statement):
            if syntax.signature(atom) != key:
                continue
            terms = syntax.arguments(atom)
            for place, term in computed.items():
                if found := _domain_of(statement, terms[place], term):
                    return found
    return ""


def _is_computed(term: AST) -> bool:
    return term.ast_type == ASTType.BinaryOperation and bool(syntax.variable_names(term))


def _domain_of(constraint: AST, variable: AST, term: AST) -> str:
    """Return what a constraint demands of a variable, said of another term."""
    for left, operator, right in comparisons(constraint):
        if str(left) == str(variable) and operator in (*BELOW, *ABOVE):
            sign = _WRITTEN[NEGATED[operator]]
            return f"{plain_text(term)} {sign} {plain_text(right)}"
    for literal in constraint.body:
        if not syntax.is_literal(literal, sign=Sign.Negation):
            continue
        for atom in syntax.atoms(literal):
            if list(map(str, syntax.arguments(atom))) == [str(variable)]:
                return f"{syntax.signature(atom)[1]}({plain_text(term)})"
    return ""
