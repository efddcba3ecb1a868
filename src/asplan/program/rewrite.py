"""Keeps the cost of grounding a step from growing with the step.

A rule of `step(t)` such as `on(X,t) :- on(X,t-1), not moved(X,t)` writes the predicate that it
reads. clingo takes such a rule for recursive: in each ground call it goes through all atoms of the
predicate, those of all earlier steps included. Here the predicate gets a second name for the
present: `now_on(X,t) :- on(X,t-1), not moved(X,t)`, and a part of its own, which is grounded in a
call of its own, copies `on(X,t) :- now_on(X,t)`. The rules of one call then read what earlier
calls have finished.

That keeps the answer sets, up to the helper atoms, under conditions that are seen from the syntax.
There is an argument place at which every occurrence of the predicate in `step` and `check` has the
parameter t or t-k with a number k > 0, heads have t, and heads in `base` have a number that is at
most 0; and not both `base` and `check` have heads. Then the atom at time t has no definition but
those that were renamed, all its other occurrences at t are renamed as well, and the copy makes
both names equivalent. Predicates outside the conditions are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from clingo.ast import AST, ASTType

from asplan.program.anonymous import without_anonymous
from asplan.program.constants import without_constants
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import Signature, Walker, is_now
from asplan.program.times import Occurrence, general_atom, occurrences
from asplan.program.unit import Section

COPY, START = "asplan_copy", "asplan_start"

_NEVER = (ASTType.External, ASTType.ProjectAtom)
"""Statements whose atoms must keep their names."""


@lru_cache(maxsize=16)
def rewrite(program: Program) -> Program:
    """The same program with a name of its own for the present of each state predicate.

    Anonymous variables and constants are replaced first. Unchanged where nothing meets the
    conditions, the program says `asplan(staged)`, or it is delicate.
    """
    if program.written.staged or program.delicate:
        return program
    program = without_constants(without_anonymous(program))
    index = occurrences(program)
    places = dict(_state_predicates(program, index))
    if not places:
        return program
    sections = [_renamed(section, places) for section in program.sections]
    copies, starts = [], []
    for key, place in places.items():
        given = any(o.head and o.section.part == "base" for o in index[key])
        present = general_atom(key, place, "t", HELPER)
        copies.append(f"{general_atom(key, place, 't')} :- {present}{', t > 0' if given else ''}.")
        if given:
            starts.append(
                f"{general_atom(key, place, '0', HELPER)} :- {general_atom(key, place, '0')}."
            )
    sections.append(Section(START, "", parse_text(" ".join(starts))[1:]))
    sections.append(Section(COPY, "t", parse_text(" ".join(copies))[1:]))
    return replace(program, sections=tuple(sections), copied=True)


def _state_predicates(
    program: Program, index: dict[Signature, list[Occurrence]]
) -> Iterator[tuple[Signature, int]]:
    """The predicates that are read at an earlier time, each with the place of its time.

    Where step and check are grounded in two calls, one of them must both write and read.
    """
    for key, found in sorted(index.items()):
        for place in range(key[2]):
            if _follows_the_rules(found, place):
                writers = {o.section.part for o in found if o.head}
                readers = {o.section.part for o in found if o.is_earlier(place)}
                if readers and (writers & readers or not program.staged) and writers != {"base"}:
                    yield key, place
                    break


def _follows_the_rules(occurrences: list[Occurrence], place: int) -> bool:
    """Whether the conditions that the module names hold for a predicate and a place."""
    parts = {o.section.part for o in occurrences if o.head}
    return {"base", "check"} - parts != set() and all(_is_plain(o, place) for o in occurrences)


def _is_plain(occurrence: Occurrence, place: int) -> bool:
    if occurrence.statement.ast_type in _NEVER or occurrence.section.part == "plan":
        return False
    if not occurrence.terms:
        return False
    if occurrence.section.part == "base":
        return not occurrence.head or occurrence.is_start(place)
    return occurrence.is_now(place) or (not occurrence.head and occurrence.is_earlier(place))


def _renamed(section: Section, places: dict[Signature, int]) -> Section:
    if not section.parameter:
        return section
    renamer = _Renamer(section.parameter, places)
    return replace(section, statements=tuple(renamer.visit(s) for s in section.statements))


class _Renamer(Walker):
    """Renames the atoms of the present."""

    def __init__(self, parameter: str, places: dict[Signature, int]) -> None:
        self.parameter, self.places = parameter, places

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename an atom that speaks of the present."""
        return atom.update(symbol=self._renamed(atom.symbol, ""))

    def _renamed(self, term: AST, sign: str) -> AST:
        if term.ast_type == ASTType.UnaryOperation:
            return term.update(argument=self._renamed(term.argument, "-"))
        if term.ast_type == ASTType.Pool:
            return term.update(arguments=[self._renamed(member, sign) for member in term.arguments])
        if term.ast_type != ASTType.Function:
            return term
        place = self.places.get((sign, term.name, len(term.arguments)))
        if place is None or not is_now(term.arguments[place], self.parameter):
            return term
        return term.update(name=HELPER + term.name)
