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

The planner FF writes no parentheses, and much besides its plan, which is passed over:

>>> said = ["ff: found legal plan as follows", "", "step    0: PICK-UP A", "        1: LOOK", ""]
>>> read_plan([*said, "time spent: 0.00 seconds"], "f", names).steps
(('pick_up(a)',), ('look',))

Where actions take time, each has the time at which it begins, and how long it takes:

>>> timed = read_plan(["0.001: (pick-up a) [2.5]", "0.001: (look)"], "f", names, timed=True)
>>> timed.steps, timed.times[0][0]
((('pick_up(a)', 'look'),), (Fraction(1, 1000), Fraction(5, 2)))
>>> print(write_plan(timed, 0), end="")
0.001: (pick-up A) [2.5]
0.001: (look)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from asplan.core.errors import InputError, InvalidPlan, Location, nearest
from asplan.core.plan import Plan
from asplan.core.text import amount, parse_natural, shortened
from asplan.pddl.language.names import PddlNames

if TYPE_CHECKING:
    from asplan.core.plan import Timing

_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_ACTION = re.compile(
    rf"\s*(?:(?P<time>{_NUMBER})\s*:\s*)?\((?P<words>[^();]*)\)\s*(?:\[\s*(?P<takes>{_NUMBER})\s*\])?\s*(?:;.*)?"
)
_FF_ACTION = re.compile(
    r"\s*(?:step\s+)?(?P<time>\d{1,15})\s*:(?P<words>[^():;\[\]]+)", re.IGNORECASE
)
_FF_GOAL = re.compile(r"\s*(?:step\s+)?\d{1,15}\s*:\s*reach-goal\s*", re.IGNORECASE)
_FF_BEGIN = re.compile(r"\s*ff: found legal plan as follows.*", re.IGNORECASE)
_COST = re.compile(r"\s*;\s*cost\s*=\s*(\d+)(?:\.0*)?\s*(\(unit cost\))?.*", re.IGNORECASE)
_STEP = re.compile(r"\s*;\s*step\s+(\d+)\s*", re.IGNORECASE)
_TIMED_FORMS = "write an action a line with its time and its duration, as in 0.001: (load a) [5]"
_FORMS = "write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"


def with_names(plan: Plan, names: PddlNames) -> Plan:
    """A plan that knows how the source writes its actions."""
    return replace(plan, names={action: names.written(action) for action in plan.actions})


def write_plan(plan: Plan, cost: int, general: bool = False) -> str:
    """A plan that knows its names, as the text of a file, with what it costs.

    The cost is `general` where the task says what actions cost; otherwise each costs 1. It is left
    out where the plan has times.
    """
    if plan.times:
        return "".join(f"{line}\n" for line in plan.timed_lines())
    lines: list[str] = []
    counted = any(len(step) != 1 for step in plan)
    for number, step in enumerate(plan, 1):
        lines += [f"; step {number}"] * counted
        lines += map(plan.name, step)
    lines.append(f"; cost = {cost} ({'general' if general else 'unit'} cost)")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Line:
    """An action with the number in front of it, if any; without an action the start of a step."""

    at: Location
    action: str
    number: Decimal | None
    takes: str | None = None


Check = Callable[[str, tuple[str, ...]], object]
"""Raises `ValueError` where an action cannot have such arguments."""


def read_plan(
    lines: Iterable[str],
    file: str,
    names: PddlNames,
    timed: bool = False,
    check: Check = lambda name, arguments: None,
) -> Plan:
    """The plan in the lines of a file; actions with the same number in front make one step.

    Where the task has time, the plan is `timed`: the numbers in front are times. Raises
    `InputError` where a line is none of a plan of the task, and `InvalidPlan` where an action has
    other arguments than it takes, or the cost in units, each action one, is not the number of
    actions.
    """
    found: list[_Line] = []
    cost: tuple[int, ...] | None = None
    units: tuple[str, Location] | None = None
    for number, line in _plan_lines(line.rstrip("\r\n") for line in lines):
        at = Location(file, number, len(line) - len(line.lstrip()) + 1)
        if match := _COST.fullmatch(line):
            if match[2]:
                units = match[1], at
            else:
                cost = None if (value := parse_natural(match[1])) is None else (value,)
        elif match := _STEP.fullmatch(line):
            found.append(_Line(at, "", Decimal(match[1])))
        elif _FF_GOAL.fullmatch(line) and "reach-goal" not in names.actions.terms:
            pass  # FF makes an action of a goal that is no conjunction
        elif line.strip() and not line.lstrip().startswith(";"):
            found.append(_read_action(line, at, names, timed, check))
    if timed:
        numbered = _by_number(found, "this action has no time", _TIMED_FORMS)
        times: list[tuple[Timing, ...]] = []
        for step in numbered:
            starts = (Fraction(line.number or 0) for line in step)
            takes = (None if line.takes is None else Fraction(line.takes) for line in step)
            times.append(tuple(zip(starts, takes, strict=True)))
        steps = tuple(tuple(line.action for line in step) for step in numbered)
        return with_names(Plan(steps, times=tuple(times)), names)
    plan = with_names(Plan(tuple(map(tuple, _steps(found))), cost), names)
    if units is not None and parse_natural(units[0]) != (count := len(plan.actions)):
        claim = f"cost = {shortened(units[0], 30)} (unit cost)"
        what = f"the plan has {amount(count, 'action')}, but this says {claim}"
        raise InvalidPlan(what, at=units[1])
    return plan


def _plan_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines of the plan with their numbers; of what FF prints those behind its title."""
    numbered = list(enumerate(lines, 1))
    title = next((number for number, line in numbered if _FF_BEGIN.fullmatch(line)), None)
    if title is None:
        return numbered
    rest = numbered[title:]
    end = next((n for n, line in rest if line.strip() and not _FF_ACTION.fullmatch(line)), None)
    return rest if end is None else rest[: end - title - 1]


def _read_action(line: str, at: Location, names: PddlNames, timed: bool, check: Check) -> _Line:
    forms = _TIMED_FORMS if timed else _FORMS
    match = _ACTION.fullmatch(line) or (None if timed else _FF_ACTION.fullmatch(line))
    if match is None:
        what = f"{shortened(line.strip(), 60)!r} is no line of a plan"
        raise InputError(what, at=at, hint=forms)
    words = list(re.finditer(r"\S+", match["words"]))
    if not words:
        raise InputError("() names no action", at=at, hint=forms)
    for word in words:
        known = names.actions.terms if word is words[0] else names.objects.terms
        if word[0].lower() not in known:
            what = f"the task knows no {shortened(word[0], 60)}"
            place = replace(at, column=match.start("words") + word.start() + 1)
            hint = nearest(word[0].lower(), known, noun="names")
            raise InputError(what, at=place, hint=hint)
    name, *arguments = (word[0].lower() for word in words)
    try:
        check(name, tuple(arguments))
    except ValueError as error:
        place = replace(at, column=match.start("words") + words[0].start() + 1)
        raise InvalidPlan(str(error), at=place) from None
    time = None if match["time"] is None else Decimal(match["time"])
    return _Line(at, names.action(name, arguments), time, match.groupdict().get("takes"))


def _by_number(lines: Iterable[_Line], what: str, hint: str) -> list[list[_Line]]:
    """The actions with the same number in front, in the order of the numbers, which all have."""
    found: dict[Decimal, list[_Line]] = {}
    for line in lines:
        if line.action:
            if line.number is None:
                raise InputError(what, at=line.at, hint=hint)
            found.setdefault(line.number, []).append(line)
    return [found[number] for number in sorted(found)]


def _steps(lines: list[_Line]) -> Iterable[list[str]]:
    """The actions of each step: by the numbers in front, by comments, or one a step."""
    if any(line.action and line.number is not None for line in lines):
        what, hint = "this action has no number in front, others have", "give all actions a number"
        numbered = _by_number(lines, what, f"{hint}, or none")
        return [[line.action for line in step] for step in numbered]
    if all(line.action for line in lines):
        return [[line.action] for line in lines]
    # Comments tell the steps; the first is 0 or 1.
    counted: list[list[str]] = []
    last: Decimal | None = None
    for line in lines:
        if not line.action:
            if line.number not in ((0, 1) if last is None else (last + 1,)):
                hint = "steps count from 1 in the order of the file"
                what = f"this is no place for step {line.number}"
                raise InputError(what, at=line.at, hint=hint)
            last = line.number
            counted.append([])
        elif not counted:
            raise InputError("this action stands before the first step", at=line.at)
        else:
            counted[-1].append(line.action)
    return counted
