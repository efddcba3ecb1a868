"""The horizons at which the rule instances of a single-shot program appear and settle.

The horizon v is the value of the constant that bounds the time.

- The instance of a rule for time T exists from v = T+n on; T+n is its *natural* horizon. For
  example, `time(T+1)` with `time(0..v)` requires v >= T+1, and so does `T < v`.
- An atom p(..,s) is *complete* from v = s+e on: then all rule instances that may
  derive it are settled. The number e is the same for all atoms of p.
- An instance is *settled* from v = T+g on, with n <= g: then all atoms that it reads are complete,
  so it stays as it is. Between its natural horizon and this one it may still change.

An example:

    { go(T) } :- time(T), T < n.      stay(T) :- time(T), not go(T).

Here `go` is complete from v = T+1 on. The second rule exists from v = T on, but settles at v = T+1:
at the horizon T it derives `stay(T)`, and at the next horizon that depends on `go(T)`.

The numbers n, e and g are fixpoints over the rules. A predicate without a number e is *late*: its
atoms may differ at each horizon.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import count, product
from math import inf

from asplan.core.dataclass import dataclass
from asplan.program.conversion.normal import TimeVocabulary
from asplan.program.conversion.normal_rules import ConstantComparison, NormalRule
from asplan.program.syntax import Signature
from asplan.program.syntax.terms import ABOVE, BELOW, MIRRORED, Op, Time, is_name

MAX_DELAY = 8  # the most horizons between the natural one of an instance and its settled one

_WIDENING = 30  # the turns of a fixpoint after which values that still fall count as unbounded
_TURNS = 40  # the most turns that the fixpoint of the least times may take


@dataclass(frozen=True)
class Onset:
    """The horizons at which the instances of a rule appear and settle.

    The instance in which `variable` has the value T exists from horizon T + `natural` on. From
    horizon T + `settled` on, it stays as it is.
    """

    variable: str
    natural: float
    settled: float


Offsets = dict[str, float]
"""Maps each time variable to the least number by which the horizon must exceed its value."""


@dataclass
class Settling:
    """The horizons at which the atoms of each predicate of a program are complete.

    Attributes
    ----------
    vocabulary
        The names by which the program bounds its times.
    rules
        The rules in normal form.
    given
        The least and the greatest time of the atoms that hold at every horizon.
    complete
        For each predicate the number e: an atom of time s is complete from the horizon s+e on.
    appears
        For each predicate the number a: an atom of time s can hold only from the horizon s+a on.
    lowest
        The least time of the atoms of each predicate.
    late
        The predicates that are never complete, each with a rule that is the reason.
    """

    vocabulary: TimeVocabulary
    rules: list[NormalRule]
    given: Mapping[Signature, tuple[float, float]]
    complete: dict[Signature, float] = field(default_factory=dict)
    appears: dict[Signature, float] = field(default_factory=dict)
    lowest: dict[Signature, float] = field(default_factory=dict)
    late: dict[Signature, NormalRule] = field(default_factory=dict)

    def is_late(self, rule: NormalRule, max_delay: float = MAX_DELAY) -> bool:
        """Return whether the instances of a rule never settle.

        Instances settle if they stay the same from some horizon on, at most `max_delay` horizons
        after they appear.
        """
        if rule.has_other_constants or self._has_late_atoms(rule):
            return True
        if any(self._has_late_limit(atom.key, atom.limit) for atom in rule.read):
            return True
        growing = (Op.LessThan, Op.LessEqual, Op.NotEqual)
        if any(time is None or operator not in growing for time, operator, _ in rule.inner):
            return True
        onset = self.onset_of(rule)
        return onset is not None and onset.settled - onset.natural > max_delay

    def _has_late_atoms(self, rule: NormalRule) -> bool:
        """Return whether a rule derives or reads a predicate that is never complete."""
        keys = rule.keys.union(atom.key for atom in rule.read)
        return not self.late.keys().isdisjoint(keys)

    def _has_late_limit(self, key: Signature, limit: Time | None) -> bool:
        """Return whether an atom that a rule reads may change after the instance has settled.

        `limit` is an upper bound of the atom's time. The atom may change if the limit is unknown
        (None) or is the last time, or if it is a number and the atom is incomplete at the origin.
        The origin is the horizon for plans without steps.
        """
        if limit is None or limit[0] == self.vocabulary.horizon.constant:
            return True
        return not limit[0] and not self.is_complete(key, limit[1])

    def is_complete(self, key: Signature, time: float) -> bool:
        """Return whether an atom of the predicate `key` at `time` is complete at the origin.

        The origin is the horizon for plans without steps.
        """
        return time + self.complete.get(key, -inf) <= self.vocabulary.horizon.origin

    def onset_of(self, rule: NormalRule) -> Onset | None:
        """Return the horizons at which a rule's instances appear and settle, relative to a time.

        Return None if the rule's times do not depend on the horizon.

        The onset refers to a variable from which all other time variables have a bounded distance.
        If there is no such variable, the rule never settles.
        """
        compared = rule.compared_with_constant
        limits = _upper_limits(compared)
        natural = self._natural_offsets(rule, compared, limits)
        settled = self._settled_offsets(rule, compared, limits)
        for name, value in natural.items():
            _require(settled, (name, 0), value)
        moving = [name for name, value in settled.items() if value > -inf]
        if not moving:
            return None
        apart = greatest_differences(rule)
        for name in (*_head_variables(rule, moving), *moving):
            others = [other for other in moving if other != name]
            if all((other, name) in apart for other in others):
                ahead = [apart[other, name] + settled[other] for other in others]
                return Onset(name, natural.get(name, -inf), max([settled[name], *ahead]))
        return Onset(moving[0], -inf, inf)

    def _natural_offsets(
        self,
        rule: NormalRule,
        compared: Iterable[ConstantComparison],
        limits: Mapping[str, float],
    ) -> Offsets:
        """Return by how much the horizon must exceed each variable so that an instance exists.

        This follows from comparisons and from positive atoms. `compared` are the comparisons of the
        rule's variables with the constant; `limits` maps variables to the greatest number by which
        they may exceed the constant.
        """
        offsets = {name: -most for name, most in limits.items()}
        for name, operator, by in compared:
            if operator == Op.NotEqual and limits.get(name) == by:  # the last time is left out
                _require(offsets, (name, 0), 1 - by)
        for atom in rule.read:
            if atom.is_positive and atom.key not in self.late:
                _require(offsets, atom.limit, self.appears.get(atom.key, -inf))
        return offsets

    def _settled_offsets(
        self,
        rule: NormalRule,
        compared: Iterable[ConstantComparison],
        limits: Mapping[str, float],
    ) -> Offsets:
        """Return by how much the horizon must exceed each variable so that an instance is settled.

        The comparisons of a settled instance stay as they are, and the atoms that it reads are
        complete. `compared` are the comparisons of the rule's variables with the constant; `limits`
        maps variables to the greatest number by which they may exceed the constant.
        """
        offsets: Offsets = {}
        for name, operator, by in compared:
            is_excluded = operator == Op.NotEqual and limits.get(name, inf) <= by
            if operator in (Op.NotEqual, Op.GreaterEqual, Op.Equal) and not is_excluded:
                _require(offsets, (name, 0), 1 - by)
            elif operator == Op.GreaterThan:
                _require(offsets, (name, 0), -by)
        for time, operator, (_, by) in rule.inner:
            _require(offsets, time, (operator != Op.LessEqual) - by)
        read = [(atom.key, atom.limit) for atom in rule.read]
        for key, time in (*read, *rule.heads):
            if key not in self.late:
                _require(offsets, time, self.complete.get(key, -inf))
        return offsets

    def least_value(self, rule: NormalRule, variable: str) -> float:
        """Return the least value that a time variable of a rule can have; -inf if unknown."""
        values = list(_lower_bounds(rule, variable))
        for atom in rule.read:
            if atom.is_positive and atom.time is not None and atom.time[0] == variable:
                values.append(self.lowest.get(atom.key, -inf) - atom.time[1])
        return max(values, default=-inf)


def _head_variables(rule: NormalRule, among: Collection[str]) -> list[str]:
    """Return the time variables in the heads of a rule that are in `among`."""
    names = [time[0] for _, time in rule.heads if time is not None]
    return [name for name in names if name in among]


def _lower_bounds(rule: NormalRule, variable: str) -> Iterator[float]:
    """Yield the lower bounds of a variable that comparisons with numbers state."""
    for left, operator, right in rule.comparisons:
        if right[0] == variable and not left[0]:
            left, operator, right = right, MIRRORED[operator], left
        if left[0] == variable and not right[0] and operator in (*ABOVE, Op.Equal):
            yield right[1] - left[1] + (operator == Op.GreaterThan)


def _require(
    offsets: Offsets,
    time: Time | None,
    value: float,
) -> None:
    """Raise the offset of the variable in `time`, if it is too small.

    The horizon has to exceed `time` by at least `value`. If the time has no variable, do nothing.
    """
    if time is None or not is_name(time[0]):
        return
    name, shift = time
    offsets[name] = max(shift + value, offsets.get(name, -inf))


def _upper_limits(compared: Iterable[ConstantComparison]) -> dict[str, float]:
    """Map variables to the greatest number by which they may exceed the constant.

    Variables without such a limit are left out. `compared` are comparisons of variables with the
    constant.
    """
    limits: dict[str, float] = {}
    for name, operator, by in compared:
        if operator in BELOW:
            limits[name] = min(by - (operator == Op.LessThan), limits.get(name, inf))
    return limits


def greatest_differences(rule: NormalRule) -> dict[tuple[str, str], int]:
    """Map pairs of variables (a, b) of a rule to an upper bound of a - b.

    These are the difference constraints of the body, closed under addition by the algorithm of
    Floyd and Warshall.
    """
    found = _difference_constraints(rule)
    for via in {name for pair in found for name in pair}:
        before = [a for a, middle in found if middle == via]
        after = [b for middle, b in found if middle == via]
        for a, b in product(before, after):
            if a != b:
                most = found[a, via] + found[via, b]
                found[a, b] = min(most, found.get((a, b), most))
    return found


def _difference_constraints(rule: NormalRule) -> dict[tuple[str, str], int]:
    """Map pairs of variables (a, b) to the upper bound of a - b that a comparison states."""
    found: dict[tuple[str, str], int] = {}
    for left, operator, right in rule.comparisons:
        if operator in ABOVE:
            left, operator, right = right, MIRRORED[operator], left
        if is_name(left[0]) and is_name(right[0]) and operator in BELOW:
            pair = left[0], right[0]
            most = right[1] - left[1] - (operator == Op.LessThan)
            found[pair] = min(most, found.get(pair, most))
    return found


# The fixpoints.


def find_settling(
    vocabulary: TimeVocabulary,
    rules: list[NormalRule],
    given: Mapping[Signature, tuple[float, float]],
    latest_choices: Mapping[Signature, float],
) -> Settling:
    """Find the horizons at which the atoms of each predicate are complete.

    An atom is complete once all rule instances that derive it stay as they are.

    Parameters
    ----------
    vocabulary
        The names by which the program bounds its times.
    rules
        The rules in normal form.
    given
        The least and the greatest time of the atoms that hold at every horizon.
    latest_choices
        The greatest time of the atoms of each predicate that `base` chooses.
    """
    settling = Settling(vocabulary, rules, given)
    for key, (low, high) in vocabulary.horizon.domains.items():
        settling.complete[key] = -high
        settling.appears[key] = -high
        settling.lowest[key] = low
    _find_lowest(settling, latest_choices.keys())
    late = -1
    while late != len(settling.late):
        late = len(settling.late)
        _find_complete(settling, latest_choices)
        _find_appearance(settling, latest_choices)
        for rule in rules:
            if settling.is_late(rule):
                for key in rule.keys:
                    settling.late.setdefault(key, rule)
    return settling


def _find_complete(settling: Settling, latest_choices: Mapping[Signature, float]) -> None:
    """Find from which horizon on the atoms of each predicate are complete, relative to their time.

    An atom is complete once all rule instances that derive it are settled. Predicates that are
    never complete are recorded as late. Delays of any length are allowed, because the horizons at
    which instances appear are not known yet. `latest_choices` has the greatest time of each
    predicate that `base` chooses.
    """
    before = None
    while before != (settling.complete, len(settling.late)):
        before = dict(settling.complete), len(settling.late)
        for rule in settling.rules:
            _complete_heads(settling, rule)
        for key, high in latest_choices.items():
            if not settling.is_complete(key, high) and key not in settling.late:
                rules = (rule for rule in settling.rules if key in rule.keys)
                settling.late[key] = next(rules)
        _join_denials(settling)


def _complete_heads(settling: Settling, rule: NormalRule) -> None:
    """Record that the heads of a rule are complete from the horizon at which its instances settle.

    If the instances never settle, the heads are recorded as late.
    """
    complete = settling.complete
    onset = settling.onset_of(rule)
    is_late = settling.is_late(rule, inf)
    for key, time in rule.heads:
        if onset is not None and time is not None and onset.variable == time[0]:
            complete[key] = max(onset.settled - time[1], complete.get(key, -inf))
            is_late = is_late or complete[key] > MAX_DELAY
        elif onset is not None or (time is not None and not settling.is_complete(key, time[1])):
            is_late = True
        if is_late:
            settling.late.setdefault(key, rule)


def _join_denials(settling: Settling) -> None:
    """Make an atom and its classical negation complete at the same horizon, the later of the two.

    They exclude each other, so neither is complete before the other.
    """
    complete = settling.complete
    late = settling.late
    for key in list(complete):
        sign, name, arity = key
        other = ("" if sign else "-", name, arity)
        if other in complete:
            both = max(complete[key], complete[other])
            complete[key] = both
            complete[other] = both
        if other in late:
            late.setdefault(key, late[other])


def _find_appearance(settling: Settling, latest_choices: Mapping[Signature, float]) -> None:
    """Find the first horizon at which atoms of each predicate can hold, relative to their time.

    The result is a least fixpoint: at first no derived atom can hold, because an atom that holds
    has a derivation without a cycle. Numbers that still fall after many turns are set to -inf:
    their atoms may hold at any horizon. `latest_choices` has the greatest time of each predicate
    that `base` chooses.
    """
    fixed = _fixed_appearance(settling, latest_choices)
    derived = {key for rule in settling.rules for key in rule.keys}
    settling.appears = dict.fromkeys(derived, inf) | fixed
    for turn in count():
        before = settling.appears
        settling.appears = _next_appearance(settling, fixed)
        if settling.appears == before:
            break
        if turn > _WIDENING:
            falling = [key for key, value in settling.appears.items() if value < before[key]]
            fixed |= dict.fromkeys(falling, -inf)
    # Atoms that never hold may appear at their own time.
    for key, value in settling.appears.items():
        if value == inf:
            settling.appears[key] = 0


def _fixed_appearance(
    settling: Settling, latest_choices: Mapping[Signature, float]
) -> dict[Signature, float]:
    """Return the first horizon at which atoms of domains, and of `base`, can hold.

    The horizons are relative to the time of the atom. The fixpoint iteration does not change them.
    `latest_choices` has the greatest time of each predicate that `base` chooses.
    """
    horizon = settling.vocabulary.horizon
    latest = {key: high for key, (_, high) in settling.given.items()}
    for key, high in latest_choices.items():
        latest[key] = max(high, latest.get(key, high))
    fixed = {key: horizon.origin - high for key, high in latest.items()}
    return fixed | {key: -high for key, (_, high) in horizon.domains.items()}


def _next_appearance(
    settling: Settling, fixed: Mapping[Signature, float]
) -> dict[Signature, float]:
    """Apply all rules once more; return the first horizons at which atoms can hold.

    The horizons are relative to the time of the atom. The horizons in `fixed` never change.
    """
    origin = settling.vocabulary.horizon.origin
    found = {key: fixed.get(key, inf) for key in settling.appears}
    for rule in settling.rules:
        onset = settling.onset_of(rule)
        natural = -inf if onset is None else onset.natural
        for key, time in rule.heads:
            appears = -inf
            if time is not None:
                appears = (natural if is_name(time[0]) else origin) - time[1]
            found[key] = min(found[key], appears)
    return found


def _find_lowest(settling: Settling, open_keys: Collection[Signature]) -> None:
    """Find the least time of each predicate, as a least fixpoint with widening.

    The times of predicates in `open_keys`, which `base` chooses, have no lower bound.
    """
    lowest = settling.lowest
    places = settling.vocabulary.horizon.places.keys() - lowest.keys()
    lowest |= dict.fromkeys(places, inf)
    lowest |= {key: low for key, (low, _) in settling.given.items()}
    lowest |= dict.fromkeys(open_keys, -inf)
    for turn in range(_TURNS):
        before = dict(lowest)
        for rule in settling.rules:
            for key, time in rule.heads:
                if key not in places:
                    continue
                low = _least_time(settling, rule, time)
                if low < lowest[key]:
                    lowest[key] = low if turn < _WIDENING else -inf
        if lowest == before:
            return


def _least_time(
    settling: Settling,
    rule: NormalRule,
    time: Time | None,
) -> float:
    """Return the least value that `time` can have in a rule; -inf for a term of unknown form."""
    if time is None:
        return -inf
    name, shift = time
    return shift + settling.least_value(rule, name) if name else shift
