"""Does asplan find what plain clingo finds? Random planning programs, with an oracle of their own.

    python scripts/attack_programs.py [--count N] [--seed S] [--folder DIR] [--quick]

Program number S, S+1, … is drawn by that number: three of four are single-shot, with the time as
first, middle or last argument, bounded by a constant, a fact, a range, facts one by one or an
interval, with limits of every form in choices, effects and frame rules, comparisons that bound
nothing, and goals at the end, at any time and after the end. One of four is incremental. Plain
clingo finds the least horizon, each one ground anew. Of the answer of asplan, by engines and
options in turn, it is checked that

- the horizon is the least, and the cost the least there;
- the actions of the plan, and no others, are those of an answer set of the program at that horizon;
- no step at the end is empty unless the state changes in it;
- no action that bears on the states is left out because it happens before the steps;
- what cannot be solved up to the furthest horizon is not called solved.

A disagreement is written to a file of DIR, and the status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import asplan
from asplan.engines.asp import alternation
from lib.quick import add_quick
from lib.random_planning import (
    FURTHEST,
    Case,
    Truth,
    early_actions,
    is_answer,
    random_case,
    truth_of,
    written_text,
)

RESTS_ON = (
    "scripts/lib/random_planning.py",
    "src/asplan/program/*.py",
    "src/asplan/engines/asp/*.py",
)

WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"fresh": True},
    {"engine": "sat"},
    {"dear": 0},
    {"engine": "auto"},
)
"""Options of `asplan.solve`; with `dear` 0, horizons of converted programs are grounded anew."""


@dataclass(frozen=True)
class Finding:
    """An error of an answer: a word for the kind, and the details."""

    kind: str
    details: str


def findings_on(case: Case, way: dict[str, Any]) -> tuple[str, list[Finding]]:
    """Solve a program and return the outcome in a word, and what is wrong with it."""
    truth = truth_of(case)
    options = {key: value for key, value in way.items() if key != "fresh" or not case.incremental}
    with patch.object(alternation, "DEAR", options.pop("dear", alternation.DEAR)):
        return _findings_with(case, truth, options)


def _findings_with(case: Case, truth: Truth, options: dict[str, Any]) -> tuple[str, list[Finding]]:
    """Solve a program with some options and return the outcome in a word, and what is wrong."""
    try:
        result = asplan.solve(
            text=written_text(case), max_horizon=FURTHEST + 1, time_limit=60, **options
        )
    except (asplan.InputError, asplan.UsageError) as error:
        return "refused", [Finding("refused", str(error))]
    except Exception as error:
        return "error", [Finding("error", f"{type(error).__name__}: {error}")]
    return str(result.outcome), list(_compare(case, truth, result))


def _compare(case: Case, truth: Truth, result: asplan.Result) -> list[Finding]:
    """Return what of an answer plain clingo contradicts."""
    if truth.horizon is None:
        # The horizons differ by one or two from the number of steps, so a plan may be beyond.
        if result.plan is None:
            return []
        beyond = truth_of(case, FURTHEST + 3)
        if beyond.horizon is None:
            return [Finding("verdict", f"{result.outcome}, but there is no answer set")]
        truth = beyond
    if result.plan is None:
        if str(result.outcome) == "unsolvable":
            return [
                Finding("verdict", f"unsolvable, but horizon {truth.horizon} has an answer set")
            ]
        # A plan of so many steps may be beyond the greatest number of steps.
        if truth.horizon is not None and truth.horizon < FURTHEST - 1:
            return [Finding("verdict", f"{result.reason}, but horizon {truth.horizon} has a plan")]
        return []
    assert truth.horizon is not None
    steps = result.plan.steps
    answers = list(is_answer(case, truth.horizon, steps, result.beside))
    if not answers:
        return [Finding("plan", f"no answer set at {truth.horizon} has just {steps}")]
    early = early_actions(case, truth.horizon, steps, result.beside)
    found = [Finding("early action", f"{early} beside {steps}")] if early else []
    if str(result.outcome) != "optimal":
        found.append(Finding("outcome", f"{result.outcome}: {result.reason}"))
    if truth.cost is not None and result.cost is not None and sum(result.cost) != truth.cost:
        found.append(Finding("cost", f"{result.cost} for {truth.cost}"))
    if steps and not steps[-1]:
        idle = [states for shift, states in answers if _is_idle(states, len(steps) - 1 + shift)]
        if len(idle) == len(answers):
            found.append(Finding("idle end", f"{steps}: nothing changes in the last step"))
    if result.warnings:
        found += [Finding("warning", str(warning)) for warning in result.warnings if warning.doubt]
    return found


def _is_idle(states: tuple[frozenset[str], ...], time: int) -> bool:
    """Return whether the state after a time is the same as at it."""
    return time >= 0 and time + 1 < len(states) and states[time] == states[time + 1]


def main() -> int:
    """Attack, and print how many answers of each kind were wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first program")
    parser.add_argument("--folder", type=Path, help="where to write programs that went wrong")
    parser.add_argument("--ignore", default="", help="kinds that do not count, with commas")
    add_quick(parser, "200 programs", count=200)
    given = parser.parse_args()
    outcomes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    start = time.monotonic()
    for seed in range(given.seed, given.seed + given.count):
        case = random_case(seed)
        way = WAYS[seed % len(WAYS)]
        outcome, found = findings_on(case, way)
        outcomes[outcome] += 1
        for finding in found:
            kinds[finding.kind] += 1
            if finding.kind not in given.ignore.split(","):
                print(f"{seed} {way}: {finding.kind}: {finding.details}", flush=True)
        if found and given.folder:
            given.folder.mkdir(parents=True, exist_ok=True)
            lines = [f"% {way} {finding.kind}: {finding.details}" for finding in found]
            text = "\n".join([*lines, written_text(case), ""])
            (given.folder / f"{seed}.lp").write_text(text)
    seconds = time.monotonic() - start
    print(f"{given.count} programs in {seconds:.0f} s: {dict(outcomes)}; wrong: {dict(kinds)}")
    wrong = sum(number for kind, number in kinds.items() if kind not in given.ignore.split(","))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
