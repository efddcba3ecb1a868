"""Finds nodes in the syntax tree of a program.

>>> from asplan.asp.source import parse_text
>>> variable_names(parse_text("a(X) :- b(X,_), c((X;Y)).")[1])
['X']
"""

from __future__ import annotations

from collections.abc import Iterable

from clingo.ast import AST, ASTSequence, ASTType, Transformer


class _Finder(Transformer):
    """Finds the nodes of one kind, but not inside those of another one."""

    def __init__(self, kind: ASTType, outside: ASTType | None) -> None:
        self.kind, self.outside, self.found = kind, outside, list[AST]()

    def visit(self, ast: AST, *args: object, **kwargs: object) -> AST:
        if ast.ast_type == self.kind:
            self.found.append(ast)
        if ast.ast_type != self.outside:
            self.visit_children(ast)
        return ast


def find(
    kind: ASTType, nodes: Iterable[AST] | ASTSequence, outside: ASTType | None = None
) -> list[AST]:
    """All nodes of a kind in some trees, but not inside nodes of the kind `outside`."""
    finder = _Finder(kind, outside)
    for node in nodes:
        finder.visit(node)
    return finder.found


def variable_names(*nodes: AST) -> list[str]:
    """The variables in some nodes; one that only a pool names is not in all of its rules."""
    variables = find(ASTType.Variable, nodes, outside=ASTType.Pool)
    return list(dict.fromkeys(v.name for v in variables if v.name != "_"))
