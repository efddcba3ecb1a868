"""From words to a problem: the front ends, one module each.

`problem` says what is known once the words are read. `lp` reads ASP, `pddl` PDDL, and `notation`
the notations of others, which become facts. `variant` takes an encoding's name apart before that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from asplan.forking import holds_locks
from asplan.pddl import front as pddl
from asplan.problem import lp, notation
from asplan.problem.problem import Problem, Words, with_variant

FRONT_ENDS: tuple[Callable[[Words, bool], Problem | None], ...] = (pddl.load, notation.load)
"""Each reads words of its own kind, and leaves all others to the next; the last one is ASP."""


@holds_locks
def load(words: Words, needs_model: bool = False) -> Problem:
    """Read what a caller names; `needs_model` is that no encoding is wanted.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense.
    UsageError
        Encoding, constants and files do not go together.
    """
    words = with_variant(words)
    for front_end in FRONT_ENDS:
        if problem := front_end(words, needs_model):
            return problem
    return lp.load(words, needs_model)


@holds_locks
def load_space(words: Words) -> Problem:
    """Read what a caller names, so that its states can be searched; raises as `load` does.

    The states are those of the domain's model, if there is one and no encoding is named.
    """
    if words.encoding is None:
        problem = load(words, needs_model=True)
        if problem.model is not None or problem.is_whole:
            return replace(problem, all_states=words.all_states)
    return replace(load(words), by_encoding=True, all_states=words.all_states)


@holds_locks
def load_source(words: Words) -> Problem | None:
    """The problem as its source says it, with nothing translated, so that plans can be checked.

    None where files are facts, which need no translation. Raises as `load` does.
    """
    return pddl.load_source(words)


__all__ = ["Problem", "Words", "load", "load_source", "load_space"]
