"""Late imports: a module is imported at its first use."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from asplan.cli.commands import cli

SOLVING = """
import sys
import asplan
asplan.solve("two_cars", encoding="origin")
import asplan.cli.solve
print(*sorted(set(sys.argv[1].split(",")) & set(sys.modules)))
"""

UNUSED = (
    "IPython,asplan.notebook.frames,asplan.notebook.pages,asplan.pddl.task.model,asplan.domains.rush_hour.smt,asplan.domains.sliding_tiles.model,"
    "asplan.drawing.scene,asplan.pddl.language.names,asplan.engines.sat.engine,asplan.engines.search.astar,"
    "importlib.metadata,matplotlib,numpy,pandas"
)


def test_a_run_imports_no_engine_domain_or_notation_but_its_own() -> None:
    command = [sys.executable, "-c", SOLVING, UNUSED]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


LOADED = """
import sys
from asplan.cli.commands import run_command
for words in sys.argv[2].split(";"):
    run_command(words.split())
print(*sorted(set(sys.argv[1].split(",")) & set(sys.modules)), file=sys.stderr)
"""

HEAVY = "IPython,PIL,imageio,matplotlib,numpy,pandas,pysat,scipy,starlette,uvicorn,z3"

COMMANDS = [*cli.list_commands(None), "bench run", "bench report", "bench compare"]


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        ("--version", f"{HEAVY},asplan.domains,clingo,rich"),
        ("solve two_cars --json", f"{HEAVY},rich"),
        ("list --json", HEAVY),
        (";".join(f"{command} --help" for command in COMMANDS), HEAVY),
    ],
    ids=["version", "solve", "list", "help"],
)
def test_a_command_imports_only_used_modules(words: str, unused: str) -> None:
    command = [sys.executable, "-c", LOADED, unused, words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.strip()) == (0, "")


COMPLETED = """
import sys
from asplan.cli.commands import run_command
run_command([])
print(*sorted(name for name in sys.modules if name.startswith("asplan.")), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "number", "needed"),
    [("asplan ", "1", set()), ("asplan solve --e", "2", {"asplan.cli.solve", "asplan.engines"})],
    ids=["commands", "options"],
)
def test_a_completion_imports_only_its_command(words: str, number: str, needed: set[str]) -> None:
    asked = {"_ASPLAN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": number}
    command = [sys.executable, "-c", COMPLETED]
    environment = {**os.environ, **asked}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    loaded = set(done.stderr.split())
    commands = {f"asplan.cli.{name}" for name in cli.list_commands(None)}
    assert done.stdout.startswith("plain,")
    assert loaded & (commands | {"asplan.engines", "asplan.problem"}) == needed
