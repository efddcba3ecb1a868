"""Plans as the planning competitions write them: an action a line, and what the plan costs.

>>> from asplan.pddl.language.names import PddlNames
>>> names = PddlNames.of(["A", "B"], [], ["pick-up", "look"])
>>> lines = ["(pick-up a)", "(look) ; for nothing", "; cost = 7 (general cost)"]
>>> plan = read_plan(lines, "plan.ipc", names)
>>> plan.steps, plan.cost
((('pick_up(a)',), ('look',)), (7,))
>>> print(write_plan(plan, 7, general=True), end="")
(pick-up A)
(look)
; cost = 7 (general cost)

Where a step has several actions, they stand in an order in which they can be executed, so that
those who know nothing of steps can read the file. Comments tell the steps:

>>> parallel = with_names(Plan((("pick_up(a)", "pick_up(b)"), ("look",))), names)
>>> print(write_plan(parallel, 3), end="")
; step 1
(pick-up A)
(pick-up B)
; step 2
(look)
; cost = 3 (unit cost)
>>> read_plan(write_plan(parallel, 3).splitlines(), "f", names) == parallel
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from asplan.core.errors import InputError, InvalidPlan, Location, nearest
from asplan.core.plan import Plan
from asplan.core.text import amount, shortened, whole
from asplan.pddl.language.names import PddlNames

_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_ACTION = re.compile(
    rf"\s*(?:(?P<time>{_NUMBER})\s*:\s*)?\((?P<words>[^();]*)\)\s*(?:\[\s*{_NUMBER}\s*\])?\s*(?:;.*)?"
)
_COST = re.compile(r"\s*;\s*cost\s*=\s*(\d+)(?:\.0*)?\s*(\(unit cost\))?.*", re.IGNORECASE)
_STEP = re.compile(r"\s*;\s*step\s+(\d+)\s*", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_FORMS = "write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"


def with_names(plan: Plan, names: PddlNames) -> Plan:
    """A plan that knows how the source writes its actions."""
    return replace(plan, names={action: names.written(action) for action in plan.actions})


def write_plan(plan: Plan, cost: int, general: bool = False) -> str:
    """A plan that knows its names, as the text of a file, with what it costs.

    The cost is `general` where the task says what actions cost; otherwise each costs 1.
    """
    lines: list[str] = []
    counted = any(len(step) != 1 for step in plan)
    for number, step in enumerate(plan, 1):
        lines += [f"; step {number}"] * counted
        lines += map(plan.name, step)
    lines.append(f"; cost = {cost} ({'general' if general else 'unit'} cost)")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Line:
    """An action with its place, and the number in front; or where a step begins."""

    at: Location
    action: str | None = None
    time: Decimal | None = None
    step: int | None = None


def read_plan(lines: Iterable[str], file: str, names: PddlNames) -> Plan:
    """The plan in the lines of a file; actions with the same number in front make one step.

    Raises
    ------
    InputError
        A line is none of a plan, or names an action or an object that the task does not have.
    InvalidPlan
        The cost in units, each action one, is not the number of actions.
    """
    found: list[_Line] = []
    cost: tuple[int, ...] | None = None
    units: tuple[str, Location] | None = None
    for number, line in enumerate((line.rstrip("\r\n") for line in lines), 1):
        at = Location(file, number, len(line) - len(line.lstrip()) + 1)
        if match := _COST.fullmatch(line):
            if match[2]:
                units = match[1], at
            else:
                cost = None if (value := whole(match[1])) is None else (value,)
        elif match := _STEP.fullmatch(line):
            found.append(_Line(at, step=whole(match[1])))
        elif line.strip() and not line.lstrip().startswith(";"):
            found.append(_read_action(line, at, names))
    plan = with_names(Plan(tuple(map(tuple, _steps(found))), cost), names)
    if units is not None and whole(units[0]) != (count := len(plan.actions)):
        claim = f"cost = {shortened(units[0], 30)} (unit cost)"
        what = f"the plan has {amount(count, 'action')}, but this says {claim}"
        raise InvalidPlan(what, at=units[1])
    return plan


def _read_action(line: str, at: Location, names: PddlNames) -> _Line:
    match = _ACTION.fullmatch(line)
    if match is None:
        what = f"{shortened(line.strip(), 60)!r} is no line of a plan"
        raise InputError(what, at=at, hint=_FORMS)
    words = list(_WORD.finditer(line, match.start("words"), match.end("words")))
    if not words:
        raise InputError("() names no action", at=at, hint=_FORMS)
    keys = []
    for word, table in zip(words, (names.actions, *[names.objects] * len(words)), strict=False):
        keys.append(key := word[0].lower())
        if key not in table.terms:
            what = f"the task knows no {shortened(word[0], 60)}"
            hint = nearest(key, table.terms, noun="names")
            raise InputError(what, at=replace(at, column=word.start() + 1), hint=hint)
    time = None if match["time"] is None else Decimal(match["time"])
    return _Line(at, names.action(keys[0], keys[1:]), time)


def _steps(lines: list[_Line]) -> Iterable[list[str]]:
    """The actions of each step: by the numbers in front, by comments, or one a step."""
    actions = [(line.action, line) for line in lines if line.action is not None]
    if not any(line.time is not None for _, line in actions):
        if any(line.step is not None for line in lines):
            return _counted(lines)
        return [[action] for action, _ in actions]
    steps: dict[Decimal, list[str]] = {}
    for action, line in actions:
        if line.time is None:
            what = "this action has no number in front, others have"
            raise InputError(what, at=line.at, hint="give all actions a number, or none")
        steps.setdefault(line.time, []).append(action)
    return [steps[time] for time in sorted(steps)]


def _counted(lines: list[_Line]) -> list[list[str]]:
    """Steps as comments tell them; the first is 0 or 1."""
    steps: list[list[str]] = []
    last: int | None = None
    for line in lines:
        if line.action is None:
            if line.step not in ((0, 1) if last is None else (last + 1,)):
                hint = "steps count from 1 in the order of the file"
                raise InputError(f"this is no place for step {line.step}", at=line.at, hint=hint)
            last = line.step
            steps.append([])
        elif not steps:
            raise InputError("this action stands before the first step", at=line.at)
        else:
            steps[-1].append(line.action)
    return steps
