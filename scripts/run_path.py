"""The path of a run through the modules of asplan: modules, functions, calls and switches.

    python scripts/run_path.py [--markdown]

Three runs are followed: an instance of a domain, a single-shot program and a PDDL task. The files
are read, the problem is solved and the plan is checked, all in this process. Counted are the
modules and functions of asplan that are called, all of their calls, and the switches: calls from a
module other than that of the call before. Imports are not counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

import asplan
from lib import tables

ROOT = Path(__file__).parents[1]

SINGLE_SHOT = """
#const n = 3.
time(0..n). place(1..3). at(1,0).
{ go(P,T) : place(P) } 1 :- time(T), T > 0.
at(P,T) :- go(P,T).
at(P,T) :- at(P,T-1), time(T), not go(_,T).
:- go(P,T), at(Q,T-1), P > Q+1.
:- not at(3,n).
#show go/2.
"""

RUNS: dict[str, Callable[[], asplan.Result]] = {
    "an instance of a domain: sample02": lambda: asplan.solve("sample02"),
    "a single-shot program": lambda: asplan.solve(text=SINGLE_SHOT),
    "a PDDL task: blocks-1": lambda: asplan.solve(*TASK),
}
TASK = tuple(ROOT / "instances/pddl/blocks" / name for name in ("domain.pddl", "blocks-1.pddl"))


@dataclass
class CallCounter:
    """A counter of the calls of asplan's functions, for `sys.setprofile`."""

    functions: set[CodeType] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    calls: int = 0
    switches: int = 0
    _last: str = ""

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        """Count a call of a Python function of asplan; ignore all other events."""
        module = str(frame.f_globals.get("__name__"))
        code = frame.f_code
        if event != "call" or module.partition(".")[0] != "asplan" or code.co_name == "<module>":
            return
        self.calls += 1
        self.functions.add(code)
        self.modules.add(module)
        self.switches += module != self._last
        self._last = module

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the calls in a block."""
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


def follow(run: Callable[[], asplan.Result]) -> CallCounter:
    """Return the counts of a run. It runs twice, and the second one is counted.

    So neither imports nor what is read once in a process are counted.
    """
    run()
    counter = CallCounter()
    with counter.counting():
        run()
    return counter


def main() -> None:
    """Follow the runs and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    tables.add_option(parser)
    given = parser.parse_args()
    rows = []
    for name, run in RUNS.items():
        counts = follow(run)
        numbers = (len(counts.modules), len(counts.functions), counts.calls, counts.switches)
        rows.append((name, *(f"{number:,}" for number in numbers)))
    columns = ("run", "modules", "functions", "calls", "switches")
    tables.show(columns, rows, "paths of three runs", markdown=given.markdown)


if __name__ == "__main__":
    main()
