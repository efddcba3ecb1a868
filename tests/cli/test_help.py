"""Help texts: `--help` shows sections of common options, `--help-all` shows all options."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from asplan.catalog import find_instance
from asplan.cli.commands import cli
from asplan.cli.options import Command, HelpOption
from asplan.problem import Inputs, load
from conftest import run
from terminals import shown


def leaves(group: click.Group, *names: str) -> Iterator[tuple[str, Command]]:
    """All commands that do something, with the words that call them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from leaves(found, *names, name)
        else:
            assert isinstance(found, Command)
            yield " ".join([*names, name]), found


CONTEXT = click.Context(cli)
LEAVES = dict(leaves(cli))


def help_of(name: str, option: str = "--help") -> str:
    """Return the help text of a command."""
    done = run(*name.split(), option, env={**os.environ, "COLUMNS": "80"})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def options(text: str) -> list[str]:
    """Return the first name of each option in a help text."""
    return re.findall(r"^  (--?[\w-]+)", text, re.MULTILINE)


def sections(text: str) -> list[str]:
    return re.findall(r"^(\S.*):$", text, re.MULTILINE)


def test_solve_shows_the_dozen_options_that_people_need_first() -> None:
    shown = help_of("solve")
    assert sections(shown) == ["Input", "What to find", "Limits", "Output", "Engines"]
    assert options(shown) == [
        *("-e", "--steps", "-c"),
        *("--improve", "--first", "--models", "--optimal", "--plans", "--within"),
        *("--max-horizon", "--time-limit", "--memory-limit"),
        *("-o", "--states", "--json"),
        "--engine",
    ]
    assert shown.endswith("\nasplan solve --help-all lists every option.\n")
    assert sections(help_of("solve", "--help-all"))[-1] == "Expert"


@pytest.mark.parametrize("name", LEAVES)
def test_help_all_lists_all_options_in_plain_sentences(name: str) -> None:
    own = [
        p for p in LEAVES[name].get_params(CONTEXT) if isinstance(p, HelpOption) and not p.hidden
    ]
    shown = help_of(name, "--help-all")
    told = {*options(shown)} - {"-h"}
    assert told == {p.opts[0] for p in own}
    assert "--help-all" not in told
    for option in own:
        assert re.fullmatch(r"[A-Z].*[.…](  \[default: .*\])?", option.help or ""), option
    assert not re.search(r"INTEGER|FLOAT|RANGE|<=|>=", shown)
    assert max(map(len, shown.splitlines())) <= 80


def test_without_words_the_commands_are_shown_in_groups() -> None:
    done = run(env={**os.environ, "COLUMNS": "80"})
    assert (done.returncode, done.stdout) == (2, "")
    assert sections(done.stderr)[:4] == ["Plan", "Understand", "Compare", "Make"]
    assert done.stderr == help_of("")
    told = re.findall(r"^  (\w+)  +([A-Z].*\.)$", done.stderr, re.MULTILINE)
    assert [name for name, _ in told] == list(cli.list_commands(click.Context(cli)))


def test_without_words_a_terminal_shows_a_board_and_commands_that_run() -> None:
    lines = shown()
    model = load(Inputs(("sample02",))).model
    assert model is not None
    board = model.text(model.initial).splitlines()
    assert [line[2:13] for line in lines if line[2:13] in board] == board
    known = {*cli.list_commands(CONTEXT), "sample02", "--help"}
    commands = [line.split("asplan ")[1].split()[0] for line in lines[2:] if "asplan " in line]
    assert len(commands) == 4
    assert known.issuperset(commands)


def test_the_summaries_of_the_help_are_those_of_the_commands() -> None:
    shown = dict(re.findall(r"^  (\w+)  +([A-Z].*\.)$", help_of(""), re.MULTILINE))
    for name, summary in shown.items():
        command = cli.get_command(CONTEXT, name)
        assert command is not None
        assert command.get_short_help_str(100) == summary


def test_the_help_imports_no_command() -> None:
    script = (
        "import sys; from asplan.cli.commands import cli; "
        "cli.main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    modules = done.stdout.split()
    assert "asplan.cli.commands" in modules
    assert not {"asplan.cli.solve", "asplan.problem", "clingo"} & set(modules)


@pytest.mark.parametrize(
    "words",
    [
        "rush_hour/two_cars",
        "board.lp",
        "-",
        "--engine bfs two_cars.lp",
        "--engine=bfs two_cars",
        "-cmetric=step two_cars",
    ],
)
def test_files_without_a_command_are_solved(words: str, tmp_path: Path) -> None:
    board = find_instance("two_cars")
    text = Path(board).read_text()
    (tmp_path / "board.lp").write_text(text)
    done = run(*words.split(), "--json", cwd=tmp_path, input=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["horizon"] == 6


def test_a_command_goes_before_a_file_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("")
    assert "domain" in run("list", cwd=tmp_path).stdout
