"""Checks of missing inertia: fluents that no rule carries on to the next state.

Such a fluent holds only for the thing on which the last action acted. `actions` has the check of
fluents that other actions leave out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from asplan.clingo import Symbol
from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.model.program import Kind, Literal, TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.terms import Op
from asplan.warnings.catalogue import make_warning
from asplan.warnings.effects import carries_on, fluents_in, goal_uses
from asplan.warnings.fluents import INERTIA
from asplan.warnings.index import ProgramIndex

_VARIABLE = re.compile(r"\b[A-Z_]\w*")


def find_missing_inertia(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for fluents that hold only for the thing on which the last action acted.

    A step acts on at most one thing, so the fluent becomes false for all other things.
    """
    index = index.in_steps
    for key in sorted(fluents_in(index)):
        if index.start(key, index.places[key]) is None:
            continue
        causes = _causes_of_one(index, key)
        if causes:
            yield _lost(key, causes, index.timed_heads(key)[0])


def find_forgotten_effects(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for effects that are needed later, but that the next step forgets.

    No atom of such a predicate holds at the start, each step makes at most one of them true, and no
    rule carries them on. The goal needs several of them, or another action needs one of them.
    """
    goal = goal_uses(index)
    index = index.in_steps
    for key in sorted(index.places):
        heads = index.timed_heads(key)
        if index.is_in_base(key) or key in index.behind([key]):
            continue
        causes = [_action_on_one(index, head, _variables(head.terms)) for head in heads]
        if causes and all(causes) and _is_needed(index, key, goal, causes):
            yield _lost(key, causes, heads[0])


def _is_needed(
    index: ProgramIndex,
    key: Signature,
    goal: Collection[Literal],
    causes: Collection[str],
) -> bool:
    """Return whether the goal needs several atoms of `key`, or actions other than `causes` one."""
    if any(use.key == key and _needs_several(index, use) for use in goal if use.is_negative):
        return True
    uses = [use for use in index.reads.get(key, ()) if use.is_negative]
    return any(_is_precondition(index, use, causes) for use in uses)


def _is_precondition(
    index: ProgramIndex,
    use: Literal,
    causes: Collection[str],
) -> bool:
    """Return whether a constraint demands an atom before an action on the same thing.

    `causes` are the actions that make the atom true; the action must be another one.
    """
    if not use.rule.is_constraint or use.shift(index.places[use.key]) != -1:
        return False
    others = [
        action
        for action in use.rule.positive
        if action.key in index.chosen and _variables(action.terms) & _variables(use.terms)
    ]
    made = set(map(_shape, causes))
    return any(_shape(action.text) not in made for action in others)


def _shape(text: str) -> str:
    """Return an atom with `_` in place of its variables."""
    return _VARIABLE.sub("_", text)


def _lost(
    key: Signature,
    causes: Iterable[str],
    head: Literal,
) -> InputWarning:
    names = " or ".join(dict.fromkeys(causes))
    text = f"{key_text(key)} holds only right after {names}: no rule carries it on"
    return make_warning("no-inertia", text, head.at, INERTIA)


def _causes_of_one(
    index: ProgramIndex,
    key: Signature,
) -> list[str]:
    """Return the actions after which alone a fluent holds, each for at most one thing in a step.

    Return an empty list if there are other reasons for the fluent, or if one thing has it.
    """
    heads = index.timed_heads(key)
    if key not in index.behind([key]):
        causes = [_action_on_one(index, head, _variables(head.terms)) for head in heads]
        return causes if all(causes) and _starts_with_several(index, key) else []
    for argument in range(key[2]):
        if argument != index.places[key]:
            causes = _causes_of_thing(index, key, argument)
            if causes:
                return causes
    return []


def _causes_of_thing(
    index: ProgramIndex,
    key: Signature,
    argument: int,
) -> list[str]:
    """Return the actions that change a fluent whose old value they read; `argument` is the thing.

    An example is `at(I,R,t) :- move(I,t), at(I,S,t-1), opposite(S,R).` with the thing `I`. Rules
    for a thing with a name, like `at(farmer,R,t)`, may have no action. Return an empty list if a
    rule may carry on the fluent of other things.
    """
    causes: list[str] = []
    named = 0
    for head in index.timed_heads(key):
        thing = head.terms[argument]
        if thing.ast_type == ASTType.SymbolicTerm and not carries_on(head, index.places[key]):
            named += 1
            continue
        cause = ""
        if thing.ast_type == ASTType.Variable and _reads_old_value(head, argument):
            cause = _action_on_one(index, head, {thing.name})
        if not cause:
            return []
        causes.append(cause)
    return causes if _has_several_things(index, key, argument, named) else []


def _reads_old_value(
    head: Literal,
    argument: int,
) -> bool:
    """Return whether a rule for a fluent reads an atom of this fluent with the same thing."""
    thing = str(head.terms[argument])
    own = [use for use in head.rule.positive if use.key == head.key]
    return any(str(use.terms[argument]) == thing for use in own)


def _action_on_one(
    index: ProgramIndex,
    head: Literal,
    own: Collection[str],
) -> str:
    """Return the action in the body of a head's rule, if each step chooses it at most once.

    The action must contain one of the variables `own` of the head: the thing on which the action
    acts. Return an empty text if there is no such action.
    """
    rule = head.rule
    if rule.part != "step" or rule.is_choice:
        return ""
    for use in rule.positive:
        things = [i for i, term in enumerate(use.terms) if _variables([term]).intersection(own)]
        if things and any(_chooses_one(chosen, things) for chosen in index.heads.get(use.key, ())):
            return use.text
    return ""


def _variables(terms: Collection[AST]) -> set[str]:
    return {variable.name for variable in syntax.find(ASTType.Variable, terms)}


def _chooses_one(
    chosen: Literal,
    things: Collection[int],
) -> bool:
    """Return whether a chosen atom is in a choice with the bound 1, which leaves out some things.

    `things` are indices of its arguments. `{ go(R,C,t) : city(C) } = 1 :- robot(R).` chooses an
    atom for each robot, so it leaves out no robot.
    """
    head = chosen.rule.statement.head if chosen.rule.is_choice else None
    if head is None or head.ast_type not in syntax.BRACES:
        return False
    guards = [guard for guard in (head.left_guard, head.right_guard) if guard is not None]
    if "1" not in [str(guard.term) for guard in guards]:
        return False
    is_demanded = len(guards) > 1 or guards[0].comparison == Op.Equal
    bound = set[str]().union(*(_variables(use.terms) for use in chosen.rule.positive))
    return not (is_demanded and any(_variables([chosen.terms[i]]) & bound for i in things))


def _starts_with_several(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether several atoms of a fluent may hold in the initial state."""
    base = [head for head in index.heads.get(key, ()) if head.part == "base"]
    for head in base:
        if not all(_is_single(index, head.rule, name) for name in _variables(head.terms)):
            return True
    return len(base) + len(_facts(index, key)) > 1


def _has_several_things(
    index: ProgramIndex,
    key: Signature,
    argument: int,
    named: int,
) -> bool:
    """Return whether a fluent has more than one thing at the start, and more than `named` ones.

    `argument` is the index of the thing in the atoms of the fluent.
    """
    things = {str(fact.arguments[argument]) for fact in _facts(index, key)}
    for head in index.heads.get(key, ()):
        if head.part != "base":
            continue
        term = head.terms[argument]
        if term.ast_type != ASTType.Variable:
            things.add(str(term))
        elif not _is_single(index, head.rule, term.name):
            return True
    return len(things) > max(named, 1)


def _is_single(
    index: ProgramIndex,
    rule: TemporalRule,
    variable: str,
) -> bool:
    """Return whether a variable in the body of a rule has at most one value, by a fact."""
    for use in rule.positive:
        for place, term in enumerate(use.terms):
            if str(term) == variable:
                values = _values(index, use.key, place)
                if values is not None and len(values) <= 1:
                    return True
    return False


def _values(
    index: ProgramIndex,
    key: Signature,
    place: int,
) -> set[str] | None:
    """Return the terms in an argument of a predicate's facts.

    Return None if the predicate has other rules, or intervals.
    """
    heads = index.heads.get(key, ())
    if any(head.rule.kind is not Kind.FACT for head in heads):
        return None
    terms = [head.terms[place] for head in heads]
    if any(term.ast_type == ASTType.Interval for term in terms):
        return None
    values = {str(fact.arguments[place]) for fact in _facts(index, key)}
    return values | set(map(str, terms))


def _facts(
    index: ProgramIndex,
    key: Signature,
) -> list[Symbol]:
    """Return the facts of a predicate outside of the rules."""
    found: list[Symbol] = []
    for facts in index.program.facts:
        found += facts.symbols_of({key})
    return found


def _needs_several(
    index: ProgramIndex,
    use: Literal,
) -> bool:
    """Return whether a constraint of the goal demands an atom for each of several things.

    An example is `:- query(t), person(P), not arrived(P,t).` with facts for several persons.
    """
    for variable in _variables(use.terms):
        reads = [other for other in use.rule.positive if variable in _variables(other.terms)]
        if reads and not _is_single(index, use.rule, variable):
            return True
    return False
