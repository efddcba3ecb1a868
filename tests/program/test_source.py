"""Included files: asplan reads the files that clingo reads, within its limits."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from clingo.ast import AST, ASTType, parse_files
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan.core.errors import InputError
from asplan.program.reading import source
from asplan.program.reading.kept import KeptStatements
from asplan.program.reading.source import read_source
from asplan.program.reading.unit import read_unit, statements_in
from conftest import run

STEPS = "#program step(t). { occurs(a,t) }. #program check(t). :- query(t), t < 1.\n"
LINES = [
    "p(1).",
    "p(1..2).",
    "% p(2).",
    "#program base.",
    "#program step(t).",
    "#program check(t).",
    "q(t).",
    '#include "a.lp".',
    '#include "s/b.lp".',
    '#include "s/c.lp". r(1).',
    'r(2). #include "b.lp".',
    '#include "c.lp".',
    '#include "../a.lp".',
    '#include "./c.lp".',
]
NAMES = ["a.lp", "c.lp", "s/b.lp", "s/c.lp", "s/a.lp"]
texts = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)


def placed(statements: list[AST]) -> list[tuple[str, int, int, str]]:
    """Return the texts and places of statements, without comments."""
    found = []
    for statement in (s for s in statements if s.ast_type != ASTType.Comment):
        begin, text = statement.location.begin, str(statement)
        # Where the part base begins anew behind an include, it stands in no file.
        file = "" if text == "#program base." else os.path.realpath(begin.filename)
        found.append((file, begin.line, begin.column, text))
    return found


@given(st.fixed_dictionaries(dict.fromkeys(NAMES, texts)))
@settings(max_examples=200, deadline=None)
def test_includes_are_those_of_clingo(files: dict[str, str]) -> None:
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("s").mkdir()
        for name, text in files.items():
            Path(name).write_text(text)
        expected: list[AST] = []
        try:
            parse_files(["a.lp"], expected.append, logger=lambda code, text: None)
        except RuntimeError:
            with pytest.raises(InputError, match="no such file"):
                read_unit("a.lp", allow_includes=True)
            return
        unit = read_unit("a.lp", allow_includes=True)
        facts = placed([s for found in unit.facts for s in statements_in(found)])
        assert sorted(placed([*unit.statements]) + facts) == sorted(placed(expected))
        assert placed([*unit.statements]) == [s for s in placed(expected) if s not in facts]


def tree(folder: Path) -> Path:
    """A program in the folder `mine`, and one more file above it."""
    (folder / "mine" / "below").mkdir(parents=True)
    (folder / "above.lp").write_text("above(1).")
    (folder / "mine" / "below" / "fine.lp").write_text('#include "also.lp".')
    (folder / "mine" / "below" / "also.lp").write_text("fine(1).")
    return folder / "mine" / "x.lp"


WRITTEN = ["../above.lp", "below/../../above.lp", "{folder}/above.lp", "link.lp", "/etc/passwd"]


@pytest.mark.parametrize("path", WRITTEN)
def test_a_file_above_is_not_included(tmp_path: Path, path: str) -> None:
    file = tree(tmp_path)
    (tmp_path / "mine" / "link.lp").symlink_to("../above.lp")
    path = path.replace("{folder}", str(tmp_path))
    file.write_text(f'p(1).\n  #include "{path}".\n{STEPS}')
    with pytest.raises(InputError) as caught:
        asplan.solve(file)
    assert str(caught.value) == (
        f'{file}:2:3: #include "{path}": this file is not below the folder of the one that '
        "includes it\n  if you trust it, add --allow-includes"
    )


def test_a_file_below_is_included(tmp_path: Path) -> None:
    file = tree(tmp_path)
    file.write_text(f'#include "below/fine.lp".\n{STEPS}')
    assert asplan.solve(file).atoms == ("fine(1)",)


def test_files_of_the_working_folder_are_not_below_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """clingo looks there first, so another file of that name beside the program is not taken."""
    file = tree(tmp_path)
    file.write_text(f'#include "above.lp".\n{STEPS}')
    (tmp_path / "mine" / "above.lp").write_text("below(1).")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is not below the folder"):
        asplan.solve(file)
    monkeypatch.chdir(tmp_path / "mine")
    assert "below(1)" in asplan.solve(file).atoms


def test_a_file_that_is_included_may_not_lead_out(tmp_path: Path) -> None:
    file = tree(tmp_path)
    (tmp_path / "mine" / "below" / "also.lp").write_text('#include "../x.lp".')
    file.write_text(f'#include "below/fine.lp".\n{STEPS}')
    with pytest.raises(InputError, match=r'also.lp:1:1: #include "../x.lp": this file is not'):
        asplan.solve(file)


ALLOWED: list[Callable[[Path], object]] = [
    lambda file: asplan.solve(file, allow_includes=True).horizon,
    lambda file: asplan.profile(file, horizon=1, allow_includes=True).horizon,
    lambda file: asplan.validate(
        file, plan=asplan.solve(file, allow_includes=True), allow_includes=True
    ),
]


@pytest.mark.parametrize("use", ALLOWED)
def test_an_include_that_is_allowed(tmp_path: Path, use: Callable[[Path], object]) -> None:
    file = tree(tmp_path)
    file.write_text(f'#include "../above.lp".\n{STEPS}')
    assert use(file) == 1


def test_an_instance_whose_include_is_allowed(tmp_path: Path) -> None:
    file = tree(tmp_path)
    (tmp_path / "above.lp").write_text("car(r,2,h). position(0,r,1,1).")
    file.write_text('grid(1,1..4). #include "../above.lp".')
    assert asplan.analyse(file, allow_includes=True).distance == 2
    assert asplan.convert(file, "board", allow_includes=True) == "AAoo\n"
    assert asplan.compare(file, encodings="origin", horizon=1, allow_includes=True)[0].lines
    for words in (["solve"], ["analyse"], ["convert"], ["compare", "--horizon", "1"]):
        refused = run(words[0], str(file), *words[1:])
        assert "is not below the folder of the one that includes it" in (
            refused.stderr + refused.stdout.replace("\n", " ")
        )
        assert run(words[0], str(file), *words[1:], "--allow-includes").returncode == 0


def test_drawing_rules_include_below_their_folder(tmp_path: Path) -> None:
    file = tree(tmp_path)
    (tmp_path / "above.lp").write_text("canvas(1,1). rect(a,0,0,1,1).")
    file.write_text('#include "../above.lp".')
    result = asplan.solve("two_cars")
    picture = tmp_path / "two_cars.png"
    with pytest.raises(InputError, match="is not below the folder"):
        asplan.render(result, picture, draw=file)
    assert asplan.render(result, picture, draw=file, allow_includes=True).is_file()


def test_a_text_includes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    text = f'#include "above.lp".\n{STEPS}'
    with pytest.raises(InputError) as caught:
        asplan.solve(text=text)
    assert str(caught.value) == (
        '<text>:1:1: #include "above.lp": a program that comes as text has no folder to include '
        "files from\n  if you trust it, add --allow-includes"
    )
    assert "above(1)" in asplan.solve(text=text, allow_includes=True).atoms


@pytest.mark.parametrize("text", ["p(\0).", "p. % \0", "p(\ud800).", 'p("\udcff").'])
def test_a_text_that_is_none(text: str) -> None:
    with pytest.raises(InputError, match=r"<text> is not text: it has "):
        asplan.solve(text=text)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    """Though its name is a different one each time."""
    (tmp_path / "a").mkdir()
    for name in ("x", "y"):
        (tmp_path / f"{name}.lp").write_text(
            '#include "x.lp".\n#include "./y.lp".\n#include "a/../x.lp".\n'
        )
    source = read_source(str(tmp_path / "x.lp"))
    assert [Path(text.name).name for text in source.texts] == ["x.lp", "y.lp"]


def test_a_message_names_the_included_file(tmp_path: Path) -> None:
    file = tree(tmp_path)
    file.write_text(f'#include "below/fine.lp".\n{STEPS}')
    also = tmp_path / "mine" / "below" / "also.lp"
    for text, message in {
        "p(\n": "2:1: syntax error, unexpected EOF, expecting",
        "\np(X).": "2:3: X is unsafe: no positive literal binds it in",
        "p(1..W,1..2).": "1:6: W is unsafe: no positive literal binds it in",
        "ok :- #sum { X } > 1.": "1:14: X is unsafe:",
        "p(1) :- #include.": "1:9: #include is inside a statement",
    }.items():
        also.write_text(text)
        with pytest.raises(InputError) as caught:
            asplan.solve(file)
        assert str(caught.value).startswith(f"{also}:{message}")
        assert "<string>" not in str(caught.value)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_make_nodes", KeptStatements().nodes_of)


@pytest.mark.usefixtures("kept")
def test_kept_statements_are_reused_at_the_same_place_alone() -> None:
    first = source.parse_text("a :- b.\nc :- d.\ne :- f.", "x.lp")
    again = source.parse_text("a :- b.\nc :- g.\ne :- f.", "x.lp")
    assert [new is old for new, old in zip(again, first, strict=True)] == [True, True, False, True]
    assert [str(each) for each in again[1:]] == ["a :- b.", "c :- g.", "e :- f."]
    moved = source.parse_text("\na :- b.\nc :- g.\ne :- f.", "x.lp")
    assert [each.location.begin.line for each in moved[1:]] == [2, 3, 4]
    other = source.parse_text("a :- b.\nc :- g.\ne :- f.", "y.lp")
    assert {each.location.begin.filename for each in other} == {"y.lp"}


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "text",
    [
        "#minimize { 1,X : p(X); 2,X : q(X) }.",
        "a. a. a.",
        "a :- b,\n  c.\nd :- b,\n  c.",
        "#program step(t). a(t). #program step(t). a(t).",
        'p("é"). %* x\n*% a. #const n=1.',
    ],
)
def test_kept_statements_are_complete_and_in_order(text: str) -> None:
    fresh = [(str(each), str(each.location)) for each in source.parse_text(text, "x.lp")]
    again = [(str(each), str(each.location)) for each in source.parse_text(text, "x.lp")]
    assert again == fresh
    assert len(source.parse_text(text + " more.", "x.lp")) == len(fresh) + 1
