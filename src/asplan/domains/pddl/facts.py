"""A finite-domain task as facts: the vocabulary that the encodings in encodings/pddl read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import count, pairwise

from asplan.domains.pddl.interference import circles
from asplan.domains.pddl.order import chains
from asplan.domains.pddl.task import Fact, Task


def to_facts(task: Task, wanted: Collection[tuple[str, int]] | None = None) -> str:
    """The facts of a task, a line for each variable, operator, axiom and group.

    Parameters
    ----------
    wanted
        The predicates that are read; those that take a while to find are left out if they are not
        among them. None is all of them.
    """
    lines = [*_state(task), *_operators(task), *_follows(task)]
    if wanted is None or ("circle", 2) in wanted:
        lines += _circles(task)
    if wanted is None or ("next", 4) in wanted:
        lines += _chains(task)
    return "\n".join(lines) + "\n"


class _Terms:
    """The facts of a task as the arguments of predicates."""

    def __init__(self, task: Task) -> None:
        variables = enumerate(task.variables)
        self.texts = [[f"{v},{value}" for value in variable.values] for v, variable in variables]

    def said(self, head: str, facts: Iterable[Fact]) -> str:
        """A predicate of each of some facts."""
        texts = self.texts
        return " ".join([f"{head}{texts[v][d]})." for v, d in facts])


def _state(task: Task) -> Iterator[str]:
    terms = _Terms(task)
    for v, variable in enumerate(task.variables):
        layer = f" derived({v},{variable.layer})." if variable.is_derived else ""
        values = " ".join([f"value({text})." for text in terms.texts[v]])
        yield f"variable({v}).{layer} {values}"
    yield terms.said("initially(", enumerate(task.initial))
    yield terms.said("goal(", task.goal)
    yield from (f"static({atom})." for atom in task.static)
    yield from (f"object({thing},{kind})." for thing, kind in task.objects)


def _operators(task: Task) -> Iterator[str]:
    terms, conditional = _Terms(task), count()
    texts, said = terms.texts, terms.said
    if task.has_costs:
        yield "costs."
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


def _follows(task: Task) -> Iterator[str]:
    said = _Terms(task).said
    for r, axiom in enumerate(task.axioms):
        yield f"{said(f'rule({r},', [axiom.fact])} {said(f'body({r},', axiom.condition)}"
    for m, group in enumerate(task.mutexes):
        yield said(f"mutex({m},", group)


def _circles(task: Task) -> Iterator[str]:
    yield "circles."
    for c, nodes in enumerate(circles(task)):
        yield " ".join([f"circle({c},{node})." for node in nodes])


def _chains(task: Task) -> Iterator[str]:
    texts, (links, seen) = _Terms(task).texts, chains(task)
    for (v, d), chain in links.items():
        pairs = " ".join([f"next({texts[v][d]},{p},{o})." for p, o in pairwise(chain)])
        yield f"last({texts[v][d]},{chain[-1]}). {pairs}"
    for o, asked in enumerate(seen):
        yield " ".join([f"seen({o},{texts[v][d]},{p})." for (v, d), p in asked])
