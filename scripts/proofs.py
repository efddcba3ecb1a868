"""Proofs that there is no plan: by `pdr`, by listing all states, and by horizon after horizon.

Two families grow. In `locked` the red car stands before a column that is full from top to bottom,
and cars go to and fro beside it. In `rooms` things are carried through a row of five rooms, but the
first of them must not come into the third, and belongs into the fifth. `unsolvable` is a board that
ships.

    python scripts/proofs.py [--limit S] [--markdown]
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass

import asplan
from asplan import Result
from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "encodings/rush_hour/origin.lp",
    "src/asplan/engines/pdr/*.py",
    "src/asplan/statespace/*.py",
    "src/asplan/engines/search/search.py",
)

LOCKED = """
grid(1..9,1..14).
car(r,2,h). position(0,r,5,1).
car(wall,9,v). position(0,wall,1,4).
"""
ROWS = (1, 9, 2, 8, 3, 7, 4, 6)
"""Where a car is beside the locked one; one after the other."""

ROOMS = """
#program base.
way(X,X+1) :- X = 1..4.
way(X+1,X) :- X = 1..4.
at(0,1). thing(0,1..n,1).
#program step(t).
{ occurs(go(Y),t) : at(t-1,X), way(X,Y);
  occurs(carry(T,Y),t) : at(t-1,X), way(X,Y), thing(t-1,T,X) } 1.
goes(t,Y) :- occurs(go(Y),t).
goes(t,Y) :- occurs(carry(_,Y),t).
at(t,Y) :- goes(t,Y).
at(t,X) :- at(t-1,X), not goes(t,_).
thing(t,T,Y) :- occurs(carry(T,Y),t).
thing(t,T,X) :- thing(t-1,T,X), not occurs(carry(T,_),t).
:- occurs(carry(1,3),t).
#program check(t).
:- query(t), not thing(t,1,5).
#show occurs/2.
"""


@dataclass(frozen=True)
class Case:
    """A problem without a plan: its text, or an instance that ships."""

    name: str
    text: str | None = None
    instance: str | None = None
    encoding: str | None = None

    def solve(self, engine: str, limit: float) -> Result:
        """Return the answer of an engine within some seconds."""
        files = [self.instance] if self.instance else []
        return asplan.solve(
            *files,
            text=self.text,
            encoding=self.encoding,
            engine=engine,
            time_limit=limit,
            isolate=True,
        )


def cases() -> list[Case]:
    """Both families, and a board that ships."""
    found = [Case("unsolvable", instance="unsolvable", encoding="origin")]
    for n in (1, 2, 4, 6, 8):
        free = (f"car(f{row},2,h). position(0,f{row},{row},6)." for row in ROWS[:n])
        board = LOCKED + "\n".join(free)
        found.append(Case(f"locked, {n} cars", board, encoding="origin"))
    for n in (2, 4, 8, 16):
        found.append(Case(f"rooms, {n} things", ROOMS.replace("1..n", f"1..{n}")))
    return found


def proven(result: Result) -> str:
    """The seconds of a proof; else how far it came."""
    if result.outcome == "unsolvable":
        return f"{result.seconds.total:.1f}"
    assert result.outcome == "unknown", result.reason
    states = result.statistics.expanded
    return f"> {states} states" if states else f"> {result.lower_bound - 1} steps"


def main() -> None:
    """Prove all, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--limit", type=float, default=20, help="seconds for each")
    add_quick(parser, "3 s for each", limit=3)
    tables.add_option(parser)
    given = parser.parse_args()
    rows = []
    for case in cases():
        pdr, bfs, asp = (case.solve(engine, given.limit) for engine in ("pdr", "bfs", "asp"))
        cubes = re.search(r"one of (\d+) sets", pdr.reason)
        states = re.search(r"the (\d+) reachable", bfs.reason)
        row = (
            case.name,
            cubes[1] if cubes else "",
            str(pdr.statistics.calls),
            proven(pdr),
            states[1] if states else "",
            proven(bfs),
            proven(asp),
        )
        tables.progress(*row)
        rows.append(row)
    columns = ("problem", "cubes", "questions", "pdr, s", "states", "bfs, s", "asp, s")
    tables.show(columns, rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
