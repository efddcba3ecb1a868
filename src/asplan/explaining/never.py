"""What cannot be at any step: rules and constraints without effect, actions and atoms.

Each body has a witness, and what some answer set has among the witnesses is what is possible (its
brave consequences). The goal is not demanded. To the bodies that never are true their beginnings
are added, and the question is asked once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from asplan.core.errors import InputWarning
from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.explanation import Never
from asplan.explaining.question import Question
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, atoms, find, signature
from asplan.program.unit import QUERY, Section
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import declared_in

_TRUE, _EVER, _DONE, _WAS = "explain__true", "explain__ever", "explain__done", "explain__was"
_LOOK = "explain__look"
_SHOWN = f"#show {_EVER}/2. #show {_DONE}/1. #show {_WAS}/1. #defined {_TRUE}/4."


def find_never(question: Question, said: Iterable[InputWarning] = ()) -> Never | None:
    """What cannot be up to the question's horizon, but for rules of which something is said.

    None if the time did not do, or if nothing at all can be: there are no such steps.
    """
    bodies = [body for body in bodies_of(question.program) if body.literals]
    possible = _possible(question, bodies, {n: [len(b.literals)] for n, b in enumerate(bodies)})
    if possible is None:
        return None
    reached, never = possible
    dead = [n for n, body in enumerate(bodies) if (n, len(body.literals)) not in reached]
    if dead:
        ends = {n: range(1, len(bodies[n].literals)) for n in dead}
        if (possible := _possible(question, bodies, ends)) is None:
            return None
    places = [one.at for one in said if one.at is not None]
    missing, found = declared_in(question.program), list[InputWarning]()
    for body, n in ((bodies[n], n) for n in dead):
        lengths = range(1, len(body.literals) + 1)
        stop = next(end for end in lengths if (n, end) not in possible[0]) - 1
        if _is_off(body, body.literals[stop], missing) or any(map(body.has, places)):
            continue
        if not body.is_written(stop):
            continue
        code = "never-fires" if body.heads else "never-binds"
        what = f"this {'rule' if body.heads else 'constraint'} {code.replace('-', ' ')}"
        text = f"{what}: {body.places[stop].text} is never true there"
        found.append(make_warning(code, text, body.rule.at))
    return replace(never, rules=tuple(dict.fromkeys(found)))


def _possible(
    question: Question, bodies: Sequence[Body], ends: Mapping[int, Sequence[int]]
) -> tuple[set[tuple[int, int]], Never] | None:
    """After how many literals some answer set has a body, and the actions and atoms of none.

    Bodies of rules are those under all constraints but the goal; those of constraints without any.
    """
    program = question.program
    twins = [
        replace(
            bodies[n].section,
            statements=tuple(
                bodies[n].witness(_TRUE, (n, end), (), bodies[n].literals[:end]) for end in several
            ),
        )
        for n, several in ends.items()
    ]
    last = f"{_EVER}(K,E) :- {_TRUE}(K,E,_,_). {' '.join(_timeless(program))}"
    sections = (*program.sections, *twins, Section(_LOOK, "", parse_text(last)[1:]))
    looking = question.variant(replace(program, sections=sections), _SHOWN)
    looking.ground(question.horizon)
    looking.session.ground([(_LOOK, [])])
    within = looking.session.possible(looking.kept(goals=False))
    without = looking.session.possible([])
    if within is None or without is None:
        return None
    reached: set[tuple[int, int]] = set()
    for symbols, is_rule in ((within, True), (without, False)):
        numbers = ([a.number for a in s.arguments] for s in symbols if s.match(_EVER, 2))
        reached |= {(n, end) for n, end in numbers if bool(bodies[n].heads) == is_rule}
    actions, fluents = (
        tuple(
            str(a.arguments[0]) for a in sorted(looking.session.atoms(name, 1)) if a not in within
        )
        for name in (_DONE, _WAS)
    )
    return reached, Never(actions=actions, fluents=fluents)


def _is_off(body: Body, literal: AST, missing: frozenset[Signature]) -> bool:
    """Whether a body is meant to be of no use: for want of a goal, or of what may be missing."""
    keys = {signature(atom) for atom in atoms(literal)}
    is_variant = not keys and not find(ASTType.Variable, [literal])
    return body.rule.goal or is_variant or bool(keys & missing)


def _timeless(program: Program) -> Iterable[str]:
    """Rules that leave the time out of actions and of what timed parts derive."""
    if len(program.readings) == 1:
        for form in program.readings[0].forms:
            atom, action = form.pattern("_")
            yield f"{_DONE}({action}) :- {atom}."
    for (sign, name, arity), places in sorted(program.time_places.items()):
        if (sign, name, arity) in {*program.actions, QUERY} or len(places) != 1 or sign:
            continue
        if name.startswith((HELPER, "explain__")):
            continue
        terms = [f"V{i}" for i in range(arity)]
        rest = [term for i, term in enumerate(terms) if i not in places]
        fluent = f"{name}({','.join(rest)})" if rest else name
        yield f"{_WAS}({fluent}) :- {name}({','.join(terms)})."
