"""The text of statements and terms as people write them, for messages and converted programs."""

import re
from collections.abc import Iterator
from pathlib import Path

from asplan.program.syntax import AST, ASTType
from asplan.program.syntax.terms import OWN

_GUARDED = re.compile(
    r"^(?:(?P<low>\S+) (?P<below><=|>=|=) )?(?P<set>\{.*\})(?: <= (?P<high>\S+))?$"
)
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
_BEFORE = re.compile(r"(?:^|[(,{;:\[|]|\.\.|(?:[,;:=<>{]|:-) )$")  # ends before a whole argument
_AFTER = re.compile(r"$|[),};:\].|@]| [<>=!:}]")  # begins behind one


def plain_text(statement: AST) -> str:
    """Return a statement or a part of one as a person would write it.

    >>> from asplan.program.reading.source import parse_text
    >>> plain_text(parse_text(":- at(X,t-1), X > 2*(n-1).")[1])
    ':- at(X,t-1), X > 2*(n-1).'
    """
    if statement.ast_type != ASTType.Rule:
        return without_extra_brackets(str(statement))
    head = "" if str(statement.head) == "#false" else _plain_head(str(statement.head))
    is_parted = any(literal.ast_type == ASTType.ConditionalLiteral for literal in statement.body)
    body = ("; " if is_parted else ", ").join(map(str, statement.body))
    is_fact = head and not body
    text = f"{head}." if is_fact else f"{head} :- {body}."
    return without_extra_brackets(text.lstrip())


def _plain_head(head: str) -> str:
    """Return the head of a rule with the bounds of a choice in their usual places.

    clingo writes `1 <= { p } <= 2` for `1 { p } 2`.
    """
    found = _GUARDED.match(head)
    if found is None:
        return head
    low, below, choice, high = found.group("low", "below", "set", "high")
    if below == "=" and high is None:
        return f"{choice} = {low}"
    if below == ">=" and high is None:
        return f"{choice} {low}"
    if below == ">=":
        return head
    return " ".join(part for part in (low, choice, high) if part)


def without_extra_brackets(text: str) -> str:
    """Return clingo's text of a node without the brackets that clingo adds to each operation.

    >>> without_extra_brackets("p((1..3),((X+1)*2),(a,b),(a,)) :- (X+1) < Y.")
    'p(1..3,(X+1)*2,(a,b),(a,)) :- X+1 < Y.'
    """
    text = text.replace(OWN, "horizon")
    dropped = set[int]()
    for start, end in _groups_in(text):
        if _is_whole(text, start, end):
            dropped |= {start, end}
    return "".join(char for place, char in enumerate(text) if place not in dropped)


def _groups_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each pair of brackets around one term; tuples are left out."""
    quoted = set[int]()
    for found in _QUOTED.finditer(text):
        quoted.update(range(*found.span()))
    opened: list[int] = []
    tuples = set[int]()  # the opening brackets of tuples
    for place, char in enumerate(text):
        if place in quoted:
            continue
        if char == "(":
            opened.append(place)
        elif char in ",;" and opened:
            tuples.add(opened[-1])
        elif char == ")" and opened:
            start = opened.pop()
            if start not in tuples and place > start + 1:
                yield start, place


def _is_whole(
    text: str,
    start: int,
    end: int,
) -> bool:
    """Return whether brackets enclose a whole argument, or a whole side of a comparison.

    `start` and `end` are the offsets of the brackets.
    """
    is_begun = _BEFORE.search(text[max(0, start - 3) : start]) is not None
    return is_begun and _AFTER.match(text, end + 1) is not None


class Wording:
    """Returns the text of statements in their files, or `plain_text` if the file is unknown."""

    def __init__(self) -> None:
        self._files: dict[str, list[bytes]] = {}

    def __call__(self, node: AST, file: str | None = None) -> str:
        """Return the text of a statement, or of a part of one.

        If the part of a statement does not know its file, pass `file`.
        """
        begin, end = node.location.begin, node.location.end
        lines = self._lines(file or begin.filename)[begin.line - 1 : end.line]
        if not lines or any(b"%" in line for line in lines[:-1]):
            return plain_text(node)
        lines[-1] = lines[-1][: end.column - 1]
        lines[0] = lines[0][begin.column - 1 :]
        return " ".join(b"\n".join(lines).decode(errors="replace").split())

    def _lines(self, file: str) -> list[bytes]:
        if file not in self._files:
            path = Path(file)
            self._files[file] = path.read_bytes().split(b"\n") if path.is_file() else []
        return self._files[file]
