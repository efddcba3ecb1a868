"""Puzzles with proven difficulty."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from asplan.errors import UsageError
from asplan.limits import Limits
from asplan.making.attempts import make_puzzles
from asplan.making.files import Folder
from asplan.making.made import Generated
from asplan.making.wishes import find_generator, read_wish
from asplan.notebook.progress import told
from asplan.numbers import LARGEST
from asplan.worker import run_isolated

TRIES = 100
"""Attempts in a row of which nothing new comes before the work ends."""


def generate(
    domain: str,
    *,
    count: int = 1,
    seed: int = 1,
    output: str | os.PathLike[str] | None = None,
    tries: int = TRIES,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Callable[[Generated], None] | None = None,
    **wish: Any,
) -> Generated:
    """Make puzzles whose fewest moves are proven, no two alike.

    The same wish and seed give the same puzzles on any machine; a limit only ends the work early.

    Parameters
    ----------
    domain
        `"rush_hour"`, `"sliding_tiles"`, `"brain_twist"`, or one that a package brings.
    count
        How many.
    seed
        A number from 0; another one gives other puzzles.
    output
        A folder for a file of each, which is written as soon as the puzzle is there.
    tries
        After so many attempts in a row of which nothing new came no more are made.
    time_limit, memory_limit
        Seconds and megabytes; the work is done in a child process.
    progress
        Called before each attempt.
    wish
        What `asplan generate DOMAIN --help` names, as words, numbers or flags: `slides="20..30"`.

    Returns
    -------
    Generated
        Where there are fewer puzzles than wished for, `reason` says why, and `stopped` which limit
        it was.

    Raises
    ------
    UsageError
        The wish makes no sense, or the folder is not empty.

    Examples
    --------
    >>> import asplan
    >>> made = asplan.generate("rush_hour", slides=3, size="4x4", cars=4, seed=5)
    >>> made.puzzles[0].puzzle.difficulty["slides"]
    3
    """
    for name, number, least in (("count", count, 1), ("seed", seed, 0), ("tries", tries, 1)):
        if type(number) is not int or not least <= number <= LARGEST:
            raise UsageError(f"{name}={number!r}: {name} is a number from {least}")
    limits = Limits(time_limit, memory_limit)
    limits.check()
    read_wish(find_generator(domain), wish)  # refused before a folder is made
    folder = None if output is None else Folder(output)
    work = partial(make_puzzles, domain, wish, count, seed, tries)
    with ExitStack() as stack:
        tell = stack.enter_context(told(progress, lambda made: (made.reason, None)))

        def report(made: Generated) -> None:
            if folder is not None:
                folder.write(made.puzzles)
            tell(made)

        found = run_isolated(work, limits, report, Generated(domain, count=count, seed=seed))
        if folder is not None:
            folder.write(found.puzzles)
    return found
