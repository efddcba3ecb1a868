"""The share of broken encodings for which `check` and `explain` name the broken rule to an agent.

The mutants are those of `mutants.py`. A client of the Model Context Protocol calls `check` and
`explain` once for each of them, as an agent would that knows a right plan: the question is why the
mutant refuses the shortest plan of the encoding as it ships. A tool names the rule if its answer
has a place in the lines of the rule. Where the rule is missing, the answer must instead name a
predicate that the rule derived; a missing constraint derives none, and counts as not named. `first`
counts the mutants whose first place, of a warning or else of the explanation, is right.

A mutant that accepts the plan, and of which `check` warns nowhere, is `silent`. Many of these mean
the same as the encoding; the others allow too much, which a plan cannot show.

    python scripts/agent_repairs.py [--number 200] [--seed 1] [--markdown] [--misses]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from mcp import Client

import asplan
from asplan import catalog
from asplan.agents.calls import Caller, Ended
from asplan.agents.server import make_server
from asplan.cli import main as run_command
from asplan.cli.settings import IGNORE
from lib import tables
from lib.mutants import Mutant, mutants
from lib.quick import add_quick
from mutants import CASES, misspelt

RESTS_ON = (
    "src/asplan/agents/*.py",
    "src/asplan/explaining/*.py",
    "src/asplan/warnings/*.py",
    "encodings/*/*.lp",
    "scripts/lib/mutants.py",
)

BROKEN = "broken.lp"
INSTANCE = "instance.lp"
SECONDS = 20.0
COLUMNS = ("mutants", "check", "explain", "either", "first", "silent")


class ForkingCaller(Caller):
    """A caller that runs commands in forks of this process, which has imported their modules."""

    async def run(self, words: Iterable[str], text: str = "") -> Ended:
        """Run a command with `text` as its standard input."""
        with tempfile.TemporaryDirectory() as folder:
            streams = [Path(folder, name) for name in ("in", "out", "err")]
            streams[0].write_text(text)
            child = os.fork()
            if child == 0:
                self._run_here(list(words), streams)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            return Ended(status, streams[1].read_text(), streams[2].read_text())

    def _run_here(self, words: list[str], streams: list[Path]) -> None:
        """Run a command in this process, and end the process."""
        status = 1
        try:
            for number, path in enumerate(streams):
                flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
                os.dup2(os.open(path, flags, 0o600), number)
            os.chdir(self.root)
            os.environ.update({IGNORE: "1", "NO_COLOR": "1", "COLUMNS": "100"})
            sys.argv = ["asplan", *words]
            run_command()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


@dataclass(frozen=True)
class Verdict:
    """What the two tools say about a mutant."""

    by_check: bool
    by_explain: bool
    is_first: bool
    is_silent: bool


async def judge(client: Client, mutant: Mutant, plan: str) -> Verdict:
    """Ask both tools about the mutant, which lies in the folder of the server."""
    files = [BROKEN, INSTANCE]
    checked = await _answer(client, "check", {"files": files})
    explained = await _answer(client, "explain", {"files": files, "plan": plan})
    try:
        warnings = [f"{each['at']} {each['text']}" for each in json.loads(checked)["warnings"]]
    except (ValueError, KeyError):  # the answer is an error
        warnings = [checked]
    first = [*warnings, *_places(explained)][:1]
    return Verdict(
        by_check=any(_names(warning, mutant) for warning in warnings),
        by_explain=_names(explained, mutant),
        is_first=any(_names(text, mutant) for text in first),
        is_silent=not warnings and "accepts the plan" in explained,
    )


async def _answer(client: Client, tool: str, given: dict[str, object]) -> str:
    done = await client.call_tool(tool, given)
    return "".join(part.text for part in done.content if part.type == "text")


def _places(text: str) -> list[str]:
    """Return the lines of a text that name a place in the mutant."""
    return [line for line in text.splitlines() if f"{BROKEN}:" in line]


def _names(text: str, mutant: Mutant) -> bool:
    """Return whether a text names the broken rule, or a predicate of a rule that is missing."""
    if mutant.kind == "delete":
        return any(re.search(rf"\b{re.escape(name)}\b", text) for name in mutant.derives)
    lines = {int(line) for line in re.findall(rf"{re.escape(BROKEN)}:(\d+)", text)}
    return any(mutant.lines[0] <= line <= mutant.lines[1] for line in lines)


@dataclass(frozen=True)
class Task:
    """A mutant of the encoding `path`, with the facts of an instance and a right plan."""

    path: Path
    facts: Path
    mutant: Mutant
    plan: str

    def write(self, folder: Path) -> None:
        """Write the mutant and the instance into a folder, with the files that both include."""
        (folder / BROKEN).write_text(self.mutant.text)
        (folder / INSTANCE).write_text(self.facts.read_text())
        parts = self.path.parent / "parts"
        if parts.is_dir():
            shutil.copytree(parts, folder / "parts", dirs_exist_ok=True)


def draw_tasks(number: int, seed: int) -> Iterator[Task]:
    """Yield the mutants, in the order of `mutants.py`."""
    sources = []
    for domain, name, instance in CASES:
        path = next(e.path for e in catalog.encodings() if (e.domain, e.name) == (domain, name))
        facts = next(
            e.path for e in catalog.instances() if (e.domain, e.name) == (domain, instance)
        )
        good = asplan.solve(instance, encoding=f"{domain}/{name}")
        plan = "\n".join(", ".join(map(str, step)) for step in good.plan or ())
        sources.append((path, facts, plan, (mutants(path, seed), misspelt(path, seed))))
    seen: set[str] = set()
    for turn, (path, facts, plan, both) in enumerate(cycle(sources)):
        if len(seen) == number:
            return
        mutant = next(both[turn // len(CASES) % 6 == 0])
        if mutant.text not in seen:
            seen.add(mutant.text)
            yield Task(path, facts, mutant, plan)


async def judge_all(number: int, seed: int, misses: bool) -> Counter[tuple[str, str]]:
    """Return how many mutants have each verdict, by (kind, column)."""
    counted = Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        server = make_server(ForkingCaller(Path(folder), SECONDS))
        async with Client(server) as client:
            for done, task in enumerate(draw_tasks(number, seed), 1):
                mutant = task.mutant
                task.write(Path(folder))
                said = await judge(client, mutant, task.plan)
                either = said.by_check or said.by_explain
                right = (True, said.by_check, said.by_explain, either, said.is_first)
                for kind in (mutant.kind, "all"):
                    for column, holds in zip(COLUMNS, (*right, said.is_silent), strict=True):
                        counted[kind, column] += holds
                if misses and not either and not said.is_silent:
                    print(f"{task.path.stem}:{mutant.lines[0]} {mutant.kind}")
                    print(f"  {mutant.before}\n  {mutant.after}", flush=True)
                if done % 10 == 0:
                    print(done, file=sys.stderr)
    return counted


def main() -> None:
    """Print how many mutants are named, by kind of slip."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200, help="mutants of all encodings together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="print those that neither names")
    add_quick(parser, "twenty mutants", number=20)
    tables.add_option(parser)
    given = parser.parse_args()
    counted = asyncio.run(judge_all(given.number, given.seed, given.misses))
    kinds = sorted({kind for kind, _ in counted} - {"all"})
    rows = [
        None if kind is None else (kind, *(str(counted[kind, name]) for name in COLUMNS))
        for kind in (*kinds, None, "all")
    ]
    tables.show(("", *COLUMNS), rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
