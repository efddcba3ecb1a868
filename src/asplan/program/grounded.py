"""From the statements of an instance to its facts, each with the place where it was written.

An instance may use all that clingo can ground to facts (intervals, constants, rules). So that
each fact keeps its place, every rule gets a twin that derives `__fact(Atom, Rule)`. Plain facts
need none: they are looked up in their text when somebody asks for a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

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
from asplan.facts import Facts, Predicate
from asplan.program.messages import reporting
from asplan.program.syntax import Signature, heads, location, signature
from asplan.program.unit import Unit, joined, read_unit

_TWIN = "__fact"
FACTS_ONLY = "an instance is made of facts; choices and constraints belong to an encoding"


def read_facts(
    files: Iterable[str], constants: Mapping[str, str], allow_includes: bool = False
) -> Facts:
    """The facts in the `base` part of some files.

    Raises
    ------
    InputError
        A file cannot be read or grounded.
    """
    files = tuple(files)
    units = [read_unit(file, allow_includes) for file in files]
    return ground_facts(units, constants, files)


def ground_facts(
    units: Iterable[Unit],
    constants: Mapping[str, str],
    files: Iterable[str] = (),
    strict: bool = True,
    mend: str = FACTS_ONLY,
    most: int | None = None,
) -> Facts:
    """The facts that the `base` part of a program derives; `strict` lets it derive nothing else.

    `files` are where the units come from; they are named in messages. `mend` is what to do
    where something else than a fact is derived. `most` is how many atoms there may be.
    """
    unit, rules = joined(units), list[AST]()
    for name, at in unit.calls if strict else ():
        raise InputError(f"@{name}: here no function of a script is called", at=at, mend=mend)
    with reporting() as messages:
        control = Control([f"-c{k}={v}" for k, v in constants.items()], logger=messages)
        with ProgramBuilder(control) as builder:
            for statement in _base(unit):
                builder.add(statement)
                if (extra := _twin(statement, len(rules))) is not None:
                    builder.add(extra)
                    rules.append(statement)
        for facts in unit.facts:
            control.add("base", [], facts.text)
        control.ground([("base", [])])
    groups = _Groups(control, unit)
    if most is not None and (found := len(control.symbolic_atoms) - groups.twins) > most:
        raise InputError(f"{', '.join(files)}: {found} atoms are derived, and {most} are allowed")
    if strict and groups.guesses:
        raise _no_fact(min(groups.guesses), unit, mend)
    return Facts(groups, partial(_places, control, unit, rules), tuple(files))


class _Groups(Mapping[Predicate, list[Symbol]]):
    """The facts of each predicate; `guesses` are atoms that are none.

    Predicates that only plain facts speak of are left in clingo until somebody asks for them.
    """

    def __init__(self, control: Control, unit: Unit) -> None:
        self.control = control
        self.guesses: list[Symbol] = []
        self.twins = 0
        plain = {_predicate(key) for facts in unit.facts for key in facts.signatures}
        derived = {_predicate(key) for key in unit.derived}
        self.found: dict[Predicate, list[Symbol] | None] = {}
        for key in control.symbolic_atoms.signatures:
            if key in plain - derived:
                self.found[key] = None
            elif key == (_TWIN, 2, True):
                self.twins = sum(1 for _ in control.symbolic_atoms.by_signature(_TWIN, 2))
            else:
                atoms = list(control.symbolic_atoms.by_signature(*key))
                self.guesses += [atom.symbol for atom in atoms if not atom.is_fact]
                if facts := [atom.symbol for atom in atoms if atom.is_fact]:
                    self.found[key] = facts

    def __getitem__(self, key: Predicate) -> list[Symbol]:
        found = self.found[key]
        if found is None:
            atoms = self.control.symbolic_atoms.by_signature(*key)
            found = self.found[key] = [atom.symbol for atom in atoms]
        return found

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def _predicate(key: Signature) -> Predicate:
    sign, name, arity = key
    return name, arity, not sign


def _places(
    control: Control, unit: Unit, rules: Sequence[AST], name: str | None
) -> dict[Symbol, Location]:
    """The places of all facts, or of those with a name."""
    twins = (atom.symbol for atom in control.symbolic_atoms.by_signature(_TWIN, 2) if atom.is_fact)
    derived = [t.arguments for t in twins if name in (None, t.arguments[0].name)]
    places: dict[Symbol, Location] = {}
    for fact, rule in sorted(derived, key=lambda twin: twin[1].number):
        places.setdefault(fact, location(rules[rule.number]))
    names = {name for facts in unit.facts for name in facts.names}
    constants = {n: value for n in names if (value := control.get_const(n)) is not None}
    for facts in unit.facts:
        for fact, place in facts.places(constants, name).items():
            places.setdefault(fact, place)
    return places


def _base(unit: Unit) -> Iterator[AST]:
    """The statements of the part `base`; constants are the same in all parts."""
    for section in unit.sections:
        inside = section.part == "base" and not section.parameter
        for statement in section.statements:
            if statement.ast_type == ASTType.Definition or (
                inside and statement.ast_type != ASTType.Script
            ):
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


def _no_fact(guess: Symbol, unit: Unit, mend: str) -> InputError:
    """The error that an atom is no fact, at the first statement that may derive it."""
    key = "" if guess.positive else "-", guess.name, len(guess.arguments)
    found = (s for s in unit.statements for atom in heads(s) if signature(atom) == key)
    place = next(map(location, found), None)
    return InputError(f"{guess} is no fact", at=place, mend=mend)
