"""The results of an explanation, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, Location
from asplan.core.limits import Stop
from asplan.core.plan import NotebookData, Plan
from asplan.core.registry import entries
from asplan.explaining.contrast import Contrast

Values = tuple[tuple[str, str], ...]
"""The names of variables with their values as text."""


@dataclass(frozen=True)
class WrittenRule:
    """A statement of the program as its author wrote it, in one line.

    Attributes
    ----------
    goal
        True for a constraint of the goal, which reads `query(t)`.
    bound
        True for a choice with limits for the number of its chosen elements.
    choice
        True for a choice.
    """

    at: Location
    text: str
    goal: bool = False
    bound: bool = False
    choice: bool = False


@dataclass(frozen=True)
class WrittenLiteral:
    """A literal in the body of a rule, as its author wrote it."""

    at: Location
    text: str


@dataclass(frozen=True)
class Nearest:
    """The rule that comes nearest to deriving a false atom, and the first literal that stops it.

    Attributes
    ----------
    rule
        The rule; None if no rule and no fact has the atom's predicate.
    literal
        The literal that is not true. None if nothing stops the rule: it derives the atom, or allows
        to choose it.
    values
        The values of the variables that are bound before the literal.
    because
        The rule that comes nearest to deriving the literal's atom.
    """

    atom: str
    rule: WrittenRule | None = None
    literal: WrittenLiteral | None = None
    values: Values = ()
    because: Nearest | None = None


def in_turn(nearest: Iterable[Nearest]) -> Iterator[Nearest]:
    """Yield nearest rules, then the rules that their `because` links to, and so on."""
    level = list(nearest)
    while level:
        yield from level
        level = [one.because for one in level if one.because is not None]


@dataclass(frozen=True)
class Violation:
    """A violated instance of a constraint.

    Attributes
    ----------
    step
        The time of the instance; 0 for constraints in `base`.
    because
        For each atom of the constraint the rule that derives it, or comes nearest to that.
    """

    rule: WrittenRule
    step: int
    values: Values = ()
    because: tuple[Nearest, ...] = ()


@dataclass(frozen=True)
class Relaxed:
    """A plan that violates only few instances of constraints.

    `least` is true if it is proven that no plan violates fewer.
    """

    plan: Plan
    broken: tuple[Violation, ...]
    least: bool


@dataclass(frozen=True)
class Conflict:
    """Constraints, and perhaps facts, that together exclude every plan.

    If none of them is part of the goal, they exclude every sequence of `horizon` steps, whatever
    the goal. The conflict is `minimal` if none of its members can be left out.
    """

    rules: tuple[WrittenRule, ...]
    facts: tuple[str, ...] = ()
    minimal: bool = False


@dataclass(frozen=True)
class Goal:
    """One condition of the goal, which is an instance of a constraint.

    `reached` is the least number of steps after which the condition can hold if no other one is
    demanded. It is None if the condition cannot hold within the horizon, or if this is `unknown`.
    `suspect` is the literal that may lack a `not`, if the goal holds at the start.
    """

    rule: WrittenRule
    values: Values
    reached: int | None
    unknown: bool = False
    suspect: WrittenLiteral | None = None


@dataclass(frozen=True)
class Goals:
    """The conditions of the goal, and sets of conditions that exclude each other.

    Attributes
    ----------
    exclusive
        Sets of indices of conditions that can hold alone but not together: all pairs, or if
        there are none, one minimal set.
    complete
        True if all pairs were tried in time.
    """

    goals: tuple[Goal, ...] = ()
    exclusive: tuple[tuple[int, ...], ...] = ()
    complete: bool = True


@dataclass(frozen=True)
class Never:
    """The rules, actions and fluents that are unreachable within the horizon, for any goal.

    `rules` are warnings about rules that never fire and constraints that never apply; rules with
    other warnings are left out. `fluents` are atoms without their time.
    """

    rules: tuple[InputWarning, ...] = ()
    actions: tuple[str, ...] = ()
    fluents: tuple[str, ...] = ()


class RefusalKind(StrEnum):
    """The kind of a reason why the program refuses a plan."""

    ACTION = "action"  # no rule offers the actions of the step
    CONSTRAINT = "constraint"  # constraints forbid the step
    GOAL = "goal"  # only the goal fails


@dataclass(frozen=True)
class Refusal:
    """The reason why the program refuses a plan, and the first step that it refuses.

    Attributes
    ----------
    step
        The first refused step; the last step of the plan if only the goal fails.
    nearest
        For `ACTION`, the rules that come nearest to offering the actions.
    broken
        For the other kinds, the violated constraints.
    """

    step: int
    kind: RefusalKind
    actions: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    broken: tuple[Violation, ...] = ()


@dataclass(frozen=True)
class Counted:
    """An aggregate in the body of a rule as text, with its true elements."""

    text: str
    elements: tuple[str, ...]


class SupportKind(StrEnum):
    """The kind of a reason why an atom is true."""

    DERIVED = "derived"  # an instance of a rule derives it
    CHOSEN = "chosen"  # an instance of a choice offers it
    FACT = "fact"
    DEMANDED = "demanded"  # it is `query(t)` of the goal


@dataclass(frozen=True)
class Support:
    """The reason why an atom is true.

    Attributes
    ----------
    body
        The true atoms in the body of the rule instance that derives the atom.
    absent
        The false atoms that the body reads with `not`.
    counted
        The aggregates in the body.
    """

    atom: str
    kind: SupportKind
    rule: WrittenRule | None = None
    values: Values = ()
    body: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    counted: tuple[Counted, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """The supports of true atoms, and the nearest rules of false atoms, by the atoms as text.

    The atoms in the body of a support have supports themselves, and no atom supports itself,
    directly or not. `left_out` is the number of requested atoms beyond the limit of supports.
    """

    supports: Mapping[str, Support]
    nearest: Mapping[str, Nearest]
    left_out: int = 0


@dataclass(frozen=True)
class Why:
    """The reason why an atom is true or false in the answer set of a plan.

    Attributes
    ----------
    holds
        Whether the atom is true.
    derivation
        The supports of a true atom, down to facts and choices.
    nearest
        The rules that may derive a false atom, nearest first.
    hint
        A suggestion of another atom if no rule may derive it.
    """

    atom: str
    holds: bool
    derivation: Derivation | None = None
    nearest: tuple[Nearest, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Explanation(NotebookData):
    """The results of an explanation; while it is in progress, the results so far.

    Attributes
    ----------
    horizon
        The number of steps in question.
    question
        The question that asplan chose, in words; empty if the user chose it.
    found
        A plan of `horizon` steps; then there is nothing to explain.
    excluded
        True if it is proven that there is no plan of `horizon` steps.
    accepted
        Whether the program accepts the given plan; None if no plan is given.
    model
        The objection of the domain's model to the plan. It is empty if there is no objection, and
        None if there is no model.
    why
        The reason why the given atom is true or false.
    obstacles
        The reasons why the goal is unreachable, in the words of a source that was translated.
    never
        The unreachable rules, actions and fluents. None if they are not known (yet), or if the
        program allows no sequence of steps.
    contrast
        The comparison of the given plan with a shorter or another one.
    reason
        A phrase about the current work, or about the limit that ended the explanation.
    stopped
        The limit that ended the explanation early; None if there was none.
    """

    horizon: int | None = None
    question: str = ""
    found: Plan | None = None
    excluded: bool = False
    accepted: bool | None = None
    model: str | None = None
    why: Why | None = None
    refusal: Refusal | None = None
    warnings: tuple[InputWarning, ...] = ()
    obstacles: tuple[WrittenLiteral, ...] = ()
    never: Never | None = None
    conflict: Conflict | None = None
    relaxed: Relaxed | None = None
    goals: Goals | None = None
    contrast: Contrast | None = None
    reason: str = "reading the files"
    stopped: Stop | None = None

    def __str__(self) -> str:
        """Return the text that the command prints."""
        return str(entries("asplan.displays")["text"].load()(self))
