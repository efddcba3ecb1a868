"""Walks through a page as its reader would: does its edits, gives its commands, compares outputs.

    python scripts/walkthrough.py docs/tutorial.md            say where page and outputs differ
    python scripts/walkthrough.py docs/tutorial.md --write    put what is printed into the page

In the page a fence marked `sh` holds commands, and a fence without a mark behind it what the last
of them prints; a line `…` stands for any lines, and figures with decimals may differ. `<!-- ends
with N -->` above commands tells the exit status of the last. "Write `FILE`:" is followed by its
text, and "In `FILE` replace" by a text that stands in it once, "by", and another text. Any other
text in a fence is a quotation and has to stand in one of the files as they are then.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
WRITE = re.compile(r"Write `([^`]+)`:\s*\Z")
REPLACE = re.compile(r"[Ii]n `([^`]+)` replace\s*\Z")
STATUS = re.compile(r"<!-- ends with (\d+) -->\s*\Z")
UNSTEADY = re.compile(r"\d+\.\d+|[─ ]{2,}")
"""What differs from run to run: seconds, megabytes, and the widths of columns that hold them."""


@dataclass
class Walk:
    """A page on its way through a folder.

    Attributes
    ----------
    faults
        What is not as the page says.
    fresh
        What the commands have printed, by the place of the fence that should say so.
    """

    folder: Path
    faults: list[str] = field(default_factory=list)
    fresh: dict[tuple[int, int], str] = field(default_factory=dict)

    def through(self, page: str) -> Walk:
        """Do all that the page says."""
        home, printed, after, old = self.folder, "", 0, ("", "")
        for fence in FENCE.finditer(page):
            said, kind, text = page[after : fence.start()].rstrip(), fence[1], fence[2]
            after = fence.end()
            if kind == "sh":
                status = STATUS.search(said)
                home, printed = self._give(home, text, int(status[1]) if status else 0)
            elif not kind:
                self.fresh[fence.span(2)] = printed
                if not agree(text, printed):
                    self.faults.append(f"the page says\n{text}but printed is\n{printed}")
            elif found := WRITE.search(said):
                (home / found[1]).write_text(text)
            elif found := REPLACE.search(said):
                old = (found[1], text)
            elif said.endswith("\nby"):
                self._replace(home / old[0], old[1], text)
            elif not any(text in f.read_text() for f in home.rglob("*.*") if f.suffix == ".lp"):
                self.faults.append(f"a quotation stands in no file:\n{text}")
        return self

    def _give(self, home: Path, commands: str, status: int) -> tuple[Path, str]:
        """Give some commands; the folder afterwards, and what the last of them printed."""
        printed = ""
        lines = commands.splitlines()
        for line in lines:
            if line.startswith("cd "):
                home = home / line.removeprefix("cd ")
                continue
            done = subprocess.run(line, shell=True, cwd=home, env=surroundings(), **_CAPTURED)
            printed = tidy(done.stdout)
            if done.returncode != (status if line == lines[-1] else 0):
                self.faults.append(f"{line} ends with {done.returncode}\n{printed}")
        return home, printed

    def _replace(self, file: Path, old: str, new: str) -> None:
        text = file.read_text()
        if text.count(old) != 1:
            self.faults.append(f"{file.name} does not hold this once:\n{old}")
        file.write_text(text.replace(old, new))


_CAPTURED = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "timeout": 120}


def surroundings() -> dict[str, str]:
    """Return the environment of a reader whose shell finds the commands."""
    found = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{found.get('PATH', '')}"
    return {**found, "PATH": path, "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"}


def tidy(text: str) -> str:
    """Return the output without trailing blanks and without lines of seconds."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines if not re.match(r"\d+\.\d+ s: ", line))


def agree(said: str, printed: str) -> bool:
    """Return whether a page agrees with the output."""
    pieces = re.split(r"^…\n", _steady(said), flags=re.M)
    pattern = r"(?:.*\n)*?".join(map(re.escape, pieces))
    return re.fullmatch(pattern, _steady(printed)) is not None


def _steady(text: str) -> str:
    return UNSTEADY.sub(lambda found: "#" if found[0][0].isdigit() else "  ", text)


def written(page: str, fresh: dict[tuple[int, int], str]) -> str:
    """The page with what was printed, where it says something else."""
    for (start, end), printed in sorted(fresh.items(), reverse=True):
        if not agree(page[start:end], printed):
            page = page[:start] + printed + page[end:]
    return page


def walk(page: Path) -> Walk:
    """Walk through a page in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        return Walk(Path(folder)).through(page.read_text(encoding="utf-8"))


def main() -> int:
    """Walk through the page that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--write", action="store_true", help="put what is printed into the page")
    given = parser.parse_args()
    done = walk(given.page)
    for fault in done.faults:
        print(fault)
    if given.write:
        page = given.page.read_text(encoding="utf-8")
        given.page.write_text(written(page, done.fresh), encoding="utf-8")
    return 1 if done.faults else 0


if __name__ == "__main__":
    sys.exit(main())
