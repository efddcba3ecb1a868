"""What is imported when it is used, and not before."""

from __future__ import annotations

import subprocess
import sys

SOLVING = """
import sys
import asplan
asplan.solve("two_cars", encoding="origin")
import asplan.cli.solve
print(*sorted(set(sys.argv[1].split(",")) & set(sys.modules)))
"""

UNUSED = (
    "IPython,asplan.notebook.frames,asplan.notebook.pages,asplan.domains.pddl.model,asplan.domains.rush_hour.smt,asplan.domains.sliding_tiles.model,"
    "asplan.drawing.scene,asplan.pddl.names,asplan.sat.engine,asplan.search.astar,"
    "asplan.smt.engine,importlib.metadata,matplotlib,numpy,pandas"
)


def test_a_run_imports_no_engine_domain_or_notation_but_its_own() -> None:
    command = [sys.executable, "-c", SOLVING, UNUSED]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
