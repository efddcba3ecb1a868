"""Conditions, effects and typed lists, read from words and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from asplan.numbers import LARGEST, whole
from asplan.pddl import refusals
from asplan.pddl.language import (
    TOTAL_COST,
    Add,
    And,
    Atom,
    Cost,
    Delete,
    Each,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Increase,
    Not,
    Or,
    Signature,
    Together,
    Typed,
    When,
)
from asplan.pddl.refusals import Refusal, refused
from asplan.pddl.text import Group, Node, Word, quoted, wrong

_TIMES = ("start", "end", "all")

_Refusals = Mapping[str, Refusal]


def group_of(node: Node, what: str) -> Group:
    """A node that must be a group; `what` says what belongs there."""
    if isinstance(node, Word):
        raise wrong(node, f"{node} stands where {what} in parentheses belongs")
    return node


def word_of(node: Node, what: str) -> Word:
    """A node that must be a word; `what` says what belongs there."""
    if isinstance(node, Group):
        raise wrong(node, f"{quoted(node)} stands where {what} belongs")
    return node


def name_of(node: Node, what: str) -> Word:
    """A node that must be a name: no variable, keyword or dash."""
    word = word_of(node, what)
    if word.key[0] in "?:-":
        mend = "put a space behind the dash" if word.key[0] == "-" and word.key != "-" else ""
        raise wrong(word, f"{word} stands where {what} belongs", mend)
    return word


def head_of(group: Group, what: str) -> Word:
    """The word that a group begins with."""
    if not group.items:
        raise wrong(group, f"() stands where {what} belongs")
    return word_of(group.items[0], f"the first word of {what}")


def typed_list(nodes: Iterable[Node], what: str) -> tuple[Typed, ...]:
    """Names or variables with types: `a b - block c`; `what` they are, for messages."""
    found: list[Typed] = []
    waiting: list[Word] = []
    rest = iter(nodes)
    for node in rest:
        if isinstance(node, Word) and node.key == "-":
            if not waiting:
                raise wrong(node, f"before this dash stands no {what} that could get a type")
            types = _types(node, next(rest, None))
            found += [Typed(name, types) for name in waiting]
            waiting = []
        else:
            waiting.append(_listed(node, what))
    return (*found, *(Typed(name) for name in waiting))


def _listed(node: Node, what: str) -> Word:
    if what != "variable":
        return name_of(node, f"the name of a{'n' if what[0] in 'aeiou' else ''} {what}")
    word = word_of(node, "a variable")
    if word.key[0] != "?" or len(word.key) == 1:
        raise wrong(word, f"{word} stands where a variable belongs", "variables begin with ?")
    return word


def _types(dash: Word, node: Node | None) -> tuple[Word, ...]:
    if node is None:
        raise wrong(dash, "no type stands behind this dash")
    if isinstance(node, Word):
        return (name_of(node, "the name of a type"),)
    if len(node.items) < 2 or head_of(node, "(either …)").key != "either":
        raise wrong(node, f"{quoted(node)} is no type", "write a name or (either NAME NAME …)")
    return tuple(name_of(item, "the name of a type") for item in node.items[1:])


def variables_of(node: Node) -> tuple[Typed, ...]:
    """The variables in the parentheses of a quantifier, or behind `:parameters`."""
    return typed_list(group_of(node, "a list of variables").items, "variable")


def signature(node: Node, what: str) -> Signature:
    """`(on ?x - block ?y - block)`."""
    group = group_of(node, what)
    return Signature(name_of(head_of(group, what), what), typed_list(group.items[1:], "variable"))


def atom(group: Group, known: _Refusals) -> Atom:
    """A predicate with words as its arguments; other things are refused by their names."""
    head = head_of(group, "a predicate")
    for item in group.items[1:]:
        if isinstance(item, Group):
            if head.key in known:
                raise refused(group, known[head.key])
            if head.key in ("at", "over") and str(group.items[1]).lower() in _TIMES:
                raise refused(group, refusals.TEMPORAL)
            mend = "the arguments of a predicate are objects and variables"
            raise wrong(item, f"{quoted(item)} is an argument of {head}", mend)
    arguments = tuple(word_of(item, "an argument") for item in group.items[1:])
    if head.key in ("<", ">", "<=", ">="):
        raise refused(group, refusals.NUMERIC)
    return Atom(name_of(head, "a predicate"), arguments)


def formula(node: Node) -> Formula:
    """A condition; `()` holds always."""
    group = group_of(node, "a condition")
    if not group.items:
        return And(())
    key = head_of(group, "a condition").key
    if key in _FORMULAS and not (key == "=" and any(isinstance(n, Group) for n in group.items)):
        return _FORMULAS[key](group)
    return atom(group, refusals.CONDITIONS)


def _arguments(group: Group, number: int, form: str) -> tuple[Node, ...]:
    if len(group.items) != number + 1:
        raise wrong(group, f"{quoted(group)} has not the form {form}")
    return group.items[1:]


def _not(group: Group) -> Formula:
    (body,) = _arguments(group, 1, "(not CONDITION)")
    return Not(formula(body))


def _imply(group: Group) -> Formula:
    left, right = _arguments(group, 2, "(imply CONDITION CONDITION)")
    return Imply(formula(left), formula(right))


def _exists(group: Group) -> Formula:
    variables, body = _arguments(group, 2, "(exists (VARIABLES) CONDITION)")
    return Exists(variables_of(variables), formula(body))


def _forall(group: Group) -> Formula:
    variables, body = _arguments(group, 2, "(forall (VARIABLES) CONDITION)")
    return Forall(variables_of(variables), formula(body))


def _equal(group: Group) -> Formula:
    left, right = _arguments(group, 2, "(= TERM TERM)")
    return Equal(word_of(left, "an object"), word_of(right, "an object"))


_FORMULAS: dict[str, Callable[[Group], Formula]] = {
    "and": lambda group: And(tuple(map(formula, group.items[1:]))),
    "or": lambda group: Or(tuple(map(formula, group.items[1:]))),
    "not": _not,
    "imply": _imply,
    "exists": _exists,
    "forall": _forall,
    "=": _equal,
}


def effect(node: Node, conditional: bool = False) -> Effect:
    """An effect; `()` is none. `conditional` is what stands inside of `forall` or `when`."""
    group = group_of(node, "an effect")
    if not group.items:
        return Together(())
    key = head_of(group, "an effect").key
    if key == "and":
        return Together(tuple(effect(item, conditional) for item in group.items[1:]))
    if key == "forall":
        variables, body = _arguments(group, 2, "(forall (VARIABLES) EFFECT)")
        return Each(variables_of(variables), effect(body, True))
    if key == "when":
        condition, body = _arguments(group, 2, "(when CONDITION EFFECT)")
        return When(formula(condition), effect(body, True))
    if key == "not":
        (body,) = _arguments(group, 1, "(not (PREDICATE …))")
        return Delete(_changed(group_of(body, "a predicate")))
    if key == "increase":
        return _increase(group, conditional)
    return Add(_changed(group))


def _changed(group: Group) -> Atom:
    """The atom of an effect: a condition has no place there."""
    key = head_of(group, "a predicate").key
    if key in _FORMULAS or key == "when":
        mend = "effects are made of and, not, forall, when, increase and predicates"
        raise wrong(group, f"{quoted(group)} is no effect", mend)
    return atom(group, refusals.EFFECTS)


def _increase(group: Group, conditional: bool) -> Effect:
    target, amount = _arguments(group, 2, "(increase (total-cost) AMOUNT)")
    if [item.key for item in _words(target)] != [TOTAL_COST]:
        raise refused(group, refusals.NUMERIC)
    if conditional:
        mend = "move it out of forall and when, or make two actions of this one"
        raise wrong(group, "what an action costs must not depend on the state", mend)
    if isinstance(amount, Word):
        return Increase(number(amount), group)
    return Increase(cost(amount), group)


def _words(node: Node) -> Iterator[Word]:
    items = (node,) if isinstance(node, Word) else node.items
    return (item for item in items if isinstance(item, Word))


def cost(node: Node) -> Cost:
    """A function with its arguments."""
    group = group_of(node, "a function")
    head = head_of(group, "a function")
    if head.key in ("+", "-", "*", "/"):
        raise refused(group, refusals.NUMERIC)
    arguments = tuple(word_of(item, "an object or a variable") for item in group.items[1:])
    return Cost(name_of(head, "a function"), arguments)


def number(word: Word) -> int:
    """A whole number from 0, also as `5.0`.

    Raises
    ------
    InputError
        It is none, or it does not fit in clingo's 32 bits.
    """
    digits, dot, rest = word.key.partition(".")
    value = whole(digits)
    if value is None or (dot and (not rest or rest.strip("0"))):
        mend = f"costs are whole numbers from 0 to {LARGEST}; a factor for all does away with parts"
        raise wrong(word, f"{word} is no cost", mend)
    return value
