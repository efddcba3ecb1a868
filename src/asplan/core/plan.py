"""What a plan is: steps whose actions can be executed one after the other.

>>> plan = Plan((("pick_up(a)",), ("stack(a,b)", "open(door)")), names={"pick_up(a)": "pick-up(a)"})
>>> len(plan), plan.actions
(2, ('pick_up(a)', 'stack(a,b)', 'open(door)'))
>>> print(plan)
1. pick-up(a)
2. stack(a,b)  open(door)
>>> [(action.name, action.arguments) for step in plan.terms for action in step]
[('pick_up', ('a',)), ('stack', ('a', 'b')), ('open', ('door',))]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from clingo import Symbol, SymbolType, parse_term

from asplan.core.errors import InputError, UsageError
from asplan.core.registry import entries
from asplan.core.text import decimal_text, shortened

if TYPE_CHECKING:  # importing it takes time
    from fractions import Fraction

    Timing = tuple[Fraction, Fraction | None]


class Shown:
    """A base of plain data that people look at."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The data as a piece of a page, for a notebook."""
        return str(entries("asplan.displays")["html"].load()(self))

    def to_frame(self) -> Any:
        """The data as a `pandas.DataFrame`; docs/notebooks.md names its columns."""
        return entries("asplan.displays")["frame"].load()(self)


@dataclass(frozen=True)
class Action:
    """An action as a term: a name with arguments.

    An argument is a whole number, a text (a name, or a string in its quotation marks), or a term
    that has arguments itself; a tuple is a term without a name.

    >>> action = read_action("move(red,(1,2),-3)")
    >>> action.name, action.arguments
    ('move', ('red', Action(name='', arguments=(1, 2)), -3))
    >>> print(action)
    move(red,(1,2),-3)
    """

    name: str
    arguments: tuple[int | str | Action, ...] = ()

    def __str__(self) -> str:
        inside = ",".join(map(str, self.arguments))
        if not self.name and len(self.arguments) == 1:
            inside += ","
        return f"{self.name}({inside})" if inside or not self.name else self.name


_TERM = re.compile(
    r"""(?: [\w(), ] | -(?![- ]) | \#(?:inf|sup) | "(?: [^"\\\n\0] | \\[n"\\] )*+" )++""",
    re.ASCII | re.VERBOSE,
)
_DEEPEST = 200  # brackets in each other; thousands would end the process in clingo's parser


def read_action(text: str) -> Action:
    """The action that a text writes; `InputError` where it writes none."""
    depths = accumulate((char == "(") - (char == ")") for char in text)
    try:
        if not _TERM.fullmatch(text) or max(depths) > _DEEPEST:
            raise RuntimeError
        symbol = parse_term(text, lambda code, message: None)
        if str(symbol).replace(" ", "") != text.replace(" ", ""):  # a number too large, say
            raise RuntimeError
    except (RuntimeError, UnicodeError):
        hint = "an action is a term without variables, such as move(a,left)"
        raise InputError(f"{shortened(text, 100)!r} is no action", hint=hint) from None
    term = _term(symbol)
    return term if isinstance(term, Action) else Action(str(term))


def _term(symbol: Symbol) -> int | str | Action:
    if symbol.type == SymbolType.Number:
        return symbol.number
    if symbol.type != SymbolType.Function or (symbol.name and not symbol.arguments):
        return str(symbol)
    name = symbol.name if symbol.positive else f"-{symbol.name}"
    return Action(name, tuple(map(_term, symbol.arguments)))


Steps = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plan(Shown):
    """Steps 1, 2, …; each holds the actions of that step as terms. The steps alone make a plan."""

    steps: Steps = ()
    """Where a step has several actions they stand in an order in which they can be executed one
    after the other, as far as the check of the plan can tell: a model and a program that says
    `asplan(ordered)` are asked; for other programs they happen at the same time."""
    cost: tuple[int, ...] | None = field(default=None, compare=False)
    """What it costs, priority by priority, where the problem gives costs."""
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Actions whose source writes them in another way than clingo can, with that way."""
    chosen: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What else was chosen in the answer that it was read from, where a program chooses more than
    actions: with it the check finds that answer again without a search."""
    values: Mapping[str, int | str] = field(default_factory=dict, compare=False, repr=False)
    """The values of the variables of a theory; rationals are text, `3/20`."""

    times: tuple[tuple[Timing, ...], ...] = ()
    """When each action of each step begins, and how long it takes, or None where it takes no time.
    Then a step has the actions that begin at one time. Empty where nothing has times."""
    timed_values: tuple[tuple[int | None, tuple[str, ...]], ...] = field(
        default=(), compare=False, repr=False
    )
    """The `values` as text by time, as the check of the plan found them; not stored."""

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.steps)

    def __str__(self) -> str:
        if self.times:
            return "\n".join(self.timed_lines())
        width = len(str(len(self.steps)))
        lines = (f"{t:{width}}. {'  '.join(self._counted(s))}" for t, s in enumerate(self.steps, 1))
        return "\n".join(lines)

    def _counted(self, step: Iterable[str]) -> Iterator[str]:
        """The actions of a step, one that is repeated as `(charge home) ×7`."""
        for action, several in groupby(step):
            number = len(list(several))
            yield self.name(action) + (f" ×{number}" if number > 1 else "")

    def timed_lines(self) -> Iterator[str]:
        """Yield the actions with their times, as in `0.001: (load a) [5]`.

        Raises `UsageError` where the plan has no times.
        """
        from fractions import Fraction

        if self.steps and not self.times:
            hint = "print the plan itself for its steps"
            raise UsageError("this plan has no times: its actions take none", hint=hint)

        for actions, times in zip(self.steps, self.times, strict=True):
            for action, (start, duration) in zip(actions, times, strict=True):
                begin, takes = decimal_text(start), ""
                if duration is not None:
                    # Rounded ends: what ends and what begins at one time does so in the text, too.
                    end = Fraction(decimal_text(start + duration))
                    takes = f" [{decimal_text(end - Fraction(begin))}]"
                yield f"{begin}: {self.name(action)}{takes}"

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions in order."""
        return tuple(action for step in self.steps for action in step)

    @property
    def terms(self) -> tuple[tuple[Action, ...], ...]:
        """The steps with the actions as objects; `InputError` where the text of one is no term."""
        return tuple(tuple(map(read_action, step)) for step in self.steps)

    def name(self, action: str) -> str:
        """An action as its source writes it."""
        return self.names.get(action, action)
