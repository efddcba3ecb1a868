"""A result as JSON and back: what `asplan solve --json` prints, and what other commands read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from asplan.core.errors import InputError, InputWarning, Location, UsageError
from asplan.core.files import read_text
from asplan.core.limits import Stop
from asplan.core.plan import Plan, Steps
from asplan.core.text import as_number
from asplan.program.source import parse_constant
from asplan.result import Improvement, Opinion, Outcome, Result, Seconds, Statistics
from asplan.version import __version__

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.core.plan import Timing

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]  # what JSON numbers hold everywhere
_HINT = "a plan file is what asplan solve --json prints"

StoredTimes = tuple[tuple[tuple[int | str, int | str | None], ...], ...]
"""Start and duration of each action of each step; what is no whole number is text, `3/20`."""


class StoredWarning(msgspec.Struct, kw_only=True):
    """A warning, with its place as three keys that are null where there is none."""

    code: str
    file: str | None = None
    line: Count | None = None
    column: Count | None = None
    text: str
    hint: str = ""
    doubt: bool = False


class Stored(msgspec.Struct, kw_only=True):
    """The JSON object: its keys, in order, and what each of them may be."""

    version: str = __version__
    files: tuple[str, ...] = ()
    instance: str = ""
    domain: str | None = None
    encoding: str | None = None
    engine: str = "asp"
    mode: str = "incremental"
    constants: dict[str, str | int] = {}
    outcome: Outcome
    reason: str = ""
    way: str | msgspec.UnsetType = msgspec.UNSET
    stopped: Stop | None = None
    horizon: Count | None = None
    lower_bound: Count = 0
    lower_cost: Count = 0
    optimized: str = "steps"
    cost: int | tuple[int, ...] | None = None  # version 0.1 wrote lists of one number, too
    least_among: Count | msgspec.UnsetType | None = msgspec.UNSET
    metric: int | str | msgspec.UnsetType = msgspec.UNSET
    violated: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    plan: Steps | None = None
    plans: tuple[Steps, ...] = ()
    names: dict[str, str] = {}
    chosen: tuple[tuple[str, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    values: tuple[dict[str, int | str], ...] | msgspec.UnsetType = msgspec.UNSET
    times: tuple[StoredTimes, ...] | msgspec.UnsetType = msgspec.UNSET
    improvements: tuple[Improvement, ...] | msgspec.UnsetType = msgspec.UNSET
    atoms: tuple[str, ...] = ()
    no_actions: str | msgspec.UnsetType = msgspec.UNSET
    states: tuple[tuple[str, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    validated: str | None = None
    beside: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    referee: Opinion | msgspec.UnsetType | None = msgspec.UNSET
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    warnings: tuple[StoredWarning | str, ...] = ()  # version 0.1 wrote texts


_SHARED = {field.name for field in fields(Result)} & set(Stored.__struct_fields__)
_RARE: dict[str, Any] = {
    "way": "",
    "no_actions": "",
    "least_among": None,
    "improvements": (),
    "referee": None,
    "violated": {},
    "beside": (),
}  # each with what is none


def to_json(result: Result, states: bool = False) -> dict[str, Any]:
    """A result as plain data, in the order in which the documentation names the keys.

    What holds after each step is left out, unless `states` are asked for: it may be much.

    >>> result = Result(outcome=Outcome.PLAN, horizon=1, plans=(Plan((("up",),)),))
    >>> from_json(to_json(result)) == result
    True
    """
    plans = result.plans
    # What few answers have is left out of the others.
    rare = {name: getattr(result, name) or None for name in _RARE} | {
        "metric": None if result.metric is None else as_number(result.metric),
        "states": result.states if states else None,
        "chosen": [plan.chosen for plan in plans] if any(plan.chosen for plan in plans) else None,
        "values": [plan.values for plan in plans] if any(plan.values for plan in plans) else None,
        "times": list(map(_stored_times, plans)) if any(plan.times for plan in plans) else None,
    }
    known = {name: getattr(result, name) for name in _SHARED - rare.keys()} | {
        "instance": result.instance,
        "cost": _stored_cost(result.cost),
        "plan": plans[0].steps if plans else None,
        "plans": [plan.steps for plan in plans],
        "names": {term: name for plan in plans for term, name in plan.names.items()},
        "statistics": result.statistics.counted(),
        "warnings": list(map(_stored_warning, result.warnings)),
    }
    known |= {name: value for name, value in rare.items() if value is not None}
    data: dict[str, Any] = msgspec.to_builtins(Stored(**known))
    return data


def from_json(data: Any) -> Result:
    """The result that plain data describe; `InputError` with the path of what is wrong."""
    try:
        stored = msgspec.convert(data, Stored)
    except UnicodeEncodeError:
        raise InputError("half a surrogate pair is no text", hint=_HINT) from None
    except msgspec.ValidationError as error:
        what, _, where = str(error).replace("`", "").partition(" - at ")
        what = what[0].lower() + what[1:]
        raise InputError(f"{where}: {what}" if where else what, hint=_HINT) from None
    if stored.plans and "plan" in data and stored.plan != stored.plans[0]:
        raise InputError("$.plan is not the first of $.plans", hint=_HINT)
    steps = stored.plans or (() if stored.plan is None else (stored.plan,))
    chosen, values = stored.chosen or ((),) * len(steps), stored.values or ({},) * len(steps)
    times = tuple(map(_read_times, stored.times or ((),) * len(steps)))
    for name, group in (("chosen", chosen), ("values", values), ("times", times)):
        if len(group) != len(steps):
            raise InputError(f"$.{name} has not as many lists as there are plans", hint=_HINT)
    known: dict[str, Any] = {name: getattr(stored, name) or no for name, no in _RARE.items()}
    known |= {name: getattr(stored, name) for name in _SHARED - _RARE.keys()}
    cost = (stored.cost,) if isinstance(stored.cost, int) else stored.cost
    known["cost"] = cost
    unset = isinstance(stored.metric, msgspec.UnsetType)
    known["metric"] = None if unset else _fraction(stored.metric, "metric")

    def names_in(plan: Steps) -> dict[str, str]:
        return {a: stored.names[a] for step in plan for a in step if a in stored.names}

    known["plans"] = tuple(
        Plan(plan, cost, names_in(plan), others, given, timing)
        for plan, others, given, timing in zip(steps, chosen, values, times, strict=True)
    )
    if any(plan.times and [*map(len, plan.times)] != [*map(len, plan)] for plan in known["plans"]):
        raise InputError("$.times has not as many as there are actions", hint=_HINT)
    known["constants"] = dict(_constant(n, value) for n, value in stored.constants.items())
    known["warnings"] = tuple(map(_read_warning, stored.warnings))
    return Result(**known)


def _stored_cost(cost: tuple[int, ...] | None) -> int | tuple[int, ...] | None:
    """Return a cost as JSON has it: a list only for an objective with several priorities."""
    return cost[0] if cost is not None and len(cost) == 1 else cost


def _stored_times(plan: Plan) -> StoredTimes:
    return tuple(
        tuple((as_number(a), None if b is None else as_number(b)) for a, b in step)
        for step in plan.times
    )


def _read_times(stored: StoredTimes) -> tuple[tuple[Timing, ...], ...]:
    def timing(start: int | str, takes: int | str | None) -> Timing:
        return _fraction(start, "times"), None if takes is None else _fraction(takes, "times")

    return tuple(tuple(timing(*pair) for pair in step) for step in stored)


def _fraction(number: Any, key: str) -> Fraction:
    from fractions import Fraction

    try:
        return Fraction(number)
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"$.{key}: {error}", hint=_HINT) from None


def warnings_to_json(warnings: Iterable[InputWarning]) -> list[dict[str, Any]]:
    """Warnings as plain data, as they stand in a result."""
    data: list[dict[str, Any]] = msgspec.to_builtins(list(map(_stored_warning, warnings)))
    return data


def _stored_warning(warning: InputWarning) -> StoredWarning:
    at: dict[str, Any] = asdict(warning.at) if warning.at else {}
    own: dict[str, Any] = {"text": warning.text, "hint": warning.hint, "doubt": warning.doubt}
    return StoredWarning(code=warning.code, **at, **own)


def _read_warning(stored: StoredWarning | str) -> InputWarning:
    if isinstance(stored, str):
        return InputWarning("input", stored)
    at = None
    if stored.file is not None:
        at = Location(stored.file, stored.line or 1, stored.column or 1)
    return InputWarning(stored.code, stored.text, at, stored.hint, stored.doubt)


def _constant(name: str, value: str | int) -> tuple[str, str]:
    try:
        return parse_constant(f"{name}={value}")
    except UsageError as error:
        raise InputError(f"$.constants.{name}: {error.message}", hint=_HINT) from None


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def read_plan_file(path: str, text: str | None = None) -> Result:
    """Read what `asplan solve --json` printed; `InputError` where it is no plan of ours."""
    try:
        data = json.loads(read_text(path) if text is None else text, parse_constant=_no_number)
    except RecursionError:
        raise InputError(f"{path} is no plan file: nested too deep", hint=_HINT) from None
    except json.JSONDecodeError as error:
        at = Location(path, error.lineno, error.colno)
        raise InputError(f"no JSON: {error.msg}", at=at, hint=_HINT) from None
    except ValueError as error:
        why = "a number with thousands of digits" if "digits" in str(error) else str(error)
        raise InputError(f"{path} is no plan file: {why}", hint=_HINT) from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is no plan file: it holds no object", hint=_HINT)
    try:
        return from_json(data)
    except InputError as error:
        raise InputError(f"{path} is no plan file: {error.message}", hint=_HINT) from None
