"""The search for any plan by Kairos, a program of others, if it is installed.

It joins asplan's greedy search, which is faster on small tasks and misses more plans.

Kairos reads the PDDL text, so its search does not rest on asplan's grounding. It computes with
floating-point numbers, and asplan with exact ones, so its plans are executed before they are used.

Source: https://github.com/PlanSys2/kairos.
"""

from __future__ import annotations

import tempfile
from functools import partial
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from asplan.core.budget import Budget, Reporter
from asplan.core.errors import AsplanError, Stopped
from asplan.core.plan import Plan
from asplan.core.programs import run_program
from asplan.domains.base import Found, NamedFinder
from asplan.pddl.language.names import names_of
from asplan.pddl.language.plans import read_plan
from asplan.pddl.language.semantics import TextModel
from asplan.program.reading.source import ground_term

_NO_TIME_LIMIT = "1000000"  # seconds; the budget ends the program


def installed_program() -> NamedFinder | None:
    """Return Kairos as a program that finds any plan; None if it is not installed."""
    file = find_kairos()
    return None if file is None else NamedFinder("Kairos", partial(find_by_kairos, file))


def find_kairos() -> Path | None:
    """Return the path of the program `kairos`; None if kairos-planner is not installed."""
    try:
        written = files("kairos-planner") or []
    except PackageNotFoundError:
        return None
    programs = (Path(str(file.locate())) for file in written if file.name == "kairos")
    return next((program for program in programs if program.is_file()), None)


def find_by_kairos(
    program: Path,
    model: TextModel,
    budget: Budget,
    report: Reporter[str],
) -> Found:
    """Find a plan by Kairos's search within a budget.

    `report` receives the current activity from time to time. Raises `Stopped` if the program ends
    without a plan that can be executed; this does not prove that there is none.
    """
    with tempfile.TemporaryDirectory(prefix="asplan-") as name:
        folder = Path(name)
        domain = folder / "domain.pddl"
        problem = folder / "problem.pddl"
        written = folder / "plan"
        domain.write_text(model.task.domain.name.source.text, encoding="utf-8")
        problem.write_text(model.task.problem.name.source.text, encoding="utf-8")
        words = [str(program), "solve", str(domain), str(problem), "--output", str(written)]
        # One thread finds the same plan each time.
        words += ["--no-anytime", "--threads", "1", "--timeout", _NO_TIME_LIMIT]
        status = run_program(words, folder, budget, report, "searching by Kairos")
        if status != 0 or not written.exists():
            raise Stopped("Kairos has ended without a plan")
        lines = written.read_text(encoding="utf-8").splitlines()
    try:
        plan = read_plan(lines, "the plan of Kairos", names_of(model.task), check=model.action)
    except AsplanError as error:
        raise Stopped(f"Kairos's plan cannot be read: {error}") from None
    _execute(model, plan)
    return Found(plan.steps, "found by Kairos")


def _execute(model: TextModel, plan: Plan) -> None:
    """Execute a plan on the text of the task; raise `Stopped` if it does not reach the goal."""
    state = model.initial
    for text in plan.actions:
        action = model.parse_action(ground_term(text, "action"))
        if why_not := model.why_not(state, action):
            raise Stopped(f"Kairos's plan cannot be executed: {text}: {why_not}")
        state = model.apply(state, action)
    if not model.is_goal(state):
        raise Stopped("Kairos's plan does not reach the goal")
