"""Errors and warnings on a terminal have the line of the file; a pipe gets the text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from asplan.cli.diagnostics import Excerpt, mark_term, read_excerpt
from asplan.core.errors import Location
from conftest import run
from terminals import shown

LAMPS = """\
#program base.
lamp(1..2).
#program step(t).
{ press(L,t) : lamp(L) } 1.
lit(L,t) :- presed(L,t), not lit(L,t-1).
#program check(t).
:- query(t), not lit(L,t), lamp(L).
"""


def test_a_warning_on_a_terminal_marks_its_term(tmp_path: Path) -> None:
    file = tmp_path / "lamps.lp"
    file.write_text(LAMPS)
    lines = shown("solve", str(file), "--max-horizon", "1", "--json", width=300, errors=True)
    at = next(n for n, line in enumerate(lines) if "[undefined]" in line)
    place = f"asplan: warning: {file}:5:13: "
    assert lines[at].endswith(
        f"{place}nothing defines presed/2, so presed(L,t) is never true [undefined]"
    )
    assert lines[at + 1 : at + 4] == [
        "  5 │ lit(L,t) :- presed(L,t), not lit(L,t-1).",
        "    │             ^^^^^^^^^^^",
        "  did you mean press/2?",
    ]


def test_an_error_on_a_terminal_marks_its_place(tmp_path: Path) -> None:
    file = tmp_path / "open.lp"
    file.write_text("#program base.\nlamp(1..2) :- foo(X.\n")
    lines = shown("check", str(file), width=300, errors=True)
    assert lines[-4:] == [
        f"asplan: {file}:2:20: syntax error, unexpected ., expecting ) or ;",
        "  2 │ lamp(1..2) :- foo(X.",
        "    │                    ^",
        "  perhaps the ( in line 2, column 18 is not closed",
    ]


def test_a_pipe_gets_the_text_alone(tmp_path: Path) -> None:
    file = tmp_path / "open.lp"
    file.write_text("#program base.\nlamp(1..2) :- foo(X.\n")
    assert run("check", str(file)).stderr == (
        f"asplan: {file}:2:20: syntax error, unexpected ., expecting ) or ;\n"
        "  perhaps the ( in line 2, column 18 is not closed\n"
    )


@pytest.mark.parametrize(
    ("line", "start", "mark"),
    [
        ("\tfoo(a) :- b.", 1, " ^^^^^^"),
        ("a :- 漢字(x), b.", 5, "     ^^^^^^^"),  # a Chinese character takes two cells
        ("(and (on a b))", 5, "     ^^^^^^^^"),
        (":- f((1,2),[3]), g.", 3, "   ^^^^^^^^^^^^"),
        ("p(a", 0, "^^^"),  # a bracket that is not closed reaches to the end
        ("a", 1, " ^"),  # behind the end, as at a missing full stop
    ],
)
def test_the_mark_is_below_the_term(line: str, start: int, mark: str) -> None:
    excerpt = mark_term(line, 7, start)
    assert excerpt == Excerpt(7, line.replace("\t", " "), mark)


def test_a_long_line_is_cut_around_the_place() -> None:
    excerpt = mark_term("x" * 200 + "foo(a)" + "y" * 200, 1, 200)
    assert excerpt is not None
    assert len(excerpt.line) < 100
    begin = excerpt.mark.index("^")
    assert excerpt.line[begin : begin + 6] == "foo(a)"


def test_columns_of_programs_count_bytes(tmp_path: Path) -> None:
    file = tmp_path / "u.lp"
    file.write_text('on("ä",0). p(X).\n', encoding="utf-8")
    column = len('on("ä",0). '.encode()) + 1
    excerpt = read_excerpt(Location(str(file), 1, column))
    assert excerpt is not None
    assert excerpt.mark == " " * len('on("ä",0). ') + "^^^^"


@pytest.mark.parametrize("file", ["-", "none.lp", "/dev/null", "\0.lp"])
def test_what_is_no_plain_file_shows_no_line(file: str) -> None:
    assert read_excerpt(Location(file, 1, 1)) is None
