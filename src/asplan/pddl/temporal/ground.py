"""Ground tasks with time.

The operators of the finite-domain task are instants: starts and ends of durative actions, actions
without duration, and timed changes. `LastingAction` connects the start and the end of a durative
action. Numbers and times are exact. `merging` then makes the number of variables smaller.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.syntax import (
    DURATION,
    GroundAtom,
    TaskText,
    bind,
    functions,
)
from asplan.pddl.numeric.ground import (
    GroundNumbers,
    GroundNumericTask,
    ground,
)
from asplan.pddl.numeric.scale import (
    LARGEST,
    NumericTask,
    bounds_of,
    scale,
)
from asplan.pddl.numeric.strip import UndefinedError, evaluate
from asplan.pddl.task.task import (
    NONE,
    Effect,
    Fact,
    Operator,
    Task,
)
from asplan.pddl.temporal.interference import Resource, ResourceFinder
from asplan.pddl.temporal.merging import merge
from asplan.pddl.temporal.split import (
    Instant,
    Split,
    changing_limits,
    split,
)

EPSILON = Fraction(1, 1000)
"""The least time between two instants that interfere; plan validators use the same."""

LONGEST = 2**27
"""The largest duration in units, so that sums of a few durations fit into a solver's numbers."""


@dataclass(frozen=True)
class LastingAction:
    """A ground durative action.

    Attributes
    ----------
    term
        The action as an ASP term.
    shortest, longest
        The least and the largest duration; the largest is None if nothing bounds it.
    running
        The fact that holds while the action is running.
    throughout
        The `over all` condition, a disjunction of conjunctions of facts: while the action is
        running, all facts of at least one of the tuples must hold.
    watches
        The resources (variables and numbers) on which this condition depends.
    starts, ends
        The operators that start and end the action.
    limits
        The bounds of the duration that may change: the comparison `=`, `<=` or `>=`, and the number
        of the task that is the bound.
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
class TimedTask:
    """A ground task with time; the operators of its finite-domain task are instants.

    Attributes
    ----------
    grounded
        The finite-domain task.
    names
        The names of the task of plain actions into which `split` converts the PDDL task.
    lasting
        The durative actions that take time.
    events
        The operators that happen at given times (timed initial literals), with these times.
    at_once
        The durative actions that take no time, as terms.
    numbers
        The task in whole numbers; None if nothing depends on numbers. Its `counted` has the numeric
        parts of the operators, and then the numeric `over all` conditions of actions.
    demands
        For each action with a numeric `over all` condition, the index of the condition in
        `numbers.counted`.
    reads, writes
        The resources that each operator reads and writes.
    """

    grounded: GroundNumericTask
    names: PddlNames
    lasting: tuple[LastingAction, ...] = ()
    events: Mapping[int, Fraction] = field(default_factory=dict)
    at_once: frozenset[str] = frozenset()
    numbers: NumericTask | None = None
    demands: Mapping[str, int] = field(default_factory=dict)
    reads: tuple[frozenset[Resource], ...] = ()
    writes: tuple[frozenset[Resource], ...] = ()

    @cached_property
    def unit(self) -> Fraction:
        """The unit of the solver's times: the largest that divides epsilon and all times.

        If times have more than `LONGEST` of these units, the unit is epsilon, and times are
        rounded. Validators accept durations with an error of less than epsilon.
        """
        return self._exact if self.is_exact else EPSILON

    @cached_property
    def is_exact(self) -> bool:
        """True if all times are multiples of the unit, so that none is rounded."""
        return max(self.times) / self._exact <= LONGEST

    def units(self, time: Fraction) -> int:
        """Return the number of units in a time, rounded to a whole number."""
        return round(time / self.unit)

    @cached_property
    def _exact(self) -> Fraction:
        """The largest time that divides epsilon, all times, and all possible durations."""
        denominators = [time.denominator for time in self.times]
        if self.numbers is not None:
            pairs = zip(self.numbers.numbers, self.numbers.factors, strict=True)
            factors = dict(pairs)
            for action in self.lasting:
                denominators += [factors[number] for _, number in action.limits]
        return Fraction(1, lcm(*denominators))

    @cached_property
    def times(self) -> list[Fraction]:
        """The times of the task that do not depend on numbers: epsilon, events and durations."""
        times = [EPSILON, *self.events.values()]
        for action in self.lasting:
            times.append(action.shortest)
            if action.longest is not None:
                times.append(action.longest)
        return times


def ground_timed(text: TaskText) -> TimedTask:
    """Ground a task with time.

    Raise the errors of `asplan.pddl.numeric.ground.ground`, and `InputError` if a duration depends
    on numbers that change and are read at its end, or if times cannot be represented.
    """
    parts = split(text)
    grounded = ground(parts.text)
    if grounded.task.is_stub:
        return TimedTask(grounded, names_of(text))
    return _Grounder(text, parts, grounded).timed_task()


_Key = tuple[str, tuple[str, ...]]
"""The name of an action and its arguments; for an event the name of its plain action."""

_Operators = defaultdict[_Key, defaultdict[str, list[int]]]
"""For each durative action its operators by the kind of their instant: `start`, `all` or `end`."""

_Span = tuple[Fraction, Fraction | None]
"""The least and the largest duration of an action; the largest is None if nothing bounds it."""

_KINDS = ("start", "all", "end")
_AT_ONCE: _Span = (Fraction(0), Fraction(0))


class _Grounder:
    """A builder of a ground task with time.

    Attributes
    ----------
    text, parts
        The task, and the task without durations into which it is split.
    names, inner
        The names of these two tasks.
    instants
        For each operator its instant (such as the start of an action), and the action.
    operators
        The operators of each durative action, by the kind of their instant.
    lasting
        The least and the largest duration of each durative action that takes time.
    """

    def __init__(
        self,
        text: TaskText,
        parts: Split,
        grounded: GroundNumericTask,
    ) -> None:
        self.text = text
        self.parts = parts
        self.names = names_of(text)
        self.inner: PddlNames = names_of(parts.text)
        self.durative = {action.name.key: action for action in text.domain.durative}
        self._keys = dict[str, tuple[Instant, _Key]]()
        self.instants, self.operators = self._instants(grounded.task)
        self.lasting = dict[_Key, tuple[Fraction, Fraction | None]]()
        at_once = list[_Key]()
        for key in self.operators:
            span = self._span(*key)
            if span == _AT_ONCE:
                at_once.append(key)
            elif span is not None and len(self.operators[key]) == len(_KINDS):
                self.lasting[key] = span
        possible = {*self.lasting, *at_once}
        kept = list[int]()
        for o, (instant, key) in enumerate(self.instants):
            if instant.kind not in _KINDS or key in possible:
                kept.append(o)
        grounded = _restrict(grounded, kept)
        self.instants, self.operators = self._instants(grounded.task)
        self.grounded = self._merge(self._with_shortcuts(grounded, at_once))

    def _instants(
        self,
        task: Task,
    ) -> tuple[list[tuple[Instant, _Key]], _Operators]:
        """Return each operator's instant with its action, and each durative action's operators.

        An instant is the start or end of an action, an action without duration, or a timed change.
        """
        instants = list[tuple[Instant, _Key]]()
        operators: _Operators = defaultdict(lambda: defaultdict(list))
        for o, operator in enumerate(task.operators):
            instant, key = self._key_of(operator.action)
            instants.append((instant, key))
            if instant.kind in _KINDS:
                operators[key][instant.kind].append(o)
        return instants, operators

    def _key_of(self, term: str) -> tuple[Instant, _Key]:
        """Return the instant that an operator represents, and the action of this instant.

        `term` is the action of the operator; each term is read only once.
        """
        if term not in self._keys:
            name, arguments = self.inner.action_in(term)
            instant = self.parts.instants[name]
            key = (name if instant.kind == "event" else instant.action, arguments)
            self._keys[term] = instant, key
        return self._keys[term]

    def timed_task(self) -> TimedTask:
        """Return the task with time; raise `InputError` if its times cannot be represented."""
        kept = [o for o, pair in enumerate(self.instants) if self._is_kept(*pair)]
        places = {o: place for place, o in enumerate(kept)}
        finder = ResourceFinder(
            self.text,
            self.parts,
            self.inner,
            self.grounded.task,
        )
        resources = [finder.resources_of(*self.instants[o]) for o in kept]
        writes = [instant.writes for instant in resources]
        running = self._running(self.grounded.task)
        lasting = list[LastingAction]()
        for key in self.lasting:
            action, shared = self._lasting_action(key, running[key], finder, places)
            lasting.append(action)
            writes = [w | action.watches if w & shared else w for w in writes]
        grounded = self._with_named_operators(kept)
        numbers: NumericTask | None = None
        demands: dict[str, int] = {}
        if _depends_on_numbers(self.grounded, lasting):
            numbers, demands = self._numbers(grounded, kept)
        timed = TimedTask(
            grounded=grounded,
            names=self.inner,
            lasting=tuple(lasting),
            events=self._events(places),
            at_once=self._actions_at_once(),
            numbers=numbers,
            demands=demands,
            reads=tuple(instant.reads for instant in resources),
            writes=tuple(writes),
        )
        self._check_times(timed)
        return timed

    def _with_named_operators(self, kept: Sequence[int]) -> GroundNumericTask:
        """Return the task with the operators in `kept`, named by their instants."""
        operators = tuple(self._named_operator(o) for o in kept)
        grounded = _restrict(self.grounded, kept)
        return replace(grounded, task=replace(grounded.task, operators=operators))

    def _events(self, places: Mapping[int, int]) -> dict[int, Fraction]:
        """Return the times of the events, by the new numbers of their operators.

        `places` has the new number of each operator that is kept, by its old number.
        """
        events = dict[int, Fraction]()
        for o, (instant, _) in enumerate(self.instants):
            if instant.kind == "event":
                events[places[o]] = instant.time
        return events

    def _actions_at_once(self) -> frozenset[str]:
        """Return the durative actions that take no time, as terms."""
        keys = [key for instant, key in self.instants if instant.kind == "once"]
        return frozenset(self.names.action(*key) for key in keys)

    def _is_kept(self, instant: Instant, key: _Key) -> bool:
        """Return whether the task with time keeps the operators of an instant.

        It drops the operators of kind `all`, which only have the `over all` conditions of actions,
        and operators of actions that cannot take place.
        """
        if instant.kind not in _KINDS:
            return True
        return instant.kind != "all" and key in self.lasting

    def _lasting_action(
        self,
        key: _Key,
        running: Fact,
        finder: ResourceFinder,
        places: Mapping[int, int],
    ) -> tuple[LastingAction, frozenset[Resource]]:
        """Return a durative action, and the resources that a common resource replaces.

        Two changes together may make a disjunctive `over all` condition false, although each change
        alone would leave it true. So all changes of the condition's resources must be epsilon
        apart. Therefore one common resource replaces these resources in `watches`. The caller adds
        it to the writes of all operators that write a replaced resource. The second result is empty
        if no common resource is needed.

        Parameters
        ----------
        key
            The action.
        running
            The fact that holds while it is running.
        finder
            The finder of the resources of an instant.
        places
            The new numbers of the operators that are kept.
        """
        task = self.grounded.task
        operators = self.operators[key]
        ways = list[tuple[Fact, ...]]()
        for o in operators["all"]:
            precondition = task.operators[o].precondition
            ways.append(tuple(fact for fact in precondition if fact != running))
        reads = finder.resources_of(*self.instants[operators["all"][0]]).reads
        watches = reads - {str(running[0])}
        term = self.names.action(*key)
        is_derived = any(task.variables[v].is_derived for v, _ in ways[0])
        shared = frozenset[Resource]()
        if len(watches) > 1 and (len(ways) > 1 or is_derived):
            shared = watches
            watches = frozenset((f"together({term})",))
        name, arguments = key
        shortest, longest = self.lasting[key]
        action = LastingAction(
            term=term,
            shortest=shortest,
            longest=longest,
            running=running,
            throughout=tuple(ways),
            watches=watches,
            starts=tuple(places[o] for o in operators["start"]),
            ends=tuple(places[o] for o in operators["end"]),
            limits=tuple((word, (number, *arguments)) for word, number in self.parts.spans[name]),
        )
        return action, shared

    def _named_operator(self, o: int) -> Operator:
        """Return operator `o` with a name that shows its instant, such as `start(drive(a,b))`."""
        instant, key = self.instants[o]
        if instant.kind == "event":
            term = f'event("{instant.time}")'
        elif instant.kind in _KINDS:
            term = f"{instant.kind}({self.names.action(*key)})"
        else:
            term = self.names.action(*key)
        return replace(self.grounded.task.operators[o], action=term)

    def _check_times(self, timed: TimedTask) -> None:
        """Raise `InputError` if times are too large, or if effects read rounded durations."""
        place = self.text.domain.name
        if timed.is_exact:
            return
        if any(timed.units(time) > LARGEST for time in timed.times):
            problem = "an action takes longer than asplan can count in units of 0.001"
            raise wrong(place, problem, "use a larger unit of time in the task")
        if any(f.name.key == DURATION for f in functions(*self._amounts())):
            problem = "effects read durations with too many different fractions to be exact"
            raise wrong(place, problem, "round the numbers that durations depend on")

    def _amounts(self) -> Iterator[syntax.Expression]:
        """Yield the amounts by which effects of durative actions change numbers."""
        for action in self.durative.values():
            for _, effect in action.effects:
                for part, _ in syntax.inside(effect):
                    if isinstance(part, syntax.Assign):
                        yield part.amount

    def _numbers(
        self,
        grounded: GroundNumericTask,
        kept: Sequence[int],
    ) -> tuple[NumericTask, dict[str, int]]:
        """Return the task in whole numbers, and `TimedTask.demands`.

        Raise `InputError` if an `over all` condition is a disjunction with numbers.

        Parameters
        ----------
        grounded
            The task with the operators that are kept.
        kept
            The numbers that these operators have in `self.grounded`.
        """
        scaled = scale(self.grounded)
        several = [scaled.counted[o] for o in kept]
        demands: dict[str, int] = {}
        for key in self.lasting:
            ways = self.operators[key]["all"]
            if not any(self.grounded.counted[o].tests for o in ways):
                continue
            if len(ways) > 1:
                action = self.durative[key[0]]
                problem = (
                    f"{action.name}: asplan does not support a disjunction with numbers in an "
                    "over all condition"
                )
                raise wrong(action.name, problem, "divide the action into several")
            demands[self.names.action(*key)] = len(several)
            several.append(scaled.counted[ways[0]])
        task = replace(
            scaled,
            task=grounded.task,
            counted=tuple(several),
            bounds=tuple(bounds_of(scaled)),
        )
        return task, demands

    def _running(self, task: Task) -> dict[_Key, Fact]:
        """Return, for each durative action, the fact that holds while it is running."""
        facts = {task.atom(fact): fact for fact in task.facts}
        running = dict[_Key, Fact]()
        for key in self.operators:
            name, arguments = key
            term = self.inner.atom(self.parts.running[name], arguments)
            if term in facts:
                running[key] = facts[term]
        return running

    def _span(
        self,
        name: str,
        arguments: tuple[str, ...],
    ) -> _Span | None:
        """Return the least and the largest duration of an action, from bounds that do not change.

        Return None if no duration is possible, or if a bound has no value.
        """
        action = self.durative[name]
        binding = bind(action.parameters, arguments)
        least = Fraction(0)
        most = list[Fraction]()
        for limit in self._fixed_limits(action):
            try:
                value = evaluate(limit.right, binding, self.text.values)
            except UndefinedError:
                return None
            if value.terms:
                return None  # Some function has no value.
            if limit.word in ("=", ">="):
                least = max(least, value.constant)
            if limit.word in ("=", "<="):
                most.append(value.constant)
        longest = min(most, default=None)
        if least == 0 == longest:
            return _AT_ONCE
        least = max(least, EPSILON)
        return None if longest is not None and longest < least else (least, longest)

    def _fixed_limits(
        self,
        action: syntax.DurativeAction,
    ) -> Iterator[syntax.Compare]:
        """Yield the bounds of a duration that do not change.

        Raise `InputError` for a bound at the end that depends on a changing number.
        """
        changing = changing_limits(action, self.text.assigned)
        for _, limit in action.duration:
            if any(limit is other for other in changing):
                continue
            if any(part.name.key in self.text.assigned for part in functions(limit.right)):
                problem = "this duration depends on a number at the end of the action"
                hint = "durations may depend on numbers at the start"
                raise wrong(limit.at, f"{quoted(limit.at)}: {problem}", hint)
            yield limit

    def _with_shortcuts(
        self,
        grounded: GroundNumericTask,
        at_once: Sequence[_Key],
    ) -> GroundNumericTask:
        """Return the task with operators for the actions that take no time.

        Each of these operators combines the start and the end of an action.
        """
        operators = list(grounded.task.operators)
        counted = list(grounded.counted)
        running = self._running(grounded.task)
        for key in at_once:
            pairs = product(self.operators[key]["start"], self.operators[key]["end"])
            for start, end in pairs:
                first = operators[start]
                last = operators[end]
                operators.append(
                    _shortcut(
                        grounded.task,
                        first,
                        last,
                        running[key],
                    )
                )
                one = counted[start]
                other = counted[end]
                counted.append(GroundNumbers(one.tests + other.tests, one.changes + other.changes))
                self.instants.append((Instant("once", key[0]), key))
        task = replace(grounded.task, operators=tuple(operators))
        return replace(grounded, task=task, counted=tuple(counted))

    def _merge(self, grounded: GroundNumericTask) -> GroundNumericTask:
        """Merge variables (see the module `merging`), unless conditions depend on numbers."""
        changes = (change for counted in grounded.counted for change in counted.changes)
        if grounded.tests or not all(change.is_plain for change in changes):
            return grounded
        running = self._running(grounded.task)
        runs = dict[Fact, tuple[list[int], list[int]]]()
        for key in self.lasting:
            operators = self.operators[key]
            runs[running[key]] = (operators["start"], operators["end"])
        busy = {self.inner.predicates.terms[key] for key in self.parts.busy}
        merged = merge(
            grounded.task,
            runs,
            lambda value: value.partition("(")[0] in busy,
        )
        return replace(grounded, task=merged)


def _shortcut(
    task: Task,
    first: Operator,
    last: Operator,
    running: Fact,
) -> Operator:
    """Return an operator that combines the start `first` and the end `last` of an action.

    An atom that the start adds and the end deletes holds afterwards. `running` is the fact that
    holds while the action is running; the operator neither needs nor changes it.
    """
    always = dict(first.always)
    for v, d in last.always:
        if task.atom((v, d)) != NONE or v not in always:
            always[v] = d
    always.pop(running[0], None)
    effects = [Effect(fact) for fact in always.items()]
    for operator in (first, last):
        effects += [effect for effect in operator.effects if effect.condition]
    needed = {*first.precondition, *last.precondition} - {running}
    return Operator(
        first.action,
        tuple(sorted(needed)),
        tuple(effects),
    )


def _depends_on_numbers(
    grounded: GroundNumericTask,
    lasting: Sequence[LastingAction],
) -> bool:
    """Return whether durations, the goal, derived facts or conditions depend on numbers."""
    if grounded.goal or grounded.tests:
        return True
    if any(action.limits for action in lasting):
        return True
    return any(operator.tests for operator in grounded.counted)


def _restrict(grounded: GroundNumericTask, kept: Sequence[int]) -> GroundNumericTask:
    """Return the task with only the operators in `kept`."""
    operators = tuple(grounded.task.operators[o] for o in kept)
    counted = tuple(grounded.counted[o] for o in kept)
    return replace(
        grounded,
        task=replace(grounded.task, operators=operators),
        counted=counted,
    )
