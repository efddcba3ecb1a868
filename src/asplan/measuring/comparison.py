"""Comparison of encodings: a row of measurements for each encoding on each instance.

Each row is measured in a child process of its own.
"""

import time
from collections.abc import (
    Iterable,
    Sequence,
)
from dataclasses import asdict, fields, replace
from functools import partial
from statistics import geometric_mean

from asplan.core.budget import Budget, Reporter
from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import (
    AsplanError,
    Bug,
    InputError,
    UsageError,
)
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, check_steps
from asplan.core.plan import NotebookData
from asplan.core.process import run_isolated
from asplan.engines.asp import AspOptions
from asplan.engines.asp.solver import PartsSolver
from asplan.measuring.cases import list_cases, refuse_second_program
from asplan.measuring.ground_size import count_ground_program, measure_text
from asplan.planner import Request, answer_problem
from asplan.problem import Inputs, Problem, load
from asplan.problem.kinds import SingleShotProgram
from asplan.problem.problem import Grounding
from asplan.program.reading.contract import read_contract
from asplan.result import Result

SIZES = (
    "lines",
    "words",
    "bytes",
    "numeric_lines",
    "numeric_words",
    "numeric_bytes",
    "atoms",
    "rules",
    "choice_rules",
    "constraints",
    "bodies",
)
"""The fields of a row that hold sizes of the ground program."""

COSTS = ("ground_seconds", "memory_mb")
"""The fields of a row that hold costs of grounding."""

EFFORTS = ("calls", "conflicts", "choices", "solve_seconds")
"""The fields of a row that hold costs of solving."""

SOLVING = ("outcome", "steps", *EFFORTS)
"""The fields of a row about incremental solving."""


@dataclass(frozen=True)
class Row:
    """Measurements of one encoding on one instance; a field is None if it was not measured.

    Attributes
    ----------
    form
        The form of the program that is measured: `in parts`, as its author wrote it; `converted`
        from one without parts, or from telingo's; or `without parts`, as its author wrote it.
        Empty if the program could not be loaded.
    lines, words, bytes
        Size of clingo's output with `--text`, if all parts up to the horizon are grounded in one
        call.
    numeric_lines, numeric_words, numeric_bytes
        Size of the output in the numeric format for solvers, the default format of gringo.
    atoms, rules, choice_rules, constraints, bodies
        Counts. Atoms are those with a name, including facts and externals. Rules are all rules that
        clingo passes to the solver, including auxiliary rules of aggregates. Bodies are the
        different nonempty bodies.
    ground_seconds, memory_mb
        Wall-clock time of grounding, and the increase of the peak of resident memory. `memory_mb`
        is None if the system does not report the memory.
    outcome, steps, calls, conflicts, choices, solve_seconds
        Result of incremental solving up to the horizon, if requested; `steps` is the length of
        the plan.
    remark
        The reason why the figures cannot be compared with others; usually empty.
    reason
        The reason why something is missing, or empty.
    stopped
        The limit that stopped the measurement, or None.
    """

    instance: str
    encoding: str
    horizon: int
    form: str = ""
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


class Rows(tuple[Row, ...], NotebookData):
    """The rows of a comparison, in the order in which they were measured."""


def compare_encodings(
    inputs: Inputs,
    encodings: Sequence[str],
    horizon: int,
    limits: Limits,
    report: Reporter[Row],
    solve: bool = False,
) -> Rows:
    """Measure each encoding on each instance.

    Parameters
    ----------
    inputs
        The inputs that name the instances.
    encodings
        Names of encodings; by default all encodings of the instance's domain.
    horizon
        The number of steps to ground.
    limits
        The limits of each row.
    report
        Receives rows; the `reason` of an unfinished row is the current activity.
    solve
        Whether to search for a plan as well, with at most `horizon` steps.

    Raises
    ------
    UsageError
        There is no instance, or the horizon or a limit is invalid.
    """
    check_steps(horizon)
    if not inputs.files:
        raise UsageError("no instances are given", hint="name one, for example sample02")
    limits.check()
    await_input(inputs.files, limits.seconds)
    rows: list[Row] = []
    for case in list_cases(inputs, encodings):
        row = Row(case.instance, case.encoding, horizon, reason="reading the files")
        try:
            work = partial(_measure_row, case.inputs, limits, solve, row)
            row = run_isolated(work, limits, report, row)
        except Bug:
            raise
        except AsplanError as error:
            row = replace(row, reason=str(error))
        rows.append(row)
        report(row)
        if row.stopped == Stop.INTERRUPT:
            break
    return Rows(rows)


def _measure_row(
    inputs: Inputs,
    limits: Limits,
    solve: bool,
    row: Row,
    report: Reporter[Row],
) -> Row:
    """Measure one row in this process, which must be a worker: standard output is redirected."""
    budget = Budget(limits.deadline(time.monotonic()))
    problem = load(inputs)
    _check_vocabulary(problem)
    if inputs.encoding is not None and problem.horizon is not None:
        refuse_second_program(inputs)
    row = replace(row, form=_form_of(problem), remark=_remark(problem))
    program = problem.program
    constants = problem.constants_at(row.horizon)
    report(replace(row, reason="grounding"))
    counts = count_ground_program(program, constants, row.horizon)
    row = replace(row, **asdict(counts))
    report(replace(row, reason="printing the ground program"))
    text = measure_text(program, constants, row.horizon)
    row = replace(
        row,
        lines=text.lines,
        words=text.words,
        bytes=text.bytes,
    )
    report(replace(row, reason="printing it in the numeric format"))
    numeric = measure_text(program, constants, row.horizon, "--mode=gringo")
    row = replace(
        row,
        numeric_lines=numeric.lines,
        numeric_words=numeric.words,
        numeric_bytes=numeric.bytes,
        reason="",
    )
    if not solve:
        return row
    report(replace(row, reason="solving"))
    left = None if limits.seconds is None else max(0.0, budget.remaining)
    result = _solve(problem, Limits(seconds=left, max_horizon=row.horizon))
    is_late = result.stopped == Stop.TIME
    return replace(
        row,
        outcome=str(result.outcome),
        steps=result.horizon,
        calls=result.statistics.calls,
        conflicts=result.statistics.conflicts,
        choices=result.statistics.choices,
        solve_seconds=round(result.seconds.solve, 6),
        reason=limits.time_reason("solving") if is_late else "",
        stopped=Stop.TIME if is_late else None,
    )


def _solve(problem: Problem, limits: Limits) -> Result:
    """Solve incrementally by clingo alone, without a search through states that runs beside it."""
    request = Request(Inputs(problem.files), "asp", AspOptions(no_states=True), limits)
    return answer_problem(problem, request, time.monotonic())


def _check_vocabulary(problem: Problem) -> None:
    """Raise `InputError` if an encoding uses none of the instance's predicates."""
    facts = problem.facts.signatures()
    encoding = problem.units[-1]
    predicates = {(name, arity) for _, name, arity in encoding.read | encoding.defined}
    if not problem.is_complete and facts.isdisjoint(predicates):
        names = ", ".join(f"{name}/{arity}" for name, arity in sorted(facts))
        raise InputError(f"{problem.encoding} reads no fact of the instance: {names}")


_FORMS = {
    Grounding.IN_PARTS: "in parts",
    Grounding.CONVERTED: "converted",
    Grounding.ANEW: "without parts",
}


def _form_of(problem: Problem) -> str:
    """Return the form of the program that engines ground, as a row has it."""
    is_rewritten = bool(problem.assumptions) and not problem.is_translated
    return "converted" if is_rewritten else _FORMS[problem.grounding]


def _remark(problem: Problem) -> str:
    """Return the remark on a problem: on its conversion, or on its ground calls."""
    if not isinstance(problem, SingleShotProgram):
        return _remark_on_calls(problem)
    if problem.grounding is Grounding.CONVERTED:
        return "converted into base, step(t) and check(t); --fresh measures it as written"
    return problem.obstacle and f"not converted, because {problem.obstacle}"


def _remark_on_calls(problem: Problem) -> str:
    """Return a remark if grounding all parts in one call changes the program; else an empty text.

    Raises errors about invalid `asplan` facts of the program.
    """
    solver = PartsSolver(problem.program, problem.constants_at(0))
    solver.ground_first()
    claims = solver.claims()
    read_contract(claims, lambda fact: problem.facts.at(fact), Mode.INCREMENTAL)
    is_staged = any(str(claim.arguments[0]) == "staged" for claim in claims)
    if problem.program.plan_part or is_staged:
        return "needs two separate ground calls; one call, as here, makes another program"
    return ""


def geometric_ratios(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Return the geometric means of the ratios to the first encoding.

    The result maps each other encoding, and then each measure, to the mean over all instances on
    which both encodings were measured.
    """
    by_encoding: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_encoding.setdefault(row.encoding, {})[row.instance] = row
    if not by_encoding:
        return {}
    baseline, *others = by_encoding
    return {
        encoding: _ratios_to(by_encoding[baseline], by_encoding[encoding]) for encoding in others
    }


def _ratios_to(baseline: dict[str, Row], rows: dict[str, Row]) -> dict[str, float]:
    """Return for each measure the geometric mean of the ratios to a baseline.

    Both arguments map the names of instances to rows. Costs of solving count only where no limit
    stopped it.
    """
    means: dict[str, float] = {}
    for measure in (*SIZES, *COSTS, *EFFORTS):
        ratios = []
        for instance, row in rows.items():
            first = baseline.get(instance)
            if first is None or (measure in EFFORTS and (first.stopped or row.stopped)):
                continue
            value = getattr(row, measure)
            reference = getattr(first, measure)
            if value and reference:
                ratios.append(value / reference)
        if ratios:
            means[measure] = geometric_mean(ratios)
    return means


def column_names(solve: bool) -> list[str]:
    """Return the names of the fields of a row; without `solve` omit the fields about solving."""
    names = [field.name for field in fields(Row)]
    return names if solve else [name for name in names if name not in SOLVING]
