"""Blocks of figures in Markdown: the command that printed each, and the files it measures.

A block names the command whose output it holds; its last line tells readers when that ran:

    <!-- figures: python scripts/x.py --markdown -->

    …

    *Made by `python scripts/x.py`, asplan 0.1.0, 2026-11-21.*

    <!-- end figures -->

The output of `exact figures` is the same on every machine: a test runs their commands.
docs/figures.md is the guide; `scripts/figures.py` the tool.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import clingo

from asplan.version import __version__
from lib.significant import significant

ROOT = Path(__file__).parents[2]
OPENING = re.compile(r"<!-- (exact )?figures: (.+) -->")
CLOSING = "<!-- end figures -->"
NOTE = re.compile(r"\*(Made|Measured) by `.*\*")
DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


class BlockError(Exception):
    """A block or a script that the rules of docs/figures.md exclude; says which and why."""


@dataclass(frozen=True)
class Block:
    """A block as it stands in a page: `first` and `last` are the lines of its two comments."""

    page: str
    first: int
    last: int
    command: str
    exact: bool
    body: str
    note: str

    @property
    def place(self) -> str:
        """The place of its first line."""
        return f"{self.page}:{self.first}"

    @property
    def shown(self) -> str:
        """The command as a reader would give it."""
        return self.command.replace(" --markdown", "")

    @property
    def date(self) -> str:
        """The day of its run as its last line tells it, or nothing."""
        found = DATE.search(self.note.rpartition("`")[2])
        return found[0] if found else ""

    def note_of_today(self) -> str:
        """The last line for a run of today."""
        if self.exact:
            made = f"Made by `{self.shown}` with clingo {clingo.__version__}"
            return f"*{made}; a test compares it word for word.*"
        return f"*Made by `{self.shown}`, asplan {__version__}, {date.today().isoformat()}.*"

    def fault(self) -> str | None:
        """The missing part of its last line, or None."""
        if f" by `{self.shown}`" not in self.note:
            return "its last line does not name its command; run --write"
        if not self.exact and not self.date:
            return "its last line has no date; run --write"
        return None


class Project:
    """The pages of a checkout, their blocks, and the files that these measure."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root

    @property
    def pages(self) -> list[Path]:
        """The README and the guides."""
        return [self.root / "README.md", *sorted((self.root / "docs").glob("*.md"))]

    def blocks(self) -> list[Block]:
        """All blocks, page by page."""
        return [block for page in self.pages for block in self.blocks_of(page)]

    def blocks_of(self, page: Path) -> list[Block]:
        """The blocks of a page."""
        return list(parse(page.read_text(encoding="utf-8"), str(page.relative_to(self.root))))

    def replace(self, blocks: Iterable[Block]) -> None:
        """Put bodies and notes of blocks into their pages, each page at once."""
        fresh = {block.command: block for block in blocks}
        for page in self.pages:
            text = page.read_text(encoding="utf-8")
            lines = text.split("\n")
            for block in reversed(self.blocks_of(page)):
                if new := fresh.get(block.command):
                    parts = [part for part in (new.body, new.note) if part]
                    inside = "\n\n".join(["", *parts, ""]).split("\n")[1:-1]
                    lines[block.first : block.last - 1] = inside
            if (new_text := "\n".join(lines)) != text:
                write_whole(page, new_text)

    def sources(self, command: str) -> list[Path]:
        """The files that a command measures.

        These are what the constants RESTS_ON of its script, and of what that imports from scripts/,
        name. Where the command names some files of a pattern by their stems, only these count.
        """
        named = {Path(word).stem for word in re.findall(r"[\w./]+", command)}
        script = self.script(command)
        patterns = [pattern for path in _with_imports(script) for pattern in _rests_on(path)]
        if not patterns:
            raise BlockError(f"{script.relative_to(self.root)} has no RESTS_ON")
        found: set[Path] = set()
        for pattern in patterns:
            matches = set(self.root.glob(pattern))
            if not matches:
                raise BlockError(f"RESTS_ON of `{command}`: no file is {pattern}")
            chosen = {path for path in matches if "*" in pattern and path.stem in named}
            found |= chosen or matches
        return sorted(found)

    def changed(self, command: str, day: str) -> str:
        """Return the day of the last change to what a command measures.

        The result is empty if these files mean the same as at the beginning of `day`, and `day` if
        they mean the same as at its end. docs/figures.md lists the changes that mean nothing.
        """
        files = [str(path.relative_to(self.root)) for path in self.sources(command)]
        changed = self._changed_since(f"{day} 23:59:59", files)
        if changed:
            committed = self._git("log", "-1", "--format=%cs", "--", *changed)
            return committed or date.today().isoformat()
        return day if self._changed_since(f"{day} 00:00:00", files) else ""

    def _changed_since(self, moment: str, files: Sequence[str]) -> list[str]:
        """Return the files that meant something else in the last commit before a moment."""
        commit = self._git("log", "-1", "--format=%H", f"--before={moment}")
        if not commit:
            return list(files)
        there = set(self._git("ls-tree", "-r", "--name-only", commit).split("\n"))
        touched = set(self._git("diff", "--name-only", commit, "--", *files).split("\n"))
        return [
            name
            for name in files
            if name not in there or (name in touched and self._differs(commit, name))
        ]

    def _differs(self, commit: str, name: str) -> bool:
        """Return whether a file meant something else in a commit."""
        now = (self.root / name).read_text(encoding="utf-8")
        before = self._git("show", f"{commit}:{name}")
        return significant(name, now) != significant(name, before)

    def _git(self, *words: str) -> str:
        """Return what git prints; raise `BlockError` if git fails or is missing."""
        asked = ["git", *words]
        try:
            done = subprocess.run(asked, cwd=self.root, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise BlockError("git is not installed") from None
        if done.returncode:
            raise BlockError(done.stderr.strip().partition("\n")[0])
        return done.stdout.strip()

    def script(self, command: str) -> Path:
        """The script that a command names."""
        python, *words = command.split()
        script = self.root / (words[0] if words else "")
        if python != "python" or not script.is_file() or "scripts" not in script.parts:
            raise BlockError(f"`{command}` is not `python scripts/NAME.py …` with a script of ours")
        return script


def parse(text: str, page: str) -> Iterator[Block]:
    """The blocks of a page; what stands in fences is none."""
    lines = text.split("\n")
    opened: tuple[int, re.Match[str]] | None = None
    fenced = False
    for number, line in enumerate(lines, 1):
        opening = OPENING.fullmatch(line)
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            continue
        elif opening and opened is None:
            opened = number, opening
        elif line == CLOSING and opened is not None:
            first, opening = opened
            body = "\n".join(lines[first : number - 1]).strip()
            above, _, last = body.rpartition("\n")
            body, note = (above.strip(), last) if NOTE.fullmatch(last) else (body, "")
            yield Block(page, first, number, opening[2], bool(opening[1]), body, note)
            opened = None
        elif opening or line == CLOSING or re.match(r"<!--.*\bfigures\b", line):
            raise BlockError(f"{page}:{number}: {line} opens or closes no block here")
    if opened is not None:
        raise BlockError(f"{page}:{opened[0]}: the block has no end")


def write_whole(path: Path, text: str) -> None:
    """Write a file at once: who looks meanwhile sees the old or the new one."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _with_imports(script: Path) -> list[Path]:
    """A script and the modules of scripts/ that it imports."""
    found, todo = [], [script]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.append(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names):
                    modules = [alias.name for alias in names]
                case ast.ImportFrom(str(name), names):
                    modules = [name, *(f"{name}.{alias.name}" for alias in names)]
                case _:
                    continue
            files = [f"{module.replace('.', '/')}.py" for module in modules]
            nearby = (
                folder / file for folder in (path.parent, path.parent.parent) for file in files
            )
            todo += [file for file in nearby if file.is_file()]
    return found


def _rests_on(path: Path) -> tuple[str, ...]:
    """The constant RESTS_ON of a module, read without running it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign([ast.Name("RESTS_ON")], value):
                return tuple(ast.literal_eval(value))
    return ()
