"""Boards that are others' work: where to get them, and how to make of them what the scripts read.

    python scripts/fetch_boards.py                               names the sources
    python scripts/fetch_boards.py cards FOLDER -o BOARDS        the forty cards, 1.txt to 40.txt
    python scripts/fetch_boards.py database FILE -o BOARDS       Fogleman's database, .txt or .gz

It downloads nothing itself. BOARDS gets rush_hour/jams.tsv or rush_hour/fogleman_sample.tsv, and
ASPLAN_DATA has to name BOARDS then. Each board is read and solved on the way; what is not whole is
named with its line, and nothing is written. Of the database --most N takes N boards for each number
of moves, with walls and without, drawn by --seed; 100 are what the project measures on, all of them
are millions.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from asplan.core.errors import AsplanError, InputError, Location
from asplan.core.text import parse_natural
from asplan.domains import domains
from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.notation import board_text, parse_board, parse_card
from asplan.engines.model_run import run_on_model
from assignment_cards import PUBLISHED
from lib import tables
from lib.figure_blocks import write_whole

CARDS, DATABASE = "rush_hour/jams.tsv", "rush_hour/fogleman_sample.tsv"

AGAIN = "download it again"

SOURCES = (
    (
        "cards",
        "the forty classic cards, as the assignment gives them",
        "https://github.com/ursinus-cs477-f2023/HW2_RushHour (folder jams)",
        "Chris Tralie, Homework 2: The Rush Hour Problem, "
        "https://ursinus-cs477-f2023.github.io/CoursePage/Assignments/HW2_RushHour/",
    ),
    (
        "database",
        "all interesting 6x6 boards, of which the thesis drew its samples",
        "https://www.michaelfogleman.com/rush/ (“the resulting database is available”)",
        "Michael Fogleman, Solving Rush Hour, the Puzzle, 2018; code: "
        "https://github.com/fogleman/rush",
    ),
)
"""Name, what it is, where it was seen, whose work it is."""


@dataclass(frozen=True)
class Known:
    """A board of the database: its fewest slides, its text, its states."""

    slides: int
    text: str
    states: int


def read_cards(folder: Path) -> Iterator[tuple[int, RushHour]]:
    """The cards by their numbers."""
    for number, (length, *_) in enumerate(PUBLISHED, 1):
        file = folder / f"{number}.txt"
        if not file.is_file():
            raise InputError(f"{file} is missing", hint=f"{SOURCES[0][2]} has it")
        lines = text_of(file).splitlines()
        card = parse_card(lines, str(file))
        moves = fewest(card, "step")
        if moves is None or moves + 1 != length:
            found = "has no plan" if moves is None else f"takes {moves} steps"
            last = Location(str(file), len(lines), 1)
            what = f"the card {found}, published are {length - 1}; a car may be missing"
            raise InputError(what, at=last, hint=AGAIN)
        yield number, card


def card_lines(folder: Path) -> Iterator[str]:
    """The table of the cards."""
    yield "# The forty classic cards. board: 36 cells row by row, o empty, x wall, A the red car."
    yield (
        "# slides: fewest moves when one move slides a car any distance; steps: fewest moves of "
        "one cell; states: positions reachable from the start."
    )
    yield "card\tboard\tslides\tsteps\tstates"
    for number, card in read_cards(folder):
        slides, steps = fewest(card, "slide"), fewest(card, "step")
        yield f"{number}\t{lettered(card)}\t{slides}\t{steps}\t{reachable(card)}"


def read_database(file: Path) -> Iterator[Known]:
    """The boards of a database: moves, board and reachable positions in each line."""
    line, number, last = "\n", 0, None
    try:
        with gzip.open(file, "rt") if file.suffix == ".gz" else file.open() as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    last = known(line.split(), Location(str(file), number, 1))
                    yield last
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError):
        at = Location(str(file), number + 1, 1)
        raise InputError("the file is damaged or only a part", at=at, hint=AGAIN) from None
    if last is None:
        raise InputError("the file has no board", at=Location(str(file), 1, 1), hint=AGAIN)
    cut = line.strip() and not line.endswith("\n")
    if cut and reachable(parse_board(last.text)) != last.states:
        at = Location(str(file), number, 1)
        raise InputError("the file ends within this line", at=at, hint=AGAIN)


def known(words: Sequence[str], at: Location) -> Known:
    """A line of a database."""
    numbers = [parse_natural(word) for word in (words[0], words[-1])]
    if len(words) != 3 or None in numbers:
        what = "a line has the fewest moves, a board of 36 cells and the number of its positions"
        raise InputError(what, at=at, hint="as in: 51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780")
    if len(words[1]) != 36:
        raise InputError(f"the board has {len(words[1])} cells of 36", at=at)
    place = replace(at, column=len(words[0]) + 2)
    text = words[1].replace(".", "o")
    parse_board(text, at=place)
    return Known(numbers[0] or 0, text, numbers[1] or 0)


def database_lines(file: Path, most: int | None, seed: int) -> Iterator[str]:
    """The table of a database, or of a sample of it, easy boards first."""
    yield (
        "# From the Fogleman database. slides: fewest moves when one move slides a car any "
        "distance; board: 36 cells row by row, o empty, x wall, A the red car; states: reachable "
        "positions."
    )
    yield "slides\tboard\tstates"
    groups: dict[tuple[int, bool], list[Known]] = defaultdict(list)
    for board in read_database(file):
        groups[board.slides, "x" in board.text].append(board)
    random = Random(seed)
    for _, boards in sorted(groups.items()):
        some = boards if most is None or len(boards) <= most else random.sample(boards, most)
        check_moves(some[0], file)
        yield from (f"{board.slides}\t{board.text}\t{board.states}" for board in some)


def check_moves(board: Known, file: Path) -> None:
    """Solve a board: another number of moves is another metric, or another kind of file."""
    if (moves := fewest(parse_board(board.text), "slide")) != board.slides:
        what = f"{file}: {board.text} takes {moves} slides, not {board.slides}"
        raise InputError(what, hint="is it another database?")


def text_of(file: Path) -> str:
    """Return the text of a file."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError("the file is no text", at=Location(str(file), 1, 1)) from None


def fewest(board: RushHour, metric: str) -> int | None:
    """The moves of a shortest plan."""
    return run_on_model(domains()["rush_hour"], replace(board, metric=metric), "bfs").horizon


def reachable(board: RushHour) -> int:
    """Return the number of reachable positions."""
    found, waiting = {board.initial}, [board.initial]
    while waiting:
        waiting = [after for after in set(board.expand(waiting)) if after not in found]
        found.update(waiting)
    return len(found)


def lettered(card: RushHour) -> str:
    """A card as a string of cells, its cars in the order of the cells."""
    cells, letters = board_text(card), {"A": "A", "o": "o", "x": "x"}
    for cell in cells:
        letters.setdefault(cell, chr(ord("A") + len(letters) - 2))
    return "".join(letters[cell] for cell in cells)


def tell_sources() -> None:
    """Print where the boards come from."""
    for name, what, where, whose in SOURCES:
        print(f"{name}: {what}\n  {where}\n  {whose}\n")
    print(
        "The thesis's own samples and the report's ten configurations are not published on a page "
        "known\nhere; scripts/thesis.py draws samples of the same kind from the database, and the "
        "report's boards\nship as sample01 to sample9."
    )


def main(words: Sequence[str] | None = None) -> int:
    """Name the sources, or write a table; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", nargs="?", choices=[name for name, *_ in SOURCES])
    parser.add_argument("path", type=Path, nargs="?", help="what was downloaded")
    parser.add_argument("-o", "--output", type=Path, default=Path("boards"), metavar="BOARDS")
    parser.add_argument("--most", type=int, default=100, help="of each number; 0: all of them")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    if given.source is None:
        tell_sources()
        return 0
    if given.path is None:
        parser.error(f"{given.source}: what was downloaded?")
    try:
        if given.source == "cards":
            name, lines = CARDS, list(card_lines(given.path))
        else:
            name = DATABASE
            lines = list(database_lines(given.path, given.most or None, given.seed))
        file = given.output / name
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, "\n".join(lines) + "\n")
    except (AsplanError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    tables.progress(f"wrote {file}; now set ASPLAN_DATA={given.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
