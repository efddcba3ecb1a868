"""The contents of the page's sections: results and profiles as plain data.

Text from files is made printable, so that no control character affects the page's text.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import TypedDict

from asplan.core.errors import InputWarning, Location
from asplan.core.files import is_there, real_path
from asplan.core.text import printable
from asplan.measuring.profile import Profile, RuleCost
from asplan.result import Result

Data = dict[str, object]  # the content of a section, or a part of it

_MOST_STEPS = 2000  # steps of a plan that are listed
_MOST_FLUENTS = 50_000  # fluents of all states together that are listed

StepTime = tuple[int, float, float]  # horizon, seconds of grounding and of solving


class FilesData(TypedDict):
    """The files to show, further files to watch, and whether the list of files is complete."""

    shown: list[str]
    others: list[str]
    are_all: bool


class LineData(TypedDict):
    """The cost of the rules in one line of a file."""

    file: str
    line: int
    instantiations: int
    share: float
    approximate: bool
    advice: str


def encode_remark(
    text: str,
    hint: str,
    at: Location | None,
    code: str = "",
) -> Data:
    """Return an error or a warning, with its place, as data of the page.

    `text` is the message and `code` the code of a warning. In the result, `file` is None if the
    remark has no place or its file does not exist.
    """
    return {
        "message": printable(text),
        "hint": printable(hint),
        "code": code,
        "file": real_path(at.file) if at and is_there(at.file) else None,
        "line": at.line if at else None,
        "column": at.column if at else None,
    }


def encode_warnings(warnings: Sequence[InputWarning]) -> Data:
    """Return warnings as the content of the page's section of warnings."""
    remarks = []
    for warning in warnings:
        remarks.append(encode_remark(warning.text, warning.hint, warning.at, warning.code))
    return {"remarks": remarks}


def encode_progress(result: Result) -> Data:
    """Return the progress of a run: the lower bound, the conflicts, and the encoding in use."""
    return {
        "lower_bound": result.lower_bound,
        "conflicts": result.statistics.conflicts,
        "domain": result.domain,
        "encoding": result.encoding,
        "is_whole": result.encoding in result.files,
    }


def encode_outcome(result: Result) -> Data:
    """Return the outcome of a run, with plan length, bounds and time, as the
    content of a section.
    """
    return {
        "verdict": result.verdict,
        "horizon": result.horizon,
        "lower_bound": result.lower_bound,
        "cost": result.cost,
        "validated": result.validated,
        "outcome": str(result.outcome),
        "doubtful": result.is_doubtful,
        "reason": printable(result.reason),
        "seconds": result.seconds.total,
    }


def encode_plan(result: Result) -> Data:
    """Return the steps of a plan and the state after each step.

    Without a plan, return the atoms of each time instead.
    """
    if result.plan is None:
        return {"lines": _timed_lines(result), "states": []}
    lines = []
    for number, step in enumerate(result.plan.steps[:_MOST_STEPS], 1):
        actions = ", ".join(map(result.plan.name, step))
        lines.append((str(number), printable(actions)))
    return {"lines": lines, "states": _listed_states(result)}


def _timed_lines(result: Result) -> list[tuple[str, str]]:
    timed = result.trajectory.timed[:_MOST_STEPS] if result.trajectory else ()
    lines = []
    for time, atoms in timed:
        label = "" if time is None else str(time)
        lines.append((label, printable("  ".join(atoms))))
    return lines


def _listed_states(result: Result) -> list[list[str]]:
    """Return the fluents of each state; empty if there are too many states for a page."""
    states = result.trajectory.states if result.trajectory else ()
    if len(states) > _MOST_STEPS + 1 or sum(map(len, states)) > _MOST_FLUENTS:
        return []
    return [sorted(map(printable, state)) for state in states]


def sum_step_times(result: Result) -> list[StepTime]:
    """Return the seconds spent on each horizon; a horizon may have been solved more than once."""
    ground: defaultdict[int, float] = defaultdict(float)
    solve: defaultdict[int, float] = defaultdict(float)
    for step in result.statistics.steps:
        ground[step.horizon] += step.ground
        solve[step.horizon] += step.solve
    return [(n, round(ground[n], 6), round(solve[n], 6)) for n in ground]


def encode_profile(profile: Profile) -> Data:
    """Return the instantiations of the rules in each line of each file, the largest first."""
    rules: dict[tuple[str, int], list[RuleCost]] = defaultdict(list)
    for rule in profile.rules:
        rules[real_path(rule.file), rule.line].append(rule)
    lines = [_sum_rules(file, line, own) for (file, line), own in rules.items()]
    lines.sort(key=lambda line: -line["instantiations"])
    return {"horizon": profile.horizon, "reason": profile.reason, "lines": lines}


def _sum_rules(file: str, line: int, rules: Sequence[RuleCost]) -> LineData:
    """Return the sum of the costs of the rules in a line."""
    advice = dict.fromkeys(rule.advice for rule in rules if rule.advice)
    return {
        "file": file,
        "line": line,
        "instantiations": sum(rule.instantiations for rule in rules),
        "share": sum(rule.share for rule in rules),
        "approximate": any(rule.approximate for rule in rules),
        "advice": " ".join(advice),
    }


def make_printable(value: object) -> object:
    """Return nested data whose texts are all made printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {make_printable(name): make_printable(content) for name, content in value.items()}
    if isinstance(value, list | tuple):
        return [make_printable(item) for item in value]
    return value
