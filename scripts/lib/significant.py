"""The part of a source file that can change a figure."""

from __future__ import annotations

import ast
import re
from functools import cache

TEXT_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|%\*.*?\*%|%[^\n]*', re.S)
"""A string of an ASP program, or a comment."""


@cache
def significant(name: str, text: str) -> str:
    """Return a file's content without what cannot change a figure.

    Python loses comments, docstrings, annotations and the texts of raised errors; ASP loses
    comments. Both lose their layout. Other files are returned as they are.
    """
    if name.endswith(".py"):
        return ast.dump(_Bare().visit(ast.parse(text)))
    if name.endswith(".lp"):
        return " ".join(TEXT_OR_COMMENT.sub(lambda found: found[1] or " ", text).split())
    return text


class _Bare(ast.NodeTransformer):
    """A visitor that removes what no run computes with."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Return a node without docstring, annotations and texts of errors."""
        self.generic_visit(node)
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                node.body = [line for line in node.body if not _is_text(line)]
            case ast.Raise():
                _Wordless().visit(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                node.returns = None
            case ast.arg():
                node.annotation = None
        return node


class _Wordless(ast.NodeTransformer):
    """A visitor that replaces each string by an empty one."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Return the constant, or an empty string."""
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Constant:
        """Return an empty string."""
        return ast.Constant("")


def _is_text(line: ast.stmt) -> bool:
    """Return whether a statement is a string by itself, such as a docstring."""
    match line:
        case ast.Expr(ast.Constant(str())):
            return True
    return False
