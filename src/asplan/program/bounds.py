"""A constant in the place of what bounds the time: a number, a fact, or facts for all times.

`time(0..7)` becomes `time(0..asplan__horizon)`, and so does 7 wherever else it is that time;
`length(13)` becomes `length(asplan__horizon)`; `time(0). time(1). time(2).` become a range.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from asplan.core.errors import Location
from asplan.program import syntax
from asplan.program.sorts import Sort, clause_of
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, Walker, Wording
from asplan.program.terms import ABOVE, BELOW, term_of
from asplan.program.theory import VARIABLE, theory_atoms
from asplan.program.unit import Unit

OWN = "asplan__horizon"  # the constant in the place of a number, where the author has none
_New = Mapping[tuple[str, str, str], AST]  # terms in the place of others, by where they stand


def _put(new: _New, statement: AST) -> AST:
    file = syntax.location(statement).file
    put = Walker(SymbolicTerm=lambda term: new.get(_spot(file, term), term))
    return put.visit(statement)


def _spot(file: str, term: AST) -> tuple[str, str, str]:
    begin, end = term.location.begin, term.location.end
    return file, f"{begin.line}:{begin.column}", f"{end.line}:{end.column}"


Bound = tuple[str, Location, Callable[[Unit], Unit]]
"""What the author wrote, where, and how to put the constant in its place."""


def number_in(unit: Unit, sort: Sort) -> Bound | None:
    """What stands for the last time where no constant does, and how to put one there."""
    return _literal_end(unit, sort) or _fact_end(unit, sort) or _enumerated(unit, sort)


def _in_theory(unit: Unit, sort: Sort, last: int) -> dict[tuple[str, str, str], AST]:
    """The same for the last time, and the one after it, in variables of a theory."""
    new = dict[tuple[str, str, str], AST]()
    for statement in filter(theory_atoms, unit.statements):
        for term in syntax.find(ASTType.TheoryFunction, theory_atoms(statement)):
            key = ("", f"{VARIABLE}{term.name}", len(term.arguments))
            for place, argument in enumerate(term.arguments):
                number = syntax.number_of(argument) if (key, place) in sort.places else None
                if number is not None and last <= number <= last + 1:
                    own = OWN if number == last else f"({OWN}+1)"
                    rule = parse_text(f"&sum {{ {own} }}.")[1]
                    spot = _spot(syntax.location(statement).file, argument)
                    new[spot] = rule.head.elements[0].terms[0]
    return new


def _literal_end(unit: Unit, sort: Sort) -> Bound | None:
    """A number at the end of a range, or with which the times are compared."""
    ends = [high for high, _, _ in sort.ends if not high.name]
    limits = ends or [use for use in sort.bounds if not use.name and use.shift > 1]
    if not limits:
        return None
    last = max(use.shift for use in limits)
    first = next(use for use in limits if use.shift == last)
    given = (*sort.bounds, *sort.given)
    alike = [use for use in given if not use.name and last <= use.shift <= last + 1]
    near = [use for use in limits if last - 1 <= use.shift]
    spots = {_spot(use.file, use.term): use for use in (*near, *alike)}
    new = {spot: term_of(use.term, (OWN, use.shift - last)) for spot, use in spots.items()}
    for statement in (s for s in unit.statements if s != _put(new, s)):
        file, part = syntax.location(statement).file, statement
        terms = syntax.find(ASTType.SymbolicTerm, [statement])
        if _spot(first.file, first.term) in {_spot(file, term) for term in terms}:
            if statement.ast_type == ASTType.Rule and not statement.body:
                part = statement.head
            text = Wording()(part, first.file).replace("((", "(").replace("))", ")")
            return (
                text,
                syntax.location(statement),
                _putting({**new, **_in_theory(unit, sort, last)}),
            )
    return None


def _putting(new: _New) -> Callable[[Unit], Unit]:
    """Puts terms in the place of others."""
    return lambda unit: replace(unit, statements=tuple(_put(new, s) for s in unit.statements))


def _fact_end(unit: Unit, sort: Sort) -> Bound | None:
    """A fact that says the last time, which a rule reads: `time(0..L) :- length(L)`."""
    for i, name in sorted(_last_variables(unit, sort)):
        for atom in syntax.reads(unit.statements[i]):
            key, terms = syntax.signature(atom), syntax.arguments(atom)
            places = [place for place, term in enumerate(terms) if str(term) == name]
            if not places:
                continue
            alike = [
                (fact, head)
                for fact, head in _fact_heads(unit, key)
                if all(
                    a.ast_type == ASTType.Variable or str(a) == str(b)
                    for a, b in zip(terms, syntax.arguments(head), strict=True)
                )
            ]
            if len(alike) == 1:
                fact, head = alike[0]
                term = syntax.arguments(head)[places[0]]
                if (last := syntax.number_of(term)) is not None:
                    new = {_spot(syntax.location(fact).file, term): term_of(term, (OWN, 0))}
                    then = _putting(_in_theory(unit, sort, last))
                    return str(head), syntax.location(fact), _instead(key, new, then)
    return None


def _fact_heads(unit: Unit, key: Signature) -> list[tuple[AST, AST]]:
    """The facts of a predicate, each with an atom of it, as it is written."""
    written = (s for s in unit.statements if s.ast_type == ASTType.Rule and not s.body)
    facts = (*written, *unit.expand_facts({key}))
    return [(s, head) for s in facts for head in syntax.heads(s) if syntax.signature(head) == key]


def _last_variables(unit: Unit, sort: Sort) -> set[tuple[int, str]]:
    """The variables, each with the number of its statement, that are ends of times."""
    found = set[tuple[int, str]]()
    for i, statement in enumerate(unit.statements):
        if statement.ast_type == ASTType.Script:
            continue
        clause = clause_of(statement)
        own = {name for j, name in sort.variables if statement is unit.statements[j]}
        sides = [u for u, *_ in clause.ends]
        sides += [b for _, op, b in clause.compared if op in BELOW]
        sides += [a for a, op, _ in clause.compared if op in ABOVE]
        found |= {(i, use.name) for use in sides if use.is_variable and use.name in own}
    return found


def _enumerated(unit: Unit, sort: Sort) -> Bound | None:
    """Facts that name all times, one by one."""
    for key in sorted(sort.unary):
        found = _fact_heads(unit, key)
        times = sorted({syntax.number_of(syntax.arguments(atom)[0]) or 0 for _, atom in found})
        rules = (s for s in unit.of_kind(ASTType.Rule) if s.body)
        derived = any(key in map(syntax.signature, syntax.heads(s)) for s in rules)
        if len(times) < 2 or derived or times != list(range(times[0], times[-1] + 1)):
            continue
        at = min(syntax.location(fact) for fact, _ in found)
        text = f"{key[1]}({times[0]}..{OWN})."
        new = parse_text("\n" * (at.line - 1) + " " * (at.column - 1) + text, at.file)[1]
        then = _putting(_in_theory(unit, sort, times[-1]))
        return f"{key[1]}({times[0]}) to {key[1]}({times[-1]})", at, _instead(key, {}, then, new)
    return None


def _instead(
    key: Signature, new: _New, then: Callable[[Unit], Unit], rule: AST | None = None
) -> Callable[[Unit], Unit]:
    """Writes the facts of a predicate with other terms, or as one rule in their place."""

    def is_of(statement: AST) -> bool:
        return {*map(syntax.signature, syntax.heads(statement))} == {key}

    def change(unit: Unit) -> Unit:
        if key not in unit.defined:
            return then(unit)
        own = unit.expand_facts({key})
        kept = [s for s in unit.statements if not rule or not is_of(s)]
        if rule is not None:
            facts = (*own, *filter(is_of, unit.statements))
            own = [rule] if syntax.location(rule) in map(syntax.location, facts) else []
        statements = tuple(_put(new, s) for s in (*own, *kept))
        return then(Unit(statements, tuple(facts.without({key}) for facts in unit.facts)))

    return change
