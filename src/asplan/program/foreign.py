"""Programs of another kind, refused with the name of the tool that runs them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from clingo.ast import AST, ASTType

from asplan.errors import InputError
from asplan.program.syntax import Call, location

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
                mend="asplan runs plain clingo; without that solver the atoms would mean nothing",
            )
        elif name := _theory_atom(statement):
            tool = _SOLVERS.get(name)
            raise InputError(
                f"&{name}: theory atoms need a solver of their own",
                at=location(statement),
                mend=f"{tool} runs it" if tool else "asplan runs plain clingo",
            )


def refuse_lost_calls(calls: Iterable[Call], scripts: Collection[AST]) -> None:
    """Raise `InputError` at the first call of a function, in a program that has no script.

    clingo would drop the rule without a word, or call what some other program left behind.
    """
    for name, at in calls if not scripts else ():
        raise InputError(
            f"@{name}: no script of the program defines this function",
            at=at,
            mend="asplan runs #script (python) of the program itself, with --allow-scripts",
        )


def _check_part(statement: AST, parts: Mapping[str, int]) -> None:
    if statement.name in TEMPORAL and not statement.parameters:
        raise InputError(
            f"#program {statement.name} belongs to a temporal program",
            at=location(statement),
            mend="telingo runs it; the parts that asplan knows are base, step(t) and check(t)",
        )
    if len(statement.parameters) != parts.get(statement.name):
        raise InputError(
            f"{str(statement).rstrip('.')} is no part of a planning program",
            at=location(statement),
            mend="the parts are base, step(t), check(t) and plan(t)",
        )


def _check_script(statement: AST, allow_scripts: bool) -> None:
    language, code = statement.name, statement.code
    at = location(statement)
    if language != "python":
        raise InputError(
            f"#script ({language}): asplan runs no scripts but Python's",
            at=at,
            mend=f"a clingo that was built with {language} runs it",
        )
    if re.search(r"^\s*def\s+main\s*\(", code, re.MULTILINE):
        raise InputError(
            "#script (python) has a main of its own, which takes asplan's place",
            at=at,
            mend="run it with python -m clingo FILE, or leave main out: asplan has the loop",
        )
    if not allow_scripts:
        raise InputError(
            "#script (python) would run code of whoever wrote the file",
            at=at,
            mend="if you trust it, say --allow-scripts",
        )


def _theory_atom(statement: AST) -> str:
    if statement.ast_type != ASTType.Rule:
        return ""
    candidates = [statement.head, *(getattr(b, "atom", b) for b in statement.body)]
    for node in candidates:
        if node.ast_type == ASTType.TheoryAtom:
            return str(node.term.name)
    return ""
