"""What is known of a problem once its words are read: all that the stations after loading need."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from asplan.domains import Domain, Model
from asplan.errors import InputError, UsageError
from asplan.facts import Facts
from asplan.files import is_there
from asplan.plan import Plan
from asplan.problem.catalog import find_drawing
from asplan.program.grounded import ground_facts
from asplan.program.incremental import TIMED, Program, compose
from asplan.program.source import parse_constant
from asplan.program.stepwise import check_names
from asplan.program.unit import Unit
from asplan.registry import function_at

_space_of = function_at("asplan.statespace.space:space_of")


@dataclass(frozen=True)
class Words:
    """What a caller names.

    Attributes
    ----------
    files
        Paths, names of shipped instances, or `-` for standard input.
    text
        A program, or a part of one, that is given as text.
    encoding
        The name of an encoding, or a path; `:CONST=VALUE` behind it sets a constant.
    constants
        Constants of the program with their values.
    allow_scripts
        Whether Python code in the program may run.
    allow_includes
        Whether files may be included that are not below the folder of the including file.
    prefers
        The encodings to take where none is named: the first that the domain has.
    steps
        What a step may hold, in domains where encodings differ by that: the name of one of them.
    all_states
        Whether states that differ in what has no bearing on the goal are to be told apart, too.
    order
        The number of an order into which the facts of an instance are put; None leaves them as
        they are. Another order is another search, while a solver's own seed may change nothing.
    """

    files: tuple[str, ...] = ()
    text: str | None = None
    encoding: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    allow_scripts: bool = False
    allow_includes: bool = False
    prefers: tuple[str, ...] = ()
    steps: str | None = None
    all_states: bool = False
    order: int | None = None


@dataclass(frozen=True)
class PlanFiles:
    """How plans are written in files by those who write such problems.

    Attributes
    ----------
    read
        The plan in some lines, given the name of their file; raises `InputError`,
        or `InvalidPlan` where the file contradicts itself.
    write
        A plan as text, given what its actions cost.
    """

    read: Callable[[Iterable[str], str], Plan]
    write: Callable[[Plan, int], str]


@dataclass(frozen=True, eq=False)
class Problem:
    """One problem, read and checked; nothing after it opens its files again.

    Attributes
    ----------
    files
        What was read, by path; `-` is standard input.
    units
        The syntax of everything, the encoding last.
    encoding
        The name of the encoding: a shipped one's, or the file with the timed parts.
    path
        The file of the encoding, if there is one.
    domain, model
        What the facts belong to, and what they mean; None where no domain claims them.
    referee
        What plans are checked by, where that is not `model` but something more independent.
    written
        How the source writes an action, where that is not the way of ASP.
    plan_files
        How the source writes plans, if it has a way of its own.
    drawing
        The drawing rules that came with the files, if not those of the domain.
    given
        The constants that were set.
    constants
        The same, and the variants of the domain with their values.
    is_whole
        Whether the files are a program by themselves, with no instance set apart.
    by_encoding
        Whether search goes through the states of the program, which was asked for, and not through
        those of the model.
    all_states
        As in `Words`, where the states of the program are meant.
    nameless
        Whether they are searched though what happens may have no names: no plan comes of it.
    is_replayed
        Whether plans are replayed in clingo, as the encoding is nobody's that the domain knows.
    warnings
        What the caller should know about the input.
    """

    files: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    encoding: str | None = None
    path: Path | None = None
    domain: Domain | None = None
    model: Model[Any, Any] | None = None
    referee: Model[Any, Any] | None = None
    written: Callable[[str], str] | None = None
    plan_files: PlanFiles | None = None
    drawing: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = False
    by_encoding: bool = False
    all_states: bool = False
    nameless: bool = False
    is_replayed: bool = False
    allow_scripts: bool = False
    warnings: tuple[str, ...] = ()
    known_facts: Facts | None = None
    _space: list[tuple[Domain, Model[Any, Any]]] = field(default_factory=list, init=False)

    @cached_property
    def facts(self) -> Facts:
        """The facts of the instance; of a whole program, all that its part base derives."""
        if self.known_facts is not None:
            return self.known_facts
        told = [unit for unit in self.units if self.is_whole or not is_program(unit)]
        return ground_facts(told, self.given, self.files, strict=False)

    def modelled(self) -> tuple[Domain, Model[Any, Any]]:
        """The domain and the model.

        Raises
        ------
        InputError
            The problem belongs to no domain that has a model in Python.
        """
        if self.domain is None or self.model is None:
            raise InputError(
                "the files are an instance of no domain that has a model in Python",
                mend="--engine asp needs none",
            )
        return self.domain, self.model

    @property
    def state_space(self) -> tuple[Domain, Model[Any, Any]]:
        """As `open_space`, however long that takes."""
        return self.open_space()

    def open_space(self, heed: Callable[[], None] = lambda: None) -> tuple[Domain, Model[Any, Any]]:
        """The domain and the model whose states are searched: those of the program, if need be.

        `heed` is called for each initial state of a program; what it raises ends the search.

        Raises
        ------
        InputError
            There is no model, and no program that is a transition system and names its actions.
        """
        if self.model is not None and not self.by_encoding:
            return self.modelled()
        if self._space:
            return self._space[0]
        if not self.nameless:
            check_names(self.program)
        name = Path(self.encoding).stem if self.encoding else ""
        self._space.append(_space_of(name, self.program, self.given, self.all_states, heed))
        return self._space[0]

    @property
    def rules(self) -> str | None:
        """The drawing rules that came with the files, of the domain, or beside the encoding."""
        if self.drawing is not None:
            return self.drawing
        if self.domain and (shipped := find_drawing(self.domain.name)):
            return str(shipped)
        beside = self.path.parent / "draw.lp" if self.path else None
        return str(beside) if beside and is_there(beside) else None

    @cached_property
    def program(self) -> Program:
        """The ASP program, with nothing added or rewritten.

        Raises
        ------
        InputError
            It is a program of another kind, or none.
        UsageError
            A constant is given a value that no file uses.
        """
        return compose(self.units, self.given, self.allow_scripts)


def is_program(unit: Unit) -> bool:
    """Whether a unit has a part that an instance has not."""
    return not unit.parts.isdisjoint(TIMED)


# `NAME:CONST=VALUE`: a variant of an encoding, named wherever an encoding is.
#
# >>> words = with_variant(Words(("twist06",), encoding="turns:order=talk:extra=1"))
# >>> words.encoding, words.constants
# ('turns', {'order': 'talk', 'extra': '1'})


STEPPED = "pddl"
"""The domain whose encodings differ in what a step may hold."""

STEPS = ("sequential", "forall", "exists", "relaxed")
"""Their names, from one action a step to the most."""

_FORM = "a variant is written NAME:CONST=VALUE, for example origin:metric=slide"

_SETTING = re.compile(r""":[^:="]*=(?:"(?:\\.|[^"\\])*"|[^:"])*""", re.DOTALL)
"""`:CONST=VALUE`; a colon within a string belongs to the value."""

_VARIANT = re.compile(rf"(.*?)((?:{_SETTING.pattern})*)", re.DOTALL)


def with_variant(words: Words) -> Words:
    """The same words with the bare name of the encoding, its constants among all others.

    What a step may hold is the name of an encoding, too. What is the path of a file is no more
    than that, whatever is in it.

    Raises
    ------
    UsageError
        What stands behind a colon sets no constant, or sets one that has another value; or steps
        are named beside an encoding.
    """
    if words.steps is not None:
        return _with_steps(words, words.steps)
    if words.encoding is None:
        return words
    name, settings = _parts(words.encoding)
    constants = dict(words.constants)
    for setting in settings:
        constant, value = _constant(setting.removeprefix(":"), words.encoding)
        if (present := constants.setdefault(constant, value)) != value:
            raise UsageError(
                f"{words.encoding}: {constant}={value} contradicts {constant}={present}"
            )
    return replace(words, encoding=name, constants=constants)


def _with_steps(words: Words, steps: str) -> Words:
    if words.encoding == f"{STEPPED}/{steps}":
        return words
    if words.encoding is not None:
        raise UsageError(
            f"--steps {steps} and -e {words.encoding} both name an encoding",
            mend="leave out one of the two",
        )
    if steps not in STEPS:
        raise UsageError(f"steps={steps!r}: steps are {', '.join(STEPS[:-1])} or {STEPS[-1]}")
    return replace(words, encoding=f"{STEPPED}/{steps}")


def _parts(word: str) -> tuple[str, list[str]]:
    """The name, or the longest path of a file, and the settings behind it."""
    parts = _VARIANT.fullmatch(word)
    assert parts is not None  # all of it may be the name
    name, settings = parts[1], _SETTING.findall(parts[2])
    for count in range(len(settings), -1, -1):
        path = name + "".join(settings[:count])
        if Path(path).is_file():
            return path, settings[count:]
    if ":" in name or (settings and not name):
        raise UsageError(f"unknown encoding {word!r}", mend=_FORM)
    return name, settings


def _constant(text: str, word: str) -> tuple[str, str]:
    try:
        return parse_constant(text)
    except UsageError as error:
        raise UsageError(f"{word}: {error.message}", mend=_FORM) from None
