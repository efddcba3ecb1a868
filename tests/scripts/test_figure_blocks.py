"""Blocks of figures in a small project: when they are stale, and what --mark and --write make."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from asplan import __version__

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import figures
from figure_blocks import BlockError, Project, parse

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


def page(project: Project) -> str:
    return (project.root / "docs/page.md").read_text()


def note(project: Project) -> str:
    (block,) = project.blocks()
    return block.note


def append(project: Project, name: str, text: str) -> None:
    with (project.root / name).open("a") as file:
        file.write(text)


def do(project: Project, *words: str) -> int:
    return figures.main(words, project)


def test_written_and_up_to_date(project: Project) -> None:
    assert do(project, "--check") == 1
    assert do(project, "--write") == 0
    today = date.today().isoformat()
    assert page(project) == (
        f"# Page\n\n<!-- figures: {COMMAND} -->\n\n| n |\n|---|\n| 3 |\n\n"
        f"*Made by `python scripts/count.py one`, asplan {__version__}, {today}.*\n\n"
        "<!-- end figures -->\n\nBelow.\n"
    )
    assert do(project, "--check") == 0


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ("scripts/count.py", "MORE = 1\n"),
        ("scripts/helper.py", "MORE = 1\n"),
        ("src/count.py", "MORE = 1\n"),
        ("encodings/one.lp", "c.\n"),
    ],
)
def test_a_change_has_to_be_marked(project: Project, changed: str, text: str) -> None:
    do(project, "--write")
    before = page(project)
    kept = (project.root / changed).read_text()
    append(project, changed, text)
    assert do(project, "--check") == 1
    do(project, "--mark")
    assert do(project, "--check") == 0
    assert f"before later changes of {changed}.*" in note(project)
    assert page(project).count("| 3 |") == 1
    (project.root / changed).write_text(kept)
    assert do(project, "--check") == 1
    do(project, "--mark")
    assert page(project) == before


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ("encodings/two.lp", "c.\n"),  # the command names one.lp
        ("encodings/one.lp", "\n  % said otherwise\n"),
        ("scripts/count.py", "\n# said otherwise\n"),
    ],
)
def test_other_changes_matter_not(project: Project, changed: str, text: str) -> None:
    do(project, "--write")
    append(project, changed, text)
    assert do(project, "--check") == 0


def test_all_files_of_a_pattern_count_where_none_is_named(project: Project) -> None:
    files = project.files("python scripts/count.py --markdown")
    assert {"encodings/one.lp", "encodings/two.lp"} < set(files)


def test_figures_by_hand_are_refused(project: Project) -> None:
    do(project, "--write")
    (project.root / "docs/page.md").write_text(page(project).replace("| 3 |", "| 4 |"))
    assert do(project, "--check") == 1
    do(project, "--mark")
    assert do(project, "--check") == 1
    do(project, "--write")
    assert do(project, "--check") == 0


def test_older_figures_stay_until_there_are_others(project: Project) -> None:
    older = "| n |\n|---|\n| 2 |\n\n"
    text = page(project).replace("<!-- end", f"{older}<!-- end")
    (project.root / "docs/page.md").write_text(text)
    do(project, "--mark")
    assert note(project) == "*Older figures, not made by `python scripts/count.py one` yet.*"
    assert older in page(project)
    assert do(project, "--check") == 0


def test_a_word_runs_what_is_up_to_date(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    do(project, "--write")
    for words, runs in [((), 0), (("page.md",), 1), (("count.py",), 1), (("elsewhere",), 0)]:
        capsys.readouterr()
        assert do(project, "--write", *words) == 0
        assert capsys.readouterr().out.count("1/1") == runs


def test_exact_figures_are_run(project: Project) -> None:
    text = page(project).replace("figures: python", "exact figures: python")
    (project.root / "docs/page.md").write_text(text)
    assert do(project, "--check") == 1
    do(project, "--write")
    assert do(project, "--check") == 0
    assert "a test compares it word for word" in note(project)
    append(project, "scripts/helper.py", "TIMES = 4\n")
    assert do(project, "--check") == 1
    (project.root / "docs/page.md").write_text(
        page(project).replace(" with clingo ", " with clingo 4")
    )
    assert do(project, "--check") == 0  # another clingo may count otherwise


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
        ("print(1)", "RESTS_ON has to name what is measured"),
        ("RESTS_ON = ('encodings/three.lp',)", "encodings/three.lp is no file"),
        (None, "is not `python scripts/NAME.py …` with a script of ours"),
    ],
)
def test_what_fails_leaves_the_page_alone(
    project: Project, script: str | None, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    file = project.root / "scripts/count.py"
    if script is None:
        file.unlink()
    else:
        rests = "" if "RESTS_ON" in script or "print(1)" in script else "RESTS_ON = ('src/*',)\n"
        file.write_text(rests + script)
    before = page(project)
    assert do(project, "--write") == 1
    assert message in "".join(capfd.readouterr())
    assert page(project) == before
    assert do(project, "--check") == 1


def test_a_script_that_rests_on_nothing_is_named(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.root / "scripts/count.py").write_text("print(1)")
    for way in ([], ["--mark"], ["--check"]):
        assert do(project, *way) == (1 if way else 0)
        assert "count.py: RESTS_ON has to name what is measured" in "".join(capsys.readouterr())


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


def test_what_stands_in_a_fence_is_no_block() -> None:
    fenced = "```\n<!-- figures: a -->\n```\n"
    blocks = list(parse(f"{fenced}<!-- figures: b -->\n{fenced}\n<!-- end figures -->", "page"))
    assert [(block.command, block.body) for block in blocks] == [("b", fenced.strip())]


def test_an_interrupt_keeps_what_is_done(project: Project) -> None:
    (project.root / "scripts/wait.py").write_text(
        "import time\nRESTS_ON = ('src/*',)\ntime.sleep(600)\n"
    )
    second = "<!-- figures: python scripts/wait.py -->\n<!-- end figures -->\n"
    (project.root / "docs/page.md").write_text(PAGE + second)
    code = f"""
import pathlib, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.append({str(Path(figures.__file__).parent)!r})
import figure_blocks, figures
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
