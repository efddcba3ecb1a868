"""The semantics of time: plans whose actions begin and end at given times, executed exactly.

Actions begin and end in happenings (Fox and Long, PDDL2.1, section 8). All happenings of one time
apply to the same state and must not interfere: none may change an atom or function that another
reads, and two may change the same one only in ways that agree. The same holds for happenings less
than `EPSILON` apart. An `over all` condition is checked after each happening from the start of the
action to the last one before its end.

>>> from asplan.pddl.language import PddlSource, task_of_sources
>>> domain = '''(define (domain cellar) (:predicates (light) (unused ?m) (mended ?f))
...   (:durative-action strike :parameters (?m) :duration (= ?duration 5)
...     :condition (at start (unused ?m))
...     :effect (and (at start (light)) (at start (not (unused ?m))) (at end (not (light)))))
...   (:durative-action mend :parameters (?f) :duration (= ?duration 2)
...     :condition (over all (light)) :effect (at end (mended ?f))))'''
>>> problem = '''(define (problem one) (:domain cellar) (:objects M F)
...   (:init (unused M)) (:goal (mended F)))'''
>>> model = TimedModel(task_of_sources(PddlSource("d", domain), PddlSource("p", problem)))
>>> def timed(*begin):
...     steps = (("strike(m)",), ("mend(f)",))
...     return Plan(steps, times=tuple(((Fraction(t), Fraction(d)),) for t, d in begin))
>>> done = model.execute(timed(("0", "5"), ("1.5", "2")))
>>> done.makespan, [str(time) for time in done.times]
(Fraction(5, 1), ['0', '0', '3/2', '7/2', '5'])
>>> model.execute(timed(("0", "5"), ("3.5", "2")))  # doctest: +ELLIPSIS
Traceback (most recent call last):
asplan.core.errors.InvalidPlan: after 5: (mend F), begun at 3.5, needs ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, groupby
from operator import attrgetter

from asplan.core.dataclass import dataclass
from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import Normalizer
from asplan.pddl.language.interpretation import value_of
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.numbers import (
    ADDING,
    Changes,
    NumericModel,
    NumericState,
    changed_values,
)
from asplan.pddl.language.reads import ReadSets
from asplan.pddl.language.semantics import CompiledAction
from asplan.pddl.language.syntax import Formula, GroundAtom, Row, TaskText
from asplan.pddl.language.world import World
from asplan.program.reading.source import ground_term

EPSILON = Fraction(1, 1000)
"""The least distance between happenings that interfere, and the tolerance of durations."""

_WORDS = {"=": "takes", "<=": "takes at most", ">=": "takes at least"}


@dataclass(frozen=True)
class TimedExecution:
    """The execution of a plan with times.

    Attributes
    ----------
    times
        First 0, the time of the initial state; then the times of the happenings in order.
    states
        The state after each time in `times`.
    makespan
        The end of the last action.
    metric
        The value of the problem's metric; None if the metric is missing or has no value.
    """

    times: tuple[Fraction, ...]
    states: tuple[NumericState, ...]
    makespan: Fraction
    metric: Fraction | None


@dataclass(frozen=True)
class _Happening:
    """A start or end of an action, an action without a duration, or a timed literal.

    A happening also represents the interval of a durative action, with its `over all` condition.

    Attributes
    ----------
    time
        The time of the happening; the start, if it represents an interval.
    name
        The action as PDDL text, for messages.
    verb
        The verb of messages: `begin`, `end`, `apply` or `happen`.
    compiled
        The conditions and effects at this time, as an action without duration.
    arguments
        The arguments of the action.
    duration
        The duration of the action; None if the action has none.
    limits
        The constraints on the duration at this time.
    """

    time: Fraction
    name: str
    verb: str
    compiled: CompiledAction
    arguments: Row = ()
    duration: Fraction | None = None
    limits: tuple[syntax.Compare, ...] = ()

    @property
    def condition(self) -> Formula:
        """The condition that must hold at this time."""
        return self.compiled.action.precondition

    @cached_property
    def binding(self) -> dict[str, str]:
        """A map from the unique name of each parameter (see `CompiledAction`) to its argument."""
        return self.compiled.binding(self.arguments)

    @cached_property
    def bound(self) -> dict[str, str]:
        """A map from the name of each parameter in the file to its argument."""
        return {key: self.binding[variable] for key, variable in self.compiled.bound.items()}

    @property
    def values(self) -> dict[GroundAtom, Fraction]:
        """The value of `?duration`, as the value of a function; empty if there is no duration."""
        return {} if self.duration is None else {(syntax.DURATION,): self.duration}

    def __str__(self) -> str:
        part = {"begin": "the start of ", "end": "the end of "}.get(self.verb, "")
        return f"{part}{self.name} at {decimal_text(self.time)}"


@dataclass(frozen=True)
class _Interval:
    """The open interval of an action, in which its `over all` conditions must hold."""

    action: _Happening
    end: Fraction

    @property
    def start(self) -> Fraction:
        """The start of the action."""
        return self.action.time


@dataclass(frozen=True)
class _Schedule:
    """A plan as happenings in the order of time, and the intervals of the durative actions."""

    happenings: list[_Happening]
    intervals: list[_Interval]


@dataclass(frozen=True)
class _Access:
    """The atoms and functions that a happening reads and changes.

    In `reads` and `written`, a function is a tuple with `=` before its name. `numbers` has the
    changes of functions.
    """

    happening: _Happening
    reads: set[GroundAtom]
    added: set[GroundAtom]
    deleted: set[GroundAtom]
    numbers: Changes = field(default_factory=dict)

    @property
    def written(self) -> set[GroundAtom]:
        """The atoms and functions that the happening changes."""
        return self.added | self.deleted | {("=", *function) for function in self.numbers}

    def clashing_changes(self, other: _Access) -> set[GroundAtom]:
        """Return the functions that both happenings change in ways whose order matters.

        Two increases or decreases of a function do not clash.
        """
        clashing: set[GroundAtom] = set()
        for function in self.numbers.keys() & other.numbers.keys():
            words = {word for word, _ in (*self.numbers[function], *other.numbers[function])}
            if not words <= ADDING:
                clashing.add(("=", *function))
        return clashing


class TimedModel:
    """A task with time, which can execute plans.

    Raises `InputError` if its rules for derived predicates are not stratified.
    """

    def __init__(
        self,
        task: TaskText,
        names: PddlNames | None = None,
    ) -> None:
        domain = task.domain
        merged = (*domain.actions, *(action.at_any_time for action in domain.durative))
        untimed = replace(task, domain=replace(domain, actions=merged, durative=()))
        self.task = task
        self.names = names or names_of(task)
        self.model = NumericModel(untimed, self.names)
        self._normalizer = Normalizer(task)

    def execute(self, plan: Plan) -> TimedExecution:
        """Execute a plan until all actions have ended and all timed literals have happened.

        Raises `InvalidPlan` if a happening is impossible, or if the goal does not hold at the end.
        The message names the time, the action and the reason.
        """
        schedule = self._schedule(plan)
        state = self.model.initial
        assert isinstance(state, NumericState)
        times = [Fraction(0)]
        states = [state]
        near: list[_Access] = []
        for time, together in groupby(schedule.happenings, key=attrgetter("time")):
            near = [access for access in near if access.happening.time > time - EPSILON]
            now = [self._access(state, happening) for happening in together]
            for access in now:
                self._check_apart(access, near)
                near.append(access)
            state = self._apply(state, now)
            self._check_intervals(state, time, schedule.intervals)
            times.append(time)
            states.append(state)
        if why := self.model.why_not_goal(state):
            raise InvalidPlan(f"after {decimal_text(times[-1])} the goal does not hold: {why}")
        makespan = _makespan(plan)
        metric = self.model.worth(state, {(syntax.TOTAL_TIME,): makespan})
        return TimedExecution(tuple(times), tuple(states), makespan, metric)

    def _apply(
        self,
        state: NumericState,
        together: Sequence[_Access],
    ) -> NumericState:
        """Return the state after all happenings of one time.

        `state` is the state before the happenings, and `together` has the changes of each one.
        """
        numbers: Changes = {}
        for access in together:
            for function, changes in access.numbers.items():
                numbers.setdefault(function, []).extend(changes)
        world = self.model.world_with(state, {})
        values = {**dict(state.values), **changed_values(numbers, world)}
        deleted = set[GroundAtom]().union(*(access.deleted for access in together))
        added = set[GroundAtom]().union(*(access.added for access in together))
        return NumericState((state - deleted) | added, values)

    # The schedule.

    def _schedule(self, plan: Plan) -> _Schedule:
        """Return the schedule of a plan.

        Raise `InvalidPlan` if an action or its arguments are unknown, or if its times are wrong.
        """
        if len(plan.times) != len(plan.steps):
            raise InvalidPlan("the plan has no times for its actions")
        happenings = list(self._timed_literals())
        intervals: list[_Interval] = []
        pairs = zip(chain(*plan.steps), chain(*plan.times), strict=True)
        for term, (start, duration) in pairs:
            for part in self._parts(term, start, duration):
                if isinstance(part, _Interval):
                    intervals.append(part)
                else:
                    happenings.append(part)
        happenings.sort(key=attrgetter("time"))
        return _Schedule(happenings, intervals)

    def _timed_literals(self) -> Iterator[_Happening]:
        """Yield a happening for each timed literal."""
        for time, change in self.task.problem.timed:
            action = syntax.PddlAction(change.atom.name, (), syntax.ALWAYS, change)
            text = self.names.written_atom(*change.atom.ground())
            name = text if change.holds else f"(not {text})"
            yield _Happening(time, name, "happen", CompiledAction(self._normalizer, action))

    def _parts(
        self,
        term: str,
        start: Fraction,
        duration: Fraction | None,
    ) -> Iterator[_Happening | _Interval]:
        """Yield the happenings of an action in a plan; for a durative action, also its interval.

        `term` is the action, `duration` its duration in the plan; None if the plan gives none.
        """
        name = self.names.written(term)
        if start < 0:
            raise InvalidPlan(f"{name} begins at {decimal_text(start)}, before 0")
        try:
            action = self.model.parse_action(ground_term(term, "action"))
        except (UsageError, ValueError) as error:
            raise InvalidPlan(f"at {decimal_text(start)}: {error}") from None
        compiled = self._compiled(action.name)
        durative = self._durative.get(action.name)
        if durative is None:
            yield _Happening(start, name, "apply", compiled[""], action.arguments)
            return
        if duration is None:
            raise InvalidPlan(f"at {decimal_text(start)}: {name} has no duration")
        if duration < 0:
            text = decimal_text(duration)
            raise InvalidPlan(f"at {decimal_text(start)}: {name} has a duration of {text}")
        end = start + duration
        for when, verb, time in (("start", "begin", start), ("end", "end", end)):
            limits = tuple(limit for at, limit in durative.duration if at == when)
            parts = compiled[when], action.arguments, duration, limits
            yield _Happening(time, name, verb, *parts)
        between = _Happening(start, name, "", compiled["all"], action.arguments, duration)
        yield _Interval(between, end)

    @cached_property
    def _durative(self) -> dict[str, syntax.DurativeAction]:
        """The durative actions by name."""
        return {action.name.key: action for action in self.task.domain.durative}

    @cached_property
    def _compiled(self) -> Callable[[str], dict[str, CompiledAction]]:
        """A function that returns the compiled parts of an action by their times, given its name.

        The times are `start`, `all` and `end`. An action without a duration has one part, whose
        time is the empty string.
        """
        parts = {action.name.key: {"": action} for action in self.task.domain.actions}
        for name, action in self._durative.items():
            parts[name] = {when: action.at(when) for when in ("start", "all", "end")}

        def compiled(name: str) -> dict[str, CompiledAction]:
            actions = parts[name].items()
            return {when: CompiledAction(self._normalizer, part) for when, part in actions}

        return cache(compiled)

    # Checks.

    def _access(
        self,
        state: NumericState,
        happening: _Happening,
    ) -> _Access:
        """Return the atoms and functions that a happening reads and changes in a state.

        Raise `InvalidPlan` if the happening is impossible in the state.
        """
        world = self.model.world_with(state, happening.values)
        if why := self._wrong_duration(world, happening):
            raise InvalidPlan(f"at {decimal_text(happening.time)}: {happening.name} {why}")
        compiled = happening.compiled
        binding = happening.binding
        bound = happening.bound
        numbers, why_undefined = self.model.computed(compiled, binding, world)
        why = self.model.why_false(world, happening.condition, bound) or why_undefined
        if why:
            action = f"{happening.name} does not {happening.verb}"
            raise InvalidPlan(f"at {decimal_text(happening.time)}: {action}: {why}")
        added, deleted = compiled.changed(binding, world)
        return _Access(happening, self._reads(happening), added, deleted, numbers)

    def _reads(self, happening: _Happening) -> set[GroundAtom]:
        """Return the atoms and functions that a happening reads."""
        bound = happening.bound
        read_sets = ReadSets(self.model)
        condition = read_sets.condition(happening.condition, bound)
        effect = read_sets.effect(happening.compiled.action.effect, bound)
        functions = syntax.functions(*(limit.right for limit in happening.limits))
        reads = effect | read_sets.numbers(functions, bound)
        return reads if isinstance(condition, bool) else condition | reads

    def _wrong_duration(
        self,
        world: World,
        happening: _Happening,
    ) -> str | None:
        """Return text for a message about the first limit that a happening's duration violates.

        Return None if the duration violates no limit.
        """
        for limit in happening.limits:
            assert happening.duration is not None
            try:
                wanted = value_of(limit.right, happening.bound)({}, world)
            except (KeyError, ZeroDivisionError) as error:
                return f"has no duration: {self.model.why_undefined(error)}"
            excess = happening.duration - wanted
            is_long = excess >= EPSILON and limit.word != ">="
            is_short = excess <= -EPSILON and limit.word != "<="
            if is_long or is_short:
                actual = decimal_text(happening.duration)
                return f"{_WORDS[limit.word]} {decimal_text(wanted)}, not {actual}"
        return None

    def _check_intervals(
        self,
        state: NumericState,
        time: Fraction,
        intervals: Iterable[_Interval],
    ) -> None:
        """Raise `InvalidPlan` if the `over all` condition of a running action does not hold.

        `state` is the state after the happenings at `time`.
        """
        for interval in intervals:
            if not interval.start <= time < interval.end:
                continue
            action = interval.action
            world = self.model.world_with(state, action.values)
            if why := self.model.why_false(world, action.condition, action.bound):
                begun = f"{action.name}, begun at {decimal_text(interval.start)},"
                raise InvalidPlan(
                    f"after {decimal_text(time)}: {begun} needs this condition until it ends: {why}"
                )

    def _check_apart(
        self,
        one: _Access,
        near: Iterable[_Access],
    ) -> None:
        """Raise `InvalidPlan` if a happening interferes with one of the happenings in `near`.

        `near` has the happenings that come less than `EPSILON` before `one`, or at the same time.
        """
        for other in near:
            why = self._interference(one, other) or self._interference(other, one)
            if why:
                distance = decimal_text(EPSILON)
                raise InvalidPlan(f"{why}; such happenings must be {distance} apart")

    def _interference(
        self,
        first: _Access,
        second: _Access,
    ) -> str | None:
        """Return text for a message: how the second happening interferes with the first.

        Return None if there is no interference.
        """
        if changed := first.reads & second.written:
            atom = self._text(min(changed))
            return f"{first.happening} needs {atom}, which {second.happening} changes"
        if changed := first.added & second.deleted:
            atom = self._text(min(changed))
            return f"{first.happening} adds {atom}, which {second.happening} deletes"
        if changed := first.clashing_changes(second):
            both = f"{first.happening} and {second.happening}"
            return f"{both} both change {self._text(min(changed))}"
        return None

    def _text(self, atom: GroundAtom) -> str:
        """Return an atom or function as PDDL text."""
        is_function = atom[0] == "="
        return self.names.written_atom(*(atom[1:] if is_function else atom))


def _makespan(plan: Plan) -> Fraction:
    """Return the end of the last action of a plan."""
    ends = (start + (duration or 0) for start, duration in chain(*plan.times))
    return max(ends, default=Fraction(0))
