"""The searches through states that join clingo in its process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from asplan.engines.asp.opening import is_parallel
from asplan.engines.asp.progress import Account
from asplan.engines.scheduling import Row, Scheduler, Start

if TYPE_CHECKING:  # most runs end before a search joins
    from asplan.engines.asp.model_search import ModelSearch
    from asplan.engines.asp.state_search import StateSearch

    States = StateSearch | ModelSearch


def open_joining(account: Account) -> Scheduler[States]:
    """Return the scheduler of the searches that may join a run, which can search states."""
    return Scheduler.of_table(BESIDE, account)


def _states_of_model(account: Account) -> Callable[[], ModelSearch] | None:
    """Return what opens the search through the states of the model of a parallel domain."""
    run = account.run
    if not is_parallel(run.problem):
        return None

    def open_search() -> ModelSearch:
        from asplan.engines.asp.model_search import ModelSearch

        return ModelSearch(run)

    return open_search


def _states_of_program(account: Account) -> Callable[[], StateSearch] | None:
    """Return what opens the search through the states of the program."""
    run = account.run
    if is_parallel(run.problem):
        return None

    def open_search() -> StateSearch:
        from asplan.engines.asp.state_search import StateSearch

        return StateSearch(run)

    return open_search


BESIDE: Sequence[Row[Account, Callable[[], States]]] = (
    Row(_states_of_model, Start(effort=500)),  # nothing has to be grounded for these
    Row(_states_of_program, Start(effort=8000)),
)
"""The searches that join clingo in its process, by the conflicts that its search is worth."""
