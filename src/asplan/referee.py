"""The referee: the verdict of a domain's model on the plans of a user's program."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import inf

from asplan.core.errors import InputWarning, InvalidPlan
from asplan.core.text import shortened
from asplan.execution import why_unknown
from asplan.problem import Problem
from asplan.result import Opinion, Result, Trajectory
from asplan.validation import check_by_model, find_trajectory


def ask_referee(
    problem: Problem,
    result: Result,
) -> Result:
    """Add the verdict of the domain's model on the plans of a user's program.

    The program must plan for an instance of the domain. If the model refuses a plan in all variants
    of the game, add a warning.
    """
    usual = problem.recognised if result.plans else None
    if usual is None:
        return result
    domain, model = usual.domain_and_model()
    if why_unknown(model, result.plans[0]):
        return replace(result, referee=Opinion(domain.name, None))
    refusals: list[InvalidPlan] = []
    for game in chain([usual], problem.other_variants()):
        try:
            trajectory = _accept(game, result, keeps_states=problem.rules is not None)
        except InvalidPlan as error:
            refusals.append(error)
            continue
        variants = {n: v for n, v in game.constants.items() if v != usual.constants[n]}
        return replace(
            result,
            trajectory=trajectory,
            referee=Opinion(domain.name, True, variants),
        )
    refusal = _latest_refusal(refusals)
    text = f"{shortened(refusal.message, 300)}; {domain.name}'s own model refuses the plan"
    hint = f"if the game of the program is not {domain.name}, use -W no-referee"
    warnings = (
        *result.warnings,
        InputWarning(
            "referee",
            text,
            hint=hint,
            doubt=True,
        ),
    )
    return replace(
        result,
        referee=Opinion(domain.name, False),
        warnings=warnings,
    )


def _accept(
    game: Problem,
    result: Result,
    keeps_states: bool,
) -> Trajectory:
    """Check the plans of a result by the model of `game`; return the states of the first plan.

    `game` is the problem with one setting of the domain's variants. With `keeps_states`, return the
    program's own states, for which the author has drawing rules. Raise `InvalidPlan` if a plan is
    not valid, or longer than needed to reach the goal.
    """
    checked = [check_by_model(game, plan, as_listed=False) for plan in result.plans]
    for plan, one in zip(result.plans, checked, strict=True):
        length = len(one.plan)
        if length < len(plan):
            raise InvalidPlan(f"the goal holds after step {length} of {len(plan)} already")
    trajectory = checked[0].trajectory
    if keeps_states and result.trajectory is not None:
        return replace(result.trajectory, boards=trajectory.boards)
    return trajectory


def _latest_refusal(refusals: Sequence[InvalidPlan]) -> InvalidPlan:
    """Return the refusal at the latest step; on ties prefer one that holds in all variants."""
    return max(refusals, key=lambda error: (error.step or inf, not error.by_variant))


def trajectory_of(problem: Problem, result: Result) -> Trajectory:
    """Return the states on the plan of a stored result, with the referee's boards."""
    trajectory = find_trajectory(problem, result)
    return ask_referee(problem, replace(result, trajectory=trajectory)).trajectory or trajectory
