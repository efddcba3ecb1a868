"""The fewest actions to forbid so that no plan is shorter than a user's plan.

Each shorter plan must lose an action that the user's plan does not have. A smallest set of actions
that hits all shorter plans found so far is forbidden; then a shorter plan without these actions is
added, and so on. If there is none, the set is a smallest one. The method is that of implicit
hitting sets (Chandrasekaran and others, 2011).
"""

from __future__ import annotations

from collections.abc import Sequence

from asplan.clingo import Number, open_control
from asplan.contrasting.outlook import ContrastSearch
from asplan.core.budget import OutOfBudget
from asplan.core.plan import Plan
from asplan.explaining.contrast import Feasible, Minimal, PlanChange


def find_actions(search: ContrastSearch, mine: Plan, first: Plan) -> PlanChange:
    """Return the fewest actions to forbid so that a plan becomes a best one.

    `first` is a shorter plan.
    """
    own = set(mine.actions)
    plans: list[frozenset[str]] = []
    shorter: Plan | None = first
    forbidden: tuple[str, ...] = ()
    try:
        while shorter is not None:
            others = frozenset(shorter.actions) - own
            if not others:
                return PlanChange(Feasible.NO, obstacle=shorter)
            plans.append(others)
            forbidden = find_least_hitting(plans)
            shorter = search.find_shorter(forbidden)
    except OutOfBudget:
        return PlanChange()
    return PlanChange(Feasible.YES, forbidden, Minimal.CARDINALITY)


def find_least_hitting(sets: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """Return a smallest set with a member of each of the given sets, in alphabetical order.

    >>> find_least_hitting([frozenset("ab"), frozenset("bc"), frozenset("bd")])
    ('b',)
    """
    names = sorted(set().union(*sets))
    rules = [f"{{ out(0..{len(names) - 1}) }}. #minimize {{ 1,N : out(N) }}."]
    for members in sets:
        body = ", ".join(f"not out({names.index(name)})" for name in sorted(members))
        rules.append(f":- {body}.")
    control = open_control(["--opt-strategy=usc"])
    control.add("base", [], " ".join(rules))
    control.ground([("base", [])])
    chosen: list[str] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            numbers = [atom.arguments[0] for atom in model.symbols(atoms=True)]
            chosen = [name for n, name in enumerate(names) if Number(n) in numbers]
    return tuple(chosen)
