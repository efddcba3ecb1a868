"""The plain loop over the horizons of a planning program: clingo alone, nothing of asplan.

    python plain_loop.py least BOUND            the least horizon that has an answer set
    python plain_loop.py counts BOUND HORIZON…  how many answer sets there are at some horizons
    python plain_loop.py parts FILE HORIZON…    the same of a program with step(t) and check(t)

BOUND is JSON: `files`, and what bounds the time: a `constant`; or `replace`, pairs of texts, where
`{h}` stands for the horizon; or `enumerated`, predicates with a fact for each time. `first` is the
first horizon. With none of these, the program has the parts `base`, `step(t)` and `check(t)`, and
`least` grounds it step by step.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from clingo import Control, Function, Number

BOUNDS = ("constant", "replace", "enumerated")
"""What may bound the time of a single-shot program."""

MOST = 2000
"""Answer sets that are counted."""


def program_at(bound: Mapping[str, Any], horizon: int) -> Control:
    """The program, grounded for a horizon."""
    constant = bound.get("constant")
    constants = bound.get("constants", {}) | ({constant: horizon} if constant else {})
    words = [word for name, value in constants.items() for word in ("-c", f"{name}={value}")]
    control = Control([*words, "--warn=none"])
    for file in bound["files"]:
        if constant:
            control.load(file)
        else:
            control.add("base", [], _text_at(bound, Path(file).read_text("utf-8"), horizon))
    control.ground([("base", [])])
    return control


def _text_at(bound: Mapping[str, Any], text: str, horizon: int) -> str:
    for old, new in bound.get("replace", ()):
        text = text.replace(old, new.replace("{h}", str(horizon)))
    for name in bound.get("enumerated", ()):
        fact = rf"(?<![-,] )\b{name}\((?:\d+,)?(\d+)\)\s*\."
        text = re.sub(fact, lambda found: found[0] if int(found[1]) <= horizon else "", text)
    return text


def least(bound: Mapping[str, Any]) -> int:
    """Return the least horizon that has an answer set."""
    if bound.keys().isdisjoint(BOUNDS):
        return least_of_parts(bound["files"])
    horizons = count(bound.get("first", 0))
    return next(h for h in horizons if program_at(bound, h).solve().satisfiable)


def least_of_parts(files: Iterable[str]) -> int:
    """Return the least horizon of a program with parts, as clingo's incremental mode finds it."""
    control = Control(["--warn=none"])
    for file in files:
        control.load(file)
    control.add("check", ["t"], "#external query(t).")
    for horizon in count():
        now = Number(horizon)
        control.ground([("check", [now]), ("step", [now]) if horizon else ("base", [])])
        query = Function("query", [now])
        control.assign_external(query, True)
        if control.solve().satisfiable:
            return horizon
        control.release_external(query)
    raise AssertionError


def answer_sets(control: Control) -> int:
    """Return the number of answer sets of a program, up to MOST."""
    control.configuration.solve.models = MOST  # type: ignore[union-attr]
    control.configuration.solve.opt_mode = "ignore"  # type: ignore[union-attr]
    with control.solve(yield_=True) as found:
        return sum(1 for _ in found)


def counts(bound: Mapping[str, Any], horizons: Iterable[int]) -> None:
    """Print how many answer sets there are at some horizons."""
    for horizon in horizons:
        print(answer_sets(program_at(bound, horizon)), flush=True)


def counts_of_parts(file: str, horizons: Sequence[int]) -> None:
    """Print the same of an incremental program."""
    control = Control(["--warn=none"])
    control.load(file)
    control.ground([("base", []), ("check", [Number(0)])])
    for step in range(max(horizons) + 1):
        if step:
            control.ground([("step", [Number(step)]), ("check", [Number(step)])])
        if step in horizons:
            control.assign_external(Function("query", [Number(step)]), True)
            print(answer_sets(control), flush=True)
        control.release_external(Function("query", [Number(step)]))


def main() -> None:
    """Do what the words say."""
    task, what = sys.argv[1:3]
    horizons = list(map(int, sys.argv[3:]))
    if task == "parts":
        counts_of_parts(what, horizons)
        return
    bound = json.loads(what)
    os.chdir(Path(bound["files"][0]).parent)
    if task == "counts":
        counts(bound, horizons)
    else:
        print(least(bound))


if __name__ == "__main__":
    main()
