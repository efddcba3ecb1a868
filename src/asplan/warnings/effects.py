"""Checks of effects: their times, and actions that only end fluents.

Programs without parts are checked as if they had parts, in which `step(t)` leads from t-1 to t.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.reading.unit import QUERY
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import ASTType, Signature
from asplan.warnings.catalogue import make_warning
from asplan.warnings.fluents import is_same
from asplan.warnings.index import ProgramIndex

_VARIABLE = re.compile(r"\b[A-Z]\w*")


def _actions(index: ProgramIndex) -> set[Signature]:
    """Return the predicates that rules of `step` choose."""
    actions: set[Signature] = set()
    for rule in index.rules:
        if rule.is_choice and rule.part == "step":
            actions.update(head.key for head in rule.heads)
    return actions


def fluents_in(index: ProgramIndex) -> set[Signature]:
    """Return the predicates with inertia or a start in `base`, except chosen predicates."""
    fluents = set(index.roles.fluents & index.places.keys())
    fluents.update(filter(index.is_initial, index.places))
    return fluents - _actions(index)


def _lag(
    index: ProgramIndex,
    head: Literal,
    use: Literal,
) -> int | None:
    """Return by how many steps `head` is later than `use`; None if one of them has no time."""
    places = index.roles.places
    if head.key not in places or use.key not in places:
        return None
    later = head.shift(places[head.key])
    earlier = use.shift(places[use.key])
    return None if later is None or earlier is None else later - earlier


def find_mixed_times(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for effects that are later or earlier than other effects on their fluent."""
    index = index.in_steps
    actions = _actions(index)
    fluents = fluents_in(index)
    causes = actions | _events(index, actions, fluents)
    for key in sorted(fluents):
        effects = list(_lagged_effects(index, key, causes))
        lags = [lag for lag, _ in effects]
        if set(lags) != {0, 1}:
            continue
        odd = 0 if lags.count(0) < lags.count(1) else 1
        head = next(head for lag, head in effects if lag == odd)
        when = "later" if odd else "earlier"
        text = f"{head.text} is a step {when} than the other effects on {key_text(key)}"
        yield make_warning("late-head", text, head.at, "all effects of a step have the same time")


def _lagged_effects(
    index: ProgramIndex,
    key: Signature,
    causes: Collection[Signature],
) -> Iterator[tuple[int, Literal]]:
    """Yield pairs of a lag and a head, for the rules of `step` that derive a fluent from causes.

    `key` is the fluent, and `causes` are predicates. The lag is the number of steps from the cause
    to the head.
    """
    for head in index.step_heads(key):
        if head.rule.is_choice:
            continue
        for use in head.rule.reads:
            if use.key in causes:
                lag = _lag(index, head, use)
                if lag is not None:
                    yield lag, head


def _events(
    index: ProgramIndex,
    actions: set[Signature],
    fluents: set[Signature],
) -> set[Signature]:
    """Return the predicates of events, which happen at the same time as an action.

    Each rule for such a predicate reads an action of the time of its head. Fluents and actions
    themselves are left out.
    """
    events: set[Signature] = set()
    for key in index.places.keys() - fluents - actions:
        heads = index.timed_heads(key)
        if heads and all(_follows_at_once(index, head, actions) for head in heads):
            events.add(key)
    return events


def _follows_at_once(
    index: ProgramIndex,
    head: Literal,
    actions: Collection[Signature],
) -> bool:
    causes = (use for use in head.rule.positive if use.key in actions)
    return {_lag(index, head, use) for use in causes} == {0}


def find_only_ended(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each action that only ends fluents that the goal needs.

    Such an action is certainly a mistake if the goal needs only fluents that nothing makes true
    again. It is most likely a mistake if no rule reads one of its arguments.
    """
    goal = goal_uses(index)
    index = index.in_steps
    effects = _Effects(index)
    needed = {use.key for use in goal}
    if not needed <= effects.shrinking or not all(use.is_negative for use in goal):
        needed = set()  # the goal needs more than fluents that can only end
    for action in sorted(effects.actions):
        ended = effects.ended_by(action)
        if not ended or effects.makes_fluents(action):
            continue
        if not needed.isdisjoint(ended) or _lacks_effect(index, action, ended):
            yield _only_ends(index, action, ended)


def _only_ends(
    index: ProgramIndex,
    action: Signature,
    ended: Collection[Signature],
) -> InputWarning:
    head = index.heads[action][0]
    names = " and ".join(map(key_text, sorted(ended)))
    text = f"{head.text} only ends {names}, and no rule makes that true again"
    hint = "add a rule for its effect, such as f(X,t) :- act(X,t)."
    return make_warning("only-ends", text, head.rule.at, hint)


def _lacks_effect(
    index: ProgramIndex,
    action: Signature,
    ended: Collection[Signature],
) -> bool:
    """Return whether an action has an unread argument, and ends fluents that have arguments.

    `ended` are the fluents that the action ends.
    """
    return all(key[2] > 1 for key in ended) and _has_unread_argument(index, action)


class _Effects:
    """The effects of actions on fluents.

    `shrinking` has the fluents whose atoms steps may end but never make true.
    """

    def __init__(self, index: ProgramIndex) -> None:
        self._index = index
        self.actions = _actions(index)
        self._fluents = fluents_in(index)
        self.shrinking = {key for key in self._fluents if _only_shrinks(index, key)}

    def ended_by(self, action: Signature) -> set[Signature]:
        """Return the shrinking fluents that an action ends.

        A rule for them reads `not` the action, or `not` a predicate derived from the action.
        """
        causes = self._derived_from(action) | {action}
        ended: set[Signature] = set()
        for rule in self._index.rules:
            if not rule.negated_keys.isdisjoint(causes):
                ended |= {head.key for head in rule.heads}
        return ended & self.shrinking

    def makes_fluents(self, action: Signature) -> bool:
        """Return whether an action makes atoms of a fluent true."""
        made = self._derived_from(action) - self.shrinking
        return not made.isdisjoint(self._fluents)

    def _derived_from(self, action: Signature) -> set[Signature]:
        """Return the predicates that rules derive from an action, directly or indirectly."""
        derived = {action}
        size = 0
        while size != len(derived):
            size = len(derived)
            for rule in self._index.rules:
                if not rule.is_choice and not rule.positive_keys.isdisjoint(derived):
                    derived |= {head.key for head in rule.heads}
        return derived - {action}


def _only_shrinks(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether all rules of `step` for a fluent only carry on its atoms."""
    heads = index.step_heads(key)
    place = index.places.get(key)
    if place is None or not heads:
        return False
    return all(carries_on(head, place) for head in heads)


def carries_on(
    head: Literal,
    place: int,
) -> bool:
    """Return whether a rule derives an atom only from the same atom at another time.

    `place` is the index of the time argument.
    """
    same = [use for use in head.rule.positive if use.key == head.key]
    if head.rule.is_choice or len(same) != 1:
        return False
    return is_same(same[0], head, place)


def goal_uses(index: ProgramIndex) -> list[Literal]:
    """Return the atoms with a time in constraints that demand the goal."""
    uses: list[Literal] = []
    for rule in index.statements:
        if rule.is_constraint and _demands_goal(index, rule):
            uses += [use for use in rule.reads if index.is_timed(use.key) and use.key != QUERY]
    return uses


def _demands_goal(
    index: ProgramIndex,
    constraint: TemporalRule,
) -> bool:
    horizon = index.program.horizon
    if horizon is None:
        return any(use.key == QUERY for use in constraint.reads)
    return syntax.names_term(constraint.statement, horizon.constant)


def _has_unread_argument(
    index: ProgramIndex,
    action: Signature,
) -> bool:
    """Return whether an action has an argument that is `_` in all atoms in bodies."""
    place = index.roles.places.get(action)
    uses: list[Literal] = []
    for rule in index.rules:
        if not rule.is_choice:
            uses += [use for use in rule.reads if use.key == action]
    for argument in range(action[2]):
        if uses and argument != place and all(str(use.terms[argument]) == "_" for use in uses):
            return True
    return False


def find_unset_externals(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each external that is read but never derived, so it stays false."""
    for rule in index.rules:
        if rule.part == "base" or not _is_false_external(rule):
            continue
        for head in rule.heads:
            others = [each for each in index.heads[head.key] if each.rule is not rule]
            if head.key in index.reads and head.key != QUERY and not others:
                text = f"nothing sets the external {head.text}, so it is never true"
                hint = "use a choice { … } to leave atoms open, or a rule to derive them"
                yield make_warning("unset-external", text, rule.at, hint)


def _is_false_external(rule: TemporalRule) -> bool:
    statement = rule.statement
    return statement.ast_type == ASTType.External and str(statement.external_type) == "false"


def find_unread_denials(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each head `-p` of `step` if nothing reads `-p` and a rule carries p on.

    When `-p` is derived, p is carried on as well: a contradiction. So the head can never be true.
    """
    index = index.in_steps
    for key in index.heads:
        positive = ("", key[1], key[2])
        if key[0] != "-" or key in index.reads or key in index.shown:
            continue
        denials = [head for head in index.step_heads(key) if not head.rule.is_choice]
        if denials and positive in index.roles.fluents and _is_carried_on(index, positive):
            head = denials[0]
            text = f"nothing reads {key_text(key)}, so {head.text} ends nothing"
            hint = f"add not -{key[1]}(…) to the rule that carries {key_text(positive)} on"
            yield make_warning("unread-denial", text, head.at, hint)


def _is_carried_on(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether a rule derives a predicate from itself, as inertia does."""
    return any(key in head.rule.positive_keys for head in index.timed_heads(key))


@dataclass(frozen=True)
class _Pair:
    """Two atoms as text, with new names for their variables: V0, V1, and so on.

    Pairs that differ only in the names of variables are equal.
    """

    first: str
    second: str

    @classmethod
    def of(
        cls,
        first: str,
        second: str,
    ) -> _Pair:
        """Return the pair of two atoms, which are given as text with the author's variables."""
        names: dict[str, str] = {}

        def number(variable: re.Match[str]) -> str:
            return names.setdefault(variable[0], f"V{len(names)}")

        return cls(_VARIABLE.sub(number, first), _VARIABLE.sub(number, second))


def find_impossible(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each constraint that makes an action impossible.

    The constraint excludes the action in all states, or it excludes an effect that the action
    always has.
    """
    index = index.in_steps
    actions = _actions(index)
    effects = set(_unconditional_effects(index))
    for rule in index.statements:
        if not rule.is_constraint or len(rule.reads) != len(rule.statement.body):
            continue
        chosen = [use for use in rule.positive if use.key in actions]
        if len(rule.reads) == 1:
            yield from _excluded_actions(rule, chosen)
        elif len(rule.reads) == len(rule.positive) == 2 and len(chosen) == 1:
            yield from _excluded_effects(rule, chosen[0], effects)


def _excluded_actions(
    rule: TemporalRule,
    chosen: list[Literal],
) -> Iterator[InputWarning]:
    """Yield a warning for a constraint that consists of an action with distinct variables only.

    `chosen` are the actions in its body.
    """
    if chosen and _is_general(chosen[0]):
        text = f"this constraint excludes every {chosen[0].text}"
        yield make_warning("impossible", text, rule.at, "add a condition to the constraint")


def _excluded_effects(
    rule: TemporalRule,
    action: Literal,
    effects: Collection[_Pair],
) -> Iterator[InputWarning]:
    """Yield a warning for a constraint that consists of an action and one of its own effects."""
    (other,) = (use for use in rule.positive if use is not action)
    if _Pair.of(action.text, other.text) in effects:
        text = f"this constraint excludes {action.text} together with its own effect {other.text}"
        hint = "a precondition reads the state before, at t-1"
        yield make_warning("impossible", text, other.at, hint)


def _unconditional_effects(index: ProgramIndex) -> Iterator[_Pair]:
    """Yield the body and the head of each rule whose body is one positive literal."""
    for rule in index.rules:
        if len(rule.statement.body) == 1 and rule.positive and not rule.is_choice:
            for head in rule.heads:
                yield _Pair.of(rule.positive[0].text, head.text)


def _is_general(use: Literal) -> bool:
    """Return whether all arguments of an atom except its time are distinct variables."""
    names = [str(term) for i, term in enumerate(use.terms) if use.shift(i) is None]
    if not all(name == "_" or name[:1].isupper() for name in names):
        return False
    named = [name for name in names if name != "_"]
    return len(set(named)) == len(named)
