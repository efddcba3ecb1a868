"""An incremental program: its statements, and what the controller must know about them.

A program has the parts `base`, `step(t)` and `check(t)`; the parameter may have any name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from clingo import Control, Function, Number, Symbol
from clingo.ast import AST, ASTType, ProgramBuilder, Transformer

from asplan.asp.source import parse, parse_text
from asplan.errors import InputError, UsageError, nearest
from asplan.facts import location

Signature = tuple[str, int]
Part = tuple[str, list[Symbol]]

QUERY = "query"


def base() -> Part:
    """The part that is grounded first, once."""
    return "base", []


def step(t: int) -> Part:
    """The part that leads from the state at t-1 to the state at t."""
    return "step", [Number(t)]


def check(t: int) -> Part:
    """The part that looks at the state at t."""
    return "check", [Number(t)]


def query(t: int) -> Symbol:
    """The external atom that demands the goal at t."""
    return Function(QUERY, [Number(t)])


@dataclass(frozen=True)
class Program:
    """Parsed files with the facts about them that decide how they may be run.

    Attributes
    ----------
    statements
        All statements, in order; `check` declares the external `query(t)`.
    parameters
        The parameter name of each part that has one.
    plans
        Whether a rule of the program derives `occurs/2`.
    optimizes
        Whether it has `#minimize`, `#maximize` or weak constraints.
    only_query
        Whether `query` is its only external.
    staged
        Whether `step(t)` may be grounded in a call of its own before `check(t)`: no rule of
        `step(t)` reads at time t what `check(t)` derives.
    """

    statements: tuple[AST, ...]
    parameters: Mapping[str, str]
    plans: bool
    optimizes: bool
    only_query: bool
    staged: bool

    def add_to(self, control: Control) -> None:
        """Add all statements to a control."""
        with ProgramBuilder(control) as builder:
            for statement in self.statements:
                builder.add(statement)


def load(files: Iterable[str], constants: Mapping[str, str]) -> Program:
    """Read an incremental program.

    Raises
    ------
    InputError
        A file cannot be read or parsed, or has other parts than a planning program has.
    UsageError
        A constant is given a value that no file uses.
    """
    return make(parse(files), constants)


def make(statements: Iterable[AST], constants: Mapping[str, str]) -> Program:
    """The program that some statements form; raises as `load` does."""
    statements = tuple(statements)
    by_part = _by_part(statements)
    parameters = {name: _parameter(header) for name, (header, _) in by_part.items() if header}
    if "step" not in parameters:
        raise InputError(
            "the files have no part step(t), so there is nothing to plan with",
            mend="add an encoding: -e NAME or one more file",
        )
    _refuse_unused(constants, statements)
    externals = {_signature(s.atom) for s in statements if s.ast_type == ASTType.External}
    if (QUERY, 1) not in externals:
        t = parameters.setdefault("check", "t")
        statements += parse_text(f"#program check({t}). #external {QUERY}({t}).")
    heads = {name: _heads(body) for name, (_, body) in by_part.items()}
    return Program(
        statements=statements,
        parameters=parameters,
        plans=any(("occurs", 2) in found for found in heads.values()),
        optimizes=any(s.ast_type == ASTType.Minimize for s in statements),
        only_query=externals <= {(QUERY, 1)},
        staged=_is_staged(by_part, parameters),
    )


def has_step(statements: Iterable[AST]) -> bool:
    """Whether some statements open a part `step`."""
    return any(s.ast_type == ASTType.Program and s.name == "step" for s in statements)


def predicates(statements: Iterable[AST]) -> set[Signature]:
    """All predicates that some statements speak of."""
    return {_signature(atom) for statement in statements for atom in _atoms(statement)}


def _by_part(statements: Iterable[AST]) -> dict[str, tuple[AST | None, list[AST]]]:
    """For each part its first header and the statements in it."""
    parts: dict[str, tuple[AST | None, list[AST]]] = {"base": (None, [])}
    current = "base"
    for statement in statements:
        if statement.ast_type != ASTType.Program:
            parts[current][1].append(statement)
            continue
        current = statement.name
        expected = {"base": 0, "step": 1, "check": 1}.get(current)
        if len(statement.parameters) != expected:
            raise InputError(
                f"{str(statement).rstrip('.')} is no part of a planning program",
                at=location(statement),
                mend="the parts are base, step(t) and check(t)",
            )
        header = statement if expected else None
        parts.setdefault(current, (header, []))
    return parts


def _parameter(header: AST) -> str:
    return str(header.parameters[0].name)


def _refuse_unused(constants: Mapping[str, str], statements: Iterable[AST]) -> None:
    used = _constants(statements)
    for name in constants:
        if name not in used:
            mend = nearest(name, used, noun="constants") if used else ""
            raise UsageError(f"no file uses the constant {name}", mend=mend)


class _Visitor(Transformer):
    """Calls a function on every node of the kinds it names."""

    def __init__(self, **visits: Callable[[AST], None]) -> None:
        self.visits = visits

    def visit(self, ast: AST, *args: object, **kwargs: object) -> AST:
        if action := self.visits.get(ast.ast_type.name):
            action(ast)
        self.visit_children(ast)
        return ast


def _constants(statements: Iterable[AST]) -> set[str]:
    found: set[str] = set()
    visitor = _Visitor(
        SymbolicTerm=lambda node: found.add(str(node.symbol)),
        Definition=lambda node: found.add(node.name),
    )
    for statement in statements:
        visitor.visit(statement)
    return {name for name in found if name.isidentifier()}


def _signature(atom: AST) -> Signature:
    term = atom.symbol
    while term.ast_type == ASTType.UnaryOperation:
        term = term.argument
    if term.ast_type == ASTType.Pool:
        term = term.arguments[0]
    return (term.name, len(term.arguments)) if term.ast_type == ASTType.Function else ("", 0)


def _atoms(node: AST) -> list[AST]:
    found: list[AST] = []
    _Visitor(SymbolicAtom=found.append).visit(node)
    return found


def _heads(statements: Iterable[AST]) -> set[Signature]:
    rules = (s for s in statements if s.ast_type == ASTType.Rule)
    return {_signature(atom) for rule in rules for atom in _atoms(rule.head)}


def _is_staged(
    by_part: Mapping[str, tuple[AST | None, list[AST]]], parameters: Mapping[str, str]
) -> bool:
    """Whether every atom in `step(t)` that could be one of `check(t)` speaks of an earlier time.

    That is seen from the syntax: at one argument place all heads in `check` have just `t`, and
    the atom in `step` has `t-k`.
    """
    derived: dict[Signature, list[AST]] = {}
    for statement in by_part.get("check", (None, []))[1]:
        if statement.ast_type == ASTType.Rule:
            for atom in _atoms(statement.head):
                derived.setdefault(_signature(atom), []).append(atom)
    if "check" not in parameters:
        return True
    read = (atom for s in by_part["step"][1] for atom in _atoms(s))
    return all(
        _earlier(atom, derived[_signature(atom)], parameters)
        for atom in read
        if _signature(atom) in derived
    )


def _earlier(atom: AST, heads: Iterable[AST], parameters: Mapping[str, str]) -> bool:
    def is_now(term: AST) -> bool:
        return str(term) == parameters["check"]

    def is_before(term: AST) -> bool:
        return term.ast_type == ASTType.BinaryOperation and bool(
            str(term.left) == parameters["step"]
            and str(term).startswith(f"({parameters['step']}-")
            and str(term.right).isdigit()
            and int(str(term.right)) > 0
        )

    def arguments(node: AST) -> list[AST]:
        plain = node.symbol.ast_type == ASTType.Function
        return list(node.symbol.arguments) if plain else []

    return any(
        is_before(term) and all(len(arguments(h)) > i and is_now(arguments(h)[i]) for h in heads)
        for i, term in enumerate(arguments(atom))
    )


def control_options(constants: Mapping[str, str]) -> list[str]:
    """Command-line words that give a control its constants."""
    return [f"-c{name}={value}" for name, value in constants.items()]
