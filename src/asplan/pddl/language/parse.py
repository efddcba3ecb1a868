"""From groups to a domain or a problem, section by section; what PDDL has beyond asplan is refused.

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> text = "(define (problem p) (:domain d) (:objects a - t) (:init (on a)) (:goal (not (on a))))"
>>> problem = parse_problem(read_group(PddlSource("p.pddl", text)))
>>> problem.name.key, problem.initial[0].name.key
('p', 'on')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from asplan.core.errors import InputError, nearest
from asplan.core.text import LARGEST, whole
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import FORMS, Group, Node, Word, quoted, wrong
from asplan.pddl.language.syntax import ALWAYS, TOTAL_COST, Atom, Formula, Signature, Typed

_TEMPORAL = "actions with a duration", "OPTIC and Temporal Fast Downward (TFD) can"
_TIMED = "what happens at given times", "OPTIC and Temporal Fast Downward (TFD) can"
_NUMERIC = "numbers beyond the costs of actions", "ENHSP and Metric-FF can"
_HYBRID = "processes and events (PDDL+)", "ENHSP can"
_TRAJECTORY = "constraints on the way to the goal (PDDL 3)", "OPTIC and MIPS-XXL can"
_PREFERENCE = "preferences (PDDL 3)", "OPTIC and MIPS-XXL can"
_FLUENTS = "functions whose values are objects", "unified-planning can turn them into predicates"
_NONDETERMINISTIC = "effects that are left to chance", "PRP can (for oneof)"
_PROBABILISTIC = "effects with probabilities", "mGPT and SSiPP can"
_CONFORMANT = "an initial state that is not known in full", "Conformant-FF can"
_HIERARCHICAL = "tasks and methods (HDDL)", "pandaPI can"

_Refusals = Mapping[str, tuple[str, str]]
"""From a word to what asplan does not plan with, and who can."""

_REFUSED_SECTIONS: _Refusals = {
    ":durative-action": _TEMPORAL,
    **dict.fromkeys((":process", ":event"), _HYBRID),
    ":constraints": _TRAJECTORY,
    **dict.fromkeys((":task", ":tasks", ":method", ":htn"), _HIERARCHICAL),
}
_REFUSED_CONDITIONS: _Refusals = {
    **dict.fromkeys(["<", ">", "<=", ">=", "+", "-", "*", "/", "="], _NUMERIC),
    **dict.fromkeys(["always", "sometime", "within", "at-most-once", "always-within"], _TRAJECTORY),
    **dict.fromkeys(["sometime-after", "sometime-before"], _TRAJECTORY),
    **dict.fromkeys(["hold-during", "hold-after"], _TRAJECTORY),
    "preference": _PREFERENCE,
}
_REFUSED_EFFECTS: _Refusals = {
    **dict.fromkeys(["assign", "decrease", "increase", "scale-up", "scale-down"], _NUMERIC),
    "oneof": _NONDETERMINISTIC,
    "probabilistic": _PROBABILISTIC,
}
_REFUSED_INITIAL: _Refusals = {
    **dict.fromkeys(("or", "oneof", "unknown"), _CONFORMANT),
    "probabilistic": _PROBABILISTIC,
}


def _refusal(node: Node, refusal: tuple[str, str]) -> InputError:
    what, who = refusal
    name = node if isinstance(node, Word) else f"({node.items[0]} …)"
    return wrong(node, f"{name}: asplan does not plan with {what}", who)


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
    head = _head(items[1], "(domain NAME)")
    if head.key not in ("domain", "problem"):
        raise wrong(items[1], f"{quoted(items[1])} is neither a domain nor a problem", FORMS)
    return head, items[1].items[1]


def parse_domain(group: Group) -> syntax.DomainText:
    """The domain that a file defines; raises `InputError` with the place of what is wrong."""
    name = _name(_title(group)[1], "the name of the domain")
    return syntax.DomainText(name=name, **_fields(group, _DOMAIN))


def parse_problem(group: Group) -> syntax.ProblemText:
    """The problem that a file defines; raises `InputError` with the place of what is wrong."""
    name = _name(_title(group)[1], "the name of the problem")
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
        section = _group(node, "a section")
        head = _head(section, "a section")
        if head.key in _REFUSED_SECTIONS:
            raise _refusal(section, _REFUSED_SECTIONS[head.key])
        if head.key not in sections:
            hint = nearest(head.key, sections, noun="sections")
            raise wrong(head, f"{head} is no section of a {kind_of(group)}", hint)
        if head.key in first and head.key not in (":action", ":derived"):
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
            kind = _word(next(rest, node), "the word number")
            if kind.key != "number":
                raise _refusal(kind, _FLUENTS)
        else:
            found.append(_signature(node, "a function"))
    return {"functions": tuple(found)}


_PARTS = (":parameters", ":precondition", ":effect")


def _action(group: Group) -> dict[str, Any]:
    if len(group.items) < 2:
        raise wrong(group, "an action without a name", "write (:action NAME …)")
    name = _name(group.items[1], "the name of an action")
    parts: dict[str, Node] = {}
    rest = iter(group.items[2:])
    for node in rest:
        keyword = _word(node, f"one of {', '.join(_PARTS)}")
        if keyword.key not in _PARTS:
            hint = nearest(keyword.key, _PARTS, noun="parts")
            raise wrong(keyword, f"{keyword} is no part of an action", hint)
        value = next(rest, None)
        if value is None or (isinstance(value, Word) and value.key in _PARTS):
            raise wrong(keyword, f"behind {keyword} of action {name} stands nothing")
        if keyword.key in parts:
            raise wrong(keyword, f"action {name} has {keyword} twice")
        parts[keyword.key] = value
    if ":effect" not in parts:
        raise wrong(group, f"action {name} has no :effect", "write :effect () if it does nothing")
    parameters = _variables(parts[":parameters"]) if ":parameters" in parts else ()
    condition = _formula(parts[":precondition"]) if ":precondition" in parts else ALWAYS
    return {"actions": (syntax.Action(name, parameters, condition, _effect(parts[":effect"])),)}


def _derived(group: Group) -> dict[str, Any]:
    node, body = _arguments(group, 2, "(:derived (PREDICATE …) CONDITION)")
    head = _signature(node, "a predicate")
    return {"rules": (syntax.Derivation(head.name, head.parameters, _formula(body)),)}


def _domain_name(group: Group) -> dict[str, Any]:
    (name,) = _arguments(group, 1, "(:domain NAME)")
    return {"domain": _name(name, "the name of a domain")}


def _initial(group: Group) -> dict[str, Any]:
    atoms: list[Atom] = []
    absent: list[Atom] = []
    values: list[tuple[Atom, int]] = []
    for item in _flat(group.items[1:]):
        key = _head(item, "an atom").key
        if key == "not" and len(item.items) == 2:
            absent.append(_fact(_group(item.items[1], "an atom")))
        elif key == "=":
            values.append(_value(item))
        else:
            atoms.append(_fact(item))
    return {"initial": tuple(atoms), "absent": tuple(absent), "values": tuple(values)}


def _flat(nodes: tuple[Node, ...]) -> Iterator[Group]:
    """The atoms of the initial state, which some write with an `and` around them."""
    for node in nodes:
        group = _group(node, "an atom")
        if group.items and isinstance(group.items[0], Word) and group.items[0].key == "and":
            yield from (_group(item, "an atom") for item in group.items[1:])
        else:
            yield group


def _fact(group: Group) -> Atom:
    head = _head(group, "an atom")
    if head.key == "at" and len(group.items) == 3 and isinstance(group.items[2], Group):
        raise _refusal(group, _TIMED)
    if any(isinstance(item, Group) for item in group.items) and head.key in _REFUSED_INITIAL:
        raise _refusal(group, _REFUSED_INITIAL[head.key])
    return _atom(group, _REFUSED_CONDITIONS)


def _value(group: Group) -> tuple[Atom, int]:
    """`(= (distance a b) 12)`."""
    function, value = _arguments(group, 2, "(= (FUNCTION …) NUMBER)")
    if isinstance(function, Word):
        raise wrong(function, f"{function} stands where a function in parentheses belongs")
    written = _word(value, "a number")
    if written.key[0].isalpha():
        raise _refusal(group, _FLUENTS)
    return _cost(function), _number(written)


def _goal(group: Group) -> dict[str, Any]:
    if len(group.items) != 2:
        hint = "write (:goal (and …)) around several conditions"
        raise wrong(group, "the goal is one condition", hint)
    return {"goal": _formula(group.items[1])}


def _metric(group: Group) -> dict[str, Any]:
    words = [str(node).lower() for node in group.items[1:]]
    if words not in (["minimize", f"({TOTAL_COST})"], ["minimize", TOTAL_COST]):
        hint = "the metric may be (:metric minimize (total-cost)); ENHSP and Metric-FF know others"
        raise wrong(group, f"asplan does not plan for {quoted(group)}", hint)
    return {"minimizes_cost": True}


# Conditions and effects.


def _formula(node: Node) -> Formula:
    """A condition; `()` holds always."""
    group = _group(node, "a condition")
    if not group.items:
        return ALWAYS
    key = _head(group, "a condition").key
    if key in ("and", "or", "not", "imply"):
        if number := {"not": 1, "imply": 2}.get(key):
            _arguments(group, number, f"({key}{number * ' CONDITION'})")
        return syntax.Connected(key, tuple(map(_formula, group.items[1:])))
    if key in ("exists", "forall"):
        variables, body = _arguments(group, 2, f"({key} (VARIABLES) CONDITION)")
        return syntax.Quantified(key, _variables(variables), _formula(body))
    if key == "=" and not any(isinstance(item, Group) for item in group.items):
        left, right = _arguments(group, 2, "(= TERM TERM)")
        return syntax.Equal(_word(left, "an object"), _word(right, "an object"))
    return _atom(group, _REFUSED_CONDITIONS)


def _effect(node: Node, conditional: bool = False) -> syntax.EffectFormula:
    """An effect; `()` is none. `conditional` is what stands inside of `forall` or `when`."""
    group = _group(node, "an effect")
    if not group.items:
        return syntax.Together(())
    key = _head(group, "an effect").key
    if key == "and":
        return syntax.Together(tuple(_effect(item, conditional) for item in group.items[1:]))
    if key == "forall":
        variables, body = _arguments(group, 2, "(forall (VARIABLES) EFFECT)")
        return syntax.Each(_variables(variables), _effect(body, True))
    if key == "when":
        condition, body = _arguments(group, 2, "(when CONDITION EFFECT)")
        return syntax.When(_formula(condition), _effect(body, True))
    if key == "not":
        (body,) = _arguments(group, 1, "(not (PREDICATE …))")
        return syntax.Changed(_changed_atom(_group(body, "a predicate")), holds=False)
    if key == "increase":
        return _increase(group, conditional)
    return syntax.Changed(_changed_atom(group), holds=True)


def _changed_atom(group: Group) -> Atom:
    """The atom of an effect: a condition has no place there."""
    key = _head(group, "a predicate").key
    if key in ("and", "or", "not", "imply", "exists", "forall", "=", "when"):
        hint = "effects are made of and, not, forall, when, increase and predicates"
        raise wrong(group, f"{quoted(group)} is no effect", hint)
    return _atom(group, _REFUSED_EFFECTS)


def _increase(group: Group, conditional: bool) -> syntax.EffectFormula:
    target, amount = _arguments(group, 2, "(increase (total-cost) AMOUNT)")
    items = (target,) if isinstance(target, Word) else target.items
    if [item.key for item in items if isinstance(item, Word)] != [TOTAL_COST]:
        raise _refusal(group, _NUMERIC)
    if conditional:
        hint = "move it out of forall and when, or make two actions of this one"
        raise wrong(group, "what an action costs must not depend on the state", hint)
    cost = _number(amount) if isinstance(amount, Word) else _cost(amount)
    return syntax.Increase(cost, group)


def _cost(group: Group) -> Atom:
    head = _head(group, "a function")
    if head.key in ("+", "-", "*", "/"):
        raise _refusal(group, _NUMERIC)
    arguments = tuple(_word(item, "an object or a variable") for item in group.items[1:])
    return Atom(_name(head, "a function"), arguments)


def _number(word: Word) -> int:
    """A whole number from 0 that fits in clingo's 32 bits, also as `5.0`."""
    digits, dot, rest = word.key.partition(".")
    value = whole(digits)
    if value is None or (dot and (not rest or rest.strip("0"))):
        hint = f"costs are whole numbers from 0 to {LARGEST}; a factor for all does away with parts"
        raise wrong(word, f"{word} is no cost", hint)
    return value


_TIMES = ("start", "end", "all")


def _atom(group: Group, refusals: _Refusals) -> Atom:
    """A predicate with words as its arguments; other things are refused by their names."""
    head = _head(group, "a predicate")
    for item in group.items[1:]:
        if isinstance(item, Group):
            if head.key in refusals:
                raise _refusal(group, refusals[head.key])
            if head.key in ("at", "over") and str(group.items[1]).lower() in _TIMES:
                raise _refusal(group, _TEMPORAL)
            hint = "the arguments of a predicate are objects and variables"
            raise wrong(item, f"{quoted(item)} is an argument of {head}", hint)
    arguments = tuple(_word(item, "an argument") for item in group.items[1:])
    if head.key in ("<", ">", "<=", ">="):
        raise _refusal(group, _NUMERIC)
    return Atom(_name(head, "a predicate"), arguments)


# Words, and lists of names with types; `what` says in messages what belongs there.


def _group(node: Node, what: str) -> Group:
    if isinstance(node, Word):
        raise wrong(node, f"{node} stands where {what} in parentheses belongs")
    return node


def _word(node: Node, what: str) -> Word:
    if isinstance(node, Group):
        raise wrong(node, f"{quoted(node)} stands where {what} belongs")
    return node


def _name(node: Node, what: str) -> Word:
    """A node that must be a name: no variable, keyword or dash."""
    word = _word(node, what)
    if word.key[0] in "?:-":
        hint = "put a space behind the dash" if word.key[0] == "-" and word.key != "-" else ""
        raise wrong(word, f"{word} stands where {what} belongs", hint)
    return word


def _head(group: Group, what: str) -> Word:
    if not group.items:
        raise wrong(group, f"() stands where {what} belongs")
    return _word(group.items[0], f"the first word of {what}")


def _arguments(group: Group, number: int, form: str) -> tuple[Node, ...]:
    if len(group.items) != number + 1:
        raise wrong(group, f"{quoted(group)} has not the form {form}")
    return group.items[1:]


def _typed_list(nodes: Iterable[Node], what: str) -> tuple[Typed, ...]:
    """Names or variables with types: `a b - block c`."""
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
        elif what == "variable":
            word = _word(node, "a variable")
            if word.key[0] != "?" or len(word.key) == 1:
                hint = "variables begin with ?"
                raise wrong(word, f"{word} stands where a variable belongs", hint)
            waiting.append(word)
        else:
            article = "an" if what[0] in "aeiou" else "a"
            waiting.append(_name(node, f"the name of {article} {what}"))
    return (*found, *map(Typed, waiting))


def _types(dash: Word, node: Node | None) -> tuple[Word, ...]:
    if node is None:
        raise wrong(dash, "no type stands behind this dash")
    if isinstance(node, Word):
        return (_name(node, "the name of a type"),)
    if len(node.items) < 2 or _head(node, "(either …)").key != "either":
        raise wrong(node, f"{quoted(node)} is no type", "write a name or (either NAME NAME …)")
    return tuple(_name(item, "the name of a type") for item in node.items[1:])


def _variables(node: Node) -> tuple[Typed, ...]:
    """The variables in the parentheses of a quantifier, or behind `:parameters`."""
    return _typed_list(_group(node, "a list of variables").items, "variable")


def _signature(node: Node, what: str) -> Signature:
    """`(on ?x - block ?y - block)`."""
    group = _group(node, what)
    return Signature(_name(_head(group, what), what), _typed_list(group.items[1:], "variable"))


def _each(field: str, read: Callable[[Node, str], Any], what: str) -> _Section:
    """A section that is a list."""
    return lambda group: {field: tuple(read(node, what) for node in group.items[1:])}


def _typed(field: str) -> _Section:
    """A section of names with types."""
    return lambda group: {field: _typed_list(group.items[1:], field.removesuffix("s"))}


_DOMAIN: dict[str, _Section] = {
    ":requirements": _each("requirements", _word, "a requirement"),
    ":types": _typed("types"),
    ":constants": _typed("constants"),
    ":predicates": _each("predicates", _signature, "a predicate"),
    ":functions": _functions,
    ":action": _action,
    ":derived": _derived,
}
_PROBLEM: dict[str, _Section] = {
    ":domain": _domain_name,
    ":requirements": _each("requirements", _word, "a requirement"),
    ":objects": _typed("objects"),
    ":init": _initial,
    ":goal": _goal,
    ":metric": _metric,
    ":length": lambda group: {},
}
