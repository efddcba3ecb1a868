"""A program as asplan understands it: its actions, fluents, goal and horizon with locations.

A student can compare this with the intended meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.program.incremental import Program
from asplan.program.model.program import Literal, TemporalProgram, TemporalRule
from asplan.program.reading.unit import HELPER, QUERY
from asplan.program.roles.inputs import key_text
from asplan.program.roles.roles import in_parts_without_aliases, roles_of
from asplan.program.syntax import Signature
from asplan.program.syntax.terms import OWN
from asplan.program.syntax.wording import Wording


@dataclass(frozen=True)
class Role:
    """A role that asplan found in a program, such as an action.

    Attributes
    ----------
    role
        `action`, `fluent`, `initial state`, `static`, `goal` or `horizon`.
    text
        The atom, the constraint or the constant as the author wrote it.
    at
        The location where it first occurs; None if it is in no file.
    """

    role: str
    text: str
    at: Location | None


def describe_roles(program: Program) -> list[Role]:
    """Return the roles in a program: actions, fluents, static predicates, goal and horizon."""
    model = in_parts_without_aliases(program).model
    roles = roles_of(program)
    fluents = sorted(roles.fluents - roles.actions.keys())
    timed = {*roles.places, *roles.actions, QUERY}
    heads = list(chain.from_iterable(rule.heads for rule in model.rules))
    first_in_steps = _first_by_key(head for head in heads if head.part != "base")
    in_base = [head for head in heads if head.part == "base"]
    found = _first_by_key(in_base)
    return [
        *_of_keys("action", sorted(roles.actions), found | first_in_steps),
        *_of_keys("fluent", fluents, found | first_in_steps),
        *_of_keys("initial state", fluents, found, program),
        *_static_roles(model, program, timed),
        *(Role("goal", _text_of(rule), rule.at) for rule in _goals(model, program)),
        *_horizon_roles(program),
    ]


def _first_by_key(literals: Iterable[Literal]) -> dict[Signature, Literal]:
    """Map each predicate to the first of its literals."""
    first: dict[Signature, Literal] = {}
    for literal in literals:
        first.setdefault(literal.key, literal)
    return first


def _of_keys(
    role: str,
    keys: Iterable[Signature],
    heads: dict[Signature, Literal],
    program: Program | None = None,
) -> Iterator[Role]:
    """Yield the role `role` for each predicate of `keys` that has a head in `heads`.

    If a program is given, its plain facts count as heads, too.
    """
    for key in keys:
        head = heads.get(key)
        if head is not None:
            yield Role(role, head.text, head.at)
        elif program is not None:
            yield from _facts_of(role, program, [key])


def _facts_of(role: str, program: Program, keys: Iterable[Signature]) -> Iterator[Role]:
    """Yield the role `role` for each predicate of `keys` with plain facts: its first fact."""
    for key in keys:
        for facts in program.facts:
            if key in facts.signatures:
                yield Role(role, key_text(key), facts.first_places([key]).get(key))
                break


def _static_roles(
    model: TemporalProgram, program: Program, timed: set[Signature]
) -> Iterator[Role]:
    """Yield the role `static` for each predicate of `base` without a time.

    `timed` are the predicates with a time.
    """
    first = _first_by_key(
        head
        for rule in model.rules
        for head in rule.heads
        if head.part == "base" and head.key not in timed and not _is_own(head.key)
    )
    yield from _of_keys("static", sorted(first), first)
    given = set().union(*(facts.signatures for facts in program.facts))
    rest = sorted(key for key in given - first.keys() - timed if not _is_own(key))
    yield from _facts_of("static", program, rest)


def _is_own(key: Signature) -> bool:
    return key[1].startswith((HELPER, OWN, "__", "asplan"))


def _goals(model: TemporalProgram, program: Program) -> list[TemporalRule]:
    """Return the constraints that demand the goal: with `query(t)`, or at the last time."""
    if program.horizon is None:
        return [rule for rule in model.rules if rule.is_constraint and rule.demands_goal]
    last = program.horizon.constant
    constraints = (rule for rule in program.model.rules if rule.is_constraint)
    return [rule for rule in constraints if _reads_at(last, rule)]


def _reads_at(constant: str, rule: TemporalRule) -> bool:
    """Return whether a rule reads an atom that has the constant as an argument."""
    return any(str(term) == constant for literal in rule.reads for term in literal.terms)


def _text_of(rule: TemporalRule) -> str:
    """Return a constraint as its author wrote it."""
    return Wording()(rule.statement, rule.at.file)


def _horizon_roles(program: Program) -> Iterator[Role]:
    """Yield the role `horizon` for the bound of the time, if the program has no parts."""
    if program.horizon is not None:
        yield Role("horizon", program.horizon.text, program.horizon.at)
