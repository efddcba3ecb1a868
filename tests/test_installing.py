"""The command that adds an extra depends on the installation of asplan."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from asplan.core.installing import Origin, find_origin, origin_of, pip_install

ROOT = Path(__file__).parents[1]
CLONE = "file:///home/ada/my%20asplan"

RECORDS = {
    "a clone in use": (
        {"url": CLONE, "dir_info": {"editable": True}},
        "pip install -e '/home/ada/my asplan[sat]'",
    ),
    "a clone": ({"url": CLONE, "dir_info": {}}, "pip install '/home/ada/my asplan[sat]'"),
    "a repository": (
        {"url": "https://example.org/asplan.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
        "pip install 'asplan[sat] @ git+https://example.org/asplan.git'",
    ),
    "a wheel": (
        {"url": "https://example.org/asplan.whl", "archive_info": {}},
        "pip install 'asplan[sat] @ https://example.org/asplan.whl'",
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_an_extra_is_added_to_the_installed_package(name: str) -> None:
    record, command = RECORDS[name]
    assert pip_install("sat", origin_of(record)) == command


def test_a_release_has_its_extras_by_name() -> None:
    assert pip_install("fast,sat", Origin()) == "pip install 'asplan[fast,sat]'"


def test_in_the_clone_itself_the_command_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert find_origin() == Origin(ROOT, is_editable=True)
    assert pip_install("sat") == "pip install -e '.[sat]'"
    monkeypatch.chdir(ROOT / "docs")
    assert pip_install("sat") == f"pip install -e '{ROOT}[sat]'"


def test_the_pages_name_extras_that_exist_as_a_clone_installs_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = set(project["optional-dependencies"])
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*.ipynb")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "install 'asplan[" not in text, page
        for named in re.findall(r"pip install (?:-q )?-e '\.\[([\w,]+)\]'", text):
            assert set(named.split(",")) <= known, page
