"""The model by which plans are checked: the PDDL text, executed without any translation."""

from fractions import Fraction
from typing import Any, Protocol, cast

from unified_planning.plans import ActionInstance

from asplan.problem.kinds import UntimedTask
from asplan.up.questions import Question

State = Any  # a set of atoms, or for numbers and constraints a larger object
GroundAction = Any  # the model's own


class Referee(Protocol):
    """The methods that models of PDDL texts share."""

    @property
    def initial(self) -> State:
        """The initial state."""

    def action(self, name: str, arguments: tuple[str, ...]) -> GroundAction:
        """Return an action; raise `ValueError` for wrong arguments."""

    def why_not(self, state: State, action: GroundAction) -> str | None:
        """Return a reason why an action does not apply."""

    def apply(self, state: State, action: GroundAction) -> State:
        """Return the successor state."""

    def cost(self, state: State, action: GroundAction) -> int:
        """Return the cost of an action."""

    def is_goal(self, state: State) -> bool:
        """Return whether a plan may end in a state."""

    def why_not_goal(self, state: State) -> str | None:
        """Return a reason why the goal does not hold."""

    def why_no_plan(self, state: State) -> str | None:
        """Return a reason why the path to a state is not a plan."""

    def worth(self, state: State) -> Fraction | None:
        """Return the value of the problem's metric in a state."""


def referee_of(question: Question) -> Referee:
    """Load the model of a question's PDDL text."""
    source = question.source()
    assert isinstance(source, UntimedTask)
    return cast(Referee, source.referee)


def find_action(question: Question, referee: Referee, instance: ActionInstance) -> GroundAction:
    """Return an action of unified-planning as an action of the model.

    Raises
    ------
    KeyError
        The problem has no such action or object.
    ValueError
        The arguments are wrong; the message names the reason.
    """
    name, *arguments = question.pddl_words(instance)
    return referee.action(name, tuple(arguments))
