"""The engines `up:NAME`: a planner of unified-planning is asked, and its plan checked.

Planners start programs, some in sessions of their own, where no signal for their parent reaches
them. So a guard stands between, to which on Linux orphans below it come, and ends them all: when
the work is done, when a signal says so, and when its parent has ended. What a planner claims beyond
its plan is reported, and is no outcome: nobody here has proved it.
"""

import json
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
from typing import Any

import psutil

from asplan.core.errors import MissingExtra, UsageError, nearest
from asplan.core.installing import pip_install
from asplan.core.limits import Stop
from asplan.core.process import Child, set_process_option, signals_held, start_child
from asplan.core.text import decimal_text, shortened
from asplan.engines.run import EngineOptions, Run
from asplan.result import Outcome, Result

_LOOK = 0.02  # seconds between two looks at the work and at the parent
_PR_SET_CHILD_SUBREAPER = 36  # from Linux's sys/prctl.h

_UNPROVEN = "asplan has not proved that"
_STOPPED = {"TIMEOUT": Stop.TIME, "MEMOUT": Stop.MEMORY}


def solve(name: str, run: Run[EngineOptions]) -> Result:
    if find_spec("unified_planning") is None:
        what = f"engine up:{name} needs unified-planning, which is not installed"
        raise MissingExtra(what, hint=pip_install("up"))
    if not hasattr(os, "fork"):
        raise UsageError(f"engine up:{name} needs a system on which processes fork")
    run.tell(f"asking {name}")
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        domain, problem, answer = (Path(folder) / word for word in ("d.pddl", "p.pddl", "answer"))
        for file, text in zip((domain, problem), run.problem.texts, strict=True):
            file.write_text(text, encoding="utf-8")
        planning()
        timeout = None if run.deadline is None else max(run.left, 0)
        work = partial(ask, name, str(domain), str(problem), str(answer), timeout)
        if not _has_ended(work, folder, run):
            return run.out_of_time(run.doing)
        reply = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {}
    return _result(name, reply, run)


def _has_ended(work: Callable[[], None], folder: str, run: Run[EngineOptions]) -> bool:
    """Do some work in a folder, under a guard; whether it comes to an end in time."""
    guard: Child | None = None
    try:
        with signals_held():
            attend = partial(_attend, work, folder, os.getpid())
            guard, receiver = start_child(attend, cleans_up=True, must_fork=True)
        receiver.close()
        while run.left > 0 and guard.status() is None:
            time.sleep(_LOOK)
        return guard.status() is not None
    finally:
        if guard is not None and guard.status() is None:
            os.kill(guard.pid, signal.SIGTERM)
            guard.wait()


class _Enough(Exception):
    """A signal says so."""


def _attend(work: Callable[[], None], folder: str, parent: int, sender: Connection) -> int:
    """What the guard does; if its parent ends before it, it removes the folder."""

    def leave(number: int, frame: object) -> None:
        raise _Enough

    def silently(sender: Connection) -> int:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        work()
        return 0

    set_process_option(_PR_SET_CHILD_SUBREAPER, 1)
    with suppress(_Enough):
        signal.signal(signal.SIGTERM, leave)
        os.chdir(folder)  # some planners leave files where they are
        worker, _ = start_child(silently)
        while os.getppid() == parent and worker.status() is None:
            time.sleep(_LOOK)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    me = psutil.Process()
    while below := me.children(recursive=True):  # what those leave behind comes here, and ends too
        for process in below:
            with suppress(psutil.Error):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_LOOK / 2)
    if os.getppid() != parent:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _result(name: str, reply: dict[str, Any], run: Run[EngineOptions]) -> Result:
    """What the planner has said, with no more of it as outcome than can be checked."""
    if "refusal" in reply:
        raise UsageError(f"engine up:{name}: {reply['refusal']}", hint=reply.get("hint", ""))
    status, who = reply.get("status"), reply.get("name", name)
    if reply.get("plan") is not None:
        assert run.problem.plan_files is not None
        plan = run.problem.plan_files.read(reply["plan"], f"the plan of {who}")
        rest = "; shorter ones were not excluded"
        if status == "SOLVED_OPTIMALLY":
            rest = f", which says that none is better; {_UNPROVEN}"
        return run.result(
            outcome=Outcome.PLAN, reason=f"found by {who}{rest}", horizon=len(plan), plans=(plan,)
        )
    if status == "UNSOLVABLE_PROVEN":
        return run.result(reason=f"{who} says that there is no plan; {_UNPROVEN}")
    why = f": {shortened(reply['failure'], 300)}" if reply.get("failure") else ""
    words = "ended without an answer" if status is None else f"ended with {status}"
    return run.result(stopped=_STOPPED.get(str(status)), reason=f"{who} {words}{why}")


# Here a planner is asked. The answer is a JSON object: the `status` and the `name` that the planner
# gives itself, its `plan` as lines of actions, and a `failure` in its words; or a `refusal` with a
# `hint`.


def planning() -> Any:
    """unified-planning, which has looked for planners, so that no fork has to."""
    import unified_planning.shortcuts

    unified_planning.shortcuts.get_environment()
    return unified_planning


def ask(name: str, domain: str, problem: str, answer: str, timeout: float | None) -> None:
    warnings.simplefilter("ignore")
    environment = planning().shortcuts.get_environment()
    environment.credits_stream = None
    environment.error_used_name = False  # PDDL lets an action and an object have one name
    reply = _refusal(name) or _answer(name, domain, problem, timeout)
    Path(answer).write_text(json.dumps(reply), encoding="utf-8")


def _refusal(name: str) -> dict[str, str] | None:
    """Why there is no such planner; None if there is."""
    if name == "asplan":
        refusal = "asplan does not ask itself through unified-planning"
        return {"refusal": refusal, "hint": "say --engine asp, or another engine of its own"}
    factory = planning().shortcuts.get_environment().factory
    known = [n for n in factory.engines if factory.engine(n).is_oneshot_planner() and "[" not in n]
    if name in known:
        return None
    refusal = f"unified-planning has no planner {name} installed"
    hint = nearest(name, known, noun="planners") if known else "pip install up-pyperplan brings one"
    return {"refusal": refusal, "hint": hint}


def _answer(name: str, domain: str, problem: str, timeout: float | None) -> dict[str, Any]:
    up = planning()
    try:
        task = up.io.PDDLReader().parse_problem(domain, problem)
    except Exception as error:
        return {"refusal": f"unified-planning does not read this PDDL: {_in_a_line(error)}"}
    with up.shortcuts.OneshotPlanner(name=name) as planner:
        if not planner.supports(task.kind):
            task.clear_quality_metrics()  # any plan will do
        if not planner.supports(task.kind):
            features, version = sorted(task.kind.features), task.kind.version
            kinds = {f: up.model.ProblemKind({f}, version=version) for f in features}
            alone = [f for f, kind in kinds.items() if not planner.supports(kind)]
            wrong = ", ".join(alone or features)
            return {"refusal": f"{planner.name} does not take tasks with {wrong}"}
        try:
            result = planner.solve(task, timeout=timeout)
        except Exception as error:
            return {"name": planner.name, "failure": _in_a_line(error)}
    wrong = up.engines.results.LogLevel.ERROR
    logs = [m.message for m in result.log_messages or () if m.level is wrong]
    lines = [line for message in logs for line in message.splitlines() if line.strip()]
    return {
        "name": planner.name,
        "status": result.status.name,
        "plan": None if result.plan is None else _lines(result.plan),
        "failure": lines[-1] if lines else "",
    }


def _lines(plan: Any) -> list[str]:
    """The actions of a plan, one after the other, or each with its times."""
    plans = planning().plans
    if isinstance(plan, plans.PartialOrderPlan):
        plan = next(plan.all_sequential_plans())
    if not isinstance(plan, plans.TimeTriggeredPlan):
        return [_words(action) for action in plan.actions]
    return [
        f"{_decimal(start)}: {_words(action)}" + (f" [{_decimal(takes)}]" if takes else "")
        for start, action, takes in plan.timed_actions
    ]


def _words(action: Any) -> str:
    return f"({' '.join([action.action.name, *map(str, action.actual_parameters)])})"


def _decimal(time: Fraction) -> str:
    return decimal_text(Fraction(time), 12)


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
