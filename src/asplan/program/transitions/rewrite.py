"""Rewriting that keeps the cost of grounding a step from growing with the step.

A rule of `step(t)` such as `on(X,t) :- on(X,t-1), not moved(X,t)` derives the predicate that it
reads. So clingo takes it for recursive, and each call visits the atoms of all earlier steps. The
rewriting gives the predicate a second name for the present: `now_on(X,t) :- on(X,t-1), not
moved(X,t)`. A part of its own, grounded in a call of its own, copies `on(X,t) :- now_on(X,t)`.

The answer sets stay the same, apart from helper atoms, if some argument is the time of the
predicate: in `step` and `check` every occurrence has t or t-k there with a number k > 0, heads have
t, and heads in `base` have a number of at most 0. And only one of `base` and `check` may have
heads. Then only renamed rules derive the atoms of time t, all other occurrences at t are renamed as
well, and the copy makes both names equivalent. Other predicates keep their names.

Before that, `without_anonymous` and `without_constants` replace two other causes of growth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

from asplan.program import syntax
from asplan.program.incremental import COPY, START, Program
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import HELPER, TIMED, Section, pairs
from asplan.program.syntax import AST, ASTType, Signature, Variable, Walker

if TYPE_CHECKING:
    from asplan.program.model.program import Literal

_FIXED_NAMES = (ASTType.External, ASTType.ProjectAtom)  # their atoms keep their names
_JOINING = (ASTType.Rule, ASTType.Minimize)
_COMPUTED = (ASTType.BinaryOperation, ASTType.UnaryOperation)
_MANY = (ASTType.Interval, ASTType.Pool)


@lru_cache(maxsize=16)
def rewrite(program: Program) -> Program:
    """Return a program in which atoms of state predicates at the present time have a second name.

    A final program is returned unchanged. If `#edge` statements have anonymous variables, clingo
    grounds their projections again in each call; then each step is grounded in a single call.
    """
    if program.is_final:
        return program
    if _has_anonymous_edges(program):
        return replace(program, staged=False)
    from asplan.program.transitions.repetition import with_repeated_constraints  # rarely needed

    program = without_constants(without_anonymous(with_repeated_constraints(program)))
    literals = program.model.literals
    places = _state_predicates(literals, program.staged)
    if not places:
        return program
    renamed = program.with_timed(lambda each, t: _with_present(each, t, places))
    copies = []
    starts = []
    for key, place in places.items():
        present = syntax.general_atom(key, place, "t", HELPER)
        copy = f"{syntax.general_atom(key, place, 't')} :- {present}"
        if any(each.is_head and each.part == "base" for each in literals[key]):
            copies.append(f"{copy}, t > 0.")
            first = syntax.general_atom(key, place, "0")
            starts.append(f"{syntax.general_atom(key, place, '0', HELPER)} :- {first}.")
        else:
            copies.append(f"{copy}.")
    start_part = Section.of_text(START, "", " ".join(starts))
    copy_part = Section.of_text(COPY, "t", " ".join(copies))
    return replace(renamed.with_sections(start_part, copy_part), copied=True)


def _has_anonymous_edges(program: Program) -> bool:
    timed = (s for section, s in pairs(program.sections) if section.part in TIMED)
    edges = [statement for statement in timed if statement.ast_type == ASTType.Edge]
    return any(variable.name == "_" for variable in syntax.find(ASTType.Variable, edges))


def _state_predicates(
    literals: Mapping[Signature, Sequence[Literal]],
    is_staged: bool,
) -> dict[Signature, int]:
    """Return the predicates to rename, each with the index of its time.

    `is_staged` means that step and check are grounded in two calls. `literals` has the literals of
    each predicate.
    """
    places = {}
    for key, found in sorted(literals.items()):
        place = _time_of_state(found, is_staged)
        if place is not None:
            places[key] = place
    return places


def _time_of_state(found: Sequence[Literal], is_staged: bool) -> int | None:
    """Return the index of the time of a state predicate: rules read it at an earlier time.

    `found` are the literals of the predicate. Return None if it must keep its name; the module's
    docstring lists the conditions. If step and check are grounded in two calls (`is_staged`), one
    part must both derive the predicate and read it at an earlier time.
    """
    writers = {each.part for each in found if each.is_head}
    if writers == {"base"} or {"base", "check"} <= writers:
        return None
    for place in range(found[0].key[2]):
        readers = {each.part for each in found if each.is_earlier(place)}
        is_recursive = bool(readers if not is_staged else writers & readers)
        if is_recursive and all(_can_be_renamed(each, place) for each in found):
            return place
    return None


def _can_be_renamed(literal: Literal, place: int) -> bool:
    """Return whether a literal permits renaming its predicate; `place` is the index of its time.

    The module's docstring lists the conditions.
    """
    if literal.rule.statement.ast_type in _FIXED_NAMES or literal.part == "plan":
        return False
    if not literal.terms:
        return False
    if literal.part == "base":
        return not literal.is_head or literal.is_start(place)
    return literal.is_now(place) or (not literal.is_head and literal.is_earlier(place))


def _with_present(
    statement: AST,
    parameter: str,
    places: Mapping[Signature, int],
) -> AST:
    """Return a statement with second names for atoms of the present time.

    `places` maps the predicates to rename to the index of their time.
    """

    def rename(term: AST, sign: str = "") -> AST:
        if term.ast_type == ASTType.UnaryOperation:
            return term.update(argument=rename(term.argument, "-"))
        if term.ast_type == ASTType.Pool:
            return term.update(arguments=[rename(member, sign) for member in term.arguments])
        if term.ast_type != ASTType.Function:
            return term
        place = places.get((sign, term.name, len(term.arguments)))
        if place is None or not syntax.is_now(term.arguments[place], parameter):
            return term
        return term.update(name=HELPER + term.name)

    walker = Walker(SymbolicAtom=lambda atom: atom.update(symbol=rename(atom.symbol)))
    return walker.visit(statement)


# Literals with anonymous variables.


def without_anonymous(program: Program) -> Program:
    """Replace each literal that contains an anonymous variable by a literal of a new predicate.

    For `not occurs(go(V,_),t)` clingo keeps a projection of `occurs`, and each step visits the
    projected atoms of all steps. Instead `not asplan__1any(V,t)` has a definition in the same part:
    `asplan__1any(V,t) :- occurs(go(V,A),t)`. This is done in bodies of rules and objectives of
    `step(t)` and `check(t)` that name the parameter, and in conditions of choices. It is not done
    inside other conditions and aggregates, nor for literals with a computation, an interval or a
    pool that the definition could not match.
    """
    numbers = count(1)
    names: dict[tuple[str, str], str] = {}
    sections = []
    for section in program.sections:
        if section.part in TIMED:
            section = _Projecting(section, numbers, names).replaced()
        sections.append(section)
    return program.with_own_sections(sections)


@dataclass
class _Projecting:
    """Replaces literals that contain anonymous variables by atoms of new predicates, in a section.

    Attributes
    ----------
    section
        The section.
    numbers
        Yields the numbers for new predicates.
    names
        Maps (part, atom with named variables) to the predicate that replaces it.
    """

    section: Section
    numbers: Iterator[int]
    names: dict[tuple[str, str], str]

    def __post_init__(self) -> None:
        self._definitions: list[AST] = []

    def replaced(self) -> Section:
        """Return the section with its literals replaced, and with the new definitions."""
        statements = [self._statement(statement) for statement in self.section.statements]
        return self.section.of((*statements, *self._definitions))

    def _statement(self, statement: AST) -> AST:
        if statement.ast_type not in _JOINING:
            return statement
        body = self._literals(statement.body)
        if statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Aggregate:
            head = statement.head
            elements = [e.update(condition=self._literals(e.condition)) for e in head.elements]
            statement = statement.update(head=head.update(elements=elements))
        return statement if body == list(statement.body) else statement.update(body=body)

    def _literals(self, literals: Iterable[AST]) -> list[AST]:
        return [self._literal(literal) for literal in literals]

    def _literal(self, literal: AST) -> AST:
        if literal.ast_type != ASTType.Literal:
            return literal
        if not _has_projection(literal.atom, self.section.parameter):
            return literal
        return literal.update(atom=self._atom_for(literal.atom))

    def _atom_for(self, atom: AST) -> AST:
        """Return the atom that replaces an atom with anonymous variables."""
        t = self.section.parameter
        names = syntax.variable_names(atom)
        others = {name: f"V{i}" for i, name in enumerate(names)}
        free = (f"A{i}" for i in count(1))
        naming = Walker(Variable=lambda v: v.update(name=others.get(v.name) or next(free)))
        defined = str(naming.visit(atom))
        name = self.names.get((self.section.part, defined))
        if name is None:
            # No predicate of a program begins with a digit, so no renamed one has this name.
            name = f"{HELPER}{next(self.numbers)}any"
            self.names[self.section.part, defined] = name
            head = f"{name}({','.join([*others.values(), t])})"
            self._definitions += parse_text(f"{head} :- {defined}.")[1:]
        found: AST = parse_text(f"{name}({','.join([*names, t])}).")[1].head.atom
        return found


def _has_projection(atom: AST, parameter: str) -> bool:
    """Return whether an atom has anonymous variables, and one rule can define its replacement."""
    if atom.ast_type != ASTType.SymbolicAtom or syntax.signature(atom)[1].startswith(HELPER):
        return False
    is_anonymous = any(v.name == "_" for v in syntax.find(ASTType.Variable, [atom]))
    if not is_anonymous or not syntax.names_term(atom, parameter):
        return False
    if atom.symbol.ast_type != ASTType.Function:
        return False  # classical negation: clingo does not project it, and `not -p(_)` is unsafe
    if any(function.external for function in syntax.find(ASTType.Function, [atom])):
        return False
    computed = syntax.find(ASTType.Variable, syntax.find(_COMPUTED, [atom]))
    return syntax.kinds(atom).isdisjoint(_MANY) and not computed


# Static literals with constants.


def without_constants(program: Program) -> Program:
    """Return a program with a predicate for each constant in a static literal of a timed rule.

    Before the first step, clingo settles the order in which it joins the literals of a rule. It
    begins with the literal for which it expects the fewest matches; the time counts as a literal
    too. In

        next(t,C,X) :- position(t-1,C,X), car(C,h).

    the constant makes `car(C,h)` look cheaper than the time (`FunctionTerm::estimate` in libgringo:
    a constant counts nothing, and the average over arguments is compared). So for each car clingo
    visits its positions of all earlier steps. With `car(C,C1), asplan__1is(C1)` and the fact
    `asplan__1is(h)` the time comes first, and the ground rules stay the same.

    This applies to positive literals in bodies of `step(t)` and `check(t)`. Their predicates must
    have no rules there, and another positive literal must name the parameter.
    """
    rules = (s for section, s in pairs(program.sections) if section.part != "base")
    timed = set().union(*map(syntax.defined_in, rules))
    names: dict[str, str] = {}
    joined = program.with_timed(lambda each, t: _without_constants(each, t, timed, names))
    if not names:
        return program
    facts = " ".join(f"{name}({constant})." for constant, name in names.items())
    return joined.with_sections(Section.of_text("base", "", facts))


def _without_constants(
    statement: AST,
    parameter: str,
    timed: Collection[Signature],
    names: dict[str, str],
) -> AST:
    """Return a statement with variables for the constants in its static literals.

    `timed` are the predicates with rules in timed parts. `names` maps each constant to the
    predicate that defines it; new ones are added.
    """
    if statement.ast_type not in _JOINING:
        return statement
    positive = [literal for literal in statement.body if syntax.is_literal(literal)]
    if not any(syntax.names_term(literal, parameter) for literal in positive):
        return statement
    static = [literal for literal in positive if _is_static(literal, parameter, timed)]
    if not static:
        return statement
    free = syntax.fresh_names("C", syntax.variable_names(statement))
    variables: dict[str, str] = {}

    def name_constant(term: AST) -> AST:
        constant = str(term.symbol)
        if constant not in variables:
            variables[constant] = next(free)
            # No predicate of a program begins with a digit, so no renamed one has this name.
            names.setdefault(constant, f"{HELPER}{len(names) + 1}is")
        return Variable(term.location, variables[constant])

    naming = Walker(SymbolicTerm=name_constant)
    body = [naming.visit(literal) if literal in static else literal for literal in statement.body]
    for constant, variable in variables.items():
        body += parse_text(f":- {names[constant]}({variable}).")[1].body
    return statement.update(body=body)


def _is_static(
    literal: AST,
    parameter: str,
    timed: Collection[Signature],
) -> bool:
    """Return whether a literal has constants and variables, but no time and no computation.

    `timed` are the predicates with rules in timed parts.
    """
    present = syntax.kinds(literal)
    return (
        {ASTType.Variable, ASTType.SymbolicTerm} <= present
        and present.isdisjoint((ASTType.BinaryOperation, *_MANY))
        and syntax.signature(literal.atom) not in timed
        and "@" not in str(literal)
        and not syntax.names_term(literal, parameter)
    )
