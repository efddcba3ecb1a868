"""How a domain makes puzzles, attempt by attempt.

An attempt depends on the wish and on the numbers that it draws, and on nothing else: so the same
seed gives the same puzzles on any machine, in one process or in many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from clingo import parse_term

from asplan.domains.wishes import Option
from asplan.plan import Plan


@dataclass(frozen=True)
class Puzzle:
    """A puzzle whose difficulty is proven.

    Attributes
    ----------
    title
        The first line of its file.
    facts
        Its instance.
    picture
        The state at time 0 as lines of text.
    difficulty
        What is known of it exactly, in the order in which it is told: `{"slides": 20, …}`.
    """

    title: str
    facts: str
    picture: str
    difficulty: Mapping[str, int]


Shortest = Callable[[str, str], Plan]
"""From the facts of an instance that has a plan to a shortest one, which an engine that is named
has proven to be so."""


def before_the_last(moves: int, plan: Plan, model: Any) -> Any | None:
    """The state in which so many moves of a shortest plan are left; None if it has not so many.

    The rest of a shortest plan is a shortest plan, else the whole could be shortened.
    """
    done = len(plan) - moves
    if done < 0:
        return None
    state = model.initial
    for action in plan.actions[:done]:
        state = model.apply(state, model.parse_action(parse_term(action)))
    return state


@dataclass(frozen=True)
class Census:
    """How all puzzles of a kind are counted, part by part.

    Attributes
    ----------
    about
        What is counted, one line for people.
    options
        The names of the options that say which.
    parts
        From a wish to the number of parts; raises `UsageError` where they are too many.
    count
        From a wish and the number of a part, from 0, to its counts by name, which are added up
        over the parts.
    """

    about: str
    options: frozenset[str]
    parts: Callable[[Any], int]
    count: Callable[[Any, int], Mapping[str, int]]


@dataclass(frozen=True)
class Generator:
    """What can be wished of the puzzles of a domain, and how they are made.

    Attributes
    ----------
    about
        One line for people.
    options
        What can be wished.
    wish
        From the values of the options, None for what is left open, to what `attempt` is given;
        raises `UsageError` for what contradicts itself.
    attempt
        Tries to make a puzzle; None where nothing came of it. It ends in any case. Puzzles that
        are the same but for names or mirror images are equal. It draws all its numbers from what
        it is given, and may ask for a shortest plan.
    census
        How all are counted, if they are.
    """

    about: str
    options: Sequence[Option]
    wish: Callable[[Mapping[str, Any]], Any]
    attempt: Callable[[Any, Random, Shortest], Puzzle | None]
    census: Census | None = None
