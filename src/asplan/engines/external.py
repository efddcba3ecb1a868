"""The engines `up:NAME`: planners of unified-planning, whose plans asplan checks.

A planner may start programs in sessions of their own, which a signal to the planner does not reach.
So the planner runs in a worker process below a guard process, which on Linux adopts orphans below
it. The guard ends all processes below it when the planner is done, when a signal arrives, or when
asplan's process has ended.

A planner may claim that its plan is optimal, or that there is none. asplan reports such a claim in
the reason, not as the outcome, because it has no proof.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec
import psutil

from asplan.core.child import Child, hold_signals, set_process_option, start_child
from asplan.core.errors import MissingExtra, UsageError, nearest
from asplan.core.installing import pip_install
from asplan.core.limits import Stop
from asplan.core.process import remove_scratch
from asplan.core.text import decimal_text, shortened
from asplan.engines.options import EngineOptions
from asplan.engines.run import Run
from asplan.problem.kinds import TranslatedTask
from asplan.result import Outcome, Result

if TYPE_CHECKING:
    from unified_planning.engines import Engine, PlanGenerationResult
    from unified_planning.model import Problem
    from unified_planning.plans import ActionInstance, Plan

_LOOK = 0.02
"""Seconds between two looks at the worker and at the parent."""

_PR_SET_CHILD_SUBREAPER = 36
"""The option in Linux's sys/prctl.h by which a process adopts orphans."""

_UNLISTED = {"kairos": ("up_kairos", "KairosEngine")}
"""Planners that unified-planning 1.3 does not list: the module and the class of each."""

_NO_TIME_LIMIT = 1e9
"""Seconds, for planners that have a time limit of their own unless they get one."""

_PARAMETERS: dict[str, dict[str, object]] = {
    "kairos": {"anytime": False, "timeout": _NO_TIME_LIMIT}
}
"""Parameters of planners that otherwise improve their plan until the time limit."""

_UNPROVEN = "asplan has not proved that"
_LIMIT_OF_STATUS = {"TIMEOUT": Stop.TIME, "MEMOUT": Stop.MEMORY}


class _Reply(msgspec.Struct, frozen=True):
    """The reply of the worker process, written as JSON.

    `name` is the planner's own name, `status` the status of its result as text, `plan` the lines of
    the plan, and `failure` the planner's error message. If the planner cannot be run on the task,
    `refusal` and `hint` have the message for the user, and nothing else is set.
    """

    name: str | None = None
    status: str | None = None
    plan: list[str] | None = None
    failure: str = ""
    refusal: str = ""
    hint: str = ""


def solve(name: str, run: Run[EngineOptions]) -> Result:
    """Solve a PDDL task with the planner `name` of unified-planning.

    Raises
    ------
    MissingExtra
        If unified-planning is not installed.
    UsageError
        If the planner is unknown or does not accept the task, or if processes cannot fork.
    """
    if find_spec("unified_planning") is None:
        message = f"engine up:{name} needs unified-planning, which is not installed"
        raise MissingExtra(message, hint=pip_install("up"))
    if not hasattr(os, "fork"):
        raise UsageError(f"engine up:{name} needs a system on which processes fork")
    task = run.problem
    assert isinstance(task, TranslatedTask)  # of an engine that plans from the text
    run.announce(f"asking {name}")
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        domain = Path(folder, "d.pddl")
        problem = Path(folder, "p.pddl")
        answer = Path(folder, "answer")
        for file, text in zip((domain, problem), task.texts, strict=True):
            file.write_text(text, encoding="utf-8")
        import_planning()
        timeout = None if run.limits.seconds is None else max(run.budget.remaining, 0)
        work = partial(_write_reply, answer, name, str(domain), str(problem), timeout)
        if not _run_guarded(work, folder, run):
            return run.out_of_time(run.activity)
        reply = _Reply()
        if answer.exists():
            reply = msgspec.json.decode(answer.read_bytes(), type=_Reply)
    return _make_result(name, reply, run, task)


def _run_guarded(work: Callable[[], None], folder: str, run: Run[EngineOptions]) -> bool:
    """Run a function in a folder, below a guard process; return whether it ended in time."""
    guard: Child | None = None
    try:
        with hold_signals():
            attend = partial(_guard, work, folder, os.getpid())
            guard, receiver = start_child(attend, cleans_up=True, must_fork=True)
        receiver.close()
        while run.budget.remaining > 0 and guard.status() is None:
            time.sleep(_LOOK)
        return guard.status() is not None
    finally:
        if guard is not None and guard.status() is None:
            os.kill(guard.pid, signal.SIGTERM)
            guard.wait()


class _Terminated(Exception):
    """The exception by which SIGTERM ends the wait of the guard process."""


def _guard(
    work: Callable[[], None],
    folder: str,
    parent: int,
    sender: Connection,
) -> int:
    """Run a function in a child of this guard process; then end all processes below the guard.

    `parent` is the number of asplan's process. If that process ends first, the guard removes the
    folder and the worker's other temporary files. `sender` is not used.
    """

    def terminate(number: int, frame: object) -> None:
        raise _Terminated

    set_process_option(_PR_SET_CHILD_SUBREAPER, 1)
    with suppress(_Terminated):
        signal.signal(signal.SIGTERM, terminate)
        os.chdir(folder)  # some planners leave files in the current folder
        worker, _ = start_child(partial(_work_silently, work))
        while os.getppid() == parent and worker.status() is None:
            time.sleep(_LOOK)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _kill_descendants()
    if os.getppid() != parent:
        shutil.rmtree(folder, ignore_errors=True)
        remove_scratch()
    return 0


def _work_silently(work: Callable[[], None], sender: Connection) -> int:
    """Call a function that can neither read standard input nor print; return 0."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    work()
    return 0


def _kill_descendants() -> None:
    """Kill all descendants of this process, also orphans that it adopts while it does so."""
    own = psutil.Process()
    while descendants := own.children(recursive=True):
        for process in descendants:
            with suppress(psutil.Error):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_LOOK / 2)


def _make_result(
    name: str,
    reply: _Reply,
    run: Run[EngineOptions],
    task: TranslatedTask,
) -> Result:
    """Return the result of a reply.

    The outcome is at best `plan`, because asplan has no proof of the planner's claims. Raises
    `UsageError` if the planner could not be run on the task.
    """
    if reply.refusal:
        raise UsageError(f"engine up:{name}: {reply.refusal}", hint=reply.hint)
    planner = reply.name or name
    if reply.plan is not None:
        plan = task.read_plan(reply.plan, f"the plan of {planner}")
        claim = "; shorter ones were not excluded"
        if reply.status == "SOLVED_OPTIMALLY":
            claim = f", which claims that none is better; {_UNPROVEN}"
        return run.result(
            outcome=Outcome.PLAN,
            reason=f"found by {planner}{claim}",
            horizon=len(plan),
            plans=(plan,),
        )
    if reply.status == "UNSOLVABLE_PROVEN":
        return run.result(reason=f"{planner} claims that there is no plan; {_UNPROVEN}")
    end = "ended without an answer" if reply.status is None else f"ended with {reply.status}"
    failure = f": {shortened(reply.failure, 300)}" if reply.failure else ""
    return run.result(
        stopped=_LIMIT_OF_STATUS.get(str(reply.status)),
        reason=f"{planner} {end}{failure}",
    )


# The worker process.


def import_planning() -> ModuleType:
    """Import unified-planning and make it find its planners, once, before processes fork."""
    import unified_planning.shortcuts

    factory = unified_planning.shortcuts.get_environment().factory
    for name, (module, engine) in _UNLISTED.items():
        if name not in factory.engines and find_spec(module) is not None:
            factory.add_engine(name, module, engine)
    planning: ModuleType = unified_planning
    return planning


def _write_reply(
    answer: Path,
    name: str,
    domain: str,
    problem: str,
    timeout: float | None,
) -> None:
    """Run the planner `name` on two PDDL files, and write its reply to the file `answer`."""
    warnings.simplefilter("ignore")
    environment = import_planning().shortcuts.get_environment()
    environment.credits_stream = None
    environment.error_used_name = False  # PDDL lets an action and an object have one name
    reply = _refuse_planner(name) or _run_planner(name, domain, problem, timeout)
    answer.write_bytes(msgspec.json.encode(reply))


def _refuse_planner(name: str) -> _Reply | None:
    """Return a reply with an error message if the planner is unknown, else None."""
    if name == "asplan":
        return _Reply(
            refusal="asplan does not run itself through unified-planning",
            hint="use --engine asp, or another engine of asplan",
        )
    planners = _installed_planners()
    if name in planners:
        return None
    package = _package_of(name)
    if package:
        hint = f"pip install {package}"
    elif planners:
        hint = nearest(name, planners, noun="planners")
    else:
        hint = "pip install up-pyperplan brings one"
    return _Reply(refusal=f"unified-planning has no planner {name} installed", hint=hint)


def _package_of(name: str) -> str | None:
    """Return the package on PyPI that brings a planner; None if it is unknown.

    It is the package with the planner's module, such as `up_aries`.
    """
    from unified_planning.engines.factory import DEFAULT_ENGINES

    module, _ = {**DEFAULT_ENGINES, **_UNLISTED}.get(name, ("", ""))
    package, _, _ = module.partition(".")
    return package.replace("_", "-") if package.startswith("up_") else None


def _installed_planners() -> list[str]:
    """Return the names of the installed planners.

    A name with brackets is left out: it is a combination of a planner with another engine.
    """
    factory = import_planning().shortcuts.get_environment().factory
    return [
        name
        for name in factory.engines
        if factory.engine(name).is_oneshot_planner() and "[" not in name
    ]


def _run_planner(
    name: str,
    domain: str,
    problem: str,
    timeout: float | None,
) -> _Reply:
    planning = import_planning()
    try:
        task = planning.io.PDDLReader().parse_problem(domain, problem)
    except Exception as error:
        return _Reply(refusal=f"unified-planning does not read this PDDL: {_in_one_line(error)}")
    with planning.shortcuts.OneshotPlanner(name=name, params=_PARAMETERS.get(name)) as planner:
        if not planner.supports(task.kind):
            task.clear_quality_metrics()  # any plan will do
        if not planner.supports(task.kind):
            features = ", ".join(_unsupported_features(planner, task))
            return _Reply(refusal=f"{planner.name} does not take tasks with {features}")
        try:
            result = planner.solve(task, timeout=timeout)
        except Exception as error:
            return _Reply(name=planner.name, failure=_in_one_line(error))
    return _Reply(
        name=planner.name,
        status=result.status.name,
        plan=None if result.plan is None else _plan_lines(result.plan),
        failure=_last_error(result),
    )


def _unsupported_features(planner: Engine, task: Problem) -> list[str]:
    """Return in words the task's features that the planner does not support.

    If it supports each feature alone, but not all together, return all features.
    """
    kind_of = partial(import_planning().model.ProblemKind, version=task.kind.version)
    features = sorted(task.kind.features)
    unsupported = [name for name in features if not planner.supports(kind_of({name}))] or features
    return [name.lower().replace("_", " ") for name in unsupported]


def _last_error(result: PlanGenerationResult) -> str:
    """Return the last line of the planner's error messages, or an empty text."""
    error_level = import_planning().engines.results.LogLevel.ERROR
    errors = [log.message for log in result.log_messages or () if log.level is error_level]
    lines = "\n".join(errors).splitlines()
    return next((line for line in reversed(lines) if line.strip()), "")


def _plan_lines(plan: Plan) -> list[str]:
    """Return a plan as lines such as `(move a b)`, or with times `0: (move a b) [2]`."""
    plans = import_planning().plans
    if isinstance(plan, plans.PartialOrderPlan):
        plan = next(plan.all_sequential_plans())
    if not isinstance(plan, plans.TimeTriggeredPlan):
        return [_action_text(action) for action in plan.actions]
    lines = []
    for start, action, duration in plan.timed_actions:
        line = f"{_decimal(start)}: {_action_text(action)}"
        lines.append(f"{line} [{_decimal(duration)}]" if duration else line)
    return lines


def _action_text(action: ActionInstance) -> str:
    words = [action.action.name, *map(str, action.actual_parameters)]
    return f"({' '.join(words)})"


def _decimal(time: Fraction) -> str:
    return decimal_text(Fraction(time), 12)


def _in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
