r"""What an author most likely meant where clingo's parser gives up.

A pattern is matched against the text of the statement up to the end of the line with the error; in
it `¦` stands where the error is.

>>> syntax_hint("a(X) :- b(X) and c(X).", 1, 14)
'literals are joined by commas'
>>> syntax_hint("p(1) :- q\nr :- s.", 2, 1)
'line 1 may lack its dot'
"""

import re
from difflib import get_close_matches

_WINDOW = 1000  # characters on each side of an error that are looked at

_RULE = "a rule is written HEAD :- BODY."
_NOT = "negation is written not, as in not p(X)"
_COMMA = "literals are joined by commas"
_COMMENT = "a comment begins with %"
_UNEQUAL = "unequal is written !="

_HINTS = [
    (re.compile(pattern), hint)
    for pattern, hint in (
        (r"^\s*\(\s*define\b|^\s*¦;", "PDDL is read from files that are called NAME.pddl"),
        (r"#program\s+\w+\s*\(\s*¦[A-Z]", "a parameter is a name: #program step(t)."),
        (r":¦=|-¦>|¦(?:if|when)\b|<¦-|<-|^\s*[a-z]\w*(?:\([^()]*\))?\s*<=", _RULE),
        (r"#show\s+[a-z]\w*\([^:]*¦", "a predicate is shown with its arity: #show p/2."),
        (r"=¦<", "at most is written <="),
        (r"=¦>", "at least is written >="),
        (r"=¦/=?|\\¦=|<¦>", _UNEQUAL),
        (r"¦!|¦\\\+|~\s*[a-z]", _NOT),
        (r"\bnot\s*\(.*¦", "negation has no brackets: not p(X)"),
        (r"¦(?:and\b|&)|&¦&|\)\s*&.*¦", _COMMA),
        (r"¦(?:or\b|\|\|)|\|¦\|", "or takes a rule for each alternative, with the same head"),
        (r"¦is\b", "a value is given with =, as in X = Y+1"),
        (r"¦mod\b", r"the remainder is written \, as in X \ 2"),
        (r"\b([A-Z]\w*)¦\(", "the name of a predicate begins with a small letter"),
        (r"\d¦\.\d", "numbers are whole: take smaller units, as 15 tenths for 1.5"),
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
]
_DIRECTIVES = (
    *("const", "defined", "edge", "external", "heuristic", "include", "maximize", "minimize"),
    *("program", "project", "script", "show", "theory", "count", "sum", "min", "max"),
    *("false", "true", "inf", "sup"),
)
_BARE = re.compile(r"(?:^|\n)\s*([a-z]+)\s+¦[a-z{]")
_MARKED = re.compile(r"¦#([a-z]\w*)")
_TWO_NAMES = re.compile(r"[(,]\s*([a-z]\w*)\s+¦([a-z]\w*)")
_MODULO = re.compile(r"[\w)]\s*%\s*\w.*\.\s*$")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\.\.|[.(){}\[\]]|[^".(){}\[\]]+')
_ENDS = re.compile(r"\.|:-|#|not\b|[)}\]]|\s*\Z")
"""What cannot stand inside of brackets."""

_WORD = re.compile(r"[\w']+")
_OPENS = {")": "(", "}": "{", "]": "["}


def syntax_hint(text: str, line: int, column: int, written: str = "") -> str:
    """A hint for an error at a line and byte of a text without the comments of `written`."""
    offset = _offset(text, line, column)
    start, opened = _statement(text, offset)
    line_end, _, _ = text[offset : offset + _WINDOW].partition("\n")
    marked = f"{text[max(start, offset - _WINDOW) : offset]}¦{line_end}"
    if hint := next((hint for pattern, hint in _HINTS if pattern.search(marked)), ""):
        return hint
    if word := _MARKED.search(marked) or _BARE.search(marked):
        close = get_close_matches(word[1], _DIRECTIVES, n=1, cutoff=0.7)
        if word[1] not in _DIRECTIVES or word.re == _BARE:
            if close:
                return f"did you mean #{close[0]}?"
            if word.re == _MARKED:
                return _COMMENT
    if opened and (names := _TWO_NAMES.search(marked)):
        return f"a name has no blank: write {names[1]}_{names[2]}"
    if text[offset : offset + 1] in _OPENS and not opened:
        return f"nothing is open that this {text[offset]} could close"
    if opened and _ENDS.match(text, offset):
        before = text[: opened[-1]].split("\n")
        place = f"line {len(before)}, column {len(before[-1].encode()) + 1}"
        return f"the {text[opened[-1]]} in {place}, may not be closed"
    return "" if opened else _missing_dot(text, offset, written or text)


def quoted_word(text: str, line: int, column: int) -> str:
    """The word that stands at a place, in quotes; empty where none does."""
    word = _WORD.match(text, _offset(text, line, column))
    return f"'{word[0]}'" if word else ""


def _missing_dot(text: str, offset: int, written: str) -> str:
    """A hint where a line before the error has no dot at its end; else empty."""
    before = text[:offset].rstrip()
    line, between = before.count("\n") + 1, text[len(before) : offset]
    if not before or before.endswith(".") or ("\n" not in between and text[offset:].strip()):
        return ""
    if _MODULO.search(written.split("\n")[line - 1]):
        return rf"line {line}: % begins a comment; the remainder is written \, as in X \ 2"
    if before[-1] in ",;":
        return (
            f"line {line} ends with a {'comma' if before[-1] == ',' else 'semicolon'}, and no dot"
        )
    return f"line {line} may lack its dot"


def _statement(text: str, offset: int) -> tuple[int, list[int]]:
    """Where the statement begins that reaches a place, and the brackets that are open there."""
    start, opened = 0, list[int]()
    for token in _TOKEN.finditer(text, 0, offset):
        mark = token[0]
        if mark == ".":
            start, opened = token.end(), []
        elif mark in _OPENS.values():
            opened.append(token.start())
        elif mark in _OPENS and opened:
            opened.pop()
    return start, opened


def _offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    if line > len(lines):
        return len(text)
    inside = lines[line - 1].encode()[: column - 1].decode(errors="ignore")
    return sum(len(each) + 1 for each in lines[: line - 1]) + len(inside)
