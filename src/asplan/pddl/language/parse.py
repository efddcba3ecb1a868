"""From groups to a domain or a problem, section by section; what PDDL has beyond asplan is refused.

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> text = "(define (problem p) (:domain d) (:objects a - t) (:init (on a)) (:goal (not (on a))))"
>>> problem = parse_problem(read_group(PddlSource("p.pddl", text)))
>>> problem.name.key, problem.initial[0].name.key
('p', 'on')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from asplan.core.errors import nearest
from asplan.pddl.language import formulas, syntax
from asplan.pddl.language.formulas import arguments_of, as_group, as_name, as_word, head_of, refusal
from asplan.pddl.language.lexer import FORMS, Group, Node, Word, quoted, wrong
from asplan.pddl.language.syntax import ALWAYS, Atom, Signature

_TIMED_NUMBERS = "numbers that change at given times", "OPTIC and ENHSP can"
_HYBRID = "processes and events (PDDL+)", "ENHSP can"
_FLUENTS = "functions whose values are objects", "unified-planning can turn them into predicates"
_CONFORMANT = "an initial state that is not known in full", "Conformant-FF can"
_HIERARCHICAL = "tasks and methods (HDDL)", "pandaPI can"

_REFUSED_SECTIONS: formulas.Refusals = {
    **dict.fromkeys((":process", ":event"), _HYBRID),
    **dict.fromkeys((":task", ":tasks", ":method", ":htn"), _HIERARCHICAL),
}
_OBSERVING = "actions that observe", "PO-PRP can"
_REFUSED_PARTS: formulas.Refusals = {":observe": _OBSERVING, ":sense": _OBSERVING}
_REFUSED_INITIAL: formulas.Refusals = {
    **dict.fromkeys(("or", "oneof", "unknown"), _CONFORMANT),
    "probabilistic": formulas.PROBABILISTIC,
}


def kind_of(group: Group) -> str:
    """Whether a file is a `domain` or a `problem`; raises `InputError` if it is neither."""
    return _title(group)[0].key


def _title(group: Group) -> tuple[Word, Node]:
    """`domain` or `problem`, and its name."""
    items = group.items
    if not items or not isinstance(items[0], Word) or items[0].key != "define":
        raise wrong(group, f"{quoted(group)} is neither a domain nor a problem", FORMS)
    if len(items) < 2 or not isinstance(items[1], Group) or len(items[1].items) != 2:
        raise wrong(group, "behind define stands no name", FORMS)
    head = head_of(items[1], "(domain NAME)")
    if head.key not in ("domain", "problem"):
        raise wrong(items[1], f"{quoted(items[1])} is neither a domain nor a problem", FORMS)
    return head, items[1].items[1]


def parse_domain(group: Group) -> syntax.DomainText:
    """The domain that a file defines; raises `InputError` with the place of what is wrong."""
    name = as_name(_title(group)[1], "the name of the domain")
    return syntax.DomainText(name=name, **_fields(group, _DOMAIN))


def parse_problem(group: Group) -> syntax.ProblemText:
    """The problem that a file defines; raises `InputError` with the place of what is wrong."""
    name = as_name(_title(group)[1], "the name of the problem")
    found = _fields(group, _PROBLEM)
    for section, key in ((":domain", "domain"), (":init", "initial"), (":goal", "goal")):
        if key not in found:
            raise wrong(group, f"problem {name} has no {section}", f"add ({section} …)")
    return syntax.ProblemText(name=name, **found)


_Section = Callable[[Group], dict[str, Any]]


def _fields(group: Group, sections: dict[str, _Section]) -> dict[str, Any]:
    """What the sections of a file say, by the names of the fields."""
    found: dict[str, Any] = {}
    first: dict[str, Group] = {}
    for node in group.items[2:]:
        section = as_group(node, "a section")
        head = head_of(section, "a section")
        if head.key in _REFUSED_SECTIONS:
            raise refusal(section, _REFUSED_SECTIONS[head.key])
        if head.key not in sections:
            hint = nearest(head.key, sections, noun="sections")
            raise wrong(head, f"{head} is no section of a {kind_of(group)}", hint)
        if head.key in first and head.key not in (":action", ":durative-action", ":derived"):
            hint = f"the first stands in line {first[head.key].at.line}; make one of the two"
            raise wrong(section, f"a second section {head}", hint)
        first[head.key] = section
        for key, value in sections[head.key](section).items():
            found[key] = found.get(key, ()) + value if isinstance(value, tuple) else value
    return found


def _functions(group: Group) -> dict[str, Any]:
    """Functions, each followed by `- number` or nothing."""
    found: list[Signature] = []
    rest = iter(group.items[1:])
    for node in rest:
        if isinstance(node, Word) and node.key == "-" and found:
            kind = as_word(next(rest, node), "the word number")
            if kind.key != "number":
                raise refusal(kind, _FLUENTS)
        else:
            found.append(formulas.signature_of(node, "a function"))
    return {"functions": tuple(found)}


def _parts(group: Group, parts: tuple[str, ...]) -> tuple[Word, dict[str, Node]]:
    """The name of an action, and what stands behind its keywords."""
    head = head_of(group, "an action")
    if len(group.items) < 2:
        raise wrong(group, "an action without a name", f"write ({head.key} NAME …)")
    name = as_name(group.items[1], "the name of an action")
    found: dict[str, Node] = {}
    rest = iter(group.items[2:])
    for node in rest:
        keyword = as_word(node, f"one of {', '.join(parts)}")
        if keyword.key in _REFUSED_PARTS:
            raise refusal(keyword, _REFUSED_PARTS[keyword.key])
        if keyword.key == ":vars":
            what = ":vars is of the first PDDL, of 1998, and asplan reads what came after it"
            raise wrong(keyword, what, "write its variables among the :parameters")
        if keyword.key not in parts:
            hint = nearest(keyword.key, parts, noun="parts")
            raise wrong(keyword, f"{keyword} is no part of an action", hint)
        value = next(rest, None)
        if value is None or (isinstance(value, Word) and value.key in parts):
            raise wrong(keyword, f"behind {keyword} of action {name} stands nothing")
        if keyword.key in found:
            raise wrong(keyword, f"action {name} has {keyword} twice")
        found[keyword.key] = value
    if ":effect" not in found:
        raise wrong(group, f"action {name} has no :effect", "write :effect () if it does nothing")
    return name, found


def _action(group: Group) -> dict[str, Any]:
    name, parts = _parts(group, (":parameters", ":precondition", ":effect"))
    parameters = formulas.variables_in(parts[":parameters"]) if ":parameters" in parts else ()
    given = parts.get(":precondition")
    condition, preferences = (ALWAYS, ()) if given is None else formulas.with_preferences(given)
    action = syntax.Action(
        name, parameters, condition, formulas.effect_of(parts[":effect"]), preferences
    )
    return {"actions": (action,)}


def _durative(group: Group) -> dict[str, Any]:
    name, parts = _parts(group, (":parameters", ":duration", ":condition", ":effect"))
    if ":duration" not in parts:
        hint = "write :duration (= ?duration NUMBER)"
        raise wrong(group, f"action {name} has no :duration", hint)
    action = syntax.DurativeAction(
        name,
        formulas.variables_in(parts[":parameters"]) if ":parameters" in parts else (),
        tuple(formulas.durations_in(parts[":duration"])),
        tuple(formulas.timed_conditions(parts[":condition"])) if ":condition" in parts else (),
        tuple(formulas.timed_effects(parts[":effect"])),
    )
    return {"durative": (action,)}


def _derived(group: Group) -> dict[str, Any]:
    node, body = arguments_of(group, 2, "(:derived (PREDICATE …) CONDITION)")
    head = formulas.signature_of(node, "a predicate")
    return {"rules": (syntax.Derivation(head.name, head.parameters, formulas.formula_of(body)),)}


def _initial(group: Group) -> dict[str, Any]:
    found: dict[str, list[Any]] = {"initial": [], "absent": [], "values": [], "timed": []}
    for item in _flat(group.items[1:]):
        key = head_of(item, "an atom").key
        if key == "not" and len(item.items) == 2:
            found["absent"].append(_fact(as_group(item.items[1], "an atom")))
        elif key == "=":
            found["values"].append(_value(item))
        elif key == "at" and len(item.items) == 3 and isinstance(item.items[2], Group):
            found["timed"].append(_timed(item))
        else:
            found["initial"].append(_fact(item))
    return {section: tuple(several) for section, several in found.items()}


def _timed(group: Group) -> tuple[Fraction, syntax.Changed]:
    """`(at 5 (open a))`, or `(at 7 (not (open a)))`."""
    time, change = arguments_of(group, 2, "(at TIME ATOM)")
    written = as_word(time, "a time")
    number = formulas.number_of(written)
    if number is None or number <= 0:
        hint = "what holds from the start on stands without a time" if number == 0 else ""
        raise wrong(written, f"{written} stands where a time above 0 belongs", hint)
    item = as_group(change, "an atom")
    if head_of(item, "an atom").key == "=" or formulas.is_assignment(item):
        raise refusal(group, _TIMED_NUMBERS)
    holds = not (head_of(item, "an atom").key == "not" and len(item.items) == 2)
    atom = _fact(item if holds else as_group(item.items[1], "an atom"))
    return number, syntax.Changed(atom, holds)


def _flat(nodes: tuple[Node, ...]) -> Iterator[Group]:
    """The atoms of the initial state, which some write with an `and` around them."""
    for node in nodes:
        group = as_group(node, "an atom")
        if group.items and isinstance(group.items[0], Word) and group.items[0].key == "and":
            yield from (as_group(item, "an atom") for item in group.items[1:])
        else:
            yield group


def _fact(group: Group) -> Atom:
    head = head_of(group, "an atom")
    if any(isinstance(item, Group) for item in group.items) and head.key in _REFUSED_INITIAL:
        raise refusal(group, _REFUSED_INITIAL[head.key])
    return formulas.atom_of(group, formulas.REFUSED_CONDITIONS)


def _value(group: Group) -> tuple[Atom, Fraction]:
    """`(= (distance a b) 12)`."""
    function, value = arguments_of(group, 2, "(= (FUNCTION …) NUMBER)")
    written = as_word(value, "a number")
    number = formulas.number_of(written)
    if number is None:
        if written.key[0].isalpha():
            raise refusal(group, _FLUENTS)
        raise wrong(written, f"{written} stands where a number belongs")
    return formulas.function_of(function), number


def _goal(group: Group) -> dict[str, Any]:
    if len(group.items) != 2:
        hint = "write (:goal (and …)) around several conditions"
        raise wrong(group, "the goal is one condition", hint)
    goal, preferences = formulas.with_preferences(group.items[1])
    return {"goal": goal, "demands": preferences}


def _constraints(group: Group) -> dict[str, Any]:
    return {
        "demands": tuple(demand for item in group.items[1:] for demand in formulas.demands_of(item))
    }


def _metric(group: Group) -> dict[str, Any]:
    word, expression = arguments_of(group, 2, "(:metric minimize EXPRESSION)")
    direction = as_word(word, "minimize or maximize")
    if direction.key not in ("minimize", "maximize"):
        hint = "write (:metric minimize EXPRESSION) or (:metric maximize EXPRESSION)"
        raise wrong(direction, f"{direction} stands where minimize or maximize belongs", hint)
    return {"metric": (direction.key, formulas.expression_of(expression))}


def _each(field: str, read: Callable[[Node, str], Any], what: str) -> _Section:
    """A section that is a list."""
    return lambda group: {field: tuple(read(node, what) for node in group.items[1:])}


def _typed(field: str) -> _Section:
    """A section of names with types."""
    return lambda group: {field: formulas.typed_list(group.items[1:], field.removesuffix("s"))}


_DOMAIN: dict[str, _Section] = {
    ":requirements": _each("requirements", as_word, "a requirement"),
    ":types": _typed("types"),
    ":constants": _typed("constants"),
    ":predicates": _each("predicates", formulas.signature_of, "a predicate"),
    ":functions": _functions,
    ":action": _action,
    ":durative-action": _durative,
    ":derived": _derived,
    ":constraints": _constraints,
}
_PROBLEM: dict[str, _Section] = {
    ":domain": lambda group: {
        "domain": as_name(arguments_of(group, 1, "(:domain NAME)")[0], "the name of a domain")
    },
    ":requirements": _each("requirements", as_word, "a requirement"),
    ":objects": _typed("objects"),
    ":init": _initial,
    ":goal": _goal,
    ":constraints": _constraints,
    ":metric": _metric,
    ":length": lambda group: {},
}
