"""asplan gives the answers of clingo's own incremental mode, with and without rewriting.

Compared are the horizon that is found, the first answer set, the plans, and the least cost. The
programs in `programs` are written by hand, each for one trait of the language; the others are
random. Engine `sat` has to agree as well, but where it refuses a program for its disjunction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from clingo import Symbol, SymbolType, parse_term
from incmode import CAP, AnswerSet, Horizon, Refused, loop
from random_programs import random_program

import asplan
from asplan.result import Plan
from conftest import THOROUGH

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.lp"))
LAST, RANDOM_LAST, FURTHER = 5, 4, 6
"""The last horizons that are tried, and how many more where asplan says that there is no plan."""

SECONDS = 60
"""What no program needs; some have made asplan run for ever."""

RANDOM, CHUNK = 2000 if THOROUGH else 60, 30
SOME = 4
"""Where a random program has more answer sets than this, not all plans are asked for."""

WAYS: Mapping[str, Mapping[str, Any]] = {
    "rewritten": {},
    "as_it_stands": {"no_rewrite": True},
    "sat": {"engine": "sat"},
}
"""Ways to solve a program that may not differ."""

DISJUNCTION = re.compile(
    r".+:\d+:\d+: a SAT solver cannot solve a disjunction in the head of a rule\n"
    r"  use --engine asp, or write a choice"
)
"""What engine `sat` says of one."""


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_programs(file: Path) -> None:
    text = file.read_text()
    given = re.match(r"%.*constants:(.*)", text)
    constants = dict(word.split("=") for word in given[1].split()) if given else {}
    horizons = loop(text, LAST, constants)
    for way in WAYS:
        difference = _difference(file, horizons, LAST, way, constants)
        assert not difference, f"{way}: {difference}\n{text}"


@pytest.mark.parametrize("start", range(0, RANDOM, CHUNK))
def test_random_programs(start: int, tmp_path: Path) -> None:
    differences = []
    for seed in range(start, start + CHUNK):
        text = random_program(Random(seed))
        try:
            horizons = loop(text, RANDOM_LAST)
        except Refused:
            continue
        file = tmp_path / f"{seed}.lp"
        file.write_text(text)
        for way in WAYS:
            if difference := _difference(file, horizons, RANDOM_LAST, way, {}, SOME):
                differences.append(f"program {seed} ({way}): {difference}\n{text}")
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences[:4])


def _difference(
    file: Path,
    horizons: Sequence[Horizon],
    last: int,
    way: str,
    constants: Mapping[str, str],
    some: int = CAP,
) -> str:
    """Describe the difference between asplan and clingo; empty if there is none."""
    text = file.read_text()
    answers = horizons[-1].answers
    few = answers is not None and len(answers) <= some
    try:
        result = asplan.solve(
            file,
            constants=constants,
            max_horizon=last,
            time_limit=SECONDS,
            models=0 if few else some,
            **WAYS[way],
        )
    except Exception as error:
        if way == "sat" and DISJUNCTION.fullmatch(str(error)):
            return ""
        return f"asplan: {type(error).__name__}: {error}"
    if not horizons[-1].satisfiable:
        return _of_no_plan(result, text, last, constants)
    at = len(horizons) - 1
    found = (result.outcome, result.horizon, result.lower_bound)
    if found != ("optimal", at, at):
        return f"clingo: satisfiable at {at}; asplan: {found} {result.reason}"
    if answers is not None and frozenset(result.atoms) not in answers:
        return f"no answer set at {at}: {' '.join(result.atoms)}; {_shown(answers)}"
    cost = horizons[-1].cost
    if any(cost) and result.cost != cost:
        return f"clingo: cost {cost}; asplan: {result.cost}"
    if answers is None or "#show occurs(" in text:
        return ""
    place = 0 if re.search(r"\boccurs\([tsS],", text) else 1
    return _of_plans(result, answers, place, all_of_them=few and not cost)


def _of_no_plan(result: asplan.Result, text: str, last: int, constants: Mapping[str, str]) -> str:
    found = (result.outcome, result.lower_bound)
    if result.outcome == "unsolvable":
        later = loop(text, last + FURTHER, constants)
        if not later[-1].satisfiable:
            return ""
        return f"clingo: satisfiable at {len(later) - 1}; asplan: {found} {result.reason}"
    if found == ("unknown", last + 1):
        return ""
    return f"clingo: unsatisfiable up to {last}; asplan: {found} {result.reason}"


def _of_plans(
    result: asplan.Result, answers: frozenset[AnswerSet], place: int, all_of_them: bool
) -> str:
    """Compare the plans where all actions have a time within the horizon at their place of it."""
    assert result.horizon is not None
    found = set(result.plans)
    if found and result.validated != "replay":
        return f"asplan: a plan that was not replayed but {result.validated}"
    actions = [[a for a in map(parse_term, answer) if _is_occurs(a)] for answer in answers]
    times = [atom.arguments[place] for atoms in actions for atom in atoms]
    if not times or not all(_is_step(time, result.horizon) for time in times):
        return ""
    plans = {_plan(atoms, result.horizon, place) for atoms in actions}
    if found and (found == plans if all_of_them else found <= plans):
        return ""
    return f"plans {sorted(map(str, found))}; {_shown(answers)}"


def _plan(atoms: Sequence[Symbol], horizon: int, place: int) -> Plan:
    steps: list[list[Symbol]] = [[] for _ in range(horizon)]
    for atom in atoms:
        steps[atom.arguments[place].number - 1].append(atom.arguments[1 - place])
    return Plan(tuple(tuple(map(str, sorted(step))) for step in steps))


def _is_step(time: Symbol, horizon: int) -> bool:
    return time.type == SymbolType.Number and 1 <= time.number <= horizon


def _is_occurs(atom: Symbol) -> bool:
    return atom.type == SymbolType.Function and atom.match("occurs", 2)


def _shown(answers: frozenset[AnswerSet]) -> str:
    return "clingo: " + " | ".join(sorted(" ".join(sorted(answer)) for answer in answers)[:10])
