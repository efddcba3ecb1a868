"""A parser for PDDL files: from groups to a domain or a problem, section by section.

PDDL that asplan does not support is refused here, with a planner that supports it.

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> text = "(define (problem p) (:domain d) (:objects a - t) (:init (on a)) (:goal (not (on a))))"
>>> problem = parse_problem(read_group(PddlSource("p.pddl", text)))
>>> problem.name.key, problem.initial[0].name.key
('p', 'on')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from asplan.core.errors import nearest
from asplan.pddl.language import demands, durative, formulas, syntax
from asplan.pddl.language.lexer import (
    FORMS,
    Group,
    Node,
    Word,
    quoted,
    wrong,
)
from asplan.pddl.language.nodes import (
    Refusals,
    arguments_of,
    as_group,
    as_name,
    as_word,
    head_of,
    refusal,
    signature_of,
    typed_list,
    unexpected,
    variables_in,
)
from asplan.pddl.language.syntax import ALWAYS, Atom, Signature

_TIMED_NUMBERS = "numbers that change at given times", "OPTIC and ENHSP can"
_HYBRID = "processes and events (PDDL+)", "ENHSP can"
_FLUENTS = "functions whose values are objects", "unified-planning can turn them into predicates"
_CONFORMANT = "an incomplete initial state", "Conformant-FF can"
_HIERARCHICAL = "tasks and methods (HDDL)", "pandaPI can"
_SENSING = "sensing actions", "PO-PRP can"

_REFUSED_SECTIONS: Refusals = {
    ":process": _HYBRID,
    ":event": _HYBRID,
    ":task": _HIERARCHICAL,
    ":tasks": _HIERARCHICAL,
    ":method": _HIERARCHICAL,
    ":htn": _HIERARCHICAL,
}
_REFUSED_PARTS: Refusals = {
    ":observe": _SENSING,
    ":sense": _SENSING,
}
_REFUSED_INITIAL: Refusals = {
    "or": _CONFORMANT,
    "oneof": _CONFORMANT,
    "unknown": _CONFORMANT,
    "probabilistic": formulas.PROBABILISTIC,
}
_REPEATABLE = (":action", ":durative-action", ":derived")

Fields: TypeAlias = dict[str, Any]  # fields of `DomainText` and `ProblemText`, of many types
_Section: TypeAlias = Callable[[Group], Fields]


def kind_of(group: Group) -> str:
    """Return the kind of a file: `domain` or `problem`; raise `InputError` at another kind."""
    return _title(group)[0].key


def _title(group: Group) -> tuple[Word, Node]:
    """Return the word `domain` or `problem` after `define`, and the name after that word."""
    items = group.items
    if not items or not isinstance(items[0], Word) or items[0].key != "define":
        raise wrong(group, f"expected (define …), not {quoted(group)}", FORMS)
    if len(items) < 2 or not isinstance(items[1], Group) or len(items[1].items) != 2:
        raise wrong(group, "no name follows define", FORMS)
    head = head_of(items[1], "(domain NAME)")
    if head.key not in ("domain", "problem"):
        raise wrong(
            items[1], f"expected (domain NAME) or (problem NAME), not {quoted(items[1])}", FORMS
        )
    return head, items[1].items[1]


def parse_domain(group: Group) -> syntax.DomainText:
    """Parse a domain file; raise `InputError` at the place of a mistake."""
    name = as_name(_title(group)[1], "the name of the domain")
    return syntax.DomainText(name=name, **_fields(group, _DOMAIN))


def parse_problem(group: Group) -> syntax.ProblemText:
    """Parse a problem file; raise `InputError` at the place of a mistake."""
    name = as_name(_title(group)[1], "the name of the problem")
    fields = _fields(group, _PROBLEM)
    for section, field in _NEEDED:
        if field not in fields:
            raise wrong(group, f"problem {name} has no {section}", f"add ({section} …)")
    return syntax.ProblemText(name=name, **fields)


_NEEDED = (
    (":domain", "domain"),
    (":init", "initial"),
    (":goal", "goal"),
)
"""The sections that each problem must have, with their fields in `ProblemText`."""


def _fields(
    group: Group,
    sections: dict[str, _Section],
) -> Fields:
    """Parse the sections of a file, and return the fields of `DomainText` or `ProblemText`.

    `sections` has the parser of each section. If several sections have the same field, their tuples
    are joined.
    """
    fields: Fields = {}
    first: dict[str, Group] = {}
    for node in group.items[2:]:
        section = as_group(node, "a section")
        head = head_of(section, "a section")
        if head.key in _REFUSED_SECTIONS:
            raise refusal(section, _REFUSED_SECTIONS[head.key])
        if head.key not in sections:
            hint = nearest(head.key, sections, noun="sections")
            raise wrong(head, f"{head} is not a section of a {kind_of(group)}", hint)
        if head.key in first and head.key not in _REPEATABLE:
            hint = f"the first is in line {first[head.key].at.line}; merge the two"
            raise wrong(section, f"a second section {head}", hint)
        first[head.key] = section
        for key, value in sections[head.key](section).items():
            fields[key] = fields.get(key, ()) + value if isinstance(value, tuple) else value
    return fields


# The sections of a domain.


def _functions(group: Group) -> Fields:
    """Parse the section of functions; each may be followed by `- number`."""
    functions: list[Signature] = []
    rest = iter(group.items[1:])
    for node in rest:
        if isinstance(node, Word) and node.key == "-" and functions:
            kind = as_word(next(rest, node), "the word number")
            if kind.key != "number":
                raise refusal(kind, _FLUENTS)
        else:
            functions.append(signature_of(node, "a function"))
    return {"functions": tuple(functions)}


_ACTION_PARTS = (":parameters", ":precondition", ":effect")
_DURATIVE_PARTS = (":parameters", ":duration", ":condition", ":effect")


def _parts(
    group: Group,
    keywords: tuple[str, ...],
) -> tuple[Word, dict[str, Node]]:
    """Return the name of an action, and the node after each of its keywords, such as `:effect`.

    `keywords` are the keywords that the action may have.
    """
    head = head_of(group, "an action")
    if len(group.items) < 2:
        raise wrong(group, "an action without a name", f"write ({head.key} NAME …)")
    name = as_name(group.items[1], "the name of an action")
    parts: dict[str, Node] = {}
    rest = iter(group.items[2:])
    for node in rest:
        keyword = as_word(node, f"one of {', '.join(keywords)}")
        _check_keyword(keyword, keywords)
        value = next(rest, None)
        if value is None or (isinstance(value, Word) and value.key in keywords):
            raise wrong(keyword, f"nothing follows {keyword} of action {name}")
        if keyword.key in parts:
            raise wrong(keyword, f"action {name} has {keyword} twice")
        parts[keyword.key] = value
    if ":effect" not in parts:
        raise wrong(group, f"action {name} has no :effect", "write :effect () if it does nothing")
    return name, parts


def _check_keyword(
    keyword: Word,
    keywords: tuple[str, ...],
) -> None:
    """Raise `InputError` if an action cannot have this keyword."""
    if keyword.key in _REFUSED_PARTS:
        raise refusal(keyword, _REFUSED_PARTS[keyword.key])
    if keyword.key == ":vars":
        message = ":vars is from PDDL 1.2 (1998), and asplan reads later versions"
        raise wrong(keyword, message, "write its variables among the :parameters")
    if keyword.key not in keywords:
        hint = nearest(keyword.key, keywords, noun="parts")
        raise wrong(keyword, f"{keyword} is not a part of an action", hint)


def _parameters(parts: dict[str, Node]) -> tuple[syntax.Typed, ...]:
    """Parse the parameters of an action; return an empty tuple if the action has none."""
    if ":parameters" not in parts:
        return ()
    return variables_in(parts[":parameters"])


def _action(group: Group) -> Fields:
    """Parse an action without a duration."""
    name, parts = _parts(group, _ACTION_PARTS)
    condition: syntax.Formula = ALWAYS
    preferences: tuple[syntax.TrajectoryDemand, ...] = ()
    if ":precondition" in parts:
        condition, preferences = demands.with_preferences(parts[":precondition"])
    action = syntax.PddlAction(
        name=name,
        parameters=_parameters(parts),
        precondition=condition,
        effect=formulas.effect_of(parts[":effect"]),
        preferences=preferences,
    )
    return {"actions": (action,)}


def _durative(group: Group) -> Fields:
    """Parse a durative action."""
    name, parts = _parts(group, _DURATIVE_PARTS)
    if ":duration" not in parts:
        hint = "write :duration (= ?duration NUMBER)"
        raise wrong(group, f"action {name} has no :duration", hint)
    action = syntax.DurativeAction(
        name=name,
        parameters=_parameters(parts),
        duration=tuple(durative.durations_in(parts[":duration"])),
        conditions=_timed_conditions(parts),
        effects=tuple(durative.timed_effects(parts[":effect"])),
    )
    return {"durative": (action,)}


def _timed_conditions(parts: dict[str, Node]) -> tuple[tuple[str, syntax.Formula], ...]:
    """Parse the conditions of a durative action; return an empty tuple if it has none."""
    if ":condition" not in parts:
        return ()
    return tuple(durative.timed_conditions(parts[":condition"]))


def _derived(group: Group) -> Fields:
    """Parse a rule of a derived predicate."""
    node, body = arguments_of(group, 2, "(:derived (PREDICATE …) CONDITION)")
    head = signature_of(node, "a predicate")
    rule = syntax.AxiomRule(head.name, head.parameters, formulas.formula_of(body))
    return {"rules": (rule,)}


# The sections of a problem.


def _initial(group: Group) -> Fields:
    """Parse the initial state: atoms, negated atoms, values of functions and timed literals."""
    initial: list[Atom] = []
    absent: list[Atom] = []
    values: list[tuple[Atom, Fraction]] = []
    timed: list[tuple[Fraction, syntax.Changed]] = []
    for item in _flat(group.items[1:]):
        key = head_of(item, "an atom").key
        if key == "not" and len(item.items) == 2:
            absent.append(_fact(as_group(item.items[1], "an atom")))
        elif key == "=":
            values.append(_value(item))
        elif key == "at" and len(item.items) == 3 and isinstance(item.items[2], Group):
            timed.append(_timed(item))
        else:
            initial.append(_fact(item))
    return {
        "initial": tuple(initial),
        "absent": tuple(absent),
        "values": tuple(values),
        "timed": tuple(timed),
    }


def _timed(group: Group) -> tuple[Fraction, syntax.Changed]:
    """Parse a timed literal, such as `(at 5 (open a))` or `(at 7 (not (open a)))`."""
    time, change = arguments_of(group, 2, "(at TIME ATOM)")
    written = as_word(time, "a time")
    number = formulas.number_of(written)
    if number is None or number <= 0:
        hint = "write atoms that hold from the start without a time" if number == 0 else ""
        raise unexpected(written, "a time above 0", hint)
    item = as_group(change, "an atom")
    if head_of(item, "an atom").key == "=" or formulas.is_assignment(item):
        raise refusal(group, _TIMED_NUMBERS)
    is_negated = head_of(item, "an atom").key == "not" and len(item.items) == 2
    atom = _fact(as_group(item.items[1], "an atom") if is_negated else item)
    return number, syntax.Changed(atom, not is_negated)


def _flat(nodes: tuple[Node, ...]) -> Iterator[Group]:
    """Yield the atoms of the initial state, without the `and` that some files write around them."""
    for node in nodes:
        group = as_group(node, "an atom")
        if group.items and isinstance(group.items[0], Word) and group.items[0].key == "and":
            yield from (as_group(item, "an atom") for item in group.items[1:])
        else:
            yield group


def _fact(group: Group) -> Atom:
    """Parse an atom of the initial state; raise `InputError` at an unsupported form."""
    head = head_of(group, "an atom")
    has_groups = any(isinstance(item, Group) for item in group.items)
    if has_groups and head.key in _REFUSED_INITIAL:
        raise refusal(group, _REFUSED_INITIAL[head.key])
    return formulas.atom_of(group, formulas.REFUSED_CONDITIONS)


def _value(group: Group) -> tuple[Atom, Fraction]:
    """Parse the initial value of a function, such as `(= (distance a b) 12)`."""
    function, value = arguments_of(group, 2, "(= (FUNCTION …) NUMBER)")
    written = as_word(value, "a number")
    number = formulas.number_of(written)
    if number is not None:
        return formulas.function_of(function), number
    if written.key[0].isalpha():
        raise refusal(group, _FLUENTS)
    raise unexpected(written, "a number")


def _goal(group: Group) -> Fields:
    """Parse the goal, and the preferences in it."""
    if len(group.items) != 2:
        hint = "write (:goal (and …)) around several conditions"
        raise wrong(group, "the goal must be one condition", hint)
    goal, preferences = demands.with_preferences(group.items[1])
    return {"goal": goal, "demands": preferences}


def _constraints(group: Group) -> Fields:
    """Parse the section of constraints."""
    constraints: list[syntax.TrajectoryDemand] = []
    for item in group.items[1:]:
        constraints += demands.demands_of(item)
    return {"demands": tuple(constraints)}


def _metric(group: Group) -> Fields:
    """Parse the metric."""
    word, expression = arguments_of(group, 2, "(:metric minimize EXPRESSION)")
    direction = as_word(word, "minimize or maximize")
    if direction.key not in ("minimize", "maximize"):
        hint = "write (:metric minimize EXPRESSION) or (:metric maximize EXPRESSION)"
        raise unexpected(direction, "minimize or maximize", hint)
    return {"metric": (direction.key, formulas.expression_of(expression))}


def _domain_name(group: Group) -> Fields:
    """Parse the name of the problem's domain."""
    (name,) = arguments_of(group, 1, "(:domain NAME)")
    return {"domain": as_name(name, "the name of a domain")}


# Sections that are lists.


def _requirements(group: Group) -> Fields:
    """Parse the list of requirements."""
    words = (as_word(node, "a requirement") for node in group.items[1:])
    return {"requirements": tuple(words)}


def _predicates(group: Group) -> Fields:
    """Parse the declarations of predicates."""
    predicates = (signature_of(node, "a predicate") for node in group.items[1:])
    return {"predicates": tuple(predicates)}


def _typed(field: str) -> _Section:
    """Return a parser for a section that lists names with types.

    `field` is the field of `DomainText` or `ProblemText` that receives the names.
    """
    noun = field.removesuffix("s")
    return lambda group: {field: typed_list(group.items[1:], noun)}


_DOMAIN: dict[str, _Section] = {
    ":requirements": _requirements,
    ":types": _typed("types"),
    ":constants": _typed("constants"),
    ":predicates": _predicates,
    ":functions": _functions,
    ":action": _action,
    ":durative-action": _durative,
    ":derived": _derived,
    ":constraints": _constraints,
}
_PROBLEM: dict[str, _Section] = {
    ":domain": _domain_name,
    ":requirements": _requirements,
    ":objects": _typed("objects"),
    ":init": _initial,
    ":goal": _goal,
    ":constraints": _constraints,
    ":metric": _metric,
    ":length": lambda group: {},
}
