"""The SAT solver and clingo find the same answer sets of random programs."""

from __future__ import annotations

import os
from random import Random

import pytest
from clingo import Control, Function

from asplan.core.budget import ENDLESS
from asplan.engines.asp.answer import ModelCollector
from asplan.engines.sat import SOLVERS
from asplan.engines.sat.engine import AnswerSets

PROGRAMS, CHUNK = int(os.environ.get("ASPLAN_FUZZ", 1000)), 100
ATOMS = ("abcd", "efgh", "ijkl")
"""The atoms that each step may define."""


def literals(random: Random, atoms: str, most: int) -> list[str]:
    chosen = random.sample(atoms, random.randint(0, min(most, len(atoms))))
    return [random.choice(["", "", "not ", "not not "]) + atom for atom in chosen]


def weighted(random: Random, atoms: str) -> str:
    chosen = random.sample(atoms, random.randint(1, min(4, len(atoms))))
    elements = (
        f"{random.choice([1, 1, 2, 3, -1])},{n} : {random.choice(['', 'not '])}{atom}"
        for n, atom in enumerate(chosen)
    )
    least = random.randint(-1, 4)
    return f"#sum {{ {'; '.join(elements)} }} {random.choice(['>=', '<=', '!=', '='])} {least}"


def rule(random: Random, own: str, atoms: str) -> str:
    """A rule for the atoms of a step over all atoms so far."""
    body = literals(random, atoms, 3)
    if random.random() < 0.25:
        body.append(weighted(random, atoms))
    head = random.choice(own)
    kind = random.random()
    if kind < 0.25:
        least, most = random.choice([("", ""), ("", "1"), ("1", "2"), ("1", "")])
        head = f"{least} {{ {'; '.join(random.sample(own, random.randint(1, len(own))))} }} {most}"
    elif kind < 0.4:
        head = ""
        body = body or [random.choice(atoms)]
    elif kind < 0.5:
        head = f"#edge ({random.randint(1, 3)},{random.randint(1, 3)})"
    elif kind < 0.55:
        head = f"#show shown({random.randint(1, 2)})"
        body = body or [random.choice(atoms)]
    if head.startswith("#"):
        body = [literal for literal in body if "#sum" not in literal] or [random.choice(atoms)]
        return f"{head} : {', '.join(body)}."
    return f"{head} :- {', '.join(body)}." if body else f"{head}."


def program(random: Random) -> list[str]:
    """The text of each step."""
    steps, atoms = [], ""
    for step, own in enumerate(ATOMS[: random.randint(1, 3)]):
        atoms += own
        rules = [rule(random, own, atoms) for _ in range(random.randint(2, 9))]
        steps.append(f"#external x{step}. {random.choice(own)} :- x{step}.\n" + "\n".join(rules))
    return steps


@pytest.mark.parametrize("start", range(0, PROGRAMS, CHUNK))
def test_random_programs(start: int) -> None:
    for seed in range(start, start + CHUNK):
        random = Random(seed)
        texts = program(random)
        control = Control(["--models=0", "--project=show"], logger=lambda code, message: None)
        answers = AnswerSets(control, random.choice(SOLVERS), ENDLESS)
        for step, text in enumerate(texts):
            control.add(f"step{step}", [], text)
            control.ground([(f"step{step}", [])])
            control.assign_external(Function(f"x{step}"), random.choice([True, False, None]))
            if step and random.random() < 0.5:
                control.release_external(Function(f"x{step - 1}"))
            expected = set[frozenset[str]]()
            control.solve(
                on_model=lambda model: expected.add(  # noqa: B023
                    frozenset(map(str, model.symbols(shown=True)))
                )
            )
            if not answers.add():  # clingo makes a disjunction of some sums in a cycle
                break
            answer = answers.search([], ModelCollector(0, False, lambda atom: False))
            found = [frozenset(map(str, model.symbols)) for model in answer.models]
            assert set(found) == expected, f"seed {seed}, step {step}\n" + "\n%\n".join(texts)
            assert answer.satisfiable is bool(expected)
