"""Why an atom holds in an answer set, or does not.

Of each body that is true of the answer there are instances: the atom that it derives, and what it
reads. They are taken as if the program were run from its facts on, so no atom stands behind itself;
and of several that derive an atom the one whose tree, down to facts and choices, is the lowest.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations, count
from operator import eq, ge, gt, le, lt, ne

from clingo import Function, Infimum, Number, Supremum, Symbol, SymbolType

from asplan.core.plan import Plan
from asplan.explaining.explanation import Counted, Derivation, Rule, Support, Why
from asplan.explaining.instances import (
    Answered,
    Body,
    Instance,
    Pattern,
    Search,
    answered,
    pattern_of,
    tuple_of,
)
from asplan.explaining.nearest import cases_of, find_causes, find_nearest, is_satisfiable
from asplan.explaining.question import MINUS, Pin, Question
from asplan.program import syntax
from asplan.program.source import ground_term
from asplan.program.syntax import (
    AST,
    AggregateFunction,
    ASTType,
    Sign,
    SymbolicTerm,
    Walker,
)
from asplan.program.terms import Op
from asplan.program.unit import QUERY
from asplan.warnings.index import suggest_predicates


def find_answer(
    question: Question, plan: Plan | None, shown: Iterable[str] = ()
) -> Answered | None:
    """The answer set of a plan, or one with some shown atoms, at the horizon; None if refused."""
    known, true = question.session.control.symbolic_atoms, list[Pin]()
    for term in (ground_term(text, "term") for text in shown if plan is None):
        if term.type == SymbolType.Function and term.name:
            # As an atom of the relaxed program; it may be none.
            atom = term if term.positive else Function(MINUS + term.name, term.arguments)
            true += [(atom, True)] if known[atom] is not None else []
    for pins in [[*question.kept(), *true]] if plan is None else _pins(question, plan):
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
    """Why an atom holds in an answer, or which rules come near to deriving it."""
    atom = ground_term(text, "atom")
    if atom in answer.atoms:
        return Why(str(atom), True, find_derivation(answer, [atom]))
    pattern = pattern_of(atom)
    nearest = tuple(n for n in find_nearest(answer, [pattern])[pattern] if n.rule is not None)
    return Why(str(atom), False, None, nearest, "" if nearest else _meant(answer, atom))


def _meant(answer: Answered, atom: Symbol) -> str:
    """What may have been meant by an atom that no rule is for."""
    key, last = syntax.predicate(atom), answer.question.horizon
    for place in answer.question.program.time_places.get(key, ()):
        time = atom.arguments[place]
        if time.type == SymbolType.Number and time.number > last:
            return f"the plan ends at step {last}"
    if alike := [other.arguments for other in answer.atoms if syntax.predicate(other) == key]:
        known_at = [set(terms) for terms in zip(*alike, strict=True)]
        for i, j in combinations(range(key[2]), 2):
            terms = list(atom.arguments)
            terms[i], terms[j] = terms[j], terms[i]
            if all(term in known for term, known in zip(terms, known_at, strict=True)):
                return f"did you mean {Function(atom.name, terms, atom.positive)}?"
        return ""
    program = answer.question.program
    made = set().union(*map(syntax.defined_in, program.statements))
    return suggest_predicates(key, made.union(*(facts.signatures for facts in program.facts)))


# Derivations.


def find_derivation(
    answer: Answered, wanted: Iterable[Symbol], most: int | None = None
) -> Derivation:
    """What stands behind atoms, down to facts and choices, and why others do not hold.

    Of atoms that hold these are supports, and of those that do not, wanted or in the way of a rule,
    the nearest rules. With more than `most` supports those that are wanted last are `left_out`.
    """
    wanted = list(dict.fromkeys(wanted))
    true = [atom for atom in wanted if atom in answer.atoms]
    supports = _Supports(answer)
    found: dict[str, Support] = {}
    absent = [pattern_of(atom) for atom in wanted if atom not in answer.atoms]
    left_out = 0
    for text in (text for text in map(str, true) if text not in found):
        if most is not None and len(found) >= most:
            left_out += 1
            continue
        left, seen = [text], {text, *found}
        while left:
            one = supports.of(left.pop())
            found[one.atom] = one
            absent += supports.absent[one.atom]
            left += [behind for behind in dict.fromkeys(one.body) if behind not in seen]
            seen |= {*one.body}
    causes = find_causes(answer, dict.fromkeys(absent))
    nearest = {str(pattern): cause for pattern, cause in causes.items()}
    return Derivation(found, nearest, left_out)


@dataclass(frozen=True, eq=False)
class _Element:
    """What an aggregate or a condition of an instance counts, with the atoms behind it."""

    literal: int
    terms: tuple[Symbol, ...]
    reads: tuple[Symbol, ...]


class _Supports:
    """The instances by which the atoms of an answer are derived, one for each."""

    def __init__(self, answer: Answered) -> None:
        self.answer, self.atoms = answer, {str(atom): atom for atom in answer.atoms}
        self.elements: dict[tuple[Body, tuple[Symbol, Symbol]], list[_Element]] = defaultdict(list)
        self.absent: dict[str, list[Pattern]] = defaultdict(list)
        instances: list[tuple[Symbol, tuple[Symbol, ...], Instance]] = []
        for one in answer.instances(_searches(answer.bodies)):
            first, *more, reads = one.more
            true = tuple(atom for atom in reads.arguments if atom in answer.atoms)
            if more:
                found = _Element(first.number, tuple(more[0].arguments), true)
                self.elements[one.search.body, one.key].append(found)
            else:
                instances.append((first, true, one))
        self.first = self._first(instances)

    def _first(
        self, instances: Iterable[tuple[Symbol, tuple[Symbol, ...], Instance]]
    ) -> dict[Symbol, tuple[Instance, tuple[Symbol, ...]]]:
        """For each atom an instance that derives it, and what that rests on.

        An instance is ready when all that it reads is derived, and its aggregates hold with what is
        derived of their elements. Of those that are ready the one with the lowest tree is next, so
        what stands behind an atom was derived before it.
        """
        heights: dict[Symbol, int] = {}
        first: dict[Symbol, tuple[Instance, tuple[Symbol, ...]]] = {}
        ready: list[tuple[int, int, Symbol, tuple[Symbol, ...], Instance]] = []
        made = {head for head, _, _ in instances}
        waiting: dict[Symbol, list[int]] = defaultdict(list)
        listed, queued = list(instances), set[int]()

        def look(n: int) -> None:
            head, reads, one = listed[n]
            if n in queued or head in first:
                return
            known = [atom for atom in reads if atom not in made or atom in first]
            if len(known) < len(reads):
                return
            elements = self.elements[one.search.body, one.key]
            there = [e for e in elements if all(a not in made or a in first for a in e.reads)]
            if len(there) < len(elements) and not _holds(one, there, elements):
                return
            queued.add(n)
            counted = (atom for element in there for atom in element.reads)
            rests = tuple(dict.fromkeys([*reads, *counted]))
            is_leaf = one.search.body.rule.choice or not rests
            height = 0 if is_leaf else 1 + max(heights.get(atom, 0) for atom in rests)
            heappush(ready, (height, n, head, rests, one))

        for n, (_, reads, one) in enumerate(listed):
            elements = self.elements[one.search.body, one.key]
            for atom in {*reads, *(a for e in elements for a in e.reads)} & made:
                waiting[atom].append(n)
            look(n)
        while ready:
            height, _, head, rests, one = heappop(ready)
            if head not in first:
                first[head], heights[head] = (one, rests), height
                for n in waiting[head]:
                    look(n)
        return first

    def of(self, text: str) -> Support:
        atom = self.atoms[text]
        if atom not in self.first:
            kind = "demanded" if syntax.predicate(atom) == QUERY else "fact"
            return Support(text, kind, self._fact(atom))
        instance, rests = self.first[atom]
        body, put = instance.search.body, instance.values
        if not body.literals and not body.rule.choice:
            return Support(text, "fact", body.rule)
        behind = (put.atom_behind(literal, Sign.Negation) for literal in body.literals)
        self.absent[text] = [pattern for pattern in behind if pattern is not None]
        kind, counted = "chosen" if body.rule.choice else "derived", tuple(self._counted(instance))
        read, absent = tuple(map(str, rests)), tuple(map(str, self.absent[text]))
        return Support(text, kind, body.rule, put.texts, read, absent, counted)

    def _counted(self, instance: Instance) -> Iterator[Counted]:
        body = instance.search.body
        for number, literal in enumerate(body.literals):
            if _is_aggregate(literal):
                elements = self.elements[body, instance.key]
                terms = {element.terms for element in elements if element.literal == number}
                texts = tuple(",".join(map(str, one)) for one in sorted(terms))
                yield Counted(body.places[number].text, texts)

    def _fact(self, atom: Symbol) -> Rule | None:
        """The fact as it is written."""
        program, constant = self.answer.question.program, self.answer.constant
        for facts in program.facts:
            if syntax.predicate(atom) in facts.signatures:
                known = {name: value for name in facts.names if (value := constant(name))}
                for _, place in facts.places(known, atom):
                    return Rule(place, f"{atom}.")
        return None


def _searches(bodies: Iterable[Body]) -> Iterator[Search]:
    """Whole bodies, each with what it derives and reads; and each element, with its terms, too."""
    for body in bodies:
        names = tuple(syntax.global_variables(body.literals))
        named = _namer(names)
        literals = [named(each) if syntax.is_literal(each) else each for each in body.literals]
        read = tuple_of(body, [each.atom.symbol for each in literals if syntax.is_literal(each)])
        for head in body.heads:
            yield Search(body, names, literals, (head.symbol, read))
        for number, literal in enumerate(body.literals):
            place = SymbolicTerm(body.statement.location, Number(number))
            for terms, inside in _elements(literal):
                local = _namer(names, everything=True)
                within = [local(each) for each in inside]
                reads = [each.atom.symbol for each in within if syntax.is_literal(each)]
                more = place, tuple_of(body, map(local, terms)), tuple_of(body, reads)
                yield Search(body, names, [*literals, *within], more)


def _is_aggregate(literal: AST) -> bool:
    kinds = ASTType.Aggregate, ASTType.BodyAggregate
    is_positive = literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign
    return bool(is_positive and literal.atom.ast_type in kinds)


def _elements(literal: AST) -> Iterator[tuple[list[AST], list[AST]]]:
    """The elements of an aggregate or a condition: their terms, and what has to be true."""
    if literal.ast_type == ASTType.ConditionalLiteral:
        yield [], [literal.literal, *literal.condition]
    elif _is_aggregate(literal):
        for element in literal.atom.elements:
            if element.ast_type == ASTType.ConditionalLiteral:
                atom = element.literal.atom
                terms = [atom.symbol] if syntax.is_literal(element.literal) else []
                yield terms, [element.literal, *element.condition]
            else:
                yield list(element.terms), list(element.condition)


def _holds(instance: Instance, there: Collection[_Element], elements: Collection[_Element]) -> bool:
    """Whether the aggregates of an instance hold with some of their elements."""
    for number, literal in enumerate(instance.search.body.literals):
        own = [element for element in there if element.literal == number]
        if literal.ast_type == ASTType.ConditionalLiteral:
            if len(own) < sum(element.literal == number for element in elements):
                return False
        elif _is_aggregate(literal):
            atom = literal.atom
            function = getattr(atom, "function", AggregateFunction.Count)
            value = _value({element.terms for element in own}, function)
            for guard, is_left in ((atom.left_guard, True), (atom.right_guard, False)):
                bound = None if guard is None else instance.values.value(guard.term)
                if guard is None or bound is None:
                    continue
                pair = (bound, value) if is_left else (value, bound)
                if not _COMPARE[guard.comparison](*pair):
                    return False
    return True


_COMPARE: dict[int, Callable[[Symbol, Symbol], bool]] = {
    Op.Equal: eq,
    Op.NotEqual: ne,
    Op.LessThan: lt,
    Op.LessEqual: le,
    Op.GreaterThan: gt,
    Op.GreaterEqual: ge,
}


def _value(tuples: Collection[tuple[Symbol, ...]], function: int) -> Symbol:
    if function == AggregateFunction.Count:
        return Number(len(tuples))
    weights = [terms[0] for terms in tuples if terms]
    if function == AggregateFunction.Min:
        return min(weights, default=Supremum)
    if function == AggregateFunction.Max:
        return max(weights, default=Infimum)
    numbers = [one.number for one in weights if one.type == SymbolType.Number]
    if function == AggregateFunction.SumPlus:
        numbers = [max(0, one) for one in numbers]
    return Number(sum(numbers))


def _namer(names: Collection[str], everything: bool = False) -> Callable[[AST], AST]:
    """Gives each anonymous variable a name, and with `everything` each that is not global."""
    numbers = count(1)

    def named(variable: AST) -> AST:
        if variable.name == "_":
            return variable.update(name=f"Explain__{next(numbers)}")
        if everything and variable.name not in names:
            return variable.update(name=f"Explain__Of_{variable.name}")
        return variable

    return Walker(Variable=named).visit
