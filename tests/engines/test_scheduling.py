"""Tests of the tables of searches, and of the scheduler within one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from asplan.engines.scheduling import AT_ONCE, Entrant, Lead, Scheduler, Start


@dataclass
class Search:
    """A search that keeps the effort at which it was continued."""

    name: str
    efforts: list[int] = field(default_factory=list)

    def advance(self, lead: Lead) -> None:
        """Keep the effort of the leader."""
        self.efforts.append(lead.effort)


def opens(name: str) -> Callable[[str], Callable[[], Search] | None]:
    """Return what opens a search in the settings that do not contain its name."""
    return lambda setting: None if name in setting else lambda: Search(name)


TABLE = (
    Entrant(opens("soon"), Start(effort=5)),
    Entrant(opens("late"), Start(effort=10)),
    Entrant(opens("never"), AT_ONCE),
)


def test_searches_join_in_the_order_of_their_effort_and_go_on() -> None:
    scheduler = Scheduler.of_table(TABLE, "never")
    for effort in (1, 5, 9, 10):
        scheduler.advance(effort, rules=0, horizon=0)
    assert [(search.name, search.efforts) for search in scheduler.running] == [
        ("soon", [5, 9, 10]),
        ("late", [10]),
    ]
    assert scheduler.waiting == []


def test_rows_that_do_not_apply_never_join() -> None:
    scheduler = Scheduler.of_table(TABLE, "soon and late")
    scheduler.advance(100, rules=0, horizon=0)
    assert [search.name for search in scheduler.running] == ["never"]


def test_the_start_in_a_race_depends_on_the_cores() -> None:
    assert Start(race=1.0).race_seconds(1) == 1.0
    late = Start(race=1.0, race_on_one_core=5.0)
    assert [late.race_seconds(cores) for cores in (1, 2)] == [5.0, 1.0]
