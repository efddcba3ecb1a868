"""An explanation as text: places, rules with a caret under a literal, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from rich.text import Text

from asplan.errors import Location
from asplan.explaining.explanation import (
    Conflict,
    Explanation,
    Goal,
    Goals,
    Literal,
    Nearest,
    Never,
    Refusal,
    Relaxed,
    Rule,
    Slip,
    Violation,
    in_turn,
)
from asplan.text import plain, shortened

MOST = 6
"""Entries of one list that are printed; --json has all of them."""

CAUSES = 4
"""Rules that are printed behind one violated constraint."""

_HEAD, _PLACE, _CARET = "bold", "cyan", "bold red"
Values = Sequence[tuple[str, str]]


def paragraphs(found: Explanation) -> Iterator[list[Text]]:
    """An explanation as paragraphs of lines."""
    yield [plain(_verdict(found), _HEAD)]
    if found.model is not None:
        yield [plain(_model(found), "bold red" if found.model else "")]
    if found.slips:
        yield list(_slips(found.slips))
    if found.refusal:
        yield list(_refusal(found.refusal))
    if found.conflict:
        yield list(_conflict(found.conflict))
    if found.relaxed:
        yield list(_relaxed(found.relaxed))
    if found.goals and found.goals.goals:
        yield list(_goals(found.goals))
    yield from _never(found.never or ())
    if found.stopped:
        yield [plain(f"stopped: {found.reason}; what is above is what was found", "yellow")]


def _verdict(found: Explanation) -> str:
    steps = _steps(found.horizon or 0)
    if found.accepted is not None:
        return f"the encoding {'accepts' if found.accepted else 'refuses'} the plan of {steps}"
    if found.found is not None:
        exists = f"a plan of {_steps(len(found.found))} exists, so there is nothing to explain"
        return f"{exists}:\n{found.found}"
    if found.excluded:
        return f"no plan of {steps} exists"
    return f"it is not known whether a plan of {steps} exists"


def _steps(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"


def _model(found: Explanation) -> str:
    if found.model:
        return f"the domain's own model refuses it: {found.model}"
    other = "" if found.accepted else ", so the encoding disagrees with the model"
    return f"the domain's own model accepts it{other}"


def _refusal(refusal: Refusal) -> Iterator[Text]:
    actions = ", ".join(refusal.actions) or "no action"
    if refusal.kind == "goal":
        yield plain(f"all {_steps(refusal.step)} are fine, but then the goal does not hold:", _HEAD)
    elif refusal.step == 0:
        yield plain("no plan can begin: the state at time 0 is refused", _HEAD)
    elif refusal.kind == "constraint":
        yield plain(f"step {refusal.step} ({actions}) is forbidden:", _HEAD)
    else:
        yield plain(f"step {refusal.step}: no rule offers {actions} there", _HEAD)
    for violation in refusal.broken[:MOST]:
        yield from _violation(violation)
    for nearest in in_turn(refusal.nearest):
        yield from _nearest(nearest, "  ")


def _never(never: Sequence[Never]) -> Iterator[list[Text]]:
    bodies = [one for one in never if one.at is not None]
    if bodies:
        yield [
            plain("never true in these steps, which may be as it should be:", _HEAD),
            *_bodies(bodies),
        ]
    for kind in ("action", "fluent"):
        names = [one.what for one in never if one.kind == kind]
        if names:
            more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
            what = {"action": "actions that cannot happen", "fluent": "atoms that never hold"}[kind]
            yield [plain(f"{what}:", _HEAD), plain(f"  {'  '.join(names[:MOST])}{more}")]


def _bodies(bodies: Sequence[Never]) -> Iterator[Text]:
    for one in bodies[:MOST]:
        assert one.at is not None
        says = "never binds" if one.kind == "constraint" else "never fires"
        why = f": {one.literal.text} is never true there" if one.literal else ""
        yield _placed(one.at, f"this {one.kind} {says}{why}")
        yield from _excerpt(one.what, one.literal, "      ", one.at)
    if len(bodies) > MOST:
        yield plain(f"  and {len(bodies) - MOST} more; --json has all")


def _slips(slips: Sequence[Slip]) -> Iterator[Text]:
    yield plain("most likely a slip:", _HEAD)
    for slip in slips[:MOST]:
        yield _placed(slip.literal.at, f"{slip.effect}: {slip.hint}")
        yield from _excerpt(slip.rule.text, slip.literal, "      ", slip.rule.at)


def _relaxed(relaxed: Relaxed) -> Iterator[Text]:
    number = len(relaxed.broken)
    instances = f"{number} instance{'' if number == 1 else 's'} of constraints"
    least = "; none breaks fewer" if relaxed.least else "; others may break fewer"
    yield plain(f"a plan that breaks {instances}{least}:", _HEAD)
    for line in str(relaxed.plan).splitlines():
        yield plain(f"  {line}")
    for violation in relaxed.broken[:MOST]:
        yield from _violation(violation)
    if number > MOST:
        yield plain(f"  and {number - MOST} more; --json has all")


def _violation(violation: Violation) -> Iterator[Text]:
    values = f" with {_with(violation.values)}" if violation.values else ""
    what = "the bounds of this choice" if violation.rule.bound else "this constraint"
    yield _placed(violation.rule.at, f"{what} at step {violation.step}{values}")
    yield from _excerpt(violation.rule.text, None, "      ")
    for nearest in islice(in_turn(violation.because), CAUSES):
        yield from _nearest(nearest, "      ")


def _nearest(nearest: Nearest, indent: str) -> Iterator[Text]:
    if nearest.rule is None:
        yield plain(f"{indent}nothing derives {nearest.atom}")
        return
    if nearest.literal is None:
        said = "is derived here" if not nearest.rule.bound else "may be chosen here"
        yield _placed(nearest.rule.at, f"{nearest.atom} {said}", indent)
        yield from _excerpt(nearest.rule.text, None, indent + "    ")
        return
    values = f" with {_with(nearest.values)}" if nearest.values else ""
    said = f"{nearest.atom} comes nearest here{values}, but not {nearest.literal.text}"
    yield _placed(nearest.rule.at, said, indent)
    yield from _excerpt(nearest.rule.text, nearest.literal, indent + "    ", nearest.rule.at)


def _conflict(conflict: Conflict) -> Iterator[Text]:
    if not (conflict.rules or conflict.facts):
        yield plain("even without any constraint there is no plan: look at the rules", _HEAD)
        return
    goal = any(rule.goal for rule in conflict.rules)
    other = "there is one" if goal else "some are left"
    needed = f"leave out any of them and {other}" if conflict.minimal else "maybe not all"
    what = "every plan" if goal else "all that many steps, whatever the goal is"
    yield plain(f"these together exclude {what} ({needed}):", _HEAD)
    for rule in conflict.rules[: 2 * MOST]:
        yield from _rule(rule)
    if conflict.facts:
        yield plain(f"  and the facts {', '.join(conflict.facts)}")


def _rule(rule: Rule) -> Iterator[Text]:
    what = "goal" if rule.goal else "bounds of a choice" if rule.bound else "constraint"
    yield _placed(rule.at, what)
    yield from _excerpt(rule.text, None, "      ")


def _goals(goals: Goals) -> Iterator[Text]:
    yield plain("the conditions of the goal, each alone:", _HEAD)
    for number, goal in enumerate(goals.goals, 1):
        yield _placed(goal.rule.at, f"{number}. {_when(goal)}")
        yield plain(f"      {_condition(goal)}")
    for group in goals.exclusive[:MOST]:
        numbers = " and ".join(str(number + 1) for number in group)
        yield plain(f"  {numbers} cannot hold together")
    if not goals.complete:
        yield plain("  not all of them were looked at in time")


def _when(goal: Goal) -> str:
    if goal.unknown:
        return "not known"
    return "never within these steps" if goal.reached is None else f"by step {goal.reached}"


def _condition(goal: Goal) -> str:
    return goal.rule.text + (f"  with {_with(goal.values)}" if goal.values else "")


def _with(values: Values) -> str:
    return shortened(", ".join(f"{name}={value}" for name, value in values))


def _placed(at: Location, text: str, indent: str = "  ") -> Text:
    place = f"{Path(at.file).name}:{at.line}:{at.column}"
    return Text.assemble(indent, plain(place, _PLACE), " ", plain(text))


def _excerpt(
    text: str, literal: Literal | None, indent: str, at: Location | None = None
) -> Iterable[Text]:
    """A rule that stands at a place, and a caret under one of its literals."""
    yield plain(indent + text)
    start = None if literal is None else _column(text, literal, at)
    if literal is not None and start is not None:
        yield plain(" " * (len(indent) + start) + "^" + "~" * (len(literal.text) - 1), _CARET)


def _column(text: str, literal: Literal, at: Location | None) -> int | None:
    """Where a literal begins in the text of its rule, which has fewer blanks than the file."""
    starts = [found.start() for found in re.finditer(re.escape(literal.text), text)]
    if at is not None and at.line == literal.at.line:
        return max((s for s in starts if s <= literal.at.column - at.column), default=None)
    return next((s for s in starts if s > text.find(":-")), None)


def text_of(found: Explanation) -> str:
    """The same without colours."""
    return "\n\n".join("\n".join(line.plain for line in lines) for lines in paragraphs(found))
