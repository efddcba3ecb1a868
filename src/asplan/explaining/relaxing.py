"""Makes the contradiction of `p(X)` and `-p(X)` a constraint like any other.

clingo allows no answer set with both, and nothing can switch that off. So `-p(X)` becomes an atom
of a predicate of its own, and `:- p(X), -p(X).` is written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from clingo import Function, Number, Symbol
from clingo import Function as Constant

from asplan.explaining.explanation import Rule
from asplan.program.incremental import Program
from asplan.program.scripts import Part
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    SymbolicAtom,
    SymbolicTerm,
    Variable,
    Walker,
    Wording,
    arguments,
    atoms,
    global_variables,
    heads,
    location,
    signature,
)
from asplan.program.syntax import Function as Term
from asplan.program.syntax import Literal as LiteralNode
from asplan.program.syntax import Rule as RuleNode
from asplan.program.unit import QUERY, Section

MINUS = "explain__minus_"
"""How the names begin of predicates that stand for negated ones."""


def spelled_out(program: Program) -> Program:
    """The program with all its facts among the statements, if some of them are negated."""
    negated = any(sign for facts in program.facts for sign, _, _ in facts.signatures)
    return program.spelled_out() if negated else program


def without_minus(section: Section) -> Section:
    """A section in which negated atoms are such of predicates of their own."""
    renamer = _Renamer()
    return replace(section, statements=tuple(renamer.visit(s) for s in section.statements))


def contradictions(program: Program) -> Iterator[tuple[AST, Signature, int | None]]:
    """The predicates that are derived with both signs.

    Each with the first rule for the negated one, and the argument that is the time, if one is.
    """
    first: dict[Signature, AST] = {}
    for section in program.sections:
        for statement in section.statements:
            for atom in heads(statement):
                first.setdefault(signature(atom), statement)
    for key, statement in first.items():
        other = "", key[1], key[2]
        facts = any(other in found.signatures for found in program.facts)
        if key[0] == "-" and (other in first or facts):
            places = program.time_places.get(key, set()) & program.time_places.get(other, set())
            yield statement, key, min(places, default=None)


class _Renamer(Walker):
    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename a negated atom, or those of a pool of atoms."""
        return atom.update(symbol=_renamed(atom.symbol, negated=False))


def _renamed(term: AST, negated: bool) -> AST:
    if term.ast_type == ASTType.UnaryOperation:
        return _renamed(term.argument, negated=not negated)
    if term.ast_type == ASTType.Pool:
        return term.update(arguments=[_renamed(one, negated) for one in term.arguments])
    if not negated:
        return term
    if term.ast_type == ASTType.Function:
        return term.update(name=MINUS + term.name)
    return Term(term.location, MINUS + str(term), [], False)  # an atom without arguments


# Gives each constraint of a program a switch, and a witness of what it forbids.
#
# A constraint `:- body.` becomes `explain__broken(K,t,(X,Y)) :- body.`, with all variables that its
# body binds; and the part `explain__judge(t)` says `:- explain__broken(K,t,V), explain__kept(K).` A
# choice with bounds becomes one without, and a constraint that its bounds are kept. What a solver is
# asked then is which of the atoms `explain__kept(K)` to assume.
#
# An answer set of the relaxed program with all of them true is one of the program as written.


BROKEN, KEPT, STRICT = "explain__broken", "explain__kept", "explain__strict"
"""No names of helpers, which no model shows: these atoms are looked for in models."""

NEAR = "explain__near"
"""Witnesses of what comes near to deriving an atom (see `nearest`)."""

SHOWN = f"#show {BROKEN}/3. #show {NEAR}/5. #show occurs/2."
JUDGE = "explain__judge"
_JUDGEMENT = f"""
    :- {BROKEN}(K,t,_), {KEPT}(K).
    :- {BROKEN}(_,t,_), {STRICT}(t).
    {{ {STRICT}(t) }}.
    #minimize {{ 1@1,K,t,V : {BROKEN}(K,t,V) }}.
"""
_DROPPED = (ASTType.Minimize, ASTType.ShowSignature, ASTType.ShowTerm, ASTType.Heuristic)


@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint, the parameter of its part, and the names of the variables in witnesses."""

    number: int
    rule: Rule
    statement: AST
    parameter: str
    variables: tuple[str, ...]

    @property
    def kept(self) -> Symbol:
        """The atom that keeps it."""
        return Function(KEPT, [Number(self.number)])


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A program whose constraints can be switched off; `constraints[K]` is number K."""

    program: Program
    constraints: tuple[Constraint, ...]

    def values(self, witness: Symbol) -> tuple[tuple[str, str], ...]:
        """The variables of a witness with their values."""
        number, _, found = witness.arguments
        names = self.constraints[number.number].variables
        return tuple(zip(names, map(str, found.arguments), strict=True))


def judge(t: int) -> Part:
    """The part that applies the constraints of time t; it is grounded after all others of t."""
    return JUDGE, [Number(t)]


def strict(t: int) -> Symbol:
    """The atom that keeps all constraints of a time."""
    return Function(STRICT, [Number(t)])


def relax(program: Program, shown: str = SHOWN) -> Relaxation:
    """The same program with a switch for each constraint, and without objectives.

    `shown` is what models are to show.
    """
    work, program = _Relaxing(), spelled_out(program)
    sections = [without_minus(work.relaxed(section)) for section in program.sections]
    sections += [work.contradiction(*found) for found in contradictions(program)]
    kept = f"{{ {KEPT}(0..{len(work.constraints) - 1}) }}." if work.constraints else ""
    more = f"{kept} {shown} #defined {BROKEN}/3. #defined {NEAR}/5. #defined occurs/2."
    sections.append(Section("base", "", parse_text(more)[1:]))
    sections.append(Section(JUDGE, "t", parse_text(_JUDGEMENT)[1:]))
    relaxed = replace(program, sections=tuple(sections), optimizes=True)
    return Relaxation(relaxed, tuple(work.constraints))


@dataclass
class _Relaxing:
    constraints: list[Constraint] = field(default_factory=list)
    wording: Wording = field(default_factory=Wording)

    def relaxed(self, section: Section) -> Section:
        statements = [s for old in section.statements for s in self._statement(old, section)]
        return replace(section, statements=tuple(statements))

    def contradiction(self, statement: AST, key: Signature, place: int | None) -> Section:
        """The constraint that no atom holds together with its negation."""
        _, name, arity = key
        names = [f"V{i}" for i in range(arity)]
        terms = ["t" if i == place else name for i, name in enumerate(names)]
        variables = tuple(name for name in names if name in terms)
        inside = f"({','.join(terms)})" if terms else ""
        rule = Rule(location(statement), f"{name}{inside} and -{name}{inside} contradict")
        number = len(self.constraints)
        part, time = ("base", "0") if place is None else (JUDGE, "t")
        body = parse_text(f":- {name}{inside}, {MINUS}{name}{inside}.")[1]
        self.constraints.append(Constraint(number, rule, body, time, variables))
        values = "".join(f"{name}," for name in variables)
        head = f"{BROKEN}({number},{time},({values}))"
        witness = f"{head} :- {name}{inside}, {MINUS}{name}{inside}."
        return Section(part, "" if place is None else "t", parse_text(witness)[1:])

    def _statement(self, statement: AST, section: Section) -> Iterable[AST]:
        if statement.ast_type in _DROPPED or section.part == "plan":
            return ()
        if is_constraint(statement):
            return (self._witness(statement, statement.body, section),)
        if is_bounded(statement):
            head = statement.head
            free = head.update(left_guard=None, right_guard=None)
            kept = LiteralNode(head.location, Sign.Negation, head)
            witness = self._witness(statement, [*statement.body, kept], section)
            return statement.update(head=free), witness
        return (statement,)

    def _witness(self, statement: AST, body: Iterable[AST], section: Section) -> AST:
        body, place = list(body), statement.location
        names = global_variables(body)
        number = len(self.constraints)
        rule = Rule(
            at=location(statement),
            text=self.wording(statement),
            goal=demands(statement, section.parameter),
            bound=is_bounded(statement),
        )
        self.constraints.append(
            Constraint(number, rule, statement, section.parameter, tuple(names))
        )
        time = Constant(section.parameter) if section.parameter else Number(0)
        values = Term(place, "", [Variable(place, name) for name in names], False)
        terms = [SymbolicTerm(place, Number(number)), SymbolicTerm(place, time), values]
        head = SymbolicAtom(Term(place, BROKEN, terms, False))
        return RuleNode(place, LiteralNode(place, Sign.NoSign, head), body)


def is_constraint(statement: AST) -> bool:
    """Whether a statement is an integrity constraint."""
    if statement.ast_type != ASTType.Rule or statement.head.ast_type != ASTType.Literal:
        return False
    atom = statement.head.atom
    return bool(atom.ast_type == ASTType.BooleanConstant and not atom.value)


def is_bounded(statement: AST) -> bool:
    """Whether a statement is a choice with bounds."""
    if statement.ast_type != ASTType.Rule or statement.head.ast_type != ASTType.Aggregate:
        return False
    return statement.head.left_guard is not None or statement.head.right_guard is not None


def demands(statement: AST, parameter: str) -> bool:
    """Whether a statement is a constraint on `query(t)`, so that it says what the goal is."""
    if not is_constraint(statement):
        return False
    queries = [a for literal in statement.body for a in atoms(literal) if signature(a) == QUERY]
    return any(str(arguments(atom)[0]) == parameter for atom in queries)
