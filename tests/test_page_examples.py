"""Every shell and Python example of the README and the guides is run, page by page.

A page is followed from top to bottom in a folder that holds the files its reader has, which
`reader.toml` lists. A fence whose first line is a comment with the name of a file is that file; if
the reader has it, a quotation of it. `<!-- ends with N -->` tells the exit status of the last
command of a fence, and a comment behind a Python expression that is a literal, its value.

`<!-- not run: REASON -->` above a fence leaves it out, and `<!-- not run (WORDS): REASON -->` the
lines that begin with these words. `reader.toml` has a small form for such a line under `small`; one
that `serves` is ended once its page can be opened. All lines of the README are run as they are
or in a small form. The tutorial has a test of its own.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
from conftest import command_server
from shipped import shortest_suite
from studios import running
from walkthrough import FENCE, STATUS

ROOT = Path(__file__).parents[1]
PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if page.stem != "tutorial"
}
READER = tomllib.loads(Path(__file__).with_name("reader.toml").read_text(encoding="utf-8"))
NOT_RUN = re.compile(r"^<!-- not run(?: \(([^)]+)\))?: \w.* -->", re.M)
MEASURED = re.compile(r"^(asplan (?:compare|profile) .*--horizon )\d\d\b")
"""What is measured at many steps is run at few."""
COMMENTS = re.compile(r"(?:<!--[^<]*-->\s*)*\Z")
NAMED = re.compile(r"\A[%#] ([\w/]+\.\w+)\n")
SECONDS = 250
"""For a command; none takes a twentieth of it on a machine that has nothing else to do."""


@dataclass
class Reader:
    """Somebody who gives the examples of a page one after the other; `names` are Python's."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    small: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def follow(self, page: str) -> None:
        """Give all of them."""
        after = 0
        for fence in FENCE.finditer(page):
            said = COMMENTS.search(page[after : fence.start()])[0]
            after, kind, text = fence.end(), fence[1], fence[2]
            without, status = NOT_RUN.findall(said), STATUS.search(said)
            if kind == "sh":
                self.give(text, tuple(without), int(status[1]) if status else 0)
            elif "" in without:
                continue
            elif named := NAMED.match(text):
                self.keep(self.folder / named[1], text[named.end() :])
            elif kind == "python":
                self.evaluate(text)

    def give(self, commands: str, without: tuple[str, ...] = (), status: int = 0) -> None:
        """Give the lines of a fence to the shell."""
        lines = [line for line in commands.splitlines() if line]
        for line in filter(lambda line: line.startswith(without), lines):
            self.give_small(line)
        given = [line for line in lines if not line.startswith(without)]
        for line in given:
            done = subprocess.run(
                ["bash", "-c", MEASURED.sub(r"\g<1>6", line)],
                cwd=self.folder,
                env={**command_server().surroundings(), "PYTHONPATH": str(self.folder)},
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
            expected = status if line == given[-1] else 0
            assert done.returncode == expected, f"{line}\n{done.stdout}{done.stderr}"

    def give_small(self, line: str) -> None:
        """Give the small form of a line that is not run as it is, if it has one."""
        small = next((self.small[words] for words in self.small if line.startswith(words)), None)
        if small is None:
            self.left_out.append(line)
        elif small == "serves":
            _, command, *words = shlex.split(line, comments=True)
            with running(*words, cwd=self.folder, command=command) as served:
                assert served.address.startswith("http://127.0.0.1:")
        else:
            self.give(small.format(tests=ROOT / "tests"))

    def keep(self, file: Path, text: str) -> None:
        """Write a file, or find a quotation in it."""
        if file.exists():
            assert text in file.read_text(encoding="utf-8")
        else:
            file.write_text(text, encoding="utf-8")

    def evaluate(self, text: str) -> None:
        """Run Python code, with the names of the code before, and compare values with comments."""
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if not isinstance(node, ast.Expr):
                exec(ast.get_source_segment(text, node) or "", self.names)
                continue
            value = eval(ast.get_source_segment(text, node.value) or "", self.names)
            behind = lines[(node.end_lineno or 0) - 1].partition("  # ")[2]
            try:
                said = ast.literal_eval(behind)
            except (SyntaxError, ValueError):
                continue
            assert value == said


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if FENCE.search(page)])
def test_the_examples_of_a_page_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = READER.get(name, {})
    for file, text in files.get("writes", {}).items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    for file, source in files.get("has", {}).items():
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / source, tmp_path / file)
    monkeypatch.chdir(tmp_path)
    for file, suite in files.get("shortened", {}).items():
        (tmp_path / file).write_text(shortest_suite(ROOT / suite))
    reader = Reader(tmp_path, small=files.get("small", {}))
    reader.give(files.get("does", ""))
    reader.follow(PAGES[name])
    assert name != "README.md" or not reader.left_out


def test_few_examples_are_left_out() -> None:
    """Exceptions are those that need a network, a cluster or other planners, or never end."""
    left_out = [found[0] for page in PAGES.values() for found in NOT_RUN.finditer(page)]
    lacking = re.compile("needs (the network|a cluster|Slurm|planners of others)|goes on until")
    left_out = [said for said in left_out if not lacking.search(said)]
    assert len(left_out) <= 6, left_out


def fenced(kind: str, text: str) -> str:
    return f"\n\n```{kind}\n{text}\n```\n\n"


@pytest.mark.parametrize(
    "page",
    [
        fenced("sh", "false"),
        fenced("sh", "true\n\nfalse\ntrue"),
        "<!-- ends with 2 -->" + fenced("sh", "true"),
        "<!-- not run (true): it is known -->" + fenced("sh", "true\nfalse"),
        "<!-- not run: -->" + fenced("sh", "false"),
        fenced("python", "x = 1") + fenced("python", "x + 1  # 3"),
        fenced("prolog", "% a.lp\na.") + fenced("prolog", "% a.lp\nb."),
        fenced("sh", "test -e a.lp") + fenced("prolog", "% a.lp\na."),
    ],
)
def test_a_wrong_example_is_noticed(page: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Reader(tmp_path).follow(page)


def test_examples_that_are_left_out_are_not_run(tmp_path: Path) -> None:
    Reader(tmp_path).follow(
        "<!-- not run: it fails -->"
        + fenced("sh", "false")
        + "<!-- not run (false): it fails -->"
        + fenced("sh", "false\ntrue")
    )
