"""The page with all tables and figures: its entries, and a small version."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import reproduce
from lib.figure_blocks import ROOT, Project
from reproduce_entries import ABSENT, DOCUMENTS, ENTRIES, Entry

SCRIPTS = {
    "good": "print('| n |', '|---|', '| 3 |', sep='\\n')",
    "bad": "raise SystemExit('<b>no boards</b>')",
    "slow": "import time\ntime.sleep(600)",
    "draws": "import sys\nopen(sys.argv[2] + '/a.png', 'w')\nprint('drawn')",
}


STUDIES = sorted(
    path.name
    for path in (ROOT / "scripts").glob("*.py")
    if "add_quick(" in path.read_text() or "run_study(" in path.read_text()
)
COMMANDS = [
    shlex.split(command)
    for entry in ENTRIES
    for command in filter(None, (entry.command(quick) for quick in (False, True)))
]
EXTRAS = "z3 unified_planning igraph pandas av distributed scipy"
HELP = f"""
import contextlib, io, json, runpy, sys
sys.modules.update(dict.fromkeys("{EXTRAS}".split()))
sys.path.insert(0, "scripts")
found = {{}}
for words in sys.argv[1:]:
    sys.argv = [*f"scripts/{{words}}".split(), "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as ended:
            assert not ended.code, words
    found[words] = said.getvalue()
print(json.dumps(found))
"""


def name_in(command: Sequence[str]) -> str:
    """The script that a command names, with its study where it has several."""
    script = command[1].removeprefix("scripts/")
    return f"{script} {command[2]}" if "run_study(" in (ROOT / command[1]).read_text() else script


@cache
def usages() -> dict[str, str]:
    """Return the help of scripts if modules of the extras cannot be imported."""
    named = sorted({*STUDIES, *map(name_in, COMMANDS)})
    words = [sys.executable, "-c", HELP, *named]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_commands_name_a_script_and_options_of_it(entry: Entry) -> None:
    assert (ROOT / entry.script).is_file()
    assert entry.document in DOCUMENTS
    assert all((entry.what, entry.published, entry.differs))
    for command in filter(None, (entry.command(quick) for quick in (False, True))):
        words = shlex.split(command)
        assert words[:2] == ["python", entry.script]
        said = usages()[name_in(words)]
        for option in (word for word in words if word.startswith("-")):
            assert re.search(rf"(^|[\s,\[]){re.escape(option)}\b", said), option


TOOLS = {
    "fetch_boards.py",
    "common_way.py",
    "run_path.py",
    "editor_latency.py",
    "figures.py",
    "gallery.py",
    "horizons.py",
    "manual.py",
    "error_pictures.py",
    "page_pictures.py",
    "reference_docstrings.py",
    "report.py",
    "reproduce.py",
    "reproduce_entries.py",
    "rooms.py",
    "site_pages.py",
    "slips.py",
    "walkthrough.py",
}


def test_each_study_is_listed_and_takes_quick() -> None:
    named = {path.name for path in (ROOT / "scripts").glob("*.py")}
    assert named == {*STUDIES, *TOOLS}
    listed = (ROOT / "scripts" / "README.md").read_text()
    assert [name for name in named if f"`{name}" not in listed] == ["reproduce_entries.py"]


@pytest.mark.parametrize("script", STUDIES)
def test_help_needs_no_extra(script: str) -> None:
    assert "--quick" in usages()[script] or "STUDY" in usages()[script]


def test_what_is_less_is_said() -> None:
    assert all(bool(entry.less) == (entry.full != entry.quick) for entry in ENTRIES)


def test_the_table_of_contents_leads_to_headings(tmp_path: Path) -> None:
    given = reproduce.Reproduction(tmp_path, True)
    reproduce.write(given, {})
    page = (tmp_path / "index.html").read_text()
    targets = re.findall(r'href="#([^"]+)"', page)
    assert len(targets) == len(ENTRIES) + len(DOCUMENTS)
    assert [target for target in targets if f'id="{target}"' not in page] == []
    assert len(set(targets)) == len(targets)


def test_each_document_has_entries() -> None:
    assert {entry.document for entry in ENTRIES} == set(DOCUMENTS)
    assert {one.document for one in ABSENT} <= set(DOCUMENTS)
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)


def entry(name: str, words: str = "", quick: str | None = "") -> Entry:
    script = f"scripts/{name}.py"
    return Entry(
        name, DOCUMENTS[0], f"Table {name}", "1.5 s", script, words, quick, "Less.", "Much."
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "scripts").mkdir()
    for name, text in SCRIPTS.items():
        (tmp_path / "scripts" / f"{name}.py").write_text(text)
    return Project(tmp_path)


def test_the_page(project: Project) -> None:
    folder = project.root / "a folder"
    draws = "-o {folder}"
    entries = [entry("bad"), entry("good"), entry("draws", draws, draws), entry("later", "", None)]
    given = reproduce.Reproduction(folder, True, entries, project)
    found = reproduce.reproduce(given)
    assert {name: done.failed for name, done in found.items()} == {
        "bad": True,
        "good": False,
        "draws": False,
    }
    text = (folder / "index.md").read_text()
    assert "| bad | [Table bad](#table-bad) | failed |" in text
    assert "| later | [Table later](#table-later) | not at this scale |" in text
    assert (
        "### Table good\n\nPublished: 1.5 s\n\nOurs: `python scripts/good.py --markdown`. Less.\n\n"
        "| n |\n|---|\n| 3 |\n\nWhat differs: Much.\n"
    ) in text
    assert "It failed:\n\n```\nstatus 1, nothing written. <b>no boards</b>\n```" in text
    assert "drawn\n\n![a](draws/a.png)\n" in text
    assert reproduce.QUICK in text
    assert "### Not reproduced" in text
    page = (folder / "index.html").read_text()
    assert "<td>3</td>" in page
    assert "&lt;b&gt;no boards&lt;/b&gt;" in page
    assert "<b>" not in page


def test_without_boards(project: Project) -> None:
    """Entries that need boards are left out, or marked if they can do without."""
    needs = replace(entry("bad"), boards="rush_hour/jams.tsv")
    others = replace(entry("good"), boards="rush_hour/jams.tsv", generated=True)
    given = reproduce.Reproduction(project.root / "out", True, [needs, others], project)
    assert list(reproduce.reproduce(given)) == ["good"]
    text = (project.root / "out" / "index.md").read_text()
    assert "| bad | [Table bad](#table-bad) | left out: no boards |" in text
    assert "**Left out**, because ASPLAN_DATA names no folder with their boards" in text
    assert "Left out: it needs rush_hour/jams.tsv in ASPLAN_DATA. The command is `python" in text
    assert "**On generated boards** of the same kind, for the same reason: `good`." in text
    assert "Less. **Generated boards** stand in for those of the source." in text
    boards = project.root / "data"
    (boards / "rush_hour").mkdir(parents=True)
    (boards / "rush_hour" / "jams.tsv").touch()
    again = replace(given, data=boards)
    assert list(reproduce.reproduce(again)) == ["bad", "good"]
    text = (project.root / "out" / "index.md").read_text()
    assert "Left out" not in text
    assert "enerated boards" not in text


def test_a_script_has_its_time(project: Project) -> None:
    given = reproduce.Reproduction(project.root / "out", False, [entry("slow")], project)
    assert reproduce.reproduce(given, seconds=0.5)["slow"].printed == "stopped after 0.5 s"


def test_one_by_name(tmp_path: Path) -> None:
    assert reproduce.main(["--only", "turns", "-o", str(tmp_path)]) == 0
    text = (tmp_path / "index.md").read_text()
    assert text.count("| the same |") == 12
    assert "differs |" not in text
    assert "Article" not in text


def test_no_such_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        reproduce.main(["--only", "turn"])
    assert "argument --only: invalid choice: 'turn' (choose from" in capsys.readouterr().err


def test_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce.main(["--list"]) == 0
    printed = capsys.readouterr().out
    assert all(entry.name in printed for entry in ENTRIES)
