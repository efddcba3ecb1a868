"""An incremental program: its parts, and what the controller must know about them.

A program has the parts `base`, `step(t)`, `check(t)`, and may have `plan(t)`; the parameter may
have any name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from clingo import Control, Function, Number, Symbol
from clingo.ast import AST, ASTType, ProgramBuilder

from asplan.asp.foreign import refuse_foreign
from asplan.asp.source import parse, parse_text
from asplan.asp.syntax import (
    Signature,
    arguments,
    atoms,
    constants,
    heads,
    is_before,
    is_now,
    signature,
)
from asplan.errors import InputError, UsageError, nearest

Part = tuple[str, list[Symbol]]

PARTS = {"base": 0, "step": 1, "check": 1, "plan": 1}
"""The parts and how many parameters they have."""

QUERY = "query"
STAGED = "asplan(staged)."
LOOP_CONSTANTS = ("imin", "imax", "istop")
"""What clingo's own loop reads; a program may set them without using them."""


def base() -> Part:
    """The part that is grounded first, once."""
    return "base", []


def step(t: int) -> Part:
    """The part that leads from the state at t-1 to the state at t."""
    return "step", [Number(t)]


def check(t: int) -> Part:
    """The part that looks at the state at t."""
    return "check", [Number(t)]


def plan(t: int) -> Part:
    """The part that reads a plan off a program whose goal holds at t."""
    return "plan", [Number(t)]


def query(t: int) -> Symbol:
    """The external atom that demands the goal at t."""
    return Function(QUERY, [Number(t)])


@dataclass(frozen=True)
class Section:
    """What stands between one `#program` line and the next; `parameter` is empty in `base`."""

    part: str
    parameter: str
    statements: tuple[AST, ...]


@dataclass(frozen=True)
class Program:
    """Parsed files with the facts about them that decide how they may be run.

    Attributes
    ----------
    sections
        The statements, in order; some section of `check` declares the external `query(t)`.
    plans
        Whether a rule of the program derives `occurs/2`.
    plan_part
        Whether it has a part `plan(t)`, which is grounded once a horizon was found satisfiable.
    optimizes
        Whether it has `#minimize`, `#maximize` or weak constraints.
    only_query
        Whether `query` is its only external.
    staged
        Whether `step(t)` may be grounded in a call of its own before `check(t)`: no rule of
        `step(t)` reads at time t what `check(t)` derives, or the program asks for two calls.
    as_it_stands
        Whether it asks for two calls, and so counts on the order in which its parts are grounded.
    scripts
        Whether it has Python code, which was allowed.
    time_of_occurs
        The argument of `occurs/2` that is the time; 1 unless all heads say 0.
    copied
        Whether it was rewritten, so that parts of its own copy the present (see `rewrite`).
    """

    sections: tuple[Section, ...]
    plans: bool
    plan_part: bool
    optimizes: bool
    only_query: bool
    staged: bool
    as_it_stands: bool
    scripts: bool
    time_of_occurs: int
    copied: bool = False

    def add_to(self, control: Control) -> None:
        """Add all statements to a control."""
        with ProgramBuilder(control) as builder:
            for section in self.sections:
                parameter = f"({section.parameter})" if section.parameter else ""
                for header in parse_text(f"#program {section.part}{parameter}.")[1:]:
                    builder.add(header)
                for statement in section.statements:
                    builder.add(statement)


def load(
    files: Iterable[str], constants: Mapping[str, str], allow_scripts: bool = False
) -> Program:
    """Read an incremental program.

    Raises
    ------
    InputError
        A file cannot be read or parsed, or is a program of another kind.
    UsageError
        A constant is given a value that no file uses.
    """
    return make(parse(files), constants, allow_scripts)


def make(
    statements: Iterable[AST], given: Mapping[str, str], allow_scripts: bool = False
) -> Program:
    """The program that some statements form; raises as `load` does."""
    statements = tuple(statements)
    refuse_foreign(statements, PARTS, allow_scripts)
    sections = sections_of(statements)
    if "step" not in {section.part for section in sections}:
        raise InputError(
            "the files have no part step(t), so there is nothing to plan with",
            mend="add an encoding: -e NAME or one more file",
        )
    _refuse_unused(given, statements)
    externals = {signature(s.atom) for s in statements if s.ast_type == ASTType.External}
    if ("", QUERY, 1) not in externals:
        declaration = parse_text(f"#external {QUERY}(t).")[1:]
        sections = (*sections, Section("check", "t", declaration))
    defined = {signature(atom) for s in statements for atom in heads(s)}
    in_base = (s for section in sections if section.part == "base" for s in section.statements)
    asks = any(str(s) == STAGED for s in in_base)
    return Program(
        sections=sections,
        plans=("", "occurs", 2) in defined,
        plan_part=any(section.part == "plan" for section in sections),
        optimizes=any(s.ast_type == ASTType.Minimize for s in statements),
        only_query=externals <= {("", QUERY, 1)},
        staged=asks or _is_staged(sections),
        as_it_stands=asks,
        scripts=any(s.ast_type == ASTType.Script for s in statements),
        time_of_occurs=max(time_places(sections).get(("", "occurs", 2)) or {1}),
    )


def has_step(statements: Iterable[AST]) -> bool:
    """Whether some statements open a part `step`."""
    return any(s.ast_type == ASTType.Program and s.name == "step" for s in statements)


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


def sections_of(statements: Iterable[AST]) -> tuple[Section, ...]:
    """The sections that some statements form; the first is `base`."""
    found: list[tuple[str, str, list[AST]]] = [("base", "", [])]
    for statement in statements:
        if statement.ast_type == ASTType.Program:
            parameter = str(statement.parameters[0].name) if statement.parameters else ""
            found.append((statement.name, parameter, []))
        else:
            found[-1][2].append(statement)
    return tuple(Section(part, parameter, tuple(body)) for part, parameter, body in found)


def _refuse_unused(given: Mapping[str, str], statements: Iterable[AST]) -> None:
    defined = {s.name for s in statements if s.ast_type == ASTType.Definition}
    if given.keys() <= defined:
        return
    used = constants(statements)
    for name in given:
        if name not in used and name not in LOOP_CONSTANTS:
            mend = nearest(name, used, noun="constants") if used else ""
            raise UsageError(f"no file uses the constant {name}", mend=mend)


def _is_staged(sections: Iterable[Section]) -> bool:
    """Whether every atom in `step(t)` that could be one of `check(t)` speaks of an earlier time.

    That is seen from the syntax: at one argument place all heads in `check` have just `t`, and
    the atom in `step` has `t-k`.
    """
    sections = tuple(sections)
    places = time_places(section for section in sections if section.part == "check")
    return all(
        any(is_before(arguments(atom)[i], section.parameter) for i in places[signature(atom)])
        for section in sections
        if section.part == "step"
        for atom in (a for s in section.statements for a in atoms(s))
        if signature(atom) in places
    )


def control_options(constants: Mapping[str, str]) -> list[str]:
    """Command-line words that give a control its constants."""
    return [f"-c{name}={value}" for name, value in constants.items()]
