"""Find a plan."""

from collections.abc import Iterable, Mapping
from functools import partial
from inspect import signature

from asplan.api import File, Files, inputs_of
from asplan.core.errors import UsageError
from asplan.core.limits import Limits, keep_interrupts
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines import make_options
from asplan.engines.run import Report
from asplan.notebook.progress import State, progress_report
from asplan.planner import Request, answer
from asplan.result import Result


@keep_interrupts()
def solve(
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
    progress: Report | None = None,
) -> Result:
    """Find a plan, check it, and say what is proven.

    Parameters
    ----------
    files
        Instances, whole programs, or a domain and a problem in PDDL; shipped instances by name
        (`"sample02.lp"`, `"blocks-1"`). One after the other, or in a list.
    text
        A program, or a part of one, as text; together with files, or alone.
    encoding
        A shipped encoding's name or a path, `"origin:metric=slide"` for a variant of it; without
        it the one measured fastest.
    steps
        For PDDL: what a step may hold, `sequential`, `forall`, `exists` or `relaxed`; short for
        the encoding of that name.
    constants
        Constants of the program with their values.
    metric
        Short for `constants={"metric": …}`.
    actions
        The predicates that say what happens, as in `["move/3"]`, where the rules leave it open.
    switches
        Words such as `"no-undefined"`, each of which switches a warning off.
    horizon_constant, fresh
        For a program without the parts step(t) and check(t): the constant that bounds its time,
        where that is not plain; and whether each horizon is to be grounded anew in any case.
    engine
        One of those that `asplan list engines` shows.
    mode, horizon, schedule, models, threads, no_rewrite, no_states, invariants, clingo
        For the engines asp, sat, portfolio and auto: `incremental`, `fixed` or (asp) `minimize`;
        the steps for the last two; `linear`, `stride:K` or `parallel:B`; how many plans, 0 for all;
        solving threads (asp); whether to ground the program as written; whether to leave all to
        clingo where the states could be looked at, too (asp); whether to add to the program what
        is seen to be true of every state; words for clingo, as on its command line (sat: those
        about grounding). An older name of `invariants` is `lemmas`.
    heuristic, tie_breaking
        For A* and its kin: the estimate, and what decides among states that look alike, which is
        `larger-g` (the default), `none` or `smaller-g-then-h`.
    first
        For the engines asp, sat, portfolio and auto: any plan, as fast as can be.
    optimal
        What is proven to be least among all plans, whatever their length: `actions` or `cost`; for
        the engines asp and astar.
    move_limit
        For the SMT engines: the number of states.
    solver, proof
        For the engine sat: the SAT solver (`cadical195`, `glucose42`, …), and a file `….drat` for
        the refutation of a shorter plan; its clauses go to a file `….cnf` beside it.
    methods
        For the engine portfolio: who takes part, `"asp,asp:jumpy,sat:glucose42"`; `"asp,sat"`
        if not given.
    improve, plan
        For PDDL tasks: so many seconds are given to make the first plan better, or the one that is
        given here, as `validate` takes it. Each better one is reported to `progress`, checked.
    min_horizon, max_horizon
        The least and the largest horizon that is tried.
    time_limit, memory_limit
        Seconds and megabytes. Without `isolate` a time limit cannot interrupt grounding, and a
        memory limit is refused.
    allow_scripts
        Run Python code in the program.
    allow_includes
        Let the program include files that are not below the folder of the including file.
    isolate
        Work in a child process, which limits can stop in every phase.
    progress
        Called with what is proven so far, a `Result` whose `reason` says what is being done. In a
        notebook, where it is not given, a bar says so.

    Returns
    -------
    Result
        What `asplan solve` prints.

    Raises
    ------
    AsplanError
        Bad usage, bad input, or a plan that failed its validation.

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
    given = locals()
    limits = Limits(time_limit, memory_limit, min_horizon, max_horizon)
    if memory_limit is not None and not isolate:
        raise UsageError("a memory limit can be kept only with isolate=True")
    names = list(signature(solve).parameters)
    own = names[names.index("engine") + 1 : names.index("improve")]  # those of engines
    options = {name: given[name] for name in own if given[name] is not False}
    options["clingo"] = tuple(clingo)
    options["invariants"] = invariants or lemmas or None
    inputs = inputs_of(files, given)
    chosen = make_options(engine, options, limits)
    if plan is not None:
        from asplan.api.checking import begin_with

        plan = begin_with(inputs, plan)
    request = Request(inputs, engine, chosen, limits, improve, plan)
    with progress_report(progress, partial(_state, max_horizon)) as report:
        return answer(request, report, isolate)


def _state(max_horizon: int | None, result: Result) -> State:
    share = result.lower_bound / max_horizon if max_horizon else None
    least = amount(result.lower_bound, "step")
    bound = f" · every plan has at least {least}" if result.lower_bound else ""
    return result.reason + bound, share
