"""A task without durations whose plain actions are the instants of those that take time.

A durative action becomes three: one where it starts, which adds that it is running; one where it
ends, which needs and deletes that; and one that stands for all the time between, with the
conditions that hold over all of it. The last is there only to be grounded like the others.

Beside that an action is running, its start says of a parameter that it is busy with it, where it
deletes an atom with that and its end adds one. That makes invariants visible to grounding: a
truck is at one place, or busy with driving.

A duration that depends on numbers that change becomes a number: the start sets it, and the end
reads it.

Two instants interfere if one reads or writes what the other writes, as their texts tell: then they
must not happen at the same time, but `epsilon` apart (Fox and Long, PDDL2.1, 2003, Definition 12:
no moving targets).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from asplan.core.graphs import closure
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.plain import FreshNames, rewritten, with_changes
from asplan.pddl.language.syntax import DURATION, Action, Atom, GroundAtom, TaskText, functions
from asplan.pddl.task.task import NONE, Task


@dataclass(frozen=True)
class Instant:
    """What a plain action stands for.

    `kind` is `start`, `all` or `end` of the author's durative action with that key, `event` for
    what happens at a given time, or `plain` for an action that takes no time.
    """

    kind: str
    action: str = ""
    time: Fraction = Fraction(0)


@dataclass(frozen=True)
class Split:
    """A task of plain actions.

    `instants` says by the key of each of its actions what that stands for, and `running` has for
    each durative action the key of the predicate that it is taking place; `busy` are the predicates
    that a parameter is busy. `spans` has for each durative action the numbers by which its duration
    is bounded: the word of the comparison, and the key of a function of the action's parameters.
    """

    text: TaskText
    instants: Mapping[str, Instant]
    running: Mapping[str, str]
    busy: frozenset[str]
    spans: Mapping[str, tuple[tuple[str, str], ...]]


def split(task: TaskText) -> Split:
    """Divide the durative actions of a task, and make actions of what happens at given times."""
    domain, problem = task.domain, task.problem
    names = FreshNames(
        domain.name, domain.predicates, domain.functions, domain.actions, domain.durative
    )
    functions, spans = list(domain.functions), dict[str, tuple[tuple[str, str], ...]]()
    instants = {action.name.key: Instant("plain", action.name.key) for action in domain.actions}
    actions, running, predicates = list(domain.actions), dict[str, str](), list[syntax.Signature]()
    busy = set[str]()
    for durative in domain.durative:
        key, parameters = durative.name.key, durative.parameters
        taken = _parameters_in(durative, "start", False) & _parameters_in(durative, "end", True)
        several = [parameters]
        several += ((p,) for p in parameters if len(parameters) > 1 and p.name.key in taken)
        signs = [syntax.Signature(names.new(f"running-{key}"), several[0])]
        signs += (syntax.Signature(names.new(f"busy-{key}"), group) for group in several[1:])
        runs, *others = (sign.atom for sign in signs)
        running[key] = runs.name.key
        busy.update(atom.name.key for atom in others)
        predicates += signs
        limits = changing_limits(durative, task.assigned)
        bounds = [(limit, Atom(names.new(f"takes-{key}"), runs.arguments)) for limit in limits]
        spans[key] = tuple((limit.word, number.name.key) for limit, number in bounds)
        functions += (syntax.Signature(number.name, parameters) for _, number in bounds)
        for kind, action in _instants(durative, runs, others, bounds, names):
            instants[action.name.key] = Instant(kind, key)
            actions.append(action)
    timed = sorted(problem.timed, key=lambda pair: pair[0])
    for time, pairs in groupby(timed, key=lambda pair: pair[0]):
        name = names.new("event")
        effect = syntax.Together(tuple(change for _, change in pairs))
        actions.append(Action(name, (), syntax.ALWAYS, effect))
        instants[name.key] = Instant("event", time=time)
    text = rewritten(
        task,
        {
            "predicates": (*domain.predicates, *predicates),
            "functions": tuple(functions),
            "actions": tuple(actions),
            "durative": (),
        },
        {"timed": (), "metric": None},
    )
    return Split(text, instants, running, frozenset(busy), spans)


def _instants(
    durative: syntax.DurativeAction,
    runs: Atom,
    busy: Sequence[Atom],
    bounds: Sequence[tuple[syntax.Compare, Atom]],
    names: FreshNames,
) -> Iterator[tuple[str, Action]]:
    key, limits = durative.name.key, (limit for _, limit in durative.duration)
    known = next((limit.right for limit in limits if limit.word == "="), None)
    for kind in ("start", "all", "end"):
        # What holds all the time holds when the action ends.
        asked = ("all", "end") if kind == "end" else (kind,)
        conditions = [part for time, part in durative.conditions if time in asked]
        effects = [part for time, part in durative.effects if time == kind]
        if kind == "end":
            known = next((number for limit, number in bounds if limit.word == "="), known)
        effects = [_with_duration(part, known) for part in effects]
        if kind == "start":
            effects += (syntax.Assign("assign", n, limit.right, limit.at) for limit, n in bounds)
            effects += (syntax.Changed(atom, True) for atom in (runs, *busy))
        else:
            conditions.append(runs)
        if kind == "end":
            conditions += busy
            effects += (syntax.Changed(atom, False) for atom in (runs, *busy))
        yield (
            kind,
            Action(
                names.new(f"{kind}-{key}"),
                durative.parameters,
                syntax.Connected("and", tuple(conditions)),
                syntax.Together(tuple(effects)),
            ),
        )


def _parameters_in(durative: syntax.DurativeAction, time: str, holds: bool) -> set[str]:
    """What stands in atoms that an action adds, or deletes, at one of its ends."""
    return {
        word.key
        for when, effect in durative.effects
        for part, _ in syntax.inside(effect)
        if when == time and isinstance(part, syntax.Changed) and part.holds is holds
        for word in part.atom.arguments
    }


def changing_limits(
    durative: syntax.DurativeAction, assigned: Collection[str]
) -> list[syntax.Compare]:
    """The bounds of a duration that depend on numbers that change, as they are at the start."""
    return [
        limit
        for time, limit in durative.duration
        if time == "start" and any(f.name.key in assigned for f in functions(limit.right))
    ]


def _with_duration(
    effect: syntax.EffectFormula, known: syntax.Expression | None
) -> syntax.EffectFormula:
    """An effect with an expression in place of `?duration`; `InputError` where none is known."""

    def new(change: syntax.Assign) -> syntax.Assign:
        if known is not None:
            return replace(change, amount=_replaced(change.amount, known))
        if any(f.name.key == DURATION for f in functions(change.amount)):
            what = f"{quoted(change.at)}: the duration is bounded only, and this depends on it"
            hint = "asplan takes ?duration in effects where the duration is given by ="
            raise wrong(change.at, what, hint)
        return change

    return with_changes(effect, new)


def _replaced(expression: syntax.Expression, known: syntax.Expression) -> syntax.Expression:
    match expression:
        case Atom(name, ()) if name.key == DURATION:
            return known
        case syntax.Operation(parts=parts):
            return replace(expression, parts=tuple(_replaced(part, known) for part in parts))
    return expression


Resource = str
"""What instants read and write: the number of a variable, or a term for something else."""

NUMBER = "="  # stands before a ground function where there are also ground atoms

Bound = Mapping[str, str]
_Touch = tuple[GroundAtom, bool]  # an atom or function, and whether it is written


class Toucher:
    """Knows what the instants of a task read and write."""

    def __init__(self, text: TaskText, parts: Split, names: PddlNames, task: Task) -> None:
        """`names` are those of the plain task, and the finite-domain `task` was made of it."""
        self.text, self.parts, self.names = text, parts, names
        self.actions: dict[str, Action] = {a.name.key: a for a in parts.text.domain.actions}
        self.durative: dict[str, syntax.DurativeAction] = {
            a.name.key: a for a in text.domain.durative
        }
        self.variable: dict[str, Resource] = {}
        self.of_predicate: defaultdict[str, set[Resource]] = defaultdict(set)
        for v, variable in enumerate(task.variables):
            for value in variable.values:
                if value != NONE and not variable.is_derived:
                    self.variable[value] = str(v)
                    self.of_predicate[value.partition("(")[0]].add(str(v))
        direct: dict[str, set[str]] = {}
        for rule in text.domain.rules:
            atoms = (part for part, _ in syntax.inside(rule.body) if isinstance(part, Atom))
            direct.setdefault(rule.name.key, set()).update(atom.name.key for atom in atoms)
        self.bases = {  # those on which a derived predicate rests, whatever lies between
            name: closure([name], lambda key: direct.get(key, ())) - direct.keys()
            for name in direct
        }
        every = [part for a in text.domain.actions for part in (a.precondition, a.effect)]
        every += (part for durative in text.domain.durative for part in durative.parts)
        self.read_functions = {
            atom[1]
            for part in every
            for atom, is_written in self._touches(part, {})
            if atom[0] == NUMBER and not is_written
        }

    def touched(
        self, instant: Instant, key: tuple[str, tuple[str, ...]]
    ) -> tuple[frozenset[Resource], frozenset[Resource]]:
        """What an instant of an action with its arguments reads and writes."""
        reads, writes = set[Resource](), set[Resource]()
        name, arguments = key
        if instant.kind in ("plain", "event"):
            actions = [self.actions[name]]
        else:
            kinds = ("start", "all", "end") if instant.kind == "once" else (instant.kind,)
            actions = [self.durative[name].at(kind) for kind in kinds]
        parts: list[syntax.Part] = [part for a in actions for part in (a.precondition, a.effect)]
        if instant.kind in ("start", "once"):
            parts += changing_limits(self.durative[name], self.text.assigned)
        bound = syntax.bind(actions[0].parameters, arguments)
        for part in parts:
            for atom, is_written in self._touches(part, bound):
                (writes if is_written else reads).update(self._resources(atom))
        if instant.kind in ("start", "end"):
            writes.add(self.variable[self.names.atom(self.parts.running[name], arguments)])
        return frozenset(reads), frozenset(writes)

    def _resources(self, atom: GroundAtom) -> Iterator[Resource]:
        """What stands for an atom or a function; nothing for one that never changes."""
        name = atom[0]
        if name == NUMBER:
            if atom[1] in self.text.assigned and atom[1] in self.read_functions:
                yield f"number({self.names.function(atom[1], atom[2:])})"
        elif name in self.bases:
            for base in self.bases[name]:
                yield from self.of_predicate[self.names.predicates.terms[base]]
        elif name in self.text.fluents:
            term = self.names.atom(name, atom[1:])
            yield self.variable.get(term, f"atom({term})")

    def _touches(self, part: syntax.Part, bound: Bound) -> Iterator[_Touch]:
        match part:
            case Atom():
                yield part.ground(bound), False
            case syntax.Changed(atom):
                yield atom.ground(bound), True
            case syntax.Connected(_, parts) | syntax.Together(parts):
                for each in parts:
                    yield from self._touches(each, bound)
            case syntax.When(condition, body):
                yield from self._touches(condition, bound)
                yield from self._touches(body, bound)
            case syntax.Quantified(_, variables, body) | syntax.Each(variables, body):
                for inner in self.text.bindings(variables, bound):
                    yield from self._touches(body, inner)
            case syntax.Compare(_, left, right):
                yield from _functions(bound, left, right)
            case syntax.Assign(_, target, amount):
                yield (NUMBER, *target.ground(bound)), True
                yield from _functions(bound, amount)


def _functions(bound: Bound, *several: syntax.Expression) -> Iterator[_Touch]:
    for each in functions(*several):
        if each.name.key != DURATION:
            yield (NUMBER, *each.ground(bound)), False
