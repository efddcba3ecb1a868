"""The search for any plan by Fast Downward, a program of others, if it is installed.

Its search runs on the finite-domain task of asplan's own grounding, with the configuration of
LAMA's first iteration.

Source: Richter and Westphal, The LAMA Planner, 2010.
"""

from __future__ import annotations

import re
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from asplan.core.budget import Budget, Reporter
from asplan.core.errors import Stopped
from asplan.core.programs import run_program
from asplan.domains.base import Found, NamedFinder
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.sas import to_sas
from asplan.pddl.task.task import Task

_LAMA_FIRST = (
    "let(hlm, eval_modify_costs(landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),"
    "pref=false),cost_type=one),let(hff, eval_modify_costs(ff(),cost_type=one),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)


def installed_program() -> NamedFinder | None:
    """Return Fast Downward as a program that finds any plan; None if it is not installed."""
    file = find_downward()
    return None if file is None else NamedFinder("Fast Downward", partial(find_by_downward, file))


def find_downward() -> Path | None:
    """Return the path of Fast Downward's search program.

    Return None if the package up-fast-downward is not installed.
    """
    package = find_spec("up_fast_downward")
    if package is None or package.origin is None:
        return None
    program = Path(package.origin).parent / "downward/builds/release/bin/downward"
    return program if program.is_file() else None


def find_by_downward(
    program: Path,
    model: TaskModel,
    budget: Budget,
    report: Reporter[str],
) -> Found:
    """Find a plan by Fast Downward's search within a budget.

    `report` receives the current activity from time to time. Raises `Stopped` if the program ends
    without a plan; this does not prove that there is none.
    """
    with tempfile.TemporaryDirectory(prefix="asplan-") as name:
        folder = Path(name)
        sas = folder / "task.sas"
        plan = folder / "plan"
        sas.write_text(to_sas(model.task), encoding="utf-8")
        words = [str(program), "--search", _LAMA_FIRST, "--internal-plan-file", str(plan)]
        with sas.open("rb") as given:
            activity = "searching by Fast Downward"
            status = run_program(words, folder, budget, report, activity, given)
        if status != 0 or not plan.exists():
            raise Stopped("Fast Downward has ended without a plan")
        return _read_plan(model.task, plan)


def _read_plan(task: Task, written: Path) -> Found:
    """Return the plan in the file that Fast Downward has written."""
    text = written.read_text(encoding="utf-8")
    numbers = re.findall(r"^\(o(\d+) *\)", text, re.MULTILINE)
    steps = [[task.operators[int(number)].action] for number in numbers]
    return Found(steps, "found by Fast Downward, lama-first")
