"""All tables and figures of the five source documents, each beside what was published, in one page.

    python scripts/reproduce.py --quick -o FOLDER       under ten minutes: fewer and smaller boards
    python scripts/reproduce.py -o FOLDER               the scale of the documents: some hours
    python scripts/reproduce.py --only NAME… [--quick]  some of them; --list has their names

FOLDER/index.md is the page, FOLDER/index.html the same for a browser. Scripts run one after the
other, each in a process of its own; the page is written anew after each, so an interrupt keeps what
is done, and a script that fails is told in the page and does not end the others. The exit status is
1 then. reproduce_entries.py tells what is in the page. Boards come from the folder ASPLAN_DATA;
scripts/fetch_boards.py tells where they are to be had. Without them some entries are left out, and
others run on generated boards; the page names both.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

import clingo
from markdown_it import MarkdownIt

from asplan.version import __version__
from figures import run
from lib import tables
from lib.figure_blocks import BlockError, Project, write_whole
from reproduce_entries import ABSENT, DOCUMENTS, ENTRIES, Entry

QUICK = (
    "This is the quick scale: a part of the boards, fewer runs. It shows that all is there and "
    "which way things go; figures to be quoted are those of the full scale."
)

STYLE = """\
:root { color-scheme: light dark }
body { font: 16px/1.5 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 14px }
table { margin: 1em 0 2em }
td, th { border: 1px solid light-dark(#ccc, #555); padding: .2em .6em }
img { display: block; max-width: min(100%, 46em); margin: 1em 0; background: white }
code { background: light-dark(#f4f4f4, #333) }
p code { overflow-wrap: anywhere }
"""
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Reproduced</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)


@dataclass(frozen=True)
class Done:
    """The result of an entry, Markdown or the reason for none, and its CPU seconds."""

    printed: str
    seconds: float
    failed: bool = False

    @property
    def state(self) -> str:
        """In a word."""
        return "failed" if self.failed else f"{self.seconds:.0f} s"


@dataclass(frozen=True)
class Reproduction:
    """The entries to run, and the place of the page."""

    folder: Path
    quick: bool
    entries: Sequence[Entry] = ENTRIES
    project: Project = Project()
    data: Path | None = None

    def lacks_boards(self, entry: Entry) -> bool:
        """Return whether the boards of an entry are missing."""
        return bool(entry.boards) and not (self.data and (self.data / entry.boards).is_file())

    def leaves_out(self, entry: Entry) -> bool:
        """Return whether an entry cannot run without its boards."""
        return self.lacks_boards(entry) and not entry.generated

    def place(self, entry: Entry) -> Path:
        """The folder of an entry's pictures."""
        return self.folder / entry.name

    def command(self, entry: Entry, quick: bool) -> str | None:
        """The command of an entry with its places filled in."""
        command = entry.command(quick)
        runs = self.folder / "thesis_runs.jsonl"
        places = {"folder": self.place(entry), "runs": runs}
        return command and command.format(**{n: shlex.quote(str(p)) for n, p in places.items()})


def reproduce(given: Reproduction, seconds: float | None = None) -> dict[str, Done]:
    """Run all that has a place at the scale, and write the page after each."""
    given.folder.mkdir(parents=True, exist_ok=True)
    (given.folder / "thesis_runs.jsonl").unlink(missing_ok=True)  # of another day, or program
    found: dict[str, Done] = {}
    for number, entry in enumerate(given.entries, 1):
        tables.progress(f"{number}/{len(given.entries)}  {entry.name}")
        command = given.command(entry, given.quick)
        if command and not given.leaves_out(entry):
            given.place(entry).mkdir(exist_ok=True)
            found[entry.name] = do(given.project, command, seconds)
            tables.progress(f"     {found[entry.name].state}")
        write(given, found)
    return found


def do(project: Project, command: str, seconds: float | None) -> Done:
    """Run a command."""
    before, failed = spent(), False
    try:
        printed = run(project, [sys.executable, *shlex.split(command)[1:]], seconds)
    except BlockError as error:
        printed, failed = str(error), True
    return Done(printed.strip(), spent() - before, failed)


def spent() -> float:
    """CPU seconds of all commands that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def write(given: Reproduction, found: Mapping[str, Done]) -> None:
    """Write the page, in Markdown and in HTML."""
    text = "\n\n".join(page(given, found)) + "\n"
    write_whole(given.folder / "index.md", text)
    body = render_page(text)
    write_whole(given.folder / "index.html", f"{HEAD}<style>{STYLE}</style>\n{body}")


def render_page(text: str) -> str:
    """Render Markdown as HTML; headings have the names that the table of contents links to."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(content.content))
    rendered: str = markdown.renderer.render(tokens, markdown.options, {})
    return rendered


def anchor(heading: str) -> str:
    """Return the name of a heading in links: in small letters, without signs, with hyphens."""
    words = re.sub(r"[^\w\s-]", "", heading.lower())
    return re.sub(r"\s", "-", words)


def page(given: Reproduction, found: Mapping[str, Done]) -> Iterator[str]:
    """The paragraphs of the page."""
    yield "# The tables and figures of five documents, reproduced"
    versions = f"asplan {__version__}, clingo {clingo.__version__}"
    yield f"{versions}, {date.today().isoformat()}. {QUICK if given.quick else ''}".strip()
    yield (
        "Published figures come from other machines, so compare ratios, counts and lengths, not "
        "seconds."
    )
    yield from boards_told(given)
    yield "\n".join(["| | | CPU time |", "|---|---|---|", *contents(given, found)])
    for document in DOCUMENTS:
        some = [entry for entry in given.entries if entry.document == document]
        absent = [one for one in ABSENT if one.document == document]
        if some:
            yield f"## {document}"
            for entry in some:
                yield from section(given, entry, found.get(entry.name))
            if absent:
                yield "### Not reproduced"
                yield "\n".join(f"- {one.what}: {one.why}" for one in absent)


def contents(given: Reproduction, found: Mapping[str, Done]) -> Iterator[str]:
    """Yield a row for each entry, with a link to its section, and a row for each document."""
    for document in DOCUMENTS:
        some = [entry for entry in given.entries if entry.document == document]
        if some:
            title = document.replace("*", r"\*")
            yield f"| | [**{title}**](#{anchor(document)}) | |"
        for entry in some:
            link = f"[{entry.what}](#{anchor(entry.what)})"
            yield f"| {entry.name} | {link} | {state(given, found, entry)} |"


def boards_told(given: Reproduction) -> Iterator[str]:
    """Describe the entries without boards."""
    out = [f"`{e.name}` ({e.boards})" for e in given.entries if given.leaves_out(e)]
    others = [
        f"`{e.name}`" for e in given.entries if given.lacks_boards(e) and not given.leaves_out(e)
    ]
    where = "`python scripts/fetch_boards.py` tells where to get the boards"
    if out:
        yield (
            f"**Left out**, because ASPLAN_DATA names no folder with their boards, which are "
            f"others' work and do not ship: {', '.join(out)}. {where}."
        )
    if others:
        yield (
            f"**On generated boards** of the same kind, for the same reason: {', '.join(others)}. "
            f"They are states on shortest plans of the boards that ship. {where}."
        )


def state(given: Reproduction, found: Mapping[str, Done], entry: Entry) -> str:
    """How an entry stands, in a word."""
    if done := found.get(entry.name):
        return done.state
    if given.leaves_out(entry):
        return "left out: no boards"
    return "not run yet" if given.command(entry, given.quick) else "not at this scale"


def section(given: Reproduction, entry: Entry, done: Done | None) -> Iterator[str]:
    """The paragraphs of an entry."""
    yield f"### {entry.what}"
    yield f"Published: {entry.published}"
    command = given.command(entry, given.quick)
    if command is None:
        full = given.command(entry, quick=False)
        yield f"Not run at this scale: {entry.less} The command is `{full}`."
        return
    if given.leaves_out(entry):
        yield f"Left out: it needs {entry.boards} in ASPLAN_DATA. The command is `{command}`."
        return
    less = f" {entry.less}" if given.quick and entry.less else ""
    if given.lacks_boards(entry):
        less += " **Generated boards** stand in for those of the source."
    yield f"Ours: `{command}`.{less}"
    if done is None:
        yield "Not run yet."
    elif done.failed:
        yield f"It failed:\n\n```\n{done.printed}\n```"
    else:
        yield done.printed
        if pictures := sorted(given.place(entry).glob("*.[ps][nv]g"), key=by_number):
            yield "\n".join(f"![{p.stem}]({entry.name}/{p.name})" for p in pictures)
    yield f"What differs: {entry.differs}"


def by_number(picture: Path) -> list[str | int]:
    """The order of pictures: figure_5_2 before figure_5_10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", picture.stem)]


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [entry.name for entry in ENTRIES]
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="some of them")
    parser.add_argument("--list", action="store_true", help="the names, and what they are")
    parser.add_argument("-o", "--output", type=Path, default=Path("reproduced"), metavar="FOLDER")
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds for each script")
    given = parser.parse_args(words)
    if given.list:
        tables.show(("name", "what"), [(e.name, e.what) for e in ENTRIES], markdown=False)
        return 0
    some = [entry for entry in ENTRIES if entry.name in (given.only or names)]
    named = os.environ.get("ASPLAN_DATA")
    boards = Path(named).absolute() if named else None
    reproduction = Reproduction(given.output.absolute(), given.quick, some, data=boards)
    for entry in filter(reproduction.leaves_out, some):
        tables.progress(f"left out: {entry.name} needs {entry.boards} in ASPLAN_DATA")
    try:
        found = reproduce(reproduction, given.time_limit)
    except KeyboardInterrupt:
        tables.progress(f"interrupted; what is done stands in {given.output / 'index.md'}")
        return 130
    failed = [name for name, done in found.items() if done.failed]
    tables.progress(f"wrote {given.output / 'index.md'} and index.html")
    if failed:
        tables.progress(f"failed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
