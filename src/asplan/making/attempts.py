"""Attempts until there are enough puzzles, all different from each other.

Each attempt draws its numbers from the seed and its own number. So an attempt makes the same of
them wherever and whenever it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from asplan.domains.generator import Generator, Puzzle
from asplan.engines import find_engine
from asplan.loading import Words
from asplan.making.made import Generated, Made
from asplan.making.wishes import command_of, find_generator, read_wish
from asplan.plan import Plan
from asplan.planner import Request, answer
from asplan.result import Outcome

Report = Callable[[Generated], None]


def make_puzzles(
    domain: str, words: Mapping[str, Any], count: int, seed: int, tries: int, report: Report
) -> Generated:
    """Make as many puzzles as are wished for, or as come of attempts.

    Parameters
    ----------
    words
        The wish, by option.
    tries
        After so many attempts in a row of which nothing new came no more are made.
    report
        Told what there is so far, before each attempt.

    Raises
    ------
    UsageError
        The wish makes no sense.
    """
    generator = find_generator(domain)
    wish, said = read_wish(generator, words)
    command = command_of(domain, said, seed)
    found = Generated(domain, said, count, seed)
    in_vain = 0
    while len(found.puzzles) < count and in_vain < tries:
        looking = f"looking for puzzle {len(found.puzzles) + 1} of {count}"
        number = found.attempts + 1
        report(replace(found, reason=f"{looking}, attempt {number}"))
        puzzle = _attempted(generator, wish, seed, number)
        found = replace(found, attempts=number)
        if puzzle is None or any(puzzle == made.puzzle for made in found.puzzles):
            in_vain += 1
        else:
            in_vain = 0
            name = f"{len(found.puzzles) + 1:0{max(2, len(str(count)))}}.lp"
            made = Made(name, puzzle, command, number)
            found = replace(found, puzzles=(*found.puzzles, made))
    short = f"nothing new came of {tries} attempts" if len(found.puzzles) < count else ""
    return replace(found, reason=short)


def attempted(domain: str, words: Mapping[str, Any], seed: int, number: int) -> Puzzle | None:
    """What comes of one attempt; raises as `make_puzzles` does."""
    generator = find_generator(domain)
    return _attempted(generator, read_wish(generator, words)[0], seed, number)


def _attempted(generator: Generator, wish: Any, seed: int, number: int) -> Puzzle | None:
    return generator.attempt(wish, Random(f"{seed} {number}"), shortest)


def shortest(facts: str, engine: str) -> Plan:
    """A shortest plan for an instance that has one."""
    request = Request(Words(text=facts), engine, find_engine(engine).options())
    result = answer(request)
    if result.outcome is not Outcome.OPTIMAL or result.plan is None:
        raise AssertionError(f"{engine}: {result.outcome}, {result.reason}")
    return result.plan
