"""What is never true: warnings of literals that speak of what is not there, most likely by a slip
of the pen; and rules, constraints, actions and fluents that cannot be at any step.

For a warning a literal is looked up among all atoms of the ground program. Where its predicate is
defined nowhere, or none of the atoms is like it, it is never true, or, behind `not`, always. Rules
may well be of no use for one instance, so a literal with a name in it counts only if an atom would
be like it with two arguments swapped, one with a number not at all, and nothing that `#defined`
declares. A head that speaks of the time before counts as well, where others of its predicate speak
of the present: rules that read it were grounded a step earlier.

For the rest each body has a witness, and what some answer set has among the witnesses is what is
possible (its brave consequences). The goal is not demanded. To the bodies that never are true their
beginnings are added, and the question is asked once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from clingo import Symbol, SymbolType

from asplan.core.errors import Location
from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.explanation import Literal, Never, Slip
from asplan.explaining.question import MINUS, Question
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    arguments,
    atoms,
    find,
    heads,
    is_before,
    is_now,
    signature,
)
from asplan.program.unit import QUERY, Section
from asplan.warnings.clauses import meant

_UNSURE = (ASTType.Interval, ASTType.Pool, ASTType.UnaryOperation)


def find_slips(question: Question) -> tuple[Slip, ...]:
    """The warnings of a program that is grounded."""
    program, bodies = question.program, bodies_of(question.program)
    statements = (statement for section in program.sections for statement in section.statements)
    written = {signature(atom) for statement in statements for atom in heads(statement)}
    defined = written.union(*(facts.signatures for facts in program.facts))
    known = _Known(question, defined, declared(program))
    found = [
        Slip(body.rule, place, _effect(literal, atom, place), hint)
        for body in bodies
        for literal, place in zip(body.literals, body.places, strict=True)
        for atom in atoms(literal)
        if (hint := known.hint(atom, body.section.parameter)) is not None
    ]
    return tuple(dict.fromkeys([*found, *_late(bodies)]))


def declared(program: Program) -> set[Signature]:
    """The predicates that a program declares by `#defined`."""
    return {
        ("" if statement.positive else "-", statement.name, statement.arity)
        for section in program.sections
        for statement in section.statements
        if statement.ast_type == ASTType.Defined
    }


def _effect(literal: AST, atom: AST, place: Literal) -> str:
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
        return f"{atom} is never true"
    always = "always" if literal.sign == Sign.Negation else "never"
    return f"{place.text} is {always} true"


def _late(bodies: Iterable[Body]) -> Iterator[Slip]:
    """Heads of rules that speak of an earlier time than others of their predicate."""
    times: dict[tuple[Signature, int], set[bool]] = {}
    late: list[tuple[Body, AST, tuple[Signature, int]]] = []
    for body in bodies:
        for head in body.heads:
            for place, term in enumerate(arguments(head)):
                before = is_before(term, body.section.parameter)
                if body.section.parameter and (before or is_now(term, body.section.parameter)):
                    times.setdefault((signature(head), place), set()).add(before)
                    if before:
                        late.append((body, head, (signature(head), place)))
    for body, head, key in late:
        if len(times[key]) > 1:
            begin = head.symbol.location.begin
            at = Location(body.rule.at.file, begin.line, begin.column)
            effect = f"{head} comes too late"
            hint = f"the steps before have been grounded; other heads have {body.section.parameter}"
            yield Slip(body.rule, Literal(at, str(head)), effect, hint)


@dataclass(frozen=True)
class _Known:
    """What a ground program has: predicates that are defined, and that may be missing."""

    question: Question
    defined: set[Signature]
    declared: set[Signature]

    def hint(self, atom: AST, parameter: str) -> str | None:
        """What to say where nothing is like an atom; None where something is."""
        key = sign, name, arity = signature(atom)
        if key == QUERY or key in self.declared or name.startswith("asplan"):
            return None
        if key not in self.defined:
            alike = meant(key, self.defined)
            return f"nothing defines {sign}{name}/{arity}" + (f"; {alike}" if alike else "")
        terms = arguments(atom)
        there = self.question.session.atoms(MINUS + name if sign else name, arity)
        if not there or any(find(kind, [atom]) for kind in _UNSURE):
            return None
        constants = find(ASTType.SymbolicTerm, terms, outside=ASTType.BinaryOperation)
        has_number = any(term.symbol.type == SymbolType.Number for term in constants)
        if has_number or self._is_like(terms, there, parameter):
            return None
        for swapped in _swaps(terms):
            if self._is_like(swapped, there, parameter):
                return f"did you mean {sign}{name}({','.join(map(str, swapped))})?"
        has_name = any(str(term) != parameter for term in constants)
        if has_name or any(term.ast_type == ASTType.Function for term in terms):
            return None
        return f"no {sign}{name}/{arity} is like it; one is {there[0]}"

    def _is_like(self, terms: Sequence[AST], there: Iterable[Symbol], parameter: str) -> bool:
        """Whether some atom may have these arguments."""
        for atom in there:
            values: dict[str, Symbol] = {}
            pairs = zip(terms, atom.arguments, strict=True)
            if all(self._matches(term, value, parameter, values) for term, value in pairs):
                return True
        return False

    def _matches(self, term: AST, value: Symbol, parameter: str, values: dict[str, Symbol]) -> bool:
        """Whether a term may have a value, beside what its variables are already."""
        if term.ast_type == ASTType.Variable:
            return term.name == "_" or values.setdefault(term.name, value) == value
        if term.ast_type == ASTType.SymbolicTerm:
            if (name := str(term)) == parameter:
                return value.type == SymbolType.Number
            control = self.question.session.control
            constant = control.get_const(name) if name.isidentifier() else None
            return bool(value == (constant or term.symbol))
        if term.ast_type == ASTType.Function:
            if value.type != SymbolType.Function or value.name != term.name:
                return False
            return len(value.arguments) == len(term.arguments) and all(
                self._matches(inner, part, parameter, values)
                for inner, part in zip(term.arguments, value.arguments, strict=True)
            )
        return value.type == SymbolType.Number  # arithmetic


def _swaps(terms: Sequence[AST]) -> Iterator[list[AST]]:
    """The terms with two of them swapped, or two arguments inside of one."""
    for i, j in combinations(range(len(terms)), 2):
        other = list(terms)
        other[i], other[j] = terms[j], terms[i]
        yield other
    for i, term in enumerate(terms):
        inner = term.arguments if term.ast_type == ASTType.Function else ()
        for swapped in _swaps(list(inner)):
            yield [*terms[:i], term.update(arguments=swapped), *terms[i + 1 :]]


# What cannot be at any step.


_TRUE, _EVER, _DONE, _WAS = "explain__true", "explain__ever", "explain__done", "explain__was"
_LOOK = "explain__look"
_SHOWN = f"#show {_EVER}/2. #show {_DONE}/1. #show {_WAS}/1. #defined {_TRUE}/4."


def find_never(question: Question) -> tuple[Never, ...] | None:
    """What cannot be up to the question's horizon, bodies first.

    None if the time did not do, or if nothing at all can be: there are no such steps.
    """
    bodies = [body for body in bodies_of(question.program) if body.literals]
    possible = _possible(question, bodies, {n: [len(b.literals)] for n, b in enumerate(bodies)})
    if possible is None:
        return None
    reached, found = possible
    dead = [n for n, body in enumerate(bodies) if (n, len(body.literals)) not in reached]
    if dead:
        ends = {n: range(1, len(bodies[n].literals)) for n in dead}
        if (possible := _possible(question, bodies, ends)) is None:
            return None
    reached, missing, never = possible[0], declared(question.program), list[Never]()
    for n in dead:
        body, lengths = bodies[n], range(1, len(bodies[n].literals) + 1)
        stop = next(end for end in lengths if (n, end) not in reached) - 1
        if not _is_off(body, body.literals[stop], missing):
            kind = "rule" if body.heads else "constraint"
            never.append(Never(kind, body.rule.text, body.rule.at, body.places[stop]))
    return (*never, *found)


def _possible(
    question: Question, bodies: Sequence[Body], ends: Mapping[int, Sequence[int]]
) -> tuple[set[tuple[int, int]], list[Never]] | None:
    """After how many literals some answer set has a body, and the actions and atoms of none.

    Bodies of rules are those under all constraints but the goal; those of constraints without any.
    """
    program = question.program
    twins = [
        replace(
            bodies[n].section,
            statements=tuple(
                bodies[n].witness(_TRUE, (n, end), (), bodies[n].literals[:end]) for end in several
            ),
        )
        for n, several in ends.items()
    ]
    last = f"{_EVER}(K,E) :- {_TRUE}(K,E,_,_). {' '.join(_timeless(program))}"
    sections = (*program.sections, *twins, Section(_LOOK, "", parse_text(last)[1:]))
    looking = question.variant(replace(program, sections=sections), _SHOWN)
    looking.ground(question.horizon)
    looking.session.ground([(_LOOK, [])])
    within = looking.session.possible(looking.kept(goals=False))
    without = looking.session.possible([])
    if within is None or without is None:
        return None
    reached: set[tuple[int, int]] = set()
    for symbols, is_rule in ((within, True), (without, False)):
        numbers = ([a.number for a in s.arguments] for s in symbols if s.match(_EVER, 2))
        reached |= {(n, end) for n, end in numbers if bool(bodies[n].heads) == is_rule}
    never = [
        Never(kind, str(atom.arguments[0]))
        for name, kind in ((_DONE, "action"), (_WAS, "fluent"))
        for atom in sorted(looking.session.atoms(name, 1))
        if atom not in within
    ]
    return reached, never


def _is_off(body: Body, literal: AST, missing: set[Signature]) -> bool:
    """Whether a body is meant to be of no use: for want of a goal, or of what may be missing."""
    keys = {signature(atom) for atom in atoms(literal)}
    is_variant = not keys and not find(ASTType.Variable, [literal])
    return body.rule.goal or is_variant or bool(keys & missing)


def _timeless(program: Program) -> Iterable[str]:
    """Rules that leave the time out of actions and of what timed parts derive."""
    if len(program.readings) == 1:
        for form in program.readings[0].forms:
            atom, action = form.pattern("_")
            yield f"{_DONE}({action}) :- {atom}."
    for (sign, name, arity), places in sorted(program.time_places.items()):
        if (sign, name, arity) in {*program.actions, QUERY} or len(places) != 1 or sign:
            continue
        if name.startswith((HELPER, "explain__")):
            continue
        terms = [f"V{i}" for i in range(arity)]
        rest = [term for i, term in enumerate(terms) if i not in places]
        fluent = f"{name}({','.join(rest)})" if rest else name
        yield f"{_WAS}({fluent}) :- {name}({','.join(terms)})."
