"""Tables in a terminal and in a pipe: they have the width that is there, and lose nothing."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from rich.cells import cell_len

import asplan
from asplan import catalog
from asplan.cli.tables import Column, print_columns
from asplan.domains import domains
from conftest import HERE, run
from terminals import shown

SUITE = """
name = "small"
[[instances]]
files = ["rush_hour/two_cars"]
[[methods]]
name = "a_method_with_a_rather_long_name_for_a_table_in_a_terminal"
engine = "bfs"
"""


def words(lines: list[str]) -> set[str]:
    """All words but the rules of tables."""
    return set(re.sub("─", " ", " ".join(lines)).split())


def unspaced(lines: list[str]) -> str:
    return re.sub(r"\s", "", "".join(lines))


def test_list_fits_a_screen_with_a_line_a_domain() -> None:
    lines = shown("list")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    named = {entry.domain for entry in catalog.instances()} | set(domains())
    assert {name for name in named if any(line.split()[:1] == [name] for line in lines)} == named


@pytest.mark.parametrize("kind", ["encodings", "instances", "heuristics", "engines"])
def test_a_list_is_folded_in_a_terminal_and_in_a_pipe(kind: str) -> None:
    rows = json.loads(run("list", kind, "--json").stdout)[kind]
    lines, piped = shown("list", kind), run("list", kind).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.rstrip() for line in piped] == lines
    wide = run("list", kind, env={**os.environ, "COLUMNS": "300"}).stdout.splitlines()
    assert not [row for row in rows if not any(row["about"] in line for line in wide)]
    assert words(wide) == words(lines)


def test_a_list_may_be_of_a_domain() -> None:
    found = json.loads(run("list", "encodings", "rush_hour", "--json").stdout)["encodings"]
    assert {row["domain"] for row in found} == {"rush_hour"}
    assert {row["name"] for row in found} >= {"origin", "frontier"}
    assert "there are none" in run("list", "heuristics", "sokoban").stdout


COMMANDS = [
    "compare two_cars -e origin -e origin_naive --horizon 3 --solve",
    f"profile {HERE}/measuring/profiles/one_call.lp sample02 --horizon 12 --top 3",
    "analyse two_cars",
]
FIGURES = re.compile(r"\d+\.\d+")
"""They may differ from run to run: seconds, megabytes and ratios of them."""


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[0])
def test_measurements_lose_nothing_in_a_terminal(command: str) -> None:
    lines, piped = shown(*command.split()), run(*command.split()).stdout.splitlines()
    table = [line for line in lines if not line.startswith(("[1]", "[2]"))]
    assert max(map(len, table)) <= 80
    assert "…" not in "".join(lines)
    told = {word for word in words(piped) if not FIGURES.search(word)}
    missing = {word for word in told if word not in unspaced(lines)}
    assert not missing


def test_a_suite_loses_nothing_in_a_terminal(tmp_path: Path) -> None:
    suite = tmp_path / "small.toml"
    suite.write_text(SUITE)
    for name in ("before", "after"):
        lines = shown("bench", "run", str(suite), "-o", str(tmp_path / name))
        assert max(map(len, lines[:-1])) <= 80
        assert {"trials", "solved", "proven", "stopped", "errors", "median", "sum"} <= words(lines)
        assert sum("a_method_with_a_rather_long_name" in line for line in lines) >= 2
    lines = shown("bench", "compare", str(tmp_path / "before"), str(tmp_path / "after"))
    assert {"ratio", "interval"} <= words(lines)


@pytest.mark.parametrize("width", [10, 20, 40, 80, 300, None])
def test_a_table_has_the_width_that_is_there(
    width: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if width:
        monkeypatch.setenv("COLUMNS", str(width))
    name, text = "n" * 150, ["much " * 50, "[b]no markup[/b]"]
    columns = [
        Column("", [name, "界"], is_words=True),
        *(Column("", [str(figure), "2"]) for figure in (11111, 3333333)),
        Column("", text, folds=True),
        Column("", ["w" * 90, ""], is_words=True),
    ]
    print_columns(columns, "t" * 100)
    out = capsys.readouterr().out
    assert max(map(cell_len, out.splitlines())) <= (width or 80)
    letters = Counter(out)
    assert (letters["n"] - 1) % 150 == 0  # the name is repeated where the table is in parts
    found = [letters[letter] for letter in "wth1[m"]
    assert found == [90, 100, 50, 5, 2, 51]


def test_a_plan_of_many_actions_is_a_line_a_step_in_a_pipe() -> None:
    done = run("solve", "twelve_packages")
    result = asplan.solve("twelve_packages")
    assert result.plan is not None
    longest = max(str(result.plan).splitlines(), key=len)
    assert len(longest) > 80
    steps = [line for line in done.stdout.splitlines() if re.match(r" *\d+\. ", line)]
    assert len(steps) == len(result.plan)
