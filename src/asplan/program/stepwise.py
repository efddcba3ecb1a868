"""Where the atoms of a program stand, and which time they speak of there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from asplan.errors import InputError, Location
from asplan.program.clock import with_clock, without_aliases
from asplan.program.incremental import TIMED, Program
from asplan.program.syntax import (
    AST,
    ASTType,
    Signature,
    arguments,
    atoms,
    find,
    heads,
    is_before,
    is_now,
    location,
    signature,
)
from asplan.program.unit import OCCURS, QUERY, Section


@dataclass(frozen=True)
class Occurrence:
    """An atom where it stands: in the head of its statement or elsewhere."""

    section: Section
    statement: AST
    atom: AST
    terms: list[AST]
    head: bool

    def is_now(self, place: int) -> bool:
        """Whether an argument is just the parameter of the part."""
        return bool(self.section.parameter) and is_now(self.terms[place], self.section.parameter)

    def is_earlier(self, place: int) -> bool:
        """Whether an argument is the parameter of the part minus a number from 1."""
        parameter = self.section.parameter
        return bool(parameter) and is_before(self.terms[place], parameter)

    def is_start(self, place: int) -> bool:
        """Whether an argument is a number that is at most 0."""
        text = str(self.terms[place])
        return text == "0" or (text.startswith("-") and text[1:].isdigit())


def occurrences(program: Program) -> dict[Signature, list[Occurrence]]:
    """The occurrences of each predicate, in order; a head stands among the others once more."""
    found: dict[Signature, list[Occurrence]] = {}
    for section in program.sections:
        for statement in section.statements:
            for head, group in ((True, heads(statement)), (False, atoms(statement))):
                for atom in group:
                    occurrence = Occurrence(section, statement, atom, arguments(atom), head)
                    found.setdefault(signature(atom), []).append(occurrence)
    return found


def general_atom(key: Signature, place: int, time: str, prefix: str = "") -> str:
    """The most general atom of a predicate at a time, whose place among its arguments is given."""
    sign, name, arity = key
    terms = [f"V{i}" for i in range(arity)]
    terms[place] = time
    return f"{sign}{prefix}{name}({','.join(terms)})"


# Programs that are transition systems: each step is like every other, and looks back one step.
#
# That is seen from the syntax, by the same look at occurrences that the rewriting takes. Each
# predicate of `step(t)` and `check(t)` either has a place for its time, or is defined in `base`
# alone. At the place for the time heads have `t` and other atoms `t` or `t-1`; heads in `base` have a
# number that is at most 0. An action may also be written at `t-1`, as in action languages, if all
# that speak of it do so. Elsewhere `t` does not occur, so that nothing can count time; but a rule may
# give it another name, as in `T = t` (see `aliases`).
#
# The goal is demanded by constraints with a plain `query(t)` in their bodies.


HINT = "states can be searched where each step is like every other; --engine asp needs none of that"

_SHOWN = 100
"""Characters of a rule that are shown."""

_UNREAD = (
    ASTType.Minimize,
    ASTType.Heuristic,
    ASTType.ProjectAtom,
    ASTType.ProjectSignature,
    ASTType.ShowTerm,
    ASTType.ShowSignature,
    ASTType.Defined,
    ASTType.Definition,
    ASTType.Script,
)
"""Statements that say nothing of what a step leads to."""

_LEAVES = (ASTType.SymbolicTerm, ASTType.Variable)
"""Terms that may be the name of a time."""


@dataclass(frozen=True)
class Times:
    """Where the atoms of a program that is a transition system have their time.

    Attributes
    ----------
    places
        For each predicate that speaks of a time the argument that is the time.
    late
        Those of `places` that a step has at the time before it, as `occurs(A,t-1)`.
    state
        Those whose atoms of the time before are read.
    told
        Those that `base` reads, which keeps what it derives from them for ever.
    """

    places: Mapping[Signature, int]
    late: frozenset[Signature]
    state: frozenset[Signature]
    told: frozenset[Signature] = frozenset()


@lru_cache(maxsize=16)
def check_names(program: Program) -> None:
    """Raise `InputError` where what happens has no names, so that a way is no plan.

    Names that are shown under a condition must be those of actions that happen, and the condition
    must be the same at each step.
    """
    if not program.plans:
        raise InputError(
            "the program shows no occurs/2, so a way through its states is no plan",
            hint="name what happens occurs(Action,t), and show it; --engine asp needs no actions",
        )
    places = times_of(program).places
    for section in with_clock(without_aliases(program)).sections:
        for statement in section.statements:
            if what := _misshown(statement, section.parameter, places):
                raise InputError(wording(statement, what), at=location(statement), hint=HINT)


def _is_action(term: AST) -> bool:
    """Whether a term that is shown looks like an action."""
    if term.ast_type != ASTType.Function:
        return False
    return bool((term.name, len(term.arguments)) == OCCURS[1:])


def _misshown(statement: AST, parameter: str, places: Mapping[Signature, int]) -> str:
    """What is wrong with a statement that shows actions under a condition; empty if nothing is."""
    if statement.ast_type != ASTType.ShowTerm or not _is_action(statement.term):
        return ""
    term, place = statement.term, places.get(OCCURS)
    if not any(str(literal) == str(term) for literal in statement.body):
        return f"{term} may be shown although it does not happen: write {term} into the condition"
    if place is None:
        return ""
    shown = term.arguments[place]
    time = str(shown) if shown.ast_type in _LEAVES else parameter
    leaves = [str(leaf) for kind in _LEAVES for leaf in find(kind, statement.body)]
    timed = [atom for atom in atoms(statement) if signature(atom) in places]
    times = [str(arguments(atom)[places[signature(atom)]]) for atom in timed]
    is_alike = set(times) <= {time, f"({time}-1)"} and leaves.count(time) == len(times)
    if not is_alike or (time != parameter and parameter in leaves):
        return "the condition is not the same at each step"
    return ""


def times_of(program: Program) -> Times:
    """Where the atoms of a program have their time.

    Raises
    ------
    InputError
        The program is no transition system; the message names the first rule at fault.
    """
    program = with_clock(without_aliases(program))
    index = occurrences(program)
    facts = {key for found in program.facts for key in found.signatures}
    places: dict[Signature, int] = {}
    late, faults = set[Signature](), list[tuple[Location, str]]()
    for key, found in index.items():
        timed = [o for o in found if o.section.part in TIMED and not _is_unread(o.statement)]
        if key == QUERY or not timed:
            continue
        place = _place(timed)
        if place is None:
            faults += _carried(timed)
            continue
        places[key] = place
        if all(_is_before(o, place) for o in timed) and any(o.head for o in timed):
            late.add(key)
        if key in facts and not any(o.head for o in timed):
            faults.append(_given(timed[0]))
        faults += _misplaced(found, timed, place, key in late)
    faults += (fault for section in program.sections for fault in _faults(section, places))
    if faults:
        at, what = min(faults)
        raise InputError(what, at=at, hint=HINT)
    read = {k for k, p in places.items() if any(o.is_earlier(p) for o in index[k])} - late
    told = {k for k in places if any(not o.head and o.section.part == "base" for o in index[k])}
    return Times(places, frozenset(late), frozenset(read), frozenset(told))


def wording(statement: AST, what: str) -> str:
    """What is to be said of a rule, behind its text, which may be cut."""
    text = " ".join(str(statement).split())
    return f"{text if len(text) <= _SHOWN else text[: _SHOWN - 2] + ' …'}: {what}"


def is_goal(statement: AST, parameter: str) -> bool:
    """Whether a statement is a constraint that demands a part of the goal."""
    if statement.ast_type != ASTType.Rule or str(statement.head) != "#false":
        return False
    return any(is_demand(literal, parameter) for literal in statement.body)


def is_demand(literal: AST, parameter: str) -> bool:
    """Whether a literal is `query(t)`."""
    return str(literal) == f"{QUERY[1]}({parameter})"


def _is_unread(statement: AST) -> bool:
    return statement.ast_type in _UNREAD


def _place(timed: list[Occurrence]) -> int | None:
    """The argument in which most occurrences have a time; None if none has."""
    arity = len(timed[0].terms)
    fitting = [sum(o.is_now(i) or o.is_earlier(i) for o in timed) for i in range(arity)]
    return fitting.index(max(fitting)) if any(fitting) else None


def _carried(timed: list[Occurrence]) -> Iterator[tuple[Location, str]]:
    """Heads of steps without a time; plain facts say the same at each step."""
    for o in timed:
        rule = o.statement
        if o.head and (rule.ast_type != ASTType.Rule or rule.body or _is_choice(rule)):
            what = f"{o.atom} has no time, so it carries knowledge from step to step"
            yield location(rule), wording(rule, what)


def _is_choice(rule: AST) -> bool:
    return bool(rule.head.ast_type != ASTType.Literal)


def _misplaced(
    found: list[Occurrence], timed: list[Occurrence], place: int, late: bool
) -> Iterator[tuple[Location, str]]:
    """What keeps a predicate with a time from being one of a transition system."""
    given = [o for o in found if o.head and o.section.part == "base"]
    if not any(o.head for o in timed) and given:
        yield _given(timed[0])
        return
    told = [o for o in found if not o.head and o.section.part == "base"]
    fixed = [o for o in told if o.terms[place].ast_type == ASTType.SymbolicTerm]
    for o in (*given, *fixed):
        if late or not o.is_start(place):
            what = f"{o.atom} in base speaks of another time than 0"
            yield location(o.statement), wording(o.statement, what)
    for o in timed:
        if what := _misread(o, place, late):
            yield location(o.statement), wording(o.statement, what)


def _given(o: Occurrence) -> tuple[Location, str]:
    what = f"{o.atom} is what base says of each time, so that steps differ"
    return location(o.statement), wording(o.statement, what)


def _misread(o: Occurrence, place: int, late: bool) -> str:
    """What is wrong with the time of an atom in a step; empty if nothing is."""
    t = o.section.parameter
    if o.is_now(place) or (_is_before(o, place) and (late or not o.head)):
        return ""
    if o.is_earlier(place) and not o.head:
        return f"{o.atom} looks back {str(o.terms[place])[len(t) + 2 : -1]} steps"
    if o.head:
        return f"{o.atom} in a head is of another time than {t}"
    return f"{o.atom} is neither of {t} nor of {t}-1"


def _is_before(o: Occurrence, place: int) -> bool:
    """Whether an atom is of the time just before."""
    return str(o.terms[place]) == f"({o.section.parameter}-1)"


def _faults(section: Section, places: Mapping[Signature, int]) -> Iterator[tuple[Location, str]]:
    """What keeps the statements of a section from being the same at each step."""
    judge = _base_fault if section.part == "base" else _fault
    for statement in section.statements:
        if not _is_unread(statement) and (what := judge(statement, section, places)):
            yield location(statement), wording(statement, what)


def _base_fault(statement: AST, section: Section, places: Mapping[Signature, int]) -> str:
    if statement.ast_type == ASTType.External:
        return "its atoms are decided from outside"
    if statement.ast_type != ASTType.Rule:
        return "what it asks for is not asked of one step"
    if any(signature(atom) == QUERY for atom in atoms(statement)):
        return "the goal is demanded in check(t), not in base"
    return ""


def _fault(statement: AST, section: Section, places: Mapping[Signature, int]) -> str:
    t = section.parameter
    if section.part == "plan":
        return f"a part plan({t}) reads a plan off all steps"
    if statement.ast_type == ASTType.External:
        mine = signature(statement.atom) == QUERY
        return "" if mine else "its atoms are decided from outside"
    if statement.ast_type != ASTType.Rule:
        return "what it asks for is not asked of one step"
    goal = is_goal(statement, t)
    body = [literal for literal in statement.body if not (goal and is_demand(literal, t))]
    rest = statement.update(body=body)
    if any(signature(atom) == QUERY for atom in atoms(rest)):
        return f"query({t}) may stand only in the body of a constraint"
    known = sum(_has(atom, places, t) for atom in atoms(rest))
    if known < sum(str(term.symbol) == t for term in find(ASTType.SymbolicTerm, [rest])):
        return f"{t} stands elsewhere than as the time of an atom, so that steps differ"
    return ""


def _has(atom: AST, places: Mapping[Signature, int], t: str) -> bool:
    """Whether the time of an atom is told by the parameter."""
    place = places.get(signature(atom))
    if place is None:
        return False
    term = arguments(atom)[place]
    return is_now(term, t) or str(term).startswith(f"({t}-")
