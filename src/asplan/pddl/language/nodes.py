"""Words and lists of names with types: what the parts of PDDL are made of.

`what` says in messages what belongs in a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from asplan.core.errors import InputError
from asplan.pddl.language.lexer import Group, Node, Word, quoted, wrong
from asplan.pddl.language.syntax import Signature, Typed

Refusals = Mapping[str, tuple[str, str]]
"""From a word to what asplan does not plan with, and who can."""


def refusal(node: Node, refused: tuple[str, str]) -> InputError:
    """The error of what asplan does not plan with, and who can."""
    what, who = refused
    name = node if isinstance(node, Word) else f"({node.items[0]} …)"
    return wrong(node, f"{name}: asplan does not plan with {what}", who)


def as_group(node: Node, what: str) -> Group:
    if isinstance(node, Word):
        raise wrong(node, f"{node} stands where {what} in parentheses belongs")
    return node


def as_word(node: Node, what: str) -> Word:
    if isinstance(node, Group):
        raise wrong(node, f"{quoted(node)} stands where {what} belongs")
    return node


def as_name(node: Node, what: str) -> Word:
    """A node that must be a name: no variable, keyword or dash."""
    word = as_word(node, what)
    if word.key[0] in "?:-":
        hint = "put a space behind the dash" if word.key[0] == "-" and word.key != "-" else ""
        raise wrong(word, f"{word} stands where {what} belongs", hint)
    return word


def head_of(group: Group, what: str) -> Word:
    if not group.items:
        raise wrong(group, f"() stands where {what} belongs")
    return as_word(group.items[0], f"the first word of {what}")


def arguments_of(group: Group, number: int, form: str) -> tuple[Node, ...]:
    if len(group.items) != number + 1:
        raise wrong(group, f"{quoted(group)} has not the form {form}")
    return group.items[1:]


def typed_list(nodes: Iterable[Node], what: str) -> tuple[Typed, ...]:
    """Names or variables with types: `a b - block c`."""
    found: list[Typed] = []
    waiting: list[Word] = []
    rest = _apart(nodes)
    for node in rest:
        if isinstance(node, Word) and node.key == "-":
            if not waiting and what != "object":
                raise wrong(node, f"before this dash stands no {what} that could get a type")
            types = _types(node, next(rest, None))
            found += [Typed(name, types) for name in waiting]
            waiting = []
        elif what == "variable":
            word = as_word(node, "a variable")
            if word.key[0] != "?" or len(word.key) == 1:
                hint = "variables begin with ?"
                raise wrong(word, f"{word} stands where a variable belongs", hint)
            waiting.append(word)
        else:
            article = "an" if what[0] in "aeiou" else "a"
            waiting.append(as_name(node, f"the name of {article} {what}"))
    return (*found, *map(Typed, waiting))


def _apart(nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes of a list with types; some write `-block` without a space behind the dash."""
    for node in nodes:
        if isinstance(node, Word) and len(node.key) > 1 and node.key[0] == "-":
            yield replace(node, key="-", text="-")
            yield replace(node, offset=node.offset + 1, key=node.key[1:], text=node.text[1:])
        else:
            yield node


def _types(dash: Word, node: Node | None) -> tuple[Word, ...]:
    if node is None:
        raise wrong(dash, "no type stands behind this dash")
    if isinstance(node, Word):
        return (as_name(node, "the name of a type"),)
    if len(node.items) < 2 or head_of(node, "(either …)").key != "either":
        raise wrong(node, f"{quoted(node)} is no type", "write a name or (either NAME NAME …)")
    return tuple(as_name(item, "the name of a type") for item in node.items[1:])


def variables_in(node: Node) -> tuple[Typed, ...]:
    """The variables in the parentheses of a quantifier, or behind `:parameters`."""
    return typed_list(as_group(node, "a list of variables").items, "variable")


def signature_of(node: Node, what: str) -> Signature:
    """`(on ?x - block ?y - block)`."""
    group = as_group(node, what)
    return Signature(as_name(head_of(group, what), what), typed_list(group.items[1:], "variable"))
