"""When the rules of a single-shot program come into being as its horizon grows.

Let the horizon be v, the value of the constant. The instance of a rule for the time T is there from
v = T+n on, its *natural* time: `time(T+1)` with `time(0..v)` asks for T+1, `T < v` for T+1 as well.
An atom p(..,s) is *complete* from v = s+E on, where E is the same for all rules of p. What a rule
reads must be complete before the instance can stay as it is for good, so it is *settled* at
v = T+g, with n <= g. Between the two it holds for the time being. For

    { go(T) } :- time(T), T < n.      stay(T) :- time(T), not go(T).

go is complete from v = T+1 on. The second rule is there from v = T on, but settled at v = T+1: at
the horizon T it says `stay(T)`, and one step later that depends on `go(T)`.

All of it is found by a fixpoint over the rules. What no such number is found for is *late*: it is
another thing for each horizon.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from math import inf

from asplan.program.normal import Known, Rule
from asplan.program.syntax import Signature
from asplan.program.terms import ABOVE, BELOW, MIRRORED, Op, Time, is_name

MOST = 8  # how many horizons may lie between the natural time of an instance and its settled one


@dataclass(frozen=True)
class Span:
    """When instances for the time `name` are there and when they are settled: numbers to add."""

    name: str
    natural: float
    settled: float


@dataclass
class Times:
    """What is found of the times of a program, by predicate.

    `given` are the least and the greatest time of what holds at all horizons alike. `complete`,
    `appears` and `lowest` say of an atom of a time s from which horizon on it is complete, from
    which it may hold, and the least s; `late` are another thing for each horizon, with a rule that
    makes them so.
    """

    known: Known
    rules: list[Rule]
    given: Mapping[Signature, tuple[float, float]]
    complete: dict[Signature, float] = field(default_factory=dict)
    appears: dict[Signature, float] = field(default_factory=dict)
    lowest: dict[Signature, float] = field(default_factory=dict)
    late: dict[Signature, Rule] = field(default_factory=dict)
    most: float = MOST

    def changes(self, rule: Rule) -> bool:
        """Whether a rule is another one for each horizon."""
        read = {reading.key for reading in rule.readings}
        if rule.elsewhere or not self.late.keys().isdisjoint(rule.keys | read):
            return True
        for reading in rule.readings:
            if reading.limit is None or reading.limit[0] == self.known.horizon.constant:
                return True
            if not reading.limit[0] and not self.is_complete(reading.key, reading.limit[1]):
                return True
        if any(
            time is None or operator not in (Op.LessThan, Op.LessEqual, Op.NotEqual)
            for time, operator, _ in rule.inner
        ):
            return True
        span = self.span(rule)
        return span is not None and span.settled - span.natural > self.most

    def is_complete(self, key: Signature, time: float) -> bool:
        """Whether an atom of a fixed time is complete at the origin."""
        return time + self.complete.get(key, -inf) <= self.known.horizon.origin

    def span(self, rule: Rule) -> Span | None:
        """When a rule is there and settled; None without a moving time that tells all others."""
        natural, settled = dict[str, float](), dict[str, float]()

        def ask(table: dict[str, float], time: Time | None, value: float) -> None:
            if time is not None and is_name(time[0]):
                table[time[0]] = max(time[1] + value, table.get(time[0], -inf))

        compared = self._with_constant(rule)
        last = dict[str, float]()
        for (name, shift), operator, (_, by) in compared:
            if operator in BELOW:
                last[name] = min(by - shift - (operator == Op.LessThan), last.get(name, inf))
        for name, most in last.items():
            ask(natural, (name, 0), -most)
        for (name, shift), operator, (_, by) in compared:
            by -= shift
            is_end = last.get(name, inf) <= by and operator == Op.NotEqual
            if is_end and last[name] == by:
                ask(natural, (name, 0), 1 - by)
            elif operator in (Op.NotEqual, Op.GreaterEqual, Op.Equal) and not is_end:
                ask(settled, (name, 0), 1 - by)
            elif operator == Op.GreaterThan:
                ask(settled, (name, 0), -by)
        for time, operator, (_, by) in rule.inner:
            ask(settled, time, (operator != Op.LessEqual) - by)
        for reading in rule.readings:
            if reading.key not in self.late:
                ask(settled, reading.limit, self.complete.get(reading.key, -inf))
                if reading.is_plain:
                    ask(natural, reading.limit, self.appears.get(reading.key, -inf))
        for key, time in rule.heads:
            if key not in self.late:
                ask(settled, time, self.complete.get(key, -inf))
        for name, value in natural.items():
            ask(settled, (name, 0), value)
        names = [name for name, value in settled.items() if value > -inf]
        if not names:
            return None
        apart = differences(rule)
        first = [time[0] for _, time in rule.heads if time is not None and time[0] in names]
        for name in [*first, *names]:
            if all(other == name or (other, name) in apart for other in names):
                later = [apart[other, name] + settled[other] for other in names if other != name]
                return Span(name, natural.get(name, -inf), max([settled[name], *later]))
        return Span(names[0], -inf, inf)

    def _with_constant(self, rule: Rule) -> list[tuple[Time, Op, Time]]:
        """What is said of a variable and the constant, the variable on the left."""
        constant = self.known.horizon.constant
        turned = [
            (b, MIRRORED[op], a) if a[0] == constant else (a, op, b) for a, op, b in rule.bounds
        ]
        return [(a, op, b) for a, op, b in turned if b[0] == constant and is_name(a[0])]

    def lower(self, rule: Rule, name: str) -> float:
        found: list[float] = [-inf]
        for reading in rule.readings:
            if reading.is_plain and reading.time is not None and reading.time[0] == name:
                found.append(self.lowest.get(reading.key, -inf) - reading.time[1])
        for left, operator, right in rule.bounds:
            if right[0] == name and not left[0]:
                left, operator, right = right, MIRRORED[operator], left
            if left[0] == name and not right[0] and operator in (*ABOVE, Op.Equal):
                found.append(right[1] - left[1] + (operator == Op.GreaterThan))
        return max(found)


def times_of(
    known: Known,
    rules: list[Rule],
    given: Mapping[Signature, tuple[float, float]],
    fixed: Mapping[Signature, float],
) -> Times:
    """Find all of it; `fixed` are the greatest times of what base leaves open."""
    times = Times(known, rules, given)
    for key, (low, high) in known.horizon.domains.items():
        times.complete[key] = times.appears[key] = -high
        times.lowest[key] = low
    _find_lowest(times, fixed)
    late = -1
    while late != len(times.late):
        late = len(times.late)
        times.most = inf  # what appears when is found when all is known that is complete
        _settle(times, fixed)
        _find_appearance(times, fixed)
        times.most = MOST
        for rule in rules:
            if times.changes(rule):
                for key in rule.keys:
                    times.late.setdefault(key, rule)
    return times


def _settle(times: Times, fixed: Mapping[Signature, float]) -> None:
    """From which horizon on atoms are complete, and for which there is no such number."""
    complete, late, before = times.complete, times.late, None
    while before != (complete, len(late)):
        before = dict(complete), len(late)
        for rule in times.rules:
            span, changes = times.span(rule), times.changes(rule)
            for key, time in rule.heads:
                is_at_start = span is None and (time is None or times.is_complete(key, time[1]))
                if span is not None and time is not None and span.name == time[0]:
                    complete[key] = max(span.settled - time[1], complete.get(key, -inf))
                    changes = changes or complete[key] > MOST
                elif not is_at_start:
                    changes = True
                if changes:
                    late.setdefault(key, rule)
        for key, high in fixed.items():
            if not times.is_complete(key, high) and key not in late:
                late[key] = next(rule for rule in times.rules if key in rule.keys)
        for sign, name, arity in list(complete):
            key, other = (sign, name, arity), ("" if sign else "-", name, arity)
            if other in complete:
                complete[key] = complete[other] = max(complete[key], complete[other])
            if other in late:
                late.setdefault(key, late[other])


def _find_appearance(times: Times, fixed: Mapping[Signature, float]) -> None:
    """From which horizon on atoms may hold; no horizon is below the origin.

    An atom that holds is derived from others, without a cycle. So at first none may, and it is
    looked what follows; what appears ever earlier is taken to be there always.
    """
    origin = times.known.horizon.origin
    latest = {key: high for key, (_, high) in times.given.items()}
    latest |= {key: max(high, latest.get(key, high)) for key, high in fixed.items()}
    always = {key: origin - high for key, high in latest.items()}
    always |= {key: -high for key, (_, high) in times.known.horizon.domains.items()}
    times.appears = dict.fromkeys((key for rule in times.rules for key in rule.keys), inf) | always
    for turn in count():
        before, found = times.appears, {key: always.get(key, inf) for key in times.appears}
        for rule in times.rules:
            span = times.span(rule)
            natural = -inf if span is None else span.natural
            for key, time in rule.heads:
                is_fixed = time is not None and not is_name(time[0])
                start = origin if is_fixed else natural
                found[key] = min(found[key], -inf if time is None else start - time[1])
        times.appears = found
        if turn > 30:
            falling = (key for key, value in found.items() if value < before[key])
            always |= dict.fromkeys(falling, -inf)
        if found == before:
            break
    # What never holds may be said to appear at its own time.
    times.appears = {key: 0 if value == inf else value for key, value in times.appears.items()}


def _find_lowest(times: Times, fixed: Mapping[Signature, float]) -> None:
    lowest = times.lowest
    places = times.known.horizon.places.keys() - lowest.keys()
    lowest |= dict.fromkeys(places, inf)
    lowest |= {key: low for key, (low, _) in times.given.items()} | dict.fromkeys(fixed, -inf)
    for turn in range(40):
        before = dict(lowest)
        for rule in times.rules:
            for key, time in rule.heads:
                if key in places:
                    low = -inf if time is None else time[1]
                    if time is not None and time[0]:
                        low += times.lower(rule, time[0])
                    if low < lowest[key]:
                        lowest[key] = low if turn < 30 else -inf
        if lowest == before:
            return


def differences(rule: Rule) -> dict[tuple[str, str], int]:
    """For two variables how much more than the second the first is at most."""
    found: dict[tuple[str, str], int] = {}
    for (a, x), operator, (b, y) in rule.bounds:
        if operator in ABOVE:
            a, x, operator, b, y = b, y, MIRRORED[operator], a, x
        if is_name(a) and is_name(b) and operator in BELOW:
            most = y - x - (operator == Op.LessThan)
            found[a, b] = min(most, found.get((a, b), most))
    for via in {name for pair in found for name in pair}:
        for a, b in [(a, b) for a, m in found if m == via for n, b in found if n == via]:
            if a != b:
                most = found[a, via] + found[via, b]
                found[a, b] = min(most, found.get((a, b), most))
    return found
