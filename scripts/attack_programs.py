"""Does asplan find what plain clingo finds? Random planning programs, with an oracle of their own.

    python scripts/attack_programs.py [--policies] [--count N] [--seed S] [--folder DIR] [--quick]

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

With `--policies`, clingo alone solves each program under each policy of `POLICIES` or `REWRITINGS`.
Each answer is checked as above. The answers must have the same outcome, horizon and cost. Their
plans may differ, because several plans may be shortest; the last line counts the programs whose
plans are the same. But a policy must find the same plan again: for one program of ten, one of the
policies solves it twice.

A disagreement is written to a file of DIR, and the status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asplan
from asplan.result import Reliance
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
    {"engine": "auto"},
)
"""Options of `asplan.solve`."""

POLICIES: dict[str, dict[str, Any]] = {
    "step by step": {"no_states": True},
    "each horizon anew": {"fresh": True, "no_states": True},
}
"""Policies of grounding for single-shot programs; the first one needs a conversion into parts."""

REWRITINGS: dict[str, dict[str, Any]] = {
    "rewritten": {"no_states": True},
    "as written": {"no_rewrite": True, "no_states": True},
}
"""Policies of grounding for incremental programs."""


@dataclass(frozen=True)
class Finding:
    """An error of an answer: a word for the kind, and the details."""

    kind: str
    details: str


@dataclass
class Agreement:
    """Counts of programs: with several answers, with equal plans, and converted into parts."""

    compared: int = 0
    same_plan: int = 0
    converted: int = 0

    def count(self, answers: Mapping[str, asplan.Result]) -> None:
        """Count a program with its answers by policy."""
        self.compared += 1
        self.same_plan += len({_steps(answer) for answer in answers.values()}) == 1
        evidence = [answer.evidence for answer in answers.values()]
        self.converted += any(Reliance.CONVERSION in each.relies_on for each in evidence)

    def __str__(self) -> str:
        return (
            f"{self.compared} programs under all policies: the plans of {self.same_plan} are the "
            f"same, and {self.converted} were converted into parts"
        )


def findings_on(case: Case, way: dict[str, Any]) -> tuple[str, list[Finding]]:
    """Solve a program and return the outcome in a word, and what is wrong with it."""
    options = {key: value for key, value in way.items() if key != "fresh" or not case.incremental}
    answer = _solve(case, options)
    if isinstance(answer, Finding):
        return answer.kind, [answer]
    return str(answer.outcome), list(_compare(case, truth_of(case), answer))


def findings_by_policy(case: Case, agreement: Agreement) -> tuple[str, list[Finding]]:
    """Solve a program under all policies; return an outcome in a word, and what is wrong."""
    truth = truth_of(case)
    policies = _policies(case)
    answers: dict[str, asplan.Result] = {}
    found: list[Finding] = []
    for name, options in policies.items():
        answer = _solve(case, options)
        if isinstance(answer, Finding):
            found.append(Finding(answer.kind, f"{name}: {answer.details}"))
            continue
        answers[name] = answer
        wrong = _compare(case, truth, answer)
        found += [Finding(each.kind, f"{name}: {each.details}") for each in wrong]
    if len(answers) < len(policies):
        return "error", found
    agreement.count(answers)
    found += _differences(answers)
    return str(next(iter(answers.values())).outcome), found


def second_plan(case: Case, number: int) -> Iterator[Finding]:
    """Solve a program twice under the policy with a number; yield the plans if they differ."""
    policies = _policies(case)
    name = list(policies)[number % len(policies)]
    first, second = (_solve(case, policies[name]) for _ in range(2))
    if isinstance(first, Finding) or isinstance(second, Finding):
        return  # `findings_by_policy` has found this
    if _steps(first) != _steps(second):
        yield Finding("second plan", f"{name}: {_steps(first)}, then {_steps(second)}")


def _policies(case: Case) -> Mapping[str, dict[str, Any]]:
    return REWRITINGS if case.incremental else POLICIES


def _differences(answers: Mapping[str, asplan.Result]) -> Iterator[Finding]:
    """Yield the properties in which answers differ that must be the same under all policies."""
    for kind in ("outcome", "horizon", "cost"):
        values = {name: str(getattr(answer, kind)) for name, answer in answers.items()}
        if len(set(values.values())) > 1:
            yield Finding(f"different {kind}", str(values))


def _steps(answer: asplan.Result) -> tuple[tuple[str, ...], ...] | None:
    """Return the steps of the plan, with the actions of a step in alphabetical order."""
    if answer.plan is None:
        return None
    return tuple(tuple(sorted(step)) for step in answer.plan.steps)


def _solve(case: Case, way: Mapping[str, Any]) -> asplan.Result | Finding:
    """Solve a program with the options of a way; return an error as a finding."""
    try:
        return asplan.solve(
            text=written_text(case), max_horizon=FURTHEST + 1, time_limit=600, **way
        )
    except (asplan.InputError, asplan.UsageError) as error:
        return Finding("refused", str(error))
    except Exception as error:
        return Finding("error", f"{type(error).__name__}: {error}")


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
    parser.add_argument("--policies", action="store_true", help="compare policies of grounding")
    parser.add_argument("--folder", type=Path, help="where to write programs that went wrong")
    parser.add_argument("--ignore", default="", help="kinds that do not count, with commas")
    add_quick(parser, "200 programs", count=200)
    given = parser.parse_args()
    outcomes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    agreement = Agreement()
    start = time.monotonic()
    for seed in range(given.seed, given.seed + given.count):
        case = random_case(seed)
        way = {} if given.policies else WAYS[seed % len(WAYS)]
        if given.policies:
            outcome, found = findings_by_policy(case, agreement)
            if seed % 10 == 0:
                found += second_plan(case, seed // 10)
        else:
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
    if given.policies:
        print(agreement)
    print(f"{given.count} programs in {seconds:.0f} s: {dict(outcomes)}; wrong: {dict(kinds)}")
    wrong = sum(number for kind, number in kinds.items() if kind not in given.ignore.split(","))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
