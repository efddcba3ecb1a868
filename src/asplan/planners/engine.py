"""The engines `up:NAME`: a planner of unified-planning is asked, and its plan checked.

What a planner claims beyond its plan is told, and is no outcome: nobody here has proved it.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asplan.errors import MissingExtra, UsageError
from asplan.later import function_at
from asplan.options import EngineOptions
from asplan.pddl.meaning import Executed
from asplan.planners.guard import Guard
from asplan.result import Outcome, Result, Stop
from asplan.run import Run
from asplan.text import shortened

_LOOK = 0.02
"""Seconds between two looks at whether the planner has ended."""

_ASK = function_at("asplan.planners.asked:ask")

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
            mend="pip install 'asplan[up]'",
        )
    if not hasattr(os, "fork"):
        raise UsageError(f"engine up:{name} needs a system on which processes fork")
    run.tell(f"asking {name}")
    task = run.problem.referee
    assert isinstance(task, Executed)
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        texts = (task.task.domain.name.source.text, task.task.problem.name.source.text)
        domain, problem, answer = (Path(folder) / word for word in ("d.pddl", "p.pddl", "answer"))
        for file, text in zip((domain, problem), texts, strict=True):
            file.write_text(text, encoding="utf-8")
        _ASK.load()
        timeout = None if run.deadline is None else max(run.left, 0)
        ask = partial(_ASK, name, str(domain), str(problem), str(answer), timeout)
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
            time.sleep(_LOOK)
        return False
    finally:
        guard.end()


def _result(name: str, said: dict[str, Any], run: Run[EngineOptions]) -> Result:
    """What the planner has said, with no more of it as outcome than can be checked."""
    if "refusal" in said:
        raise UsageError(f"engine up:{name}: {said['refusal']}", mend=said.get("mend", ""))
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
