"""Python code of a program, run for this program alone where the caller allows it.

clingo's own `enable_python` runs scripts in `__main__`, and leaves them there: from then on any
program of the process can call what it finds there. Here they run in a module of their own, whose
functions clingo gets as the context of a grounding, as it does with `Control.ground(…, context)`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from types import ModuleType

from clingo import Control, Symbol

from asplan.core.errors import InputError, Location
from asplan.program.syntax import AST, Call

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
