"""Encodings side by side: a row for each on an instance, measured in a child process of its own.

The size of a ground program is that of its text and of its rules, in seconds and in memory. All
parts are grounded in one call, which is what a reader of the program has in mind (the program up to
horizon N) and what `clingo --text` would print of it.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import product
from pathlib import PurePath
from statistics import geometric_mean
from typing import Any, NamedTuple

import psutil
from clingo import Application, Control, MessageCode, Observer, clingo_main

from asplan.core.errors import AsplanError, Bug, InputError, UsageError
from asplan.core.figures import COLOURS, WIDE_RANGE, new_figure
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, check_steps
from asplan.core.plan import Shown
from asplan.core.process import run_isolated
from asplan.core.text import printable
from asplan.engines.asp import AspOptions
from asplan.engines.asp.session import Session
from asplan.engines.asp.theory import meaning_of
from asplan.pddl.front import instances_in
from asplan.planner import Request, answer_problem
from asplan.problem import Inputs, Problem, load
from asplan.problem.catalog import encodings
from asplan.program.contract import read_claims, read_contract
from asplan.program.ground import Part, ground
from asplan.program.incremental import Program, base, check, control_options, step
from asplan.program.source import reporting
from asplan.program.theory import TEL, package_of
from asplan.program.unit import messages_of, read_unit

_NUMERIC = ("numeric_lines", "numeric_words", "numeric_bytes")
SIZES = (
    *("lines", "words", "bytes", *_NUMERIC),
    *("atoms", "rules", "choice_rules", "constraints", "bodies"),
)
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
    atoms, rules, choice_rules, constraints, bodies
        Of the atoms those with a name count, facts and externals among them; rules are all that
        clingo hands to the solver as such, with the auxiliary rules of aggregates. Bodies are
        different ones, but for the empty one.
    ground_seconds, memory_mb
        Of wall-clock time, and by how much the peak of resident memory rose; None where the system
        does not tell.
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


def compare_encodings(
    inputs: Inputs,
    encodings: Sequence[str],
    horizon: int,
    limits: Limits,
    report: Report,
    solve: bool = False,
) -> Rows:
    """Measure all instances with encodings, or all of their domain; `limits` are for each row."""
    check_steps(horizon)
    if not inputs.files:
        raise UsageError("no instances are given", hint="name one, for example sample02")
    limits.check()
    await_input(inputs.files, limits.seconds)
    done: list[Row] = []
    for given, label in _pairs(inputs, encodings):
        row = Row(label, given.encoding or "", horizon, reason="reading the files")
        try:
            work = partial(_measure_row, given, limits, solve, row)
            row = run_isolated(work, limits, report, row)
        except Bug:
            raise
        except AsplanError as error:
            row = replace(row, reason=str(error))
        done.append(row)
        report(row)
        if row.stopped == Stop.INTERRUPT:
            break
    return Rows(done)


def _pairs(inputs: Inputs, encodings: Sequence[str]) -> Iterator[tuple[Inputs, str]]:
    instances = instances_in(inputs.files)
    stems = [PurePath(files[-1]).stem for files in instances]
    for files, stem in zip(instances, stems, strict=True):
        label = stem if stems.count(stem) == 1 else files[-1]
        given = replace(inputs, files=files)
        for encoding in encodings or _fitting(given):
            yield replace(given, encoding=encoding or None), label


def _fitting(inputs: Inputs) -> list[str]:
    """Encodings of an instance's domain, its default first, but for estimates and theory atoms."""
    try:
        problem = load(inputs)
    except AsplanError:
        return [""]  # measuring the row meets the same error and says it
    home = problem.path.parent if problem.path else None
    found = []
    for entry in encodings():
        if entry.path.parent == home:
            with suppress(AsplanError):  # what is wrong with it is said in its row
                unit = read_unit(str(entry.path))
                if read_claims([unit]).estimates or package_of(unit.suspects) is not None:
                    continue
            found.append(entry.name)
    return sorted(found, key=lambda name: name != problem.encoding) or [""]


def _measure_row(inputs: Inputs, limits: Limits, solve: bool, row: Row, report: Report) -> Row:
    """Measure one row in this process, whose standard output is taken for a while."""
    started = time.monotonic()
    problem = load(inputs)
    row = replace(row, remark=_remark(problem))
    program, given = problem.program, problem.given_at(row.horizon)
    report(replace(row, reason="grounding"))
    row = measure(row, program, given)
    report(replace(row, reason="printing the ground program"))
    row = replace(row, **text_size(program, given, row.horizon)._asdict())
    report(replace(row, reason="printing it in the numeric format"))
    numeric = text_size(program, given, row.horizon, "--mode=gringo")
    sizes: dict[str, Any] = dict(zip(_NUMERIC, numeric, strict=True))
    row = replace(row, reason="", **sizes)
    if not solve:
        return row
    report(replace(row, reason="solving"))
    left = None
    if limits.seconds is not None:
        left = max(0.0, limits.seconds - (time.monotonic() - started))
    own = Limits(seconds=left, max_horizon=row.horizon)
    request = Request(Inputs(problem.files), "asp", AspOptions(no_states=True), own)
    result = answer_problem(problem, request, time.monotonic())
    counted = {n: getattr(result.statistics, n) for n in ("calls", "conflicts", "choices")}
    late = result.stopped == Stop.TIME
    return replace(
        row,
        outcome=str(result.outcome),
        steps=result.horizon,
        **counted,
        solve_seconds=round(result.seconds.solve, 6),
        reason=limits.time_reason("solving") if late else "",
        stopped=Stop.TIME if late else None,
    )


def _remark(problem: Problem) -> str:
    """What to know of the figures; `InputError` where an encoding cannot be for an instance."""
    known, encoding = problem.facts.signatures(), problem.units[-1]
    read = {(name, arity) for _, name, arity in encoding.read | encoding.defined}
    if not problem.is_whole and not known & read:
        names = ", ".join(f"{name}/{arity}" for name, arity in sorted(known))
        raise InputError(f"{problem.encoding} reads nothing of what the instance has: {names}")
    session = Session(problem.program, problem.given_at(0))
    session.ground_first()
    facts = session.claims()
    read_contract(facts, lambda fact: problem.facts.at(fact), "incremental")
    if problem.program.plan_part or any(str(fact.arguments[0]) == "staged" for fact in facts):
        return "counts on separate ground calls; in one call, as here, it makes another program"
    return ""


def geometric_ratios(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """For each encoding and measure the geometric mean of the ratios to the first one."""
    by_pair = {(row.instance, row.encoding): row for row in rows}
    first, *others = dict.fromkeys(encoding for _, encoding in by_pair) or [""]
    ratios: dict[str, dict[str, float]] = {name: {} for name in others}
    for name, kind in product(others, (*SIZES, *COSTS)):
        own = ((row, by_pair.get((i, first))) for (i, e), row in by_pair.items() if e == name)
        pairs = [(getattr(row, kind), getattr(other, kind)) for row, other in own if other]
        if values := [value / other for value, other in pairs if value and other]:
            ratios[name][kind] = geometric_mean(values)
    return ratios


def columns(solve: bool) -> list[str]:
    names = [f.name for f in fields(Row)]
    return names if solve else [name for name in names if name not in SOLVING]


_CROWDED = 6  # from more instances on their names are slanted


def comparison_chart(rows: Sequence[Row]) -> Any:
    """The size and the time of some rows: a bar group an instance."""
    solved = any(row.solve_seconds is not None for row in rows)
    both = [(row.ground_seconds, row.solve_seconds or 0.0) for row in rows]
    seconds = [None if ground is None else ground + solve for ground, solve in both]
    instances = {row.instance for row in rows}
    figure = new_figure(max(8.0, 3 + 1.5 * len(instances)), 4)
    left, right = figure.subplots(1, 2)
    _bars(left, rows, [row.lines for row in rows])
    left.set_title("size: lines of the ground program")
    _bars(right, rows, seconds)
    right.set_title("seconds: grounding" + (" and solving" if solved else ""))
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(f"horizon {max(row.horizon for row in rows)}", fontsize="medium")
    return figure


def _bars(axes: Any, rows: Sequence[Row], values: Sequence[float | None]) -> None:
    encodings = list(dict.fromkeys(row.encoding for row in rows))
    instances = list(dict.fromkeys(row.instance for row in rows))
    width = 0.8 / len(encodings)
    for i, encoding in enumerate(encodings):
        own = [(r, v or 0.0) for r, v in zip(rows, values, strict=True) if r.encoding == encoding]
        offset = width * (i - (len(encodings) - 1) / 2)
        places = [instances.index(row.instance) + offset for row, _ in own]
        colour = COLOURS[i % len(COLOURS)]
        heights = [height for _, height in own]
        axes.bar(places, heights, width * 0.92, label=printable(encoding), color=colour)
    slanted = len(instances) > _CROWDED
    names = list(map(printable, instances))
    axes.set_xticks(range(len(instances)), names, rotation=30 if slanted else 0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    heights = [value for value in values if value]
    if heights and max(heights) > WIDE_RANGE * min(heights):
        axes.set_yscale("log")


_STDOUT = 1


class TextSize(NamedTuple):
    """What `clingo --text … | wc` prints."""

    lines: int = 0
    words: int = 0
    bytes: int = 0


def _all_parts(horizon: int) -> list[Part]:
    steps = [step(t) for t in range(1, horizon + 1)]
    return [base(), *steps, *(check(t) for t in range(horizon + 1))]


def measure(row: Row, program: Program, constants: Mapping[str, str]) -> Row:
    """Ground a program in one call and count; memory is right if nothing was grounded before."""
    session = Session(program, constants)
    before = psutil.Process().memory_info().rss / 2**20
    session.ground(_all_parts(row.horizon))
    peak, counts = _peak(), _RuleCount()
    counting = Session(program, constants)
    counting.control.register_observer(counts)
    counting.ground(_all_parts(row.horizon))
    return replace(
        row,
        atoms=len(session.control.symbolic_atoms),
        rules=counts.rules,
        choice_rules=counts.choices,
        constraints=counts.constraints,
        bodies=len(counts.bodies),
        ground_seconds=round(session.effort.ground_seconds, 6),
        memory_mb=None if peak is None else round(max(0.0, peak - before), 1),
    )


class _RuleCount(Observer):
    def __init__(self) -> None:
        self.rules = self.choices = self.constraints = 0
        self.bodies: set[int] = set()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        self._add(choice, head, tuple(sorted(body)))

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        self._add(choice, head, (lower_bound, *sorted(body)))

    def _add(self, choice: bool, head: Sequence[int], body: tuple[object, ...]) -> None:
        self.rules += 1
        self.choices += choice
        self.constraints += not choice and not head
        if body:
            self.bodies.add(hash(body))  # a hash takes less room than a body


def _peak() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        peak = getattr(psutil.Process().memory_info(), "peak_wset", None)
        return None if peak is None else float(peak / 2**20)
    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def text_size(
    program: Program, constants: Mapping[str, str], horizon: int, style: str = "--text"
) -> TextSize:
    """What clingo prints, as `wc` counts; it takes standard output, so this belongs in a worker."""
    application = _Text(program, _all_parts(horizon))
    reading, writing = os.pipe()
    kept = os.dup(_STDOUT)
    os.dup2(writing, _STDOUT)
    os.close(writing)
    with ThreadPoolExecutor(1) as counting:
        counted = counting.submit(_count, reading)
        try:
            clingo_main(application, [style, *control_options(constants)])
        finally:
            os.dup2(kept, _STDOUT)  # closes the last writing end, so that the counting ends
            os.close(kept)
    if application.error:
        raise application.error
    return counted.result()


def _count(descriptor: int) -> TextSize:
    lines = words = size = 0
    with open(descriptor, "rb") as stream:
        for line in stream:
            lines += line.endswith(b"\n")
            words += len(line.split())
            size += len(line)
    return TextSize(lines, words, size)


class _Text(Application):
    """clingo as on the command line, but with a main function that grounds some parts."""

    def __init__(self, program: Program, parts: list[Part]) -> None:
        self.program, self.parts = program, parts
        self.messages = messages_of(program.sections)
        self.error: AsplanError | None = None

    def main(self, control: Control, files: Sequence[str]) -> None:
        """Ground and print; an exception must not pass through clingo."""
        try:
            with reporting(self.messages):
                add, package = None, self.program.theory
                if package not in (None, TEL):  # theory atoms as their package wants them
                    meaning = meaning_of(package)
                    meaning.register(control)
                    add = meaning.add
                self.program.add_to(control, add)
                ground(control, self.parts, self.program.functions())
                control.solve()
        except AsplanError as error:
            self.error = error

    def logger(self, code: MessageCode, message: str) -> None:
        self.messages(code, message)
