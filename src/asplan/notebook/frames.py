"""Answers as pandas data frames; docs/notebooks.md describes their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from functools import singledispatch
from itertools import zip_longest
from typing import TYPE_CHECKING

from asplan.core.errors import needs_extra
from asplan.core.plan import Plan
from asplan.explaining.explanation import Explanation, WrittenRule, in_turn
from asplan.measuring.comparison import Row, Rows
from asplan.measuring.matching import RuleComparison, RuleComparisons
from asplan.measuring.profile import Profile, RuleCost
from asplan.result import Result
from asplan.statespace.analysis import Analysis
from asplan.stored import to_json

if TYPE_CHECKING:
    from pandas import DataFrame

_NESTED = ("constants", "plan", "plans", "names", "atoms", "seconds", "statistics", "warnings")
"""The fields of a result whose values do not fit into one cell."""


@singledispatch
def frame_of(answer: object) -> DataFrame:
    """Return the data frame of an answer; raise `MissingExtra` if pandas is not installed."""
    raise TypeError(f"{type(answer).__name__} is not a table")


@frame_of.register(Result)
def _frame_of_result(result: Result) -> DataFrame:
    return _make_frame([_result_row(result)])


@frame_of.register(Plan)
def _frame_of_plan(plan: Plan) -> DataFrame:
    rows: list[tuple[int, str]] = []
    for t, step in enumerate(plan, 1):
        rows += [(t, plan.name(action)) for action in step]
    return _make_frame(rows, ["step", "action"])


@frame_of.register(Analysis)
def _frame_of_analysis(analysis: Analysis) -> DataFrame:
    """Return a row for each number of moves: how many states are at this distance.

    One column counts the distance to a goal, the other the distance from the start.
    """
    counts = zip_longest(analysis.distances, analysis.depths, fillvalue=0)
    rows = []
    for moves, (to_goal, from_start) in enumerate(counts):
        rows.append((moves, to_goal, from_start))
    return _make_frame(rows, ["moves", "to_goal", "from_start"])


@frame_of.register(Profile)
def _frame_of_profile(profile: Profile) -> DataFrame:
    columns = [field.name for field in fields(RuleCost)]
    return _make_frame([asdict(rule) for rule in profile.rules], columns)


@frame_of.register(Rows)
def _frame_of_rows(rows: Rows) -> DataFrame:
    columns = [field.name for field in fields(Row)]
    return _make_frame([asdict(row) for row in rows], columns)


@frame_of.register(RuleComparison)
def _frame_of_match(match: RuleComparison) -> DataFrame:
    return _frame_of_matches(RuleComparisons([match]))


@frame_of.register(RuleComparisons)
def _frame_of_matches(matches: RuleComparisons) -> DataFrame:
    """Return a row for each rule of both encodings."""
    rows: list[dict[str, object]] = []
    for match in matches:
        for row in match.rules:
            for encoding, rules in zip(match.encodings, (row.first, row.second), strict=True):
                about = {"instance": match.instance, "encoding": encoding}
                key = {"head": row.head, "role": row.role}
                rows += [about | key | _cost_cells(rule) for rule in rules]
    columns = ["instance", "encoding", "head", "role", "different", "instantiations"]
    return _make_frame(rows, [*columns, "file", "line", "rule"])


def _cost_cells(rule: RuleCost) -> dict[str, object]:
    names = ("different", "instantiations", "file", "line", "rule")
    return {name: getattr(rule, name) for name in names}


@frame_of.register(Explanation)
def _frame_of_explanation(explanation: Explanation) -> DataFrame:
    return _make_frame(_explanation_rows(explanation), ["part", "file", "line", "rule", "note"])


def _result_row(result: Result) -> dict[str, object]:
    """Return the row of a result: its plain fields, constants, seconds and search statistics."""
    row: dict[str, object] = {
        name: value for name, value in to_json(result).items() if name not in _NESTED
    }
    row["files"] = " ".join(result.files)
    row["cost"] = result.cost and result.cost[0]
    row |= result.constants
    row |= {f"{name}_seconds": value for name, value in asdict(result.seconds).items()}
    counts = result.statistics.counts()
    counts.pop("steps", None)
    return row | counts


Cells = tuple[str, str, int, str, str]
"""A row of an explanation: its part (such as `conflict`), file, line, rule, note."""


def _explanation_rows(explanation: Explanation) -> list[Cells]:
    """Return a row for each warning that has a place, and for each rule that the
    explanation names.
    """
    rows: list[Cells] = [
        ("warning", warning.at.file, warning.at.line, "", warning.text)
        for warning in explanation.warnings
        if warning.at
    ]
    rows += _refusal_rows(explanation)
    if explanation.conflict is not None:
        rows += [_rule_row("conflict", rule) for rule in explanation.conflict.rules]
    if explanation.relaxed is not None:
        for broken in explanation.relaxed.broken:
            rows.append(_rule_row("relaxed", broken.rule, f"step {broken.step}"))
    rows += _goal_rows(explanation)
    return rows


def _rule_row(
    part: str,
    rule: WrittenRule,
    note: str = "",
) -> Cells:
    return part, rule.at.file, rule.at.line, rule.text, note


def _refusal_rows(explanation: Explanation) -> list[Cells]:
    """Return a row for each rule that a refused plan breaks.

    For each missing atom there is also a row: the rule that comes nearest to deriving the atom.
    """
    refusal = explanation.refusal
    if refusal is None:
        return []
    rows = [_rule_row("refusal", broken.rule) for broken in refusal.broken]
    for nearest in in_turn(refusal.nearest):
        if nearest.rule is not None:
            rows.append(_rule_row("refusal", nearest.rule, nearest.atom))
    return rows


def _goal_rows(explanation: Explanation) -> list[Cells]:
    rows = []
    for goal in explanation.goals.goals if explanation.goals else ():
        if goal.unknown:
            note = "not known"
        else:
            note = "never" if goal.reached is None else f"by step {goal.reached}"
        rows.append(_rule_row("goal", goal.rule, note))
    return rows


def _make_frame(
    rows: Sequence[Mapping[str, object] | tuple[object, ...]],
    columns: Sequence[str] | None = None,
) -> DataFrame:
    with needs_extra("to_frame() needs the package {}, which is not installed", "notebook"):
        import pandas
    return pandas.DataFrame(rows, columns=columns)
