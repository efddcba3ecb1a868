"""Grounding: with the Python code of a program, seen by an observer, and counted.

clingo's own `enable_python` runs scripts in `__main__`, and leaves them there: from then on any
program of the process can call what it finds there. Here they run in a module of their own, for
this program alone and where the caller allows it; clingo gets its functions as the context of a
grounding, as it does with `Control.ground(…, context)`.

`Control.statistics` turns a tree of a hundred numbers into Python objects, which takes longer
than most solve calls of an incremental search. `read_counters` reads single leaves, with the
functions of clingo's C interface that `Control.statistics` is made of.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from clingo import Control, Observer, Symbol, _internal

from asplan.core.errors import InputError, Location
from asplan.program.syntax import AST, Call
from asplan.program.unit import is_helper

Rule = tuple[bool, Sequence[int], Sequence[int]]
"""Whether it is a choice, its head, its body; literals are numbers, negative where negated."""

Sum = tuple[bool, Sequence[int], int, Sequence[tuple[int, int]]]
"""The same with a body that asks for a sum: its least value, and the literals with weights."""


@dataclass
class Shown(Observer):
    """What is shown: atoms with their literals (0 is a fact's), and terms with their conditions."""

    shown: list[tuple[Symbol, int]] = field(default_factory=list)
    terms: list[tuple[Symbol, Sequence[int]]] = field(default_factory=list)

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        if not is_helper(symbol):
            self.shown.append((symbol, atom))

    def output_term(self, symbol: Symbol, condition: Sequence[int]) -> None:
        self.terms.append((symbol, condition))


@dataclass
class Ground(Shown):
    """What was grounded since the last `clear`; `constraints` are bodies without a head."""

    constraints: list[Sequence[int]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    disjunctive: bool = False

    def clear(self) -> None:
        for seen in (self.constraints, self.rules, self.sums, self.shown, self.terms):
            seen.clear()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if head:
            self.rules.append((choice, head, body))
            self.disjunctive |= len(head) > 1 and not choice
        else:
            self.constraints.append(body)

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        self.sums.append((choice, head, lower_bound, body))


_c_call: Any = vars(_internal)["_c_call"]
_lib: Any = vars(_internal)["_lib"]


def read_counters(control: Control, branch: tuple[str, ...], names: Iterable[str]) -> list[int]:
    """The counters with these names under a branch, `("problem", "lp")` say, of the last call."""
    statistics = _c_call("clingo_statistics_t*", _lib.clingo_control_statistics, control._rep)

    def below(key: Any, name: str) -> Any:
        at = _lib.clingo_statistics_map_at
        return _c_call("uint64_t", at, statistics, key, name.encode())

    key = _c_call("uint64_t", _lib.clingo_statistics_root, statistics)
    for name in branch:
        key = below(key, name)
    value = _lib.clingo_statistics_value_get
    return [int(_c_call("double", value, statistics, below(key, name))) for name in names]


Part = tuple[str, list[Symbol]]


def ground(
    control: Control, parts: list[Part], functions: Functions | None, context: object = None
) -> None:
    """Ground parts of a program with the functions of `context`; what fails there is told."""
    try:
        control.ground(parts, context or functions)
    except (Exception, SystemExit):
        if functions is not None and functions.failure is not None:
            raise functions.failure from None
        raise


class Functions:
    """The functions that scripts define, by the names that a program calls them."""

    def __init__(self, scripts: Iterable[AST], calls: Iterable[Call]) -> None:
        self._module = ModuleType("__main__")
        self._lines: dict[str, tuple[str, int]] = {}
        self.failure: InputError | None = None
        for number, script in enumerate(scripts):
            name, begin = f"<script {number}>", script.location.begin
            self._lines[name] = begin.filename, begin.line
            try:
                exec(compile(script.code, name, "exec", dont_inherit=True), vars(self._module))
            except (Exception, SystemExit) as error:
                raise self._failed(error, "#script (python)") from error
        for name, at in calls:
            if not callable(getattr(self._module, name, None)):
                raise InputError(f"@{name}: no script of the program defines this function", at=at)

    def __getattr__(self, name: str) -> Callable[..., list[Symbol]]:
        """A function, which clingo calls with terms, and from which it gets terms."""
        function = getattr(self._module, name)

        def call(*terms: Symbol) -> list[Symbol]:
            try:
                found = function(*terms)
                values = list(found) if isinstance(found, Iterable) else [found]
                for value in values:
                    if not isinstance(value, Symbol):
                        raise TypeError(f"{value!r} is no term such as clingo.Number(1)")
                return values
            except (Exception, SystemExit) as error:
                self.failure = self._failed(error, f"@{name}({','.join(map(str, terms))})")
                raise

        return call

    def _failed(self, error: BaseException, what: str) -> InputError:
        """The error, at the last line of a script that led to it."""
        lines = [(f.f_code.co_filename, at) for f, at in traceback.walk_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            lines.insert(0, (error.filename or "", error.lineno or 1))
        places = [
            Location(self._lines[name][0], self._lines[name][1] + line - 1, 1)
            for name, line in lines
            if name in self._lines
        ]
        message = f"{what}: {type(error).__name__}: {error}"
        return InputError(message, at=places[-1] if places else None)
