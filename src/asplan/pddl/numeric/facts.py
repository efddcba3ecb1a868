"""The numbers of a task as facts, beside those of its finite-domain part."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from math import inf

from asplan.pddl.language.names import PddlNames
from asplan.pddl.numeric.scale import NumericTask, Sum
from asplan.pddl.task.facts import to_facts


def to_numeric_facts(
    task: NumericTask, names: PddlNames, wanted: Collection[tuple[str, int]] | None = None
) -> str:
    """The facts of a task with numbers; `wanted` is as for `to_facts`."""
    # Layers say nothing here: they would have to know when a comparison may come true.
    return to_facts(task.task, wanted, {}) + "\n".join(_lines(task, names)) + "\n"


def _lines(task: NumericTask, names: PddlNames) -> Iterator[str]:
    sums: dict[Sum, int] = {}

    def number_of(total: Sum) -> int:
        return sums.setdefault(total, len(sums))

    described = zip(task.numbers, task.factors, task.initial, task.bounds, strict=True)
    for n, (number, factor, value, (low, high)) in enumerate(described):
        line = f"number({n},{names.function(number[0], number[1:])}). begins({n},{value})."
        line += f" factor({n},{factor})." if factor != 1 else ""
        line += f" least({n},{int(low)})." if low != -inf else ""
        line += f" most({n},{int(high)})." if high != inf else ""
        yield line
    values = [variable.values for variable in task.task.variables]
    changes, causes = count(), count()
    for o, counted in enumerate(task.counted):
        for total, least in counted.tests:
            yield f"  requires({o},{number_of(total)},{least})."
        for change in counted.changes:
            if change.number in counted.adds and not (change.total or change.causes):
                yield f"  adds({o},{change.number},{change.constant})."
            else:
                k, word = next(changes), "increases" if change.adds else "assigns"
                s, constant = number_of(change.total), change.constant
                yield f"  {word}({o},{k},{change.number},{s},{constant})."
                for cause in change.causes or ((),):
                    e = next(causes)
                    facts = (f"provided({e},{v},{values[v][d]})." for v, d in cause)
                    yield " ".join([f"  cause({k},{e}).", *facts])
    for total, least in task.goal:
        yield f"wants({number_of(total)},{least})."
    for (v, d), (total, least) in task.tests.items():
        yield f"test({v},{values[v][d]},{number_of(total)},{least})."
    if task.metric is not None:
        yield f"minimizes({number_of(task.metric.total)})."
    for total, s in sums.items():
        yield " ".join([f"term({s},{n},{factor})." for n, factor in total])
