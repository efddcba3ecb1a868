"""What can be reached where nothing is ever made false: found by clingo's grounder.

At first actions, derived predicates and goal become conjunctions of literals. A disjunction in the
precondition of an action makes several schemas of it; a variable of `exists` becomes one more of
its parameters. What a negated `exists` says, or a disjunction that would make too many schemas,
becomes a derived predicate of our own (Helmert, Concise Finite-Domain Representations for PDDL
Planning Tasks, 2009, section 4).

Then actions, conditional effects and derived predicates become rules without negation of anything
that may change, so that the grounder itself derives all that there is, as facts, and nothing is
left to solve. Objects are numbers in it. It runs in a process of its own, which can be stopped.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from clingo.application import Application, clingo_main
from clingo.control import Control

from asplan.core.child import hold_signals, is_out_of_time, start_child
from asplan.core.errors import Stopped
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import EQUAL, Condition, Literal, Ranges, Some
from asplan.pddl.language.syntax import GroundAtom, Row, TaskText

MADE = "axiom"
"""What derived predicates are called that are made here; no predicate of a task is, as terms."""


@dataclass(frozen=True)
class Body:
    """A conjunction; each of its variables is one of the ranges', or of what is around it."""

    ranges: Ranges
    literals: tuple[Literal, ...]

    @property
    def variables(self) -> Row:
        return tuple(variable for variable, _ in self.ranges)


@dataclass(frozen=True)
class Rule:
    """A derived predicate, whose arguments are variables of the body."""

    head: GroundAtom
    body: Body


@dataclass(frozen=True)
class SchemaEffect:
    """An atom that is added or deleted for all objects for which the body holds."""

    body: Body
    positive: bool
    atom: GroundAtom


@dataclass(frozen=True)
class Schema:
    """An action, or one of several that stand for it; the first variables are its parameters."""

    action: syntax.Action
    body: Body
    effects: tuple[SchemaEffect, ...]


@dataclass(frozen=True)
class Lifted:
    """A task before it is ground. `moving` are the predicates whose atoms may change."""

    text: TaskText
    schemas: tuple[Schema, ...]
    rules: tuple[Rule, ...]
    goal: tuple[Literal, ...]
    moving: frozenset[str]
    derived: frozenset[str]


def lifted(text: TaskText) -> Lifted:
    """The actions, rules and goal of a task."""
    bodies = _Bodies(text)
    normalizer = bodies.normalizer
    schemas = list[Schema]()
    for action in text.domain.actions:
        found = normalizer.schema(action)
        bodies.ranges.update(found.ranges)
        effects = tuple(
            SchemaEffect(body, change.positive, change.atom)
            for change in found.changes
            for body in bodies.of(change.condition, change.ranges)
        )
        schemas += (
            Schema(action, body, effects) for body in bodies.of(found.condition, found.ranges)
        )
    for rule in text.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        head = (rule.name.key, *bound.values())
        for body in bodies.of(normalizer.condition(rule.body, bound), ranges):
            bodies.rules.append(Rule(head, body))
    parts, some = conditions.conjuncts(normalizer.condition(text.problem.goal, {}))
    if some:
        parts = (Some(True, some, conditions.Junction(True, parts)),)
    goal = tuple(part if isinstance(part, Literal) else bodies.derive(part) for part in parts)
    derived = text.derived | bodies.made
    return Lifted(text, tuple(schemas), tuple(bodies.rules), goal, text.fluents | derived, derived)


class _Bodies:
    """Makes conjunctions of conditions, and rules for what is none."""

    def __init__(self, text: TaskText) -> None:
        self.normalizer = conditions.Normalizer(text)
        self.ranges: dict[str, Row] = {}
        self.rules: list[Rule] = []
        self.made: set[str] = set()

    def of(self, condition: Condition, ranges: Ranges = ()) -> Iterator[Body]:
        """Conjunctions of which one holds where the condition does."""
        self.ranges.update(ranges)
        for one in conditions.alternatives(condition):
            parts, inner = conditions.conjuncts(one)
            self.ranges.update(inner)
            literals = tuple(
                part if isinstance(part, Literal) else self.derive(part) for part in parts
            )
            yield Body((*ranges, *inner), literals)

    def derive(self, condition: Condition) -> Literal:
        """A literal that holds where the condition does, by rules for its predicate."""
        positive = True
        if isinstance(condition, Some) and not condition.positive:
            positive, condition = False, Some(True, condition.ranges, condition.body)
        free = sorted(condition.variables)
        head = (f"{MADE}@{len(self.made)}", *free)
        self.made.add(head[0])
        ranges = tuple((variable, self.ranges[variable]) for variable in free)
        for body in list(self.of(condition, ranges)):
            self.rules.append(Rule(head, body))
        return Literal(positive, head[0], head[1:])


Rows = np.ndarray
"""A row of numbers of objects for each solution, a column for each variable or argument."""


@dataclass(frozen=True)
class Relaxed:
    """The rows of each moving predicate, schema, rule, and effect with variables of its own.

    The columns of a schema are its variables; those of an effect are these and its own.
    """

    objects: Mapping[str, int]
    atoms: Mapping[str, Rows]
    schemas: tuple[Rows, ...]
    rules: tuple[Rows, ...]
    effects: Mapping[tuple[int, int], Rows]


_FEW = 20_000  # instances that are grounded in a moment, whatever holds


def relax(task: Lifted) -> Relaxed:
    """Ground a task; raises `Stopped` or `MemoryError` where a limit of the system is reached."""
    program = _Program(task)
    text = "\n".join(program.lines)
    outer = [s.body.ranges for s in task.schemas] + [rule.body.ranges for rule in task.rules]
    inner = [(*s.body.ranges, *effect.body.ranges) for s in task.schemas for effect in s.effects]
    if sum(prod(len(objects) for _, objects in ranges) for ranges in (*outer, *inner)) > _FEW:
        found = _rows_by_name(_run(text))
    else:  # few rules can come of it, even if all objects of each range do
        control = Control(["--warn=none"])
        control.add(text)
        control.ground()
        symbols = (atom.symbol for atom in control.symbolic_atoms)
        found = _rows_by_name("\n".join(f"{symbol}." for symbol in symbols).encode())

    def rows(name: str, columns: int) -> Rows:
        return found.get(name, np.zeros((0, columns), dtype=np.int64))

    declared = task.text.domain.predicates
    arities = {signature.name.key: len(signature.parameters) for signature in declared}
    arities |= {rule.head[0]: len(rule.head) - 1 for rule in task.rules}
    return Relaxed(
        program.objects,
        {key: rows(program.predicate(key), arities.get(key, 0)) for key in sorted(task.moving)},
        tuple(rows(f"a{i}", len(s.body.ranges)) for i, s in enumerate(task.schemas)),
        tuple(rows(f"d{i}", len(rule.body.ranges)) for i, rule in enumerate(task.rules)),
        {
            (i, j): rows(f"e{i}_{j}", len(s.body.ranges) + len(effect.body.ranges))
            for i, s in enumerate(task.schemas)
            for j, effect in enumerate(s.effects)
            if effect.body.ranges
        },
    )


class _Program:
    """The rules, a line each, and what objects and predicates are called in them."""

    def __init__(self, task: Lifted) -> None:
        self.task = task
        self.objects = {name: number for number, name in enumerate(task.text.objects)}
        self.lines: list[str] = []
        self._predicates: dict[str, str] = {}
        self._ranges: dict[Row, str] = {}
        self._columns: dict[tuple[str, int], set[str]] = {}
        for atom in dict.fromkeys(atom.ground() for atom in task.text.problem.initial):
            self.lines.append(f"{self.atom(atom)}.")
            if atom[0] not in task.moving:
                for place, word in enumerate(atom[1:]):
                    self._columns.setdefault((atom[0], place), set()).add(word)
        for i, schema in enumerate(task.schemas):
            action = self._rule(f"a{i}", schema.body)
            for j, effect in enumerate(schema.effects):
                head = self.atom(effect.atom)
                if not effect.body.ranges:
                    if effect.positive:
                        tests = self._tests(effect.body)
                        self.lines.append(f"{head} :- {', '.join((action, *tests))}.")
                    continue
                # An atom that is never there need not be deleted.
                first = (action,) if effect.positive else (action, head)
                happens = self._rule(f"e{i}_{j}", effect.body, schema.body.variables, first)
                if effect.positive:
                    self.lines.append(f"{head} :- {happens}.")
        for i, rule in enumerate(task.rules):
            self.lines.append(f"{self.atom(rule.head)} :- {self._rule(f'd{i}', rule.body)}.")
        for objects, name in self._ranges.items():
            self.lines += [f"{name}({self.objects[word]})." for word in objects]

    def predicate(self, key: str) -> str:
        return self._predicates.setdefault(key, f"p{len(self._predicates)}")

    def atom(self, atom: GroundAtom) -> str:
        return _atom(self.predicate(atom[0]), map(self._term, atom[1:]))

    def _term(self, word: str) -> str:
        """`?x#3` is `V3`: each variable has a number of its own."""
        return f"V{word.rpartition('#')[2]}" if word[0] == "?" else str(self.objects[word])

    def _rule(self, name: str, body: Body, outer: Row = (), first: tuple[str, ...] = ()) -> str:
        """Add the rule for a conjunction, and return its head, which has all variables."""
        head = _atom(name, map(self._term, (*outer, *body.variables)))
        parts = [*first, *self._tests(body), *self._typed(body)]
        self.lines.append(f"{head} :- {', '.join(parts)}." if parts else f"{head}.")
        return head

    def _typed(self, body: Body) -> Iterator[str]:
        """The ranges of variables, but for those that follow from an atom that never changes."""
        told = {
            word: self._columns.get((literal.predicate, place), set())
            for literal in body.literals
            if literal.positive and self._is_static(literal)
            for place, word in enumerate(literal.arguments)
        }
        for variable, objects in body.ranges:
            if variable not in told or not told[variable].issubset(objects):
                name = self._ranges.setdefault(objects, f"r{len(self._ranges)}")
                yield f"{name}({self._term(variable)})"

    def _is_static(self, literal: Literal) -> bool:
        return literal.predicate not in self.task.moving and literal.predicate != EQUAL

    def _tests(self, body: Body) -> Iterator[str]:
        """The literals, but for negated ones of what may change."""
        for literal in body.literals:
            if literal.predicate == EQUAL:
                left, right = map(self._term, literal.arguments)
                yield f"{left} {'=' if literal.positive else '!='} {right}"
            else:
                atom = self.atom((literal.predicate, *literal.arguments))
                if literal.positive:
                    yield atom
                elif self._is_static(literal):
                    yield f"not {atom}"


def _atom(name: str, terms: Iterable[str]) -> str:
    arguments = ",".join(terms)
    return f"{name}({arguments})" if arguments else name


class _Grounder(Application):
    """clingo with its output as text."""

    def main(self, control: Control, files: Sequence[str]) -> None:
        control.load(files[0])
        control.ground()
        control.solve()


_OUT_OF_MEMORY = 33  # clingo's exit status


def _run(program: str) -> bytes:
    """What the grounder derives from a program, a fact each line."""
    with tempfile.TemporaryDirectory(prefix="asplan-") as name:
        folder = Path(name)
        (folder / "program.lp").write_text(program, encoding="utf-8")
        with hold_signals():
            child, receiver = start_child(partial(_ground, folder, os.getpid()), cleans_up=True)
        try:
            status = child.wait()
        finally:
            child.kill()
            receiver.close()
        if is_out_of_time(status, child.usage):
            raise Stopped("the limit of processor time was reached while grounding")
        if status in (_OUT_OF_MEMORY, -signal.SIGKILL):
            raise MemoryError
        if status:
            errors = (folder / "errors").read_text(encoding="utf-8", errors="replace").strip()
            raise RuntimeError(f"grounding ended with status {status}: {errors}")
        return (folder / "facts").read_bytes()


def _ground(folder: Path, parent: int, sender: Connection) -> int:
    """Be the grounder, in a process of its own, whose output goes into files."""
    threading.Thread(target=_leave_with, args=(parent, folder), daemon=True).start()
    for number, stream in ((1, "facts"), (2, "errors")):
        with (folder / stream).open("wb") as file:
            os.dup2(file.fileno(), number)
    words = [str(folder / "program.lp"), "--text", "--warn=none"]
    status = clingo_main(_Grounder(), words)
    # 10 and 30 are for what has an answer set.
    return 0 if status in (0, 10, 30) else status


_LOOK = 0.2  # seconds between two looks at whether the parent still lives


def _leave_with(parent: int, folder: Path) -> None:
    """End with the parent, which may be killed at any time, and remove its files."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _rows_by_name(facts: bytes) -> dict[str, Rows]:
    """The facts in the output of the grounder, by their predicates."""
    lines: dict[bytes, list[bytes]] = {}
    for line in facts.splitlines():
        name, _, rest = line.rstrip(b".").partition(b"(")
        lines.setdefault(name, []).append(rest[:-1])
    found: dict[str, Rows] = {}
    for name, texts in lines.items():
        rows = np.zeros((1, 0), dtype=np.int64)
        if texts[0]:
            flat = np.fromstring(b",".join(texts).decode(), dtype=np.int64, sep=",")
            rows = flat.reshape(len(texts), -1)
            rows = rows[np.lexsort(rows.T[::-1])]
        found[name.decode()] = rows
    return found
