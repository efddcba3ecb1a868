"""Which programs are transition systems: each step is like every other, and looks back one step.

Each predicate of `step(t)` and `check(t)` either has a place for its time, where heads have `t`,
other atoms `t` or `t-1`, and heads in `base` a number that is at most 0; or is defined in `base`
alone. An action may also be written at `t-1`, if all that speak of it do so. Elsewhere `t` does not
occur; but a rule may give it another name, or compare it with a number. The goal is demanded by
constraints with a plain `query(t)` in their bodies.

A step in which the time is compared, as in `p(t) :- q(t-1), t > 2`, is not like the others, unless
the time is a part of the state. What matters of it is whether so many steps are over: the clock

    late(0,0).  late(0,t) :- late(0,t-1).  late(1,t) :- late(0,t-1).  late(2,t) :- late(1,t-1). …

says that, and stands still once the largest number is passed: `t > 2` is `late(2,t-1)`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.roles import (
    TELLING,
    Occurrence,
    _sides,
    occurrences,
    places_of,
    without_aliases,
)
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, number_of
from asplan.program.terms import Op, distance_to
from asplan.program.unit import HELPER, QUERY, Section, pairs
from asplan.program.wording import Wording, plain_text

Fault = tuple[Location, str, AST]
"""The place of a rule, why the program is no transition system, and the rule."""

HINT = "states can be searched where each step is like every other; --engine asp needs none of that"

_SHOWN = 100  # characters of a rule that are shown
_LEAVES = (ASTType.SymbolicTerm, ASTType.Variable)  # terms that may be the name of a time


@dataclass(frozen=True)
class Times:
    """Where the atoms of a program that is a transition system have their time, in `places`.

    A step has those in `late` at the time before it, as `occurs(A,t-1)`; atoms of that time are
    read of those in `state`; `base` reads those that are `told`, and keeps for ever what it derives
    of them.
    """

    places: Mapping[Signature, int]
    late: frozenset[Signature]
    state: frozenset[Signature]
    told: frozenset[Signature] = frozenset()


def check_names(program: Program) -> None:
    """Raise `InputError` where what happens has no names at each step, so that a way is no plan."""
    shows = [
        (section, statement)
        for section, statement in pairs(with_clock(without_aliases(program)).sections)
        if statement.ast_type == ASTType.ShowTerm and _shown_key(statement) in program.actions
    ]
    for _, show in shows:
        if all(str(literal) != str(show.term) for literal in show.body):
            what = f"{show.term} may be shown although it does not happen: "
            raise _show_error(show, f"{what}write {show.term} into the condition")
    if not program.plans:
        raise InputError(
            "the program shows no actions, so a path through its states is no plan",
            hint="show what is chosen in step(t), or name it with --action NAME/ARITY; "
            "--engine asp needs no actions",
        )
    places = times_of(program).places
    for section, show in shows:
        place = places.get(_shown_key(show))
        if place is not None and not _is_alike(show, section.parameter, places, place):
            raise _show_error(show, "the condition is not the same at each step")


def _shown_key(show: AST) -> Signature:
    """Return the predicate that a shown term looks like an atom of."""
    term = show.term
    is_function = term.ast_type == ASTType.Function
    return ("", term.name, len(term.arguments)) if is_function else ("", "", 0)


def _show_error(show: AST, what: str) -> InputError:
    return InputError(wording(show, what), at=syntax.location(show), hint=HINT)


def _is_alike(show: AST, parameter: str, places: Mapping[Signature, int], place: int) -> bool:
    """Whether the condition under which an action is shown is the same at each step."""
    shown = show.term.arguments[place]
    time = str(shown) if shown.ast_type in _LEAVES else parameter
    leaves = list(map(str, syntax.find(_LEAVES, show.body)))
    times = [str(t) for a in syntax.atoms(show) if (t := syntax.time_of(a, places)) is not None]
    is_alike = set(times) <= {time, f"({time}-1)"} and leaves.count(time) == len(times)
    return is_alike and (time == parameter or parameter not in leaves)


def times_of(program: Program) -> Times:
    """Where the atoms of a program have their time; the first rule at fault is an `InputError`."""
    if program.horizon is not None:
        what = f"the program has all its times at once, up to {program.horizon.text}"
        raise InputError(what, at=program.horizon.at, hint=HINT)
    written = list(program.statements)
    program = with_clock(without_aliases(program))
    index = occurrences(program)
    facts = {key for found in program.facts for key in found.signatures}
    places = places_of(index)
    late, faults = set[Signature](), list[Fault]()
    for key, found in index.items():
        timed = [o for o in found if o.is_timed and key != QUERY]
        if (place := places.get(key)) is None:
            for o in (o for o in timed if o.head):
                is_rule = o.statement.ast_type == ASTType.Rule
                # Plain facts say the same at each step.
                if not is_rule or o.statement.head.ast_type != ASTType.Literal or o.statement.body:
                    what = "has no time, so it carries knowledge from step to step"
                    faults.append(_blamed(o, what))
            continue
        is_derived = any(o.head for o in timed)
        if is_derived and all(o.is_just_before(place) for o in timed):
            late.add(key)
        if key in facts and not is_derived:
            faults.append(_given(timed[0]))
        faults += _misplaced(found, timed, place, key in late)
    for section, statement in pairs(program.sections):
        judge = _base_fault if section.part == "base" else _fault
        if statement.ast_type in TELLING and (what := judge(statement, section, places)):
            faults.append((syntax.location(statement), what, statement))
    if faults:
        at, what, statement = min(faults, key=lambda fault: fault[:2])
        if HELPER in str(statement):  # of a clock, where its author compares times
            same = (s for s in written if syntax.location(s) == at)
            statement = next(same, statement)
        raise InputError(wording(statement, what), at=at, hint=HINT)
    read = {k for k, p in places.items() if any(o.is_earlier(p) for o in index[k])} - late
    told = {k for k in places if any(not o.head and o.section.part == "base" for o in index[k])}
    return Times(places, frozenset(late), frozenset(read), frozenset(told))


def wording(statement: AST, what: str) -> str:
    """Return the text of a rule, which may be cut, with what is wrong about it."""
    text = Wording()(statement)
    if HELPER in text:
        return f"this rule: {what}"
    return f"{text if len(text) <= _SHOWN else text[: _SHOWN - 2] + ' …'}: {what}"


def is_goal(statement: AST, parameter: str) -> bool:
    """Whether a statement is a constraint that demands a part of the goal."""
    is_rule = statement.ast_type == ASTType.Rule and str(statement.head) == "#false"
    return is_rule and any(is_demand(literal, parameter) for literal in statement.body)


def is_demand(literal: AST, parameter: str) -> bool:
    """Whether a literal is `query(t)`."""
    return str(literal) == f"{QUERY[1]}({parameter})"


def _misplaced(
    found: list[Occurrence], timed: list[Occurrence], place: int, late: bool
) -> Iterator[Fault]:
    """What keeps a predicate with a time from being one of a transition system."""
    first = [o for o in found if o.section.part == "base"]
    given = [o for o in first if o.head]
    if given and not any(o.head for o in timed):
        yield _given(timed[0])
        return
    fixed = [o for o in first if not o.head and o.terms[place].ast_type == ASTType.SymbolicTerm]
    for o in (*given, *fixed):
        if late or not o.is_start(place):
            yield _blamed(o, "in base speaks of another time than 0")
    for o in timed:
        t = o.section.parameter
        if o.is_now(place) or (o.is_just_before(place) and (late or not o.head)):
            continue
        if o.head:
            yield _blamed(o, f"in a head is of another time than {t}")
        elif o.is_earlier(place):
            yield _blamed(o, f"looks back {str(o.terms[place])[len(t) + 2 : -1]} steps")
        else:
            yield _blamed(o, f"is neither of {t} nor of {t}-1")


def _blamed(o: Occurrence, what: str) -> Fault:
    return syntax.location(o.statement), f"{_text_of(o)} {what}", o.statement


def _text_of(o: Occurrence) -> str:
    """Return the text of an atom by the name that its author gave it."""
    return re.sub(rf"\b{HELPER}(last_)?", "", plain_text(o.atom))


def _given(o: Occurrence) -> Fault:
    return _blamed(o, "is what base says of each time, so that steps differ")


def _base_fault(statement: AST, section: Section, places: Mapping[Signature, int]) -> str:
    if statement.ast_type == ASTType.External:
        return "its atoms are decided from outside"
    if statement.ast_type != ASTType.Rule:
        return "what it asks for is not asked of one step"
    if QUERY in syntax.named_in(statement):
        return "the goal is demanded in check(t), not in base"
    return ""


def _fault(statement: AST, section: Section, places: Mapping[Signature, int]) -> str:
    t = section.parameter
    if section.part == "plan":
        return f"a part plan({t}) reads a plan off all steps"
    if statement.ast_type == ASTType.External and syntax.signature(statement.atom) == QUERY:
        return ""
    if statement.ast_type != ASTType.Rule:
        return _base_fault(statement, section, places)
    goal = is_goal(statement, t)
    body = [literal for literal in statement.body if not (goal and is_demand(literal, t))]
    rest = statement.update(body=body)
    if QUERY in syntax.named_in(rest):
        return f"{_query_of(statement, t)} may stand only in the body of a constraint"
    times = (syntax.time_of(atom, places) for atom in syntax.atoms(rest))
    known = sum(str(term) == t or str(term).startswith(f"({t}-") for term in times)
    if known < sum(str(term.symbol) == t for term in syntax.find(ASTType.SymbolicTerm, [rest])):
        return f"{t} stands elsewhere than as the time of an atom, so that steps differ"
    return ""


def _query_of(statement: AST, parameter: str) -> str:
    """Return the demand of a goal as the author of a statement wrote it."""
    text = Wording()(statement)
    if f"{QUERY[1]}(" in text:
        return f"{QUERY[1]}({parameter})"
    return "&final" if "&final" in text else "a condition on the last time"


LATE = HELPER + "late"  # a number and a time: at least so many steps are over then
MOST = 100  # the largest number that the clock counts to


@lru_cache(maxsize=16)
def with_clock(program: Program) -> Program:
    """The same program with a clock for all comparisons that one can tell; others stay."""
    clock = _Clock()
    changed = program.with_timed(clock.statement)
    if clock.largest is None:
        return changed if clock.is_read else program
    steps = [f"{LATE}(0,t) :- {LATE}(0,t-1)."]
    steps += (f"{LATE}({k},t) :- {LATE}({k - 1},t-1)." for k in range(1, clock.largest + 1))
    base = Section.of_text("base", "", f"{LATE}(0,0).")
    step = Section.of_text("step", "t", " ".join(steps))
    return changed.with_sections(base, step)


@dataclass
class _Clock:
    """Replaces comparisons; `is_read` is that some were, even if they always or never hold."""

    is_read: bool = False
    largest: int | None = None

    def statement(self, rule: AST, parameter: str) -> AST:
        if rule.ast_type != ASTType.Rule:
            return rule
        both = [(literal, self._replacement(literal, parameter)) for literal in rule.body]
        if all(new is None for _, new in both):
            return rule
        return rule.update(body=[each for old, new in both for each in new or [old]])

    def _replacement(self, literal: AST, parameter: str) -> list[AST] | None:
        """What the clock says instead of a literal; None if it is not about the time."""
        for side, operator, other in _sides(literal):
            shift, number = distance_to(side, parameter), number_of(other)
            if shift is not None and number is not None and number - shift <= MOST:
                return self._literals(operator, number - shift, parameter)
        return None

    def _literals(self, operator: Op, bound: int, parameter: str) -> list[AST] | None:
        """That the time is at least, or less than, some numbers."""
        bounds = {
            Op.GreaterEqual: [(True, bound)],
            Op.GreaterThan: [(True, bound + 1)],
            Op.LessThan: [(False, bound)],
            Op.LessEqual: [(False, bound + 1)],
            Op.Equal: [(True, bound), (False, bound + 1)],
            Op.NotEqual: [(True, min(bound + 1, 1))] if bound <= 0 else None,
        }[operator]
        if bounds is None:
            return None
        self.is_read, found = True, []
        for is_least, least in bounds:
            if least <= 0:
                text = "#true" if is_least else "#false"
            else:
                self.largest = max(self.largest or 0, least - 1)
                text = f"{'' if is_least else 'not '}{LATE}({least - 1},{parameter}-1)"
            found.append(parse_text(f":- {text}.")[1].body[0])
        return found
