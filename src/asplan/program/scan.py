"""A look at the text of a program before clingo takes one.

clingo wraps a number of more than 32 bits silently, ends the whole process at a byte that it
cannot decode and at terms that are nested a hundred thousand deep, and opens whatever file an
`#include` names. All that is found here, in one pass over the tokens of a text, which takes out
the plain facts and the includes as well; what is left is for clingo's parser.

The tokens are those of clingo's own lexer. A text that it would read in another way than this
module (a quotation mark without a second one, `#include` in the middle of a rule) is refused.

>>> found = scan("x.lp", 'p(1). q(X) :- r(X). #include "y.lp". p(2).')
>>> found.rest.strip(), found.facts.text.split()
('q(X) :- r(X).', ['p(1).', 'p(2).'])
>>> [include.path for include in found.includes]
['y.lp']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asplan.errors import InputError, Location
from asplan.numbers import LARGEST, whole
from asplan.program.plain import PlainFacts, Span, end_of_facts, within, without

DEEPEST = 200
"""How deep a term may be nested: each pair of brackets counts two, each operator one."""

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
    """What a text holds.

    Attributes
    ----------
    facts
        The plain facts.
    rest
        The text without them, its includes and its comments; lines and columns are the same.
    """

    facts: PlainFacts
    rest: str
    includes: tuple[Include, ...] = ()


def scan(name: str, text: str, in_base: bool = True) -> Scanned:
    """Look through a text, which is called `name` and begins in the part `base` or in another.

    Raises
    ------
    InputError
        There is something in it that clingo must not see; the place is that of the token.
    """
    _refuse_no_text(name, text)
    scanner = _Scanner(name, text, in_base)
    scanner.run()
    facts = "".join(within(text, scanner.facts))
    rest = "".join(without(text, sorted(scanner.facts + scanner.dropped)))
    return Scanned(PlainFacts(name, facts), rest, tuple(scanner.includes))


def _refuse_no_text(name: str, text: str) -> None:
    """Raise `InputError` where a text has what the text of a file cannot have."""
    if "\0" in text:
        raise InputError(f"{name} is no text: it has a NUL")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is no text: it has {text[error.start]!r}") from None


class _Scanner:
    """One pass over a text."""

    def __init__(self, name: str, text: str, in_base: bool) -> None:
        self.name, self.text, self.in_base = name, text, in_base
        self.facts: list[Span] = []
        self.dropped: list[Span] = []
        self.includes: list[Include] = []
        self.position = 0
        self.line, self.line_start = 1, 0
        self._begin()

    def _begin(self) -> None:
        """Here a statement may begin."""
        self.fresh, self.tried, self.operand = True, False, False
        self.brackets: list[int] = []
        self.annotation = False
        self.depth = self.chained = 0

    def run(self) -> None:
        """Go through the text."""
        while self.position < len(self.text):
            if self.fresh and self.in_base and not self.tried:
                self._plain_facts()
            if token := _TOKEN.match(self.text, self.position):
                self.position = token.end()
                getattr(self, f"_{token.lastgroup}")(token)

    def _plain_facts(self) -> None:
        end = end_of_facts(self.text, self.position)
        if end > self.position:
            self.facts.append((self.position, end))
        # What comes next is no fact, so after mere blanks there is no need to look again.
        self.position, self.tried = end, True

    def _word(self, token: re.Match[str]) -> None:
        if not token[0].isspace():
            self.fresh, self.operand = False, True

    def _comment(self, token: re.Match[str]) -> None:
        """A comment ends with its line; clingo would make a statement of each."""
        self.dropped.append(token.span())

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

    def _string(self, token: re.Match[str]) -> None:
        self.fresh, self.operand = False, True

    def _number(self, token: re.Match[str]) -> None:
        digits = token[0]
        value = whole(digits) if digits.isdigit() else int(digits, 0)
        if value is None or value > LARGEST:
            what = f"the number {digits} does not fit clingo's 32 bits"
            raise self._error(token, what, f"the largest is {LARGEST}")
        self.fresh, self.operand = False, True

    def _open(self, token: re.Match[str]) -> None:
        """A bracket; `[` where a statement may begin annotates the one before, as `[1@2]` does."""
        if not self.brackets:
            self.annotation = self.fresh and token[0] == "["
        self.fresh = self.operand = False
        self.brackets.append(self.chained)
        self.chained = 0
        self._deeper(token, 2)

    def _close(self, token: re.Match[str]) -> None:
        self.operand = True
        if self.brackets:
            self.depth -= self.chained + 2
            self.chained = self.brackets.pop()
            if not self.brackets and self.annotation:
                self._begin()

    def _part(self, token: re.Match[str]) -> None:
        """What parts arguments, literals and elements."""
        self.depth -= self.chained
        self.chained = 0
        self.fresh = self.operand = False

    def _operator(self, token: re.Match[str]) -> None:
        closes = token[0] == "|" and self.operand  # or parts the heads of a disjunction
        self.fresh = self.operand = False
        if not closes:
            self.chained += 1
            self._deeper(token, 1)

    def _deeper(self, token: re.Match[str], by: int) -> None:
        self.depth += by
        if self.depth > DEEPEST:
            what = f"a term is nested deeper than {DEEPEST // 2} brackets or {DEEPEST} operators"
            raise self._error(token, what)

    def _end(self, token: re.Match[str]) -> None:
        """The end of a statement."""
        self._begin()

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

    def _strange(self, token: re.Match[str]) -> None:
        what = f"the character {token[0]!r} may stand only in strings and comments"
        if token[0] == '"':
            what = 'a string has no end, or a backslash in it that is not \\\\, \\n or \\"'
        raise self._error(token, what)

    def _error(self, token: re.Match[str], what: str, mend: str = "") -> InputError:
        return InputError(what, at=self._at(token.start()), mend=mend)

    def _at(self, offset: int) -> Location:
        """The place of an offset; asked for in order, it goes through the text once."""
        new = self.text.count("\n", self.line_start, offset)
        if new:
            self.line += new
            self.line_start = self.text.rfind("\n", 0, offset) + 1
        column = len(self.text[self.line_start : offset].encode())
        return Location(self.name, self.line, column + 1)
