"""The imports of one run of asplan: its own modules with their lines of code, and other packages.

The command runs once, and what it looks for is noted, in its worker too.

    python scripts/common_way.py [--modules] [--markdown] [-- WORD…]

Without words it is `asplan solve sample02`. `python -X importtime -m asplan …` tells how long most
of these imports take.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

from lib import tables

SOURCE = Path(__file__).parents[1] / "src"

NOTED = """
import os, sys
notes = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND)
class Noted:
    def find_spec(name, path=None, target=None):
        os.write(notes, f"{name}\\n".encode())
sys.meta_path.insert(0, Noted)
from asplan.cli import main
main()
"""
"""Runs a command, and notes in a file which modules it imports."""

_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
"""Tokens that are no code."""

_MANY = 10
"""Packages that are listed."""


def imported(words: list[str]) -> list[str]:
    """The modules that a command and its worker import, each once, in order."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as notes:
        command = [sys.executable, "-c", NOTED, notes.name, *words]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return list(dict.fromkeys(notes.read().split()))


def lines_of(module: str) -> int | None:
    """The lines of code of one of asplan's own modules; None for another."""
    path = SOURCE.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    found = (file for file in files if file.is_file())
    return next((code_lines(file.read_text(encoding="utf-8")) for file in found), None)


def code_lines(text: str) -> int:
    """The number of lines with code: without blank lines, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def main() -> None:
    """Run the command, and print what it imports."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="of a command, behind --")
    parser.add_argument("--modules", action="store_true", help="list the modules")
    tables.add_option(parser)
    given = parser.parse_args()
    words = given.words or ["solve", "sample02"]
    modules = imported(words)
    own = {name: lines for name in modules if (lines := lines_of(name)) is not None}
    if given.modules:
        rows = [(name, str(lines)) for name, lines in own.items()]
        tables.show(("module", "lines"), rows, "its modules", markdown=given.markdown)
    others = Counter(name.partition(".")[0] for name in modules if name not in own)
    rows = [(name, str(number)) for name, number in others.most_common(_MANY)]
    tables.show(("package", "modules"), rows, "packages of others", markdown=given.markdown)
    sums = [(f"asplan {' '.join(words)}", str(len(own)), f"{sum(own.values()):,}")]
    tables.show(("command", "modules", "lines"), sums, "the way", markdown=given.markdown)


if __name__ == "__main__":
    main()
