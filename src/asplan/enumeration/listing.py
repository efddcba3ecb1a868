"""The list of plans: those of a source that the caller wants, each of them checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace

from asplan.core.budget import ENDLESS, Budget, OutOfBudget
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.enumeration.graph import Uses
from asplan.enumeration.identity import KnownPlans, actions_of
from asplan.enumeration.source import Complete, Source, ValuedPlan
from asplan.enumeration.wanted import Wanted
from asplan.problem import Problem
from asplan.result import Listing, Result
from asplan.validation import Checked, check


def _prove_nothing(longest: int) -> str:
    return ""


@dataclass
class PlanLister:
    """The plans of a problem that a caller wants, best first; iteration finds them.

    Attributes
    ----------
    problem
        The problem, against which each plan is checked.
    wanted
        The description of the plans that the caller wants.
    source
        All plans of the problem, best first.
    budget
        The budget of the whole search; if it is spent, the iteration ends.
    by_cost
        True if the plans are ordered by cost; False if by length.
    prove_end
        A function that gets a number of steps, and returns a proof in words that no plan is longer;
        empty without a proof. It is called after each level without a new plan.
    listing
        The claims about the plans so far.
    proof
        The proof that no other plan exists, in words; empty without a proof.
    """

    problem: Problem
    wanted: Wanted
    source: Source
    budget: Budget = ENDLESS
    by_cost: bool = False
    prove_end: Callable[[int], str] = _prove_nothing
    listing: Listing = Listing()
    proof: str = ""
    _has_first: bool = False
    _known: KnownPlans = field(default_factory=KnownPlans)
    _keys: set[Hashable] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with the claims about an empty list."""
        self.listing = replace(self.listing, by_cost=self.by_cost)

    def __iter__(self) -> Iterator[Checked]:
        """Yield the checked plans; update the claims in `listing` before each plan."""
        try:
            yield from self._plans()
        except OutOfBudget:
            self.listing = replace(self.listing, is_cut=True)

    def _plans(self) -> Iterator[Checked]:
        number = 0
        known = 0  # plans at the end of the level before
        for event in _by_size(self.source) if self.wanted.minimal else self.source:
            if isinstance(event, ValuedPlan):
                checked = self._accept(event)
                number += checked is not None
                if checked is not None:
                    yield checked
            else:
                self._note(event, is_new=len(self._known) > known)
                known = len(self._known)
            if self.listing.is_complete or number == self.wanted.number:
                return

    def _accept(self, found: ValuedPlan) -> Checked | None:
        """Check a plan and return the check; return None if the plan is not wanted.

        A plan beyond the bound of the list makes the list complete.
        """
        self.budget.check()
        checked = self._check(found.plan)
        if not self._admits(checked, found):
            return None
        value = found.value if self.by_cost else len(checked.plan)
        if not self._has_first:
            self._has_first = True
            self.listing = replace(self.listing, bound=self.wanted.bound(value))
        bound = self.listing.bound
        if bound is not None and value > bound:
            self.listing = replace(self.listing, is_complete=True)
            return None
        return checked

    def _note(self, level: Complete, is_new: bool) -> None:
        """Record the end of a level, and whether the whole list is complete now.

        `is_new` is true if the level has a new plan. If not, try to prove that no plan is left.
        """
        value = level.value
        self.proof = level.why
        if value is not None:
            bound = self.listing.bound
            is_complete = bound is not None and value >= bound
            self.listing = replace(self.listing, is_complete=is_complete, known_to=value)
            if not (is_new or is_complete):
                self.proof = self.prove_end(value)
        if self.proof:
            self.listing = replace(self.listing, is_complete=True, is_exhausted=True)

    def _check(self, plan: Plan) -> Checked:
        """Translate a plan to the actions of the problem's source, and check it."""
        translated = self.problem.translate_result(Result(plans=(plan,))).plans[0]
        may_end_idle = self.problem.horizon is not None
        return check(self.problem, translated, as_listed=False, drops_idle=may_end_idle)

    def _admits(self, checked: Checked, found: ValuedPlan) -> bool:
        """Remember a plan, and return whether it is wanted and differs from all earlier ones.

        `found` is the plan as the source found it, and `checked` is the same plan after its check.
        """
        plan = checked.plan
        if not self._known.add(plan):
            return False
        if self.wanted.minimal and not self._known.is_minimal(plan):
            return False
        if self.wanted.loopless and _has_loop(checked):
            return False
        return self._is_first_of_its_kind(found.uses, plan)

    def _is_first_of_its_kind(self, uses: Uses, plan: Plan) -> bool:
        """Remember the actions of a plan, or its uses of landmarks; return True if they are new.

        Return True for each plan if plans with another order of actions count as different.
        """
        if self.wanted.same == "order":
            return True
        key: Hashable = uses if self.wanted.by_landmarks else actions_of(plan)
        is_first = key not in self._keys
        self._keys.add(key)
        return is_first


def _by_size(source: Source) -> Source:
    """Yield the events of a source, with the plans of each level sorted by number of actions.

    So all plans that use only a part of another plan's actions come before this other plan.
    """
    level: list[ValuedPlan] = []
    for event in source:
        if isinstance(event, ValuedPlan):
            level.append(event)
            continue
        yield from sorted(level, key=lambda found: (found.value, len(found.plan.actions)))
        level.clear()
        yield event
    yield from level


def _has_loop(checked: Checked) -> bool:
    """Return whether a plan visits a state twice; raise `UsageError` if its states are unknown."""
    states = visited_states(checked, "--loopless")
    return len(set(states)) < len(states)


def visited_states(checked: Checked, option: str) -> list[frozenset[str]]:
    """Return the states of a plan; raise `UsageError` if they are unknown.

    `option` is the user's option that needs the states, for the message of the error.
    """
    states = [frozenset(state) for state in checked.trajectory.states]
    if len(states) <= 1 < len(checked.plan) or not any(states):
        raise UsageError(
            f"{option} needs the states of a plan, which the program does not show",
            hint="show the fluents, or a predicate holds(Fluent,T)",
        )
    return states
