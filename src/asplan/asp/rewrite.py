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

from clingo.ast import AST, ASTType, Transformer

from asplan.asp.program import Program, Section
from asplan.asp.source import parse_text
from asplan.asp.syntax import (
    Signature,
    arguments,
    atoms,
    heads,
    is_before,
    is_now,
    signature,
)

HELPER = "asplan__"
"""How the names of helper predicates begin; such atoms are never shown."""

COPY, START = "asplan_copy", "asplan_start"

_NEVER = (ASTType.External, ASTType.ProjectAtom)
"""Statements whose atoms must keep their names."""


def rewrite(program: Program) -> Program:
    """The same program with a name of its own for the present of each state predicate.

    Unchanged where no predicate meets the conditions.
    """
    places = dict(_state_predicates(program))
    if not places:
        return program
    sections = [_renamed(section, places) for section in program.sections]
    copies, starts = [], []
    given = {signature(a) for s in _statements(program, "base") for a in heads(s)}
    for key, place in places.items():
        present = _atom(key, place, "t", HELPER)
        later = ", t > 0" if key in given else ""
        copies.append(f"{_atom(key, place, 't')} :- {present}{later}.")
        if key in given:
            starts.append(f"{_atom(key, place, '0', HELPER)} :- {_atom(key, place, '0')}.")
    sections.append(Section(START, "", parse_text(" ".join(starts))[1:]))
    sections.append(Section(COPY, "t", parse_text(" ".join(copies))[1:]))
    return replace(program, sections=tuple(sections), copied=True)


def _state_predicates(program: Program) -> Iterator[tuple[Signature, int]]:
    """The predicates that are read at an earlier time in the call that writes them.

    Each with the argument place of its time.
    """
    calls = [{"step"}, {"check"}] if program.staged else [{"step", "check"}]
    for call in calls:
        rules = [s for part in sorted(call) for s in _statements(program, part)]
        written = {signature(atom) for rule in rules for atom in heads(rule)}
        for key in sorted(written):
            for place in range(key[2]):
                if _follows_the_rules(program, key, place):
                    yield key, place
                    break


def _follows_the_rules(program: Program, key: Signature, place: int) -> bool:
    """Whether the conditions that the module names hold for a predicate and a place."""
    earlier = False
    for section in program.sections:
        for statement in section.statements:
            mine = [a for a in atoms(statement) if signature(a) == key]
            if mine and (statement.ast_type in _NEVER or not all(map(arguments, mine))):
                return False
            defined = [a for a in heads(statement) if signature(a) == key]
            times = [arguments(atom)[place] for atom in defined]
            if section.part == "base":
                if not all(map(_is_start, times)):
                    return False
                continue
            if section.part == "plan" and mine:
                return False
            if not all(is_now(time, section.parameter) for time in times):
                return False
            for time in (arguments(atom)[place] for atom in mine):
                if not is_now(time, section.parameter):
                    if not is_before(time, section.parameter):
                        return False
                    earlier = True
    defining = {
        p
        for p in ("base", "check")
        for s in _statements(program, p)
        if key in map(signature, heads(s))
    }
    return earlier and len(defining) < 2


def _statements(program: Program, part: str) -> list[AST]:
    return [s for section in program.sections if section.part == part for s in section.statements]


def _is_start(time: AST) -> bool:
    text = str(time)
    return text == "0" or (text.startswith("-") and text[1:].isdigit())


def _renamed(section: Section, places: dict[Signature, int]) -> Section:
    if not section.parameter:
        return section
    renamer = _Renamer(section.parameter, places)
    return replace(section, statements=tuple(renamer.visit(s) for s in section.statements))


class _Renamer(Transformer):
    """Renames the atoms of the present."""

    def __init__(self, parameter: str, places: dict[Signature, int]) -> None:
        self.parameter, self.places = parameter, places

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename an atom that speaks of the present."""
        place = self.places.get(signature(atom))
        if place is None or not is_now(arguments(atom)[place], self.parameter):
            return atom
        return atom.update(symbol=_with_prefix(atom.symbol))


def _with_prefix(term: AST) -> AST:
    if term.ast_type == ASTType.UnaryOperation:
        return term.update(argument=_with_prefix(term.argument))
    return term.update(name=HELPER + term.name)


def _atom(key: Signature, place: int, time: str, prefix: str = "") -> str:
    """The most general atom of a predicate at a time."""
    sign, name, arity = key
    terms = [f"V{i}" for i in range(arity)]
    terms[place] = time
    return f"{sign}{prefix}{name}({','.join(terms)})"
