"""The source of a translated problem, in whose words explanations are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from asplan.core.errors import Location
from asplan.core.plan import Plan
from asplan.domains import Model


class SourceText(Protocol):
    """The source text of a problem in another language, such as PDDL, whose actions take no time.

    It explains the statements of the encoding to which the text was translated.
    """

    @property
    def referee(self) -> Model[Any, Any]:  # Any: the states and actions of any language
        """A model that checks plans, more independent of the engines than the problem's own."""

    def explain_rule(self, at: Location, values: Mapping[str, str]) -> tuple[Location, str]:
        """Explain an instance of an ASP statement: return a location in the source, and a sentence.

        `at` is the location of the statement, and `values` has the values of its variables.
        """

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return the unreachable conditions of the goal: for each its location and a sentence."""

    def explain_plan(self, plan: Plan) -> dict[str, Any]:  # Any: JSON
        """Return the reasons for the atoms on the trajectory of a plan, as data of a page."""

    def write_action(self, action: str) -> str:
        """Return an action in the notation of the source."""
