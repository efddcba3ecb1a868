"""What an engine answers: an outcome, plans, and what the answer rests on.

>>> Result(outcome=Outcome.PLAN, reason="found", horizon=1, plans=(Plan((("up",),)),))
<Result : plan, 1 steps (found)>
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, overload

import msgspec

from asplan.core.errors import InputError, Location, UsageError
from asplan.core.files import read_text
from asplan.core.limits import Stop
from asplan.core.plan import Plan, Shown, Steps
from asplan.core.text import amount, as_number
from asplan.core.warning import InputWarning
from asplan.program.source import parse_constant
from asplan.version import __version__

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.core.plan import Timing


class Outcome(StrEnum):
    """The four things that may be said; never a bare yes or no."""

    OPTIMAL = "optimal"
    PLAN = "plan"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


LEAST = {"steps": "shortest", "actions": "fewest actions", "cost": "least cost"}
"""What `optimal` means of a plan, by what was optimized."""


@dataclass(frozen=True)
class Seconds:
    """Wall-clock time of the engine; `total` includes reading the files and validation."""

    total: float = 0.0
    ground: float = 0.0
    solve: float = 0.0


@dataclass(frozen=True)
class StepStatistics:
    """What one horizon cost: the grounding of its parts and the solve call on it."""

    horizon: int
    ground: float
    solve: float
    conflicts: int
    choices: int


@dataclass(frozen=True)
class Statistics:
    """Effort, accumulated over all calls; what an engine does not count is None.

    ASP and SMT count calls, choices, conflicts and restarts; `atoms` and `rules` give the size of
    the ground program at the end. Search counts states: `generated` successors, `queued`
    additions to the open list, `expanded` states taken out of it, `peak_open` its largest size.
    `configuration` is that of clasp where it is not the one that asplan begins with, and why.
    """

    calls: int | None = None
    choices: int | None = None
    conflicts: int | None = None
    restarts: int | None = None
    atoms: int | None = None
    rules: int | None = None
    generated: int | None = None
    queued: int | None = None
    expanded: int | None = None
    peak_open: int | None = None
    configuration: str | None = None
    steps: tuple[StepStatistics, ...] = ()

    def counted(self) -> dict[str, Any]:
        """The fields that were counted, as plain data."""
        return {k: v for k, v in asdict(self).items() if v is not None and v != ()}


Written = TypeVar("Written")


class Texts(Sequence[Written]):
    """Text that is written when somebody asks for it: most plans are not drawn."""

    def __init__(self, write: Callable[[], Iterable[Written]]) -> None:
        self._write = write

    @cached_property
    def _texts(self) -> tuple[Written, ...]:
        return tuple(self._write())

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Written: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Written, ...]: ...

    def __getitem__(self, index: int | slice) -> Any:
        return self._texts[index]

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker hands over text: the terms of clingo live in one process.
        return tuple, (self._texts,)


@dataclass(frozen=True)
class Trajectory:
    """What the check of a plan passed through, as text: all that is needed to show the plan."""

    facts: Sequence[str] = ()
    """Those of the instance; for a program that is all in one, of its base part."""
    states: Sequence[tuple[str, ...]] = ()
    """The fluents at time 0, 1, …, one more than the plan has steps: those of the model, or what
    the program shows as `holds(Fluent,t)`, or the atoms, without their time, that its states hand
    on. Empty where nothing tells them."""
    boards: tuple[str, ...] = ()
    """The first and the last state as a few lines of text, where the domain can write them."""
    timed: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    """The shown atoms of a program that names no actions, by time; those without one come last."""
    times: tuple[Fraction, ...] = ()
    """When each of the states begins, in a plan whose actions have times: from one happening to the
    next, the first being before all."""
    values: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    """The values of the variables of a theory, by time; those without one come last."""
    theory: str = ""
    """The tool whose theory atoms the program has, as `clingcon`."""
    rules: str | None = None
    """The file with the drawing rules of the domain or beside the encoding, if there is one."""


@dataclass(frozen=True)
class Opinion:
    """What the model of a domain says of the plans of somebody's own program for its instance.

    `agrees` is None where the actions are not those of the domain, so that the model cannot tell.
    """

    domain: str
    agrees: bool | None
    variants: Mapping[str, str] = field(default_factory=dict)
    """Those of the game in which the plans are right, in so far as they are not the usual ones."""


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """One answer, complete enough to be printed, stored, drawn and compared.

    An unfinished engine reports the same type: what is proven so far, with outcome `unknown`.
    """

    outcome: Outcome = Outcome.UNKNOWN
    reason: str = ""
    """In words what the outcome rests on; of an unfinished engine, what is being done."""
    stopped: Stop | None = None
    horizon: int | None = None
    """The number of steps of the plan."""
    lower_bound: int = 0
    """Every horizon below it is refuted, or cannot hold a plan; where actions were counted, each
    of them is a step."""
    lower_cost: int = 0
    """Every plan costs at least so much, where the cost of actions was minimized."""
    optimized: str = "steps"
    """What `optimal` speaks of: `steps`, `actions` or `cost`."""
    cost: tuple[int, ...] | None = None
    """The value of the objective, priority by priority, in a program that has one; else what the
    actions of the plan cost, where they have costs."""
    plans: tuple[Plan, ...] = ()
    """One plan, or up to N with `models=N`."""
    atoms: tuple[str, ...] = ()
    """All shown atoms of the first answer."""
    validated: str | None = None
    """How the plan was checked: `model`, `replay`, `text` (of a PDDL task), or None."""
    referee: Opinion | None = None
    """What the domain's own model says, where somebody's own program plans for its instance."""
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    way: str = ""
    """How a program without parts is run, and what bounds its time."""
    files: tuple[str, ...] = ()
    domain: str | None = None
    encoding: str | None = None
    engine: str = "asp"
    mode: str = "incremental"
    constants: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[InputWarning, ...] = ()
    """What is most likely wrong in the input."""
    written: tuple[str, ...] = field(default=(), compare=False)
    """What to say of each file that was drawn or written; not stored."""
    trajectory: Trajectory | None = field(default=None, compare=False)
    """What the check passed through; not stored."""

    @property
    def plan(self) -> Plan | None:
        """The plan, or the first of several; None where there is none."""
        return self.plans[0] if self.plans else None

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The fluents that hold at time 0, 1, … of the (first) plan, as text; empty if unknown.

        A result that was stored has none.
        """
        return tuple(self.trajectory.states) if self.trajectory else ()

    @property
    def is_doubtful(self) -> bool:
        """Whether a warning, if it is right, makes the answer worthless."""
        return any(warning.doubt for warning in self.warnings)

    @property
    def verdict(self) -> str:
        """The outcome, with the doubt that there is about it."""
        if not self.is_doubtful:
            return str(self.outcome)
        of_what = "" if self.outcome is Outcome.UNKNOWN else " for the program as written"
        return f"{self.outcome}{of_what}; {amount(len(self.warnings), 'warning')}"

    @property
    def instance(self) -> str:
        """The name of the first file without its folder and suffix."""
        return PurePath(self.files[0]).stem if self.files else ""

    def __str__(self) -> str:
        """The plan, numbered, and the outcome in words."""
        return "\n".join(filter(None, [str(self.plan or ""), f"{self.verdict}: {self.reason}"]))

    def __repr__(self) -> str:
        what = " ".join(filter(None, [self.domain, self.instance]))
        horizon = "" if self.horizon is None else f", {self.horizon} steps"
        return f"<Result {what}: {self.outcome}{horizon} ({self.reason})>"


# A result as JSON and back: what `asplan solve --json` prints, and what other commands read.


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
    cost: tuple[int, ...] | None = None
    plan: Steps | None = None
    plans: tuple[Steps, ...] = ()
    names: dict[str, str] = {}
    chosen: tuple[tuple[str, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    values: tuple[dict[str, int | str], ...] | msgspec.UnsetType = msgspec.UNSET
    times: tuple[StoredTimes, ...] | msgspec.UnsetType = msgspec.UNSET
    atoms: tuple[str, ...] = ()
    states: tuple[tuple[str, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    validated: str | None = None
    referee: Opinion | msgspec.UnsetType | None = msgspec.UNSET
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    warnings: tuple[StoredWarning | str, ...] = ()  # version 0.1 wrote texts


_SHARED = {field.name for field in fields(Result)} & set(Stored.__struct_fields__)


def to_json(result: Result, states: bool = False) -> dict[str, Any]:
    """A result as plain data, in the order in which the documentation names the keys.

    What holds after each step is left out, unless `states` are asked for: it may be much.

    >>> result = Result(outcome=Outcome.PLAN, horizon=1, plans=(Plan((("up",),)),))
    >>> from_json(to_json(result)) == result
    True
    """
    plans, chosen = result.plans, [plan.chosen for plan in result.plans]
    known = {name: getattr(result, name) for name in _SHARED}
    known |= {
        "version": __version__,
        "instance": result.instance,
        "plan": plans[0].steps if plans else None,
        "plans": [plan.steps for plan in plans],
        "names": {term: name for plan in plans for term, name in plan.names.items()},
        "statistics": result.statistics.counted(),
        "warnings": list(map(_stored_warning, result.warnings)),
    }
    if states:
        known["states"] = result.states
    if any(chosen):  # most programs choose nothing but actions
        known["chosen"] = chosen
    if not result.way:
        del known["way"]
    if any(plan.values for plan in plans):
        known["values"] = [plan.values for plan in plans]
    if any(plan.times for plan in plans):
        known["times"] = [_stored_times(plan) for plan in plans]
    if result.referee is None:
        del known["referee"]
    data: dict[str, Any] = msgspec.to_builtins(
        {key: known[key] for key in Stored.__struct_fields__ if key in known}
    )
    return data


def from_json(data: Any) -> Result:
    """The result that plain data describe; `version` and `instance` follow from the rest.

    Raises `InputError`, with the path of the wrong key, where the data are no result.
    """
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
    known = {name: getattr(stored, name) for name in _SHARED}
    known["referee"] = stored.referee or None
    known["way"] = stored.way or ""
    known["plans"] = tuple(
        Plan(plan, stored.cost, _names_in(plan, stored.names), others, given, timing)
        for plan, others, given, timing in zip(steps, chosen, values, times, strict=True)
    )
    if any(plan.times and [*map(len, plan.times)] != [*map(len, plan)] for plan in known["plans"]):
        raise InputError("$.times has not as many as there are actions", hint=_HINT)
    known["constants"] = dict(_constant(n, value) for n, value in stored.constants.items())
    known["warnings"] = tuple(map(_read_warning, stored.warnings))
    return Result(**known)


def _stored_times(plan: Plan) -> StoredTimes:
    return tuple(
        tuple((as_number(a), None if b is None else as_number(b)) for a, b in step)
        for step in plan.times
    )


def _read_times(stored: StoredTimes) -> tuple[tuple[Timing, ...], ...]:
    from fractions import Fraction

    try:
        return tuple(
            tuple((Fraction(a), None if b is None else Fraction(b)) for a, b in step)
            for step in stored
        )
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"$.times: {error}", hint=_HINT) from None


def warnings_to_json(warnings: Iterable[InputWarning]) -> list[dict[str, Any]]:
    """Warnings as plain data, as they stand in a result."""
    data: list[dict[str, Any]] = msgspec.to_builtins(list(map(_stored_warning, warnings)))
    return data


def _stored_warning(warning: InputWarning) -> StoredWarning:
    at = warning.at
    return StoredWarning(
        code=warning.code,
        file=at.file if at else None,
        line=at.line if at else None,
        column=at.column if at else None,
        text=warning.text,
        hint=warning.hint,
        doubt=warning.doubt,
    )


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


def _names_in(plan: Steps, names: dict[str, str]) -> dict[str, str]:
    return {action: names[action] for step in plan for action in step if action in names}


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def read_plan_file(path: str, text: str | None = None) -> Result:
    """Read what `asplan solve --json` printed; the text of the file may have been read before.

    Raises `InputError` where the file cannot be read, is no JSON, or is no plan of ours.
    """
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
