"""From words to a problem: the front ends, one module each.

`problem` says what is known once the words are read. `lp` reads ASP, `notation` the notations of
others, which become facts.
"""

from __future__ import annotations

from typing import Protocol

from asplan.loading import lp, notation
from asplan.loading.problem import Problem, Words


class FrontEnd(Protocol):
    """A module that reads words of its own kind."""

    def reads(self, words: Words) -> bool:
        """Whether the words are of that kind."""

    def load(self, words: Words, needs_model: bool) -> Problem:
        """The problem that they describe; raises as `load` does."""


FRONT_ENDS: tuple[FrontEnd, ...] = (notation,)
"""The first that reads the words is taken; where none does, they are ASP."""


def load(words: Words, needs_model: bool = False) -> Problem:
    """Read what a caller names.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense.
    UsageError
        Encoding, constants and files do not go together.
    """
    for front_end in FRONT_ENDS:
        if front_end.reads(words):
            return front_end.load(words, needs_model)
    return lp.load(words, needs_model)


__all__ = ["Problem", "Words", "load"]
