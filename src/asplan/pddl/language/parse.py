"""From groups to a domain or a problem, section by section; what PDDL has beyond asplan is refused.

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> text = "(define (problem p) (:domain d) (:objects a - t) (:init (on a)) (:goal (not (on a))))"
>>> problem = parse_problem(read_group(PddlSource("p.pddl", text)))
>>> problem.name.key, problem.initial[0].name.key
('p', 'on')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from asplan.core.errors import InputError, nearest
from asplan.core.text import whole
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import FORMS, Group, Node, Word, quoted, wrong
from asplan.pddl.language.syntax import (
    ALWAYS,
    DURATION,
    Atom,
    Formula,
    Signature,
    Typed,
)

_CONTINUOUS = "effects that go on while an action takes place", "OPTIC can"
_TIMED_NUMBERS = "numbers that change at given times", "OPTIC and ENHSP can"
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
    **dict.fromkeys((":process", ":event"), _HYBRID),
    ":constraints": _TRAJECTORY,
    **dict.fromkeys((":task", ":tasks", ":method", ":htn"), _HIERARCHICAL),
}
_REFUSED_CONDITIONS: _Refusals = {
    **dict.fromkeys(["always", "sometime", "within", "at-most-once", "always-within"], _TRAJECTORY),
    **dict.fromkeys(["sometime-after", "sometime-before"], _TRAJECTORY),
    **dict.fromkeys(["hold-during", "hold-after"], _TRAJECTORY),
    "preference": _PREFERENCE,
}
_REFUSED_EFFECTS: _Refusals = {
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
            kind = _word(next(rest, node), "the word number")
            if kind.key != "number":
                raise _refusal(kind, _FLUENTS)
        else:
            found.append(_signature(node, "a function"))
    return {"functions": tuple(found)}


def _parts(group: Group, parts: tuple[str, ...]) -> tuple[Word, dict[str, Node]]:
    """The name of an action, and what stands behind its keywords."""
    head = _head(group, "an action")
    if len(group.items) < 2:
        raise wrong(group, "an action without a name", f"write ({head.key} NAME …)")
    name = _name(group.items[1], "the name of an action")
    found: dict[str, Node] = {}
    rest = iter(group.items[2:])
    for node in rest:
        keyword = _word(node, f"one of {', '.join(parts)}")
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
    parameters = _variables(parts[":parameters"]) if ":parameters" in parts else ()
    condition = _formula(parts[":precondition"]) if ":precondition" in parts else ALWAYS
    return {"actions": (syntax.Action(name, parameters, condition, _effect(parts[":effect"])),)}


def _durative(group: Group) -> dict[str, Any]:
    name, parts = _parts(group, (":parameters", ":duration", ":condition", ":effect"))
    if ":duration" not in parts:
        hint = "write :duration (= ?duration NUMBER)"
        raise wrong(group, f"action {name} has no :duration", hint)
    action = syntax.DurativeAction(
        name,
        _variables(parts[":parameters"]) if ":parameters" in parts else (),
        tuple(_durations(parts[":duration"])),
        tuple(_timed_conditions(parts[":condition"])) if ":condition" in parts else (),
        tuple(_timed_effects(parts[":effect"])),
    )
    return {"durative": (action,)}


def _derived(group: Group) -> dict[str, Any]:
    node, body = _arguments(group, 2, "(:derived (PREDICATE …) CONDITION)")
    head = _signature(node, "a predicate")
    return {"rules": (syntax.Derivation(head.name, head.parameters, _formula(body)),)}


def _domain_name(group: Group) -> dict[str, Any]:
    (name,) = _arguments(group, 1, "(:domain NAME)")
    return {"domain": _name(name, "the name of a domain")}


def _initial(group: Group) -> dict[str, Any]:
    found: dict[str, list[Any]] = {"initial": [], "absent": [], "values": [], "timed": []}
    for item in _flat(group.items[1:]):
        key = _head(item, "an atom").key
        if key == "not" and len(item.items) == 2:
            found["absent"].append(_fact(_group(item.items[1], "an atom")))
        elif key == "=":
            found["values"].append(_value(item))
        elif key == "at" and len(item.items) == 3 and isinstance(item.items[2], Group):
            found["timed"].append(_timed(item))
        else:
            found["initial"].append(_fact(item))
    return {section: tuple(several) for section, several in found.items()}


def _timed(group: Group) -> tuple[Fraction, syntax.Changed]:
    """`(at 5 (open a))`, or `(at 7 (not (open a)))`."""
    time, change = _arguments(group, 2, "(at TIME ATOM)")
    written = _word(time, "a time")
    number = _number(written)
    if number is None or number <= 0:
        hint = "what holds from the start on stands without a time" if number == 0 else ""
        raise wrong(written, f"{written} stands where a time above 0 belongs", hint)
    item = _group(change, "an atom")
    if _head(item, "an atom").key == "=" or _is_assignment(item):
        raise _refusal(group, _TIMED_NUMBERS)
    holds = not (_head(item, "an atom").key == "not" and len(item.items) == 2)
    atom = _fact(item if holds else _group(item.items[1], "an atom"))
    return number, syntax.Changed(atom, holds)


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
    if any(isinstance(item, Group) for item in group.items) and head.key in _REFUSED_INITIAL:
        raise _refusal(group, _REFUSED_INITIAL[head.key])
    return _atom(group, _REFUSED_CONDITIONS)


def _value(group: Group) -> tuple[Atom, Fraction]:
    """`(= (distance a b) 12)`."""
    function, value = _arguments(group, 2, "(= (FUNCTION …) NUMBER)")
    written = _word(value, "a number")
    number = _number(written)
    if number is None:
        if written.key[0].isalpha():
            raise _refusal(group, _FLUENTS)
        raise wrong(written, f"{written} stands where a number belongs")
    return _function(function), number


def _goal(group: Group) -> dict[str, Any]:
    if len(group.items) != 2:
        hint = "write (:goal (and …)) around several conditions"
        raise wrong(group, "the goal is one condition", hint)
    return {"goal": _formula(group.items[1])}


def _metric(group: Group) -> dict[str, Any]:
    word, expression = _arguments(group, 2, "(:metric minimize EXPRESSION)")
    direction = _word(word, "minimize or maximize")
    if direction.key not in ("minimize", "maximize"):
        hint = "write (:metric minimize EXPRESSION) or (:metric maximize EXPRESSION)"
        raise wrong(direction, f"{direction} stands where minimize or maximize belongs", hint)
    return {"metric": (direction.key, _expression(expression))}


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
    if key in _COMPARISONS and (key != "=" or _has_numbers(group)):
        return _compare(group)
    if key == "=":
        left, right = _arguments(group, 2, "(= TERM TERM)")
        return syntax.Equal(_word(left, "an object"), _word(right, "an object"))
    return _atom(group, _REFUSED_CONDITIONS)


def _effect(node: Node) -> syntax.EffectFormula:
    """An effect; `()` is none."""
    group = _group(node, "an effect")
    if not group.items:
        return syntax.Together(())
    key = _head(group, "an effect").key
    if key == "and":
        return syntax.Together(tuple(map(_effect, group.items[1:])))
    if key == "forall":
        variables, body = _arguments(group, 2, "(forall (VARIABLES) EFFECT)")
        return syntax.Each(_variables(variables), _effect(body))
    if key == "when":
        condition, body = _arguments(group, 2, "(when CONDITION EFFECT)")
        return syntax.When(_formula(condition), _effect(body))
    if key == "not":
        (body,) = _arguments(group, 1, "(not (PREDICATE …))")
        return syntax.Changed(_changed_atom(_group(body, "a predicate")), holds=False)
    if _is_assignment(group):
        target, amount = _arguments(group, 2, f"({key} (FUNCTION …) NUMBER)")
        return syntax.Assign(key, _function(target), _expression(amount), group)
    return syntax.Changed(_changed_atom(group), holds=True)


def _changed_atom(group: Group) -> Atom:
    """The atom of an effect: a condition has no place there."""
    key = _head(group, "a predicate").key
    if key in ("and", "or", "not", "imply", "exists", "forall", "when", *_COMPARISONS):
        hint = "effects are made of and, not, forall, when, increase and predicates"
        raise wrong(group, f"{quoted(group)} is no effect", hint)
    return _atom(group, _REFUSED_EFFECTS)


# Numbers.

_COMPARISONS = ("=", "<", "<=", ">=", ">")
_ASSIGNMENTS = ("assign", "increase", "decrease", "scale-up", "scale-down")
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:e[+-]?\d{1,2})?")


def _number(word: Word) -> Fraction | None:
    """The number that a word writes, if it writes one: `12`, `-3`, `0.25`, `1e-3`."""
    if (number := whole(word.key)) is not None:
        return Fraction(number)
    return Fraction(word.key) if _NUMBER.fullmatch(word.key) else None


def _is_assignment(group: Group) -> bool:
    """Whether an effect changes a number; a predicate may be called `assign`, too."""
    head, *rest = group.items
    last = rest[-1] if rest else head
    return (str(head).lower() in _ASSIGNMENTS) and (
        any(isinstance(item, Group) for item in rest)
        or (isinstance(last, Word) and (last.key == DURATION or _number(last) is not None))
    )


def _has_numbers(group: Group) -> bool:
    """Whether what stands behind `=` are numbers, not objects, which may be called `7`."""
    words = [item for item in group.items[1:] if isinstance(item, Word)]
    return len(words) < len(group.items) - 1 or any(word.key == DURATION for word in words)


def _compare(group: Group) -> syntax.Compare:
    left, right = _arguments(group, 2, f"({group.items[0]} NUMBER NUMBER)")
    word = _head(group, "a comparison").key
    return syntax.Compare(word, _expression(left), _expression(right), group)


def _expression(node: Node) -> syntax.Expression:
    """A number, a function, or an operation on these."""
    if isinstance(node, Word):
        if (number := _number(node)) is not None:
            return number
        if node.key == "#t":
            raise _refusal(node, _CONTINUOUS)
        if node.key == DURATION or node.key[0].isalpha():
            return Atom(node, ())
        raise wrong(node, f"{node} stands where a number belongs")
    head = _head(node, "a number")
    if head.key not in ("+", "-", "*", "/"):
        return _function(node)
    parts = tuple(map(_expression, node.items[1:]))
    least, most = (1, 2) if head.key == "-" else (2, 2 if head.key == "/" else len(parts))
    if not least <= len(parts) <= most:
        form = f"({head} NUMBER NUMBER)"
        raise wrong(node, f"{quoted(node)} has not the form {form}")
    return syntax.Operation(head.key, parts, node)


def _function(node: Node) -> Atom:
    """A function with its arguments; without some it may stand without parentheses."""
    if isinstance(node, Word):
        if node.key[0].isalpha():
            return Atom(node, ())
        raise wrong(node, f"{node} stands where a function belongs")
    head = _head(node, "a function")
    if head.key in ("+", "-", "*", "/"):
        raise wrong(node, f"{quoted(node)} stands where a function belongs")
    arguments = tuple(_word(item, "an object or a variable") for item in node.items[1:])
    return Atom(_name(head, "a function"), arguments)


# Actions that take time.

_TIMES = {("at", "start"): "start", ("at", "end"): "end", ("over", "all"): "all"}


def _time_of(group: Group) -> tuple[str, Node] | None:
    """The time of `(at start …)`, `(over all …)` or `(at end …)`, and what stands there."""
    if len(group.items) == 3 and isinstance(group.items[2], Group):
        time = _TIMES.get((str(group.items[0]).lower(), str(group.items[1]).lower()))
        if time is not None:
            return time, group.items[2]
    return None


def _durations(node: Node) -> Iterator[tuple[str, syntax.Compare]]:
    """The constraints on a duration."""
    group = _group(node, "a constraint on ?duration")
    if not group.items:
        return
    if _head(group, "a constraint on ?duration").key == "and":
        for item in group.items[1:]:
            yield from _durations(item)
        return
    time, constraint = _time_of(group) or ("start", group)
    form = "(= ?duration NUMBER)"
    if time == "all":
        raise wrong(group, "a duration is known at start and at end", f"write (at end {form})")
    inner = _group(constraint, "a constraint on ?duration")
    if _head(inner, form).key not in ("=", "<=", ">="):
        hint = f"write {form}, with <= or >= where it may vary"
        raise wrong(inner, f"{quoted(inner)} is no constraint on ?duration", hint)
    left, _ = _arguments(inner, 2, form)
    if str(left).lower() != DURATION:
        raise wrong(inner, f"{quoted(inner)} has not the form {form}")
    yield time, _compare(inner)


def _timed_conditions(node: Node) -> Iterator[tuple[str, Formula]]:
    """Conditions with their times; `and` and `forall` around the times move inside."""
    group = _group(node, "a condition")
    if not group.items:
        return
    key = _head(group, "a condition").key
    if timed := _time_of(group):
        yield timed[0], _formula(timed[1])
    elif key == "and":
        for item in group.items[1:]:
            yield from _timed_conditions(item)
    elif key == "forall":
        variables, body = _arguments(group, 2, "(forall (VARIABLES) CONDITION)")
        for time, formula in _timed_conditions(body):
            yield time, syntax.Quantified(key, _variables(variables), formula)
    elif key == "preference":
        raise _refusal(group, _PREFERENCE)
    else:
        hint = "write (at start …), (over all …) or (at end …) around each condition"
        raise wrong(group, f"{quoted(group)}: a condition without a time", hint)


def _timed_effects(node: Node) -> Iterator[tuple[str, syntax.EffectFormula]]:
    """Effects with their times; `and`, `forall` and `when` around the times move inside."""
    group = _group(node, "an effect")
    if not group.items:
        return
    key = _head(group, "an effect").key
    if timed := _time_of(group):
        if timed[0] == "all":
            raise wrong(group, "effects happen at start or at end", "write (at end …)")
        yield timed[0], _effect(timed[1])
    elif key == "and":
        for item in group.items[1:]:
            yield from _timed_effects(item)
    elif key == "forall":
        variables, body = _arguments(group, 2, "(forall (VARIABLES) EFFECT)")
        for time, effect in _timed_effects(body):
            yield time, syntax.Each(_variables(variables), effect)
    elif key == "when":
        yield from _timed_when(group)
    elif key in _ASSIGNMENTS and _mentions(group, "#t"):
        raise _refusal(group, _CONTINUOUS)
    else:
        hint = "write (at start …) or (at end …) around each effect"
        raise wrong(group, f"{quoted(group)}: an effect without a time", hint)


def _timed_when(group: Group) -> Iterator[tuple[str, syntax.EffectFormula]]:
    """`(when (at end C) (at end E))`: the times must be the same."""
    condition, body = _arguments(group, 2, "(when CONDITION EFFECT)")
    conditions, effects = list(_timed_conditions(condition)), list(_timed_effects(body))
    for time, effect in effects:
        if any(other != time for other, _ in conditions):
            what = f"the condition of an effect at {time} has another time"
            raise wrong(
                group, what, f"write (at {time} …) in both, or make two actions of this one"
            )
        formula = syntax.Connected("and", tuple(formula for _, formula in conditions))
        yield time, syntax.When(formula, effect)


def _mentions(node: Node, key: str) -> bool:
    if isinstance(node, Word):
        return node.key == key
    return any(_mentions(item, key) for item in node.items)


def _atom(group: Group, refusals: _Refusals) -> Atom:
    """A predicate with words as its arguments; other things are refused by their names."""
    head = _head(group, "a predicate")
    for item in group.items[1:]:
        if isinstance(item, Group):
            if head.key in refusals:
                raise _refusal(group, refusals[head.key])
            if _time_of(group):
                what = f"{quoted(group)}: only what takes time has conditions with a time"
                raise wrong(group, what, "make it a :durative-action, or leave the time out")
            hint = "the arguments of a predicate are objects and variables"
            raise wrong(item, f"{quoted(item)} is an argument of {head}", hint)
    arguments = tuple(_word(item, "an argument") for item in group.items[1:])
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
    rest = _apart(nodes)
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
    ":durative-action": _durative,
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
