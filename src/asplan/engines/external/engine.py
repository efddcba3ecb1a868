"""Work in a process of its own, of which nothing outlives the process that wanted it.

Planners start programs, and some put those into sessions of their own, where no signal for their
parent reaches them. So there is a guard between: a process that does little else than wait. On
Linux orphans below it come to it, so that it can end all of them: when the work is done, when a
signal says so, and when its parent has ended, however that came.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

from asplan.engines.run import EngineOptions, Run
from asplan.errors import MissingExtra, UsageError
from asplan.limits import Stop
from asplan.pddl.language.semantics import TextModel
from asplan.result import Outcome, Result
from asplan.text import shortened

_LOOK = 0.02
"""Seconds between two looks at the work and at the parent."""

_PR_SET_CHILD_SUBREAPER = 36
"""From Linux's sys/prctl.h."""


class _Told(Exception):
    """A signal says that it is enough."""


class Guard:
    """A guard of some work, started.

    It works in `folder`, which is removed if the parent ends before it.
    """

    def __init__(self, work: Callable[[], None], folder: str) -> None:
        self._parent, self._folder = os.getpid(), folder
        self._ended = False
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # what is in a buffer now would be written by all
        self._pid = os.fork()
        if self._pid == 0:
            try:
                self._attend(work)
            finally:
                os._exit(0)

    def ended(self) -> bool:
        """Whether the work is done, and all that it started has ended."""
        if not self._ended:
            self._ended = os.waitpid(self._pid, os.WNOHANG)[0] != 0
        return self._ended

    def end(self) -> None:
        """End the work, and all that it started."""
        if not self.ended():
            os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._ended = True

    def _attend(self, work: Callable[[], None]) -> None:
        """What the guard does."""
        _adopt_orphans()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt ends
        with suppress(_Told):
            signal.signal(signal.SIGTERM, _tell)
            os.chdir(self._folder)  # some planners leave files where they are
            worker = _started(work)
            while self._is_wanted() and not os.waitpid(worker, os.WNOHANG)[0]:
                time.sleep(_LOOK)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_all()
        if not self._is_wanted():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _is_wanted(self) -> bool:
        return os.getppid() == self._parent


def _started(work: Callable[[], None]) -> int:
    """The number of a process that works, and says nothing on standard output."""
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            work()
        finally:
            os._exit(0)
    return pid


def _tell(number: int, frame: object) -> None:
    raise _Told


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_all() -> None:
    """End all processes below this one; those that they leave behind come here, and end too."""
    me = psutil.Process()
    while below := me.children(recursive=True):
        for process in below:
            with suppress(psutil.Error):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_LOOK / 2)


# The engines `up:NAME`: a planner of unified-planning is asked, and its plan checked.
#
# What a planner claims beyond its plan is told, and is no outcome: nobody here has proved it.


_LOOK_ENGINE = 0.02
"""Seconds between two looks at whether the planner has ended."""

_UNPROVEN = "asplan has not proved that"
_STOPPED = {"TIMEOUT": Stop.TIME, "MEMOUT": Stop.MEMORY}


def solve(name: str, run: Run[EngineOptions]) -> Result:
    """Ask the planner of a name.

    Raises
    ------
    MissingExtra
        unified-planning is not installed.
    UsageError
        It has no such planner installed, or that does not take such a task.
    """
    if find_spec("unified_planning") is None:
        raise MissingExtra(
            f"engine up:{name} needs unified-planning, which is not installed",
            hint="pip install 'asplan[up]'",
        )
    if not hasattr(os, "fork"):
        raise UsageError(f"engine up:{name} needs a system on which processes fork")
    run.tell(f"asking {name}")
    task = run.problem.referee
    assert isinstance(task, TextModel)
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        texts = (task.task.domain.name.source.text, task.task.problem.name.source.text)
        domain, problem, answer = (Path(folder) / word for word in ("d.pddl", "p.pddl", "answer"))
        for file, text in zip((domain, problem), texts, strict=True):
            file.write_text(text, encoding="utf-8")
        from asplan.engines.external.ask import ask as ask_planner

        timeout = None if run.deadline is None else max(run.left, 0)
        ask = partial(ask_planner, name, str(domain), str(problem), str(answer), timeout)
        if not _done(Guard(ask, folder), run):
            return run.out_of_time(run.doing)
        said = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {}
    return _result(name, said, run)


def _done(guard: Guard, run: Run[EngineOptions]) -> bool:
    """Whether the planner comes to an end in time."""
    try:
        while run.left > 0:
            if guard.ended():
                return True
            time.sleep(_LOOK_ENGINE)
        return False
    finally:
        guard.end()


def _result(name: str, said: dict[str, Any], run: Run[EngineOptions]) -> Result:
    """What the planner has said, with no more of it as outcome than can be checked."""
    if "refusal" in said:
        raise UsageError(f"engine up:{name}: {said['refusal']}", hint=said.get("hint", ""))
    status, who = said.get("status"), said.get("name", name)
    if said.get("plan") is not None:
        assert run.problem.plan_files is not None
        plan = run.problem.plan_files.read(said["plan"], f"the plan of {who}")
        rest = "; shorter ones were not excluded"
        if status == "SOLVED_OPTIMALLY":
            rest = f", which says that none is better; {_UNPROVEN}"
        return run.result(
            outcome=Outcome.PLAN, reason=f"found by {who}{rest}", horizon=len(plan), plans=(plan,)
        )
    if status == "UNSOLVABLE_PROVEN":
        return run.result(reason=f"{who} says that there is no plan; {_UNPROVEN}")
    why = f": {shortened(said['failure'], 300)}" if said.get("failure") else ""
    words = "ended without an answer" if status is None else f"ended with {status}"
    return run.result(stopped=_STOPPED.get(str(status)), reason=f"{who} {words}{why}")
