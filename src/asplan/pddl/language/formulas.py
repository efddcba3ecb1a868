"""A parser for conditions, effects and expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from asplan.core.text import parse_natural
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Group, Node, Word, quoted, wrong
from asplan.pddl.language.nodes import (
    Refusals,
    arguments_of,
    as_group,
    as_name,
    as_word,
    head_of,
    refusal,
    time_of,
    unexpected,
    variables_in,
)
from asplan.pddl.language.syntax import ALWAYS, DURATION, Atom, Formula

CONTINUOUS = "continuous effects", "OPTIC can"
TIMED_CONSTRAINT = "constraints with times", "OPTIC and MIPS-XXL can"
PROBABILISTIC = "probabilistic effects", "mGPT and SSiPP can"
_NONDETERMINISTIC = "nondeterministic effects", "PRP can (for oneof)"
_INSIDE = "constraints inside conditions", "put them into (:constraints …)"
_DEEP = (
    "preferences under or, not, imply, exists or when",
    "put them only inside `and` and `forall`",
)

CONSTRAINT_WORDS = {
    "always": 1,
    "sometime": 1,
    "at-most-once": 1,
    "sometime-after": 2,
    "sometime-before": 2,
}
"""The words of constraints, each with the number of its conditions."""
TIMED_CONSTRAINT_WORDS = ("within", "always-within", "hold-during", "hold-after")

REFUSED_CONDITIONS: Refusals = {
    **dict.fromkeys(TIMED_CONSTRAINT_WORDS, TIMED_CONSTRAINT),
    **dict.fromkeys(CONSTRAINT_WORDS, _INSIDE),
    "preference": _DEEP,
}
_REFUSED_EFFECTS: Refusals = {
    "oneof": _NONDETERMINISTIC,
    "probabilistic": PROBABILISTIC,
}

_CONNECTIVES = ("and", "or", "not", "imply")
_COMPARISONS = ("=", "<", "<=", ">=", ">")
_ASSIGNMENTS = ("assign", "increase", "decrease", "scale-up", "scale-down")
_OPERATORS = ("+", "-", "*", "/")
_NOT_IN_EFFECTS = (*_CONNECTIVES, "exists", "forall", "when", *_COMPARISONS)


def formula_of(node: Node) -> Formula:
    """Parse a condition; an empty group `()` always holds."""
    group = as_group(node, "a condition")
    if not group.items:
        return ALWAYS
    key = head_of(group, "a condition").key
    if key in _CONNECTIVES:
        if number := {"not": 1, "imply": 2}.get(key):
            arguments_of(group, number, f"({key}{number * ' CONDITION'})")
        return syntax.Connected(key, tuple(map(formula_of, group.items[1:])))
    if key in ("exists", "forall"):
        variables, body = arguments_of(group, 2, f"({key} (VARIABLES) CONDITION)")
        return syntax.Quantified(key, variables_in(variables), formula_of(body))
    if key == "=" and _compares_objects(group.items[1:]):
        left, right = arguments_of(group, 2, "(= TERM TERM)")
        return syntax.Equal(as_word(left, "an object"), as_word(right, "an object"))
    if key in _COMPARISONS:
        return compare_of(group)
    return atom_of(group, REFUSED_CONDITIONS)


def _compares_objects(nodes: Sequence[Node]) -> bool:
    """Return whether `=` between these nodes compares objects, not numbers.

    The name of an object may be a number, such as `7`. Numbers are compared as numbers, unless two
    words spell the same number, as `7` and `07` do: these are names of different objects.
    """
    words = [node for node in nodes if isinstance(node, Word) and node.key != DURATION]
    if len(words) < len(nodes):
        return False
    numbers = [number_of(word) for word in words]
    if None in numbers:
        return True
    spellings = {word.key for word in words}
    return len(set(numbers)) < len(spellings) and all(word.key.isdigit() for word in words)


def atom_of(
    group: Group,
    refusals: Refusals,
) -> Atom:
    """Parse a predicate whose arguments are words.

    Raise `InputError` at another form. `refusals` has the unsupported features that may stand
    here, by the first word of their group.
    """
    head = head_of(group, "a predicate")
    for item in group.items[1:]:
        if isinstance(item, Group):
            if head.key in refusals:
                raise refusal(group, refusals[head.key])
            if time_of(group):
                message = f"{quoted(group)}: only durative actions have conditions with a time"
                raise wrong(group, message, "make it a :durative-action, or leave the time out")
            hint = "write objects and variables as the arguments of a predicate"
            raise wrong(item, f"{quoted(item)} cannot be an argument of {head}", hint)
    arguments = tuple(as_word(item, "an argument") for item in group.items[1:])
    return Atom(as_name(head, "a predicate"), arguments)


# Effects.


def effect_of(node: Node) -> syntax.EffectFormula:
    """Parse an effect; an empty group `()` changes nothing."""
    group = as_group(node, "an effect")
    if not group.items:
        return syntax.Together(())
    key = head_of(group, "an effect").key
    if key == "and":
        return syntax.Together(tuple(map(effect_of, group.items[1:])))
    if key == "forall":
        variables, body = arguments_of(group, 2, "(forall (VARIABLES) EFFECT)")
        return syntax.Each(variables_in(variables), effect_of(body))
    if key == "when":
        condition, body = arguments_of(group, 2, "(when CONDITION EFFECT)")
        return syntax.When(formula_of(condition), effect_of(body))
    if key == "not":
        (body,) = arguments_of(group, 1, "(not (PREDICATE …))")
        return syntax.Changed(_changed_atom(as_group(body, "a predicate")), holds=False)
    if is_assignment(group):
        target, amount = arguments_of(group, 2, f"({key} (FUNCTION …) NUMBER)")
        return syntax.Assign(key, function_of(target), expression_of(amount), group)
    return syntax.Changed(_changed_atom(group), holds=True)


def _changed_atom(group: Group) -> Atom:
    """Parse an atom in an effect; raise `InputError` at a condition such as `(or …)`."""
    if head_of(group, "a predicate").key in _NOT_IN_EFFECTS:
        hint = "effects are made of and, not, forall, when, increase and predicates"
        raise wrong(group, f"{quoted(group)} is not an effect", hint)
    return atom_of(group, _REFUSED_EFFECTS)


# Numbers.

_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:e[+-]?\d{1,2})?")


def number_of(word: Word) -> Fraction | None:
    """Return the value of a word such as `12`, `-3`, `0.25` or `1e-3`.

    Return None if it is not a number.
    """
    if (number := parse_natural(word.key)) is not None:
        return Fraction(number)
    return Fraction(word.key) if _NUMBER.fullmatch(word.key) else None


def changes_number(key: str) -> bool:
    """Return whether a word, such as `increase`, begins an effect on a number."""
    return key in _ASSIGNMENTS


def is_assignment(group: Group) -> bool:
    """Return whether an effect changes a number.

    The first word is not enough for this: `assign` may also be the name of a predicate.
    """
    head, *rest = group.items
    if not changes_number(str(head).lower()):
        return False
    if any(isinstance(item, Group) for item in rest):
        return True
    last = rest[-1] if rest else head
    return isinstance(last, Word) and (last.key == DURATION or number_of(last) is not None)


def compare_of(group: Group) -> syntax.Compare:
    """Parse a comparison of two expressions, such as `(< (fuel ?t) 5)`."""
    left, right = arguments_of(group, 2, f"({group.items[0]} NUMBER NUMBER)")
    word = head_of(group, "a comparison").key
    return syntax.Compare(word, expression_of(left), expression_of(right), group)


def expression_of(node: Node) -> syntax.Expression:
    """Parse an expression: a number, a function, or an operation on expressions."""
    if isinstance(node, Word):
        return _number_or_function(node)
    head = head_of(node, "a number")
    if head.key not in _OPERATORS:
        return function_of(node)
    parts = tuple(map(expression_of, node.items[1:]))
    if not _takes(head.key, len(parts)):
        raise wrong(node, f"{quoted(node)} does not have the form ({head} NUMBER NUMBER)")
    return syntax.Operation(head.key, parts, node)


def _takes(
    operator: str,
    number: int,
) -> bool:
    """Return whether an operator can have this number of operands."""
    if operator == "-":
        return number in (1, 2)
    return number == 2 if operator == "/" else number >= 2


def _number_or_function(word: Word) -> syntax.Expression:
    """Parse an expression that is a single word: a number, or a function without arguments."""
    if (number := number_of(word)) is not None:
        return number
    if word.key == "#t":
        raise refusal(word, CONTINUOUS)
    if word.key == DURATION or word.key[0].isalpha():
        return Atom(word, ())
    raise unexpected(word, "a number")


def function_of(node: Node) -> Atom:
    """Parse a function with its arguments; without arguments it needs no parentheses."""
    if isinstance(node, Word):
        if node.key[0].isalpha():
            return Atom(node, ())
        raise unexpected(node, "a function")
    head = head_of(node, "a function")
    if head.key in _OPERATORS:
        raise unexpected(node, "a function")
    arguments = tuple(as_word(item, "an object or a variable") for item in node.items[1:])
    return Atom(as_name(head, "a function"), arguments)
