"""The search for any plan by Kairos, a program of others, if it is installed.

Kairos reads the PDDL text, so its search does not rest on asplan's grounding. It computes with
floating-point numbers and asplan with exact ones, so its plans are executed before they are used.
On tasks with numbers it joins asplan's greedy search, which is faster on small tasks and misses
more plans. On tasks with time it begins.

Source: https://github.com/PlanSys2/kairos.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from asplan.core.budget import Budget, Reporter
from asplan.core.errors import AsplanError, InvalidPlan, Stopped
from asplan.core.plan import Plan
from asplan.core.programs import run_program
from asplan.domains.base import Found, NamedFinder
from asplan.pddl.front.source import PddlTask, TemporalPddlTask, UntimedPddlTask
from asplan.program.reading.source import ground_term

_NO_TIME_LIMIT = "1000000"  # seconds; the budget ends the program
_APART = "0.002"
"""The time between dependent instants: twice the least one, as Kairos rounds times in its plans."""


def installed_program(task: PddlTask) -> NamedFinder | None:
    """Return Kairos as a program that finds any plan of a task; None if it is not installed."""
    program = find_kairos()
    if program is None:
        return None

    def find(_: object, budget: Budget, report: Reporter[str]) -> Found:
        return find_by_kairos(program, task, budget, report)

    return NamedFinder("Kairos", find)


def find_kairos() -> Path | None:
    """Return the path of the program `kairos`; None if kairos-planner is not installed."""
    from importlib.metadata import PackageNotFoundError, files  # classical tasks do without

    try:
        written = files("kairos-planner") or []
    except PackageNotFoundError:
        return None
    programs = (Path(str(file.locate())) for file in written if file.name == "kairos")
    return next((program for program in programs if program.is_file()), None)


def find_by_kairos(
    program: Path,
    task: PddlTask,
    budget: Budget,
    report: Reporter[str],
) -> Found:
    """Find a plan by Kairos's search within a budget.

    `report` receives the current activity from time to time. Raises `Stopped` if the program ends
    without a plan that can be executed; this does not prove that there is none.
    """
    with tempfile.TemporaryDirectory(prefix="asplan-") as name:
        folder = Path(name)
        sources = folder / "domain.pddl", folder / "problem.pddl"
        for file, text in zip(sources, task.texts, strict=True):
            file.write_text(text, encoding="utf-8")
        written = folder / "plan"
        words = [str(program), "solve", *map(str, sources), "--output", str(written)]
        # One thread finds the same plan each time.
        words += ["--no-anytime", "--threads", "1", "--timeout", _NO_TIME_LIMIT]
        words += ["--epsilon", _APART]
        status = run_program(words, folder, budget, report, "searching by Kairos")
        if status != 0 or not written.exists():
            raise Stopped("Kairos has ended without a plan")
        lines = written.read_text(encoding="utf-8").splitlines()
    try:
        plan = task.read_plan(lines, "the plan of Kairos")
        _execute(task, plan)
    except AsplanError as error:
        raise Stopped(f"Kairos's plan is wrong: {error}") from None
    return Found(plan.steps, "found by Kairos", plan.times)


def _execute(task: PddlTask, plan: Plan) -> None:
    """Execute a plan on the text of its task; raise `InvalidPlan` if it is wrong."""
    if isinstance(task, TemporalPddlTask):
        task.execute(plan)
        return
    assert isinstance(task, UntimedPddlTask)
    model = task.text_model
    state = model.initial
    for text in plan.actions:
        action = model.parse_action(ground_term(text, "action"))
        if why_not := model.why_not(state, action):
            raise InvalidPlan(f"{text} does not apply: {why_not}")
        state = model.apply(state, action)
    if not model.is_goal(state):
        raise InvalidPlan("after the last step the goal does not hold")
