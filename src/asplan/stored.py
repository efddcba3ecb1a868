"""Results as JSON: what `asplan solve --json` prints and other commands read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec

from asplan.core.choices import Mode, Objective
from asplan.core.errors import InputError, InputWarning, Location, UsageError
from asplan.core.files import exists, read_text
from asplan.core.limits import Stop
from asplan.core.misfit import describe_misfit
from asplan.core.plan import Plan, Steps
from asplan.core.proof import Proof, Refuted
from asplan.core.text import as_number
from asplan.program.reading.source import parse_constant
from asplan.result import (
    Diversity,
    Evidence,
    Improvement,
    Listing,
    Opinion,
    Outcome,
    Refuter,
    Reliance,
    Result,
    Seconds,
    Statistics,
)
from asplan.version import __version__

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.core.plan import Timing

Json: TypeAlias = dict[str, Any]  # an object of JSON, as the module json has it
Count = Annotated[
    int,
    msgspec.Meta(
        ge=0,
        le=2**53,
    ),
]  # the integers of all readers of JSON
_HINT = "a plan file is what asplan solve --json prints"
_NO_FILE_HINT = "asplan solve … --json > FILE writes a plan into a file"
_MOST_DIGITS = 4300  # of an integer; Python refuses longer ones

StoredTimes = tuple[tuple[tuple[int | str, int | str | None], ...], ...]
"""The start and duration of each action of each step. Fractions are text, such as `3/20`."""


class StoredWarning(msgspec.Struct, kw_only=True):
    """A warning in JSON. The keys `file`, `line` and `column` are null if it has no location."""

    code: str
    file: str | None = None
    line: Count | None = None
    column: Count | None = None
    text: str
    hint: str = ""
    doubt: bool = False


class StoredProof(msgspec.Struct):
    """A proof in JSON."""

    refuted: Refuted
    up_to: Count | None
    by: tuple[Refuter, ...]
    relies_on: tuple[Reliance, ...]


class Stored(msgspec.Struct, kw_only=True):
    """The JSON object of a result: its keys in the order of the output, and their types."""

    version: str = __version__
    files: tuple[str, ...] = ()
    instance: str = ""
    domain: str | None = None
    encoding: str | None = None
    engine: str = "asp"
    method: str | msgspec.UnsetType = msgspec.UNSET
    mode: Mode = Mode.INCREMENTAL
    constants: dict[str, str | int] = {}
    outcome: Outcome
    reason: str = ""
    proof: StoredProof | msgspec.UnsetType = msgspec.UNSET
    way: str | msgspec.UnsetType = msgspec.UNSET
    stopped: Stop | None = None
    horizon: Count | None = None
    lower_bound: Count = 0
    lower_cost: Count = 0
    optimized: Objective = Objective.STEPS
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
    costs: tuple[int | tuple[int, ...] | None, ...] | msgspec.UnsetType = msgspec.UNSET
    listing: Listing | msgspec.UnsetType | None = msgspec.UNSET
    diversity: Diversity | msgspec.UnsetType | None = msgspec.UNSET
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
_RARE: Json = {
    "method": "",
    "way": "",
    "no_actions": "",
    "least_among": None,
    "listing": None,
    "diversity": None,
    "improvements": (),
    "referee": None,
    "violated": {},
    "beside": (),
}
"""The fields that are empty in most results, with their empty values. JSON leaves them out then."""


def to_json(
    result: Result,
    states: bool = False,
) -> Json:
    """Return a result as plain data, with the keys in the order of the documentation.

    The states, which may be many, are left out unless `states` is set.

    >>> result = Result(outcome=Outcome.PLAN, horizon=1, plans=(Plan((("up",),)),))
    >>> from_json(to_json(result)) == result
    True
    """
    plans = result.plans
    usual = _SHARED - _RARE.keys() - {"metric"}
    data: Json = {name: getattr(result, name) for name in usual}
    data |= {
        "instance": result.instance,
        "proof": _stored_proof(result.proof),
        "cost": _stored_cost(result.cost),
        "plan": plans[0].steps if plans else None,
        "plans": [plan.steps for plan in plans],
        "names": {term: name for plan in plans for term, name in plan.names.items()},
        "statistics": result.statistics.counts(),
        "warnings": list(map(_stored_warning, result.warnings)),
    }
    rare = _rare_fields(result)
    rare["states"] = result.states if states else None
    data |= {name: value for name, value in rare.items() if value is not None}
    stored: Json = msgspec.to_builtins(Stored(**data))
    return stored


def _rare_fields(result: Result) -> Json:
    """Return the fields that few results have. The value None means that the field is left out."""
    plans = result.plans
    rare: Json = {name: getattr(result, name) or None for name in _RARE}
    rare["metric"] = None if result.metric is None else as_number(result.metric)
    costs = [_stored_cost(plan.cost) for plan in plans]
    rare["costs"] = costs if len(set(costs)) > 1 else None
    rare["chosen"] = [plan.chosen for plan in plans]
    rare["values"] = [plan.values for plan in plans]
    rare["times"] = [_stored_times(plan) for plan in plans]
    for name in ("chosen", "values", "times"):
        if not any(rare[name]):
            rare[name] = None
    return rare


def from_json(data: object) -> Result:
    """Return the result that plain data hold.

    Raise `InputError` at a wrong value; the message has the value's path in the JSON object.
    """
    stored = _convert(data)
    has_plan = isinstance(data, dict) and "plan" in data
    if has_plan and stored.plans and stored.plan != stored.plans[0]:
        raise InputError("plan: must equal plans[0]", hint=_HINT)
    shared: Json = {name: getattr(stored, name) for name in _SHARED - _RARE.keys()}
    rare: Json = {name: getattr(stored, name) or empty for name, empty in _RARE.items()}
    own: Json = {
        "evidence": _read_evidence(stored),
        "cost": _read_cost(stored.cost),
        "metric": None if stored.metric is msgspec.UNSET else _fraction(stored.metric, "metric"),
        "plans": tuple(_read_plans(stored)),
        "constants": dict(_constant(name, value) for name, value in stored.constants.items()),
        "warnings": tuple(map(_read_warning, stored.warnings)),
    }
    return Result(**shared | rare | own)


def _convert(data: object) -> Stored:
    try:
        return msgspec.convert(data, Stored)
    except UnicodeEncodeError:
        raise InputError(
            "a text has a broken character: half of a surrogate pair", hint=_HINT
        ) from None
    except msgspec.ValidationError as error:
        raise InputError(describe_misfit(str(error)), hint=_HINT) from None


def _read_evidence(stored: Stored) -> Evidence:
    """Return the evidence of a stored proof; version 0.1 stored no proofs."""
    if stored.proof is msgspec.UNSET:
        return Evidence()
    return Evidence(stored.proof.by, stored.proof.relies_on)


def _read_cost(cost: int | tuple[int, ...] | None) -> tuple[int, ...] | None:
    return (cost,) if isinstance(cost, int) else cost


def _read_plans(stored: Stored) -> Iterator[Plan]:
    """Yield the plans of a stored result.

    Raise `InputError` if a list such as `times` does not have one entry for each plan.
    """
    plans = stored.plans or (() if stored.plan is None else (stored.plan,))
    chosen = stored.chosen or ((),) * len(plans)
    values = stored.values or ({},) * len(plans)
    times = stored.times or ((),) * len(plans)
    costs = stored.costs or (stored.cost,) * len(plans)
    lists_by_key = {"chosen": chosen, "values": values, "times": times, "costs": costs}
    for key, lists in lists_by_key.items():
        if len(lists) != len(plans):
            raise InputError(f"{key}: must have one list for each plan", hint=_HINT)
    for index, steps in enumerate(plans):
        names = {
            action: stored.names[action]
            for action in chain.from_iterable(steps)
            if action in stored.names
        }
        timing = _read_times(times[index], steps)
        yield Plan(steps, _read_cost(costs[index]), names, chosen[index], values[index], timing)


def _stored_proof(proof: Proof) -> StoredProof:
    methods = tuple(map(Refuter, proof.by))
    return StoredProof(proof.refuted, proof.up_to, methods, tuple(map(Reliance, proof.relies_on)))


def _stored_cost(cost: tuple[int, ...] | None) -> int | tuple[int, ...] | None:
    """Return a cost for JSON: a number, or a list if the objective has several priorities."""
    return cost[0] if cost is not None and len(cost) == 1 else cost


def _stored_times(plan: Plan) -> StoredTimes:
    def pair(
        start: Fraction,
        takes: Fraction | None,
    ) -> tuple[int | str, int | str | None]:
        return as_number(start), None if takes is None else as_number(takes)

    return tuple(tuple(pair(*timing) for timing in step) for step in plan.times)


def _read_times(
    stored: StoredTimes,
    steps: Steps,
) -> tuple[tuple[Timing, ...], ...]:
    """Return (start, duration) of each action of each step; empty if the plan has no times."""
    if stored and [*map(len, stored)] != [*map(len, steps)]:
        raise InputError("times: must have one pair for each action", hint=_HINT)

    def timing(start: int | str, takes: int | str | None) -> Timing:
        return _fraction(start, "times"), None if takes is None else _fraction(takes, "times")

    return tuple(tuple(timing(*pair) for pair in step) for step in stored)


def _fraction(
    number: int | str,
    key: str,
) -> Fraction:
    from fractions import Fraction

    try:
        return Fraction(number)
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"{key}: {error}", hint=_HINT) from None


def warnings_to_json(warnings: Iterable[InputWarning]) -> list[Json]:
    """Return warnings as plain data, in the form that they have in a result."""
    data: list[Json] = msgspec.to_builtins(list(map(_stored_warning, warnings)))
    return data


def _stored_warning(warning: InputWarning) -> StoredWarning:
    at: Json = asdict(warning.at) if warning.at else {}
    own: Json = {"text": warning.text, "hint": warning.hint, "doubt": warning.doubt}
    return StoredWarning(code=warning.code, **at, **own)


def _read_warning(stored: StoredWarning | str) -> InputWarning:
    if isinstance(stored, str):
        return InputWarning("input", stored)
    at = None
    if stored.file is not None:
        at = Location(stored.file, stored.line or 1, stored.column or 1)
    return InputWarning(stored.code, stored.text, at, stored.hint, stored.doubt)


def _constant(
    name: str,
    value: str | int,
) -> tuple[str, str]:
    try:
        return parse_constant(f"{name}={value}", f"constants.{name}")
    except UsageError as error:
        raise InputError(error.message, hint=_HINT) from None


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def _parse_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number has thousands of digits")
    return int(digits)


def read_plan_text(path: str) -> str:
    """Return the text of a plan file; the error of a missing file states how to write one."""
    try:
        return read_text(path)
    except InputError as error:
        if not error.hint and not exists(path):
            error.hint = _NO_FILE_HINT
        raise


def read_plan_file(
    path: str,
    text: str | None = None,
) -> Result:
    """Read a result in the form of `asplan solve --json`.

    `text` is the content of the file, if it has been read. Raise `InputError` if the content is not
    valid.
    """
    text = read_plan_text(path) if text is None else text
    try:
        data = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_parse_int,
        )
    except RecursionError:
        raise InputError(
            f"{path} is not a plan file: it is nested too deeply", hint=_HINT
        ) from None
    except json.JSONDecodeError as error:
        at = Location(path, error.lineno, error.colno)
        raise InputError(
            f"this is not JSON: {error.msg}",
            at=at,
            hint=_HINT,
        ) from None
    except ValueError as error:
        raise InputError(f"{path} is not a plan file: {error}", hint=_HINT) from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is not a plan file: it is not an object of JSON", hint=_HINT)
    try:
        return from_json(data)
    except InputError as error:
        raise InputError(f"{path} is not a plan file: {error.message}", hint=_HINT) from None
