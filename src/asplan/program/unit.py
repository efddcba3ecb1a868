"""One file of a program, and what its syntax tells: its sections, what they define and read.

Programs of another kind are refused with the name of the tool that runs them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from clingo import Symbol, SymbolType

from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.scan import PlainFacts
from asplan.program.source import (
    Messages,
    Source,
    parse_text,
    read_source,
    scan_text,
    source_of_text,
    statements_of,
)
from asplan.program.syntax import AST, AggregateFunction, ASTType, Call, Signature, heads
from asplan.program.theory import KNOWN, name_of, theory_atoms

QUERY = ("", "query", 1)  # the external that demands the goal, declared in `check(t)`
OCCURS = ("", "occurs", 2)  # the predicate of what happens

_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)


@dataclass(frozen=True)
class Section:
    """What stands between one `#program` line and the next; `parameter` is empty in `base`."""

    part: str
    parameter: str
    statements: tuple[AST, ...]

    def of(self, statements: Iterable[AST]) -> Section:
        """The same with other statements."""
        return Section(self.part, self.parameter, tuple(statements))

    @classmethod
    def of_text(cls, part: str, parameter: str, text: str) -> Section:
        return cls(part, parameter, parse_text(text)[1:])


@dataclass(frozen=True, eq=False)
class Unit:
    """What a file holds, or several: plain facts of `base`, and all other statements."""

    statements: tuple[AST, ...]
    facts: tuple[PlainFacts, ...] = ()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        found: list[tuple[str, str, list[AST]]] = [("base", "", [])]
        for statement in self.statements:
            if statement.ast_type == ASTType.Program:
                parameter = str(statement.parameters[0].name) if statement.parameters else ""
                found.append((statement.name, parameter, []))
            else:
                found[-1][2].append(statement)
        return tuple(Section(part, parameter, tuple(body)) for part, parameter, body in found)

    @cached_property
    def _timed_rules(self) -> list[AST]:
        timed = (s for section, s in pairs(self.sections) if section.parameter)
        return [s for s in timed if s.ast_type == ASTType.Rule]

    def of_kind(self, kind: ASTType) -> tuple[AST, ...]:
        return tuple(s for s in self.statements if s.ast_type == kind)

    @cached_property
    def parts(self) -> frozenset[str]:
        return frozenset(section.part for section in self.sections)

    @cached_property
    def suspects(self) -> tuple[AST, ...]:
        return tuple(s for s in self.statements if s.ast_type in _JUDGED or theory_atoms(s))

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(syntax.calls(self.statements))

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates that facts and heads of rules and externals speak of."""
        derived = frozenset().union(*map(syntax.defined_in, self.statements))
        return derived.union(*(facts.signatures for facts in self.facts))

    @cached_property
    def read(self) -> frozenset[Signature]:
        """The predicates that are spoken of elsewhere than in plain heads."""
        return frozenset().union(*map(syntax.read_in, self.statements))

    @cached_property
    def values(self) -> dict[str, str]:
        return {s.name: str(s.value) for s in self.of_kind(ASTType.Definition)}

    @cached_property
    def definitions(self) -> frozenset[str]:
        return frozenset(self.values)

    @cached_property
    def constants(self) -> frozenset[str]:
        named = (syntax.constants(s.statements) - {s.parameter} for s in self.sections)
        return frozenset().union(*named, *(facts.names for facts in self.facts))

    @cached_property
    def shown(self) -> frozenset[Signature]:
        """The predicates that `#show p/n` names; `#show.` names one without a name."""
        found = self.of_kind(ASTType.ShowSignature)
        return frozenset(map(syntax.named_by, found))

    @cached_property
    def actions(self) -> tuple[tuple[Section, list[AST]], ...]:
        """The heads of `occurs/2` outside of `base`: the section and the arguments of each."""
        return tuple(
            (section, syntax.arguments(atom))
            for section, statement in pairs(self.sections)
            for atom in (heads(statement) if section.part != "base" else ())
            if syntax.signature(atom) == OCCURS
        )

    def expand_facts(self, keys: Collection[Signature]) -> list[AST]:
        """The plain facts of some predicates as statements."""
        return [statement for facts in self.facts for statement in statements_in(facts.of(keys))]

    @cached_property
    def strange_externals(self) -> bool:
        """Whether it declares another external than the query of the present."""
        return any(
            syntax.signature(atom) != QUERY
            or not syntax.is_now(syntax.arguments(atom)[0], section.parameter)
            for section, statement in pairs(self.sections)
            for atom in (heads(statement) if statement.ast_type == ASTType.External else ())
        )

    @cached_property
    def delicate(self) -> bool:
        """Whether a timed section has a conditional literal in the head of a disjunction."""
        heads = (rule.head for rule in self._timed_rules)
        disjunctions = (head for head in heads if head.ast_type == ASTType.Disjunction)
        return any(element.condition for each in disjunctions for element in each.elements)

    @cached_property
    def weighs(self) -> bool:
        """Whether a timed section has a sum in a body, or a disjunction."""
        if any(rule.head.ast_type == ASTType.Disjunction for rule in self._timed_rules):
            return True
        literals = (literal for rule in self._timed_rules for literal in rule.body)
        sums = (b for b in literals if syntax.is_literal(b, ASTType.BodyAggregate, None))
        return any(literal.atom.function in _SUMS for literal in sums)

    @cached_property
    def staged(self) -> bool:
        """Whether atoms in `step(t)` that could be of `check(t)` speak of an earlier time."""
        places = time_places(section for section in self.sections if section.part == "check")
        places[QUERY] = {0}
        steps = pairs(section for section in self.sections if section.part == "step")
        return all(
            any(syntax.is_before(syntax.arguments(atom)[i], section.parameter) for i in at)
            for section, statement in steps
            for atom in syntax.atoms(statement)
            if (at := places.get(syntax.signature(atom))) is not None
        )


@dataclass(frozen=True)
class Shown:
    """The predicates that `#show` names.

    `signatures` are those of `#show p/n.`, `terms` those shown as terms under a condition that has
    the same atom, and `conditions` those of all positive conditions of terms.
    """

    signatures: frozenset[Signature]
    terms: frozenset[Signature]
    conditions: frozenset[Signature]

    @property
    def is_limited(self) -> bool:
        """Return whether other predicates than those named are hidden."""
        return bool(self.signatures)

    @property
    def named(self) -> frozenset[Signature]:
        return self.signatures | self.terms


def shown_by(statements: Iterable[AST]) -> Shown:
    """Return the predicates that some statements show."""
    signatures = set[Signature]()
    terms = set[Signature]()
    conditions = set[Signature]()
    for show in statements:
        if show.ast_type == ASTType.ShowSignature:
            signatures.add(syntax.named_by(show))
        if show.ast_type != ASTType.ShowTerm:
            continue
        for literal in filter(syntax.is_literal, show.body):
            for atom in syntax.atoms(literal):
                conditions.add(syntax.signature(atom))
                if str(atom) == str(show.term):
                    terms.add(syntax.signature(atom))
    return Shown(frozenset(signatures), frozenset(terms), frozenset(conditions))


def pairs(sections: Iterable[Section]) -> Iterator[tuple[Section, AST]]:
    """The statements of some sections, each with its section."""
    return ((section, statement) for section in sections for statement in section.statements)


def time_places(sections: Iterable[Section]) -> dict[Signature, set[int]]:
    """For each predicate the arguments at which all heads of sections have just the parameter."""
    places: dict[Signature, set[int]] = {}
    for section, statement in pairs(s for s in sections if s.parameter):
        for atom in heads(statement):
            terms = enumerate(syntax.arguments(atom))
            now = {i for i, term in terms if syntax.is_now(term, section.parameter)}
            key = syntax.signature(atom)
            places[key] = places.get(key, now) & now
    return places


def messages_of(sections: Iterable[Section]) -> Messages:
    """A logger for clingo that knows the statements of a program."""
    return Messages(find=partial(_statement_at, sections))


def _statement_at(sections: Iterable[Section], at: Location) -> tuple[str, str] | None:
    """The text of the statement at a place, and the parameter of its part."""
    from asplan.program.wording import Wording

    here = at.line, at.column
    for section, statement in pairs(sections):
        begin, end = statement.location.begin, statement.location.end
        is_there = (begin.line, begin.column) <= here < (end.line, end.column)
        if begin.filename == at.file and is_there:
            return Wording()(statement).replace("asplan__", ""), section.parameter
    return None


def first_disjunction(sections: Iterable[Section]) -> Location | None:
    """Where the first rule stands that has a disjunction in its head; None if there is none."""
    rules = (s for _, s in pairs(sections) if s.ast_type == ASTType.Rule)
    return next((syntax.location(r) for r in rules if r.head.ast_type == ASTType.Disjunction), None)


def statements_in(facts: PlainFacts) -> tuple[AST, ...]:
    return parse_text(facts.text, facts.file)[1:] if facts.text else ()


def read_unit(file: str, allow_includes: bool = False) -> Unit:
    return _unit(read_source(file, allow_includes))


def unit_of_text(text: str, name: str = "<text>", allow_includes: bool = False) -> Unit:
    return _unit(source_of_text(text, name, allow_includes))


@lru_cache(maxsize=64)
def _unit(source: Source) -> Unit:
    facts = (scan_text(text).facts for text in source.texts)
    return Unit(statements_of(source), tuple(found for found in facts if found.text))


def joined(units: Iterable[Unit]) -> Unit:
    """One unit with what all hold; the same one for the same units."""
    return _joined(tuple(units))


@lru_cache(maxsize=8)
def _joined(units: tuple[Unit, ...]) -> Unit:
    if len(units) == 1:
        return units[0]
    statements = tuple(s for unit in units for s in unit.statements)
    return Unit(statements, tuple(facts for unit in units for facts in unit.facts))


_JUDGED = (ASTType.Program, ASTType.Script, ASTType.TheoryDefinition)


def refuse_foreign(
    statements: Iterable[AST], parts: Mapping[str, int], allow_scripts: bool
) -> None:
    """Raise `InputError` at the first statement that asplan cannot run; `parts` are known ones."""
    for statement in statements:
        for what, hint in _objections(statement, parts, allow_scripts):
            raise InputError(what, at=syntax.location(statement), hint=hint)


def _objections(
    statement: AST, parts: Mapping[str, int], allow_scripts: bool
) -> Iterator[tuple[str, str]]:
    if statement.ast_type == ASTType.Program:
        if len(statement.parameters) != parts.get(statement.name):
            what = f"{str(statement).rstrip('.')} is no part of a planning program"
            yield what, "the parts are base, step(t), check(t) and plan(t)"
    elif statement.ast_type == ASTType.Script:
        if statement.name != "python":
            what = f"#script ({statement.name}): asplan runs no scripts but Python's"
            yield what, f"a clingo that was built with {statement.name} runs it"
        if re.search(r"^\s*def\s+main\s*\(", statement.code, re.MULTILINE):
            what = "#script (python) has a main of its own, which takes asplan's place"
            yield what, "run it with python -m clingo FILE, or leave main out: asplan has the loop"
        if not allow_scripts:
            what = "#script (python) would run code of whoever wrote the file"
            yield what, "if you trust it, say --allow-scripts"
    elif statement.ast_type == ASTType.TheoryDefinition:
        if strange := [a for a in statement.atoms if a.name.strip("_") not in KNOWN]:
            what = f"#theory {statement.name}: theory atoms need a solver of their own"
            yield what, f"asplan has none for &{strange[0].name}, which would mean nothing"
    else:
        for name in map(name_of, theory_atoms(statement)):
            if name not in KNOWN:
                what = f"&{name}: theory atoms need a solver of their own"
                tools = "telingo, clingo-dl, clingcon and clingo-lpx"
                yield what, f"asplan knows those of {tools}"


def refuse_lost_calls(unit: Unit) -> None:
    """Refuse the first call of a function without a script: clingo would drop the rule silently."""
    for name, at in unit.calls if not unit.of_kind(ASTType.Script) else ():
        what = f"@{name}: no script of the program defines this function"
        hint = "asplan runs #script (python) of the program itself, with --allow-scripts"
        raise InputError(what, at=at, hint=hint)


HELPER = "asplan__"  # how the names of helper predicates begin; such atoms are never shown


def is_helper(atom: Symbol) -> bool:
    """Whether an atom is asplan's own, which no model shows."""
    if atom.type != SymbolType.Function:
        return False
    return atom.name.startswith((HELPER, "__")) or atom.match(QUERY[1], 1)
