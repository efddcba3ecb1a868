"""From the statements of an instance to its facts, each with the place where it was written.

An instance may use all that clingo can ground to facts (intervals, constants, rules). So that
each fact keeps its place, every rule gets a twin that derives `__fact(Atom, Rule)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from clingo import Control, Number, Symbol
from clingo.ast import (
    AST,
    ASTType,
    Function,
    Literal,
    ProgramBuilder,
    Rule,
    Sign,
    SymbolicAtom,
    SymbolicTerm,
)

from asplan.errors import InputError, Location
from asplan.facts import Facts
from asplan.program.messages import reporting
from asplan.program.source import parse
from asplan.program.syntax import location

_TWIN = "__fact"
FACTS_ONLY = "an instance is made of facts; choices and constraints belong to an encoding"


def read_facts(files: Iterable[str], constants: Mapping[str, str]) -> Facts:
    """The facts in the `base` part of some files.

    Raises
    ------
    InputError
        A file cannot be read or grounded.
    """
    files = tuple(files)
    return ground_facts(parse(files), constants, files)


def ground_facts(
    statements: Iterable[AST],
    constants: Mapping[str, str],
    files: Iterable[str] = (),
    strict: bool = True,
    mend: str = FACTS_ONLY,
    most: int | None = None,
) -> Facts:
    """The facts that the `base` part of a program derives; `strict` lets it derive nothing else.

    `files` are where the statements come from; they are named in messages. `mend` is what to do
    where something else than a fact is derived. `most` is how many atoms there may be.
    """
    rules: list[AST] = []
    with reporting() as messages:
        control = Control([f"-c{k}={v}" for k, v in constants.items()], logger=messages)
        with ProgramBuilder(control) as builder:
            for statement in _base(statements):
                builder.add(statement)
                if (extra := _twin(statement, len(rules))) is not None:
                    builder.add(extra)
                    rules.append(statement)
        control.ground([("base", [])])
    if most is not None and (found := len(control.symbolic_atoms) // 2) > most:
        raise InputError(f"{', '.join(files)}: {found} atoms are derived, and {most} are allowed")
    if strict:
        _refuse_guesses(control, files, mend)
    twins = sorted(
        (atom.symbol for atom in control.symbolic_atoms.by_signature(_TWIN, 2) if atom.is_fact),
        key=lambda twin: twin.arguments[1].number,
    )
    places: dict[Symbol, Location] = {}
    for twin in twins:
        fact, rule = twin.arguments
        places.setdefault(fact, location(rules[rule.number]))
    return Facts(places, tuple(files))


def _base(statements: Iterable[AST]) -> Iterator[AST]:
    inside = True
    for statement in statements:
        if statement.ast_type == ASTType.Program:
            inside = statement.name == "base" and not statement.parameters
        if inside and statement.ast_type != ASTType.Script:
            yield statement


def _twin(statement: AST, index: int) -> AST | None:
    if statement.ast_type != ASTType.Rule:
        return None
    head = statement.head
    plain = (
        head.ast_type == ASTType.Literal
        and head.sign == Sign.NoSign
        and head.atom.ast_type == ASTType.SymbolicAtom
    )
    if not plain:
        return None
    number = SymbolicTerm(statement.location, Number(index))
    term = Function(statement.location, _TWIN, [head.atom.symbol, number], False)
    twin = Literal(statement.location, Sign.NoSign, SymbolicAtom(term))
    return Rule(statement.location, twin, statement.body)


def _refuse_guesses(control: Control, files: Iterable[str], mend: str) -> None:
    guesses = [a.symbol for a in control.symbolic_atoms if not a.is_fact]
    if found := sorted(guess for guess in guesses if guess.name != _TWIN):
        raise InputError(f"{', '.join(files)}: {found[0]} is no fact", mend=mend)
