"""Answers as HTML for a notebook: tables, charts and players, made by the template
`answers.html`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import singledispatch
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING

from markupsafe import Markup

from asplan.core.figures import new_figure
from asplan.core.page import escape_text, render_template
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.drawing.html import make_player_frame
from asplan.explaining.explanation import Explanation
from asplan.measuring.chart import comparison_chart, growth_chart
from asplan.measuring.comparison import (
    COSTS,
    SIZES,
    SOLVING,
    Row,
    Rows,
)
from asplan.measuring.matching import (
    RuleComparison,
    RuleComparisons,
    RuleMatch,
    summarize,
)
from asplan.measuring.profile import Profile, cells_of
from asplan.notebook.explanations import sections_of
from asplan.result import Result
from asplan.statespace.analysis import Analysis, histogram

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RULES_IN_TABLE = 10
_RULES_IN_CHART = 5

_RULES_OF_MATCH = 3
"""The most rules of an encoding that are shown for a head and a role."""

_MOST_STEPS = 1000
"""The most steps of a plan that are shown; browsers are slow with many more."""


def _fill_template(kind: str, answer: object, **values: object) -> str:
    return render_template(
        "notebook/answers.html",
        escape_text,
        kind=kind,
        answer=answer,
        plan_rows=_plan_rows,
        most=_MOST_STEPS,
        **values,
    ).strip()


@singledispatch
def html_of(answer: object) -> str:
    """Return an answer as HTML; raise `TypeError` if the object is not an answer of asplan."""
    raise TypeError(f"{type(answer).__name__} cannot be shown in a notebook")


@html_of.register(Result)
def _html_of_result(result: Result) -> str:
    constants = [f"{name}={value}" for name, value in result.constants.items()]
    names = [result.domain, result.instance, result.encoding, result.engine_text, *constants]
    steps = None if result.horizon is None else amount(result.horizon, "step")
    parts = [*dict.fromkeys(names), steps, f"{result.seconds.total:.2f} s"]
    player = make_player_frame(result)
    return _fill_template(
        "result",
        result,
        small=" · ".join(filter(None, parts)),
        player=player and Markup(player),
    )


@html_of.register(Plan)
def _html_of_plan(plan: Plan) -> str:
    return _fill_template("plan", plan)


def _plan_rows(plan: Plan) -> list[tuple[int, str]]:
    steps = plan.steps[:_MOST_STEPS]
    return [(t, "  ".join(map(plan.name, step))) for t, step in enumerate(steps, 1)]


@html_of.register(Analysis)
def _html_of_analysis(analysis: Analysis) -> str:
    has_plan = analysis.distance is not None
    counts = {
        "states": analysis.states,
        "goal states": analysis.goal_states,
        "dead ends": analysis.dead_ends,
        "fewest moves": analysis.distance if has_plan else "no plan exists",
        "shortest plans": analysis.shortest_plans,
        "moves to the farthest state": len(analysis.depths) - 1,
        "moves a state": f"{analysis.branching:.2f}",
    }
    chart = _image_source(histogram(analysis)) if has_plan else ""
    return _fill_template("analysis", analysis, counts=counts.items(), chart=chart)


@html_of.register(Profile)
def _html_of_profile(profile: Profile) -> str:
    rules = [rule for rule in profile.rules[:_RULES_IN_TABLE] if rule.instantiations]
    has_steps = profile.horizon and rules
    return _fill_template(
        "profile",
        profile,
        rules=map(cells_of, rules),
        advices=dict.fromkeys(rule.advice for rule in rules if rule.advice),
        chart=_image_source(_profile_chart(profile)) if has_steps else "",
    )


def _profile_chart(profile: Profile) -> Figure:
    """Draw the instantiations of the most expensive rules, by step."""
    figure: Figure = new_figure(8, 3)
    axes = figure.add_subplot()
    for rule in profile.rules[:_RULES_IN_CHART]:
        steps = rule.per_step[1:]
        axes.plot(range(1, len(steps) + 1), steps, label=f"line {rule.line}")
    axes.set_xlabel("step")
    axes.set_ylabel("instantiations")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


@html_of.register(Explanation)
def _html_of_explanation(explanation: Explanation) -> str:
    return _fill_template("explanation", explanation, sections=sections_of(explanation))


@html_of.register(RuleComparison)
def _html_of_match(match: RuleComparison) -> str:
    return _fill_template("matches", match, matches=[_match_values(match)])


@html_of.register(RuleComparisons)
def _html_of_matches(matches: RuleComparisons) -> str:
    return _fill_template("matches", matches, matches=list(map(_match_values, matches)))


def _match_values(match: RuleComparison) -> dict[str, object]:
    """Return the values for the template of matched rules, for the comparison on one instance."""
    rows = [row for row in match.rules if row.difference][:_RULES_IN_TABLE]
    predicates = [row for row in match.predicates if row.difference][:_RULES_IN_TABLE]
    first, second = match.sizes
    return {
        "match": match,
        "summary": summarize(match),
        "rows": [*map(_match_cells, rows), ["all rules", "", first, second, f"{second - first:+}"]],
        "rules": [cells for row in rows for cells in _rule_cells(row)],
        "predicates": [
            [row.predicate, row.first, row.second, f"{row.difference:+}"] for row in predicates
        ],
        "chart": _image_source(growth_chart(match)) if any(match.steps) else "",
    }


def _match_cells(row: RuleMatch) -> list[object]:
    return [row.head or ":-", row.role, *row.sizes, f"{row.difference:+}"]


def _rule_cells(row: RuleMatch) -> Iterator[list[object]]:
    """Yield the cells of the most expensive rules of both encodings."""
    for letter, rules in (("A", row.first), ("B", row.second)):
        for rule in rules[:_RULES_OF_MATCH]:
            place = f"{PurePath(rule.file).name}:{rule.line}"
            yield [row.name, letter, place, rule.different, rule.rule]


@html_of.register(Rows)
def _html_of_rows(rows: Rows) -> str:
    by_instance: dict[str, list[Row]] = {}
    for row in rows:
        by_instance.setdefault(row.instance, []).append(row)
    tables = []
    for instance, members in by_instance.items():
        encodings = [row.encoding for row in members]
        tables.append((instance, members[0].horizon, encodings, _measure_lines(members)))
    is_measured = any(row.lines is not None for row in rows)
    chart = _image_source(comparison_chart(rows)) if is_measured else ""
    return _fill_template("rows", rows, tables=tables, chart=chart)


def _measure_lines(rows: list[Row]) -> list[list[object]]:
    """Return a line of the table for each measure, with a cell for each row; omit empty lines."""
    lines: list[list[object]] = []
    if any(row.form not in ("", "in parts") for row in rows):
        lines.append(["form", *(row.form for row in rows)])
    for measure in (*SIZES, *COSTS, *SOLVING):
        cells = [getattr(row, measure) for row in rows]
        if any(cell is not None for cell in cells):
            lines.append([measure.replace("_", " "), *cells])
    return lines


def _image_source(figure: Figure) -> str:
    """Return a figure as the `src` of an image: a data URL with its SVG."""
    file = BytesIO()
    figure.savefig(file, format="svg")
    return f"data:image/svg+xml;base64,{b64encode(file.getvalue()).decode()}"
