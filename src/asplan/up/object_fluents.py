"""Removal of fluents whose values are objects, by unified-planning's compiler.

The compiler ignores trajectory constraints, so their conditions are rewritten here. Problems that
it cannot compile, or compiles incorrectly, are refused.
"""

from collections.abc import Callable, Iterator, Mapping

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers.usertype_fluents_remover import UsertypeFluentsRemover
from unified_planning.engines.results import CompilerResult
from unified_planning.exceptions import UPUnboundedVariablesError, UPUnsupportedProblemTypeError
from unified_planning.model import (
    DurativeAction,
    Effect,
    Fluent,
    FNode,
    Problem,
)
from unified_planning.model.metrics import Oversubscription
from unified_planning.model.walkers import UsertypeFluentsWalker
from unified_planning.plans import ActionInstance

_REFUSED = "asplan does not take fluents of objects in"

MapBack = Callable[[ActionInstance], ActionInstance | None]
"""Maps an action of a compiled problem to the action of the original problem."""


def without_object_fluents(problem: Problem) -> tuple[Problem, MapBack | None]:
    """Compile away fluents whose values are objects.

    Returns
    -------
    tuple
        The compiled problem, and a function that maps its actions back. Without such fluents, the
        problem itself and None.

    Raises
    ------
    UPUnsupportedProblemTypeError
        The compiler fails, or its result would be wrong.
    """
    if "OBJECT_FLUENTS" not in problem.kind.features:
        return problem, None
    _check_effects(problem)
    try:
        result = _compile(problem)
    except UPUnboundedVariablesError as error:
        raise UPUnsupportedProblemTypeError(f"{_REFUSED} conditions like these: {error}") from None
    _check_goals(problem, result.problem)
    return result.problem, result.map_back_action_instance


def _check_effects(problem: Problem) -> None:
    """Raise an error for an effect whose new value depends on the fluent that it changes."""
    fluents_of = problem.environment.free_vars_extractor.get
    for effect in _effects_of(problem):
        if effect.fluent.type.is_user_type() and effect.fluent in fluents_of(effect.value):
            raise UPUnsupportedProblemTypeError(f"{_REFUSED} a new value of itself: {effect}")


def _effects_of(problem: Problem) -> Iterator[Effect]:
    for action in problem.actions:
        if isinstance(action, DurativeAction):
            for effects in action.effects.values():
                yield from effects
        else:
            yield from action.effects
    for effects in problem.timed_effects.values():
        yield from effects


def _compile(problem: Problem) -> CompilerResult:
    without_constraints = problem.clone()
    without_constraints.clear_trajectory_constraints()
    kind = CompilationKind.USERTYPE_FLUENTS_REMOVING
    result = UsertypeFluentsRemover().compile(without_constraints, kind)
    replacements = {
        fluent: result.problem.fluent(fluent.name)
        for fluent in problem.fluents
        if fluent.type.is_user_type()
    }
    for constraint in problem.trajectory_constraints:
        rewritten = _rewrite_constraint(replacements, constraint).simplify()
        result.problem.trajectory_constraints.append(rewritten)
    return result


def _check_goals(problem: Problem, compiled: Problem) -> None:
    """Raise an error if different soft goals become equal when the problem is compiled."""
    metrics = zip(problem.quality_metrics, compiled.quality_metrics, strict=True)
    for metric, new in metrics:
        if isinstance(metric, Oversubscription) and len(metric.goals) > len(new.goals):
            raise UPUnsupportedProblemTypeError(f"{_REFUSED} {metric}, of which some are the same")


def _rewrite_constraint(replacements: Mapping[Fluent, Fluent], constraint: FNode) -> FNode:
    """Return a trajectory constraint with its object-valued fluents replaced.

    `replacements` maps each such fluent to the Boolean fluent of the compiled problem.
    """
    environment = constraint.environment
    manager = environment.expression_manager
    if constraint.is_bool_constant():
        return constraint
    if constraint.is_and():
        return manager.And(_rewrite_constraint(replacements, part) for part in constraint.args)
    if constraint.is_forall():
        inner = _rewrite_constraint(replacements, constraint.arg(0))
        return manager.Forall(inner, *constraint.variables())
    variables_of = environment.free_vars_oracle.get_free_variables
    conditions = []
    for part in constraint.args:
        walker = UsertypeFluentsWalker(replacements, part.get_contained_names(), environment)
        condition = walker.remove_usertype_fluents_from_condition(part)
        if not variables_of(condition) <= variables_of(part):
            raise UPUnboundedVariablesError(str(part))
        conditions.append(condition)
    return manager.create_node(constraint.node_type, tuple(conditions))
