"""The parts of an explanation, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from asplan.core.errors import InputWarning, Location
from asplan.core.limits import Stop
from asplan.core.plan import Plan, Shown
from asplan.core.registry import entries

Values = tuple[tuple[str, str], ...]
"""Variables and their values."""


@dataclass(frozen=True)
class WrittenRule:
    """A statement of the program, as its author wrote it, in one line.

    A constraint on `query(t)` is part of the `goal`. A choice with limits for the number of its
    elements has a `bound`.
    """

    at: Location
    text: str
    goal: bool = False
    bound: bool = False
    choice: bool = False


@dataclass(frozen=True)
class WrittenLiteral:
    """A literal in the body of a rule."""

    at: Location
    text: str


@dataclass(frozen=True)
class Nearest:
    """The rule that comes nearest to deriving an atom, and the first literal that stops it.

    `rule` is None if no rule and no fact has this predicate. `literal` is None if nothing stops the
    rule: it derives the atom, or allows to choose it. `values` are bound before the literal, and
    `because` is the rule nearest to deriving the literal's atom.
    """

    atom: str
    rule: WrittenRule | None = None
    literal: WrittenLiteral | None = None
    values: Values = ()
    because: Nearest | None = None


def in_turn(nearest: Iterable[Nearest]) -> Iterator[Nearest]:
    """Yield rules, then the rules behind them, and so on."""
    level = list(nearest)
    while level:
        yield from level
        level = [one.because for one in level if one.because is not None]


@dataclass(frozen=True)
class Violation:
    """A violated instance of a constraint; `step` is 0 for constraints in `base`.

    `because` has the nearest rules for the atoms of the constraint.
    """

    rule: WrittenRule
    step: int
    values: Values = ()
    because: tuple[Nearest, ...] = ()


@dataclass(frozen=True)
class Relaxed:
    """A plan that violates few instances of constraints; `least` if none violates fewer."""

    plan: Plan
    broken: tuple[Violation, ...]
    least: bool


@dataclass(frozen=True)
class Conflict:
    """Constraints, and facts, that together exclude every plan.

    It is `minimal` if there is a plan without any one of them; or, if none of them is part of the
    goal, a sequence of that many steps.
    """

    rules: tuple[WrittenRule, ...]
    facts: tuple[str, ...] = ()
    minimal: bool = False


@dataclass(frozen=True)
class Goal:
    """One condition of the goal.

    `reached` is the first horizon at which it can hold alone. It is None if that is beyond the
    horizon, or `unknown`.
    """

    rule: WrittenRule
    values: Values
    reached: int | None
    unknown: bool = False


@dataclass(frozen=True)
class Goals:
    """The conditions of the goal one by one, and the conditions that exclude each other.

    `exclusive` has the numbers of conditions that can hold alone but not together: all pairs, or if
    no pair is, one minimal set. It is `complete` if all pairs were tried.
    """

    goals: tuple[Goal, ...] = ()
    exclusive: tuple[tuple[int, ...], ...] = ()
    complete: bool = True


@dataclass(frozen=True)
class Never:
    """The rules, actions and fluents that are unreachable up to the horizon, for any goal.

    `rules` never fire, or never bind; rules with other warnings are left out. `fluents` are atoms
    without their time.
    """

    rules: tuple[InputWarning, ...] = ()
    actions: tuple[str, ...] = ()
    fluents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """The reason for the refusal of a plan at a step; the last one if only the goal fails.

    The kind is "action" if no rule offers the actions of the step, though some come `nearest`;
    "constraint" if `broken` constraints forbid them; and "goal" if the goal fails at the end.
    """

    step: int
    kind: str
    actions: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    broken: tuple[Violation, ...] = ()


@dataclass(frozen=True)
class Counted:
    """An aggregate in the body of a rule, and its true elements, as text."""

    text: str
    elements: tuple[str, ...]


@dataclass(frozen=True)
class Support:
    """The reason for the truth of an atom.

    The kind is "derived" for an instance of a rule and "chosen" for one of a choice: the atoms of
    its `body` are true, and the atoms `absent` are false. It is "fact" for a fact, and "demanded"
    for the query of the goal.
    """

    atom: str
    kind: str
    rule: WrittenRule | None = None
    values: Values = ()
    body: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    counted: tuple[Counted, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """The supports of true atoms, and the rules nearest to deriving false ones.

    The atoms of a body have supports themselves, and no atom supports itself. `left_out` is the
    number of requested atoms beyond the limit.
    """

    supports: Mapping[str, Support]
    nearest: Mapping[str, Nearest]
    left_out: int = 0


@dataclass(frozen=True)
class Why:
    """The derivation of an atom of a plan; or the rules that may derive it, `nearest` first.

    `hint` suggests another atom if there is no rule.
    """

    atom: str
    holds: bool
    derivation: Derivation | None = None
    nearest: tuple[Nearest, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Explanation(Shown):
    """The results so far, or in the end all results.

    Attributes
    ----------
    question
        The question that asplan chose, in words; empty if the caller chose it.
    found
        A plan of `horizon` steps; then there is nothing to explain.
    excluded
        True if it is proven that there is no plan.
    accepted
        Whether the program accepts the given plan; None without one.
    model
        The objection of the domain's model to the plan; empty if it has none, None without a model.
    why
        The reasons for the truth or falsity of an atom in the plan.
    obstacles
        The reasons why the goal is unreachable, in the words of a source that was translated.
    never
        None if it is unknown (yet), or if the program allows no sequence of steps.
    reason, stopped
        The current work, and the cause of an early end.
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
    reason: str = "reading the files"
    stopped: Stop | None = None

    def __str__(self) -> str:
        """Return the text that the command prints."""
        return str(entries("asplan.displays")["text"].load()(self))
