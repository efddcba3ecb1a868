"""From what an instance holds to its facts, each with the place where it was written.

Places are found when somebody asks: those of plain facts in their text, those of others by
grounding once more, with a twin of each rule that derives `__fact(Atom, Rule)`.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from clingo import Control, Number, Symbol
from clingo import Function as Twin

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts, Predicate
from asplan.program import syntax
from asplan.program.source import reporting
from asplan.program.syntax import AST, ASTType, ProgramBuilder, SymbolicTerm
from asplan.program.theory import theory_atoms
from asplan.program.unit import Unit, joined, messages_of, read_unit

_TWIN = "__fact"
_LEFT_OUT = (ASTType.Script, ASTType.TheoryDefinition)
FACTS_ONLY = "an instance is made of facts; choices and constraints belong to an encoding"


def read_facts(files: Iterable[str], constants: Mapping[str, str]) -> Facts:
    """The facts in the `base` part of some files; raises as `ground_facts` and `read_unit` do."""
    files = tuple(files)
    return ground_facts(map(read_unit, files), constants, files)


def ground_facts(
    units: Iterable[Unit],
    constants: Mapping[str, str],
    files: Iterable[str] = (),
    strict: bool = True,
    hint: str = FACTS_ONLY,
    most: int | None = None,
) -> Facts:
    """The facts that the `base` part of a program derives; `strict` lets it derive nothing else.

    `files` are named in messages. `hint` is what to do where something else than a fact is derived;
    `most` is how many atoms there may be.
    """
    unit = joined(units)
    for name, at in unit.calls if strict else ():
        raise InputError(f"@{name}: no function of a script is called here", at=at, hint=hint)
    control = ground_base(unit, constants)
    if most is not None and (found := len(control.symbolic_atoms)) > most:
        raise InputError(f"{', '.join(files)}: {found} atoms are derived, and {most} are allowed")
    groups = _Groups(control, unit)
    if strict and groups.guesses:
        guess = min(groups.guesses)
        made = (
            s
            for s in unit.statements
            for a in syntax.heads(s)
            if syntax.signature(a) == syntax.predicate(guess)
        )
        what = f"{guess} is no fact"
        raise InputError(what, at=next(map(syntax.location, made), None), hint=hint)
    places = _Places(unit, constants)
    return Facts(groups, places.find, places.all, tuple(files))


def ground_base(unit: Unit, constants: Mapping[str, str], twins: Iterable[AST] = ()) -> Control:
    """A control with the part `base` of a unit; raises `InputError` where that is impossible."""
    with reporting(messages_of(unit.sections)) as messages:
        control = Control([f"-c{k}={v}" for k, v in constants.items()], logger=messages)
        with ProgramBuilder(control) as builder:
            for statement in (*_base(unit), *twins):
                builder.add(statement)
        for facts in unit.facts:
            control.add("base", [], facts.text)
        control.ground([("base", [])])
    return control


class _Groups(Mapping[Predicate, list[Symbol]]):
    """The facts of each predicate, left in clingo until somebody asks; `guesses` are no facts."""

    def __init__(self, control: Control, unit: Unit) -> None:
        self.control = control  # whose atoms are gone when it goes
        self.atoms = control.symbolic_atoms
        self.guesses: list[Symbol] = []
        self.found: dict[Predicate, list[Symbol] | None] = {}
        doubtful = {
            (name, arity, not sign)
            for statement in _base(unit)
            if not _is_plain(statement) or statement.body
            for sign, name, arity in syntax.defined_in(statement)
        }
        for key in self.atoms.signatures:
            if key in doubtful:
                atoms = [(atom.symbol, atom.is_fact) for atom in self.atoms.by_signature(*key)]
                self.guesses += [symbol for symbol, is_fact in atoms if not is_fact]
                if facts := [symbol for symbol, is_fact in atoms if is_fact]:
                    self.found[key] = facts
            elif any(True for _ in self.atoms.by_signature(*key)):
                self.found[key] = None

    def __getitem__(self, key: Predicate) -> list[Symbol]:
        found = self.found[key]
        if found is None:
            found = self.found[key] = [atom.symbol for atom in self.atoms.by_signature(*key)]
        return found

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


class _Places:
    def __init__(self, unit: Unit, constants: Mapping[str, str]) -> None:
        self.unit, self.constants = unit, constants
        self.rules = [statement for statement in _base(unit) if _is_plain(statement)]

    @cached_property
    def control(self) -> Control:
        return ground_base(
            self.unit, self.constants, map(_twin, self.rules, range(len(self.rules)))
        )

    @cached_property
    def values(self) -> dict[str, Symbol]:
        constants = {*self.constants, *self.unit.definitions}
        names = constants & {name for facts in self.unit.facts for name in facts.names}
        known = ((name, self.control.get_const(name)) for name in names)
        return {name: value for name, value in known if value is not None}

    def find(self, fact: Symbol) -> Location | None:
        """The place of a fact: the first rule that derives it, else the first text that is it."""
        for number, rule in enumerate(self.rules):
            if any(syntax.signature(atom)[1] == fact.name for atom in syntax.heads(rule)):
                twin = self.control.symbolic_atoms[Twin(_TWIN, [fact, Number(number)])]
                if twin is not None and twin.is_fact:
                    return syntax.location(rule)
        found = (facts.places(self.values, fact) for facts in self.unit.facts)
        return next((place for places in found for _, place in places), None)

    def all(self) -> dict[Symbol, Location]:
        atoms = self.control.symbolic_atoms.by_signature(_TWIN, 2)
        twins = [atom.symbol.arguments for atom in atoms if atom.is_fact]
        places: dict[Symbol, Location] = {}
        for fact, rule in sorted(twins, key=lambda twin: twin[1].number):
            places.setdefault(fact, syntax.location(self.rules[rule.number]))
        for facts in self.unit.facts:
            for fact, place in facts.places(self.values):
                places.setdefault(fact, place)
        return places


def _base(unit: Unit) -> Iterator[AST]:
    """The statements of `base` that clingo alone understands, and constants of all parts."""
    for section in unit.sections:
        inside = section.part == "base" and not section.parameter
        for statement in section.statements:
            if statement.ast_type == ASTType.Definition or (
                inside and statement.ast_type not in _LEFT_OUT and not theory_atoms(statement)
            ):
                yield statement


def _is_plain(statement: AST) -> bool:
    return statement.ast_type == ASTType.Rule and syntax.is_literal(statement.head)


def _twin(rule: AST, number: int) -> AST:
    index = SymbolicTerm(rule.location, Number(number))
    return rule.update(head=syntax.named_atom(rule, _TWIN, [rule.head.atom.symbol, index]))
