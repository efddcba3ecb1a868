"""The printing of the distances between diverse plans, and of the claims about their choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click

from asplan.core.plan import Plan
from asplan.core.text import amount, printable
from asplan.enumeration.wanted import DISTANCES
from asplan.result import Diversity, Listing, Result

_MOST_NAMED = 6  # most actions that are named as those of one plan alone

_TRAITS = {"actions": "actions", "states": "states", "order": "order of actions"}
"""What plans share whose distance is 0."""


def print_distances(plans: Sequence[Plan], diversity: Diversity) -> None:
    """Print the distances between plans, and the actions that only one of them has."""
    _print_matrix(diversity)
    for line in _name_own_actions(plans):
        click.echo(printable(line))
    click.echo()


def _print_matrix(diversity: Diversity) -> None:
    from asplan.cli.tables import print_table

    numbers = [str(number) for number, _ in enumerate(diversity.matrix, 1)]
    rows = []
    for row, distances in enumerate(diversity.matrix, 1):
        texts = (f"{distance:.2f}" for distance in distances)
        cells = ("" if column == row else text for column, text in enumerate(texts, 1))
        rows.append([str(row), *cells])
    print_table(f"distances by {diversity.distance}", ["plan", *numbers], rows)


def _name_own_actions(plans: Sequence[Plan]) -> Iterator[str]:
    """Yield a line for each plan that has actions that no other plan has."""
    plans_with = Counter(action for plan in plans for action in set(plan.actions))
    for number, plan in enumerate(plans, 1):
        own = [a for a in dict.fromkeys(plan.actions) if plans_with[a] == 1]
        names = [plan.name(action) for action in own[:_MOST_NAMED]]
        more = f", and {len(own) - len(names)} more" if len(own) > len(names) else ""
        if own:
            yield f"only plan {number} has: {', '.join(names)}{more}"


def describe_choice(result: Result, diversity: Diversity, listing: Listing) -> str:
    """Return the claims about the choice of diverse plans in words."""
    number = len(result.plans)
    among = "" if diversity.compared == number else f" of {diversity.compared}"
    apart = ""
    if diversity.minimum is not None:
        apart = f", at least {diversity.minimum:.2f} apart by {diversity.distance}"
    chosen = f"{number}{among} {'plan' if diversity.compared == 1 else 'plans'}{apart}"
    if not listing.is_complete:
        return f"{chosen}; {_describe_others(number, diversity, listing)}"
    if number == diversity.compared or number < diversity.wanted:
        return f"{chosen}; {_describe_lack(number, diversity, listing)}"
    plans = f"{amount(number, 'plan')}{_scope(listing)}"
    condition = _best_one(result, listing)
    if diversity.is_proven:
        return f"{chosen}; no {plans} are farther apart{condition}"
    return f"{chosen}; {plans} may be up to {diversity.bound:.2f} apart{condition}"


def _describe_others(number: int, diversity: Diversity, listing: Listing) -> str:
    """Return a phrase about the plans that were not chosen, if the list of plans is incomplete.

    `number` is the number of chosen plans.
    """
    hint = "" if listing.is_cut else "; --plans N compares more"
    if number == diversity.compared < diversity.wanted:
        return f"others may exist{hint}"
    if number < diversity.wanted:
        return f"the others that were compared have the same {_TRAITS[diversity.distance]}{hint}"
    return f"others may be farther apart{hint}"


def _describe_lack(number: int, diversity: Diversity, listing: Listing) -> str:
    """Return the reason why no more plans could be chosen, and an option that allows more.

    `number` is the number of chosen plans.
    """
    scope = _scope(listing)
    if diversity.compared == number:
        hint = "" if listing.is_exhausted else "; --within N allows longer ones"
        return f"no other plan exists{scope}{hint}"
    trait = _TRAITS[diversity.distance]
    others = " or ".join(name for name in DISTANCES if name != diversity.distance)
    hint = f"--distance {others} may tell them apart"
    return f"every other plan{scope} has the same {trait} as one of these; {hint}"


def _scope(listing: Listing) -> str:
    if listing.is_exhausted or listing.bound is None:
        return ""
    unit = "a cost" if listing.by_cost else "a length"
    return f" with {unit} of at most {listing.bound}"


def _best_one(result: Result, listing: Listing) -> str:
    """Return the condition that one of the plans is a best one; empty if all listed plans are."""
    best = result.plans[0]
    if listing.by_cost:
        value = best.cost[0] if best.cost else 0
        return "" if value == listing.bound else " if one of them is a cheapest one"
    return "" if len(best) == listing.bound else " if one of them is a shortest one"
