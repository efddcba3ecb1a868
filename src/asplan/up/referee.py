"""The model by which plans are checked: the PDDL text, executed without any translation."""

from fractions import Fraction
from typing import Any, Protocol, cast

from unified_planning.plans import ActionInstance

from asplan.up.questions import UpQuestion

State = Any  # a set of atoms, or for numbers and constraints a larger object
GroundAction = Any  # the model's own


class Referee(Protocol):
    """The methods that all models of PDDL texts have."""

    @property
    def initial(self) -> State:
        """The initial state."""

    def action(self, name: str, arguments: tuple[str, ...]) -> GroundAction:
        """Return the action with a name and arguments; raise `ValueError` for wrong arguments."""

    def why_not(self, state: State, action: GroundAction) -> str | None:
        """Return the reason why an action is not applicable in a state; None if it is."""

    def apply(self, state: State, action: GroundAction) -> State:
        """Return the state after an action."""

    def cost(self, state: State, action: GroundAction) -> int:
        """Return the cost of an action."""

    def is_goal(self, state: State) -> bool:
        """Return whether a plan may end in this state."""

    def why_not_goal(self, state: State) -> str | None:
        """Return the reason why the goal does not hold in a state; None if it holds."""

    def why_no_plan(self, state: State) -> str | None:
        """Return the reason why the path to this state violates a constraint; None if it violates
        none.
        """

    def worth(self, state: State) -> Fraction | None:
        """Return the value of the problem's metric for a plan that ends in this state."""


def referee_of(question: UpQuestion) -> Referee:
    """Return the model of a question's PDDL text, which checks plans."""
    source = question.source().source
    assert source is not None  # its actions take no time
    return cast(Referee, source.referee)


def find_action(question: UpQuestion, referee: Referee, instance: ActionInstance) -> GroundAction:
    """Return the action of the model that corresponds to an action of unified-planning.

    Raises
    ------
    KeyError
        The problem has no such action or object.
    ValueError
        The arguments are wrong; the message gives the reason.
    """
    name, *arguments = question.pddl_words(instance)
    return referee.action(name, tuple(arguments))
