"""The function `solve`, which finds a plan, and its parameters."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeAlias, TypedDict, Unpack

from asplan.api import File, Files, inputs_of
from asplan.core.budget import Reporter
from asplan.core.errors import UsageError
from asplan.core.limits import Limits, keep_interrupts
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines import find_engine, make_options
from asplan.engines.options import EngineOptions
from asplan.notebook.progress import State, progress_report
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Result

OptionValues: TypeAlias = dict[str, Any]  # each option has its own type


class OtherOptions(TypedDict, total=False):
    """The rarer parameters of `solve`, by name.

    Parameters
    ----------
    actions
        The action predicates, such as `["move/3"]`, for programs whose rules leave that open.
    switches
        Words such as `"no-undefined"`; each disables a warning.
    horizon_constant, fresh
        For single-shot programs, without the parts step(t) and check(t): the constant that bounds
        the time, if several could; and True to ground each horizon anew in any case.
    allow_scripts
        Run Python code in the program.
    allow_includes
        Let the program include files outside of the folder of the including file.
    mode, horizon
        For the engines asp, sat, portfolio and auto: `incremental`, `fixed` or (asp) `minimize`;
        and the number of steps for the last two.
    schedule, threads
        For the same engines: `linear`, `stride:K` or `parallel:B`; and the number of solving
        threads (asp).
    no_rewrite, no_states
        Ground the program as written; use clingo only, without a search of the states beside it
        (asp).
    invariants, lemmas
        Add detected invariants to the program; `lemmas` is an older name.
    clingo
        Options for clingo as on its command line; for sat those of grounding.
    heuristic, tie_breaking
        For A* and related searches: the heuristic; and the order of states with the same estimate,
        `larger-g` (the default), `none` or `smaller-g-then-h`.
    move_limit
        For the SMT engines: the most states on a path, one more than the most moves.
    solver, proof
        For the engine sat: the SAT solver (`cadical195`, `glucose42`, …); and a file `….drat` for
        the refutation of a shorter plan, with its clauses in a file `….cnf` beside it.
    methods
        For the engine portfolio: the methods to run side by side, such as
        `"asp,asp:jumpy,sat:glucose42"`; by default `"asp,sat"`.
    min_horizon
        The least horizon to try.
    memory_limit
        Megabytes; it needs `isolate`.
    """

    actions: Iterable[str]
    switches: Iterable[str]
    horizon_constant: str | None
    fresh: bool
    allow_scripts: bool | None
    allow_includes: bool
    mode: str | None
    horizon: int | None
    schedule: str | None
    threads: int | None
    no_rewrite: bool | None
    no_states: bool | None
    invariants: bool | None
    lemmas: bool | None
    clingo: Iterable[str]
    heuristic: str | None
    tie_breaking: str | None
    move_limit: int | None
    solver: str | None
    proof: str | None
    methods: str | None
    min_horizon: int
    memory_limit: int | None


_INPUTS = frozenset({field.name for field in fields(Inputs)} | {"metric"})
_LIMITS = {
    "time_limit": "seconds",
    "memory_limit": "megabytes",
    "min_horizon": "min_horizon",
    "max_horizon": "max_horizon",
}
"""The parameters of `solve` that are fields of `Limits`, with the names of these fields."""


@keep_interrupts()
def solve(  # noqa: PLR0913  # all but the files are keywords
    *files: Files,
    text: str | None = None,
    encoding: File | None = None,
    steps: str | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    inputs: Inputs | None = None,
    engine: str = "asp",
    first: bool | None = None,
    models: int | None = None,
    optimal: str | None = None,
    options: EngineOptions | Mapping[str, object] | None = None,
    max_horizon: int | None = None,
    time_limit: float | None = None,
    limits: Limits | None = None,
    improve: float | None = None,
    plan: Plan | Result | File | None = None,
    isolate: bool = False,
    progress: Reporter[Result] | None = None,
    **others: Unpack[OtherOptions],
) -> Result:
    """Find a plan, check it, and return it with the proven bounds.

    The frequent options are parameters. The others are in three objects, `inputs`, `options` and
    `limits`; each may be passed by its own name, too, as `OtherOptions` lists them.

    Parameters
    ----------
    files
        Instances, complete programs, a domain and a problem in PDDL, or names of shipped instances
        (`"sample02.lp"`, `"blocks-1"`); as several arguments or as a list.
    text
        A program, or a part of one, with or without files.
    encoding
        The name of a shipped encoding, its variant (`"origin:metric=slide"`), or a path; by default
        the fastest in our measurements.
    steps
        For PDDL, the kind of steps: `sequential`, `forall`, `exists` or `relaxed`. Each is the name
        of an encoding.
    constants
        Constants of the program with their values.
    metric
        Short for `constants={"metric": …}`.
    inputs
        An `Inputs` with the files, or with the rarer options of reading them.
    engine
        An engine in `asplan list engines`.
    first
        For the engines asp, sat, portfolio and auto: find any plan, as fast as possible.
    models
        For the same engines: the number of plans, 0 for all.
    optimal
        For the engines asp and astar: the objective to optimize over plans of any length,
        `actions`, `cost` or `metric`.
    options
        The options of the engine: an object such as `AspOptions(threads=4)`, or a mapping.
    max_horizon
        The largest horizon to try.
    time_limit
        Seconds. A time limit interrupts grounding only with `isolate`.
    limits
        A `Limits` with seconds, megabytes and horizons. A memory limit needs `isolate`.
    improve, plan
        For PDDL tasks: the seconds for the improvement of the first plan, or of `plan`, a plan as
        for `validate`. Each better plan is checked and reported to `progress`.
    isolate
        Use a child process, which limits can stop in every phase.
    progress
        A function to call with a `Result` of the proven bounds; its `reason` describes the current
        work. By default a notebook shows a bar.
    others
        The options of `OtherOptions`.

    Returns
    -------
    Result
        The result, as `asplan solve` prints it.

    Raises
    ------
    AsplanError
        For contradictory arguments, for files that cannot be read or understood, and for a plan
        that is not valid.
    TypeError
        For an unknown parameter.

    Examples
    --------
    >>> import asplan
    >>> asplan.solve("two_cars.lp", encoding="origin", metric="slide").horizon
    2
    >>> few = asplan.Limits(max_horizon=3)
    >>> asplan.solve("two_cars.lp", options=asplan.AspOptions(no_states=True), limits=few).reason
    'maximal horizon 3 reached'
    >>> asplan.solve(text='''
    ...     at(0,0).
    ...     #program step(t).   { occurs(up,t) } = 1.  at(X+1,t) :- at(X,t-1), occurs(up,t).
    ...     #program check(t).  :- query(t), not at(2,t).
    ... ''').plan.actions
    ('up', 'up')
    """
    named: OptionValues = {
        "text": text,
        "encoding": encoding,
        "steps": steps,
        "constants": constants,
        "metric": metric,
        "first": first,
        "models": models,
        "optimal": optimal,
        "max_horizon": max_horizon,
        "time_limit": time_limit,
        **others,
    }
    _refuse_unknown(others)
    request = make_request(files, engine, named, inputs, options, limits)
    if request.limits.megabytes is not None and not isolate:
        raise UsageError("a memory limit needs isolate=True")
    if plan is not None:
        from asplan.api.checking import first_plan

        plan = first_plan(request.inputs, plan)
    request = replace(request, improve=improve, plan=plan)
    with progress_report(progress, partial(_state, request.limits.max_horizon)) as report:
        return answer(request, report, isolate)


def make_request(
    files: Iterable[Files],
    engine: str,
    named: OptionValues,
    inputs: Inputs | None = None,
    options: EngineOptions | Mapping[str, object] | None = None,
    limits: Limits | None = None,
) -> Request:
    """Return a request; values in `named` replace those in `inputs`, `options` and `limits`."""
    limits = _merge_limits(limits, named)
    inputs = _merge_inputs(inputs, files, named)
    return Request(inputs, engine, _merge_options(engine, options, named, limits), limits)


def _refuse_unknown(others: Mapping[str, object]) -> None:
    """Raise `TypeError` at an option that `OtherOptions` does not list."""
    for name in others:
        if name not in OtherOptions.__annotations__:
            raise TypeError(f"solve() got an unexpected keyword argument {name!r}")


def _merge_limits(
    limits: Limits | None,
    named: OptionValues,
) -> Limits:
    """Return the object `limits`; values that were passed by name replace its own values."""
    values: OptionValues = {field: named.get(name) for name, field in _LIMITS.items()}
    changes = {field: value for field, value in values.items() if value is not None}
    return replace(limits or Limits(), **changes)


def _merge_inputs(
    inputs: Inputs | None,
    files: Iterable[Files],
    named: OptionValues,
) -> Inputs:
    """Return the object `inputs`; values that were passed by name replace its own values."""
    own = inputs_of(files, {name: named[name] for name in _INPUTS & named.keys()})
    if inputs is None:
        return own
    default = Inputs()
    values = ((field.name, getattr(own, field.name)) for field in fields(Inputs))
    changes: OptionValues = {n: value for n, value in values if value != getattr(default, n)}
    return replace(inputs, **changes)


def _merge_options(
    engine: str,
    options: EngineOptions | Mapping[str, object] | None,
    named: OptionValues,
    limits: Limits,
) -> EngineOptions:
    """Return the options of an engine.

    Values that were passed by name replace those in `options`.
    """
    values: OptionValues = {}
    if isinstance(options, EngineOptions):
        kind = find_engine(engine).options
        if not isinstance(options, kind):
            what = type(options).__name__
            raise UsageError(f"engine {engine} takes options of {kind.__name__}, not of {what}")
        values |= options.values()
    elif options is not None:
        values |= options
    beside = _INPUTS | _LIMITS.keys()
    for name, value in named.items():
        if name not in beside and value is not None:
            values[name] = value
    values["clingo"] = tuple(values.get("clingo", ()))
    values["invariants"] = values.get("invariants") or values.pop("lemmas", None)
    chosen = {name: value for name, value in values.items() if value is not False}
    return make_options(engine, chosen, limits)


def _state(
    max_horizon: int | None,
    result: Result,
) -> State:
    share = result.lower_bound / max_horizon if max_horizon else None
    least = amount(result.lower_bound, "step")
    bound = f" · every plan has at least {least}" if result.lower_bound else ""
    return result.reason + bound, share
