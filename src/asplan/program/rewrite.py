"""Keeps the cost of grounding a step from growing with the step.

A rule of `step(t)` such as `on(X,t) :- on(X,t-1), not moved(X,t)` writes the predicate that it
reads, so clingo takes it for recursive, and goes through the atoms of all earlier steps in each
call. Here the predicate gets a second name for the present: `now_on(X,t) :- on(X,t-1), not
moved(X,t)`, and a part of its own, grounded in a call of its own, copies `on(X,t) :- now_on(X,t)`.

That keeps the answer sets, up to the helper atoms, if there is an argument place at which every
occurrence in `step` and `check` has the parameter t or t-k with a number k > 0, heads have t, and
heads in `base` have a number that is at most 0; and not both `base` and `check` have heads. Then
the atom at time t has no definition but those that were renamed, all its other occurrences at t are
renamed as well, and the copy makes both names equivalent. Other predicates are left alone. Before
that, `without_anonymous` and `without_constants` replace what makes late steps dear as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import count

from asplan.program import syntax
from asplan.program.incremental import TIMED, Program
from asplan.program.roles import Occurrence, occurrences
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, Variable, Walker
from asplan.program.unit import HELPER, Section, pairs

COPY, START = "asplan_copy", "asplan_start"

_NEVER = (ASTType.External, ASTType.ProjectAtom)  # statements whose atoms must keep their names

_JOINING = (ASTType.Rule, ASTType.Minimize)
_COMPUTED = (ASTType.BinaryOperation, ASTType.UnaryOperation)
_MANY = (ASTType.Interval, ASTType.Pool)


@lru_cache(maxsize=16)
def rewrite(program: Program) -> Program:
    """The same program with a name of its own for the present of each state predicate.

    Unchanged where the program says `asplan(staged)`, or is delicate. Where edges have anonymous
    variables, clingo grounds their projections once more in each call: then a step gets one call.
    """
    if program.written.staged or program.delicate:
        return program
    timed = (s for section, s in pairs(program.sections) if section.part in TIMED)
    edges = [statement for statement in timed if statement.ast_type == ASTType.Edge]
    if any(variable.name == "_" for variable in syntax.find(ASTType.Variable, edges)):
        return replace(program, staged=False)
    program = without_constants(without_anonymous(program))
    index = occurrences(program)
    places = dict(_state_predicates(program, index))
    if not places:
        return program
    renamed = program.with_timed(lambda each, t: _with_present(each, t, places))
    copies, starts = [], []
    for key, place in places.items():
        given = any(o.head and o.section.part == "base" for o in index[key])
        present = syntax.general_atom(key, place, "t", HELPER)
        copies.append(
            f"{syntax.general_atom(key, place, 't')} :- {present}{', t > 0' if given else ''}."
        )
        if given:
            first = syntax.general_atom(key, place, "0")
            starts.append(f"{syntax.general_atom(key, place, '0', HELPER)} :- {first}.")
    start = Section.of_text(START, "", " ".join(starts))
    copy = Section.of_text(COPY, "t", " ".join(copies))
    return renamed.with_sections(start, copy, copied=True)


def _state_predicates(
    program: Program, index: dict[Signature, list[Occurrence]]
) -> Iterator[tuple[Signature, int]]:
    """The predicates that are read at an earlier time, each with the place of its time.

    Where step and check are grounded in two calls, one of them must both write and read.
    """
    for key, found in sorted(index.items()):
        writers = {o.section.part for o in found if o.head}
        if writers == {"base"} or {"base", "check"} <= writers:
            continue
        for place in range(key[2]):
            readers = {o.section.part for o in found if o.is_earlier(place)}
            is_read = readers and (writers & readers or not program.staged)
            if is_read and all(_is_plain(o, place) for o in found):
                yield key, place
                break


def _is_plain(o: Occurrence, place: int) -> bool:
    """Whether an occurrence meets the conditions that the module names."""
    if o.statement.ast_type in _NEVER or o.section.part == "plan" or not o.terms:
        return False
    if o.section.part == "base":
        return not o.head or o.is_start(place)
    return o.is_now(place) or (not o.head and o.is_earlier(place))


def _with_present(statement: AST, parameter: str, places: dict[Signature, int]) -> AST:
    """The statement with other names for the atoms of the present."""

    def renamed(term: AST, sign: str = "") -> AST:
        if term.ast_type == ASTType.UnaryOperation:
            return term.update(argument=renamed(term.argument, "-"))
        if term.ast_type == ASTType.Pool:
            return term.update(arguments=[renamed(member, sign) for member in term.arguments])
        if term.ast_type != ASTType.Function:
            return term
        place = places.get((sign, term.name, len(term.arguments)))
        if place is None or not syntax.is_now(term.arguments[place], parameter):
            return term
        return term.update(name=HELPER + term.name)

    walker = Walker(SymbolicAtom=lambda atom: atom.update(symbol=renamed(atom.symbol)))
    return walker.visit(statement)


def without_anonymous(program: Program) -> Program:
    """The same program with a predicate for each literal that has an anonymous variable.

    For `not occurs(go(V,_),t)` clingo keeps a projection of `occurs`, and at each step it goes
    through the projected atoms of all steps. Here it becomes `not asplan__1any(V,t)`, which is
    defined in the same part: `asplan__1any(V,t) :- occurs(go(V,A),t)`. That is done in bodies of
    rules and objectives of `step(t)` and `check(t)` that name the parameter, and in conditions of
    choices; not inside other conditions and aggregates, nor where a computation, an interval or a
    pool might keep the definition from its values.
    """
    numbers, known = count(1), dict[tuple[str, str], str]()
    sections = (
        _with_definitions(section, numbers, known) if section.part in TIMED else section
        for section in program.sections
    )
    return replace(program, sections=tuple(sections))


def _with_definitions(
    section: Section, numbers: Iterator[int], known: dict[tuple[str, str], str]
) -> Section:
    """A section with literals replaced, and with the rules that define what they became."""
    definitions, t = list[AST](), section.parameter

    def atom_for(atom: AST) -> AST:
        """The atom that stands for one with anonymous variables."""
        names = syntax.variable_names(atom)
        others, free = {name: f"V{i}" for i, name in enumerate(names)}, (f"A{i}" for i in count(1))
        named = Walker(Variable=lambda v: v.update(name=others.get(v.name) or next(free)))
        defined = str(named.visit(atom))
        name = known.get((section.part, defined))
        if name is None:
            # Nobody's predicate begins with a digit, so no renamed one has this name.
            name = known[section.part, defined] = f"{HELPER}{next(numbers)}any"
            head = f"{name}({','.join([*others.values(), t])})"
            definitions.extend(parse_text(f"{head} :- {defined}.")[1:])
        found: AST = parse_text(f"{name}({','.join([*names, t])}).")[1].head.atom
        return found

    def replaced(literals: Iterable[AST]) -> list[AST]:
        return [
            literal.update(atom=atom_for(literal.atom))
            if literal.ast_type == ASTType.Literal and _is_defined(literal.atom, t)
            else literal
            for literal in literals
        ]

    def changed(statement: AST) -> AST:
        if statement.ast_type not in _JOINING:
            return statement
        body, is_rule = replaced(statement.body), statement.ast_type == ASTType.Rule
        if is_rule and (head := statement.head).ast_type == ASTType.Aggregate:
            elements = [e.update(condition=replaced(e.condition)) for e in head.elements]
            statement = statement.update(head=head.update(elements=elements))
        return statement if body == list(statement.body) else statement.update(body=body)

    statements = [changed(statement) for statement in section.statements]
    return section.of((*statements, *definitions))


def _is_defined(atom: AST, parameter: str) -> bool:
    """Whether an atom is replaced: a body with it alone has to bind all its variables."""
    if atom.ast_type != ASTType.SymbolicAtom or syntax.signature(atom)[1].startswith(HELPER):
        return False
    anonymous = any(v.name == "_" for v in syntax.find(ASTType.Variable, [atom]))
    if not anonymous or not syntax.names_term(atom, parameter):
        return False
    if atom.symbol.ast_type != ASTType.Function:
        return False  # classical negation: clingo does not project it, and `not -p(_)` is unsafe
    if any(function.external for function in syntax.find(ASTType.Function, [atom])):
        return False
    computed = syntax.find(ASTType.Variable, syntax.find(_COMPUTED, [atom]))
    return syntax.kinds(atom).isdisjoint(_MANY) and not computed


def without_constants(program: Program) -> Program:
    """The same program with a predicate for each constant in a static literal of a timed rule.

    clingo settles the order in which it joins literals before the first step, when the time is one
    literal among others, and begins with the fewest matches that it expects. In

        next(t,C,X) :- position(t-1,C,X), car(C,h).

    the constant makes `car(C,h)` look cheaper than the time (`FunctionTerm::estimate` in libgringo:
    a constant counts nothing, and the average over arguments is compared). So for each car clingo
    goes through its positions of all earlier steps. With `car(C,C1), asplan__1is(C1)` and the fact
    `asplan__1is(h)` the time comes first, and the ground rules stay the same.

    That is done for positive literals in bodies of `step(t)` and `check(t)` whose predicate has no
    rule there, where another positive literal names the parameter.
    """
    rules = (s for section, s in pairs(program.sections) if section.part != "base")
    timed = set().union(*map(syntax.defined_in, rules))
    names: dict[str, str] = {}
    joined = program.with_timed(lambda each, t: _joined(each, t, timed, names))
    if not names:
        return program
    facts = " ".join(f"{name}({constant})." for constant, name in names.items())
    return joined.with_sections(Section.of_text("base", "", facts))


def _joined(
    statement: AST, parameter: str, timed: Collection[Signature], names: dict[str, str]
) -> AST:
    """The statement without constants in its static literals; new ones are added to `names`."""
    if statement.ast_type not in _JOINING:
        return statement
    positive = [literal for literal in statement.body if syntax.is_literal(literal)]
    if not any(syntax.names_term(literal, parameter) for literal in positive):
        return statement
    static = [literal for literal in positive if _is_static(literal, parameter, timed)]
    if not static:
        return statement
    free, variables = syntax.fresh_names("C", syntax.variable_names(statement)), dict[str, str]()

    def named(term: AST) -> AST:
        constant = str(term.symbol)
        if constant not in variables:
            variables[constant] = next(free)
            # Nobody's predicate begins with a digit, so no renamed one has this name.
            names.setdefault(constant, f"{HELPER}{len(names) + 1}is")
        return Variable(term.location, variables[constant])

    naming = Walker(SymbolicTerm=named)
    body = [naming.visit(literal) if literal in static else literal for literal in statement.body]
    for constant, variable in variables.items():
        body += parse_text(f":- {names[constant]}({variable}).")[1].body
    return statement.update(body=body)


def _is_static(literal: AST, parameter: str, timed: Collection[Signature]) -> bool:
    """Whether a literal has constants and binds variables, with no time or computation in it."""
    present = syntax.kinds(literal)
    return (
        {ASTType.Variable, ASTType.SymbolicTerm} <= present
        and present.isdisjoint((ASTType.BinaryOperation, *_MANY))
        and syntax.signature(literal.atom) not in timed
        and "@" not in str(literal)
        and not syntax.names_term(literal, parameter)
    )
