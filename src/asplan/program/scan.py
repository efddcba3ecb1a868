r"""A look at the text of a program before clingo takes one.

clingo wraps a number of more than 32 bits silently, ends the whole process at a byte that it
cannot decode and at terms that are nested a hundred thousand deep, and opens whatever file an
`#include` names. All that is found here, in one pass over the tokens of a text. The tokens are
those of clingo's own lexer; a text that it would read in another way (a quotation mark without a
second one, `#include` in the middle of a rule) is refused.

The pass takes out the plain facts as well: clingo takes about five microseconds to read a fact such
as `edge(1,2).`, and a hundred to hand out its syntax tree. So whatever a regular expression takes
for a ground fact stays text, which is given to clingo as it is. The expression is narrow, for
whatever it does not take is read by way of the syntax tree, which is slower and means the same.

>>> found = scan("x.lp", 'p(1). q(X) :- r(X). #include "y.lp". -p(f(a,"a.b"),-3).')
>>> found.rest.strip(), sorted(found.facts.signatures)
('q(X) :- r(X).', [('', 'p', 1), ('-', 'p', 2)])
>>> [str(place) for _, place in found.facts.places({})]
['x.lp:1:1', 'x.lp:1:38']
>>> [include.path for include in found.includes]
['y.lp']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property

from clingo import Function, Symbol, SymbolType, parse_term

from asplan.core.errors import InputError, Location
from asplan.core.text import LARGEST, parse_natural
from asplan.program.syntax import Signature

Stretch = tuple[int, int]  # where a stretch of a text begins and ends
DEEPEST = 200  # how deep a term may be nested: each pair of brackets counts two, each operator one

_TOKEN = re.compile(
    r"""(?P<word> (?: [ \t\r\n]++ | [_']*+[A-Za-z][A-Za-z0-9_']*+ | [1-9][0-9]{0,8}+ (?!\w) )++ )
      | (?P<block> %\* )
      | (?P<comment> %[^\n]*+ (?: \s*+ %(?!\*)[^\n]*+ )*+ )
      | (?P<string> "(?>[^"\\\n]|\\[n"\\])*+" )
      | (?P<number> 0x[0-9a-fA-F]+ | 0o[0-7]+ | 0b[01]+ | 0 | [1-9][0-9]* )
      | (?P<directive> \#[a-z]+ )
      | (?P<open> [(\[{] )
      | (?P<close> [)\]}] )
      | (?P<part> [,;:] )
      | (?P<end> \.(?!\.) )
      | (?P<operator> \.\. | \*\* | [^\x00-\x1f\x7f-\U0010ffff"] )
      | (?P<strange> . )""",
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(r"%\*|\*%")
_SCRIPT = re.compile(r"#script\s*\(\s*[a-z]+\s*\).*?#end", re.DOTALL)
_INCLUDE = re.compile(r'#include\s*"((?>[^"\\\n]|\\[n"\\])*+)"\s*\.')
_INCMODE = re.compile(r"#include\s*<")
_PROGRAM_BASE = re.compile(r"#program\s+base\s*\.")
_ESCAPES = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Include:
    """A place where a file is to be read; `in_base` is that the part there is `base`."""

    path: str
    at: Location
    in_base: bool


@dataclass(frozen=True)
class Scanned:
    """The plain facts of a text, and the rest, with blanks for facts, includes and comments."""

    facts: PlainFacts
    rest: str
    includes: tuple[Include, ...] = ()


def scan(name: str, text: str, in_base: bool = True) -> Scanned:
    if "\0" in text:
        raise InputError(f"{name} is no text: it has a NUL")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is no text: it has {text[error.start]!r}") from None
    scanner = _Scanner(name, text, in_base)
    scanner.run()
    facts, _ = _split(text, scanner.facts)
    _, rest = _split(text, sorted(scanner.facts + scanner.dropped))
    return Scanned(PlainFacts(name, facts), rest, tuple(scanner.includes))


class _Scanner:
    def __init__(self, name: str, text: str, in_base: bool) -> None:
        self.name, self.text, self.in_base = name, text, in_base
        self.facts: list[Stretch] = []
        self.dropped: list[Stretch] = []
        self.includes: list[Include] = []
        self.position = 0
        self.line, self.line_start = 1, 0
        self._begin()

    def _begin(self) -> None:
        self.fresh, self.tried, self.operand = True, False, False
        self.brackets: list[int] = []
        self.annotation = False
        self.depth = self.chained = 0

    def run(self) -> None:
        while self.position < len(self.text):
            if self.fresh and self.in_base and not self.tried:
                end = _end_of_facts(self.text, self.position)
                if end > self.position:
                    self.facts.append((self.position, end))
                # What comes next is no fact, so after mere blanks there is no need to look again.
                self.position, self.tried = end, True
            if token := _TOKEN.match(self.text, self.position):
                self.position = token.end()
                self._take(token)

    def _take(self, token: re.Match[str]) -> None:
        match token.lastgroup:  # the most frequent ones first
            case "word":
                if not token[0].isspace():
                    self.fresh, self.operand = False, True
            case "operator":
                closes = token[0] == "|" and self.operand  # or parts the heads of a disjunction
                self.fresh = self.operand = False
                if not closes:
                    self.chained += 1
                    self._deeper(token, 1)
            case "part":  # of arguments, literals and elements
                self.depth -= self.chained
                self.chained = 0
                self.fresh = self.operand = False
            case "open":  # `[` where a statement may begin annotates the one before, as `[1@2]`
                if not self.brackets:
                    self.annotation = self.fresh and token[0] == "["
                self.fresh = self.operand = False
                self.brackets.append(self.chained)
                self.chained = 0
                self._deeper(token, 2)
            case "close":
                self.operand = True
                if self.brackets:
                    self.depth -= self.chained + 2
                    self.chained = self.brackets.pop()
                    if not self.brackets and self.annotation:
                        self._begin()
            case "end":
                self._begin()
            case "comment":  # clingo would make a statement of each
                self.dropped.append(token.span())
            case "string":
                self.fresh, self.operand = False, True
            case "number":
                self._number(token)
            case "block":
                self._block(token)
            case "directive":
                self._directive(token)
            case _:
                what = f"the character {token[0]!r} may stand only in strings and comments"
                if token[0] == '"':
                    what = 'a string has no end, or a backslash in it that is not \\\\, \\n or \\"'
                raise self._error(token, what)

    def _deeper(self, token: re.Match[str], by: int) -> None:
        self.depth += by
        if self.depth > DEEPEST:
            what = f"a term is nested deeper than {DEEPEST // 2} brackets or {DEEPEST} operators"
            raise self._error(token, what)

    def _number(self, token: re.Match[str]) -> None:
        digits = token[0]
        value = parse_natural(digits) if digits.isdigit() else int(digits, 0)
        if value is None or value > LARGEST:
            what = f"the number {digits} does not fit clingo's 32 bits"
            raise self._error(token, what, f"the largest is {LARGEST}")
        self.fresh, self.operand = False, True

    def _block(self, token: re.Match[str]) -> None:
        """A comment that may hold others."""
        depth = 1
        while depth and (mark := _BLOCK.search(self.text, self.position)):
            self.position = mark.end()
            depth += 1 if mark[0] == "%*" else -1
        if depth:
            raise self._error(token, "the comment that begins here has no end")
        self.dropped.append((token.start(), self.position))
        self.tried = False

    def _directive(self, token: re.Match[str]) -> None:
        word, start = token[0], token.start()
        if word in ("#include", "#script") and not self.fresh:
            raise self._error(token, f"{word} stands inside of a statement")
        if word == "#include" and not _INCMODE.match(self.text, start):
            self._include(token)
            return
        if word == "#script":
            script = _SCRIPT.match(self.text, start)
            if script is None:
                raise self._error(token, "a script is written #script (python) … #end.")
            self.position = script.end()
        if word == "#program":
            self.in_base = _PROGRAM_BASE.match(self.text, start) is not None
        self.fresh, self.operand = False, True

    def _include(self, token: re.Match[str]) -> None:
        found = _INCLUDE.match(self.text, token.start())
        if found is None:
            raise self._error(token, 'an include is written #include "FILE.lp".')
        path = _ESCAPES.sub(lambda escape: "\n" if escape[1] == "n" else escape[1], found[1])
        self.includes.append(Include(path, self._at(token.start()), self.in_base))
        self.dropped.append(found.span())
        self.position = found.end()
        self.in_base = True  # so it is for clingo after an include, whatever was before
        self._begin()

    def _error(self, token: re.Match[str], what: str, hint: str = "") -> InputError:
        return InputError(what, at=self._at(token.start()), hint=hint)

    def _at(self, offset: int) -> Location:
        """The place of an offset; for rising offsets it goes through the text once."""
        if new := self.text.count("\n", self.line_start, offset):
            self.line += new
            self.line_start = self.text.rfind("\n", 0, offset) + 1
        column = len(self.text[self.line_start : offset].encode())
        return Location(self.name, self.line, column + 1)


_DEPTH = 5  # how deep terms may be nested in a plain fact

_NAME = r"(?!(?:not|asplan)\b)[_']*+[a-z][A-Za-z0-9_']*+"
_STRING = r'"(?>[^"\\\n]|\\[n"\\])*+"'
_NUMBER = r"-?(?>0|[1-9][0-9]{0,8})(?![0-9])"
_WHITE = r"[ \t\r\n]*+"
_SKIPPED = r"(?>[ \t\r\n]|%(?!\*)[^\n]*+)*+"

# In a text of plain facts they are found again by less.
_FACT = re.compile(rf'{_SKIPPED}(?P<whole>(?P<fact>-?(?P<name>[\w\']++)(?>[^".%]|{_STRING})*+)\.)')
_WORDS = re.compile(rf"%[^\n]*+|{_STRING}|(?<![\w'])([_']*+[a-z][\w']*+)")
_INSIDE = re.compile(rf"%[^\n]*+\s*+|(?<=[(,]){_WHITE}(?>[\w'-]++|{_STRING})")
_INNERMOST = re.compile(r"\([^()]*+\)")


def _term(depth: int) -> str:
    """A ground term without arithmetic, intervals and pools; in it, no two ways of matching."""
    if depth == 0:
        return rf"(?>{_NAME}|{_NUMBER}|{_STRING})"
    return rf"(?>(?:{_NAME})?+{_arguments(depth - 1)}|{_term(0)})"


def _arguments(depth: int) -> str:
    more = rf"{_WHITE}(?:,(?!{_WHITE}\))|(?=\)))"
    return rf"\((?:{_WHITE}{_term(depth)}{more})++\)"


@cache
def _facts() -> re.Pattern[str]:
    fact = rf"-?{_NAME}(?:{_arguments(_DEPTH)})?+{_WHITE}\.(?!\.)"
    return re.compile(rf"(?:{_SKIPPED}(?>{fact}))++")


def _end_of_facts(text: str, start: int) -> int:
    """Where the plain facts end that begin at a place in a text; `start`, if there is none."""
    found = _facts().match(text, start)
    return found.end() if found else start


def is_plain_term(text: str) -> bool:
    """Whether a text is a name, or a name with ground arguments, plain to see as such.

    >>> is_plain_term("move(red,left,1)"), is_plain_term("move(red,left,1+1)")
    (True, False)
    """
    return "." not in text and _end_of_facts(f"{text}.", 0) == len(text) + 1


@dataclass(frozen=True, eq=False)
class PlainFacts:
    """The plain facts in the part `base` of a file; all else is blank in `text`."""

    file: str
    text: str

    @cached_property
    def signatures(self) -> frozenset[Signature]:
        # Without what stands between parentheses and commas most facts look the same.
        shapes = set(_INSIDE.sub("", self.text).split("."))
        return frozenset(_signature(shape) for shape in map(str.strip, shapes) if shape)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(filter(None, _WORDS.findall(self.text)))

    def mentions(self, words: Collection[str]) -> bool:
        """Whether one of some words stands somewhere in the text, if only as a part of others."""
        return any(word in self.text for word in words)

    def places(
        self, constants: Mapping[str, Symbol], wanted: Symbol | None = None
    ) -> Iterator[tuple[Symbol, Location]]:
        """The facts, or one that is wanted, with their places, and with `constants` replaced."""
        locate = _Locator(self.file, self.text)
        for match in _facts_in(self.text):
            if wanted is None or match["name"] == wanted.name:
                fact = _with_values(parse_term(match["fact"]), constants)
                if wanted in (None, fact):
                    yield fact, locate(match.start("fact"))

    def first_places(self, keys: Collection[Signature]) -> dict[Signature, Location]:
        """Return the place of the first fact of each of some predicates that have facts."""
        missing = self.signatures & frozenset(keys)
        locate = _Locator(self.file, self.text)
        found = dict[Signature, Location]()
        for match, key in self._with(missing):
            if key not in found:
                found[key] = locate(match.start("fact"))
                if len(found) == len(missing):
                    break
        return found

    def symbols(self) -> list[Symbol]:
        return _parsed_terms([match["fact"] for match in _facts_in(self.text)])

    def symbols_of(self, keys: Collection[Signature]) -> list[Symbol]:
        """Return the facts of some predicates."""
        return _parsed_terms([match["fact"] for match, _ in self._with(keys)])

    def of(self, keys: Collection[Signature]) -> PlainFacts:
        return self._split(match.span("whole") for match, _ in self._with(keys))[0]

    def without(self, keys: Collection[Signature]) -> PlainFacts:
        return self._split(match.span("whole") for match, _ in self._with(keys))[1]

    def samples(self, keys: Collection[Signature]) -> tuple[PlainFacts, PlainFacts]:
        """Of the facts of some predicates one of each kind, which tells what times they have."""
        kinds: dict[object, Stretch] = {}
        for match, key in self._with(keys):
            terms = parse_term(match["fact"]).arguments
            start = tuple(t.type == SymbolType.Number and t.number <= 0 for t in terms)
            kinds.setdefault((key, start), match.span("whole"))
        return self._split(kinds.values())

    def _with(self, keys: Collection[Signature]) -> Iterator[tuple[re.Match[str], Signature]]:
        if not self.signatures.isdisjoint(keys):
            for match in _facts_in(self.text):
                if (key := _signature(match["fact"])) in keys:
                    yield match, key

    def _split(self, spans: Iterable[Stretch]) -> tuple[PlainFacts, PlainFacts]:
        inside, outside = _split(self.text, spans)
        return PlainFacts(self.file, inside), PlainFacts(self.file, outside)


class _Locator:
    """The places of ascending offsets in a text, which is gone through once.

    A line may hold any number of facts; clingo counts its columns in bytes.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.offset = 0
        self.line, self.column = 1, 1

    def __call__(self, offset: int) -> Location:
        between = self.text[self.offset : offset]
        if lines := between.count("\n"):
            self.line += lines
            self.column = 1
            between = between[between.rindex("\n") + 1 :]
        self.column += len(between.encode())
        self.offset = offset
        return Location(self.file, self.line, self.column)


class LateFacts(PlainFacts):
    """Plain facts that are made when somebody asks for their text.

    `signatures` are those of their predicates, and `words` has all names in them.
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
        made: str = self.__dict__["_make"]()
        return made

    def mentions(self, words: Collection[str]) -> bool:
        return not self.__dict__["_words"].isdisjoint(words)


def _parsed_terms(texts: Sequence[str]) -> list[Symbol]:
    """Return the terms that texts write; one call of clingo's parser is faster than many."""
    return list(parse_term(f"({','.join(texts)},)").arguments) if texts else []


def _facts_in(text: str) -> Iterator[re.Match[str]]:
    """The facts of a text that holds nothing else but comments, each where the last one ends."""
    return iter(_FACT.scanner(text).match, None)  # type: ignore[attr-defined]


def _split(text: str, spans: Iterable[Stretch]) -> tuple[str, str]:
    """Some stretches of a text, and the rest; each has blanks in place of the other."""
    inside, outside, end = list[str](), list[str](), 0
    for start, stop in spans:
        inside += _blank(text[end:start]), text[start:stop]
        outside += text[end:start], _blank(text[start:stop])
        end = stop
    return "".join(inside), "".join((*outside, text[end:]))


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
    """A term as clingo reads it, where names among its arguments stand for constants."""
    if not constants or term.type != SymbolType.Function:
        return term

    def value(each: Symbol) -> Symbol:
        is_name = each.type == SymbolType.Function and each.positive and not each.arguments
        known = constants.get(each.name) if is_name else None
        return _with_values(each, constants) if known is None else known

    return Function(term.name, [value(each) for each in term.arguments], term.positive)
