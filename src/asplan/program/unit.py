"""Programs of another kind, refused with the name of the tool that runs them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from asplan.errors import InputError, Location
from asplan.program.scan import PlainFacts
from asplan.program.source import Source, parse_text, read_source, source_of_text, statements_of
from asplan.program.syntax import (
    AST,
    AggregateFunction,
    ASTType,
    Call,
    Signature,
    arguments,
    atoms,
    calls,
    constants,
    heads,
    is_before,
    is_now,
    location,
    reads,
    signature,
)

TEMPORAL = ("initial", "dynamic", "always", "final")

_JUDGED = (ASTType.Program, ASTType.Script, ASTType.TheoryDefinition)

_SOLVERS = {
    "tel": "telingo",
    "del": "telingo",
    "initial": "telingo",
    "final": "telingo",
    "diff": "clingo-dl",
    "sum": "clingcon",
    "distinct": "clingcon",
    "dom": "clingcon",
}


def is_suspect(statement: AST) -> bool:
    """Whether a statement is of a kind that `refuse_foreign` looks at."""
    return statement.ast_type in _JUDGED or bool(_theory_atom(statement))


def refuse_foreign(
    statements: Iterable[AST], parts: Mapping[str, int], allow_scripts: bool
) -> None:
    """Raise `InputError` at the first statement that asplan cannot run as its author meant.

    `parts` gives the known parts and how many parameters they have.
    """
    for statement in statements:
        if statement.ast_type == ASTType.Program:
            _check_part(statement, parts)
        elif statement.ast_type == ASTType.Script:
            _check_script(statement, allow_scripts)
        elif statement.ast_type == ASTType.TheoryDefinition:
            raise InputError(
                f"#theory {statement.name}: theory atoms need a solver of their own",
                at=location(statement),
                hint="asplan runs plain clingo; without that solver the atoms would mean nothing",
            )
        elif name := _theory_atom(statement):
            tool = _SOLVERS.get(name)
            raise InputError(
                f"&{name}: theory atoms need a solver of their own",
                at=location(statement),
                hint=f"{tool} runs it" if tool else "asplan runs plain clingo",
            )


def refuse_lost_calls(calls: Iterable[Call], scripts: Collection[AST]) -> None:
    """Raise `InputError` at the first call of a function, in a program that has no script.

    clingo would drop the rule without a word, or call what some other program left behind.
    """
    for name, at in calls if not scripts else ():
        raise InputError(
            f"@{name}: no script of the program defines this function",
            at=at,
            hint="asplan runs #script (python) of the program itself, with --allow-scripts",
        )


def _check_part(statement: AST, parts: Mapping[str, int]) -> None:
    if statement.name in TEMPORAL and not statement.parameters:
        raise InputError(
            f"#program {statement.name} belongs to a temporal program",
            at=location(statement),
            hint="telingo runs it; the parts that asplan knows are base, step(t) and check(t)",
        )
    if len(statement.parameters) != parts.get(statement.name):
        raise InputError(
            f"{str(statement).rstrip('.')} is no part of a planning program",
            at=location(statement),
            hint="the parts are base, step(t), check(t) and plan(t)",
        )


def _check_script(statement: AST, allow_scripts: bool) -> None:
    language, code = statement.name, statement.code
    at = location(statement)
    if language != "python":
        raise InputError(
            f"#script ({language}): asplan runs no scripts but Python's",
            at=at,
            hint=f"a clingo that was built with {language} runs it",
        )
    if re.search(r"^\s*def\s+main\s*\(", code, re.MULTILINE):
        raise InputError(
            "#script (python) has a main of its own, which takes asplan's place",
            at=at,
            hint="run it with python -m clingo FILE, or leave main out: asplan has the loop",
        )
    if not allow_scripts:
        raise InputError(
            "#script (python) would run code of whoever wrote the file",
            at=at,
            hint="if you trust it, say --allow-scripts",
        )


def _theory_atom(statement: AST) -> str:
    if statement.ast_type != ASTType.Rule:
        return ""
    candidates = [statement.head, *(getattr(b, "atom", b) for b in statement.body)]
    for node in candidates:
        if node.ast_type == ASTType.TheoryAtom:
            return str(node.term.name)
    return ""


# One file of a program, and what its syntax tells: its sections, what they define and read.


QUERY = ("", "query", 1)
"""The external that demands the goal, declared in `check(t)`."""


OCCURS = ("", "occurs", 2)
"""The predicate of what happens."""

_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)


@dataclass(frozen=True)
class Section:
    """What stands between one `#program` line and the next; `parameter` is empty in `base`."""

    part: str
    parameter: str
    statements: tuple[AST, ...]


@dataclass(frozen=True, eq=False)
class Unit:
    """What a file holds, or several; each question is answered once.

    Attributes
    ----------
    statements
        The statements but for the plain facts.
    facts
        The plain facts, which belong to the part `base`.
    """

    statements: tuple[AST, ...]
    facts: tuple[PlainFacts, ...] = ()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections, in order; the first is `base`."""
        found: list[tuple[str, str, list[AST]]] = [("base", "", [])]
        for statement in self.statements:
            if statement.ast_type == ASTType.Program:
                parameter = str(statement.parameters[0].name) if statement.parameters else ""
                found.append((statement.name, parameter, []))
            else:
                found[-1][2].append(statement)
        return tuple(Section(part, parameter, tuple(body)) for part, parameter, body in found)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of the parts that have a section."""
        return frozenset(section.part for section in self.sections)

    @cached_property
    def suspects(self) -> tuple[AST, ...]:
        """The statements that another kind of program might have."""
        return tuple(s for s in self.statements if is_suspect(s))

    @cached_property
    def scripts(self) -> tuple[AST, ...]:
        """The scripts."""
        return tuple(s for s in self.statements if s.ast_type == ASTType.Script)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The calls of functions of scripts."""
        return tuple(calls(self.statements))

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates that facts and heads of rules and externals speak of."""
        return self.derived.union(*(facts.signatures for facts in self.facts))

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The same without those of which there are plain facts alone."""
        return frozenset(signature(atom) for s in self.statements for atom in heads(s))

    @cached_property
    def read(self) -> frozenset[Signature]:
        """The predicates that are spoken of elsewhere than in plain heads."""
        return frozenset(signature(atom) for s in self.statements for atom in reads(s))

    @cached_property
    def strange_externals(self) -> bool:
        """Whether it declares another external than the query of the present."""
        return any(
            signature(atom) != QUERY or not is_now(arguments(atom)[0], section.parameter)
            for section in self.sections
            for statement in section.statements
            if statement.ast_type == ASTType.External
            for atom in heads(statement)
        )

    @cached_property
    def definitions(self) -> frozenset[str]:
        """The names that `#const` defines."""
        return frozenset(s.name for s in self.statements if s.ast_type == ASTType.Definition)

    @cached_property
    def values(self) -> dict[str, str]:
        """The values that `#const` gives."""
        found = (s for s in self.statements if s.ast_type == ASTType.Definition)
        return {s.name: str(s.value) for s in found}

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names that may stand for constants; a part's own parameter is none."""
        return frozenset(
            name
            for section in self.sections
            for name in constants(section.statements) - {section.parameter}
        ).union(*(f.names for f in self.facts))

    @cached_property
    def kinds(self) -> frozenset[ASTType]:
        """The kinds of its statements."""
        return frozenset(s.ast_type for s in self.statements)

    @cached_property
    def shown(self) -> frozenset[Signature]:
        """The predicates that `#show p/n` names; `#show.` names one without a name."""
        found = (s for s in self.statements if s.ast_type == ASTType.ShowSignature)
        return frozenset(("" if s.positive else "-", s.name, s.arity) for s in found)

    @cached_property
    def shown_terms(self) -> frozenset[tuple[str, int]]:
        """Name and arity of the terms that `#show term : condition` names."""
        terms = (s.term for s in self.statements if s.ast_type == ASTType.ShowTerm)
        functions = (t for t in terms if t.ast_type == ASTType.Function)
        return frozenset((t.name, len(t.arguments)) for t in functions)

    @cached_property
    def actions(self) -> tuple[tuple[str, str, list[AST]], ...]:
        """The heads of `occurs/2` outside of `base`: part, parameter and arguments of each."""
        return tuple(
            (section.part, section.parameter, arguments(atom))
            for section in self.sections
            if section.part != "base"
            for statement in section.statements
            for atom in heads(statement)
            if signature(atom) == OCCURS
        )

    def spelled_out(self, keys: Collection[Signature]) -> list[AST]:
        """The plain facts of some predicates as statements."""
        return [statement for facts in self.facts for statement in statements_in(facts.of(keys))]

    @cached_property
    def time_places(self) -> dict[Signature, set[int]]:
        """For each predicate that timed sections define, the arguments that are the parameter."""
        return time_places(self.sections)

    @cached_property
    def delicate(self) -> bool:
        """Whether a timed section has a conditional literal in the head of a disjunction.

        What clingo makes of it depends on which rules are grounded in the same call.
        """
        return any(
            s.ast_type == ASTType.Rule
            and s.head.ast_type == ASTType.Disjunction
            and any(element.condition for element in s.head.elements)
            for section in self.sections
            if section.parameter
            for s in section.statements
        )

    @cached_property
    def weighs(self) -> bool:
        """Whether a timed section has a sum in a body, or a disjunction."""
        rules = [
            s
            for section in self.sections
            if section.parameter
            for s in section.statements
            if s.ast_type == ASTType.Rule
        ]
        if any(rule.head.ast_type == ASTType.Disjunction for rule in rules):
            return True
        literals = (s for rule in rules for s in rule.body if s.ast_type == ASTType.Literal)
        atoms = (literal.atom for literal in literals)
        return any(a.ast_type == ASTType.BodyAggregate and a.function in _SUMS for a in atoms)

    @cached_property
    def staged(self) -> bool:
        """Whether each atom in `step(t)` that could be one of `check(t)` speaks of an earlier time.

        That is seen from the syntax: at one argument place all heads in `check` have just `t`, and
        the atom in `step` has `t-k`. The external `query(t)` belongs to `check`.
        """
        places = time_places(section for section in self.sections if section.part == "check")
        places[QUERY] = {0}
        return all(
            any(is_before(arguments(atom)[i], section.parameter) for i in places[signature(atom)])
            for section in self.sections
            if section.part == "step"
            for atom in (a for s in section.statements for a in atoms(s))
            if signature(atom) in places
        )


def time_places(sections: Iterable[Section]) -> dict[Signature, set[int]]:
    """For each predicate that the sections define, the arguments that are just the parameter.

    An argument counts only if all heads have the parameter there.
    """
    places: dict[Signature, set[int]] = {}
    for section in (s for s in sections if s.parameter):
        for atom in (a for s in section.statements for a in heads(s)):
            terms = enumerate(arguments(atom))
            now = {i for i, term in terms if is_now(term, section.parameter)}
            key = signature(atom)
            places[key] = places.get(key, now) & now
    return places


def statements_in(facts: PlainFacts) -> tuple[AST, ...]:
    """Plain facts as statements."""
    return parse_text(facts.text, facts.file)[1:] if facts.text else ()


def read_unit(file: str, allow_includes: bool = False) -> Unit:
    """The unit of a file; it is parsed again only if its text has changed.

    Raises
    ------
    InputError
        The file cannot be read, or is no program; the message names file, line and column.
    """
    return _unit(read_source(file, allow_includes))


@lru_cache(maxsize=64)
def _unit(source: Source) -> Unit:
    facts = (text.scan().facts for text in source.texts)
    return Unit(statements_of(source), tuple(found for found in facts if found.text))


def unit_of_text(text: str, name: str = "<text>", allow_includes: bool = False) -> Unit:
    """The unit of a program that is given as text; raises as `read_unit` does."""
    return _unit(source_of_text(text, name, allow_includes))


def joined(units: Iterable[Unit]) -> Unit:
    """One unit with what all hold."""
    units = list(units)
    if len(units) == 1:
        return units[0]
    statements = tuple(s for unit in units for s in unit.statements)
    return Unit(statements, tuple(facts for unit in units for facts in unit.facts))


def first_disjunction(sections: Iterable[Section]) -> Location | None:
    """Where the first rule stands that has a disjunction in its head; None if there is none."""
    places = (
        location(statement)
        for section in sections
        for statement in section.statements
        if statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Disjunction
    )
    return next(places, None)
