"""The facts of tasks with numbers, for the encodings in encodings/pddl."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from math import inf

from asplan.pddl.language.names import PddlNames
from asplan.pddl.numeric.scale import NumberChange, NumericPart, NumericTask, Sum
from asplan.pddl.task.facts import to_facts


def to_numeric_facts(
    task: NumericTask,
    names: PddlNames,
    wanted: Collection[tuple[str, int]] | None = None,
) -> str:
    """Return the facts of a task with numbers as text.

    Some predicates of the classical part take a while to compute. They are left out unless `wanted`
    contains their name and arity; None means all of them.
    """
    # There are no layers: they would depend on when a comparison can hold.
    lines = _Writer(task, names).lines()
    return to_facts(task.task, wanted, {}) + "\n".join(lines) + "\n"


class _Writer:
    """A writer of the facts about the numbers of a task.

    Attributes
    ----------
    sums
        The number of each sum in the facts, in the order of first use.
    changes, causes
        Counters for the numbers of changes and of their causes (conditions) in the facts.
    """

    def __init__(self, task: NumericTask, names: PddlNames) -> None:
        self.task = task
        self.names = names
        self.values = [variable.values for variable in task.task.variables]
        self.sums: dict[Sum, int] = {}
        self.changes = count()
        self.causes = count()

    def lines(self) -> Iterator[str]:
        """Yield the lines of all facts: about numbers, operators, the goal, the metric and sums."""
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
        """Return the number of a sum in the facts; a new sum gets the next number."""
        return self.sums.setdefault(total, len(self.sums))

    def _numbers(self) -> Iterator[str]:
        """Yield a line for each number: its name, initial value, factor and bounds."""
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

    def _operator(self, o: int, counted: NumericPart) -> Iterator[str]:
        """Yield the lines for the numeric conditions and the changes of the operator `o`."""
        for total, least in counted.tests:
            yield f"  requires({o},{self._sum(total)},{least})."
        for change in counted.changes:
            if change.is_constant:
                yield f"  adds({o},{change.number},{change.constant})."
            else:
                yield from self._change(o, change)

    def _change(self, o: int, change: NumberChange) -> Iterator[str]:
        """Yield the lines for a change that is conditional or depends on numbers."""
        k = next(self.changes)
        predicate = "increases" if change.adds else "assigns"
        s = self._sum(change.total)
        yield f"  {predicate}({o},{k},{change.number},{s},{change.constant})."
        for cause in change.causes or ((),):
            e = next(self.causes)
            provided = [f"provided({e},{v},{self.values[v][d]})." for v, d in cause]
            yield " ".join([f"  cause({k},{e}).", *provided])
