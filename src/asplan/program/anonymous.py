"""Keeps anonymous variables from making late steps dear.

For `not occurs(go(V,_),t)` clingo keeps a projection of `occurs`, and at each step it goes through
the projected atoms of all steps. Here the literal gets a predicate of its own, which is defined in
the same part: `not asplan__1any(V,t)` with `asplan__1any(V,t) :- occurs(go(V,A),t)`.

A definition of a new predicate keeps the answer sets, up to its atoms. It is made for literals in
the bodies of rules and objectives of `step(t)` and `check(t)` that name the parameter, and in the
conditions of choices; not inside other conditions and aggregates, and not where a variable stands
in a computation, an interval or a pool, from which the definition might not get its values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from clingo.ast import AST, ASTType

from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import Walker, find, signature, variable_names

_TIMED = ("step", "check")
_COMPUTED = (ASTType.BinaryOperation, ASTType.UnaryOperation)
_MANY = (ASTType.Interval, ASTType.Pool)


def without_anonymous(program: Program) -> Program:
    """The same program with a predicate for each literal that has an anonymous variable."""
    numbers = count(1)
    sections = []
    for section in program.sections:
        if section.part in _TIMED:
            definer = _Definer(section.parameter, numbers)
            statements = [definer.statement(s) for s in section.statements]
            section = replace(section, statements=(*statements, *definer.definitions))
        sections.append(section)
    return replace(program, sections=tuple(sections))


class _Definer:
    """Replaces literals of one section, and keeps the rules that define what they became."""

    def __init__(self, parameter: str, numbers: count[int]) -> None:
        self.parameter, self.numbers = parameter, numbers
        self.known: dict[str, AST] = {}
        self.definitions: list[AST] = []

    def statement(self, statement: AST) -> AST:
        """The statement with its literals replaced."""
        if statement.ast_type not in (ASTType.Rule, ASTType.Minimize):
            return statement
        body = self._literals(statement.body)
        if statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Aggregate:
            elements = [
                element.update(condition=self._literals(element.condition))
                for element in statement.head.elements
            ]
            statement = statement.update(head=statement.head.update(elements=elements))
        return statement.update(body=body)

    def _literals(self, literals: Iterable[AST]) -> list[AST]:
        return [self._literal(literal) for literal in literals]

    def _literal(self, literal: AST) -> AST:
        if literal.ast_type != ASTType.Literal or not self._is_replaced(literal.atom):
            return literal
        text = str(literal.atom)
        if text not in self.known:
            self.known[text] = self._define(literal.atom)
        return literal.update(atom=self.known[text])

    def _is_replaced(self, atom: AST) -> bool:
        if atom.ast_type != ASTType.SymbolicAtom or signature(atom)[1].startswith(HELPER):
            return False
        anonymous = any(v.name == "_" for v in find(ASTType.Variable, [atom]))
        return anonymous and self._names_the_time(atom) and _is_simple(atom)

    def _names_the_time(self, atom: AST) -> bool:
        terms = find(ASTType.SymbolicTerm, [atom])
        functions = find(ASTType.Function, [atom])
        return any(str(term) == self.parameter for term in (*terms, *functions))

    def _define(self, atom: AST) -> AST:
        """Add the definition of a predicate, and return its atom."""
        names = variable_names(atom)
        # Nobody's predicate begins with a digit, so no renamed one has this name.
        name = f"{HELPER}{next(self.numbers)}any"
        head = f"{name}({','.join([*names, self.parameter])})"
        named = _Namer(names).visit(atom)
        (definition,) = parse_text(f"{head} :- {named}.")[1:]
        self.definitions.append(definition)
        replacement: AST = definition.head.atom
        return replacement


def _is_simple(atom: AST) -> bool:
    """Whether a body with this atom alone binds all its variables, as clingo sees it."""
    if atom.symbol.ast_type != ASTType.Function:
        return False  # classical negation: clingo does not project it, and `not -p(_)` is unsafe
    if any(function.external for function in find(ASTType.Function, [atom])):
        return False
    computed = (node for kind in _COMPUTED for node in find(kind, [atom]))
    return not any(find(kind, [atom]) for kind in _MANY) and not any(
        find(ASTType.Variable, [node]) for node in computed
    )


class _Namer(Walker):
    """Gives each anonymous variable a name that is not taken."""

    def __init__(self, taken: list[str]) -> None:
        self.free = (name for i in count(1) if (name := f"A{i}") not in taken)

    def visit_Variable(self, variable: AST) -> AST:
        """Name one variable."""
        return variable.update(name=next(self.free)) if variable.name == "_" else variable
