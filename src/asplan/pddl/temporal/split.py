"""The split of durative actions into plain actions, which have no duration, for their instants.

A durative action becomes three plain actions. The action at its start adds the atom that it is
running. The action at its end needs and deletes this atom. The third plain action has the `over
all` conditions; it only serves to ground these, and plans never contain it.

If the start deletes an atom with a parameter and the end adds an atom with it, the start also marks
the parameter busy. This helps grounding to find invariants: a truck is at one place, or busy with
driving.

If a bound of the duration depends on numbers that change, the start assigns the bound to a new
function, and the end reads this function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.plain import (
    FreshNames,
    rewritten,
    with_changes,
)
from asplan.pddl.language.syntax import (
    DURATION,
    Atom,
    PddlAction,
    TaskText,
    functions,
)


@dataclass(frozen=True)
class Instant:
    """The meaning of a plain action: an action without duration, which represents an instant.

    Attributes
    ----------
    kind
        `start` or `end` of a durative action; `all` for its `over all` conditions; `once` for a
        durative action of duration 0; `event` for changes at a given time; `plain` for an action
        that has no duration in the task either.
    action
        The key of the action in the task; empty for an event.
    time
        The time of an event.
    """

    kind: str
    action: str = ""
    time: Fraction = Fraction(0)


@dataclass(frozen=True)
class Split:
    """A task of plain actions: actions without duration, each for one instant of the original task.

    Attributes
    ----------
    text
        The task.
    instants
        The meaning of each plain action, by its key.
    running
        For each durative action, the predicate of the atoms that hold while it is running.
    busy
        The predicates of the atoms that hold while a parameter of an action is busy.
    spans
        For each durative action the bounds of its duration that depend on changing numbers: the
        comparison (`=`, `<=` or `>=`), and the new function of the action's parameters.
    """

    text: TaskText
    instants: Mapping[str, Instant]
    running: Mapping[str, str]
    busy: frozenset[str]
    spans: Mapping[str, tuple[tuple[str, str], ...]]


def split(task: TaskText) -> Split:
    """Convert durative actions, and the timed literals of each time, to plain actions."""
    splitter = _Splitter(task)
    for durative in task.domain.durative:
        splitter.add_durative(durative)
    splitter.add_events()
    return splitter.split()


@dataclass(frozen=True)
class _Marks:
    """The new atoms and functions of a durative action.

    Attributes
    ----------
    running
        The atom that holds while the action is running.
    busy
        The atoms that hold while a parameter is busy, one for each marked parameter.
    bounds
        The bounds of its duration that depend on changing numbers. With each comes the new function
        that has the value of the bound.
    """

    running: Atom
    busy: Sequence[Atom]
    bounds: Sequence[tuple[syntax.Compare, Atom]]


class _Splitter:
    """A builder of the task of plain actions, which have no duration and represent instants."""

    def __init__(self, task: TaskText) -> None:
        domain = task.domain
        self._task = task
        self._names = FreshNames(
            domain.name, domain.predicates, domain.functions, domain.actions, domain.durative
        )
        self._functions = list(domain.functions)
        self._predicates = list(domain.predicates)
        self._actions = list(domain.actions)
        self._instants = dict[str, Instant]()
        for action in domain.actions:
            self._instants[action.name.key] = Instant("plain", action.name.key)
        self._running = dict[str, str]()
        self._busy = set[str]()
        self._spans = dict[str, tuple[tuple[str, str], ...]]()

    def add_durative(self, durative: syntax.DurativeAction) -> None:
        """Add the plain actions for the start, `over all` conditions and end of an action."""
        key = durative.name.key
        running = syntax.Signature(self._names.new(f"running-{key}"), durative.parameters)
        busy = list[syntax.Signature]()
        for parameters in _busy_parameters(durative):
            busy.append(syntax.Signature(self._names.new(f"busy-{key}"), parameters))
        self._running[key] = running.name.key
        self._busy.update(predicate.name.key for predicate in busy)
        self._predicates += [running, *busy]
        bounds = list[tuple[syntax.Compare, Atom]]()
        for limit in changing_limits(durative, self._task.assigned):
            number = Atom(self._names.new(f"takes-{key}"), running.atom.arguments)
            bounds.append((limit, number))
            self._functions.append(syntax.Signature(number.name, durative.parameters))
        self._spans[key] = tuple((limit.word, number.name.key) for limit, number in bounds)
        marks = _Marks(
            running.atom,
            [predicate.atom for predicate in busy],
            bounds,
        )
        for kind, action in _instants(durative, marks, self._names):
            self._instants[action.name.key] = Instant(kind, key)
            self._actions.append(action)

    def add_events(self) -> None:
        """Add an action for each time at which timed literals change."""
        timed = sorted(self._task.problem.timed, key=lambda pair: pair[0])
        for time, pairs in groupby(timed, key=lambda pair: pair[0]):
            name = self._names.new("event")
            effect = syntax.Together(tuple(change for _, change in pairs))
            self._actions.append(
                PddlAction(
                    name,
                    (),
                    syntax.ALWAYS,
                    effect,
                )
            )
            self._instants[name.key] = Instant("event", time=time)

    def split(self) -> Split:
        """Return the task of plain actions."""
        text = rewritten(
            self._task,
            {
                "predicates": tuple(self._predicates),
                "functions": tuple(self._functions),
                "actions": tuple(self._actions),
                "durative": (),
            },
            {"timed": (), "metric": None},
        )
        return Split(
            text,
            self._instants,
            self._running,
            frozenset(self._busy),
            self._spans,
        )


def _busy_parameters(durative: syntax.DurativeAction) -> list[tuple[syntax.Typed, ...]]:
    """Return the parameters that the action marks busy, each alone in a tuple.

    An action with a single parameter marks none, because its `running` atom suffices.
    """
    deleted = _parameters_in(durative, "start", holds=False)
    busy = deleted & _parameters_in(durative, "end", holds=True)
    parameters = durative.parameters
    if len(parameters) < 2:
        return []
    return [(parameter,) for parameter in parameters if parameter.name.key in busy]


def _instants(
    durative: syntax.DurativeAction, marks: _Marks, names: FreshNames
) -> Iterator[tuple[str, PddlAction]]:
    """Yield the three actions without duration that represent a durative action.

    Each item has the kind of an action and the action. The kinds are `start`, `all` (for the `over
    all` conditions) and `end`. `names` makes the names of the actions.
    """
    equal = [limit.right for _, limit in durative.duration if limit.word == "="]
    duration = equal[0] if equal else None
    numbers = [number for limit, number in marks.bounds if limit.word == "="]
    for kind in ("start", "all", "end"):
        value = numbers[0] if kind == "end" and numbers else duration
        effects = _effects(durative, marks, kind, value)
        action = PddlAction(
            names.new(f"{kind}-{durative.name.key}"),
            durative.parameters,
            syntax.Connected("and", tuple(_conditions(durative, marks, kind))),
            syntax.Together(tuple(effects)),
        )
        yield kind, action


def _conditions(
    durative: syntax.DurativeAction, marks: _Marks, kind: str
) -> Iterator[syntax.Formula]:
    """Yield the conditions of one part of a durative action; `kind` is `start`, `all` or `end`.

    `over all` conditions are conditions of the end, too.
    """
    times = ("all", "end") if kind == "end" else (kind,)
    yield from (part for time, part in durative.conditions if time in times)
    if kind != "start":
        yield marks.running
    if kind == "end":
        yield from marks.busy


def _effects(
    durative: syntax.DurativeAction,
    marks: _Marks,
    kind: str,
    duration: syntax.Expression | None,
) -> Iterator[syntax.EffectFormula]:
    """Yield the effects of one part of a durative action; `kind` is `start`, `all` or `end`.

    The start adds the atoms `marks.running` and `marks.busy`; the end deletes them. `duration` is
    the expression that replaces `?duration`.
    """
    for time, part in durative.effects:
        if time == kind:
            yield _with_duration(part, duration)
    if kind == "all":
        return
    is_start = kind == "start"
    if is_start:
        for limit, number in marks.bounds:
            yield syntax.Assign("assign", number, limit.right, limit.at)
    for atom in (marks.running, *marks.busy):
        yield syntax.Changed(atom, is_start)


def _parameters_in(
    durative: syntax.DurativeAction,
    time: str,
    holds: bool,
) -> set[str]:
    """Return the arguments of the atoms that an action adds (if `holds`) or deletes at a time.

    The time is `start` or `end`.
    """
    words = set[str]()
    effects = [effect for when, effect in durative.effects if when == time]
    for effect in effects:
        for part, _ in syntax.inside(effect):
            if isinstance(part, syntax.Changed) and part.holds is holds:
                words.update(word.key for word in part.atom.arguments)
    return words


def changing_limits(
    durative: syntax.DurativeAction, assigned: Collection[str]
) -> list[syntax.Compare]:
    """Return the bounds for a duration that are read at its start and depend on `assigned`.

    `assigned` are the keys of functions that effects change.
    """
    limits = [limit for time, limit in durative.duration if time == "start"]
    return [limit for limit in limits if _mentions(limit.right, assigned)]


def _mentions(
    expression: syntax.Expression,
    names: Collection[str],
) -> bool:
    """Return whether an expression contains a function with one of the names."""
    return any(function.name.key in names for function in functions(expression))


def _with_duration(
    effect: syntax.EffectFormula, duration: syntax.Expression | None
) -> syntax.EffectFormula:
    """Replace `?duration` in an effect by the expression `duration`.

    Raise `InputError` if the effect contains `?duration`, and there is no expression.
    """

    def replace_duration(change: syntax.Assign) -> syntax.Assign:
        if duration is not None:
            return replace(change, amount=_replace(change.amount, duration))
        if _mentions(change.amount, (DURATION,)):
            problem = f"{quoted(change.at)}: the effect reads a duration that may vary"
            hint = "?duration in effects needs a duration that is given by ="
            raise wrong(change.at, problem, hint)
        return change

    return with_changes(effect, replace_duration)


def _replace(
    expression: syntax.Expression,
    duration: syntax.Expression,
) -> syntax.Expression:
    """Replace `?duration` in an expression by another expression."""
    match expression:
        case Atom(name, ()) if name.key == DURATION:
            return duration
        case syntax.Operation(parts=parts):
            replaced = (_replace(part, duration) for part in parts)
            return replace(expression, parts=tuple(replaced))
    return expression
