"""Plain facts: ground facts of a file, which stay text until their symbols are needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from asplan.clingo import Function, Symbol, SymbolType, parse_term
from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.program.syntax import Signature

Stretch = tuple[int, int]
"""The start and the end of a piece of a text, as offsets."""

WHITE = r"[ \t\r\n]*+"
STRING = r'"(?>[^"\\\n]|\\[n"\\])*+"'
SKIPPED = r"(?>[ \t\r\n]|%(?!\*)[^\n]*+)*+"
"""A pattern for blanks and comments, which clingo skips."""

_FACT = re.compile(rf'{SKIPPED}(?P<whole>(?P<fact>-?(?P<name>[\w\']++)(?>[^".%]|{STRING})*+)\.)')
"""Matches a fact in a text of plain facts. It is simpler than the pattern that recognises them."""

_WORDS = re.compile(rf"%[^\n]*+|{STRING}|(?<![\w'])([_']*+[a-z][\w']*+)")
_INSIDE = re.compile(rf"%[^\n]*+\s*+|(?<=[(,]){WHITE}(?>[\w'-]++|{STRING})")
_INNERMOST = re.compile(r"\([^()]*+\)")


@dataclass(frozen=True, eq=False)
class PlainFacts:
    """The plain facts in the part `base` of a file.

    All other text is replaced by blanks in `text`, so that facts keep their locations.
    """

    file: str
    text: str

    @cached_property
    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the facts, without parsing the facts."""
        # Without the text between parentheses and commas, most facts look the same.
        shapes = set(_INSIDE.sub("", self.text).split("."))
        return frozenset(_signature(shape) for shape in map(str.strip, shapes) if shape)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return all names in the facts: of predicates, functions and constants.

        Text in strings does not count.
        """
        return frozenset(filter(None, _WORDS.findall(self.text)))

    def mentions(self, words: Collection[str]) -> bool:
        """Return whether one of some words occurs in the text, also within another word."""
        return any(word in self.text for word in words)

    def places(
        self, constants: Mapping[str, Symbol], wanted: Symbol | None = None
    ) -> Iterator[tuple[Symbol, Location]]:
        """Yield each fact with its location.

        `constants` are replaced by their values. If `wanted` is given, yield only this fact.
        """
        locate = _Locator(self.file, self.text)
        for match in _facts_in(self.text):
            if wanted is None or match["name"] == wanted.name:
                fact = _with_values(parse_term(match["fact"]), constants)
                if wanted in (None, fact):
                    yield fact, locate(match.start("fact"))

    def first_places(self, keys: Collection[Signature]) -> dict[Signature, Location]:
        """Map each of the predicates `keys` that has facts to the location of its first fact."""
        missing = self.signatures & frozenset(keys)
        locate = _Locator(self.file, self.text)
        places = dict[Signature, Location]()
        for match, key in self._matches(missing):
            if key not in places:
                places[key] = locate(match.start("fact"))
                if len(places) == len(missing):
                    break
        return places

    def symbols(self) -> list[Symbol]:
        """Return all facts as symbols."""
        return _parsed_terms([match["fact"] for match in _facts_in(self.text)])

    def symbols_of(self, keys: Collection[Signature]) -> list[Symbol]:
        """Return the facts of some predicates as symbols."""
        return _parsed_terms([match["fact"] for match, _ in self._matches(keys)])

    def of(self, keys: Collection[Signature]) -> PlainFacts:
        """Return only the facts of some predicates; they keep their locations."""
        inside, _ = self._split(self._spans(keys))
        return inside

    def without(self, keys: Collection[Signature]) -> PlainFacts:
        """Return the facts of all predicates except `keys`; they keep their locations."""
        _, outside = self._split(self._spans(keys))
        return outside

    def samples(self, keys: Collection[Signature]) -> tuple[PlainFacts, PlainFacts]:
        """Return samples of the facts of the predicates `keys`, and all other facts.

        There is one sample for each predicate and each pattern of arguments. A pattern is the list
        of arguments that are numbers up to 0, which may be initial times.
        """
        kinds: dict[object, Stretch] = {}
        for match, key in self._matches(keys):
            terms = parse_term(match["fact"]).arguments
            start = tuple(t.type == SymbolType.Number and t.number <= 0 for t in terms)
            kinds.setdefault((key, start), match.span("whole"))
        return self._split(kinds.values())

    def _matches(self, keys: Collection[Signature]) -> Iterator[tuple[re.Match[str], Signature]]:
        """Yield (match, predicate) for the facts of some predicates."""
        if self.signatures.isdisjoint(keys):
            return
        for match in _facts_in(self.text):
            key = _signature(match["fact"])
            if key in keys:
                yield match, key

    def _spans(self, keys: Collection[Signature]) -> Iterator[Stretch]:
        for match, _ in self._matches(keys):
            yield match.span("whole")

    def _split(self, spans: Iterable[Stretch]) -> tuple[PlainFacts, PlainFacts]:
        inside, outside = split_text(self.text, spans)
        return PlainFacts(self.file, inside), PlainFacts(self.file, outside)


class LateFacts(PlainFacts):
    """Plain facts whose text is made only when it is needed.

    Parameters
    ----------
    file
        The file that messages name.
    make
        Returns the text.
    signatures
        The predicates of the facts.
    words
        All names in the facts.
    """

    def __init__(
        self,
        file: str,
        make: Callable[[], str],
        signatures: frozenset[Signature],
        words: Set[str],
    ) -> None:
        self.__dict__.update(file=file, _make=make, signatures=signatures, _words=words)

    @cached_property
    def text(self) -> str:
        """Return the text of the facts, which is made at the first access."""
        made: str = self.__dict__["_make"]()
        return made

    def mentions(self, words: Collection[str]) -> bool:
        """Return whether one of some words is a name in the facts."""
        return not self.__dict__["_words"].isdisjoint(words)


class _Locator:
    """Returns the locations of ascending offsets in a text, in one pass over the text.

    A line may hold any number of facts; clingo counts its columns in bytes.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.offset = 0
        self.line = 1
        self.column = 1

    def __call__(self, offset: int) -> Location:
        between = self.text[self.offset : offset]
        lines = between.count("\n")
        if lines:
            self.line += lines
            self.column = 1
            between = between[between.rindex("\n") + 1 :]
        self.column += len(between.encode())
        self.offset = offset
        return Location(self.file, self.line, self.column)


def split_text(text: str, spans: Iterable[Stretch]) -> tuple[str, str]:
    """Split a text into two texts: the stretches at `spans`, and all the rest.

    Blanks replace the other text in each of them, so that locations stay the same.
    """
    inside = list[str]()
    outside = list[str]()
    end = 0
    for start, stop in spans:
        between = text[end:start]
        stretch = text[start:stop]
        inside.append(_blank(between))
        inside.append(stretch)
        outside.append(between)
        outside.append(_blank(stretch))
        end = stop
    outside.append(text[end:])
    return "".join(inside), "".join(outside)


def _blank(text: str) -> str:
    """Return blanks with as many lines as a text, and as many bytes in the last line.

    Then the locations of the text after the blanks stay the same.
    """
    lines = text.count("\n")
    last = text[text.rfind("\n") + 1 :]
    return "\n" * lines + " " * len(last.encode())


def _parsed_terms(texts: Sequence[str]) -> list[Symbol]:
    """Return the terms that are written in `texts`, by one call of clingo's parser for all."""
    return list(parse_term(f"({','.join(texts)},)").arguments) if texts else []


def _facts_in(text: str) -> Iterator[re.Match[str]]:
    """Yield a match for each fact of a text that consists of plain facts and comments."""
    return iter(_FACT.scanner(text).match, None)  # type: ignore[attr-defined]


def _signature(fact: str) -> Signature:
    """Return the predicate of a fact.

    The arity follows from the commas alone, so `fact` may lack the text between them.
    """
    name, opened, inner = _INSIDE.sub("", fact).partition("(")
    inner = inner.strip()[:-1]
    while "(" in inner:
        inner = _INNERMOST.sub("", inner)
    sign = "-" if name.startswith("-") else ""
    arity = inner.count(",") + 1 if opened else 0
    return sign, name[len(sign) :].strip(), arity


def _with_values(term: Symbol, constants: Mapping[str, Symbol]) -> Symbol:
    """Return a term in which the names of `constants` in arguments are replaced by their values.

    The name of the term itself stays, as in clingo.
    """
    if not constants or term.type != SymbolType.Function:
        return term
    values = [_value_of(each, constants) for each in term.arguments]
    return Function(term.name, values, term.positive)


def _value_of(term: Symbol, constants: Mapping[str, Symbol]) -> Symbol:
    if term.type == SymbolType.Function and term.positive and not term.arguments:
        value = constants.get(term.name)
        if value is not None:
            return value
    return _with_values(term, constants)
