"""ASP terms and costs of the atoms and operators of a ground task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from asplan.pddl.grounding.ground import GroundTask
from asplan.pddl.grounding.grounder import Rows
from asplan.pddl.grounding.lifted import AUXILIARY, LiftedSchema
from asplan.pddl.language.names import PddlNames


def atom_terms(
    task: GroundTask,
    names: PddlNames,
) -> Callable[[int], str]:
    """Return a function from the number of an atom to its ASP term.

    An example is `on(a,b)`; for an auxiliary derived predicate, `axiom(3,b)`.
    """
    keys = list(task.offsets)
    starts = np.array(list(task.offsets.values()), dtype=np.int64)
    objects = [names.objects.terms[name] for name in task.reachable.objects]

    def term(atom: int) -> str:
        place = (
            int(
                np.searchsorted(
                    starts,
                    atom,
                    side="right",
                )
            )
            - 1
        )
        key = keys[place]
        row = task.reachable.atoms[key][atom - starts[place]].tolist()
        words = [objects[number] for number in row]
        if key.startswith(f"{AUXILIARY}@"):  # no name in PDDL has this character
            return _term(AUXILIARY, ",".join([key.partition("@")[2], *words]))
        return _term(names.predicates.terms[key], ",".join(words))

    return term


def action_terms(
    task: GroundTask,
    names: PddlNames,
) -> Callable[[int], tuple[str, bool]]:
    """Return a function from the number of an operator to a pair: its action as a term, and a flag.

    The flag is true if several operators may have the same term. This happens if a disjunction or
    an existential variable splits an action.
    """
    schema_of, row_of = task.operators.tolist()
    objects = [names.objects.terms[name] for name in task.reachable.objects]
    keys = [schema.action.name.key for schema in task.lifted.schemas]
    heads = [names.actions.terms[key] for key in keys]
    arguments = list[list[str]]()
    is_split = list[bool]()
    for schema, rows in zip(task.lifted.schemas, task.reachable.schemas, strict=True):
        count = len(schema.action.parameters)
        parameters = rows[:, :count].tolist()
        arguments.append([",".join([objects[n] for n in row]) for row in parameters])
        has_further_variables = count < len(schema.body.ranges)
        is_split.append(has_further_variables or keys.count(schema.action.name.key) > 1)

    def term(operator: int) -> tuple[str, bool]:
        schema = schema_of[operator]
        words = arguments[schema][row_of[operator]]
        return _term(heads[schema], words), is_split[schema]

    return term


def _term(head: str, arguments: str) -> str:
    return f"{head}({arguments})" if arguments else head


def operator_costs(task: GroundTask) -> Callable[[int], int | None]:
    """Return a function from the number of an operator to its cost.

    A cost of None means that the cost has no value; then the operator never applies.
    """
    if not task.lifted.text.has_costs:
        return lambda operator: 1
    schema_of, row_of = task.operators.tolist()
    schemas = zip(task.lifted.schemas, task.reachable.schemas, strict=True)
    costs = [_costs_of(task, schema, rows) for schema, rows in schemas]
    return lambda operator: costs[schema_of[operator]][row_of[operator]]


def _costs_of(
    task: GroundTask,
    schema: LiftedSchema,
    rows: Rows,
) -> Sequence[int | None]:
    """Return the cost of each instance of a schema, one for each row; None if it has no value."""
    function = schema.action.cost
    if isinstance(function, int):
        return [function] * len(rows)
    objects = task.reachable.objects
    name, *words = function.ground()
    values = dict[tuple[int, ...], int]()
    for (key, *arguments), value in task.lifted.text.values.items():
        if key == name:
            values[tuple([objects.get(word, -1) for word in arguments])] = int(value)
    parameters = [typed.name.key for typed in schema.action.parameters]
    columns = list[list[int]]()
    for word in words:
        if word[0] == "?":
            columns.append(rows[:, parameters.index(word)].tolist())
        else:
            columns.append([objects[word]] * len(rows))
    if not columns:
        return [values.get(())] * len(rows)
    return [values.get(key) for key in zip(*columns, strict=True)]
