"""Answers as data frames of pandas, which is imported when one is made."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from asplan.core.errors import needs_extra
from asplan.core.plan import Plan
from asplan.explaining.explanation import Explanation, Rule, in_turn
from asplan.measuring.comparison import Row, Rows
from asplan.measuring.profile import Profile, RuleCost
from asplan.result import Result
from asplan.statespace.analysis import Analysis
from asplan.stored import to_json

_NESTED = ("constants", "plan", "plans", "names", "atoms", "seconds", "statistics", "warnings")


def frame_of(shown: object) -> Any:
    """The data frame of an answer; raises `MissingExtra` where pandas is not installed."""
    match shown:
        case Result():
            return _frame([_row(shown)])
        case Plan():
            rows = [(t, shown.name(action)) for t, step in enumerate(shown, 1) for action in step]
            return _frame(rows, ["step", "action"])
        case Analysis():  # how many states have each distance to a goal, and from the start
            counts = enumerate(zip_longest(shown.distances, shown.depths, fillvalue=0))
            return _frame([(n, *both) for n, both in counts], ["moves", "to_goal", "from_start"])
        case Profile():
            return _frame(list(map(asdict, shown.rules)), list(RuleCost.__dataclass_fields__))
        case Rows():
            return _frame(list(map(asdict, shown)), list(Row.__dataclass_fields__))
        case Explanation():
            return _frame(_places(shown), ["part", "file", "line", "rule", "note"])
    raise TypeError(f"{type(shown).__name__} is no table")


def _row(result: Result) -> dict[str, Any]:
    """What is asked and answered, the constants, and what was counted."""
    known = {name: value for name, value in to_json(result).items() if name not in _NESTED}
    counted = result.statistics.counted()
    counted.pop("steps", None)
    seconds = {f"{name}_seconds": spent for name, spent in asdict(result.seconds).items()}
    known |= {"files": " ".join(result.files), "cost": result.cost and result.cost[0]}
    return {**known, **result.constants, **seconds, **counted}


def _places(found: Explanation) -> list[tuple[str, str, int, str, str]]:
    """A row for each rule that is named, and where; of a warning, the place and what it says."""
    rows: list[tuple[str, Rule, str]] = []
    if found.refusal is not None:
        rows += [("refusal", broken.rule, "") for broken in found.refusal.broken]
        near = in_turn(found.refusal.nearest)
        rows += [("refusal", one.rule, one.atom) for one in near if one.rule is not None]
    if found.conflict is not None:
        rows += [("conflict", rule, "") for rule in found.conflict.rules]
    if found.relaxed is not None:
        rows += [("relaxed", one.rule, f"step {one.step}") for one in found.relaxed.broken]
    for goal in found.goals.goals if found.goals else ():
        known = "never" if goal.reached is None else f"by step {goal.reached}"
        rows.append(("goal", goal.rule, "not known" if goal.unknown else known))
    cells = [("warning", w.at.file, w.at.line, "", w.text) for w in found.warnings if w.at]
    cells += [(part, rule.at.file, rule.at.line, rule.text, note) for part, rule, note in rows]
    return cells


def _frame(rows: Sequence[Any], columns: Sequence[str] | None = None) -> Any:
    with needs_extra("to_frame() needs the package {}, which is not installed", "notebook"):
        import pandas
    return pandas.DataFrame(rows, columns=columns)
