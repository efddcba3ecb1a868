"""Ground tasks: what is left of a small domain, and that groups of atoms are what they say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import asplan
from asplan.pddl.grounding.translation import translate
from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.names import names_of
from asplan.pddl.language.semantics import State, TextModel
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
    return (
        f"(define (domain d) (:requirements :adl :typing) {constants}\n{case['domain']})",
        f"(define (problem p) (:domain d) (:objects {objects})\n"
        f"  (:init {case['init']}) (:goal {case['goal']}))",
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
    files = tmp_path / "domain.pddl", tmp_path / "p.pddl"
    for file, written in zip(files, texts, strict=True):
        file.write_text(written)
    found = asplan.solve(*files, engine="astar", optimal="actions")
    assert found.validated == "text"
    assert found.plan is not None
    assert (str(found.outcome), len(found.plan.actions)) == ("optimal", case["actions"])


def reached(meaning: TextModel) -> set[State]:
    """All states that can be reached, by what the text means."""
    found = {meaning.initial}
    new = [meaning.initial]
    while new:
        state = new.pop()
        after = {meaning.apply(state, action) for action in meaning.actions(state)} - found
        found |= after
        new += after
    return found


@settings(max_examples=examples(60), deadline=None)
@given(texts=pddl())
def test_variables_and_groups_hold_in_every_state(texts: tuple[str, str]) -> None:
    """Of a variable's atoms exactly one holds, or none where it has that value; of a group's one
    at most; and an absence is the opposite of its atom."""
    text = task_of_sources(PddlSource("domain.pddl", texts[0]), PddlSource("p.pddl", texts[1]))
    names = names_of(text)
    meaning = TextModel(text, names)
    task = translate(text, names, all_variables=True)
    if task.is_stub:
        return
    for state in reached(meaning):
        true = {names.atom(predicate, row) for predicate, *row in state}
        for variable in task.variables:
            if variable.is_derived:
                continue
            holding = [value for value in variable.values if holds(value, true)]
            assert len(holding) == 1 or (not holding and NONE in variable.values)
        for group in task.mutexes:
            assert sum(holds(task.atom(fact), true) for fact in group) <= 1


def holds(value: str, true: set[str]) -> bool:
    atom = denied(value)
    return value in true if atom is None else atom not in true
