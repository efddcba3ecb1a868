"""Temporal programs of telingo, divided into asplan's parts with telingo's transformer.

The transformer gives each atom a last argument, the time `__t`, and states when its parts are
grounded; `__u` is the last time. A part `always` becomes a part of `step(t)` with a copy for time 0
in `base`; `initial` goes to `base`, `dynamic` to `step(t)`, and rules that read `__final` to
`check(t)` under `query(t)`. A constraint that looks k steps ahead is grounded once those steps are
there, and under `query(t)` until then. An atom `__future_p(1,t+1)` promises `p` for a later time;
promises for a time after the last one are forbidden.

Cabalar, Kaminski, Morkisch, Schaub, *telingo = ASP + Time*, LPNMR 2019.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from asplan.core.errors import InputError, needs_extra
from asplan.program import syntax
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import QUERY, Unit, joined, statements_in
from asplan.program.syntax import AST, ASTType, ASTUpdate
from asplan.program.syntax.terms import Substitution
from asplan.program.theory import TEMPORAL, theory_atoms

_TIME = "__t"
_LAST = "__u"
_FINAL = "__final"
_FUTURE = "__future_"

_PARAMETERS = ("t", "k", "step", "time", "asplan__t")
"""Names for the time parameter, in order of preference."""

_FIRST = {"step": 1, "check": 0}
"""The first time at which each part is grounded."""

Regrounding = tuple[str, str, range]
"""When telingo grounds some statements: part, name of the group of statements, and delays.

A delay is a number of steps after the statement's own time.
"""


def in_steps(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Divide the units of a temporal program into the parts base, step(t) and check(t).

    The largest unit gets the whole program, the others become empty.
    """
    for unit in units:
        _refuse_others(unit)
    constants = joined(units).constants
    now = next(name for name in _PARAMETERS if name not in constants)
    statements, regroundings = _transformed(_written(units))
    has_formulas = any(map(theory_atoms, statements))
    grouped = _grouped(statements)
    parts: dict[str, list[AST]] = {"base": [], "step": [], "check": []}
    parts["base"] += _declarations(statements, has_formulas)
    for root, name, distances in regroundings:
        for statement in grouped.get(name, ()):
            for ahead in distances:
                for part, copy in _copies(statement, root, ahead, now):
                    parts[part].append(copy)
    parts["check"] += _refute_promises(chain.from_iterable(grouped.values()), now)
    if has_formulas:
        parts["check"].append(parse_text(f"{_FINAL}({now}) :- {QUERY[1]}({now}).")[1])
    sizes = [len(unit.statements) for unit in units]
    divided = [Unit(()) for _ in units]
    divided[sizes.index(max(sizes))] = Unit(_with_headers(parts, now))
    return tuple(divided)


def _written(units: Iterable[Unit]) -> list[AST]:
    """Return all statements of the units in order; each unit begins in `base`."""
    written = list[AST]()
    for unit in units:
        written.append(parse_text("#program base.")[1])
        for facts in unit.facts:
            written.extend(statements_in(facts))
        written.extend(unit.statements)
    return written


def _grouped(statements: Iterable[AST]) -> dict[str, list[AST]]:
    """Group the statements with a body by telingo's parts.

    The declaration of `__final` is left out.
    """
    grouped: dict[str, list[AST]] = {}
    part = "initial"
    for statement in statements:
        if statement.ast_type == ASTType.Program:
            part = statement.name
        elif syntax.has_body(statement) and not _declares_final(statement):
            grouped.setdefault(part, []).append(statement)
    return grouped


def _declarations(statements: Iterable[AST], has_formulas: bool) -> Iterator[AST]:
    """Yield the statements without a body.

    Theory definitions are yielded only if the program has formulas.
    """
    dropped = {ASTType.Program, ASTType.Comment}
    if not has_formulas:
        dropped.add(ASTType.TheoryDefinition)
    for statement in statements:
        if not syntax.has_body(statement) and statement.ast_type not in dropped:
            yield statement


def _with_headers(parts: dict[str, list[AST]], now: str) -> tuple[AST, ...]:
    """Return the statements of all parts, each part after its `#program` line.

    `now` is the name of the time parameter.
    """
    statements = list[AST]()
    for part, body in parts.items():
        header = "#program base." if part == "base" else f"#program {part}({now})."
        statements.append(parse_text(header)[1])
        statements.extend(body)
    return tuple(statements)


def _refuse_others(unit: Unit) -> None:
    """Raise `InputError` at a part or a script that telingo's programs cannot have."""
    for statement in unit.suspects:
        if statement.ast_type == ASTType.Script:
            what = "a script in a temporal program: telingo runs no scripts"
            raise InputError(what, at=syntax.location(statement))
        if statement.ast_type != ASTType.Program:
            continue
        if statement.parameters or statement.name not in ("base", *TEMPORAL):
            part = str(statement).rstrip(".")
            what = f"{part} is not a part of a temporal program"
            hint = "telingo's parts are base, initial, dynamic, always and final"
            raise InputError(what, at=syntax.location(statement), hint=hint)


def _transformed(written: Sequence[AST]) -> tuple[list[AST], list[Regrounding]]:
    """Return telingo's translation of the statements, and its list of regroundings.

    A regrounding is (telingo's part, such as `dynamic`; the name of a translated part; numbers of
    steps). The statements of the translated part are grounded this number of steps later. They keep
    the author's locations.
    """
    with needs_extra("a temporal program needs telingo, which is not installed", "telingo"):
        from telingo.transformers import transform  # type: ignore[import-untyped]
    # One statement per line, so that the line identifies the statement.
    lines = [str(statement).replace("\n", " ") for statement in written]
    translated: list[AST] = []
    try:
        _, regroundings = transform(["\n".join(lines)], translated.append)
    except RuntimeError as error:
        line = re.search(r"<string>:(\d+):", str(error))
        at = syntax.location(written[int(line[1]) - 1]) if line else None
        what, _, _ = str(error).partition(": <string>")
        raise InputError(f"telingo refuses the statement: {what}", at=at) from None
    placing = _Placing(written)
    return [placing.visit(statement) for statement in translated], regroundings


class _Placing(Substitution):
    """Gives all nodes of telingo's translation the locations of the author's statements."""

    def __init__(self, written: Sequence[AST]) -> None:
        super().__init__({})
        self.written = written

    def visit_children(self, ast: AST, *args: object, **kwargs: object) -> dict[str, ASTUpdate]:
        update = super().visit_children(ast, *args, **kwargs)
        keys: Collection[str] = ast.keys()
        if "location" in keys and ast.location.begin.filename == "<string>":
            line = ast.location.begin.line
            if 0 < line <= len(self.written):
                update["location"] = self.written[line - 1].location
        return update


class _Final(Substitution):
    """Replaces telingo's names of times by other times, and `__final(…)` by `query(…)`."""

    def visit_Function(self, term: AST) -> AST:
        new: AST = term.update(**self.visit_children(term))
        return new.update(name=QUERY[1]) if new.name == _FINAL else new


def _reads_final(statement: AST) -> bool:
    return any(syntax.signature(atom)[1] == _FINAL for atom in syntax.atoms(statement))


def _declares_final(statement: AST) -> bool:
    return statement.ast_type == ASTType.External and _reads_final(statement)


def _copies(statement: AST, root: str, ahead: int, now: str) -> Iterator[tuple[str, AST]]:
    """Yield (part, copy) for the copies of a statement.

    Parameters
    ----------
    statement
        The statement, as telingo translated it.
    root
        The telingo part to which it belongs.
    ahead
        The number of steps between the time of the statement and the step that grounds it.
    now
        The name of the time parameter.
    """
    is_goal = _reads_final(statement) or syntax.names_term(statement, _LAST)
    is_immediate = not is_goal and not ahead
    if is_immediate and root != "dynamic":
        yield "base", _Final({_TIME: ("", 0)}).visit(statement)
    times = {_TIME: (now, -ahead), _LAST: (now, 0)}
    copy = _Final(times).visit(statement)
    if root == "initial":
        if not is_immediate:
            yield "check", _when(copy, f"{now} = {ahead}")
        return
    first = ahead + 1 if root == "dynamic" else ahead
    part = "check" if is_goal else "step"
    if first > _FIRST[part]:
        copy = _when(copy, f"{now} >= {first}")
    yield part, copy


def _when(statement: AST, condition: str) -> AST:
    """Return a statement with `condition`, a comparison of the time as text, added to its body."""
    (literal,) = parse_text(f":- {condition}.")[1].body
    return statement.update(body=[literal, *statement.body])


def _refute_promises(statements: Iterable[AST], now: str) -> Iterator[AST]:
    """Yield constraints that forbid atoms promised for a time after the last one.

    A promise is the head of a rule about a later time, as in `p' :- q`. `now` is the name of the
    time parameter.
    """
    promised = set[tuple[str, str, int, int]]()
    for statement in statements:
        for atom in syntax.heads(statement):
            sign, name, arity = syntax.signature(atom)
            if name.startswith(_FUTURE):
                shift = syntax.number_of(syntax.arguments(atom)[-2])
                promised.add((sign, name, arity, shift or 0))
    for sign, name, arity, shift in sorted(promised, key=str):
        for after in range(1, shift + 1):
            terms = ["_"] * (arity - 2) + [str(shift), f"{now}+{after}"]
            promise = f"{sign}{name}({','.join(terms)})"
            yield parse_text(f":- {promise}, {QUERY[1]}({now}).")[1]
