"""The check that a single-shot program, converted into parts, has the same lengths of plans."""

from asplan.core.budget import Budget
from asplan.core.errors import InvalidPlan
from asplan.core.text import amount
from asplan.engines.asp.opening import make_solver
from asplan.problem import Problem
from asplan.result import Outcome, Result

_CONFLICTS = 1000  # conflicts after which the check of a conversion gives up


def check_conversion(
    problem: Problem,
    result: Result,
    budget: Budget,
) -> None:
    """Raise `InvalidPlan` if a converted program has other plan lengths than the original."""
    if result.horizon is None:
        return
    steps = result.horizon
    least = problem.horizon.least if problem.horizon else 0
    constants = problem.user_constants
    program = problem.written_program
    if problem.program.derives_in_check:
        from asplan.program.transitions.display import without_display

        program = without_display(program, constants, part="base")
    solver = make_solver(program, constants, budget=budget)
    expected: dict[int, bool] = {}  # satisfiability by horizon
    if not result.plans:
        expected[steps] = True
    if result.outcome is Outcome.OPTIMAL and steps > least:
        expected[steps - 1] = False
    for length, satisfiable in expected.items():
        solver.ground_step(length)
        if solver.search(length, conflicts=_CONFLICTS).satisfiable is (not satisfiable):
            has = "no plan" if satisfiable else "a plan"
            why = f"the program has {has} of {amount(length, 'step')}, unlike the program in parts"
            raise InvalidPlan(f"as written, {why}")
