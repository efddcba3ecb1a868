"""Why a condition does not hold: the part of it that fails, as PDDL text."""

from __future__ import annotations

from collections.abc import Mapping

from asplan.pddl.language import And, Atom, Equal, Forall, Formula, Imply, Not, Task
from asplan.pddl.names import Names
from asplan.pddl.normal import Normalizer
from asplan.pddl.query import Facts, check_of, query_of
from asplan.pddl.written import written
from asplan.text import shortened


def why_false(
    task: Task, names: Names, facts: Facts, formula: Formula, bound: Mapping[str, str]
) -> str | None:
    """The first part of a condition that does not hold; None if all of it does.

    Parameters
    ----------
    bound
        The objects that its free variables stand for.
    """
    if check_of(Normalizer(task).condition(formula, bound))({}, facts):
        return None

    def because(part: Formula, bound: Mapping[str, str]) -> str | None:
        return why_false(task, names, facts, part, bound)

    match formula:
        case And(parts):
            return next(why for part in parts if (why := because(part, bound)) is not None)
        case Not(Atom() | Equal() as body):
            return f"{written(body, bound, names)} holds"
        case Imply(left, right):
            given = shortened(written(left, bound, names))
            return f"{because(right, bound)}, although {given} holds"
        case Forall(variables, body):
            inner, ranges = Normalizer(task).bind(variables, bound)
            fails = query_of(ranges, Normalizer(task).condition(body, inner, positive=False))
            found = next(fails({}, facts))
            values = {typed.name.key: found[inner[typed.name.key]] for typed in variables}
            return because(body, {**bound, **values})
    return f"{shortened(written(formula, bound, names))} does not hold"
