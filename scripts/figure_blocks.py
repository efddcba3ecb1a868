"""Blocks of figures in Markdown: who makes them, what they rest on, what has changed since.

A block names the command whose output it holds, and its last line says how the two stand:

    <!-- figures: python scripts/x.py --markdown -->

    …

    *Made by `python scripts/x.py`, asplan 0.1.0, 2026-11-21.*

    <!-- end figures -->

A block is in order if that line is the one that `note` would write: it depends on digests of files
alone, so it is known without running anything. Blocks of `exact figures` have no digests: a test
runs their commands. docs/figures.md is the guide; `scripts/figures.py` the tool.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import clingo

ROOT = Path(__file__).parents[1]
OPENING = re.compile(r"<!-- (exact )?figures: (.+) -->")
CLOSING = "<!-- end figures -->"
NOTE = re.compile(r"\*(Made|Measured|Older figures|Not made)\b.*\*")
COMMENT = {".py": "#", ".lp": "%"}
"""What begins a line that no figure depends on."""


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
        """Where it begins."""
        return f"{self.page}:{self.first}"

    @property
    def shown(self) -> str:
        """The command as a reader would give it."""
        return self.command.replace(" --markdown", "")


@dataclass(frozen=True)
class Record:
    """What is known of the run behind a block: its date, and digests of what was there then.

    `figures` is the digest of the block's body, `files` has those of what it rests on.
    """

    version: str
    date: str
    seconds: float
    figures: str
    files: dict[str, str]


class Project:
    """The pages of a checkout, their blocks, and the records of the runs behind them."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.records_file = root / "docs" / "figures.json"

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

    def records(self) -> dict[str, Record]:
        """The runs by their commands."""
        if not self.records_file.exists():
            return {}
        found = json.loads(self.records_file.read_text(encoding="utf-8"))
        return {command: Record(**fields) for command, fields in found.items()}

    def keep(self, records: Mapping[str, Record]) -> None:
        """Store the runs; those whose blocks are gone are dropped."""
        commands = {block.command for block in self.blocks()}
        kept = {c: asdict(records[c]) for c in sorted(records) if c in commands}
        write_whole(self.records_file, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")

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

    def files(self, command: str) -> dict[str, str]:
        """The digests of all that the figures of a command rest on.

        These are its script, what that imports from scripts/, and what their constants RESTS_ON
        name. Where the command names some files of a pattern by their stems, only these count.
        """
        names = {Path(word).stem for word in re.findall(r"[\w./]+", command)}
        found = dict.fromkeys(_with_imports(self.script(command)))
        declared = [pattern for path in found for pattern in _rests_on(path)]
        if not declared:
            script = self.script(command).relative_to(self.root)
            raise BlockError(f"{script}: RESTS_ON has to name what is measured")
        for pattern in declared:
            matches = sorted(self.root.glob(pattern))
            if not matches:
                raise BlockError(f"RESTS_ON of `{command}`: {pattern} is no file")
            named = [path for path in matches if path.stem in names] if "*" in pattern else []
            found |= dict.fromkeys(named or matches)
        return {str(path.relative_to(self.root)): digest_of(path) for path in sorted(found)}

    def script(self, command: str) -> Path:
        """The script that a command names."""
        python, *words = command.split()
        script = self.root / (words[0] if words else "")
        if python != "python" or not script.is_file() or "scripts" not in script.parts:
            raise BlockError(f"`{command}` is not `python scripts/NAME.py …` with a script of ours")
        return script

    def note(self, block: Block, record: Record | None) -> str:
        """The last line that a block should have."""
        if block.exact:
            made = f"Made by `{block.shown}` with clingo {clingo.__version__}"
            return f"*{made}; a test compares it word for word.*"
        files = self.files(block.command)
        if record is None:
            return f"*{'Older figures, not' if block.body else 'Not'} made by `{block.shown}` yet.*"
        changed = changes(record.files, files)
        if not changed:
            return f"*Made by `{block.shown}`, asplan {record.version}, {record.date}.*"
        run = f"Measured by `{block.shown}` with asplan {record.version}, {record.date}"
        return f"*{run}, before later changes of {_list(changed)}.*"


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


def digest(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def digest_of(path: Path) -> str:
    """The digest of a file, without its comment lines and blank ones."""
    mark = COMMENT.get(path.suffix)
    lines = (line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    kept = (s for s in lines if s and not (mark and s.lstrip().startswith(mark)))
    return digest("\n".join(kept))


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The files that are not what they were."""
    return sorted(path for path in {*before, *now} if before.get(path) != now.get(path))


def write_whole(path: Path, text: str) -> None:
    """Write a file at once: who looks meanwhile sees the old or the new one."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _with_imports(script: Path) -> list[Path]:
    """A script and the modules beside or above it that it imports."""
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
                case ast.ImportFrom(str(name)):
                    modules = [name]
                case _:
                    continue
            folders = (path.parent, path.parent.parent)
            beside = (folder / f"{module}.py" for folder in folders for module in modules)
            todo += [path for path in beside if path.is_file()]
    return found


def _rests_on(path: Path) -> tuple[str, ...]:
    """The constant RESTS_ON of a module, read without running it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign([ast.Name("RESTS_ON")], value):
                return tuple(ast.literal_eval(value))
    return ()


def _list(names: list[str], most: int = 4) -> str:
    """Names in a sentence."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more files"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
