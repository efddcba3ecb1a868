"""The state searches that join clingo in its process.

A state search visits reachable states breadth first. It can prove that there is no plan, or how
long the shortest one is, while clingo searches from horizon to horizon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from asplan.engines.asp.opening import is_parallel
from asplan.engines.asp.progress import Account
from asplan.engines.scheduling import Entrant, Scheduler, Start

if TYPE_CHECKING:  # most runs end before a search joins
    from asplan.engines.asp.model_search import ModelSearch
    from asplan.engines.asp.state_search import StateSearch

    States = StateSearch | ModelSearch


def open_joining(account: Account) -> Scheduler[States]:
    """Return the scheduler of the state searches that may join a run."""
    return Scheduler.of_table(BESIDE, account)


def _states_of_model(account: Account) -> Callable[[], ModelSearch] | None:
    """Return a function that opens a search through the states of the domain's model.

    Return None unless steps of the domain may hold several actions.
    """
    run = account.run
    if not is_parallel(run.problem):
        return None

    def open_search() -> ModelSearch:
        from asplan.engines.asp.model_search import ModelSearch

        return ModelSearch(run)

    return open_search


def _states_of_program(account: Account) -> Callable[[], StateSearch] | None:
    """Return a function that opens a search through the states of the program.

    Return None if steps of the domain may hold several actions.
    """
    run = account.run
    if is_parallel(run.problem):
        return None

    def open_search() -> StateSearch:
        from asplan.engines.asp.state_search import StateSearch

        return StateSearch(run)

    return open_search


BESIDE: Sequence[Entrant[Account, Callable[[], States]]] = (
    Entrant(_states_of_model, Start(effort=500)),  # nothing has to be grounded for these
    Entrant(_states_of_program, Start(effort=8000)),
)
"""The state searches, and the effort of clingo in conflicts after which each joins."""
