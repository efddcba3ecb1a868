"""The options of `asplan solve` for lists of plans, and the printing of such a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from asplan.cli.options import HelpOption, Value
from asplan.cli.parameters import Number, OneOf, WholeNumber
from asplan.core.errors import UsageError
from asplan.core.text import amount, printable
from asplan.enumeration.wanted import DISTANCES, SAME, Diverse, Wanted

if TYPE_CHECKING:
    from asplan.planner import Finder
    from asplan.problem import Inputs
    from asplan.result import Listing, Result

_SECTION = "What to find"
_NAMES = {"plans": "number"}
"""The names of options whose wish has another name."""


def list_options() -> list[click.Parameter]:
    """Return the options for lists of plans."""

    def option(name: str, help: str, **more: Value) -> HelpOption:
        return HelpOption([f"--{name}"], section=_SECTION, help=help, **more)

    return [
        option("plans", "List the N best plans.", type=WholeNumber(0)),
        option(
            "quality",
            "List plans up to this factor longer.",
            type=Number(),
            metavar="F",
            expert=True,
        ),
        option("within", "List plans up to N steps longer.", type=WholeNumber(0)),
        option("diverse", "Choose N plans that are far apart.", type=WholeNumber(2), expert=True),
        option(
            "distance",
            "Compare diverse plans by this; by actions by default, by order if all are the same.",
            type=OneOf(DISTANCES),
            expert=True,
        ),
        option("same", "Plans are the same by this.", type=OneOf(SAME), expert=True),
        option(
            "minimal",
            "Leave out plans with superfluous actions.",
            is_flag=True,
            default=None,
            expert=True,
        ),
        option(
            "loopless",
            "Leave out plans that repeat a state.",
            is_flag=True,
            default=None,
            expert=True,
        ),
    ]


def take_list(
    options: dict[str, Value],
    as_json: bool,
) -> tuple[ListPrinter | None, Finder | None]:
    """Take the options for lists of plans out of `options`; return a printer and a plan finder.

    Both are None if the user set none of these options. The printer is also None if `as_json` is
    set.
    """
    given: dict[str, Value] = {}
    for option in list_options():
        name = str(option.name)
        value = options.pop(name, None)
        if value is not None:
            given[_NAMES.get(name, name)] = value
    if not given:
        return None, None
    diverse = _take_diverse(given)
    wanted = Wanted(**given)
    wanted.check()
    if diverse is not None:
        from asplan.enumeration.diverse import DiverseFinder

        return None if as_json else DiversePrinter(), DiverseFinder(wanted, diverse)
    from asplan.enumeration.run import PlanFinder

    wanted.require_end()
    return None if as_json else ListPrinter(), PlanFinder(wanted)


def _take_diverse(given: dict[str, Value]) -> Diverse | None:
    """Take the options for diverse plans out of `given`, and return their values.

    None if the user set none of them. Raises `UsageError` for a distance without a number of plans.
    """
    number = given.pop("diverse", None)
    distance = given.pop("distance", None)
    if number is not None:
        diverse = Diverse(number, distance)
        diverse.check()
        return diverse
    if distance is not None:
        hint = f"--diverse 5 --distance {distance} chooses 5 plans that are far apart"
        raise UsageError("--distance compares diverse plans: add --diverse N", hint=hint)
    return None


class ListPrinter:
    """The printer of a list of plans, which prints each plan as soon as it is reported."""

    def __init__(self) -> None:
        self.printed = 0

    def show(self, result: Result) -> None:
        """Print the plans of a report that were not printed before."""
        self.print_plans(result)

    def print_plans(self, result: Result) -> None:
        """Print the plans of a result that were not printed before."""
        from asplan.cli.results import print_heading

        if result.plans and not self.printed:
            print_heading(result)
            click.echo()
        for number, plan in enumerate(result.plans[self.printed :], self.printed + 1):
            cost = f", cost {' '.join(map(str, plan.cost))}" if plan.cost else ""
            click.echo(f"plan {number}: {amount(len(plan), 'step')}{cost}")
            click.echo(printable(str(plan) or "nothing to do") + "\n")
        self.printed = max(self.printed, len(result.plans))

    def end(self, result: Result, words: Inputs, optimal: str | None) -> None:
        """Print the plans that are not printed yet, the claims about the list, and the outcome.

        `words` are the files and options of the command, from which advice is made. `optimal` is
        the objective that the user chose, or None.
        """
        from asplan.cli.results import print_end, print_heading

        self.print_plans(result)
        if not self.printed:
            print_heading(result)
        print_end(result, words, optimal, *self.claims(result))

    def claims(self, result: Result) -> list[str]:
        """Return the proven claims about the list, as text."""
        if result.listing is None or not result.plans:
            return []
        return [f"{amount(len(result.plans), 'plan')}: {describe(result.listing)}"]


class DiversePrinter(ListPrinter):
    """The printer of diverse plans; it prints nothing before the end, as the choice may change."""

    def show(self, result: Result) -> None:
        """Print nothing, because the choice of plans may still change."""

    def end(self, result: Result, words: Inputs, optimal: str | None) -> None:
        """Print the plans, their distances, the claims about the choice, and the outcome.

        `words` are the files and options of the command, from which advice is made. `optimal` is
        the objective that the user chose, or None.
        """
        self.print_plans(result)
        if result.diversity is not None and len(result.plans) > 1:
            from asplan.cli.diversity import print_distances

            print_distances(result.plans, result.diversity)
        super().end(result, words, optimal)

    def claims(self, result: Result) -> list[str]:
        """Return the proven claims about the choice, as text."""
        if result.diversity is None or result.listing is None:
            return []
        from asplan.cli.diversity import describe_choice

        return [describe_choice(result, result.diversity, result.listing)]


def describe(listing: Listing) -> str:
    """Return the claims about a list of plans in words."""
    if listing.is_exhausted:
        return "these are all; no other plan exists"
    unit = "a cost" if listing.by_cost else "a length"
    if listing.is_complete:
        return f"these are all with {unit} of at most {listing.bound}"
    if listing.is_cut:
        known = "" if listing.known_to is None else f"; all up to {listing.known_to} are listed"
        return f"more may exist{known}"
    return "these are the best; more may exist"
