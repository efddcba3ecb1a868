"""Converted programs as text for people: with their comments, and in the author's words.

A statement that was not changed stands as its author wrote it. Comments before a statement, and
behind it in its line, go with the first that was made of it; plain facts stay in `base`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.conversion import convert
from asplan.program.horizon import Horizon
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Sign
from asplan.program.terms import Substitution
from asplan.program.unit import QUERY, Section, Unit, pairs
from asplan.program.wording import Wording, plain_text

_INCLUDE = re.compile(r'#include\s*"[^"\n]*"\s*\.')  # what is included is written as well


def incremental_text(units: Sequence[Unit], horizon: Horizon, constants: Mapping[str, str]) -> str:
    """The incremental program that a single-shot one becomes; raises as `convert` does."""
    converted = convert(units, horizon, constants)
    t = next(s.parameter for unit in converted for s in unit.sections if s.parameter)
    value = t if not horizon.origin else f"{t}{horizon.origin:+d}"
    files = ", ".join(Path(file).name for file in _files(units))
    lines = [
        f"% Made of {files} by asplan convert, for asplan and for clingo's incremental mode.",
        f"% There the time is bounded by {horizon.text} "
        f"({Path(horizon.at.file).name}:{horizon.at.line}). Step {t} adds what the value {value}",
        f"% adds to the one before; check({t}) has what is true of the last step alone, and",
        "% demands the goal.",
        "",
    ]
    written = {str(statement) for unit in units for statement in unit.statements}
    notes = _Notes(units)
    sections = [section for unit in converted for section in unit.sections]
    for part in ("base", "step", "check"):
        body: list[str] = []
        if part == "base":
            body += notes.of_others(s for section in sections for s in section.statements)
            body += [line for unit in converted for line in notes.rest(unit)]
        for section in sections:
            for statement in section.statements if section.part == part else ():
                body += notes.with_comments(statement, str(statement) in written)
        if body:
            lines += [f"#program {part}{f'({t})' if part != 'base' else ''}.", *body, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _files(units: Sequence[Unit]) -> list[str]:
    names = [syntax.location(s).file for unit in units for s in unit.statements]
    names += [facts.file for unit in units for facts in unit.facts]
    return list(dict.fromkeys(names))


class _Notes:
    """The texts of some files, cut at their statements; each piece is used once."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.before: dict[Location, list[str]] = {}
        self.behind: dict[Location, str] = {}
        self.left: dict[str, list[str]] = {}
        self.wording = Wording()
        written = [s for unit in units for s in unit.statements if str(s) != "#program base."]
        for file in (file for file in _files(units) if Path(file).is_file()):
            text = Path(file).read_bytes()
            starts = [0, *(m.end() for m in re.finditer(rb"\n", text))]
            own = [s for s in written if s.location.begin.filename == file]
            ends = ((s, s.location.end) for s in own)
            spans = sorted((syntax.location(s), starts[e.line - 1] + e.column - 1) for s, e in ends)
            end, last, kept = 0, None, list[str]()
            for key, stop in [*spans, (None, len(text))]:
                start = len(text) if key is None else starts[key.line - 1] + key.column - 1
                if start >= end:
                    kept += self._cut(text[end:start].decode(errors="replace"), last, key)
                    end, last = stop, key
            self.left[file] = kept

    def _cut(self, gap: str, last: Location | None, key: Location | None) -> list[str]:
        """Give the comments in a gap to the statements around it; what is left are facts."""
        lines = gap.split("\n")
        if last is not None and lines[0].strip().startswith("%"):
            self.behind[last] = lines[0].strip()
            lines[0] = ""
        lines = [line.rstrip() for line in lines]
        cut = len(lines)
        while cut and (not lines[cut - 1].strip() or lines[cut - 1].lstrip().startswith("%")):
            cut -= 1
        if key is None:
            cut = len(lines)
        elif notes := [line.strip() for line in lines[cut:]]:
            self.before[key] = _trimmed(notes)
        return _trimmed(lines[:cut])

    def with_comments(self, statement: AST, is_written: bool) -> Iterator[str]:
        """A statement, with its comments where it is the first at its place."""
        key = syntax.location(statement)
        if notes := self.before.pop(key, []):
            yield from ("", *notes)
        text = self.wording(statement) if is_written else plain_text(statement)
        behind = self.behind.pop(key, "")
        yield f"{text}  {behind}" if behind else text

    def of_others(self, statements: Iterable[AST]) -> Iterator[str]:
        """The comments of what is not among some statements."""
        kept = set(map(syntax.location, statements))
        for key in [key for key in self.before if key not in kept]:
            yield from self.before.pop(key)
        for key in [key for key in self.behind if key not in kept]:
            yield self.behind.pop(key)

    def rest(self, unit: Unit) -> Iterator[str]:
        """The plain facts, once for each file."""
        for facts in unit.facts:
            for line in self.left.pop(facts.file, _trimmed(facts.text.split("\n"))):
                rest = _INCLUDE.sub("", line).strip()
                if rest or not line.strip():
                    yield rest


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without empty ones at both ends, and never two in a row."""
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return text.split("\n") if text else []


# The other way.


def single_shot_text(units: Sequence[Unit]) -> str:
    """The single-shot program that an incremental one becomes, with the constant `n`."""
    taken = {name for unit in units for name in unit.constants | unit.definitions}
    names = chain(("n", "horizon"), (f"n{i}" for i in count(2)))
    n = next(name for name in names if name not in taken)
    files = ", ".join(Path(file).name for file in _files(units))
    lines = [
        f"% Made of {files} by asplan convert, for clingo -c {n}=STEPS: all steps at once.",
        f"#const {n} = 10.",
        "",
    ]
    notes = _Notes(units)
    for unit in units:
        lines += notes.rest(unit)
        for section, statement in pairs(unit.sections):
            if section.parameter and statement.ast_type == ASTType.External:
                if syntax.signature(statement.atom) != QUERY:
                    what = f"{statement} is decided from outside at each step"
                    raise InputError(what, at=syntax.location(statement))
                continue
            new = _at_once(statement, section, n) if section.parameter else statement
            lines += notes.with_comments(new, new is statement)
    return "\n".join(lines).rstrip("\n") + "\n"


def _at_once(statement: AST, section: Section, n: str) -> AST:
    """A statement of a part for all times of its parameter, or for the last."""
    part, t = section.part, section.parameter
    if statement.ast_type in (ASTType.ShowSignature, ASTType.Defined, ASTType.Definition):
        return statement
    if not hasattr(statement, "body"):
        raise InputError(f"{statement} is not for all steps at once", at=syntax.location(statement))

    def is_query(literal: AST, sign: Sign | None = Sign.NoSign) -> bool:
        return syntax.is_literal(literal, sign=sign) and syntax.signature(literal.atom) == QUERY

    query = list(filter(is_query, statement.body))
    body = [b for b in statement.body if b not in query]
    for literal in syntax.find(ASTType.Literal, body):
        if is_query(literal, None):
            what = f"{plain_text(literal)} stands elsewhere than in the body of a rule"
            raise InputError(what, at=syntax.location(statement))
    for atom in syntax.atoms(statement.update(body=body)):
        for term in syntax.arguments(atom):
            if re.match(rf"\({t}\+\d+\)$|\(\d+\+{t}\)$", str(term)) and part != "plan":
                what = f"{plain_text(atom)} is of a later step, "
                what += "which is there already if all are at once"
                raise InputError(what, at=syntax.location(statement))
    if query or part == "plan":
        return Substitution({t: (n, 0)}).visit(statement.update(body=body))
    taken = {variable.name for variable in syntax.find(ASTType.Variable, [statement])}
    free = next(name for name in chain(("T",), (f"T{i}" for i in count(1))) if name not in taken)
    new: AST = Substitution({t: (free, 0)}).visit(statement)
    first = 1 if part == "step" else 0
    return new.update(body=[*new.body, *parse_text(f":- {free} = {first}..{n}.")[1].body])
