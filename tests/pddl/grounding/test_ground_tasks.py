"""Ground tasks: the reduced task is equivalent, and its groups hold."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_moves import moves

import asplan
from asplan.pddl.grounding import translate
from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.names import names_of
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.world import State
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import NONE, denied
from conftest import examples
from random_pddl import pddl

CASES = tomllib.loads((Path(__file__).parent / "tasks.toml").read_text())


def texts_of(case: dict[str, Any]) -> tuple[str, str]:
    """The domain and the problem of a case."""
    objects = case.get("objects", "")
    if isinstance(objects, int):
        objects = " ".join(f"o{number}" for number in range(objects))
    constants = "" if objects else "(:constants a b c)"
    known = "(:requirements :adl :typing :action-costs)"
    return (
        f"(define (domain d) {known} {constants}\n{case['domain']})",
        f"(define (problem p) (:domain d) (:objects {objects})\n"
        f"  (:init {case['init']}) (:goal {case['goal']}) {case.get('metric', '')})",
    )


@pytest.mark.parametrize("name", CASES)
def test_what_is_ground(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    texts = texts_of(case)
    text = task_of_sources(PddlSource("domain.pddl", texts[0]), PddlSource("p.pddl", texts[1]))
    task = translate(text, names_of(text))
    for what in ("operators", "axioms", "variables"):
        if what in case:
            assert len(getattr(task, what)) == case[what], (what, task)
    model = TaskModel(task)
    states = {model.initial, *(model.apply(model.initial, a) for a in model.actions(model.initial))}
    shown = {atom.name for state in states for atom in model.fluents(state)}
    assert shown <= {names_of(text).predicates.terms[s.name.key] for s in text.domain.predicates}
    files = tmp_path / "domain.pddl", tmp_path / "p.pddl"
    for file, written in zip(files, texts, strict=True):
        file.write_text(written)
    found = asplan.solve(*files, engine="astar", optimal="actions")
    assert found.validated == "text"
    assert found.plan is not None
    assert (str(found.outcome), len(found.plan.actions)) == ("optimal", case["actions"])


def lockstep(meaning: TextModel, model: TaskModel) -> Iterator[tuple[State, int]]:
    """Yield each state of the text with that of the ground task, and compare their successors.

    What changes nothing is left out, as it is no operator.
    """
    found = {(meaning.initial, model.initial)}
    new = list(found)
    while new:
        state, ground = new.pop()
        yield state, ground
        after = {str(a): meaning.apply(state, a) for a in meaning.actions(state)}
        changing = {action for action, other in after.items() if other != state}
        actions = model.actions(ground)
        assert changing == {a for a in actions if model.apply(ground, a) != ground}
        assert meaning.is_goal(state) == model.is_goal(ground)
        pairs = {(after[action], model.apply(ground, action)) for action in changing} - found
        found |= pairs
        new += pairs
    assert len(found) == len({state for state, _ in found}) == len({g for _, g in found})


@settings(max_examples=examples(200), deadline=None)
@given(texts=st.one_of(pddl(), moves(), moves()))
def test_every_state_is_as_the_text_means(texts: tuple[str, str]) -> None:
    """Actions and goals are the same; of a variable's atoms exactly one holds, or none where it has
    that value; of a group's one at most; and an absence is the opposite of its atom."""
    text = task_of_sources(PddlSource("domain.pddl", texts[0]), PddlSource("p.pddl", texts[1]))
    names = names_of(text)
    meaning = TextModel(text, names)
    task = translate(text, names, all_variables=True)
    if task.is_stub:
        assert not any(meaning.is_goal(state) for state in reached(meaning))
        return
    for state, _ in lockstep(meaning, TaskModel(task)):
        true = {names.atom(predicate, row) for predicate, *row in state}
        for variable in task.variables:
            if variable.is_derived:
                continue
            holding = [value for value in variable.values if holds(value, true)]
            assert len(holding) == 1 or (not holding and NONE in variable.values)
        for group in task.mutexes:
            assert sum(holds(task.atom(fact), true) for fact in group) <= 1


@settings(max_examples=examples(40), deadline=None)
@given(texts=st.one_of(pddl(), moves()))
def test_rules_without_effect_on_the_goal_do_not_matter(texts: tuple[str, str]) -> None:
    """The distance to the goal is that of the text."""
    text = task_of_sources(PddlSource("domain.pddl", texts[0]), PddlSource("p.pddl", texts[1]))
    names = names_of(text)
    meaning = TextModel(text, names)
    task = translate(text, names)
    model = TaskModel(task)
    steps = distance(meaning, meaning.initial)
    assert steps == (None if task.is_stub else distance(model, model.initial))


def reached(meaning: TextModel) -> set[State]:
    """Return all reachable states, by the meaning of the text."""
    found = {meaning.initial}
    new = [meaning.initial]
    while new:
        state = new.pop()
        after = {meaning.apply(state, action) for action in meaning.actions(state)} - found
        found |= after
        new += after
    return found


def holds(value: str, true: set[str]) -> bool:
    atom = denied(value)
    return value in true if atom is None else atom not in true


def distance(model: Any, start: Any) -> int | None:
    """The fewest actions from a state to a goal; None if there is none."""
    layer, seen, steps = {start}, {start}, 0
    while layer:
        if any(map(model.is_goal, layer)):
            return steps
        layer = {model.apply(state, a) for state in layer for a in model.actions(state)} - seen
        seen |= layer
        steps += 1
    return None
