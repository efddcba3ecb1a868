"""Temporal programs of telingo, brought into the parts that asplan knows by telingo's transformer.

It gives each atom a last argument, the time, and says when its parts are grounded: with the time
`__t`, and `__u` for the last one. A part `always` becomes one of `step(t)` with a copy for time 0
in `base`; `initial` goes to `base`, `dynamic` to `step(t)`, what reads `__final` to `check(t)`
under `query(t)`. A constraint that looks k steps ahead is grounded once those are there, and under
`query(t)` until then. Atoms promised for a time after the last one, `__future_p(1,t+1)`, may not
hold.

Cabalar, Kaminski, Morkisch, Schaub, *telingo = ASP + Time*, LPNMR 2019.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from asplan.core.errors import InputError, needs_extra
from asplan.program import syntax
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType
from asplan.program.terms import Substitution, Time
from asplan.program.theory import TEMPORAL, theory_atoms
from asplan.program.unit import QUERY, Unit, joined, statements_in

_TIME, _LAST, _FINAL, _FUTURE = "__t", "__u", "__final", "__future_"


def in_steps(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units of a temporal program with parts base, step(t) and check(t), in the main one."""
    taken, written = joined(units).constants, list[AST]()
    now = next(n for n in ("t", "k", "step", "time", "asplan__t") if n not in taken)
    for unit in units:
        _refuse_others(unit)
        begin = parse_text("#program base.")[1]
        facts = (s for each in unit.facts for s in statements_in(each))
        written += [begin, *facts, *unit.statements]
    found, reground = _transformed(written)
    parts: dict[str, list[AST]] = {"base": [], "step": [], "check": []}
    grouped: dict[str, list[AST]] = {}
    part, formulas = "initial", any(map(theory_atoms, found))
    for statement in found:
        if statement.ast_type == ASTType.Program:
            part = statement.name
        elif statement.ast_type == ASTType.Comment or (
            statement.ast_type == ASTType.TheoryDefinition and not formulas
        ):
            continue
        elif not hasattr(statement, "body"):
            parts["base"].append(statement)
        elif not (statement.ast_type == ASTType.External and _reads_final(statement)):
            grouped.setdefault(part, []).append(statement)
    for root, name, back in reground:
        for statement in grouped.get(name, ()):
            for ahead in back:
                for place, copy in _copies(statement, root, ahead, now):
                    parts[place].append(copy)
    parts["check"] += _unkept(chain.from_iterable(grouped.values()), now)
    if formulas:
        parts["check"].append(parse_text(f"{_FINAL}({now}) :- {QUERY[1]}({now}).")[1])
    headers = {"base": "#program base.", **{p: f"#program {p}({now})." for p in ("step", "check")}}
    statements = tuple(
        s for part, header in headers.items() for s in (parse_text(header)[1], *parts[part])
    )
    most = max(range(len(units)), key=lambda i: len(units[i].statements))
    return tuple(Unit(statements if i == most else ()) for i in range(len(units)))


def _refuse_others(unit: Unit) -> None:
    """Raise `InputError` at a part or a script, which telingo does not know."""
    for statement in unit.suspects:
        if statement.ast_type == ASTType.Script:
            what = "a script in a temporal program: telingo runs none"
            raise InputError(what, at=syntax.location(statement))
        if statement.ast_type == ASTType.Program and (
            statement.parameters or statement.name not in ("base", *TEMPORAL)
        ):
            what = f"{str(statement).rstrip('.')} beside the parts of a temporal program"
            hint = "telingo's parts are base, initial, dynamic, always and final"
            raise InputError(what, at=syntax.location(statement), hint=hint)


def _transformed(written: Iterable[AST]) -> tuple[list[AST], list[tuple[str, str, range]]]:
    """What telingo makes of statements, with their places, and when which part is grounded."""
    with needs_extra("a temporal program needs telingo, which is not installed", "telingo"):
        from telingo.transformers import transform  # type: ignore[import-untyped]
    written = list(written)
    found: list[AST] = []
    try:  # a statement a line, so that the line tells which one it was
        lines = (str(statement).replace("\n", " ") for statement in written)
        _, reground = transform(["\n".join(lines)], found.append)
    except RuntimeError as error:
        line = re.search(r"<string>:(\d+):", str(error))
        at = syntax.location(written[int(line[1]) - 1]) if line else None
        what = str(error).partition(": <string>")[0]
        raise InputError(f"telingo refuses the statement: {what}", at=at) from None
    return [_Placing(written).visit(s) for s in found], reground


class _Placing(Substitution):
    """Gives all nodes of what telingo has read the place of the author's statement."""

    def __init__(self, written: Sequence[AST]) -> None:
        super().__init__({})
        self.written = written

    def visit_children(self, ast: AST, *args: Any, **kwargs: Any) -> dict[str, Any]:
        update = super().visit_children(ast, *args, **kwargs)
        keys: list[str] = ast.keys()
        if "location" in keys and ast.location.begin.filename == "<string>":
            line = ast.location.begin.line
            if 0 < line <= len(self.written):
                update["location"] = self.written[line - 1].location
        return update


class _Final(Substitution):
    """Puts times in the place of telingo's, and the query in that of `__final`."""

    def visit_Function(self, term: AST) -> AST:
        new: AST = term.update(**self.visit_children(term))
        return new.update(name=QUERY[1]) if new.name == _FINAL else new


def _reads_final(statement: AST) -> bool:
    return any(syntax.signature(atom)[1] == _FINAL for atom in syntax.atoms(statement))


def _copies(statement: AST, root: str, ahead: int, now: str) -> Iterator[tuple[str, AST]]:
    """A statement in the parts it goes to, grounded `ahead` steps after the time it speaks of."""
    timed: dict[str, Time] = {_TIME: (now, -ahead), _LAST: (now, 0)}
    least = ahead + (root == "dynamic")
    is_goal = _reads_final(statement) or syntax.names_term(statement, _LAST)
    if not is_goal and root != "dynamic" and not ahead:
        yield "base", _Final({_TIME: ("", 0)}).visit(statement)
    if root == "initial" and (is_goal or ahead):
        yield "check", _when(_Final(timed).visit(statement), f"{now} = {ahead}")
    elif root != "initial":
        copy = _Final(timed).visit(statement)
        place = "check" if is_goal else "step"
        is_guarded = least > (place == "step")
        yield place, _when(copy, f"{now} >= {least}") if is_guarded else copy


def _when(statement: AST, condition: str) -> AST:
    """A statement that holds under a condition on the time."""
    (literal,) = parse_text(f":- {condition}.")[1].body
    return statement.update(body=[literal, *statement.body])


def _unkept(statements: Iterable[AST], now: str) -> Iterator[AST]:
    """Constraints by which nothing is promised for a time after the last one."""
    heads = (atom for statement in statements for atom in syntax.heads(statement))
    ahead = (atom for atom in heads if syntax.signature(atom)[1].startswith(_FUTURE))
    promised = {(*syntax.signature(a), syntax.number_of(syntax.arguments(a)[-2])) for a in ahead}
    for sign, name, arity, shift in sorted(promised, key=str):
        terms = ["_"] * (arity - 2)
        for after in range(1, (shift or 0) + 1):
            atom = ",".join([*terms, str(shift), f"{now}+{after}"])
            yield parse_text(f":- {sign}{name}({atom}), {QUERY[1]}({now}).")[1]
