"""The schedule of searches that join a run: who joins, when, and where it applies.

A table has a row for each search. Two schedulers read such tables. In one process, `Scheduler`
continues searches by the effort of clingo, so that the same input has the same plan each time. The
races of `portfolio` start searches in processes of their own, by seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

Setting = TypeVar("Setting", contravariant=True)
Who = TypeVar("Who", covariant=True)


@dataclass(frozen=True)
class Start:
    """The start of a search; without any field set, it starts at once.

    Attributes
    ----------
    effort
        Conflicts of clingo, in the same process.
    race
        Seconds of the race.
    race_on_one_core
        The same if the searches have to take turns; by default `race`.
    searched
        Seconds that the leader has searched.
    while_kept_up
        Further seconds of that while a state search keeps up with the leader.
    """

    effort: int = 0
    race: float = 0.0
    race_on_one_core: float | None = None
    searched: float = 0.0
    while_kept_up: float = 0.0

    def race_seconds(self, cores: int) -> float:
        """Return the seconds of the race for a number of cores."""
        if cores > 1 or self.race_on_one_core is None:
            return self.race
        return self.race_on_one_core


AT_ONCE = Start()


@dataclass(frozen=True)
class Row(Generic[Setting, Who]):
    """A row of a table.

    Attributes
    ----------
    who
        A function that returns who joins in a setting; None where the search does not apply.
    start
        The start.
    steady
        True if it keeps a core while others take turns.
    nice
        True if it leaves more of a busy machine to others.
    """

    who: Callable[[Setting], Who | None]
    start: Start = AT_ONCE
    steady: bool = False
    nice: bool = False


class Lead(NamedTuple):
    """The progress of clingo's search: its effort in conflicts, its ground rules, its horizon."""

    effort: int
    rules: int
    horizon: int


class Joining(Protocol):
    """A search that joins, and can be continued."""

    def advance(self, lead: Lead) -> None:
        """Continue while the search has less than its share of the leader's effort."""


Search = TypeVar("Search", bound=Joining)


@dataclass
class Scheduler(Generic[Search]):
    """The searches that join clingo in its process: those that wait for their start, and others."""

    waiting: list[tuple[Start, Callable[[], Search]]]
    running: list[Search] = field(default_factory=list)

    @classmethod
    def of_table(
        cls,
        table: Iterable[Row[Setting, Callable[[], Search]]],
        setting: Setting,
    ) -> Scheduler[Search]:
        """Return the scheduler of the rows that apply in a setting."""
        pairs = ((row.start, row.who(setting)) for row in table)
        return cls([(start, who) for start, who in pairs if who is not None])

    def advance(self, effort: int, rules: int, horizon: int) -> None:
        """Start the searches that are due by the progress of clingo, and continue all that run."""
        lead = Lead(effort, rules, horizon)
        due = [who for start, who in self.waiting if start.effort <= lead.effort]
        if due:
            self.waiting = [pair for pair in self.waiting if pair[0].effort > lead.effort]
            self.running += [who() for who in due]
        for search in self.running:
            search.advance(lead)
