"""An explanation as text: places, rules with a caret under a literal, and what they mean."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rich.text import Text

from asplan.core.errors import Location
from asplan.core.text import amount, plain_text, shortened
from asplan.explaining import explanation
from asplan.explaining.explanation import (
    Conflict,
    Counted,
    Derivation,
    Explanation,
    Goals,
    Literal,
    Nearest,
    Never,
    Refusal,
    Relaxed,
    Rule,
    Values,
    Violation,
    Why,
)

_MOST = 6  # entries of one list that are printed; --json has all of them
_CAUSES = 4  # rules that are printed behind one violated constraint
_DEPTH = 6  # how many rules of a derivation are printed, one behind the other

_SUPPORTED = {
    "derived": "is derived here",
    "fact": "is a fact",
    "chosen": "is chosen here",
    "demanded": "is demanded of the plan",
    "above": "is derived as above",
    "deeper": "is derived here, from what --atom tells",
}


def text_of(found: Explanation) -> str:
    told = ["\n".join(line.plain for line in lines) for lines in paragraphs(found)]
    return "\n\n".join([*(f"warning: {warning}" for warning in found.warnings), *told])


def paragraphs(found: Explanation) -> Iterator[list[Text]]:
    if found.why:
        yield list(_why(found.why, found))
        return
    if found.question:
        yield [_head(found.question)]
    if found.question and found.found is not None and not len(found.found):
        return
    if found.found or not (found.question and found.excluded):
        yield [_head(_verdict(found))]
    if found.model:
        yield [plain_text(f"the domain's own model refuses it: {found.model}", "bold red")]
    elif found.model is not None:
        other = "" if found.accepted else ", so the encoding disagrees with the model"
        yield [plain_text(f"the domain's own model accepts it{other}")]
    if found.obstacles:
        yield [_placed(one.at, one.text) for one in found.obstacles]
    if found.refusal:
        yield list(_refusal(found.refusal))
    if found.conflict:
        yield list(_conflict(found.conflict))
    if found.relaxed:
        yield list(_relaxed(found.relaxed))
    if found.goals and found.goals.goals:
        yield list(_goals(found.goals))
    if found.never:
        yield from _never(found.never)
    if found.stopped:
        yield [plain_text(f"stopped: {found.reason}; what is above is what was found", "yellow")]


def _verdict(found: Explanation) -> str:
    steps = amount(found.horizon or 0, "step")
    if found.accepted is not None:
        return f"the encoding {'accepts' if found.accepted else 'refuses'} the plan of {steps}"
    if found.found is not None:
        exists = f"a plan of {amount(len(found.found), 'step')} exists"
        return f"{exists}, so there is nothing to explain:\n{found.found}"
    if found.horizon is None:
        return "it is not known whether a plan exists"
    if found.excluded:
        return f"no plan of {steps} exists"
    return f"it is not known whether a plan of {steps} exists"


def _why(why: Why, found: Explanation) -> Iterator[Text]:
    verb = "holds" if why.holds else "does not hold"
    where = "this plan" if found.found else "an answer"
    yield _head(f"{why.atom} {verb} in {where} of {amount(found.horizon or 0, 'step')}:")
    if found.found:
        yield from (plain_text(f"  {line}") for line in str(found.found).splitlines())
        yield plain_text("")
    if why.derivation:
        yield from _support(why.derivation, why.atom)
    for nearest in why.nearest:
        yield from _nearest(nearest, "  ")
        for behind in islice(explanation.in_turn([nearest]), 1, None):
            yield from _nearest(behind, "      ")
    if not why.holds and not why.nearest:
        yield plain_text(f"  no fact and no rule is for it{f': {why.hint}' if why.hint else ''}")


def _support(derivation: Derivation, root: str) -> Iterator[Text]:
    """What stands behind an atom, as a tree; of a choice only if that is asked about."""
    shown: set[str] = set()

    def tree(atom: str, depth: int) -> Iterator[Text]:
        one, indent = derivation.supports[atom], "  " * (depth + 1)
        is_inner = one.kind == "derived" or (one.kind == "chosen" and not depth)
        what = _SUPPORTED[one.kind]
        if one.kind == "derived" and (atom in shown or (depth == _DEPTH and one.body)):
            what, is_inner = _SUPPORTED["above" if atom in shown else "deeper"], False
        values = f" {_with(one.values)}" if one.values and is_inner else ""
        if one.rule is None:
            yield plain_text(f"{indent}{atom} {what}")
            return
        yield _placed(one.rule.at, f"{atom} {what}{values}", indent)
        if not is_inner:
            return
        shown.add(atom)
        yield from _excerpt(one.rule, indent + "    ")
        yield from (plain_text(f"{indent}    {counts_of(counted)}") for counted in one.counted)
        for below in one.body:
            yield from tree(below, depth + 1)
        for absent in one.absent:
            nearest = derivation.nearest.get(absent)
            if nearest is None or nearest.rule is None or nearest.literal is None:
                yield plain_text(f"{indent}  {absent} does not hold")
            else:
                yield from _nearest(nearest, indent + "  ")

    yield from tree(root, 0)


def _refusal(refusal: Refusal) -> Iterator[Text]:
    actions = ", ".join(refusal.actions) or "no action"
    if refusal.kind == "goal":
        steps = amount(refusal.step, "step")
        yield _head(f"all {steps} are fine, but then the goal does not hold:")
    elif refusal.step == 0:
        yield _head("no plan can begin: the state at time 0 is refused")
    elif refusal.kind == "constraint":
        yield _head(f"step {refusal.step} ({actions}) is forbidden:")
    else:
        yield _head(f"step {refusal.step}: no rule offers {actions} there")
    for violation in refusal.broken[:_MOST]:
        yield from _violation(violation)
    for nearest in explanation.in_turn(refusal.nearest):
        yield from _nearest(nearest, "  ")


def _conflict(conflict: Conflict) -> Iterator[Text]:
    if not (conflict.rules or conflict.facts):
        yield _head("even without any constraint there is no plan: look at the rules")
        return
    goal = any(rule.goal for rule in conflict.rules)
    other = "there is one" if goal else "some are left"
    needed = f"leave out any of them and {other}" if conflict.minimal else "maybe not all"
    what = "every plan" if goal else "all that many steps, whatever the goal is"
    yield _head(f"these together exclude {what} ({needed}):")
    for rule in conflict.rules[: 2 * _MOST]:
        kind = "goal" if rule.goal else "bounds of a choice" if rule.bound else "constraint"
        yield _placed(rule.at, kind)
        yield from _excerpt(rule)
    if conflict.facts:
        yield plain_text(f"  and the facts {', '.join(conflict.facts)}")


def _relaxed(relaxed: Relaxed) -> Iterator[Text]:
    number = len(relaxed.broken)
    least = "none breaks fewer" if relaxed.least else "others may break fewer"
    yield _head(f"a plan that breaks {amount(number, 'instance')} of constraints; {least}:")
    for line in str(relaxed.plan).splitlines():
        yield plain_text(f"  {line}")
    for violation in relaxed.broken[:_MOST]:
        yield from _violation(violation)
    yield from _more(number)


def _goals(goals: Goals) -> Iterator[Text]:
    yield _head("the conditions of the goal, each alone:")
    for number, goal in enumerate(goals.goals, 1):
        never = "never within these steps" if goal.reached is None else f"by step {goal.reached}"
        yield _placed(goal.rule.at, f"{number}. {'not known' if goal.unknown else never}")
        values = f"  {_with(goal.values)}" if goal.values else ""
        yield plain_text(f"      {goal.rule.text}{values}")
    for several in goals.exclusive[:_MOST]:
        yield plain_text(f"  {' and '.join(str(i + 1) for i in several)} cannot hold together")
    if not goals.complete:
        yield plain_text("  not all of them were looked at in time")


def _never(never: Never) -> Iterator[list[Text]]:
    if never.rules:
        lines = [_head("never true in these steps, which may be as it should be:")]
        lines += [_placed(one.at, one.text) for one in never.rules[:_MOST] if one.at]
        yield [*lines, *_more(len(never.rules))]
    for what, names in (
        ("actions that cannot happen", never.actions),
        ("atoms that never hold", never.fluents),
    ):
        if names:
            more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
            yield [_head(f"{what}:"), plain_text(f"  {'  '.join(names[:_MOST])}{more}")]


def _violation(violation: Violation) -> Iterator[Text]:
    values = f" {_with(violation.values)}" if violation.values else ""
    what = "the bounds of this choice" if violation.rule.bound else "this constraint"
    yield _placed(violation.rule.at, f"{what} at step {violation.step}{values}")
    yield from _excerpt(violation.rule)
    for nearest in islice(explanation.in_turn(violation.because), _CAUSES):
        yield from _nearest(nearest, "      ")


def _nearest(nearest: Nearest, indent: str) -> Iterator[Text]:
    rule, literal = nearest.rule, nearest.literal
    if rule is None:
        yield plain_text(f"{indent}nothing derives {nearest.atom}")
        return
    if literal is None:
        what = "may be chosen here" if rule.choice else "is derived here"
    else:
        values = f" {_with(nearest.values)}" if nearest.values else ""
        what = f"comes nearest here{values}, but {stop_of(literal)}"
    yield _placed(rule.at, f"{nearest.atom} {what}", indent)
    yield from _excerpt(rule, indent + "    ", literal)


def counts_of(counted: Counted) -> str:
    """What an aggregate counts."""
    return f"{counted.text} counts {shortened('; '.join(counted.elements)) or 'nothing'}"


def stop_of(literal: Literal) -> str:
    """What keeps a rule from deriving something, by the literal that is false."""
    present = literal.text.removeprefix("not ")
    return f"not {present}" if present == literal.text else f"{present} is true"


def _head(text: str) -> Text:
    return plain_text(text, "bold")


def _more(number: int) -> Iterator[Text]:
    if number > _MOST:
        yield plain_text(f"  and {number - _MOST} more; --json has all")


def _with(values: Values) -> str:
    return "with " + shortened(", ".join(f"{name}={value}" for name, value in values))


def _placed(at: Location, text: str, indent: str = "  ") -> Text:
    place = f"{Path(at.file).name}:{at.line}:{at.column}"
    return Text.assemble(indent, plain_text(place, "cyan"), " ", plain_text(text))


def _excerpt(rule: Rule, indent: str = "      ", literal: Literal | None = None) -> Iterator[Text]:
    """A rule, and a caret under one of its literals."""
    yield plain_text(indent + rule.text)
    if literal is None:
        return
    # The text of the rule has fewer blanks than the file.
    starts = [found.start() for found in re.finditer(re.escape(literal.text), rule.text)]
    if rule.at.line == literal.at.line:
        start = max((s for s in starts if s <= literal.at.column - rule.at.column), default=None)
    else:
        start = next((s for s in starts if s > rule.text.find(":-")), None)
    if start is not None:
        caret = "^" + "~" * (len(literal.text) - 1)
        yield plain_text(" " * (len(indent) + start) + caret, "bold red")
