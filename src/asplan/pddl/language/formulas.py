"""Conditions, effects and numbers, from groups; and those of actions that take time.

In messages `what` says what belongs in a place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from asplan.core.errors import InputError
from asplan.core.text import parse_natural
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Group, Node, Word, quoted, wrong
from asplan.pddl.language.syntax import ALWAYS, DURATION, Atom, Formula, Signature, Typed

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
    rest = _with_spaces(nodes)
    for node in rest:
        if isinstance(node, Word) and node.key == "-":
            if not waiting and what != "object":
                raise wrong(node, f"before this dash stands no {what} that could get a type")
            if (kind := next(rest, None)) is None:
                raise wrong(node, "no type stands behind this dash")
            several: tuple[Node, ...] = (kind,)
            if isinstance(kind, Group):
                if len(kind.items) < 2 or head_of(kind, "(either …)").key != "either":
                    hint = "write a name or (either NAME NAME …)"
                    raise wrong(kind, f"{quoted(kind)} is no type", hint)
                several = kind.items[1:]
            types = tuple(as_name(item, "the name of a type") for item in several)
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


def _with_spaces(nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes of a list with types; some write `-block` without a space behind the dash."""
    for node in nodes:
        if isinstance(node, Word) and len(node.key) > 1 and node.key[0] == "-":
            yield replace(node, key="-", text="-")
            yield replace(node, offset=node.offset + 1, key=node.key[1:], text=node.text[1:])
        else:
            yield node


def variables_in(node: Node) -> tuple[Typed, ...]:
    """The variables in the parentheses of a quantifier, or behind `:parameters`."""
    return typed_list(as_group(node, "a list of variables").items, "variable")


def signature_of(node: Node, what: str) -> Signature:
    """`(on ?x - block ?y - block)`."""
    group = as_group(node, what)
    return Signature(as_name(head_of(group, what), what), typed_list(group.items[1:], "variable"))


_CONTINUOUS = "effects that go on while an action takes place", "OPTIC can"
_TIMED = "constraints that speak of times", "OPTIC and MIPS-XXL can"
TIMED_PREFERENCE = "preferences or constraints where actions take time", "OPTIC and MIPS-XXL can"
_NONDETERMINISTIC = "effects that are left to chance", "PRP can (for oneof)"
PROBABILISTIC = "effects with probabilities", "mGPT and SSiPP can"

_PASSING = {
    **dict.fromkeys(["always", "sometime", "at-most-once"], 1),
    **dict.fromkeys(["sometime-after", "sometime-before"], 2),
}
"""Of how many conditions constraints speak."""
_TIMED_PASSING = dict.fromkeys(["within", "always-within", "hold-during", "hold-after"], _TIMED)
_INSIDE = "constraints inside of conditions", "put them into (:constraints …)"
_DEEP = "preferences under or, not, imply, exists or when", "put them under and or forall alone"
REFUSED_CONDITIONS: Refusals = {
    **_TIMED_PASSING,
    **dict.fromkeys(_PASSING, _INSIDE),
    "preference": _DEEP,
}
_REFUSED_EFFECTS: Refusals = {"oneof": _NONDETERMINISTIC, "probabilistic": PROBABILISTIC}


def formula_of(node: Node) -> Formula:
    """A condition; `()` holds always."""
    group = as_group(node, "a condition")
    if not group.items:
        return ALWAYS
    key = head_of(group, "a condition").key
    if key in ("and", "or", "not", "imply"):
        if number := {"not": 1, "imply": 2}.get(key):
            arguments_of(group, number, f"({key}{number * ' CONDITION'})")
        return syntax.Connected(key, tuple(map(formula_of, group.items[1:])))
    if key in ("exists", "forall"):
        variables, body = arguments_of(group, 2, f"({key} (VARIABLES) CONDITION)")
        return syntax.Quantified(key, variables_in(variables), formula_of(body))
    if key == "=" and _compares_objects(group.items[1:]):
        # What stands there are objects, which may be called `7`.
        left, right = arguments_of(group, 2, "(= TERM TERM)")
        return syntax.Equal(as_word(left, "an object"), as_word(right, "an object"))
    if key in _COMPARISONS:
        return _compare(group)
    return atom_of(group, REFUSED_CONDITIONS)


def _compares_objects(nodes: Sequence[Node]) -> bool:
    """Return whether what stands behind `=` are objects, not numbers.

    An object may be called `7`. Two numerals compare alike as numbers and as objects, unless one
    number is written in two ways, as `7` and `07`; then they are objects.
    """
    words = [node for node in nodes if isinstance(node, Word) and node.key != DURATION]
    if len(words) < len(nodes):
        return False
    numbers = [number_of(word) for word in words]
    if None in numbers:
        return True
    several = len(set(numbers)) < len({word.key for word in words})
    return several and all(word.key.isdigit() for word in words)


# Constraints and preferences.


def with_preferences(node: Node) -> tuple[Formula, tuple[syntax.Demand, ...]]:
    """A condition, and the preferences in it, which stand under `and` and `forall`."""
    group = as_group(node, "a condition")
    key = head_of(group, "a condition").key if group.items else ""
    if key == "preference":
        name, body = _preference(group)
        part = syntax.Passing((), "at end", (formula_of(body),), group)
        return ALWAYS, (syntax.Demand(name, (), (part,), group),)
    if key == "and":
        found = [with_preferences(item) for item in group.items[1:]]
        kept = tuple(formula for formula, demands in found if formula != ALWAYS or not demands)
        return syntax.Connected("and", kept), tuple(d for _, demands in found for d in demands)
    if key == "forall" and len(group.items) == 3:
        formula, demands = with_preferences(group.items[2])
        variables = variables_in(group.items[1])
        if formula != ALWAYS or not demands:
            formula = syntax.Quantified("forall", variables, formula)
        return formula, tuple(replace(d, variables=(*variables, *d.variables)) for d in demands)
    return formula_of(group), ()


def _preference(group: Group) -> tuple[str, Node]:
    """The name of a preference, empty if it has none, and what is preferred."""
    if len(group.items) == 2:
        return "", group.items[1]
    name, body = arguments_of(group, 2, "(preference NAME CONDITION)")
    return as_word(name, "the name of a preference").text, body


_Around = tuple[tuple[syntax.Typed, ...], ...]
"""The variables of each `forall` around something, from the outside in."""


def _apart(node: Node, what: str, around: _Around = ()) -> Iterator[tuple[_Around, Group, str]]:
    """What stands under `and` and `forall`: each part with what is around it, and its first word.

    `what` it is, such as "a condition", is said in messages.
    """
    group = as_group(node, what)
    key = head_of(group, what).key if group.items else "and"
    if key == "and":
        for item in group.items[1:]:
            yield from _apart(item, what, around)
    elif key == "forall":
        form = f"(forall (VARIABLES) {what.partition(' ')[2].upper()})"
        variables, body = arguments_of(group, 2, form)
        yield from _apart(body, what, (*around, variables_in(variables)))
    else:
        yield around, group, key


def demands_of(node: Node) -> Iterator[syntax.Demand]:
    """The constraints and preferences in a section."""
    for around, group, key in _apart(node, "a constraint"):
        name, body = _preference(group) if key == "preference" else (None, group)
        yield syntax.Demand(name, tuple(chain(*around)), tuple(_passing(body)), group)


def _passing(node: Node) -> Iterator[syntax.Passing]:
    """What a constraint says of the states that a plan passes, part by part."""
    for around, group, key in _apart(node, "a constraint"):
        parts: tuple[Node, ...]
        if (timed := _time_of(group)) and timed[0] == "end":
            key, parts = "at end", (timed[1],)
        elif key in _PASSING:
            form = f"({key}{_PASSING[key] * ' CONDITION'})"
            parts = arguments_of(group, _PASSING[key], form)
        elif key in _TIMED_PASSING:
            raise refusal(group, _TIMED)
        else:
            words = ", ".join(_PASSING)
            hint = f"constraints are {words} and at end, under and, forall or preference"
            raise wrong(group, f"{quoted(group)} is no constraint", hint)
        formulas = tuple(map(formula_of, parts))
        yield syntax.Passing(tuple(chain(*around)), key, formulas, group)


def effect_of(node: Node) -> syntax.EffectFormula:
    """An effect; `()` is none."""
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
    """The atom of an effect: a condition has no place there."""
    key = head_of(group, "a predicate").key
    if key in ("and", "or", "not", "imply", "exists", "forall", "when", *_COMPARISONS):
        hint = "effects are made of and, not, forall, when, increase and predicates"
        raise wrong(group, f"{quoted(group)} is no effect", hint)
    return atom_of(group, _REFUSED_EFFECTS)


# Numbers.

_COMPARISONS = ("=", "<", "<=", ">=", ">")
_ASSIGNMENTS = ("assign", "increase", "decrease", "scale-up", "scale-down")
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:e[+-]?\d{1,2})?")


def number_of(word: Word) -> Fraction | None:
    """The number that a word writes, if it writes one: `12`, `-3`, `0.25`, `1e-3`."""
    if (number := parse_natural(word.key)) is not None:
        return Fraction(number)
    return Fraction(word.key) if _NUMBER.fullmatch(word.key) else None


def is_assignment(group: Group) -> bool:
    """Whether an effect changes a number; a predicate may be called `assign`, too."""
    head, *rest = group.items
    last = rest[-1] if rest else head
    return (str(head).lower() in _ASSIGNMENTS) and (
        any(isinstance(item, Group) for item in rest)
        or (isinstance(last, Word) and (last.key == DURATION or number_of(last) is not None))
    )


def _compare(group: Group) -> syntax.Compare:
    left, right = arguments_of(group, 2, f"({group.items[0]} NUMBER NUMBER)")
    word = head_of(group, "a comparison").key
    return syntax.Compare(word, expression_of(left), expression_of(right), group)


def expression_of(node: Node) -> syntax.Expression:
    """A number, a function, or an operation on these."""
    if isinstance(node, Word):
        if (number := number_of(node)) is not None:
            return number
        if node.key == "#t":
            raise refusal(node, _CONTINUOUS)
        if node.key == DURATION or node.key[0].isalpha():
            return Atom(node, ())
        raise wrong(node, f"{node} stands where a number belongs")
    head = head_of(node, "a number")
    if head.key not in ("+", "-", "*", "/"):
        return function_of(node)
    parts = tuple(map(expression_of, node.items[1:]))
    least, most = (1, 2) if head.key == "-" else (2, 2 if head.key == "/" else len(parts))
    if not least <= len(parts) <= most:
        form = f"({head} NUMBER NUMBER)"
        raise wrong(node, f"{quoted(node)} has not the form {form}")
    return syntax.Operation(head.key, parts, node)


def function_of(node: Node) -> Atom:
    """A function with its arguments; without some it may stand without parentheses."""
    if isinstance(node, Word):
        if node.key[0].isalpha():
            return Atom(node, ())
        raise wrong(node, f"{node} stands where a function belongs")
    head = head_of(node, "a function")
    if head.key in ("+", "-", "*", "/"):
        raise wrong(node, f"{quoted(node)} stands where a function belongs")
    arguments = tuple(as_word(item, "an object or a variable") for item in node.items[1:])
    return Atom(as_name(head, "a function"), arguments)


# Actions that take time.

_TIMES = {("at", "start"): "start", ("at", "end"): "end", ("over", "all"): "all"}


def _time_of(group: Group) -> tuple[str, Node] | None:
    """The time of `(at start …)`, `(over all …)` or `(at end …)`, and what stands there."""
    if len(group.items) == 3 and isinstance(group.items[2], Group):
        time = _TIMES.get((str(group.items[0]).lower(), str(group.items[1]).lower()))
        if time is not None:
            return time, group.items[2]
    return None


def durations_in(node: Node) -> Iterator[tuple[str, syntax.Compare]]:
    """The constraints on a duration."""
    group = as_group(node, "a constraint on ?duration")
    if not group.items:
        return
    if head_of(group, "a constraint on ?duration").key == "and":
        for item in group.items[1:]:
            yield from durations_in(item)
        return
    time, constraint = _time_of(group) or ("start", group)
    form = "(= ?duration NUMBER)"
    if time == "all":
        raise wrong(group, "a duration is known at start and at end", f"write (at end {form})")
    inner = as_group(constraint, "a constraint on ?duration")
    if head_of(inner, form).key not in ("=", "<=", ">="):
        hint = f"write {form}, with <= or >= where it may vary"
        raise wrong(inner, f"{quoted(inner)} is no constraint on ?duration", hint)
    left, _ = arguments_of(inner, 2, form)
    if str(left).lower() != DURATION:
        raise wrong(inner, f"{quoted(inner)} has not the form {form}")
    yield time, _compare(inner)


def timed_conditions(node: Node) -> Iterator[tuple[str, Formula]]:
    """Conditions with their times; `and` and `forall` around the times move inside."""
    for around, group, key in _apart(node, "a condition"):
        if key == "preference":
            raise refusal(group, TIMED_PREFERENCE)
        if (timed := _time_of(group)) is None:
            hint = "write (at start …), (over all …) or (at end …) around each condition"
            raise wrong(group, f"{quoted(group)}: a condition without a time", hint)
        formula = formula_of(timed[1])
        for variables in reversed(around):
            formula = syntax.Quantified("forall", variables, formula)
        yield timed[0], formula


def timed_effects(node: Node) -> Iterator[tuple[str, syntax.EffectFormula]]:
    """Effects with their times; `and`, `forall` and `when` around the times move inside."""
    for around, group, key in _apart(node, "an effect"):
        for time, effect in _timed_effect(group, key):
            for variables in reversed(around):
                effect = syntax.Each(variables, effect)
            yield time, effect


def _timed_effect(group: Group, key: str) -> Iterator[tuple[str, syntax.EffectFormula]]:
    """`(at end E)`, or `(when (at end C) (at end E))`, where the times must be the same."""
    if timed := _time_of(group):
        if timed[0] == "all":
            raise wrong(group, "effects happen at start or at end", "write (at end …)")
        yield timed[0], effect_of(timed[1])
        return
    if key in _ASSIGNMENTS and _mentions(group, "#t"):
        raise refusal(group, _CONTINUOUS)
    if key != "when":
        hint = "write (at start …) or (at end …) around each effect"
        raise wrong(group, f"{quoted(group)}: an effect without a time", hint)
    condition, body = arguments_of(group, 2, "(when CONDITION EFFECT)")
    conditions, effects = list(timed_conditions(condition)), list(timed_effects(body))
    for time, effect in effects:
        if any(other != time for other, _ in conditions):
            what = f"the condition of an effect at {time} has another time"
            hint = f"write (at {time} …) in both, or make two actions of this one"
            raise wrong(group, what, hint)
        formula = syntax.Connected("and", tuple(formula for _, formula in conditions))
        yield time, syntax.When(formula, effect)


def _mentions(node: Node, key: str) -> bool:
    if isinstance(node, Word):
        return node.key == key
    return any(_mentions(item, key) for item in node.items)


def atom_of(group: Group, refusals: Refusals) -> Atom:
    """A predicate with words as its arguments; other things are refused by their names."""
    head = head_of(group, "a predicate")
    for item in group.items[1:]:
        if isinstance(item, Group):
            if head.key in refusals:
                raise refusal(group, refusals[head.key])
            if _time_of(group):
                what = f"{quoted(group)}: only what takes time has conditions with a time"
                raise wrong(group, what, "make it a :durative-action, or leave the time out")
            hint = "the arguments of a predicate are objects and variables"
            raise wrong(item, f"{quoted(item)} is an argument of {head}", hint)
    arguments = tuple(as_word(item, "an argument") for item in group.items[1:])
    return Atom(as_name(head, "a predicate"), arguments)
