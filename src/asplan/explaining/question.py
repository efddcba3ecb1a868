"""A program whose constraints can be switched off, and the questions that it can be asked.

A constraint `:- body.` becomes `explain__broken(K,t,(X,Y)) :- body.`, with all variables that its
body binds; and the part `explain__judge(t)` says `:- explain__broken(K,t,V), explain__kept(K).` A
choice with bounds becomes one without, and a constraint; `-p(X)` an atom of another predicate, and
`:- p(X), -p(X).` a constraint like others. An answer set in which all atoms `explain__kept(K)` are
true is one of the program as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clingo import Function, Number, Symbol

from asplan.core.plan import Plan
from asplan.engines.asp.answer import Answer, ShownAtoms, read_plan, without_idle_end
from asplan.engines.asp.session import Session
from asplan.explaining.explanation import Rule, Values, Violation
from asplan.program import syntax
from asplan.program.contract import Contract, read_contract
from asplan.program.incremental import Program
from asplan.program.source import parse_text
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
from asplan.program.unit import QUERY, Section
from asplan.program.wording import Wording

MINUS = "explain__minus_"  # begins the names of predicates that stand for negated ones

BROKEN, KEPT, STRICT = "explain__broken", "explain__kept", "explain__strict"
"""No names of helpers, which no model shows: these atoms are looked for in models."""

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
    """A constraint with the parameter of its part and the names of the variables in witnesses."""

    number: int
    rule: Rule
    body: tuple[AST, ...]
    last: int  # the line in which it ends
    parameter: str
    variables: tuple[str, ...]

    @property
    def kept(self) -> Symbol:
        return Function(KEPT, [Number(self.number)])


def strict(t: int) -> Symbol:
    """The atom that keeps all constraints of a time."""
    return Function(STRICT, [Number(t)])


Pin = tuple[Symbol, bool]  # an atom, and what is assumed of it


@dataclass
class Question:
    """A session with a relaxed program; `program` is it before, `horizon` the steps grounded."""

    program: Program
    constants: Mapping[str, str]
    constraints: tuple[Constraint, ...]
    session: Session
    contract: Contract
    horizon: int = 0

    def variant(self, program: Program, shown: str = "") -> Question:
        """The same question about another program, with the same deadline."""
        return open_question(program, self.constants, self.session.deadline, shown)

    def ground(self, horizon: int, tell: Callable[[str], None] = lambda doing: None) -> None:
        """Ground all steps up to a horizon, one by one if a step reads what a later one derives."""
        while self.horizon < horizon:
            if not self.contract.monotone:
                self.session.settle()
            self.horizon += 1
            tell(f"grounding step {self.horizon}")
            self.session.ground_step(self.horizon)
            self.session.ground([(JUDGE, [Number(self.horizon)])])

    def kept(self, goals: bool = True) -> list[Pin]:
        """What keeps all constraints, those of the goal included or not."""
        return [(c.kept, True) for c in self.constraints if goals or not c.rule.goal]

    def ask(
        self,
        pins: Iterable[Pin],
        *,
        goal: int | None,
        least: bool = False,
        on_better: Callable[[Answer], None] = lambda answer: None,
    ) -> Answer:
        """Look for an answer set with the goal at a horizon, or one that breaks the `least`."""
        if goal is not None:
            self.session.demand(goal)
        try:
            return self.session.solve(
                self.horizon, optimize=least, assumptions=pins, on_better=on_better
            )
        finally:
            if goal is not None:
                self.session.drop(goal)

    def core(self, answer: Answer, among: Sequence[Pin], goal: int) -> list[Pin]:
        """Those assumptions that an answer names as a reason; where it names none, any may be."""
        known = self.session.control.symbolic_atoms
        literals = {pin: atom.literal for pin in among if (atom := known[pin[0]]) is not None}
        found = [pin for pin, literal in literals.items() if literal in answer.core]
        if found or self.ask([], goal=goal).satisfiable is False:
            return found
        return list(among)

    def violations(self, symbols: Iterable[Symbol]) -> dict[Symbol, Violation]:
        """The instances of constraints that an answer set breaks, by their witnesses."""
        found = {}
        for witness in sorted(s for s in symbols if s.match(BROKEN, 3)):
            number, step, _ = witness.arguments
            rule = self.constraints[number.number].rule
            found[witness] = Violation(rule, step.number, self.values(witness))
        return found

    def values(self, witness: Symbol) -> Values:
        """The variables of a witness with their values."""
        number, _, found = witness.arguments
        names = self.constraints[number.number].variables
        return tuple(zip(names, map(str, found.arguments), strict=True))

    def plan(self, shown: ShownAtoms) -> Plan:
        return read_plan(shown, self.horizon, self.session.program.readings) or Plan()

    def shortened(self, plan: Plan, shown: ShownAtoms) -> Plan:
        """A plan that keeps all constraints, without idle steps after its goal if monotone."""
        if not self.contract.monotone:
            return plan
        actions = set(shown.actions)
        pins = [(atom, atom in actions) for atom in self.session.actions()]
        pins += self.kept()
        return without_idle_end(plan, lambda t: bool(self.ask(pins, goal=t).satisfiable))


def open_question(
    program: Program, constants: Mapping[str, str], deadline: float | None = None, shown: str = ""
) -> Question:
    """A question with horizon 0; `shown` says what its models are to show, if not all."""
    relaxed, constraints = relax(program, shown)
    session = Session(relaxed, constants, ["--opt-strategy=usc", "--sat-prepro=no"], deadline)
    session.ground_first()
    contract = read_contract(session.claims(), None, "incremental")
    session.ground([(JUDGE, [Number(0)])])
    return Question(program, constants, constraints, session, contract)


def relax(program: Program, shown: str = "") -> tuple[Program, tuple[Constraint, ...]]:
    """The program with a switch for each constraint, by its place, and without objectives."""
    if any(sign for facts in program.facts for sign, _, _ in facts.signatures):
        program = program.expand_facts()
    constraints: list[Constraint] = []
    wording, renamer = Wording(), Walker(SymbolicAtom=lambda a: a.update(symbol=_renamed(a.symbol)))

    def witness_of(body: Sequence[AST], rule: Rule, statement: AST, parameter: str) -> AST:
        names, number = syntax.global_variables(body), len(constraints)
        last = statement.location.end.line
        found = Constraint(number, rule, tuple(body), last, parameter, tuple(names))
        constraints.append(found)
        return witness(statement, BROKEN, [number], parameter, names, body)

    def relaxed(statement: AST, section: Section) -> Iterator[AST]:
        if statement.ast_type in _DROPPED or section.part == "plan":
            return
        body, rule = list(statement.body) if statement.ast_type == ASTType.Rule else [], None
        if is_constraint(statement) or is_bounded(statement):
            rule = rule_of(statement, section, wording)
            horizon = program.horizon
            if horizon is not None and syntax.names_term(statement, horizon.constant):
                rule = replace(rule, goal=not rule.bound)
        if rule is not None and rule.bound:
            head = statement.head
            yield statement.update(head=head.update(left_guard=None, right_guard=None))
            body.append(LiteralNode(head.location, Sign.Negation, head))
        yield witness_of(body, rule, statement, section.parameter) if rule else statement

    changed = program.changed(lambda old, section: map(renamer.visit, relaxed(old, section)))
    sections = list[Section]()
    for statement, (_, name, arity), place in _contradictions(program):
        terms = ["t" if i == place else f"V{i}" for i in range(arity)]
        atom = f"{name}({','.join(terms)})" if terms else name
        rule = Rule(syntax.location(statement), f"{atom} and -{atom} contradict")
        part, parameter = ("base", "") if place is None else (JUDGE, "t")
        body = parse_text(f":- {atom}, -{atom}.")[1].body
        rewritten = renamer.visit(witness_of(body, rule, statement, parameter))
        sections.append(Section(part, parameter, (rewritten,)))
    happens = " ".join(f"#defined {name}/{arity}." for _, name, arity in sorted(program.actions))
    kept = f"{{ {KEPT}(0..{len(constraints) - 1}) }}." if constraints else ""
    more = f"{kept} {shown} #defined {BROKEN}/3. {happens}"
    sections.append(Section.of_text("base", "", more))
    sections.append(Section.of_text(JUDGE, "t", _JUDGEMENT))
    return changed.with_sections(*sections, optimizes=True), tuple(constraints)


def witness(
    statement: AST,
    name: str,
    numbers: Iterable[int],
    parameter: str,
    variables: Iterable[str],
    body: Iterable[AST],
    more: Iterable[AST] = (),
) -> AST:
    """The rule `name(numbers,t,(variables),more) :- body.`, at the place of a statement."""
    place = statement.location
    time = Function(parameter) if parameter else Number(0)
    terms = [SymbolicTerm(place, symbol) for symbol in (*map(Number, numbers), time)]
    values = syntax.named_term(statement, "", [Variable(place, variable) for variable in variables])
    return RuleNode(place, syntax.named_atom(statement, name, [*terms, values, *more]), list(body))


def rule_of(statement: AST, section: Section, wording: Wording) -> Rule:
    """A statement as explanations name it."""
    body = statement.body if is_constraint(statement) else ()
    atoms = (atom for literal in body for atom in syntax.atoms(literal))
    found = [atom for atom in atoms if syntax.signature(atom) == QUERY]
    return Rule(
        syntax.location(statement),
        wording(statement),
        goal=any(str(syntax.arguments(atom)[0]) == section.parameter for atom in found),
        bound=is_bounded(statement),
        choice=syntax.is_choice(statement) and statement.head.ast_type != ASTType.Disjunction,
    )


def is_constraint(statement: AST) -> bool:
    """Whether a statement is an integrity constraint."""
    is_rule = statement.ast_type == ASTType.Rule
    is_constant = is_rule and syntax.is_literal(statement.head, ASTType.BooleanConstant, None)
    return is_constant and not statement.head.atom.value


def is_bounded(statement: AST) -> bool:
    """Whether a statement is a choice with bounds."""
    head = statement.head if statement.ast_type == ASTType.Rule else statement
    return head.ast_type == ASTType.Aggregate and (head.left_guard or head.right_guard) is not None


def _contradictions(program: Program) -> Iterator[tuple[AST, Signature, int | None]]:
    """The predicates that are derived with both signs, with a rule and the place of their time."""
    first: dict[Signature, AST] = {}
    for statement in program.statements:
        for key in map(syntax.signature, syntax.heads(statement)):
            first.setdefault(key, statement)
    for key, statement in first.items():
        other = "", key[1], key[2]
        facts = any(other in found.signatures for found in program.facts)
        if key[0] == "-" and (other in first or facts):
            places = program.time_places.get(key, set()) & program.time_places.get(other, set())
            yield statement, key, min(places, default=None)


def _renamed(term: AST, negated: bool = False) -> AST:
    """The term of an atom, or those in a pool, with other names for negated predicates."""
    if term.ast_type == ASTType.UnaryOperation:
        return _renamed(term.argument, negated=not negated)
    if term.ast_type == ASTType.Pool:
        return term.update(arguments=[_renamed(one, negated) for one in term.arguments])
    if not negated:
        return term
    if term.ast_type == ASTType.Function:
        return term.update(name=MINUS + term.name)
    return syntax.named_term(term, MINUS + str(term))  # an atom without arguments
