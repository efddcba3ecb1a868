"""Heuristics of users: a Python function in a user's file, named FILE.py:FUNCTION.

The function gets the fluents of a state and, if it has a second parameter, the facts of the
instance. Both are lists of tuples: `position(r,3,1)` is `("position", "r", 3, 1)`. It returns a
number from 0.

>>> from asplan.clingo import parse_term
>>> to_plain(parse_term('on(a,(1,"b"))'))
('on', 'a', (1, 'b'))
"""

import inspect
import sys
import traceback
from collections.abc import Callable, Iterable
from importlib.util import module_from_spec, spec_from_file_location
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.core.text import shortened
from asplan.domains.heuristic import Estimate, Heuristic, never
from asplan.domains.model import DomainModel, DomainState

Plain: TypeAlias = int | str | tuple[Any, ...]  # Any: a tuple of plain values, and so on
Function = Callable[..., object]  # of the user: any parameters, and any result

_LONGEST = 200  # characters of a state in a message


def to_plain(symbol: Symbol) -> Plain:
    """Return a term in the form that users' functions receive.

    The form is a number, a text, or a tuple of the term's name and arguments.
    """
    if symbol.type == SymbolType.Number:
        return symbol.number
    if symbol.type == SymbolType.String:
        return symbol.string
    if symbol.type != SymbolType.Function:
        return str(symbol)
    arguments = tuple(map(to_plain, symbol.arguments))
    if not symbol.name:
        return arguments
    name = symbol.name if symbol.positive else f"-{symbol.name}"
    return (name, *arguments) if arguments else name


def read_heuristic(name: str, facts: Iterable[Symbol]) -> Heuristic:
    """Return the heuristic that a user's function FILE.py:FUNCTION defines for an instance.

    The heuristic counts as neither admissible nor consistent. Raises `InputError` if the file
    cannot be run or does not define it. The estimate raises `InputError` if the function fails,
    or returns anything but a number from 0.
    """
    file, _, function_name = name.rpartition(":")
    function = _find_function(file, function_name)
    plain_facts = list(map(to_plain, facts))

    def make(model: DomainModel) -> Estimate:
        return _OwnEstimate(name, file, function, plain_facts, model)

    return Heuristic(name, make, "of your own", admissible=never, consistent=never)


@dataclass(frozen=True)
class _OwnEstimate:
    """The estimate that a user's function computes for states of a model."""

    name: str
    file: str
    function: Function
    facts: list[Plain]
    model: DomainModel

    def __call__(self, state: DomainState) -> float:
        fluents = [to_plain(fluent) for fluent in self.model.fluents(state)]
        given: tuple[object, ...] = (fluents,)
        if _takes_facts(self.function):
            given = (fluents, self.facts)
        try:
            value = self.function(*given)
        except Exception as error:
            raise _failure(self.name, self.file, error) from error
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or isnan(value) or value < 0:  # type: ignore[operator,arg-type]
            at = shortened(str(fluents), _LONGEST)
            why = f"{self.name} returned {shortened(repr(value), 50)} for the state {at}"
            raise InputError(why, hint="a heuristic returns a number from 0")
        return value  # type: ignore[return-value]


def _takes_facts(function: Function) -> bool:
    """Return whether a function has a second parameter, which receives the facts."""
    return len(inspect.signature(function).parameters) > 1


def _find_function(file: str, name: str) -> Function:
    """Run a user's file and return one of its functions; raise `InputError` if that fails."""
    if not Path(file).is_file():
        raise UsageError(f"cannot read {file}: there is no such file")
    spec = spec_from_file_location("asplan_own_heuristic", file)
    assert spec is not None  # the suffix is .py
    assert spec.loader is not None
    module = module_from_spec(spec)
    writes_bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _failure(file, file, error) from error
    finally:
        sys.dont_write_bytecode = writes_bytecode
    functions = {key: value for key, value in vars(module).items() if inspect.isfunction(value)}
    if name not in functions:
        hint = nearest(name, functions, noun="functions") if functions else "write def h(state): …"
        raise InputError(f"{file} defines no function {name}", hint=hint)
    return functions[name]


def _failure(name: str, file: str, error: Exception) -> InputError:
    """Return the error for an exception in a user's file, located at the innermost line of that
    file.
    """
    line = 1
    if isinstance(error, SyntaxError):
        line = error.lineno or 1
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename) == Path(file).absolute() or frame.filename == file:
            line = frame.lineno or line
    why = f"{name} failed: {type(error).__name__}: {shortened(str(error), _LONGEST)}"
    return InputError(why, at=Location(file, line, 1))
