"""Results as JSON and back: what `asplan solve --json` prints, and what other commands read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import asplan
from asplan.asp.source import read_text
from asplan.errors import InputError, Location
from asplan.result import Outcome, Plan, Result, Seconds


def to_json(result: Result) -> dict[str, Any]:
    """A result as plain data, in the order in which the documentation names the keys."""
    return {
        "version": asplan.__version__,
        "files": list(result.files),
        "instance": result.instance,
        "domain": result.domain,
        "encoding": result.encoding,
        "engine": result.engine,
        "mode": result.mode,
        "constants": dict(result.constants),
        "outcome": str(result.outcome),
        "reason": result.reason,
        "stopped": None if result.stopped is None else str(result.stopped),
        "horizon": result.horizon,
        "lower_bound": result.lower_bound,
        "cost": None if result.cost is None else list(result.cost),
        "plan": None if result.plan is None else _steps(result.plan),
        "plans": [_steps(plan) for plan in result.plans],
        "atoms": list(result.atoms),
        "validated": result.validated,
        "seconds": {name: round(s, 6) for name, s in asdict(result.seconds).items()},
        "statistics": result.statistics.counted(),
    }


def read_plan_file(path: str) -> Result:
    """Read what `asplan solve --json` printed. Statistics are not read back.

    Raises
    ------
    InputError
        The file cannot be read, is no JSON, or is no plan of ours.
    """
    try:
        data = json.loads(read_text(Path(path)))
    except json.JSONDecodeError as error:
        at = Location(path, error.lineno, error.colno)
        raise InputError(f"no JSON: {error.msg}", at=at, mend=_MEND) from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is no plan file: it holds no object", mend=_MEND)
    return _Reader(path, data).result()


_MEND = "a plan file is what asplan solve --json prints"


def _steps(plan: Plan) -> list[list[str]]:
    return [list(step) for step in plan]


class _Reader:
    """Takes one key after the other out of a plan file, and says which is wrong."""

    def __init__(self, path: str, data: Mapping[str, Any]) -> None:
        self.path, self.data = path, data

    def result(self) -> Result:
        plans = self.data.get("plans") or [self.take("plan", list, None)]
        seconds = self.take("seconds", dict, {})
        constants = self.take("constants", dict, {})
        return Result(
            outcome=self._outcome(),
            reason=self.take("reason", str, ""),
            horizon=self.take("horizon", int, None),
            lower_bound=self.take("lower_bound", int, 0),
            plans=tuple(self._plan(plan) for plan in plans if plan is not None),
            atoms=tuple(self.take("atoms", list, [])),
            validated=self.take("validated", str, None),
            seconds=Seconds(**{k: v for k, v in seconds.items() if k in _SECONDS}),
            files=tuple(self.take("files", list, [])),
            domain=self.take("domain", str, None),
            encoding=self.take("encoding", str, None),
            engine=self.take("engine", str, "asp"),
            mode=self.take("mode", str, "incremental"),
            constants={str(name): str(value) for name, value in constants.items()},
        )

    def take(self, key: str, kind: type, default: Any) -> Any:
        value = self.data.get(key, default)
        if value is not default and value is not None and not isinstance(value, kind):
            raise self._error(f"its {key!r} is no {_KINDS[kind]}")
        return value

    def _outcome(self) -> Outcome:
        name = self.take("outcome", str, None)
        if name not in list(Outcome):
            raise self._error(f"its 'outcome' is none of {', '.join(Outcome)}")
        return Outcome(name)

    def _plan(self, steps: Any) -> Plan:
        good = isinstance(steps, list) and all(
            isinstance(step, list) and all(isinstance(a, str) for a in step) for step in steps
        )
        if not good:
            raise self._error("its 'plan' is no list of steps, each a list of actions as text")
        return Plan(tuple(tuple(step) for step in steps))

    def _error(self, why: str) -> InputError:
        return InputError(f"{self.path} is no plan file: {why}", mend=_MEND)


_KINDS = {list: "list", dict: "object", str: "text", int: "number"}
_SECONDS = ("total", "ground", "solve")
