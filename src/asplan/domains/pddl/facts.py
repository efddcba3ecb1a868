"""A finite-domain task as facts: the vocabulary that the encodings in encodings/pddl read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from asplan.domains.pddl.interference import circles
from asplan.domains.pddl.task import Fact, Task

REQUIRED = frozenset({("variable", 1), ("value", 2), ("initially", 2), ("operator", 2)})
OPTIONAL = frozenset(
    {
        ("goal", 2),
        ("cost", 2),
        ("costs", 0),
        ("precondition", 3),
        ("effect", 3),
        ("effect", 4),
        ("when", 3),
        ("derived", 2),
        ("rule", 3),
        ("body", 3),
        ("mutex", 3),
        ("circles", 0),
        ("circle", 2),
        ("static", 1),
        ("object", 2),
    }
)


def to_facts(task: Task) -> str:
    """The facts of a task, a line for each variable, operator, axiom and group."""
    return "\n".join(_lines(task)) + "\n"


def _lines(task: Task) -> Iterator[str]:
    texts = [[f"{v},{value}" for value in x.values] for v, x in enumerate(task.variables)]

    def said(head: str, facts: Iterable[Fact]) -> str:
        return " ".join([f"{head}{texts[v][d]})." for v, d in facts])

    for v, variable in enumerate(task.variables):
        layer = f" derived({v},{variable.layer})." if variable.is_derived else ""
        values = " ".join([f"value({text})." for text in texts[v]])
        yield f"variable({v}).{layer} {values}"
    yield said("initially(", enumerate(task.initial))
    yield said("goal(", task.goal)
    if task.has_costs:
        yield "costs."
    conditional = count()
    for o, operator in enumerate(task.operators):
        yield f"operator({o},{operator.action}). cost({o},{operator.cost})."
        yield f"  {said(f'precondition({o},', operator.precondition)}"
        for effect in operator.effects:
            v, d = effect.fact
            if effect.condition:
                e = next(conditional)
                yield f"  effect({o},{texts[v][d]},{e}). {said(f'when({e},', effect.condition)}"
            else:
                yield f"  effect({o},{texts[v][d]})."
    for r, axiom in enumerate(task.axioms):
        yield f"{said(f'rule({r},', [axiom.fact])} {said(f'body({r},', axiom.condition)}"
    for m, group in enumerate(task.mutexes):
        yield said(f"mutex({m},", group)
    yield "circles."
    for c, nodes in enumerate(circles(task)):
        yield " ".join([f"circle({c},{node})." for node in nodes])
    yield from (f"static({atom})." for atom in task.static)
    yield from (f"object({thing},{kind})." for thing, kind in task.objects)
