"""Requirements: what the keys mean, and which of them a task uses but does not name."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.errors import nearest
from asplan.pddl.language import (
    Delete,
    Each,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    When,
)
from asplan.pddl.scopes import inside
from asplan.pddl.task import Task
from asplan.pddl.text import wrong

_QUANTIFIED = frozenset((":existential-preconditions", ":universal-preconditions"))
_ADL = _QUANTIFIED | {
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":equality",
    ":quantified-preconditions",
    ":conditional-effects",
}

IMPLIED: dict[str, frozenset[str]] = {
    ":adl": _ADL,
    ":ucpop": _ADL | {":derived-predicates"},
    ":quantified-preconditions": _QUANTIFIED,
    ":fluents": frozenset((":numeric-fluents", ":object-fluents", ":action-costs")),
    ":numeric-fluents": frozenset((":action-costs",)),
    ":domain-axioms": frozenset((":derived-predicates",)),
}
"""What a key says besides itself."""

KNOWN = (
    _ADL
    | IMPLIED.keys()
    | {
        ":object-fluents",
        ":action-costs",
        ":derived-predicates",
        ":durative-actions",
        ":duration-inequalities",
        ":durative-inequalities",
        ":continuous-effects",
        ":timed-initial-literals",
        ":timed-initial-fluents",
        ":time",
        ":preferences",
        ":constraints",
        ":goal-utilities",
        ":non-deterministic",
        ":probabilistic-effects",
        ":rewards",
        ":mdp",
        ":hierarchy",
        ":method-preconditions",
        ":multi-agent",
        ":safety-constraints",
        ":expression-evaluation",
        ":foreach-expansion",
        ":dag-expansion",
        ":subgoal-through-axioms",
        ":action-expansions",
        ":open-world",
        ":true-negation",
    }
)
"""All keys that PDDL and its relatives have; what asplan cannot do is refused where it is used."""


def check_requirements(task: Task) -> Iterator[str]:
    """Check the requirements of a task.

    Yields
    ------
    str
        A warning for each requirement that is used and not named.

    Raises
    ------
    InputError
        A key is unknown.
    """
    named = {":strips"}
    for word in (*task.domain.requirements, *task.problem.requirements):
        if word.key not in KNOWN:
            mend = nearest(word.key, KNOWN, noun="requirements")
            raise wrong(word, f"{word} is no requirement of PDDL", mend)
        named |= {word.key} | IMPLIED.get(word.key, frozenset())
    file = task.domain.name.at.file
    for key in sorted(set(_used(task)) - named):
        yield f"{file}: {key} is used, but does not stand in (:requirements …)"


def _used(task: Task) -> Iterator[str]:
    domain, problem = task.domain, task.problem
    if domain.types or any(typed.types for typed in (*domain.constants, *problem.objects)):
        yield ":typing"
    if domain.rules:
        yield ":derived-predicates"
    if domain.functions:
        yield ":action-costs"
    for action in domain.actions:
        yield from _used_in(action.precondition)
        yield from _used_in(action.effect)
    for rule in domain.rules:
        yield from _used_in(rule.body)
    yield from _used_in(problem.goal)


def _used_in(node: Formula | Effect) -> Iterator[str]:
    for part, _ in inside(node, {}):
        match part:
            case Not():
                yield ":negative-preconditions"
            case Or() | Imply():
                yield ":disjunctive-preconditions"
            case Equal():
                yield ":equality"
            case Exists():
                yield ":existential-preconditions"
            case Forall():
                yield ":universal-preconditions"
            case When() | Each():
                yield ":conditional-effects"
            case Delete() | _:
                pass
