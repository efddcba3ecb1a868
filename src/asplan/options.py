"""What an engine can be told: a dataclass of its own, whose fields carry their command-line form.

>>> @dataclass(frozen=True)
... class Example(EngineOptions):
...     threads: int | None = option("Parallel solving threads.", kind=int, least=1)
>>> Example(threads=2).given()
{'threads'}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from asplan.errors import UsageError
from asplan.limits import Limits
from asplan.numbers import LARGEST

ALIKE = ("origin", "turns", "forall")
"""Encodings that ship whose steps are like each other and look back one step."""


@dataclass(frozen=True)
class Form:
    """How the command line asks for an option.

    Attributes
    ----------
    help
        One line for people.
    kind
        `int` (from `least` to `most`), `str`, or `bool` for a flag.
    choices
        The values, where they are few.
    metavar
        What stands for the value in the help.
    words
        Whether it takes the words after `--`.
    """

    help: str
    kind: type = str
    least: int = 0
    most: int = LARGEST
    choices: Sequence[str] = ()
    metavar: str | None = None
    words: bool = False

    def check(self, name: str, value: Any) -> None:
        """Raise `UsageError` for a value that the option cannot have."""
        if self.choices and value not in self.choices:
            known = f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
            raise UsageError(f"{name}={value!r}: {name} is {known}")
        if self.kind is int and not (type(value) is int and self.least <= value <= self.most):
            reach = f"from {self.least}" if self.most == LARGEST else f"{self.least} to {self.most}"
            raise UsageError(f"{name}={value!r}: {name} is a number {reach}")


def option(help: str, default: Any = None, **form: Any) -> Any:
    """A field of an engine's options; None, the default, means that the engine decides."""
    return field(default=default, metadata={"form": Form(help, **form)})


def optimal_option() -> Any:
    """A field for what is to be least over plans of any length; several engines have it."""
    return option(
        "Prove the fewest actions, or the least cost, of all plans.", choices=("actions", "cost")
    )


@dataclass(frozen=True)
class EngineOptions:
    """Base of the options of all engines; by itself those of an engine that has none."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings that suit the options best, of all domains."""
        return ()

    def given(self) -> set[str]:
        """The names of the options that were set."""
        return {name for name, value in vars(self).items() if value not in (None, ())}

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` where options contradict each other or the limits."""

    @classmethod
    def forms(cls) -> dict[str, Form]:
        """The options by name, each with its command-line form."""
        fields = cls.__dataclass_fields__
        return {name: f.metadata["form"] for name, f in fields.items() if "form" in f.metadata}
