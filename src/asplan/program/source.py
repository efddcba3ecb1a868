"""Reads `.lp` files into clingo statements and plain facts, and says what is wrong with them.

`scan` looks through a file, and each that it includes, once; clingo's parser gets what is left.
Where it gives up, or the grounder does, the message has the place and what the author may have
meant.

>>> [str(s) for s in parse_text("p(1..3).")]
['#program base.', 'p((1..3)).']
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from clingo import MessageCode, Symbol, parse_term

from asplan.core.errors import AsplanError, InputError, Location, UsageError
from asplan.core.files import (
    STDIN,
    is_regular,
    is_there,
    read_text,
    real_path,
    standard_input,
)
from asplan.core.limits import hold_interrupts
from asplan.core.text import shortened
from asplan.program.scan import Include, Scanned, is_plain_term, scan
from asplan.program.syntax import AST, ASTType, Node, Position, Span, location, parse_string

TEXT = "<stdin>"  # the file that clingo's statements and messages name where a program came as text
_STRING = "<string>"  # what clingo's parser calls every text

_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)
_HEADS = (ASTType.Aggregate, ASTType.Disjunction, ASTType.HeadAggregate)
_UNTRUSTED = "if you trust it, say --allow-includes"


@dataclass(frozen=True)
class Text:
    """The text of one file, and whether it begins in the part `base` of the program."""

    name: str
    text: str
    in_base: bool = True


@lru_cache(maxsize=32)
def scan_text(text: Text) -> Scanned:
    return scan(text.name, text.text, text.in_base)


@dataclass(frozen=True)
class Source:
    """The texts of a file and of all that it includes, whose numbers are in `included`."""

    texts: tuple[Text, ...]
    included: tuple[tuple[int | None, ...], ...]


def read_source(file: str, allow_includes: bool = False) -> Source:
    """Read a file and what it includes, from outside its folder only if `allow_includes`."""
    if file == STDIN:
        return source_of_text(standard_input(), TEXT, allow_includes)
    return _with_included(Text(file, read_text(file)), file, allow_includes)


def source_of_text(text: str, name: str, allow_includes: bool = False) -> Source:
    """The source that a text is; it has no folder, so whatever it includes has to be allowed."""
    return _with_included(Text(name, text), None, allow_includes)


def _with_included(root: Text, file: str | None, allow: bool) -> Source:
    """A text with what it includes; like clingo, it includes each file once, where it comes first.

    There may be thousands of files, one inside of the other, so this is no recursion.
    """
    texts, paths, included = [root], [file], [list[int | None]()]
    seen = set() if file is None else {real_path(file)}
    within = [(0, iter(scan_text(root).includes))]
    while within:
        parent, includes = within[-1]
        if (include := next(includes, None)) is None:
            within.pop()
        elif (real := real_path(path := _find(include, paths[parent], allow))) in seen:
            included[parent].append(None)
        else:
            seen.add(real)
            included[parent].append(len(texts))
            try:
                text = Text(path, read_text(path), include.in_base)
            except InputError as error:
                raise InputError(error.message, at=include.at) from None
            within.append((len(texts), iter(scan_text(text).includes)))
            texts.append(text)
            paths.append(path)
            included.append([])
    return Source(tuple(texts), tuple(map(tuple, included)))


def _find(include: Include, parent: str | None, allow: bool) -> str:
    """The file that an include names: clingo looks in the working folder, then beside its file."""
    folder = str(Path(parent or ".").parent)
    candidates = [include.path, str(Path(folder, include.path))]
    path = next(filter(is_there, candidates), candidates[-1])
    if not allow:
        quoted = f'#include "{include.path}"'
        if parent is None:
            what = f"{quoted}: a program that comes as text has no folder to include files from"
            raise InputError(what, at=include.at, hint=_UNTRUSTED)
        if not Path(real_path(path)).is_relative_to(real_path(folder)):
            what = f"{quoted}: this file is not below the folder of the one that includes it"
            raise InputError(what, at=include.at, hint=_UNTRUSTED)
        if is_there(path) and not is_regular(path):
            what = f"{quoted}: {path} is no regular file"
            raise InputError(what, at=include.at, hint=_UNTRUSTED)
    return path


def statements_of(source: Source) -> tuple[AST, ...]:
    """The statements of a source but for its plain facts, in order."""
    statements: list[AST] = []
    within = [iter(_items(source, 0))]
    while within:
        item = next(within[-1], None)
        if item is None:
            within.pop()
        elif isinstance(item, int):
            within.append(iter(_items(source, item)))
        else:
            statements.append(item)
    return tuple(statements)


def _items(source: Source, number: int) -> list[AST | int]:
    """The statements of one text, and the numbers of those that stand in between."""
    text = source.texts[number]
    found = scan_text(text)
    opening, *statements = _parsed(found.rest, text.name, text.text)
    begins = ((s, s.location.begin) for s in statements)
    placed: list[tuple[int, int, AST | int]] = [(at.line, at.column, s) for s, at in begins]
    for include, inserted in zip(found.includes, source.included[number], strict=True):
        if inserted is not None:
            placed.append((include.at.line, include.at.column, inserted))
    inside = [item for *_, item in sorted(placed, key=lambda item: item[:2])]
    return [*inside, opening] if number else [opening, *inside]


def parse_text(text: str, name: str = "<text>") -> tuple[AST, ...]:
    """The statements of a program that is one text; `name` stands for the file in messages."""
    for include in scan(name, text).includes:
        raise InputError(f'#include "{include.path}" in a text', at=include.at)
    return tuple(_parsed(text, name, text))


def _parsed(text: str, name: str, written: str) -> list[AST]:
    """The statements of a text without comments; `written` is the same with them."""
    statements: list[AST] = []
    try:
        with reporting(Messages(name)) as messages:
            parse_string(text, statements.append, logger=messages)
    except InputError as error:
        if (at := error.at) is None:
            raise error from None
        # The word that the author wrote, and what he may have meant.
        word = _WORD.match(text, _offset(text, at.line, at.column))
        message = _KIND.sub(f"'{word[0]}'", error.message, count=1) if word else error.message
        hint = syntax_hint(text, at.line, at.column, written) or error.hint
        raise InputError(message, at=at, hint=hint) from None
    statements = [s for s in statements if s.ast_type != ASTType.Comment]
    # clingo cannot keep a name of bytes that are no text.
    file = name.encode("utf-8", "backslashreplace").decode()
    for statement in statements:
        for node in _placed_nodes(statement):
            begin, end = node.location.begin, node.location.end
            if begin.filename != _STRING:  # the scan has seen no include, but clingo has
                raise InputError("a file is included in an unusual way", at=location(node))
            node.location = Span(
                Position(file, begin.line, begin.column), Position(file, end.line, end.column)
            )
    return [Node(statement) for statement in statements]


def _placed_nodes(statement: AST) -> Iterator[AST]:
    """A statement and the nodes in it whose places clingo names."""
    yield statement
    if statement.ast_type == ASTType.Rule:
        if statement.head.ast_type in _HEADS:
            yield statement.head
        for literal in statement.body:
            if literal.ast_type == ASTType.Literal and literal.atom.ast_type in _AGGREGATES:
                yield literal


_KIND = re.compile(r"(?<=unexpected )<(?:IDENTIFIER|VARIABLE|NUMBER)>")
"""How clingo names a word that it did not expect."""

_NAME = re.compile(r"[_']*[a-z][A-Za-z0-9_']*")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_ODD = re.compile(r"[^\x20-\x7e\t\n\r]|[/\\%@$?:;.]|#(?!inf|sup)")
"""What stands in no constant and in no action, outside of strings."""


def parse_constant(definition: str) -> tuple[str, str]:
    """Split `NAME=VALUE`; the value is a ground term."""
    name, equals, value = definition.partition("=")
    hint = "write it as -c NAME=VALUE, for example -c metric=slide"
    if not equals:
        raise UsageError(f"constant {definition!r} has no '='", hint=hint)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a constant", hint=hint)
    return name, str(ground_term(value, f"constant {name}"))


def ground_term(text: str, what: str) -> Symbol:
    """The term that a text writes; `what` names it in the `UsageError` if it writes none.

    The text may come from anybody, so it is looked at before clingo sees it: that stops at a NUL,
    and it dies of the numbers that a division by zero and the like would give.
    """
    if text.isascii() and text.isprintable() and is_plain_term(text):
        return parse_term(text)
    try:
        scan(what, text)
        if (odd := _ODD.search(_QUOTED.sub('""', text))) or (odd := re.search("\0", text)):
            raise InputError(f"{odd[0]!r} has no place in it")
        with reporting() as messages:
            return parse_term(text, messages)
    except InputError as error:
        why = " ".join(error.message.split())
        raise UsageError(f"{what}: {shortened(text, 100)!r} is no term: {why}") from error


_PLACED = re.compile(
    r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)(-[\d:]+)?: error: (?P<text>.*)", re.DOTALL
)

Find = Callable[[Location], tuple[str, str] | None]


class Messages:
    """A logger for clingo that keeps errors and drops remarks.

    `find` gives the statement at a place, and the parameter of its part.
    """

    def __init__(self, text_name: str = "<text>", find: Find | None = None) -> None:
        self.errors: list[str] = []
        self.text_name, self.find = text_name, find

    def __call__(self, code: MessageCode, text: str) -> None:
        if code == MessageCode.RuntimeError or "error:" in text:
            text = text.strip()
            if text.startswith(f"{_STRING}:"):
                text = self.text_name + text.removeprefix(_STRING)
            self.errors.append(text)


@contextmanager
def reporting(messages: Messages | None = None) -> Iterator[Messages]:
    """Turn a bare RuntimeError of clingo into an InputError with what its logger heard."""
    messages = Messages() if messages is None else messages
    messages.errors.clear()
    try:
        with hold_interrupts():
            yield messages
    except AsplanError:
        raise
    except RuntimeError as error:
        text = messages.errors[0] if messages.errors else str(error)
        raise _placed(text, len(messages.errors) - 1, messages.find) from error


def _placed(text: str, more: int, find: Find | None) -> InputError:
    hint = f"{more} more like this" if more > 0 else ""
    if match := _PLACED.match(text):
        at = Location(match["file"], int(match["line"]), int(match["column"]))
        if match["text"].startswith("unsafe variables in:"):
            return _unsafe(match["text"], at, hint, find)
        # Only the first place has the name of its file; the others are of the same statement.
        what = match["text"].strip().replace(f"{_STRING}:", f"{at.file}:")
        return InputError(what, at=at, hint=hint)
    text = text.replace("error: ", "", 1).replace("In context '<libclingo>': ", "", 1)
    if match := _REDEFINED.match(text):
        name = "an atom" if _OURS.search(match[1]) or match[1] == "_" else match[1]
        text = f"the program defines {name} again at a later step"
        hint = "each step may define only new atoms: those with its own time, t, as an argument"
    return InputError(text, hint=hint)


_REDEFINED = re.compile(r"redefinition of atom <'(.*)',\d+>")
_UNSAFE = re.compile(r":(\d+):(\d+)[-:\d]*: note: '(.*?)' is unsafe")
_OURS = re.compile(r"\[#inc_\w+(?:\(#Inc0\))?\];?(?:0=0;)?|#void|asplan__")
"""What is in the rules that clingo names, and in none that somebody writes."""


def _unsafe(text: str, at: Location, hint: str, find: Find | None) -> InputError:
    """The variables of a statement that nothing binds, in the words of its author."""
    _, rule, *_ = text.split("\n")
    found = _UNSAFE.findall(text)
    # The bounds of an interval have a variable of clingo's own, `#Range0`, besides.
    own = [one for one in found if not one[2].startswith("#")] or found
    names = list(dict.fromkeys(name for _, _, name in own))
    statement, parameter = (find(at) if find else None) or (_OURS.sub("", rule.strip()), "")
    places = [Location(at.file, int(line), int(column)) for line, column, _ in own]
    if parameter and parameter in map(str.lower, names):
        hint = f"did you mean {parameter}?"
    elif mistaken := syntax_hint(statement, 1, len(statement.encode())):
        hint = mistaken
    several = f"{', '.join(names[:-1])} and {names[-1]} are" if names[1:] else f"{names[0]} is"
    what = f"{several} unsafe: no positive literal binds {'them' if names[1:] else 'it'}"
    return InputError(f"{what} in\n  {statement}", at=min(places, default=at), hint=hint)


# What an author most likely meant where clingo's parser gives up.

_WINDOW = 1000  # characters on each side of an error that are looked at

_COMMENT = "a comment begins with %"

_HINTS = (
    (r"^\s*\(\s*define\b|^\s*¦;", "PDDL is read from files that are called NAME.pddl"),
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
    (r"=¦<", "at most is written <="),
    (r"=¦>", "at least is written >="),
    (r"=¦/=?|\\¦=|<¦>", "unequal is written !="),
    (r"¦!|¦\\\+|~\s*[a-z]", "negation is written not, as in not p(X)"),
    (r"\bnot\s*\(.*¦", "negation has no brackets: not p(X)"),
    (r"¦(?:and\b|&)|&¦&|\)\s*&.*¦", "literals are joined by commas"),
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
"""Patterns, and what is meant where one is found in the text of a statement up to the end of the
line with the error; `¦` stands where the error is."""

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
_MODULO = re.compile(r"[\w)]\s*%\s*\w.*\.\s*$")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\.\.|[.(){}\[\]]|[^".(){}\[\]]+')
_ENDS = re.compile(r"\.|:-|#|not\b|[)}\]]|\s*\Z")


"""What cannot stand inside of brackets."""

_WORD = re.compile(r"[\w']+")
_OPENS = {")": "(", "}": "{", "]": "["}


def syntax_hint(text: str, line: int, column: int, written: str = "") -> str:
    """A hint for an error at a line and byte of a text without the comments of `written`.

    >>> syntax_hint("a(X) :- b(X) and c(X).", 1, 14)
    'literals are joined by commas'
    >>> syntax_hint("p(1) :- q\\nr :- s.", 2, 1)
    'line 1 may lack its dot'
    """
    offset = _offset(text, line, column)
    start, opened = _statement(text, offset)
    line_end, _, _ = text[offset : offset + _WINDOW].partition("\n")
    marked = f"{text[max(start, offset - _WINDOW) : offset]}¦{line_end}"
    if hint := _old_syntax(text, marked):
        return hint
    if hint := next((hint for pattern, hint in _HINTS if re.search(pattern, marked)), ""):
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


def _old_syntax(text: str, marked: str) -> str:
    """Return what to write for a directive of gringo 3 or iclingo; empty for anything else."""
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
    """A hint where a line before the error has no dot at its end; else empty."""
    before = text[:offset].rstrip()
    line, between = before.count("\n") + 1, text[len(before) : offset]
    if not before or before.endswith(".") or ("\n" not in between and text[offset:].strip()):
        return ""
    if _MODULO.search(written.split("\n")[line - 1]):
        return rf"line {line}: % begins a comment; the remainder is written \, as in X \ 2"
    if before[-1] in ",;":
        mark = "comma" if before[-1] == "," else "semicolon"
        return f"line {line} ends with a {mark}, and no dot"
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
