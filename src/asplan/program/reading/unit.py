"""The content of a program file: its sections, and the predicates that they define and read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache, partial

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.program import syntax
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.source import (
    Messages,
    Source,
    parse_text,
    read_source,
    scan_text,
    source_of_text,
    statements_of,
)
from asplan.program.syntax import AST, AggregateFunction, ASTType, Call, Signature, heads
from asplan.program.theory import theory_atoms

QUERY = ("", "query", 1)
"""The predicate of `query(t)`: an external atom that demands the goal at time t if it is true."""

OCCURS = ("", "occurs", 2)
"""The predicate `occurs/2`, which names actions by convention: `occurs(Action,t)`."""

TIMED = ("step", "check")
"""The parts with a time. A planning program has at least one of them, an instance neither."""

HELPER = "asplan__"
"""The prefix of asplan's own predicates. Atoms with it are never shown."""

_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)
_SUSPECTS = (ASTType.Program, ASTType.Script, ASTType.TheoryDefinition)


@dataclass(frozen=True)
class Section:
    """The statements between two `#program` lines.

    `part` is the name of the part, and `parameter` its parameter, such as `t`; empty in `base`.
    """

    part: str
    parameter: str
    statements: tuple[AST, ...]

    def of(self, statements: Iterable[AST]) -> Section:
        """Return a section of the same part and parameter with other statements."""
        return Section(self.part, self.parameter, tuple(statements))

    @classmethod
    def of_text(cls, part: str, parameter: str, text: str) -> Section:
        """Parse a text into a section of the part `part`."""
        return cls(part, parameter, parse_text(text)[1:])


@dataclass(frozen=True, eq=False)
class Unit:
    """The content of one file, or of several: the plain facts of `base`, and all other statements.

    Plain facts are kept as text, because clingo is slow to make syntax trees of them. Unless
    otherwise stated, a method includes the plain facts.
    """

    statements: tuple[AST, ...]
    facts: tuple[PlainFacts, ...] = ()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Return the statements divided at `#program` lines; the first section is `base`."""
        part = "base"
        parameter = ""
        body = list[AST]()
        sections = list[Section]()
        for statement in self.statements:
            if statement.ast_type != ASTType.Program:
                body.append(statement)
                continue
            sections.append(Section(part, parameter, tuple(body)))
            part = statement.name
            parameter = str(statement.parameters[0].name) if statement.parameters else ""
            body.clear()
        sections.append(Section(part, parameter, tuple(body)))
        return tuple(sections)

    @cached_property
    def _timed_rules(self) -> list[AST]:
        timed = pairs(section for section in self.sections if section.parameter)
        return [statement for _, statement in timed if statement.ast_type == ASTType.Rule]

    def of_kind(self, kind: ASTType) -> tuple[AST, ...]:
        """Return the statements of a kind; plain facts are not included."""
        return tuple(s for s in self.statements if s.ast_type == kind)

    @cached_property
    def parts(self) -> frozenset[str]:
        """Return the names of the parts, such as `step`."""
        return frozenset(section.part for section in self.sections)

    @cached_property
    def suspects(self) -> tuple[AST, ...]:
        """Return the statements that asplan may be unable to run: parts, scripts and theories."""
        return tuple(s for s in self.statements if s.ast_type in _SUSPECTS or theory_atoms(s))

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Return the calls of script functions, such as `@f(X)`."""
        return tuple(syntax.calls(self.statements))

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """Return the predicates of facts, of heads of rules, and of externals."""
        derived = frozenset().union(*map(syntax.defined_in, self.statements))
        return derived.union(*(facts.signatures for facts in self.facts))

    @cached_property
    def read(self) -> frozenset[Signature]:
        """Return the predicates of atoms in bodies and conditions."""
        return frozenset().union(*map(syntax.read_in, self.statements))

    @cached_property
    def values(self) -> dict[str, str]:
        """Return the values of the constants that `#const` defines, by name, as text."""
        return {s.name: str(s.value) for s in self.of_kind(ASTType.Definition)}

    @cached_property
    def definitions(self) -> frozenset[str]:
        """Return the names of the constants that `#const` defines."""
        return frozenset(self.values)

    @cached_property
    def constants(self) -> frozenset[str]:
        """Return all names that may be constants: names of terms, or names in `#const`.

        The parameters of parts are left out.
        """
        named = (syntax.constants(s.statements) - {s.parameter} for s in self.sections)
        return frozenset().union(*named, *(facts.names for facts in self.facts))

    @cached_property
    def shown(self) -> frozenset[Signature]:
        """Return the predicates p/n of all `#show p/n.`; for `#show.` the name is empty."""
        return frozenset(map(syntax.named_by, self.of_kind(ASTType.ShowSignature)))

    @cached_property
    def actions(self) -> tuple[tuple[Section, list[AST]], ...]:
        """Return (section, arguments) for each head `occurs/2` outside of `base`."""
        timed = (section for section in self.sections if section.part != "base")
        actions = list[tuple[Section, list[AST]]]()
        for section, statement in pairs(timed):
            for atom in heads(statement):
                if syntax.signature(atom) == OCCURS:
                    actions.append((section, syntax.arguments(atom)))
        return tuple(actions)

    def expand_facts(self, keys: Collection[Signature]) -> list[AST]:
        """Return the plain facts of the predicates `keys` as statements."""
        statements = list[AST]()
        for facts in self.facts:
            statements.extend(statements_in(facts.of(keys)))
        return statements

    @cached_property
    def has_foreign_externals(self) -> bool:
        """Return whether the unit declares externals other than `query(t)`."""
        for section, statement in pairs(self.sections):
            if statement.ast_type != ASTType.External:
                continue
            if not all(_is_present_query(atom, section.parameter) for atom in heads(statement)):
                return True
        return False

    @cached_property
    def has_conditional_disjunctions(self) -> bool:
        """Return whether a timed section has a disjunction whose heads have a condition."""
        heads = (rule.head for rule in self._timed_rules)
        disjunctions = (head for head in heads if head.ast_type == ASTType.Disjunction)
        return any(any(element.condition for element in each.elements) for each in disjunctions)

    @cached_property
    def has_sums_or_disjunctions(self) -> bool:
        """Return whether a timed section has a sum in a body, or a disjunction in a head."""
        for rule in self._timed_rules:
            if rule.head.ast_type == ASTType.Disjunction or any(map(_is_sum, rule.body)):
                return True
        return False

    @cached_property
    def has_delayed_reads(self) -> bool:
        """Return whether `step(t)` reads the predicates of `check(t)` at earlier times only.

        Then step(t) can be grounded before check(t).
        """
        checks = (section for section in self.sections if section.part == "check")
        places = time_places(checks)
        places[QUERY] = {0}
        steps = (section for section in self.sections if section.part == "step")
        for section, statement in pairs(steps):
            for atom in syntax.atoms(statement):
                times = places.get(syntax.signature(atom))
                if times is None:
                    continue
                terms = syntax.arguments(atom)
                if not any(syntax.is_before(terms[i], section.parameter) for i in times):
                    return False
        return True


def _is_present_query(atom: AST, parameter: str) -> bool:
    if syntax.signature(atom) != QUERY:
        return False
    return syntax.is_now(syntax.arguments(atom)[0], parameter)


def _is_sum(literal: AST) -> bool:
    is_aggregate = syntax.is_literal(literal, ASTType.BodyAggregate, None)
    return is_aggregate and literal.atom.function in _SUMS


@dataclass(frozen=True)
class ShownPredicates:
    """The predicates that a program shows.

    Attributes
    ----------
    signatures
        The predicates p/n of `#show p/n.`
    terms
        The predicates of `#show p(X) : p(X).`, where the shown term is also an atom of the
        condition.
    conditions
        The predicates of all positive atoms in conditions of shown terms.
    """

    signatures: frozenset[Signature]
    terms: frozenset[Signature]
    conditions: frozenset[Signature]

    @property
    def is_limited(self) -> bool:
        """Return whether a `#show p/n.` hides all predicates that no `#show` statement names."""
        return bool(self.signatures)

    @property
    def named(self) -> frozenset[Signature]:
        """Return the predicates that `#show p/n.` or `#show p(X) : p(X).` shows."""
        return self.signatures | self.terms


def shown_by(statements: Iterable[AST]) -> ShownPredicates:
    """Return the predicates that the `#show` statements among `statements` show."""
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
    return ShownPredicates(frozenset(signatures), frozenset(terms), frozenset(conditions))


def pairs(sections: Iterable[Section]) -> Iterator[tuple[Section, AST]]:
    """Yield (section, statement) for all statements of some sections."""
    for section in sections:
        for statement in section.statements:
            yield section, statement


def time_places(sections: Iterable[Section]) -> dict[Signature, set[int]]:
    """Map predicates to the indices of arguments that are the parameter in all timed heads."""
    places: dict[Signature, set[int]] = {}
    timed = (section for section in sections if section.parameter)
    for section, statement in pairs(timed):
        for atom in heads(statement):
            terms = enumerate(syntax.arguments(atom))
            present = {i for i, term in terms if syntax.is_now(term, section.parameter)}
            key = syntax.signature(atom)
            places[key] = places.get(key, present) & present
    return places


def messages_of(sections: Iterable[Section]) -> Messages:
    """Return a logger for clingo. It finds the statement to which a message of clingo refers."""
    messages = Messages(find=partial(_statement_at, sections))
    messages.find_rule = partial(_rule_of_steps, sections)
    return messages


def _rule_of_steps(sections: Iterable[Section], atom: str) -> Location | None:
    """Return the location of the rule that derives an atom at several steps, if it is found."""
    from asplan.program.reading.diagnosis import rule_of_steps

    return rule_of_steps(((section.parameter, each) for section, each in pairs(sections)), atom)


def _statement_at(sections: Iterable[Section], at: Location) -> tuple[str, str] | None:
    """Return the text of the statement at a location, and the parameter of its part."""
    from asplan.program.syntax.wording import Wording

    place = at.line, at.column
    for section, statement in pairs(sections):
        begin = statement.location.begin
        end = statement.location.end
        is_there = (begin.line, begin.column) <= place < (end.line, end.column)
        if begin.filename == at.file and is_there:
            return Wording()(statement).replace(HELPER, ""), section.parameter
    return None


def first_disjunction(sections: Iterable[Section]) -> Location | None:
    """Return the location of the first rule with a disjunction in its head, if there is one."""
    for _, rule in pairs(sections):
        if rule.ast_type == ASTType.Rule and rule.head.ast_type == ASTType.Disjunction:
            return syntax.location(rule)
    return None


def statements_in(facts: PlainFacts) -> tuple[AST, ...]:
    """Parse plain facts, and return them as statements."""
    return parse_text(facts.text, facts.file)[1:] if facts.text else ()


def read_unit(file: str, allow_includes: bool = False) -> Unit:
    """Read a file and the files that it includes; raise the errors of `read_source`."""
    return _unit(read_source(file, allow_includes))


def unit_of_text(text: str, name: str = "<text>", allow_includes: bool = False) -> Unit:
    """Return the unit of a text; messages give `name` in place of a file."""
    return _unit(source_of_text(text, name, allow_includes))


@lru_cache(maxsize=64)
def _unit(source: Source) -> Unit:
    facts = (scan_text(text).facts for text in source.texts)
    return Unit(statements_of(source), tuple(each for each in facts if each.text))


def joined(units: Iterable[Unit]) -> Unit:
    """Return one unit with the content of all; for the same units, return the same object."""
    return _joined(tuple(units))


@lru_cache(maxsize=8)
def _joined(units: tuple[Unit, ...]) -> Unit:
    if len(units) == 1:
        return units[0]
    statements = list[AST]()
    facts = list[PlainFacts]()
    for unit in units:
        statements.extend(unit.statements)
        facts.extend(unit.facts)
    return Unit(tuple(statements), tuple(facts))


def is_helper(atom: Symbol) -> bool:
    """Return whether an atom is one of asplan's own, such as `query(t)`, which is never shown."""
    if atom.type != SymbolType.Function:
        return False
    return atom.name.startswith((HELPER, "__")) or atom.match(QUERY[1], 1)
