"""Answers as HTML in notebooks, and as tables."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asplan
from asplan.core.errors import AsplanError, Bug, InputWarning, Location
from asplan.core.installing import pip_install
from asplan.core.plan import Plan
from asplan.measuring.comparison import Row, Rows
from asplan.notebook.progress import in_notebook
from asplan.result import Outcome, Result


@cache
def answers() -> dict[str, Any]:
    """One of each kind."""
    return {
        "result": asplan.solve("two_cars", encoding="origin", metric="slide"),
        "plan": asplan.solve("blocks-1").plan,
        "rows": asplan.compare("two_cars", encodings=["origin", "order"], horizon=2),
        "matches": asplan.compare_rules("two_cars", encodings=["origin", "order"], horizon=2),
        "profile": asplan.profile("two_cars", encoding="origin", horizon=3),
        "analysis": asplan.analyse("two_cars"),
        "explanation": asplan.explain("two_cars", encoding="origin", horizon=3),
    }


COLUMNS = {
    "result": (1, {"instance", "metric", "outcome", "horizon", "ground_seconds", "conflicts"}),
    "plan": (6, {"step", "action"}),
    "rows": (2, {"instance", "encoding", "lines", "rules", "ground_seconds", "reason"}),
    "matches": (None, {"instance", "encoding", "head", "role", "different", "rule"}),
    "profile": (None, {"rule", "line", "instantiations", "growth", "per_step"}),
    "analysis": (10, {"moves", "to_goal", "from_start"}),
    "explanation": (2, {"part", "file", "line", "rule", "note"}),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_an_answer_becomes_a_table(kind: str) -> None:
    rows, columns = COLUMNS[kind]
    frame = answers()[kind].to_frame()
    assert columns <= set(frame.columns)
    if kind == "matches":
        rows = sum(len(row.first + row.second) for row in answers()[kind][0].rules)
    assert len(frame) == (len(answers()[kind].rules) if rows is None else rows)


def test_tables_have_the_data_of_the_answers() -> None:
    result, plan, analysis = (answers()[kind] for kind in ("result", "plan", "analysis"))
    row = result.to_frame().iloc[0]
    assert (row.instance, row.outcome, row.horizon) == ("two_cars", "optimal", 2)
    assert list(plan.to_frame().action)[:2] == ["(unstack C A)", "(put-down C)"]
    counts = analysis.to_frame()[["to_goal", "from_start"]].sum()
    assert set(counts) == {analysis.states}


def test_an_explanation_shows_a_table_for_each_part() -> None:
    found = answers()["explanation"]
    shown = found._repr_html_()
    assert "<b>no plan of 3 steps exists</b>" in shown
    assert shown.count("<table>") == 3
    assert "<code>:- query(t), not done(t).</code>" in shown
    assert "never within these steps" in shown
    assert str(found).startswith("no plan of 3 steps exists\n\nthese together exclude every plan")
    assert list(found.to_frame().part) == ["conflict", "goal"]
    assert list(found.to_frame().note) == ["", "never"]


def test_a_refused_plan_marks_the_literal_that_is_not_true() -> None:
    plan = Plan((("move(r,right,2)",),))
    found = asplan.explain("two_cars", encoding="origin", plan=plan)
    shown = found._repr_html_()
    assert "step 1: no rule offers move(r,right,2) there" in shown
    assert ">free(t-1,X,Y+N)</u>" in shown
    assert set(found.to_frame().part) == {"refusal"}


def test_an_atom_is_explained_by_the_text_of_the_command() -> None:
    found = asplan.explain("two_cars", encoding="origin", atom="position(2,b,3,3)")
    page = Tags(found._repr_html_())
    assert page.said == str(found) + "\n"


def test_one_comparison_of_rules_is_shown_like_several() -> None:
    found = answers()["matches"]
    one, several = (shown._repr_html_().partition("<img")[0] for shown in (found[0], found))
    assert one == several
    assert found[0].to_frame().equals(found.to_frame())
    assert "A is smaller" in found._repr_html_()
    assert set(found.to_frame().encoding) == {"origin", "order"}


EMPTY = {
    "result": Result(),
    "no plan": Result(outcome=Outcome.UNSOLVABLE, reason="no plan exists"),
    "plan": Plan(),
    "rows": Rows(),
    "a row in another form": Rows(
        [Row("x", "a", 3, form="in parts"), Row("x", "b", 3, form="converted")]
    ),
    "a row that failed": Rows([Row("x", "", 3, reason="no such file: <x>")]),
    "matches": asplan.RuleComparisons(),
    "profile": asplan.Profile(),
    "explanation": asplan.Explanation(),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_empty_answers_are_shown(kind: str) -> None:
    assert EMPTY[kind]._repr_html_().startswith("<")
    assert EMPTY[kind].to_frame() is not None


@pytest.mark.parametrize("kind", COLUMNS)
def test_an_answer_is_shown(kind: str) -> None:
    shown = answers()[kind]._repr_html_()
    looks = {"result": "<iframe"}
    assert looks.get(kind, "<table") in shown
    has_chart = kind in ("rows", "matches", "profile", "analysis")
    assert ("data:image/svg+xml" in shown) == has_chart


def test_a_long_plan_is_cut() -> None:
    shown = Plan((("up",),) * 1200)._repr_html_()
    assert shown.count(">up<") == 1000
    assert shown.endswith("<p>and 200 more steps</p>")


class Tags(HTMLParser):
    """The tags of a piece of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.said = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.said += data


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1)


@given(TEXTS)
def test_any_text_is_shown_as_text(words: str) -> None:
    warning, plan = InputWarning("undefined", words), Plan(((words,),))
    result = Result(encoding=words, reason=words, warnings=(warning,), plans=(plan,))
    page = Tags(result._repr_html_())
    assert page.tags == {
        "p",
        "b",
        "br",
        "small",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }


def test_a_hostile_name_is_shown_as_it_is() -> None:
    attack = "<script>alert(1)</script>"
    shown = [
        Plan(((attack,),)),
        Result(
            reason=attack,
            warnings=(InputWarning("undefined", attack),),
            plans=(Plan(((attack,),)),),
        ),
        Rows([Row(attack, attack, 1, reason=attack, remark=attack)]),
        asplan.Explanation(horizon=1, accepted=False, model=attack),
    ]
    for answer in shown:
        page = Tags(answer._repr_html_())
        assert "script" not in page.tags
        assert attack in page.said


def test_errors_are_messages_and_bugs_are_not() -> None:
    error = AsplanError("a dot is missing", at=Location("x.lp", 3, 1), hint="add one")
    assert error._render_traceback_() == ["AsplanError: x.lp:3:1: a dot is missing\n  add one"]
    with pytest.raises(Bug) as caught:
        raise Bug("should never happen")
    assert caught.value._render_traceback_()[0].startswith("Traceback")


def test_a_test_runs_in_no_notebook() -> None:
    import IPython

    assert IPython.get_ipython() is None
    assert not in_notebook()


WITHOUT = """
import sys
sys.modules["pandas"] = None
import asplan
try:
    asplan.Plan().to_frame()
except asplan.MissingExtra as error:
    print(error)
"""


def test_a_table_without_pandas_names_the_command() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout == (
        "to_frame() needs the package pandas, which is not installed\n"
        f"  {pip_install('notebook')}\n"
    )


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A board in two files."""
    (tmp_path / "cars.lp").write_text("car(r,2,h). position(0,r,1,1).")
    (tmp_path / "grid.lp").write_text("grid(1,1..3).")
    return tmp_path


def test_files_come_one_by_one_in_lists_and_with_text(board: Path) -> None:
    cars, grid = board / "cars.lp", board / "grid.lp"
    ways: list[tuple[list[Any], str | None]] = [
        ([cars, grid], None),
        ([[cars, grid]], None),
        ([[str(cars)], grid], None),
        ([(file for file in (cars, grid))], None),
        ([cars], "grid(1,1..3)."),
        ([[cars]], "grid(1,1..3)."),
    ]
    for files, text in ways:
        result = asplan.solve(*files, text=text, engine="bfs")
        assert (result.horizon, len(result.files)) == (1, 2), files
    assert asplan.analyse([cars, grid]).distance == 1
    assert asplan.validate([cars, grid], plan=Plan((("move(r,right,1)",),))) == 1
    assert len(asplan.compare(["two_cars"], encodings="origin", horizon=1)) == 1


WRONG = [
    (3, "3 is not a file\n  pass names, paths or lists of them"),
    (None, "None is not a file\n  pass names, paths or lists of them"),
    ([["two_cars"]], "['two_cars'] is not a file\n  pass names, paths or lists of them"),
    (b"two_cars", "b'two_cars' is not a file\n  pass names, paths or lists of them"),
    (
        "a(1).\nb(2).\n",
        "the name of a file has several lines\n  pass the text of a program as text=…",
    ),
    ([], "no files are given\n  name an instance, for example sample02"),
]


@pytest.mark.parametrize(("files", "message"), WRONG, ids=lambda value: repr(value)[:20])
def test_inputs_that_are_no_files_are_refused(files: Any, message: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve(files)
    assert str(caught.value) == message
