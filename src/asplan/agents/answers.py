"""Short answers for coding agents, made from the JSON output of asplan's commands.

An answer has what an agent needs for its next step: the outcome with its proof, the plan, the
warnings with their places, and a useful next call. Long lists are divided into pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = Any  # data of any shape

PAGE = 100  # entries of a list in one answer


def page_of(entries: Sequence[Json], first: int) -> dict[str, Json]:
    """Return a page of a list: some entries, from number `first` on; numbers count from 1.

    The page also has the total number of entries. If there are later entries, `next_from` is the
    number of the next one.

    >>> page_of(["a", "b"], 1)
    {'entries': ['a', 'b'], 'total': 2}
    """
    start = max(first, 1) - 1
    page = {"entries": list(entries[start : start + PAGE]), "total": len(entries)}
    if start + PAGE < len(entries):
        page["next_from"] = start + PAGE + 1
    return page


def answer_of_solve(data: Mapping[str, Json], first_step: int = 1) -> dict[str, Json]:
    """Return the answer for an agent from `data`, the object that `asplan solve --json` prints.

    The answer has the steps of the plan from number `first_step` on.
    """
    plan = data.get("plan")
    answer: dict[str, Json] = {
        "outcome": data["outcome"],
        "proof": data["reason"],
        "steps": data["horizon"],
        "at_least": data["lower_bound"],
        "cost": data.get("cost"),
        "checked": data.get("validated"),
        "warnings": warnings_of(data.get("warnings", ())),
        "next": next_question(data),
    }
    if plan is not None:
        steps = [f"{number}. {', '.join(step)}" for number, step in enumerate(plan, 1)]
        answer["plan"] = page_of(steps, first_step)
    return {name: value for name, value in answer.items() if value not in (None, [], "")}


def warnings_of(warnings: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Return warnings in the short form for agents, each with its place as one text."""
    return [
        {
            "code": warning["code"],
            "at": _place(warning),
            "text": warning["text"],
            "hint": warning["hint"],
            "answer_may_be_worthless": warning["doubt"],
        }
        for warning in warnings
    ]


def _place(warning: Mapping[str, Json]) -> str:
    if not warning.get("file"):
        return ""
    return f"{warning['file']}:{warning['line']}:{warning['column']}"


def next_question(data: Mapping[str, Json]) -> str:
    """Return advice for the next call; `data` is the object that `asplan solve --json` printed."""
    if any(warning["doubt"] for warning in data.get("warnings", ())):
        return "the answer may be worthless: repair what the warnings say, then solve again"
    outcome = data["outcome"]
    if outcome == "unsolvable":
        return "explain(files) names constraints that together exclude every plan"
    if outcome == "unknown":
        return "explain(files, horizon=N) says why no plan has N steps; or raise the limits"
    if outcome == "plan":
        return "the plan is checked, but shorter ones are not excluded"
    return "the plan is shortest and checked; validate(files, plan) checks one of your own"
