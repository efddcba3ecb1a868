"""Fluents whose values are objects: unified-planning's compiler takes them away.

It knows nothing of trajectory constraints, whose conditions are rewritten here. What it fails at,
or gets wrong, is refused.
"""

from collections.abc import Callable, Mapping
from itertools import chain

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers.usertype_fluents_remover import UsertypeFluentsRemover
from unified_planning.exceptions import UPUnboundedVariablesError, UPUnsupportedProblemTypeError
from unified_planning.model import DurativeAction, Effect, Fluent, FNode, Problem
from unified_planning.model.metrics import Oversubscription
from unified_planning.model.walkers import UsertypeFluentsWalker
from unified_planning.plans import ActionInstance

_REFUSED = "asplan does not take fluents of objects in"

Mapped = Callable[[ActionInstance], ActionInstance | None]
"""From an action of a problem that was compiled to one of the problem that is meant."""


def without_object_fluents(problem: Problem) -> tuple[Problem, Mapped | None]:
    """The problem without fluents of objects, and what maps its actions back, if any changed."""
    if "OBJECT_FLUENTS" not in problem.kind.features:
        return problem, None
    fluents_of = problem.environment.free_vars_extractor.get
    groups = list[list[Effect]]()
    for action in problem.actions:
        is_durative = isinstance(action, DurativeAction)
        groups += action.effects.values() if is_durative else [action.effects]
    for effect in chain(*groups, *problem.timed_effects.values()):
        if effect.fluent in fluents_of(effect.value) and effect.fluent.type.is_user_type():
            raise UPUnsupportedProblemTypeError(f"{_REFUSED} a new value of itself: {effect}")
    free = problem.clone()
    free.clear_trajectory_constraints()  # of which the compiler knows nothing
    try:
        done = UsertypeFluentsRemover().compile(free, CompilationKind.USERTYPE_FLUENTS_REMOVING)
        fluents = {f: done.problem.fluent(f.name) for f in problem.fluents if f.type.is_user_type()}
        for constraint in problem.trajectory_constraints:
            done.problem.trajectory_constraints.append(_over(fluents, constraint).simplify())
    except UPUnboundedVariablesError as error:
        raise UPUnsupportedProblemTypeError(f"{_REFUSED} conditions like these: {error}") from None
    for one, other in zip(problem.quality_metrics, done.problem.quality_metrics, strict=True):
        if isinstance(one, Oversubscription) and len(one.goals) > len(other.goals):
            raise UPUnsupportedProblemTypeError(f"{_REFUSED} {one}, of which some are the same")
    return done.problem, done.map_back_action_instance


def _over(fluents: Mapping[Fluent, Fluent], constraint: FNode) -> FNode:
    """A trajectory constraint whose conditions have the latter of each two fluents."""
    environment = constraint.environment
    manager = environment.expression_manager
    if constraint.is_bool_constant():
        return constraint
    if constraint.is_and():
        return manager.And(_over(fluents, part) for part in constraint.args)
    if constraint.is_forall():
        return manager.Forall(_over(fluents, constraint.arg(0)), *constraint.variables())
    parts, variables_of = list[FNode](), environment.free_vars_oracle.get_free_variables
    for part in constraint.args:
        walker = UsertypeFluentsWalker(fluents, part.get_contained_names(), environment)
        parts.append(walker.remove_usertype_fluents_from_condition(part))
        if not variables_of(parts[-1]) <= variables_of(part):
            raise UPUnboundedVariablesError(str(part))
    return manager.create_node(constraint.node_type, tuple(parts))
