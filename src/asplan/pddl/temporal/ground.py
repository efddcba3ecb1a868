"""A task with time, ground: instants as operators, durative actions between them.

Numbers and times here are exact.

Then variables become fewer: what takes place becomes a value of a variable that its start sets. A
truck that drives is at no place; it is busy with driving, says its variable. Which way it drives is
told by many variables, one for each. As only one of them can be true, they become values in place
of the one that the truck is busy. So do those of actions by whose start a variable has no value
(`none`) until they end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

from clingo import parse_term

from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.syntax import DURATION, GroundAtom, TaskText, bind, functions
from asplan.pddl.numeric.ground import Counted, Grounded, ground
from asplan.pddl.numeric.scale import LARGEST, NumericTask, bounds_of, scale
from asplan.pddl.numeric.strip import UndefinedError, evaluate
from asplan.pddl.task.task import NONE, Effect, Fact, Operator, Task
from asplan.pddl.temporal.split import Instant, Resource, Split, Toucher, changing_limits, split

EPSILON = Fraction(1, 1000)  # the time between two instants that interfere, as validators have it

LONGEST = 2**27
"""Units that an action may take: plans have a few of them within the numbers of solvers."""


@dataclass(frozen=True)
class Lasting:
    """A ground durative action: how long it takes, `longest` being None where nothing bounds it.

    Beside that each of `limits` bounds it: a word (`=`, `<=`, `>=`), and the number that does.
    It is running where the fact `running` holds. Then all facts of one of `throughout` must hold,
    which depends on what it `watches`. The operators `starts` begin it, and `ends` end it.
    """

    term: str
    shortest: Fraction
    longest: Fraction | None
    running: Fact
    throughout: tuple[tuple[Fact, ...], ...]
    watches: frozenset[Resource]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    limits: tuple[tuple[str, GroundAtom], ...] = ()


@dataclass(frozen=True)
class Timed:
    """A ground task with time; the operators of the finite-domain task are instants."""

    grounded: Grounded
    names: PddlNames  # what its numbers are called
    lasting: tuple[Lasting, ...] = ()
    events: Mapping[int, Fraction] = field(default_factory=dict)  # operators at given times
    at_once: frozenset[str] = frozenset()  # actions that take no time though they are durative
    # The task in whole numbers, if something depends on numbers. Behind what its operators have to
    # do with them stands what some actions need all the time, at the place among the `demands`.
    numbers: NumericTask | None = None
    demands: Mapping[str, int] = field(default_factory=dict)
    reads: tuple[frozenset[Resource], ...] = ()  # for each operator what it depends on,
    writes: tuple[frozenset[Resource], ...] = ()  # and what it may change

    @property
    def unit(self) -> Fraction:
        """The longest time of which all times of the task, and epsilon, are multiples.

        Where they would be too many, it is epsilon, to which times are rounded: of a duration that
        is wrong by less, validators say nothing.
        """
        return self._exact if self.is_exact else EPSILON

    @property
    def is_exact(self) -> bool:
        """Whether all times are multiples of the unit."""
        return max(self.times) / self._exact <= LONGEST

    def units(self, time: Fraction) -> int:
        """How many units a time is, rounded."""
        return round(time / self.unit)

    @cached_property
    def _exact(self) -> Fraction:
        task = self.numbers
        of = dict(zip(task.numbers, task.factors, strict=True)) if task else {}
        parts = [of[number] for action in self.lasting for _, number in action.limits]
        return Fraction(1, lcm(*parts, *(time.denominator for time in self.times)))

    @cached_property
    def times(self) -> list[Fraction]:
        """All times of the task that do not depend on numbers."""
        spans = (time for one in self.lasting for time in (one.shortest, one.longest))
        return [EPSILON, *self.events.values(), *(time for time in spans if time is not None)]


def ground_timed(text: TaskText) -> Timed:
    """The ground task of one with time; raises as `asplan.pddl.numeric.ground.ground` does.

    Raises `InputError` also where a duration depends on what changes.
    """
    parts = split(text)
    grounded = ground(parts.text)
    if grounded.task.is_stub:
        return Timed(grounded, names_of(text))
    return _Grounder(text, parts, grounded).timed()


_Key = tuple[str, tuple[str, ...]]
"""An action with its arguments; for what happens at a given time, that of the plain task."""

_Found = defaultdict[_Key, defaultdict[str, list[int]]]

_Span = tuple[Fraction, Fraction | None]  # the least and the greatest duration

_KINDS = ("start", "all", "end")
_AT_ONCE: _Span = (Fraction(0), Fraction(0))


class _Grounder:
    def __init__(self, text: TaskText, parts: Split, grounded: Grounded) -> None:
        self.text, self.parts, self.names = text, parts, names_of(text)
        self.inner: PddlNames = names_of(parts.text)
        self.durative = {action.name.key: action for action in text.domain.durative}
        self.instants, self.found = self._instants(grounded.task)
        spans = {key: self._span(*key) for key in self.found}
        self.lasting = {
            key: span
            for key, span in spans.items()
            if span is not None and span != _AT_ONCE and len(self.found[key]) == len(_KINDS)
        }
        at_once = [key for key, span in spans.items() if span == _AT_ONCE]
        possible = {*self.lasting, *at_once}
        pairs = enumerate(self.instants)
        kept = [o for o, (i, key) in pairs if i.kind not in _KINDS or key in possible]
        grounded = _only(grounded, kept)
        self.instants, self.found = self._instants(grounded.task)
        self.grounded = self._merged(self._with_shortcuts(grounded, at_once))

    def _instants(self, task: Task) -> tuple[list[tuple[Instant, _Key]], _Found]:
        """What each operator stands for, and for what takes time its operators of each kind."""
        instants = list[tuple[Instant, _Key]]()
        found: _Found = defaultdict(lambda: defaultdict(list))
        for o, operator in enumerate(task.operators):
            name, arguments = self.inner.action_of(parse_term(operator.action))
            instant = self.parts.instants[name]
            key = (name if instant.kind == "event" else instant.action), arguments
            instants.append((instant, key))
            if instant.kind in _KINDS:
                found[key][instant.kind].append(o)
        return instants, found

    def timed(self) -> Timed:
        task = self.grounded.task
        kept = [
            o
            for o, (i, key) in enumerate(self.instants)
            if i.kind not in _KINDS or (i.kind != "all" and key in self.lasting)
        ]
        place = {o: i for i, o in enumerate(kept)}
        toucher = Toucher(self.text, self.parts, self.inner, task)
        touched = [toucher.touched(*self.instants[o]) for o in kept]
        writes = [written for _, written in touched]
        lasting = []
        facts = self._running(task)
        for key, span in self.lasting.items():
            running, at = facts[key], self.found[key]
            several = [task.operators[o] for o in at["all"]]
            ways = tuple(tuple(f for f in o.precondition if f != running) for o in several)
            watches = toucher.touched(*self.instants[at["all"][0]])[0] - {str(running[0])}
            term = self.names.action(*key)
            # It may fail between changes of which each alone would leave it true.
            is_split = len(ways) > 1 or any(task.variables[v].is_derived for v, _ in ways[0])
            if is_split and len(watches) > 1:
                together = frozenset((f"together({term})",))
                writes = [w | together if w & watches else w for w in writes]
                watches = together
            starts, ends = (tuple(place[o] for o in at[kind]) for kind in ("start", "end"))
            limits = tuple((word, (number, *key[1])) for word, number in self.parts.spans[key[0]])
            lasting.append(Lasting(term, *span, running, ways, watches, starts, ends, limits))
        operators = list[Operator]()
        for o in kept:
            instant, key = self.instants[o]
            term = self.names.action(*key) if instant.kind != "event" else f'"{instant.time}"'
            if instant.kind in (*_KINDS, "event"):
                term = f"{instant.kind}({term})"
            operators.append(replace(task.operators[o], action=term))
        grounded = _only(self.grounded, kept)
        grounded = replace(grounded, task=replace(grounded.task, operators=tuple(operators)))
        numbers, demands = self._numbers(grounded, kept, any(one.limits for one in lasting))
        timed = Timed(
            grounded,
            self.inner,
            tuple(lasting),
            {place[o]: i.time for o, (i, _) in enumerate(self.instants) if i.kind == "event"},
            frozenset(self.names.action(*key) for i, key in self.instants if i.kind == "once"),
            numbers,
            demands,
            tuple(reads for reads, _ in touched),
            tuple(writes),
        )
        self._check_times(timed)
        return timed

    def _check_times(self, timed: Timed) -> None:
        """Raise `InputError` where times are too large, or may not be rounded but have to be."""
        place = self.text.domain.name
        if timed.is_exact:
            return
        if any(timed.units(time) > LARGEST for time in timed.times):
            raise wrong(place, "actions take longer than can be counted in 0.001", "")
        effects = (effect for action in self.durative.values() for _, effect in action.effects)
        parts = (part for effect in effects for part, _ in syntax.inside(effect))
        amounts = (part.amount for part in parts if isinstance(part, syntax.Assign))
        if any(f.name.key == DURATION for f in functions(*amounts)):
            what = "durations have too many different fractions to be exact, and effects read them"
            raise wrong(place, what, "round the numbers that durations depend on")

    def _numbers(
        self, grounded: Grounded, kept: Sequence[int], matter: bool
    ) -> tuple[NumericTask | None, dict[str, int]]:
        """The numbers of the task, if something depends on them, or they `matter`; see `Timed`.

        Raises `InputError` where an action needs numbers all the time, in one way or another.
        """
        counted = self.grounded.counted
        if not (matter or grounded.goal or grounded.tests or any(c.tests for c in counted)):
            return None, {}
        scaled = scale(self.grounded)
        found, demands = [scaled.counted[o] for o in kept], dict[str, int]()
        for key in self.lasting:
            ways = self.found[key]["all"]
            if any(counted[o].tests for o in ways):
                if len(ways) > 1:
                    action = self.durative[key[0]]
                    what = f"{action.name}: what must hold over all is a choice with numbers"
                    raise wrong(action.name, what, "divide the action into several")
                demands[self.names.action(*key)] = len(found)
                found.append(scaled.counted[ways[0]])
        bounds = tuple(bounds_of(scaled))
        task = replace(scaled, task=grounded.task, counted=tuple(found), bounds=bounds)
        return task, demands

    def _running(self, task: Task) -> dict[_Key, Fact]:
        """The facts that actions are running."""
        place = {task.atom(fact): fact for fact in task.facts}
        terms = {key: self.inner.atom(self.parts.running[key[0]], key[1]) for key in self.found}
        return {key: place[term] for key, term in terms.items() if term in place}

    def _span(self, name: str, arguments: tuple[str, ...]) -> _Span | None:
        """The least and the greatest duration of an action; None if it can have none."""
        action = self.durative[name]
        bound = bind(action.parameters, arguments)
        least, most = Fraction(0), list[Fraction]()
        changing = changing_limits(action, self.text.assigned)
        for _, limit in action.duration:
            if any(limit is other for other in changing):
                continue
            if any(part.name.key in self.text.assigned for part in functions(limit.right)):
                what = f"{quoted(limit.at)}: this duration depends on what a number is at the end"
                hint = "asplan takes durations that depend on what numbers are at the start"
                raise wrong(limit.at, what, hint)
            try:
                value = evaluate(limit.right, bound, self.text.values)
            except UndefinedError:
                return None
            if value.terms:
                return None  # a function without a value
            if limit.word in ("=", ">="):
                least = max(least, value.constant)
            if limit.word in ("=", "<="):
                most.append(value.constant)
        longest = min(most, default=None)
        if longest == 0 == least:
            return _AT_ONCE
        least = max(least, EPSILON)
        return None if longest is not None and longest < least else (least, longest)

    def _with_shortcuts(self, grounded: Grounded, at_once: Sequence[_Key]) -> Grounded:
        """The same with an operator for each action whose start is its end."""
        operators, counted = list(grounded.task.operators), list(grounded.counted)
        running = self._running(grounded.task)
        for key in at_once:
            for o in self.found[key]["start"]:
                for other in self.found[key]["end"]:
                    first, last = operators[o], operators[other]
                    always = dict(first.always)  # what is both added and deleted holds then
                    for v, d in last.always:
                        if grounded.task.atom((v, d)) != NONE or v not in always:
                            always[v] = d
                    always.pop(running[key][0], None)
                    effects = [Effect(fact) for fact in always.items()]
                    effects += (e for one in (first, last) for e in one.effects if e.condition)
                    asked = {*first.precondition, *last.precondition} - {running[key]}
                    operators.append(Operator(first.action, tuple(sorted(asked)), tuple(effects)))
                    one, two = counted[o], counted[other]
                    counted.append(Counted(one.tests + two.tests, one.changes + two.changes))
                    self.instants.append((Instant("once", key[0]), key))
        task = replace(grounded.task, operators=tuple(operators))
        return replace(grounded, task=task, counted=tuple(counted))

    def _merged(self, grounded: Grounded) -> Grounded:
        changes = (change for counted in grounded.counted for change in counted.changes)
        if grounded.tests or not all(change.is_plain for change in changes):
            return grounded
        running, found = self._running(grounded.task), self.found
        runs = {running[key]: (found[key]["start"], found[key]["end"]) for key in self.lasting}
        busy = {self.inner.predicates.terms[key] for key in self.parts.busy}
        merged = merge(grounded.task, runs, lambda value: value.partition("(")[0] in busy)
        return replace(grounded, task=merged)


def _only(grounded: Grounded, kept: Sequence[int]) -> Grounded:
    """The same with some of the operators."""
    operators = tuple(grounded.task.operators[o] for o in kept)
    counted = tuple(grounded.counted[o] for o in kept)
    return replace(grounded, task=replace(grounded.task, operators=operators), counted=counted)


Runs = Mapping[Fact, tuple[Sequence[int], Sequence[int]]]
"""Actions that take time: for the fact that one is running the operators that start and end it."""


def merge(task: Task, runs: Runs, is_busy: Callable[[str], bool]) -> Task:
    """The same task with the facts of actions that are running as values of other variables.

    Variables without use, and those that only say that something `is_busy`, are dropped. Operators
    keep their order.
    """
    hosts = _hosts(task, runs, is_busy)
    values = [list(variable.values) for variable in task.variables]
    moved, gone = dict[Fact, Fact](), set[int]()
    stood_for = dict[Fact, Fact]()
    for fact, (host, value) in hosts.items():
        moved[fact] = host, len(values[host])
        stood_for[moved[fact]] = host, value
        values[host].append(task.atom(fact))
        gone.add(fact[0])
    used = {v for o in task.operators for v, _ in (*o.conditions, *(e.fact for e in o.effects))}
    used.update(v for axiom in task.axioms for v, _ in (axiom.fact, *axiom.condition))
    used.update(v for v, _ in task.goal)
    for v, variable in enumerate(task.variables):
        if v not in used or all(value == NONE or is_busy(value) for value in variable.values):
            gone.add(v)
    places = {v: i for i, v in enumerate(v for v in range(len(values)) if v not in gone)}

    def kept(facts: Iterable[Fact]) -> tuple[Fact, ...]:
        found = dict.fromkeys(
            moved.get(fact, fact) for fact in facts if fact in moved or fact[0] not in gone
        )
        replaced = {stood_for[fact] for fact in found if fact in stood_for}
        return tuple((places[v], d) for v, d in found if (v, d) not in replaced)

    def operator(old: Operator, new: Operator) -> Operator:
        always = map(Effect, kept(old.always))  # together: one may stand for another
        conditional = (effect for effect in new.effects if effect.condition)
        precondition = tuple(sorted(new.precondition))
        return replace(new, precondition=precondition, effects=(*always, *conditional))

    found = task.with_facts(kept)
    return replace(
        found,
        variables=tuple(replace(task.variables[v], values=tuple(values[v])) for v in places),
        initial=tuple(task.initial[v] for v in places),
        operators=tuple(map(operator, task.operators, found.operators)),
    )


def _hosts(task: Task, runs: Runs, is_busy: Callable[[str], bool]) -> dict[Fact, Fact]:
    """For each fact that can be moved the fact that it stands beside, of the host.

    While one of the actions of a host is running, that has the value `none` or that it is busy:
    each of them sets it so at its start, and nothing but their ends changes it from that.
    """
    readers, writers = defaultdict[Fact, set[int]](set), defaultdict[int, set[int]](set)
    for o, operator in enumerate(task.operators):
        for fact in operator.conditions:
            readers[fact].add(o)
        for effect in operator.effects:
            writers[effect.fact[0]].add(o)
    fixed = set(task.goal).union(*(axiom.condition for axiom in task.axioms))
    asked = [{v for v, _ in operator.precondition} for operator in task.operators]
    alone = Counter(v for v, _ in runs)
    found = defaultdict[Fact, dict[Fact, Sequence[int]]](dict)
    for (v, d), (starts, ends) in runs.items():
        other = v, 1 - d
        is_alone = alone[v] == 1 and len(task.variables[v].values) == 2
        if not is_alone or task.initial[v] == d or readers[other] or other in fixed:
            continue
        started = [
            {f for f in task.operators[o].always if f[0] in asked[o] and f[0] != v} for o in starts
        ]
        ended = [{w for w, _ in task.operators[o].always} for o in ends]
        for fact in set.intersection(*started):
            value = task.atom(fact)
            if all(fact[0] in some for some in ended) and (value == NONE or is_busy(value)):
                found[fact][v, d] = ends
    hosts = dict[Fact, Fact]()
    for fact in sorted(found, key=lambda fact: -len(found[fact])):
        at_end = {o for ends in found[fact].values() for o in ends}
        others = writers[fact[0]] - at_end
        if fact in fixed or readers[fact] - at_end or task.variables[fact[0]].is_derived:
            continue
        if all(fact[0] in asked[o] for o in others):
            for running in found[fact]:
                hosts.setdefault(running, fact)
    return hosts
