"""Domains and problems, read section by section.

>>> text = "(define (problem p) (:domain d) (:objects a - t) (:init (on a)) (:goal (not (on a))))"
>>> problem = parse_problem(read_group(Source("p.pddl", text)))
>>> problem.name.key, problem.initial[0].predicate.key
('p', 'on')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from asplan.errors import nearest
from asplan.pddl import refusals
from asplan.pddl.formulas import (
    atom,
    cost,
    effect,
    formula,
    group_of,
    head_of,
    name_of,
    number,
    signature,
    typed_list,
    variables_of,
    word_of,
)
from asplan.pddl.language import (
    TOTAL_COST,
    Action,
    And,
    Atom,
    Cost,
    Domain,
    Problem,
    Rule,
    Signature,
)
from asplan.pddl.refusals import refused
from asplan.pddl.text import Group, Node, Source, Word, quoted, read_group, wrong

__all__ = ["Source", "kind_of", "parse_domain", "parse_problem", "read_group"]

_FORMS = "PDDL files begin with (define (domain NAME) or (define (problem NAME)"

Section = Callable[[Group], dict[str, Any]]


def kind_of(group: Group) -> str:
    """Whether a file is a `domain` or a `problem`.

    Raises
    ------
    InputError
        It is neither.
    """
    return _title(group).items[0].key  # type: ignore[union-attr]


def _title(group: Group) -> Group:
    """`(domain NAME)` or `(problem NAME)`."""
    items = group.items
    if not items or not isinstance(items[0], Word) or items[0].key != "define":
        raise wrong(group, f"{quoted(group)} is neither a domain nor a problem", _FORMS)
    if len(items) < 2 or not isinstance(items[1], Group) or len(items[1].items) != 2:
        raise wrong(group, "behind define stands no name", _FORMS)
    title = items[1]
    if head_of(title, "(domain NAME)").key not in ("domain", "problem"):
        raise wrong(title, f"{quoted(title)} is neither a domain nor a problem", _FORMS)
    return title


def parse_domain(group: Group) -> Domain:
    """The domain that a file defines; raises `InputError` with the place of what is wrong."""
    name = name_of(_title(group).items[1], "the name of the domain")
    return Domain(name=name, **_collected(group, _DOMAIN))


def parse_problem(group: Group) -> Problem:
    """The problem that a file defines; raises `InputError` with the place of what is wrong."""
    name = name_of(_title(group).items[1], "the name of the problem")
    found = _collected(group, _PROBLEM)
    for section, key in ((":domain", "domain"), (":init", "initial"), (":goal", "goal")):
        if key not in found:
            raise wrong(group, f"problem {name} has no {section}", f"add ({section} …)")
    return Problem(name=name, **found)


_REPEATED = (":action", ":derived")


def _collected(group: Group, sections: dict[str, Section]) -> dict[str, Any]:
    """What the sections of a file say, by the names of the fields."""
    found: dict[str, Any] = {}
    first: dict[str, Group] = {}
    for node in group.items[2:]:
        section = group_of(node, "a section")
        head = head_of(section, "a section")
        if head.key in refusals.SECTIONS:
            raise refused(section, refusals.SECTIONS[head.key])
        if head.key not in sections:
            mend = nearest(head.key, sections, noun="sections")
            raise wrong(head, f"{head} is no section of a {kind_of(group)}", mend)
        if head.key in first and head.key not in _REPEATED:
            line = first[head.key].at.line
            mend = f"the first stands in line {line}; make one of the two"
            raise wrong(section, f"a second section {head}", mend)
        first[head.key] = section
        for key, value in sections[head.key](section).items():
            found[key] = found.get(key, ()) + value if isinstance(value, tuple) else value
    return found


def _requirements(group: Group) -> dict[str, Any]:
    return {"requirements": tuple(word_of(n, "a requirement") for n in group.items[1:])}


def _signatures(group: Group, what: str) -> tuple[Signature, ...]:
    return tuple(signature(node, what) for node in group.items[1:])


def _functions(group: Group) -> dict[str, Any]:
    """Functions, each followed by `- number` or nothing."""
    found: list[Signature] = []
    rest = iter(group.items[1:])
    for node in rest:
        if isinstance(node, Word) and node.key == "-" and found:
            kind = word_of(next(rest, node), "the word number")
            if kind.key != "number":
                raise refused(kind, refusals.FLUENTS)
        else:
            found.append(signature(node, "a function"))
    return {"functions": tuple(found)}


@dataclass
class _Parts:
    """The parts of an action by their keywords; None where one is missing."""

    parameters: Node | None = field(default=None)
    precondition: Node | None = field(default=None)
    effect: Node | None = field(default=None)


def _action(group: Group) -> dict[str, Any]:
    if len(group.items) < 2:
        raise wrong(group, "an action without a name", "write (:action NAME …)")
    name = name_of(group.items[1], "the name of an action")
    parts, known = _Parts(), [f":{part.name}" for part in fields(_Parts)]
    rest = iter(group.items[2:])
    for node in rest:
        keyword = word_of(node, f"one of {', '.join(known)}")
        if keyword.key not in known:
            mend = nearest(keyword.key, known, noun="parts")
            raise wrong(keyword, f"{keyword} is no part of an action", mend)
        value = next(rest, None)
        if value is None or (isinstance(value, Word) and value.key in known):
            raise wrong(keyword, f"behind {keyword} of action {name} stands nothing")
        if getattr(parts, keyword.key[1:]) is not None:
            raise wrong(keyword, f"action {name} has {keyword} twice")
        setattr(parts, keyword.key[1:], value)
    if parts.effect is None:
        raise wrong(group, f"action {name} has no :effect", "write :effect () if it does nothing")
    parameters = () if parts.parameters is None else variables_of(parts.parameters)
    condition = And(()) if parts.precondition is None else formula(parts.precondition)
    return {"actions": (Action(name, parameters, condition, effect(parts.effect)),)}


def _derived(group: Group) -> dict[str, Any]:
    if len(group.items) != 3:
        raise wrong(group, f"{quoted(group)} has not the form (:derived (PREDICATE …) CONDITION)")
    head = signature(group.items[1], "a predicate")
    return {"rules": (Rule(head.name, head.parameters, formula(group.items[2])),)}


def _domain_name(group: Group) -> dict[str, Any]:
    if len(group.items) != 2:
        raise wrong(group, f"{quoted(group)} has not the form (:domain NAME)")
    return {"domain": name_of(group.items[1], "the name of a domain")}


def _initial(group: Group) -> dict[str, Any]:
    atoms: list[Atom] = []
    absent: list[Atom] = []
    values: list[tuple[Cost, int]] = []
    for item in _flat(group.items[1:]):
        key = head_of(item, "an atom").key
        if key == "not" and len(item.items) == 2:
            absent.append(_fact(group_of(item.items[1], "an atom")))
        elif key == "=":
            values.append(_value(item))
        else:
            atoms.append(_fact(item))
    return {"initial": tuple(atoms), "absent": tuple(absent), "values": tuple(values)}


def _flat(nodes: tuple[Node, ...]) -> Iterator[Group]:
    """The atoms of the initial state, which some write with an `and` around them."""
    for node in nodes:
        group = group_of(node, "an atom")
        if group.items and isinstance(group.items[0], Word) and group.items[0].key == "and":
            yield from (group_of(item, "an atom") for item in group.items[1:])
        else:
            yield group


def _fact(group: Group) -> Atom:
    head = head_of(group, "an atom")
    if head.key == "at" and len(group.items) == 3 and isinstance(group.items[2], Group):
        raise refused(group, refusals.TIMED)
    if any(isinstance(item, Group) for item in group.items) and head.key in refusals.INITIAL:
        raise refused(group, refusals.INITIAL[head.key])
    return atom(group, refusals.CONDITIONS)


def _value(group: Group) -> tuple[Cost, int]:
    """`(= (distance a b) 12)`."""
    if len(group.items) != 3:
        raise wrong(group, f"{quoted(group)} has not the form (= (FUNCTION …) NUMBER)")
    function, value = group.items[1:]
    if isinstance(function, Word):
        raise wrong(function, f"{function} stands where a function in parentheses belongs")
    written = word_of(value, "a number")
    if written.key[0].isalpha():
        raise refused(group, refusals.FLUENTS)
    return cost(function), number(written)


def _goal(group: Group) -> dict[str, Any]:
    if len(group.items) != 2:
        mend = "write (:goal (and …)) around several conditions"
        raise wrong(group, "the goal is one condition", mend)
    return {"goal": formula(group.items[1])}


def _metric(group: Group) -> dict[str, Any]:
    words = [str(node).lower() for node in group.items[1:]]
    if words not in (["minimize", f"({TOTAL_COST})"], ["minimize", TOTAL_COST]):
        mend = "the metric may be (:metric minimize (total-cost)); ENHSP and Metric-FF know others"
        raise wrong(group, f"asplan does not plan for {quoted(group)}", mend)
    return {"minimizes_cost": True}


_DOMAIN: dict[str, Section] = {
    ":requirements": _requirements,
    ":types": lambda group: {"types": typed_list(group.items[1:], "type")},
    ":constants": lambda group: {"constants": typed_list(group.items[1:], "constant")},
    ":predicates": lambda group: {"predicates": _signatures(group, "a predicate")},
    ":functions": _functions,
    ":action": _action,
    ":derived": _derived,
}

_PROBLEM: dict[str, Section] = {
    ":domain": _domain_name,
    ":requirements": _requirements,
    ":objects": lambda group: {"objects": typed_list(group.items[1:], "object")},
    ":init": _initial,
    ":goal": _goal,
    ":metric": _metric,
    ":length": lambda group: {},
}
