"""The wheel, the sdist, and the pages for contributors."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from asplan.version import __version__

ROOT = Path(__file__).parents[1]
BESIDE = ("encodings", "instances", "suites", "templates")
"""Folders that stand beside the package in the repository and inside it in the wheel."""

if not (ROOT / "pyproject.toml").is_file():
    pytest.skip("the project's own files are not here", allow_module_level=True)


def build(project: Path, target: str, folder: Path) -> Path:
    """Build with the backend that pyproject.toml names, in this environment."""
    call = f"import hatchling.build as b; print(b.build_{target}({str(folder)!r}))"
    command = [sys.executable, "-c", call]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def below(folder: str) -> set[Path]:
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts}


def test_the_wheel_carries_all_that_asplan_reads(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        metadata = archive.read(f"asplan-{__version__}.dist-info/METADATA").decode()
    package = {path.relative_to("src").as_posix() for path in below("src/asplan")}
    assert {"asplan/studio/page/page.js", "asplan/drawing/player/page.html"} <= package
    assert package <= held
    for folder in BESIDE:
        files = {f"asplan/{path.as_posix()}" for path in below(folder)}
        assert files
        assert files <= held
    others = {name for name in held if not name.startswith("asplan/")}
    assert {name.partition("/")[0] for name in others} == {
        f"asplan-{__version__}.data",
        f"asplan-{__version__}.dist-info",
    }
    assert "Requires-Python: >=3.11" in metadata


SHARED = {
    *("share/man/man1/asplan.1", "share/bash-completion/completions/asplan"),
    *("share/zsh/site-functions/_asplan", "share/fish/vendor_completions.d/asplan.fish"),
}
"""The files that the wheel installs for man and for shells."""


def test_the_wheel_installs_the_man_page_and_the_completions(wheel: Path) -> None:
    start = f"asplan-{__version__}.data/data/"
    with zipfile.ZipFile(wheel) as archive:
        shared = {name: archive.read(name) for name in archive.namelist() if ".data/" in name}
    assert {name.removeprefix(start) for name in shared} == SHARED
    for name, data in shared.items():
        assert data == (ROOT / name.removeprefix(start)).read_bytes()


def test_the_man_page_and_the_completions_are_current() -> None:
    """If this fails, a command has changed: run `python scripts/manual.py`."""
    command = [sys.executable, "scripts/manual.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not here")
def test_the_man_page_is_read_without_warning() -> None:
    command = ["groff", "-man", "-Tutf8", "-ww", "share/man/man1/asplan.1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    shown = re.sub(".\x08|\x1b\\[[0-9;]*m", "", done.stdout)  # bold, in both ways
    for words in ("asplan grade", "--max-horizon N", "EXIT STATUS", "proven unsolvable"):
        assert words in shown


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize(
    ("words", "found"),
    [(("gra",), {"grade"}), (("new", "--exer"), {"--exercise"}), (("list", "feat"), {"features"})],
)
def test_the_completion_of_bash_knows_the_commands(words: tuple[str, ...], found: set[str]) -> None:
    typed = " ".join(("asplan", *words))
    script = f"""
        source share/bash-completion/completions/asplan 2>/dev/null
        COMP_WORDS=({typed}); COMP_CWORD={len(words)}
        _asplan_completion asplan; echo "${{COMPREPLY[@]}}"
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PATH": path},
    )
    assert set(done.stdout.split()) == found


def test_the_sdist_carries_the_project_and_builds_the_same_wheel(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (project,) = tmp_path.iterdir()
    for folder in ("src/asplan", "tests", "docs", "scripts", "share", *BESIDE):
        assert {path for path in below(folder) if not (project / path).is_file()} == set()
    for page in ("README.md", "CHANGES.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE"):
        assert (project / page).is_file()
    assert not (project / ".ci").exists()
    built = build(project, "wheel", tmp_path)
    assert built.read_bytes() == wheel.read_bytes()


def test_the_reading_order_names_existing_files() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    order = page.partition("## The order in which to read the code")[2]
    named = re.findall(r"`([\w/]+\.(?:py|lp))`", order)
    assert len(named) > 25
    found = [
        name for name in named if any((ROOT / up / name).is_file() for up in ("", "src/asplan"))
    ]
    assert found == named


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in text
