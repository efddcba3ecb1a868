"""The refusal of programs that asplan cannot run, with a hint at a tool that can."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from asplan.core.errors import InputError
from asplan.program import syntax
from asplan.program.reading.unit import Unit
from asplan.program.syntax import AST, ASTType
from asplan.program.theory import KNOWN, name_of, theory_atoms

Objection = tuple[str, str]
"""An error message about a statement, and a hint."""

_MAIN = re.compile(r"^\s*def\s+main\s*\(", re.MULTILINE)
_TOOLS = "asplan knows the theory atoms of telingo, clingo-dl, clingcon and clingo-lpx"


def refuse_foreign(
    statements: Iterable[AST], parts: Mapping[str, int], allow_scripts: bool
) -> None:
    """Raise `InputError` at the first statement that asplan cannot run.

    Parameters
    ----------
    statements
        The statements of a program, or only `Unit.suspects`.
    parts
        The parts that a program may have, with the numbers of their parameters.
    allow_scripts
        Whether the user trusts the Python code in the program.
    """
    for statement in statements:
        for what, hint in _objections(statement, parts, allow_scripts):
            raise InputError(what, at=syntax.location(statement), hint=hint)


def _objections(
    statement: AST, parts: Mapping[str, int], allow_scripts: bool
) -> Iterator[Objection]:
    match statement.ast_type:
        case ASTType.Program:
            if len(statement.parameters) != parts.get(statement.name):
                part = str(statement).rstrip(".")
                what = f"{part} is not a part of a planning program"
                yield what, "the parts are base, step(t), check(t) and plan(t)"
        case ASTType.Script:
            yield from _script_objections(statement, allow_scripts)
        case ASTType.TheoryDefinition:
            for atom in statement.atoms:
                if atom.name.strip("_") not in KNOWN:
                    what = f"#theory {statement.name}: asplan has no solver for &{atom.name}"
                    yield what, _TOOLS
        case _:
            for name in map(name_of, theory_atoms(statement)):
                if name not in KNOWN:
                    yield f"&{name}: asplan has no solver for this theory atom", _TOOLS


def _script_objections(script: AST, allow_scripts: bool) -> Iterator[Objection]:
    if script.name != "python":
        what = f"#script ({script.name}): asplan runs only scripts in Python"
        yield what, f"run it with a clingo that was built with {script.name}"
    if _MAIN.search(script.code):
        what = "#script (python) defines main, which would replace asplan's loop"
        yield what, "leave main out, or run the file with python -m clingo FILE"
    if not allow_scripts:
        what = "#script (python) would run code of the file's author"
        yield what, "if you trust it, add --allow-scripts"


def refuse_lost_calls(unit: Unit) -> None:
    """Raise `InputError` if a function `@f(…)` is called and there is no script.

    Without this error, clingo would drop such rules silently.
    """
    if unit.of_kind(ASTType.Script):
        return
    for name, at in unit.calls:
        what = f"@{name}: no script of the program defines this function"
        hint = "define it in #script (python) of the program, and add --allow-scripts"
        raise InputError(what, at=at, hint=hint)
