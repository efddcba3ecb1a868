"""Relaxed reachability: the atoms and actions that are reachable if nothing is ever deleted.

Actions, conditional effects and derived predicates become ASP rules that negate no fluents. So
clingo's grounder derives all reachable atoms as facts. Objects are numbers in these rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.pddl.grounding.grounder import (
    Rows,
    ground_apart,
    ground_here,
)
from asplan.pddl.grounding.lifted import (
    LiftedBody,
    LiftedTask,
    SchemaEffect,
)
from asplan.pddl.language.conditions import EQUAL, PddlLiteral
from asplan.pddl.language.syntax import GroundAtom, Row

_FEW_INSTANCES = 20_000
"""A program with at most this many possible rule instances is grounded in this process."""


@dataclass(frozen=True)
class Reachable:
    """The reachable atoms, and the reachable instances of schemas, rules and effects.

    An instance is a row with the object numbers of the variables.

    Attributes
    ----------
    objects
        The number of each object.
    atoms
        The reachable atoms of each fluent predicate, as rows of arguments.
    schemas, rules
        The instances of each schema or rule; the columns are its variables.
    effects
        The instances of each effect with quantified variables. The key has the number of the schema
        and the number of the effect in the schema. The columns are the variables of the schema,
        then the variables of the effect.
    """

    objects: Mapping[str, int]
    atoms: Mapping[str, Rows]
    schemas: tuple[Rows, ...]
    rules: tuple[Rows, ...]
    effects: Mapping[tuple[int, int], Rows]


def find_reachable(task: LiftedTask) -> Reachable:
    """Find all reachable atoms and instances of the relaxed task.

    Raise `Stopped` or `MemoryError` at a limit, as `ground_apart` does.
    """
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
    """Return an upper bound of the number of rule instances: all combinations of objects."""
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
    """Yield the effects with quantified variables.

    Each item has the number of the schema, the number of the effect in the schema, and the effect.
    """
    for i, schema in enumerate(task.schemas):
        for j, effect in enumerate(schema.effects):
            if effect.body.ranges:
                yield i, j, effect


def _schema_name(i: int) -> str:
    """Return the ASP predicate for instances of schema `i`."""
    return f"a{i}"


def _rule_name(i: int) -> str:
    """Return the ASP predicate for instances of rule `i`."""
    return f"d{i}"


def _effect_name(i: int, j: int) -> str:
    """Return the ASP predicate for instances of effect `j` of schema `i`."""
    return f"e{i}_{j}"


class _Program:
    """The relaxed task as an ASP program.

    Attributes
    ----------
    objects
        The number of each object.
    lines
        The lines of the program.
    """

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
        """Return the ASP name of a predicate of the task, such as `p3`."""
        return self._predicates.setdefault(key, f"p{len(self._predicates)}")

    def atom(self, atom: GroundAtom) -> str:
        """Return an atom of the task as ASP text."""
        return _atom(self.predicate(atom[0]), map(self._term, atom[1:]))

    def _add_initial(self) -> None:
        """Add the initial atoms as facts."""
        initial = (atom.ground() for atom in self.task.text.problem.initial)
        for atom in dict.fromkeys(initial):
            self.lines.append(f"{self.atom(atom)}.")
            if atom[0] not in self.task.fluents:
                for place, word in enumerate(atom[1:]):
                    self._columns.setdefault((atom[0], place), set()).add(word)

    def _add_schema(self, i: int) -> None:
        """Add the rules for schema `i` and its effects."""
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
        """Add the rule for an effect with quantified variables.

        A deletion is derived only if its atom is reachable; otherwise it has no effect.

        Parameters
        ----------
        name
            The ASP predicate for the instances of the effect.
        effect
            The effect.
        outer
            The variables of the schema.
        action
            The ASP atom of the schema's instance.
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
        body: LiftedBody,
        outer: Row = (),
        first: tuple[str, ...] = (),
    ) -> str:
        """Add the rule for a conjunction; return its head, which has all variables as arguments.

        Parameters
        ----------
        name
            The predicate of the head.
        body
            The conjunction.
        outer
            Variables of an outer body, which come first in the head.
        first
            Further ASP atoms of the rule's body.
        """
        head = _atom(name, map(self._term, (*outer, *body.variables)))
        parts = [*first, *self._tests(body), *self._types(body)]
        self.lines.append(f"{head} :- {', '.join(parts)}." if parts else f"{head}.")
        return head

    def _term(self, word: str) -> str:
        """Return the number of an object, or the ASP variable `V3` for the variable `?x#3`."""
        if word[0] == "?":
            return f"V{word.rpartition('#')[2]}"
        return str(self.objects[word])

    def _types(
        self,
        body: LiftedBody,
    ) -> Iterator[str]:
        """Yield ASP atoms that restrict variables to their objects, unless static atoms do so."""
        columns = dict[str, set[str]]()
        for literal in body.literals:
            if literal.positive and self._is_static(literal):
                for place, word in enumerate(literal.arguments):
                    columns[word] = self._columns.get((literal.predicate, place), set())
        for variable, objects in body.ranges:
            if variable not in columns or not columns[variable].issubset(objects):
                name = self._ranges.setdefault(objects, f"r{len(self._ranges)}")
                yield f"{name}({self._term(variable)})"

    def _is_static(self, literal: PddlLiteral) -> bool:
        """Return whether the literal is of a static predicate other than equality."""
        return literal.predicate not in self.task.fluents and literal.predicate != EQUAL

    def _tests(
        self,
        body: LiftedBody,
    ) -> Iterator[str]:
        """Yield the literals of a body as ASP text, without negated fluents."""
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
