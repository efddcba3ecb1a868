"""The comparison of two plans as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from asplan.core.plan import Plan, Steps
from asplan.core.text import amount, plain_text, shortened
from asplan.explaining.contrast import Contrast, Detour, Feasible, Loss, Minimal, PlanChange

_MOST = 6  # the most entries of a printed list; --json has all of them


def contrast_paragraphs(contrast: Contrast) -> Iterator[list[Text]]:
    """Yield the paragraphs of a comparison, each as a list of lines."""
    yield list(_verdict(contrast))
    if contrast.losses or not contrast.is_best:
        yield list(_losses(contrast))
    if contrast.other is not None and not contrast.detours:
        yield [_head("the other plan has the same steps")]
    elif contrast.other is not None:
        yield list(_other(contrast.other))
    for detour in contrast.detours[:_MOST]:
        yield list(_detour(detour))
    if len(contrast.detours) > _MOST:
        yield [plain_text(f"and {len(contrast.detours) - _MOST} more such parts; --json has all")]
    yield from _changes(contrast)


def _verdict(contrast: Contrast) -> Iterator[Text]:
    """Yield the lines about the length of the user's plan, and whether a plan is shorter."""
    steps = amount(len(contrast.mine), "step")
    yield _head(f"your plan is a plan of {steps}; {_compared(contrast)}")
    if contrast.left_out:
        further = amount(contrast.left_out, "further step")
        yield plain_text(f"the goal holds after step {len(contrast.mine)}: {further} left out")
    costs = _costs(contrast)
    if costs:
        yield plain_text(costs)
    if contrast.is_only is not None:
        only = "no other plan is as short" if contrast.is_only else "other plans are as short"
        yield plain_text(only)
    elif contrast.is_best:
        yield plain_text("it is not known whether another plan is as short")


def _compared(contrast: Contrast) -> str:
    """Return a phrase that compares the length of the user's plan with the least one."""
    length = len(contrast.mine)
    if contrast.is_best:
        return "no plan is shorter"
    if contrast.is_best is None:
        return f"it is not known whether one is shorter (at least {contrast.least} are needed)"
    least = contrast.lengths[0]
    if least is None:
        return "a plan is shorter"
    return f"a shortest plan has {least}, {length - least} fewer"


def _costs(contrast: Contrast) -> str:
    """Return a phrase with the costs of both plans; empty if plans have no costs."""
    other = contrast.other
    if other is None or contrast.mine.cost is None or other.cost is None:
        return ""
    return f"cost: {_cost(contrast.mine)}; cost of the other plan: {_cost(other)}"


def _cost(plan: Plan) -> str:
    return " ".join(map(str, plan.cost or ()))


def _other(other: Plan) -> Iterator[Text]:
    yield _head(f"the other plan, {amount(len(other), 'step')}:")
    for line in str(other).splitlines():
        yield plain_text(f"  {line}")


def _detour(detour: Detour) -> Iterator[Text]:
    """Yield the lines about a part in which the plans differ."""
    if detour.start:
        yield _head(f"after your step {detour.start} the plans part:")
    else:
        yield _head("the plans part at the start:")
    if detour.state:
        yield plain_text(f"  state there  {shortened(' '.join(detour.state), 200)}")
    yield plain_text(f"  yours        {_steps(detour.steps, detour.start)}")
    yield plain_text(f"  the other    {_steps(detour.other_steps, detour.other_start)}")
    if detour.meets and not (detour.steps and detour.other_steps):
        yield plain_text("  these steps lead back to the same state")
    elif detour.meets:
        end = detour.start + len(detour.steps)
        other_end = detour.other_start + len(detour.other_steps)
        where = f"your step {end} and step {other_end} of the other"
        yield plain_text(f"  they meet again: the state is the same after {where}")
    else:
        yield plain_text("  they do not meet again")


def _steps(steps: Steps, start: int) -> str:
    """Return the steps of a part in one line, each with its number.

    `start` is the number of steps before the part.
    """
    if not steps:
        return "nothing"
    numbered = (f"{n}. {', '.join(step)}" for n, step in enumerate(steps, start + 1))
    return shortened("  ".join(numbered), 200)


def _losses(contrast: Contrast) -> Iterator[Text]:
    """Yield the lines about the steps that make the plan longer."""
    if None in contrast.lengths:
        yield _head("steps that lose, as far as was found in time:")
    elif contrast.losses:
        yield _head("the steps of your plan that lose:")
    for loss in contrast.losses[:_MOST]:
        yield plain_text(f"  step {loss.step} ({', '.join(loss.actions)}) {_lost(loss)}")
    if len(contrast.losses) > _MOST:
        yield plain_text(f"  and {len(contrast.losses) - _MOST} more; --json has all")
    unknown = [k for k, length in enumerate(contrast.lengths) if length is None]
    if unknown:
        yield plain_text(f"  not known from step {max(1, unknown[0])} on")


def _lost(loss: Loss) -> str:
    """Return a phrase with the number of lost steps, and the distances to the goal."""
    best = loss.rest - loss.steps
    away = f"the goal is {amount(loss.rest, 'step')} away after it, {best} after a best step"
    return f"loses {amount(loss.steps, 'step')}: {away}"


def _changes(contrast: Contrast) -> Iterator[list[Text]]:
    """Yield the paragraphs about the changes that make the user's plan a best one."""
    if contrast.facts is not None:
        yield list(_facts(contrast.facts))
    if contrast.actions is not None:
        yield list(_actions(contrast.actions, contrast.other))


def _facts(change: PlanChange) -> Iterator[Text]:
    if change.found is Feasible.YES:
        several = len(change.members) > 1
        number = f"these {len(change.members)} facts" if several else "this fact"
        yield _head(f"without {number} your plan would be a shortest one ({_minimal(change)}):")
        yield plain_text(f"  {'  '.join(change.members)}")
    elif change.found is Feasible.NO:
        yield _head("removing facts cannot make your plan a shortest one")
    else:
        yield _head("no facts were found in time that could be removed to do it")


def _actions(change: PlanChange, other: Plan | None) -> Iterator[Text]:
    if change.found is Feasible.YES:
        several = len(change.members) > 1
        number = f"these {len(change.members)} actions" if several else "this action"
        yield _head(f"without {number} your plan would be a shortest one ({_minimal(change)}):")
        yield plain_text(f"  {'  '.join(change.members)}")
    elif change.obstacle is not None and change.obstacle == other:
        yield _head("forbidding actions cannot do it: the other plan has only actions of yours")
    elif change.obstacle is not None:
        yield _head("forbidding actions cannot do it: this plan is shorter and has only yours:")
        for line in str(change.obstacle).splitlines():
            yield plain_text(f"  {line}")
    else:
        yield _head("no actions were found in time that could be forbidden to do it")


def _minimal(change: PlanChange) -> str:
    """Return a phrase about the sense in which a change is minimal."""
    if change.minimal is Minimal.CARDINALITY:
        return "proven: no fewer do it"
    if change.minimal is Minimal.SUBSET:
        return "all of them are needed, but fewer others may do it"
    return "fewer may do it"


def _head(text: str) -> Text:
    return plain_text(text, "bold")
