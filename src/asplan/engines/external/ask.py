"""Ask a planner of unified-planning.

The answer is a JSON object: the `status` and the `name` that the planner gives itself, its `plan`
as lines of actions, and a `failure` in its words; or a `refusal` with a `hint`.
"""

import json
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

from unified_planning.engines.results import LogLevel
from unified_planning.io import PDDLReader
from unified_planning.model import ProblemKind
from unified_planning.plans import ActionInstance, PartialOrderPlan, Plan, TimeTriggeredPlan
from unified_planning.shortcuts import OneshotPlanner, get_environment

from asplan.core.errors import nearest
from asplan.core.text import decimal_text

get_environment()  # which looks for planners, so that no fork has to


def ask(name: str, domain: str, problem: str, answer: str, timeout: float | None) -> None:
    warnings.simplefilter("ignore")
    environment = get_environment()
    environment.credits_stream = None
    environment.error_used_name = False  # PDDL lets an action and an object have one name
    reply = _refusal(name) or _answer(name, domain, problem, timeout)
    Path(answer).write_text(json.dumps(reply), encoding="utf-8")


def _refusal(name: str) -> dict[str, str] | None:
    """Why there is no such planner; None if there is."""
    if name == "asplan":
        refusal = "asplan does not ask itself through unified-planning"
        return {"refusal": refusal, "hint": "say --engine asp, or another engine of its own"}
    factory = get_environment().factory
    known = [n for n in factory.engines if factory.engine(n).is_oneshot_planner() and "[" not in n]
    if name in known:
        return None
    refusal = f"unified-planning has no planner {name} installed"
    hint = nearest(name, known, noun="planners") if known else "pip install up-pyperplan brings one"
    return {"refusal": refusal, "hint": hint}


def _answer(name: str, domain: str, problem: str, timeout: float | None) -> dict[str, Any]:
    try:
        task = PDDLReader().parse_problem(domain, problem)
    except Exception as error:
        return {"refusal": f"unified-planning does not read this PDDL: {_in_a_line(error)}"}
    with OneshotPlanner(name=name) as planner:
        if not planner.supports(task.kind):
            task.clear_quality_metrics()  # any plan will do
        if not planner.supports(task.kind):
            features, version = sorted(task.kind.features), task.kind.version
            alone = [f for f in features if not planner.supports(ProblemKind({f}, version=version))]
            wrong = ", ".join(alone or features)
            return {"refusal": f"{planner.name} does not take tasks with {wrong}"}
        try:
            result = planner.solve(task, timeout=timeout)
        except Exception as error:
            return {"name": planner.name, "failure": _in_a_line(error)}
    logs = [m.message for m in result.log_messages or () if m.level is LogLevel.ERROR]
    lines = [line for message in logs for line in message.splitlines() if line.strip()]
    return {
        "name": planner.name,
        "status": result.status.name,
        "plan": None if result.plan is None else _lines(result.plan),
        "failure": lines[-1] if lines else "",
    }


def _lines(plan: Plan) -> list[str]:
    """The actions of a plan, one after the other, or each with its times."""
    if isinstance(plan, PartialOrderPlan):
        plan = next(plan.all_sequential_plans())
    if not isinstance(plan, TimeTriggeredPlan):
        return [_words(action) for action in plan.actions]
    return [
        f"{_decimal(start)}: {_words(action)}" + (f" [{_decimal(takes)}]" if takes else "")
        for start, action, takes in plan.timed_actions
    ]


def _words(action: ActionInstance) -> str:
    return f"({' '.join([action.action.name, *map(str, action.actual_parameters)])})"


def _decimal(time: Fraction) -> str:
    return decimal_text(Fraction(time), 12)


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
