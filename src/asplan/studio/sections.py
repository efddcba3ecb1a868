"""What the page shows, section by section, as plain data.

All text that comes from files is without characters that turn the direction of a text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from asplan.asp.measuring.costs import Profile, RuleCost
from asplan.errors import AsplanError
from asplan.program.files import is_there, real_path
from asplan.result import Result, Seconds
from asplan.text import printable

_MOST = 2000
"""Steps of a plan that are listed."""


def progress(result: Result) -> dict[str, Any]:
    """What is proven so far, and of what."""
    return {
        "lower_bound": result.lower_bound,
        "conflicts": result.statistics.conflicts,
        "domain": result.domain,
        "encoding": result.encoding,
        "is_whole": result.encoding in result.files,
    }


def outcome(result: Result) -> dict[str, Any]:
    """The outcome, and what it rests on."""
    return {
        "outcome": str(result.outcome),
        "reason": printable(result.reason),
        "horizon": result.horizon,
        "lower_bound": result.lower_bound,
        "cost": result.cost,
        "validated": result.validated,
        "seconds": result.seconds.total,
        "warnings": [printable(warning) for warning in result.warnings],
    }


Step = tuple[int, float, float]
"""Horizon, seconds of grounding and of solving."""


@dataclass
class Passed:
    """What each horizon cost, as far as the reports of a run tell.

    They do not tell it of each horizon, but of all together; so a report that refutes one more
    tells what was spent since the last that did.
    """

    steps: list[Step] = field(default_factory=list)
    bound: int = 0
    seconds: Seconds = Seconds()

    def hear(self, result: Result) -> None:
        """Learn from a report; it has to be told of all of them."""
        if result.lower_bound > self.bound:
            before, self.seconds = self.seconds, result.seconds
            ground, solve = (
                result.seconds.ground - before.ground,
                result.seconds.solve - before.solve,
            )
            self.bound = result.lower_bound
            self.steps.append((self.bound - 1, round(ground, 6), round(solve, 6)))


def counted(result: Result) -> list[Step]:
    """What each horizon cost, as a result that is complete has counted it.

    A horizon may have been solved twice.
    """
    ground: defaultdict[int, float] = defaultdict(float)
    solve: defaultdict[int, float] = defaultdict(float)
    for step in result.statistics.steps:
        ground[step.horizon] += step.ground
        solve[step.horizon] += step.solve
    return [(n, round(ground[n], 6), round(solve[n], 6)) for n in ground]


def plan(result: Result) -> dict[str, Any]:
    """The lines of a plan, or of the atoms of a program without actions, each with its time."""
    if result.plan is not None:
        steps = (", ".join(map(result.plan.name, step)) for step in result.plan.steps[:_MOST])
        return {"lines": [(str(t), printable(step)) for t, step in enumerate(steps, 1)]}
    timed = result.trajectory.timed[:_MOST] if result.trajectory else ()
    lines = [("" if t is None else str(t), printable("  ".join(atoms))) for t, atoms in timed]
    return {"lines": lines}


OF_A_RESULT = {"progress": progress, "plan": plan, "outcome": outcome}


def heat(profile: Profile) -> dict[str, Any]:
    """Instantiations by file and line, the dearest line first; a line may hold several rules."""
    lines: dict[tuple[str, int], list[RuleCost]] = defaultdict(list)
    for rule in profile.rules:
        lines[real_path(rule.file), rule.line].append(rule)
    dearest = sorted(lines, key=lambda place: -sum(r.instantiations for r in lines[place]))
    found = [{"file": file, "line": line, **_cost(lines[file, line])} for file, line in dearest]
    return {"horizon": profile.horizon, "reason": profile.reason, "lines": found}


def _cost(rules: Sequence[RuleCost]) -> dict[str, Any]:
    return {
        "instantiations": sum(rule.instantiations for rule in rules),
        "share": sum(rule.share for rule in rules),
        "approximate": any(rule.approximate for rule in rules),
        "advice": " ".join(dict.fromkeys(rule.advice for rule in rules if rule.advice)),
    }


def wrong(error: AsplanError) -> dict[str, Any]:
    """What was wrong, and where; the file is None where it was in none."""
    at = error.at
    return {
        "message": printable(error.message),
        "mend": printable(error.mend),
        "file": real_path(at.file) if at and is_there(at.file) else None,
        "line": at.line if at else None,
        "column": at.column if at else None,
    }
