"""Schedules of further searches: which searches join a run, when, and on which problems.

A table has a row for each search. It is read in two ways. `Scheduler` runs the searches in the
process of clingo and starts them by clingo's effort in conflicts, not by a clock, so that the same
input has the same plan each time. The races of `portfolio` start each search in a process of its
own, after some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Generic, NamedTuple, Protocol, TypeVar

from asplan.core.dataclass import dataclass

Setting = TypeVar("Setting", contravariant=True)
Who = TypeVar("Who", covariant=True)


@dataclass(frozen=True)
class Start:
    """The time at which a search starts; without any field set, it starts at once.

    Attributes
    ----------
    effort
        In a `Scheduler`: the number of conflicts after which the search joins clingo.
    race
        In a race of processes: the seconds after the start of the race.
    race_on_one_core
        `race` for a machine with one core, on which searches take turns; None is `race` itself.
    searched
        The seconds of search that the leader, the first search of a race, must have spent.
    while_kept_up
        Seconds added to `searched` while a state search keeps up with the leader.
    """

    effort: int = 0
    race: float = 0.0
    race_on_one_core: float | None = None
    searched: float = 0.0
    while_kept_up: float = 0.0

    def race_seconds(self, cores: int) -> float:
        """Return the seconds from the start of a race to the start of this search.

        `cores` is the number of the machine's cores.
        """
        if cores > 1 or self.race_on_one_core is None:
            return self.race
        return self.race_on_one_core


AT_ONCE = Start()


@dataclass(frozen=True)
class Entrant(Generic[Setting, Who]):
    """A row of a table: one search that may join a run.

    Attributes
    ----------
    who
        A function that takes the setting, such as the run. It returns the search, or a function
        that opens the search; it returns None if the search does not apply.
    start
        The time at which the search starts.
    steady
        True if it keeps a core of its own while other searches take turns.
    nice
        True if it runs with a lower priority on a busy machine.
    """

    who: Callable[[Setting], Who | None]
    start: Start = AT_ONCE
    steady: bool = False
    nice: bool = False


class Lead(NamedTuple):
    """The progress of clingo's search, by which the searches beside it are paced.

    `effort` is in conflicts, `rules` is the number of ground rules, and `horizon` is the present
    horizon.
    """

    effort: int
    rules: int
    horizon: int


class Joining(Protocol):
    """A search that runs beside clingo's search, in small portions."""

    def advance(self, lead: Lead) -> None:
        """Continue until the search has used its share of clingo's effort."""


Search = TypeVar("Search", bound=Joining)


@dataclass
class Scheduler(Generic[Search]):
    """The searches that join clingo in its process.

    `waiting` has the start of each search that has not begun, with the function that opens it.
    `running` has the searches that have begun.
    """

    waiting: list[tuple[Start, Callable[[], Search]]]
    running: list[Search] = field(default_factory=list)

    @classmethod
    def of_table(
        cls,
        table: Iterable[Entrant[Setting, Callable[[], Search]]],
        setting: Setting,
    ) -> Scheduler[Search]:
        """Return a scheduler of the searches in a table that apply to a setting."""
        pairs = ((row.start, row.who(setting)) for row in table)
        return cls([(start, who) for start, who in pairs if who is not None])

    def advance(self, effort: int, rules: int, horizon: int) -> None:
        """Start the searches that are due at clingo's progress, and continue all running ones.

        `effort` is in conflicts of clingo, `rules` the number of its ground rules.
        """
        lead = Lead(effort, rules, horizon)
        due = [who for start, who in self.waiting if start.effort <= lead.effort]
        if due:
            self.waiting = [pair for pair in self.waiting if pair[0].effort > lead.effort]
            self.running += [who() for who in due]
        for search in self.running:
            search.advance(lead)
