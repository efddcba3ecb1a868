"""Relaxed reachability: the atoms and actions that are reachable if nothing is ever deleted.

Actions, conditional effects and derived predicates become rules without negation of fluents, so
clingo's grounder derives all reachable atoms as facts. Objects are numbers in these rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from asplan.pddl.grounding.grounder import (
    Rows,
    ground_apart,
    ground_here,
)
from asplan.pddl.grounding.lifted import (
    Body,
    LiftedTask,
    SchemaEffect,
)
from asplan.pddl.language.conditions import EQUAL, Literal
from asplan.pddl.language.syntax import GroundAtom, Row

_FEW_INSTANCES = 20_000
"""A program with at most this many possible instances of rules is grounded in this process."""


@dataclass(frozen=True)
class Reachable:
    """The reachable atoms, and the reachable instances of schemas, rules and effects.

    Attributes
    ----------
    objects
        The number of each object.
    atoms
        The rows of each fluent predicate.
    schemas, rules
        For each schema or rule its instances; the columns are its variables.
    effects
        The instances of each effect with variables of its own, by the numbers of its schema and of
        the effect there. The columns are the variables of the schema, then those of the effect.
    """

    objects: Mapping[str, int]
    atoms: Mapping[str, Rows]
    schemas: tuple[Rows, ...]
    rules: tuple[Rows, ...]
    effects: Mapping[tuple[int, int], Rows]


def find_reachable(task: LiftedTask) -> Reachable:
    """Ground the relaxed task; raise as `ground_apart` does."""
    program = _Program(task)
    text = "\n".join(program.lines)
    is_small = _count_instances(task) <= _FEW_INSTANCES
    derived = ground_here(text) if is_small else ground_apart(text)

    def rows(name: str, columns: int) -> Rows:
        return derived.get(name, np.zeros((0, columns), dtype=np.int64))

    arities = _arities(task)
    atoms = dict[str, Rows]()
    for key in sorted(task.fluents):
        atoms[key] = rows(program.predicate(key), arities.get(key, 0))
    schemas = list[Rows]()
    for i, schema in enumerate(task.schemas):
        schemas.append(rows(_schema_name(i), len(schema.body.ranges)))
    rules = list[Rows]()
    for i, rule in enumerate(task.rules):
        rules.append(rows(_rule_name(i), len(rule.body.ranges)))
    effects = dict[tuple[int, int], Rows]()
    for i, j, effect in _effects_with_variables(task):
        columns = len(task.schemas[i].body.ranges) + len(effect.body.ranges)
        effects[i, j] = rows(_effect_name(i, j), columns)
    return Reachable(
        program.objects,
        atoms,
        tuple(schemas),
        tuple(rules),
        effects,
    )


def _count_instances(task: LiftedTask) -> int:
    """Return the number of instances of all rules if every combination of objects occurs."""
    several = [schema.body.ranges for schema in task.schemas]
    several += [rule.body.ranges for rule in task.rules]
    for schema in task.schemas:
        several += [(*schema.body.ranges, *effect.body.ranges) for effect in schema.effects]
    return sum(prod(len(objects) for _, objects in ranges) for ranges in several)


def _arities(task: LiftedTask) -> dict[str, int]:
    """Return the number of arguments of each declared or derived predicate."""
    declared = task.text.domain.predicates
    arities = {signature.name.key: len(signature.parameters) for signature in declared}
    for rule in task.rules:
        predicate, *arguments = rule.head
        arities[predicate] = len(arguments)
    return arities


def _effects_with_variables(task: LiftedTask) -> Iterator[tuple[int, int, SchemaEffect]]:
    """Yield the effects with variables of their own, with their numbers."""
    for i, schema in enumerate(task.schemas):
        for j, effect in enumerate(schema.effects):
            if effect.body.ranges:
                yield i, j, effect


def _schema_name(i: int) -> str:
    return f"a{i}"


def _rule_name(i: int) -> str:
    return f"d{i}"


def _effect_name(i: int, j: int) -> str:
    return f"e{i}_{j}"


class _Program:
    """The rules of the relaxed task as lines of text, with the names of their predicates."""

    def __init__(self, task: LiftedTask) -> None:
        self.task = task
        self.objects = {name: number for number, name in enumerate(task.text.objects)}
        self.lines: list[str] = []
        self._predicates: dict[str, str] = {}
        self._ranges: dict[Row, str] = {}
        # The objects in each column of the static predicates.
        self._columns: dict[tuple[str, int], set[str]] = {}
        self._add_initial()
        for i in range(len(task.schemas)):
            self._add_schema(i)
        for i, rule in enumerate(task.rules):
            body = self._add_rule(_rule_name(i), rule.body)
            self.lines.append(f"{self.atom(rule.head)} :- {body}.")
        for objects, name in self._ranges.items():
            self.lines += [f"{name}({self.objects[word]})." for word in objects]

    def predicate(self, key: str) -> str:
        """Return the name of a predicate of the task."""
        return self._predicates.setdefault(key, f"p{len(self._predicates)}")

    def atom(self, atom: GroundAtom) -> str:
        """Return an atom of the task as text."""
        return _atom(self.predicate(atom[0]), map(self._term, atom[1:]))

    def _add_initial(self) -> None:
        """Add the initial state as facts."""
        initial = (atom.ground() for atom in self.task.text.problem.initial)
        for atom in dict.fromkeys(initial):
            self.lines.append(f"{self.atom(atom)}.")
            if atom[0] not in self.task.fluents:
                for place, word in enumerate(atom[1:]):
                    self._columns.setdefault((atom[0], place), set()).add(word)

    def _add_schema(self, i: int) -> None:
        """Add the rules for a schema and its effects."""
        schema = self.task.schemas[i]
        action = self._add_rule(_schema_name(i), schema.body)
        for j, effect in enumerate(schema.effects):
            if effect.body.ranges:
                self._add_effect(
                    _effect_name(i, j),
                    effect,
                    schema.body.variables,
                    action,
                )
            elif effect.positive:
                body = ", ".join((action, *self._tests(effect.body)))
                self.lines.append(f"{self.atom(effect.atom)} :- {body}.")

    def _add_effect(
        self,
        name: str,
        effect: SchemaEffect,
        outer: Row,
        action: str,
    ) -> None:
        """Add the rule for an effect with variables of its own.

        Only the deletion of a reachable atom is derived; others have no effect.
        """
        atom = self.atom(effect.atom)
        first = (action,) if effect.positive else (action, atom)
        instance = self._add_rule(
            name,
            effect.body,
            outer,
            first,
        )
        if effect.positive:
            self.lines.append(f"{atom} :- {instance}.")

    def _add_rule(
        self,
        name: str,
        body: Body,
        outer: Row = (),
        first: tuple[str, ...] = (),
    ) -> str:
        """Add the rule for a conjunction, and return its head, which has all variables."""
        head = _atom(name, map(self._term, (*outer, *body.variables)))
        parts = [*first, *self._tests(body), *self._types(body)]
        self.lines.append(f"{head} :- {', '.join(parts)}." if parts else f"{head}.")
        return head

    def _term(self, word: str) -> str:
        """Return an object's number, or `V3` for `?x#3`; each variable has its own number."""
        if word[0] == "?":
            return f"V{word.rpartition('#')[2]}"
        return str(self.objects[word])

    def _types(
        self,
        body: Body,
    ) -> Iterator[str]:
        """Yield atoms for the ranges of variables, except ranges that static atoms imply."""
        columns = dict[str, set[str]]()
        for literal in body.literals:
            if literal.positive and self._is_static(literal):
                for place, word in enumerate(literal.arguments):
                    columns[word] = self._columns.get((literal.predicate, place), set())
        for variable, objects in body.ranges:
            if variable not in columns or not columns[variable].issubset(objects):
                name = self._ranges.setdefault(objects, f"r{len(self._ranges)}")
                yield f"{name}({self._term(variable)})"

    def _is_static(self, literal: Literal) -> bool:
        return literal.predicate not in self.task.fluents and literal.predicate != EQUAL

    def _tests(
        self,
        body: Body,
    ) -> Iterator[str]:
        """Yield the literals of a body, without negated fluents."""
        for literal in body.literals:
            if literal.predicate == EQUAL:
                left, right = map(self._term, literal.arguments)
                yield f"{left} {'=' if literal.positive else '!='} {right}"
                continue
            atom = self.atom((literal.predicate, *literal.arguments))
            if literal.positive:
                yield atom
            elif self._is_static(literal):
                yield f"not {atom}"


def _atom(
    name: str,
    terms: Iterable[str],
) -> str:
    arguments = ",".join(terms)
    return f"{name}({arguments})" if arguments else name
