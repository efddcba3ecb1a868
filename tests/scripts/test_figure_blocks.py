"""Blocks of figures in a small project: the report about them, and `--write`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import clingo
import pytest

from asplan import __version__

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import figures
from lib.figure_blocks import BlockError, Project, parse

COMMAND = "python scripts/count.py one --markdown"
PAGE = f"""# Page

<!-- figures: {COMMAND} -->
<!-- end figures -->

Below.
"""
SCRIPT = """
from helper import TIMES
RESTS_ON = ("encodings/*.lp", "src/count.py")
print("| n |", "|---|", f"| {TIMES} |", sep="\\n")
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in {
        "README.md": "Nothing here.\n",
        "docs/page.md": PAGE,
        "scripts/count.py": SCRIPT,
        "scripts/helper.py": "TIMES = 3\n",
        "src/count.py": "def count(): ...\n",
        "encodings/one.lp": "a.\n",
        "encodings/two.lp": "b.\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return Project(tmp_path)


def commit(project: Project, day: str) -> None:
    """Commit all files as if it were that day."""
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{day}T12:00:00")
    name = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], [*name, "commit", "-q", "-m", day]):
        subprocess.run(["git", *words], cwd=project.root, env=os.environ | dates, check=True)


def page(project: Project) -> str:
    return (project.root / "docs/page.md").read_text()


def append(project: Project, name: str, text: str) -> None:
    with (project.root / name).open("a") as file:
        file.write(text)


def do(project: Project, *words: str) -> int:
    return figures.main(words, project)


def test_a_block_is_written_with_command_and_day(project: Project) -> None:
    assert do(project, "--write") == 0
    today = date.today().isoformat()
    assert page(project) == (
        f"# Page\n\n<!-- figures: {COMMAND} -->\n\n| n |\n|---|\n| 3 |\n\n"
        f"*Made by `python scripts/count.py one`, asplan {__version__}, {today}.*\n\n"
        "<!-- end figures -->\n\nBelow.\n"
    )


@pytest.mark.parametrize(
    ("changed", "day", "state"),
    [
        ("src/count.py", "2026-11-22", "up to date"),
        ("src/count.py", "2026-11-23", "sources changed that day"),
        ("src/count.py", "2026-11-24", "sources changed 2026-11-24"),
        ("encodings/one.lp", "2026-11-24", "sources changed 2026-11-24"),
        ("encodings/two.lp", "2026-11-24", "up to date"),  # the command names one.lp
        ("docs/page.md", "2026-11-24", "up to date"),
    ],
)
def test_the_report_compares_days(
    project: Project, changed: str, day: str, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = "*Measured by `python scripts/count.py one` with asplan 0.1.0, 2026-11-23.*"
    text = page(project).replace("<!-- end", f"| n |\n\n{made}\n\n<!-- end")
    (project.root / "docs/page.md").write_text(text)
    commit(project, "2026-11-20")
    append(project, changed, "n = 1\n" if changed.endswith(".py") else "c.\n")
    commit(project, day)
    assert do(project) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split(maxsplit=2)[:2] == ["docs/page.md:3", "2026-11-23"]
    assert f"  {state}  " in line
    do(project, "--write")
    assert capsys.readouterr().out.count("1/1") == (state == "sources changed 2026-11-24")


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ("encodings/one.lp", "% A comment.\n%* another\n *%\n  a.\n"),
        ("src/count.py", '"""Count."""\n\ndef count() -> int:\n    """Count."""\n    ...  # a\n'),
    ],
)
def test_a_later_change_without_meaning_keeps_a_block_up_to_date(
    project: Project, changed: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = "*Measured by `python scripts/count.py one` with asplan 0.1.0, 2026-11-23.*"
    before = page(project).replace("<!-- end", f"| n |\n\n{made}\n\n<!-- end")
    (project.root / "docs/page.md").write_text(before)
    commit(project, "2026-11-20")
    (project.root / changed).write_text(text)
    commit(project, "2026-11-24")
    do(project)
    assert "  up to date  " in capsys.readouterr().out
    do(project, "--write")
    assert page(project) == before


def test_a_file_that_is_new_changes_the_sources(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    made = "*Measured by `python scripts/count.py one` with asplan 0.1.0, 2026-11-23.*"
    text = page(project).replace("<!-- end", f"| n |\n\n{made}\n\n<!-- end")
    (project.root / "docs/page.md").write_text(text)
    (project.root / "encodings/one.lp").unlink()
    commit(project, "2026-11-20")
    (project.root / "encodings/one.lp").write_text("a.\n")
    commit(project, "2026-11-25")
    do(project)
    assert "  sources changed 2026-11-25  " in capsys.readouterr().out


def test_the_report_needs_no_git(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    do(project, "--write")
    capsys.readouterr()
    assert do(project) == 0
    assert "not a git repository" in capsys.readouterr().out


def test_all_files_of_a_pattern_count_where_none_is_named(project: Project) -> None:
    files = project.sources("python scripts/count.py --markdown")
    assert [file.name for file in files] == ["one.lp", "two.lp", "count.py"]


@pytest.mark.parametrize("line", ["from lib import more", "from lib.more import X", "import more"])
def test_imports_of_a_script_count_as_sources(project: Project, line: str) -> None:
    file = project.root / ("scripts/more.py" if line == "import more" else "scripts/lib/more.py")
    file.parent.mkdir(exist_ok=True)
    file.write_text("RESTS_ON = ('README.md',)\nX = 1\n")
    append(project, "scripts/count.py", f"{line}\n")
    assert project.root / "README.md" in project.sources("python scripts/count.py")


def test_a_word_runs_what_is_up_to_date(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    do(project, "--write")
    commit(project, "2026-11-20")
    for words, runs in [((), 0), (("page.md",), 1), (("count.py",), 1), (("elsewhere",), 0)]:
        capsys.readouterr()
        assert do(project, "--write", *words) == 0
        assert capsys.readouterr().out.count("1/1") == runs


def test_exact_figures_name_clingo(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    text = page(project).replace("figures: python", "exact figures: python")
    (project.root / "docs/page.md").write_text(text)
    do(project, "--write")
    (block,) = project.blocks()
    assert block.note == (
        f"*Made by `python scripts/count.py one` with clingo {clingo.__version__};"
        " a test compares it word for word.*"
    )
    assert figures.output(project, block) == block.body
    append(project, "scripts/helper.py", "TIMES = 4\n")
    assert figures.output(project, block) != block.body
    capsys.readouterr()
    assert do(project) == 0
    assert " exact " in capsys.readouterr().out


def test_other_output_stands_in_a_fence_without_seconds(project: Project) -> None:
    (project.root / "scripts/count.py").write_text("print('3 steps  ')\nprint('0.1 s')\n")
    command = "python scripts/count.py"
    (project.root / "docs/page.md").write_text(
        f"<!-- exact figures: {command} -->\n<!-- end figures -->\n"
    )
    do(project, "--write")
    assert "\n\n```\n3 steps\n```\n\n" in page(project)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("raise SystemExit('a reason')", "a reason"),
        ("print()", "nothing written"),
        (None, "is not `python scripts/NAME.py …` with a script of ours"),
    ],
)
def test_a_failing_command_leaves_the_page_unchanged(
    project: Project, script: str | None, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    file = project.root / "scripts/count.py"
    if script is None:
        file.unlink()
    else:
        file.write_text(script)
    before = page(project)
    assert do(project, "--write") == 1
    assert message in "".join(capfd.readouterr())
    assert page(project) == before


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("print(1)", "scripts/count.py has no RESTS_ON"),
        ("RESTS_ON = ('encodings/three.lp',)\nprint(1)", "no file is encodings/three.lp"),
    ],
)
def test_the_report_names_sources_that_are_not_there(
    project: Project, script: str, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.root / "scripts/count.py").write_text(script)
    assert do(project, "--write") == 0
    capsys.readouterr()
    assert do(project) == 0
    assert state in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- figures: a -->\n", "page:1: the block has no end"),
        ("\n<!-- end figures -->\n", "page:2: <!-- end figures --> opens or closes no block here"),
        ("<!-- figures: a -->\n<!-- figures: b -->\n", "page:2: <!-- figures: b --> opens"),
        ("<!--figures: a-->\n", "page:1: <!--figures: a--> opens"),
        ("<!-- exact figure: a -->\n<!-- end figures -->", "page:2: <!-- end figures --> opens"),
    ],
)
def test_comments_that_make_no_block(text: str, message: str) -> None:
    with pytest.raises(BlockError, match="^" + message):
        list(parse(text, "page"))


def test_comments_in_a_fence_are_no_block() -> None:
    fenced = "```\n<!-- figures: a -->\n```\n"
    blocks = list(parse(f"{fenced}<!-- figures: b -->\n{fenced}\n<!-- end figures -->", "page"))
    assert [(block.command, block.body) for block in blocks] == [("b", fenced.strip())]


def test_an_interrupt_keeps_finished_blocks(project: Project) -> None:
    (project.root / "scripts/wait.py").write_text("import time\ntime.sleep(600)\n")
    second = "<!-- figures: python scripts/wait.py -->\n<!-- end figures -->\n"
    (project.root / "docs/page.md").write_text(PAGE + second)
    code = f"""
import pathlib, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.append({str(Path(figures.__file__).parent)!r})
import figures
from lib import figure_blocks
sys.exit(figures.main(["--write"], figure_blocks.Project(pathlib.Path({str(project.root)!r}))))
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("2/2"):
            break
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert "| 3 |" in page(project)
    assert page(project).endswith(second)
