"""Settings of the working folder are defaults of options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asplan.cli.options import SETTINGS_FILES
from asplan.cli.settings import FILES
from conftest import run

TOML = "asplan.toml"
PYPROJECT = "pyproject.toml"


def engine_of(folder: Path, *words: str) -> str:
    done = run("solve", "two_cars", "--json", *words, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["engine"])


@pytest.mark.parametrize(
    ("files", "engine"),
    [
        ({}, "asp"),
        ({TOML: 'engine = "bfs"\n'}, "bfs"),
        ({PYPROJECT: '[tool.asplan]\nengine = "bfs"\n'}, "bfs"),
        ({PYPROJECT: '[ tool . asplan ]\nengine = "bfs"\n'}, "bfs"),
        ({PYPROJECT: '[tool.asplan]\nengine = "bfs"\n', TOML: 'engine = "astar"\n'}, "astar"),
        ({PYPROJECT: '[project]\nname = "engine"\n'}, "asp"),
        ({PYPROJECT: "not TOML at all, and none of ours"}, "asp"),
    ],
)
def test_a_file_sets_the_engine(tmp_path: Path, files: dict[str, str], engine: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert engine_of(tmp_path) == engine


def test_the_command_line_looks_for_the_same_files() -> None:
    assert tuple(FILES) == SETTINGS_FILES


def test_an_option_replaces_a_setting(tmp_path: Path) -> None:
    (tmp_path / TOML).write_text('engine = "bfs"\n')
    assert engine_of(tmp_path, "--engine", "astar") == "astar"
    assert engine_of(tmp_path, "--engine=asp") == "asp"


def test_options_of_the_engine_in_the_settings_are_known(tmp_path: Path) -> None:
    (tmp_path / TOML).write_text('engine = "astar"\n')
    done = run("solve", "two_cars", "--optimal", "actions", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_warning_is_disabled(tmp_path: Path) -> None:
    (tmp_path / "lamp.lp").write_text("#program base. on(a). lamp(a). #program step(t). ")
    before = run("check", "lamp.lp", cwd=tmp_path)
    assert "[no-goal]" in before.stdout
    (tmp_path / TOML).write_text('warn = ["no-no-goal"]\n')
    assert "[no-goal]" not in run("check", "lamp.lp", cwd=tmp_path).stdout


def test_the_list_shows_values_and_places(tmp_path: Path) -> None:
    (tmp_path / TOML).write_text("# ours\ntime-limit = 20\n")
    done = run("list", "settings", "--json", cwd=tmp_path)
    rows = {row["name"]: row for row in json.loads(done.stdout)["settings"]}
    assert rows["time-limit"]["value"] == "20"
    assert rows["time-limit"]["place"] == f"{TOML}:2:1"
    assert rows["engine"]["value"] == rows["engine"]["place"] == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("enginee = 1\n", f"{TOML}:1:1: enginee: there is no such setting\n  did you mean engine?"),
        (
            '# a comment\nengine = "bsf"\n',
            f"{TOML}:2:1: engine: expected the name of an engine\n  did you mean bfs?",
        ),
        ("engine = 3\n", f"{TOML}:1:1: engine: expected the name of an engine"),
        ("time-limit = -1\n", f"{TOML}:1:1: time-limit: expected a number of seconds"),
        ("time-limit = true\n", f"{TOML}:1:1: time-limit: expected a number of seconds"),
        ("memory-limit = 1.5\n", f"{TOML}:1:1: memory-limit: expected a whole number of megabytes"),
        ('warn = "no-unread"\n', f'{TOML}:1:1: warn: expected a list such as ["no-unread"]'),
        ("allow-includes = 1\n", f"{TOML}:1:1: allow-includes: expected true or false"),
        (
            'problems = "my.lp one.lp"\n',
            f'{TOML}:1:1: problems: expected a list such as ["my.lp one.lp", "my.lp two.lp"]',
        ),
        ('color = "red"\n', f"{TOML}:1:1: color: expected auto or always or never"),
        ("allow-scripts = true\n", f"{TOML}:1:1: allow-scripts: there is no such setting"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / TOML).write_text(text)
    done = run("solve", "two_cars", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"asplan: {message}")


@pytest.mark.parametrize("words", ["--version", "--help", "compare two_cars --horizon 1"])
def test_other_commands_read_no_settings(tmp_path: Path, words: str) -> None:
    (tmp_path / TOML).write_text("this is not TOML")
    assert run(*words.split(), cwd=tmp_path).returncode == 0
