"""Which rules come nearest to deriving some atoms, which of their literals is in the way, and what
stands behind that, from rule to rule.

Instances are looked for of all literals of a body but one, and of its beginnings. The nearest rule
is one that lacks a single literal, or else the one that can be followed furthest. An atom may be
known in part: what stops a rule is an atom with variables of which some have values by then.

That tells as well why an encoding refuses a plan: the first step that it refuses, and what stands
in the way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clingo import Function, Number, Symbol

from asplan.engines.asp.answer import Answer
from asplan.engines.asp.replay import Actions, atoms_of
from asplan.engines.asp.session import Pin
from asplan.explaining import instances
from asplan.explaining.explanation import Nearest, Refusal, Violation
from asplan.explaining.instances import (
    Answered,
    Body,
    Instance,
    Pattern,
    Search,
    Values,
    answered,
    pattern_of,
)
from asplan.explaining.question import Question, strict
from asplan.program import syntax
from asplan.program.incremental import Reading
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    Variable,
)
from asplan.program.unit import HELPER

_WANTED = "explain__wanted"

_DEPTH = 3  # how many rules are followed, one behind the other


_Found = tuple[Nearest, Pattern | None]
"""The nearest rule, and the atom behind the literal that stops it, if that is one."""


def find_causes(answer: Answered, wanted: Iterable[Pattern]) -> dict[Pattern, Nearest]:
    """For each atom the rule that comes nearest to deriving it, and so on."""
    return {key: several[0] for key, several in find_nearest(answer, wanted).items()}


def find_nearest(answer: Answered, wanted: Iterable[Pattern]) -> dict[Pattern, tuple[Nearest, ...]]:
    """For each atom the rules that may derive it, the nearest first, and what is behind each."""
    levels: list[dict[Pattern, list[_Found]]] = []
    known: set[Pattern] = set()
    for _ in range(_DEPTH):
        wanted = [pattern for pattern in dict.fromkeys(wanted) if pattern not in known]
        known |= {*wanted}
        levels.append(_nearest(answer, wanted) if wanted else {})
        every = (missing for several in levels[-1].values() for _, missing in several)
        wanted = [missing for missing in every if missing is not None]
    found = {pattern: f for level in reversed(levels) for pattern, f in level.items()}

    def linked(nearest: Nearest, missing: Pattern | None, depth: int = _DEPTH - 1) -> Nearest:
        behind = found.get(missing) if depth and missing is not None else None
        because = linked(*behind[0], depth - 1) if behind else None
        if because and because.rule and because.rule.choice and because.literal is None:
            because = None  # it could have been chosen, and was not
        if because and missing and because.rule is None and any(map(missing.is_like, answer.atoms)):
            because = None  # there is one, and it does not fit
        return replace(nearest, because=because)

    return {
        pattern: tuple(linked(*one) for one in several) for pattern, several in levels[0].items()
    }


def with_causes(answer: Answered) -> tuple[Violation, ...]:
    """The constraints that an answer breaks, each with the rules behind its atoms."""
    violations = answer.question.violations(answer.symbols)
    behind = {one: _atoms_in(answer.question, one) for one in violations}
    wanted = (pattern for several in behind.values() for pattern, _ in several)
    causes = find_causes(answer, wanted)
    return tuple(
        replace(violation, because=tuple(_notable(causes, behind[one])))
        for one, violation in violations.items()
    )


def _atoms_in(question: Question, instance: Symbol) -> list[tuple[Pattern, bool]]:
    """The atoms of an instance of a constraint, and whether they are true; missing ones first."""
    number, time, values = instance.arguments
    constraint = question.constraints[number.number]
    if constraint.rule.bound:
        return []  # what counts is how many elements are chosen
    known = dict(zip(constraint.variables, values.arguments, strict=True))
    put = Values(known, constraint.parameter, time, question.session.control.get_const)
    found = [
        (pattern, literal.sign == Sign.NoSign)
        for literal in constraint.body
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
        for pattern in map(put.pattern, syntax.atoms(literal))
        if None not in pattern.arguments
    ]
    return sorted(found, key=lambda pair: pair[1])


def _notable(
    causes: dict[Pattern, Nearest], behind: Iterable[tuple[Pattern, bool]]
) -> Iterator[Nearest]:
    """The causes of the atoms of a constraint, but of facts, and of what was chosen."""
    for atom, true in behind:
        nearest = causes.get(atom)
        if nearest is None or (true and nearest.rule is None):
            continue
        if nearest.rule is None or nearest.literal is not None or not nearest.rule.choice:
            yield nearest


@dataclass(frozen=True, eq=False)
class _Attempt(Search):
    """A part of a body that may be true; literal number `stop` is not."""

    stop: int = 0
    rank: tuple[float, ...] = ()
    """How near it comes: all literals, all but one, or so many of them; of rules that lack one
    literal those are nearer that do not lack the action."""

    def found(self, pattern: Pattern, instance: Instance) -> _Found:
        """What an instance of it says of an atom."""
        body, put = self.body, instance.values
        derived = Nearest(str(pattern), body.rule, None, put.texts)
        if self.stop < len(body.literals):
            missing = put.atom_behind(body.literals[self.stop], Sign.NoSign)
            return replace(derived, literal=body.places[self.stop]), missing
        # The atom is derived; what could have kept it from that is what stands behind `not`.
        against = (put.atom_behind(literal, Sign.Negation) for literal in body.literals)
        return derived, next(filter(None, against), None)


def _nearest(answer: Answered, wanted: Sequence[Pattern]) -> dict[Pattern, list[_Found]]:
    """For each pattern what comes nearest of each body, the best first, grounded together."""
    forms, given = dict[tuple[Signature, tuple[int, ...]], int](), list[Symbol]()
    for n, pattern in enumerate(wanted):  # their predicates, and which arguments are known
        known = {i: one for i, one in enumerate(pattern.arguments) if one is not None}
        number = forms.setdefault((pattern.key, tuple(known)), len(forms))
        given.append(Function(f"{_WANTED}{number}", [Number(n), *known.values()]))
    actions = answer.question.program.actions
    attempts = [
        attempt
        for body in answer.bodies
        for (key, places), n in forms.items()
        for head in [head for head in body.heads if syntax.signature(head) == key][:1]
        for attempt in _attempts(body, head, f"{_WANTED}{n}", places, actions)
    ]
    best: dict[Pattern, dict[Body, tuple[tuple[float, ...], _Attempt, Instance]]] = {}
    for one in answer.instances(attempts, given):
        assert isinstance(one.search, _Attempt)
        of_body = best.setdefault(wanted[one.more[0].number], {})
        if one.search.body not in of_body or of_body[one.search.body][0] < one.search.rank:
            of_body[one.search.body] = one.search.rank, one.search, one
    order, found = {attempt: n for n, attempt in enumerate(attempts)}, dict[Pattern, list[_Found]]()
    for pattern in wanted:
        several = best.get(pattern, {}).values()
        ranked = sorted(several, key=lambda one: (one[0], -order[one[1]]), reverse=True)
        several_found = [attempt.found(pattern, instance) for _, attempt, instance in ranked]
        found[pattern] = several_found or [(Nearest(str(pattern)), None)]
    return found


def _attempts(
    body: Body, head: AST, name: str, places: Sequence[int], actions: frozenset[Signature]
) -> Iterator[_Attempt]:
    """Parts of a body that may be true where the head is like one of the atoms that are wanted."""
    whole, everywhere = len(body.literals), syntax.global_variables(body.literals)
    at, terms = body.statement.location, [syntax.arguments(head)[place] for place in places]
    bound = [name for term in terms if instances.is_matchable(term) for name in _names(term)]
    values = [Variable(at, f"Explain__{place}") for place in places]
    number = Variable(at, "Explain__Number")
    given = syntax.named_atom(body.statement, name, [number, *values])
    parts = [
        *((i, body.literals[:i] + body.literals[i + 1 :], False) for i in reversed(range(whole))),
        *((i, body.literals[:i], i < whole) for i in (*range(whole - 1), whole)),
    ]
    for stop, true, is_beginning in parts:
        literals = instances.in_safe_order(true, bound, everywhere)
        if literals is None:
            continue
        names = tuple(dict.fromkeys([*bound, *syntax.global_variables(true)]))
        equal = [
            syntax.compared(body.statement, value, term)
            for term, value in zip(terms, values, strict=True)
            if {*_names(term)} <= {*names}
        ]
        if is_beginning:
            rank: tuple[float, ...] = 0, stop / whole
        elif stop == whole:
            rank = 2, 0
        else:
            rank = 1, actions.isdisjoint(syntax.named_in(body.literals[stop]))
        yield _Attempt(body, names, [given, *equal, *literals], (number,), stop, rank)


def _names(term: AST) -> list[str]:
    return [v.name for v in syntax.find(ASTType.Variable, [term]) if v.name != "_"]


_UNKNOWN = re.compile(rf"^{HELPER}\((.*)\)$")


def find_refusal(
    question: Question, actions: Actions, tell: Callable[[str], None]
) -> Refusal | None:
    """The first step at which the encoding refuses a plan, 0 the state in which plans begin.

    Raises `TimeoutError` where the time was over before that was known; None if it accepts it.
    """
    last = len(actions)
    cases = cases_of(question, actions)
    times = range(last + 1) if question.contract.monotone else [last]
    for case in cases:
        pins = [*question.kept(), *case.pins(question, last)]
        if any(is_satisfiable(question.ask(pins, goal=t)) for t in times):
            return None
    known = question.session.control.symbolic_atoms
    fitting = (c for c in cases if all(known[a] is not None for step in c.atoms for a in step))
    case = next(fitting, cases[0])
    named = [(), *(tuple(map(str, step)) for step in actions)]
    question = question.variant(question.program)
    kept = question.kept(goals=False)
    for step in range(last + 1):
        question.ground(step, tell)
        if not is_satisfiable(question.ask([*kept, *case.pins(question, step)], goal=None)):
            return _refused_step(question, case, step, named[step])
    pins = case.pins(question, last)
    answer = question.ask([*kept, *pins], goal=last, least=True)
    broken = with_causes(answered(question, answer, last)) if answer.models else ()
    return Refusal(last, "goal", named[last], broken=broken)


@dataclass(frozen=True)
class Case:
    """The atoms of a plan, if the program means its actions in one way."""

    atoms: list[list[Symbol]]
    reading: Reading

    def pins(self, question: Question, last: int) -> list[Pin]:
        """The assumptions that fix the plan up to a step."""
        wanted = {atom for step in self.atoms[:last] for atom in step}
        others: list[Symbol] = []
        if not question.program.plans_in_part:
            others = [a for a in question.session.actions() if a not in wanted]
        steps = range(1, last + 1)
        return [
            *((atom, True) for atom in sorted(wanted)),
            *((atom, False) for atom in others if self.reading.step(atom) in steps),
        ]


def cases_of(question: Question, actions: Actions) -> list[Case]:
    """A plan in each way in which the program may mean its actions."""
    return [Case(atoms_of(actions, reading), reading) for reading in question.program.readings]


def is_satisfiable(answer: Answer) -> bool:
    """Whether there is an answer set; `TimeoutError` where the time did not do to know it."""
    if answer.satisfiable is None:
        raise TimeoutError
    return answer.satisfiable


def _refused_step(question: Question, case: Case, step: int, named: tuple[str, ...]) -> Refusal:
    """What refuses a step, if all steps before it are fine."""
    earlier = [(strict(t), True) for t in range(step)]
    pins = [*case.pins(question, step), *earlier]
    answer = question.ask(pins, goal=None, least=True)
    if is_satisfiable(answer):
        return Refusal(step, "constraint", named, broken=with_causes(answered(question, answer)))
    nearest: tuple[Nearest, ...] = ()
    if step:
        wanted = map(pattern_of, case.atoms[step - 1])
        pins = [*case.pins(question, step - 1), *earlier]
        before = question.ask(pins, goal=None)
        if is_satisfiable(before):
            nearest = tuple(find_causes(answered(question, before), wanted).values())
    # An action that the program has no predicate for is an atom of no program.
    nearest = tuple(replace(n, atom=_UNKNOWN.sub(r"\1", n.atom)) for n in nearest)
    stopped = tuple(n for n in nearest if n.literal is not None or n.rule is None)
    return Refusal(step, "action", named, nearest=stopped or nearest)
