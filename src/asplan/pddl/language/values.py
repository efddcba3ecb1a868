"""Warnings about functions without a value.

An action never applies if its cost, or another number that it reads, has no value. Many tasks give
values only to the functions that they need. So there is a warning only if the action seems to be
possible otherwise: its static conditions hold, and each other condition holds initially or can be
added by an action whose own static conditions hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asplan.core.errors import InputWarning
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import (
    EQUAL,
    Condition,
    Normalizer,
    PddlLiteral,
    Ranges,
    Schema,
    both,
    conjuncts,
)
from asplan.pddl.language.interpretation import Interpretation, RowIndex
from asplan.pddl.language.queries import query_of
from asplan.pddl.language.syntax import (
    Assign,
    GroundAtom,
    TaskText,
    functions,
    substitute,
    together,
)

MOST = 100_000  # rows for one action; a task with more is not checked further


class _TooManyRows(Exception):
    """The error that an action has more than `MOST` rows: choices of objects to check."""


def without_value(task: TaskText) -> Iterator[InputWarning]:
    """Yield a warning for each action that seems possible but reads a function without a value.

    A cost should have a value for all objects. For another function it is enough that some instance
    has a value: many tasks give values only for the objects of the intended actions.
    """
    if not (task.has_costs or task.has_numbers or task.has_time):
        return
    yield from _goal_without_value(task)
    possible = _Possible(task)
    for action in possible.actions:
        for function in _needed(task, action):
            try:
                missing = possible.missing(action, function)
            except _TooManyRows:
                return
            if missing:
                yield _never_applies(task, action, function, missing)


def _never_applies(
    task: TaskText,
    action: syntax.PddlAction,
    function: syntax.Atom,
    missing: Sequence[GroundAtom],
) -> InputWarning:
    """Return the warning that an action never applies, because functions have no value."""
    code = "pddl-cost" if task.has_costs else "pddl-number"
    restriction = " where this is its cost" if task.has_costs else ""
    message = f"{_no_value(task, missing)}, so action {action.name} never applies{restriction}"
    return InputWarning(code, message, function.name.at)


def _goal_without_value(task: TaskText) -> Iterator[InputWarning]:
    """Yield a warning for each function in the goal that has no value and is never assigned one."""
    valued = _assigned(task) | {syntax.TOTAL_TIME}
    compared = [part for part in together(task.problem.goal) if isinstance(part, syntax.Compare)]
    for part in compared:
        for function in functions(part.left, part.right):
            atom = function.ground()
            if function.name.key not in valued and atom not in task.values:
                message = f"{_no_value(task, [atom])}, so the goal can never hold"
                yield InputWarning("pddl-number", message, function.name.at)


def _no_value(
    task: TaskText,
    missing: Sequence[GroundAtom],
) -> str:
    """Return the part of a warning that says which functions have no value.

    `missing` are these functions. If there are more than two, only the first one is named.
    """
    declared = {signature.name.key: signature.name.text for signature in task.domain.functions}
    texts: list[str] = []
    for name, *row in missing if len(missing) == 2 else missing[:1]:
        words = (task.objects[key][0].name.text for key in row)
        texts.append(f"({' '.join([declared.get(name, name), *words])})")
    verb = "have" if len(texts) > 1 else "has"
    return f"{' and '.join(texts)} {verb} no value in (:init …)"


def _assigned(task: TaskText) -> set[str]:
    """Return the keys of the functions to which an effect assigns a value."""
    assigns = (part for part in task.parts if isinstance(part, Assign))
    targets = {part.target.name.key for part in assigns if part.word == "assign"}
    return targets | {syntax.DURATION, syntax.TOTAL_COST}


def _needed(
    task: TaskText,
    action: syntax.PddlAction,
) -> Iterator[syntax.Atom]:
    """Yield the functions that an action always reads and that no effect assigns.

    If costs count, yield only the function that is the cost of the action.
    """
    if task.has_costs:
        if not isinstance(action.cost, int):
            yield action.cost
        return
    assigned = _assigned(task)
    by_name = {function.name.key: function for function in functions(*_expressions(action))}
    for name, atom in by_name.items():
        if name not in assigned:
            yield atom


def _expressions(action: syntax.PddlAction) -> Iterator[syntax.Expression]:
    """Yield the expressions that an action always reads, under no condition or quantifier."""
    for part in (*together(action.precondition), *together(action.effect)):
        if isinstance(part, syntax.Compare):
            yield part.left
            yield part.right
        elif isinstance(part, Assign):
            yield part.amount
            if part.word != "assign":
                yield part.target


class _Possible(Interpretation):
    """An overestimate of the atoms that can become true.

    Attributes
    ----------
    open
        The predicates whose possible atoms have not been computed yet.
    relations
        The rows of each predicate that hold initially or were found so far.
    """

    def __init__(self, task: TaskText) -> None:
        super().__init__()
        self.task = task
        self.normalizer = Normalizer(task)
        durative = (action.at_any_time for action in task.domain.durative)
        self.actions = [*task.domain.actions, *durative]
        self.open = set(task.fluents)
        self.relations = {signature.name.key: RowIndex() for signature in task.domain.predicates}
        self.relations[EQUAL] = RowIndex((key, key) for key in task.objects)
        later = (change.atom for _, change in task.problem.timed if change.holds)
        for atom in (*task.problem.initial, *later):
            predicate, *row = atom.ground()
            self.relations[predicate].rows.add(tuple(row))

    def missing(
        self,
        action: syntax.PddlAction,
        function: syntax.Atom,
    ) -> Sequence[GroundAtom]:
        """Return instances of a function that the action could read and that have no value.

        For a cost, return the first such instance, if there is one. For another function, return
        all instances if none of them has a value, else nothing.
        """
        schema = self.normalizer.schema(action)
        atom = function.ground(schema.bound)
        instances = self.atoms(atom, schema.ranges, schema.condition, by_fluents=True)
        values = self.task.values
        if self.task.has_costs:
            missing = (one for one in instances if one not in values)
            return list(missing)[:1]
        every = set(instances)
        return sorted(every) if every.isdisjoint(values) else []

    def relation(self, predicate: str) -> RowIndex:
        """Return the possible rows of a predicate.

        The first call adds the rows that actions can add.
        """
        if predicate in self.open:
            self.open.remove(predicate)
            for schema in map(self.normalizer.schema, self.actions):
                self._add_rows(schema, predicate)
        return self.relations[predicate]

    def _add_rows(
        self,
        schema: Schema,
        predicate: str,
    ) -> None:
        """Add the rows of a predicate (arguments of its atoms) that an action can add."""
        rows = self.relations[predicate].rows
        for change in schema.changes:
            if change.positive and change.atom[0] == predicate:
                condition = both(schema.condition, change.condition)
                added = self.atoms(change.atom, schema.ranges + change.ranges, condition)
                rows.update(atom[1:] for atom in added)

    def atoms(
        self,
        atom: GroundAtom,
        ranges: Ranges,
        condition: Condition,
        by_fluents: bool = False,
    ) -> Iterator[GroundAtom]:
        """Yield the instances of an atom for which the static literals of the condition hold.

        If `by_fluents` is set, the condition's positive literals of fluents must be possible, too.
        `ranges` has the variables, each with the objects that may be its value.
        """
        parts, inner = conjuncts(condition)
        unknown = self.task.derived if by_fluents else self.task.derived | self.task.fluents
        near = [part for part in parts if self._decides(part, unknown) and part.variables & {*atom}]
        variables = set(atom).union(*(part.variables for part in near))
        relevant = tuple(pair for pair in ranges + inner if pair[0] in variables)
        query = query_of(relevant, both(*near))
        for count, binding in enumerate(query({}, self)):
            if count == MOST:
                raise _TooManyRows
            yield substitute(atom, binding)

    def _decides(
        self,
        part: Condition,
        unknown: frozenset[str],
    ) -> bool:
        """Return whether a condition is a literal that the possible rows can prove false.

        This holds for positive literals, and for negated literals of predicates that never change.
        It never holds for the predicates in `unknown`, whose possible rows are not computed.
        """
        if not isinstance(part, PddlLiteral) or part.predicate in unknown:
            return False
        return part.positive or part.predicate not in self.task.fluents
