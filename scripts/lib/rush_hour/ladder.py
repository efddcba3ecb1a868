"""The ladder of Rush Hour boards: one for each number of slides, and some that are larger.

    python scripts/rush_hour.py ladder --make [--only NAME…]     make those that are not there
    python scripts/rush_hour.py ladder --prove [--only NAME…]    prove those that ship
    python scripts/rush_hour.py ladder --again [--only NAME…]    make them again, and compare

A board is what `asplan generate` makes for the wish in `RUNGS`; its header names the command. To
prove it, breadth-first search and the frontier encoding (of 81 cells `order`) find the fewest
moves in both metrics, and its whole space shows that the start is the hardest, that it has as many
states as it says, and (of those named after their slides) that no car is superfluous.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from itertools import count
from pathlib import Path
from typing import Any

import asplan
from asplan.domains.generator import Puzzle
from asplan.puzzles import Made, attempt, command_of
from lib.quick import add_quick

FOLDER = Path(__file__).parents[3] / "instances" / "rush_hour" / "ladder"
METRICS = ("step", "slide")
TITLE = re.compile(r"shortest plan (\d+) steps, (\d+) slides; (\d+) states")
COMMAND = re.compile(r"^% (asplan generate rush_hour .*)   \(attempt (\d+)\)$", re.MULTILINE)

RUNGS: dict[str, dict[str, Any]] = {
    **{
        f"slides{n:02}": {"slides": n, "cars": cars, "minimal": True, "seed": 1}
        for cars, numbers in (
            ("1..3", range(1, 4)),
            ("3..7", range(4, 12)),
            ("6..10", range(12, 18)),
            ("8..12", range(18, 27)),
            ("9..13", range(27, 37)),
        )
        for n in numbers
    },
    "slides37": {"slides": "37..46", "minimal": True, "seed": 4},
    "slides38": {"slides": "37..41", "minimal": True, "seed": 5},
    "slides39": {"slides": "37..41", "minimal": True, "seed": 6},
    "slides40": {"slides": "37..41", "minimal": True, "seed": 5},
    "slides41": {"slides": "37..46", "minimal": True, "seed": 4},
    "board7x7": {"size": "7x7", "slides": "25..35", "seed": 1},
    "board8x8": {"size": "8x8", "slides": "25..35", "seed": 1},
    "board9x9": {"size": "9x9", "slides": "20..35", "seed": 1},
}
"""For each board its wish; the first one of these slides is taken that it grants."""


def make(name: str) -> None:
    """Make a board."""
    wish = dict(RUNGS[name])
    seed = wish.pop("seed")
    wanted = re.search(r"slides(\d+)", name)
    for number in count(1):
        puzzle = attempt("rush_hour", wish, seed, number)
        if puzzle and (wanted is None or puzzle.difficulty["slides"] == int(wanted[1])):
            said = {option: str(word) for option, word in wish.items()}
            made = Made(f"{name}.lp", puzzle, command_of("rush_hour", said, seed), number)
            (FOLDER / made.name).write_text(made.text)
            return


def again(text: str) -> str | None:
    """Describe how the board that a file's command makes differs from the file."""
    found = COMMAND.search(text)
    assert found, text
    puzzle = _made_by(found[1], int(found[2]))
    if puzzle is None:
        return "the command makes nothing"
    return None if Made("", puzzle, found[1], int(found[2])).text == text else "another board"


def _made_by(command: str, number: int) -> Puzzle | None:
    words = shlex.split(command)[3:]
    wish: dict[str, Any] = {}
    for word, after in zip(words, [*words[1:], "--"], strict=True):
        if word.startswith("--"):
            wish[word[2:]] = True if after.startswith("--") else after
    return attempt("rush_hour", wish, int(wish.pop("seed")), number)


def prove(file: Path) -> str | None:
    """Describe the wrong claims of a board."""
    told = TITLE.search(file.read_text())
    assert told, file
    steps, slides, states = map(int, told.groups())
    for metric, moves in zip(METRICS, (steps, slides), strict=True):
        # The frontier encoding packs a board into 64 bits.
        encoding = "order" if file.stem == "board9x9" else "frontier"
        for how in ({"engine": "bfs"}, {"encoding": encoding}):
            result = asplan.solve(file, metric=metric, **how)
            if (result.outcome, result.horizon) != (asplan.Outcome.OPTIMAL, moves):
                return f"{how}, {metric}: {result.outcome}, {result.horizon}"
    found = asplan.analyse(file, metric="slide")
    if (found.states, found.is_hardest) != (states, True):
        return f"{found.states} states; hardest: {found.is_hardest}"
    superfluous = [role.name for role in found.roles if role.is_superfluous]
    return f"superfluous: {superfluous}" if superfluous and "slides" in file.stem else None


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--only", nargs="+", default=list(RUNGS), choices=list(RUNGS))
    for what in ("--make", "--prove", "--again"):
        parser.add_argument(what, action="store_true")
    add_quick(parser, "every tenth board", only=list(RUNGS)[::10])


def study(given: argparse.Namespace) -> None:
    """Make, prove, or make again."""
    wrong = 0
    for name in given.only:
        file = FOLDER / f"{name}.lp"
        if given.make and not file.exists():
            make(name)
        found = [prove(file)] if given.prove else []
        found += [again(file.read_text())] if given.again else []
        wrong += any(found)
        print(name, *(it or "as it says" for it in found), flush=True)
    sys.exit(wrong > 0)
