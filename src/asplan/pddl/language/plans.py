"""Plans as the planning competitions write them: an action a line, and what the plan costs.

>>> from asplan.pddl.language.names import Names
>>> names = Names.of(["A", "B"], [], ["pick-up", "look"])
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

>>> parallel = named(Plan((("pick_up(a)", "pick_up(b)"), ("look",))), names)
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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from asplan.errors import InputError, InvalidPlan, Location, nearest
from asplan.pddl.language.names import Names, Table
from asplan.plan import Plan
from asplan.text import shortened, whole

_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_ACTION = re.compile(
    rf"\s*(?:(?P<time>{_NUMBER})\s*:\s*)?\((?P<words>[^();]*)\)\s*(?:\[\s*{_NUMBER}\s*\])?\s*(?:;.*)?"
)
_COST = re.compile(r"\s*;\s*cost\s*=\s*(\d+)(?:\.0*)?\s*(\(unit cost\))?.*", re.IGNORECASE)
_STEP = re.compile(r"\s*;\s*step\s+(\d+)\s*", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_FORMS = "write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"


def named(plan: Plan, names: Names) -> Plan:
    """A plan that knows how the source writes its actions."""
    return replace(plan, names={action: names.written(action) for action in plan.actions})


def write_plan(plan: Plan, cost: int, general: bool = False) -> str:
    """A plan, `named` before, as the text of a file.

    Parameters
    ----------
    cost
        What it costs.
    general
        Whether the task says what actions cost; otherwise each costs 1.
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
    """An action with its place; or where a step begins."""

    at: Location
    action: str | None = None
    time: Decimal | None = None
    step: int | None = None


def read_plan(lines: Iterable[str], file: str, names: Names) -> Plan:
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
    for number, line in enumerate(lines, 1):
        at = Location(file, number, len(line) - len(line.lstrip()) + 1)
        if match := _COST.fullmatch(line.rstrip("\r\n")):
            if match[2]:
                units = match[1], at
            else:
                cost = None if (value := whole(match[1])) is None else (value,)
        elif match := _STEP.fullmatch(line.rstrip("\r\n")):
            found.append(_Line(at, step=whole(match[1])))
        elif line.strip() and not line.lstrip().startswith(";"):
            found.append(_read_action(line.rstrip("\r\n"), at, names))
    plan = named(Plan(tuple(_steps(found)), cost), names)
    if units is not None and whole(units[0]) != (count := len(plan.actions)):
        actions = f"{count} action{'' if count == 1 else 's'}"
        said = f"cost = {shortened(units[0], 30)} (unit cost)"
        raise InvalidPlan(f"the plan has {actions}, but this says {said}", at=units[1])
    return plan


def _read_action(line: str, at: Location, names: Names) -> _Line:
    match = _ACTION.fullmatch(line)
    if match is None:
        what = f"{shortened(line.strip(), 60)!r} is no line of a plan"
        raise InputError(what, at=at, hint=_FORMS)
    words = [
        (word[0], replace(at, column=word.start() + 1))
        for word in _WORD.finditer(line, match.start("words"), match.end("words"))
    ]
    if not words:
        raise InputError("() names no action", at=at, hint=_FORMS)
    known = [names.actions, *[names.objects] * (len(words) - 1)]
    keys = [_known(*word, table) for word, table in zip(words, known, strict=True)]
    time = None if match["time"] is None else Decimal(match["time"])
    return _Line(at, names.action(keys[0], keys[1:]), time)


def _known(word: str, at: Location, table: Table) -> str:
    """A name in lower case, if the task has it."""
    if word.lower() not in table.terms:
        hint = nearest(word.lower(), table.terms, noun="names")
        raise InputError(f"the task knows no {shortened(word, 60)}", at=at, hint=hint)
    return word.lower()


def _steps(lines: list[_Line]) -> Iterator[tuple[str, ...]]:
    """The actions of each step."""
    actions = [line for line in lines if line.action is not None]
    if any(line.time is not None for line in actions):
        yield from _timed(actions)
    elif any(line.step is not None for line in lines):
        yield from _counted(lines)
    else:
        yield from ((line.action,) for line in actions if line.action is not None)


def _timed(actions: list[_Line]) -> Iterator[tuple[str, ...]]:
    steps: dict[Decimal, list[str]] = {}
    for line in actions:
        if line.time is None:
            hint = "give all actions a number, or none"
            raise InputError(
                "this action has no number in front, others have", at=line.at, hint=hint
            )
        steps.setdefault(line.time, []).append(line.action or "")
    yield from (tuple(steps[time]) for time in sorted(steps))


def _counted(lines: list[_Line]) -> Iterator[tuple[str, ...]]:
    """Steps as comments tell them; the first is 0 or 1."""
    steps: list[list[str]] = []
    last: int | None = None
    for line in lines:
        if line.action is None:
            if line.step not in ((0, 1) if last is None else (last + 1,)):
                what = f"this is no place for step {line.step}"
                raise InputError(
                    what, at=line.at, hint="steps count from 1 in the order of the file"
                )
            last = line.step
            steps.append([])
        elif not steps:
            raise InputError("this action stands before the first step", at=line.at)
        else:
            steps[-1].append(line.action)
    yield from map(tuple, steps)
