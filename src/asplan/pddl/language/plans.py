"""A reader and a writer for plans in the format of the planning competitions.

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

The actions of a parallel step are in an order in which they can be executed, so that programs
without parallel steps can read the file. Comments separate the steps:

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

The planner FF writes no parentheses, and other output around its plan, which is skipped:

>>> output = ["ff: found legal plan as follows", "", "step    0: PICK-UP A", "        1: LOOK", ""]
>>> read_plan([*output, "time spent: 0.00 seconds"], "f", names).steps
(('pick_up(a)',), ('look',))

A timed action has its start and its duration:

>>> timed = read_plan(["0.001: (pick-up a) [2.5]", "0.001: (look)"], "f", names, timed=True)
>>> timed.steps, timed.times[0][0]
((('pick_up(a)', 'look'),), (Fraction(1, 1000), Fraction(5, 2)))
>>> print(write_plan(timed, 0), end="")
0.001: (pick-up A) [2.5]
0.001: (look)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, InvalidPlan, Location, nearest
from asplan.core.plan import Plan
from asplan.core.text import amount, parse_natural, shortened
from asplan.pddl.language.names import PddlNames

if TYPE_CHECKING:
    from asplan.core.plan import Timing

_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_ACTION = re.compile(
    rf"\s*(?:(?P<time>{_NUMBER})\s*:\s*)?\((?P<words>[^();]*)\)\s*(?:\[\s*(?:D:\s*)?(?P<takes>{_NUMBER})\s*(?:;[^\]]*)?\])?\s*(?:;.*)?"
)
_FF_ACTION = re.compile(
    r"\s*(?:step\s+)?(?P<time>\d{1,15})\s*:(?P<words>[^():;\[\]]+)", re.IGNORECASE
)
_FF_GOAL = re.compile(r"\s*(?:step\s+)?\d{1,15}\s*:\s*reach-goal\s*", re.IGNORECASE)
_FF_BEGIN = re.compile(r"\s*ff: found legal plan as follows.*", re.IGNORECASE)
_NUMBERED = re.compile(r"(\s*\d{1,15})\.(\s+\S.*)")
_SEVERAL = re.compile(r"\s*(?:\([^()]*\)\s*){2,}")
_FD_ACTION = re.compile(r"\s*(?P<words>[A-Za-z][^():;\[\]]*)\(\d{1,15}\)\s*")
_FD_BEGIN = re.compile(r".*\bSolution found[.!]\s*")
_COST = re.compile(r"\s*;\s*cost\s*=\s*(\d+)(?:\.0*)?\s*(\(unit cost\))?.*", re.IGNORECASE)
_STEP = re.compile(r"\s*;\s*step\s+(\d+)\s*", re.IGNORECASE)
_TIMED_FORMS = "write an action a line with its time and its duration, as in 0.001: (load a) [5]"
_FORMS = "write an action a line, as in (pick-up a), or 3: (pick-up a) for step 3"


def with_names(
    plan: Plan,
    names: PddlNames,
) -> Plan:
    """Name each action of a plan by its PDDL text, such as `(pick-up A)`; return the plan."""
    return replace(plan, names={action: names.written(action) for action in plan.actions})


def write_plan(
    plan: Plan,
    cost: int,
    general: bool = False,
) -> str:
    """Return a plan as the text of a plan file.

    Parameters
    ----------
    plan
        The plan. If its actions have times, the lines have them, too.
    cost
        The cost of the plan, which is written unless the plan has times.
    general
        True if the actions have costs; False if each action costs 1.
    """
    if plan.times:
        return "".join(f"{line}\n" for line in plan.timed_lines())
    lines: list[str] = []
    is_parallel = any(len(step) != 1 for step in plan)
    for number, step in enumerate(plan, 1):
        if is_parallel:
            lines.append(f"; step {number}")
        lines += map(plan.name, step)
    kind = "general" if general else "unit"
    lines.append(f"; cost = {cost} ({kind} cost)")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Line:
    """A line of a plan file: an action, or the start of a step if the action is empty.

    Attributes
    ----------
    at
        The place of the line.
    action
        The action as an ASP term.
    number
        The number before the action: its time or step. At the start of a step, the step's number.
        None if the line has no number.
    takes
        The duration as text, if the line has one.
    """

    at: Location
    action: str
    number: Decimal | None
    takes: str | None = None


Check = Callable[[str, tuple[str, ...]], object]
"""A check of an action, by its name and its arguments; it raises `ValueError` at a wrong one."""


def read_plan(
    lines: Iterable[str],
    file: str,
    names: PddlNames,
    timed: bool = False,
    check: Check = lambda name, arguments: None,
) -> Plan:
    """Read a plan from the lines of a file.

    Parameters
    ----------
    lines
        The lines of the file.
    file
        The name of the file, for messages.
    names
        The names of the task.
    timed
        True if the numbers before actions are times. If False, actions with the same number form a
        step.
    check
        A check of each action, which raises `ValueError` at a wrong one.

    Raises
    ------
    InputError
        If a plan file cannot contain one of the lines, or if a name is not in the task.
    InvalidPlan
        If the check refuses an action, or if a "unit cost" is not the number of actions.
    """
    reader = _Reader(names, timed, check)
    for number, line in _plan_lines(line.rstrip("\r\n") for line in lines):
        at = Location(file, number, len(line) - len(line.lstrip()) + 1)
        reader.read(line, at)
    return reader.timed_plan() if timed else reader.plan()


def _plan_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return pairs of a line number and a line, for each line of the plan.

    In an output of the planners FF and Fast Downward, these are the lines after the title of the
    plan. Lines such as `1. (look)  (wait)`, which asplan prints, become a line for each action.
    """
    numbered = list(enumerate(lines, 1))
    found = next((number for number, line in numbered if _FD_BEGIN.fullmatch(line)), None)
    if found is not None:
        matches = [(number, _FD_ACTION.fullmatch(line)) for number, line in numbered[found:]]
        return [(number, f"({match['words'].strip()})") for number, match in matches if match]
    title = next((number for number, line in numbered if _FF_BEGIN.fullmatch(line)), None)
    if title is None:
        return [(number, part) for number, line in numbered for part in _parts_of(line)]
    plan: list[tuple[int, str]] = []
    for number, line in numbered[title:]:
        if line.strip() and not _FF_ACTION.fullmatch(line):
            break
        plan.append((number, line))
    return plan


def _parts_of(line: str) -> list[str]:
    """Return the lines that a line of a plan stands for, each with one action.

    >>> _parts_of("1. (look)  (wait)"), _parts_of("(look)")
    (['1: (look)', '1: (wait)'], ['(look)'])
    """
    match = _NUMBERED.fullmatch(line)
    if match is None:
        return [line]
    if not _SEVERAL.fullmatch(match[2]):
        return [f"{match[1]}:{match[2]}"]
    return [f"{match[1]}: {action}" for action in re.findall(r"\([^()]*\)", match[2])]


class _Reader:
    """A reader of the lines of a plan file.

    Attributes
    ----------
    lines
        The lines with actions or steps that were read so far.
    cost
        The cost in the file, as a tuple of one number; None if the file has none.
    unit_cost
        The text and place of a "unit cost" (each action costs 1); None if the file has none.
    """

    def __init__(
        self,
        names: PddlNames,
        timed: bool,
        check: Check,
    ) -> None:
        self.names = names
        self.timed = timed
        self.check = check
        self.lines: list[_Line] = []
        self.cost: tuple[int, ...] | None = None
        self.unit_cost: tuple[str, Location] | None = None

    def read(
        self,
        line: str,
        at: Location,
    ) -> None:
        """Read a line, and store its action, step or cost in the attributes.

        Raise `InputError` if a plan file cannot contain the line.
        """
        if match := _COST.fullmatch(line):
            self._read_cost(match, at)
        elif match := _STEP.fullmatch(line):
            self.lines.append(_Line(at, "", Decimal(match[1])))
        elif _FF_GOAL.fullmatch(line) and "reach-goal" not in self.names.actions.terms:
            pass  # FF adds an action for a goal that is not a conjunction
        elif line.strip() and not line.lstrip().startswith(";"):
            self.lines.append(self._read_action(line, at))

    def _read_cost(
        self,
        match: re.Match[str],
        at: Location,
    ) -> None:
        """Read the cost of a matched comment."""
        if match[2]:
            self.unit_cost = match[1], at
            return
        cost = parse_natural(match[1])
        self.cost = None if cost is None else (cost,)

    def _read_action(
        self,
        line: str,
        at: Location,
    ) -> _Line:
        """Parse a line with an action, and check its names."""
        match = self._match_action(line, at)
        first = match.start("words")
        words = list(re.finditer(r"\S+", match["words"]))
        places = [replace(at, column=first + word.start() + 1) for word in words]
        for word, place in zip(words, places, strict=True):
            known = self.names.actions if word is words[0] else self.names.objects
            _check_known(word[0], known.terms, place)
        name, *arguments = (word[0].lower() for word in words)
        try:
            self.check(name, tuple(arguments))
        except ValueError as error:
            raise InvalidPlan(str(error), at=places[0]) from None
        time = None if match["time"] is None else Decimal(match["time"])
        takes = match.groupdict().get("takes")
        return _Line(at, self.names.action(name, arguments), time, takes)

    def _match_action(
        self,
        line: str,
        at: Location,
    ) -> re.Match[str]:
        """Match a line with an action; raise `InputError` if the line has another form."""
        forms = _TIMED_FORMS if self.timed else _FORMS
        match = _ACTION.fullmatch(line)
        if match is None and not self.timed:
            match = _FF_ACTION.fullmatch(line)
        if match is None:
            text = shortened(line.strip(), 60)
            raise InputError(f"{text!r} is not a line of a plan", at=at, hint=forms)
        if not match["words"].strip():
            raise InputError("() names no action", at=at, hint=forms)
        return match

    def timed_plan(self) -> Plan:
        """Return the plan with times; actions with the same start form a step."""
        numbered = _by_number(self.lines, "this action has no time", _TIMED_FORMS)
        steps = tuple(tuple(line.action for line in step) for step in numbered)
        times = tuple(tuple(map(_timing, step)) for step in numbered)
        return with_names(Plan(steps, times=times), self.names)

    def plan(self) -> Plan:
        """Return the plan without times.

        Raise `InvalidPlan` if the file gives a "unit cost" that is not the number of actions.
        """
        steps = tuple(map(tuple, _steps(self.lines)))
        plan = with_names(Plan(steps, self.cost), self.names)
        number = len(plan.actions)
        if self.unit_cost is not None and parse_natural(self.unit_cost[0]) != number:
            claim = f"cost = {shortened(self.unit_cost[0], 30)} (unit cost)"
            message = f"the plan has {amount(number, 'action')}, but this line gives {claim}"
            raise InvalidPlan(message, at=self.unit_cost[1])
        return plan


def _check_known(
    word: str,
    known: Iterable[str],
    place: Location,
) -> None:
    """Raise `InputError` if a word is not among the known names."""
    if word.lower() not in known:
        hint = nearest(word.lower(), known, noun="names")
        raise InputError(f"the task has no {shortened(word, 60)}", at=place, hint=hint)


def _timing(line: _Line) -> Timing:
    """Return the start and the duration of a timed action; the duration is None if not given."""
    start = Fraction(line.number or 0)
    duration = None if line.takes is None else Fraction(line.takes)
    return start, duration


def _by_number(
    lines: Iterable[_Line],
    message: str,
    hint: str,
) -> list[list[_Line]]:
    """Group the actions by their numbers, in the order of the numbers.

    Raises `InputError` with this message and hint if an action has no number.
    """
    steps: dict[Decimal, list[_Line]] = {}
    for line in lines:
        if line.action:
            if line.number is None:
                raise InputError(message, at=line.at, hint=hint)
            steps.setdefault(line.number, []).append(line)
    return [steps[number] for number in sorted(steps)]


def _steps(lines: Sequence[_Line]) -> Iterable[list[str]]:
    """Return the actions of each step.

    Either the numbers of the actions or comments such as `; step 3` show the steps. In a file that
    has neither, each action is a step.
    """
    if any(line.action and line.number is not None for line in lines):
        message = "this action has no number before it, but others have"
        numbered = _by_number(lines, message, "give all actions a number, or none")
        return [[line.action for line in step] for step in numbered]
    if all(line.action for line in lines):
        return [[line.action] for line in lines]
    return _commented_steps(lines)


def _commented_steps(lines: Iterable[_Line]) -> list[list[str]]:
    """Return the actions after each comment `; step N`; the first number must be 0 or 1."""
    steps: list[list[str]] = []
    expected: tuple[Decimal, ...] = (Decimal(0), Decimal(1))
    for line in lines:
        if line.action:
            if not steps:
                raise InputError("this action comes before the first step", at=line.at)
            steps[-1].append(line.action)
            continue
        if line.number is None or line.number not in expected:
            hint = "steps count from 1 in the order of the file"
            raise InputError(f"step {line.number} is out of order", at=line.at, hint=hint)
        expected = (line.number + 1,)
        steps.append([])
    return steps
