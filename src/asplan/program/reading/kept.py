"""The statements of earlier versions of a text, for editors, which read many versions.

A statement that a new version has at the same place is the same node. What has been found out about
the node need not be found out again.
"""

from __future__ import annotations

from collections import Counter

from asplan.program.reading.source import make_nodes_by, new_nodes
from asplan.program.syntax import AST

Place = tuple[str, int, int, int, int]
"""The place of a statement: file, line and column of the start, line and column of the end."""

Written = tuple[Place, str, int]
"""The place of a statement, the text of its lines, and its number at that place.

clingo makes several statements of one `#minimize`.
"""

_FILES = 200  # most files whose statements are kept


def keep_statements() -> None:
    """Keep the statements of each file that is read from now on.

    When the file is read again, its unchanged statements are taken from the last version.
    """
    make_nodes_by(KeptStatements().nodes_of)


class KeptStatements:
    """The statements of the version of each file that was read last."""

    def __init__(self) -> None:
        self._known: dict[str, dict[Written, AST]] = {}

    def nodes_of(self, statements: list[AST], name: str, text: str) -> list[AST]:
        """Return a node for each statement of a text.

        If a statement is unchanged since the last version of the file, return the node made then.
        `name` is the file that the locations name.
        """
        if len(self._known) > _FILES:
            self._known.clear()
        before = self._known.get(name, {})
        nodes: dict[Written, AST] = {}
        for written, statement in zip(_written(statements, text), statements, strict=True):
            node = before.get(written)
            nodes[written] = new_nodes([statement], name, text)[0] if node is None else node
        self._known[name] = nodes
        return list(nodes.values())


def _written(statements: list[AST], text: str) -> list[Written]:
    """Return for each statement its location, its lines, and its number at that location."""
    lines = text.split("\n")
    numbers = Counter[Place]()
    found: list[Written] = []
    for statement in statements:
        begin = statement.location.begin
        end = statement.location.end
        place = (begin.filename, begin.line, begin.column, end.line, end.column)
        inside = "\n".join(lines[begin.line - 1 : end.line])
        found.append((place, inside, numbers[place]))
        numbers[place] += 1
    return found
