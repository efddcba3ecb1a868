"""The share of broken encodings for which `asplan explain` names the broken rule.

Each shipped example encoding is broken in random ways, one slip in one rule: a literal is missing,
two arguments are swapped, a comparison or a `not` is turned round, the rule is missing, a time is
off by one. Those mutants count that refuse the plan of the encoding as it ships, or that find a
plan with fewer steps. The question is `asplan explain --plan`: why does the mutant refuse the good
plan; or why does the shipped encoding refuse the plan of the mutant, where that is shorter. The
warnings of the mutant are what is named first.

Right is an explanation that has the broken rule among the first three places that it names. Where
the rule is missing it is right to name a rule for the same predicate, or an atom of it.

    python scripts/explain_mutants.py [--each 10] [--seed 1] [--markdown] [--misses]
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import asplan
from asplan import catalog
from asplan.explaining.explanation import Explanation, Nearest, Violation, in_turn
from lib import tables
from lib.mutants import KINDS, Mutant, mutants
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/explaining/*.py",
    "src/asplan/warnings/*.py",
    "encodings/*/*.lp",
    "scripts/lib/mutants.py",
)

CASES = (
    ("blocks", "sussman"),
    ("gripper", "balls_4"),
    ("hanoi", "towers3"),
    ("jugs", "three_and_five"),
    ("logistics", "five_packages"),
    ("pancakes", "seven"),
    ("recolouring", "nine_vertices"),
    ("river", "wolf_goat_cabbage"),
    ("robots", "six_robots"),
    ("sokoban", "shed"),
)
SECONDS = 20.0
FIRST = 3
TRIES = 40
REFUSES, SHORTER = "refuses the good plan", "has a shorter plan"


@dataclass(frozen=True)
class Place:
    """A place that an explanation names, and the predicates that it speaks of there.

    What is `warned` of is the mutant, whichever encoding the explanation is about.
    """

    line: int
    predicates: frozenset[str]
    warned: bool = False


@dataclass(frozen=True)
class Verdict:
    """The result on a mutant: the question, and whether the answer was right."""

    mutant: Mutant
    question: str
    right: bool
    places: tuple[Place, ...]


def places(found: Explanation) -> Iterator[Place]:
    """The places that an explanation names, in its order."""
    for warning in found.warnings:
        words = frozenset(re.findall(r"(\w+)/\d", warning.text))
        yield Place(warning.at.line if warning.at else 0, words, warned=True)
    if found.refusal:
        yield from map(_of_nearest, in_turn(found.refusal.nearest))
        for violation in found.refusal.broken:
            yield from _of_violation(violation)


def _of_violation(violation: Violation) -> Iterator[Place]:
    yield Place(violation.rule.at.line, frozenset())
    yield from map(_of_nearest, in_turn(violation.because))


def _of_nearest(nearest: Nearest) -> Place:
    named = _words(nearest.atom) | _words(nearest.literal.text if nearest.literal else "")
    return Place(nearest.rule.at.line if nearest.rule else 0, named)


def _words(text: str) -> frozenset[str]:
    """The name of the predicate that a literal begins with."""
    word = text.removeprefix("not ").lstrip("-").partition("(")[0].strip()
    return frozenset({word} if word.isidentifier() else ())


def judge(mutant: Mutant, named: Iterable[Place], is_there: bool) -> bool:
    """Return whether the first places are right; the encoding may lack the rule."""
    first = list(dict.fromkeys(named))[:FIRST]
    return any(
        place.predicates & mutant.derives
        if not is_there or (place.warned and mutant.kind == "delete")
        else mutant.lines[0] <= place.line <= mutant.lines[1]
        for place in first
    )


def verdict(path: Path, instance: str, good: asplan.Result, mutant: Mutant) -> Verdict | None:
    """Return the verdict on a mutant; None if it means the same, or is refused."""
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder, path.name)
        broken.write_text(mutant.text)
        try:
            asked = ask(path, broken, instance, good)
        except asplan.InputError as error:
            if _is_program(instance, broken, good.horizon or 0):
                raise AssertionError(f"{mutant.after}: {error}") from error
            return None  # clingo itself says what is wrong with it
    if asked is None:
        return None
    question, found, explained = asked
    named = tuple(dict.fromkeys(places(found)))
    is_there = mutant.kind != "delete" or explained == path
    return Verdict(mutant, question, judge(mutant, named, is_there), named)


def ask(
    path: Path, broken: Path, instance: str, good: asplan.Result
) -> tuple[str, asplan.Explanation, Path] | None:
    """Ask why the broken encoding refuses the good plan, or the right one a shorter plan.

    The question, the answer, and the encoding that it is about; None if there is nothing to ask.
    """
    limits = {"time_limit": SECONDS, "memory_limit": 4000}
    found = asplan.explain(instance, encoding=broken, plan=good, **limits)
    if found.accepted is False:
        return REFUSES, found, broken
    most = good.horizon or 0
    other = asplan.solve(instance, encoding=broken, max_horizon=most, isolate=True, **limits)
    if other.horizon is None or other.horizon >= most:
        return None
    refused = asplan.explain(instance, encoding=path, plan=other, **limits)
    return SHORTER, replace(refused, warnings=found.warnings), path


def _is_program(instance: str, encoding: Path, horizon: int) -> bool:
    """Return whether clingo accepts an encoding, step by step up to a horizon.

    A slip may show late: an atom may be defined again only by a later step.
    """
    limits = {"max_horizon": horizon, "time_limit": SECONDS}
    try:
        asplan.solve(instance, encoding=encoding, isolate=True, **limits)
    except asplan.InputError:
        return False
    return True


def verdicts(domain: str, instance: str, each: int, seed: int) -> Iterator[Verdict]:
    """Verdicts on different mutants of an encoding."""
    path = next(e.path for e in catalog.encodings() if e.domain == domain)
    good = asplan.solve(instance, encoding=path, time_limit=SECONDS)
    seen, found = set(), Counter[str]()
    for mutant in islice(mutants(path, seed), TRIES * each):
        if mutant.text in seen or found[mutant.kind] >= each / len(KINDS):
            continue
        seen.add(mutant.text)
        said = verdict(path, instance, good, mutant)
        if said is not None:
            found[mutant.kind] += 1
            yield said


def main() -> None:
    """Print how many mutants were explained rightly, by encoding and by kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=10, help="at most, mutants of each encoding")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="print those that were not right")
    add_quick(parser, "two mutants of each encoding", each=2)
    tables.add_option(parser)
    given = parser.parse_args()
    every, right = Counter[str](), Counter[str]()
    for domain, instance in CASES:
        for said in verdicts(domain, instance, given.each, given.seed):
            for key in (domain, said.mutant.kind, said.question, "all"):
                every[key] += 1
                right[key] += said.right
            if given.misses and not said.right:
                mutant, lines = said.mutant, [place.line for place in said.places[:FIRST]]
                print(f"{domain}:{mutant.lines[0]} {mutant.kind} ({said.question}, named {lines})")
                print(f"  {mutant.before}\n  {mutant.after}", flush=True)
        print(f"{domain}: {right[domain]} of {every[domain]}", file=sys.stderr)
    cases = [domain for domain, _ in CASES]
    keys = [*cases, None, *KINDS, None, REFUSES, SHORTER, None, "all"]
    rows = [
        None if key is None else (key, str(every[key]), str(right[key]), _share(right, every, key))
        for key in keys
    ]
    columns = ("", "mutants", "rule named", "share")
    tables.show(columns, rows, markdown=given.markdown)


def _share(right: Counter[str], every: Counter[str], key: str) -> str:
    return f"{100 * right[key] / every[key]:.0f} %" if every[key] else "–"


if __name__ == "__main__":
    main()
