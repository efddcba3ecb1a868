"""What cannot be at any step: rules that never fire, constraints that never bind, and actions and
fluents that are never true; for bodies with the literal that is never true in them.

Each body has a witness, and what some answer set
has among the witnesses is what is possible (its brave consequences). The goal is not demanded. To
the bodies that never are true their beginnings are added, and the question is asked once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from clingo import Function, Number, Symbol

from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.explanation import Never
from asplan.explaining.question import Question, open_question
from asplan.explaining.relaxing import relax
from asplan.explaining.slips import declared
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    SymbolicAtom,
    SymbolicTerm,
    atoms,
    find,
    signature,
)
from asplan.program.syntax import Function as Term
from asplan.program.syntax import Literal as LiteralNode
from asplan.program.syntax import Rule as RuleNode
from asplan.program.unit import OCCURS, QUERY, Section

_TRUE, _EVER, _DONE, _WAS = "explain__true", "explain__ever", "explain__done", "explain__was"
_LOOK = "explain__look"
_SHOWN = f"#show {_EVER}/2. #show {_DONE}/1. #show {_WAS}/1. #defined {_TRUE}/3."


@dataclass(frozen=True)
class Asked:
    """How a program is opened: its constants, the steps to ground, and the deadline."""

    constants: Mapping[str, str]
    horizon: int
    deadline: float | None

    def open(self, program: Program) -> Question:
        """The program, relaxed and grounded."""
        relaxation = relax(program, _SHOWN)
        question = open_question(relaxation, dict(self.constants), self.deadline)
        question.ground(self.horizon)
        question.session.ground([(_LOOK, [])])
        return question


def find_never(program: Program, asked: Asked) -> tuple[Never, ...] | None:
    """What cannot be up to a horizon, bodies first.

    None if the time did not do, or if nothing at all can be: there are no such steps.
    """
    bodies = [body for body in bodies_of(program) if body.literals]
    whole = {n: [len(body.literals)] for n, body in enumerate(bodies)}
    question = asked.open(_with_witnesses(program, bodies, whole))
    if (possible := _possible(question, bodies)) is None:
        return None
    dead = {n for n, ends in whole.items() if (n, ends[0]) not in possible.reached}
    ends = {n: list(range(1, len(bodies[n].literals))) for n in dead}
    reached: set[tuple[int, int]] = set()
    if any(ends.values()):
        again = asked.open(_with_witnesses(program, bodies, ends))
        if (partial := _possible(again, bodies)) is None:
            return None
        reached = partial.reached
    stops = {n: _stop(bodies[n], n, reached) for n in sorted(dead)}
    missing = declared(program)
    found = (
        _body(bodies[n], stop) for n, stop in stops.items() if not _is_off(bodies[n], stop, missing)
    )
    return (*found, *_atoms(question, possible))


@dataclass(frozen=True)
class _Possible:
    """What some answer set has: bodies up to some literal, actions, and atoms without the time."""

    reached: set[tuple[int, int]]
    actions: set[Symbol]
    atoms: set[Symbol]


def _possible(question: Question, bodies: Sequence[Body]) -> _Possible | None:
    """Bodies of rules under all constraints but the goal; those of constraints without any."""
    within = question.session.possible(question.kept(goals=False))
    without = question.session.possible([])
    if within is None or without is None:
        return None

    def reached(symbols: Iterable[Symbol], constraints: bool) -> set[tuple[int, int]]:
        found = (s.arguments for s in symbols if s.match(_EVER, 2))
        pairs = ((number.number, end.number) for number, end in found)
        return {(n, end) for n, end in pairs if bodies[n].constraint == constraints}

    return _Possible(
        reached(within, False) | reached(without, True),
        {s.arguments[0] for s in within if s.match(_DONE, 1)},
        {s.arguments[0] for s in within if s.match(_WAS, 1)},
    )


def _stop(body: Body, number: int, reached: set[tuple[int, int]]) -> int:
    """Which literal of a body is never true behind those before it."""
    ends = range(1, len(body.literals) + 1)
    return next(e for e in ends if (number, e) not in reached) - 1


def _is_off(body: Body, stop: int, missing: set[Signature]) -> bool:
    """Whether a body is meant to be of no use: for want of a goal, or of what may be missing."""
    literal = body.literals[stop]
    keys = {signature(atom) for atom in atoms(literal)}
    is_variant = not keys and not find(ASTType.Variable, [literal])
    return body.rule.goal or is_variant or bool(keys & missing)


def _body(body: Body, stop: int) -> Never:
    kind = "constraint" if body.constraint else "rule"
    return Never(kind, body.rule.text, body.rule.at, body.places[stop])


def _atoms(question: Question, possible: _Possible) -> Iterable[Never]:
    """The actions and the fluents that the program speaks of, and that are never true."""
    for known, kind, name in (
        (possible.actions, "action", _DONE),
        (possible.atoms, "fluent", _WAS),
    ):
        spoken = {atom.arguments[0] for atom in question.session.atoms(name, 1)}
        for symbol in sorted(spoken - known):
            yield Never(kind, str(symbol))


def _with_witnesses(
    program: Program, bodies: Sequence[Body], ends: Mapping[int, Sequence[int]]
) -> Program:
    """The program with a witness for beginnings of bodies, and a last part that sums up."""
    twins = [
        replace(bodies[n].section, statements=tuple(_witness(bodies[n], n, e) for e in several))
        for n, several in ends.items()
    ]
    last = f"{_EVER}(K,E) :- {_TRUE}(K,E,_). {' '.join(_timeless(program))}"
    sections = (*program.sections, *twins, Section(_LOOK, "", parse_text(last)[1:]))
    return replace(program, sections=sections)


def _witness(body: Body, number: int, end: int) -> AST:
    place, parameter = body.statement.location, body.section.parameter
    time = Function(parameter) if parameter else Number(0)
    terms = [SymbolicTerm(place, value) for value in (Number(number), Number(end), time)]
    head = SymbolicAtom(Term(place, _TRUE, terms, False))
    return RuleNode(place, LiteralNode(place, Sign.NoSign, head), list(body.literals[:end]))


def _timeless(program: Program) -> Iterable[str]:
    """Rules that leave the time out of actions and of what timed parts derive."""
    if len(program.readings) == 1:
        action = ["A", "A"]
        action[program.readings[0].place] = "_"
        yield f"{_DONE}(A) :- occurs({','.join(action)})."
    for (sign, name, arity), places in sorted(program.time_places.items()):
        if (sign, name, arity) in (OCCURS, QUERY) or len(places) != 1 or sign:
            continue
        if name.startswith((HELPER, "explain__")):
            continue
        terms = [f"V{i}" for i in range(arity)]
        rest = [term for i, term in enumerate(terms) if i not in places]
        fluent = f"{name}({','.join(rest)})" if rest else name
        yield f"{_WAS}({fluent}) :- {name}({','.join(terms)})."
