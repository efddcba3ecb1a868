"""Hints about syntax errors in a program: what its author most likely meant."""

import re
from difflib import get_close_matches

from asplan.core.errors import InputError

_WINDOW = 1000
"""The number of characters before an error that the hints examine, and the same after it."""

_COMMENT = "a comment begins with %"

_HINTS = (
    (r"^\s*\(\s*define\b|^\s*¦;", "asplan reads PDDL from files named NAME.pddl"),
    (
        r"#(?:sum|minimize|maximize)\s*¦\[",
        "old syntax of gringo 3: p(X) = W in brackets is now { W,X : p(X) } in braces",
    ),
    (r"#program\s+\w+\s*\(\s*¦[A-Z]", "a parameter is a name: #program step(t)."),
    (
        r":¦=|-¦>|¦(?:if|when)\b|<¦-|<-|^\s*[a-z]\w*(?:\([^()]*\))?\s*<=",
        "a rule is written HEAD :- BODY.",
    ),
    (r"#show\s+[a-z]\w*\([^:]*¦", "a predicate is shown with its arity: #show p/2."),
    (r"=¦<", "write <= for at most"),
    (r"=¦>", "write >= for at least"),
    (r"=¦/=?|\\¦=|<¦>", "write != for unequal"),
    (r"¦!|¦\\\+|~\s*[a-z]", "write not for negation, as in not p(X)"),
    (r"\bnot\s*\(.*¦", "negation has no brackets: not p(X)"),
    (r"¦(?:and\b|&)|&¦&|\)\s*&.*¦", "literals are joined by commas"),
    (r"¦(?:or\b|\|\|)|\|¦\|", "for or, write one rule for each alternative, with the same head"),
    (r"¦is\b", "use = for a value, as in X = Y+1"),
    (r"¦mod\b", r"write \ for the remainder, as in X \ 2"),
    (r"\b([A-Z]\w*)¦\(", "the name of a predicate begins with a small letter"),
    (r"\d¦\.\d", "numbers are whole: use smaller units, such as 15 tenths for 1.5"),
    (r"\b0¦\d", "a number does not begin with 0"),
    (r"¦/[/*]|¦#(?![a-z])", _COMMENT),
    (r"\b(?:count|sum|min|max)\s*\{[^}]*¦", "an aggregate is written #count { … }"),
    (r"\{[^}]*¦\|", "a colon stands before a condition: { p(X) : q(X) }"),
    (r",\s*¦[.,;]|;\s*¦[.,]", "something is missing behind the comma"),
    (r",\s*¦[)}]", "an argument is missing behind the comma"),
    (r"#const\b[^.]*¦,", "each constant has a statement of its own: #const n=3. #const m=4."),
    (r"[a-z]\w*-[a-z]\w*\([^()]*\)\s*¦\.", "a name has no hyphen: write my_name"),
    (r":-(?:[^.]|\.\.)*¦:-", "a statement has one :-, and a dot at its end"),
)
"""Patterns of errors, each with its hint.

`¦` marks the error in the text. That text begins with the statement and ends with the line.
"""

_DIRECTIVES = (
    *("const", "defined", "edge", "external", "heuristic", "include", "maximize", "minimize"),
    *("program", "project", "script", "show", "theory", "count", "sum", "min", "max"),
    *("false", "true", "inf", "sup"),
)

_OLD = re.compile(r"¦#(?:base|cumulative|volatile|hide)\b")
_OLD_DOMAIN = re.compile(r"¦#domain\b")
_OLD_PARAMETER = re.compile(r"#(?:cumulative|volatile)\s+([a-z]\w*)")

_BARE = re.compile(r"(?:^|\n)\s*([a-z]+)\s+¦[a-z{]")
_MARKED = re.compile(r"¦#([a-z]\w*)")
_TWO_NAMES = re.compile(r"[(,]\s*([a-z]\w*)\s+¦([a-z]\w*)")
_SIDE_BY_SIDE = re.compile(r"(?P<before>(?::-|[({])[^.]*)[\w)\"] +¦(?P<word>\w+)")
"""Matches two words without a mark between them, in a body or in brackets."""

_MODULO = re.compile(r"[\w)]\s*%\s*\w.*\.\s*$")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\.\.|[.(){}\[\]]|[^".(){}\[\]]+')

_ENDS = re.compile(r"\.|:-|#|not\b|[)}\]]|\s*\Z")
"""Text that cannot occur inside brackets."""

_WORD = re.compile(r"[\w']+")
_KIND = re.compile(r"(?<=unexpected )<(?:IDENTIFIER|VARIABLE|NUMBER)>")
"""Matches clingo's name for the kind of word that it did not expect."""

_OPENS = {")": "(", "}": "{", "]": "["}


def syntax_error(error: InputError, text: str, written: str) -> InputError:
    """Return a better version of clingo's syntax error: with the wrong word, and with a hint.

    `text` is what clingo parsed, without comments; `written` is the same text with its comments.
    """
    at = error.at
    if at is None:
        return error
    word = _WORD.match(text, _offset(text, at.line, at.column))
    message = _KIND.sub(f"'{word[0]}'", error.message, count=1) if word else error.message
    hint = syntax_hint(text, at.line, at.column, written) or error.hint
    return InputError(message, at=at, hint=hint)


def syntax_hint(text: str, line: int, column: int, written: str = "") -> str:
    r"""Return a hint for an error at a line and a byte of a text; empty if there is none.

    `written` is the text with its comments.

    >>> syntax_hint("a(X) :- b(X) and c(X).", 1, 14)
    'literals are joined by commas'
    >>> syntax_hint("p(1) :- q\nr :- s.", 2, 1)
    'line 1 may lack its dot'
    >>> syntax_hint("p(X) :- q(X) go(X).", 1, 14)
    'a comma may be missing before go'
    """
    offset = _offset(text, line, column)
    start, opened = _statement(text, offset)
    line_end, _, _ = text[offset : offset + _WINDOW].partition("\n")
    marked = f"{text[max(start, offset - _WINDOW) : offset]}¦{line_end}"
    hint = _old_syntax(text, marked) or _pattern_hint(marked) or _directive_hint(marked)
    if hint:
        return hint
    if opened:
        return _bracket_hint(text, offset, opened, marked) or _missing_comma(marked)
    if text[offset : offset + 1] in _OPENS:
        return f"this {text[offset]} closes no bracket"
    return _missing_dot(text, offset, written or text) or _missing_comma(marked)


def _pattern_hint(marked: str) -> str:
    """Return the hint of the first pattern that matches; empty if none does.

    `marked` is the text with `¦` at the error.
    """
    for pattern, hint in _HINTS:
        if re.search(pattern, marked):
            return hint
    return ""


def _directive_hint(marked: str) -> str:
    """Return a hint about a misspelt directive, or about a comment that begins with `#`.

    `marked` is the text with `¦` at the error.
    """
    directive = _MARKED.search(marked)
    word = directive or _BARE.search(marked)
    if word is None or (directive and word[1] in _DIRECTIVES):
        return ""
    close = get_close_matches(word[1], _DIRECTIVES, n=1, cutoff=0.7)
    if close:
        return f"did you mean #{close[0]}?"
    return _COMMENT if directive else ""


def _bracket_hint(text: str, offset: int, opened: list[int], marked: str) -> str:
    """Return a hint about an error inside brackets; empty if there is none.

    `opened` has the offsets of the brackets that are open at the error; `marked` is the text with
    `¦` at the error.
    """
    names = _TWO_NAMES.search(marked)
    if names is not None:
        return f"a name has no blank: write {names[1]}_{names[2]}"
    if not _ENDS.match(text, offset):
        return ""
    before = text[: opened[-1]].split("\n")
    place = f"line {len(before)}, column {len(before[-1].encode()) + 1}"
    return f"perhaps the {text[opened[-1]]} in {place} is not closed"


def _missing_comma(marked: str) -> str:
    """Return a hint if two literals or two arguments stand side by side; else empty text.

    `marked` is the text with `¦` at the error.
    """
    found = _SIDE_BY_SIDE.search(marked)
    if found is None:
        return ""
    mark = "a comma or a semicolon" if "{" in found["before"] else "a comma"
    return f"{mark} may be missing before {found['word']}"


def _old_syntax(text: str, marked: str) -> str:
    """Return the modern form of a directive of gringo 3 or iclingo at the error; else empty text.

    `marked` is the text with `¦` at the error.
    """
    if _OLD_DOMAIN.search(marked):
        return "old syntax of gringo 3: instead of #domain each rule names the condition"
    if not _OLD.search(marked):
        return ""
    named = _OLD_PARAMETER.search(text)
    t = named[1] if named else "t"
    return (
        f"old syntax of gringo 3 and iclingo: #base is now #program base., #cumulative {t} is "
        f"#program step({t})., #volatile {t} is #program check({t}). with query({t}), "
        "#hide is #show."
    )


def _missing_dot(text: str, offset: int, written: str) -> str:
    """Return a hint if the statement before the error lacks its dot; else empty text.

    `written` is the text with its comments. `offset` is the offset of the error.
    """
    before = text[:offset].rstrip()
    between = text[len(before) : offset]
    if not before or before.endswith("."):
        return ""
    if "\n" not in between and text[offset:].strip():
        return ""
    line = before.count("\n") + 1
    if _MODULO.search(written.split("\n")[line - 1]):
        return rf"line {line}: % begins a comment; write \ for the remainder, as in X \ 2"
    if before[-1] in ",;":
        mark = "comma" if before[-1] == "," else "semicolon"
        return f"line {line} ends with a {mark} instead of a dot"
    return f"line {line} may lack its dot"


def _statement(text: str, offset: int) -> tuple[int, list[int]]:
    """Return the offset at which a statement begins, and the offsets of its open brackets.

    The statement is the one around `offset`. The brackets are open at `offset`, the innermost last.
    """
    start = 0
    opened = list[int]()
    for token in _TOKEN.finditer(text, 0, offset):
        mark = token[0]
        if mark == ".":
            start = token.end()
            opened = []
        elif mark in _OPENS.values():
            opened.append(token.start())
        elif mark in _OPENS and opened:
            opened.pop()
    return start, opened


def _offset(text: str, line: int, column: int) -> int:
    """Return the offset of a line and a column in a text; columns are counted in bytes."""
    lines = text.split("\n")
    if line > len(lines):
        return len(text)
    inside = lines[line - 1].encode()[: column - 1].decode(errors="ignore")
    return sum(len(each) + 1 for each in lines[: line - 1]) + len(inside)
