"""Results as JSON and back: what `asplan solve --json` prints, and what other commands read.

>>> result = Result(outcome=Outcome.PLAN, horizon=1, plans=(Plan((("up",),)),))
>>> from_json(to_json(result)) == result
True
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec

from asplan.errors import InputError, Location, UsageError
from asplan.plan import Plan
from asplan.program.files import read_text
from asplan.program.source import parse_constant
from asplan.result import Outcome, Result, Seconds, Statistics, Stop
from asplan.version import __version__

Steps = list[list[str]]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]  # what JSON numbers hold everywhere

_MEND = "a plan file is what asplan solve --json prints"


class Stored(msgspec.Struct, kw_only=True):
    """The JSON object: its keys, in order, and what each of them may be."""

    version: str = __version__
    files: list[str] = []
    instance: str = ""
    domain: str | None = None
    encoding: str | None = None
    engine: str = "asp"
    mode: str = "incremental"
    constants: dict[str, str | int] = {}
    outcome: Outcome
    reason: str = ""
    stopped: Stop | None = None
    horizon: Count | None = None
    lower_bound: Count = 0
    lower_cost: Count = 0
    optimized: str = "steps"
    cost: list[int] | None = None
    plan: Steps | None = None
    plans: list[Steps] = []
    names: dict[str, str] = {}
    chosen: list[list[str]] | msgspec.UnsetType = msgspec.UNSET
    atoms: list[str] = []
    validated: str | None = None
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    warnings: list[str] = []


def to_json(result: Result) -> dict[str, Any]:
    """A result as plain data, in the order in which the documentation names the keys."""
    plans = [[list(step) for step in plan] for plan in result.plans]
    stored = Stored(
        files=list(result.files),
        instance=result.instance,
        domain=result.domain,
        encoding=result.encoding,
        engine=result.engine,
        mode=result.mode,
        constants=dict(result.constants),
        outcome=result.outcome,
        reason=result.reason,
        stopped=result.stopped,
        horizon=result.horizon,
        lower_bound=result.lower_bound,
        lower_cost=result.lower_cost,
        optimized=result.optimized,
        cost=None if result.cost is None else list(result.cost),
        plan=plans[0] if plans else None,
        plans=plans,
        names={term: name for plan in result.plans for term, name in plan.names.items()},
        chosen=_chosen(result),
        atoms=list(result.atoms),
        validated=result.validated,
        seconds=result.seconds,
        warnings=list(result.warnings),
    )
    data: dict[str, Any] = msgspec.to_builtins(stored)
    return data | {"statistics": msgspec.to_builtins(result.statistics.counted())}


def from_json(data: Any) -> Result:
    """The result that plain data describe; `version` and `instance` follow from the rest.

    Raises
    ------
    InputError
        The data are no result; the message has the path of the wrong key.
    """
    try:
        stored = msgspec.convert(data, Stored)
    except UnicodeEncodeError:
        raise InputError("half a surrogate pair is no text", mend=_MEND) from None
    except msgspec.ValidationError as error:
        what, _, where = str(error).replace("`", "").partition(" - at ")
        what = what[0].lower() + what[1:]
        raise InputError(f"{where}: {what}" if where else what, mend=_MEND) from None
    if stored.plans and "plan" in data and stored.plan != stored.plans[0]:
        raise InputError("$.plan is not the first of $.plans", mend=_MEND)
    cost = None if stored.cost is None else tuple(stored.cost)
    steps = stored.plans or ([] if stored.plan is None else [stored.plan])
    chosen = stored.chosen or [[] for _ in steps]
    if len(chosen) != len(steps):
        raise InputError("$.chosen has not as many lists as there are plans", mend=_MEND)
    plans = (
        Plan(tuple(map(tuple, plan)), cost, _names_in(plan, stored.names), tuple(others))
        for plan, others in zip(steps, chosen, strict=True)
    )
    return Result(
        outcome=stored.outcome,
        reason=stored.reason,
        stopped=stored.stopped,
        horizon=stored.horizon,
        lower_bound=stored.lower_bound,
        lower_cost=stored.lower_cost,
        optimized=stored.optimized,
        cost=cost,
        plans=tuple(plans),
        atoms=tuple(stored.atoms),
        validated=stored.validated,
        seconds=stored.seconds,
        statistics=stored.statistics,
        files=tuple(stored.files),
        domain=stored.domain,
        encoding=stored.encoding,
        engine=stored.engine,
        mode=stored.mode,
        constants=dict(_constant(name, value) for name, value in stored.constants.items()),
        warnings=tuple(stored.warnings),
    )


def _chosen(result: Result) -> list[list[str]] | msgspec.UnsetType:
    """What else was chosen for each plan; most programs choose nothing but actions."""
    chosen = [list(plan.chosen) for plan in result.plans]
    return chosen if any(chosen) else msgspec.UNSET


def _constant(name: str, value: str | int) -> tuple[str, str]:
    try:
        return parse_constant(f"{name}={value}")
    except UsageError as error:
        raise InputError(f"$.constants.{name}: {error.message}", mend=_MEND) from None


def _names_in(plan: Steps, names: dict[str, str]) -> dict[str, str]:
    return {action: names[action] for step in plan for action in step if action in names}


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def read_plan_file(path: str) -> Result:
    """Read what `asplan solve --json` printed.

    Raises
    ------
    InputError
        The file cannot be read, is no JSON, or is no plan of ours.
    """
    try:
        data = json.loads(read_text(path), parse_constant=_no_number)
    except RecursionError:
        raise InputError(f"{path} is no plan file: nested too deep", mend=_MEND) from None
    except json.JSONDecodeError as error:
        at = Location(path, error.lineno, error.colno)
        raise InputError(f"no JSON: {error.msg}", at=at, mend=_MEND) from None
    except ValueError as error:
        why = "a number with thousands of digits" if "digits" in str(error) else str(error)
        raise InputError(f"{path} is no plan file: {why}", mend=_MEND) from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is no plan file: it holds no object", mend=_MEND)
    try:
        return from_json(data)
    except InputError as error:
        raise InputError(f"{path} is no plan file: {error.message}", mend=_MEND) from None
