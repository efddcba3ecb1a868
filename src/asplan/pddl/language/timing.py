"""What time means: plans whose actions begin and end at given times, executed exactly.

Actions begin and end in happenings (Fox and Long, PDDL2.1, section 8). What is at one time happens
at once, each by the state before, and must not interfere: nothing that one reads may be changed by
another, and both may change something only in ways that agree. So it is with what is less than
`EPSILON` apart. Of a condition all atoms are read that it speaks of, with quantifiers and derived
predicates expanded (definition 12), but for what never changes, and for what stands beside that
where it decides the whole. What must hold all the time is looked at after each happening from the
first to the last but one of an action.

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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, groupby

from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import Normalizer, value_of
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.numbers import ADDING, Changes, NumericModel, NumericState, changed_values
from asplan.pddl.language.semantics import Compiled, World
from asplan.pddl.language.syntax import Formula, GroundAtom, Row, TaskText, bind
from asplan.program.source import ground_term


class Reading:
    """What conditions and effects read: ground atoms, and functions with `=` before their names."""

    def __init__(self, model: NumericModel) -> None:
        self.model, self.task = model, model.task
        self.world = model.world_with(NumericState((), {}), {})
        self.seen: set[GroundAtom] = set()

    def condition(self, formula: Formula, bound: Mapping[str, str]) -> bool | set[GroundAtom]:
        """What a condition reads; or whether it holds, where it is the same in all states."""
        match formula:
            case syntax.Atom():
                return self._atom(formula.ground(bound))
            case syntax.Equal(left, right):
                return bound.get(left.key, left.key) == bound.get(right.key, right.key)
            case syntax.Compare(_, left, right):
                if read := self.numbers(syntax.functions(left, right), bound):
                    return read
                return self.model.why_false(self.world, formula, bound) is None or set()
            case syntax.Connected("not", (body,)):
                found = self.condition(body, bound)
                return not found if isinstance(found, bool) else found
            case syntax.Connected("imply", (left, right)):
                fails = self.condition(syntax.Connected("not", (left,)), bound)
                return _joined([fails, self.condition(right, bound)], every=False)
            case syntax.Connected(word, parts):
                return _joined((self.condition(p, bound) for p in parts), every=word == "and")
            case syntax.Quantified(word, variables, body):
                inner = self.task.bindings(variables, bound)
                return _joined((self.condition(body, b) for b in inner), every=word == "forall")

    def effect(self, effect: syntax.EffectFormula, bound: Mapping[str, str]) -> set[GroundAtom]:
        match effect:
            case syntax.Together(parts):
                return set().union(*(self.effect(part, bound) for part in parts))
            case syntax.Each(variables, body):
                inner = self.task.bindings(variables, bound)
                return set().union(*(self.effect(body, b) for b in inner))
            case syntax.When(condition, body):
                found = self.condition(condition, bound)
                if found is False:
                    return set()
                own = set() if found is True else found
                return own | self.effect(body, bound)
            case syntax.Assign(_, _, amount):
                return self.numbers(syntax.functions(amount), bound)
        return set()

    def numbers(
        self, functions: Iterable[syntax.Atom], bound: Mapping[str, str]
    ) -> set[GroundAtom]:
        """Those of some functions that something changes."""
        changing = (f for f in functions if f.name.key in self.task.assigned)
        return {("=", *function.ground(bound)) for function in changing}

    def _atom(self, atom: GroundAtom) -> bool | set[GroundAtom]:
        predicate, *row = atom
        if predicate in self.task.fluents:
            return {atom}
        if predicate not in self.task.derived:
            return tuple(row) in self.model.static[predicate].rows
        if atom in self.seen:
            return set()
        self.seen.add(atom)
        rules = (rule for rule in self.task.domain.rules if rule.name.key == predicate)
        read = [self.condition(rule.body, bind(rule.parameters, row)) for rule in rules]
        return _joined(read, every=False)


def _joined(parts: Iterable[bool | set[GroundAtom]], every: bool) -> bool | set[GroundAtom]:
    """What a conjunction (`every`) or disjunction of parts reads, or what it comes to."""
    found: set[GroundAtom] = set()
    is_open = False
    for part in parts:
        if isinstance(part, bool):
            if part != every:
                return part
        else:
            is_open, found = True, found | part
    return found if is_open else every


EPSILON = Fraction(1, 1000)
"""How far apart happenings must be that interfere, and what durations may be wrong by."""


@dataclass(frozen=True)
class Execution:
    """What a plan passes through: the state from each time on, at first that before all happens.

    `makespan` is when the last action ends, and `metric` what the metric of the problem comes to.
    """

    times: tuple[Fraction, ...]
    states: tuple[NumericState, ...]
    makespan: Fraction
    metric: Fraction | None


@dataclass(frozen=True)
class _Happening:
    """A start, an end, or an action without a duration; or what begins then and goes on.

    `limits` are those of its duration.
    """

    time: Fraction
    name: str
    verb: str
    compiled: Compiled
    arguments: Row = ()
    duration: Fraction | None = None
    limits: tuple[syntax.Compare, ...] = ()

    @property
    def condition(self) -> Formula:
        return self.compiled.action.precondition

    @cached_property
    def binding(self) -> dict[str, str]:
        return self.compiled.binding(self.arguments)

    @cached_property
    def bound(self) -> dict[str, str]:
        return {key: self.binding[variable] for key, variable in self.compiled.bound.items()}

    @property
    def values(self) -> dict[GroundAtom, Fraction]:
        return {} if self.duration is None else {(syntax.DURATION,): self.duration}

    def __str__(self) -> str:
        part = {"begin": "the start of ", "end": "the end of "}.get(self.verb, "")
        return f"{part}{self.name} at {decimal_text(self.time)}"


@dataclass
class _Touched:
    """What a happening reads and changes; functions have `=` before their names."""

    happening: _Happening
    reads: set[GroundAtom]
    added: set[GroundAtom]
    deleted: set[GroundAtom]
    numbers: Changes = field(default_factory=dict)

    @property
    def written(self) -> set[GroundAtom]:
        return self.added | self.deleted | {("=", *function) for function in self.numbers}


class TimedModel:
    """A task with time, whose plans can be executed.

    Raises `InputError` if its rules are not stratified.
    """

    def __init__(self, task: TaskText, names: PddlNames | None = None) -> None:
        domain = task.domain
        merged = (*domain.actions, *(action.at_any_time for action in domain.durative))
        self.task, self.names = task, names or names_of(task)
        untimed = replace(task, domain=replace(domain, actions=merged, durative=()))
        self.model = NumericModel(untimed, self.names)
        self._normalizer = Normalizer(task)

    def execute(self, plan: Plan) -> Execution:
        """What a plan passes through, up to its end and that of all timed literals.

        Raises `InvalidPlan`, which names the time, the action and what is wrong with it.
        """
        happenings, running = self._happenings(plan)
        state = self.model.initial
        assert isinstance(state, NumericState)
        times, states = [Fraction(0)], [state]
        near: list[_Touched] = []
        for time, together in groupby(happenings, key=lambda happening: happening.time):
            near = [one for one in near if one.happening.time > time - EPSILON]
            touched = [self._touch(state, happening) for happening in together]
            for each in touched:
                self._check_apart(each, near)
                near.append(each)
            world, numbers = self.model.world_with(state, {}), Changes()
            for each in touched:
                for function, changes in each.numbers.items():
                    numbers.setdefault(function, []).extend(changes)
            values = {**dict(state.values), **changed_values(numbers, world)}
            deleted = set(chain.from_iterable(each.deleted for each in touched))
            added = set(chain.from_iterable(each.added for each in touched))
            state = NumericState((state - deleted) | added, values)
            for one, end in running:
                if one.time <= time < end:
                    world = self.model.world_with(state, one.values)
                    if why := self.model.why_false(world, one.condition, one.bound):
                        begun = f"{one.name}, begun at {decimal_text(one.time)},"
                        when = decimal_text(time)
                        raise InvalidPlan(f"after {when}: {begun} needs all the time: {why}")
            times.append(time)
            states.append(state)
        if why := self.model.why_not_goal(state):
            raise InvalidPlan(f"after {decimal_text(times[-1])} the goal does not hold: {why}")
        ends = (start + (duration or 0) for step in plan.times for start, duration in step)
        makespan = max(ends, default=Fraction(0))
        metric = self.model.worth(state, {(syntax.TOTAL_TIME,): makespan})
        return Execution(tuple(times), tuple(states), makespan, metric)

    # What happens, and when.

    def _happenings(self, plan: Plan) -> tuple[list[_Happening], list[tuple[_Happening, Fraction]]]:
        """All happenings in the order of time, and what goes on between starts and ends."""
        found = list[_Happening]()
        for time, change in self.task.problem.timed:
            action = syntax.Action(change.atom.name, (), syntax.ALWAYS, change)
            text = self.names.written_atom(*change.atom.ground())
            name = text if change.holds else f"(not {text})"
            found.append(_Happening(time, name, "happen", Compiled(self._normalizer, action)))
        running: list[tuple[_Happening, Fraction]] = []
        if len(plan.times) != len(plan.steps):
            raise InvalidPlan("the plan does not say when its actions begin")
        pairs = zip(chain(*plan.steps), chain(*plan.times), strict=True)
        for term, (start, duration) in pairs:
            name = self.names.written(term)
            if start < 0:
                raise InvalidPlan(f"{name} begins at {decimal_text(start)}, before all")
            try:
                known = self.model.parse_action(ground_term(term, "action"))
            except (UsageError, ValueError) as error:
                raise InvalidPlan(f"at {decimal_text(start)}: {error}") from None
            durative = self._durative.get(known.name)
            compiled = self._compiled(known.name)
            if durative is None:
                found.append(_Happening(start, name, "apply", compiled[""], known.arguments))
                continue
            if duration is None or duration < 0:
                has = (
                    "no duration" if duration is None else f"a duration of {decimal_text(duration)}"
                )
                raise InvalidPlan(f"at {decimal_text(start)}: {name} has {has}")
            end = start + duration
            for when, verb, time in (("start", "begin", start), ("end", "end", end)):
                limits = tuple(limit for at, limit in durative.duration if at == when)
                parts = compiled[when], known.arguments, duration, limits
                found.append(_Happening(time, name, verb, *parts))
            between = _Happening(start, name, "", compiled["all"], known.arguments, duration)
            running.append((between, end))
        return sorted(found, key=lambda happening: happening.time), running

    @cached_property
    def _durative(self) -> dict[str, syntax.DurativeAction]:
        return {action.name.key: action for action in self.task.domain.durative}

    @cached_property
    def _compiled(self) -> Callable[[str], dict[str, Compiled]]:
        """The parts of an action by their times; the one of an action without a duration is ``."""
        parts = {action.name.key: {"": action} for action in self.task.domain.actions}
        for name, action in self._durative.items():
            parts[name] = {when: action.at(when) for when in ("start", "all", "end")}
        return cache(
            lambda name: {w: Compiled(self._normalizer, part) for w, part in parts[name].items()}
        )

    # What must hold.

    def _touch(self, state: NumericState, happening: _Happening) -> _Touched:
        """What a happening reads and changes; raises `InvalidPlan` where it cannot happen."""
        world = self.model.world_with(state, happening.values)
        if why := self._check_limits(world, happening):
            raise InvalidPlan(f"at {decimal_text(happening.time)}: {happening.name} {why}")
        compiled, binding, bound = happening.compiled, happening.binding, happening.bound
        numbers, why_not = self.model.computed(compiled, binding, world)
        if why := self.model.why_false(world, happening.condition, bound) or why_not:
            time, verb = decimal_text(happening.time), happening.verb
            raise InvalidPlan(f"at {time}: {happening.name} does not {verb}: {why}")
        added, deleted = compiled.changed(binding, world)
        reading = Reading(self.model)
        asked = reading.condition(happening.condition, bound)
        reads = set() if isinstance(asked, bool) else asked
        reads |= reading.effect(compiled.action.effect, bound)
        reads |= reading.numbers(
            syntax.functions(*(each.right for each in happening.limits)), bound
        )
        return _Touched(happening, reads, added, deleted, numbers)

    def _check_limits(self, world: World, happening: _Happening) -> str | None:
        """In which way an action does not take as long as it must; None if it does."""
        bound, duration = happening.bound, happening.duration
        for limit in happening.limits:
            assert duration is not None
            try:
                wanted = value_of(limit.right, bound)({}, world)
            except (KeyError, ZeroDivisionError) as error:
                return f"has no duration: {self.model.why_undefined(error)}"
            over = duration - wanted
            if (over >= EPSILON and limit.word != ">=") or (
                over <= -EPSILON and limit.word != "<="
            ):
                how = {"=": "takes", "<=": "takes at most", ">=": "takes at least"}[limit.word]
                return f"{how} {decimal_text(wanted)}, not {decimal_text(duration)}"
        return None

    def _check_apart(self, one: _Touched, near: Iterable[_Touched]) -> None:
        for other in near:
            for first, second in ((one, other), (other, one)):
                if changed := first.reads & second.written:
                    what = f"{first.happening} needs {self._text(min(changed))}, which "
                    what += f"{second.happening} changes"
                elif changed := first.added & second.deleted:
                    what = f"{first.happening} adds {self._text(min(changed))}, which "
                    what += f"{second.happening} deletes"
                elif changed := {
                    ("=", *function)
                    for function in first.numbers.keys() & second.numbers.keys()
                    for word, _ in (*first.numbers[function], *second.numbers[function])
                    if word not in ADDING  # both change it, and not just by adding
                }:
                    both = f"{first.happening} and {second.happening}"
                    what = f"{both} both change {self._text(min(changed))}"
                else:
                    continue
                raise InvalidPlan(f"{what}; what interferes must be {decimal_text(EPSILON)} apart")

    def _text(self, atom: GroundAtom) -> str:
        return self.names.written_atom(*(atom[1:] if atom[0] == "=" else atom))
