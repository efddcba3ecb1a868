"""The index of a PDDL file; the end of the text closes groups that are still open."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field

from asplan.core.dataclass import dataclass
from asplan.editor.index import Index, Kind, Name, Occurrence, Span, Statement, Use

_TOKEN = re.compile(r"[()]|;[^\n]*|[^\s();]+")
_DEEPEST = 100  # most groups inside each other; a deeper parenthesis opens none
_LONGEST = 200  # most characters of an atom that is shown
_CONNECTIVES = frozenset(
    (
        *("and", "or", "not", "imply", "when", "forall", "exists", "preference", "either"),
        *("always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before"),
        *("always-within", "hold-after", "hold-during", "increase", "decrease", "assign"),
        *("scale-up", "scale-down", "minimize", "maximize"),
        *("=", "<", "<=", ">", ">=", "+", "-", "*", "/"),
    )
)
"""Words that are no predicates, though they are the first of a group in a formula."""

SECTIONS = {
    "domain": (
        *(":requirements", ":types", ":constants", ":predicates", ":functions", ":action"),
        *(":durative-action", ":derived", ":constraints"),
    ),
    "problem": (":domain", ":objects", ":init", ":goal", ":metric", ":constraints"),
}
"""The sections of the two kinds of files."""


@dataclass(frozen=True)
class TextWord:
    """A word of a text, and the offset of its first character."""

    text: str
    start: int

    @property
    def key(self) -> str:
        """The word in lower case."""
        return self.text.lower()

    @property
    def end(self) -> int:
        """The offset behind the word."""
        return self.start + len(self.text)


@dataclass
class TextGroup:
    """A group in parentheses, with its offsets."""

    start: int
    end: int = -1
    items: list[TextWord | TextGroup] = field(default_factory=list)

    @property
    def words(self) -> list[TextWord]:
        """The words directly inside."""
        return [item for item in self.items if isinstance(item, TextWord)]

    @property
    def groups(self) -> list[TextGroup]:
        """The groups directly inside."""
        return [item for item in self.items if isinstance(item, TextGroup)]

    @property
    def head(self) -> str:
        """The first item in lower case; empty if it is no word."""
        first = self.items[0] if self.items else None
        return first.key if isinstance(first, TextWord) else ""


def index_pddl(text: str) -> Index:
    """Return the index of a domain or a problem."""
    reader = _Reader(text)
    reader.read()
    return Index(
        tuple(sorted(reader.occurrences, key=lambda each: each.span)),
        tuple(reader.statements),
        tuple(reader.comments),
    )


def _read_groups(text: str) -> tuple[TextGroup, list[tuple[int, int]]]:
    """Return a root that contains all groups of a text, and the offsets of its comments."""
    root = TextGroup(0, len(text))
    stack = [root]
    comments: list[tuple[int, int]] = []
    skipped = 0  # open groups that are too deep for the stack
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0] == ";":
            comments.append(match.span())
        elif token == "(" and len(stack) < _DEEPEST:
            group = TextGroup(match.start())
            stack[-1].items.append(group)
            stack.append(group)
        elif token == "(":
            skipped += 1
        elif token == ")" and skipped:
            skipped -= 1
        elif token == ")" and len(stack) > 1:
            stack.pop().end = match.end()
        elif token not in ("(", ")"):
            stack[-1].items.append(TextWord(token, match.start()))
    for group in stack:
        if group.end < 0:
            group.end = len(text)
    return root, comments


class _Reader:
    """A reader of a file, section by section."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.occurrences: list[Occurrence] = []
        self.statements: list[Statement] = []
        self.comments: list[Span] = []

    def read(self) -> None:
        """Collect the statements, occurrences and comments."""
        root, comments = _read_groups(self._text)
        self.comments = [self._span(start, end) for start, end in comments]
        for define in root.groups:
            for section in define.groups:
                self.statements.append(
                    Statement(section.head, self._span(section.start, section.end), define.head)
                )
                self._read_section(section)

    def _read_section(self, section: TextGroup) -> None:
        head = section.head
        if head == ":types":
            self._typed(section.words[1:], Kind.TYPE)
        elif head in (":objects", ":constants"):
            self._typed_items(section.items[1:], Kind.OBJECT)
        elif head in (":predicates", ":functions"):
            for group in section.groups:
                self._declare(group)
        elif head in (":action", ":durative-action"):
            self._read_action(section)
        elif head not in ("domain", "problem", ":domain", ":requirements"):
            self._read_formulas(section)

    def _read_formulas(self, section: TextGroup) -> None:
        """Read the formulas of a section; the first of `:derived` declares a predicate."""
        groups = section.groups
        if section.head == ":derived" and groups:
            self._declare(groups.pop(0))
        for group in groups:
            self._formula(group)

    def _read_action(self, section: TextGroup) -> None:
        words = section.words
        if len(words) > 1 and not words[1].key.startswith(":"):
            written = self._written(section).partition(":precondition")[0].strip()
            self._add(Name(Kind.ACTION, words[1].key), words[1], Use.DEFINE, written)
        key = ""
        for item in section.items[1:]:
            if isinstance(item, TextWord):
                key = item.key
            elif key == ":parameters":
                self._typed_items(item.items, Kind.VARIABLE)
            else:
                self._formula(item)

    def _declare(self, group: TextGroup) -> None:
        """Read a predicate or function with its typed parameters."""
        if not group.head:
            return
        words = group.words
        arity = sum(word.text.startswith("?") for word in words)
        written = self._written(group)
        self._add(Name(Kind.PREDICATE, words[0].key, arity), words[0], Use.DEFINE, written)
        self._typed_items(group.items[1:], Kind.VARIABLE)

    def _typed_items(self, items: list[TextWord | TextGroup], kind: Kind) -> None:
        """Read a typed list, in which groups such as `(either a b)` name types."""
        self._typed([item for item in items if isinstance(item, TextWord)], kind)
        for item in items:
            if isinstance(item, TextGroup):
                for word in item.words[1:]:
                    self._add(Name(Kind.TYPE, word.key), word, Use.READ, word.text)

    def _typed(self, words: list[TextWord], kind: Kind) -> None:
        is_type = False
        for word in words:
            if word.text == "-":
                is_type = True
            elif is_type:
                self._add(Name(Kind.TYPE, word.key), word, Use.READ, word.text)
                is_type = False
            else:
                self._add(self._argument(word, kind), word, Use.DEFINE, word.text)

    def _formula(self, formula: TextGroup) -> None:
        """Read the atoms in a formula."""
        stack = [formula]
        while stack:
            group = stack.pop()
            items = group.items
            if group.head in ("forall", "exists"):
                if len(items) > 1 and isinstance(items[1], TextGroup):
                    self._typed_items(items[1].items, Kind.VARIABLE)
                stack.extend(each for each in items[2:] if isinstance(each, TextGroup))
            elif group.head in ("at", "over") and group.groups:
                stack.extend(group.groups)
            elif group.head == "" or group.head in _CONNECTIVES:
                self._arguments(group.words[1:])
                stack.extend(group.groups)
            else:
                self._atom(group)

    def _atom(self, group: TextGroup) -> None:
        first, *arguments = group.words
        name = Name(Kind.PREDICATE, first.key, len(arguments))
        self._add(name, first, Use.READ, self._written(group))
        self._arguments(arguments)

    def _arguments(self, words: list[TextWord]) -> None:
        for word in words:
            if word.text[0] in "?" or word.text[0].isalpha():
                self._add(self._argument(word, Kind.OBJECT), word, Use.READ, word.text)

    def _argument(self, word: TextWord, kind: Kind) -> Name:
        if word.text.startswith("?"):
            return Name(Kind.VARIABLE, word.key, None, len(self.statements) - 1)
        return Name(kind, word.key)

    def _written(self, group: TextGroup) -> str:
        return " ".join(self._text[group.start : min(group.end, group.start + _LONGEST)].split())

    def _add(self, name: Name, word: TextWord, use: Use, written: str) -> None:
        span = self._span(word.start, word.end)
        self.occurrences.append(Occurrence(name, span, use, written, len(self.statements) - 1))

    def _span(self, start: int, end: int) -> Span:
        return Span(*self._place(start), *self._place(end))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]
