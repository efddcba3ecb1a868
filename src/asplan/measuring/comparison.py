"""Encodings side by side: what each makes of the same instance, and what that costs.

Each pair of instance and encoding is a row of its own, measured in a child process. Whatever
goes wrong with one row is written into it, and the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from functools import partial
from pathlib import PurePath
from statistics import geometric_mean
from typing import Any

from asplan.engines.asp.options import AspOptions
from asplan.engines.asp.session import Session
from asplan.errors import AsplanError, Bug, InputError, UsageError
from asplan.files import await_input
from asplan.limits import Limits, Stop, check_steps
from asplan.measuring.grounding import measure, text_size
from asplan.pddl.front.files import instances_in
from asplan.plan import Shown
from asplan.planner import Request, answer_problem
from asplan.problem import Inputs, Problem, load
from asplan.problem.catalog import Entry, encodings
from asplan.process import run_isolated
from asplan.program.contract import read_contract, read_written
from asplan.program.incremental import Program
from asplan.program.unit import read_unit

TEXT = ("lines", "words", "bytes")
NUMERIC = ("numeric_lines", "numeric_words", "numeric_bytes")
SIZES = (*TEXT, *NUMERIC, "atoms", "rules", "choice_rules", "constraints", "bodies")
COSTS = ("ground_seconds", "memory_mb")
SOLVING = ("outcome", "steps", "calls", "conflicts", "choices", "solve_seconds")


@dataclass(frozen=True)
class Row:
    """One encoding on one instance; what was not measured is None.

    Attributes
    ----------
    lines, words, bytes
        Of what clingo prints with `--text`, all parts up to the horizon grounded in one call.
    numeric_lines, numeric_words, numeric_bytes
        The same in the numeric format that clingo hands to solvers, which is what gringo prints
        unless it is asked for text.
    atoms, rules, choice_rules, constraints, bodies, ground_seconds, memory_mb
        As in `asplan.measuring.grounding.GroundSize`.
    outcome, steps, calls, conflicts, choices, solve_seconds
        Of incremental solving up to the horizon, where that was asked for; `steps` is the length
        of the plan.
    remark
        What to know before the figures are compared; mostly empty.
    reason
        Why something is missing; empty where nothing is.
    stopped
        The limit that stopped the row.
    """

    instance: str
    encoding: str
    horizon: int
    lines: int | None = None
    words: int | None = None
    bytes: int | None = None
    numeric_lines: int | None = None
    numeric_words: int | None = None
    numeric_bytes: int | None = None
    atoms: int | None = None
    rules: int | None = None
    choice_rules: int | None = None
    constraints: int | None = None
    bodies: int | None = None
    ground_seconds: float | None = None
    memory_mb: float | None = None
    outcome: str | None = None
    steps: int | None = None
    calls: int | None = None
    conflicts: int | None = None
    choices: int | None = None
    solve_seconds: float | None = None
    remark: str = ""
    reason: str = ""
    stopped: Stop | None = None


class Rows(tuple[Row, ...], Shown):
    """The rows of a comparison, in the order in which they were measured."""


Report = Callable[[Row], None]
"""Receives rows; the `reason` of one that is being measured says what is being done."""


@dataclass(frozen=True)
class Comparison:
    """What to compare. Without encodings: those that ship for the instance's domain.

    Of a PDDL instance two files may be named: the domain, and the problem behind it.
    """

    instances: tuple[str, ...]
    encodings: tuple[str, ...]
    horizon: int
    solve: bool = False
    constants: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    allow_scripts: bool = False
    allow_includes: bool = False

    def words(self, files: tuple[str, ...], encoding: str | None) -> Inputs:
        """One of the instances with an encoding."""
        return Inputs(
            files, None, encoding, self.constants, self.allow_scripts, self.allow_includes
        )


def compare_encodings(comparison: Comparison, report: Report) -> Rows:
    """Measure all rows; `report` is called with each, unfinished and finished.

    Ctrl-C ends the row that is being measured and leaves out those after it.

    Raises
    ------
    UsageError
        The comparison makes no sense as a whole.
    """
    check_comparison(comparison)
    await_input(comparison.instances, comparison.limits.seconds)
    done: list[Row] = []
    for files, start in _rows(comparison):
        done.append(_measured(comparison, files, start, report))
        report(done[-1])
        if done[-1].stopped == Stop.INTERRUPT:
            break
    return Rows(done)


def check_comparison(comparison: Comparison) -> None:
    """Raise `UsageError` where a comparison makes no sense as a whole."""
    check_steps(comparison.horizon)
    if not comparison.instances:
        raise UsageError("no instances are given", hint="name one, for example sample02")
    comparison.limits.check()


def _rows(comparison: Comparison) -> Iterator[tuple[tuple[str, ...], Row]]:
    """All rows to measure, each with the files of its instance as they were named."""
    instances = instances_in(comparison.instances)
    stems = [PurePath(files[-1]).stem for files in instances]
    for files, stem in zip(instances, stems, strict=True):
        label = stem if stems.count(stem) == 1 else files[-1]
        for encoding in comparison.encodings or _fitting(comparison, files):
            yield files, Row(label, encoding, comparison.horizon, reason="reading the files")


def _fitting(comparison: Comparison, files: tuple[str, ...]) -> list[str]:
    """The shipped encodings of an instance's domain; where it has none, one without a name.

    The first, to which ratios are given, is the domain's default. What estimates plans of any
    length is left out: at the same horizon it answers another question.
    """
    try:
        problem = load(comparison.words(files, None))
    except AsplanError:
        return [""]  # measuring the row meets the same error and says it
    home = problem.path.parent if problem.path else None
    found = [entry.name for entry in encodings() if entry.path.parent == home and _plans(entry)]
    return sorted(found, key=lambda name: name != problem.encoding) or [""]


def _plans(entry: Entry) -> bool:
    """Whether the horizons of an encoding are numbers of steps, not places to cut a plan."""
    try:
        return not read_written([read_unit(str(entry.path))]).estimates
    except AsplanError:
        return True  # what is wrong with it is said in its row


def _measured(comparison: Comparison, files: tuple[str, ...], start: Row, report: Report) -> Row:
    work = partial(measure_row, comparison, files, start)
    try:
        return run_isolated(work, comparison.limits, report, start)
    except Bug:
        raise
    except AsplanError as error:
        return replace(start, reason=str(error))


def measure_row(comparison: Comparison, files: tuple[str, ...], row: Row, report: Report) -> Row:
    """Measure one row in this process, whose standard output is taken for a while."""
    started = time.monotonic()
    problem = load(comparison.words(files, row.encoding or None))
    _check_fit(problem)
    program = problem.program
    row = replace(row, remark=_remark(_claims(problem), program))
    for doing, part in _MEASURES.items():
        row = replace(row, reason=doing)
        report(row)
        row = replace(row, **part(program, problem.given, row.horizon))
    if comparison.solve:
        row = replace(row, reason="solving")
        report(row)
        return _solved(comparison.limits, problem, row, time.monotonic() - started)
    return replace(row, reason="")


def _ground_size(program: Program, constants: Mapping[str, str], horizon: int) -> dict[str, Any]:
    return asdict(measure(program, constants, horizon))


def _text_size(program: Program, constants: Mapping[str, str], horizon: int) -> dict[str, Any]:
    return asdict(text_size(program, constants, horizon))


def _numeric_size(program: Program, constants: Mapping[str, str], horizon: int) -> dict[str, Any]:
    size = text_size(program, constants, horizon, "--mode=gringo")
    return dict(zip(NUMERIC, astuple(size), strict=True))


_MEASURES = {
    "grounding": _ground_size,
    "printing the ground program": _text_size,
    "printing it in the numeric format": _numeric_size,
}
"""What is being done, and the fields of a row that come of it."""


def _solved(given: Limits, problem: Problem, row: Row, used: float) -> Row:
    """Solve the program that was measured."""
    left = None if given.seconds is None else max(0.0, given.seconds - used)
    limits = Limits(seconds=left, max_horizon=row.horizon)
    request = Request(Inputs(problem.files), "asp", AspOptions(), limits)
    result = answer_problem(problem, request, time.monotonic())
    late = result.stopped == Stop.TIME
    return replace(
        row,
        outcome=str(result.outcome),
        steps=result.horizon,
        calls=result.statistics.calls,
        conflicts=result.statistics.conflicts,
        choices=result.statistics.choices,
        solve_seconds=round(result.seconds.solve, 6),
        reason=given.time_reason("solving") if late else "",
        stopped=Stop.TIME if late else None,
    )


def _check_fit(problem: Problem) -> None:
    """Raise `InputError` where an encoding cannot have been written for an instance."""
    if problem.is_whole:
        return
    known = problem.facts.signatures()
    encoding = problem.units[-1]
    if not known & {(name, arity) for _, name, arity in encoding.read | encoding.defined}:
        names = ", ".join(f"{name}/{arity}" for name, arity in sorted(known))
        raise InputError(f"{problem.encoding} reads nothing of what the instance has: {names}")


def _claims(problem: Problem) -> list[str]:
    """What the base part says by facts `asplan(…)`; it may refuse the instance."""
    session = Session(problem.program, problem.given)
    session.ground_first()
    said = session.said()
    read_contract(said, lambda fact: problem.facts.at(fact), "incremental")
    return [str(fact.arguments[0]) for fact in said]


def _remark(claims: list[str], program: Program) -> str:
    if "staged" in claims or program.plan_part:
        return "counts on separate ground calls; in one call, as here, it makes another program"
    return ""


def geometric_ratios(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """For each encoding and measure the ratio to the first encoding, as geometric mean.

    Only instances count on which both were measured, with figures above 0.
    """
    by_pair = {(row.instance, row.encoding): row for row in rows}
    names = list(dict.fromkeys(encoding for _, encoding in by_pair))
    instances = list(dict.fromkeys(instance for instance, _ in by_pair))
    ratios: dict[str, dict[str, float]] = {}
    for name in names[1:]:
        pairs = [(by_pair.get((i, name)), by_pair.get((i, names[0]))) for i in instances]
        both = [(row, first) for row, first in pairs if row is not None and first is not None]
        ratios[name] = {m: mean for m in (*SIZES, *COSTS) if (mean := _mean_ratio(both, m))}
    return ratios


def _mean_ratio(pairs: list[tuple[Row, Row]], measure: str) -> float | None:
    values = [(getattr(row, measure), getattr(first, measure)) for row, first in pairs]
    ratios = [value / first for value, first in values if value and first]
    return geometric_mean(ratios) if ratios else None


def columns(solve: bool) -> list[str]:
    """The names of a row's fields, in order."""
    names = [f.name for f in fields(Row)]
    return names if solve else [name for name in names if name not in SOLVING]
