"""The search for a plan."""

from collections.abc import Iterable, Mapping
from functools import partial
from inspect import signature

from asplan.api import File, Files, inputs_of
from asplan.core.budget import Reporter
from asplan.core.errors import UsageError
from asplan.core.limits import Limits, keep_interrupts
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines import make_options
from asplan.notebook.progress import State, progress_report
from asplan.planner import Request, answer
from asplan.result import Result


@keep_interrupts()
def solve(  # noqa: PLR0913  # all but the files are keywords
    *files: Files,
    text: str | None = None,
    encoding: File | None = None,
    steps: str | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    actions: Iterable[str] = (),
    switches: Iterable[str] = (),
    horizon_constant: str | None = None,
    fresh: bool = False,
    engine: str = "asp",
    mode: str | None = None,
    horizon: int | None = None,
    schedule: str | None = None,
    models: int | None = None,
    threads: int | None = None,
    no_rewrite: bool | None = None,
    no_states: bool | None = None,
    invariants: bool | None = None,
    lemmas: bool | None = None,
    clingo: Iterable[str] = (),
    heuristic: str | None = None,
    tie_breaking: str | None = None,
    first: bool | None = None,
    optimal: str | None = None,
    move_limit: int | None = None,
    solver: str | None = None,
    proof: str | None = None,
    methods: str | None = None,
    improve: float | None = None,
    plan: Plan | Result | File | None = None,
    min_horizon: int = 0,
    max_horizon: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool | None = None,
    allow_includes: bool = False,
    isolate: bool = False,
    progress: Reporter[Result] | None = None,
) -> Result:
    """Find a plan, check it, and return it with the proven bounds.

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
    actions
        The action predicates, such as `["move/3"]`, for programs whose rules leave that open.
    switches
        Words such as `"no-undefined"`; each disables a warning.
    horizon_constant, fresh
        For single-shot programs, without the parts step(t) and check(t): the constant that bounds
        the time, if several could; and True to ground each horizon anew in any case.
    engine
        An engine in `asplan list engines`.
    mode, horizon
        For the engines asp, sat, portfolio and auto: `incremental`, `fixed` or (asp) `minimize`;
        and the number of steps for the last two.
    schedule, models, threads
        For the same engines: `linear`, `stride:K` or `parallel:B`; the number of plans, 0 for all;
        and the number of solving threads (asp).
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
    first
        For the engines asp, sat, portfolio and auto: find any plan, as fast as possible.
    optimal
        For the engines asp and astar: the objective to optimize over plans of any length,
        `actions`, `cost` or `metric`.
    move_limit
        For the SMT engines: the number of states.
    solver, proof
        For the engine sat: the SAT solver (`cadical195`, `glucose42`, …); and a file `….drat` for
        the refutation of a shorter plan, with its clauses in a file `….cnf` beside it.
    methods
        For the engine portfolio: the methods to run side by side, such as
        `"asp,asp:jumpy,sat:glucose42"`; by default `"asp,sat"`.
    improve, plan
        For PDDL tasks: the seconds for the improvement of the first plan, or of `plan`, a plan as
        for `validate`. Each better plan is checked and reported to `progress`.
    min_horizon, max_horizon
        The least and the largest horizon to try.
    time_limit, memory_limit
        Seconds and megabytes. A time limit interrupts grounding only with `isolate`, and a memory
        limit needs `isolate`.
    allow_scripts
        Run Python code in the program.
    allow_includes
        Let the program include files outside of the folder of the including file.
    isolate
        Use a child process, which limits can stop in every phase.
    progress
        A function to call with a `Result` of the proven bounds; its `reason` describes the current
        work. By default a notebook shows a bar.

    Returns
    -------
    Result
        The result, as `asplan solve` prints it.

    Raises
    ------
    AsplanError
        For contradictory arguments, for files that cannot be read or understood, and for a plan
        that is not valid.

    Examples
    --------
    >>> import asplan
    >>> asplan.solve("two_cars.lp", encoding="origin", metric="slide").horizon
    2
    >>> asplan.solve(text='''
    ...     at(0,0).
    ...     #program step(t).   { occurs(up,t) } = 1.  at(X+1,t) :- at(X,t-1), occurs(up,t).
    ...     #program check(t).  :- query(t), not at(2,t).
    ... ''').plan.actions
    ('up', 'up')
    """
    arguments = locals()
    limits = Limits(time_limit, memory_limit, min_horizon, max_horizon)
    if memory_limit is not None and not isolate:
        raise UsageError("a memory limit needs isolate=True")
    names = list(signature(solve).parameters)
    own = names[names.index("engine") + 1 : names.index("improve")]  # the options of engines
    options = {name: arguments[name] for name in own if arguments[name] is not False}
    options["clingo"] = tuple(clingo)
    options["invariants"] = invariants or lemmas or None
    inputs = inputs_of(files, arguments)
    engine_options = make_options(engine, options, limits)
    if plan is not None:
        from asplan.api.checking import first_plan

        plan = first_plan(inputs, plan)
    request = Request(inputs, engine, engine_options, limits, improve, plan)
    with progress_report(progress, partial(_state, max_horizon)) as report:
        return answer(request, report, isolate)


def _state(
    max_horizon: int | None,
    result: Result,
) -> State:
    share = result.lower_bound / max_horizon if max_horizon else None
    least = amount(result.lower_bound, "step")
    bound = f" · every plan has at least {least}" if result.lower_bound else ""
    return result.reason + bound, share
