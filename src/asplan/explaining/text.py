"""Explanations as text: places, rules with a caret under a literal, and their meaning."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rich.text import Text

from asplan.core.errors import Location
from asplan.core.text import amount, plain_text, shortened
from asplan.explaining.contrast_text import contrast_paragraphs
from asplan.explaining.explanation import (
    Conflict,
    Counted,
    Derivation,
    Explanation,
    Goal,
    Goals,
    Nearest,
    Never,
    Refusal,
    RefusalKind,
    Relaxed,
    Support,
    SupportKind,
    Values,
    Violation,
    Why,
    WrittenLiteral,
    WrittenRule,
    in_turn,
)

_MOST = 6  # the most entries of a printed list; --json has all of them
_CAUSES = 4  # the most printed rules behind a violated constraint
_DEPTH = 6  # the most printed levels of a derivation

_SUPPORTED = {
    SupportKind.DERIVED: "is derived here",
    SupportKind.FACT: "is a fact",
    SupportKind.CHOSEN: "is chosen here",
    SupportKind.DEMANDED: "is required by the plan",
}
_ABOVE = "is derived as above"
_DEEPER = "is derived here, as --atom shows"


def text_of(explanation: Explanation) -> str:
    """Return an explanation as plain text, with its warnings first."""
    parts = [f"warning: {warning}" for warning in explanation.warnings]
    for lines in paragraphs(explanation):
        parts.append("\n".join(line.plain for line in lines))
    return "\n\n".join(parts)


def paragraphs(explanation: Explanation) -> Iterator[list[Text]]:
    """Yield the paragraphs of an explanation, each as a list of lines; warnings are left out."""
    if explanation.why:
        yield list(_why(explanation.why, explanation))
        return
    if explanation.contrast:
        yield from contrast_paragraphs(explanation.contrast)
    else:
        yield from _about_plan(explanation)
    if explanation.stopped and not _is_trivial(explanation):
        yield [plain_text(stop_phrase(explanation), "yellow")]


def _is_trivial(explanation: Explanation) -> bool:
    """Return whether asplan chose the question, and the goal holds at the start."""
    found = explanation.found
    return bool(explanation.question) and found is not None and not found.steps


def _about_plan(explanation: Explanation) -> Iterator[list[Text]]:
    """Yield the paragraphs about a missing plan, or about a given one."""
    if explanation.question:
        yield [_head(explanation.question)]
        if _is_trivial(explanation):
            if explanation.goals and explanation.goals.goals:
                yield list(_idle_goals(explanation.goals))
            return
    if explanation.found or not (explanation.question and explanation.excluded):
        yield [_head(verdict_of(explanation))]
    if explanation.model is not None:
        style = "bold red" if explanation.model else ""
        yield [plain_text(model_phrase(explanation), style)]
    yield from _reasons(explanation)


def _reasons(explanation: Explanation) -> Iterator[list[Text]]:
    """Yield a paragraph for each result that explains a missing or a refused plan."""
    if explanation.obstacles:
        yield [_placed(obstacle.at, obstacle.text) for obstacle in explanation.obstacles]
    if explanation.refusal:
        yield list(_refusal(explanation.refusal))
    if explanation.conflict:
        yield list(_conflict(explanation.conflict))
    if explanation.relaxed:
        yield list(_relaxed(explanation.relaxed))
    if explanation.goals and explanation.goals.goals:
        yield list(_goals(explanation.goals))
    if explanation.never:
        yield from _never(explanation.never)


def model_phrase(explanation: Explanation) -> str:
    """Return the objection of the domain's model, or its approval of the plan."""
    if explanation.model:
        return f"the domain's own model refuses it: {explanation.model}"
    addition = "" if explanation.accepted else ", so the encoding disagrees with the model"
    return f"the domain's own model accepts it{addition}"


def stop_phrase(explanation: Explanation) -> str:
    """Return the reason why an explanation ended early."""
    return f"stopped: {explanation.reason}; the results so far are above"


def verdict_of(explanation: Explanation) -> str:
    """Return the sentence that heads an explanation, such as `no plan of 5 steps exists`."""
    steps = amount(explanation.horizon or 0, "step")
    if explanation.accepted is not None:
        verb = "accepts" if explanation.accepted else "refuses"
        return f"the encoding {verb} the plan of {steps}"
    if explanation.found is not None:
        exists = f"a plan of {amount(len(explanation.found), 'step')} exists"
        return f"{exists}, so there is nothing to explain:\n{explanation.found}"
    if explanation.horizon is None:
        return "it is not known whether a plan exists"
    if explanation.excluded:
        return f"no plan of {steps} exists"
    return f"it is not known whether a plan of {steps} exists"


def _why(
    why: Why,
    whole: Explanation,
) -> Iterator[Text]:
    """Yield the lines about the reasons why an atom is true or false."""
    verb = "holds" if why.holds else "does not hold"
    where = "this plan" if whole.found else "an answer"
    yield _head(f"{why.atom} {verb} in {where} of {amount(whole.horizon or 0, 'step')}:")
    if whole.found:
        yield from _indented(str(whole.found))
        yield plain_text("")
    if why.derivation:
        yield from _Tree(why.derivation).lines(why.atom)
    for nearest in why.nearest:
        yield from _chain(nearest)
    if not why.holds and not why.nearest:
        hint = f": {why.hint}" if why.hint else ""
        yield plain_text(f"  no fact and no rule derives it{hint}")


def _chain(nearest: Nearest) -> Iterator[Text]:
    """Yield the lines of a nearest rule, and of the rules that its `because` links to."""
    yield from _nearest(nearest, "  ")
    for behind in islice(in_turn([nearest]), 1, None):
        yield from _nearest(behind, "      ")


def _indented(text: str) -> Iterator[Text]:
    for line in text.splitlines():
        yield plain_text(f"  {line}")


class _Tree:
    """A printer of the supports of an atom as a tree.

    Each support is printed once. Rules of choices are printed only at the root.
    """

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self._shown: set[str] = set()

    def lines(
        self,
        atom: str,
        depth: int = 0,
    ) -> Iterator[Text]:
        """Yield the lines of an atom's support, and of the atoms in its body.

        `depth` is the depth of the atom in the tree, 0 for the root.
        """
        support = self._derivation.supports[atom]
        indent = "  " * (depth + 1)
        status, is_open = self._status(support, depth)
        if support.rule is None:
            yield plain_text(f"{indent}{atom} {status}")
            return
        values = _with(support.values) if is_open else ""
        yield _placed(support.rule.at, f"{atom} {status}{values}", indent)
        if not is_open:
            return
        self._shown.add(atom)
        yield from _excerpt(support.rule, indent + "    ")
        for counted in support.counted:
            yield plain_text(f"{indent}    {counts_of(counted)}")
        for below in support.body:
            yield from self.lines(below, depth + 1)
        for absent in support.absent:
            yield from self._absent(absent, indent)

    def _status(
        self,
        support: Support,
        depth: int,
    ) -> tuple[str, bool]:
        """Return a verb phrase for a support, and whether to print its rule and body.

        `depth` is the depth of the atom in the tree, 0 for the root.
        """
        if support.kind is SupportKind.DERIVED:
            if support.atom in self._shown:
                return _ABOVE, False
            if depth == _DEPTH and support.body:
                return _DEEPER, False
            return _SUPPORTED[support.kind], True
        return _SUPPORTED[support.kind], support.kind is SupportKind.CHOSEN and not depth

    def _absent(
        self,
        atom: str,
        indent: str,
    ) -> Iterator[Text]:
        nearest = self._derivation.nearest.get(atom)
        if nearest is None or nearest.rule is None or nearest.literal is None:
            yield plain_text(f"{indent}  {atom} does not hold")
        else:
            yield from _nearest(nearest, indent + "  ")


def _refusal(refusal: Refusal) -> Iterator[Text]:
    yield _head(refusal_title(refusal))
    for violation in refusal.broken[:_MOST]:
        yield from _violation(violation)
    for nearest in in_turn(refusal.nearest):
        yield from _nearest(nearest, "  ")


def refusal_title(refusal: Refusal) -> str:
    """Return the headline of the paragraph about a refusal."""
    actions = ", ".join(refusal.actions) or "no action"
    if refusal.kind is RefusalKind.GOAL:
        steps = amount(refusal.step, "step")
        return f"all {steps} are fine, but then the goal does not hold:"
    if refusal.step == 0:
        return "no plan can begin: the state at time 0 is refused"
    if refusal.kind is RefusalKind.CONSTRAINT:
        return f"step {refusal.step} ({actions}) is forbidden:"
    return f"step {refusal.step}: no rule offers {actions} there"


def _conflict(conflict: Conflict) -> Iterator[Text]:
    yield _head(conflict_title(conflict))
    for rule in conflict.rules[: 2 * _MOST]:
        yield _placed(rule.at, kind_of(rule))
        yield from _excerpt(rule)
    if conflict.facts:
        yield plain_text(f"  and the facts {', '.join(conflict.facts)}")


def kind_of(rule: WrittenRule) -> str:
    """Return the kind of a statement that excludes plans."""
    if rule.goal:
        return "goal"
    return "bounds of a choice" if rule.bound else "constraint"


def conflict_title(conflict: Conflict) -> str:
    """Return the headline of the paragraph about a conflict."""
    if not (conflict.rules or conflict.facts):
        return "even without any constraint there is no plan: look at the rules"
    return f"these together exclude {_excluded(conflict)}:"


def _excluded(conflict: Conflict) -> str:
    """Return a phrase about the plans that a conflict excludes, and whether it is minimal."""
    if any(rule.goal for rule in conflict.rules):
        plans = "every plan"
        rest = "there is a plan"
    else:
        plans = "all sequences of that many steps, whatever the goal is"
        rest = "some are left"
    scope = (
        f"leave out any one of them and {rest}" if conflict.minimal else "some may not be needed"
    )
    return f"{plans} ({scope})"


def _relaxed(relaxed: Relaxed) -> Iterator[Text]:
    yield _head(relaxed_title(relaxed))
    yield from _indented(str(relaxed.plan))
    for violation in relaxed.broken[:_MOST]:
        yield from _violation(violation)
    yield from _more(len(relaxed.broken))


def relaxed_title(relaxed: Relaxed) -> str:
    """Return the headline of the paragraph about a plan that breaks constraints."""
    least = "no plan breaks fewer" if relaxed.least else "others may break fewer"
    return f"a plan that breaks {amount(len(relaxed.broken), 'instance')} of constraints; {least}:"


def _goals(goals: Goals) -> Iterator[Text]:
    yield _head("the conditions of the goal, each alone:")
    for number, goal in enumerate(goals.goals, 1):
        yield _placed(goal.rule.at, f"condition {number}: {reached_of(goal)}")
        values = f" {_with(goal.values)}" if goal.values else ""
        yield plain_text(f"      {goal.rule.text}{values}")
    for remark in remarks_of(goals):
        yield plain_text(f"  {remark}")


def _idle_goals(goals: Goals) -> Iterator[Text]:
    """Yield the constraints of a goal that holds at the start, and a hint at a missing `not`."""
    for goal in goals.goals:
        yield _placed(goal.rule.at, kind_of(goal.rule))
        yield from _excerpt(goal.rule, literal=goal.suspect)
        if goal.suspect:
            demand = f"this goal demands that {goal.suspect.text} is false"
            yield plain_text(f"      {demand}: is a `not` missing?")


def remarks_of(goals: Goals) -> Iterator[str]:
    """Yield the sets of conditions that exclude each other, each as a phrase."""
    for several in goals.exclusive[:_MOST]:
        numbers = " and ".join(str(i + 1) for i in several)
        yield f"conditions {numbers} cannot hold together"
    if not goals.complete:
        yield "not all of them were checked in time"


def reached_of(goal: Goal) -> str:
    """Return a phrase about the first step after which a condition of the goal can hold."""
    if goal.unknown:
        return "not known"
    return "never within these steps" if goal.reached is None else f"by step {goal.reached}"


def _never(never: Never) -> Iterator[list[Text]]:
    if never.rules:
        lines = [_head("never true in these steps, perhaps on purpose:")]
        lines += [_placed(rule.at, rule.text) for rule in never.rules[:_MOST] if rule.at]
        yield [*lines, *_more(len(never.rules))]
    if never.actions:
        yield list(_names("actions that cannot happen", never.actions))
    if never.fluents:
        yield list(_names("atoms that never hold", never.fluents))


def _names(
    heading: str,
    names: tuple[str, ...],
) -> Iterator[Text]:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    yield _head(f"{heading}:")
    yield plain_text(f"  {'  '.join(names[:_MOST])}{more}")


def _violation(violation: Violation) -> Iterator[Text]:
    yield _placed(violation.rule.at, violation_phrase(violation))
    yield from _excerpt(violation.rule)
    for nearest in islice(in_turn(violation.because), _CAUSES):
        yield from _nearest(nearest, "      ")


def violation_phrase(violation: Violation) -> str:
    """Return the kind, the step and the values of a violated constraint."""
    kind = "the bounds of this choice" if violation.rule.bound else "this constraint"
    return f"{kind} at step {violation.step}{_with(violation.values)}"


def _nearest(
    nearest: Nearest,
    indent: str,
) -> Iterator[Text]:
    rule = nearest.rule
    if rule is None:
        yield plain_text(indent + nearest_phrase(nearest))
        return
    yield _placed(rule.at, nearest_phrase(nearest), indent)
    yield from _excerpt(rule, indent + "    ", nearest.literal)


def nearest_phrase(nearest: Nearest) -> str:
    """Return a phrase about the rule nearest to deriving an atom, and the literal that stops it."""
    if nearest.rule is None:
        return f"nothing derives {nearest.atom}"
    if nearest.literal is not None:
        stop = stop_of(nearest.literal)
        return f"{nearest.atom} comes nearest here{_with(nearest.values)}, but {stop}"
    if nearest.rule.choice:
        return f"{nearest.atom} may be chosen here"
    return f"{nearest.atom} is derived here"


def counts_of(counted: Counted) -> str:
    """Return a phrase about an aggregate and its true elements.

    An example is `#count { X : p(X) } counts a; b`.
    """
    return f"{counted.text} counts {shortened('; '.join(counted.elements)) or 'nothing'}"


def stop_of(literal: WrittenLiteral) -> str:
    """Return a phrase about a literal that is not true.

    The phrase is `p(a) is false` for the literal p(a), and `p(a) is true` for the literal not p(a).
    """
    if literal.text.startswith("not "):
        return f"{literal.text.removeprefix('not ')} is true"
    return f"{literal.text} is false"


def _head(text: str) -> Text:
    return plain_text(text, "bold")


def _more(number: int) -> Iterator[Text]:
    if number > _MOST:
        yield plain_text(f"  and {number - _MOST} more; --json has all")


def _with(values: Values) -> str:
    """Return the values of variables as ` with X=1, Y=2`; an empty text if there are none."""
    if not values:
        return ""
    return " with " + shortened(", ".join(f"{name}={value}" for name, value in values))


def _placed(
    at: Location,
    text: str,
    indent: str = "  ",
) -> Text:
    return Text.assemble(indent, plain_text(short_place(at), "cyan"), " ", plain_text(text))


def short_place(at: Location) -> str:
    """Return a location as text, without the folder of its file."""
    return f"{Path(at.file).name}:{at.line}:{at.column}"


def _excerpt(
    rule: WrittenRule,
    indent: str = "      ",
    literal: WrittenLiteral | None = None,
) -> Iterator[Text]:
    """Yield the text of a rule, and a line with a caret under one of its literals."""
    yield plain_text(indent + rule.text)
    start = None if literal is None else column_of(rule, literal)
    if literal is not None and start is not None:
        caret = "^" + "~" * (len(literal.text) - 1)
        yield plain_text(" " * (len(indent) + start) + caret, "bold red")


def column_of(
    rule: WrittenRule,
    literal: WrittenLiteral,
) -> int | None:
    """Return the column at which a literal begins in the text of its rule.

    Return None if the text does not contain the literal.
    """
    starts = [match.start() for match in re.finditer(re.escape(literal.text), rule.text)]
    if rule.at.line == literal.at.line:
        # The text of the rule has fewer blanks than the file.
        return _last(start for start in starts if start <= literal.at.column - rule.at.column)
    body = rule.text.find(":-")
    return next((start for start in starts if start > body), None)


def _last(numbers: Iterable[int]) -> int | None:
    return max(numbers, default=None)
