"""What an author wrote, in one line."""

from __future__ import annotations

from pathlib import Path

from clingo.ast import AST


class Wording:
    """Gives the text of statements as it stands in their files, each of which is read once.

    Where that is unknown, or comments stand in between, clingo's way to write it is given.
    """

    def __init__(self) -> None:
        self._files: dict[str, list[bytes]] = {}

    def __call__(self, node: AST, file: str | None = None) -> str:
        """The text of a statement, or of a part of one, which may not name the file itself."""
        begin, end = node.location.begin, node.location.end
        lines = self._lines(file or begin.filename)[begin.line - 1 : end.line]
        if not lines or any(b"%" in line for line in lines[:-1]):
            return str(node)
        lines[-1] = lines[-1][: end.column - 1]
        lines[0] = lines[0][begin.column - 1 :]
        return " ".join(b"\n".join(lines).decode(errors="replace").split())

    def _lines(self, file: str) -> list[bytes]:
        if file not in self._files:
            path = Path(file)
            self._files[file] = path.read_bytes().split(b"\n") if path.is_file() else []
        return self._files[file]
