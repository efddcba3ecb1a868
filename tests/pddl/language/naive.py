"""The meaning of conditions, straight from the definition: the oracle of the evaluator."""

from __future__ import annotations

from itertools import product

from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.syntax import Atom, Connected, Equal, Formula, Quantified, TaskText


def task_of(domain: str, problem: str) -> TaskText:
    """The task of the sections of a domain and of a problem."""
    return task_of_sources(
        PddlSource("domain.pddl", f"(define (domain d) (:requirements :adl) {domain})"),
        PddlSource("problem.pddl", f"(define (problem p) (:domain d) {problem})"),
    )


def true(
    task: TaskText, state: set[tuple[str, ...]], formula: Formula, bound: dict[str, str]
) -> bool:
    """Whether a condition holds where exactly the atoms of the state do."""

    def now(part: Formula) -> bool:
        return true(task, state, part, bound)

    def values(parameters: tuple) -> list[dict[str, str]]:  # type: ignore[type-arg]
        keys = [typed.name.key for typed in parameters]
        ranges = [task.objects_of(typed.type_keys) for typed in parameters]
        return [{**bound, **dict(zip(keys, row, strict=True))} for row in product(*ranges)]

    match formula:
        case Atom(predicate, words):
            return (predicate.key, *(bound.get(w.key, w.key) for w in words)) in state
        case Equal(left, right):
            return bound.get(left.key, left.key) == bound.get(right.key, right.key)
        case Connected("not", (body,)):
            return not now(body)
        case Connected("and", parts):
            return all(map(now, parts))
        case Connected("or", parts):
            return any(map(now, parts))
        case Connected("imply", (left, right)):
            return not now(left) or now(right)
        case Quantified("exists", variables, body):
            return any(true(task, state, body, inner) for inner in values(variables))
        case Quantified("forall", variables, body):
            return all(true(task, state, body, inner) for inner in values(variables))
