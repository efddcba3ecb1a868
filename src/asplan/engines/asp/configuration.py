"""The choice of clasp's configuration for a search, by the lemmas of its first conflicts.

The lemmas of the first horizon that takes some effort show whether another configuration than the
default is likely to be faster. A fresh clingo with that configuration goes on, and keeps the
refuted horizons. No clock is read, so a program gets the same configuration, and the same plan,
each time. `scripts/configuration_choice.py` has the evidence.
"""

from typing import NamedTuple

from asplan.clingo import Control, read_counters
from asplan.engines.asp.effort import conflicts_worth

ENOUGH = 1000  # conflicts in one solve call before its lemmas are read
LONG = 80  # average literals of long lemmas


class Configuration(NamedTuple):
    """A configuration of clasp with the reason for it."""

    name: str
    reason: str

    @property
    def option(self) -> str:
        """The option of clingo that sets it."""
        return f"--configuration={self.name}"


class Signs(NamedTuple):
    """Signs of a solve call: average literals of a lemma, positive cycles, and rules."""

    lemma_length: float
    cycles: int
    rules: int


def read_signs(control: Control) -> Signs:
    """Return the signs of the last solve call of a control that was made with `WATCH`."""
    extra = ("solving", "solvers", "extra")
    lemmas, literals = read_counters(control, extra, ("lemmas", "lits_learnt"))
    cycles, rules = read_counters(control, ("problem", "lp"), ("sccs", "rules"))
    return Signs(literals / max(1, lemmas), cycles, rules)


def better_configuration(signs: Signs, conflicts: int) -> Configuration | None:
    """Return the configuration to go on with after so many conflicts; None keeps the default.

    No change is worth more effort than the search so far. The default suits programs with positive
    cycles, as labyrinths. With long lemmas (plans from facts of PDDL: 333 to 575 literals) `jumpy`
    took a seventh to two fifths of the time; with fewer than 80 literals it was faster on some
    programs and slower on as many.
    """
    if conflicts_worth(signs.rules) > conflicts or signs.cycles:
        return None
    if signs.lemma_length >= LONG:
        return Configuration("jumpy", f"lemmas had {signs.lemma_length:.0f} literals")
    return None
