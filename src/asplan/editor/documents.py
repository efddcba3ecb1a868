"""The texts of files, open in the editor or on disk, with their indexes and their lines."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError
from asplan.core.files import ASP, is_regular, read_text, stamp_of
from asplan.editor.asp import index_asp
from asplan.editor.index import EMPTY, Index, Span
from asplan.editor.pddl import index_pddl
from asplan.pddl.front import SUFFIX

LARGEST = 200_000  # most characters of a text that has an index
_KEPT = 200  # most files on disk whose documents are cached


@dataclass(frozen=True, eq=False)
class Document:
    """A version of a text.

    Attributes
    ----------
    path
        The path of its file, or `<text>` for a text that is in no file.
    uri
        The URI by which the client names it.
    text
        The text.
    codec
        The converter to the units in which the client counts columns.
    """

    path: str
    uri: str
    text: str
    codec: PositionCodec

    @property
    def is_pddl(self) -> bool:
        """True for PDDL, False for ASP."""
        return self.path.endswith(SUFFIX)

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    @cached_property
    def index(self) -> Index:
        """The names in the text; empty for a text that is too long."""
        if len(self.text) > LARGEST:
            return EMPTY
        return index_pddl(self.text) if self.is_pddl else index_asp(self.text)

    def prepare(self) -> None:
        """Make the index now, so that later requests need not wait for it."""
        _ = self.index

    @property
    def includes(self) -> tuple[str, ...]:
        """The names of the files that the text includes."""
        return self.index.includes if "#include" in self.text else ()

    def line(self, number: int) -> str:
        """Return a line; empty if there is none."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""

    def place(self, position: types.Position) -> tuple[int, int]:
        """Return the line and the column, in characters, of a position that a client has sent."""
        line = self.line(position.line)
        if line.isascii():
            return position.line, min(position.character, len(line))
        units = 0
        for column, char in enumerate(line):
            if units >= position.character:
                return position.line, column
            units += self.codec.client_num_units(char)
        return position.line, len(line)

    def position(self, line: int, column: int) -> types.Position:
        """Return a line and column as a position of the protocol, in the client's units."""
        text = self.line(line)
        if not text.isascii():
            column = self.codec.client_num_units(text[:column])
        return types.Position(line, column)

    def range(self, span: Span) -> types.Range:
        """Return a span as a range of the protocol, in the client's units."""
        start = self.position(span.line, span.column)
        return types.Range(start, self.position(span.end_line, span.end_column))

    def range_of_line(self, line: int) -> types.Range:
        """Return a whole line as a range of the protocol."""
        return self.range(Span(line, 0, line, len(self.line(line))))

    def location(self, span: Span) -> types.Location:
        """Return a span as a location of the protocol: the URI and the range."""
        return types.Location(self.uri, self.range(span))

    def column_of(self, line: int, column: int) -> int:
        """Return the column of a message, which counts from 1, as a column that counts from 0.

        Messages about ASP count bytes, as clingo does; the result counts characters.
        """
        if self.is_pddl:
            return column - 1
        return len(self.line(line).encode()[: column - 1].decode(errors="ignore"))


class Documents:
    """The documents of a session: the open ones by path, and others as they are on disk."""

    def __init__(self) -> None:
        self.codec = PositionCodec()
        self.open: dict[str, Document] = {}
        self._read: dict[str, tuple[object, Document]] = {}

    def update(self, path: str, uri: str, text: str) -> Document:
        """Replace the text of an open document, and return the new document."""
        document = Document(path, uri, text, self.codec)
        self.open[path] = document
        return document

    def close(self, path: str) -> None:
        """Forget the text of a document, which the editor has closed."""
        self.open.pop(path, None)

    def find(self, path: str) -> Document | None:
        """Return an open document, or the one on disk; None if it is too long or cannot be read."""
        if path in self.open:
            return self.open[path]
        stamp = stamp_of(path)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        if stamp is None or not is_regular(path) or stamp[1] > LARGEST:
            return None
        try:
            document = Document(path, Path(path).as_uri(), read_text(path), self.codec)
        except (AsplanError, ValueError):
            return None
        if len(self._read) >= _KEPT:
            self._read.clear()
        self._read[path] = (stamp, document)
        return document

    def find_all(self, paths: Iterable[str]) -> list[Document]:
        """Return the documents of paths, each once; skip those that cannot be read."""
        found = (self.find(path) for path in dict.fromkeys(paths))
        return [document for document in found if document is not None]


def is_known(path: str) -> bool:
    """Return whether a path has the suffix of an ASP or PDDL file."""
    return path.endswith((*ASP, SUFFIX))
