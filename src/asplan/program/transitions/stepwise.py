"""The check that a program is a transition system: all steps are alike and look back at most one.

Each predicate of `step(t)` and `check(t)` must be defined in `base` alone, or have a time argument.
Its time must be `t` in heads, `t` or `t-1` in other atoms, and a number of at most 0 in heads of
`base`. The atoms of an action may all have `t-1` instead. The parameter `t` has no other use,
except that a rule may equate a variable with it or compare it with a number (see `clock`).
Constraints with `query(t)` in their bodies demand the goal.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.model.program import Kind, Literal
from asplan.program.reading.unit import HELPER, QUERY, pairs
from asplan.program.roles.roles import without_aliases
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.wording import Wording, plain_text
from asplan.program.transitions.clock import with_clock

HINT = (
    "asplan can search the states of a program only if all its steps are alike; "
    "for other programs use --engine asp"
)

_TRANSITION_STATEMENTS = (ASTType.Rule, ASTType.External, ASTType.Edge, ASTType.TheoryDefinition)
"""The kinds of statements that are examined, as they may restrict transitions."""

_MOST_SHOWN = 100  # the most characters of a rule in a message
_LEAVES = (ASTType.SymbolicTerm, ASTType.Variable)  # the terms that may name a time


@dataclass(frozen=True)
class Fault:
    """A statement that keeps a program from being a transition system, with the reason."""

    at: Location
    reason: str
    statement: AST


@dataclass(frozen=True)
class TransitionTimes:
    """The predicates of a transition system that have a time.

    Attributes
    ----------
    places
        Maps each predicate with a time to the index of its time argument.
    previous
        The predicates that have the time t-1 throughout step t, as an action `occurs(A,t-1)`.
    state
        The predicates that make up a state, which step t reads at t-1. Predicates in `previous` are
        left out.
    read_by_base
        The timed predicates that occur in `base`. What `base` derives from them holds at all times.
    """

    places: Mapping[Signature, int]
    previous: frozenset[Signature]
    state: frozenset[Signature]
    read_by_base: frozenset[Signature] = frozenset()


def transition_times_of(program: Program) -> TransitionTimes:
    """Return the timed predicates of a transition system.

    Raise `InputError` at the first statement that keeps the program from being one.
    """
    if program.horizon is not None:
        message = f"the program has all its times at once, up to {program.horizon.text}"
        raise InputError(message, at=program.horizon.at, hint=HINT)
    plain = with_clock(without_aliases(program))
    places = plain.model.places
    index = plain.model.literals
    previous = {key for key, place in places.items() if _is_previous(index[key], place)}
    faults = list(_faults_of_atoms(plain, previous))
    faults += _faults_of_statements(plain, places)
    if faults:
        first = min(faults, key=lambda fault: (fault.at, fault.reason))
        raise _error_of(first, program)
    read_back = {key for key, place in places.items() if _is_read_back(index[key], place)}
    read_by_base = frozenset(key for key in places if _is_named_in_base(index[key]))
    state = frozenset(read_back - previous)
    return TransitionTimes(places, frozenset(previous), state, read_by_base)


def _timed(found: Sequence[Literal]) -> list[Literal]:
    """Return the literals of `step(t)` and `check(t)`, except `query(t)`.

    `found` are the literals of a predicate.
    """
    return [each for each in found if each.is_timed and each.key != QUERY]


def _is_previous(found: Sequence[Literal], place: int) -> bool:
    """Return whether timed parts derive a predicate, and mention it at time t-1 only.

    `found` are its literals; `place` is the index of its time.
    """
    timed = _timed(found)
    is_derived = any(each.is_head for each in timed)
    return is_derived and all(each.is_just_before(place) for each in timed)


def _is_read_back(found: Sequence[Literal], place: int) -> bool:
    return any(each.is_earlier(place) for each in found)


def _is_named_in_base(found: Sequence[Literal]) -> bool:
    return any(each.part == "base" for each in found)


def _error_of(fault: Fault, program: Program) -> InputError:
    """Return the error of a fault.

    The error shows the rule as the author wrote it, before a clock was added.
    """
    statement = fault.statement
    if HELPER in str(statement):
        same = (s for s in program.statements if syntax.location(s) == fault.at)
        statement = next(same, statement)
    return InputError(describe_fault(statement, fault.reason), at=fault.at, hint=HINT)


def describe_fault(statement: AST, reason: str) -> str:
    """Return a rule's text, shortened if it is long, and the reason why it is at fault."""
    text = Wording()(statement)
    if HELPER in text:
        return f"this rule: {reason}"
    if len(text) > _MOST_SHOWN:
        text = text[: _MOST_SHOWN - 2] + " …"
    return f"{text}: {reason}"


# Faults of the atoms of a predicate.


def _faults_of_atoms(program: Program, previous: Collection[Signature]) -> Iterator[Fault]:
    facts = set[Signature]().union(*(found.signatures for found in program.facts))
    for key, found in program.model.literals.items():
        place = program.model.places.get(key)
        timed = _timed(found)
        if place is None:
            yield from _faults_without_time(timed)
            continue
        is_given = any(each.is_head and each.part == "base" for each in found)
        is_derived = any(each.is_head for each in timed)
        if not is_derived and (key in facts or is_given):
            yield _fault_at(timed[0], "is given by base for each time, so steps differ")
        if is_derived or not is_given:
            yield from _faults_in_base(found, place, key in previous)
            yield from _faults_in_steps(timed, place, key in previous)


def _faults_without_time(timed: Sequence[Literal]) -> Iterator[Fault]:
    """Yield a fault for each timed rule that derives a predicate without a time.

    Facts are no fault: they are the same at each step.
    """
    for literal in timed:
        if literal.is_head and literal.rule.kind is not Kind.FACT:
            yield _fault_at(literal, "has no time, so it carries information from step to step")


def _faults_in_base(
    found: Sequence[Literal],
    place: int,
    is_previous: bool,
) -> Iterator[Fault]:
    """Yield a fault for each atom in `base` whose time is not that of the initial state.

    `is_previous` means that the predicate has the time t-1 in `step(t)`; then it has no initial
    state. `found` are the literals of the predicate, and `place` is the index of its time.
    """
    for literal in found:
        is_fixed = literal.is_head or literal.terms[place].ast_type == ASTType.SymbolicTerm
        if literal.part == "base" and is_fixed and (is_previous or not literal.is_start(place)):
            yield _fault_at(literal, "in base has another time than 0")


def _faults_in_steps(
    timed: Sequence[Literal],
    place: int,
    is_previous: bool,
) -> Iterator[Fault]:
    """Yield a fault for each atom of `step(t)` or `check(t)` whose time is neither t nor t-1.

    `is_previous` means that even heads have t-1. `timed` are the literals of a predicate in these
    parts, and `place` is the index of its time.
    """
    for literal in timed:
        t = literal.parameter
        if literal.is_now(place):
            continue
        if literal.is_just_before(place) and (is_previous or not literal.is_head):
            continue
        if literal.is_head:
            yield _fault_at(literal, f"in a head has another time than {t}")
        elif literal.is_earlier(place):
            yield _fault_at(literal, f"looks back {-(literal.shift(place) or 0)} steps")
        else:
            yield _fault_at(literal, f"is at neither {t} nor {t}-1")


def _fault_at(literal: Literal, reason: str) -> Fault:
    """Return the fault of the statement with a literal.

    The atom is named as the author wrote it.
    """
    atom = re.sub(rf"\b{HELPER}(last_)?", "", plain_text(literal.atom))
    return Fault(literal.rule.at, f"{atom} {reason}", literal.rule.statement)


# Faults of statements.


def _faults_of_statements(program: Program, places: Mapping[Signature, int]) -> Iterator[Fault]:
    for section, statement in pairs(program.sections):
        if statement.ast_type not in _TRANSITION_STATEMENTS:
            continue
        if section.part == "base":
            reason = _fault_in_base(statement)
        elif section.part == "plan":
            reason = f"a part plan({section.parameter}) reads all steps together"
        else:
            reason = _fault_in_step(statement, section.parameter, places)
        if reason:
            yield Fault(syntax.location(statement), reason, statement)


def _fault_of_kind(statement: AST) -> str:
    """Return why a transition system cannot contain this kind of statement; empty for rules."""
    if statement.ast_type == ASTType.External:
        return "the atoms of this statement are set from outside"
    if statement.ast_type != ASTType.Rule:
        return "this statement restricts all steps together"
    return ""


def _fault_in_base(statement: AST) -> str:
    reason = _fault_of_kind(statement)
    if not reason and QUERY in syntax.named_in(statement):
        return "base demands the goal; check(t) has to do that"
    return reason


def _fault_in_step(
    statement: AST,
    parameter: str,
    places: Mapping[Signature, int],
) -> str:
    """Return why a statement of `step(t)` or `check(t)` makes steps differ; else empty text.

    Steps differ if the statement uses `query(t)` other than as a demand, or the parameter other
    than as a time.
    """
    if statement.ast_type == ASTType.External and syntax.signature(statement.atom) == QUERY:
        return ""
    reason = _fault_of_kind(statement)
    if reason:
        return reason
    body = list(statement.body)
    if is_goal(statement, parameter):
        body = [literal for literal in body if not is_demand(literal, parameter)]
    rest = statement.update(body=body)
    if QUERY in syntax.named_in(rest):
        demand = _written_demand(statement, parameter)
        return f"{demand} may only be in the body of a constraint"
    terms = syntax.find(ASTType.SymbolicTerm, [rest])
    uses = sum(str(term.symbol) == parameter for term in terms)
    if _count_times(rest, parameter, places) < uses:
        return f"{parameter} is used other than as the time of an atom, so steps differ"
    return ""


def _count_times(
    statement: AST,
    parameter: str,
    places: Mapping[Signature, int],
) -> int:
    """Return the number of atoms whose time is t or t minus a number, with the parameter t."""
    times = [syntax.time_of(atom, places) for atom in syntax.atoms(statement)]
    texts = [str(time) for time in times]
    return sum(text == parameter or text.startswith(f"({parameter}-") for text in texts)


def _written_demand(statement: AST, parameter: str) -> str:
    """Return the demand of a goal in the author's words: `query(t)`, `&final` or a description."""
    text = Wording()(statement)
    if f"{QUERY[1]}(" in text:
        return f"{QUERY[1]}({parameter})"
    return "&final" if "&final" in text else "a condition on the last time"


def is_goal(statement: AST, parameter: str) -> bool:
    """Return whether a statement is part of the goal: a constraint with `query(t)` in its body."""
    if not syntax.is_constraint(statement):
        return False
    return any(is_demand(literal, parameter) for literal in statement.body)


def is_demand(literal: AST, parameter: str) -> bool:
    """Return whether a literal is `query(t)`; `parameter` is the name t."""
    return str(literal) == f"{QUERY[1]}({parameter})"


# The names of actions.


def check_action_names(program: Program) -> None:
    """Check that each path through the states gives a plan: each step shows its actions.

    Raise `InputError` if the program shows no actions, if it may show an action that does not
    happen, or if conditions in `#show` differ between steps.
    """
    shows = [
        (section, statement)
        for section, statement in pairs(with_clock(without_aliases(program)).sections)
        if statement.ast_type == ASTType.ShowTerm and _shown_key(statement) in program.actions
    ]
    for _, show in shows:
        if all(str(literal) != str(show.term) for literal in show.body):
            reason = f"{show.term} may be shown although it does not happen"
            raise _show_error(show, f"{reason}: add {show.term} to the condition")
    if not program.plans:
        raise InputError(
            "the program shows no actions, so a path through its states is not a plan",
            hint="show what is chosen in step(t), or name it with --action NAME/ARITY; "
            "--engine asp needs no actions",
        )
    places = transition_times_of(program).places
    for section, show in shows:
        place = places.get(_shown_key(show))
        if place is not None and not _is_alike(show, section.parameter, places, place):
            raise _show_error(show, "the condition is not the same at each step")


def _shown_key(show: AST) -> Signature:
    """Return the predicate of a shown term, read as an atom; an empty name for other terms."""
    term = show.term
    if term.ast_type != ASTType.Function:
        return "", "", 0
    return "", term.name, len(term.arguments)


def _show_error(show: AST, reason: str) -> InputError:
    return InputError(describe_fault(show, reason), at=syntax.location(show), hint=HINT)


def _is_alike(
    show: AST,
    parameter: str,
    places: Mapping[Signature, int],
    place: int,
) -> bool:
    """Return whether the condition of a shown action is the same at each step.

    The atoms of the condition must have the time of the action or the time before, and these times
    must not be used elsewhere. `place` is the index of the action's time.
    """
    shown = show.term.arguments[place]
    time = str(shown) if shown.ast_type in _LEAVES else parameter
    terms = (syntax.time_of(atom, places) for atom in syntax.atoms(show))
    times = [str(term) for term in terms if term is not None]
    leaves = [str(leaf) for leaf in syntax.find(_LEAVES, show.body)]
    if not set(times) <= {time, f"({time}-1)"}:
        return False
    if leaves.count(time) != len(times):
        return False
    return time == parameter or parameter not in leaves
