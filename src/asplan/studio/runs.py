"""What the page shows, section by section, as plain data.

All text that comes from files is without characters that turn the direction of a text.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from asplan.drawing.html import page
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Timing
from asplan.engines import make_options
from asplan.errors import AsplanError
from asplan.files import is_there, real_path
from asplan.limits import Stop
from asplan.measuring.profile import Profile, RuleCost, profile_program
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.problem.catalog import find_encoding
from asplan.process import run_isolated
from asplan.program.source import read_source
from asplan.result import Result, Seconds
from asplan.studio import runs as sections
from asplan.studio.settings import Settings
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
        "hint": printable(error.hint),
        "file": real_path(at.file) if at and is_there(at.file) else None,
        "line": at.line if at else None,
        "column": at.column if at else None,
    }


# One run, station by station, each in an isolated worker under the limits.
#
# What is included is looked up, the problem solved, its plan drawn, its rules measured. Each station
# tells what is to be seen, in the sections of the page.


Tell = Callable[[str, Any], None]
"""Is told the name of a section, and what is in it from now on."""

Partial = TypeVar("Partial")

_PACE = 0.1
"""Seconds between two sights of what goes on."""


class Gone(Exception):
    """Nobody wants to know any more."""


@dataclass(frozen=True)
class _Found:
    """What comes back from a worker that finds one thing."""

    found: Any = None
    reason: str = ""
    stopped: Stop | None = None


def run(settings: Settings, tell: Tell, go_on: Callable[[], None]) -> None:
    """Do all that the page shows of some settings.

    Parameters
    ----------
    go_on
        Called many times a second; it raises `Gone` to have the run given up.

    Raises
    ------
    AsplanError
        The files cannot be planned with.
    """
    tell("doing", "reading the files")
    read = _with_included(settings.named, settings, go_on)
    _tell_files(read, tell)
    result = _solved(settings, tell, go_on)
    for name, section in sections.OF_A_RESULT.items():
        tell(name, section(result))
    found = [file for file in _found_for(result) if file not in read]
    files = [*(_with_included(found, settings, go_on) if found else ()), *read]
    rules = result.trajectory.rules if result.trajectory else None
    others = [] if rules is None else [rules]
    tell("files", {"shown": files, "others": others, "are_all": True})
    if result.plan is not None and rules is not None:
        tell("doing", "drawing the plan")
        tell("player", _player(settings, result, go_on))
    tell("doing", "measuring the rules")
    _measure(settings, result, tell, go_on)


def _with_included(
    files: Iterable[str], settings: Settings, go_on: Callable[[], None]
) -> tuple[str, ...]:
    """The files, and those that they include."""
    files = tuple(files)
    work = partial(_included, files, settings.allow_includes)
    read = run_isolated(work, settings.limits, lambda _: go_on(), _Found())
    return read.found or files


def _included(files: Iterable[str], allow: bool, report: Callable[[_Found], None]) -> _Found:
    found: dict[str, None] = {}
    for file in files:
        found[file] = None
        if file.endswith(".lp"):
            found |= dict.fromkeys(text.name for text in read_source(file, allow).texts)
    return _Found(tuple(found))


def _found_for(result: Result) -> Iterator[str]:
    """The encoding, in front of what it is for, and the files; one may have been found."""
    if result.encoding and not is_there(result.encoding):
        yield str(find_encoding(result.encoding, result.domain).path)
    elif result.encoding and result.encoding not in result.files:
        yield result.encoding
    yield from result.files


def _tell_files(files: Iterable[str], tell: Tell) -> None:
    """Tell of files that are shown and followed; there may be more."""
    tell("files", {"shown": list(files), "others": [], "are_all": False})


def _paced(hear: Callable[[Partial], None], go_on: Callable[[], None]) -> Callable[[Partial], None]:
    """A report that is heard if it says something new, and as often as an eye can follow."""
    last: list[object] = [None]
    at = [0.0]

    def report(partial_result: Partial) -> None:
        go_on()
        if partial_result is not last[0] and time.monotonic() >= at[0] + _PACE:
            last[0], at[0] = partial_result, time.monotonic()
            hear(partial_result)

    return report


def _solved(settings: Settings, tell: Tell, go_on: Callable[[], None]) -> Result:
    """The result; what is proven so far is told meanwhile, and the encoding once it is chosen."""
    chosen: list[str] = []
    passed = sections.Passed()

    def hear(result: Result) -> None:
        if result.encoding and not chosen:
            chosen.append(result.encoding)
            _tell_files(_found_for(result), tell)
        tell("doing", result.reason)
        if result.encoding:
            tell("progress", sections.progress(result))
        tell("steps", {"steps": passed.steps})

    paced = _paced(hear, go_on)

    def report(result: Result) -> None:
        passed.hear(result)
        paced(result)

    options = make_options("asp", {}, settings.limits)
    request = Request(settings.words, options=options, limits=settings.limits)
    result = answer(request, report, isolate=True)
    tell("steps", {"steps": sections.counted(result) or passed.steps})
    return result


def _player(settings: Settings, result: Result, go_on: Callable[[], None]) -> dict[str, str]:
    """The page with the player, or why there is none."""
    work = partial(_drawn, result, settings.allow_includes)
    try:
        drawn = run_isolated(work, settings.limits, lambda _: go_on(), _Found())
    except AsplanError as error:
        return {"reason": str(error)}
    return {"reason": drawn.reason} if drawn.stopped else {"page": drawn.found}


def _drawn(result: Result, allow: bool, report: Callable[[_Found], None]) -> _Found:
    return _Found(page(make_scene(result, None, allow), Timing()))


def _measure(settings: Settings, result: Result, tell: Tell, go_on: Callable[[], None]) -> None:
    """Tell what each rule costs to ground, up to the horizon that was come to."""
    horizon = max(1, result.horizon or 0, result.lower_bound)

    def hear(profile: Profile) -> None:
        if profile.rules:
            tell("heat", sections.heat(profile))

    work = partial(_profiled, settings.words, horizon)
    try:
        found = run_isolated(work, settings.limits, _paced(hear, go_on), Profile())
        tell("heat", sections.heat(found))
    except AsplanError as error:
        tell("heat", {"horizon": horizon, "reason": str(error), "lines": []})


def _profiled(words: Inputs, horizon: int, report: Callable[[Profile], None]) -> Profile:
    problem = load(words)
    return profile_program(problem.program, problem.given, horizon, report=report)


def failed(error: AsplanError, tell: Tell) -> None:
    """Tell what was wrong, in a file that is shown from now on."""
    said = sections.wrong(error)
    if error.at and said["file"] is not None:
        _tell_files([error.at.file], tell)
    tell("wrong", said)  # browsers have an event `error` of their own
