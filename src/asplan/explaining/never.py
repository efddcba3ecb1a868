"""What cannot be at any step: rules that never fire, constraints that never bind, and actions and
fluents that are never true; for bodies with the literal that is never true in them.

Each body has a witness, and what some answer set has among the witnesses is what is possible (its
brave consequences). The goal is not demanded. To the bodies that never are true their beginnings
are added, and the question is asked once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from clingo import Symbol

from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.explanation import Never
from asplan.explaining.question import Question
from asplan.explaining.relaxing import witness
from asplan.explaining.slips import declared
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, atoms, find, signature
from asplan.program.unit import OCCURS, QUERY, Section

_TRUE, _EVER, _DONE, _WAS = "explain__true", "explain__ever", "explain__done", "explain__was"
_LOOK = "explain__look"
_SHOWN = f"#show {_EVER}/2. #show {_DONE}/1. #show {_WAS}/1. #defined {_TRUE}/4."

_Ends = Mapping[int, Sequence[int]]
"""For numbers of bodies, after how many literals there is a witness."""


def find_never(question: Question) -> tuple[Never, ...] | None:
    """What cannot be up to the question's horizon, bodies first.

    None if the time did not do, or if nothing at all can be: there are no such steps.
    """
    program = question.program
    bodies = [body for body in bodies_of(program) if body.literals]
    whole = {n: [len(body.literals)] for n, body in enumerate(bodies)}
    looking = _with_witnesses(question, bodies, whole)
    if (possible := _possible(looking, bodies)) is None:
        return None
    reached, symbols = possible
    ends = {
        n: list(range(1, len(bodies[n].literals)))
        for n, (end,) in whole.items()
        if (n, end) not in reached
    }
    if any(ends.values()):
        if (again := _possible(_with_witnesses(question, bodies, ends), bodies)) is None:
            return None
        reached = again[0]
    missing, found = declared(program), list[Never]()
    for n in ends:
        body, lengths = bodies[n], range(1, len(bodies[n].literals) + 1)
        stop = next(end for end in lengths if (n, end) not in reached) - 1
        if not _is_off(body, body.literals[stop], missing):
            kind = "rule" if body.heads else "constraint"
            found.append(Never(kind, body.rule.text, body.rule.at, body.places[stop]))
    for name, kind in ((_DONE, "action"), (_WAS, "fluent")):
        spoken = {atom.arguments[0] for atom in looking.session.atoms(name, 1)}
        known = {symbol.arguments[0] for symbol in symbols if symbol.match(name, 1)}
        found += [Never(kind, str(symbol)) for symbol in sorted(spoken - known)]
    return tuple(found)


def _possible(
    question: Question, bodies: Sequence[Body]
) -> tuple[set[tuple[int, int]], set[Symbol]] | None:
    """The beginnings of bodies that some answer set has, and all that it shows.

    Bodies of rules are those under all constraints but the goal; those of constraints without any.
    """
    within = question.session.possible(question.kept(goals=False))
    without = question.session.possible([])
    if within is None or without is None:
        return None
    reached: set[tuple[int, int]] = set()
    for symbols, is_rule in ((within, True), (without, False)):
        found = (symbol.arguments for symbol in symbols if symbol.match(_EVER, 2))
        pairs = ((number.number, end.number) for number, end in found)
        reached |= {(n, end) for n, end in pairs if bool(bodies[n].heads) == is_rule}
    return reached, within


def _is_off(body: Body, literal: AST, missing: set[Signature]) -> bool:
    """Whether a body is meant to be of no use: for want of a goal, or of what may be missing."""
    keys = {signature(atom) for atom in atoms(literal)}
    is_variant = not keys and not find(ASTType.Variable, [literal])
    return body.rule.goal or is_variant or bool(keys & missing)


def _with_witnesses(question: Question, bodies: Sequence[Body], ends: _Ends) -> Question:
    """The program with a witness for beginnings of bodies, and a last part that sums up."""
    program = question.program
    twins = [
        replace(
            bodies[n].section,
            statements=tuple(_witness(bodies[n], n, end) for end in several),
        )
        for n, several in ends.items()
    ]
    last = f"{_EVER}(K,E) :- {_TRUE}(K,E,_,_). {' '.join(_timeless(program))}"
    sections = (*program.sections, *twins, Section(_LOOK, "", parse_text(last)[1:]))
    looking = question.variant(replace(program, sections=sections), _SHOWN)
    looking.ground(question.horizon)
    looking.session.ground([(_LOOK, [])])
    return looking


def _witness(body: Body, number: int, end: int) -> AST:
    literals, parameter = body.literals[:end], body.section.parameter
    return witness(body.statement, _TRUE, (number, end), parameter, (), literals)


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
