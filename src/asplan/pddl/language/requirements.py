"""Checks of `:requirements`: their keys, and whether they list the features that a task uses."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.errors import InputWarning, nearest
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.syntax import TaskText

_QUANTIFIED = frozenset((":existential-preconditions", ":universal-preconditions"))
_STRIPS_WITH_MORE = """
:strips :typing :negative-preconditions :disjunctive-preconditions :equality
:quantified-preconditions :conditional-effects
"""
_ADL = _QUANTIFIED.union(_STRIPS_WITH_MORE.split())

_IMPLIED: dict[str, frozenset[str]] = {
    ":adl": _ADL,
    ":ucpop": _ADL | {":derived-predicates"},
    ":quantified-preconditions": _QUANTIFIED,
    ":fluents": frozenset((":numeric-fluents", ":object-fluents", ":action-costs")),
    ":numeric-fluents": frozenset((":action-costs",)),
    ":domain-axioms": frozenset((":derived-predicates",)),
}
"""For each key the further keys that it implies."""

_OTHERS = """
:object-fluents :action-costs :derived-predicates :durative-actions :duration-inequalities
:durative-inequalities :continuous-effects :timed-initial-literals :timed-initial-fluents :time
:preferences :constraints :goal-utilities :non-deterministic :probabilistic-effects :rewards :mdp
:hierarchy :method-preconditions :multi-agent :safety-constraints :expression-evaluation
:foreach-expansion :dag-expansion :subgoal-through-axioms :action-expansions :open-world
:true-negation
"""
_KNOWN = _ADL.union(_IMPLIED, _OTHERS.split())
"""The keys of PDDL and related languages. Unsupported features are refused where they are used."""

_NEEDED: dict[object, str] = {
    "not": ":negative-preconditions",
    "or": ":disjunctive-preconditions",
    "imply": ":disjunctive-preconditions",
    "exists": ":existential-preconditions",
    "forall": ":universal-preconditions",
    syntax.Equal: ":equality",
    syntax.When: ":conditional-effects",
    syntax.Each: ":conditional-effects",
}
"""The keys that a task must list if its conditions and effects have these words or classes."""


def check_requirements(task: TaskText) -> Iterator[InputWarning]:
    """Yield a warning for each feature that a task uses but `:requirements` does not list.

    Raise `InputError` at an unknown key.
    """
    listed = {":strips"}
    for word in (*task.domain.requirements, *task.problem.requirements):
        if word.key not in _KNOWN:
            hint = nearest(word.key, _KNOWN, noun="requirements")
            raise wrong(word, f"{word} is not a requirement of PDDL", hint)
        listed.add(word.key)
        listed |= _IMPLIED.get(word.key, frozenset())
    for key in sorted(set(_used(task)) - listed):
        message = f"{key} is used, but not listed in (:requirements …)"
        yield InputWarning("pddl-requirement", message, task.domain.name.at)


def _used(task: TaskText) -> Iterator[str]:
    """Yield the keys, such as `:typing`, of the features that a task uses."""
    if _has_types(task):
        yield ":typing"
    if task.domain.rules:
        yield ":derived-predicates"
    yield from _used_numbers(task)
    for demand in task.demands:
        yield ":constraints" if demand.name is None else ":preferences"
    kinds = {getattr(part, "word", type(part)) for part in task.parts}
    for kind in kinds:
        if kind in _NEEDED:
            yield _NEEDED[kind]


def _has_types(task: TaskText) -> bool:
    """Return whether a task declares types, or objects with types."""
    objects = (*task.domain.constants, *task.problem.objects)
    return bool(task.domain.types) or any(typed.types for typed in objects)


def _used_numbers(task: TaskText) -> Iterator[str]:
    """Yield the keys of the numeric and temporal features that a task uses."""
    domain = task.domain
    if not (task.has_time or task.has_numbers):
        if domain.functions:
            yield ":action-costs"
        return
    if domain.functions:
        yield ":numeric-fluents"
    if domain.durative:
        yield ":durative-actions"
    if task.problem.timed:
        yield ":timed-initial-literals"
