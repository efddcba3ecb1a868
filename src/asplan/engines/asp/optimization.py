"""Optimization at the horizon of the first plan.

It finds the least cost of a plan, the least value of the variable in `asplan(minimize(Variable))`,
and further plans that are equally good.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from asplan.clingo import Function, Number
from asplan.core.errors import InputError
from asplan.core.limits import Stop
from asplan.core.text import LARGEST
from asplan.engines.asp.answer import UNDECIDED, Answer
from asplan.engines.asp.clingo_options import OPTIMIZATION
from asplan.engines.asp.effort import SHORT_TURN, ClingoEffort
from asplan.engines.asp.multishot import MultiShot, require_plan
from asplan.engines.asp.opening import (
    optimizes_at_once,
    takes_turns,
    wanted_models,
)
from asplan.engines.asp.progress import Account, Progress
from asplan.engines.asp.solver import ClingoSolver
from asplan.engines.asp.theory import AT_MOST, BOUND

LONG_TURN = 200_000  # half of the conflicts of a second turn

_CONFLICTS = 1000  # of an attempt at a bound in the first round


def complete_plan(shots: MultiShot) -> Stop | None:
    """Optimize the plan at the horizon of the goal, if its cost or variable is not proven least.

    Also find the other best plans if the user wants several. Return the limit that has stopped
    this, or None.
    """
    account = shots.account
    horizon = account.progress.goal_at
    program = account.program
    if horizon is None:
        return None
    if program.written.minimized and not account.run.options.first:
        return _minimize_variable(shots, horizon)
    in_turns = takes_turns(account.run, program)  # before a solver with one strategy is opened
    stopped = None if _has_least_cost(account) else _solve_again(shots, horizon)
    if stopped is None and in_turns:
        return _find_others(shots, horizon)
    return stopped


def _has_least_cost(account: Account) -> bool:
    """Return whether the first plan is already proven to have the least cost at its horizon."""
    best = account.progress.best
    if best is None or not best.answer.proven:
        return False
    run = account.run
    return takes_turns(run, account.program) or optimizes_at_once(run, account.program)


def _solve_again(
    shots: MultiShot,
    horizon: int,
) -> Stop | None:
    """Solve again at a horizon with the objective, and with the part `plan` if there is one.

    Return the limit that has stopped this, or None.
    """
    account = shots.account
    program = account.program
    work = "reading the plan off" if program.plan_part else "optimizing the cost at"
    account.announce(f"{work} horizon {horizon}")
    shots.demand_plan(horizon)
    if takes_turns(account.run, program):
        answer = _optimize_in_turns(shots, horizon)
    else:
        answer = shots.solver.search(horizon, wanted_models(account.run), optimize=True)
    require_plan(answer, horizon)
    if answer.models:
        account.progress = account.progress.find_plan(horizon, answer)
    return None if answer.proven else Stop.TIME


def _find_others(
    shots: MultiShot,
    horizon: int,
) -> Stop | None:
    """Find further plans of the least cost at a horizon, until there are as many as wanted.

    Return the limit that has stopped this, or None.
    """
    account = shots.account
    wanted = wanted_models(account.run)
    assert account.progress.best is not None
    best = account.progress.best.answer
    if wanted == 1 or not best.models:
        return None
    account.announce(f"looking for more plans of the least cost at horizon {horizon}")
    shots.solver.demand(horizon)
    answer = shots.solver.search(horizon, wanted, True, cost=best.cost)
    if not (answer.proven and answer.models):
        answer = replace(best, cut=True)
    account.progress = account.progress.find_plan(horizon, answer)
    return Stop.TIME if answer.cut else None


def _optimize_in_turns(
    shots: MultiShot,
    horizon: int,
) -> Answer:
    """Return the best answer of two strategies that take turns, each in a solver of its own.

    The strategies are branch and bound and core-guided optimization; each is far faster on some
    programs. Branch and bound begins. Core-guided optimization needs few conflicts if it is the
    faster one, so its turns are short at first. Each cost found bounds the other strategy.
    """
    best = _priced_answer(shots.account.progress)
    keep = partial(shots.account.keep, horizon)
    solvers = [shots.solver]
    for turn in count(1 if best.models else 0):
        if turn == 1:
            if not _open_core_guided(shots, horizon):
                break
            solvers.append(shots.solver)
        solver = solvers[turn % 2]
        conflicts = _conflicts_of_turn(turn, solver.effort)
        cost = best.cost if best.models else ()
        answer = solver.search(horizon, 1, True, conflicts, on_better=keep, cost=cost)
        if answer.satisfiable is not None:
            best = answer
        if answer.satisfiable is False or answer.proven or solver.budget.is_spent():
            break
    return best


def _priced_answer(progress: Progress) -> Answer:
    """Return the best answer so far if it has a cost; else an answer without models."""
    if progress.best is None or not progress.best.answer.cost:
        return UNDECIDED
    return progress.best.answer


def _open_core_guided(shots: MultiShot, horizon: int) -> bool:
    """Ground a solver for core-guided optimization up to a horizon.

    Return False if the budget or another limit prevents it.
    """
    if shots.solver.budget.is_spent():
        return False
    shots.reopen(OPTIMIZATION)
    if shots.ground_to(horizon):
        return False
    shots.demand_plan(horizon)
    return True


def _conflicts_of_turn(turn: int, effort: ClingoEffort) -> int:
    if turn == 0:
        return effort.first_turn
    return SHORT_TURN if turn == 1 else LONG_TURN << turn // 2


def _minimize_variable(
    shots: MultiShot,
    horizon: int,
) -> Stop | None:
    """Find a plan of a horizon with the least value of the program's minimized variable.

    Return the limit that has stopped this, or None.
    """
    account = shots.account
    assert account.progress.best is not None
    answer = account.progress.best.answer
    account.announce(f"minimizing {account.program.written.minimized} at horizon {horizon}")
    shots.solver.demand(horizon)
    for better, least in lower_values(shots.solver, horizon, answer):
        answer = better
        account.progress = replace(account.progress, least_value=least)
        account.keep(horizon, answer)
    return None if answer.proven else Stop.TIME


def lower_values(
    solver: ClingoSolver,
    horizon: int,
    answer: Answer,
) -> Iterator[tuple[Answer, int | None]]:
    """Yield better and better answers, each with a lower bound on the minimized variable.

    The bound is the greatest one that is proven so far; None before any proof. The first answer is
    `answer`. In the last one, the variable is proven to have its least value, unless the budget is
    spent. The goal must be demanded at the horizon.

    Bisect between the lower bound and the best value: search for a model whose value is at most a
    bound. If some conflicts do not decide this, try a bound nearer to the best value. If even the
    nearest bound stays undecided, raise the number of conflicts.
    """
    best = _value(solver, answer)
    least: int | None = None
    conflicts = _CONFLICTS
    gap = max(1, abs(best) // 2)
    while not solver.budget.is_spent():
        is_proven = best == least
        yield replace(answer, cost=(best,), proven=is_proven), least
        if is_proven:
            return
        better = _solve_at_most(solver, horizon, best - gap, conflicts)
        if better.satisfiable:
            answer = better
            best = _value(solver, better)
        elif better.satisfiable is False:
            least = best - gap + 1
        elif gap == 1:
            conflicts *= 4
        open_values = 2 * best if least is None else best - least
        if better.satisfiable is None and gap > 1:
            gap //= 2
        else:
            gap = max(1, open_values // 2)


def _solve_at_most(
    solver: ClingoSolver,
    horizon: int,
    value: int,
    conflicts: int,
) -> Answer:
    """Search for a model at a horizon in which the minimized variable is at most `value`.

    Give up after a number of conflicts.
    """
    bound = [Number(value)]
    at_most = Function(AT_MOST, bound)
    solver.ground([(BOUND, bound)])
    solver.control.assign_external(at_most, True)
    answer = solver.search(horizon, conflicts=min(conflicts, LARGEST))
    solver.control.release_external(at_most)
    return answer


def _value(solver: ClingoSolver, answer: Answer) -> int:
    """Return the minimized variable's value in an answer; raise `InputError` if it has none."""
    variable = str(solver.program.written.minimized)
    value = answer.models[0].values.get(variable)
    if value is None:
        raise InputError(f"asplan(minimize({variable})): no theory atom gives it a value")
    return int(value)
