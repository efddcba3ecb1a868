"""NAME:CONST=VALUE: the name, the settings, and errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

import asplan
from asplan.catalog import find_encoding
from asplan.problem import Inputs, load
from asplan.problem.inputs import with_variant
from conftest import run

FORM = "\n  a variant is written NAME:CONST=VALUE, for example origin:metric=slide"

GOOD: list[tuple[str, dict[str, str], str, dict[str, str]]] = [
    ("turns", {}, "turns", {}),
    ("turns:extra=1", {}, "turns", {"extra": "1"}),
    (
        "brain_twist/turns:extra=1:order=talk",
        {},
        "brain_twist/turns",
        {"extra": "1", "order": "talk"},
    ),
    ("turns:extra=1:extra=1", {"extra": "1"}, "turns", {"extra": "1"}),
    ("turns:extra=2-1", {"extra": "1"}, "turns", {"extra": "1"}),
    ("my.lp:x=f(a,b)", {"y": "2"}, "my.lp", {"y": "2", "x": "f(a,b)"}),
    ('my.lp:x="a:b=c":y="\\"":z="="', {}, "my.lp", {"x": '"a:b=c"', "y": '"\\""', "z": '"="'}),
]


@pytest.mark.parametrize(("word", "given", "name", "constants"), GOOD)
def test_variants(
    word: str, given: Mapping[str, str], name: str, constants: Mapping[str, str]
) -> None:
    words = with_variant(Inputs(encoding=word, constants=given))
    assert (words.encoding, words.constants) == (name, constants)


def test_no_encoding_is_no_variant() -> None:
    words = Inputs(("twist03",), constants={"extra": "1"})
    assert with_variant(words) == words


BAD: list[tuple[str, dict[str, object], str]] = [
    ("turns:extra", {}, f"unknown encoding 'turns:extra'{FORM}"),
    ("turns:extra:order=talk", {}, f"unknown encoding 'turns:extra:order=talk'{FORM}"),
    (":extra=1", {}, f"unknown encoding ':extra=1'{FORM}"),
    ("torns:extra=1", {}, "unknown encoding 'torns'\n  did you mean turns?; see asplan list"),
    ("turns:Extra=1", {}, f"turns:Extra=1: 'Extra' is not a name for a constant{FORM}"),
    (
        "turns:extra=",
        {},
        "turns:extra=: constant extra: '' is not a term: syntax error, unexpected <EOF>" + FORM,
    ),
    ("turns:extra=1:extra=0", {}, "turns:extra=1:extra=0: extra=0 contradicts extra=1"),
    ("turns:extra=1", {"extra": 0}, "turns:extra=1: extra=1 contradicts extra=0"),
    ("turns:extras=1", {}, "no file uses the constant extras\n  did you mean extra?"),
    (
        "turns:speed=1",
        {},
        "no file uses the constant speed\n  known constants: extra, goal, order, rotation",
    ),
    ("turns:goal=edges", {}, "goal=edges: goal must be faces or points in brain_twist"),
]


@pytest.mark.parametrize(("word", "constants", "message"), BAD)
def test_wrong_variants_are_refused(word: str, constants: dict[str, object], message: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("twist03", encoding=word, constants=constants)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["a:b.lp", "a:b=1.lp", "a:b=1"])
def test_the_path_of_a_file_comes_first(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(find_encoding("turns", None).path, name)
    for word, constants in ((name, {}), (f"{name}:extra=1", {"extra": "1"})):
        problem = load(Inputs(("twist03",), encoding=word))
        assert (problem.path, problem.user_constants) == (Path(name), constants)


def test_a_variant_is_the_same_as_constants() -> None:
    variant = asplan.solve("twist09", encoding="turns:goal=points:order=talk")
    constants = {"goal": "points", "order": "talk"}
    result = asplan.solve("twist09", encoding="turns", constants=constants)
    assert (variant.encoding, variant.constants) == ("turns", result.constants)
    assert variant.statistics.conflicts == result.statistics.conflicts
    assert asplan.validate("twist09", plan=variant, encoding="turns:goal=points") == variant.horizon
    other = {"goal": "faces", "order": "none"}
    with pytest.raises(asplan.InvalidPlan):
        asplan.validate("twist09", plan=variant, encoding="turns", constants=other)


def test_on_the_command_line() -> None:
    solved = run("solve", "two_cars", "-e", "origin:metric=slide")
    assert solved.stdout.startswith("rush_hour · two_cars · origin · asp · metric=slide\n")
    words = ("-e", "origin", "-e", "origin:metric=slide", "--horizon", "2")
    compared = run("compare", "two_cars", *words, env={**os.environ, "COLUMNS": "200"})
    assert (compared.returncode, compared.stderr) == (0, "")
    heads = compared.stdout.splitlines()[2].split()
    assert heads == ["origin", "origin:metric=slide", "ratio"]
    profiled = run("profile", "two_cars", "-e", "origin:metric=slide:metric=step", "--horizon", "2")
    assert profiled.returncode == 2
    assert "metric=step contradicts metric=slide" in profiled.stderr
