"""A new domain: it works at once, and is written completely or not at all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import asplan
from asplan.catalog import templates
from asplan.cli.new import TEMPLATES, start_domain
from asplan.core.errors import UsageError
from asplan.core.files import atomic_folder
from conftest import run

FILES = {
    *("README.md", "draw.lp", "encoding.lp", "test_bees.py"),
    *("instances/first.lp", "instances/second.lp"),
}


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    written = start_domain("bees", home)
    assert {file.relative_to(home / "bees").as_posix() for file in written} == FILES
    return home / "bees"


def test_its_own_tests_pass(bees: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=bees, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b5 passed\b", done.stdout)


def test_its_own_tests_see_a_broken_rule(bees: Path, tmp_path: Path) -> None:
    for file in FILES:
        text = (bees / file).read_text()
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text.replace(", full(t,X,Y), carries", ", carries"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "FAILED test_bees.py::test_a_plan_that_breaks_a_rule_is_refused" in done.stdout


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_tests_of_every_kind_pass(kind: str, tmp_path: Path) -> None:
    start_domain("own", tmp_path, kind=kind)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=tmp_path / "own", capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b[4-9] passed\b", done.stdout)


@pytest.mark.parametrize("name", ["first", "second"])
def test_an_instance_states_its_optimum_and_is_drawn(bees: Path, name: str) -> None:
    instance = bees / "instances" / f"{name}.lp"
    result = asplan.solve(instance, encoding=bees / "encoding.lp")
    stated = re.search(r"shortest plan (\d+) steps\.\n", instance.read_text())
    assert stated
    assert (result.outcome, result.horizon) == ("optimal", int(stated[1]))
    assert result.warnings == ()
    assert asplan.render(result, bees.parent / f"{name}.gif").stat().st_size > 10_000


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_suggested_commands_work(kind: str, tmp_path: Path) -> None:
    done = run("new", "lamps", "--kind", kind, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first, *others = re.findall(r"^  (\S.*?)(?: {4}.*)?$", done.stdout, re.M)
    assert first == "cd lamps"
    assert others[-1] == "python -m pytest"
    for command in others[:-1]:
        name, *words = command.split()
        assert name == "asplan"
        assert run(*words, cwd=tmp_path / "lamps").returncode == 0, command


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_text_has_the_new_name(kind: str, tmp_path: Path) -> None:
    own = templates() / TEMPLATES[kind]
    written = start_domain("own", tmp_path, kind=kind)
    for file in written:
        assert TEMPLATES[kind] not in file.read_text()
    named = [file for file in own.rglob("*") if file.is_file() and own.name in file.read_text()]
    assert len(named) >= 3


@pytest.mark.parametrize("is_there", ["a file", "a folder", "a link into nowhere"])
def test_nothing_is_written_over(tmp_path: Path, is_there: str) -> None:
    taken = tmp_path / "taken"
    if is_there == "a file":
        taken.write_text("kept")
    elif is_there == "a folder":
        taken.mkdir()
    else:
        taken.symlink_to("nowhere")
    with pytest.raises(UsageError, match="taken exists already"):
        start_domain("taken", tmp_path)
    assert list(tmp_path.iterdir()) == [taken]
    assert not taken.exists() or not taken.is_dir() or not list(taken.iterdir())


@pytest.mark.parametrize("home", ["/proc", "/sys", "/dev/null"])
def test_a_folder_that_takes_nothing_is_named(home: str) -> None:
    with pytest.raises(UsageError, match=f"^cannot write {home}/bees: "):
        start_domain("bees", home)


def test_an_interrupted_command_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> None:
        with atomic_folder(tmp_path / "x") as folder:
            (folder / "half").write_text("written")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
