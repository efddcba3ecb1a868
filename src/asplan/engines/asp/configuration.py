"""The choice of clasp's configuration for a search, by the lemmas of its first conflicts.

The lemmas at the first horizon with more than `ENOUGH` conflicts show whether a configuration other
than the default is likely to be faster. If so, clingo starts again with that configuration; refuted
horizons stay refuted. The choice depends on no clock, so a program always gets the same
configuration and the same plan. `scripts/configuration_choice.py` has the evidence.
"""

from typing import NamedTuple

from asplan.clingo import Control, read_counters
from asplan.engines.asp.effort import conflicts_worth

ENOUGH = 1000  # conflicts in one solve call before its lemmas are read
LONG = 80  # average literals of long lemmas


class Configuration(NamedTuple):
    """A configuration of clasp, and the reason for its choice in words."""

    name: str
    reason: str

    @property
    def option(self) -> str:
        """The option of clingo that sets this configuration."""
        return f"--configuration={self.name}"


class Signs(NamedTuple):
    """The figures of a solve call on which the choice of a configuration depends.

    `lemma_length` is the average number of literals in a lemma, `cycles` the number of positive
    cycles (strongly connected components), and `rules` the number of ground rules.
    """

    lemma_length: float
    cycles: int
    rules: int


def read_signs(control: Control) -> Signs:
    """Return the signs of a control's last solve call; the control needs the option `--stats=2`."""
    extra = ("solving", "solvers", "extra")
    lemmas, literals = read_counters(control, extra, ("lemmas", "lits_learnt"))
    cycles, rules = read_counters(control, ("problem", "lp"), ("sccs", "rules"))
    return Signs(literals / max(1, lemmas), cycles, rules)


def better_configuration(signs: Signs, conflicts: int) -> Configuration | None:
    """Return the configuration with which to start clingo again; None to keep the present one.

    `conflicts` is the number of conflicts so far. Return None if grounding all rules again takes
    more effort than these conflicts. Programs with positive cycles, such as labyrinths, keep the
    default. With long lemmas (PDDL tasks as facts: 333 to 575 literals) `jumpy` took a seventh to
    two fifths of the default's time. With lemmas of fewer than 80 literals `jumpy` was slower as
    often as faster.
    """
    if conflicts_worth(signs.rules) > conflicts or signs.cycles:
        return None
    if signs.lemma_length >= LONG:
        return Configuration("jumpy", f"lemmas had {signs.lemma_length:.0f} literals")
    return None
