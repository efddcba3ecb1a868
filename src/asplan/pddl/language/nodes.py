"""Checks of the form of PDDL nodes: words, names, groups, and lists of names with types.

A node is a word or a group in parentheses. The parameter `expected` is a noun with its article,
such as "a condition", for error messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from asplan.core.errors import InputError
from asplan.pddl.language.lexer import Group, Node, Word, quoted, wrong
from asplan.pddl.language.syntax import Signature, Typed

Refusals = Mapping[str, tuple[str, str]]
"""A map from words to unsupported features: the name of the feature, and a planner for it."""


def refusal(
    node: Node,
    refused: tuple[str, str],
) -> InputError:
    """Return the error of a feature that asplan does not support.

    `refused` has the name of the feature, and a hint at a planner that supports it.
    """
    feature, planner = refused
    name = node if isinstance(node, Word) else f"({node.items[0]} …)"
    return wrong(node, f"{name}: asplan does not plan with {feature}", planner)


def unexpected(
    node: Node,
    expected: str,
    hint: str = "",
) -> InputError:
    """Return the error that `node` is in a place where `expected` should be."""
    return wrong(node, f"expected {expected}, not {quoted(node)}", hint)


def as_group(
    node: Node,
    expected: str,
) -> Group:
    """Return the node as a group; raise `InputError` if the node is a word.

    `expected` describes the right node for the message, such as "a condition".
    """
    if isinstance(node, Word):
        raise unexpected(node, f"{expected} in parentheses")
    return node


def as_word(
    node: Node,
    expected: str,
) -> Word:
    """Return the node as a word; raise `InputError` if the node is a group.

    `expected` describes the right node for the message, such as "an argument".
    """
    if isinstance(node, Group):
        raise unexpected(node, expected)
    return node


def as_name(
    node: Node,
    expected: str,
) -> Word:
    """Return the node as a name; raise `InputError` at a variable, keyword, dash or group.

    `expected` describes the right node for the message, such as "a predicate".
    """
    word = as_word(node, expected)
    if word.key[0] in "?:-":
        is_glued = word.key[0] == "-" and word.key != "-"
        hint = "put a space after the dash" if is_glued else ""
        raise unexpected(word, expected, hint)
    return word


def head_of(
    group: Group,
    expected: str,
) -> Word:
    """Return the first word of a group.

    Raise `InputError` if the group does not begin with a word. `expected` describes the right group
    for the message, such as "a condition".
    """
    if not group.items:
        raise unexpected(group, expected)
    return as_word(group.items[0], f"the first word of {expected}")


def arguments_of(
    group: Group,
    number: int,
    form: str,
) -> tuple[Node, ...]:
    """Return the nodes after the first one; raise `InputError` if their number is not `number`.

    `form` shows the right form for the message, such as `(not CONDITION)`.
    """
    if len(group.items) != number + 1:
        raise wrong(group, f"{quoted(group)} does not have the form {form}")
    return group.items[1:]


def typed_list(
    nodes: Iterable[Node],
    noun: str,
) -> tuple[Typed, ...]:
    """Parse a list of names or variables with types, as in `a b - block c`.

    `noun` is the kind of the names, such as "object" or "variable".
    """
    typed: list[Typed] = []
    waiting: list[Word] = []
    rest = _split_dashes(nodes)
    for node in rest:
        if isinstance(node, Word) and node.key == "-":
            if not waiting and noun != "object":
                raise wrong(node, f"no {noun} comes before this dash")
            types = _types_after(node, next(rest, None))
            typed += [Typed(name, types) for name in waiting]
            waiting = []
        elif noun == "variable":
            waiting.append(_variable(node))
        else:
            article = "an" if noun[0] in "aeiou" else "a"
            waiting.append(as_name(node, f"the name of {article} {noun}"))
    return (*typed, *map(Typed, waiting))


def _types_after(
    dash: Word,
    node: Node | None,
) -> tuple[Word, ...]:
    """Parse the node after a dash: the name of a type, or `(either NAME NAME …)`."""
    if node is None:
        raise wrong(dash, "no type follows this dash")
    if isinstance(node, Word):
        return (as_name(node, "the name of a type"),)
    if len(node.items) < 2 or head_of(node, "(either …)").key != "either":
        hint = "write a name or (either NAME NAME …)"
        raise wrong(node, f"{quoted(node)} is not a type", hint)
    return tuple(as_name(item, "the name of a type") for item in node.items[1:])


def _variable(node: Node) -> Word:
    """Return the node as a variable; raise `InputError` at any other node."""
    word = as_word(node, "a variable")
    if word.key[0] != "?" or len(word.key) == 1:
        raise unexpected(word, "a variable", "variables begin with ?")
    return word


def _split_dashes(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes of a list with types; split `-block` into a dash and a name.

    Some files leave out the space after the dash.
    """
    for node in nodes:
        if isinstance(node, Word) and len(node.key) > 1 and node.key[0] == "-":
            yield replace(node, key="-", text="-")
            yield replace(node, offset=node.offset + 1, key=node.key[1:], text=node.text[1:])
        else:
            yield node


def variables_in(node: Node) -> tuple[Typed, ...]:
    """Parse the list of variables of a quantifier, or the list after `:parameters`."""
    group = as_group(node, "a list of variables")
    return typed_list(group.items, "variable")


def signature_of(
    node: Node,
    expected: str,
) -> Signature:
    """Parse a declaration such as `(on ?x - block ?y - block)`.

    `expected` describes the declaration for messages, such as "a predicate".
    """
    group = as_group(node, expected)
    name = as_name(head_of(group, expected), expected)
    return Signature(name, typed_list(group.items[1:], "variable"))


Around = tuple[tuple[Typed, ...], ...]
"""The variables of each `forall` around a node, from the outermost to the innermost."""


def split_conjunction(
    node: Node,
    expected: str,
    around: Around = (),
) -> Iterator[tuple[Around, Group, str]]:
    """Yield the parts of nested `and` and `forall` groups.

    For each part, yield three values: the variables of each `forall` around the part, the part,
    and the part's first word in lower case. `around` has the variables of each `forall` around
    `node`. `expected` describes the node for messages, such as "a condition".
    """
    group = as_group(node, expected)
    key = head_of(group, expected).key if group.items else "and"
    if key == "and":
        for item in group.items[1:]:
            yield from split_conjunction(item, expected, around)
    elif key == "forall":
        form = f"(forall (VARIABLES) {expected.partition(' ')[2].upper()})"
        variables, body = arguments_of(group, 2, form)
        yield from split_conjunction(body, expected, (*around, variables_in(variables)))
    else:
        yield around, group, key


_TIMES = {("at", "start"): "start", ("at", "end"): "end", ("over", "all"): "all"}


def time_of(group: Group) -> tuple[str, Node] | None:
    """Return the time and body of a group such as `(at end BODY)`; None if the group has no time.

    The time is `start`, `all` or `end`.
    """
    if len(group.items) != 3 or not isinstance(group.items[2], Group):
        return None
    first, second, body = group.items
    time = _TIMES.get((str(first).lower(), str(second).lower()))
    return None if time is None else (time, body)
