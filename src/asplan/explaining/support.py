"""Why an atom holds in an answer set, or does not.

Of each body that is true of the answer there is a witness: the atom that it derives, and the
positive atoms of the body. The support of an atom is the instance that comes first if one begins
with facts and goes from rule to rule, so no atom stands behind itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, count

from clingo import Function, Symbol, SymbolType

from asplan.core.plan import Plan
from asplan.explaining.bodies import Body, Pattern, Values
from asplan.explaining.causes import Answered, answered, find_nearest
from asplan.explaining.explanation import Rule, Support, Why
from asplan.explaining.question import Pin, Question
from asplan.explaining.refusal import cases_of, is_satisfiable
from asplan.program.source import ground_term
from asplan.program.syntax import (
    AST,
    Sign,
    Walker,
    global_variables,
    heads,
    is_literal,
    predicate,
    signature,
)
from asplan.program.syntax import Function as Term
from asplan.program.unit import QUERY
from asplan.warnings.clauses import meant

_WHY = "explain__why"
_DEPTH = 6
"""How many rules are followed, one behind the other."""


def find_answer(question: Question, plan: Plan | None) -> Answered | None:
    """The answer set of a plan, or any one, whose goal holds at the question's horizon.

    None if the program refuses the plan.
    """
    for pins in [question.kept()] if plan is None else _pins(question, plan):
        answer = question.ask(pins, goal=question.horizon)
        if is_satisfiable(answer):
            return answered(question, answer, question.horizon)
    return None


def _pins(question: Question, plan: Plan) -> Iterator[list[Pin]]:
    """The assumptions that fix a plan, and first what else its answer chose."""
    actions = [[ground_term(action, "action") for action in step] for step in plan]
    chosen = [(ground_term(text, "chosen"), True) for text in plan.chosen]
    for case in cases_of(question, actions):
        pins = [*question.kept(), *case.pins(question, question.horizon)]
        yield [*pins, *chosen]
        if chosen:
            yield pins


def find_why(answer: Answered, text: str) -> Why:
    """Why an atom holds in an answer, or which rules come near to deriving it.

    Raises `UsageError` where the text is no atom.
    """
    atom = ground_term(text, "atom")
    if atom in answer.atoms:
        return Why(str(atom), True, _Supports(answer).of(atom))
    pattern = Pattern(predicate(atom), tuple(atom.arguments))
    nearest = tuple(n for n in find_nearest(answer, [pattern])[pattern] if n.rule is not None)
    return Why(str(atom), False, None, nearest, "" if nearest else _meant(answer, atom))


def _meant(answer: Answered, atom: Symbol) -> str:
    """What may have been meant by an atom that no rule is for."""
    key, last = predicate(atom), answer.question.horizon
    for place in answer.question.program.time_places.get(key, ()):
        time = atom.arguments[place]
        if time.type == SymbolType.Number and time.number > last:
            return f"the plan ends at step {last}"
    if alike := [other.arguments for other in answer.atoms if predicate(other) == key]:
        known_at = [set(terms) for terms in zip(*alike, strict=True)]
        for i, j in combinations(range(key[2]), 2):
            terms = list(atom.arguments)
            terms[i], terms[j] = terms[j], terms[i]
            if all(term in known for term, known in zip(terms, known_at, strict=True)):
                return f"did you mean {Function(atom.name, terms, atom.positive)}?"
        return ""
    program = answer.question.program
    made = {signature(h) for s in program.sections for each in s.statements for h in heads(each)}
    return meant(key, made.union(*(facts.signatures for facts in program.facts)))


@dataclass(frozen=True)
class _Instance:
    """A body that is true, what its variables are, the atom that it derives, and those it reads."""

    body: Body
    time: Symbol
    values: Symbol
    head: Symbol
    reads: tuple[Symbol, ...]


class _Supports:
    """The instances of rules that derive the atoms of an answer."""

    def __init__(self, answer: Answered) -> None:
        self.answer = answer
        self.names = [tuple(global_variables(body.literals)) for body in answer.bodies]
        sections = [
            replace(body.section, statements=(_witness(number, body, self.names[number], head),))
            for number, body in enumerate(answer.bodies)
            for head in body.heads
        ]
        found: dict[Symbol, list[_Instance]] = {}
        for symbol in answer.witnesses(sections, _WHY, 5):
            number, time, values, head, reads = symbol.arguments
            body = answer.bodies[number.number]
            true = tuple(atom for atom in reads.arguments if atom in answer.atoms)
            found.setdefault(head, []).append(_Instance(body, time, values, head, true))
        self.first = _first(found)
        self.shown: set[Symbol] = set()

    def of(self, atom: Symbol, depth: int = _DEPTH) -> Support:
        """What stands behind an atom, and so on."""
        text, instance = str(atom), self.first.get(atom)
        if instance is None:
            return Support(
                text, "demanded" if predicate(atom) == QUERY else "fact", self._fact(atom)
            )
        rule = instance.body.rule
        if not instance.body.literals and not rule.choice:
            return Support(text, "fact", rule)
        known = self.names[self.answer.bodies.index(instance.body)]
        values = dict(zip(known, instance.values.arguments, strict=True))
        if rule.choice:
            return Support(text, "chosen", rule)
        if atom in self.shown or (depth == 0 and instance.reads):
            return Support(text, "above" if atom in self.shown else "deeper", rule)
        self.shown.add(atom)
        put = Values(values, instance.body.section.parameter, instance.time, self.answer.constant)
        absent = tuple(
            str(pattern)
            for literal in instance.body.literals
            if (pattern := put.atom_behind(literal, Sign.Negation)) is not None
        )
        below = tuple(self.of(other, depth - 1) for other in instance.reads)
        texts = tuple((name, str(value)) for name, value in values.items())
        return Support(text, "derived", rule, texts, below, absent)

    def _fact(self, atom: Symbol) -> Rule | None:
        """The fact as it is written."""
        program, constant = self.answer.question.program, self.answer.constant
        for facts in program.facts:
            if predicate(atom) in facts.signatures:
                known = {name: value for name in facts.names if (value := constant(name))}
                for _, place in facts.places(known, atom):
                    return Rule(place, f"{atom}.")
        return None


def _first(found: dict[Symbol, list[_Instance]]) -> dict[Symbol, _Instance]:
    """For each atom the instance by which it is derived first, beginning with facts."""
    first: dict[Symbol, _Instance] = {}
    left = [one for several in found.values() for one in several]
    missing = set(found)
    while ready := [one for one in left if missing.isdisjoint(one.reads)]:
        for one in ready:
            first.setdefault(one.head, one)
        missing -= first.keys()
        left = [one for one in left if one.head in missing]
    return first


def _witness(number: int, body: Body, names: tuple[str, ...], head: AST) -> AST:
    """The rule that notes an instance of a body, with what it derives and what it reads."""
    named = _Namer().visit
    literals = [named(each) if is_literal(each) else each for each in body.literals]
    reads = [each.atom.symbol for each in literals if is_literal(each)]
    more = head.symbol, Term(body.statement.location, "", reads, False)
    return body.witness(_WHY, [number], names, literals, more)


class _Namer(Walker):
    """Gives each anonymous variable a name."""

    def __init__(self) -> None:
        self.numbers = count(1)

    def visit_Variable(self, variable: AST) -> AST:
        if variable.name != "_":
            return variable
        return variable.update(name=f"Explain__{next(self.numbers)}")
