"""Tables in each form."""

from __future__ import annotations

import csv

import pytest

from asplan.cli.tables import Column, TableForm, print_columns, print_note

HARD = r"a_b & 50% {x} <y> ~ ^ # $ \ |"
COLUMNS = [
    Column("name", [HARD, "x"], is_words=True),
    Column("rule", ["p :- q | r.", "`s`."], folds=True),
    Column("two\nlines", ["1", "20"]),
    Column("by step", ["▁█", "█▁"], is_chart=True),
]


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    print_columns(COLUMNS, "a title", form=TableForm.MARKDOWN)
    assert capsys.readouterr().out.splitlines() == [
        "**a title**",
        "",
        "| name | rule | two lines |",
        "| --- | --- | ---: |",
        r"| a_b & 50% {x} \<y\> ~ ^ # $ \\ \| | `p :- q \| r.` | 1 |",
        "| x | `` `s`. `` | 20 |",
        "",
    ]


def test_latex(capsys: pytest.CaptureFixture[str]) -> None:
    print_columns(COLUMNS, "a\ntitle", form=TableForm.LATEX)
    assert capsys.readouterr().out.splitlines() == [
        "% a title",
        r"\begin{tabular}{llr}  % \usepackage{booktabs}",
        r"\toprule",
        r"name & rule & two lines \\",
        r"\midrule",
        r"a\_b \& 50\% \{x\} \textless{}y\textgreater{} \textasciitilde{} \textasciicircum{} "
        r"\# \$ \textbackslash{} \textbar{} & \texttt{p :- q \textbar{} r.} & 1 \\",
        r"x & \texttt{`s`.} & 20 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ]


def test_values(capsys: pytest.CaptureFixture[str]) -> None:
    print_columns(COLUMNS, "a title", form=TableForm.CSV)
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert rows == [["name", "rule", "two lines"], [HARD, "p :- q | r.", "1"], ["x", "`s`.", "20"]]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (TableForm.CSV, ""),
        (TableForm.LATEX, "% a b\n"),
        (TableForm.MARKDOWN, "a b\n\n"),
        (TableForm.TEXT, "a\nb\n"),
    ],
)
def test_notes(form: TableForm, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_note("a\nb", form)
    assert capsys.readouterr().out == text
