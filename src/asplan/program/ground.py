"""Grounding: the facts of an instance with their locations, and records of ground programs.

Locations of facts are found on request. For plain facts they are found in the text. For other facts
the program is grounded again with a twin of each rule that derives `__fact(Atom, Rule)`, where
`Rule` is the number of the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from asplan.clingo import Control, Number, Observer, Symbol, control_options, open_control
from asplan.clingo import Function as Twin
from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts, Predicate
from asplan.program import syntax
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import Unit, is_helper, joined, messages_of, read_unit
from asplan.program.syntax import AST, ASTType, ProgramBuilder, SymbolicTerm
from asplan.program.theory import theory_atoms

if TYPE_CHECKING:
    from asplan.program.reading.scripts import Functions

Rule = tuple[bool, Sequence[int], Sequence[int]]
"""A ground rule: whether it is a choice, its head, and its body.

Atoms are clingo's numbers for literals; a negative literal is a negative number.
"""

Sum = tuple[bool, Sequence[int], int, Sequence[tuple[int, int]]]
"""A ground rule whose body is a sum: choice, head, least value, and (literal, weight) pairs."""

Part = tuple[str, list[Symbol]]
"""A part to ground: its name and its arguments."""


@dataclass
class Shown(Observer):
    """Records the shown atoms and terms of a ground program.

    `shown` has the atoms with their literals (0 for a fact), `terms` the shown terms with their
    conditions.
    """

    shown: list[tuple[Symbol, int]] = field(default_factory=list)
    terms: list[tuple[Symbol, Sequence[int]]] = field(default_factory=list)

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        """Record a shown atom, unless it is one of asplan's own."""
        if not is_helper(symbol):
            self.shown.append((symbol, atom))

    def output_term(self, symbol: Symbol, condition: Sequence[int]) -> None:
        """Record a shown term.

        It is shown if the literals in `condition` hold.
        """
        self.terms.append((symbol, condition))


@dataclass
class Ground(Shown):
    """Records the ground rules, shown atoms and shown terms since the last call of `clear`.

    `constraints` are the bodies of rules without a head. `disjunctive` is true if there was a
    disjunction.
    """

    constraints: list[Sequence[int]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    disjunctive: bool = False

    def clear(self) -> None:
        """Drop all rules, shown atoms and shown terms that were recorded."""
        self.constraints.clear()
        self.rules.clear()
        self.sums.clear()
        self.shown.clear()
        self.terms.clear()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        """Record a rule or a constraint.

        `choice` means that the rule may leave its `head` false. An empty head makes a constraint.
        """
        if head:
            self.rules.append((choice, head, body))
            self.disjunctive |= len(head) > 1 and not choice
        else:
            self.constraints.append(body)

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        """Record a rule whose body is a sum.

        The rule applies if the weights of the true literals in `body` sum up to `lower_bound`.
        """
        self.sums.append((choice, head, lower_bound, body))


def ground(
    control: Control, parts: list[Part], functions: Functions | None, context: object = None
) -> None:
    """Ground parts of a program.

    clingo calls the script functions of `context` if it is given, else those of `functions`.

    Raises
    ------
    InputError
        If a function of the scripts fails.
    """
    try:
        control.ground(parts, context or functions)
    except (Exception, SystemExit):
        if functions is not None and functions.failure is not None:
            raise functions.failure from None
        raise


_TWIN = "__fact"
_LEFT_OUT = (ASTType.Script, ASTType.TheoryDefinition)

FACTS_ONLY = "an instance is made of facts; choices and constraints belong to an encoding"


def read_facts(files: Iterable[str], constants: Mapping[str, str]) -> Facts:
    """Read files and return the facts of their `base` parts; raise the errors of `ground_facts`."""
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
    """Return the facts that the `base` part of a program derives.

    Parameters
    ----------
    units
        The program.
    constants
        Values of constants.
    files
        The names of the files, for messages.
    strict
        Whether to raise an error if the part derives something other than facts.
    hint
        The hint of that error.
    most
        The greatest number of atoms to allow; None for any number.

    Raises
    ------
    InputError
        If clingo refuses the program, if it derives more than `most` atoms, or if `strict` is set
        and an atom is not a fact.
    """
    unit = joined(units)
    if strict and unit.calls:
        name, at = unit.calls[0]
        raise InputError(f"@{name}: functions of scripts are not called here", at=at, hint=hint)
    control = ground_base(unit, constants)
    number = len(control.symbolic_atoms)
    if most is not None and number > most:
        raise InputError(f"{', '.join(files)}: {number} atoms are derived, and {most} are allowed")
    groups = _Groups(control, unit)
    if strict and groups.guesses:
        raise _guess_error(unit, min(groups.guesses), hint)
    places = _Places(unit, constants)
    return Facts(groups, places.find, places.all, tuple(files))


def _guess_error(unit: Unit, guess: Symbol, hint: str) -> InputError:
    """Return the error about an atom that is not a fact, at the first statement that derives it.

    `guess` is the atom, and `hint` the hint of the error.
    """
    key = syntax.predicate(guess)
    defining = (s for s in unit.statements if key in syntax.defined_in(s))
    at = next(map(syntax.location, defining), None)
    return InputError(f"{guess} is not a fact", at=at, hint=hint)


def ground_base(unit: Unit, constants: Mapping[str, str], twins: Iterable[AST] = ()) -> Control:
    """Return a control with the grounded part `base` of a unit.

    `twins` are rules to add to the part.

    Raises
    ------
    InputError
        If clingo refuses the program.
    """
    with reporting(messages_of(unit.sections)) as messages:
        control = open_control(control_options(constants), messages)
        with ProgramBuilder(control) as builder:
            for statement in (*_base(unit), *twins):
                builder.add(statement)
        for facts in unit.facts:
            control.add("base", [], facts.text)
        control.ground([("base", [])])
    return control


class _Groups(Mapping[Predicate, list[Symbol]]):
    """The facts of a grounded control, by predicate.

    Symbols stay in clingo until they are needed. `guesses` are atoms that are not facts.
    """

    def __init__(self, control: Control, unit: Unit) -> None:
        # The atoms live as long as their control.
        self.control = control
        self.atoms = control.symbolic_atoms
        self.guesses: list[Symbol] = []
        self.groups: dict[Predicate, list[Symbol] | None] = {}
        derived = _derived_predicates(unit)
        for key in self.atoms.signatures:
            if key in derived:
                self._divide(key)
            elif any(True for _ in self.atoms.by_signature(*key)):
                self.groups[key] = None

    def _divide(self, key: Predicate) -> None:
        """Divide the atoms of a predicate into facts and guesses, which are not certain."""
        facts = list[Symbol]()
        for atom in self.atoms.by_signature(*key):
            if atom.is_fact:
                facts.append(atom.symbol)
            else:
                self.guesses.append(atom.symbol)
        if facts:
            self.groups[key] = facts

    def __getitem__(self, key: Predicate) -> list[Symbol]:
        group = self.groups[key]
        if group is None:
            group = [atom.symbol for atom in self.atoms.by_signature(*key)]
            self.groups[key] = group
        return group

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)


def _derived_predicates(unit: Unit) -> set[Predicate]:
    """Return the predicates that `base` derives by statements other than facts."""
    derived = set[Predicate]()
    for statement in _base(unit):
        if _is_plain(statement) and not statement.body:
            continue
        for sign, name, arity in syntax.defined_in(statement):
            derived.add((name, arity, not sign))
    return derived


class _Places:
    """Finds the locations of the facts of a unit."""

    def __init__(self, unit: Unit, constants: Mapping[str, str]) -> None:
        self.unit = unit
        self.constants = constants
        self.rules = [statement for statement in _base(unit) if _is_plain(statement)]

    @cached_property
    def control(self) -> Control:
        """Return a control with the grounded part `base`, and a `_twin` of each of its rules."""
        return ground_base(self.unit, self.constants, map(_twin, self.rules, count()))

    @cached_property
    def values(self) -> dict[str, Symbol]:
        """Return the values of the constants that occur in plain facts, by name."""
        names = set[str]()
        for facts in self.unit.facts:
            names |= facts.names
        values = dict[str, Symbol]()
        for name in names.intersection((*self.constants, *self.unit.definitions)):
            value = self.control.get_const(name)
            if value is not None:
                values[name] = value
        return values

    def find(self, fact: Symbol) -> Location | None:
        """Return the location of the first rule that derives a fact.

        If no rule derives it, return the location of the fact in a file; None if no file has it.
        """
        for number, rule in enumerate(self.rules):
            if fact.name not in (name for _, name, _ in syntax.defined_in(rule)):
                continue
            twin = self.control.symbolic_atoms[Twin(_TWIN, [fact, Number(number)])]
            if twin is not None and twin.is_fact:
                return syntax.location(rule)
        for facts in self.unit.facts:
            for _, place in facts.places(self.values, fact):
                return place
        return None

    def all(self) -> dict[Symbol, Location]:
        """Return the locations of all facts."""
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
    """Yield the constants of all parts, and statements of `base` that need no script or theory."""
    for section in unit.sections:
        is_base = section.part == "base" and not section.parameter
        for statement in section.statements:
            is_constant = statement.ast_type == ASTType.Definition
            if is_constant or (is_base and _is_understood(statement)):
                yield statement


def _is_understood(statement: AST) -> bool:
    """Return whether clingo alone can run a statement: no script, no theory."""
    return statement.ast_type not in _LEFT_OUT and not theory_atoms(statement)


def _is_plain(statement: AST) -> bool:
    """Return whether a statement is a rule with a single atom as its head."""
    return statement.ast_type == ASTType.Rule and syntax.is_literal(statement.head)


def _twin(rule: AST, number: int) -> AST:
    """Return a copy of a rule with the head `__fact(H,number)`, where H is the rule's head."""
    index = SymbolicTerm(rule.location, Number(number))
    return rule.update(head=syntax.named_atom(rule, _TWIN, [rule.head.atom.symbol, index]))
