"""The assignment's table: forty Rush Hour cards, graph search and A* with `blocking`.

Published and our own figures side by side: the length (states on the path, one more than moves of
one cell) and the additions to the queue, and beside them those of A* with `abstraction`. Our
breadth-first search stops after a whole layer, theirs inside it, so small differences are no
surprise. With --asp each card is solved by the ASP engine as well, with an encoding of that name,
and its length is compared.

    python scripts/assignment_cards.py BOARDS [--asp ENCODING]

BOARDS is a table with the cards' boards in a column `board`, in the order of the cards.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import asplan
from asplan.domains import domains
from asplan.domains.entries import entries
from asplan.domains.rush_hour import RushHour
from asplan.domains.rush_hour.notations.boards import parse_board
from asplan.domains.rush_hour.notations.facts import instance_text
from asplan.engines import run_on_model

# Card: length, additions by graph search, additions by A* with the blocking heuristic.
PUBLISHED = [
    (17, 1072, 1061), (15, 3374, 2447), (34, 832, 814), (23, 435, 416), (19, 2666, 2493),
    (19, 2173, 1951), (22, 4805, 3257), (23, 951, 951), (18, 789, 545), (33, 2370, 2105),
    (57, 856, 843), (34, 1072, 880), (33, 10915, 10354), (35, 15768, 12206), (33, 527, 525),
    (42, 2913, 2587), (48, 2190, 2159), (61, 1636, 1614), (45, 516, 490), (19, 2119, 1463),
    (50, 264, 262), (47, 4875, 4547), (50, 2862, 2549), (51, 4350, 4227), (53, 8901, 8816),
    (50, 4853, 4801), (58, 3006, 2805), (52, 2216, 1948), (55, 4329, 4300), (56, 1170, 1170),
    (70, 4022, 3905), (63, 628, 605), (78, 4100, 3911), (72, 4423, 4401), (76, 3941, 3837),
    (64, 2827, 2475), (66, 1954, 1947), (78, 4042, 3784), (83, 3987, 3801), (82, 3102, 2897),
]  # fmt: skip

ENGINES = {
    "bfs": {"engine": "bfs"},
    "blocking": {"engine": "astar", "heuristic": "blocking"},
    "abstraction": {"engine": "astar", "heuristic": "abstraction"},
}


def solve_card(problem: RushHour) -> tuple[int, dict[str, int]]:
    """The length and the additions to the queue; all engines must agree on the length."""
    domain = domains()["rush_hour"]
    results = {name: run_on_model(domain, problem, **how) for name, how in ENGINES.items()}
    assert all(result.outcome == "optimal" for result in results.values())
    (moves,) = {result.horizon for result in results.values()}
    assert moves is not None
    return moves + 1, {name: result.statistics.queued or 0 for name, result in results.items()}


def solve_by_asp(problem: RushHour, encoding: str) -> int:
    """The length that the ASP engine proves with an encoding."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "card.lp")
        file.write_text(instance_text(problem))
        result = asplan.solve(file, encoding=encoding)
    assert result.outcome == "optimal"
    return len(result.plans[0]) + 1


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("boards", type=Path)
    parser.add_argument("--asp", metavar="ENCODING", help="solve each card by ASP too")
    given = parser.parse_args()
    with given.boards.open(encoding="utf-8") as lines:
        cards = [parse_board(e.text, at=e.at) for e in entries(lines, given.boards.name, "board")]
    table = Table("card", "length", "ours", *(["ASP"] if given.asp else []), "graph search", "bfs")
    for heading in ("A*, blocking", "astar, blocking", "astar, abstraction"):
        table.add_column(heading)
    for column in table.columns:
        column.justify = "right"
    totals = dict.fromkeys(("published bfs", "bfs", "published A*", "blocking", "abstraction"), 0)
    pairs = zip(PUBLISHED, cards, strict=True)
    for number, (published, card) in enumerate(track(list(pairs), "cards", transient=True), 1):
        length, queued = solve_card(card)
        asp = [str(solve_by_asp(card, given.asp))] if given.asp else []
        counts = dict(zip(totals, (published[1], queued["bfs"], published[2]), strict=False))
        counts |= {name: queued[name] for name in ("blocking", "abstraction")}
        totals = {name: totals[name] + counts[name] for name in totals}
        mark = "" if {length, *map(int, asp)} == {published[0]} else " [red]differs"
        table.add_row(
            str(number), str(published[0]), f"{length}{mark}", *asp, *map(str, counts.values())
        )
    table.add_section()
    table.add_row("all", "", "", *([""] if given.asp else []), *map(str, totals.values()))
    console = Console()
    console.print(table)
    saved = 1 - totals["abstraction"] / totals["blocking"]
    console.print(f"abstraction needs {saved:.1%} fewer additions than blocking")


if __name__ == "__main__":
    main()
