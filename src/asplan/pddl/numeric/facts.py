"""The facts of tasks with numbers, for their encodings."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from math import inf

from asplan.pddl.language.names import PddlNames
from asplan.pddl.numeric.scale import Change, Counted, NumericTask, Sum
from asplan.pddl.task.facts import to_facts


def to_numeric_facts(
    task: NumericTask,
    names: PddlNames,
    wanted: Collection[tuple[str, int]] | None = None,
) -> str:
    """Return the facts of a task with numbers; `wanted` is as for `to_facts`."""
    # There are no layers: they would depend on when a comparison can hold.
    lines = _Writer(task, names).lines()
    return to_facts(task.task, wanted, {}) + "\n".join(lines) + "\n"


class _Writer:
    """The facts about the numbers of a task; `sums` numbers the sums by their first use."""

    def __init__(self, task: NumericTask, names: PddlNames) -> None:
        self.task = task
        self.names = names
        self.values = [variable.values for variable in task.task.variables]
        self.sums: dict[Sum, int] = {}
        self.changes = count()
        self.causes = count()

    def lines(self) -> Iterator[str]:
        task = self.task
        yield from self._numbers()
        for o, counted in enumerate(task.counted):
            yield from self._operator(o, counted)
        for total, least in task.goal:
            yield f"wants({self._sum(total)},{least})."
        for (v, d), (total, least) in task.tests.items():
            yield f"test({v},{self.values[v][d]},{self._sum(total)},{least})."
        if task.metric is not None:
            yield f"minimizes({self._sum(task.metric.total)})."
        for total, s in self.sums.items():
            yield " ".join([f"term({s},{n},{factor})." for n, factor in total])

    def _sum(self, total: Sum) -> int:
        return self.sums.setdefault(total, len(self.sums))

    def _numbers(self) -> Iterator[str]:
        task = self.task
        rows = zip(task.numbers, task.factors, task.initial, task.bounds, strict=True)
        for n, (number, factor, value, (low, high)) in enumerate(rows):
            name = self.names.function(number[0], number[1:])
            facts = [f"number({n},{name}). begins({n},{value})."]
            if factor != 1:
                facts.append(f"factor({n},{factor}).")
            if low != -inf:
                facts.append(f"least({n},{int(low)}).")
            if high != inf:
                facts.append(f"most({n},{int(high)}).")
            yield " ".join(facts)

    def _operator(self, o: int, counted: Counted) -> Iterator[str]:
        for total, least in counted.tests:
            yield f"  requires({o},{self._sum(total)},{least})."
        for change in counted.changes:
            if change.is_constant:
                yield f"  adds({o},{change.number},{change.constant})."
            else:
                yield from self._change(o, change)

    def _change(self, o: int, change: Change) -> Iterator[str]:
        k = next(self.changes)
        predicate = "increases" if change.adds else "assigns"
        s = self._sum(change.total)
        yield f"  {predicate}({o},{k},{change.number},{s},{change.constant})."
        for cause in change.causes or ((),):
            e = next(self.causes)
            provided = [f"provided({e},{v},{self.values[v][d]})." for v, d in cause]
            yield " ".join([f"  cause({k},{e}).", *provided])
