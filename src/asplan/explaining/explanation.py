"""What an explanation says, as plain data."""

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
class Rule:
    """A statement of the program, as its author wrote it, in one line.

    It is part of the `goal` if it is a constraint on `query(t)`, and has a `bound` if it is a
    choice that says how many elements may be chosen.
    """

    at: Location
    text: str
    goal: bool = False
    bound: bool = False
    choice: bool = False


@dataclass(frozen=True)
class Literal:
    """A literal in the body of a rule."""

    at: Location
    text: str


@dataclass(frozen=True)
class Nearest:
    """The rule that comes nearest to deriving an atom, and the first literal that stops it.

    `rule` is None where no rule and no fact is for such an atom, `literal` where nothing stops the
    rule: it derives the atom, or allows it to be chosen. `values` are bound before that literal,
    and `because` comes nearest to deriving its atom, if it is one of rules.
    """

    atom: str
    rule: Rule | None = None
    literal: Literal | None = None
    values: Values = ()
    because: Nearest | None = None


def in_turn(nearest: Iterable[Nearest]) -> Iterator[Nearest]:
    """Rules, then those that are behind them, and so on."""
    level = list(nearest)
    while level:
        yield from level
        level = [one.because for one in level if one.because is not None]


@dataclass(frozen=True)
class Violation:
    """An instance of a constraint that does not hold; `step` is 0 for constraints in `base`.

    `because` holds, for atoms that rules derive or would have to derive, the nearest rules.
    """

    rule: Rule
    step: int
    values: Values = ()
    because: tuple[Nearest, ...] = ()


@dataclass(frozen=True)
class Relaxed:
    """A plan that breaks few instances of constraints; `least` if none breaks fewer."""

    plan: Plan
    broken: tuple[Violation, ...]
    least: bool


@dataclass(frozen=True)
class Conflict:
    """Constraints, and facts, that together exclude every plan.

    It is `minimal` if each of them is needed: without it there is a plan; or, where none of them
    is of the goal, there are steps at least.
    """

    rules: tuple[Rule, ...]
    facts: tuple[str, ...] = ()
    minimal: bool = False


@dataclass(frozen=True)
class Goal:
    """One condition of the goal.

    `reached` is the first horizon at which it holds, if nothing else is asked for; None where that
    is beyond the horizon, or `unknown`.
    """

    rule: Rule
    values: Values
    reached: int | None
    unknown: bool = False


@dataclass(frozen=True)
class Goals:
    """The conditions of the goal one by one, and which of them exclude each other.

    `exclusive` holds numbers of goals that cannot hold together, though each can alone: all pairs;
    or, where no pair excludes itself, one minimal set. It is `complete` if all pairs were tried.
    """

    goals: tuple[Goal, ...] = ()
    exclusive: tuple[tuple[int, ...], ...] = ()
    complete: bool = True


@dataclass(frozen=True)
class Never:
    """What cannot be at any step up to the horizon, whatever the goal is.

    These are `rules` that never fire and constraints that never bind, unless a warning is about
    them already; actions that do not occur; and atoms, without the time, that do not hold.
    """

    rules: tuple[InputWarning, ...] = ()
    actions: tuple[str, ...] = ()
    fluents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """Why a plan is refused at a step, the last one where only the goal is missed.

    The kind is "action" where no rule offers the actions of the step, though some come `nearest`;
    "constraint" where `broken` constraints forbid them; and "goal" where it is missed at the end.
    """

    step: int
    kind: str
    actions: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    broken: tuple[Violation, ...] = ()


@dataclass(frozen=True)
class Counted:
    """An aggregate in the body of a rule, and the elements that count, as text."""

    text: str
    elements: tuple[str, ...]


@dataclass(frozen=True)
class Support:
    """What stands behind an atom that holds.

    The kind is "derived" by an instance of a rule or "chosen" by one of a choice, which rests on
    the atoms of its `body`, while the atoms `absent` do not hold; a "fact"; or "demanded" of the
    plan.
    """

    atom: str
    kind: str
    rule: Rule | None = None
    values: Values = ()
    body: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    counted: tuple[Counted, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """Of each atom that holds what stands behind it, and of each that does not the nearest rule.

    What is in a body has a support itself, and none stands behind itself. `left_out` says how many
    of the atoms that were wanted have no room.
    """

    supports: Mapping[str, Support]
    nearest: Mapping[str, Nearest]
    left_out: int = 0


@dataclass(frozen=True)
class Why:
    """Why an atom holds in a plan, or the rules that may derive it, `nearest` first.

    `hint` is what may have been meant, where there is no such rule.
    """

    atom: str
    holds: bool
    derivation: Derivation | None = None
    nearest: tuple[Nearest, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Explanation(Shown):
    """All that was found out, or what was found so far.

    Attributes
    ----------
    question
        What was chosen to be explained, in words; empty where the caller chose.
    found
        A plan of `horizon` steps; then there is nothing to explain.
    excluded
        Whether it is proven that there is none.
    accepted
        Whether the plan in question is one; None where none was given.
    model
        What the domain's model objects to it: None without a model, empty if it accepts it.
    why
        Why an atom holds in the plan that was `found` or given, or not.
    obstacles
        Why the goal is out of reach, in the words of a source that was translated.
    never
        None where that is not known (yet), or where the program allows no such steps at all.
    reason, stopped
        What is being done, and what ended it early.
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
    obstacles: tuple[Literal, ...] = ()
    never: Never | None = None
    conflict: Conflict | None = None
    relaxed: Relaxed | None = None
    goals: Goals | None = None
    reason: str = "reading the files"
    stopped: Stop | None = None

    def __str__(self) -> str:
        """What the command prints."""
        return str(entries("asplan.displays")["text"].load()(self))
