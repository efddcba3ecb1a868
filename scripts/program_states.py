"""The cost of states of programs, and a comparison with the states of the models.

For each example program and for encodings of Rush Hour: its states, CPU time and memory for each of
them, the length that `bfs` finds through them, and the one that the instance's header states.
Of spaces that are larger than `--most` as many states are looked at.

    python scripts/program_states.py [--most N] [--markdown]
    python scripts/program_states.py --boards 200       boards without a plan, proven from origin
    python scripts/program_states.py --models 10        states of programs and of models, compared
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import asplan
from asplan import catalog
from asplan.problem import Inputs, load_space
from asplan.statespace.space import state_space
from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/statespace/*.py",
    "src/asplan/program/transitions/stepwise.py",
    "src/asplan/engines/search/search.py",
)

TESTS = Path(__file__).parents[1] / "tests"

SPACES = (
    *(("blocks/sussman", None), ("gripper/balls_5", None), ("hanoi/towers6", None)),
    *(("jugs/twelve_seven_five", None), ("logistics/five_packages", None)),
    *(("pancakes/seven", None), ("recolouring/nine_vertices", None), ("river/sheep", None)),
    *(("robots/six_robots", None), ("sokoban/warehouse", None)),
    *(("rush_hour/sample03", e) for e in ("origin", "block_tuple", "independent_blocks")),
    *(("rush_hour/unsolvable", e) for e in ("origin",)),
)
"""Instances of the ten examples and of Rush Hour, each with an encoding."""

ENCODINGS = ("origin", "origin_naive", "block_tuple", "independent_blocks", "order")


def explored(instance: str, encoding: str | None, most: int) -> tuple[tables.Row, float]:
    """A row about one space, and the milliseconds for a state."""
    words = Inputs((instance,), encoding=encoding)
    domain, model = state_space(load_space(words))
    start, length, cut = time.process_time(), None, False
    layer = list(model.initials)
    seen, depth = set(layer), 0
    while layer:
        if length is None and any(map(model.is_goal, layer)):
            length = depth
        if cut := len(seen) > most:
            break
        # Not more of a layer than is to be looked at.
        fresh = set(model.expand(layer[: most + 1])) - seen
        seen |= fresh
        layer, depth = list(fresh), depth + 1
    spent = 1000 * (time.process_time() - start) / (len(seen) - len(layer) if cut else len(seen))
    bits = len(model.generator.inputs) + 1
    size = (sum(map(sys.getsizeof, seen)) + sys.getsizeof(seen)) / len(seen)
    stated = re.search(r"(\d+) steps", Path(catalog.find_instance(instance)).read_text())
    row = (
        *(instance.partition("/")[2], domain.name, f"{'> ' * cut}{len(seen)}", f"{bits}"),
        *(f"{spent:.3f}", f"{size:.0f}", "" if length is None else f"{length}"),
        "" if stated is None else stated[1],
    )
    tables.progress(*row)
    return row, spent


def rows(most: int, times: list[float]) -> Iterator[tables.Row]:
    """A row for each space."""
    for instance, encoding in SPACES:
        row, spent = explored(instance, encoding, most)
        times.append(spent)
        yield row


def boards(count: int) -> None:
    """Prove of some random boards that they have no plan, by the rules of origin alone."""
    sys.path.insert(0, str(TESTS))
    import oracle
    from boards import random_board
    from conftest import facts

    random, proven = Random(1), 0
    while proven < count:
        board = random_board(random, sides=(4, 6), most=8)
        if oracle.solve(board, "step") is None:
            result = asplan.solve(text=facts(board), encoding="origin", engine="bfs")
            if result.outcome != "unsolvable":
                sys.exit(f"{result.outcome}: {facts(board)}")
            proven += 1
    tables.say(f"{proven} random boards without a plan, all proven from `origin`.")


def models(count: int) -> None:
    """Compare states of encodings of Rush Hour with those of the model, for some random boards."""
    sys.path[:0] = [str(TESTS), str(TESTS / "statespace")]
    from test_program_states import check_same

    from boards import random_board
    from conftest import facts

    random = Random(2)
    for number in range(count):
        board = random_board(random, sides=(4, 6), most=8)
        for metric in ("step", "slide"):
            for encoding in ENCODINGS:
                check_same(Inputs(text=facts(board), constants={"metric": metric}), encoding)
        tables.progress(number + 1, "boards")
    tables.say(f"{count} boards, both metrics, {len(ENCODINGS)} encodings: the same states.")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, default=50_000, help="states that are looked at")
    parser.add_argument("--boards", type=int, help="how many boards without a plan to prove")
    parser.add_argument("--models", type=int, help="how many boards to compare with the model")
    add_quick(parser, "5000 states", most=5000)
    tables.add_option(parser)
    given = parser.parse_args()
    if given.boards or given.models:
        if given.boards:
            boards(given.boards)
        if given.models:
            models(given.models)
        return
    times: list[float] = []
    columns = ["instance", "program", "states", "bits", "ms", "bytes", "`bfs`", "known"]
    tables.show(columns, rows(given.most, times), markdown=given.markdown)
    tables.say(f"Median: {statistics.median(times):.3f} ms a state.")


if __name__ == "__main__":
    main()
