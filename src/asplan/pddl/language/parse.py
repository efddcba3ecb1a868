"""What PDDL has beyond asplan, and which planners can do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from asplan.errors import InputError, nearest
from asplan.pddl.language import parse as refusals
from asplan.pddl.language.lexer import Group, Node, Source, Word, quoted, read_group, wrong
from asplan.pddl.language.syntax import (
    TOTAL_COST,
    Action,
    Add,
    And,
    Atom,
    Cost,
    Delete,
    Domain,
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
    Problem,
    Rule,
    Signature,
    Together,
    Typed,
    When,
)
from asplan.text import LARGEST, whole

TEMPORAL = "actions with a duration", "OPTIC and Temporal Fast Downward (TFD) can"
TIMED = "what happens at given times", "OPTIC and Temporal Fast Downward (TFD) can"
NUMERIC = "numbers beyond the costs of actions", "ENHSP and Metric-FF can"
HYBRID = "processes and events (PDDL+)", "ENHSP can"
TRAJECTORY = "constraints on the way to the goal (PDDL 3)", "OPTIC and MIPS-XXL can"
PREFERENCE = "preferences (PDDL 3)", "OPTIC and MIPS-XXL can"
FLUENTS = "functions whose values are objects", "unified-planning can turn them into predicates"
NONDETERMINISTIC = "effects that are left to chance", "PRP can (for oneof)"
PROBABILISTIC = "effects with probabilities", "mGPT and SSiPP can"
CONFORMANT = "an initial state that is not known in full", "Conformant-FF can"
HIERARCHICAL = "tasks and methods (HDDL)", "pandaPI can"

Refusal = tuple[str, str]

SECTIONS: dict[str, Refusal] = {
    ":durative-action": TEMPORAL,
    ":process": HYBRID,
    ":event": HYBRID,
    ":constraints": TRAJECTORY,
    ":task": HIERARCHICAL,
    ":tasks": HIERARCHICAL,
    ":method": HIERARCHICAL,
    ":htn": HIERARCHICAL,
}

CONDITIONS: dict[str, Refusal] = {
    **dict.fromkeys(("<", ">", "<=", ">=", "+", "-", "*", "/", "="), NUMERIC),
    **dict.fromkeys(
        ("always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before"),
        TRAJECTORY,
    ),
    **dict.fromkeys(("always-within", "hold-during", "hold-after"), TRAJECTORY),
    "preference": PREFERENCE,
}

EFFECTS: dict[str, Refusal] = {
    **dict.fromkeys(("assign", "decrease", "increase", "scale-up", "scale-down"), NUMERIC),
    "oneof": NONDETERMINISTIC,
    "probabilistic": PROBABILISTIC,
}

INITIAL: dict[str, Refusal] = {
    **dict.fromkeys(("or", "oneof", "unknown"), CONFORMANT),
    "probabilistic": PROBABILISTIC,
}


def refused(node: Node, refusal: Refusal) -> InputError:
    """The error at something that asplan does not plan with."""
    what, who = refusal
    name = node if isinstance(node, Word) else f"({node.items[0]} …)"
    return wrong(node, f"{name}: asplan does not plan with {what}", hint=who)


# Conditions, effects and typed lists, read from words and groups.


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
        hint = "put a space behind the dash" if word.key[0] == "-" and word.key != "-" else ""
        raise wrong(word, f"{word} stands where {what} belongs", hint)
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
            hint = "the arguments of a predicate are objects and variables"
            raise wrong(item, f"{quoted(item)} is an argument of {head}", hint)
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
        hint = "effects are made of and, not, forall, when, increase and predicates"
        raise wrong(group, f"{quoted(group)} is no effect", hint)
    return atom(group, refusals.EFFECTS)


def _increase(group: Group, conditional: bool) -> Effect:
    target, amount = _arguments(group, 2, "(increase (total-cost) AMOUNT)")
    if [item.key for item in _words(target)] != [TOTAL_COST]:
        raise refused(group, refusals.NUMERIC)
    if conditional:
        hint = "move it out of forall and when, or make two actions of this one"
        raise wrong(group, "what an action costs must not depend on the state", hint)
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
        hint = f"costs are whole numbers from 0 to {LARGEST}; a factor for all does away with parts"
        raise wrong(word, f"{word} is no cost", hint)
    return value


# Domains and problems, read section by section.
#
# >>> text = "(define (problem p) (:domain d) (:objects a - t) (:init (on a)) (:goal (not (on a))))"
# >>> problem = parse_problem(read_group(Source("p.pddl", text)))
# >>> problem.name.key, problem.initial[0].predicate.key
# ('p', 'on')


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
            hint = nearest(head.key, sections, noun="sections")
            raise wrong(head, f"{head} is no section of a {kind_of(group)}", hint)
        if head.key in first and head.key not in _REPEATED:
            line = first[head.key].at.line
            hint = f"the first stands in line {line}; make one of the two"
            raise wrong(section, f"a second section {head}", hint)
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
            hint = nearest(keyword.key, known, noun="parts")
            raise wrong(keyword, f"{keyword} is no part of an action", hint)
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
        hint = "write (:goal (and …)) around several conditions"
        raise wrong(group, "the goal is one condition", hint)
    return {"goal": formula(group.items[1])}


def _metric(group: Group) -> dict[str, Any]:
    words = [str(node).lower() for node in group.items[1:]]
    if words not in (["minimize", f"({TOTAL_COST})"], ["minimize", TOTAL_COST]):
        hint = "the metric may be (:metric minimize (total-cost)); ENHSP and Metric-FF know others"
        raise wrong(group, f"asplan does not plan for {quoted(group)}", hint)
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
