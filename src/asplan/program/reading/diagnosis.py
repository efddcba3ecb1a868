"""Errors of clingo's grounder and parser, explained in terms of the author's program."""

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter

from asplan.clingo import parse_term
from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.reading.hints import syntax_hint
from asplan.program.syntax import AST, ASTType, FindRule, FindStatement

_PLACED = re.compile(
    r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)(-[\d:]+)?: error: (?P<text>.*)", re.DOTALL
)
_REDEFINED = re.compile(r"redefinition of atom <'(.*)',\d+>")
_UNSAFE = re.compile(r":(\d+):(\d+)[-:\d]*: note: '(.*?)' is unsafe")
_INTERNAL = re.compile(r"\[#inc_\w+(?:\(#Inc0\))?\];?(?:0=0;)?|#void|asplan__")
"""Text in rules that clingo quotes which no author writes."""


def input_error(
    errors: Sequence[str],
    find: FindStatement | None,
    find_rule: FindRule | None = None,
) -> InputError:
    """Return the error to raise for a program that clingo refuses.

    Parameters
    ----------
    errors
        The messages of clingo. The first one is explained; the others are only counted.
    find
        Returns the statement at a location and the parameter of its part.
    find_rule
        Returns the location of a rule that derives an atom, given as text, at several steps.
    """
    text = errors[0]
    hint = f"{len(errors) - 1} more like this" if len(errors) > 1 else ""
    match = _PLACED.match(text)
    if match is not None:
        return _placed_error(match, hint, find)
    text = text.replace("error: ", "", 1).replace("In context '<libclingo>': ", "", 1)
    redefined = _REDEFINED.match(text)
    if redefined is None:
        return InputError(text, hint=hint)
    atom = redefined[1]
    is_own = _INTERNAL.search(atom) is None and atom != "_"
    name = atom if is_own else "an atom"
    return InputError(
        f"the program defines {name} again at a later step",
        at=find_rule(atom) if is_own and find_rule is not None else None,
        hint="each step may define only new atoms: those with its own time, t, as an argument",
    )


def rule_of_steps(statements: Iterable[tuple[str, AST]], atom: str) -> Location | None:
    """Return the location of the rule that derives an atom at several steps, if it is found.

    `statements` has the parameter of each statement's part, and the statement. The rule is the
    first one in a part with a parameter whose head has the atom's predicate, preferably one without
    the parameter in its head.
    """
    term = parse_term(atom)
    key = ("" if term.positive else "-", term.name, len(term.arguments))
    found: list[tuple[bool, Location]] = []
    for parameter, statement in statements:
        is_rule = statement.ast_type == ASTType.Rule
        if is_rule and parameter and key in syntax.defined_in(statement):
            has_time = syntax.names_term(statement.head, parameter)
            found.append((has_time, syntax.location(statement)))
    return min(found, key=itemgetter(0))[1] if found else None


def _placed_error(match: re.Match[str], hint: str, find: FindStatement | None) -> InputError:
    """Return the error for a message of clingo that has a location.

    `match` is the match of the message, with the groups `file`, `line`, `column` and `text`. `hint`
    is a text about the number of further messages. `find` is explained at `input_error`.
    """
    at = Location(match["file"], int(match["line"]), int(match["column"]))
    text = match["text"]
    if text.startswith("unsafe variables in:"):
        return _unsafe(text, at, hint, find)
    # Only the first place has the name of its file; the others belong to the same statement.
    return InputError(text.strip().replace("<string>:", f"{at.file}:"), at=at, hint=hint)


def _unsafe(text: str, at: Location, hint: str, find: FindStatement | None) -> InputError:
    """Return the error about unsafe variables: no positive literal of the statement binds them.

    `text` is clingo's message without its location `at`.
    """
    notes = _UNSAFE.findall(text)
    # The bounds of an interval have a variable of clingo's own, `#Range0`, too.
    own = [note for note in notes if not note[2].startswith("#")] or notes
    names = list(dict.fromkeys(name for _, _, name in own))
    places = [Location(at.file, int(line), int(column)) for line, column, _ in own]
    found = find(at) if find is not None else None
    if found is None:
        _, rule, *_ = text.split("\n")
        found = _INTERNAL.sub("", rule.strip()), ""
    statement, parameter = found
    if parameter and parameter in map(str.lower, names):
        hint = f"did you mean {parameter}?"
    else:
        hint = syntax_hint(statement, 1, len(statement.encode())) or hint
    what = f"{_unbound(names)} in\n  {statement}"
    return InputError(what, at=min(places, default=at), hint=hint)


def _unbound(names: Sequence[str]) -> str:
    """Return the sentence that the variables `names` are unsafe."""
    *others, last = names
    if not others:
        return f"{last} is unsafe: no positive literal binds it"
    return f"{', '.join(others)} and {last} are unsafe: no positive literal binds them"
