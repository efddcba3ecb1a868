"""Grounding: the facts of an instance, the Python code of a program, observers and counters.

Where facts were written is found when somebody asks: the places of plain facts in their text, those
of others by grounding once more, with a twin of each rule that derives `__fact(Atom, Rule)`.

clingo's own `enable_python` runs scripts in `__main__`, and leaves them there: from then on any
program of the process can call what it finds there. Here they run in a module of their own, for
this program alone and where the caller allows it; clingo gets its functions as the context of a
grounding, as it does with `Control.ground(…, context)`.

`Control.statistics` turns a tree of a hundred numbers into Python objects, which takes longer
than most solve calls of an incremental search. `read_counters` reads single leaves, with the
functions of clingo's C interface that `Control.statistics` is made of.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from types import ModuleType
from typing import Any

from clingo import Control, Number, Observer, Symbol, _internal
from clingo import Function as Twin

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts, Predicate
from asplan.program import syntax
from asplan.program.source import reporting
from asplan.program.syntax import AST, ASTType, Call, ProgramBuilder, SymbolicTerm
from asplan.program.theory import theory_atoms
from asplan.program.unit import Unit, is_helper, joined, messages_of, read_unit

Rule = tuple[bool, Sequence[int], Sequence[int]]
"""Whether it is a choice, its head, its body; literals are numbers, negative where negated."""

Sum = tuple[bool, Sequence[int], int, Sequence[tuple[int, int]]]
"""The same with a body that asks for a sum: its least value, and the literals with weights."""


@dataclass
class Shown(Observer):
    """What is shown: atoms with their literals (0 is a fact's), and terms with their conditions."""

    shown: list[tuple[Symbol, int]] = field(default_factory=list)
    terms: list[tuple[Symbol, Sequence[int]]] = field(default_factory=list)

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        if not is_helper(symbol):
            self.shown.append((symbol, atom))

    def output_term(self, symbol: Symbol, condition: Sequence[int]) -> None:
        self.terms.append((symbol, condition))


@dataclass
class Ground(Shown):
    """What was grounded since the last `clear`; `constraints` are bodies without a head."""

    constraints: list[Sequence[int]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    disjunctive: bool = False

    def clear(self) -> None:
        for seen in (self.constraints, self.rules, self.sums, self.shown, self.terms):
            seen.clear()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if head:
            self.rules.append((choice, head, body))
            self.disjunctive |= len(head) > 1 and not choice
        else:
            self.constraints.append(body)

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        self.sums.append((choice, head, lower_bound, body))


_c_call: Any = vars(_internal)["_c_call"]
_lib: Any = vars(_internal)["_lib"]


def read_counters(control: Control, branch: tuple[str, ...], names: Iterable[str]) -> list[int]:
    """The counters with these names under a branch, `("problem", "lp")` say, of the last call."""
    statistics = _c_call("clingo_statistics_t*", _lib.clingo_control_statistics, control._rep)

    def below(key: Any, name: str) -> Any:
        at = _lib.clingo_statistics_map_at
        return _c_call("uint64_t", at, statistics, key, name.encode())

    key = _c_call("uint64_t", _lib.clingo_statistics_root, statistics)
    for name in branch:
        key = below(key, name)
    value = _lib.clingo_statistics_value_get
    return [int(_c_call("double", value, statistics, below(key, name))) for name in names]


Part = tuple[str, list[Symbol]]


def ground(
    control: Control, parts: list[Part], functions: Functions | None, context: object = None
) -> None:
    """Ground parts of a program with the functions of `context`; what fails there is told."""
    try:
        control.ground(parts, context or functions)
    except (Exception, SystemExit):
        if functions is not None and functions.failure is not None:
            raise functions.failure from None
        raise


class Functions:
    """The functions that scripts define, by the names that a program calls them."""

    def __init__(self, scripts: Iterable[AST], calls: Iterable[Call]) -> None:
        self._module = ModuleType("__main__")
        self._lines: dict[str, tuple[str, int]] = {}
        self.failure: InputError | None = None
        for number, script in enumerate(scripts):
            name, begin = f"<script {number}>", script.location.begin
            self._lines[name] = begin.filename, begin.line
            try:
                exec(compile(script.code, name, "exec", dont_inherit=True), vars(self._module))
            except (Exception, SystemExit) as error:
                raise self._failed(error, "#script (python)") from error
        for name, at in calls:
            if not callable(getattr(self._module, name, None)):
                raise InputError(f"@{name}: no script of the program defines this function", at=at)

    def __getattr__(self, name: str) -> Callable[..., list[Symbol]]:
        """A function, which clingo calls with terms, and from which it gets terms."""
        function = getattr(self._module, name)

        def call(*terms: Symbol) -> list[Symbol]:
            try:
                found = function(*terms)
                values = list(found) if isinstance(found, Iterable) else [found]
                for value in values:
                    if not isinstance(value, Symbol):
                        raise TypeError(f"{value!r} is no term such as clingo.Number(1)")
                return values
            except (Exception, SystemExit) as error:
                self.failure = self._failed(error, f"@{name}({','.join(map(str, terms))})")
                raise

        return call

    def _failed(self, error: BaseException, what: str) -> InputError:
        """The error, at the last line of a script that led to it."""
        lines = [(f.f_code.co_filename, at) for f, at in traceback.walk_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            lines.insert(0, (error.filename or "", error.lineno or 1))
        known = ((*self._lines[name], line) for name, line in lines if name in self._lines)
        places = [Location(file, begin + line - 1, 1) for file, begin, line in known]
        message = f"{what}: {type(error).__name__}: {error}"
        return InputError(message, at=places[-1] if places else None)


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
        made = (s for s in unit.statements if syntax.predicate(guess) in syntax.defined_in(s))
        place = next(map(syntax.location, made), None)
        raise InputError(f"{guess} is no fact", at=place, hint=hint)
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
        open_ = (s for s in _base(unit) if not _is_plain(s) or s.body)
        made = set().union(*map(syntax.defined_in, open_))
        doubtful = {(name, arity, not sign) for sign, name, arity in made}
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
        return ground_base(self.unit, self.constants, map(_twin, self.rules, count()))

    @cached_property
    def values(self) -> dict[str, Symbol]:
        constants = {*self.constants, *self.unit.definitions}
        names = constants & {name for facts in self.unit.facts for name in facts.names}
        known = ((name, self.control.get_const(name)) for name in names)
        return {name: value for name, value in known if value is not None}

    def find(self, fact: Symbol) -> Location | None:
        """The place of a fact: the first rule that derives it, else the first text that is it."""
        for number, rule in enumerate(self.rules):
            if fact.name in (name for _, name, _ in syntax.defined_in(rule)):
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
