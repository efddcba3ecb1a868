"""Plans: sequences of steps, each with its actions.

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
from dataclasses import field
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from asplan.clingo import Symbol, SymbolType, parse_term
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, UsageError
from asplan.core.registry import entries
from asplan.core.text import decimal_text, shortened

if TYPE_CHECKING:  # imports take time
    from fractions import Fraction

    DataFrame: TypeAlias = Any  # pandas has no types
    Timing = tuple[Fraction, Fraction | None]


class NotebookData:
    """A base class for data that notebooks show as HTML and as tables."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the object as HTML; notebooks call this to show it."""
        return str(entries("asplan.displays")["html"].load()(self))

    def to_frame(self) -> DataFrame:
        """Return the object as a `pandas.DataFrame`; docs/notebooks.md lists the columns."""
        return entries("asplan.displays")["frame"].load()(self)


@dataclass(frozen=True)
class Action:
    """An action as a term: a name with arguments.

    An argument is an integer, a text (a name, or a string in quotation marks), or a term with
    arguments. A tuple is a term without a name.

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
_DEEPEST = 200  # most nested brackets; thousands would end the process in clingo's parser


def read_action(text: str) -> Action:
    """Return the action that a text writes as a term; raise `InputError` if it is no term."""
    symbol = _parse_term(text)
    if symbol is None:
        hint = "an action is a term without variables, such as move(a,left)"
        raise InputError(f"{shortened(text, 100)!r} is not an action", hint=hint)
    term = _term(symbol)
    return term if isinstance(term, Action) else Action(str(term))


def _parse_term(text: str) -> Symbol | None:
    """Return the ground term that a text writes; None if it is no ground term."""
    depths = accumulate((char == "(") - (char == ")") for char in text)
    if not _TERM.fullmatch(text) or max(depths) > _DEEPEST:
        return None
    try:
        symbol = parse_term(text, lambda code, message: None)
    except (RuntimeError, UnicodeError):
        return None
    # clingo changes a number that is too large.
    is_same = str(symbol).replace(" ", "") == text.replace(" ", "")
    return symbol if is_same else None


def _term(symbol: Symbol) -> int | str | Action:
    if symbol.type == SymbolType.Number:
        return symbol.number
    if symbol.type != SymbolType.Function or (symbol.name and not symbol.arguments):
        return str(symbol)
    name = symbol.name if symbol.positive else f"-{symbol.name}"
    return Action(name, tuple(map(_term, symbol.arguments)))


Steps = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plan(NotebookData):
    """A plan: the actions of the steps 1, 2, …, as texts of terms. Other fields are optional."""

    steps: Steps = ()
    """The actions of each step, in an order in which they can be executed one after the other. The
    check by a domain's model, or by a program with `asplan(ordered)`, tests this order; in other
    programs the actions of a step happen at the same time."""
    cost: tuple[int, ...] | None = field(default=None, compare=False)
    """The cost of the plan for each priority of the objective; None if there are no costs."""
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The names of actions in the problem's source, where they differ from the terms here."""
    chosen: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Other chosen atoms of the plan's answer set, if the program chooses more than actions. With
    them the check finds that answer set again without search."""
    values: Mapping[str, int | str] = field(default_factory=dict, compare=False, repr=False)
    """The values of the variables of a theory; rationals are text, `3/20`."""

    times: tuple[tuple[Timing, ...], ...] = ()
    """The start of each action of each step, and its duration, or None for an instantaneous action.
    The actions of a step start at the same time. Empty for a plan without times."""
    timed_values: tuple[tuple[int | None, tuple[str, ...]], ...] = field(
        default=(), compare=False, repr=False
    )
    """The `values` as text, sorted by time, from the check of the plan; not stored in files."""

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
        """Yield the actions of a step; a repeated action is written as `(charge home) ×7`."""
        for action, several in groupby(step):
            number = len(list(several))
            yield self.name(action) + (f" ×{number}" if number > 1 else "")

    def timed_lines(self) -> Iterator[str]:
        """Yield the actions with their times, as in `0.001: (load a) [5]`.

        Raises `UsageError` if the plan has no times.
        """
        if self.steps and not self.times:
            hint = "print the plan itself for its steps"
            raise UsageError("this plan has no times: its actions have no duration", hint=hint)

        for actions, times in zip(self.steps, self.times, strict=True):
            for action, (start, duration) in zip(actions, times, strict=True):
                yield self._timed_line(action, start, duration)

    def _timed_line(self, action: str, start: Fraction, duration: Fraction | None) -> str:
        from fractions import Fraction

        begin = decimal_text(start)
        if duration is None:
            return f"{begin}: {self.name(action)}"
        # The end is rounded, not the duration: actions that meet at one time also meet in the text.
        end = Fraction(decimal_text(start + duration))
        return f"{begin}: {self.name(action)} [{decimal_text(end - Fraction(begin))}]"

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions of the plan in order."""
        return tuple(action for step in self.steps for action in step)

    @property
    def terms(self) -> tuple[tuple[Action, ...], ...]:
        """The steps with actions as objects; raises `InputError` if a text is not a term."""
        return tuple(tuple(map(read_action, step)) for step in self.steps)

    def name(self, action: str) -> str:
        """Return the name of an action in the problem's source."""
        return self.names.get(action, action)
