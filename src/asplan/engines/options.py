"""The options of engines: a dataclass with one field an option.

The metadata of each field describe the option on the command line. This module imports neither
clingo nor problems, so that a help or a completion is fast.

>>> @dataclass(frozen=True)
... class Example(EngineOptions):
...     threads: int | None = option("Solve with this many threads.", kind=int, least=1)
>>> Example.forms()["threads"].help
'Solve with this many threads.'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from asplan.core.choices import Mode, Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.core.text import LARGEST

ALIKE = ("origin", "turns", "forall")  # encodings whose steps are alike and read one step back

OBJECTIVES = (Objective.ACTIONS, Objective.COST, Objective.METRIC)


@dataclass(frozen=True)
class Form:
    """The form of an option on the command line: its help text and its possible values.

    Attributes
    ----------
    kind
        The type of its value: `int`, `str`, an enum of texts, or `bool` for a flag.
    least, most
        The least and the greatest value of a number.
    choices
        The possible values; empty if every value is possible.
    metavar
        The placeholder of the value in the help, such as `N`.
    words
        True if the value consists of all words after `--` on the command line.
    section
        The section of the help that lists the option.
    expert
        True if only `--help-all` shows it.
    hidden
        True if no help shows it.
    """

    help: str
    kind: type = str
    least: int = 0
    most: int = LARGEST
    choices: Sequence[str] = ()
    metavar: str | None = None
    words: bool = False
    section: str = "Engines"
    expert: bool = True
    hidden: bool = False

    def check(
        self,
        name: str,
        value: object,
    ) -> None:
        """Raise `UsageError` if the option, called `name`, cannot have this value."""
        if self.choices and value not in self.choices:
            choices = f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
            raise UsageError(f"{name}={value!r}: {name} must be {choices}")
        if self.kind is int and not self._is_in_range(value):
            bounds = f"from {self.least} to {self.most}"
            if self.most == LARGEST:
                bounds = f"of at least {self.least}"
            raise UsageError(f"{name}={value!r}: {name} must be a whole number {bounds}")

    def convert(self, value: OptionField) -> OptionField:
        """Return a valid value in the option's type.

        Return a member of the enum for an option with an enum, and None for a flag that is False.
        """
        if issubclass(self.kind, Enum):
            return self.kind(value)
        return None if value is False else value

    def _is_in_range(self, value: object) -> bool:
        return type(value) is int and self.least <= value <= self.most


OptionField: TypeAlias = Any  # the value of a field is of the type that its class declares


def option(
    help: str,
    default: OptionField = None,
    **form: OptionField,
) -> OptionField:
    """Return a dataclass field for an engine's option.

    `help` and `form` are the fields of its `Form`. The default None lets the engine decide.
    """
    return field(default=default, metadata={"form": Form(help, **form)})


def goal_option(
    help: str,
    **form: OptionField,
) -> OptionField:
    """Return the field of an option that says which plan to find; `--help` shows the option."""
    return option(help, section="What to find", expert=False, **form)


def optimal_option() -> OptionField:
    """Return the field of the option `--optimal`, an objective over plans of any length.

    In tasks with numbers, it compares only plans with the fewest steps.
    """
    about = "Prove that no plan has fewer actions, or costs less, or has a better metric."
    return goal_option(about, kind=Objective, choices=OBJECTIVES)


class Aim(NamedTuple):
    """The kind and number of plans that the options of an engine ask for.

    Attributes
    ----------
    objective
        The measure of the best plan among plans of any length; None for a shortest plan.
    any_plan
        True if any plan will do.
    models
        The number of plans; 0 means all, and None asplan's default, one.
    mode
        The mode of trying horizons; None means asplan's default.
    invariants
        True if invariants are to be added to the program.
    """

    objective: Objective | None = None
    any_plan: bool = False
    models: int | None = None
    mode: Mode | None = None
    invariants: bool = False


@dataclass(frozen=True)
class EngineOptions:
    """The base class of all engine options.

    An engine without options of its own uses it directly.
    """

    @property
    def aim(self) -> Aim:
        """The kind and number of plans that the options ask for."""
        return Aim()

    @classmethod
    def of_aim(cls, aim: Aim) -> EngineOptions:
        """Return options for an aim; here the default ones, for engines without a choice."""
        return cls()

    def for_any_plan(self) -> EngineOptions:
        """Return options for finding any plan fast; here these options, unchanged.

        Engines with an option for any plan override this method.
        """
        return self

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of the encodings that suit these options, the best first."""
        return ()

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options contradict each other or the limits."""

    def values(self, kind: type[EngineOptions] | None = None) -> dict[str, OptionField]:
        """Return the value of each option by the name of its field.

        If `kind` is given, return only the options that this class has, too.
        """
        names = self.forms().keys() if kind is None else self.forms().keys() & kind.forms().keys()
        return {name: value for name, value in vars(self).items() if name in names}

    @classmethod
    def forms(cls) -> dict[str, Form]:
        """Return the command-line form of each option, by the name of its field."""
        fields = cls.__dataclass_fields__
        return {name: f.metadata["form"] for name, f in fields.items() if "form" in f.metadata}
