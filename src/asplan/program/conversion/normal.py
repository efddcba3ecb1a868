"""The normal form of statements with times.

In normal form, each time has one variable, times are compared explicitly, and there are no pools.
With `time(0..n)` and `last(n)`, the normal form of

    on(B,L,T2) :- move(B,L,T1), T2 = T1+1, time(T1), not last(T1).

is the following rule, with the comparisons `0 <= T1`, `T1 <= n` and `T1 != n`:

    on(B,L,T1+1) :- move(B,L,T1), time(T1), T1 != n.
"""

from collections.abc import Collection, Iterator

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.program import syntax
from asplan.program.reading.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    ConditionalLiteral,
    Sign,
    Signature,
    Variable,
    Walker,
)
from asplan.program.syntax.term_uses import NONE
from asplan.program.syntax.terms import (
    Op,
    Substitution,
    Time,
    comparison,
    comparisons,
    is_name,
    shift_of,
)
from asplan.program.times.horizon import Horizon

TimeComparison = tuple[Time, Op, Time]
"""A comparison of two times: `T+1 <= n` is `(("T", 1), Op.LessEqual, ("n", 0))`."""

FALSE: AST = parse_text(":- a.")[1].head


class NotConvertible(InputError):
    """The error that a program has no incremental form, so that each horizon is grounded anew."""


@dataclass(frozen=True)
class TimeVocabulary:
    """The names by which a program bounds its times.

    Attributes
    ----------
    horizon
        The constant that bounds the time, with the domains, ends and successors that depend on it.
    dynamic
        The predicates that depend on the constant.
    """

    horizon: Horizon
    dynamic: Collection[Signature]

    def comparisons_of(self, literal: AST) -> list[TimeComparison]:
        """Return the comparisons of two times that follow from a literal.

        Examples are `0 <= T < n`, `T = 1..n`, `not T > n`, and `time(T)`, where `time` is a domain.
        """
        if syntax.is_literal(literal):
            return self._comparisons_of_domain(literal.atom)
        if syntax.is_literal(literal, ASTType.Comparison, None):
            return list(_comparisons_of_terms(literal))
        return []

    def _comparisons_of_domain(self, atom: AST) -> list[TimeComparison]:
        key = syntax.signature(atom)
        if key not in self.horizon.domains:
            return []
        time = shift_of(syntax.arguments(atom)[0])
        if time is None:
            return []
        low, high = self.horizon.domains[key]
        last = self.horizon.constant, high
        return [(time, Op.GreaterEqual, ("", low)), (time, Op.LessEqual, last)]

    def equation_of(self, literal: AST) -> tuple[Time, Time] | None:
        """Return the two sides if a literal states an equation of times, else None.

        The literal is an equation itself, or an atom such as `next(T,S)` of a successor predicate.
        """
        key = syntax.signature(literal.atom) if syntax.is_literal(literal) else NONE
        if key in self.horizon.successors:
            first, second, by = self.horizon.successors[key]
            terms = syntax.arguments(literal.atom)
            before = shift_of(terms[first])
            after = shift_of(terms[second])
            return (after, (before[0], before[1] + by)) if before and after else None
        found = self.comparisons_of(literal)
        if len(found) != 1 or found[0][1] != Op.Equal:
            return None
        left, _, right = found[0]
        return left, right


def _comparisons_of_terms(literal: AST) -> Iterator[TimeComparison]:
    """Yield the comparisons of two times in a literal. `T = a..b` gives two comparisons."""
    for left, operator, right in comparisons(literal):
        time = shift_of(left)
        other = shift_of(right)
        if time and other:
            yield time, operator, other
        elif time and operator == Op.Equal and right.ast_type == ASTType.Interval:
            begin = shift_of(right.left)
            end = shift_of(right.right)
            if begin and end:
                yield time, Op.GreaterEqual, begin
                yield time, Op.LessEqual, end


def normal_forms(statement: AST, vocabulary: TimeVocabulary) -> list[AST]:
    """Return the statements in normal form that together replace a statement.

    Several statements replace a statement with pools, or a choice with atoms of all times in its
    head.
    """
    has_pools = ASTType.Pool in syntax.kinds(statement)
    unpooled = list(statement.unpool()) if has_pools else [statement]
    ends = Walker(Literal=lambda literal: _without_end(literal, vocabulary))
    forms = []
    for each in unpooled:
        for part in _split_choice(each, vocabulary):
            unified = _unify(ends.visit(part), vocabulary)
            forms.append(_name_times(unified, vocabulary))
    return forms


def _without_end(literal: AST, vocabulary: TimeVocabulary) -> AST:
    """Return `T = n` for an atom `last(T)` of a predicate that holds for the last time only.

    Other literals stay as they are.
    """
    if literal.atom.ast_type != ASTType.SymbolicAtom or literal.sign == Sign.DoubleNegation:
        return literal
    by = vocabulary.horizon.ends.get(syntax.signature(literal.atom))
    if by is None:
        return literal
    term = syntax.arguments(literal.atom)[0]
    end = (vocabulary.horizon.constant, by)
    new = comparison(literal, end, Op.NotEqual if literal.sign else Op.Equal, end)
    return new if str(term) == "_" else new.update(atom=new.atom.update(term=term))


def _split_choice(rule: AST, vocabulary: TimeVocabulary) -> list[AST]:
    """Return `{ a(T) } :- time(T)` for `{ a(T) : time(T) }`: one choice for each element.

    A choice with bounds on its number of atoms stays as it is. So does a choice whose conditions
    bind no time of their own.
    """
    head = rule.head if rule.ast_type == ASTType.Rule else FALSE
    if head.ast_type != ASTType.Aggregate or head.left_guard or head.right_guard:
        return [rule]
    outside = syntax.global_variables(rule.body)
    if set(_bounded_variables(head, vocabulary)) <= set(outside):
        return [rule]
    choices = []
    for element in head.elements:
        alone = head.update(elements=[element.update(condition=[])])
        choices.append(rule.update(head=alone, body=[*rule.body, *element.condition]))
    return choices


def _bounded_variables(head: AST, vocabulary: TimeVocabulary) -> Iterator[str]:
    """Yield the variables that are compared with times in conditions of a choice's head."""
    for element in head.elements:
        for literal in element.condition:
            for (name, _), _, _ in vocabulary.comparisons_of(literal):
                if is_name(name):
                    yield name


def _unify(statement: AST, vocabulary: TimeVocabulary) -> AST:
    """Return a statement without the variables that its body defines by equations.

    For example, `T2 = T1+1` in the body replaces `T2` by `T1+1`.
    """
    for place, literal in enumerate(statement.body):
        equation = vocabulary.equation_of(literal)
        if equation is None:
            continue
        body = list(statement.body)
        if literal.atom.ast_type == ASTType.Comparison:
            del body[place]
        rest = statement.update(body=body)
        substitution = _substitution_for(equation, rest)
        if substitution is not None:
            return _unify(substitution.visit(rest), vocabulary)
    return statement


def _substitution_for(equation: tuple[Time, Time], statement: AST) -> Substitution | None:
    """Return a substitution for a variable of the statement by the other side of an equation.

    Return None if neither side has a variable of the statement.
    """
    used = {variable.name for variable in syntax.find(ASTType.Variable, [statement])}
    left, right = equation
    for (name, shift), (other, more) in ((left, right), (right, left)):
        if name != other and is_name(name) and name in used:
            return Substitution({name: (other, more - shift)})
    return None


def _name_times(statement: AST, vocabulary: TimeVocabulary) -> AST:
    """Return a statement with a fresh variable for each anonymous time `_` in its body."""
    taken = {variable.name for variable in syntax.find(ASTType.Variable, [statement])}
    fresh = syntax.fresh_names("T", taken)
    body = [_name_time(literal, vocabulary, fresh) for literal in statement.body]
    return statement.update(body=body)


def _name_time(
    literal: AST,
    vocabulary: TimeVocabulary,
    fresh: Iterator[str],
) -> AST:
    """Return a literal in which the time, if it is `_`, is replaced by a fresh variable.

    `not p(X,_)` becomes `#false : p(X,T)`. For `not p(X,_)` clingo would define a new predicate, to
    which later steps cannot add atoms.
    """
    if not syntax.is_literal(literal, sign=None):
        return literal
    key = syntax.signature(literal.atom)
    place = vocabulary.horizon.places.get(key) if key in vocabulary.dynamic else None
    terms = syntax.arguments(literal.atom)
    if place is None or str(terms[place]) != "_":
        return literal
    is_denied = literal.sign == Sign.Negation
    for i, term in enumerate(terms):
        if str(term) == "_" and (is_denied or i == place):
            terms[i] = Variable(term.location, next(fresh))
    named = literal.update(atom=syntax.renamed(literal.atom, key[1], terms))
    if not is_denied:
        return named
    return ConditionalLiteral(literal.location, FALSE, [named.update(sign=Sign.NoSign)])
