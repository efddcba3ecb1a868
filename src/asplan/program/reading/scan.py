r"""The scan of a program's text before clingo reads it.

clingo wraps a number of more than 32 bits silently, ends the whole process at a byte that it
cannot decode and at terms that are nested a hundred thousand deep, and opens whatever file an
`#include` names. The scan finds all of this in one pass over the tokens of a text. The tokens are
those of clingo's own lexer; the scan refuses a text that clingo would read in another way (a
quotation mark without a second one, `#include` in the middle of a rule).

The pass also takes out the plain facts: clingo reads a fact such as `edge(1,2).` in about five
microseconds, but needs a hundred for its syntax tree. So a ground fact that a regular expression
recognises stays text, which clingo gets as it is. The expression is narrow: all other facts are
read by way of the syntax tree, which is slower and means the same.

>>> scanned = scan("x.lp", 'p(1). q(X) :- r(X). #include "y.lp". -p(f(a,"a.b"),-3).')
>>> scanned.rest.strip(), sorted(scanned.facts.signatures)
('q(X) :- r(X).', [('', 'p', 1), ('-', 'p', 2)])
>>> [str(place) for _, place in scanned.facts.places({})]
['x.lp:1:1', 'x.lp:1:38']
>>> [include.path for include in scanned.includes]
['y.lp']
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.core.text import LARGEST, parse_natural
from asplan.program.reading.plain_facts import (
    SKIPPED,
    STRING,
    WHITE,
    PlainFacts,
    Stretch,
    split_text,
)

DEEPEST = 200
"""The greatest depth of a term. A pair of brackets counts as two, and an operator as one."""

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
_SCRIPT_FORM = "write it as #script (python) … #end."
_INCLUDE_FORM = 'write it as #include "FILE.lp".'
_INCMODE = re.compile(r"#include\s*<")
_PROGRAM_BASE = re.compile(r"#program\s+base\s*\.")
_ESCAPES = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Include:
    """An `#include` of a file. `in_base` means that the part at this place is `base`."""

    path: str
    at: Location
    in_base: bool


@dataclass(frozen=True)
class Scanned:
    """A text divided into plain facts and the rest.

    In `rest`, blanks replace facts, includes and comments, so that statements keep their locations.
    """

    facts: PlainFacts
    rest: str
    includes: tuple[Include, ...] = ()


def scan(name: str, text: str, in_base: bool = True) -> Scanned:
    """Return the plain facts, the includes and the rest of a text.

    Parameters
    ----------
    name
        The file that messages name.
    text
        The text of the file.
    in_base
        Whether the text begins in the part `base`.

    Raises
    ------
    InputError
        If clingo would misread the text, or would end the process.
    """
    foreign = find_foreign_sign(text)
    if foreign:
        raise InputError(f"{name} is not text: it has {foreign}")
    scanner = _Scanner(name, text, in_base)
    scanner.run()
    facts, _ = split_text(text, scanner.facts)
    _, rest = split_text(text, sorted(scanner.facts + scanner.dropped))
    return Scanned(PlainFacts(name, facts), rest, tuple(scanner.includes))


def find_foreign_sign(text: str) -> str:
    """Return the name of a sign that no text may have: a NUL or half a character; else empty."""
    if "\0" in text:
        return "a NUL"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return repr(text[error.start])
    return ""


class _Scanner:
    """One pass over the tokens of a text.

    Attributes
    ----------
    fresh
        Whether a statement may begin here.
    tried
        Whether plain facts were already looked for here.
    operand
        Whether a term has just ended.
    depth
        The depth of the term: the number of operators, plus twice the number of open brackets.
    chained
        The number of operators in the present argument.
    brackets
        For each open bracket, the value of `chained` in the argument around the bracket.
    facts, dropped
        The stretches of plain facts, and the stretches of comments and includes.
    """

    def __init__(self, name: str, text: str, in_base: bool) -> None:
        self.name = name
        self.text = text
        self.in_base = in_base
        self.facts: list[Stretch] = []
        self.dropped: list[Stretch] = []
        self.includes: list[Include] = []
        self.position = 0
        self.line = 1
        self.line_start = 0
        self._begin()

    def _begin(self) -> None:
        """Reset the state for the beginning of a statement."""
        self.fresh = True
        self.tried = False
        self.operand = False
        self.brackets: list[int] = []
        self.annotation = False
        self.depth = 0
        self.chained = 0

    def run(self) -> None:
        """Scan the whole text; raise `InputError` at the first token that clingo would misread."""
        text = self.text
        length = len(text)
        match_token = _TOKEN.match
        handlers = self._handlers()
        while self.position < length:
            if self.fresh and self.in_base and not self.tried:
                self._take_facts()
            token = match_token(text, self.position)
            if token is None:
                continue
            self.position = token.end()
            kind = token.lastgroup
            if kind == "word":  # the most frequent kind, so it is no call
                if not token[0].isspace():
                    self.fresh = False
                    self.operand = True
            else:
                handlers[kind](token)

    def _handlers(self) -> dict[str | None, Callable[[re.Match[str]], None]]:
        return {
            "operator": self._operator,
            "part": self._part,
            "open": self._open,
            "close": self._close,
            "end": self._end,
            "comment": self._comment,
            "string": self._string,
            "number": self._number,
            "block": self._block,
            "directive": self._directive,
            "strange": self._strange,
        }

    def _take_facts(self) -> None:
        """Skip the plain facts that begin at the position, and record them."""
        end = _end_of_facts(self.text, self.position)
        if end > self.position:
            self.facts.append((self.position, end))
        self.position = end
        # The next token begins no fact, so after mere blanks there is no need to look again.
        self.tried = True

    def _string(self, token: re.Match[str]) -> None:
        self.fresh = False
        self.operand = True

    def _operator(self, token: re.Match[str]) -> None:
        # A bar behind a term ends an absolute value, or separates the heads of a disjunction.
        is_closing = token[0] == "|" and self.operand
        self.fresh = False
        self.operand = False
        if not is_closing:
            self.chained += 1
            self._deepen(token, 1)

    def _part(self, token: re.Match[str]) -> None:
        """Record that another argument, literal or element begins.

        It begins after the token, which is a comma, a semicolon or a colon.
        """
        self.depth -= self.chained
        self.chained = 0
        self.fresh = False
        self.operand = False

    def _open(self, token: re.Match[str]) -> None:
        if not self.brackets:
            # `[` where a statement may begin annotates the one before, as `[1@2]` does.
            self.annotation = self.fresh and token[0] == "["
        self.fresh = False
        self.operand = False
        self.brackets.append(self.chained)
        self.chained = 0
        self._deepen(token, 2)

    def _close(self, token: re.Match[str]) -> None:
        self.operand = True
        if self.brackets:
            self.depth -= self.chained + 2
            self.chained = self.brackets.pop()
            if not self.brackets and self.annotation:
                self._begin()

    def _end(self, token: re.Match[str]) -> None:
        self._begin()

    def _comment(self, token: re.Match[str]) -> None:
        # clingo would make a statement of it.
        self.dropped.append(token.span())

    def _strange(self, token: re.Match[str]) -> None:
        what = f"the character {token[0]!r} may stand only in strings and comments"
        if token[0] == '"':
            what = 'a string has no end, or a backslash in it that is not \\\\, \\n or \\"'
        raise self._error(token, what)

    def _deepen(self, token: re.Match[str], by: int) -> None:
        self.depth += by
        if self.depth > DEEPEST:
            what = f"the nesting is deeper than {DEEPEST // 2} brackets or {DEEPEST} operators"
            raise self._error(token, what)

    def _number(self, token: re.Match[str]) -> None:
        digits = token[0]
        value = parse_natural(digits) if digits.isdigit() else int(digits, 0)
        if value is None or value > LARGEST:
            what = f"the number {digits} does not fit clingo's 32 bits"
            raise self._error(token, what, f"the largest is {LARGEST}")
        self.fresh = False
        self.operand = True

    def _block(self, token: re.Match[str]) -> None:
        """Skip a comment between `%*` and `*%`, which may contain other such comments."""
        depth = 1
        while depth:
            mark = _BLOCK.search(self.text, self.position)
            if mark is None:
                raise self._error(token, "the comment that begins here has no end")
            self.position = mark.end()
            depth += 1 if mark[0] == "%*" else -1
        self.dropped.append((token.start(), self.position))
        self.tried = False

    def _directive(self, token: re.Match[str]) -> None:
        word = token[0]
        start = token.start()
        if word in ("#include", "#script") and not self.fresh:
            raise self._error(token, f"{word} is inside a statement", "end that with a dot first")
        if word == "#include" and not _INCMODE.match(self.text, start):
            self._include(token)
            return
        if word == "#script":
            script = _SCRIPT.match(self.text, start)
            if script is None:
                raise self._error(token, "this #script is incomplete", _SCRIPT_FORM)
            self.position = script.end()
        if word == "#program":
            self.in_base = _PROGRAM_BASE.match(self.text, start) is not None
        self.fresh = False
        self.operand = True

    def _include(self, token: re.Match[str]) -> None:
        match = _INCLUDE.match(self.text, token.start())
        if match is None:
            raise self._error(token, "this #include is incomplete", _INCLUDE_FORM)
        path = _ESCAPES.sub(_unescaped, match[1])
        at = self._at(token.start())
        self.includes.append(Include(path, at, self.in_base))
        self.dropped.append(match.span())
        self.position = match.end()
        # clingo continues in `base` after an include, whatever the part before.
        self.in_base = True
        self._begin()

    def _error(self, token: re.Match[str], what: str, hint: str = "") -> InputError:
        return InputError(what, at=self._at(token.start()), hint=hint)

    def _at(self, offset: int) -> Location:
        """Return the location of an offset.

        The offsets of successive calls must not decrease: the text is read once.
        """
        lines = self.text.count("\n", self.line_start, offset)
        if lines:
            self.line += lines
            self.line_start = self.text.rfind("\n", 0, offset) + 1
        column = len(self.text[self.line_start : offset].encode())
        return Location(self.name, self.line, column + 1)


def _unescaped(escape: re.Match[str]) -> str:
    """Return the character that an escape, such as a backslash and `n`, denotes."""
    return "\n" if escape[1] == "n" else escape[1]


_DEPTH = 5
"""The greatest depth of a term in a plain fact; deeper facts are left to clingo."""

_NAME = r"(?!(?:not|asplan)\b)[_']*+[a-z][A-Za-z0-9_']*+"
_NUMBER = r"-?(?>0|[1-9][0-9]{0,8})(?![0-9])"


def _term(depth: int) -> str:
    """Return a pattern for ground terms of at most some depth.

    Arithmetic, intervals and pools do not match. The pattern matches each text in at most one
    manner, so it never backtracks.
    """
    if depth == 0:
        return rf"(?>{_NAME}|{_NUMBER}|{STRING})"
    return rf"(?>(?:{_NAME})?+{_arguments(depth - 1)}|{_term(0)})"


def _arguments(depth: int) -> str:
    more = rf"{WHITE}(?:,(?!{WHITE}\))|(?=\)))"
    return rf"\((?:{WHITE}{_term(depth)}{more})++\)"


@cache
def _facts() -> re.Pattern[str]:
    fact = rf"-?{_NAME}(?:{_arguments(_DEPTH)})?+{WHITE}\.(?!\.)"
    return re.compile(rf"(?:{SKIPPED}(?>{fact}))++")


def _end_of_facts(text: str, start: int) -> int:
    """Return the end of the plain facts that begin at `start`; `start` if there are none."""
    match = _facts().match(text, start)
    return match.end() if match else start


def is_plain_term(text: str) -> bool:
    """Return whether a text is a name, or a name with ground arguments in plain form.

    >>> is_plain_term("move(red,left,1)"), is_plain_term("move(red,left,1+1)")
    (True, False)
    """
    return "." not in text and _end_of_facts(f"{text}.", 0) == len(text) + 1
