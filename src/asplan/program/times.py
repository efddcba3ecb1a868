"""Where the atoms of a program stand, and which time they speak of there."""

from __future__ import annotations

from dataclasses import dataclass

from clingo.ast import AST

from asplan.program.incremental import Program
from asplan.program.syntax import (
    Signature,
    arguments,
    atoms,
    heads,
    is_before,
    is_now,
    signature,
)
from asplan.program.unit import Section


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
