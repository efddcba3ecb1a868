"""Keeps anonymous variables from making late steps dear.

For `not occurs(go(V,_),t)` clingo keeps a projection of `occurs`, and at each step it goes through
the projected atoms of all steps. Here the literal gets a predicate of its own, which is defined in
the same part: `not asplan__1any(V,t)` with `asplan__1any(V,t) :- occurs(go(V,A),t)`.

A definition of a new predicate keeps the answer sets, up to its atoms. It is made for literals in
the bodies of rules and objectives of `step(t)` and `check(t)` that name the parameter, and in the
conditions of choices; not inside other conditions and aggregates, and not where a variable stands
in a computation, an interval or a pool, from which the definition might not get its values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import count

from asplan.program.incremental import HELPER, TIMED, Program
from asplan.program.source import parse_text
from asplan.program.stepwise import Occurrence, general_atom, occurrences
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    Variable,
    Walker,
    find,
    heads,
    is_now,
    kinds,
    signature,
    variable_names,
)
from asplan.program.unit import Section

_TIMED = ("step", "check")
_COMPUTED = (ASTType.BinaryOperation, ASTType.UnaryOperation)
_MANY = (ASTType.Interval, ASTType.Pool)


def without_anonymous(program: Program) -> Program:
    """The same program with a predicate for each literal that has an anonymous variable."""
    numbers = count(1)
    sections = []
    for section in program.sections:
        if section.part in _TIMED:
            definer = _Definer(section.parameter, numbers)
            statements = [definer.statement(s) for s in section.statements]
            section = replace(section, statements=(*statements, *definer.definitions))
        sections.append(section)
    return replace(program, sections=tuple(sections))


class _Definer:
    """Replaces literals of one section, and keeps the rules that define what they became."""

    def __init__(self, parameter: str, numbers: count[int]) -> None:
        self.parameter, self.numbers = parameter, numbers
        self.known: dict[str, AST] = {}
        self.definitions: list[AST] = []

    def statement(self, statement: AST) -> AST:
        """The statement with its literals replaced."""
        if statement.ast_type not in (ASTType.Rule, ASTType.Minimize):
            return statement
        body = self._literals(statement.body)
        if statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Aggregate:
            elements = [
                element.update(condition=self._literals(element.condition))
                for element in statement.head.elements
            ]
            statement = statement.update(head=statement.head.update(elements=elements))
        return statement.update(body=body)

    def _literals(self, literals: Iterable[AST]) -> list[AST]:
        return [self._literal(literal) for literal in literals]

    def _literal(self, literal: AST) -> AST:
        if literal.ast_type != ASTType.Literal or not self._is_replaced(literal.atom):
            return literal
        text = str(literal.atom)
        if text not in self.known:
            self.known[text] = self._define(literal.atom)
        return literal.update(atom=self.known[text])

    def _is_replaced(self, atom: AST) -> bool:
        if atom.ast_type != ASTType.SymbolicAtom or signature(atom)[1].startswith(HELPER):
            return False
        anonymous = any(v.name == "_" for v in find(ASTType.Variable, [atom]))
        return anonymous and self._names_the_time(atom) and _is_simple(atom)

    def _names_the_time(self, atom: AST) -> bool:
        terms = find(ASTType.SymbolicTerm, [atom])
        functions = find(ASTType.Function, [atom])
        return any(str(term) == self.parameter for term in (*terms, *functions))

    def _define(self, atom: AST) -> AST:
        """Add the definition of a predicate, and return its atom."""
        names = variable_names(atom)
        # Nobody's predicate begins with a digit, so no renamed one has this name.
        name = f"{HELPER}{next(self.numbers)}any"
        head = f"{name}({','.join([*names, self.parameter])})"
        named = _Namer(names).visit(atom)
        (definition,) = parse_text(f"{head} :- {named}.")[1:]
        self.definitions.append(definition)
        replacement: AST = definition.head.atom
        return replacement


def _is_simple(atom: AST) -> bool:
    """Whether a body with this atom alone binds all its variables, as clingo sees it."""
    if atom.symbol.ast_type != ASTType.Function:
        return False  # classical negation: clingo does not project it, and `not -p(_)` is unsafe
    if any(function.external for function in find(ASTType.Function, [atom])):
        return False
    computed = (node for kind in _COMPUTED for node in find(kind, [atom]))
    return not any(find(kind, [atom]) for kind in _MANY) and not any(
        find(ASTType.Variable, [node]) for node in computed
    )


class _Namer(Walker):
    """Gives each anonymous variable a name that is not taken."""

    def __init__(self, taken: list[str]) -> None:
        self.free = (name for i in count(1) if (name := f"A{i}") not in taken)

    def visit_Variable(self, variable: AST) -> AST:
        """Name one variable."""
        return variable.update(name=next(self.free)) if variable.name == "_" else variable


# Keeps constants from making late steps dear.
#
# clingo joins the literals of a rule in the order in which it expects the fewest matches, and it
# settles that order before the first step, when the time is one literal among others. In
#
#     next(t,C,X) :- position(t-1,C,X), car(C,h).
#
# the constant makes `car(C,h)` look cheaper than the time. So clingo begins with the car, and for
# each one goes through its positions of all earlier steps. Here the constant becomes a variable with
# a predicate of its own, `car(C,C1), asplan__1is(C1)` with the fact `asplan__1is(h)`; then the time
# comes first.
#
# That is done for positive literals in the bodies of `step(t)` and `check(t)`, where the predicate
# has no rule in these parts and another positive literal names the parameter. The helper is a fact,
# so the ground rules stay the same.
#
# The estimate is that of `FunctionTerm::estimate` in clingo's libgringo/src/term.cc: an argument that
# is a constant counts nothing, and the average over the arguments is compared.


_COMPUTED_CONSTANTS = (ASTType.BinaryOperation, ASTType.Interval, ASTType.Pool)


def without_constants(program: Program) -> Program:
    """The same program with a predicate for each constant in a static literal of a timed rule."""
    timed = {
        signature(atom)
        for section in program.sections
        if section.part != "base"
        for statement in section.statements
        for atom in heads(statement)
    }
    names: dict[str, str] = {}
    sections = [
        replace(s, statements=tuple(_statement(r, s.parameter, timed, names) for r in s.statements))
        if s.part in TIMED
        else s
        for s in program.sections
    ]
    if not names:
        return program
    facts = " ".join(f"{name}({constant})." for constant, name in names.items())
    return replace(program, sections=(*sections, Section("base", "", parse_text(facts)[1:])))


def _statement(
    statement: AST, parameter: str, timed: Collection[Signature], names: dict[str, str]
) -> AST:
    """The statement without constants in its static literals; new ones are added to `names`."""
    if statement.ast_type not in (ASTType.Rule, ASTType.Minimize):
        return statement
    joined = [literal for literal in statement.body if _is_positive(literal)]
    if not any(_names(literal, parameter) for literal in joined):
        return statement
    naming = _Naming(variable_names(statement), names)
    body = []
    for literal in statement.body:
        if _is_positive(literal) and _is_static(literal, parameter, timed):
            literal = naming.visit(literal)
        body.append(literal)
    return statement.update(body=[*body, *naming.literals]) if naming.literals else statement


def _is_positive(literal: AST) -> bool:
    return (
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )


def _is_static(literal: AST, parameter: str, timed: Collection[Signature]) -> bool:
    """Whether a literal binds variables, and no time or computation is in it."""
    if signature(literal.atom) in timed or "@" in str(literal) or _names(literal, parameter):
        return False
    present = kinds(literal)
    return ASTType.Variable in present and present.isdisjoint(_COMPUTED_CONSTANTS)


def _names(literal: AST, parameter: str) -> bool:
    if parameter not in str(literal):
        return False
    terms = find(ASTType.SymbolicTerm, [literal])
    functions = find(ASTType.Function, [literal])
    return any(str(term) == parameter for term in (*terms, *functions))


class _Naming(Walker):
    """Replaces the constants in some literals of a statement by variables."""

    def __init__(self, taken: Collection[str], names: dict[str, str]) -> None:
        self.taken, self.names = set(taken), names
        self.variables: dict[str, str] = {}
        self.literals: list[AST] = []

    def visit_SymbolicTerm(self, term: AST) -> AST:
        """Put a variable in the place of a constant."""
        constant = str(term.symbol)
        if constant not in self.variables:
            variable = next(v for i in range(1, 10**6) if (v := f"C{i}") not in self.taken)
            self.taken.add(variable)
            self.variables[constant] = variable
            # Nobody's predicate begins with a digit, so no renamed one has this name.
            name = self.names.setdefault(constant, f"{HELPER}{len(self.names) + 1}is")
            (rule,) = parse_text(f":- {name}({variable}).")[1:]
            self.literals += rule.body
        return Variable(term.location, self.variables[constant])


# Keeps the cost of grounding a step from growing with the step.
#
# A rule of `step(t)` such as `on(X,t) :- on(X,t-1), not moved(X,t)` writes the predicate that it
# reads. clingo takes such a rule for recursive: in each ground call it goes through all atoms of the
# predicate, those of all earlier steps included. Here the predicate gets a second name for the
# present: `now_on(X,t) :- on(X,t-1), not moved(X,t)`, and a part of its own, which is grounded in a
# call of its own, copies `on(X,t) :- now_on(X,t)`. The rules of one call then read what earlier
# calls have finished.
#
# That keeps the answer sets, up to the helper atoms, under conditions that are seen from the syntax.
# There is an argument place at which every occurrence of the predicate in `step` and `check` has the
# parameter t or t-k with a number k > 0, heads have t, and heads in `base` have a number that is at
# most 0; and not both `base` and `check` have heads. Then the atom at time t has no definition but
# those that were renamed, all its other occurrences at t are renamed as well, and the copy makes
# both names equivalent. Predicates outside the conditions are left alone.


COPY, START = "asplan_copy", "asplan_start"

_NEVER = (ASTType.External, ASTType.ProjectAtom)
"""Statements whose atoms must keep their names."""


@lru_cache(maxsize=16)
def rewrite(program: Program) -> Program:
    """The same program with a name of its own for the present of each state predicate.

    Anonymous variables and constants are replaced first. Unchanged where nothing meets the
    conditions, the program says `asplan(staged)`, or it is delicate.
    """
    if program.written.staged or program.delicate:
        return program
    program = without_constants(without_anonymous(program))
    index = occurrences(program)
    places = dict(_state_predicates(program, index))
    if not places:
        return program
    sections = [_renamed(section, places) for section in program.sections]
    copies, starts = [], []
    for key, place in places.items():
        given = any(o.head and o.section.part == "base" for o in index[key])
        present = general_atom(key, place, "t", HELPER)
        copies.append(f"{general_atom(key, place, 't')} :- {present}{', t > 0' if given else ''}.")
        if given:
            starts.append(
                f"{general_atom(key, place, '0', HELPER)} :- {general_atom(key, place, '0')}."
            )
    sections.append(Section(START, "", parse_text(" ".join(starts))[1:]))
    sections.append(Section(COPY, "t", parse_text(" ".join(copies))[1:]))
    return replace(program, sections=tuple(sections), copied=True)


def _state_predicates(
    program: Program, index: dict[Signature, list[Occurrence]]
) -> Iterator[tuple[Signature, int]]:
    """The predicates that are read at an earlier time, each with the place of its time.

    Where step and check are grounded in two calls, one of them must both write and read.
    """
    for key, found in sorted(index.items()):
        for place in range(key[2]):
            if _follows_the_rules(found, place):
                writers = {o.section.part for o in found if o.head}
                readers = {o.section.part for o in found if o.is_earlier(place)}
                if readers and (writers & readers or not program.staged) and writers != {"base"}:
                    yield key, place
                    break


def _follows_the_rules(occurrences: list[Occurrence], place: int) -> bool:
    """Whether the conditions that the module names hold for a predicate and a place."""
    parts = {o.section.part for o in occurrences if o.head}
    return {"base", "check"} - parts != set() and all(_is_plain(o, place) for o in occurrences)


def _is_plain(occurrence: Occurrence, place: int) -> bool:
    if occurrence.statement.ast_type in _NEVER or occurrence.section.part == "plan":
        return False
    if not occurrence.terms:
        return False
    if occurrence.section.part == "base":
        return not occurrence.head or occurrence.is_start(place)
    return occurrence.is_now(place) or (not occurrence.head and occurrence.is_earlier(place))


def _renamed(section: Section, places: dict[Signature, int]) -> Section:
    if not section.parameter:
        return section
    renamer = _Renamer(section.parameter, places)
    return replace(section, statements=tuple(renamer.visit(s) for s in section.statements))


class _Renamer(Walker):
    """Renames the atoms of the present."""

    def __init__(self, parameter: str, places: dict[Signature, int]) -> None:
        self.parameter, self.places = parameter, places

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename an atom that speaks of the present."""
        return atom.update(symbol=self._renamed(atom.symbol, ""))

    def _renamed(self, term: AST, sign: str) -> AST:
        if term.ast_type == ASTType.UnaryOperation:
            return term.update(argument=self._renamed(term.argument, "-"))
        if term.ast_type == ASTType.Pool:
            return term.update(arguments=[self._renamed(member, sign) for member in term.arguments])
        if term.ast_type != ASTType.Function:
            return term
        place = self.places.get((sign, term.name, len(term.arguments)))
        if place is None or not is_now(term.arguments[place], self.parameter):
            return term
        return term.update(name=HELPER + term.name)
