"""Checks of fluents: missing inertia, gaps in time, and several values of one fluent.

`find_several_values` checks the states of a plan; the other checks need no plan.
"""

from __future__ import annotations

from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Sequence,
)

from asplan.clingo import Symbol, parse_term
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.reading.unit import TIMED
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Signature,
)
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex, index_of

INERTIA = "carry it on by a rule such as f(X,t) :- f(X,t-1), not changed(X,t)."


def find_gaps(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield the warnings about fluents without inertia, and about fluents with a gap in time."""
    for key in index.defined:
        if key in index.places:
            place = index.places[key]
            yield from _time_gap(index, key, place)
            yield from _unsupported_terms(index, key, place)
        elif not index.timed_heads(key) and key[2] > 1:
            yield from _initial_only(index, key)


def _time_gap(
    index: ProgramIndex,
    key: Signature,
    place: int,
) -> Iterator[InputWarning]:
    """Yield a warning if a fluent has initial atoms at time k, and derived ones only after k+1.

    `place` is the index of the fluent's time argument.
    """
    start = index.start(key, place)
    if not start or not any(use.parameter for use in index.reads.get(key, ())):
        return
    heads: list[tuple[int, Literal]] = []
    for head in index.timed_heads(key):
        if head.part in TIMED:
            first_step = 1 if head.part == "step" else 0
            heads.append((first_step + (head.shift(place) or 0), head))
    if not heads:
        return
    first, head = min(heads, key=lambda pair: pair[0])
    last = max(start)
    if last + 1 < first:
        text = (
            f"{key_text(key)} has atoms at time {last} and from time {first} on, but none between"
        )
        hint = "let the rules of step(t) derive the state at t"
        yield make_warning("time-gap", text, head.at, hint)


def _unsupported_terms(
    index: ProgramIndex,
    key: Signature,
    place: int,
) -> Iterator[InputWarning]:
    """Yield a warning for fluents, written as functions, that no rule of a step derives.

    An example is `request` in `holds(request(F),0)`. Only predicates with two arguments are
    checked: the fluent and its time, which is the argument `place`.
    """
    if key[2] != 2 or not index.is_initial(key):
        return
    argument = 1 - place
    derived = _functions(index.timed_heads(key), argument)
    if "" in derived:  # a rule carries on any fluent
        return
    base = [head for head in index.heads[key] if head.part == "base"]
    unsupported = _functions(base, argument) - derived
    for use in index.reads.get(key, ()):
        term = use.terms[argument]
        is_function = term.ast_type == ASTType.Function
        if is_function and term.name in unsupported and use.shift(place) == 0:
            text = f"{use.text} is true at time 0 only: no rule of a step derives such atoms"
            yield make_warning("no-inertia", text, use.at, INERTIA)


def _functions(
    heads: Iterable[Literal],
    argument: int,
) -> set[str]:
    """Return the names of the functions in an argument of heads; "" for other terms."""
    return {_function(head.terms[argument]) for head in heads}


def _function(term: AST) -> str:
    return str(term.name) if term.ast_type == ASTType.Function else ""


def _initial_only(
    index: ProgramIndex,
    key: Signature,
) -> Iterator[InputWarning]:
    """Yield a warning for a predicate that has atoms of time 0 only, but is read at later times."""
    timed = [use for use in index.reads.get(key, ()) if use.parameter]
    if not timed or not any(section.part == "step" for section in index.program.sections):
        return
    places = [i for i in range(key[2]) if all(use.shift(i) is not None for use in timed)]
    if len(places) == 1 and index.start(key, places[0]) == {0}:
        text = f"{key_text(key)} has atoms at time 0 only: no rule of a step derives more"
        yield make_warning("no-inertia", text, timed[0].at, INERTIA)


def find_unchanged(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each fluent whose rules only copy it from the time before."""
    for key, place in index.places.items():
        heads = index.timed_heads(key)
        if len(heads) == 1 and _is_copy(heads[0], place):
            text = f"{key_text(key)} is only copied from the time before, so nothing changes it"
            hint = "a predicate that never changes needs no time"
            yield make_warning("unchanged", text, heads[0].at, hint)


def _is_copy(
    head: Literal,
    place: int,
) -> bool:
    """Return whether a rule only copies an atom to the next time; `place` is its time argument.

    `lamp(1-S,t) :- lamp(S,t-1).` is no copy.
    """
    rule = head.rule
    if rule.is_choice or len(rule.reads) != 1 or len(rule.statement.body) != 1:
        return False
    source = rule.reads[0]
    if source.key != head.key or not head.is_now(place):
        return False
    return all(str(term) == str(source.terms[i]) for i, term in enumerate(head.terms) if i != place)


@dataclass(frozen=True)
class _ValuedFluent:
    """A fluent with one value at a time, like `at(Robot,Place)`.

    Attributes
    ----------
    value
        The index of the argument with the value, not counting the time.
    inertia
        The head of the rule that carries the value on.
    """

    value: int
    inertia: Literal

    def subject(self, atom: Symbol) -> tuple[str, ...]:
        """Return the arguments of an atom other than the value, as text."""
        return tuple(str(term) for i, term in enumerate(atom.arguments) if i != self.value)


_Fluent = tuple[str, int]
"""A fluent: its sign and name, and its arity without the time."""


def find_several_values(
    program: Program,
    states: Sequence[Sequence[str]],
) -> Iterator[InputWarning]:
    """Yield a warning for the first state of a plan in which a fluent has two values, not one.

    A fluent should have one value if its inertia stops for all values as soon as a rule sets one,
    as `at(R,t) :- at(R,t-1), not moved(t)` does. Two values arise if two actions of one step set a
    value, mostly because nothing limits the actions of a step.
    """
    valued = _valued_fluents(index_of(program, True))
    if not valued or not states:
        return
    initial = list(map(parse_term, sorted(states[0])))
    several = {_fluent(first) for first, _ in _clashes(initial, valued)}
    started = set(map(_fluent, initial))
    checked = {key: valued[key] for key in valued.keys() & started - several}
    for step, state in enumerate(states[1:], 1):
        atoms = map(parse_term, sorted(state))
        for first, second in _clashes(atoms, checked):
            text = f"after step {step} of the plan both {first} and {second} are true"
            hint = "at the start only one is true; does a rule limit the actions of a step?"
            inertia = checked[_fluent(first)].inertia
            yield make_warning("several-values", text, inertia.at, hint)
            return


def _fluent(atom: Symbol) -> _Fluent:
    sign = "" if atom.positive else "-"
    return sign + atom.name, len(atom.arguments)


def _clashes(
    atoms: Iterable[Symbol],
    valued: dict[_Fluent, _ValuedFluent],
) -> Iterator[tuple[Symbol, Symbol]]:
    """Yield the pairs of atoms of a state that give the same fluent two values.

    `valued` has the fluents that should have one value.
    """
    seen: dict[tuple[_Fluent, tuple[str, ...]], Symbol] = {}
    for atom in atoms:
        fluent = _fluent(atom)
        if fluent in valued:
            other = seen.setdefault((fluent, valued[fluent].subject(atom)), atom)
            if other is not atom:
                yield other, atom


def _valued_fluents(index: ProgramIndex) -> dict[_Fluent, _ValuedFluent]:
    """Return the fluents whose rules give them one value at a time."""
    valued: dict[_Fluent, _ValuedFluent] = {}
    for key, place in index.places.items():
        fluent = _valued_fluent(index, key, place)
        if fluent is not None:
            sign, name, arity = key
            valued[sign + name, arity - 1] = fluent
    return valued


def _valued_fluent(
    index: ProgramIndex,
    key: Signature,
    place: int,
) -> _ValuedFluent | None:
    """Return a predicate as a fluent that has one value at a time; None if it may have several.

    `place` is the index of its time argument.
    """
    heads = index.timed_heads(key)
    if any(head.rule.is_choice for head in heads):
        return None
    inertia = [head for head in heads if _carried_arguments(head, place) is not None]
    if len(inertia) != 1:
        return None
    head = inertia[0]
    values = _carried_arguments(head, place) or []
    if len(values) != 1 or not _is_always_stopped(index, head.rule, key):
        return None
    value = values[0]
    return _ValuedFluent(value - 1 if value > place else value, head)


def _is_always_stopped(
    index: ProgramIndex,
    inertia: TemporalRule,
    key: Signature,
) -> bool:
    """Return whether all rules for a fluent, except its inertia, stop the inertia.

    Return False if there are no such rules.
    """
    setters = [head.rule for head in index.timed_heads(key) if head.rule is not inertia]
    if not setters:
        return False
    return all(_stops_inertia(index, setter, inertia, key) for setter in setters)


def _stops_inertia(
    index: ProgramIndex,
    setter: TemporalRule,
    inertia: TemporalRule,
    key: Signature,
) -> bool:
    """Return whether the rule `setter`, which sets a value, stops the inertia of other values."""
    stops = _with_needs(index, inertia.negated_keys)
    needs = _with_needs(index, setter.positive_keys - {key})
    return not stops.isdisjoint(needs)


def _with_needs(
    index: ProgramIndex,
    keys: Collection[Signature],
) -> set[Signature]:
    """Return the predicates in `keys`, and the predicates that their rules read without `not`."""
    needs = set(keys)
    for key in keys:
        for head in index.heads.get(key, ()):
            if not head.rule.is_choice:
                needs |= head.rule.positive_keys
    return needs


def _carried_arguments(
    head: Literal,
    place: int,
) -> list[int] | None:
    """Return the indices of the arguments that an inertia rule carries on for all values.

    `place` is the index of the time argument. Return None if the rule of `head` is no inertia.
    """
    rule = head.rule
    before = [use for use in rule.positive if use.key == head.key]
    if len(before) != 1 or not rule.negated_keys:
        return None
    source = before[0]
    if not _is_next(head, source, place):
        return None
    rest = [node for node in rule.statement.body if str(node) != str(source.atom)]
    bound = {variable.name for variable in syntax.find(ASTType.Variable, rest)}
    carried: list[int] = []
    for i, term in enumerate(head.terms):
        if i != place and term.ast_type == ASTType.Variable and term.name not in bound:
            carried.append(i)
    return carried


def _is_next(
    head: Literal,
    source: Literal,
    place: int,
) -> bool:
    """Return whether `head` has time t, `source` has time t-1, and they are equal otherwise."""
    if source.shift(place) != -1 or head.shift(place) != 0:
        return False
    return is_same(source, head, place)


def is_same(
    one: Literal,
    other: Literal,
    place: int,
) -> bool:
    """Return whether two atoms of a predicate have equal arguments, except the argument `place`."""
    pairs = enumerate(zip(one.terms, other.terms, strict=True))
    return all(str(left) == str(right) for i, (left, right) in pairs if i != place)
