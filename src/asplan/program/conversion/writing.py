"""Converted programs as text for people, with the authors' comments and wording.

An unchanged statement keeps its author's text. Comments before it, and behind it in its line, go
with the first statement that was made of it; plain facts stay in `base`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from asplan.core.errors import InputError
from asplan.program import syntax
from asplan.program.conversion.conversion import convert
from asplan.program.reading.comments import Comments, files_of
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import QUERY, Section, Unit, joined, pairs
from asplan.program.syntax import AST, ASTType, Sign
from asplan.program.syntax.terms import Substitution
from asplan.program.syntax.wording import plain_text
from asplan.program.times.horizon import Horizon

_TIMELESS = (ASTType.ShowSignature, ASTType.Defined, ASTType.Definition)


def incremental_text(units: Sequence[Unit], horizon: Horizon, constants: Mapping[str, str]) -> str:
    """Return the text of the incremental program for a single-shot one.

    Raise the errors of `convert`.
    """
    converted = convert(units, horizon, constants)
    sections = list[Section]()
    for unit in converted:
        sections.extend(unit.sections)
    t = next(section.parameter for section in sections if section.parameter)
    written = set(map(str, joined(units).statements))
    comments = Comments(units)
    base = list(comments.of_others(statement for _, statement in pairs(sections)))
    for unit in converted:
        base += comments.facts(unit)
    lines = [*_incremental_header(units, horizon, t), ""]
    bodies = {"base": base, "step": list[str](), "check": list[str]()}
    for part, body in bodies.items():
        for _, statement in pairs(section for section in sections if section.part == part):
            body += comments.with_statement(statement, str(statement) in written)
        if body:
            lines += [_header(part, t), *body, ""]
    return _text_of(lines)


def _header(part: str, t: str) -> str:
    return "#program base." if part == "base" else f"#program {part}({t})."


def _incremental_header(units: Iterable[Unit], horizon: Horizon, t: str) -> Iterator[str]:
    """Yield comments about the program from which an incremental one was made.

    `t` is the name of the time parameter.
    """
    value = f"{t}{horizon.origin:+d}" if horizon.origin else t
    place = f"{Path(horizon.at.file).name}:{horizon.at.line}"
    names = _file_names(units)
    yield f"% Made of {names} by asplan convert, for asplan and for clingo's incremental mode."
    yield f"% In the original, {horizon.text} bounds the time ({place}). step({t}) adds the rules"
    yield f"% for its value {value}; check({t}) has the rules for the last step alone, and the"
    yield "% goal."


def single_shot_text(units: Sequence[Unit]) -> str:
    """Return the text of the single-shot program for an incremental one.

    The text has a constant for the number of steps.

    Raises
    ------
    InputError
        At a statement that depends on the order in which steps are grounded.
    """
    n = _steps_name(units)
    names = _file_names(units)
    lines = [
        f"% Made of {names} by asplan convert, for clingo -c {n}=STEPS: all steps at once.",
        f"#const {n} = 10.",
        "",
    ]
    comments = Comments(units)
    for unit in units:
        lines += comments.facts(unit)
        for section, statement in pairs(unit.sections):
            if not section.parameter:
                lines += comments.with_statement(statement, True)
            elif statement.ast_type == ASTType.External:
                _refuse_external(statement)
            else:
                new = _at_once(statement, section, n)
                lines += comments.with_statement(new, new is statement)
    return _text_of(lines)


def _text_of(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _file_names(units: Iterable[Unit]) -> str:
    return ", ".join(Path(file).name for file in files_of(units))


def _steps_name(units: Iterable[Unit]) -> str:
    """Return an unused name for the constant that gives the number of steps."""
    taken = set[str]()
    for unit in units:
        taken |= unit.constants | unit.definitions
    names = chain(("n", "horizon"), (f"n{i}" for i in count(2)))
    return next(name for name in names if name not in taken)


def _refuse_external(statement: AST) -> None:
    """Raise `InputError` at an external other than `query(t)`."""
    if syntax.signature(statement.atom) != QUERY:
        what = f"{statement} is set from outside at each step, so it cannot be converted"
        raise InputError(what, at=syntax.location(statement))


def _at_once(statement: AST, section: Section, n: str) -> AST:
    """Return a statement for all times of its part; for the last time if it has `query(t)`.

    `n` is the name of the constant for the number of steps.
    """
    if statement.ast_type in _TIMELESS:
        return statement
    if not syntax.has_body(statement):
        what = f"{statement} cannot be converted for all steps at once"
        raise InputError(what, at=syntax.location(statement))
    part = section.part
    t = section.parameter
    body = [literal for literal in statement.body if not _is_query(literal)]
    _refuse_other_queries(statement, body)
    without_query: AST = statement.update(body=body)
    if part != "plan":
        _refuse_later_steps(without_query, t)
    if part == "plan" or len(body) < len(statement.body):
        return Substitution({t: (n, 0)}).visit(without_query)
    variable = _fresh_variable(statement)
    new: AST = Substitution({t: (variable, 0)}).visit(statement)
    first = 1 if part == "step" else 0
    (bounds,) = parse_text(f":- {variable} = {first}..{n}.")[1].body
    return new.update(body=[*new.body, bounds])


def _is_query(literal: AST, sign: Sign | None = Sign.NoSign) -> bool:
    return syntax.is_literal(literal, sign=sign) and syntax.signature(literal.atom) == QUERY


def _refuse_other_queries(statement: AST, body: Iterable[AST]) -> None:
    """Raise `InputError` at an atom `query(t)` that is negated or inside another literal."""
    for literal in syntax.find(ASTType.Literal, body):
        if _is_query(literal, None):
            what = f"{plain_text(literal)}: only a positive {QUERY[1]} in a body can be converted"
            raise InputError(what, at=syntax.location(statement))


def _refuse_later_steps(statement: AST, t: str) -> None:
    """Raise `InputError` at an atom with a time after the parameter `t`, such as t+1."""
    later = re.compile(rf"\({t}\+\d+\)$|\(\d+\+{t}\)$")
    for atom in syntax.atoms(statement):
        if any(later.match(str(term)) for term in syntax.arguments(atom)):
            what = f"{plain_text(atom)} belongs to a later step, "
            what += "which exists already if all steps are grounded at once"
            raise InputError(what, at=syntax.location(statement))


def _fresh_variable(statement: AST) -> str:
    """Return the name of a variable that does not occur in a statement."""
    taken = {variable.name for variable in syntax.find(ASTType.Variable, [statement])}
    names = chain(("T",), (f"T{i}" for i in count(1)))
    return next(name for name in names if name not in taken)
