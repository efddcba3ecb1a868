"""Which of clasp's configurations goes on with a search, by the lemmas of its first conflicts.

asplan begins with clasp's default. What was learnt at the first horizon that takes some effort
tells whether another configuration is likely to be faster; a fresh clingo with that one goes on,
and keeps what is refuted. Nothing here looks at a clock, so that a program gets the
same configuration, and the same plan, each time. `scripts/configuration_choice.py` has the
evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

from clingo import Control

from asplan.program.counters import read_counters

WATCH = "--stats=2"
"""Makes clasp count the literals of its lemmas; that takes no time that can be measured."""

JUMPY = "--configuration=jumpy"

ENOUGH = 1000
"""Conflicts in one solve call before its lemmas are looked at."""

LONG = 80
"""Literals of a lemma, on the average, from which on they are long."""

REGROUNDED = 25
"""Rules that are grounded again for each conflict so far, at most: clingo grounds and takes in
some hundred thousand rules a second, and clasp has some thousand conflicts, so that a change costs
no more than was spent already."""


@dataclass(frozen=True)
class Signs:
    """What a solve call has shown: its lemmas, and their literals.

    The program has positive `cycles`, and `rules`; the whole search has had `effort` conflicts.
    """

    lemmas: int
    literals: int
    cycles: int
    rules: int
    effort: int

    @property
    def length(self) -> float:
        """The literals of a lemma, on the average."""
        return self.literals / max(1, self.lemmas)


def read_signs(control: Control, effort: int) -> Signs:
    """The signs of the last solve call; the control was made with `WATCH`."""
    extra = ("solving", "solvers", "extra")
    lemmas, literals = read_counters(control, extra, ("lemmas", "lits_learnt"))
    cycles, rules = read_counters(control, ("problem", "lp"), ("sccs", "rules"))
    return Signs(lemmas, literals, cycles, rules, effort)


def conflicts_worth(rules: int) -> int:
    """How many conflicts cost as much as grounding so many rules again."""
    return -(-rules // REGROUNDED)


def another(signs: Signs) -> tuple[str, str] | None:
    """The configuration to go on with, and why; None where the default stays.

    - Nothing is worth a change that costs more than the search so far.
    - The default suits programs with positive cycles, as labyrinths, whatever their lemmas.
    - Where lemmas are long, clasp learns little from a conflict, and `jumpy` is faster: plans from
      facts of PDDL (333 to 575 literals) took a seventh to two fifths of the time, boxes that push
      each other (109) 0.6. With fewer than 80 it was faster on some and slower on as many.
    """
    if conflicts_worth(signs.rules) > signs.effort or signs.cycles:
        return None
    if signs.length >= LONG:
        return JUMPY, f"lemmas had {signs.length:.0f} literals"
    return None
