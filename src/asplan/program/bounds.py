"""Recursion that counts without a bound, so that its grounding never ends.

In `level(L,T+1) :- level(L,T)` a rule derives an argument from that of a body atom, with a number
added or inside a function. A cycle of such rules whose numbers do not add up to 0 derives atoms
without end, unless something bounds an argument that changes on the cycle. Whatever may be a bound
is taken for one: another positive atom, a comparison, an aggregate, or `not p(T)` with a predicate
that is not chosen. So a reported recursion is endless for certain, as long as its rules fire.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.core.graphs import DisjointSets, components_of
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, BinaryOperator, Sign, Signature
from asplan.program.syntax.terms import (
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
from asplan.program.syntax.wording import plain_text

Place = tuple[Signature, int]
"""A predicate and the index of one of its arguments."""

_ORDERING = (*BELOW, *ABOVE)
_WRITTEN = {
    Op.LessThan: "<",
    Op.LessEqual: "<=",
    Op.GreaterThan: ">",
    Op.GreaterEqual: ">=",
}
_SUMS = (BinaryOperator.Plus, BinaryOperator.Minus)

_IN_FUNCTION = 1
"""The number to count as added if a variable is put inside a function or a sum."""


@dataclass(frozen=True)
class Recursion:
    """A rule with a head and a positive body atom whose predicates depend on each other."""

    rule: AST
    head: AST
    atom: AST

    @cached_property
    def keys(self) -> set[Signature]:
        """The predicates of the head and of the body atom."""
        return {syntax.signature(self.head), syntax.signature(self.atom)}

    @cached_property
    def aliases(self) -> dict[str, Time]:
        """For each alias in the rule, its variable and number: S = T+1 gives {"S": ("T", 1)}."""
        return _aliases(self.rule)

    @cached_property
    def derived(self) -> list[Time | None]:
        """Each argument of the head as a name plus a number; None for another form."""
        return _shifts(self.head, self.aliases)

    @cached_property
    def read(self) -> list[Time | None]:
        """Each argument of the body atom as a name plus a number; None for another form."""
        return _shifts(self.atom, self.aliases)


@dataclass(frozen=True)
class _Link:
    """A variable that a rule carries from an argument of the body atom to one in the head.

    Attributes
    ----------
    name
        The variable.
    source, target
        The argument of the body atom, and the argument of the head.
    shift
        The number by which the argument of the head exceeds that of the body atom.
    """

    name: str
    source: Place
    target: Place
    shift: int


Links = dict[Recursion, list[_Link]]


def find_endless_recursion(
    rules: Iterable[AST],
    chosen: Collection[Signature],
    is_same_time: Callable[[AST, AST, AST], bool],
) -> Iterator[Recursion]:
    """Yield one recursion for each group of mutually recursive predicates that counts without end.

    Parameters
    ----------
    rules
        Rules that are grounded together, without aliases of times such as `T = t`.
    chosen
        The predicates that depend on choices. The negation of any other predicate is a bound.
    is_same_time
        Returns whether a head and a body atom of a rule may have the same time: False if the body
        atom is of an earlier step. Its arguments are the rule, the head and the body atom.
    """
    recursions = list(_recursions(rules, is_same_time))
    after: dict[Signature, set[Signature]] = {}
    for one in recursions:
        source = syntax.signature(one.atom)
        after.setdefault(source, set()).add(syntax.signature(one.head))
    for members in map(set, components_of(after)):
        endless = _endless([one for one in recursions if one.keys <= members], chosen)
        if endless is not None:
            yield endless


def _recursions(
    rules: Iterable[AST], is_same_time: Callable[[AST, AST, AST], bool]
) -> Iterator[Recursion]:
    """Yield a recursion for each head and positive body atom that may have the same time.

    `is_same_time` is explained at `find_endless_recursion`.
    """
    for rule in rules:
        for head in syntax.heads(rule):
            for atom in _positive_atoms(rule):
                if is_same_time(rule, head, atom):
                    yield Recursion(rule, head, atom)


def _positive_atoms(rule: AST) -> list[AST]:
    """Return the atoms of the positive literals in the body; pools are left out."""
    groups = [syntax.atoms(literal) for literal in rule.body if syntax.is_literal(literal)]
    return [group[0] for group in groups if len(group) == 1]


def _endless(recursions: Iterable[Recursion], chosen: Collection[Signature]) -> Recursion | None:
    """Return a recursion on a cycle in which an argument changes without a bound.

    Return None if there is no such cycle. `chosen` are the predicates that depend on choices.
    """
    free = _without_bounds({one: list(_links(one)) for one in recursions}, chosen)
    after = {one: [other for other in free if _may_follow(one, other)] for one in free}
    for members in components_of(after):
        if len(members) == 1 and members[0] not in after[members[0]]:
            continue
        counting = _unbalanced({one: free[one] for one in members})
        if counting is not None:
            return counting
    return None


def _without_bounds(links: Links, chosen: Collection[Signature]) -> Links:
    """Return the recursions, with their links, whose rules limit none of the changing arguments.

    `chosen` are the predicates that depend on choices.
    """
    alike = DisjointSets[Place]()
    for _, link in _pairs(links):
        alike.join(link.source, link.target)
    changing = {alike.find(link.source) for _, link in _pairs(links) if link.shift}
    free: Links = {}
    for one, group in links.items():
        moved = [link for link in group if alike.find(link.source) in changing]
        if not moved or not _is_bounded(one, moved, chosen):
            free[one] = group
    return free


def _pairs(links: Links) -> Iterator[tuple[Recursion, _Link]]:
    for one, group in links.items():
        for link in group:
            yield one, link


def _may_follow(one: Recursion, other: Recursion) -> bool:
    """Return whether the head of `one` can match the recursive body atom of `other`."""
    if syntax.signature(one.head) != syntax.signature(other.atom):
        return False
    distances = dict[tuple[str, str], int]()
    for a, b in zip(one.derived, other.read, strict=True):
        if a is None or b is None:
            continue
        distance = a[1] - b[1]
        if is_name(a[0]):
            # Arguments that are one variable plus numbers on both sides are equally far apart.
            if distances.setdefault((a[0], b[0]), distance) != distance:
                return False
        elif not is_name(b[0]) and a != b:
            return False
    return True


def _shifts(atom: AST, aliases: Mapping[str, Time]) -> list[Time | None]:
    """Return each argument of an atom as a name plus a number; None if it has another form.

    `aliases`, which the rule of the atom defines, are replaced.
    """
    return [_resolved(term, aliases) for term in syntax.arguments(atom)]


def _links(one: Recursion) -> Iterator[_Link]:
    """Yield the links of a recursion: arguments that it carries from the body atom to the head."""
    source = syntax.signature(one.atom)
    target = syntax.signature(one.head)
    terms = syntax.arguments(one.head)
    for i, before in enumerate(one.read):
        if before is None or not is_name(before[0]):
            continue
        name, shift = before
        for j, now in enumerate(one.derived):
            if now is not None and now[0] == name:
                yield _Link(name, (source, i), (target, j), now[1] - shift)
            elif now is None and _is_inside(name, terms[j]):
                yield _Link(name, (source, i), (target, j), _IN_FUNCTION)


def _is_inside(name: str, term: AST) -> bool:
    """Return whether a term is a function or a sum that contains the variable `name`."""
    is_function = term.ast_type == ASTType.Function and not term.external
    is_sum = term.ast_type == ASTType.BinaryOperation and term.operator_type in _SUMS
    return (is_function or is_sum) and name in syntax.variable_names(term)


def _aliases(rule: AST) -> dict[str, Time]:
    """Map each alias to its variable and number: for `S = T+1`, return `{"S": ("T", 1)}`."""
    aliases = dict[str, Time]()
    for left, operator, right in comparisons(rule):
        one = shift_of(left)
        other = shift_of(right)
        if operator != Op.Equal or one is None or other is None:
            continue
        is_new = one[0] not in aliases and one[0] != other[0]
        if is_new and is_name(one[0]) and is_name(other[0]):
            aliases[one[0]] = other[0], other[1] - one[1]
    return aliases


def _resolved(term: AST, aliases: Mapping[str, Time]) -> Time | None:
    """Return a term as a name plus a number, with aliases replaced; None for another form."""
    shift = shift_of(term)
    for _ in aliases:
        if shift is not None and shift[0] in aliases:
            name, more = aliases[shift[0]]
            shift = name, shift[1] + more
    return shift


def _root(name: str, aliases: Mapping[str, Time]) -> str:
    """Return the variable behind a name: follow aliases until a variable is no alias.

    `aliases` maps each alias to its variable and number.
    """
    for _ in aliases:
        name = aliases[name][0] if name in aliases else name
    return name


def _is_bounded(one: Recursion, moved: Iterable[_Link], chosen: Collection[Signature]) -> bool:
    """Return whether the rule of `one` limits a variable of the links `moved`, as `X < 9` does.

    These rules count as limited too: a rule that reads the predicate of its head twice and compares
    two variables, since one may count down while the other counts up; and a rule whose head has an
    argument that the recursive atom lacks, since in `depth(Y,D+1) :- depth(X,D), edge(X,Y)` the
    edges may end. `chosen` are the predicates that depend on choices.
    """
    if _orders_two_readings(one) or _has_argument_from_elsewhere(one):
        return True
    return any(_is_limited(one, link, chosen) for link in moved)


def _is_limited(one: Recursion, link: _Link, chosen: Collection[Signature]) -> bool:
    """Return whether a body literal or a condition of the rule of `one` limits a link's variable.

    `chosen` are the predicates that depend on choices.
    """
    names = {link.name}
    names.update(name for name in one.aliases if _root(name, one.aliases) == link.name)
    for literal in one.rule.body:
        if names.isdisjoint(syntax.variable_names(literal)):
            continue
        if _is_bound(literal, one, link, names, chosen):
            return True
    conditions = list[AST]()
    for element in syntax.find(ASTType.ConditionalLiteral, [one.rule.head]):
        conditions.extend(element.condition)
    return not names.isdisjoint(syntax.variable_names(*conditions))


def _orders_two_readings(one: Recursion) -> bool:
    """Return whether a rule reads its head's predicate twice and compares two variables."""
    key = syntax.signature(one.head)
    readings = [atom for atom in _positive_atoms(one.rule) if syntax.signature(atom) == key]
    if len(readings) < 2:
        return False
    return any(_orders_variables(*compared) for compared in comparisons(one.rule))


def _is_bound(
    literal: AST, one: Recursion, link: _Link, names: set[str], chosen: Collection[Signature]
) -> bool:
    """Return whether a body literal limits the variable of `link`.

    `names` are this variable and its aliases; the literal contains at least one of them. `chosen`
    are the predicates that depend on choices.
    """
    if syntax.is_literal(literal, ASTType.Comparison, None):
        return _comparison_bounds(literal, link, names, one.aliases)
    if not syntax.is_literal(literal, sign=None):
        return True
    atoms = syntax.atoms(literal)
    if literal.sign == Sign.NoSign:
        is_other = syntax.signature(atoms[0]) not in one.keys
        return is_other and str(one.atom) not in map(str, atoms)
    return not set(map(syntax.signature, atoms)) <= {*chosen, *one.keys}


def _has_argument_from_elsewhere(one: Recursion) -> bool:
    """Return whether some argument of the head has only variables that the recursive atom lacks."""
    read = syntax.variable_names(*syntax.arguments(one.atom))
    own = {_root(name, one.aliases) for name in read}
    for term in syntax.arguments(one.head):
        names = {_root(name, one.aliases) for name in syntax.variable_names(term)}
        if names and names.isdisjoint(own):
            return True
    return False


def _orders_variables(left: AST, operator: Op, right: AST) -> bool:
    """Return whether a comparison is `<`, `<=`, `>` or `>=` between two variables plus numbers.

    The comparison is `left operator right`.
    """
    sides = [shift_of(left), shift_of(right)]
    return operator in _ORDERING and all(side and is_name(side[0]) for side in sides)


def _comparison_bounds(
    literal: AST, link: _Link, names: set[str], aliases: Mapping[str, Time]
) -> bool:
    """Return whether a comparison limits a variable of `names` in the direction of `link`.

    The direction is upwards if the link adds a positive number. `aliases` maps each alias to its
    variable and number.
    """
    harmless = _harmless_operators(link.shift)
    for left, operator, right in comparisons(literal):
        one = _resolved(left, aliases)
        other = _resolved(right, aliases)
        if one is None or other is None:
            return True
        if one[0] == other[0]:
            continue
        if one[0] in names and operator not in harmless:
            return True
        if other[0] in names and MIRRORED[operator] not in harmless:
            return True
    return False


def _harmless_operators(shift: int) -> Sequence[Op]:
    """Return the operators whose comparisons stay true if `shift` is added to the left side."""
    if shift == 0:
        return ()
    return ABOVE if shift > 0 else BELOW


def _unbalanced(links: Links) -> Recursion | None:
    """Return a recursion on a cycle of arguments along which the added numbers do not sum to 0.

    Return None if the numbers of every cycle sum to 0.
    """
    after: dict[Place, set[Place]] = {}
    for _, link in _pairs(links):
        after.setdefault(link.source, set()).add(link.target)
    for members in map(set, components_of(after)):
        inside = [pair for pair in _pairs(links) if _is_between(pair[1], members)]
        heights = _heights(members, [link for _, link in inside])
        for one, link in sorted(inside, key=lambda pair: not pair[1].shift):
            if heights[link.target] != heights[link.source] + link.shift:
                return _counting(one, inside)
    return None


def _is_between(link: _Link, places: set[Place]) -> bool:
    return link.source in places and link.target in places


def _heights(places: set[Place], links: Iterable[_Link]) -> dict[Place, int]:
    """Map each argument to the sum of the numbers that links add on a path to it.

    The paths begin at the least argument. `places` are the arguments, as pairs of a predicate and
    an index; they form one strongly connected component.
    """
    heights = {min(places): 0}
    for _ in places:
        for link in links:
            if link.source in heights:
                heights.setdefault(link.target, heights[link.source] + link.shift)
    return heights


def _counting(one: Recursion, inside: Iterable[tuple[Recursion, _Link]]) -> Recursion:
    """Return `one` if its rule adds a number to an argument, else the first recursion that does.

    `inside` are the links of one component, each with its recursion.
    """
    counting = [other for other, link in inside if link.shift]
    return one if one in counting else counting[0]


def bounding_atom(statements: Iterable[AST], head: AST) -> str:
    """Return the literal to add to a rule so that a computed argument of its `head` is bounded.

    The literal is taken from a constraint: `:- in(R,t), not room(R).` gives `room(R+1)` for the
    head `in(R+1,t)`. Return an empty text if no constraint bounds the argument.
    """
    key = syntax.signature(head)
    computed = {i: term for i, term in enumerate(syntax.arguments(head)) if _is_computed(term)}
    for statement in statements:
        if statement.ast_type != ASTType.Rule or syntax.heads(statement):
            continue
        for atom in _positive_atoms(statement):
            if syntax.signature(atom) == key:
                bound = _bound_of(statement, syntax.arguments(atom), computed)
                if bound:
                    return bound
    return ""


def _bound_of(constraint: AST, terms: Sequence[AST], computed: Mapping[int, AST]) -> str:
    """Return the literal that bounds the first argument in `computed` that a constraint bounds.

    `computed` maps indices of arguments to the terms that the head has there. `terms` are the
    arguments of the constraint's atom. Return an empty text if no argument is bounded.
    """
    for place, term in computed.items():
        bound = _domain_of(constraint, terms[place], term)
        if bound:
            return bound
    return ""


def _is_computed(term: AST) -> bool:
    return term.ast_type == ASTType.BinaryOperation and bool(syntax.variable_names(term))


def _domain_of(constraint: AST, variable: AST, term: AST) -> str:
    """Return the literal that a constraint requires of `variable`, written for `term` instead.

    Return an empty text if the constraint requires nothing of the variable. For `:- in(R,t), not
    room(R)`, the variable R and the term R+1, return `room(R+1)`.
    """
    for left, operator, right in comparisons(constraint):
        if str(left) == str(variable) and operator in _ORDERING:
            return f"{plain_text(term)} {_WRITTEN[NEGATED[operator]]} {plain_text(right)}"
    for literal in constraint.body:
        if not syntax.is_literal(literal, sign=Sign.Negation):
            continue
        for atom in syntax.atoms(literal):
            if list(map(str, syntax.arguments(atom))) == [str(variable)]:
                _, name, _ = syntax.signature(atom)
                return f"{name}({plain_text(term)})"
    return ""
