"""The sections of an explanation for a notebook: a title with a table or with text each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import chain, islice

from markupsafe import Markup, escape
from rich.console import Console
from rich.text import Text

from asplan.core.dataclass import dataclass
from asplan.core.text import printable
from asplan.explaining.explanation import (
    Conflict,
    Explanation,
    Goals,
    Nearest,
    Never,
    Refusal,
    Violation,
    WrittenLiteral,
    WrittenRule,
    in_turn,
)
from asplan.explaining.text import (
    column_of,
    conflict_title,
    kind_of,
    model_phrase,
    nearest_phrase,
    paragraphs,
    reached_of,
    refusal_title,
    relaxed_title,
    remarks_of,
    short_place,
    stop_phrase,
    verdict_of,
    violation_phrase,
)

_MOST = 20
"""The most rows of a table; `to_frame()` has all."""

_CAUSES = 4
"""The most rules behind a violated constraint."""

_LINE_WIDTH = 10_000
"""The greatest number of characters in a line of text; the page scrolls, so lines
are not broken.
"""

Line = list[str]
"""The cells of a line of a table."""


@dataclass(frozen=True)
class ExplanationPart:
    """A part of an explanation: a title, a text with fixed columns, a table, and remarks."""

    title: str = ""
    text: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[Line, ...] = ()
    remarks: tuple[str, ...] = ()


def sections_of(explanation: Explanation) -> Iterator[ExplanationPart]:
    """Yield the sections of an explanation; warnings are left out."""
    if explanation.why or explanation.contrast:
        yield ExplanationPart(text=_text_of(explanation))
        return
    is_idle = explanation.found is not None and not len(explanation.found)
    if explanation.question:
        yield ExplanationPart(explanation.question)
    if not (explanation.question and (is_idle or explanation.excluded)):
        title, _, plan = verdict_of(explanation).partition("\n")
        yield ExplanationPart(title, text=plan)
    if explanation.model is not None:
        yield ExplanationPart(model_phrase(explanation))
    yield from _reasons(explanation)
    if explanation.stopped and not (explanation.question and is_idle):
        yield ExplanationPart(stop_phrase(explanation))


def _reasons(explanation: Explanation) -> Iterator[ExplanationPart]:
    """Yield a section for each result that explains a missing or a refused plan."""
    if explanation.obstacles:
        rows = [[short_place(one.at), one.text] for one in explanation.obstacles]
        yield _table("the obstacles:", ("place", "obstacle"), rows)
    if explanation.refusal:
        yield _refusal(explanation.refusal)
    if explanation.conflict:
        yield _conflict(explanation.conflict)
    if explanation.relaxed:
        title = relaxed_title(explanation.relaxed)
        rows = list(_violations(explanation.relaxed.broken))
        yield _table(title, _CAUSE, rows, text=str(explanation.relaxed.plan))
    if explanation.goals and explanation.goals.goals:
        yield _goals(explanation.goals)
    if explanation.never:
        yield from _never(explanation.never)


_CAUSE = ("place", "", "rule")


def _table(
    title: str,
    heads: tuple[str, ...],
    rows: list[Line],
    text: str = "",
    remarks: Iterable[str] = (),
) -> ExplanationPart:
    """Return a section with a table of the first rows, and a remark if there are more.

    `heads` are the heads of the columns.
    """
    more = [f"and {len(rows) - _MOST} more; to_frame() has all"] if len(rows) > _MOST else []
    return ExplanationPart(title, text, heads, tuple(rows[:_MOST]), (*more, *remarks))


def _refusal(refusal: Refusal) -> ExplanationPart:
    nearest = map(_nearest_row, in_turn(refusal.nearest))
    rows = chain(_violations(refusal.broken), nearest)
    return _table(refusal_title(refusal), _CAUSE, list(rows))


def _violations(broken: Iterable[Violation]) -> Iterator[Line]:
    """Yield a row for each violated constraint, followed by rows with the reasons for it."""
    for violation in broken:
        yield _rule_row(violation.rule, violation_phrase(violation))
        yield from map(_nearest_row, islice(in_turn(violation.because), _CAUSES))


def _nearest_row(nearest: Nearest) -> Line:
    if nearest.rule is None:
        return ["", nearest_phrase(nearest), ""]
    return _rule_row(nearest.rule, nearest_phrase(nearest), nearest.literal)


def _conflict(conflict: Conflict) -> ExplanationPart:
    rows = [_rule_row(rule, kind_of(rule)) for rule in conflict.rules]
    rows += [["", "fact", _code(fact)] for fact in conflict.facts]
    return _table(conflict_title(conflict), _CAUSE, rows)


def _goals(goals: Goals) -> ExplanationPart:
    rows = []
    for number, goal in enumerate(goals.goals, 1):
        values = ", ".join(f"{name}={value}" for name, value in goal.values)
        place, status, rule = _rule_row(goal.rule, reached_of(goal))
        rows.append([str(number), status, place, rule, values])
    heads: tuple[str, ...] = ("", "holds", "place", "condition", "with")
    if not any(goal.values for goal in goals.goals):
        heads = heads[:-1]
        rows = [row[:-1] for row in rows]
    title = "the conditions of the goal, each alone:"
    return _table(title, heads, rows, remarks=remarks_of(goals))


def _never(never: Never) -> Iterator[ExplanationPart]:
    if never.rules:
        rows = [[short_place(rule.at), rule.text] for rule in never.rules if rule.at]
        title = "never true in these steps, perhaps on purpose:"
        yield _table(title, ("place", "warning"), rows)
    if never.actions:
        yield _names("actions that cannot happen:", never.actions)
    if never.fluents:
        yield _names("atoms that never hold:", never.fluents)


def _names(title: str, names: tuple[str, ...]) -> ExplanationPart:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    shown = Markup(", ").join(map(_code, names[:_MOST]))
    return ExplanationPart(title, remarks=(shown + more,))


def _rule_row(rule: WrittenRule, status: str, literal: WrittenLiteral | None = None) -> Line:
    return [short_place(rule.at), status, _mark(rule, literal)]


def _mark(rule: WrittenRule, literal: WrittenLiteral | None) -> str:
    """Return the text of a rule as code; a literal that is not true is underlined."""
    start = None if literal is None else column_of(rule, literal)
    if literal is None or start is None:
        return _code(rule.text)
    end = start + len(literal.text)
    marked = Markup('<u style="color: #d1242f">{}</u>').format(printable(literal.text))
    before = escape(printable(rule.text[:start]))
    after = escape(printable(rule.text[end:]))
    return Markup("<code>{}{}{}</code>").format(before, marked, after)


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(printable(text))


def _text_of(explanation: Explanation) -> Markup:
    """Return an explanation as the command prints it, with its colours."""
    # Otherwise rich would display each line in a notebook as a separate output.
    console = Console(
        record=True,
        file=StringIO(),
        width=_LINE_WIDTH,
        force_jupyter=False,
        highlight=False,
    )
    for number, lines in enumerate(paragraphs(explanation)):
        if number:
            console.print(Text())
        for line in lines:
            console.print(line, soft_wrap=True)
    return Markup(console.export_html(code_format="{code}", inline_styles=True))
