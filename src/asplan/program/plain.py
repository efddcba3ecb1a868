"""Facts that are plain to see: no syntax tree is made of them.

clingo takes about five microseconds to read a fact such as `edge(1,2).`, and a hundred to hand out
its syntax tree. So whatever a regular expression takes for a ground fact stays text: it is given to
clingo as it is, and looked at only by those who ask for it. The expression is narrow, for whatever
it does not take is read by way of the syntax tree, which is slower and means the same.

>>> found = PlainFacts("x.lp", 'edge(1,2). % here\\n-open(f(a,"a.b"),-3).')
>>> sorted(found.signatures)
[('', 'edge', 2), ('-', 'open', 2)]
>>> [str(place) for _, place in found.places({})]
['x.lp:1:1', 'x.lp:2:1']
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from clingo import Function, Symbol, SymbolType, parse_term

from asplan.errors import Location
from asplan.program.syntax import Signature

Span = tuple[int, int]
"""Where a stretch of a text begins and ends."""

DEPTH = 5
"""How deep terms may be nested in a plain fact."""

_NAME = r"(?!(?:not|asplan)\b)[_']*+[a-z][A-Za-z0-9_']*+"
_STRING = r'"(?>[^"\\\n]|\\[n"\\])*+"'
_NUMBER = r"-?(?>0|[1-9][0-9]{0,8})(?![0-9])"
_WHITE = r"[ \t\r\n]*+"
_SKIPPED = r"(?>[ \t\r\n]|%(?!\*)[^\n]*+)*+"


def _term(depth: int) -> str:
    """A ground term without arithmetic, intervals and pools; in it, no two ways of matching."""
    if depth == 0:
        return rf"(?>{_NAME}|{_NUMBER}|{_STRING})"
    return rf"(?>(?:{_NAME})?+{_arguments(depth - 1)}|{_term(0)})"


def _arguments(depth: int) -> str:
    more = rf"{_WHITE}(?:,(?!{_WHITE}\))|(?=\)))"
    return rf"\((?:{_WHITE}{_term(depth)}{more})++\)"


@cache
def _expression() -> re.Pattern[str]:
    fact = rf"-?{_NAME}(?:{_arguments(DEPTH)})?+{_WHITE}\.(?!\.)"
    return re.compile(rf"(?:{_SKIPPED}(?>{fact}))++")


# In a text of plain facts they are found again by less.
_FACT = re.compile(rf'{_SKIPPED}(?P<whole>(?P<fact>-?(?P<name>[\w\']++)(?>[^".%]|{_STRING})*+)\.)')
_WORDS = re.compile(rf"%[^\n]*+|{_STRING}|(?<![\w'])([_']*+[a-z][\w']*+)")
_INSIDE = re.compile(rf"%[^\n]*+\s*+|(?<=[(,]){_WHITE}(?>[\w'-]++|{_STRING})")
_INNERMOST = re.compile(r"\([^()]*+\)")


def end_of_facts(text: str, start: int) -> int:
    """Where the plain facts end that begin at a place in a text; `start`, if there is none."""
    found = _expression().match(text, start)
    return found.end() if found else start


def is_plain_term(text: str) -> bool:
    """Whether a text is a name, or a name with ground arguments, plain to see as such.

    >>> is_plain_term("move(red,left,1)"), is_plain_term("move(red,left,1+1)")
    (True, False)
    """
    return "." not in text and end_of_facts(f"{text}.", 0) == len(text) + 1


@dataclass(frozen=True, eq=False)
class PlainFacts:
    """The plain facts in the part `base` of a file.

    Attributes
    ----------
    text
        That of the file, in which everything else was replaced by blanks, so that all lines and
        columns are the file's.
    """

    file: str
    text: str

    @cached_property
    def signatures(self) -> frozenset[Signature]:
        """The predicates of the facts."""
        # Without what stands between parentheses and commas most facts look the same.
        shapes = set(_INSIDE.sub("", self.text).split("."))
        return frozenset(_signature(shape) for shape in map(str.strip, shapes) if shape)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the facts; some may stand for constants."""
        return frozenset(filter(None, _WORDS.findall(self.text)))

    def places(
        self, constants: Mapping[str, Symbol], wanted: Symbol | None = None
    ) -> Iterator[tuple[Symbol, Location]]:
        """The facts, or one that is wanted, and where they stand.

        `constants` are the values of names that stand for something else.
        """
        for match in _FACT.finditer(self.text):
            if wanted is None or match["name"] == wanted.name:
                fact = _with_values(parse_term(match["fact"]), constants)
                if wanted in (None, fact):
                    yield fact, self._location(match.start("fact"))

    def of(self, keys: Collection[Signature]) -> PlainFacts:
        """The facts of some predicates alone."""
        return self._parted(match.span("whole") for match, _ in self._with(keys))[0]

    def samples(self, keys: Collection[Signature]) -> tuple[PlainFacts, PlainFacts]:
        """Of the facts of some predicates one of each kind, and all other facts.

        Facts of a predicate are of a kind if they have numbers up to 0 at the same places: one of
        them tells what there is to know about the time that all of them speak of.
        """
        kinds: dict[object, Span] = {}
        for match, key in self._with(keys):
            terms = parse_term(match["fact"]).arguments
            start = tuple(t.type == SymbolType.Number and t.number <= 0 for t in terms)
            kinds.setdefault((key, start), match.span("whole"))
        return self._parted(kinds.values())

    def _with(self, keys: Collection[Signature]) -> Iterator[tuple[re.Match[str], Signature]]:
        if not self.signatures.isdisjoint(keys):
            for match in _FACT.finditer(self.text):
                if (key := _signature(match["fact"])) in keys:
                    yield match, key

    def _parted(self, spans: Iterable[Span]) -> tuple[PlainFacts, PlainFacts]:
        found = list(spans)
        inside, outside = "".join(within(self.text, found)), "".join(without(self.text, found))
        return PlainFacts(self.file, inside), PlainFacts(self.file, outside)

    def _location(self, offset: int) -> Location:
        line = bisect_right(self._lines, offset)
        before = self.text[self._lines[line - 1] : offset]
        return Location(self.file, line, len(before.encode()) + 1)

    @cached_property
    def _lines(self) -> list[int]:
        """Where the lines begin."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


def within(text: str, spans: Iterable[Span]) -> Iterator[str]:
    """Some stretches of a text, with blanks for what is before and between them."""
    end = 0
    for start, stop in spans:
        yield _blank(text[end:start])
        yield text[start:stop]
        end = stop


def without(text: str, spans: Iterable[Span]) -> Iterator[str]:
    """A text with blanks for some stretches of it."""
    end = 0
    for start, stop in spans:
        yield text[end:start]
        yield _blank(text[start:stop])
        end = stop
    yield text[end:]


def _blank(text: str) -> str:
    """As many lines as a text has, and as many bytes in the last one: clingo counts bytes."""
    lines = text.count("\n")
    return "\n" * lines + " " * len(text[text.rfind("\n") + 1 :].encode())


def _signature(fact: str) -> Signature:
    """The predicate of a fact, whose arguments may have been left out."""
    name, opened, inner = _INSIDE.sub("", fact).partition("(")
    inner = inner.strip()[:-1]
    while "(" in inner:
        inner = _INNERMOST.sub("", inner)
    sign = "-" if name.startswith("-") else ""
    return sign, name[len(sign) :].strip(), inner.count(",") + 1 if opened else 0


def _with_values(term: Symbol, constants: Mapping[str, Symbol]) -> Symbol:
    """A fact as clingo reads it, where names in it stand for constants."""
    if not constants or term.type != SymbolType.Function:
        return term
    arguments = [_value(argument, constants) for argument in term.arguments]
    return Function(term.name, arguments, term.positive)


def _value(term: Symbol, constants: Mapping[str, Symbol]) -> Symbol:
    if term.type != SymbolType.Function:
        return term
    if not term.arguments and term.positive and term.name in constants:
        return constants[term.name]
    return _with_values(term, constants)
