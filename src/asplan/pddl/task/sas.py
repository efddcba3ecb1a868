"""The conversion of finite-domain tasks to SAS, the input format of Fast Downward's search.

The format: https://www.fast-downward.org/latest/documentation/translator-output-format/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asplan.pddl.task.task import (
    NONE,
    Axiom,
    Fact,
    Operator,
    Task,
    Variable,
)


def to_sas(task: Task) -> str:
    """Return a task in the SAS format; its operators have the names o0, o1, and so on."""
    return "".join(f"{line}\n" for line in _lines(task))


def _lines(task: Task) -> Iterator[object]:
    yield from _block("version", 3)
    yield from _block("metric", int(task.has_costs))
    yield len(task.variables)
    for v, variable in enumerate(task.variables):
        yield from _block("variable", f"var{v}", variable.layer, *_values(variable))
    yield len(task.mutexes)
    for group in task.mutexes:
        yield from _block("mutex_group", *_facts(group))
    yield from _block("state", *task.initial)
    yield from _block("goal", *_facts(task.goal))
    yield len(task.operators)
    for o, operator in enumerate(task.operators):
        yield from _operator(o, operator)
    yield len(task.axioms)
    for axiom in task.axioms:
        yield from _axiom(task, axiom)


def _block(name: str, *lines: object) -> list[object]:
    return [f"begin_{name}", *lines, f"end_{name}"]


def _facts(facts: Sequence[Fact]) -> list[object]:
    """Return the number of facts, and a line `variable value` for each."""
    return [len(facts), *(f"{v} {d}" for v, d in facts)]


def _values(variable: Variable) -> list[object]:
    """Return the number of values, and a line for each value.

    Fast Downward makes disjunctive landmarks of atoms with the same predicate, so atoms are written
    in its spelling.
    """
    values: list[object] = [len(variable.values)]
    for atom in variable.values:
        arguments = "" if "(" in atom else "()"
        values.append("<none of those>" if atom == NONE else f"Atom {atom}{arguments}")
    return values


def _operator(o: int, operator: Operator) -> list[object]:
    """Return the lines of an operator.

    If the operator changes a variable of its precondition, the required value is written in the
    effect, as the value before the change.
    """
    before = dict(operator.precondition)
    changed = {effect.fact[0] for effect in operator.effects}
    prevail = [fact for fact in operator.precondition if fact[0] not in changed]
    effects = list[str]()
    for effect in operator.effects:
        v, d = effect.fact
        condition = map(str, _facts(effect.condition))
        effects.append(" ".join([*condition, f"{v} {before.get(v, -1)} {d}"]))
    return _block(
        "operator",
        f"o{o}",
        *_facts(prevail),
        len(effects),
        *effects,
        operator.cost,
    )


def _axiom(task: Task, axiom: Axiom) -> list[object]:
    v, d = axiom.fact
    return _block("rule", *_facts(axiom.condition), f"{v} {task.initial[v]} {d}")
