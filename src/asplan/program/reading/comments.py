"""The comments of program files, assigned to the statements to which they belong."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from asplan.core.errors import Location
from asplan.program import syntax
from asplan.program.reading.unit import Unit
from asplan.program.syntax import AST
from asplan.program.syntax.wording import Wording, plain_text

_INCLUDE = re.compile(r'#include\s*"[^"\n]*"\s*\.')
_NEWLINE = re.compile(rb"\n")


def files_of(units: Iterable[Unit]) -> list[str]:
    """Return the names of the files of some units, each once."""
    statements = list[str]()
    facts = list[str]()
    for unit in units:
        statements.extend(syntax.location(each).file for each in unit.statements)
        facts.extend(each.file for each in unit.facts)
    return list(dict.fromkeys([*statements, *facts]))


class Comments:
    """The comments in the files of some units, and the plain facts between their statements.

    A comment belongs to the statement that ends in its line, or else to the next statement. The
    methods return each comment and each fact only once.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self._before: dict[Location, list[str]] = {}
        self._behind: dict[Location, str] = {}
        self._facts: dict[str, list[str]] = {}
        self._wording = Wording()
        written: dict[str, list[AST]] = {}
        for unit in units:
            for statement in unit.statements:
                if str(statement) != "#program base.":
                    written.setdefault(statement.location.begin.filename, []).append(statement)
        for file in files_of(units):
            if Path(file).is_file():
                self._facts[file] = self._read(file, written.get(file, []))

    def _read(self, file: str, statements: Iterable[AST]) -> list[str]:
        """Assign the comments of a file to its statements; return the lines with plain facts."""
        text = Path(file).read_bytes()
        starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        spans = list[tuple[Location, int]]()
        for statement in statements:
            end = statement.location.end
            stop = starts[end.line - 1] + end.column - 1
            spans.append((syntax.location(statement), stop))
        facts = list[str]()
        last: Location | None = None
        position = 0
        for place, stop in sorted(spans):
            start = starts[place.line - 1] + place.column - 1
            if start >= position:
                facts += self._cut(text[position:start], last, place)
                last = place
                position = stop
        return facts + self._cut(text[position:], last, None)

    def _cut(self, gap: bytes, last: Location | None, following: Location | None) -> list[str]:
        """Assign the comments in the `gap` between two statements; return its other lines.

        The other lines contain plain facts. `last` and `following` are the locations of the
        statements before and after the gap; None at the ends of the file.
        """
        lines = gap.decode(errors="replace").split("\n")
        if last is not None and lines[0].strip().startswith("%"):
            self._behind[last] = lines[0].strip()
            lines[0] = ""
        lines = [line.rstrip() for line in lines]
        if following is None:
            return _trimmed(lines)
        cut = len(lines)
        while cut and _is_comment_or_empty(lines[cut - 1]):
            cut -= 1
        if cut < len(lines):
            comments = [line.strip() for line in lines[cut:]]
            self._before[following] = _trimmed(comments)
        return _trimmed(lines[:cut])

    def with_statement(self, statement: AST, is_written: bool) -> Iterator[str]:
        """Yield the lines of a statement, preceded by its comments.

        Comments that were returned before are left out. `is_written` means that the author wrote
        the statement in this form; then its text is copied from the file.
        """
        place = syntax.location(statement)
        comments = self._before.pop(place, [])
        if comments:
            yield ""
            yield from comments
        text = self._wording(statement) if is_written else plain_text(statement)
        behind = self._behind.pop(place, "")
        yield f"{text}  {behind}" if behind else text

    def of_others(self, statements: Iterable[AST]) -> Iterator[str]:
        """Yield the comments that belong to none of `statements`."""
        kept = set(map(syntax.location, statements))
        for place in [place for place in self._before if place not in kept]:
            yield from self._before.pop(place)
        for place in [place for place in self._behind if place not in kept]:
            yield self._behind.pop(place)

    def facts(self, unit: Unit) -> Iterator[str]:
        """Yield the lines of a unit's plain facts, without `#include`; each file only once."""
        for facts in unit.facts:
            lines = self._facts.pop(facts.file, None)
            if lines is None:
                lines = _trimmed(facts.text.split("\n"))
            for line in lines:
                # The included file is written as well.
                rest = _INCLUDE.sub("", line).strip()
                if rest or not line.strip():
                    yield rest


def _is_comment_or_empty(line: str) -> bool:
    stripped = line.lstrip()
    return not stripped or stripped.startswith("%")


def _trimmed(lines: list[str]) -> list[str]:
    """Return lines without empty lines at both ends, and with at most one in a row elsewhere."""
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return text.split("\n") if text else []
