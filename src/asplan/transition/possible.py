"""What may hold at some time: the atoms that a step reaches from those that may hold before it.

Rules `{ p(X,1) } :- p(X,0)` and `{ p(X,1) } :- p(X,2)` make the step from time 1 to time 2
recursive, so that clingo's grounder finds them all in one call, unless there is no end to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clingo import Control, Number, Symbol, SymbolicAtom, SymbolType
from clingo.ast import ASTType

from asplan.errors import InputError
from asplan.program.incremental import HELPER, TIMED, Program
from asplan.program.scripts import Functions
from asplan.program.source import parse_text
from asplan.program.stepwise import MEND, Times, wording
from asplan.program.syntax import find, heads, location, predicate, signature
from asplan.program.times import general_atom
from asplan.program.unit import Section

BEFORE, NOW = 1, 2
"""The times that the grounded step leads from and to."""

LINK = HELPER + "link"
"""The part with the rules that lead back."""

_MET = HELPER + "met"
_MOST = 100_000
"""Atoms that may hold at a time, at most; beyond it something is taken to grow without an end."""


def links(times: Times) -> Section:
    """The rules by which what may hold at a time may hold at the time before the step."""
    rules = []
    for key in sorted(times.state):
        before, now = (general_atom(key, times.places[key], str(t)) for t in (BEFORE, NOW))
        rules.append(f"{{ {before} }} :- {general_atom(key, times.places[key], '0')}.")
        rules.append(f"{{ {before} }} :- {now}, @{_MET}({now}) = 1.")
    return Section(LINK, "", parse_text(" ".join(rules))[1:])


class Met:
    """What clingo calls for each atom that may hold after a step; it stops what has no end.

    Numbers that are far larger than any in `base`, and atoms without number, are such.
    """

    def __init__(self, program: Program, control: Control) -> None:
        self.program = program
        self.functions: Functions | None = None
        self.failure: InputError | None = None
        atoms = (argument for atom in control.symbolic_atoms for argument in atom.symbol.arguments)
        numbers = (abs(a.number) for a in atoms if a.type == SymbolType.Number)
        self._largest = 10 * (10 + max(numbers, default=0))
        self._count = 0
        setattr(self, _MET, self._met)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.functions, name)

    def _met(self, atom: Symbol) -> Symbol:
        self._count += 1
        if self._count > _MOST or any(
            a.type == SymbolType.Number and abs(a.number) > self._largest for a in atom.arguments
        ):
            self.failure = _endless(self.program, atom)
            raise self.failure
        return Number(1)


def _endless(program: Program, atom: Symbol) -> InputError:
    """The error that some atoms go on for ever, at the first rule that computes one of them."""
    key = predicate(atom)
    rules = [
        s
        for section in program.sections
        if section.part in TIMED
        for s in section.statements
        if any(signature(head) == key for head in heads(s))
    ]
    computing = (
        s for s in rules for h in heads(s) if find(ASTType.BinaryOperation, [h]) and h in heads(s)
    )
    rule = next(computing, rules[0])
    what = f"it counts: there is no end to the atoms of {atom.name}/{len(atom.arguments)}"
    return InputError(wording(rule, what), at=location(rule), mend=MEND)


def possible_atoms(control: Control, times: Times) -> Iterable[Symbol]:
    """The atoms of time 1 that may hold."""
    for sign, name, arity in sorted(times.state):
        place = times.places[sign, name, arity]
        for atom in control.symbolic_atoms.by_signature(name, arity, not sign):
            if atom.symbol.arguments[place] == Number(BEFORE) and is_there(atom):
                yield atom.symbol


def is_there(atom: SymbolicAtom) -> bool:
    """Whether an atom may be true; clingo lists some that only rules speak of that are gone."""
    return atom.is_fact or bool(atom.literal)
