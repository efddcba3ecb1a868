"""The relaxation of a program: each constraint gets a switch and a witness of its violations.

A constraint `:- body.` becomes `explain__broken(K,t,(X,Y)) :- body.`, where K is its number and X,
Y are the variables that its body binds. The derived atom is the *witness* of a violation. The
switch `explain__kept(K)` enforces the constraint: the part `explain__judge(t)` has `:-
explain__broken(K,t,V), explain__kept(K).` A choice with bounds becomes a choice without bounds and
a constraint. `-p(X)` becomes an atom of another predicate, and `:- p(X), -p(X).` a constraint like
others. While all switches are true, the program has its original answer sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from asplan.clingo import Function, Number, Symbol
from asplan.core.dataclass import dataclass
from asplan.explaining.explanation import WrittenRule
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.model.program import TemporalRule
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import QUERY, Section
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    SymbolicTerm,
    Variable,
    Walker,
)
from asplan.program.syntax import Literal as LiteralNode
from asplan.program.syntax import Rule as RuleNode
from asplan.program.syntax.wording import Wording

MINUS = "explain__minus_"
"""The prefix of the predicates that replace classically negated ones."""

BROKEN = "explain__broken"
KEPT = "explain__kept"
STRICT = "explain__strict"
"""The predicates of witnesses (`BROKEN`) and of atoms that enforce constraints.

`KEPT` enforces one constraint at all times, and `STRICT` all constraints of one time. Models show
these atoms, unlike atoms of other helpers.
"""

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
    """A constraint of the program to which a switch was added.

    Attributes
    ----------
    number
        Its number in witnesses and switches.
    last
        The line in which it ends.
    parameter
        The name of the time in its program part; empty in `base`.
    variables
        The names of the variables whose values its witnesses contain.
    """

    number: int
    rule: WrittenRule
    body: tuple[AST, ...]
    last: int
    parameter: str
    variables: tuple[str, ...]

    @property
    def kept(self) -> Symbol:
        """The switch: an atom that enforces the constraint if it is true."""
        return Function(KEPT, [Number(self.number)])


def strict(t: int) -> Symbol:
    """Return the atom that enforces all constraints of time t if it is true."""
    return Function(STRICT, [Number(t)])


def relax(
    program: Program,
    shown: str = "",
) -> tuple[Program, tuple[Constraint, ...]]:
    """Return the relaxation of a program, and the constraints of the program by number.

    The relaxation has none of the program's objectives. `shown` are `#show` statements to add.
    """
    keys = chain.from_iterable(facts.signatures for facts in program.facts)
    if any(sign for sign, _, _ in keys):
        program = program.expand_facts()
    relaxation = _Relaxation(program)
    relaxed = program.changed(relaxation.relaxed)
    sections = list(relaxation.contradictions())
    declarations = [f"#defined {name}/{arity}." for _, name, arity in sorted(program.actions)]
    switches = ""
    if relaxation.constraints:
        switches = f"{{ {KEPT}(0..{len(relaxation.constraints) - 1}) }}."
    base = f"{switches} {shown} #defined {BROKEN}/3. {' '.join(declarations)}"
    sections.append(Section.of_text("base", "", base))
    sections.append(Section.of_text(JUDGE, "t", _JUDGEMENT))
    return replace(relaxed.with_sections(*sections), optimizes=True), tuple(relaxation.constraints)


class _Relaxation:
    """A rewriting of a program's statements, which collects and numbers the constraints."""

    def __init__(self, program: Program) -> None:
        self.constraints: list[Constraint] = []
        self._program = program
        self._wording = Wording()
        self._renamer = Walker(SymbolicAtom=_without_minus)

    def relaxed(
        self,
        statement: AST,
        section: Section,
    ) -> Iterator[AST]:
        """Yield the statements that replace a statement; none for objectives and heuristics."""
        if statement.ast_type in _DROPPED or section.part == "plan":
            return
        for relaxed in self._relaxed(statement, section):
            yield self._renamer.visit(relaxed)

    def _relaxed(
        self,
        statement: AST,
        section: Section,
    ) -> Iterator[AST]:
        if syntax.is_constraint(statement):
            rule = self._rule_of(statement, section)
            yield self._witness(statement, rule, statement.body, section.parameter)
        elif is_bounded(statement):
            head = statement.head
            yield statement.update(head=head.update(left_guard=None, right_guard=None))
            body = [*statement.body, LiteralNode(head.location, Sign.Negation, head)]
            rule = self._rule_of(statement, section)
            yield self._witness(statement, rule, body, section.parameter)
        else:
            yield statement

    def _rule_of(
        self,
        statement: AST,
        section: Section,
    ) -> WrittenRule:
        source = TemporalRule(statement, section.part, section.parameter)
        rule = rule_of(source, self._wording)
        horizon = self._program.horizon
        if horizon is not None and syntax.names_term(statement, horizon.constant):
            return replace(rule, goal=not rule.bound)
        return rule

    def _witness(
        self,
        statement: AST,
        rule: WrittenRule,
        body: Sequence[AST],
        parameter: str,
    ) -> AST:
        """Return the rule that derives witnesses of a constraint, and record the constraint."""
        variables = syntax.global_variables(body)
        number = len(self.constraints)
        last = statement.location.end.line
        constraint = Constraint(number, rule, tuple(body), last, parameter, tuple(variables))
        self.constraints.append(constraint)
        return witness(statement, BROKEN, [number], parameter, variables, body)

    def contradictions(self) -> Iterator[Section]:
        """Yield a section for each predicate p for which both p and -p are derived.

        It contains the constraint that p and -p exclude each other, in relaxed form.
        """
        for statement, (_, name, arity), place in _contradictions(self._program):
            terms = ["t" if i == place else f"V{i}" for i in range(arity)]
            atom = f"{name}({','.join(terms)})" if terms else name
            rule = WrittenRule(syntax.location(statement), f"{atom} and -{atom} contradict")
            part, parameter = ("base", "") if place is None else (JUDGE, "t")
            body = parse_text(f":- {atom}, -{atom}.")[1].body
            constraint = self._witness(statement, rule, body, parameter)
            yield Section(part, parameter, (self._renamer.visit(constraint),))


def witness(
    statement: AST,
    name: str,
    numbers: Iterable[int],
    parameter: str,
    variables: Iterable[str],
    body: Iterable[AST],
    more: Iterable[AST] = (),
) -> AST:
    """Return the rule `name(numbers,t,(variables),more) :- body.`, located at a statement.

    `parameter` is the name of the time t; if it is empty, the rule has 0 for t.
    """
    place = statement.location
    time = Function(parameter) if parameter else Number(0)
    terms = [SymbolicTerm(place, symbol) for symbol in (*map(Number, numbers), time)]
    values = syntax.named_term(statement, "", [Variable(place, variable) for variable in variables])
    return RuleNode(place, syntax.named_atom(statement, name, [*terms, values, *more]), list(body))


def rule_of(rule: TemporalRule, wording: Wording) -> WrittenRule:
    """Return a statement's text, location and kind, as explanations show it."""
    statement = rule.statement
    return WrittenRule(
        rule.at,
        wording(statement),
        goal=syntax.is_constraint(statement) and _reads_query(rule),
        bound=is_bounded(statement),
        choice=rule.is_choice and statement.head.ast_type != ASTType.Disjunction,
    )


def _reads_query(rule: TemporalRule) -> bool:
    """Return whether a rule reads `query(t)`."""
    return any(literal.key == QUERY and literal.is_now(0) for literal in rule.reads)


def is_bounded(statement: AST) -> bool:
    """Return whether a statement is a choice with bounds, like `1 { … } 2`."""
    head = statement.head if statement.ast_type == ASTType.Rule else statement
    return head.ast_type == ASTType.Aggregate and (head.left_guard or head.right_guard) is not None


def _contradictions(program: Program) -> Iterator[tuple[AST, Signature, int | None]]:
    """Yield a triple for each predicate p for which the program derives both p and -p.

    A triple has a rule that derives -p, the signature of -p, and the index of its time argument
    (None if it has no time).
    """
    first: dict[Signature, AST] = {}
    for statement in program.statements:
        for head in syntax.heads(statement):
            first.setdefault(syntax.signature(head), statement)
    for key, statement in first.items():
        positive = ("", key[1], key[2])
        has_facts = any(positive in facts.signatures for facts in program.facts)
        if key[0] == "-" and (positive in first or has_facts):
            places = program.time_places
            common = places.get(key, set()) & places.get(positive, set())
            yield statement, key, min(common, default=None)


def _without_minus(atom: AST) -> AST:
    """Return an atom; if it is classically negated, replace its predicate by a new one."""
    return atom.update(symbol=_renamed(atom.symbol))


def _renamed(
    term: AST,
    negated: bool = False,
) -> AST:
    """Return an atom as a term; a classically negated predicate gets another name.

    The term may be a pool of atoms. `negated` is true if a minus precedes the term.
    """
    if term.ast_type == ASTType.UnaryOperation:
        return _renamed(term.argument, negated=not negated)
    if term.ast_type == ASTType.Pool:
        return term.update(arguments=[_renamed(one, negated) for one in term.arguments])
    if not negated:
        return term
    if term.ast_type == ASTType.Function:
        return term.update(name=MINUS + term.name)
    return syntax.named_term(term, MINUS + str(term))  # an atom without arguments
