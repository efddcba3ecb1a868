"""Plans that only one of a submission and the reference allows.

A submission may find a right plan although it lacks a rule of the reference, because the rule
forbids only other plans. If the states of both programs can be enumerated, the steps of both are
compared in each state. Otherwise the first plans of the submission are replayed in the reference.

A submission may also find a right plan although it forbids others. So the first shortest plans of
the reference are replayed in the submission.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from asplan.api.listing import plans
from asplan.core.errors import AsplanError, InvalidPlan
from asplan.core.plan import Plan
from asplan.domains.model import DomainState
from asplan.problem import Inputs, load, load_space
from asplan.statespace.analysis import TooManyStates
from asplan.statespace.space import AnyModel, state_space
from asplan.validation import check

MOST_STATES = 5_000
"""The most states of a submission to compare."""

MOST_PLANS = 100
"""The most plans to replay: of the reference, or of a submission whose states are unknown."""

LONGER = 2
"""The number of steps by which a replayed plan may be longer than a shortest plan."""

_Step = tuple[str, ...]


def find_loose_plan(own: Inputs, judge: Inputs) -> Plan | None:
    """Return a plan of a submission that the reference refuses; None if none is found.

    `own` are the inputs of the submission, and `judge` those of the reference, for one instance.
    """
    problem = load(judge)
    for plan in _suspects(own, judge):
        try:
            check(problem, plan, as_listed=False)
        except InvalidPlan:
            return plan if _is_accepted(own, plan) else None
    return None


def find_missing_plan(own: Inputs, judge: Inputs) -> tuple[Plan, InvalidPlan] | None:
    """Return a shortest plan of the reference that a submission refuses, with the refusal.

    Return None if none is found. `own` and `judge` are the inputs as for `find_loose_plan`.
    """
    problem = load(own)
    for plan in _plans(judge, within=0):
        try:
            check(problem, plan, as_listed=False)
        except InvalidPlan as error:
            return plan, error
    return None


def _plans(inputs: Inputs, within: int) -> Iterator[Plan]:
    """Yield the first plans with at most `within` steps more than a shortest one."""
    yield from plans(
        *inputs.files,
        constants=dict(inputs.constants),
        steps=inputs.steps,
        number=MOST_PLANS,
        within=within,
    )


def _is_accepted(own: Inputs, plan: Plan) -> bool:
    try:
        check(load(own), plan, as_listed=False)
    except InvalidPlan:
        return False
    return True


def _suspects(own: Inputs, judge: Inputs) -> Iterator[Plan]:
    """Yield plans of a submission that the reference may refuse."""
    try:
        comparison = _Comparison(_model(own), _model(judge))
        plan = comparison.find()
    except AsplanError:  # one of the programs is no transition system, or has too many states
        yield from _plans(own, LONGER)
        return
    if plan is not None:
        yield plan


def _model(inputs: Inputs) -> AnyModel:
    """Return the states of a program or PDDL task; raise `AsplanError` if it has none."""
    _, model = state_space(load_space(replace(inputs, all_states=True)))
    if model.is_whole:
        raise AsplanError("all actions of a plan count, even after the first goal state")
    return model


@dataclass
class _Comparison:
    """The comparison of a submission's states with those of the reference.

    Attributes
    ----------
    own, judge
        The models of the submission and of the reference.
    hopeless
        States of the submission from which it reaches no goal.
    count
        The number of the submission's states that were expanded.
    """

    own: AnyModel
    judge: AnyModel
    hopeless: set[DomainState] = field(default_factory=set)
    count: int = 0

    def find(self) -> Plan | None:
        """Return a plan of the submission with a step that the reference does not offer, if any.

        Or return a plan that reaches the goal of the submission, but not that of the reference.
        Steps without actions are left out.
        """
        starts = frozenset(self.judge.initials)
        pairs = deque((state, starts, Plan()) for state in self.own.initials)
        seen = {(state, starts) for state in self.own.initials}
        while pairs:
            state, others, plan = pairs.popleft()
            is_end = any(map(self.judge.is_goal, others))
            if is_end or self.own.is_goal(state):
                if not is_end:
                    return plan
                continue
            offered = self._offers(others)
            for step, after in self._moves(state):
                longer = Plan((*plan.steps, step))
                if step not in offered:
                    rest = self._rest(after)
                    if rest is not None:
                        return Plan((*longer.steps, *rest.steps))
                    continue
                pair = (after, frozenset(offered[step]))
                if pair not in seen:
                    seen.add(pair)
                    pairs.append((*pair, longer))
        return None

    def _offers(self, states: frozenset[DomainState]) -> dict[_Step, set[DomainState]]:
        """Return the steps that the reference offers in some states, with their successors."""
        offered: dict[_Step, set[DomainState]] = {}
        for state in states:
            for step, after in _named_moves(self.judge, state):
                offered.setdefault(step, set()).add(after)
        return offered

    def _moves(self, state: DomainState) -> Iterator[tuple[_Step, DomainState]]:
        """Yield the steps of the submission in a state, with their successors."""
        self.count += 1
        if self.count > MOST_STATES:
            raise TooManyStates(f"there are more than {MOST_STATES} states")
        return _named_moves(self.own, state)

    def _rest(self, start: DomainState) -> Plan | None:
        """Return a shortest plan of the submission from a state; None if there is none."""
        paths = deque([(start, Plan())])
        seen = {start}
        while paths:
            state, plan = paths.popleft()
            if self.own.is_goal(state):
                return plan
            if state in self.hopeless:
                continue
            for step, after in self._moves(state):
                if after not in seen:
                    seen.add(after)
                    paths.append((after, Plan((*plan.steps, step))))
        self.hopeless |= seen
        return None


def _named_moves(model: AnyModel, state: DomainState) -> Iterator[tuple[_Step, DomainState]]:
    """Yield the steps from a state that have actions, with their successors."""
    for action, after in zip(model.actions(state), model.successors(state), strict=True):
        step = tuple(sorted(model.terms(action)))
        if step:
            yield step, after
